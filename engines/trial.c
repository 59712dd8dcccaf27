/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One read with a config in force. Set-up alone proves little: a polled ring can always be set up,
 * and only the completion of an I/O says whether the device and its driver go along.
 */
#include "engines/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define TRIAL_LIMIT (5 * NS_PER_SEC)

/* 0 or ERR_MEASURE; *out: it did not come back, and may still write into its buffer. */
static int one_read(struct engine_run *r, struct io *io, bool *out, struct err *e)
{
	uint64_t end = engine_now(r) + TRIAL_LIMIT;
	const char *name = r->engine->name;
	struct io *p = io, *done;
	int got = engine_submit(r, &p, 1);

	while (got >= 0 && r->inflight && engine_now(r) < end)
		got = engine_reap(r, &done, 1, 1, end);
	*out = r->inflight > 0;
	if (r->broken.code) {
		*e = r->broken;
		return r->broken.code;
	}
	if (*out)
		return err_set(e, ERR_MEASURE, "engine \"%s\": a read did not come back in time",
			       name);
	if (io->res < 0) {
		const char *why = engine_why(r, io);

		return err_sys(e, ERR_MEASURE, (int)-io->res, "engine \"%s\": a read failed%s%s%s",
			       name, *why ? " (" : "", why, *why ? ")" : "");
	}
	if (io->res == 0)
		return err_set(e, ERR_MEASURE, "engine \"%s\": a read found nothing to read", name);
	return 0;
}

int engine_trial(const struct engine *g, const struct engine_config *config, uint32_t len,
		 uint64_t offset, struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct engine_config c = *config;
	struct engine_run r;
	bool out = false;

	c.depth = 1;
	c.buffer_len = (len + page - 1) / page * page;
	c.buffers = aligned_alloc(page, c.buffer_len);
	if (!c.buffers)
		return err_sys(e, ERR_MEASURE, errno, "engine \"%s\": a buffer for a trial",
			       g->name);
	int rc = engine_open(&r, g, &c, e);

	if (rc == 0) {
		struct io *io = xcalloc(1, sizeof(*io));

		*io = (struct io){.op = IO_READ, .buf = c.buffers, .len = len, .offset = offset};
		rc = one_read(&r, io, &out, e);
		engine_close(&r);
		if (!out)
			free(io);
	}
	if (!out)
		free(c.buffers);
	return rc;
}
