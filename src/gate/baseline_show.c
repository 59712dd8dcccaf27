/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A baseline for people: its sessions, and the level and spread of each gate. */
#include "base/clock.h"
#include "gate/baseline_level.h"
#include "gate/expiry.h"
#include "gate/judge.h"
#include <inttypes.h>
#include <math.h>

void baseline_add_text(struct str *out, const char *text, size_t n)
{
	size_t at = out->len;

	str_add_clean(out, text, n == SIZE_MAX ? strlen(text) : strnlen(text, n));
	for (; at < out->len; at++) /* what is fit for a document may still break a line */
		if (out->s[at] == '\n' || out->s[at] == '\r' || out->s[at] == '\t')
			out->s[at] = ' ';
}

static void add_date(struct str *out, int64_t utc)
{
	struct str s;

	str_init(&s);
	clock_format_utc(&s, utc);
	str_addn(out, s.s, s.len < 10 ? s.len : 10);
	str_release(&s);
}

/* Spread in per cent (logs) where all values have one, else in the unit of the metric. */
static void add_spread(struct str *out, const struct metric *m, const struct level *l)
{
	struct pool logs = {0}, plain = {0};
	double *x = xcalloc(l->n + 1, sizeof(*x));

	for (size_t i = 0; i < l->n; i++)
		x[i] = log(l->x[i]);
	pool_add(&logs, x, l->n);
	pool_add(&plain, l->x, l->n);
	free(x);
	str_add(out, "sd of a session value ");
	if (l->n < 2)
		str_add(out, "n/a");
	else if (isfinite(logs.ss))
		str_addf(out, "%.2f %%", pool_sd(&logs) * 100);
	else
		unit_format(out, m->unit, pool_sd(&plain));
	str_add(out, ", run sd ");
	if (!(l->runs_log.df > 0))
		str_add(out, "n/a");
	else if (isfinite(l->runs_log.ss))
		str_addf(out, "%.2f %%", pool_sd(&l->runs_log) * 100);
	else
		unit_format(out, m->unit, pool_sd(&l->runs_plain));
}

void baseline_add_gate(struct str *out, const char *target, const char *job, const char *metric)
{
	baseline_add_text(out, target, SIZE_MAX);
	str_addc(out, ' ');
	baseline_add_text(out, job, SIZE_MAX);
	str_add(out, " gate ");
	baseline_add_text(out, metric, SIZE_MAX);
}

static void show_level(const struct baseline *b, const struct base_job *j, const char *metric,
		       struct str *out)
{
	const struct metric *m = metric_find(metric);
	struct level l;
	uint32_t blocks, least;

	level_open(&l, b, NULL, j->target, j->name, metric);
	blocks = level_blocks(&l);
	least = blocks < l.n ? blocks : (uint32_t)l.n;
	if (m && l.n == 0 && l.expired > 0) {
		str_addf(out, "expired: %zu session%s, none counts", l.expired,
			 l.expired == 1 ? "" : "s");
	} else if (!m || l.n == 0) {
		str_add(out, "no values");
	} else {
		str_addf(out, "%zu session%s, %u block%s, median ", l.n, l.n == 1 ? "" : "s",
			 blocks, blocks == 1 ? "" : "s");
		unit_format(out, m->unit, level_median(&l));
		str_add(out, ", ");
		add_spread(out, m, &l);
		if (least < 5)
			str_addf(out, ", provisional (%u of 5)", least);
	}
	if (l.left_out > 0 && l.n > 0)
		str_addf(out, "; %zu session%s not comparable with the newest, left out",
			 l.left_out, l.left_out == 1 ? "" : "s");
	if (l.expired > 0 && l.n > 0)
		str_addf(out, "; %zu expired session%s left out", l.expired,
			 l.expired == 1 ? "" : "s");
	level_close(&l);
}

static bool holds_gate(const struct base_session *s, const struct base_job *j, const char *metric)
{
	return !s->retired_jobs && baseline_gated(baseline_find_job(s, j->target, j->name), metric);
}

/* A gate of session i, told when no newer session holds it. One that only an older epoch holds is
 * still demanded: nobody would retire what is not shown. */
