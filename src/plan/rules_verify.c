/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_verify: what `verify` cannot be combined with, and why. */
#include "plan/lint.h"

static const struct {
	const char *name; /* of job_verify_obstacle() */
	enum plan_word word;
	const char *why, *hint;
} obstacles[] = {
	{"rw", PW_RW, "is of workloads that only write",
	 "rw: write or randwrite; reads and mixes in a workload of their own, without verify"},
	{"bssplit", PW_BSSPLIT, "needs blocks of one size", "bs instead of bssplit"},
	{"bsrange", PW_BSRANGE, "needs blocks of one size", "bs instead of bsrange"},
	{"norandommap", PW_NORANDOMMAP,
	 "needs each block written once a pass, else none could tell which write came last",
	 "norandommap: false"},
	{"random_distribution", PW_DISTRIBUTION,
	 "needs each block written once a pass, and this distribution repeats some",
	 "random_distribution: random"},
	{"dedupe_percentage", PW_DEDUPE, "writes a header of its own into each block: none repeats",
	 "a workload without dedupe_percentage"},
	{"numjobs", PW_NUMJOBS, "needs one writer a block, and the jobs share a file",
	 "files: per_job, or numjobs: 1"},
	{"nrfiles", PW_NRFILES, "reads one file back", "nrfiles: 1"},
	{"stonewall", PW_STONEWALL,
	 "reads back what nothing else may write meanwhile, and other I/O runs beside it",
	 "a workload that runs alone"},
	{"bs", PW_BS, "needs room for a header in each block", "bs: 512"},
};

/* At the word that stands against it, where that was written nearer than in the defaults. */
static void place_at(const struct lint_view *v, enum plan_word w)
{
	enum origin_kind kind = v->og->of[v->at[w]].kind;

	if (kind == ORIGIN_WORKLOAD || kind == ORIGIN_MATRIX)
		*v->word = w;
}

bool lint_verify_not_possible(const struct lint_view *v, struct str *text, struct str *hint)
{
	const char *name;

	if (!job_verifies(v->j))
		return false;
	if (v->g && (v->g->caps & ENGINE_DISKLESS)) {
		place_at(v, PW_IOENGINE);
		str_addf(text, "verify has nothing to read back: ioengine %s has no target",
			 v->g->name);
		return true;
	}
	name = job_verify_obstacle(v->j);
	for (size_t i = 0; name && i < sizeof(obstacles) / sizeof(obstacles[0]); i++) {
		if (strcmp(name, obstacles[i].name) != 0)
			continue;
		place_at(v, obstacles[i].word);
		str_addf(text, "verify %s", obstacles[i].why);
		str_add(hint, obstacles[i].hint);
	}
	return name != NULL;
}
