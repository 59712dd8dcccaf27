/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/words: the table of workload words (fio's names) and how each is read into a struct job.
 * The order of the table is the order of matrix axes in names and of `plan`.
 * `blkgate plan` shows all of them. (`sessions` is suite wide, stands only in defaults, and is no
 * word of this table: no job has it.)
 * Defaults that depend on other words (time_based, end_fsync, iodepth_batch_complete_max) have a
 * sentence as dflt, stay false or 0 in words_default, and are resolved by plan.
 * Every other fio option named as a key has a sentence of its own ("always grouped here", "use
 * --target", "comes with a later version"), never just "unknown".
 * Includes: model, base.
 */
#ifndef BLKGATE_SUITE_WORDS_H
#define BLKGATE_SUITE_WORDS_H

#include "base/arena.h"
#include "model/job.h"

enum { WORD_COUNT_MAX = 64 };

struct word {
	const char *name;
	const char *dflt;        /* default as text for `plan`; "" = none */
	const char *fio_differs; /* fio's default where ours differs, else NULL */
	const char *what;        /* one line */
	/* Reads text into j; strings go into a. 0 or ERR_SUITE with text and hint, no place. */
	int (*read)(const struct word *w, const char *text, struct arena *a, struct job *j,
		    struct err *e);
	/* The value now in j, canonical ("4096", "randread", "10 s" as plan shows it). */
	void (*show)(const struct word *w, const struct job *j, struct str *out);
	size_t offset;     /* into struct job, for the shared readers */
	uint64_t min, max; /* range, for the shared readers */
	bool list;         /* a sequence of scalars is read like the text a:b:c */
	/* A mapping, and nothing else, read like lines "key=value"; of one in it "key.inner=value".
	 */
	bool map;
	bool bytes; /* a size: shown to people with its unit, in names in the largest that divides
		     */
};

extern const struct word word_table[];
extern const unsigned word_count;
const struct word *word_find(const char *name); /* NULL = no such word */
unsigned word_index(const struct word *w);
/* What a node says of a word: its text; of a sequence, for a word that takes one, a:b:c; of a
 * mapping, for a word that takes one, its lines. NULL = another kind of node, or an item that is no
 * scalar. */
struct ynode;
const char *word_text(const struct word *w, const struct ynode *node, struct arena *a);
/* Nearest word for a message, or NULL. */
const char *word_nearest(const char *name);
/* Sentence for an option of fio (or a word of other tools) that is no word here, or NULL. */
const char *word_fio_sentence(const char *name);
/* All defaults of the table into j (zeroed before). size stays 0, runtime 0. */
void words_default(struct job *j, struct arena *a);
/* Value of an axis in a name: canonical, characters outside [A-Za-z0-9_+:=-] become '_'. A size
 * stands in the largest of KiB MiB GiB TiB that divides it, else in bytes: "4KiB", "512", "4000".
 * Names are identities in baselines: this form is never changed. */
void word_name_value(const struct word *w, const struct job *j, struct str *out);
/* The value of a word that is a size. */
uint64_t word_bytes(const struct word *w, const struct job *j);
/* The share of the target that was asked for instead of bytes; 0 = none was. */
uint32_t word_percent(const struct word *w, const struct job *j);

#endif
