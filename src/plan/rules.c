/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules: the lint rules, one function each, and their table. */
#include "plan/lint.h"

/* A rule looks; its name and level stand in suite/rules.h, its place in the table below. */
#define RULE(name)                                                                                 \
	static bool name(const struct lint_view *v, struct str *text,                              \
			 struct str *hint __attribute__((unused)))

/* Samples a percentile needs above it (DESIGN 3.3). */
enum { SAMPLES_ABOVE = 100 };

static enum origin_kind kind_of(const struct lint_view *v, enum plan_word w)
{
	return v->og->of[v->at[w]].kind;
}

/* Written for this workload, not for the whole suite. */
static bool own(const struct lint_view *v, enum plan_word w)
{
	return kind_of(v, w) == ORIGIN_WORKLOAD || kind_of(v, w) == ORIGIN_MATRIX;
}

static bool has_cap(const struct lint_view *v, uint32_t cap)
{
	return v->g && (v->g->caps & cap);
}

static double seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SEC;
}

RULE(depth_on_sync_engine)
{
	if (v->j->iodepth <= 1 || !has_cap(v, ENGINE_SYNC | ENGINE_SERIAL))
		return false;
	/* several descriptors: each has an I/O of its own on its way */
	if (!has_cap(v, ENGINE_SYNC) && job_nrfiles(v->j) > 1)
		return false;
	str_addf(text, "iodepth %u has no effect: ioengine %s %s", v->j->iodepth, v->g->name,
		 has_cap(v, ENGINE_SYNC) ? "is synchronous"
					 : "does the I/Os of a descriptor one after another");
	if (job_trims(v->j))
		str_add(hint, "iodepth: 1; engines that trim do one I/O at a time");
	else
		str_addf(hint, "numjobs: %u, or an asynchronous engine (io_uring, libaio)",
			 v->j->iodepth);
	return true;
}

/* io_submit() of buffered I/O returns when it is done: the kernel's aio is only asynchronous under
 * O_DIRECT. What `auto` made so is announced by resolve.c. */
RULE(libaio_buffered)
{
	const struct job *j = v->j;

	if (!plan_runs_at_depth_one(j) || j->direct_auto || strcmp(j->ioengine_asked, "auto") == 0)
		return false;
	str_addf(text, "iodepth %u has no effect: libaio does buffered I/O while it submits",
		 j->iodepth);
	str_add(hint, "direct: true, or ioengine: io_uring");
	return true;
}

RULE(mix_without_mix)
{
	if (!own(v, PW_MIX) || v->j->rw == RW_RW || v->j->rw == RW_RANDRW)
		return false;
	str_addf(text, "rwmixread %u has no effect: rw is %s", v->j->rwmixread,
		 job_rw_name(v->j->rw));
	if (!job_trims(v->j))
		str_add(hint, job_random(v->j) ? "rw: randrw" : "rw: rw");
	return true;
}

RULE(fsync_without_write)
{
	const struct job *j = v->j;
	const struct {
		enum plan_word word;
		bool asked;
	} words[] = {{PW_FSYNC, j->fsync},
		     {PW_FDATASYNC, j->fdatasync},
		     {PW_END_FSYNC, j->end_fsync},
		     /* a hole is punched into a file opened with O_SYNC for good */
		     {PW_SYNC, j->sync != SYNC_NONE && !job_trims(j)}};
	unsigned n = 0;

	if (metric_job_does(j, DIR_WRITE))
		return false;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!words[i].asked || !own(v, words[i].word))
			continue;
		if (n++ == 0)
			*v->word = words[i].word;
		str_addf(text, "%s%s", n > 1 ? ", " : "", word_table[v->at[words[i].word]].name);
	}
	if (n)
		str_addf(text, " %s no effect: rw is %s%s", n > 1 ? "have" : "has",
			 job_rw_name(j->rw),
			 job_writes(j) && job_reads(j) ? " with rwmixread 100" : "");
	return n > 0;
}

RULE(contents_without_write)
{
	const struct job *j = v->j;

	if (metric_job_does(j, DIR_WRITE) ||
	    (!(own(v, PW_REFILL) && j->refill_buffers) &&
	     !(own(v, PW_DEDUPE) && j->dedupe_percentage) &&
	     !(own(v, PW_COMPRESS) && j->buffer_compress_percentage)))
		return false;
	str_addf(text,
		 "refill_buffers, buffer_compress_percentage or dedupe_percentage has no effect: "
		 "rw is "
		 "%s%s",
		 job_rw_name(j->rw), job_writes(j) && job_reads(j) ? " with rwmixread 100" : "");
	return true;
}

RULE(batch_above_depth)
{
	const struct job *j = v->j;
	bool submit = j->iodepth_batch_submit > j->iodepth;
	bool complete = j->iodepth_batch_complete_max > j->iodepth;

	if (!submit && !complete)
		return false;
	*v->word = submit ? PW_BATCH_SUBMIT : PW_COMPLETE_MAX;
	str_addf(text, "%s %u is more than iodepth %u and never reached",
		 submit ? "iodepth_batch_submit" : "iodepth_batch_complete_max",
		 submit ? j->iodepth_batch_submit : j->iodepth_batch_complete_max, j->iodepth);
	return true;
}

