/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_trim: the lint rules about trims; their rows stand in the table of rules.c. */
#include "plan/lint.h"

#include "base/units.h"

/* The word that makes one run go over a block twice, PW_COUNT = none. */
static enum plan_word repeats(const struct lint_view *v)
{
	const struct job *j = v->j;

	if (j->time_based)
		return PW_RUNTIME;
	if (j->ramp_time)
		return PW_RAMP;
	if (j->loops > 1)
		return PW_LOOPS;
	if (j->numjobs > 1 && j->files == FILES_SHARED)
		return PW_NUMJOBS;
	if (!job_random(j))
		return PW_COUNT;
	if (*j->random_distribution)
		return PW_DISTRIBUTION;
	if (j->norandommap)
		return PW_NORANDOMMAP;
	return PW_COUNT;
}

bool lint_trim_again(const struct lint_view *v, struct str *text, struct str *hint)
{
	enum plan_word w;

	if (!job_trims(v->j) || (v->g && (v->g->caps & ENGINE_DISKLESS)))
		return false;
	w = repeats(v);
	if (w == PW_COUNT)
		return false;
	*v->word = w;
	str_addf(text,
		 "with %s a run trims blocks again that it has trimmed before: there is nothing "
		 "left to trim, and it looks fast",
		 word_table[v->at[w]].name);
	str_add(hint, "one pass over size (no runtime, no ramp_time, numjobs: 1), or say why it "
		      "may be: `waive: {trim-again: WHY}`");
	return true;
}

/* 0 = unknown */
static uint64_t number(const struct target *t, const char *key)
{
	const char *value = facts_value(&t->facts, key);
	uint64_t n;

	return value && str_to_u64(value, &n) ? n : 0;
}

bool lint_trim_granularity(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct target *t = &v->p->targets[v->j->target];
	bool block = t->kind == TARGET_BLOCK;
	uint64_t unit, start, what;

	if (!job_trims(v->j) || (v->g && (v->g->caps & ENGINE_DISKLESS)))
		return false;
	unit = number(t, block ? "device.discard_granularity" : "fs.block_size");
	/* sectors of 512 bytes */
	start = block ? number(t, "device.partition_start") * 512 : 0;
	if (!unit || (v->j->bs % unit == 0 && (start + v->j->offset) % unit == 0))
		return false;
	*v->word = v->j->bs % unit ? PW_BS : PW_OFFSET;
	what = v->j->bs % unit ? v->j->bs : v->j->offset;
	str_add(text, v->j->bs % unit ? "bs " : "offset ");
	plan_add_size(text, what);
	str_addf(text, " is no multiple of the %s ",
		 block ? "discard granularity" : "block of the file system,");
	plan_add_size(text, unit);
	if (start % unit && v->j->bs % unit == 0) {
		str_add(text, " with the partition's begin at ");
		plan_add_size(text, start);
	}
	str_addf(text, " on '%s': %s", t->role,
		 block ? "devices ignore a part of one, or split the trim"
		       : "a part of one is written with zeros and not freed");
	str_add(hint, "bs and offset: multiples of ");
	plan_add_size(hint, unit);
	return true;
}
