/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/latlog.h"

#include "run/live.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_STEP 4096

/* What a thread can do at most where that is known, else its share of the whole. */
static uint64_t part_max(const struct job *j)
{
	uint64_t share = LATLOG_MAX / j->numjobs, ios;

	if (j->time_based || !j->bs || __builtin_mul_overflow(j->size / j->bs, j->loops, &ios))
		return share;
	/* A sync of all files behind every write at most, and the one at the end. */
	ios = ios < share ? ios + (ios + 1) * job_nrfiles(j) : share;
	return ios < share ? ios : share;
}

struct latlog *latlog_new(const struct job *j, struct err *e)
{
	uint64_t max = part_max(j);
	size_t head = sizeof(struct latlog) + j->numjobs * sizeof(struct latlog_part);
	size_t length = head + j->numjobs * max * sizeof(struct latlog_record);
	struct latlog *l = mmap(NULL, length, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (l == MAP_FAILED) {
		err_sys(e, ERR_MEASURE, errno, "shared memory for the latency log of '%s'",
			j->name);
		return NULL;
	}
	l->length = length;
	l->nparts = j->numjobs;
	for (unsigned i = 0; i < l->nparts; i++) {
		l->part[i].max = max;
		l->part[i].v = (struct latlog_record *)((char *)l + head) + i * max;
	}
	return l;
}

void latlog_free(struct latlog *l)
{
	if (l)
		munmap(l, l->length);
}

struct latlog_part *latlog_part(struct latlog *l, unsigned thread)
{
	if (!l)
		return NULL;
	struct latlog_part *p = &l->part[thread];

	for (size_t i = 0; i < p->max * sizeof(*p->v); i += PAGE_STEP)
		((volatile char *)p->v)[i] = 0;
	return p;
}

void task_log(struct task *k, unsigned what, uint64_t issued, uint64_t submitted, unsigned times)
{
	struct latlog_part *p = k->log;

	if (times > p->max - p->ios) {
		p->lost += times;
		return;
	}
	p->v[p->n++] = (struct latlog_record){.at = k->now - k->ws,
					      .lat = k->now - issued,
					      .slat = submitted - issued,
					      .times = times,
					      .what = what};
	p->ios += times;
}

uint64_t latlog_kept(const struct latlog *l)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < l->nparts; i++)
		n += l->part[i].ios;
	return n;
}

uint64_t latlog_lost(const struct latlog *l)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < l->nparts; i++)
		n += l->part[i].lost;
	return n;
}

/* Millions of lines: a formatted print of each would take longer than many a run. */
static char *put_number(char *to, uint64_t v)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	return mempcpy(to, digits + n, sizeof(digits) - n);
}

#define LINE_MAX_BYTES 128 /* five numbers of 20 digits and a word */

static size_t put_record(char *line, unsigned thread, const struct latlog_record *r, bool has_slat)
{
	bool sync = r->what == LATLOG_SYNC;
	uint64_t slat = has_slat ? r->slat : 0;
	char *to = put_number(line, thread);

	*to++ = ',';
	to = put_number(to, r->at);
	*to++ = ',';
	to = stpcpy(to, sync ? "sync" : io_dir_name(r->what));
	*to++ = ',';
	if (has_slat && !sync)
		to = put_number(to, slat);
	*to++ = ',';
	if (!sync)
		to = put_number(to, r->lat - slat);
	*to++ = ',';
	to = put_number(to, r->lat);
	*to++ = '\n';
	return (size_t)(to - line);
}

void latlog_text(const struct latlog *l, bool has_slat, struct str *out)
{
	str_add(out, "thread,end_ns,direction,slat_ns,clat_ns,lat_ns\n");
	for (unsigned i = 0; i < l->nparts; i++) {
		const struct latlog_part *p = &l->part[i];

		for (uint64_t r = 0; r < p->n; r++) {
			char line[LINE_MAX_BYTES];
			size_t len = put_record(line, i, &p->v[r], has_slat);

			for (uint32_t k = 0; k < p->v[r].times; k++)
				str_addn(out, line, len);
		}
	}
}
