/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/baseline_file: the written form of one accepted session and how a session becomes one.
 * Private to the room.
 */
#ifndef BLKGATE_GATE_BASELINE_FILE_H
#define BLKGATE_GATE_BASELINE_FILE_H

#include "gate/baseline.h"
#include "json/json.h"

/* A name that can be one component of a path and nothing else: [A-Za-z0-9_+:=.-], not starting with
 * a dot, at most 100 bytes. ERR_USAGE naming `what`. */
int baseline_name_check(const char *name, const char *what, struct err *e);

/* Stored text as part of a line for a terminal: no control character, line ends and tabs included.
 * The first n bytes; SIZE_MAX = all. */
void baseline_add_text(struct str *out, const char *text, size_t n);
/* "TARGET WORKLOAD gate METRIC", as retiring takes it. */
void baseline_add_gate(struct str *out, const char *target, const char *job, const char *metric);

/* May sessions of this result be what others are compared with? ERR_REFUSED: injected, interrupted,
 * partial or not set up. */
int baseline_source_check(const struct result *r, struct err *e);
/* Jobs of session `session` of the result that are whole and good there; texts into a. out->path is
 * NULL, epoch 1. Release with baseline_session_release. */
void baseline_session_from(const struct result *r, uint32_t session, struct arena *a,
			   struct base_session *out);
void baseline_session_release(struct base_session *s);
/* Runs of a session sorted by job and number; free() *out. */
size_t baseline_session_runs(const struct result *r, uint32_t session, const struct run ***out);
/* The next job from *first on whose runs are whole and good: moves *first there, returns how many
 * runs; 0 at the end. */
size_t baseline_session_job(const struct result *r, const struct run *const *v, size_t n,
			    size_t *first);
/* The document. r gives suite, profile and the words of the jobs (session `session` of it). */
void baseline_session_write(const struct base_session *s, const struct result *r, uint32_t session,
			    struct jw *w);
/* Reads a session file or a retirement record into *s (zeroed by the caller; released by the caller
 * also on failure). suite and profile must be those inside. ERR_DATA. */
int baseline_session_read(const struct json *root, const char *suite, const char *profile,
			  struct arena *a, struct base_session *s, struct err *e);
/* Lines of accept: regressions and incomparable gates that enter the epoch; gates of a session
 * without a value in each run. */
void baseline_warn_level(const struct result *r, struct str *text);
void baseline_warn_values(const struct base_session *s, struct str *text);
/* Did the job (NULL = none) have this gate when its session was accepted? */
bool baseline_gated(const struct base_job *j, const char *metric);
/* Sorts by start, then id; sets the epoch; refuses two sessions of one id. */
int baseline_arrange(struct baseline *b, struct err *e);

#endif
