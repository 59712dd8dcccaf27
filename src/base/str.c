/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "blkgate: out of memory\n";

	/* write() and not stdio: stdio may want memory. */
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		abort();
	abort();
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

static void *xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	return xrealloc(p, bytes);
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *to = xmalloc(len + 1);

	memcpy(to, s, len);
	to[len] = '\0';
	return to;
}

char *xasprintf(const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	return str_detach(&s);
}

/* cap == 0 means that s points to a literal, which is never written and never freed. */
void str_init(struct str *s)
{
	s->s = (char *)"";
	s->len = s->cap = 0;
}

void str_release(struct str *s)
{
	if (s->cap)
		free(s->s);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->cap)
		s->s[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static void reserve(struct str *s, size_t n)
{
	size_t need, cap;

	if (__builtin_add_overflow(s->len, n, &need) || __builtin_add_overflow(need, 1, &need))
		out_of_memory();
	if (need <= s->cap)
		return;
	cap = s->cap ? s->cap : 32;
	while (cap < need) {
		if (__builtin_mul_overflow(cap, 2, &cap))
			out_of_memory();
	}
	s->s = xrealloc(s->cap ? s->s : NULL, cap);
	s->cap = cap;
}

void str_addn(struct str *s, const char *text, size_t n)
{
	reserve(s, n);
	if (n)
		memcpy(s->s + s->len, text, n);
	s->len += n;
	s->s[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	reserve(s, 63);
	int n = vsnprintf(s->s + s->len, s->cap - s->len, fmt, ap);
	if (n >= 0 && (size_t)n >= s->cap - s->len) {
		reserve(s, (size_t)n);
		n = vsnprintf(s->s + s->len, s->cap - s->len, fmt, again);
	}
	va_end(again);
	if (n < 0) /* only ENOMEM and a result over INT_MAX */
		out_of_memory();
	s->len += (size_t)n;
}

char *str_detach(struct str *s)
{
	char *p = s->cap ? s->s : xstrdup("");

	str_init(s);
	return p;
}

bool str_take_u64(const char **s, uint64_t *out)
{
	const char *p = *s;
	uint64_t v = 0;

	if (!c_isdigit(*p))
		return false;
	for (; c_isdigit(*p); p++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	*s = p;
	*out = v;
	return true;
}

bool str_to_u64(const char *s, uint64_t *out)
{
	uint64_t v;

	if (!str_take_u64(&s, &v) || *s)
		return false;
	*out = v;
	return true;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool str_eq(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	return strcmp(a, b) == 0;
}
