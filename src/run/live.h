/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/live (private): what a worker and its supervisor share, and what a thread of a worker holds.
 *
 * struct live is one anonymous shared mapping a job, made before the fork, so that it stands at the
 * same address on both sides. Each thread writes only its own live_thread. The supervisor reads the
 * _Atomic fields at any time and everything else only after the worker is gone.
 */
#ifndef BLKGATE_RUN_LIVE_H
#define BLKGATE_RUN_LIVE_H

#include "engines/engine.h"
#include "run/contents.h"
#include "run/latlog.h"
#include "run/pace.h"
#include "run/pattern.h"
#include "run/run.h"
#include "run/verify.h"

#include <stdatomic.h>
#include <sys/types.h>

enum phase {
	PHASE_SETUP,
	PHASE_READY,
	PHASE_RAMP,
	PHASE_MEASURE,
	PHASE_DRAIN,
	PHASE_VERIFY,
	PHASE_END
};
/* task.sync_due: nothing to sync, but nothing may be in flight before the next I/O. */
#define SYNC_NOTHING IO_WRITE
const char *phase_name(unsigned phase);

struct live_dir {
	uint64_t ios, bytes; /* completed inside the window */
	uint64_t issued, shorts;
	struct hist slat, clat, lat; /* synchronous engines fill lat only: clat is the same */
};

struct live_thread {
	_Alignas(128) _Atomic uint64_t ios; /* all phases, for progress */
	_Atomic uint64_t bytes;
	_Atomic uint32_t phase;
	/* The last word of the thread, in its last statement. A thread may be killed alone (a
	 * seccomp filter does that): it can be joined like one that did its work, and only this
	 * tells them apart.
	 */
	_Atomic uint32_t ended;
	uint64_t window, ramp, stall;
	uint64_t late; /* ns, longest wait beyond its limit: the thread was not scheduled meanwhile
			*/
	uint64_t written;
	uint64_t unslotted; /* completions beyond the last slot */
	uint64_t retried;   /* by its engine: nowait */
	uint64_t verified;  /* bytes */
	uint64_t unissued;  /* bytes due in the window of an open loop that were never issued */
	char note[128];     /* of its engine */
	char place[192];    /* of its memory */
	char verify_note[128];
	struct outcome_slot *slots;
	struct live_dir dir[DIR_COUNT];
	struct hist sync;
};

/* What the device did up to the borders of the window (device.c). Negative: not read. */
struct device_marks {
	int64_t read[2], written[2];               /* bytes */
	struct outcome_device read_of, written_of; /* KNOWN: the marks are to tell; else why not */
	bool must_move;                            /* direct I/O: no cache can have taken it */
	bool counts;                               /* the device was not told to leave it */
};

struct live {
	size_t length; /* of the mapping */
	unsigned nthreads;
	uint64_t nslots;         /* a thread */
	uint64_t window_planned; /* ns, 0 = bound by size */
	bool verifies;           /* each thread reads back what it wrote */
	/* supervisor -> worker */
	_Atomic uint32_t stop;  /* end early, drain, say so */
	_Atomic uint64_t go_at; /* monotonic ns at which jobs run together begin; 0 = not yet */
	/* worker -> supervisor */
	_Atomic uint32_t phase;     /* of the worker as a whole: SETUP READY RAMP (= running) END */
	_Atomic uint64_t begun;     /* monotonic ns when the ramp began; 0 = still in set-up */
	_Atomic uint64_t window_at; /* monotonic ns when the first thread entered the window */
	_Atomic uint32_t final;     /* the last word: everything below is complete */
	_Atomic uint32_t early;     /* ended because of stop */
	/* the first error; text is complete when error_ready is set */
	_Atomic uint32_t error_taken, error_ready;
	enum outcome_status status;
	int sys;
	uint64_t error_offset, error_len;
	char text[512];
	/* CPU of the worker process at the borders of the window */
	_Atomic uint32_t cpu_begun, cpu_left;
	uint64_t cpu_usr[2], cpu_sys[2];
	struct device_marks device; /* taken with those of the CPU */
	bool sync_engine;
	bool open_loop; /* latency counts from the intended start */
	char note[256]; /* of the set-up, written before there are threads */
	struct live_thread thread[];
};

