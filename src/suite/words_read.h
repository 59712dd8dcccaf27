/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/words_read: readers and showers shared by the rows of the word table.
 * Private to the suite room. Includes: model, base.
 */
#ifndef BLKGATE_SUITE_WORDS_READ_H
#define BLKGATE_SUITE_WORDS_READ_H

#include "suite/words.h"

#define WORD_READER(name)                                                                          \
	int name(const struct word *w, const char *text, struct arena *a, struct job *j,           \
		 struct err *e)
#define WORD_SHOWER(name) void name(const struct word *w, const struct job *j, struct str *out)

WORD_READER(word_read_u32);
WORD_READER(word_read_u64);
WORD_READER(word_read_size32);
WORD_READER(word_read_time);
WORD_READER(word_read_bool);
WORD_READER(word_read_rw);
WORD_READER(word_read_ioengine);
WORD_READER(word_read_direct);
WORD_READER(word_read_sync);
WORD_READER(word_read_rate_iops);
WORD_READER(word_read_files);
WORD_READER(word_read_sim);
WORD_READER(word_read_rate);
WORD_SHOWER(word_show_rate);
WORD_READER(word_read_region);
WORD_SHOWER(word_show_region);
/* words_place.c */
WORD_READER(word_read_cpus);
WORD_READER(word_read_cpus_policy);
WORD_SHOWER(word_show_cpus_policy);
WORD_READER(word_read_numa_nodes);
WORD_SHOWER(word_show_numa_nodes);
WORD_READER(word_read_numa_policy);
WORD_SHOWER(word_show_numa_policy);
/* words_mix.c */
WORD_READER(word_read_bssplit);
WORD_READER(word_read_bsrange);
WORD_READER(word_read_distribution);
WORD_READER(word_read_percentiles); /* words_list.c */
WORD_READER(word_read_verify);
/* words_prepare.c */
WORD_READER(word_read_precondition);
WORD_READER(word_read_tunables);
WORD_SHOWER(word_show_precondition);
/* The lines of a mapping; NULL = an item is no scalar. */
struct ynode;
const char *word_map_text(const struct ynode *map, struct arena *a);
WORD_SHOWER(word_show_text); /* a text field, "" and NULL alike */
WORD_SHOWER(word_show_distribution);

WORD_SHOWER(word_show_u32);
WORD_SHOWER(word_show_u64);
WORD_SHOWER(word_show_time);
WORD_SHOWER(word_show_bool);
WORD_SHOWER(word_show_rw);
WORD_SHOWER(word_show_ioengine);
WORD_SHOWER(word_show_direct);
WORD_SHOWER(word_show_sync);
WORD_SHOWER(word_show_rate_iops);
WORD_SHOWER(word_show_files);
WORD_SHOWER(word_show_sim);

/* "10 s", "1500 ms": exact, in the largest unit from ns to s that divides; sep stands between. */
void word_add_time(struct str *out, uint64_t ns, const char *sep);

#endif