static void show_gate(const struct baseline *b, size_t i, const struct base_job *j,
		      const char *metric, struct str *out)
{
	const struct base_session *s = &b->sessions[i];
	bool now = baseline_current(b, i);

	for (size_t k = i + 1; k < b->n; k++)
		if (holds_gate(&b->sessions[k], j, metric))
			return;
	for (size_t k = 0; k < i && !now; k++)
		now = baseline_current(b, k) && holds_gate(&b->sessions[k], j, metric);
	if (!now && judge_retired(b, s, j, metric))
		return;
	str_add(out, "  ");
	baseline_add_gate(out, j->target, j->name, metric);
	str_add(out, ": ");
	if (now && judge_retired(b, s, j, metric))
		str_add(out, "RETIRED, demanded no more; ");
	if (now)
		show_level(b, j, metric, out);
	else
		str_addf(out, "of epoch %u only, demanded until it is retired", s->epoch);
	str_addc(out, '\n');
}

static void show_gates(const struct baseline *b, struct str *out)
{
	for (size_t i = b->n; i-- > 0;) {
		for (size_t k = 0; k < b->sessions[i].jobs.n; k++) {
			const struct base_job *j = &b->sessions[i].jobs.v[k];

			for (size_t n = 0; n < j->gates.n; n++)
				show_gate(b, i, j, j->gates.v[n], out);
		}
	}
}

static void show_session(const struct baseline *b, size_t i, struct str *out)
{
	const struct base_session *s = &b->sessions[i];

	str_add(out, "  ");
	baseline_add_text(out, s->id, SIZE_MAX);
	str_add(out, "  ");
	if (s->retired_jobs) {
		str_add(out, "retired:");
		for (size_t k = 0; k < s->retired.n; k++) {
			str_add(out, k ? ", " : " ");
			baseline_add_text(out, s->retired.v[k], SIZE_MAX);
		}
	} else {
		str_addf(out, "epoch %u, %zu workload%s, boot ", s->epoch, s->jobs.n,
			 s->jobs.n == 1 ? "" : "s");
		baseline_add_text(out, s->boot_id ? s->boot_id : "unknown", 8);
		str_add(out, ", accepted ");
		add_date(out, s->accepted);
		if (expiry_over(&b->expiry, b, s))
			str_add(out, ", expired");
	}
	if (s->who) {
		str_add(out, " by ");
		baseline_add_text(out, s->who, SIZE_MAX);
	}
	if (s->reason) {
		str_add(out, ": ");
		baseline_add_text(out, s->reason, SIZE_MAX);
	}
	str_addc(out, '\n');
}

/* The age at the time that the caller told, and when the newest session expires. */
static void show_age(const struct baseline *b, struct str *out)
{
	const struct expiry *x = &b->expiry;
	const struct base_session *s = expiry_newest(b, NULL);
	size_t over = 0;

	if (!s || !x->at)
		return;
	if (s->started - x->at > EXPIRY_DAY)
		str_addf(out,
			 "age: not known, the newest session is of a time to come, in %" PRId64
			 " days: a clock is wrong",
			 expiry_days(s->started - x->at));
	else
		str_addf(out, "age: the newest session is %" PRId64 " days old",
			 expiry_days(x->at - s->started));
	for (size_t i = 0; i < b->n; i++)
		over += baseline_current(b, i) && expiry_over(x, b, &b->sessions[i]);
	if (x->max_age) {
		str_addf(out, "; it expire%s ", expiry_over(x, b, s) ? "d" : "s");
		add_date(out, s->started + x->max_age);
		str_add(out, " (max_age ");
		expiry_add_age(out, x->max_age);
		str_addc(out, ')');
	}
	if (over)
		str_addf(out, "; %zu session%s expired", over, over == 1 ? " has" : "s have");
	str_addc(out, '\n');
}

void baseline_show(const struct baseline *b, struct str *out)
{
	const struct base_session **v = xcalloc(b->n + 1, sizeof(*v));
	uint32_t blocks;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (baseline_current(b, i))
			v[n++] = &b->sessions[i];
	blocks = baseline_blocks(v, n);
	str_addf(out, "baseline %s, profile %s: ", b->suite, b->profile);
	if (n == 0) {
		str_add(out, "empty; `blkgate baseline accept RESULT` makes the first session\n");
	} else {
		str_addf(out, "epoch %u, %zu session%s in %u block%s, ", b->epoch, n,
			 n == 1 ? "" : "s", blocks, blocks == 1 ? "" : "s");
		add_date(out, v[0]->started);
		str_add(out, "..");
		add_date(out, v[n - 1]->started);
		str_addc(out, '\n');
	}
	free(v);
	show_age(b, out);
	if (n > 0) {
		str_add(out, "gates:\n");
		show_gates(b, out);
	}
	if (b->n > 0)
		str_add(out, "files:\n");
	for (size_t i = 0; i < b->n; i++)
		show_session(b, i, out);
}
