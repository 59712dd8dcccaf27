/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/counters: what the kernel counted of a disk since it is there. */
#include "base/clock.h"
#include "host/internal.h"

enum { QUIET_TRIES = 40 };
static const uint64_t QUIET_WAIT = 50 * NS_PER_MS;

/* Of Documentation/block/stat.rst, from 0. */
enum { STAT_WRITES = 4, STAT_WRITTEN = 6, STAT_DISCARDS = 11, STAT_DISCARDED = 13, STAT_FIELDS };

static bool read_stat(const char *text, uint64_t *v)
{
	for (unsigned i = 0; i < STAT_FIELDS; i++) {
		while (c_isspace(*text))
			text++;
		if (!str_take_u64(&text, &v[i]))
			return false;
	}
	return true;
}

/* What a worker that was stopped had on its way is counted when it completes, which may be after
 * its end: io_uring takes its rings down behind the process. */
static bool quiet(const struct host *h, const struct block *disk)
{
	for (unsigned i = 0; i < QUIET_TRIES; i++) {
		uint64_t reads = 1, writes = 1;
		struct str text;
		const char *s;

		str_init(&text);
		if (host_read(h, &text, "%s/inflight", disk->dir) == 0) {
			s = text.s;
			if (str_take_u64(&s, &reads)) {
				while (c_isspace(*s))
					s++;
				str_to_u64(s, &writes);
			}
		}
		str_release(&text);
		if (reads == 0 && writes == 0)
			return true;
		clock_sleep_until(clock_now() + QUIET_WAIT);
	}
	return false;
}

int host_write_mark(const struct host *h, const struct target *t, struct str *out, struct err *e)
{
	uint64_t v[STAT_FIELDS], counted = 0;
	struct blocks b;
	struct str boot, text;
	size_t i;

	if (blocks_load(h, &b, e) < 0)
		return e->code;
	str_init(&boot);
	str_init(&text);
	i = blocks_by_number(&b, t->dev_major, t->dev_minor);
	if (i == BLOCK_NONE) {
		err_set(e, ERR_TARGET, "target '%s' is no block device that the kernel knows",
			t->id);
	} else {
		const struct block *disk = &b.v[b.v[i].disk];

		if (host_read_u64(h, &counted, "%s/queue/iostats", disk->dir) < 0 || counted != 1)
			err_set(e, ERR_TARGET,
				"'%s/queue/iostats' is not 1: its I/O is not counted", disk->dir);
		else if (!quiet(h, disk))
			err_set(e, ERR_TARGET, "I/O on '%s' does not end", disk->name);
		else if (host_read(h, &text, "%s/stat", disk->dir) < 0 || !read_stat(text.s, v) ||
			 host_read(h, &boot, "/proc/sys/kernel/random/boot_id") < 0)
			err_set(e, ERR_TARGET, "cannot read '%s/stat' and the boot id", disk->dir);
		else
			str_addf(out, "%s %u:%u %llu %llu %llu %llu %llu", boot.s, disk->dev_major,
				 disk->dev_minor, (unsigned long long)t->diskseq,
				 (unsigned long long)v[STAT_WRITES],
				 (unsigned long long)v[STAT_WRITTEN],
				 (unsigned long long)v[STAT_DISCARDS],
				 (unsigned long long)v[STAT_DISCARDED]);
	}
	str_release(&text);
	str_release(&boot);
	blocks_release(&b);
	return e->code;
}
