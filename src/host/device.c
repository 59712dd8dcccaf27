/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/device: facts of a block device, from sysfs alone. */
#include "host/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

void fact_from(const struct host *h, struct facts *f, struct arena *a, const char *key,
	       const char *absent, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct str s, clean;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	str_init(&s);
	str_init(&clean);
	rc = host_read(h, &s, "%s", path);
	text_squeeze(&clean, s.s, s.len);
	if (rc == 0 && clean.len)
		facts_set(f, a, key, clean.s, NULL);
	else if (rc == 0 || rc == -ENOENT || rc == -ENOTDIR) {
		/* the kernel offers no such attribute for this hardware: known to be absent */
		if (absent)
			facts_set(f, a, key, absent, NULL);
	} else {
		facts_set(f, a, key, NULL,
			  arena_printf(a, "cannot read '%s': %s", path, strerror(-rc)));
	}
	str_release(&clean);
	str_release(&s);
}

void fact_chosen(const struct host *h, struct facts *f, struct arena *a, const char *key,
		 const char *absent, const char *path)
{
	const char *v, *open, *shut;

	fact_from(h, f, a, key, absent, "%s", path);
	v = facts_value(f, key);
	open = v ? strchr(v, '[') : NULL;
	shut = open ? strchr(open, ']') : NULL;
	if (shut)
		facts_set(f, a, key, arena_strndup(a, open + 1, (size_t)(shut - open - 1)), NULL);
}

void scheduler_fact(const struct host *h, const struct block *disk, struct facts *f,
		    struct arena *a)
{
	fact_chosen(h, f, a, "device.scheduler", "none",
		    arena_printf(a, "%s/queue/scheduler", disk->dir));
}

static const char *const shared_keys[] = {
	"device.model",     "device.firmware",    "device.capacity",  "device.lba_format",
	"device.transport", "device.write_cache", "device.scheduler", "device.numa_node",
};

void device_facts_all(struct facts *f, struct arena *a, const char *value, const char *why)
{
	for (size_t i = 0; i < sizeof(shared_keys) / sizeof(shared_keys[0]); i++)
		facts_set(f, a, shared_keys[i], value, why);
	link_facts_none(f, a, value, why);
}

static const struct {
	const char *prefix, *transport;
} by_name[] = {
	{"loop", "loop"},  {"zram", "zram"},     {"ram", "ram"},    {"nullb", "null_blk"},
	{"nbd", "nbd"},    {"dm-", "dm"},        {"md", "md"},      {"pmem", "pmem"},
	{"mmcblk", "mmc"}, {"rbd", "rbd"},       {"ublkb", "ublk"}, {"vd", "virtio"},
	{"xvd", "xen"},    {"bcache", "bcache"}, {"drbd", "drbd"},
};

static const struct {
	const char *part, *transport;
} by_path[] = {
	{"/ata", "sata"},  {"/usb", "usb"},       {"/session", "iscsi"}, {"/end_device-", "sas"},
	{"/rport-", "fc"}, {"/virtio", "virtio"}, {"/vmbus", "hyperv"},  {"/ufshcd", "ufs"},
};

void device_transport(const struct host *h, const struct block *disk, struct str *out)
{
	struct str dir;
	bool several;

	str_init(&dir);
	block_controller(h, disk, &dir, &several);
	if (dir.len) {
		if (host_read(h, out, "%s/transport", dir.s) < 0)
			str_clear(out);
		goto done;
	}
	for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
		if (str_starts(disk->name, by_name[i].prefix)) {
			str_add(out, by_name[i].transport);
			goto done;
		}
	}
	block_hardware(h, disk, &dir);
	for (size_t i = 0; i < sizeof(by_path) / sizeof(by_path[0]); i++) {
		const char *at = strstr(dir.s, by_path[i].part);

		/* "/ata1/", "/usb2/": a digit keeps "/ata_foo" out */
		if (at && (str_ends(by_path[i].part, "-") || str_eq(by_path[i].part, "/vmbus") ||
			   str_eq(by_path[i].part, "/ufshcd") ||
			   c_isdigit(at[strlen(by_path[i].part)]))) {
			str_add(out, by_path[i].transport);
			goto done;
		}
	}
	if (str_starts(disk->name, "sd") || str_starts(disk->name, "sr"))
		str_add(out, "scsi");
done:
	str_release(&dir);
}

static void transport_fact(const struct host *h, const struct block *disk, struct facts *f,
			   struct arena *a)
{
	struct str s;

	str_init(&s);
	device_transport(h, disk, &s);
	facts_set(f, a, "device.transport", s.len ? s.s : NULL,
		  arena_printf(a, "no rule names the transport of '%s'", disk->name));
	str_release(&s);
}

