/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim: a scripted device on a virtual clock (engines/sim.h has the words). The clock jumps from
 * completion to completion, so that minutes of I/O take milliseconds and every run can be repeated
 * to the nanosecond from its seed.
 */
#include "engines/sim.h"
#include "engines/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define SIM_START NS_PER_SEC
/* A single I/O is held below this, whatever the factors multiply to: the clock cannot overflow. */
#define SIM_LAT_MAX 1e15

struct pending {
	uint64_t at, seq; /* completion time; submission order breaks ties */
	struct io *io;
	int64_t res;
};

struct sim {
	struct sim_script script;
	uint64_t now, seq, count; /* count: reads, writes and trims so far */
	uint64_t rng;
	double run_factor;
	uint64_t *server; /* width times at which a server is free */
	unsigned hung;
	unsigned n; /* heap, earliest first */
	struct pending heap[];
};

/* splitmix64 (Steele, Lea, Flood 2014): a few draws an I/O from one word of state. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* In (0, 1): never the ends, so that a logarithm of it exists. */
static double draw_unit(uint64_t *state)
{
	return ((double)(draw(state) >> 11) + 0.5) * 0x1p-53;
}

static bool before(const struct pending *a, const struct pending *b)
{
	return a->at != b->at ? a->at < b->at : a->seq < b->seq;
}

static void sift_up(struct sim *s, unsigned i)
{
	struct pending p = s->heap[i];

	for (; i > 0 && before(&p, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = p;
}

static struct io *pop(struct sim *s)
{
	struct pending top = s->heap[0], last = s->heap[--s->n];
	unsigned i = 0;

	for (unsigned c = 1; c < s->n; c = 2 * i + 1) {
		if (c + 1 < s->n && before(&s->heap[c + 1], &s->heap[c]))
			c++;
		if (!before(&s->heap[c], &last))
			break;
		s->heap[i] = s->heap[c];
		i = c;
	}
	s->heap[i] = last;
	top.io->res = top.res;
	return top.io;
}

static int sim_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int sim_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct sim_script script;
	int rc = sim_parse(c->script, &script, e);

	if (rc)
		return rc;
	struct sim *s = xcalloc(1, sizeof(*s) + c->depth * sizeof(s->heap[0]));
	s->script = script;
	s->now = SIM_START;
	s->rng = c->seed;
	/* Box-Muller. Both are drawn whether or not the script asks for noise, so that adding sd
	 * does not change the jitter of a seed. */
	double r = sqrt(-2 * log(draw_unit(&s->rng))), angle = 2 * M_PI * draw_unit(&s->rng);
	s->run_factor = exp(script.sd * r * cos(angle));
	if (script.width > 0)
		s->server = xcalloc(script.width, sizeof(*s->server));
	*ctx = s;
	return 0;
}

/* Virtual ns of service that begins at `start`. */
static uint64_t scaled(const struct sim *s, uint64_t start, uint64_t lat, double factor)
{
	double v = (double)lat * s->run_factor * factor;

	if (start - SIM_START >= s->script.slow_at)
		v *= s->script.slow;
	if (v > SIM_LAT_MAX)
		v = SIM_LAT_MAX;
	return (uint64_t)(v + 0.5);
}

static uint64_t complete_at(struct sim *s)
{
	const struct sim_script *w = &s->script;
	uint64_t lat = w->lat, *server = NULL, start = s->now;
	double factor = 1;

	for (unsigned i = 0; i < w->neach; i++) {
		if (s->count >= w->each[i].every && s->count % w->each[i].every < w->each[i].burst)
			lat = w->each[i].lat;
	}
	if (w->jitter > 0)
		factor += w->jitter * (2 * draw_unit(&s->rng) - 1);
	for (unsigned i = 0; i < w->width; i++) {
		if (!server || s->server[i] < *server)
			server = &s->server[i];
	}
	if (server && *server > start)
		start = *server;
	uint64_t ns = scaled(s, start, lat, factor);
	uint64_t end = start + (ns > 0 ? ns : 1);
	if (server)
		*server = end;
	return end;
}

static void add(struct sim *s, struct io *io)
{
	struct pending p = {.seq = s->seq++, .io = io};

	if (io->op > IO_TRIM) {
		p.at = s->now + scaled(s, s->now, s->script.sync, 1);
	} else {
		s->count++;
		p.res = io->len;
		for (unsigned i = 0; i < s->script.nevent; i++) {
			const struct sim_event *v = &s->script.event[i];
			if (v->at != s->count)
				continue;
			if (v->what == SIM_CRASH)
				abort();
			if (v->what == SIM_HANG) {
				s->hung++;
				return;
			}
			if (v->what == SIM_ERROR)
				p.res = -v->value;
			else if (p.res > v->value)
				p.res = v->value;
		}
		p.at = complete_at(s);
	}
	s->heap[s->n] = p;
	sift_up(s, s->n++);
}

static int sim_submit(void *ctx, struct io **ios, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		add(ctx, ios[i]);
	return (int)n;
}

static int sim_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct sim *s = ctx;
	unsigned got = 0;

	while (got < max && s->n > 0) {
		if (s->heap[0].at > s->now) {
			if (got >= min || s->heap[0].at > until)
				break;
			s->now = s->heap[0].at;
		}
		done[got++] = pop(s);
	}
	if (got >= min)
		return (int)got;
	if (s->n == 0 && s->hung > 0) {
		/* The virtual clock must not run through a hang in an instant: this waits in real
		 * time, for the supervisor's deadline or a signal. */
		if (got == 0 && until > 0)
			pause();
		return (int)got;
	}
	if (until > s->now)
		s->now = until;
	return (int)got;
}

static void sim_cancel(void *ctx, struct io *io)
{
	struct sim *s = ctx;

	for (unsigned i = 0; i < s->n; i++) {
		if (s->heap[i].io != io || s->heap[i].at <= s->now)
			continue;
		s->heap[i].at = s->now;
		s->heap[i].res = -ECANCELED;
		sift_up(s, i);
		return;
	}
}

static void sim_close(void *ctx)
{
	struct sim *s = ctx;

	free(s->server);
	free(s);
}

static uint64_t sim_now(void *ctx)
{
	return ((struct sim *)ctx)->now;
}

static void sim_sleep_until(void *ctx, uint64_t ns)
{
	struct sim *s = ctx;

	if (ns > s->now)
		s->now = ns;
}

const struct engine engine_sim = {
	.api = ENGINE_API,
	.name = "sim",
	.what = "scripted latencies, errors and hangs on a virtual clock",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC |
		ENGINE_OP_FDATASYNC | ENGINE_DISKLESS | ENGINE_VIRTUAL,
	.probe = sim_probe,
	.open = sim_open,
	.submit = sim_submit,
	.reap = sim_reap,
	.cancel = sim_cancel,
	.close = sim_close,
	.now = sim_now,
	.sleep_until = sim_sleep_until,
};
