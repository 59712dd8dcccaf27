/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/own: the folders in which blkgate keeps baselines and output are no targets: what is
 * measured there is written beside what must last, and the journal is I/O of its own in the middle
 * of it.
 */
#include "plan/planner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum nesting { OUTSIDE, SAME, BELOW };

/* Is the folder behind fd (closed here) the one of st, or below it? By what the kernel calls each
 * folder on the way up: links and spellings are of no account. */
static enum nesting nested(int fd, const struct stat *st)
{
	enum nesting found = SAME;
	struct stat at, last = {0};

	while (fd >= 0) {
		int up;

		if (fstat(fd, &at) < 0 || (at.st_dev == last.st_dev && at.st_ino == last.st_ino))
			break;
		if (at.st_dev == st->st_dev && at.st_ino == st->st_ino) {
			close(fd);
			return found;
		}
		found = BELOW;
		last = at;
		up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = up;
	}
	if (fd >= 0)
		close(fd);
	return OUTSIDE;
}

static int folder_of(struct plan *p, const struct target *t)
{
	const char *slash = strrchr(t->path, '/');
	size_t n = slash && slash != t->path ? (size_t)(slash - t->path) : 1;
	const char *dir = t->kind == TARGET_DIR ? t->path : arena_strndup(&p->arena, t->path, n);

	return open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void stop_all(struct plan *p, uint32_t target, const char *why)
{
	bool reads = p->targets[target].kind == TARGET_FILE;

	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];

		if (j->target == target && j->state == JOB_READY && !plan_job_diskless(j) &&
		    (!reads || job_writes(j)))
			job_stop(j, JOB_ERROR, why);
	}
}

static void own_folder(struct plan *p, uint32_t target, const struct own_folder *own)
{
	const struct target *t = &p->targets[target];
	struct stat st, here;
	enum nesting at;

	if (stat(own->path, &st) < 0 || !S_ISDIR(st.st_mode))
		return; /* what is not there holds no target */
	at = nested(folder_of(p, t), &st);
	if (at != OUTSIDE)
		stop_all(
			p, target,
			arena_printf(&p->arena,
				     "target '%s' %s of %s ('%s'), where nothing is measured; name "
				     "another folder",
				     t->id,
				     at == SAME && t->kind == TARGET_DIR ? "is the folder"
									 : "lies in the folder",
				     own->what, own->path));
	else if (t->kind == TARGET_DIR && stat(t->path, &here) == 0 &&
		 nested(open(own->path, O_PATH | O_DIRECTORY | O_CLOEXEC), &here) == BELOW)
		notices_add(
			&p->notices,
			"target '%s' holds the folder of %s ('%s'): what is written there is I/O "
			"of the same file system",
			t->role, own->what, own->path);
}

void own_folders(struct plan *p, const struct plan_options *o, uint32_t target)
{
	const struct target *t = &p->targets[target];

	/* a recorded machine has no folders behind its paths */
	if (strcmp(o->host->root, "/") != 0 || (t->kind != TARGET_DIR && t->kind != TARGET_FILE))
		return;
	for (size_t i = 0; i < o->nown; i++)
		if (o->own[i].path)
			own_folder(p, target, &o->own[i]);
}
