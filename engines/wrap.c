/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wrappers around the hooks: state and accounting once for every engine. The checks cost one
 * byte of table an I/O, nothing that a null loop would notice.
 */
#include "engines/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first breach stays: what follows from a broken engine is only its echo. */
__attribute__((format(printf, 2, 3), cold)) static int breach(struct engine_run *r, const char *fmt,
							      ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (!r->broken.code)
		err_set(&r->broken, ERR_MEASURE, "engine broke its contract: \"%s\" %s",
			r->engine ? r->engine->name : "(closed)", what);
	return ERR_MEASURE;
}

__attribute__((cold)) static int failed(struct engine_run *r, const char *hook, int rc)
{
	if (!r->broken.code)
		err_sys(&r->broken, ERR_MEASURE, -rc, "engine \"%s\": %s failed with %u in flight",
			r->engine->name, hook, r->inflight);
	return ERR_MEASURE;
}

static const struct {
	uint32_t cap;
	const char *word;
} config_words[] = {
	{ENGINE_HIPRI, "hipri"},          {ENGINE_NOWAIT, "nowait"},
	{ENGINE_FIXEDBUFS, "fixedbufs"},  {ENGINE_REGISTERFILES, "registerfiles"},
	{ENGINE_SQPOLL, "sqthread_poll"},
};

uint32_t engine_wants(const struct engine_config *c)
{
	return (c->hipri ? ENGINE_HIPRI : 0) | (c->nowait ? ENGINE_NOWAIT : 0) |
	       (c->fixedbufs ? ENGINE_FIXEDBUFS : 0) |
	       (c->registerfiles ? ENGINE_REGISTERFILES : 0) |
	       (c->sqthread_poll ? ENGINE_SQPOLL : 0);
}

const char *engine_word(uint32_t cap)
{
	for (size_t i = 0; i < sizeof(config_words) / sizeof(config_words[0]); i++)
		if (config_words[i].cap == cap)
			return config_words[i].word;
	return NULL;
}

/* What the engine cannot do is refused here once, and never left out by an engine in silence. */
static int check_config(const struct engine *g, const struct engine_config *c, struct err *e)
{
	uint32_t lacks = engine_wants(c) & ~g->caps;

	if (c->depth == 0)
		return err_set(e, ERR_MEASURE, "engine \"%s\": depth is 0", g->name);
	if (g->depth_max && c->depth > g->depth_max) {
		err_set(e, ERR_MEASURE, "engine \"%s\": depth %u is beyond %u", g->name, c->depth,
			g->depth_max);
		return err_hint(e, "spread the depth over numjobs");
	}
	if (!(g->caps & ENGINE_DISKLESS) && (c->nfds == 0 || !c->fds))
		return err_set(e, ERR_MEASURE, "engine \"%s\" needs a target", g->name);
	if (lacks)
		return err_set(e, ERR_MEASURE, "engine \"%s\" has no %s", g->name,
			       engine_word(lacks & -lacks));
	if (c->direct && (g->caps & ENGINE_MAPPED))
		return err_set(e, ERR_MEASURE,
			       "engine \"%s\" goes through the page cache and cannot be direct",
			       g->name);
	return 0;
}

int engine_open(struct engine_run *r, const struct engine *g, const struct engine_config *c,
		struct err *e)
{
	memset(r, 0, sizeof(*r));
	int rc = engine_check(g, e);
	if (rc)
		return rc;
	rc = check_config(g, c, e);
	if (rc)
		return rc;
	void *ctx = NULL;
	rc = g->open(&ctx, c, e);
	if (rc < 0)
		return rc;
	if (!ctx)
		return err_set(e, ERR_MEASURE,
			       "engine broke its contract: \"%s\" opened without a context",
			       g->name);
	r->engine = g;
	r->ctx = ctx;
	r->depth = c->depth;
	r->nfds = c->nfds;
	r->fd_limit = g->caps & ENGINE_DISKLESS ? UINT32_MAX : c->nfds;
	r->out = xcalloc(c->depth, 1);
	return 0;
}

/* Says what is wrong with an io that the runner hands in. */
__attribute__((cold)) static int bad_io(struct engine_run *r, const struct io *io)
{
	if (io->index >= r->depth)
		return breach(r, "was given io %u at depth %u", io->index, r->depth);
	if (r->out[io->index])
		return breach(r, "was given io %u twice", io->index);
	if (!(r->engine->caps & 1u << io->op))
		return breach(r, "was given operation %u, which it does not do", (unsigned)io->op);
	return breach(r, "was given descriptor %u of %u", io->fd, r->nfds);
}

/* Why nothing may be submitted, or 0 when there is nothing to do. */
__attribute__((cold)) static int no_submit(struct engine_run *r, unsigned n)
{
	if (!r->ctx)
		return breach(r, "was asked to submit after close");
	if (r->broken.code)
		return ERR_MEASURE;
	if (n == 0)
		return 0;
	return breach(r, "was given %u more with %u in flight at depth %u", n, r->inflight,
		      r->depth);
}

