/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/latlog: every latency of a run one by one (`run --latency-log`), so that anyone can compute
 * its percentiles anew. Holds what the histograms hold: the I/Os issued in the window and the syncs
 * of it, no more.
 *
 * One shared mapping, made before the fork and set aside in full: each thread of the worker writes
 * its own part, the caller reads all of it once the worker is gone. A full part counts what it
 * could not take. Units: ns. Ownership: latlog_free; the mapping of run_request is borrowed.
 */
#ifndef BLKGATE_RUN_LATLOG_H
#define BLKGATE_RUN_LATLOG_H

#include "model/job.h"
#include "model/outcome.h"

/* I/Os of a run that are kept, all threads together: 128 MiB of records. */
#define LATLOG_MAX (UINT64_C(1) << 22)

enum { LATLOG_SYNC = DIR_COUNT };

struct latlog_record {
	uint64_t at, lat, slat; /* at: when it was done, since the begin of the window */
	uint32_t times;         /* I/Os of a batch with the same stamps */
	uint32_t what;          /* enum io_dir or LATLOG_SYNC */
};

struct latlog_part {
	_Alignas(128) uint64_t n, ios, lost; /* records; I/Os in them; I/Os that found no room */
	uint64_t max;
	struct latlog_record *v;
};

struct latlog {
	size_t length; /* of the mapping */
	unsigned nparts;
	struct latlog_part part[];
};

/* For one run of j. NULL and ERR_MEASURE when memory is short. */
struct latlog *latlog_new(const struct job *j, struct err *e);
void latlog_free(struct latlog *l); /* NULL is fine */
/* The part of a thread, its pages touched so that none faults in the window; NULL without a log. */
struct latlog_part *latlog_part(struct latlog *l, unsigned thread);
/* I/Os kept, and those that are missing. */
uint64_t latlog_kept(const struct latlog *l);
uint64_t latlog_lost(const struct latlog *l);
/* Adds the lines: a header, then one an I/O, thread by thread, each in the order of completion. */
void latlog_text(const struct latlog *l, bool has_slat, struct str *out);

#endif
