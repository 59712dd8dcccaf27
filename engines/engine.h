/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/engine.h: the contract between the runner and one way of doing I/O.
 *
 * An engine knows descriptors, buffers and a depth; it never sees a path, a suite or a plan, and
 * does no pacing, no offsets, no accounting: that is the runner's, once.
 * Includes: base/err.h, base/clock.h and system headers only.
 * Ownership: the runner owns struct io, buffers and descriptors and keeps them until each submitted
 * io came back through reap (cancelled or not). Threads: a context belongs to the thread that
 * opened it. Units: bytes, ns. Errors of one I/O are in io->res (negative errno), never in a return
 * value.
 */
#ifndef BLKGATE_ENGINES_ENGINE_H
#define BLKGATE_ENGINES_ENGINE_H

#include "base/clock.h"
#include "base/err.h"

#define ENGINE_API 1

/* In this order: what has bytes comes before the syncs. */
enum io_op { IO_READ, IO_WRITE, IO_TRIM, IO_FSYNC, IO_FDATASYNC };

/* capability bits */
enum {
	ENGINE_OP_READ = 1u << IO_READ,
	ENGINE_OP_WRITE = 1u << IO_WRITE,
	ENGINE_OP_TRIM = 1u << IO_TRIM,
	ENGINE_OP_FSYNC = 1u << IO_FSYNC,
	ENGINE_OP_FDATASYNC = 1u << IO_FDATASYNC,
	ENGINE_SYNC = 1u << 16, /* submit completes the I/O; depth above 1 has no effect, no slat */
	ENGINE_DISKLESS = 1u << 17, /* needs no target (null, sim): fds is empty */
	ENGINE_VIRTUAL = 1u << 18,  /* supplies the clock: now and sleep_until are set */
	ENGINE_MAPPED =
		1u << 19, /* through a mapping: no O_DIRECT, and a write cannot grow a file */
	ENGINE_SERIAL = 1u << 20, /* takes depth, but does the I/Os of one descriptor one by one */
	ENGINE_PASSTHROUGH = 1u << 23, /* commands to a drive through its character node: nothing
					  is cached, and O_DIRECT is no flag of that node */
	/* what engine_config may ask of it */
	ENGINE_HIPRI = 1u << 24,
	ENGINE_NOWAIT = 1u << 25,
	ENGINE_FIXEDBUFS = 1u << 26,
	ENGINE_REGISTERFILES = 1u << 27,
	ENGINE_SQPOLL = 1u << 28,
};

/* One cache line, where the runner keeps them: after a system call few are still in the first
 * cache. */
struct io {
	enum io_op op;
	uint32_t
		index; /* 0 .. depth-1, constant of this struct io: an engine may key state by it */
	uint32_t fd;   /* index into config.fds */
	uint32_t len;
	void *buf;
	uint64_t offset;
	int64_t res; /* set by the engine: bytes done (of a trim: len), or negative errno */
	/* the runner's own; an engine does not touch what follows */
	uint64_t issued, submitted; /* stamps */
	uint32_t done;              /* bytes of earlier parts of a short transfer */
	uint8_t dir, phase;
};

struct engine_config {
	const int *fds;
	unsigned nfds;
	unsigned depth; /* struct io in use at most */
	void *buffers;  /* one area, depth x buffer_len, page aligned; io->buf points into it */
	size_t buffer_len;
	bool direct;
	/* Words of a job that the engine has a capability bit for; without the bit engine_open()
	 * refuses. Set means in force: what the kernel does not grant fails open, or each I/O. */
	bool hipri;  /* completions are polled for */
	bool nowait; /* an I/O that would block is done again without, and counted */
	bool fixedbufs, registerfiles, sqthread_poll;
	uint64_t seed;      /* sim: of the run */
	const char *script; /* sim */
};

