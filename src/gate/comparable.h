/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/comparable: which facts must match a baseline, which are the thing under test, which are
 * only noted (DESIGN 3.5 "Comparability defaults", changed by `compare:`). Pure.
 *
 * A fact that neither side has does not exist for that kind of target and is not compared. A
 * must-match fact that only one side has, that differs, or that could not be read on either side,
 * is a difference: what is unknown is not known to be equal. That also holds for a fact that the
 * version which accepted the baseline did not read: a fact is added to the host as a note, and to
 * what must match by default only with MEASUREMENT_VERSION.
 */
#ifndef BLKGATE_GATE_COMPARABLE_H
#define BLKGATE_GATE_COMPARABLE_H

#include "model/result.h"

enum fact_class { FACT_NOTE, FACT_UNDER_TEST, FACT_MUST_MATCH };

/* Where facts of one side are looked up: the target's before the host's; both may be NULL. */
struct fact_side {
	const struct facts *target, *host;
};

/* A rule names a key or a family ("device" covers "device.model"); the longest rule wins, and among
 * equals the strictest class. Rules may be NULL (defaults). */
enum fact_class fact_class_of(const struct compare_rules *c, const char *key);
/* Appends must-match differences as "device.model A -> B; link.speed 8 -> unknown (reason)";
 * nothing when comparable. Returns how many. */
unsigned comparable_differences(const struct compare_rules *c, struct fact_side old_side,
				struct fact_side new_side, struct str *out);
/* Appends what keeps two sessions from being sessions of one thing: must-match differences, changes
 * under test, labels that are no note of the suite's and, when nothing says that it is one (no
 * change id), every other fact that an unchanged machine keeps. Returns how many. */
unsigned comparable_other(const struct compare_rules *c, struct fact_side a_side,
			  struct fact_side b_side, bool all, struct str *out);
/* Two targets of one session that are compared with each other: what they are is what is under
 * test, so only the format of the blocks and what `compare: must_match` names forbid it (appended
 * to `forbid`). `differ` gets all else: "targets differ in: device.model A -> B; also in:
 * fs.options". */
void comparable_targets(const struct compare_rules *c, const struct facts *reference,
			const struct facts *candidate, struct str *forbid, struct str *differ);
/* Appends what changed under test, then up to four changed notes: "kernel.release 6.12.8 -> 6.12.9
 * (under test); host.name a -> b (note)"; "nothing under test changed" leads when that is so. Facts
 * that change with every session (boot id, free space) are left out; notes that only one side holds
 * come last, as an older version may not have read them. */
void comparable_changes(const struct compare_rules *c, struct fact_side old_side,
			struct fact_side new_side, struct str *out);

#endif