RULE(ramp_not_below_runtime)
{
	const struct job *j = v->j;

	if (!j->runtime || j->ramp_time < j->runtime)
		return false;
	str_add(text, "ramp_time ");
	unit_format_duration(text, j->ramp_time);
	str_add(text, " is not below runtime ");
	unit_format_duration(text, j->runtime);
	str_add(hint, "runtime is the measured window, after the ramp; make it the longer one");
	return true;
}

RULE(bs_not_multiple_of_512_direct)
{
	const struct job *j = v->j;

	if (!j->direct || j->direct_auto || j->bs % 512 == 0 || has_cap(v, ENGINE_DISKLESS))
		return false;
	str_add(text, "bs ");
	plan_add_size(text, j->bs);
	str_add(text, " is no multiple of 512 bytes, which direct I/O needs");
	str_addf(hint, "bs: %u, or direct: false", (j->bs / 512 + 1) * 512);
	return true;
}

RULE(size_below_bs)
{
	const struct job *j = v->j;

	if (!j->size || job_file_size(j) >= job_bs_max(j))
		return false;
	str_add(text, "size ");
	plan_add_size(text, j->size);
	if (job_nrfiles(j) > 1)
		str_addf(text, " over %u files", j->nrfiles);
	str_add(text, " is below bs ");
	plan_add_size(text, job_bs_max(j));
	str_add(text, ": there is no room for one I/O");
	return true;
}

RULE(size_not_multiple_of_bs)
{
	const struct job *j = v->j;
	uint64_t file = job_file_size(j), rest = j->size - (file - file % j->bs) * job_nrfiles(j);

	if (kind_of(v, PW_SIZE) == ORIGIN_DEFAULT || kind_of(v, PW_SIZE) == ORIGIN_TARGET ||
	    file < j->bs || rest == 0)
		return false;
	str_add(text, "size ");
	plan_add_size(text, j->size);
	str_add(text, " is no multiple of bs ");
	plan_add_size(text, j->bs);
	if (job_nrfiles(j) > 1)
		str_addf(text, " in each of %u files", j->nrfiles);
	str_add(text, ": the last ");
	plan_add_size(text, rest);
	str_add(text, " are never touched");
	return true;
}

RULE(distribution_without_random)
{
	if (!own(v, PW_DISTRIBUTION) || job_random(v->j) || !*v->j->random_distribution)
		return false;
	str_addf(text, "random_distribution %s has no effect: rw is %s", v->j->random_distribution,
		 job_rw_name(v->j->rw));
	return true;
}

RULE(short_runtime)
{
	if (!v->j->runtime || v->j->runtime >= NS_PER_SEC || has_cap(v, ENGINE_VIRTUAL))
		return false;
	str_add(text, "runtime ");
	unit_format_duration(text, v->j->runtime);
	str_add(text, " is short: start-up and caches weigh as much as the device");
	str_add(hint, "runtime: 10s, ramp_time: 2s");
	return true;
}

RULE(sim_without_sim)
{
	if (!own(v, PW_SIM) || !v->g || strcmp(v->g->name, "sim") == 0)
		return false;
	str_addf(text, "the script of sim has no effect: ioengine is %s", v->g->name);
	return true;
}

RULE(no_checks)
{
	if (v->nothing_judged) {
		str_add(text, "no workload has a gate or an expect: nothing will be judged");
		str_add(hint, "gate: {iops: 5%}, or waive: {no-checks: WHY}");
		return true;
	}
	/* of `targets: all` the total may be all that is judged */
	if (v->nchecks || v->j->canary || (v->w->all_targets && v->w->expect.n))
		return false;
	str_add(text, "it has no gate and no expect: measured only, nothing judged");
	return true;
}

/* I/Os a second of one job at most; 0 = unpaced. Of a mix of sizes, as if all were the largest. */
static double job_rate(const struct job *j)
{
	return j->rate > 0 ? j->rate / job_bs_max(j) : j->rate_iops;
}

RULE(thinktime_blocks_without_thinktime)
{
	if (!own(v, PW_THINKTIME_BLOCKS) || v->j->thinktime)
		return false;
	str_add(text, "thinktime_blocks has no effect without thinktime");
	return true;
}

RULE(rate_below_one_per_window)
{
	const struct job *j = v->j;

	if (!(job_rate(j) > 0) || !j->runtime || job_rate(j) * seconds(j->runtime) >= 1)
		return false;
	str_add(text, j->rate > 0 ? "rate " : "rate_iops ");
	units_add_double(text, j->rate > 0 ? j->rate : j->rate_iops);
	str_add(text, j->rate > 0 ? " B/s" : "");
	str_add(text, " cannot complete one I/O in a runtime of ");
	unit_format_duration(text, j->runtime);
	return true;
}

