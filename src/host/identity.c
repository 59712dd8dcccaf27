/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/identity: names that stay with a device (wwid, serial, by-id link, PCI address) against
 * names the kernel hands out anew at every boot (/dev/sda). Only the first may authorise writing.
 */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

static const char *const wwid_prefixes[] = {"eui.", "naa.", "uuid.", "nvme.", "t10."};
static const char *const by_id_prefixes[] = {"nvme-",    "ata-",     "scsi-",    "wwn-",
					     "usb-",     "mmc-",     "virtio-",  "dm-name-",
					     "dm-uuid-", "md-name-", "md-uuid-", "lvm-pv-uuid-"};

/* A bare EUI-64, NGUID or NAA: 16 or 32 hex digits, 0x allowed. */
static const char *bare_hex(const char *id)
{
	const char *p = str_starts(id, "0x") ? id + 2 : id;
	size_t n = strlen(p);

	return (n == 16 || n == 32) && strspn(p, "0123456789abcdefABCDEF") == n ? p : NULL;
}

enum id_form id_form(const char *id)
{
	if (str_starts(id, "serial:"))
		return ID_SERIAL;
	if (str_starts(id, "wwid:"))
		return ID_WWID;
	if (str_starts(id, "pci:"))
		return ID_PCI;
	if (str_starts(id, "diskseq:"))
		return ID_DISKSEQ;
	if (str_starts(id, "/dev/disk/by-id/") || str_starts(id, "/dev/disk/by-diskseq/"))
		return strstr(id, "/../") ? ID_PATH : ID_BY_ID;
	for (size_t i = 0; i < sizeof(wwid_prefixes) / sizeof(wwid_prefixes[0]); i++)
		if (str_starts(id, wwid_prefixes[i]))
			return ID_WWID;
	if (strchr(id, '/'))
		return ID_PATH;
	if (bare_hex(id))
		return ID_WWID;
	for (size_t i = 0; i < sizeof(by_id_prefixes) / sizeof(by_id_prefixes[0]); i++)
		if (str_starts(id, by_id_prefixes[i]))
			return ID_BY_ID;
	return ID_PATH;
}

void id_link(const char *id, struct str *out)
{
	str_addf(out, "%s%s", id[0] == '/' ? "" : "/dev/disk/by-id/", id);
}

/* Letters and digits alone: "0x5000C500-A1B2" and "5000c500a1b2" are one number. */
static void fold(struct str *out, const char *s)
{
	if (str_starts(s, "0x"))
		s += 2;
	for (; *s; s++)
		if (c_isalnum(*s))
			str_addc(out, (char)(*s >= 'A' && *s <= 'Z' ? *s | 0x20 : *s));
}

static bool same_number(const char *a, const char *b)
{
	struct str x, y;
	bool same;

	str_init(&x);
	str_init(&y);
	fold(&x, a);
	fold(&y, b);
	same = x.len && str_eq(x.s, y.s);
	str_release(&y);
	str_release(&x);
	return same;
}

static bool match_wwid(const struct host *h, const struct block *disk, const char *want)
{
	static const char *const attrs[] = {"eui", "nguid", "uuid"};
	const char *hex = bare_hex(want);
	struct str s;
	bool yes;

	str_init(&s);
	yes = block_wwid(h, disk, &s) == 0 && strcasecmp(s.s, want) == 0;
	/* "naa.5000c5..." and "eui.0025..." by their digits alone */
	if (!yes && hex && (str_starts(s.s, "eui.") || str_starts(s.s, "naa.")))
		yes = same_number(s.s + 4, hex);
	if (!yes && (str_starts(want, "eui.") || str_starts(want, "uuid.") || hex)) {
		const char *digits = hex ? hex : strchr(want, '.') + 1;

		for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]) && !yes; i++)
			yes = host_read(h, &s, "%s/%s", disk->dir, attrs[i]) == 0 &&
			      same_number(s.s, digits);
	}
	str_release(&s);
	return yes;
}

/* want: "S" or "S/nsid:N" */
static bool match_serial(const struct host *h, const struct block *disk, const char *want)
{
	const char *ns = strstr(want, "/nsid:");
	size_t n = ns ? (size_t)(ns - want) : strlen(want);
	struct str s;
	bool yes;

	str_init(&s);
	yes = block_serial(h, disk, &s) == 0 && s.len == n && n && strncmp(s.s, want, n) == 0;
	if (yes && ns)
		yes = host_read(h, &s, "%s/nsid", disk->dir) == 0 && str_eq(s.s, ns + 6);
	str_release(&s);
	return yes;
}

static bool match_pci(const struct host *h, const struct block *disk, const char *want)
{
	struct str hardware, part;
	bool yes;

	str_init(&hardware);
	str_init(&part);
	block_hardware(h, disk, &hardware);
	str_addf(&part, "/%s", want);
	str_addc(&hardware, '/');
	str_addc(&part, '/');
	yes = want[0] && strstr(hardware.s, part.s) != NULL;
	str_release(&part);
	str_release(&hardware);
	return yes;
}

