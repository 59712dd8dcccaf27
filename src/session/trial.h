/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/trial: which injection moves the metric of a gate by twice the gate's own tolerance, and
 * in which trial it is made. A gate is shown red only by an injection that is known to move its
 * metric by so much; where there is none, or where it moved it by something else, the gate is not
 * tested, with the reason.
 *
 * Twice the tolerance is twice on the scale of the verdict: (1 - t)^2 of a rate, (1 + t)^2 of a
 * latency; of an absolute tolerance twice its amount. Pure. Ownership: trials_release.
 */
#ifndef BLKGATE_SESSION_TRIAL_H
#define BLKGATE_SESSION_TRIAL_H

#include "base/vec.h"
#include "model/verdict.h"
#include "plan/plan.h"
#include "run/run.h"

#define TRIAL_NONE UINT32_MAX

struct trial_gate {
	uint32_t check;
	uint32_t trial; /* TRIAL_NONE = in none */
	struct inject in;
	double aim;    /* the change that it makes: ratio, or base unit of an absolute tolerance */
	bool absolute; /* of the tolerance */
	bool sure;     /* it moves the metric whatever the device does */
	const char *why; /* in no trial: the reason */
};

struct trials {
	VEC(struct trial_gate) gates;
	uint32_t n; /* trials */
};

/* What is known of a check: is it judged at all, and at which level (base unit, NaN = unknown)? */
struct trial_known {
	bool judged;
	double level;
};

/* known: one a check of the plan. Gates of role watch, and those that are not judged, are left out.
 */
void trials_plan(const struct plan *p, const struct trial_known *known, struct trials *t);
void trials_release(struct trials *t);
/* Puts what trial i injects into each job (njobs) into in, and which jobs it needs into needed:
 * those, what runs at the same time, and canaries. */
void trials_inject(const struct trials *t, const struct plan *p, uint32_t i, struct inject *in,
		   bool *needed);

/* undecided: within the sessions there were; missed: green. */
enum trial_end { TRIAL_FOUND, TRIAL_UNDECIDED, TRIAL_MISSED, TRIAL_UNTESTED };
/* What the verdict of a slowed gate shows; why (cleared by the caller) gets the reason when it
 * shows nothing. */
enum trial_end trial_end(const struct trial_gate *g, const struct verdict *v, struct str *why);
/* "slow=19%" or "delay=40 us". */
void trial_add_inject(struct str *out, const struct inject *in);

#endif
