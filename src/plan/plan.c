/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/plan: the order in which a plan comes about, and what its steps share. */
#include "plan/planner.h"

#include "base/hash.h"

enum { SESSIONS_MAX = 5 };

static const char *const plan_words[PW_COUNT] = {
	[PW_RW] = "rw",
	[PW_BS] = "bs",
	[PW_IOENGINE] = "ioengine",
	[PW_IODEPTH] = "iodepth",
	[PW_BATCH_SUBMIT] = "iodepth_batch_submit",
	[PW_COMPLETE_MIN] = "iodepth_batch_complete_min",
	[PW_COMPLETE_MAX] = "iodepth_batch_complete_max",
	[PW_SIZE] = "size",
	[PW_OFFSET] = "offset",
	[PW_RUNTIME] = "runtime",
	[PW_RAMP] = "ramp_time",
	[PW_TIME_BASED] = "time_based",
	[PW_DIRECT] = "direct",
	[PW_SYNC] = "sync",
	[PW_FSYNC] = "fsync",
	[PW_FDATASYNC] = "fdatasync",
	[PW_END_FSYNC] = "end_fsync",
	[PW_RATE] = "rate_iops",
	[PW_MIX] = "rwmixread",
	[PW_FILES] = "files",
	[PW_RUNS] = "runs",
	[PW_SIM] = "sim",
	[PW_BSSPLIT] = "bssplit",
	[PW_BSRANGE] = "bsrange",
	[PW_NORANDOMMAP] = "norandommap",
	[PW_RATE_BW] = "rate",
	[PW_THINKTIME] = "thinktime",
	[PW_THINKTIME_BLOCKS] = "thinktime_blocks",
	[PW_PERCENTILES] = "percentile_list",
	[PW_STONEWALL] = "stonewall",
	[PW_REFILL] = "refill_buffers",
	[PW_COMPRESS] = "buffer_compress_percentage",
	[PW_DEDUPE] = "dedupe_percentage",
	[PW_DISTRIBUTION] = "random_distribution",
	[PW_LOOPS] = "loops",
	[PW_NUMJOBS] = "numjobs",
	[PW_NRFILES] = "nrfiles",
	[PW_CPUS] = "cpus_allowed",
	[PW_CPUS_POLICY] = "cpus_allowed_policy",
	[PW_NUMA_CPUS] = "numa_cpu_nodes",
	[PW_NUMA_MEMORY] = "numa_mem_policy",
	[PW_VERIFY] = "verify",
	[PW_PRECONDITION] = "precondition",
	[PW_TUNABLES] = "tunables",
	[PW_DROP_CACHES] = "drop_caches",
};

unsigned plan_word_at(enum plan_word w)
{
	const struct word *x = word_find(plan_words[w]);

	/* A word the table lost would read a neighbour's origin: the last slot is never used. */
	return x ? word_index(x) : WORD_COUNT_MAX - 1;
}

struct diag *planner_report(struct planner *pl, uint32_t line, uint32_t column, const char *fmt,
			    ...)
{
	struct report_key *k;
	va_list ap;

	/* A matrix meets the same mistake in each instance; the reader wants it once. */
	for (size_t i = pl->reported.n; i-- > 0;) {
		k = &pl->reported.v[i];
		if (k->line == line && k->column == column && k->fmt == fmt)
			return NULL;
	}
	k = VEC_PUSH(&pl->reported);
	*k = (struct report_key){line, column, fmt};
	str_clear(&pl->tmp);
	va_start(ap, fmt);
	str_vaddf(&pl->tmp, fmt, ap);
	va_end(ap);
	return diags_add(pl->d, DIAG_ERROR, NULL, pl->s->file, line, column, "%s", pl->tmp.s);
}

void planner_report_err(struct planner *pl, uint32_t line, uint32_t column, const struct err *e)
{
	struct diag *g = planner_report(pl, line, column, "%s", e->text);

	if (g && e->hint[0])
		diag_hint(g, "%s", e->hint);
}

void job_stop(struct job *j, enum job_state state, const char *why)
{
	if (j->state != JOB_READY)
		return;
	j->state = state;
	j->why = why;
}

bool plan_job_diskless(const struct job *j)
{
	const struct engine *g = engine_find(j->ioengine);

	return j->total || (g && (g->caps & ENGINE_DISKLESS));
}

