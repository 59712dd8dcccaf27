/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/still: does the name that the user wrote lead to the target yet? It was followed when the
 * target was checked, and what it led to is opened: a link that udev or somebody else turned
 * meanwhile means another device, and permission given for that name is none for this one.
 */
#include "host/internal.h"

#include <errno.h>
#include <sys/sysmacros.h>

static bool leads_there(const struct stat *st, const struct target *t)
{
	bool node = t->passthrough ? S_ISCHR(st->st_mode) : S_ISBLK(st->st_mode);

	if (t->kind != TARGET_BLOCK)
		return st->st_dev == t->fs_dev && st->st_ino == t->inode;
	return node && major(st->st_rdev) == (t->passthrough ? t->ng_major : t->dev_major) &&
	       minor(st->st_rdev) == (t->passthrough ? t->ng_minor : t->dev_minor);
}

static int link_leads(const char *path, const struct target *t, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(e, ERR_TARGET, errno,
			       "'%s' led to '%s' when it was checked, and cannot be followed now",
			       path, target_node(t));
	if (leads_there(&st, t))
		return 0;
	return err_set(e, ERR_TARGET,
		       "'%s' led to '%s' when it was checked, and leads to something else now",
		       path, target_node(t));
}

int host_still(const struct target *t, struct err *e)
{
	const struct host live = {.root = "/"};
	struct err no = ERR_INIT;
	struct stat st;
	struct str link;
	int rc;

	switch (id_form(t->id)) {
	case ID_PATH:
		/* a node's own name stays with the number, which the descriptor tells */
		if (lstat(t->id, &st) < 0 || !S_ISLNK(st.st_mode))
			return 0;
		return link_leads(t->id, t, e);
	case ID_BY_ID:
		str_init(&link);
		id_link(t->id, &link);
		rc = link_leads(link.s, t, e);
		str_release(&link);
		return rc;
	default:
		if (host_identity(&live, t->id, t, &no) == 1)
			return 0;
		return err_set(e, ERR_TARGET, "'%s' led to '%s' when it was checked, and now: %s",
			       t->id, target_node(t), no.text);
	}
}
