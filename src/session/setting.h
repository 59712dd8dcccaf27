/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/setting: settings of the kernel that a session switches, and puts back: those that --ab
 * compares and the `tunables` of workloads, by one mechanism. While one is held a record in a
 * folder says what it was; the record is locked by who made it, so that two sessions never switch
 * the same one, and a record that nobody holds was left by a process that was killed.
 */
#ifndef BLKGATE_SESSION_SETTING_H
#define BLKGATE_SESSION_SETTING_H

#include "base/fileio.h"
#include "base/log.h"
#include "base/vec.h"

struct setting_hold {
	struct lock lock; /* of the record */
	char *path, *old, *record;
	char *back_path, *back; /* what is written to get old again; mostly path and old */
};
struct settings {
	struct setting_hold *v;
	size_t n, cap;
};

/* Records and locks a setting, changes nothing; once is enough. ERR_BUSY (another session switches
 * it), ERR_TARGET, ERR_OUTPUT, ERR_INTR; nothing is held then. */
int settings_take(struct settings *s, const char *folder, const char *path, uint64_t wait,
		  const volatile int *stop, struct err *e);
/* Sets one that is held, NULL = as it was, and reads it back. ERR_TARGET. */
int settings_put(const struct settings *s, const char *path, const char *value, struct err *e);
/* Puts back all that are held, the last one first, and forgets their records. Of what cannot be put
 * back the record stays, and a sentence with the remedy is added to failed. */
void settings_release(struct settings *s, struct notices *failed);

#endif
