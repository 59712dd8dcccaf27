/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/err: the one currency for failure.
 *
 * A function that can fail returns 0 (or a count) on success and one of the negative codes below on
 * failure, and then has filled the caller's struct err. Success leaves the struct untouched, so
 * calls chain. Only src/cmd prints an err and picks the exit status. Never errno across a function
 * boundary: err_sys() captures it at once.
 *
 * Includes: libc only. Ownership: plain struct, caller owned, nothing to release.
 * Threads: an err belongs to one thread.
 */
#ifndef BLKGATE_BASE_ERR_H
#define BLKGATE_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum err_code {
	ERR_NONE = 0,
	ERR_USAGE = -1,   /* the command line is wrong: status 2 */
	ERR_SUITE = -2,   /* the suite is wrong: status 2 */
	ERR_TARGET = -3,  /* target missing, wrong kind, in use, not permitted: status 4 */
	ERR_MEASURE = -4, /* the measurement could not be made: status 4 */
	ERR_DATA = -5,    /* a stored file is damaged or of another version: status 4 */
	ERR_OUTPUT = -6,  /* a document could not be written: status 4 */
	ERR_REFUSED = -7, /* refused on purpose (accept of an injected result): status 2 */
	ERR_BUSY = -8,    /* another run holds the lock: status 4 */
	ERR_SYS = -9,     /* any other system call: status 4 */
	ERR_NOBASE = -10, /* no baseline of that name: status 5 */
	ERR_INTR = -11,   /* stopped by a signal: status 130 */
};

struct err {
	int code;        /* enum err_code */
	int sys;         /* errno behind it, or 0 */
	char text[640];  /* what failed, the subject in quotes, the cause; no final stop */
	char hint[384];  /* the remedy, or "" */
	char file[256];  /* where it was written (a suite), or "" */
	unsigned line;   /* from 1; 0 = none */
	unsigned column; /* from 1, bytes; 0 = none */
};

#define ERR_INIT ((struct err){0})

/* Fills e and returns code, so that `return err_set(e, ERR_X, "...")` works. Clears hint, place. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What an errno (of either sign) means, for a sentence; never NULL: the kernel also has numbers
 * that no user of it is meant to see (512, 524) and that drivers hand out all the same. buf of n
 * bytes, 32 are enough, is written only for those. */
const char *err_text(int sys, char *buf, size_t n);
/* As err_set with ": err_text(sys)" appended and e->sys = sys (a positive errno). */
int err_sys(struct err *e, enum err_code code, int sys, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds the remedy; returns e->code. */
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds the place; returns e->code. column counts bytes from 1. */
int err_at(struct err *e, const char *file, unsigned line, unsigned column);
/* Puts "what: " before the text; returns e->code. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
