/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/admission: the looks. What they come to is judged in admission_judge.c. */
#include "session/admission_state.h"

#include "base/clock.h"
#include "host/kernlog.h"

#include <stdlib.h>

#define WAIT_STEP (2 * NS_PER_SEC) /* between two looks at a temperature that is waited for */

static uint64_t real_now(void *arg)
{
	(void)arg;
	return clock_now();
}

static void real_pause(void *arg, uint64_t until)
{
	(void)arg;
	clock_sleep_until(until);
}

static const struct session_clock real_clock = {real_now, real_pause, NULL};
static const struct host this_machine = {.root = "/"};

static uint64_t now_of(const struct admission *a)
{
	return a->clock.now(a->clock.arg);
}

static bool measured(const struct plan *p, size_t target)
{
	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].target == target && p->jobs[i].state == JOB_READY)
			return !target_is_total(&p->targets[target]);
	return false;
}

static void tell_blind(struct admission *a, const struct target *t)
{
	const struct fact *smart = facts_find(&t->facts, "health.media_errors");

	if (smart && !smart->value)
		*VEC_PUSH(&a->r->notices) = arena_printf(
			&a->r->arena, "the health of '%s' is not watched: %s", t->role, smart->why);
}

struct admission *admission_open(const struct plan *p, const struct host *h,
				 const struct session_clock *clock, struct result *r)
{
	struct admission *a = xcalloc(1, sizeof(*a));

	a->p = p;
	a->h = h ? h : &this_machine;
	a->clock = clock ? *clock : real_clock;
	a->r = r;
	a->watch = xcalloc(p->ntargets + 1, sizeof(*a->watch));
	a->seen = xcalloc(p->ntargets + 1, sizeof(*a->seen));
	a->device = xcalloc(p->ntargets + 1, sizeof(*a->device));
	kernlog_open(&a->log, a->h);
	if (a->log.why)
		*VEC_PUSH(&r->notices) =
			arena_printf(&r->arena, "the kernel log is not watched: %s", a->log.why);
	for (size_t t = 0; t < p->ntargets; t++) {
		if (!measured(p, t))
			continue;
		a->watch[t] = host_watch_open(a->h, &p->targets[t]);
		tell_blind(a, &p->targets[t]);
	}
	return a;
}

void admission_close(struct admission *a)
{
	if (!a)
		return;
	for (size_t t = 0; t < a->p->ntargets; t++)
		host_watch_close(a->watch[t]);
	kernlog_close(&a->log);
	VEC_RELEASE(&a->runs);
	free(a->waited);
	free(a->watch);
	free(a->seen);
	free(a->device);
	free(a);
}

void admission_descriptors(const struct admission *a, void (*add)(void *arg, int fd), void *arg)
{
	if (!a)
		return;
	add(arg, a->log.fd);
	for (size_t t = 0; t < a->p->ntargets; t++)
		if (a->watch[t])
			add(arg, host_watch_fd(a->watch[t]));
}

/* ---- before a run ---- */

/* Does the condition hold of the temperature now? The sentence in why when not. */
static bool cool_enough(struct admission *a, uint32_t target, const struct expr *x, struct str *why)
{
	struct fact f = {.key = "temperature"};
	struct arena scratch;
	int64_t c;
	bool holds;
	int rc;

	arena_init(&scratch);
	rc = host_watch_temperature(a->watch[target], &c, &f.why, &scratch);
	if (rc > 0)
		f.value = arena_printf(&scratch, c < 0 ? "%lld" : "%lld C", (long long)c);
	else if (rc == 0)
		f.value = "none";
	str_clear(why);
	holds = plan_condition(a->p, target, x, &f, why);
	arena_release(&scratch);
	return holds;
}

struct waiting {
	const volatile int *stop;
	void (*told)(void *arg, const char *text);
	void *arg;
};

static int wait_for(struct admission *a, uint32_t target, const struct expr *x,
		    const struct waiting *w, struct err *e)
{
	uint64_t begun = now_of(a), now = begun;
	struct str why, span;
	int rc = 0;

	str_init(&why);
	str_init(&span);
	unit_format_duration(&span, x->wait);
	while (rc == 0 && !cool_enough(a, target, x, &why)) {
		if (now == begun && w->told)
			w->told(w->arg,
				arena_printf(&a->r->arena, "waiting up to %s: %s", span.s, why.s));
		if (w->stop && *w->stop)
			rc = err_set(e, ERR_INTR, "stopped by a signal");
		else if (now - begun >= x->wait)
			rc = err_set(e, ERR_MEASURE, "%s, also after waiting %s", why.s, span.s);
		else
			a->clock.pause(a->clock.arg, now + (x->wait - (now - begun) < WAIT_STEP
								    ? x->wait - (now - begun)
								    : WAIT_STEP));
		now = now_of(a);
	}
	if (rc == 0 && now > begun) {
		str_clear(&span);
		unit_format_duration(&span, now - begun);
		free(a->waited);
		a->waited = xasprintf("waited %s until %s", span.s, x->text);
	}
	str_release(&span);
	str_release(&why);
	return rc;
}