/* SCSI splits the name into vendor and model; libata writes "ATA" for the vendor. */
static void model_fact(const struct host *h, const struct block *disk, struct facts *f,
		       struct arena *a)
{
	const char *vendor, *model;

	if (str_starts(disk->name, "mmcblk")) {
		fact_from(h, f, a, "device.model", "none", "%s/device/name", disk->dir);
		return;
	}
	fact_from(h, f, a, "device.model", "none", "%s/device/model", disk->dir);
	model = facts_value(f, "device.model");
	if (!model || str_eq(model, "none") || !str_starts(disk->name, "sd"))
		return;
	fact_from(h, f, a, "device.vendor", "none", "%s/device/vendor", disk->dir);
	vendor = facts_value(f, "device.vendor");
	if (vendor && !str_eq(vendor, "ATA") && !str_eq(vendor, "none"))
		facts_set(f, a, "device.model", arena_printf(a, "%s %s", vendor, model), NULL);
}

static void firmware_fact(const struct host *h, const struct block *disk, struct facts *f,
			  struct arena *a)
{
	static const char *const attrs[] = {"firmware_rev", "rev", "fwrev"};

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (host_exists(h, "%s/device/%s", disk->dir, attrs[i])) {
			fact_from(h, f, a, "device.firmware", "none", "%s/device/%s", disk->dir,
				  attrs[i]);
			return;
		}
	facts_set(f, a, "device.firmware", "none", NULL);
}

/* A disk without a name of its own has no such fact: "none" could be taken for the name. */
static void id_fact(struct facts *f, struct arena *a, const char *key, int rc, const char *text)
{
	if (rc == 0)
		facts_set(f, a, key, text, NULL);
	else if (rc != -ENOENT)
		facts_set(f, a, key, NULL, strerror(-rc));
}

static void id_facts(const struct host *h, const struct block *disk, struct facts *f,
		     struct arena *a)
{
	struct str s;
	int rc;

	str_init(&s);
	rc = block_serial(h, disk, &s);
	id_fact(f, a, "device.serial", rc, s.s);
	str_clear(&s);
	rc = block_wwid(h, disk, &s);
	id_fact(f, a, "device.wwid", rc, s.s);
	str_release(&s);
	fact_from(h, f, a, "device.nsid", NULL, "%s/nsid", disk->dir);
	fact_from(h, f, a, "device.eui", NULL, "%s/eui", disk->dir);
	fact_from(h, f, a, "device.nguid", NULL, "%s/nguid", disk->dir);
}

/*
 * Only what every kernel reports alike may be part of it, for the kernel is what is under test: the
 * physical block size of an NVMe namespace, for one, is derived differently by different kernels.
 */
static void lba_fact(const struct host *h, const struct block *disk, struct facts *f,
		     struct arena *a)
{
	struct str s;
	const char *lba;

	fact_from(h, f, a, "device.lba_format", NULL, "%s/queue/logical_block_size", disk->dir);
	lba = facts_value(f, "device.lba_format");
	if (!facts_find(f, "device.lba_format"))
		facts_set(f, a, "device.lba_format", NULL,
			  "the kernel reports no logical block size");
	str_init(&s);
	if (lba && host_read(h, &s, "%s/integrity/format", disk->dir) == 0 && s.len &&
	    !str_eq(s.s, "none") && !str_eq(s.s, "nop"))
		facts_set(f, a, "device.lba_format", arena_printf(a, "%s %s", lba, s.s), NULL);
	str_release(&s);
}

static void capacity_fact(const struct host *h, const struct block *disk, struct facts *f,
			  struct arena *a)
{
	uint64_t sectors = 0;
	int rc = host_read_u64(h, &sectors, "%s/size", disk->dir);

	if (rc == 0 && sectors <= UINT64_MAX / 512)
		facts_set(f, a, "device.capacity", arena_printf(a, "%" PRIu64, sectors * 512),
			  NULL);
	else
		facts_set(f, a, "device.capacity", NULL,
			  arena_printf(a, "cannot read '%s/size': %s", disk->dir,
				       strerror(rc < 0 ? -rc : ERANGE)));
}

/* Settings of the queue a bio meets first: the device's own, also where it is stacked. */
static void queue_notes(const struct host *h, const struct block *disk, struct facts *f,
			struct arena *a)
{
	static const char *const notes[] = {"rotational",
					    "io_poll",
					    "io_poll_delay",
					    "nr_requests",
					    "nomerges",
					    "rq_affinity",
					    "max_sectors_kb",
					    "max_hw_sectors_kb",
					    "read_ahead_kb",
					    "wbt_lat_usec",
					    "iostats",
					    "fua",
					    "zoned",
					    "physical_block_size",
					    "discard_max_bytes",
					    "discard_granularity"};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		fact_from(h, f, a, arena_printf(a, "device.%s", notes[i]), NULL, "%s/queue/%s",
			  disk->dir, notes[i]);
}

