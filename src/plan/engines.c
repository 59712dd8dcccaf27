/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/engines: which engine does a job's I/O. Each is probed once a plan, never in lint. */
#include "plan/planner.h"

#include "engines/sim.h"

/* `ioengine: auto`, best first. */
static const char *const auto_order[] = {"io_uring", "libaio", "psync"};
enum { NAUTO = sizeof(auto_order) / sizeof(auto_order[0]) };

static size_t engine_at(const struct engine *g)
{
	size_t i = 0;

	while (engine_table[i] != g)
		i++;
	return i;
}

static const struct engine_state *engine_ask(struct planner *pl, const struct engine *g)
{
	struct engine_state *st = &pl->engine[engine_at(g)];
	struct err e = ERR_INIT;

	if (st->asked)
		return st;
	st->asked = true;
	st->usable = engine_probe(g, &e) == 0;
	if (!st->usable)
		st->why = arena_printf(pl->a, "ioengine %s cannot be used here: %s%s%s", g->name,
				       e.text, e.hint[0] ? "; " : "", e.hint);
	return st;
}

static const struct engine *engine_auto(struct planner *pl)
{
	const struct engine *found = NULL;
	struct str passed;

	if (pl->auto_engine)
		return pl->auto_engine;
	str_init(&passed);
	for (int i = 0; i < NAUTO && !found; i++) {
		const struct engine *g = engine_find(auto_order[i]);
		const struct engine_state *st;

		if (!g)
			continue;
		st = engine_ask(pl, g);
		if (st->usable)
			found = g;
		else
			str_addf(&passed, "; %s", st->why);
	}
	/* psync needs nothing but system calls; where even that fails, its job says why. */
	if (!found)
		found = engine_find("psync");
	notices_add(&pl->p->notices, "ioengine auto: %s is used%s", found ? found->name : "none",
		    passed.s);
	str_release(&passed);
	pl->auto_engine = found;
	return found;
}

/* The engine that `auto` found may do everything but trim: then it is the first behind it that can.
 */
static const struct engine *engine_auto_trims(struct planner *pl, const struct job *j,
					      const struct engine *g)
{
	if (!job_trims(j) || (g->caps & ENGINE_OP_TRIM))
		return g;
	for (int i = 0; i < NAUTO; i++) {
		const struct engine *other = engine_find(auto_order[i]);

		if (!other || !(other->caps & ENGINE_OP_TRIM) || !engine_ask(pl, other)->usable)
			continue;
		notices_add(&pl->p->notices,
			    "ioengine auto: %s is used for rw: %s, as %s cannot trim", other->name,
			    job_rw_name(j->rw), g->name);
		return other;
	}
	return g;
}

static void unknown_engine(struct planner *pl, const struct origin *og, const char *asked)
{
	const char **names = xcalloc(engine_count + 1, sizeof(*names));
	const char *nearest;
	struct diag *g;

	for (unsigned i = 0; i < engine_count; i++)
		names[i] = engine_table[i]->name;
	names[engine_count] = "auto";
	nearest = str_nearest(asked, names, engine_count + 1);
	g = planner_report(pl, og->line, og->column, "ioengine '%s' is unknown", asked);
	if (g && nearest)
		diag_hint(g, "did you mean '%s'?", nearest);
	else if (g) {
		struct str all;

		str_init(&all);
		for (unsigned i = 0; i <= engine_count; i++)
			str_addf(&all, "%s%s", i ? " " : "", names[i]);
		diag_hint(g, "known: %s", all.s);
		str_release(&all);
	}
	free(names);
}

uint32_t engine_depth_max(const char *name)
{
	const struct engine *g = engine_find(name);

	return g && g->depth_max ? g->depth_max : UINT32_MAX;
}

static void engine_depth(struct planner *pl, const struct job *j, const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_IODEPTH]];
	struct diag *d;

	if (j->iodepth <= engine_depth_max(j->ioengine))
		return;
	d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
			   "iodepth %u is beyond the %u that ioengine %s has", j->iodepth,
			   engine_depth_max(j->ioengine), j->ioengine);
	if (d)
		diag_hint(d, "spread the depth over numjobs");
}