int admission_wait(struct admission *a, const struct admission_run *run, size_t n,
		   const volatile int *stop, void (*told)(void *arg, const char *text), void *arg,
		   struct err *e)
{
	const struct suite *s = a->p->suite;
	const struct waiting w = {stop, told, arg};
	int rc = 0;

	free(a->waited);
	a->waited = NULL;
	memset(a->seen, 0, a->p->ntargets * sizeof(*a->seen));
	for (size_t i = 0; i < n && rc == 0; i++)
		for (size_t k = 0; k < s->admit.n && rc == 0; k++)
			if (s->admit.v[k].wait && !plan_job_diskless(run[i].job))
				rc = wait_for(a, run[i].job->target, &s->admit.v[k], &w, e);
	return rc;
}

/* ---- during a run ---- */

static void on_line(void *arg, const struct kernlog_line *l)
{
	struct admission *a = arg;

	for (size_t t = 0; t < a->p->ntargets; t++) {
		struct watched *w = a->seen[t];
		struct watched_series *s = w ? &w->of[WATCHED_KERNEL_LOG] : NULL;

		if (!w || !kernlog_concerns(l, host_watch_names(a->watch[t])))
			continue;
		watched_see(w, WATCHED_KERNEL_LOG, s->last + 1);
		if (!w->line)
			w->line = arena_strdup(&a->r->arena, l->text);
	}
}

/* Since the last look. The first one of a run takes in what came behind the run before, so that a
 * line that is late is not lost. */
static void look_log(struct admission *a)
{
	char *why;

	if (kernlog_read(&a->log, on_line, a, &why) == 0)
		return;
	for (size_t t = 0; t < a->p->ntargets; t++)
		if (a->seen[t])
			watched_miss(a->seen[t], &a->r->arena, WATCHED_KERNEL_LOG, why);
	free(why);
}

static void look_health(struct admission *a)
{
	uint64_t wait = WATCH_HEALTH_EVERY;

	for (size_t t = 0; t < a->p->ntargets; t++) {
		if (!a->seen[t] || !a->device[t])
			continue;
		host_watch_health(a->watch[t], a->seen[t], &a->r->arena);
		if (a->seen[t]->cost > wait / WATCH_HEALTH_SHARE)
			wait = a->seen[t]->cost * WATCH_HEALTH_SHARE;
	}
	a->health_due = now_of(a) + wait;
}

static void look_processors(struct admission *a)
{
	for (size_t t = 0; t < a->p->ntargets; t++)
		if (a->seen[t])
			host_watch_processors(a->h, a->seen[t], &a->r->arena);
}

/* Whose I/O the disk counts can be told when all of it is that of one target, and when each byte of
 * the runs is one of the disk. */
static const char *moved_blurred(const struct admission *a)
{
	for (size_t i = 0; i < a->runs.n; i++) {
		const struct job *j = a->runs.v[i].job;

		if (j->target != a->runs.v[0].job->target)
			return "several targets are measured at the same time";
		if (!j->direct)
			return "buffered I/O: what reaches the disk is not what the run did";
		if (job_trims(j))
			return "the disk does not count trims as reads or writes";
		if (a->p->targets[j->target].passthrough)
			return "the disk does not count commands of the passthrough node";
	}
	return NULL;
}

static bool any_device(const struct admission *a)
{
	for (size_t i = 0; i < a->runs.n; i++)
		if (!plan_job_diskless(a->runs.v[i].job))
			return true;
	return false;
}

void admission_begin(struct admission *a, const struct admission_run *run, size_t n)
{
	a->runs.n = 0;
	memset(a->seen, 0, a->p->ntargets * sizeof(*a->seen));
	memset(a->device, 0, a->p->ntargets * sizeof(*a->device));
	for (size_t i = 0; i < n; i++) {
		uint32_t t = run[i].job->target;

		*VEC_PUSH(&a->runs) = run[i];
		a->device[t] |= !plan_job_diskless(run[i].job);
		if (!a->seen[t] && a->watch[t])
			a->seen[t] = arena_alloc(&a->r->arena, sizeof(**a->seen));
	}
	memset(&a->moved, 0, sizeof(a->moved));
	a->moved.target = run[0].job->target;
	a->moved.why = any_device(a) ? moved_blurred(a) : NULL;
	a->ios = a->link_due = 0;
	for (size_t t = 0; t < a->p->ntargets; t++)
		if (a->seen[t])
			watched_see(a->seen[t], WATCHED_KERNEL_LOG, 0);
	look_log(a);
	look_processors(a);
	look_health(a);
	a->watching = true;
}

