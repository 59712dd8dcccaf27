/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/job: one workload on one target, fully resolved: no default is left to apply, only bytes,
 * nanoseconds, counts and a chosen engine. The runner reads nothing else.
 * Includes: base. Ownership: strings in the owner's (plan's or result's) arena.
 */
#ifndef BLKGATE_MODEL_JOB_H
#define BLKGATE_MODEL_JOB_H

#include "base/err.h"
#include "base/str.h"

enum job_rw {
	RW_READ,
	RW_WRITE,
	RW_RANDREAD,
	RW_RANDWRITE,
	RW_RW,
	RW_RANDRW,
	RW_TRIM,
	RW_RANDTRIM
};
enum job_sync {
	SYNC_NONE,
	SYNC_SYNC,
	SYNC_DSYNC
}; /* word `sync`: none, sync (O_SYNC), dsync (O_DSYNC) */
enum job_files { FILES_SHARED, FILES_PER_JOB };

/* ready: runs; skipped: not selected, `when` unmet, optional generator absent; error: cannot run
 * here (requirement unmet, target missing, size beyond the target ...) */
enum job_state { JOB_READY, JOB_SKIPPED, JOB_ERROR };

struct job {
	const char *name; /* workload name with matrix values: "rand-4k:rw=randread:iodepth=32" */
	const char *description; /* may be NULL */
	uint32_t target;         /* index into the plan's or result's targets */
	enum job_state state;
	const char *why; /* sentence when not ready */

	/* measured words: together the identity (job_canonical) */
	enum job_rw rw;
	const char *ioengine;       /* as resolved */
	const char *ioengine_asked; /* "auto" or the same; not identity */
	uint32_t bs;                /* bytes; the smallest where sizes are mixed */
	/* "4096/60:65536/40" (ascending), "4096-65536"; "" or NULL = every block is bs */
	const char *bssplit, *bsrange;
	uint32_t iodepth;
	uint32_t iodepth_batch_submit;       /* >= 1 */
	uint32_t iodepth_batch_complete_min; /* >= 1 */
	uint32_t iodepth_batch_complete_max; /* >= min */
	uint32_t numjobs;                    /* threads */
	uint64_t size, offset;               /* bytes; of the region each job works in */
	uint32_t nrfiles;                    /* files over which each job spreads `size`; 0 is 1 */
	uint64_t runtime;                    /* ns; 0 = none */
	uint64_t ramp_time;                  /* ns */
	uint64_t startdelay;                 /* ns of rest before the ramp */
	const char
		*cpus_allowed; /* "0-3,5", ascending; "" or NULL = wherever the process may run */
	const char *cpus_allowed_policy; /* "split": job i has the i-th of them; "" or NULL = shared
					  */
	/* memory nodes: "0-1,3", ascending, on whose processors it runs; "bind:0-1" and so on, for
	 * its buffers; "" or NULL = as the process was started */
	const char *numa_cpu_nodes, *numa_mem_policy;
	bool time_based;
	uint64_t loops; /* passes over the region when not time_based; >= 1 */
	bool direct;
	bool direct_auto; /* `direct: auto` was asked; not identity */
	enum job_sync sync;
	uint32_t fsync, fdatasync; /* after every N writes, 0 = never */
	bool end_fsync;
	double rate_iops; /* per job (thread), as fio's; 0 = none */
	double rate;      /* bytes/s of a job, open loop: latency counts from the intended start */
	uint64_t thinktime;        /* ns between the last completion and the next issue; 0 = none */
	uint32_t thinktime_blocks; /* I/Os between two of them; 0 without thinktime */
	uint32_t rwmixread;        /* per cent, for rw and randrw */
	bool norandommap;
	const char *random_distribution;     /* "zipf:1.2" and so on; "" or NULL = random */
	bool randrepeat;                     /* offsets seeded alike in every run */
	bool refill_buffers;                 /* other data in every write, not one set a thread */
	uint32_t buffer_compress_percentage; /* zeros in every 512 bytes */
	uint32_t dedupe_percentage;          /* of the blocks repeat an earlier one; refills then */
	bool invalidate;
	const char *verify; /* "crc32c": what was written is read back behind the run; "", NULL */
	enum job_files files;
	bool hipri;  /* completions are polled for */
	bool nowait; /* what would block is done again without, and counted */
	bool fixedbufs, registerfiles, sqthread_poll; /* of io_uring */
	const char *sim;                              /* script of the sim engine, "" otherwise */
	const char *beside; /* jobs that run at the same time (jobs_beside); "" or NULL = none */
	/* Texts of model/precondition.h; "" or NULL = nothing is done, the kernel is as it is. */
	const char *precondition, *tunables;
	bool drop_caches; /* the caches of the whole machine are dropped before each run */
	/* end of identity */

