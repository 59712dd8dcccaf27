/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --inject: delays or fails real I/O, outside the job's identity.
 *
 * slow=P stretches the gaps between completions by 1 / (1 - P), so that IOPS fall by P.
 *
 * Effective depth 1: a completion is held for P / (1 - P) times the gap since the delivered one
 * before it, and stamped afterwards; latency and rate stretch exactly. A paced job is held in
 * proportion to its service time only (the pacer's own gaps are stretched in its schedule).
 *
 * Deeper: holding each completion would hide behind the others in flight, because the device goes
 * on working meanwhile. So the device must be idle during a hold: a thread works for a quantum of
 * at least 64 x depth I/Os and 2 ms, stops submitting, drains, and waits until the quantum has
 * lasted 1 / (1 - P) of the time that its I/Os would have taken without the drain. The I/Os of the
 * drain are withheld and stamped after the wait, so that the depth reached, the rate and the mean
 * latency stay consistent (Little's law). Price: the stretch sits in one in 64 completions; medians
 * barely move and high percentiles move more than P.
 */
#include "base/units.h"
#include "run/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define QUANTUM_IOS 64u
#define QUANTUM_NS (2 * NS_PER_MS)
/* A sleep may wake this late (timer slack 50 us); the rest of a hold is spun. */
#define SPIN_NS (200 * NS_PER_US)

/* "30%" or "0.3"; also the exponent form that shares of errors are written in. */
static int parse_share(const char *key, const char *text, double *out, struct err *e)
{
	char *end;
	double v;

	/* strtod also takes hex, inf and nan; LC_NUMERIC is C in this program. */
	if (!c_isdigit(text[0]) || text[strspn(text, "0123456789.eE+-%")])
		goto bad;
	v = strtod(text, &end);
	if (str_eq(end, "%"))
		v /= 100;
	else if (*end)
		goto bad;
	if (!(v >= 0 && v < 1))
		goto bad;
	*out = v;
	return 0;
bad:
	err_set(e, ERR_USAGE, "--inject: '%s=%s' is no share from 0 to below 1", key, text);
	return err_hint(e, "write %s", str_eq(key, "slow") ? "slow=10% or slow=0.1" : "error=1e-6");
}

static int parse_one(const char *key, const char *value, struct inject *out, struct err *e)
{
	if (str_eq(key, "slow"))
		return parse_share(key, value, &out->slow, e);
	if (str_eq(key, "error"))
		return parse_share(key, value, &out->error, e);
	if (str_eq(key, "delay")) {
		int rc = units_time(value, &out->delay, e);

		return rc ? err_prefix(e, "--inject delay") : 0;
	}
	err_set(e, ERR_USAGE, "--inject: unknown word '%s'", key);
	return err_hint(e, "slow=10%%, delay=1ms, error=1e-6, several separated by commas");
}

int inject_parse(const char *spec, struct inject *out, struct err *e)
{
	struct inject in = INJECT_NONE;
	const char *seen[3];
	size_t nseen = 0;
	char *copy = xstrdup(spec), *save = copy, *word;
	int rc = 0;

	while (!rc && (word = strsep(&save, ",")) != NULL) {
		char *value = strchr(word, '=');

		if (!value) {
			rc = err_set(e, ERR_USAGE, "--inject: '%s' has no '='", word);
			err_hint(e, "slow=10%%, delay=1ms, error=1e-6");
			break;
		}
		*value++ = '\0';
		for (size_t i = 0; i < nseen && !rc; i++) {
			if (str_eq(seen[i], word))
				rc = err_set(e, ERR_USAGE, "--inject: '%s' is given twice", word);
		}
		if (!rc)
			rc = parse_one(word, value, &in, e);
		if (!rc)
			seen[nseen++] = word;
	}
	free(copy);
	if (!rc)
		*out = in;
	return rc;
}

void task_inject_init(struct task *k)
{
	const struct inject *in = &k->req->inject;

	k->injected = in->slow > 0 || in->delay || in->error > 0;
	k->stretch = in->slow / (1 - in->slow);
	k->deep = k->depth > 1;
	k->q.length = (uint64_t)QUANTUM_IOS * k->depth;
	rng_seed(&k->luck, rng_mix(k->req->run_seed + k->index + 0x696e6a65));
}

/* Waits for the engine's time `when`; gives up early when the run is stopped. */
void task_hold(struct task *k, uint64_t when)
{
	if (k->is_virtual && when > k->now)
		engine_sleep_until(&k->eng, when);
	while (!k->is_virtual && (k->now = engine_now(&k->eng)) < when) {
		uint64_t rest = when - k->now;

		if (atomic_load_explicit(&k->live->stop, memory_order_relaxed) ||
		    live_failed(k->live))
			break;
		if (rest > SPIN_NS)
			engine_sleep_until(&k->eng,
					   k->now + (rest > 100 * NS_PER_MS ? 100 * NS_PER_MS
									    : rest - SPIN_NS / 2));
	}
	k->now = engine_now(&k->eng);
}

void task_inject(struct task *k, unsigned n)
{
	if (k->req->inject.delay)
		task_hold(k, k->now + k->req->inject.delay);
	if (k->stretch > 0 && !k->deep && n) {
		uint64_t from = k->pace.on ? k->done[0]->issued : k->delivered;

		/* Of an open loop: the wait behind the I/O before is stretched already. */
		if (k->open && from < k->delivered)
			from = k->delivered;
		if (k->now > from)
			task_hold(k, k->now + (uint64_t)((double)(k->now - from) * k->stretch));
	}
}

void task_quantum_start(struct task *k, uint64_t at)
{
	k->q.start = at;
	k->q.idle = k->q.issued = k->q.delivered = 0;
}

bool task_quantum_over(const struct task *k)
{
	const struct quantum *q = &k->q;
	uint64_t spent = k->now - q->start;

	if (k->now < q->start || !q->issued)
		return false;
	if (q->issued >= q->length && spent >= QUANTUM_NS)
		return true;
	/* The last one before a border is cut so that its hold ends at the border. */
	if (k->edge == UINT64_MAX)
		return false;
	double busy = (double)(spent - q->idle), rest = (double)(k->edge - k->now);

	return rest <= busy * k->stretch - (double)q->debt;
}

void task_quantum_hold(struct task *k)
{
	struct quantum *q = &k->q;
	double busy = (double)(k->now - q->start - q->idle), factor = 1, target;
	uint64_t delivered = q->delivered;

	k->holding = true;
	task_quiesce(k);
	k->holding = false;
	/* What the I/Os of the drain would have taken in the steady state before it. */
	if (delivered)
		factor = (double)(delivered + k->nheld) / (double)delivered;
	else
		busy = (double)(k->now - q->start - q->idle);
	target = (double)q->idle + busy * factor * (1 + k->stretch) - (double)q->debt;
	uint64_t when = q->start + (uint64_t)fmax(target, 0);

	q->debt = 0;
	if (k->now > when) {
		q->debt = k->now - when;
		q->length *= 2;
	}
	task_hold(k, when);
	task_deliver(k, k->held, k->nheld);
	k->nheld = 0;
	task_quantum_start(k, k->now);
}