/* NULL when memory is short. */
struct live *live_new(unsigned nthreads, uint64_t nslots);
void live_free(struct live *l);
/* Records the first error of a job, later ones are its echo, and makes all threads end. */
void live_fail(struct live *l, enum outcome_status status, int sys, uint64_t offset, uint64_t len,
	       const char *fmt, ...) __attribute__((format(printf, 6, 7), cold));
static inline bool live_stopped(struct live *l)
{
	return atomic_load_explicit(&l->stop, memory_order_relaxed);
}
static inline bool live_failed(struct live *l)
{
	return atomic_load_explicit(&l->error_taken, memory_order_relaxed);
}
/* First thread without a last word, nthreads = none. */
unsigned live_unfinished(const struct live *l);
/* The sentence about such a thread. */
void live_lost_thread(const struct live *l, unsigned i, const char *what, const char *target,
		      char *text, size_t size);
/* Fills o from a finished worker's counters (status and sentence are the supervisor's). */
void live_gather(const struct live *l, struct outcome *o);

/* --inject slow at depth above 1: the state of one quantum (inject.c). */
struct quantum {
	uint64_t start, idle; /* ns; idle = waited for the pacer, which is stretched already */
	uint64_t issued, delivered;
	uint64_t debt;   /* ns by which the last hold came out too long */
	uint64_t length; /* I/Os; doubled whenever a drain took longer than its hold */
};

/* `submitted` of an I/O that was not taken by the engine yet. */
#define FRESH UINT64_MAX

enum task_end { END_NOT, END_TIME, END_SPENT, END_STOP, END_FAILED };

/* One thread of a worker. Everything is allocated before the ramp. */
struct task {
	struct engine_run eng;
	const struct job *job;
	const struct run_request *req;
	struct live *live;
	struct live_thread *t;
	struct latlog_part *log; /* NULL = no log */
	const struct engine *engine;
	unsigned index;
	int *fds; /* own open file descriptions, one a file; none for diskless engines */
	unsigned nfds;
	const struct device *device; /* what the marks read; of the worker */
	uint8_t *buffers;
	size_t buffer_len, buffers_len;

	/* clock and phases, in the engine's time */
	uint64_t now;         /* stamp of the last reaped batch or end of a wait */
	uint64_t pushed_at;   /* when the last submission began */
	uint64_t taken_at;    /* when the last submission returned; not of synchronous engines */
	uint64_t t0, ws, we;  /* begin; window [ws, we]; we = UINT64_MAX when bound by size only */
	uint64_t edge;        /* the next of them */
	uint64_t count_until; /* completions up to here are inside the window */
	uint64_t last;        /* last completion inside the window, ws before the first */
	uint64_t slot_end;
	uint64_t slot;
	struct outcome_slot *here; /* that slot; NULL = beyond the last one kept */
	enum phase phase;
	enum task_end end;
	bool is_virtual, is_sync, cancelled, stuck;
	bool refill; /* buffers of writes are filled anew, outside the stamps */
	bool steady; /* nothing comes between two I/Os: no pace, no sync words, one size */
	bool single; /* steady, synchronous and nothing injected */
	bool open;   /* rate: an I/O begins when it was due, not when it could be issued */

	/* what is issued next */
	struct pattern *pattern; /* one a file: that of io->fd */
	unsigned npatterns, turn;
	uint64_t passes; /* over each file of a run bound by size; 0 = as many as come */
	uint64_t region; /* bytes of the job's region in each file */
	struct pace pace;
	struct contents contents;
	struct verify verify;
	uint64_t left;       /* blocks still to issue of a run bound by size */
	uint64_t writes;     /* since the last sync word counted */
	enum io_op sync_due; /* IO_FSYNC, IO_FDATASYNC or SYNC_NOTHING when due, else IO_READ */
	unsigned depth, batch, complete_min, complete_max;
	struct io *ios;
	struct io **free, **pend, **done, **held;
	unsigned nfree, npend, nheld;

	/* --inject */
	bool injected, deep, holding;
	double stretch;     /* P / (1 - P) */
	uint64_t delivered; /* stamp of the last delivered completion */
	struct quantum q;
	struct rng luck;
};

/* buffer.c: buffers filled with seeded data, io structs and lists. 0 or ERR_MEASURE. */
int task_alloc(struct task *k, struct err *e);
void task_free(struct task *k);
void buffer_fill(void *p, size_t n, struct rng *r);

