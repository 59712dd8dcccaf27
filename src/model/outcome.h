/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/outcome: what one run left, as integers. Filled by run from what the worker counted in
 * shared memory, read by measure. A failed run has no numbers: status != OUTCOME_OK means nothing
 * below `status` and its sentence may be judged. Units: ns, bytes, counts. Includes: base/hist.h.
 */
#ifndef BLKGATE_MODEL_OUTCOME_H
#define BLKGATE_MODEL_OUTCOME_H

#include "base/hist.h"

enum io_dir { DIR_READ, DIR_WRITE, DIR_TRIM, DIR_COUNT };

enum outcome_status {
	OUTCOME_NONE, /* not measured */
	OUTCOME_OK,
	OUTCOME_IO_ERROR,    /* an I/O or a sync failed */
	OUTCOME_SETUP,       /* open, engine or memory refused */
	OUTCOME_CRASHED,     /* the worker ended by a signal or without a word */
	OUTCOME_HUNG,        /* the deadline passed; worker killed or abandoned */
	OUTCOME_INTERRUPTED, /* stopped by SIGINT/SIGTERM/SIGHUP: partial, not judged */
	OUTCOME_LOST,        /* in flight when the host went down (journal) */
	OUTCOME_COMPANION,   /* a job that ran at the same time failed: not what was asked for */
	OUTCOME_ADMISSION,   /* measured, but not in the state in which it counts */
};

struct outcome_dir {
	uint64_t ios;    /* completed inside the window */
	uint64_t bytes;  /* real bytes of those */
	uint64_t issued; /* issued in the window */
	uint64_t shorts; /* short transfers that were continued */
	struct bins slat, clat,
		lat; /* of all issued in the window, also those that complete in drain */
};

/*
 * What a device moved inside the window for one direction, beside what the application moved.
 * Unknown is the state of what nobody recorded: a result of before. NONE: there is no device.
 */
enum device_state { DEVICE_UNKNOWN, DEVICE_KNOWN, DEVICE_NONE };
struct outcome_device {
	enum device_state state;
	uint64_t bytes; /* when KNOWN */
	char why[96];   /* when UNKNOWN; "" = not recorded */
};

/* 100 ms of the window: completions, and the longest of each latency among those that are in its
 * histogram (issued in the window, too): some I/O above a quantile completed here exactly when the
 * longest is above it. */
#define SLOT_NS 100000000ULL
struct outcome_slot {
	uint32_t ios[DIR_COUNT];
	uint64_t bytes[DIR_COUNT];
	uint64_t slat[DIR_COUNT], clat[DIR_COUNT], lat[DIR_COUNT]; /* ns */
	uint64_t sync;
};

struct outcome {
	enum outcome_status status;
	int sys;                          /* errno of the first error, 0 = none */
	char text[512];                   /* sentence when status != OK */
	uint64_t error_offset, error_len; /* of the failed I/O */
	bool abandoned;                   /* the worker could not be killed: the target is lost */

	uint64_t window; /* ns, true length of the measurement */
	uint64_t ramp;   /* ns spent in ramp */
	uint64_t wall;   /* ns from fork to the end, for the time model */
	struct outcome_dir dir[DIR_COUNT];
	bool has_slat;          /* false for synchronous engines */
	struct bins sync_lat;   /* fsync, fdatasync calls (end_fsync included) */
	uint64_t stall_longest; /* ns: longest gap between completions of a thread inside the window
				 */
	uint64_t cpu_usr, cpu_sys; /* ns of the worker process inside the window */
	struct outcome_device device_read, device_written;
	uint64_t written;  /* bytes written in all phases, for the budget */
	uint64_t verified; /* bytes read back behind the window and found as written */
	uint64_t nslots;
	struct outcome_slot *slots; /* nslots entries, malloc'ed: outcome_release */
	/* What a reader of the numbers must know besides: which way was taken where several would
	 * do (set-up of an engine), what could not be kept where the suite says auto, what the
	 * numbers leave out. Separated by "; ", "" = nothing. */
	char notes[512];
};

void outcome_init(struct outcome *o);
/* Adds to o->notes, once; "" adds nothing. */
void outcome_note(struct outcome *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The total of jobs that ran at the same time on several targets, which is no pooling of runs: one
 * run of one mixture. Sums, merged histograms, added slots; the longest stall of any; the window is
 * the one they share. n > 0, what[i] names part i. A part that is not OK, or windows that differ by
 * more than 1 %, make the total OUTCOME_COMPANION with the sentence. Fills o; it took no time and
 * wrote nothing of its own. */
void outcome_total(struct outcome *o, const struct outcome *const *part, const char *const *what,
		   size_t n);
/* Nothing of the numbers may be read any more; what was written is kept. */
void outcome_spoil(struct outcome *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void outcome_copy(struct outcome *to, const struct outcome *from); /* to: uninitialised */
void outcome_release(struct outcome *o);                           /* frees bins and slots */
/* I/Os of one job (thread) really in flight, by Little's law: the sum of the completion latencies
 * of those issued in the window, over the window and the jobs. What was under way at its begin is
 * missing and what was at its end is whole: never above what can be in flight, which is `asked`, or
 * 1 on a synchronous engine. 0 = none. */
double outcome_depth(const struct outcome *o, uint64_t jobs, uint32_t asked);
const char *outcome_status_name(enum outcome_status s); /* "ok" "io_error" "setup" ... */
int outcome_status_find(const char *name, enum outcome_status *out);
const char *io_dir_name(enum io_dir d); /* "read" "write" "trim" */

#endif