uint32_t planner_find_job(const struct planner *pl, const char *name)
{
	size_t i;

	if (!pl->names)
		return UINT32_MAX;
	for (i = hash_str(name) & pl->names_mask; pl->names[i].name; i = (i + 1) & pl->names_mask)
		if (strcmp(pl->names[i].name, name) == 0)
			return pl->names[i].job;
	return UINT32_MAX;
}

void planner_setup_error(struct planner *pl, int code, const char *text)
{
	if (pl->p->setup_error)
		return;
	pl->p->setup_error = text;
	pl->p->setup_code = code;
}

static int plan_sessions(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;
	const struct plan_options *o = pl->o;

	if (interleaved(p)) {
		p->sessions_min = p->sessions_max = 1;
		return 0;
	}
	p->sessions_min = o->sessions_min ? o->sessions_min : pl->s->sessions_min;
	p->sessions_max = o->sessions_max ? o->sessions_max : pl->s->sessions_max;
	if (!p->sessions_min)
		p->sessions_min = 1;
	if (!p->sessions_max)
		p->sessions_max = SESSIONS_MAX;
	if (!o->sessions_max && p->sessions_max < p->sessions_min)
		p->sessions_max = p->sessions_min;
	if (!o->sessions_min && p->sessions_min > p->sessions_max)
		p->sessions_min = p->sessions_max;
	if (p->sessions_min <= p->sessions_max && p->sessions_max <= SESSIONS_MAX)
		return 0;
	err_set(e, ERR_USAGE, "sessions %u..%u is no range within 1..%d", p->sessions_min,
		p->sessions_max, SESSIONS_MAX);
	return err_hint(e, "--sessions 2 or --sessions 1..5");
}

/* Law 2: the suite's gates are able to turn red, and the command line takes that from them. */
static void announce_one_session(struct plan *p, bool continues)
{
	size_t gates = 0;

	for (size_t i = 0; p->sessions_max == 1 && !continues && !interleaved(p) && i < p->nchecks;
	     i++) {
		const struct check *c = &p->checks[i];

		gates += c->kind == CHECK_GATE && c->role == ROLE_PRIMARY && !c->skipped &&
			 p->jobs[c->job].state == JOB_READY;
	}
	if (gates)
		notices_add(&p->notices,
			    "with 1 session no gate can turn red: a loss shows as inconclusive "
			    "(%zu gate%s; a regression is told by two sessions)",
			    gates, gates == 1 ? "" : "s");
}

static void announce(struct plan *p, const char *when, const suite_commands *list)
{
	struct str s;

	str_init(&s);
	for (size_t i = 0; i < list->n; i++) {
		str_add(&s, i ? "; " : "");
		suite_command_show(&list->v[i], &s);
	}
	if (list->n)
		notices_add(&p->notices, "%s: %s", when, s.s);
	str_release(&s);
}

/* They may do anything, as the user who runs blkgate: whoever reads a plan sees what. */
static void announce_commands(struct plan *p)
{
	const struct workload *last = NULL;

	announce(p, "setup, before all else", &p->suite->setup);
	for (size_t i = 0; i < p->njobs; i++) {
		const struct workload *w = &p->suite->workloads.v[p->workload[i]];

		if (p->jobs[i].state != JOB_READY || p->jobs[i].total || w == last)
			continue;
		last = w;
		announce(p, arena_printf(&p->arena, "setup before each run of '%s'", w->name),
			 &w->setup);
		announce(p, arena_printf(&p->arena, "teardown behind each run of '%s'", w->name),
			 &w->teardown);
	}
	announce(p, "teardown, behind all else", &p->suite->teardown);
}

static void plan_init(struct plan *p, const struct suite *s, const struct plan_options *o)
{
	*p = (struct plan){.suite = s};
	arena_init(&p->arena);
	facts_init(&p->host);
	notices_init(&p->notices);
	p->fired = xcalloc(s->workloads.n + 1, sizeof(*p->fired));
	p->policy = s->policy;
	p->seed = o->seed;
	p->interleave = o->interleave;
	p->interleave.seed = o->seed;
	p->first_look = o->first_look;
	p->budget_time = o->budget_time ? o->budget_time : s->budget_time;
	p->budget_written = o->budget_written ? o->budget_written : s->budget_written;
	p->profile = o->profile ? o->profile : "default";
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->ntargets; i++)
		facts_release(&p->targets[i].facts);
	free(p->targets);
	free(p->jobs);
	free(p->origins);
	free(p->workload);
	free(p->fired);
	free(p->checks);
	free(p->settings);
	facts_release(&p->host);
	notices_release(&p->notices);
	arena_release(&p->arena);
	*p = (struct plan){0};
}

