/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/resolve: words to a job. Precedence: default < defaults < workload < matrix < command line;
 * the place of the winner is kept for each word. What depends on other words or on the target is
 * decided here and nowhere later: a resolved job has no default left.
 */
#include "plan/planner.h"

static bool written(const struct planner *pl, const struct job_origins *og, enum plan_word w)
{
	return og->of[pl->at[w]].kind != ORIGIN_DEFAULT;
}

void resolve_word(struct planner *pl, struct job *j, struct job_origins *og, const struct word *w,
		  const struct ynode *node, enum origin_kind kind)
{
	struct err e = ERR_INIT;

	if (w->read(w, word_text(w, node, pl->a), pl->a, j, &e) < 0)
		planner_report_err(pl, node->line, node->column, &e);
	og->of[word_index(w)] = (struct origin){kind, node->line, node->column,
						suite_param_text(pl->s, node, pl->a)};
}

void resolve_base(struct planner *pl)
{
	words_default(&pl->base, pl->a);
	for (size_t i = 0; i < pl->s->defaults.n; i++)
		resolve_word(pl, &pl->base, &pl->base_origins, pl->s->defaults.v[i].word,
			     pl->s->defaults.v[i].node, ORIGIN_DEFAULTS);
}

static void resolve_time(struct planner *pl, const struct workload *w, struct job *j,
			 const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_TIME_BASED]];

	/* unlike fio: a runtime that ended early at size would measure another length every time */
	if (j->runtime && !written(pl, og, PW_TIME_BASED))
		j->time_based = true;
	if (!j->runtime && j->time_based) {
		struct diag *g =
			planner_report(pl, at->line ? at->line : w->line, at->column,
				       "workload '%s' is time_based but has no runtime", w->name);
		if (g)
			diag_hint(g, "add `runtime: 10s`");
	}
	if (!j->runtime)
		j->time_based = false;
	if (!j->loops)
		j->loops = 1;
}

/* Batches that contradict each other would wait for completions that cannot come. */
static void resolve_batches(struct planner *pl, const struct workload *w, struct job *j,
			    const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_COMPLETE_MIN]];

	if (!written(pl, og, PW_COMPLETE_MAX))
		j->iodepth_batch_complete_max = j->iodepth;
	if (!j->iodepth_batch_submit)
		j->iodepth_batch_submit = 1;
	if (!j->iodepth_batch_complete_min)
		j->iodepth_batch_complete_min = 1;
	if (j->iodepth_batch_complete_min > j->iodepth)
		planner_report(
			pl, at->line ? at->line : w->line, at->column,
			"iodepth_batch_complete_min %u of workload '%s' is more than iodepth %u: "
			"it would wait for ever",
			j->iodepth_batch_complete_min, w->name, j->iodepth);
	else if (j->iodepth_batch_complete_max < j->iodepth_batch_complete_min)
		planner_report(pl, at->line ? at->line : w->line, at->column,
			       "iodepth_batch_complete_min %u of workload '%s' is more than "
			       "iodepth_batch_complete_max %u",
			       j->iodepth_batch_complete_min, w->name,
			       j->iodepth_batch_complete_max);
}

/*
 * bs, bssplit and bsrange are three ways to say one thing: the one written nearest to the workload
 * holds, and two at one place contradict each other.
 */
static void resolve_blocks(struct planner *pl, const struct workload *w, struct job *j,
			   struct job_origins *og)
{
	static const enum plan_word words[] = {PW_BS, PW_BSSPLIT, PW_BSRANGE};
	struct origin *of[3], *win = NULL;
	struct bs_mix mix;

	for (int i = 0; i < 3; i++) {
		of[i] = &og->of[pl->at[words[i]]];
		if (!win || of[i]->kind > win->kind)
			win = of[i];
	}
	for (int i = 0; i < 3; i++) {
		if (of[i] == win)
			continue;
		if (of[i]->kind == win->kind && win->kind != ORIGIN_DEFAULT)
			planner_report(pl, of[i]->line, of[i]->column,
				       "workload '%s' has two of bs, bssplit and bsrange", w->name);
		if (i)
			*of[i] = (struct origin){0};
	}
	if (win != of[1])
		j->bssplit = "";
	if (win != of[2])
		j->bsrange = "";
	if (win == of[0] || job_bs_mix(j, &mix))
		return;
	j->bs = mix.smallest;
	*of[0] = *win;
	/* a pass that visits each block once cannot be had: refused here, not approximated */
	if (job_random(j) && !j->norandommap &&
	    !(j->random_distribution && *j->random_distribution)) {
		struct diag *g = planner_report(pl, win->line ? win->line : w->line, win->column,
						"random offsets of workload '%s' cannot cover the "
						"region once with blocks of "
						"several sizes",
						w->name);

		if (g)
			diag_hint(g, "norandommap: true, and blocks may repeat");
	}
}