RULE(percentile_needs_samples)
{
	const struct job *j = v->j;

	if (!(job_rate(j) > 0) || !j->runtime)
		return false;
	for (size_t i = 0; i < v->nchecks; i++) {
		const struct metric *m = metric_find(v->checks[i].metric);
		double share = 1, above;

		if (!m || !(m->quantile > 0))
			continue;
		if ((j->rw == RW_RW || j->rw == RW_RANDRW) && m->dir < DIR_COUNT)
			share = (m->dir == DIR_READ ? j->rwmixread : 100 - j->rwmixread) / 100.0;
		above = job_rate(j) * j->numjobs * seconds(j->runtime) * share * (1 - m->quantile);
		/* slack: 1 - quantile is not exact in binary */
		if (above + 1e-6 >= SAMPLES_ABOVE)
			continue;
		str_addf(text,
			 "'%s' will be insufficient: about %.0f samples above %s in a run, %d are "
			 "needed",
			 v->checks[i].name, above, m->name, SAMPLES_ABOVE);
		str_add(hint, "a longer runtime, a higher rate, or a lower percentile");
		return true;
	}
	return false;
}

RULE(precondition)
{
	const struct job *j = v->j;

	if ((j->rw != RW_RANDWRITE && !job_trims(j)) || !v->nchecks ||
	    has_cap(v, ENGINE_DISKLESS) || v->p->targets[j->target].kind != TARGET_BLOCK ||
	    (plan_fills(j) && !job_trims(j)))
		return false;
	if (job_trims(j)) {
		str_add(text, "trims on a device whose blocks are not written before each run: the "
			      "second run finds nothing left to trim");
		str_add(hint, "measure it on a file or folder, where each run is laid out anew, or "
			      "say why it may be: `waive: {precondition: WHY}`");
		return true;
	}
	str_add(text,
		"random writes on a device that was not preconditioned: a fresh drive is faster "
		"than the same drive a week later");
	str_add(hint, "`precondition: {fill: random}` writes it first; where something else does, "
		      "say so: `waive: {precondition: WHY}`");
	return true;
}

const struct lint_rule lint_rules[] = {
	{RULE_DEPTH_ON_SYNC_ENGINE, PW_IODEPTH, depth_on_sync_engine},
	{RULE_LIBAIO_BUFFERED, PW_IODEPTH, libaio_buffered},
	{RULE_MIX_WITHOUT_MIX, PW_MIX, mix_without_mix},
	{RULE_FSYNC_WITHOUT_WRITE, PW_RW, fsync_without_write},
	{RULE_CONTENTS_WITHOUT_WRITE, PW_RW, contents_without_write},
	{RULE_BATCH_ABOVE_DEPTH, PW_IODEPTH, batch_above_depth},
	{RULE_RAMP_NOT_BELOW_RUNTIME, PW_RAMP, ramp_not_below_runtime},
	{RULE_BS_NOT_MULTIPLE_OF_512_DIRECT, PW_BS, bs_not_multiple_of_512_direct},
	{RULE_SIZE_BELOW_BS, PW_SIZE, size_below_bs},
	{RULE_SIZE_NOT_MULTIPLE_OF_BS, PW_SIZE, size_not_multiple_of_bs},
	{RULE_DISTRIBUTION_WITHOUT_RANDOM, PW_DISTRIBUTION, distribution_without_random},
	{RULE_SHORT_RUNTIME, PW_RUNTIME, short_runtime},
	{RULE_SIM_WITHOUT_SIM, PW_SIM, sim_without_sim},
	{RULE_NO_CHECKS, PW_COUNT, no_checks},
	{RULE_RATE_BELOW_ONE_PER_WINDOW, PW_RATE, rate_below_one_per_window},
	{RULE_THINKTIME_BLOCKS_WITHOUT_THINKTIME, PW_THINKTIME_BLOCKS,
	 thinktime_blocks_without_thinktime},
	{RULE_PERCENTILE_NEEDS_SAMPLES, PW_RATE, percentile_needs_samples},
	{RULE_PRECONDITION, PW_RW, precondition},
	{RULE_TRIM_AGAIN, PW_RW, lint_trim_again},
	{RULE_TRIM_GRANULARITY, PW_BS, lint_trim_granularity},
	{RULE_SPLIT_ABOVE_PROCESSORS, PW_CPUS_POLICY, lint_split_above_processors},
	{RULE_VERIFY_NOT_POSSIBLE, PW_VERIFY, lint_verify_not_possible},
	{RULE_RATE_WITH_THINKTIME, PW_THINKTIME, lint_rate_with_thinktime},
	{RULE_THINKTIME_NOT_BELOW_RUNTIME, PW_THINKTIME, lint_thinktime_not_below_runtime},
};
const unsigned lint_rule_count = sizeof(lint_rules) / sizeof(lint_rules[0]);
