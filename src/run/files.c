/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a thread: an own open file description and an own pattern each. They take turns, one
 * I/O a file, as fio's do.
 */
#include "run/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int open_flags(const struct job *j, const struct engine *g)
{
	/* O_RDWR for every writer, as a shared writable mapping needs it too. */
	int flags = O_CLOEXEC | (job_writes(j) ? O_RDWR : O_RDONLY);

	/* A trim has no data that could go around the page cache: it is direct by nature. */
	if (j->direct && !job_trims(j) && !(g->caps & ENGINE_PASSTHROUGH))
		flags |= O_DIRECT;
	if (j->sync == SYNC_SYNC)
		flags |= O_SYNC;
	else if (j->sync == SYNC_DSYNC)
		flags |= O_DSYNC;
	return flags;
}

static int reopen(struct task *k, int from, struct err *e)
{
	const char *name = k->req->target_name;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	int fd = open(path, open_flags(k->job, k->engine));

	if (fd >= 0) {
		k->fds[k->nfds++] = fd;
		return 0;
	}
	int sys = errno;

	if (sys == EINVAL && k->job->direct) {
		err_sys(e, ERR_MEASURE, sys, "O_DIRECT refused by the file system of '%s'", name);
		return err_hint(e, "direct: false, or a file system with direct I/O");
	}
	err_sys(e, ERR_MEASURE, sys, "cannot open '%s' again for %s", name,
		job_writes(k->job) ? "writing" : "reading");
	if (sys == EMFILE)
		err_hint(e, "raise RLIMIT_NOFILE (ulimit -n), or lower nrfiles or numjobs");
	return e->code;
}

/* An own open file description: threads that share one contend for its reference count. */
int task_reopen(struct task *k, struct err *e)
{
	const struct run_request *req = k->req;
	unsigned n = job_nrfiles(k->job);
	uint64_t first = k->job->files == FILES_PER_JOB ? (uint64_t)k->index * n : 0;
	int rc = 0;

	if (first + n > req->nfds)
		return err_set(e, ERR_MEASURE, "thread %u of '%s' has no descriptor (%u given)",
			       k->index, k->job->name, req->nfds);
	k->fds = xcalloc(n, sizeof(*k->fds));
	for (unsigned i = 0; i < n && !rc; i++)
		rc = reopen(k, req->fds[first + i], e);
	return rc;
}

/* The same seed for a file in every thread: hot blocks are hot for all of them. */
static uint64_t seed_of(const struct task *k, unsigned file)
{
	return file ? rng_mix(k->req->seed + 0xd6e8feb86659fd93ULL * file) : k->req->seed;
}

void task_rewind(struct task *k)
{
	pattern_init(&k->pattern[0], k->job, k->index, k->req->seed);
	for (unsigned i = 1; i < k->npatterns; i++)
		pattern_init_like(&k->pattern[i], &k->pattern[0], k->index, seed_of(k, i));
	k->turn = 0;
}

void task_patterns(struct task *k)
{
	k->npatterns = job_nrfiles(k->job);
	k->pattern = xcalloc(k->npatterns, sizeof(*k->pattern));
	k->region = job_file_size(k->job);
	task_rewind(k);
}

/*
 * Whose turn it is. In a run that ends at size a file that is through is passed over: where sizes
 * vary, files do not end together, and a second pass over one would leave a part of another undone.
 * While there is something left at least one is not through.
 */
struct pattern *task_next_file(struct task *k, struct io *io)
{
	for (unsigned i = 0; k->passes && i < k->npatterns; i++) {
		if (k->pattern[k->turn].pass < k->passes)
			break;
		k->turn = k->turn + 1 < k->npatterns ? k->turn + 1 : 0;
	}
	io->fd = k->turn;
	k->turn = k->turn + 1 < k->npatterns ? k->turn + 1 : 0;
	return &k->pattern[io->fd];
}

const char *task_where(const struct task *k, const struct io *io, char *buf, size_t size)
{
	if (k->npatterns > 1)
		snprintf(buf, size, "file %u of %u in '%s'", io->fd + 1, k->npatterns,
			 k->req->target_name);
	else
		snprintf(buf, size, "'%s'", k->req->target_name);
	return buf;
}

void task_close_files(struct task *k)
{
	for (unsigned i = 0; i < k->nfds; i++)
		close(k->fds[i]);
	free(k->fds);
	free(k->pattern);
}
