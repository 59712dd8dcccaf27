/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/fileio: whole files in and out, the append-only journal, locks.
 *
 * A regular file (or a path that does not exist) is replaced atomically: temporary file in the same
 * folder, write, fsync, rename, fsync of the folder; on failure the old file stands and no
 * temporary is left. A symbolic link stays: the file that it points to is replaced. A path of
 * another kind
 * (/dev/stdout, a fifo, /dev/full) is written in place and never renamed over; a block device is
 * refused, since a document is never a reason to write a disk. "-" is not known here: src/cmd owns
 * stdout.
 */
#ifndef BLKGATE_BASE_FILEIO_H
#define BLKGATE_BASE_FILEIO_H

#include "base/err.h"
#include "base/str.h"

/* Reads a whole file; refuses more than max bytes (0 = 1 GiB) and folders. ERR_DATA, sys set. */
int file_read(const char *path, size_t max, struct str *out, struct err *e);
/* The same for a file that we keep ourselves: a fifo or device in its place is ERR_DATA and not
 * waited for. */
int file_read_regular(const char *path, size_t max, struct str *out, struct err *e);
/* The rule above. An existing file keeps its mode, a new one gets 0666 less umask. ERR_OUTPUT. */
int file_write(const char *path, const char *data, size_t n, struct err *e);
/* Renames a file to PATH.old, or PATH.old.2 ... where that is taken: nothing is overwritten. *name
 * (may be NULL) gets the new name, free it. An absent file is 0. ERR_OUTPUT. */
int file_set_aside(const char *path, char **name, struct err *e);
/* mkdir -p. ERR_OUTPUT. */
int file_mkdirs(const char *path, struct err *e);
/* Writes everything to a descriptor, EINTR handled. 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t n);
/* Sorted names of a folder ending in suffix (NULL = all), without . and ..; absent folder = 0
 * names. Free each and the array with file_list_free. */
int file_list(const char *dir, const char *suffix, char ***names, size_t *n, struct err *e);
void file_list_free(char **names, size_t n);

struct journal {
	int fd;
	char *path;
};
/* Creates (truncates) the file; ERR_OUTPUT. */
int journal_open(struct journal *j, const char *path, struct err *e);
/* Appends one line (a newline is added; one inside is refused), then fdatasync. A record that does
 * not fit is taken back whole. ERR_OUTPUT (ENOSPC named). */
int journal_add(struct journal *j, const char *line, size_t n, struct err *e);
void journal_close(struct journal *j);

struct lock {
	int fd; /* -1 = none. O_CLOEXEC; a forked worker must close its copy (run_options) */
};
/* flock(LOCK_EX) on the file or folder. wait_ns: 0 = at once, UINT64_MAX = for ever. ERR_BUSY names
 * the path. *stop (may be NULL) ends the wait with ERR_INTR. Creates the file when create is set.
 */
int lock_take(struct lock *l, const char *path, bool create, uint64_t wait_ns,
	      const volatile int *stop, struct err *e);
void lock_release(struct lock *l);

#endif
