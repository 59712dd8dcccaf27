/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/str: a growable byte string, locale-free characters, UTF-8 and the one sanitiser.
 *
 * Includes: libc only; knows no other room. Ownership: str_init/str_release, s.s is always a valid
 * NUL-terminated string after init. Allocation failure aborts with a message on stderr: a harness
 * of this size that is out of memory cannot say anything useful any more.
 */
#ifndef BLKGATE_BASE_STR_H
#define BLKGATE_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	char *s;
	size_t len, cap;
};

void str_init(struct str *s);
void str_release(struct str *s);
void str_clear(struct str *s); /* length 0, keeps the memory */
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *text, size_t n);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vaddf(struct str *s, const char *fmt, va_list ap);
/* Gives the buffer to the caller (free() it); s is empty afterwards. */
char *str_detach(struct str *s);

/* malloc family that never returns NULL. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Locale-free classes (the C library's follow LC_CTYPE). */
static inline bool c_isdigit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool c_isalpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static inline bool c_isalnum(char c)
{
	return c_isdigit(c) || c_isalpha(c);
}
static inline bool c_isspace(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * One whole decimal number below 2^64 at *s, digits only: no sign, blank or base, as strtoull takes
 * them. True: *out is set and *s stands behind it. False (no digit, or it does not fit): both
 * untouched.
 */
bool str_take_u64(const char **s, uint64_t *out);
/* The same, and nothing may follow. */
bool str_to_u64(const char *s, uint64_t *out);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_eq(const char *a, const char *b); /* NULL equals only NULL */

/* True when the n bytes are UTF-8 (no surrogates, no overlong form); else *bad = offset. */
bool utf8_valid(const char *s, size_t n, size_t *bad);
/*
 * Appends text made fit for XML 1.0, JSON and a terminal: a byte that is not UTF-8 and each
 * character that XML 1.0 forbids (C0 but TAB LF CR, U+FFFE, U+FFFF), and DEL and C1, and what
 * turns the direction of text or ends a line unseen (U+202E and its like), become the
 * visible text \xNN (bytes of the character). n = SIZE_MAX: up to NUL.
 */
void str_add_clean(struct str *s, const char *text, size_t n);
/* Display columns of UTF-8 text (1 a code point; good enough for our tables). */
size_t utf8_width(const char *s);

/* Damerau-Levenshtein distance, capped at 99. */
unsigned str_distance(const char *a, const char *b);
/* The nearest of n words within distance max(1, len/3), or NULL. */
const char *str_nearest(const char *word, const char *const *words, size_t n);

/* Shell-style glob of the whole string: * ? [set]; no path rules. */
bool str_glob(const char *pattern, const char *s);
/* Appends text quoted for a POSIX shell (only when it needs it). */
void str_add_shell(struct str *s, const char *text);

#endif
