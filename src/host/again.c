/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/again: a device that was looked at before, found again. After a reset or a replug the kernel
 * may give it another name, and its old name to another device: only what it is tells.
 */
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>

static const char *known(const struct target *t, const char *key)
{
	const char *v = facts_value(&t->facts, key);

	return v && !str_eq(v, "none") ? v : NULL;
}

/* The node and the sequence number are those that were checked. A kernel before 5.15 has no such
 * numbers; there the name and the number have to do. */
static bool unmoved(const struct host *h, const struct blocks *b, const struct target *t)
{
	size_t i = blocks_by_number(b, t->dev_major, t->dev_minor);
	uint64_t seq = 0;

	/* By the number of the node: one of /dev/mapper is named otherwise than the kernel does. */
	if (i == BLOCK_NONE || blocks_by_path(h, b, t->path) != i)
		return false;
	(void)host_read_u64(h, &seq, "%s/diskseq", b->v[b->v[i].disk].dir);
	return !t->diskseq || !seq || seq == t->diskseq;
}

/* The name that goes with the hardware, and which of a disk and its partitions. */
static int whole_disk(const struct host *h, const struct blocks *b, const struct target *t,
		      size_t *disk, struct err *e)
{
	const char *wwid = known(t, "device.wwid"), *serial = known(t, "device.serial"),
		   *nsid = known(t, "device.nsid");
	char *id;
	int rc;

	if (facts_find(&t->facts, "device.made_of") || (!wwid && !serial))
		return err_set(e, ERR_TARGET, "nothing identifies '%s' but its name", t->path);
	id = wwid ? xasprintf("wwid:%s", wwid)
		  : xasprintf("serial:%s%s%s", serial, nsid ? "/nsid:" : "", nsid ? nsid : "");
	rc = id_find(h, b, id, disk, e);
	free(id);
	return rc;
}

static int partition_of(const struct host *h, const struct blocks *b, size_t disk,
			const char *number, size_t *out, struct err *e)
{
	struct str s;

	str_init(&s);
	*out = BLOCK_NONE;
	for (size_t i = 0; i < b->n && *out == BLOCK_NONE; i++)
		if (b->v[i].disk == disk && i != disk &&
		    host_read(h, &s, "%s/partition", b->v[i].dir) == 0 && str_eq(s.s, number))
			*out = i;
	str_release(&s);
	if (*out != BLOCK_NONE)
		return 0;
	return err_set(e, ERR_TARGET, "'/dev/%s' has no partition %s now", b->v[disk].name, number);
}

/* The name by which the user chose it must lead there as well. */
static int still_named(const struct host *h, const struct blocks *b, const struct target *t,
		       size_t found, struct err *e)
{
	size_t i = found;
	struct str link;

	switch (id_form(t->id)) {
	case ID_PATH:
		return 0;
	case ID_BY_ID:
		str_init(&link);
		id_link(t->id, &link);
		i = blocks_by_path(h, b, link.s);
		str_release(&link);
		break;
	default:
		if (id_find(h, b, t->id, &i, e) < 0)
			return e->code;
	}
	if (i == found)
		return 0;
	return err_set(e, ERR_TARGET, "'%s' does not lead to '/dev/%s', which it was", t->id,
		       b->v[found].name);
}

/* A drive that comes back with other firmware or another format is not what was measured before. */
static int same_device(const struct target *t, const struct target *now, struct err *e)
{
	static const char *const keys[] = {"device.model", "device.wwid",      "device.serial",
					   "device.nsid",  "device.firmware",  "device.capacity",
					   "target.size",  "device.lba_format"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct fact *a = facts_find(&t->facts, keys[i]),
				  *b = facts_find(&now->facts, keys[i]);

		if ((!a && !b) || (a && b && a->value && str_eq(a->value, b->value)))
			continue;
		return err_set(e, ERR_TARGET, "it came back with %s %s, and was %s", keys[i],
			       b && b->value ? b->value : "unknown",
			       a && a->value ? a->value : "unknown");
	}
	return 0;
}

static int find(const struct host *h, const struct blocks *b, const struct target *t,
		struct arena *a, struct target *now, struct err *e)
{
	const char *number = facts_value(&t->facts, "device.partition");
	size_t i = BLOCK_NONE;
	struct str node;
	int rc;

	if (t->passthrough)
		return err_set(e, ERR_TARGET, "'%s' is a passthrough node, which is not followed",
			       t->passthrough);
	rc = whole_disk(h, b, t, &i, e);
	if (rc == 0 && number)
		rc = partition_of(h, b, i, number, &i, e);
	if (rc == 0)
		rc = still_named(h, b, t, i, e);
	if (rc < 0)
		return rc;
	str_init(&node);
	block_node(&b->v[i], &node);
	rc = host_target(h, t->role, node.s, a, now, e);
	str_release(&node);
	if (rc < 0)
		return rc;
	rc = same_device(t, now, e);
	if (rc < 0)
		facts_release(&now->facts);
	return rc;
}

int host_again(const struct host *h, const struct target *t, struct arena *a, struct target *now,
	       struct err *e)
{
	struct blocks b;
	int rc = 0;

	if (t->kind != TARGET_BLOCK)
		return 0;
	if (blocks_load(h, &b, e) < 0)
		return e->code;
	if (!unmoved(h, &b, t)) {
		rc = find(h, &b, t, a, now, e) < 0 ? ERR_TARGET : 1;
		if (rc < 0)
			err_prefix(e, "target '%s' is no longer the device at '%s'", t->role,
				   t->path);
	}
	blocks_release(&b);
	return rc;
}
