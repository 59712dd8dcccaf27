/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/pooling_map: what the two files of pooling share. Private to them. */
#ifndef BLKGATE_GATE_POOLING_MAP_H
#define BLKGATE_GATE_POOLING_MAP_H

#include "gate/pooling.h"

struct pool_map {      /* of each job of a source */
	uint32_t *job; /* that of the result, UINT32_MAX = none */
	bool *ran;     /* the source has runs of it */
};

/* ERR_REFUSED. */
int pooling_check(const struct result *r, const struct pool_source *s, const struct pool_map *m,
		  struct err *e);
/* Is the red level of the sequence the one that each of its attempts was judged at? n sources, and
 * name is that of r, which counts when it was measured. ERR_REFUSED. */
int pooling_check_level(const struct result *r, const char *name, const struct pool_source *s,
			const struct pool_map *m, size_t n, struct err *e);
/* NULL = the job has none of that name. */
struct check *pooling_find_check(const struct result *r, uint32_t job, const char *name);

#endif
