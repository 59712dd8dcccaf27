/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/setting: a setting of the kernel that a session switches between two values, and puts
 * back. While it is switched a record in a folder says what it was; the record is locked by who
 * made it, so that one that nobody holds was left by a process that was killed.
 */
#ifndef BLKGATE_SESSION_SETTING_H
#define BLKGATE_SESSION_SETTING_H

#include "base/fileio.h"
#include "base/log.h"

struct setting_hold {
	struct lock lock; /* of the record; fd -1 = nothing is held */
	char *path, *old, *record;
};

/* Takes the setting and tries both values, so that one the kernel refuses ends the session before
 * its first run. ERR_BUSY, ERR_TARGET, ERR_OUTPUT; nothing is held or changed then. */
int setting_take(struct setting_hold *s, const char *folder, const char *path,
		 const char *const value[2], struct err *e);
/* Puts it back and forgets the record. ERR_TARGET when it cannot: the record stays. */
int setting_release(struct setting_hold *s, struct err *e);

#endif
