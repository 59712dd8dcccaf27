/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/setting.h"

#include "host/host.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *record_path(const char *folder, const char *path)
{
	char *name = xasprintf("%s/%s", folder, path + (*path == '/'));

	for (char *s = name + strlen(folder) + 1; *s; s++)
		if (*s == '/')
			*s = '!';
	return name;
}

/* Two lines: the file of the setting, what it was. False when it says nothing (a crash while it was
 * made: nothing was switched yet). */
static bool record_read(const char *record, char **path, char **old)
{
	struct err e = ERR_INIT;
	struct str s;
	char *nl, *end;

	*path = *old = NULL;
	str_init(&s);
	if (file_read_regular(record, 65536, &s, &e) == 0 && (nl = strchr(s.s, '\n')) &&
	    (end = strchr(nl + 1, '\n'))) {
		*nl = *end = '\0';
		*path = xstrdup(s.s);
		*old = xstrdup(nl + 1);
	}
	str_release(&s);
	return *path != NULL;
}

/* In place: a new file under the name would be one that nobody holds. */
static int record_write(const struct setting_hold *s, struct err *e)
{
	char *text = xasprintf("%s\n%s\n", s->path, s->old);
	int fd = open(s->record, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW), rc;

	rc = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	free(text);
	if (rc == 0)
		return 0;
	unlink(s->record);
	return err_sys(e, ERR_OUTPUT, -rc, "cannot record in '%s' what is to be put back",
		       s->record);
}

/* A record that nobody holds, of a setting that still is not what it was: the sentence. */
static char *left_behind(const char *record)
{
	char *path, *old, *text = NULL;
	struct err e = ERR_INIT;
	struct str now;

	str_init(&now);
	if (record_read(record, &path, &old) && host_tunable_read(path, &now, &e) == 0 &&
	    host_tunable_holds(path, old, &e) < 0)
		text = xasprintf(
			"an earlier run was killed and left '%s' at '%s', it was '%s'; put "
			"it back: echo '%s' >%s",
			path, now.s, old, old, path);
	str_release(&now);
	free(path);
	free(old);
	return text;
}

void session_settings_left(const char *folder, struct notices *n)
{
	struct err e = ERR_INIT;
	char **names;
	size_t count;

	if (file_list(folder, NULL, &names, &count, &e) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		char *record = xasprintf("%s/%s", folder, names[i]), *text;
		struct lock l = {.fd = -1};

		if (lock_take(&l, record, false, 0, NULL, &e) == 0) {
			text = left_behind(record);
			if (text)
				notices_add(n, "%s", text);
			else
				unlink(record); /* it is as it was, or the disk is gone */
			free(text);
			lock_release(&l);
		}
		free(record);
	}
	file_list_free(names, count);
}

static void forget(struct setting_hold *s)
{
	lock_release(&s->lock);
	free(s->path);
	free(s->old);
	free(s->record);
	*s = (struct setting_hold){.lock = {.fd = -1}};
}

static int hold(struct setting_hold *s, const char *folder, struct err *e)
{
	struct str old;
	char *left;

	if (file_mkdirs(folder, e) < 0)
		return e->code;
	if (lock_take(&s->lock, s->record, true, 0, NULL, e) < 0) {
		if (e->code == ERR_BUSY)
			err_set(e, ERR_BUSY, "another blkgate run switches '%s'", s->path);
		return e->code;
	}
	left = left_behind(s->record);
	if (left) {
		err_set(e, ERR_TARGET, "%s", left);
		free(left);
		return e->code;
	}
	str_init(&old);
	if (host_tunable_read(s->path, &old, e) == 0) {
		s->old = xstrdup(old.s);
		record_write(s, e);
	}
	str_release(&old);
	return e->code;
}

int setting_take(struct setting_hold *s, const char *folder, const char *path,
		 const char *const value[2], struct err *e)
{
	*s = (struct setting_hold){
		.lock = {.fd = -1}, .path = xstrdup(path), .record = record_path(folder, path)};
	if (hold(s, folder, e) < 0) {
		forget(s);
		return e->code;
	}
	/* the reference last: it is where the session begins */
	for (int i = 1; i >= 0 && !e->code; i--)
		host_tunable_write(path, value[i], e);
	if (e->code) {
		struct err ignored = ERR_INIT;

		setting_release(s, &ignored);
	}
	return e->code;
}

int setting_release(struct setting_hold *s, struct err *e)
{
	if (s->lock.fd < 0)
		return 0;
	if (host_tunable_write(s->path, s->old, e) < 0) {
		err_prefix(e, "'%s' could not be put back to '%s'", s->path, s->old);
		err_hint(e, "echo '%s' >%s", s->old, s->path);
	} else {
		unlink(s->record);
	}
	forget(s);
	return e->code;
}