	const struct precondition *prepare; /* what the text says, by plan; NULL = nothing */
	uint32_t fill_of; /* the first job whose trim and fill are the same, of the same region */
	uint32_t size_percent; /* `size: 50%` of the target was asked, 0 = not; size is what came of
				  it */
	uint32_t offset_percent; /* likewise */
	bool numa_device;        /* `numa_cpu_nodes: device` was asked */
	const char *numa_cpus;   /* the processors of numa_cpu_nodes; "" or NULL without */
	/* "50:99:99.95" (ascending): what documents show besides and reports show first; "" or
	 * NULL = nothing is named */
	const char *percentile_list;
	uint32_t runs; /* runs a session */
	uint64_t seed; /* of the offsets when randrepeat; from the suite, not identity */
	bool canary, untouched;
	/* Name of the canary on the same target at whose level the gates are judged; NULL = none */
	const char *adjust_by;
	bool stonewall; /* false: runs at the same time as the workload before it */
	uint32_t group; /* jobs of one number run at the same time, from 1 to their count; 0 = alone
			 */
	bool total;     /* no I/O of its own: the sum of the other jobs of its group */
	uint32_t file_line; /* line of the workload in the suite, for messages; 0 = unknown */
};

const char *job_state_name(enum job_state s);              /* "ready" "skipped" "error" */
int job_state_find(const char *name, enum job_state *out); /* 0 or -1, as all _find here */
const char *job_files_name(enum job_files f);              /* "shared" "per_job" */
int job_files_find(const char *name, enum job_files *out);
const char *job_rw_name(enum job_rw rw);
int job_rw_find(const char *name, enum job_rw *out); /* 0 or -1 */
bool job_reads(const struct job *j);
/* Derived from the mode: does it change what is on the target? A trim does, and asks for the same
 * permission and claim; it writes no data, so where bytes, fsync or contents are meant ask
 * job_trims() too. */
bool job_writes(const struct job *j);
bool job_trims(const struct job *j);
bool job_random(const struct job *j);
uint32_t job_nrfiles(const struct job *j); /* of one job; >= 1 */
uint64_t job_files(const struct job *j);   /* of all jobs together */
/* Bytes of the region in each file: `size`, or its share in whole blocks. */
uint64_t job_file_size(const struct job *j);
bool job_verifies(const struct job *j);
/* What is read back can only be judged where each block is written once a pass, by one thread, and
 * has room for a header. The name of the first word that stands against it, NULL = none does. */
enum { VERIFY_BS_MIN = 64 };
const char *job_verify_obstacle(const struct job *j);