static void add_engines_with(struct str *out, uint32_t cap)
{
	for (unsigned i = 0; i < engine_count; i++)
		if ((engine_table[i]->caps & cap) == cap)
			str_addf(out, "%s%s", out->len ? " " : "", engine_table[i]->name);
}

static void hint_engines(struct diag *d, uint32_t caps)
{
	struct str with;

	str_init(&with);
	add_engines_with(&with, caps);
	diag_hint(d, "engines that can: %s", with.s);
	str_release(&with);
}

/* A mode or sync the engine has no operation for can never run: the suite is wrong. */
static void engine_can(struct planner *pl, const struct job *j, const struct job_origins *og,
		       const struct engine *g)
{
	const struct origin *at = &og->of[pl->at[PW_RW]];
	uint32_t need = (job_reads(j) ? ENGINE_OP_READ : 0) | (job_trims(j)    ? ENGINE_OP_TRIM
							       : job_writes(j) ? ENGINE_OP_WRITE
									       : 0);
	struct diag *d = NULL;

	if ((g->caps & need) != need)
		d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
				   "ioengine %s cannot do rw: %s", g->name, job_rw_name(j->rw));
	if (d)
		hint_engines(d, need);
	if ((j->fsync && !(g->caps & ENGINE_OP_FSYNC)) ||
	    (j->fdatasync && !(g->caps & ENGINE_OP_FDATASYNC)))
		planner_report(pl, j->file_line, 0, "ioengine %s cannot sync (fsync, fdatasync)",
			       g->name);
}

/* The words of a job that an engine must have a capability bit for. */
static uint32_t job_wants(const struct job *j)
{
	return engine_wants(&(struct engine_config){.hipri = j->hipri,
						    .nowait = j->nowait,
						    .fixedbufs = j->fixedbufs,
						    .registerfiles = j->registerfiles,
						    .sqthread_poll = j->sqthread_poll});
}

static const struct origin *origin_of(const struct job_origins *og, uint32_t cap)
{
	const struct word *w = word_find(engine_word(cap));

	return &og->of[w ? word_index(w) : WORD_COUNT_MAX - 1];
}

/* NULL, or why the engine that `auto` found is not the one these words need. A named engine is the
 * suite's own mistake, and reported. */
static const char *engine_has_words(struct planner *pl, const struct job *j,
				    const struct job_origins *og, const struct engine *g,
				    bool is_auto)
{
	const char *why = NULL;
	struct str with;

	for (uint32_t lacks = job_wants(j) & ~g->caps; lacks && !why; lacks &= lacks - 1) {
		uint32_t cap = lacks & -lacks;
		const struct origin *at = origin_of(og, cap);
		struct diag *d = NULL;

		str_init(&with);
		add_engines_with(&with, cap);
		if (is_auto)
			why = arena_printf(pl->a,
					   "ioengine %s (auto) has no %s; it is a word of: %s",
					   g->name, engine_word(cap), with.s);
		else
			d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
					   "ioengine %s has no %s", g->name, engine_word(cap));
		if (d)
			diag_hint(d, "engines that have it: %s", with.s);
		str_release(&with);
	}
	return why;
}

/* Flags of the calls that read and write: a trim is another one, and would leave them out. */
static void engine_trims(struct planner *pl, const struct job *j, const struct job_origins *og)
{
	uint32_t flags = job_trims(j) ? job_wants(j) & (ENGINE_HIPRI | ENGINE_NOWAIT) : 0;

	for (; flags; flags &= flags - 1) {
		const struct origin *at = origin_of(og, flags & -flags);

		planner_report(pl, at->line ? at->line : j->file_line, at->column,
			       "%s has no meaning for rw: %s", engine_word(flags & -flags),
			       job_rw_name(j->rw));
	}
}

