/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/identity: names that stay with a device (wwid, serial, by-id link, PCI address) against
 * names the kernel hands out anew at every boot (/dev/sda). Only the first may authorise writing.
 */
#include "host/internal.h"

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

size_t id_answers(const struct host *h, const struct blocks *b, const char *id, size_t *first)
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

void id_own_names(const struct host *h, const struct blocks *b, size_t disk, struct notices *out)
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
	(void)host_read(h, &nsid, "%s/nsid", b->v[disk].dir);
	if (block_serial(h, &b->v[disk], &serial) == 0)
		str_addf(&id[1], "serial:%s%s%s", serial.s, nsid.len ? "/nsid:" : "", nsid.s);
	if (host_read(h, &seq, "%s/diskseq", b->v[disk].dir) == 0 && seq.len)
		str_addf(&id[2], "diskseq:%s", seq.s);
	for (size_t k = 0; k < 3; k++)
		if (id[k].len && id_answers(h, b, id[k].s, &first) == 1 && first == disk)
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
	id_own_names(h, b, i, &names);
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

#define CANDIDATES_MAX 4

/* The disks that could have been meant: those that the same kind of name is known of. */
static void hint_candidates(const struct host *h, const struct blocks *b, enum id_form form,
			    struct err *e)
{
	const char *want = form == ID_SERIAL ? "serial:" : "wwid:";
	size_t n = 0, more = 0;
	struct str all;

	str_init(&all);
	for (size_t i = 0; i < b->n; i++) {
		struct notices names;

		if (b->v[i].hidden || b->v[i].disk != i)
			continue;
		notices_init(&names);
		id_own_names(h, b, i, &names);
		for (size_t k = 0; k < names.n; k++) {
			if (!str_starts(names.v[k], want))
				continue;
			if (n++ < CANDIDATES_MAX)
				str_addf(&all, "%s%s", all.len ? ", " : "", names.v[k]);
			else
				more++;
			break;
		}
		notices_release(&names);
	}
	if (n)
		err_hint(e, "there is %s%s; `blkgate probe` says who they are", all.s,
			 more ? " and others" : "");
	else
		err_hint(e, "`lsblk -o NAME,SERIAL,WWN` and `blkgate probe /dev/X` show what "
			    "there is");
	str_release(&all);
}

int id_find(const struct host *h, const struct blocks *b, const char *id, size_t *out,
	    struct err *e)
{
	enum id_form form = id_form(id);
	size_t found = id_answers(h, b, id, out);
	struct str all;

	if (found == 1)
		return 0;
	if (found == 0) {
		err_set(e, ERR_TARGET, "no block device here answers to '%s'", id);
		e->sys = ENODEV;
		hint_candidates(h, b, form, e);
		return e->code;
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