/* Block sizes of a job. n == 0: every multiple of smallest up to largest alike. */
enum { BS_MIX_MAX = 32, RANDOM_ZONES_MAX = 32 };
struct bs_mix {
	uint32_t smallest, largest, n, bs[BS_MIX_MAX], percent[BS_MIX_MAX];
};
bool job_bs_mixed(const struct job *j);
int job_bs_mix(const struct job *j, struct bs_mix *out); /* 0, or -1 when the text is not valid */
uint32_t job_bs_max(const struct job *j);
enum dist_kind { DIST_RANDOM, DIST_ZIPF, DIST_PARETO, DIST_NORMAL, DIST_ZONED };
struct random_zone {
	uint32_t share, size;
}; /* per cent of the I/Os, of the region */
struct random_dist {
	enum dist_kind kind;
	double theta; /* of zipf; h of pareto; standard deviation of normal in per cent of the
			 region */
	unsigned nzones;
	struct random_zone zone[RANDOM_ZONES_MAX];
};
int job_random_dist(const struct job *j, struct random_dist *out); /* as job_bs_mix */

/* One bit a processor. */
enum { CPUS_MAX = 4096 };
struct cpu_list {
	unsigned n;
	uint64_t bit[CPUS_MAX / 64];
};
int cpu_list_read(const char *text, struct cpu_list *out);    /* 0, or -1: not of the form 0-3,5 */
void cpu_list_add(const struct cpu_list *c, struct str *out); /* canonical */
bool cpu_list_has(const struct cpu_list *c, unsigned i);

/* What numa_mem_policy says. Nodes are a list of the same form. */
enum { NUMA_NODES_MAX = 1024 };
enum numa_kind { NUMA_DEFAULT, NUMA_BIND, NUMA_PREFER, NUMA_INTERLEAVE, NUMA_LOCAL };
struct numa_policy {
	enum numa_kind kind;
	struct cpu_list nodes; /* of bind, prefer (one) and interleave */
};
int numa_nodes_read(const char *text, struct cpu_list *out);        /* as cpu_list_read */
int numa_policy_read(const char *text, struct numa_policy *out);    /* likewise */
void numa_policy_add(const struct numa_policy *p, struct str *out); /* canonical; default is "" */

/* beside.c: the next job of the same group, round and round; itself when it is alone. malloc'ed. */
uint32_t *jobs_ring(const struct job *jobs, size_t n);
/*
 * What runs beside a job belongs to what is measured. Sets the word of every job of a group, from
 * the texts of the others, which hold no `beside` themselves: lines "COUNT RELATION TEXT", sorted
 * by text; relation is `same` or `other` target, or `part` of a total.
 */
struct arena;
void jobs_beside(struct job *jobs, size_t n, struct arena *a);
/* Jobs that were summed up: those behind a total, else 1. */
uint32_t job_parts(const struct job *j);
/* Differences of two such values, "" when equal. */
void beside_diff(const char *was, const char *is, struct str *out);

const char *job_sync_name(enum job_sync s);
int job_sync_find(const char *name, enum job_sync *out);
/* Sorted "word=value" pairs separated by one space: sizes in bytes, times in ns, booleans 0 or 1.
 * All words of the identity, `sim` only when it is not empty. Pure ASCII: in a text value, blank,
 * `%` and what is not printable ASCII are written %XX. A word added later is written only where it
 * differs from what was done before it existed, so that stored texts stay comparable. */
void job_canonical(const struct job *j, struct str *out);
/* Differences of two canonical texts as "iodepth 1 -> 32; bs 4096 -> 8192"; "" when equal. */
void job_canonical_diff(const char *old_text, const char *new_text, struct str *out);
/* The same I/O as a fio command line (shell quoted); target_path NULL writes TARGET. sim and null
 * have no counterpart but fio's null engine. */
void job_fio(const struct job *j, const char *target_path, struct str *out);
/* Another section of that command line: fio runs them at the same time. Reported apart from what
 * stands before it, or (together) as one with it. */
void job_fio_beside(const struct job *j, const char *target_path, bool together, struct str *out);
/* Fills j from a canonical text (strings into arena a); what is not identity becomes empty,
 * ioengine_asked the engine. Strict: every word once, in order, in canonical form; but a word of 0
 * or an empty engine is read, since a job that cannot run may have some. 0 or ERR_DATA. */
int job_from_canonical(const char *text, struct arena *a, struct job *j, struct err *e);

#endif
