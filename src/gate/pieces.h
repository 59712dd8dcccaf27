/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/pieces: the attempts of several results as one row in time, each once, and the result that
 * holds them. A piece is one attempt of one source, or of the result itself. Private to pooling.
 * Ownership: pieces borrow from their sources; VEC_RELEASE the list.
 */
#ifndef BLKGATE_GATE_PIECES_H
#define BLKGATE_GATE_PIECES_H

#include "model/result.h"

struct piece {
	const struct result *r;
	const char *name;        /* the file, for sentences */
	const uint32_t *map;     /* job of the source -> job of the result; NULL = the same */
	const struct attempt *a; /* NULL = the source is one attempt */
	uint32_t first, n;       /* its sessions */
	int64_t started;
	bool own; /* of the result's own invocation */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

/* The attempts of a result behind what is there. own: it is the result that the others go into. */
void pieces_add(struct pieces *p, const struct result *r, const char *name, const uint32_t *map,
		bool own);
/* Each attempt once; the own piece stays, also when it is empty. Of two that hold the same from
 * their first session on the longer one stays. ERR_REFUSED, with both files: a session that they
 * share has other runs, or other ones before it. */
int pieces_once(struct pieces *p, struct err *e);
/* In order of time, the own piece last. */
void pieces_arrange(struct pieces *p);
/* The sessions, runs and attempts of r become those of the pieces, of which its own is one. */
void pieces_into(const struct pieces *p, struct result *r);

#endif
