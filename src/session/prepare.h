/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/prepare: the session's hold on its targets. One exclusive claim a target (flock of the
 * file, folder or whole disk; O_EXCL on a block device that will be written), and the descriptors
 * from which each worker reopens its own. Files in a folder are unnamed (O_TMPFILE), so nothing is
 * left behind however the run ends; they are written afresh for every session.
 */
#ifndef BLKGATE_SESSION_PREPARE_H
#define BLKGATE_SESSION_PREPARE_H

#include "base/fileio.h"
#include "plan/plan.h"
#include "run/run.h"

struct hold {
	struct lock lock; /* of the file or folder; of a block device: of its whole disk */
	int *fds;         /* file i of a folder; one for a device or file */
	unsigned nfds;
	int claim; /* block device of a passthrough node, else -1: the node itself takes no claim */
	bool lost; /* an abandoned worker still works on it */
};

/* Claims target t for the ready jobs of p, and asks again what may have changed while it waited: is
 * it still the same file or disk, unused and without a signature (for writers). ERR_BUSY,
 * ERR_TARGET, ERR_INTR. */
int hold_take(struct hold *h, const struct plan *p, uint32_t target, uint64_t wait_lock,
	      const volatile int *stop, struct err *e);
/* Fresh files for a session, laid out with data (folders); nothing for devices and files. *written
 * is increased by what the layout wrote. ERR_TARGET, ERR_MEASURE, ERR_INTR; h->lost may be set. */
int hold_prepare(struct hold *h, const struct plan *p, uint32_t target, uint64_t seed,
		 const struct run_options *ro, uint64_t *written, struct err *e);
/* Before a run that trims files: its region is written anew, for a trim of what was trimmed already
 * has nothing to do. A file system without holes is told here, before a byte is written. Nothing
 * for block devices and other jobs. As hold_prepare(). */
int hold_refill(struct hold *h, const struct plan *p, const struct job *j, uint64_t seed,
		const struct run_options *ro, uint64_t *written, struct err *e);
/* What the kernel counted that was written to the whole disk or changed of the file, and which one
 * it is: while the text stays the same nobody wrote to it. NULL = it cannot be told (files of a
 * folder go with the session). */
const char *hold_mark(const struct hold *h, const struct plan *p, uint32_t target, struct arena *a);
void hold_release(struct hold *h);
/* Descriptors for a job: fills req->fds and nfds. */
void hold_descriptors(const struct hold *h, const struct plan *p, const struct job *j,
		      struct run_request *req);

#endif
