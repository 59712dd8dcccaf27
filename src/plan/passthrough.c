/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/passthrough: commands and nodes that belong together. An engine that sends NVMe commands
 * needs the passthrough node, and that node takes nothing else. Whether the drive answers (format
 * of its blocks, largest transfer, permission) only the drive tells: one read is done.
 */
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define BLOCK_PREFIX "/dev/nvme"

static const char *wants_node(struct plan *p, const struct job *j, const struct target *t)
{
	const char *node = "/dev/ngXnY";

	if (str_starts(t->path, BLOCK_PREFIX) && !strchr(t->path, 'p'))
		node = arena_printf(&p->arena, "/dev/ng%s", t->path + strlen(BLOCK_PREFIX));
	return arena_printf(
		&p->arena,
		"ioengine %s needs the passthrough node of an NVMe namespace; the target "
		"'%s' is %s: --target %s, or ioengine: io_uring (%s:%u)",
		j->ioengine, t->role, t->path, node, p->suite->file, job_line(p, j, PW_IOENGINE));
}

static const char *wants_block(struct plan *p, const struct job *j, const struct target *t)
{
	return arena_printf(&p->arena,
			    "ioengine %s cannot use the passthrough node %s of target '%s': "
			    "--target %s, or ioengine: io_uring_cmd (%s:%u)",
			    j->ioengine, t->passthrough, t->role, t->path, p->suite->file,
			    job_line(p, j, PW_IOENGINE));
}

static const char *try_read(struct plan *p, const struct job *j, const struct target *t,
			    const struct engine *g)
{
	int fd = open(t->passthrough, O_RDONLY | O_CLOEXEC);
	struct err e = ERR_INIT;
	int rc;

	if (fd < 0)
		return arena_printf(&p->arena, "cannot open '%s' for a trial read: %s",
				    t->passthrough, strerror(errno));
	struct engine_config c = {.fds = &fd, .nfds = 1, .direct = true};

	rc = engine_trial(g, &c, job_bs_max(j), j->offset, &e);
	close(fd);
	if (rc == 0)
		return NULL;
	return arena_printf(&p->arena, "%s%s%s (%s:%u)", e.text, e.hint[0] ? "; " : "", e.hint,
			    p->suite->file, job_line(p, j, PW_IOENGINE));
}

const char *job_passthrough(struct plan *p, const struct host *h, struct job *j)
{
	const struct target *t = &p->targets[j->target];
	const struct engine *g = engine_find(j->ioengine);
	bool commands = g && (g->caps & ENGINE_PASSTHROUGH);

	if (commands && !t->passthrough)
		return wants_node(p, j, t);
	if (!commands)
		return t->passthrough ? wants_block(p, j, t) : NULL;
	return strcmp(h->root, "/") == 0 ? try_read(p, j, t, g) : NULL;
}