static bool match_diskseq(const struct host *h, const struct block *disk, const char *want)
{
	struct str s;
	bool yes;

	str_init(&s);
	/* 0 is what kernels answer for a disk without a sequence number */
	yes = !str_eq(want, "0") && host_read(h, &s, "%s/diskseq", disk->dir) == 0 && s.len &&
	      str_eq(s.s, want);
	str_release(&s);
	return yes;
}

static bool matches(const struct host *h, const struct block *disk, enum id_form form,
		    const char *id)
{
	const char *after = strchr(id, ':') ? strchr(id, ':') + 1 : "";

	switch (form) {
	case ID_WWID:
		return match_wwid(h, disk, str_starts(id, "wwid:") ? id + 5 : id);
	case ID_SERIAL:
		return match_serial(h, disk, after);
	case ID_PCI:
		return match_pci(h, disk, after);
	case ID_DISKSEQ:
		return match_diskseq(h, disk, after);
	case ID_PATH:
	case ID_BY_ID:
		break;
	}
	return false;
}

/* How many disks answer to it; *first is one of them. */
static size_t answers(const struct host *h, const struct blocks *b, const char *id, size_t *first)
{
	enum id_form form = id_form(id);
	size_t n = 0;

	*first = BLOCK_NONE;
	for (size_t i = 0; i < b->n; i++) {
		if (b->v[i].hidden || b->v[i].disk != i || !matches(h, &b->v[i], form, id))
			continue;
		if (n++ == 0)
			*first = i;
	}
	return n;
}

/* The names of a whole disk that no other answers to, the one to be preferred first. */
static void own_names(const struct host *h, const struct blocks *b, size_t disk,
		      struct notices *out)
{
	struct str wwid, serial, nsid, seq, id[3];
	size_t first;

	str_init(&wwid);
	str_init(&serial);
	str_init(&nsid);
	str_init(&seq);
	for (size_t k = 0; k < 3; k++)
		str_init(&id[k]);
	if (block_wwid(h, &b->v[disk], &wwid) == 0)
		str_addf(&id[0], "wwid:%s", wwid.s);
	if (block_serial(h, &b->v[disk], &serial) == 0)
		str_addf(&id[1], "serial:%s%s%s", serial.s,
			 host_read(h, &nsid, "%s/nsid", b->v[disk].dir) == 0 ? "/nsid:" : "",
			 nsid.s);
	if (host_read(h, &seq, "%s/diskseq", b->v[disk].dir) == 0 && seq.len)
		str_addf(&id[2], "diskseq:%s", seq.s);
	for (size_t k = 0; k < 3; k++)
		if (id[k].len && answers(h, b, id[k].s, &first) == 1 && first == disk)
			notices_add(out, "%s", id[k].s);
	for (size_t k = 0; k < 3; k++)
		str_release(&id[k]);
	str_release(&seq);
	str_release(&nsid);
	str_release(&serial);
	str_release(&wwid);
}

/* "/dev/nvme0n1 (nsid 1) as wwid:eui.1" */
static void candidate(const struct host *h, const struct blocks *b, size_t i, struct str *out)
{
	struct notices names;
	struct str nsid;

	notices_init(&names);
	str_init(&nsid);
	own_names(h, b, i, &names);
	if (out->len)
		str_add(out, ", ");
	block_node(&b->v[i], out);
	if (host_read(h, &nsid, "%s/nsid", b->v[i].dir) == 0)
		str_addf(out, " (nsid %s)", nsid.s);
	if (names.n)
		str_addf(out, " as %s", names.v[0]);
	str_release(&nsid);
	notices_release(&names);
}

int id_find(const struct host *h, const struct blocks *b, const char *id, size_t *out,
	    struct err *e)
{
	enum id_form form = id_form(id);
	size_t found = answers(h, b, id, out);
	struct str all;

	if (found == 1)
		return 0;
	if (found == 0) {
		err_set(e, ERR_TARGET, "no block device here answers to '%s'", id);
		e->sys = ENODEV;
		return err_hint(
			e,
			"`lsblk -o NAME,SERIAL,WWN` and `blkgate probe /dev/X` show what there is");
	}
	*out = BLOCK_NONE;
	str_init(&all);
	for (size_t i = 0; i < b->n; i++)
		if (!b->v[i].hidden && b->v[i].disk == i && matches(h, &b->v[i], form, id))
			candidate(h, b, i, &all);
	err_set(e, ERR_TARGET, "'%s' is ambiguous: %s", id, all.s);
	str_release(&all);
	return err_hint(e, "give the name of the one that is meant, as it stands behind 'as'");
}