/* Commands to a drive pass by the page cache and by the flags of an open file. */
static void engine_commands(struct planner *pl, const struct job *j, const struct job_origins *og,
			    const struct engine *g)
{
	const struct origin *at = &og->of[pl->at[PW_DIRECT]];
	struct diag *d;

	if (!(g->caps & ENGINE_PASSTHROUGH))
		return;
	if (!j->direct && !j->direct_auto) {
		d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
				   "ioengine %s sends commands to the drive: it cannot be buffered",
				   g->name);
		if (d)
			diag_hint(d, "direct: true");
	}
	at = &og->of[pl->at[PW_SYNC]];
	if (j->sync != SYNC_NONE) {
		d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
				   "sync is a flag of an open file, which the commands of ioengine "
				   "%s do not carry",
				   g->name);
		if (d)
			diag_hint(d, "fdatasync: 1, a flush after each write");
	}
}

/* O_DIRECT and polling: what they exclude. */
static void engine_path(struct planner *pl, const struct job *j, const struct job_origins *og,
			const struct engine *g)
{
	const struct origin *at = &og->of[pl->at[PW_DIRECT]], *hipri = origin_of(og, ENGINE_HIPRI);
	struct diag *d = NULL;

	if ((g->caps & ENGINE_MAPPED) && j->direct && !j->direct_auto) {
		if (!at->line)
			at = &og->of[pl->at[PW_IOENGINE]];
		d = planner_report(pl, at->line ? at->line : j->file_line, at->column,
				   "ioengine %s goes through the page cache: it cannot be direct",
				   g->name);
		if (d)
			diag_hint(d, "direct: false");
	}
	if (!j->hipri || !(g->caps & ENGINE_HIPRI))
		return;
	if (!j->direct && !j->direct_auto) {
		d = planner_report(pl, hipri->line ? hipri->line : j->file_line, hipri->column,
				   "hipri needs direct I/O: nobody polls for the page cache");
		if (d)
			diag_hint(d, "direct: true");
	}
	if (!(g->caps & ENGINE_SYNC) && (j->fsync || j->fdatasync || j->end_fsync))
		planner_report(
			pl, hipri->line ? hipri->line : j->file_line, hipri->column,
			"a polled ring of %s has no fsync: hipri excludes fsync, fdatasync and "
			"end_fsync",
			g->name);
}

/* The script of sim is its own business but for a wrong one, which is the suite's. */
static void engine_script(struct planner *pl, struct job *j, const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_SIM]];
	struct err e = ERR_INIT;

	if (strcmp(j->ioengine, "sim") != 0)
		j->sim = "";
	else if (sim_check(j->sim, &e) < 0)
		planner_report_err(pl, at->line ? at->line : j->file_line, at->column, &e);
}

const char *engine_resolve(struct planner *pl, struct job *j, const struct job_origins *og)
{
	const char *asked = j->ioengine;
	bool is_auto = strcmp(asked, "auto") == 0;
	const struct engine *g;
	const struct engine_state *st;
	const char *lacks;

	j->ioengine_asked = asked;
	if (is_auto && pl->o->lint_only) {
		/* Unknown until a machine is asked: the asynchronous shape raises no false finding.
		 */
		j->ioengine = auto_order[0];
		j->sim = "";
		return NULL;
	}
	g = is_auto ? engine_auto(pl) : engine_find(asked);
	if (!g) {
		unknown_engine(pl, &og->of[pl->at[PW_IOENGINE]], asked);
		return NULL;
	}
	if (is_auto)
		g = engine_auto_trims(pl, j, g);
	j->ioengine = g->name;
	engine_can(pl, j, og, g);
	lacks = engine_has_words(pl, j, og, g, is_auto);
	engine_trims(pl, j, og);
	engine_path(pl, j, og, g);
	engine_commands(pl, j, og, g);
	if (!is_auto) /* nobody wrote down which engine `auto` finds: capacity.c tells the job */
		engine_depth(pl, j, og);
	engine_script(pl, j, og);
	if (pl->o->lint_only || j->state != JOB_READY)
		return NULL;
	st = engine_ask(pl, g);
	return st->usable ? lacks : st->why;
}