/* One schedule: of rate and rate_iops, the one written nearest to the workload. */
static void resolve_pace(struct planner *pl, const struct workload *w, struct job *j,
			 struct job_origins *og)
{
	struct origin *iops = &og->of[pl->at[PW_RATE]], *bw = &og->of[pl->at[PW_RATE_BW]];

	if (j->rate_iops > 0 && j->rate > 0) {
		if (iops->kind == bw->kind) {
			planner_report(pl, bw->line, bw->column,
				       "workload '%s' has both rate and rate_iops", w->name);
		} else if (iops->kind > bw->kind) {
			j->rate = 0;
			*bw = (struct origin){0};
		} else {
			j->rate_iops = 0;
			*iops = (struct origin){0};
		}
	}
	if (!j->thinktime)
		j->thinktime_blocks = 0;
	else if (!j->thinktime_blocks)
		j->thinktime_blocks = 1;
}

/* Duplicates among buffers that are filled once would be all there is, and a header is of one
 * write. A suite may ask for verification in its defaults: of workloads that write nothing it asks
 * nothing.
 */
static void resolve_contents(struct planner *pl, const struct workload *w, struct job *j,
			     const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_REFILL]];

	if (job_verifies(j) && !job_writes(j) && og->of[pl->at[PW_VERIFY]].kind == ORIGIN_DEFAULTS)
		j->verify = "";
	if (!j->dedupe_percentage && !job_verifies(j))
		return;
	if (written(pl, og, PW_REFILL) && !j->refill_buffers)
		planner_report(pl, at->line, at->column,
			       "workload '%s' has %s, which needs refill_buffers", w->name,
			       job_verifies(j) ? "verify" : "dedupe_percentage");
	j->refill_buffers = true;
}

void resolve_instance(struct planner *pl, const struct workload *w, struct job *j,
		      struct job_origins *og)
{
	j->description = w->description;
	j->file_line = w->line;
	j->canary = w->canary;
	j->untouched = w->untouched;
	j->adjust_by = w->adjust_by;
	if (!j->sim)
		j->sim = "";
	if (!written(pl, og, PW_RW)) {
		struct diag *g =
			planner_report(pl, w->line, w->column, "workload '%s' has no rw", w->name);

		if (g)
			diag_hint(
				g,
				"add `rw: randread` (read write randread randwrite rw randrw trim "
				"randtrim)");
	}
	if (pl->o->runs) {
		j->runs = pl->o->runs;
		og->of[pl->at[PW_RUNS]] = (struct origin){ORIGIN_COMMAND, 0, 0, NULL};
	}
	resolve_blocks(pl, w, j, og);
	resolve_pace(pl, w, j, og);
	resolve_contents(pl, w, j, og);
	resolve_time(pl, w, j, og);
	resolve_batches(pl, w, j, og);
	percentiles_check(pl, j, og);
	placement_words(pl, w, j, og);
	pl->engine_why = engine_resolve(pl, j, og);
}

/* A share of the whole target, in whole blocks. False: the target has no size. */
static bool resolve_share(struct planner *pl, const struct job *j, const struct job_origins *og,
			  enum plan_word w, uint32_t percent, uint64_t *bytes)
{
	const struct target *t = &pl->p->targets[j->target];
	const char *word = word_table[pl->at[w]].name;
	const struct origin *at = &og->of[pl->at[w]];
	struct diag *g;

	if (t->kind == TARGET_BLOCK || t->kind == TARGET_FILE) {
		*bytes = (uint64_t)((double)t->size * percent / 100);
		*bytes -= *bytes % (j->bs ? j->bs : 1);
		return true;
	}
	g = planner_report(pl, at->line ? at->line : j->file_line, at->column,
			   "%s %u%% of workload '%s': a folder has no size of its own", word,
			   percent, j->name);
	if (g)
		diag_hint(g, "write bytes: `%s: 1GiB`", word);
	return false;
}

/* Whatever the target is. */
static void beyond_target(struct planner *pl, const struct job *j, const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_OFFSET]];
	struct diag *g = planner_report(pl, at->line ? at->line : j->file_line, at->column,
					"offset %u%% and size %u%% of workload '%s' are more than "
					"the target",
					j->offset_percent, j->size_percent, j->name);

	if (g)
		diag_hint(g, "size: %u%%", 100 - j->offset_percent);
}

/* Several files are in a folder, a share is of something that is none: never both. */
static void share_of_folder(struct planner *pl, const struct job *j, const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[j->size_percent ? PW_SIZE : PW_OFFSET]];
	struct diag *g = planner_report(
		pl, at->line ? at->line : j->file_line, at->column,
		"%s %u%% of workload '%s': nrfiles %u needs a folder, which has no size of its own",
		j->size_percent ? "size" : "offset",
		j->size_percent ? j->size_percent : j->offset_percent, j->name, j->nrfiles);

	if (g)
		diag_hint(g, "write bytes: `%s: 1GiB`", j->size_percent ? "size" : "offset");
}