/* The links that udev made for it. */
static void add_links(const struct host *h, const struct blocks *b, size_t own, struct notices *out)
{
	static const char dir[] = "/dev/disk/by-id";
	char **names;
	size_t n;

	if (host_list(h, &names, &n, dir) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct str path;

		str_init(&path);
		str_addf(&path, "%s/%s", dir, names[i]);
		if (blocks_by_path(h, b, path.s) == own)
			notices_add(out, "%s", path.s);
		str_release(&path);
	}
	file_list_free(names, n);
}

static void add_identities(const struct host *h, const struct blocks *b, size_t own,
			   const struct target *t, struct notices *out)
{
	const char *address = facts_value(&t->facts, "device.address");
	size_t i;

	/* permission for a disk is not one for its partition */
	if (b->v[own].disk == own) {
		char *pci = xasprintf("pci:%s", address ? address : "");

		own_names(h, b, own, out);
		if (address && answers(h, b, pci, &i) == 1 && i == own)
			notices_add(out, "%s", pci);
		free(pci);
	}
	add_links(h, b, own, out);
}

int host_identities(const struct host *h, const struct target *t, struct notices *out,
		    struct err *e)
{
	struct blocks b;
	size_t own;

	if (t->kind != TARGET_BLOCK) {
		notices_add(out, "%s", t->path);
		return 0;
	}
	if (blocks_load(h, &b, e) < 0)
		return e->code;
	own = blocks_by_number(&b, t->dev_major, t->dev_minor);
	if (own != BLOCK_NONE)
		add_identities(h, &b, own, t, out);
	blocks_release(&b);
	return 0;
}

/* What would have been accepted for that device. */
static void suggest(const struct host *h, const struct blocks *b, size_t i, const struct target *t,
		    struct err *e)
{
	struct notices names;

	notices_init(&names);
	add_identities(h, b, i, t, &names);
	if (names.n && str_starts(names.v[0], "diskseq:"))
		err_hint(e, "it has no serial number of its own; %s names it until it is removed",
			 names.v[0]);
	else if (names.n)
		err_hint(e, "write %s", names.v[0]);
	else if (b->v[i].disk != i)
		err_hint(e, "name the partition by its link in /dev/disk/by-id");
	else
		err_hint(e, "no name is its alone: it cannot be named for writing");
	notices_release(&names);
}

/* Files and folders are named by their path; links are followed on both sides. */
static int path_identity(const struct host *h, const char *id, const struct target *t,
			 struct err *e)
{
	struct str real;
	int yes;

	str_init(&real);
	yes = id_form(id) == ID_PATH && host_resolve(h, id, &real) == 0 && str_eq(real.s, t->path);
	str_release(&real);
	if (!yes) {
		int code = e->code;

		err_set(e, ERR_TARGET, "'%s' is not the path of target '%s'", id, t->path);
		e->code = code;
	}
	return yes;
}

static int block_identity(const struct host *h, const struct blocks *b, const char *id,
			  const struct target *t, struct err *e)
{
	size_t own = blocks_by_number(b, t->dev_major, t->dev_minor), i = BLOCK_NONE;
	struct str link;

	if (own == BLOCK_NONE) {
		err_set(e, ERR_TARGET,
			"'%s' (%u:%u) is not in /sys/block, so nothing can identify it", t->path,
			t->dev_major, t->dev_minor);
		return 0;
	}
	if (id_form(id) == ID_PATH) {
		err_set(e, ERR_TARGET,
			"'%s' is no identity: the kernel may give this name to another device at "
			"the next boot",
			id);
		suggest(h, b, own, t, e);
		return 0;
	}
	if (id_form(id) == ID_BY_ID) {
		str_init(&link);
		id_link(id, &link);
		i = blocks_by_path(h, b, link.s);
		str_release(&link);
		if (i == BLOCK_NONE) {
			err_set(e, ERR_TARGET, "'%s' leads to no block device", id);
			return 0;
		}
	} else if (id_find(h, b, id, &i, e) < 0) {
		return 0;
	}
	if (i == own)
		return 1;
	err_set(e, ERR_TARGET, "'%s' is /dev/%s, and the target is /dev/%s%s", id, b->v[i].name,
		b->v[own].name,
		b->v[i].disk == b->v[own].disk
			? ": permission for a disk is not one for its partition, nor the reverse"
			: "");
	return 0;
}

int host_identity(const struct host *h, const char *id, const struct target *t, struct err *e)
{
	struct blocks b;
	int yes, code = e->code;

	if (t->kind == TARGET_FILE || t->kind == TARGET_DIR)
		return path_identity(h, id, t, e);
	if (blocks_load(h, &b, e) == 0) {
		yes = block_identity(h, &b, id, t, e);
		blocks_release(&b);
	} else {
		yes = 0;
	}
	/* "no" is an answer, not a failure: the caller's code stands */
	if (!yes)
		e->code = code;
	return yes;
}
