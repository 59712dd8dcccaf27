/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/words.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/units.h"
#include "suite/words_read.h"

#define AT(field) .offset = offsetof(struct job, field)
#define COUNT32(field, lo, hi)                                                                     \
	.read = word_read_u32, .show = word_show_u32, AT(field), .min = lo, .max = hi
#define COUNT64(field, lo, hi)                                                                     \
	.read = word_read_u64, .show = word_show_u64, AT(field), .min = lo, .max = hi
#define TIME(field, lo)                                                                            \
	.read = word_read_time, .show = word_show_time, AT(field), .min = lo, .max = INT64_MAX
#define BOOL(field) .read = word_read_bool, .show = word_show_bool, AT(field)

enum { MAX_DEPTH = 65536, MAX_JOBS = 1024, MAX_RUNS = 1000, MAX_FILES = 1 << 20 };
#define MAX_BS (1ULL << 30)

const struct word word_table[] = {
	{.name = "rw",
	 .dflt = "",
	 .what = "direction and order: read write randread randwrite rw randrw trim randtrim",
	 .read = word_read_rw,
	 .show = word_show_rw},
	{.name = "bs",
	 .dflt = "4KiB",
	 .what = "bytes of one I/O",
	 .read = word_read_size32,
	 .show = word_show_u32,
	 AT(bs),
	 .min = 1,
	 .max = MAX_BS,
	 .bytes = true},
	{.name = "bssplit",
	 .dflt = "",
	 .what = "mix of block sizes: 4k/60:64k/40, per cent of the I/Os",
	 .read = word_read_bssplit,
	 .show = word_show_text,
	 AT(bssplit)},
	{.name = "bsrange",
	 .dflt = "",
	 .what = "block sizes from 4k-64k, every multiple of the lower one alike",
	 .read = word_read_bsrange,
	 .show = word_show_text,
	 AT(bsrange)},
	{.name = "ioengine",
	 .dflt = "psync",
	 .what = "how the I/O is issued; auto = io_uring, else libaio, else psync, announced",
	 .read = word_read_ioengine,
	 .show = word_show_ioengine},
	{.name = "iodepth",
	 .dflt = "1",
	 .what = "I/Os in flight a job",
	 COUNT32(iodepth, 1, MAX_DEPTH)},
	{.name = "iodepth_batch_submit",
	 .dflt = "1",
	 .what = "I/Os handed over in one call at most",
	 COUNT32(iodepth_batch_submit, 1, MAX_DEPTH)},
	{.name = "iodepth_batch_complete_min",
	 .dflt = "1",
	 .what = "completions to wait for in one call",
	 COUNT32(iodepth_batch_complete_min, 1, MAX_DEPTH)},
	{.name = "iodepth_batch_complete_max",
	 .dflt = "iodepth",
	 .fio_differs = "as iodepth_batch_complete_min",
	 .what = "completions taken in one call at most",
	 COUNT32(iodepth_batch_complete_max, 1, MAX_DEPTH)},
	{.name = "numjobs",
	 .dflt = "1",
	 .what = "threads that do this workload at once",
	 COUNT32(numjobs, 1, MAX_JOBS)},
	{.name = "size",
	 .dflt = "",
	 .what = "bytes of the region, or 50% of the target; all of a block device when left out",
	 .read = word_read_region,
	 .show = word_show_region,
	 AT(size),
	 .min = 1,
	 .max = INT64_MAX,
	 .bytes = true},
	{.name = "nrfiles",
	 .dflt = "1",
	 .what = "files of a job, in a folder: they share size, and take turns",
	 COUNT32(nrfiles, 1, MAX_FILES)},
	{.name = "offset",
	 .dflt = "0",
	 .what = "first byte of the region, or 25% of the target",
	 .read = word_read_region,
	 .show = word_show_region,
	 AT(offset),
	 .min = 0,
	 .max = INT64_MAX,
	 .bytes = true},
	{.name = "runtime",
	 .dflt = "",
	 .what = "measured time; given, it means time_based",
	 TIME(runtime, 1)},
	{.name = "ramp_time",
	 .dflt = "0",
	 .what = "time before the measured window, same I/O, not counted",
	 TIME(ramp_time, 0)},
	{.name = "startdelay",
	 .dflt = "0",
	 .what = "rest before the ramp of each run, without I/O",
	 TIME(startdelay, 0)},
	{.name = "cpus_allowed",
	 .dflt = "",
	 .what = "processors of all jobs: 0-3,5",
	 .read = word_read_cpus,
	 .show = word_show_text,
	 AT(cpus_allowed)},
	{.name = "cpus_allowed_policy",
	 .dflt = "shared",
	 .what = "shared, or split: job i has the i-th processor of cpus_allowed",
	 .read = word_read_cpus_policy,
	 .show = word_show_cpus_policy},
	{.name = "numa_cpu_nodes",
	 .dflt = "",
	 .what = "memory nodes on whose processors all jobs run: 0-1,3; device = the target's",
	 .read = word_read_numa_nodes,
	 .show = word_show_numa_nodes},
	{.name = "numa_mem_policy",
	 .dflt = "default",
	 .what = "of the buffers: default bind:NODES prefer:NODE interleave:NODES local",
	 .read = word_read_numa_policy,
	 .show = word_show_numa_policy},
	{.name = "time_based",
	 .dflt = "true when runtime is given",
	 .fio_differs = "false",
	 .what = "go on until runtime is over; false ends at size",
	 BOOL(time_based)},
	{.name = "loops",
	 .dflt = "1",
	 .what = "passes over the region when not time_based",
	 COUNT64(loops, 1, UINT32_MAX)},
	{.name = "direct",
	 .dflt = "true",
	 .fio_differs = "false",
	 .what = "O_DIRECT; auto = true where statx reports DIOALIGN, announced",
	 .read = word_read_direct,
	 .show = word_show_direct},
	{.name = "sync",
	 .dflt = "none",
	 .what = "none, sync (O_SYNC) or dsync (O_DSYNC)",
	 .read = word_read_sync,
	 .show = word_show_sync},
	{.name = "fsync",
	 .dflt = "0",
	 .what = "fsync after every N writes, 0 = never",
	 COUNT32(fsync, 0, UINT32_MAX)},
	{.name = "fdatasync",
	 .dflt = "0",
	 .what = "fdatasync after every N writes, 0 = never",
	 COUNT32(fdatasync, 0, UINT32_MAX)},
	{.name = "end_fsync",
	 .dflt = "true for buffered writes",
	 .fio_differs = "false",
	 .what = "fsync at the end, inside the window",
	 BOOL(end_fsync)},
	{.name = "rate_iops",
	 .dflt = "",
	 .what = "limit of one job, I/Os a second",
	 .read = word_read_rate_iops,
	 .show = word_show_rate_iops},
	{.name = "rate",
	 .dflt = "",
	 .what = "bytes a second of one job, open loop: latency counts from the intended start",
	 .read = word_read_rate,
	 .show = word_show_rate},
	{.name = "thinktime",
	 .dflt = "0",
	 .what = "wait of a job between a completion and the next issue",
	 TIME(thinktime, 0)},
	{.name = "thinktime_blocks",
	 .dflt = "1 with thinktime",
	 .what = "I/Os between two waits of thinktime",
	 COUNT32(thinktime_blocks, 1, UINT32_MAX)},
	{.name = "rwmixread",
	 .dflt = "50",
	 .what = "per cent of reads in rw and randrw",
	 COUNT32(rwmixread, 0, 100)},
	{.name = "norandommap",
	 .dflt = "false",
	 .what = "random offsets may repeat before the region is covered",
	 BOOL(norandommap)},
	{.name = "random_distribution",
	 .dflt = "random",
	 .what = "of random offsets: random zipf:THETA pareto:H normal:DEV zoned:SHARE/SIZE:...",
	 .read = word_read_distribution,
	 .show = word_show_distribution},
	{.name = "randrepeat",
	 .dflt = "true",
	 .what = "offsets seeded alike in every run",
	 BOOL(randrepeat)},
	{.name = "seed",
	 .dflt = "0",
	 .what = "seed of the offsets under randrepeat",
	 COUNT64(seed, 0, UINT64_MAX)},
	{.name = "refill_buffers",
	 .dflt = "true with dedupe_percentage or verify",
	 .what = "other data in every write; false fills the buffers once a run",
	 BOOL(refill_buffers)},
	{.name = "buffer_compress_percentage",
	 .dflt = "0",
	 .what = "per cent of zeros in every 512 bytes that are written",
	 COUNT32(buffer_compress_percentage, 0, 99)},
	{.name = "dedupe_percentage",
	 .dflt = "0",
	 .what = "per cent of the written blocks that repeat an earlier one",
	 COUNT32(dedupe_percentage, 0, 100)},
	{.name = "invalidate",
	 .dflt = "true",
	 .what = "drop the page cache of the region before each run",
	 BOOL(invalidate)},
	{.name = "drop_caches",
	 .dflt = "false",
	 .what = "drop the caches of the whole machine before each run; needs root",
	 BOOL(drop_caches)},
	{.name = "precondition",
	 .dflt = "",
	 .what = "what is done to the region before: {trim: true, fill: random, steady_state: {}}",
	 .read = word_read_precondition,
	 .show = word_show_precondition,
	 .map = true},
	{.name = "tunables",
	 .dflt = "",
	 .what = "settings of the kernel while it runs, put back after: {scheduler: none}",
	 .read = word_read_tunables,
	 .show = word_show_text,
	 AT(tunables),
	 .map = true},
	{.name = "verify",
	 .dflt = "",
	 .what = "crc32c: read back what a write workload wrote, behind the measured window",
	 .read = word_read_verify,
	 .show = word_show_text,
	 AT(verify)},
	{.name = "files",
	 .dflt = "shared",
	 .fio_differs = "per_job in a directory",
	 .what = "shared or per_job: one region for all jobs or one file a job",
	 .read = word_read_files,
	 .show = word_show_files},
	{.name = "hipri",
	 .dflt = "false",
	 .what = "poll for completions (io_uring, io_uring_cmd); the device must be able to",
	 BOOL(hipri)},
	{.name = "nowait",
	 .dflt = "false",
	 .what = "RWF_NOWAIT (pvsync2); what would block is done again without, and counted",
	 BOOL(nowait)},
	{.name = "fixedbufs",
	 .dflt = "false",
	 .what = "registered buffers (io_uring, io_uring_cmd)",
	 BOOL(fixedbufs)},
	{.name = "registerfiles",
	 .dflt = "false",
	 .what = "registered files (io_uring, io_uring_cmd)",
	 BOOL(registerfiles)},
	{.name = "sqthread_poll",
	 .dflt = "false",
	 .what = "a thread of the kernel submits (io_uring, io_uring_cmd)",
	 BOOL(sqthread_poll)},
	{.name = "stonewall",
	 .dflt = "true",
	 .fio_differs = "false",
	 .what = "wait for the workload before; false runs at the same time as that one",
	 BOOL(stonewall)},
	{.name = "sim",
	 .dflt = "",
	 .what = "script of the sim engine",
	 .read = word_read_sim,
	 .show = word_show_sim},
	{.name = "percentile_list",
	 .dflt = "",
	 .what = "percentiles shown besides those of the table: [50, 99.5], or 50:99.5",
	 .read = word_read_percentiles,
	 .show = word_show_text,
	 AT(percentile_list),
	 .list = true},
	{.name = "runs",
	 .dflt = "5",
	 .what = "runs a session, each in a fresh process",
	 COUNT32(runs, 1, MAX_RUNS)},
};
const unsigned word_count = sizeof(word_table) / sizeof(*word_table);
_Static_assert(sizeof(word_table) / sizeof(*word_table) <= WORD_COUNT_MAX,
	       "origins hold all words");

