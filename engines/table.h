/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/table.h: the entries of engine_table, one an engine file. For table.c and tests; everyone
 * else asks engine_find().
 */
#ifndef BLKGATE_ENGINES_TABLE_H
#define BLKGATE_ENGINES_TABLE_H

#include "engines/engine.h"

extern const struct engine engine_psync;
extern const struct engine engine_pvsync2;
extern const struct engine engine_mmap;
extern const struct engine engine_posixaio;
extern const struct engine engine_libaio;
extern const struct engine engine_io_uring;
extern const struct engine engine_io_uring_cmd;
extern const struct engine engine_null;
extern const struct engine engine_sim;

#endif