static void resolve_size(struct planner *pl, const struct workload *w, struct job *j,
			 struct job_origins *og, const struct target *t)
{
	struct diag *g;

	if (j->size_percent + j->offset_percent > 100)
		beyond_target(pl, j, og);
	if (job_nrfiles(j) > 1 && (j->size_percent || j->offset_percent))
		share_of_folder(pl, j, og);
	if (j->size)
		return;
	if (j->size_percent && t->kind != TARGET_NONE) {
		if (resolve_share(pl, j, og, PW_SIZE, j->size_percent, &j->size) && !j->size)
			job_stop(j, JOB_ERROR,
				 arena_printf(pl->a,
					      "%u%% of '%s' (%llu bytes) holds no block of %u",
					      j->size_percent, t->role, (unsigned long long)t->size,
					      j->bs));
		return;
	}
	if (t->kind == TARGET_BLOCK) {
		j->size = j->offset < t->size ? t->size - j->offset : 0;
		og->of[pl->at[PW_SIZE]] = (struct origin){ORIGIN_TARGET, 0, 0, NULL};
		return;
	}
	if (t->kind == TARGET_NONE)
		return;
	g = planner_report(pl, w->line, w->column,
			   "workload '%s' has no size, and target '%s' is a %s", w->name, t->role,
			   t->kind == TARGET_DIR ? "folder" : "file");
	if (g)
		diag_hint(g, "add `size: 1GiB`: only a block device has a size of its own");
}

static void resolve_direct(struct planner *pl, struct job *j, const struct target *t)
{
	const struct engine *g = engine_find(j->ioengine);
	bool mapped = g && (g->caps & ENGINE_MAPPED);
	const char *why;

	if (!j->direct_auto)
		return;

	if (t->kind == TARGET_NONE || plan_job_diskless(j)) {
		j->direct = t->kind == TARGET_NONE && !mapped;
		return;
	}
	if (mapped) {
		j->direct = false;
		notices_add(&pl->p->notices,
			    "direct auto: false: ioengine %s goes through the page "
			    "cache",
			    g->name);
		return;
	}
	j->direct = direct_reported(t);
	if (j->direct) {
		notices_add(&pl->p->notices, "direct auto: true on '%s'", t->role);
		return;
	}
	why = direct_refuses(t);
	notices_add(&pl->p->notices, "direct auto: false on '%s' (%s): %s", t->role,
		    t->fstype ? t->fstype : "unknown file system",
		    why ? why : "the kernel reports no direct I/O limits there");
}

bool plan_runs_at_depth_one(const struct job *j)
{
	return strcmp(j->ioengine, "libaio") == 0 && !j->direct && j->iodepth > 1;
}

/* What the suite wrote is a lint rule; what `auto` made of it is announced. */
static void announce_depth(struct planner *pl, const struct job *j, const struct target *t)
{
	bool engine_auto = strcmp(j->ioengine_asked, "auto") == 0;

	if (!plan_runs_at_depth_one(j) || (!j->direct_auto && !engine_auto))
		return;
	notices_add(&pl->p->notices,
		    "%s auto: libaio does buffered I/O while it submits, so that iodepth has no "
		    "effect on '%s'",
		    j->direct_auto ? "direct" : "ioengine", t->role);
}

static void resolve_end_fsync(struct planner *pl, struct job *j, const struct job_origins *og)
{
	const struct engine *g = engine_find(j->ioengine);

	if (written(pl, og, PW_END_FSYNC))
		return;
	/* A buffered write is done when it reached the device, not when the page cache took it. */
	j->end_fsync = job_writes(j) && !job_trims(j) && !j->direct && g &&
		       (g->caps & ENGINE_OP_FSYNC) && !(g->caps & ENGINE_DISKLESS);
}

void resolve_on_target(struct planner *pl, const struct workload *w, struct job *j,
		       struct job_origins *og)
{
	const struct target *t = &pl->p->targets[j->target];

	if (j->offset_percent && t->kind != TARGET_NONE)
		resolve_share(pl, j, og, PW_OFFSET, j->offset_percent, &j->offset);
	resolve_size(pl, w, j, og, t);
	resolve_direct(pl, j, t);
	resolve_end_fsync(pl, j, og);
	announce_depth(pl, j, t);
	if (pl->missing[j->target])
		job_stop(j, JOB_ERROR, pl->missing[j->target]);
	conditions_when(pl, w, j);
	/* after `when`: a workload that is not meant for this machine needs neither its nodes nor
	 * its engine */
	placement_on_target(pl, j, t, og);
	if (pl->engine_why)
		job_stop(j, w->optional ? JOB_SKIPPED : JOB_ERROR, pl->engine_why);
}
