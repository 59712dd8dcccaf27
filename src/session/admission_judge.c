/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/admission_judge: what the looks of a run come to. */
#include "session/admission_state.h"

#include "gate/comparable.h"

#include <math.h>
#include <string.h>

#define OTHER_SHARE 0.05     /* of others in what the disk moved: noted above it */
#define GENERATOR_SHARE 0.95 /* of the time of its processors that a worker was busy */

/* Facts of one run on one target. */
struct run_facts {
	struct arena arena;
	struct facts low, high, now;
	double busy; /* of the generator */
};

/* Busy share of the processors that the threads of a run can use at once; NaN = not known. */
static double generator_busy(const struct admission *a, const struct admission_run *run)
{
	const struct outcome *o = run->out;
	const char *count = facts_value(&a->p->host, "cpu.count");
	uint64_t cpus = 0, threads = run->job->numjobs;

	if (!o->window || !count || !str_to_u64(count, &cpus) || !cpus)
		return NAN;
	return (double)(o->cpu_usr + o->cpu_sys) / (double)o->window /
	       (double)(threads < cpus ? threads : cpus);
}

/* Families of facts that are read again at the end of a run when `admit` asks for one of them. */
static bool asks_any(const struct plan *p, const char *const *family, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (plan_admit_asks(p, family[i]))
			return true;
	return false;
}
#define ASKS(p, ...)                                                                               \
	asks_any(p, (const char *const[]){__VA_ARGS__},                                            \
		 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void gather(struct admission *a, const struct admission_run *run, struct run_facts *f)
{
	const struct target *t = &a->p->targets[run->job->target];

	f->busy = generator_busy(a, run);
	arena_init(&f->arena);
	facts_init(&f->low);
	facts_init(&f->high);
	facts_init(&f->now);
	watched_facts(a->seen[run->job->target], &t->facts, &f->low, &f->high, &f->arena);
	if (!isnan(f->busy))
		facts_set(&f->high, &f->arena, "generator.cpu",
			  arena_printf(&f->arena, "%.1f%%", f->busy * 100), NULL);
	if (a->p->suite->admit.n == 0)
		return;
	if (ASKS(a->p, "kernel.", "cpu.", "host.", "power.", "cgroup.", "boot."))
		host_facts(a->h, &f->now, &f->arena);
	if (plan_job_diskless(run->job))
		return;
	if (ASKS(a->p, "device.", "link", "upstream.", "pcie.", "cgroup."))
		host_device(a->h, t, &f->now, &f->arena);
	if (ASKS(a->p, "health.", "pcie.", "device.", "temperature"))
		host_health(a->h, t, &f->now, &f->arena);
}

static void let_go(struct run_facts *f)
{
	facts_release(&f->low);
	facts_release(&f->high);
	facts_release(&f->now);
	arena_release(&f->arena);
}

/* The looks that stand behind the subject of a condition. */
static void add_evidence(const struct watched *w, const char *subject, struct str *out)
{
	struct str how;

	for (enum watched_key k = 0; k < WATCHED_COUNT; k++) {
		const struct watched_series *s = &w->of[k];
		bool link = str_eq(subject, "link") &&
			    (k == WATCHED_LINK_SPEED || k == WATCHED_LINK_WIDTH);
		bool grown = watched_items[k].counter && str_starts(subject, watched_items[k].key);

		if (s->state != WATCHED_KNOWN ||
		    !(link || grown || str_eq(subject, watched_items[k].key)))
			continue;
		str_addf(out,
			 "; %s: first %lld, least %lld, greatest %lld, last %lld of %llu looks",
			 watched_items[k].key, (long long)s->first, (long long)s->min,
			 (long long)s->max, (long long)s->last, (unsigned long long)s->n);
	}
	str_init(&how);
	if (str_eq(subject, "cpu.throttled"))
		str_addf(out, "; %s +%lld", watched_items[WATCHED_CPU_THROTTLE].key,
			 (long long)watched_growth(w, WATCHED_CPU_THROTTLE));
	str_release(&how);
}

/* What does not count has no number, as every failed run; what was noted stays true. */
static void broken(struct outcome *o, const char *text)
{
	char notes[sizeof(o->notes)];

	memcpy(notes, o->notes, sizeof(notes));
	outcome_spoil(o, "%s", text);
	o->status = OUTCOME_ADMISSION;
	memcpy(o->notes, notes, sizeof(notes));
}

static bool fact_of(const char *key, const char *setting)
{
	size_t n = strlen(key), name = setting ? strlen(setting) : 0;

	return name && n > name && key[n - name - 1] == '.' && str_ends(key, setting);
}

/* Is that setting one that the session itself puts to a value, with a guard of its own? */
static bool set_on_purpose(const struct admission *a, const struct admission_run *run,
			   const char *key)
{
	const struct plan *p = a->p;
	const struct plan_setting *s = p->settings;

	if (p->interleave.kind == INTERLEAVE_SETTING && fact_of(key, p->interleave.setting))
		return true;
	for (size_t i = 0; i < p->nsettings; i++)
		if (&p->jobs[s[i].job] == run->job && fact_of(key, s[i].name))
			return true;
	return false;
}

/* The settings that a comparison rests on are those of the plan, during the run as well. */
static void check_setting(struct admission *a, const struct admission_run *run,
			  const struct facts *now, const char *key)
{
	const struct target *t = &a->p->targets[run->job->target];
	const struct fact *was = facts_find2(&t->facts, &a->p->host, key);
	const struct fact *is = facts_find(now, key);
	bool bound = fact_class_of(&a->r->compare, key) == FACT_MUST_MATCH;

	if (!was || !is || !was->value || !is->value || str_eq(was->value, is->value) ||
	    set_on_purpose(a, run, key))
		return;
	if (bound && run->out->status == OUTCOME_OK)
		broken(run->out,
		       arena_printf(&a->r->arena,
				    "%s changed from '%s' to '%s' since the run was planned, and "
				    "it must match what is compared",
				    key, was->value, is->value));
	else
		outcome_note(run->out, "%s is '%s', and was '%s' when the run was planned", key,
			     is->value, was->value);
}

/* Only when it got worse: a link that was found saving power is none the worse for it. */
static void check_link(struct admission *a, const struct admission_run *run,
		       const struct run_facts *f)
{
	const struct target *t = &a->p->targets[run->job->target];
	const char *was = facts_value(&t->facts, "link"), *is = facts_value(&f->low, "link");
	const char *speed = facts_value(&f->low, "link.speed");
	const char *width = facts_value(&f->low, "link.width");

	if (!str_eq(was, "full") || !is || str_eq(is, "full"))
		return;
	if (fact_class_of(&a->r->compare, "link") == FACT_MUST_MATCH &&
	    run->out->status == OUTCOME_OK)
		broken(run->out,
		       arena_printf(&a->r->arena,
				    "link fell from full to %s x%s under load, and it must match "
				    "what is compared",
				    speed, width));
	else
		outcome_note(run->out, "link fell to %s x%s under load", speed, width);
}

static void note_errors(const struct watched *w, struct outcome *o)
{
	static const enum watched_key keys[] = {WATCHED_MEDIA_ERRORS,  WATCHED_ERROR_LOG,
						WATCHED_IO_ERRORS,     WATCHED_PCIE_CORRECTABLE,
						WATCHED_PCIE_NONFATAL, WATCHED_PCIE_FATAL,
						WATCHED_CPU_THROTTLE};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		int64_t n = watched_growth(w, keys[i]);

		if (n > 0)
			outcome_note(o, "%s +%lld during the run", watched_items[keys[i]].key,
				     (long long)n);
	}
}

