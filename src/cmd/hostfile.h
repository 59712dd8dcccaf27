/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/hostfile: what the administrator of a machine wrote down about its targets: role -> identity,
 * whether it may be written, labels. README.md "The host file" shows one.
 *
 * It grants what --allow-write grants, so it counts only when nobody but those who could give that
 * option wrote it: a regular file that no group and no other may write, owned by root, or (with
 * --targets) by the user who runs blkgate. Root takes only what root wrote. The rule is asked of
 * the opened descriptor and the last name of the path may be no link, so that what was checked is
 * what is read.
 */
#ifndef BLKGATE_CMD_HOSTFILE_H
#define BLKGATE_CMD_HOSTFILE_H

#include "base/arena.h"
#include "cmd/cmd.h"

#define HOST_FILE "/etc/blkgate/targets.yaml"

struct host_entry {
	const char *role, *id;
	bool allow_write;
	VEC(struct setting) labels;
};

struct host_file {
	struct arena arena;
	const char *path; /* NULL: there is none */
	struct host_entry *v;
	size_t n, cap;
};

/* path NULL: HOST_FILE, which may be absent. ERR_USAGE, with the place for what it says. */
int host_file_read(struct host_file *f, const char *path, struct err *e);
void host_file_release(struct host_file *f);
const struct host_entry *host_file_find(const struct host_file *f, const char *role);
/* Could it be a role: a word, without what a path or an identity has in it? */
bool host_file_word(const char *id);

#endif