static void planner_release(struct planner *pl)
{
	free(pl->missing);
	free(pl->link);
	free(pl->upstream);
	free(pl->engine);
	free(pl->names);
	free(pl->unselected);
	free(pl->gate_names);
	free(pl->expect_names);
	VEC_RELEASE(&pl->checks);
	VEC_RELEASE(&pl->texts);
	VEC_RELEASE(&pl->reported);
	str_release(&pl->tmp);
}

static void planner_init(struct planner *pl, struct plan *p, const struct suite *s,
			 const struct plan_options *o, struct diags *d)
{
	*pl = (struct planner){.p = p, .s = s, .o = o, .d = d, .a = &p->arena};
	str_init(&pl->tmp);
	for (int i = 0; i < PW_COUNT; i++)
		pl->at[i] = plan_word_at((enum plan_word)i);
	pl->engine = xcalloc(engine_count, sizeof(*pl->engine));
	pl->gate_names = xcalloc(metric_count, sizeof(*pl->gate_names));
	pl->expect_names = xcalloc((size_t)metric_count * 4, sizeof(*pl->expect_names));
	if (o->only)
		pl->not_selected = arena_printf(pl->a, "not selected by --only %s", o->only);
	if (o->check) {
		pl->check_not_selected =
			arena_printf(pl->a, "not selected by --check %s", o->check);
		pl->no_check_selected =
			arena_printf(pl->a, "--check %s selects none of its checks", o->check);
	}
}

/* What could not be selected must not look like a finished measurement. */
static int plan_selection(struct planner *pl, struct err *e)
{
	const struct plan_options *o = pl->o;

	if (pl->selected == 0 && o->only) {
		err_set(e, ERR_SUITE, "--only '%s' selects no workload of suite '%s'", o->only,
			pl->s->name);
		if (pl->p->njobs)
			err_hint(e, "its first workload is '%s'; quote the glob for the shell",
				 pl->p->jobs[0].name);
		return e->code;
	}
	if (pl->selected == 0)
		return err_set(e, ERR_SUITE, "suite '%s' has no workload", pl->s->name);
	if (o->check && pl->checks_selected == 0) {
		err_set(e, ERR_SUITE, "--check '%s' selects no check of suite '%s'", o->check,
			pl->s->name);
		if (pl->p->nchecks)
			err_hint(e, "its first check is '%s'", pl->p->checks[0].name);
		return e->code;
	}
	return 0;
}

static int plan_fill(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;
	int rc = plan_sessions(pl, e);

	if (rc < 0)
		return rc;
	if (!pl->o->lint_only)
		host_facts(pl->o->host, &p->host, pl->a);
	rc = targets_resolve(pl, e);
	if (rc == 0)
		rc = interleave_targets(pl, e);
	if (rc < 0)
		return rc;
	rc = labels_apply(pl, e);
	if (rc < 0)
		return rc;
	conditions_suite(pl);
	resolve_base(pl);
	rc = matrix_expand(pl, e);
	p->checks = pl->checks.v;
	p->nchecks = pl->checks.n;
	pl->checks.v = NULL;
	if (rc < 0)
		return rc;
	interleave_jobs(pl);
	tunables_find(pl);
	preparation_check(pl);
	known_apply(pl);
	announce_one_session(p, pl->o->continues);
	trims_against_reads(pl);
	plan_lint(p, pl->d);
	return plan_selection(pl, e);
}

int plan_make(const struct suite *s, const struct plan_options *o, struct plan *p, struct diags *d,
	      struct err *e)
{
	size_t before = d->errors;
	struct planner pl;
	int rc;

	plan_init(p, s, o);
	planner_init(&pl, p, s, o, d);
	rc = plan_fill(&pl, e);
	planner_release(&pl);
	/* A selection that is empty because nothing could be expanded is the lesser finding. */
	if (d->errors > before && rc != ERR_USAGE)
		return diags_to_err(d, ERR_SUITE, e);
	if (rc < 0)
		return rc;
	if (o->lint_only)
		return 0;
	plan_permit(p, o);
	tunables_settle(p);
	groups_settle(p);
	interleave_settle(p);
	announce_commands(p);
	if (!p->setup_error) {
		p->setup_error = plan_budget_refuses(p);
		p->setup_code = p->setup_error ? ERR_SUITE : 0;
	}
	return 0;
}
