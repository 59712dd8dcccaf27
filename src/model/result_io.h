/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/result_io: private to this room. The parts of the document that the result and the journal
 * have in common. Writers add one value (key NULL: an array element); readers fill r's fields,
 * strings into r's arena.
 */
#ifndef BLKGATE_MODEL_RESULT_IO_H
#define BLKGATE_MODEL_RESULT_IO_H

#include "json/json.h"
#include "model/result.h"

struct reader;

/* A flag that is not set is left out. */
static inline void write_flag(struct jw *w, const char *key, bool on)
{
	if (on)
		jw_bool(w, key, true);
}
/* Everything but sessions, runs and verdicts: members of an open object. */
void doc_write_head(const struct result *r, struct jw *w);
void doc_write_sessions(const struct result *r, struct jw *w);
void doc_write_session(const struct session *s, const char *key, struct jw *w);
/* Members "status", "baseline_digest", "verdicts". */
void doc_write_verdicts(const struct result *r, struct jw *w);
void doc_write_run(const struct result *r, const struct run *run, const char *key, struct jw *w);
/* Member "preparations", left out when there are none; one of them. And back. */
void doc_write_preparations(const struct result *r, struct jw *w);
void doc_write_preparation(const struct preparation *p, const char *key, struct jw *w);
int doc_read_preparations(const struct reader *rd, const struct json *root);
int doc_read_preparation(const struct reader *rd, const struct json *o);
/* Member "attempts", left out when there are none; and back. */
void doc_write_attempts(const struct result *r, struct jw *w);
int doc_read_attempts(const struct reader *rd, const struct json *root);
/* Sessions in the order of the attempts, each of one of them, none of more sessions than looks. */
int doc_check_attempts(const struct reader *rd);
void doc_write_texts(struct jw *w, const char *key, const char *const *v, size_t n);
/* Members "setup_error", "setup_status" (absent without error), "partial", "interrupted", "ended".
 */
void doc_write_closing(const struct result *r, struct jw *w);
void doc_write_seed(struct jw *w, const char *key, uint64_t seed);
void doc_write_interleave(const struct interleave *i, struct jw *w);

struct reader {
	struct result *r;
	const char *name; /* of the document, for messages */
	struct err *e;
};

/* ERR_DATA "'name': path.key: text"; key may be NULL. */
int doc_bad(const struct reader *rd, const struct json *o, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Whole number up to max. */
int doc_u32(const struct reader *rd, const struct json *o, const char *key, uint32_t max,
	    uint32_t *out);
/* The same, untouched when absent. */
int doc_opt_u32(const struct reader *rd, const struct json *o, const char *key, uint32_t max,
		uint32_t *out);
/* Text into the arena: required and not empty; or NULL when absent. */
int doc_text(const struct reader *rd, const struct json *o, const char *key, const char **out);
int doc_opt_text(const struct reader *rd, const struct json *o, const char *key, const char **out);
/* A 64-bit number written as a decimal text: JSON numbers end at 2^53 for many readers. */
int doc_seed(const struct reader *rd, const struct json *o, const char *key, uint64_t *out);
int doc_object(const struct reader *rd, const struct json *o, const char *key, struct json *out);
int doc_array(const struct reader *rd, const struct json *o, const char *key, struct json *out);
int doc_facts(const struct reader *rd, const struct json *o, const char *key, struct facts *f);
/* Array of texts appended to the vector. */
struct text_vec {
	const char **v;
	size_t n, cap;
};
int doc_texts(const struct reader *rd, const struct json *o, const char *key, struct text_vec *out);

/* A word of an enum, by its _find function. */
#define DOC_WORD(rd, o, key, find, out)                                                            \
	({                                                                                         \
		const char *word_ = NULL;                                                          \
		int rc_ = json_get_str(o, key, &word_, (rd)->e);                                   \
                                                                                                   \
		if (rc_ == 0 && find(word_, out))                                                  \
			rc_ = doc_bad(rd, o, key, "unknown word '%.40s'", word_);                  \
		rc_;                                                                               \
	})

/* Targets, jobs and checks, with their indexes and names checked against each other. */
int doc_read_plan(const struct reader *rd, const struct json *root);
/* Groups and totals of the jobs against what their texts say ran at the same time. */
int doc_check_groups(const struct reader *rd, const struct json *jobs);
/* The runs of a total from those of its parts, whatever stood there. */
void doc_make_totals(struct result *r);
int doc_read_session(const struct reader *rd, const struct json *o, struct session *s);
int doc_read_head(const struct reader *rd, const struct json *root);
int doc_read_closing(const struct reader *rd, const struct json *o);
/* What stands behind the targets; none is nothing. */
int doc_read_interleave(const struct reader *rd, const struct json *root);
/* Pair and arm of a run whose job is known. */
int doc_read_turn(const struct reader *rd, const struct json *o, struct run *run);
/* The same of a run that only began: it is lost, and only named. */
void doc_guess_turn(const struct result *r, struct run *run);
/* Member "watched" of a run, left out when nobody looked; and back. */
void doc_write_watched(struct jw *w, const struct watched *x);
int doc_read_watched(const struct reader *rd, const struct json *o, struct run *run);
/* Appends one run; its job and session must exist. */
int doc_read_run(const struct reader *rd, const struct json *o);
/* A session or a (job, session, run) that stands twice would be evidence counted twice; more
 * sessions than sessions_max were never planned. */
int doc_check_runs(const struct reader *rd);
/* Version member: 0 when it is the one we read. */
int doc_check_version(const struct reader *rd, const struct json *root, const char *member);

bool doc_is_journal(const char *text, size_t n);
int doc_parse_journal(const struct reader *rd, const char *text, size_t n);

#endif