static void stack_fact(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		       struct arena *a)
{
	struct block_list below = {0};
	struct str s, more;

	str_init(&s);
	str_init(&more);
	(void)block_slaves(h, b, i, &below);
	for (size_t k = 0; k < below.n; k++)
		str_addf(&s, "%s%s", k ? " " : "", b->v[below.v[k]].name);
	if (below.n && host_read(h, &more, "%s/dm/uuid", b->v[b->v[i].disk].dir) == 0 && more.len)
		str_addf(&s, " (%.*s)", (int)strcspn(more.s, "-"), more.s);
	if (below.n)
		facts_set(f, a, "device.made_of", s.s, NULL);
	VEC_RELEASE(&below);
	str_release(&more);
	str_release(&s);
}

static void physical_facts(const struct host *h, const struct block *disk, struct facts *f,
			   struct arena *a)
{
	model_fact(h, disk, f, a);
	id_facts(h, disk, f, a);
	firmware_fact(h, disk, f, a);
	transport_fact(h, disk, f, a);
	scheduler_fact(h, disk, f, a);
	fact_from(h, f, a, "device.write_cache", "none", "%s/queue/write_cache", disk->dir);
	node_fact(h, disk, f, a);
	reach_facts(h, disk, f, a);
	link_facts(h, disk, f, a);
}

/* What several disks have in common. */
static void common_facts(const struct host *h, const struct blocks *b,
			 const struct block_list *disks, struct facts *f, struct arena *a)
{
	static const char *const keys[] = {
		"device.model",     "device.vendor",  "device.firmware",  "device.transport",
		"device.scheduler", "device.driver",  "device.numa_node", "device.write_cache",
		"device.serial",    "link",           "link.speed",       "link.width",
		"link.max_speed",   "link.max_width", "link.port",
	};
	const char **names = xcalloc(disks->n, sizeof(*names));
	struct facts *m = xcalloc(disks->n, sizeof(*m));

	for (size_t k = 0; k < disks->n; k++) {
		names[k] = b->v[disks->v[k]].name;
		physical_facts(h, &b->v[disks->v[k]], &m[k], a);
	}
	members_merge(f, a, keys, sizeof(keys) / sizeof(*keys), m, names, disks->n);
	for (size_t k = 0; k < disks->n; k++)
		facts_release(&m[k]);
	free(m);
	free(names);
}

/* Of the disks below: what one is, or what several have in common. */
static void disk_facts(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		       struct arena *a)
{
	struct block_list leaves = {0};
	struct str why;
	size_t phys;

	str_init(&why);
	phys = block_physical(h, b, i, &why);
	if (phys != BLOCK_NONE)
		physical_facts(h, &b->v[phys], f, a);
	else if (block_leaves(h, b, i, &leaves) < 0)
		device_facts_all(f, a, NULL, why.s);
	else
		common_facts(h, b, &leaves, f, a);
	VEC_RELEASE(&leaves);
	str_release(&why);
}

void device_facts(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		  struct arena *a)
{
	const struct block *own = &b->v[b->v[i].disk];

	disk_facts(h, b, i, f, a);
	capacity_fact(h, own, f, a);
	lba_fact(h, own, f, a);
	queue_notes(h, own, f, a);
	stack_fact(h, b, i, f, a);
	facts_set(f, a, "device.name", b->v[i].name, NULL);
	fact_from(h, f, a, "device.read_only", NULL, "%s/ro", b->v[i].dir);
	fact_from(h, f, a, "device.diskseq", NULL, "%s/diskseq", own->dir);
	if (i != b->v[i].disk) {
		fact_from(h, f, a, "device.partition", NULL, "%s/partition", b->v[i].dir);
		fact_from(h, f, a, "device.partition_start", NULL, "%s/start", b->v[i].dir);
	}
	limit_facts(h, b, i, f, a);
}

void host_device(const struct host *h, const struct target *t, struct facts *f, struct arena *a)
{
	struct blocks b;
	struct err e = ERR_INIT;
	size_t i;

	if (blocks_load(h, &b, &e) < 0) {
		device_facts_all(f, a, NULL, e.text);
		return;
	}
	i = blocks_by_number(&b, t->dev_major, t->dev_minor);
	if (i != BLOCK_NONE)
		device_facts(h, &b, i, f, a);
	else if (t->kind == TARGET_BLOCK)
		device_facts_all(f, a, NULL, "the device is not in /sys/block any more");
	blocks_release(&b);
}
