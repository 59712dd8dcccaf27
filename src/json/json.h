/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json: the one door to jansson: strict getters with a path, a stable writer.
 *
 * Includes: base. Ownership: a document owns its tree; `struct json` handles are borrowed from it
 * and die with json_doc_free. Errors (ERR_DATA) name the document and the path, e.g.
 * 'result.json': runs[3].read.ios: expected a whole number.
 * Unknown members are ignored, versions are checked by the caller. Duplicate keys are refused.
 * Whole numbers: jansson holds int64 only, so jw_u64 writes a value above INT64_MAX as a string of
 * digits, and json_get_u64 reads such a string (and no other) as that number.
 * Threads: a document belongs to one thread, also for reading (iteration keeps a cursor).
 */
#ifndef BLKGATE_JSON_JSON_H
#define BLKGATE_JSON_JSON_H

#include "base/err.h"
#include "base/str.h"

struct json_doc;

/* A node and where it is, for messages. Plain value, copy freely. node == NULL: absent. */
struct json {
	const void *node;
	const struct json_doc *doc;
	const struct json *up; /* borrowed, may be NULL */
	const char *key;       /* member name, or NULL for an element */
	size_t index;
};

/* name is used in messages (a file name). *out is NULL on failure. Refuses trailing bytes, depth
 * over 64 and invalid UTF-8. */
int json_parse(const char *text, size_t n, const char *name, struct json_doc **out, struct err *e);
void json_doc_free(struct json_doc *d);
struct json json_root(const struct json_doc *d);

/* Navigation. `up` must outlive the child when messages are wanted (both are usually locals). */
struct json json_member(const struct json *o, const char *key); /* node NULL when absent or null */
struct json json_element(const struct json *a, size_t i);
size_t json_length(const struct json *a); /* array; 0 for others */
bool json_present(const struct json *j);
/* Iterates the members of an object in the file's order: i from 0; false at the end. */
bool json_object_at(const struct json *o, size_t i, struct json *member);

/* Appends where j stands, or its member (may be NULL): runs[3].read.ios; a key with other
 * characters is quoted: values["read.iops"]; the document itself is "". The path of every message.
 */
void json_path(const struct json *j, const char *member, struct str *out);

/* Kind checks: 0 or ERR_DATA with the path. */
int json_need_object(const struct json *j, struct err *e);
int json_need_array(const struct json *j, struct err *e);

/* Strict getters of a member; absent = ERR_DATA. Strings are borrowed from the document. */
int json_get_str(const struct json *o, const char *key, const char **out, struct err *e);
int json_get_u64(const struct json *o, const char *key, uint64_t *out, struct err *e);
int json_get_i64(const struct json *o, const char *key, int64_t *out, struct err *e);
int json_get_double(const struct json *o, const char *key, double *out,
		    struct err *e); /* int or real, finite */
int json_get_bool(const struct json *o, const char *key, bool *out, struct err *e);
/* Optional forms: absent or null gives dflt, wrong kind is still ERR_DATA. */
int json_opt_str(const struct json *o, const char *key, const char *dflt, const char **out,
		 struct err *e);
int json_opt_double(const struct json *o, const char *key, double dflt, double *out, struct err *e);
int json_opt_bool(const struct json *o, const char *key, bool dflt, bool *out, struct err *e);
/* Value of the node itself. */
int json_as_str(const struct json *j, const char **out, struct err *e);
int json_as_double(const struct json *j, double *out, struct err *e);
int json_as_u64(const struct json *j, uint64_t *out, struct err *e);

/*
 * Writer: builds the text directly in the order of the calls; stable (same calls, same bytes),
 * locale-free, strings sanitised with str_add_clean, NaN and infinity written as null. Pretty
 * printed with one member a line; a container opened with `flat` stays on one line.
 * jw_* calls with key NULL add an array element. Unbalanced use aborts (a bug).
 */
struct jw {
	struct str out;
	unsigned depth;
	unsigned flat_from; /* depth from which all is on one line, 0 = none */
	bool first;
	uint64_t objects; /* bit d: the container that was opened at depth d is an object */
};

void jw_init(struct jw *w);
void jw_release(struct jw *w);
void jw_object(struct jw *w, const char *key);
void jw_object_flat(struct jw *w, const char *key);
void jw_array(struct jw *w, const char *key);
void jw_array_flat(struct jw *w, const char *key);
void jw_end_object(struct jw *w);
void jw_end_array(struct jw *w);
void jw_str(struct jw *w, const char *key, const char *value); /* NULL value = null */
void jw_u64(struct jw *w, const char *key, uint64_t value);
void jw_i64(struct jw *w, const char *key, int64_t value);
void jw_double(struct jw *w, const char *key,
	       double value); /* shortest text that reads back equal */
void jw_bool(struct jw *w, const char *key, bool value);
void jw_null(struct jw *w, const char *key);
/* The finished document with a final newline (one-line when the outermost container is flat). */
const char *jw_finish(struct jw *w);

#endif