/* The engine's time; a real clock is read without a call between. */
static inline uint64_t task_clock(const struct task *k)
{
	return __builtin_expect(k->is_virtual, 0) ? engine_now(&k->eng) : clock_now();
}
/* Latest time to wait for: soon enough to look at the stop flag on a real clock. */
static inline uint64_t task_patience(const struct task *k, uint64_t when)
{
	uint64_t soon = k->now + (k->is_virtual ? 10 * NS_PER_SEC : 100 * NS_PER_MS);

	return when < soon ? when : soon;
}
/* place.c: before memory is touched, and when the buffers were. 0 or ERR_MEASURE. */
int task_place(const struct task *k, struct err *e);
int task_placed(struct task *k, struct err *e);

/* files.c: 0 or ERR_MEASURE. */
int task_reopen(struct task *k, struct err *e);
void task_patterns(struct task *k); /* makes them; task_close_files() frees them */
void task_rewind(struct task *k);   /* all from their begin */
/* Of several files: sets io->fd. */
struct pattern *task_next_file(struct task *k, struct io *io);
/* "'/dev/sda'", "file 3 of 8 in '/mnt'" */
const char *task_where(const struct task *k, const struct io *io, char *buf, size_t size);
void task_close_files(struct task *k);
/* worker.c: opens k->eng on k->fds with the words of the job. */
int task_engine(struct task *k, unsigned depth, void *buffers, size_t buffer_len, struct err *e);

/* phases.c: ramp, measure, drain. k->t0 is set. */
void task_run(struct task *k);
/* issue.c: makes the next I/O of this io. False: it may not be issued, the run has failed. */
bool task_prepare(struct task *k, struct io *io);
/* All that may be issued now; what is pending alone. */
void task_issue(struct task *k);
void task_push(struct task *k);
/* phases.c: the engine is broken; an I/O has failed. */
void task_broken(struct task *k);
void task_fail(struct task *k, const struct io *io, int sys);
/* Submits and reaps until nothing is pending or in flight. */
void task_quiesce(struct task *k);
/* complete.c: k->done[0..n) are finished transfers. Leaves in k->done, and returns how many, the
 * I/Os that are done as a whole. */
unsigned task_settle(struct task *k, unsigned n);
void task_deliver(struct task *k, struct io **v, unsigned n);
/* Both for one I/O. False: it is not done as a whole. */
bool task_complete(struct task *k, struct io *io);
/* k->here for k->now, which is behind k->slot_end. */
void task_next_slot(struct task *k);
/* latlog.c: to the log of the run; out of line, for the loop that calls it shall stay small. */
void task_log(struct task *k, unsigned what, uint64_t issued, uint64_t submitted, unsigned times)
	__attribute__((cold, noinline));
/* single.c: the loop of a synchronous engine while nothing but I/O happens. Wants k->single and the
 * one io free; returns at a border, and when something else has to happen. */
void task_single(struct task *k);
/* sync.c: an fsync or fdatasync of each file, with nothing in flight. */
void task_sync(struct task *k, enum io_op op);

/* device.c: the counters of the kernel that tell what reached the device. Opened by the worker
 * while its threads wait for their begin; read at both borders of the window, outside the I/O path.
 */
struct device {
	int io, stat; /* descriptors of /proc/self/io and of the device's stat; -1 = none */
};
void device_open(struct device *d, const struct job *j, const struct engine *g, int fd,
		 struct device_marks *m);
void device_close(struct device *d);
void device_mark(const struct device *d, struct device_marks *m, int border);
/* Is the window the first that the job does? Then the worker takes the first mark before its
 * threads begin, so that none of them works while another one takes it. */
static inline bool device_marks_early(const struct job *j)
{
	return !j->ramp_time && !j->startdelay;
}
/* What came of the marks, into o. */
void device_gather(const struct device_marks *m, struct outcome *o);
/* depth.c: says in o when the depth that was asked for was not reached and no pacer explains it, or
 * the pacer's rate_iops was not. */
void depth_note(const struct job *j, struct outcome *o);

/* inject.c */
void task_inject_init(struct task *k);
void task_inject(struct task *k, unsigned n); /* k->done[0..n) are done and not yet stamped */
bool task_quantum_over(const struct task *k);
void task_quantum_hold(struct task *k);
void task_quantum_start(struct task *k, uint64_t at);
void task_hold(struct task *k, uint64_t when);
/* Fails this I/O although it went well? */
static inline bool task_unlucky(struct task *k)
{
	return k->req->inject.error > 0 && rng_double(&k->luck) < k->req->inject.error;
}

#endif