static void look_moved(struct admission *a, const struct run_progress *p)
{
	uint32_t t = a->moved.target;
	const char *why = NULL;
	uint64_t bytes;
	unsigned at = a->moved.looks ? 1 : 0;

	if (a->moved.why || a->moved.none || !a->device[t] || !a->watch[t])
		return;
	switch (host_watch_moved(a->watch[t], &bytes, &why, &a->r->arena)) {
	case 1:
		break;
	case 0:
		a->moved.none = true;
		return;
	default:
		a->moved.why = why;
		return;
	}
	a->moved.disk[at] = bytes;
	a->moved.ours[at] = p->bytes;
	a->moved.at[at] = p->at;
	a->moved.lag[at] = now_of(a) - p->at;
	a->moved.looks++;
}

/* A link may save power when nothing is done: it counts only where I/O was completed between two
 * ticks inside the window. */
void admission_tick(struct admission *a, const struct run_progress *p)
{
	uint64_t now;
	bool load;

	if (!a || !a->watching || !str_eq(p->phase, "measure"))
		return;
	now = now_of(a);
	load = p->ios > a->ios;
	a->ios = p->ios;
	look_moved(a, p);
	look_log(a);
	if (load && now >= a->link_due) {
		for (size_t t = 0; t < a->p->ntargets; t++)
			if (a->seen[t] && a->device[t])
				host_watch_link(a->watch[t], a->seen[t], &a->r->arena);
		a->link_due = now + WATCH_LINK_EVERY;
	}
	if (now >= a->health_due)
		look_health(a);
}

/* By how many bytes the two counts of a look may differ though nobody else does I/O: what is in
 * flight was moved by the disk and is not counted by the run, and the disk is looked at a little
 * later, on a busy machine much later. */
static uint64_t moved_blur(const struct admission *a)
{
	uint64_t span = a->moved.at[1] - a->moved.at[0], lag = a->moved.lag[0] + a->moved.lag[1];
	double rate = span ? (double)(a->moved.ours[1] - a->moved.ours[0]) / (double)span : 0;
	uint64_t n = 0;

	for (size_t i = 0; i < a->runs.n; i++) {
		const struct job *j = a->runs.v[i].job;

		n += (uint64_t)j->numjobs * j->iodepth * job_bs_max(j);
	}
	return 2 * n + (uint64_t)(rate * (double)lag);
}

#define BLUR_SHARE 20 /* above this part of what the run moved nothing can be told of others */

static void end_moved(struct admission *a)
{
	struct watched *w = a->seen[a->moved.target];
	uint64_t disk = a->moved.disk[1] - a->moved.disk[0];
	uint64_t ours = a->moved.ours[1] - a->moved.ours[0], blur = moved_blur(a), other = 0;
	const char *why = a->moved.why;

	if (!w || !a->device[a->moved.target] || a->moved.none)
		return;
	if (!why && a->moved.looks < 2)
		why = "the window was too short for two looks at the disk";
	else if (!why && blur > ours / BLUR_SHARE)
		why = "between two looks too little was moved to tell it from what was in flight";
	else if (!why && disk + blur < ours)
		why = "the disk does not count all I/O of the run";
	if (why) {
		watched_miss(w, &a->r->arena, WATCHED_DEVICE_BYTES, why);
		watched_miss(w, &a->r->arena, WATCHED_OTHER_BYTES, why);
		return;
	}
	if (disk > ours + blur)
		other = disk - ours - blur;
	watched_see(w, WATCHED_DEVICE_BYTES, (int64_t)disk);
	watched_see(w, WATCHED_OTHER_BYTES, (int64_t)other);
}

void admission_end(struct admission *a)
{
	a->watching = false;
	look_health(a);
	look_processors(a);
	look_log(a);
	end_moved(a);
	for (size_t t = 0; t < a->p->ntargets; t++) {
		struct watched *w = a->seen[t];
		static const char why[] = "no look fell into the window while I/O was in flight";

		if (!w || !a->device[t] || !host_watch_has_link(a->watch[t]) ||
		    w->of[WATCHED_LINK_SPEED].state != WATCHED_NONE)
			continue;
		watched_miss(w, &a->r->arena, WATCHED_LINK_SPEED, why);
		watched_miss(w, &a->r->arena, WATCHED_LINK_WIDTH, why);
	}
	admission_judge(a);
}

struct watched *admission_seen(const struct admission *a, uint32_t target)
{
	return a ? a->seen[target] : NULL;
}
