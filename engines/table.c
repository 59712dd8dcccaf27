/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explicit array of engines, and what an entry must be to stand in it. */
#include "engines/table.h"

#include <string.h>

#define ALL_OPS                                                                                    \
	(ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC)
#define ALL_WORDS                                                                                  \
	(ENGINE_HIPRI | ENGINE_NOWAIT | ENGINE_FIXEDBUFS | ENGINE_REGISTERFILES | ENGINE_SQPOLL)
#define ALL_CAPS                                                                                   \
	(ALL_OPS | ALL_WORDS | ENGINE_SYNC | ENGINE_DISKLESS | ENGINE_VIRTUAL | ENGINE_MAPPED |    \
	 ENGINE_SERIAL | ENGINE_PASSTHROUGH)

const struct engine *const engine_table[] = {
	&engine_psync,  &engine_pvsync2,  &engine_mmap, &engine_posixaio,
	&engine_libaio, &engine_io_uring, &engine_io_uring_cmd, &engine_null,
	&engine_sim,
};
const unsigned engine_count = sizeof(engine_table) / sizeof(engine_table[0]);

const struct engine *engine_find(const char *name)
{
	for (unsigned i = 0; name && i < engine_count; i++) {
		if (!strcmp(engine_table[i]->name, name))
			return engine_table[i];
	}
	return NULL;
}

static const char *missing_hook(const struct engine *g)
{
	if (!g->probe)
		return "probe";
	if (!g->open)
		return "open";
	if (!g->submit)
		return "submit";
	if (!g->reap)
		return "reap";
	if (!g->close)
		return "close";
	return NULL;
}

int engine_check(const struct engine *g, struct err *e)
{
	if (!g || !g->name || !g->name[0])
		return err_set(e, ERR_MEASURE, "an entry of the engine table has no name");
	if (g->api != ENGINE_API)
		return err_set(e, ERR_MEASURE, "engine \"%s\" speaks API %u, this program %u",
			       g->name, g->api, (unsigned)ENGINE_API);
	if (!g->what || !g->what[0])
		return err_set(e, ERR_MEASURE, "engine \"%s\" has no description", g->name);
	const char *hook = missing_hook(g);
	if (hook)
		return err_set(e, ERR_MEASURE, "engine \"%s\" lacks the hook %s", g->name, hook);
	if (g->caps & ~(uint32_t)ALL_CAPS)
		return err_set(e, ERR_MEASURE, "engine \"%s\" has unknown capability bits 0x%x",
			       g->name, g->caps & ~(uint32_t)ALL_CAPS);
	if (!(g->caps & (ENGINE_OP_READ | ENGINE_OP_WRITE)))
		return err_set(e, ERR_MEASURE, "engine \"%s\" neither reads nor writes", g->name);
	bool virtual = g->caps & ENGINE_VIRTUAL;
	if (virtual != !!g->now || virtual != !!g->sleep_until)
		return err_set(e, ERR_MEASURE,
			       "engine \"%s\": a virtual clock needs the capability bit, now and "
			       "sleep_until together",
			       g->name);
	return 0;
}

int engine_check_table(struct err *e)
{
	for (unsigned i = 0; i < engine_count; i++) {
		int rc = engine_check(engine_table[i], e);
		if (rc)
			return rc;
		if (engine_find(engine_table[i]->name) != engine_table[i])
			return err_set(e, ERR_MEASURE, "engine \"%s\" stands twice in the table",
				       engine_table[i]->name);
	}
	return 0;
}