__attribute__((cold)) static int not_taken(struct engine_run *r, struct io **ios, unsigned n,
					   int taken)
{
	unsigned kept = taken < 0 ? 0 : (unsigned)taken;

	if (kept > n) {
		/* All of them may be with the kernel: they stay marked, so they count. */
		r->submitted += n;
		r->inflight += n;
		return breach(r, "took %u of %u", kept, n);
	}
	for (unsigned i = kept; i < n; i++)
		r->out[ios[i]->index] = 0;
	if (taken < 0)
		return failed(r, "submit", taken);
	r->submitted += kept;
	r->inflight += kept;
	if (kept == 0) {
		/* Waiting for a completion that nothing can bring would never end. */
		if (r->inflight == 0)
			return breach(r, "is full with nothing in flight");
		r->full++;
	}
	return taken;
}

/* Inline: for one I/O the loops are gone. */
static inline int submit_checked(struct engine_run *r, struct io **ios, unsigned n)
{
	/* n - 1: none is refused here too */
	if (__builtin_expect(!r->ctx || r->broken.code || n - 1 >= r->depth - r->inflight, 0))
		return no_submit(r, n);
	const uint32_t depth = r->depth, caps = r->engine->caps, fds = r->fd_limit;
	unsigned char *out = r->out;

	for (unsigned i = 0; i < n; i++) {
		const struct io *io = ios[i];

		if (__builtin_expect(io->index >= depth || out[io->index] ||
					     !(caps >> io->op & 1u) || io->fd >= fds,
				     0)) {
			int rc = bad_io(r, io);

			while (i > 0)
				out[ios[--i]->index] = 0;
			return rc;
		}
		out[io->index] = 1;
	}
	int taken = r->engine->submit(r->ctx, ios, n);

	if (__builtin_expect(taken != (int)n, 0))
		return not_taken(r, ios, n, taken);
	r->submitted += n;
	r->inflight += n;
	return taken;
}

int engine_submit(struct engine_run *r, struct io **ios, unsigned n)
{
	return submit_checked(r, ios, n);
}

/* Says what is wrong with an io that the engine hands back. */
__attribute__((cold)) static int bad_return(struct engine_run *r, const struct io *io)
{
	if (!io || io->index >= r->depth || !r->out[io->index])
		return breach(r, "returned an io that was not in flight");
	return breach(r, "returned %lld of %u bytes", (long long)io->res, io->len);
}

static inline int reap_checked(struct engine_run *r, struct io **done, unsigned min, unsigned max,
			       uint64_t until)
{
	if (__builtin_expect(!r->ctx, 0))
		return breach(r, "was asked to reap after close");
	if (max > r->inflight)
		max = r->inflight;
	if (min > max)
		min = max;
	if (max == 0)
		return 0;
	int got = r->engine->reap(r->ctx, done, min, max, until);
	if (__builtin_expect((unsigned)got > max, 0))
		return got < 0 ? failed(r, "reap", got)
			       : breach(r, "returned %d of at most %u", got, max);
	/* Each flag is taken down as its io is seen, else one that comes twice would not be
	 * noticed. */
	const uint32_t depth = r->depth;
	unsigned char *out = r->out;

	for (int i = 0; i < got; i++) {
		const struct io *io = done[i];

		if (__builtin_expect(!io || io->index >= depth || !out[io->index] ||
					     io->res > (int64_t)io->len,
				     0)) {
			int rc = bad_return(r, io);

			while (i > 0)
				out[done[--i]->index] = 1;
			return rc;
		}
		out[io->index] = 0;
	}
	r->inflight -= (unsigned)got;
	r->reaped += (unsigned)got;
	return got;
}

int engine_reap(struct engine_run *r, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	return reap_checked(r, done, min, max, until);
}

int engine_once(struct engine_run *r, struct io *io)
{
	struct io *done;
	int n = submit_checked(r, &io, 1);

	return n == 1 ? reap_checked(r, &done, 1, 1, 0) : n;
}

void engine_cancel(struct engine_run *r, struct io *io)
{
	if (r->ctx && r->engine->cancel && io->index < r->depth && r->out[io->index])
		r->engine->cancel(r->ctx, io);
}

void engine_close(struct engine_run *r)
{
	/* A diskless engine has nothing that could still write into the buffers. */
	if (r->ctx && (r->inflight == 0 || (r->engine->caps & ENGINE_DISKLESS)))
		r->engine->close(r->ctx);
	r->ctx = NULL;
	free(r->out);
	r->out = NULL;
}

uint64_t engine_now(const struct engine_run *r)
{
	return r->ctx && r->engine->now ? r->engine->now(r->ctx) : clock_now();
}

void engine_sleep_until(struct engine_run *r, uint64_t ns)
{
	if (r->ctx && r->engine->sleep_until)
		r->engine->sleep_until(r->ctx, ns);
	else
		clock_sleep_until(ns);
}

const char *engine_about(const struct engine_run *r)
{
	return r->ctx && r->engine->about ? r->engine->about(r->ctx) : "";
}

uint64_t engine_retried(const struct engine_run *r)
{
	return r->ctx && r->engine->retried ? r->engine->retried(r->ctx) : 0;
}

const char *engine_why(const struct engine_run *r, const struct io *io)
{
	return r->ctx && r->engine->why ? r->engine->why(r->ctx, io) : "";
}
