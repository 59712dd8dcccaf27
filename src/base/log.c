/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"
#include "base/vec.h"

void notices_init(struct notices *n)
{
	memset(n, 0, sizeof(*n));
}

void notices_release(struct notices *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->v[i]);
	free(n->v);
	notices_init(n);
}

_Bool notices_add(struct notices *n, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text);
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < n->n; i++) {
		if (strcmp(n->v[i], text.s) == 0) {
			str_release(&text);
			return false;
		}
	}
	*VEC_PUSH(n) = str_detach(&text);
	return true;
}
