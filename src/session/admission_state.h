/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/admission_state: what admission.c and admission_judge.c share. */
#ifndef BLKGATE_SESSION_ADMISSION_STATE_H
#define BLKGATE_SESSION_ADMISSION_STATE_H

#include "base/vec.h"
#include "session/admission.h"

struct admission {
	const struct plan *p;
	const struct host *h;
	struct session_clock clock;
	struct result *r;
	struct host_watch **watch; /* ntargets; NULL = no ready job */
	struct kernlog log;
	char *waited; /* what the runs to come had to wait for; NULL = nothing */

	/* of the runs in flight */
	bool watching; /* between begin and end: what is laid out before a run is no run */
	VEC(struct admission_run) runs;
	struct watched **seen; /* ntargets; NULL = not theirs */
	bool *device;          /* ntargets: one of them does I/O on it */
	uint64_t link_due, health_due;
	uint64_t ios; /* completed, at the last tick */
	/* what the disk and the runs moved, at the first and at the last tick of the window */
	struct {
		uint32_t target;
		const char *why; /* it cannot be told; NULL = it can */
		bool none;       /* there is no disk */
		unsigned looks;
		uint64_t disk[2], ours[2];
		uint64_t at[2], lag[2]; /* ns: of ours, and how much later the disk's was read */
	} moved;
};

/* admission_judge.c: after the last look. */
void admission_judge(struct admission *a);

#endif