const struct word *word_find(const char *name)
{
	for (unsigned i = 0; i < word_count; i++)
		if (word_table[i].name[0] == name[0] && strcmp(word_table[i].name, name) == 0)
			return &word_table[i];
	return NULL;
}

unsigned word_index(const struct word *w)
{
	return (unsigned)(w - word_table);
}

const char *word_nearest(const char *name)
{
	const char *names[WORD_COUNT_MAX];

	for (unsigned i = 0; i < word_count; i++)
		names[i] = word_table[i].name;
	return str_nearest(name, names, word_count);
}

void words_default(struct job *j, struct arena *a)
{
	j->ioengine = j->ioengine_asked = arena_strdup(a, "psync");
	j->sim = j->bssplit = j->bsrange = j->random_distribution = j->cpus_allowed = j->verify =
		j->percentile_list = arena_strdup(a, "");
	j->cpus_allowed_policy = j->numa_cpu_nodes = j->numa_mem_policy = j->sim;
	j->precondition = j->tunables = j->sim;
	j->nrfiles = 1;
	j->bs = 4096;
	j->iodepth = j->numjobs = 1;
	j->iodepth_batch_submit = j->iodepth_batch_complete_min = 1;
	j->loops = 1;
	j->direct = true;
	j->rwmixread = 50;
	j->randrepeat = j->invalidate = j->stonewall = true;
	j->runs = 5;
}