struct engine {
	unsigned api;     /* ENGINE_API, or the table refuses it */
	const char *name; /* fio's name */
	const char *what; /* one line for `version --engines` */
	uint32_t caps;
	uint32_t depth_max; /* 0 = none of its own */
	/* Usable here? 0, or ERR_MEASURE with the sentence why not. Called in a forked child:
	 * seccomp may kill it. */
	int (*probe)(struct err *e);
	/* In the job's own thread. *ctx is NULL on failure. */
	int (*open)(void **ctx, const struct engine_config *c, struct err *e);
	/* Takes 0..n of them in order; 0 = full, reap first; negative errno = the engine is broken.
	 * A taken io always comes back through reap. */
	int (*submit)(void *ctx, struct io **ios, unsigned n);
	/* Completed ios into done[]. Waits until `min` are there or the clock passes `until`
	 * (0 = do not wait; min 0 = do not wait). Returns how many (may be fewer than min at the
	 * deadline or on a signal: the runner looks at its stop flag and calls again), or negative
	 * errno. */
	int (*reap)(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until);
	/* Best effort: asks that the io ends early. It still comes back through reap. May be NULL.
	 */
	void (*cancel)(void *ctx, struct io *io);
	void (*close)(void *ctx);
	/* Both NULL, or both set (ENGINE_VIRTUAL): the clock of this context, ns. */
	uint64_t (*now)(void *ctx);
	void (*sleep_until)(void *ctx, uint64_t ns);
	/* What open chose where the kernel offers several ways, for the notes of a run: a text that
	 * stays until close. May be NULL. */
	const char *(*about)(void *ctx);
	/* I/Os that were done again another way (nowait), as asked for by the word. May be NULL. */
	uint64_t (*retried)(void *ctx);
	/* What is known about a failed io beyond its errno (NVMe status), "" = nothing; stays until
	 * the next call, and asked before the io is submitted again. May be NULL. */
	const char *(*why)(void *ctx, const struct io *io);
};

/* table.c: the explicit array. */
extern const struct engine *const engine_table[];
extern const unsigned engine_count;
const struct engine *engine_find(const char *name); /* NULL = unknown */
/* Refuses a table entry of another API, without a required hook or with inconsistent capability
 * bits. 0 or ERR_MEASURE. Called once at start. */
int engine_check_table(struct err *e);
/* The same for one entry; engine_open() asks it too. */
int engine_check(const struct engine *g, struct err *e);
/* Runs g->probe in a forked child with a time limit (5 s); a killed child is a "no" that names the
 * signal. 0 or ERR_MEASURE. From the single-threaded main only. */
int engine_probe(const struct engine *g, struct err *e);
int engine_probe_within(const struct engine *g, uint64_t limit_ns, struct err *e);

/*
 * Wrapped handle: the runner calls hooks only through these. They check the state (never submit
 * after close, at most depth outstanding, an io is not submitted twice, only operations of the
 * capability bits, reap returns only what was submitted and never more bytes than asked) and count.
 * A breach is ERR_MEASURE "engine broke its contract"; the first one stays in `broken`, submit then
 * refuses, reap still hands back what comes. A batch with a breach in it is not handed back at all:
 * its ios stay in flight. engine_submit: 0..n taken, or ERR_MEASURE. engine_reap: count, or
 * ERR_MEASURE; min is limited to what is in flight, so that waiting for nothing ends at once.
 * engine_close with I/O in flight leaves the context to the end of the process: the kernel may
 * still write into the buffers, and the tear-down would wait for it.
 */
struct engine_run {
	const struct engine *engine;
	void *ctx;
	unsigned depth, nfds, inflight;
	uint32_t fd_limit; /* nfds, or none for a diskless engine */
	uint64_t submitted, reaped, full;
	unsigned char *out; /* one flag an io index */
	struct err broken;  /* set when submit or reap returned negative */
};
int engine_open(struct engine_run *r, const struct engine *g, const struct engine_config *c,
		struct err *e);
int engine_submit(struct engine_run *r, struct io **ios, unsigned n);
int engine_reap(struct engine_run *r, struct io **done, unsigned min, unsigned max, uint64_t until);
/* engine_submit and engine_reap of one I/O, for ENGINE_SYNC: 1 = done; else the state is as these
 * two left it (in flight or not, broken or not). */
int engine_once(struct engine_run *r, struct io *io);
void engine_cancel(struct engine_run *r, struct io *io);
void engine_close(struct engine_run *r);
uint64_t engine_now(const struct engine_run *r);
void engine_sleep_until(struct engine_run *r, uint64_t ns);
const char *engine_about(const struct engine_run *r); /* "" = nothing to say */
uint64_t engine_retried(const struct engine_run *r);
const char *engine_why(const struct engine_run *r, const struct io *io); /* "" = nothing */
/* The capability bits that a config asks for. */
uint32_t engine_wants(const struct engine_config *c);
/* Name of the word behind one of those bits ("hipri"), NULL = no such bit. */
const char *engine_word(uint32_t cap);
/* Opens the engine with this config (but depth 1 and a buffer of its own) and does one read of len
 * bytes, within 5 s. 0, or ERR_MEASURE with the sentence. In the calling thread. */
int engine_trial(const struct engine *g, const struct engine_config *config, uint32_t len,
		 uint64_t offset, struct err *e);

#endif
