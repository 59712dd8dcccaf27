/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/fio_line: a job as a fio command line, for people who want to see the same I/O without
 * blkgate. Words are written even where they equal fio's default: a default of fio's may change.
 */
#include "base/clock.h"
#include "base/str.h"
#include "model/job.h"
#include <math.h>
#include <string.h>

static void add_word(struct str *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_word(struct str *out, const char *fmt, ...)
{
	struct str word;
	va_list ap;

	str_init(&word);
	va_start(ap, fmt);
	str_vaddf(&word, fmt, ap);
	va_end(ap);
	str_addc(out, ' ');
	str_add_shell(out, word.s);
	str_release(&word);
}

/* fio splits `filename` at ':' (by-path links are full of them) unless it is escaped. */
static void add_filename(const struct job *j, const char *path, struct str *out)
{
	struct str escaped;

	bool own = j->files == FILES_PER_JOB && j->numjobs > 1, several = job_nrfiles(j) > 1;

	/* with --filename fio counts the names in it, whatever nrfiles says */
	if (own || several) {
		add_word(out, "--filename_format=%s%s%s", path, own ? ".$jobnum" : "",
			 several ? ".$filenum" : "");
		if (several)
			add_word(out, "--nrfiles=%u", j->nrfiles);
		return;
	}
	str_init(&escaped);
	for (; *path; path++)
		str_addf(&escaped, "%s%c", *path == ':' ? "\\" : "", *path);
	add_word(out, "--filename=%s", escaped.s);
	str_release(&escaped);
}

/* Bare numbers are seconds; fio keeps microseconds, rounded up so that a time never becomes 0. */
static void add_time(struct str *out, const char *word, uint64_t ns)
{
	if (ns % NS_PER_SEC == 0)
		add_word(out, "--%s=%llu", word, (unsigned long long)(ns / NS_PER_SEC));
	else if (ns % NS_PER_MS == 0)
		add_word(out, "--%s=%llums", word, (unsigned long long)(ns / NS_PER_MS));
	else
		add_word(out, "--%s=%lluus", word,
			 (unsigned long long)(ns / NS_PER_US + (ns % NS_PER_US != 0)));
}

/* fio trims block devices only, but for an engine of its own that punches holes into files. */
static const char *fio_engine(const struct job *j, const char *path)
{
	if (job_trims(j) && path && !str_starts(path, "/dev/") && !str_eq(j->ioengine, "null") &&
	    !str_eq(j->ioengine, "sim"))
		return "falloc";
	return str_eq(j->ioengine, "sim") ? "null" : j->ioengine;
}

static void add_queue(const struct job *j, const char *path, struct str *out)
{
	if (j->ioengine && *j->ioengine)
		add_word(out, "--ioengine=%s", fio_engine(j, path));
	add_word(out, "--iodepth=%u", j->iodepth);
	if (j->iodepth > 1) {
		add_word(out, "--iodepth_batch_submit=%u", j->iodepth_batch_submit);
		add_word(out, "--iodepth_batch_complete_min=%u", j->iodepth_batch_complete_min);
		add_word(out, "--iodepth_batch_complete_max=%u", j->iodepth_batch_complete_max);
	}
	add_word(out, "--direct=%d", j->direct);
	add_word(out, "--numjobs=%u", j->numjobs);
	str_add(out, " --thread --group_reporting");
}

/* fio's engine options: they stand behind the engine. */
static void add_engine_words(const struct job *j, struct str *out)
{
	/* the kind of command that fio's engine speaks too */
	if (j->ioengine && strcmp(j->ioengine, "io_uring_cmd") == 0)
		str_add(out, " --cmd_type=nvme");
	if (j->hipri)
		str_add(out, " --hipri");
	if (j->nowait)
		str_add(out, " --nowait=1");
	if (j->fixedbufs)
		str_add(out, " --fixedbufs");
	if (j->registerfiles)
		str_add(out, " --registerfiles");
	if (j->sqthread_poll)
		str_add(out, " --sqthread_poll");
}

static void add_length(const struct job *j, struct str *out)
{
	add_word(out, "--size=%llu", (unsigned long long)j->size);
	add_word(out, "--offset=%llu", (unsigned long long)j->offset);
	if (j->runtime)
		add_time(out, "runtime", j->runtime);
	if (j->time_based)
		str_add(out, " --time_based");
	else
		add_word(out, "--loops=%llu", (unsigned long long)j->loops);
	if (j->ramp_time)
		add_time(out, "ramp_time", j->ramp_time);
}

static void add_pattern(const struct job *j, struct str *out)
{
	if (j->rw == RW_RW || j->rw == RW_RANDRW)
		add_word(out, "--rwmixread=%u", j->rwmixread);
	if (!job_random(j))
		return;
	if (j->norandommap)
		str_add(out, " --norandommap");
	if (j->random_distribution && *j->random_distribution)
		add_word(out, "--random_distribution=%s", j->random_distribution);
	add_word(out, "--randrepeat=%d", j->randrepeat);
	/* fio reads the seed as a signed number */
	if (j->randrepeat)
		add_word(out, "--randseed=%llu", (unsigned long long)(j->seed & INT64_MAX));
}

static void add_syncs(const struct job *j, struct str *out)
{
	if (j->sync != SYNC_NONE)
		add_word(out, "--sync=%s", job_sync_name(j->sync));
	if (j->fsync)
		add_word(out, "--fsync=%u", j->fsync);
	if (j->fdatasync)
		add_word(out, "--fdatasync=%u", j->fdatasync);
	if (j->end_fsync)
		str_add(out, " --end_fsync=1");
}

static void add_section(const struct job *j, const char *target_path, struct str *out)
{
	add_word(out, "--name=%s", j->name ? j->name : "job");
	add_filename(j, target_path ? target_path : "TARGET", out);
	add_word(out, "--rw=%s", job_rw_name(j->rw));
	if (j->bssplit && *j->bssplit)
		add_word(out, "--bssplit=%s", j->bssplit);
	else if (j->bsrange && *j->bsrange)
		add_word(out, "--bsrange=%s", j->bsrange);
	else
		add_word(out, "--bs=%u", j->bs);
	add_queue(j, target_path, out);
	add_engine_words(j, out);
	add_length(j, out);
	add_pattern(j, out);
	add_syncs(j, out);
	if (j->percentile_list && *j->percentile_list)
		add_word(out, "--percentile_list=%s", j->percentile_list);
	add_word(out, "--invalidate=%d", j->invalidate);
	if (j->startdelay)
		add_time(out, "startdelay", j->startdelay);
	if (j->cpus_allowed && *j->cpus_allowed)
		add_word(out, "--cpus_allowed=%s", j->cpus_allowed);
	if (j->cpus_allowed_policy && *j->cpus_allowed_policy)
		add_word(out, "--cpus_allowed_policy=%s", j->cpus_allowed_policy);
	if (j->numa_cpu_nodes && *j->numa_cpu_nodes)
		add_word(out, "--numa_cpu_nodes=%s", j->numa_cpu_nodes);
	if (j->numa_mem_policy && *j->numa_mem_policy)
		add_word(out, "--numa_mem_policy=%s", j->numa_mem_policy);
	if (j->refill_buffers)
		str_add(out, " --refill_buffers");
	if (j->buffer_compress_percentage)
		add_word(out, "--buffer_compress_percentage=%u", j->buffer_compress_percentage);
	if (job_verifies(j))
		add_word(out, "--verify=%s", j->verify);
	if (j->dedupe_percentage)
		add_word(out, "--dedupe_percentage=%u", j->dedupe_percentage);
	/* fio paces alike, but counts latency from the issue and not from the intended start */
	if (j->rate > 0)
		add_word(out, "--rate=%.0f", fmax(1.0, rint(j->rate)));
	if (j->thinktime) {
		add_word(out, "--thinktime=%lluus",
			 (unsigned long long)((j->thinktime + NS_PER_US - 1) / NS_PER_US));
		add_word(out, "--thinktime_blocks=%u", j->thinktime_blocks);
	}
	/* fio's is a whole number; a rate below one would read as "no limit" */
	if (j->rate_iops > 0)
		add_word(out, "--rate_iops=%.0f", fmax(1.0, rint(j->rate_iops)));
}

void job_fio(const struct job *j, const char *target_path, struct str *out)
{
	str_add(out, "fio");
	add_section(j, target_path, out);
}

void job_fio_beside(const struct job *j, const char *target_path, bool together, struct str *out)
{
	add_section(j, target_path, out);
	/* group_reporting would else add its figures to those of the section before it */
	if (!together)
		str_add(out, " --new_group");
}