uint64_t word_bytes(const struct word *w, const struct job *j)
{
	const void *at = (const char *)j + w->offset;

	return w->read == word_read_size32 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static void name_size(struct str *out, uint64_t bytes)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
	unsigned i = 0;

	for (; bytes && bytes % 1024 == 0 && i + 1 < sizeof(units) / sizeof(*units); i++)
		bytes /= 1024;
	str_addf(out, "%" PRIu64 "%s", bytes, units[i]);
}

void word_name_value(const struct word *w, const struct job *j, struct str *out)
{
	size_t from = out->len;

	/* the name says what was asked: what `auto` became may differ between targets */
	if (w->read == word_read_direct && j->direct_auto)
		str_add(out, "auto");
	else if (w->read == word_read_ioengine && j->ioengine_asked)
		str_add(out, j->ioengine_asked);
	else if (word_percent(w, j))
		str_addf(out, "%upc", word_percent(w, j));
	else if (w->read == word_read_numa_nodes && j->numa_device)
		str_add(out, "device");
	else if (w->read == word_read_time)
		word_add_time(out, *(const uint64_t *)(const void *)((const char *)j + w->offset),
			      "");
	else if (w->bytes)
		name_size(out, word_bytes(w, j));
	else
		w->show(w, j, out);
	for (size_t i = from; i < out->len; i++)
		if (!c_isalnum(out->s[i]) && !strchr("_+:=-", out->s[i]))
			out->s[i] = '_';
}