/* Law 2: what was seen and nobody asked for is said. */
static void note_seen(const struct admission *a, const struct admission_run *run, double busy)
{
	const struct watched *w = a->seen[run->job->target];
	const struct watched_series *log = &w->of[WATCHED_KERNEL_LOG];
	const struct watched_series *warning = &w->of[WATCHED_CRITICAL_WARNING];
	double other = watched_other_io(w);
	struct outcome *o = run->out;
	struct str how;

	str_init(&how);
	if (watched_throttled(w, &how))
		outcome_note(o, "the device throttled: %s", how.s);
	str_release(&how);
	note_errors(w, o);
	if (warning->state == WATCHED_KNOWN && warning->max > warning->first)
		outcome_note(o, "health.critical_warning rose from %lld to %lld during the run",
			     (long long)warning->first, (long long)warning->max);
	if (log->state == WATCHED_KNOWN && log->last > 0)
		outcome_note(o, "kernel log: %lld line%s: %.120s", (long long)log->last,
			     log->last == 1 ? "" : "s", w->line ? w->line : "");
	if (other > OTHER_SHARE)
		outcome_note(o, "%.0f %% of what the disk moved was not this run's", other * 100);
	/* the memory behind a virtual disk is copied by the processor: there it says nothing */
	if (busy >= GENERATOR_SHARE && host_watch_has_link(a->watch[run->job->target]))
		outcome_note(o,
			     "generator: busy %.0f %% of its processors' time, which may be what "
			     "limits",
			     busy * 100);
	if (a->waited)
		outcome_note(o, "%s", a->waited);
}

static void judge_run_of(struct admission *a, const struct admission_run *run)
{
	const struct facts *seen[3];
	const struct expr *which = NULL;
	struct run_facts f;
	struct facts settings;
	struct str why;
	uint32_t t = run->job->target;

	gather(a, run, &f);
	facts_init(&settings);
	str_init(&why);
	host_watch_settings(a->watch[t], &settings, &f.arena);
	seen[0] = &f.low;
	seen[1] = &f.high;
	seen[2] = &f.now;
	if (run->out->status == OUTCOME_OK &&
	    !plan_admitted(a->p, run->job, seen, 3, &which, &why)) {
		if (which)
			add_evidence(a->seen[t], which->subject, &why);
		broken(run->out, why.s);
	}
	check_setting(a, run, &settings, "cpu.governor");
	if (!plan_job_diskless(run->job)) {
		check_setting(a, run, &settings, "device.scheduler");
		check_link(a, run, &f);
	}
	note_seen(a, run, f.busy);
	facts_release(&settings);
	str_release(&why);
	let_go(&f);
}

void admission_judge(struct admission *a)
{
	for (size_t i = 0; i < a->runs.n; i++)
		if (a->seen[a->runs.v[i].job->target])
			judge_run_of(a, &a->runs.v[i]);
}
