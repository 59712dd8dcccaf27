/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/setting.h"

#include "host/host.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *record_path(const char *folder, const char *path)
{
	char *name = xasprintf("%s/%s", folder, path + (*path == '/'));

	for (char *s = name + strlen(folder) + 1; *s; s++)
		if (*s == '/')
			*s = '!';
	return name;
}

static void forget(struct setting_hold *h)
{
	lock_release(&h->lock);
	free(h->path);
	free(h->old);
	free(h->record);
	free(h->back_path);
	free(h->back);
	*h = (struct setting_hold){.lock = {.fd = -1}};
}

/* Four lines: the file of the setting, what it was, the file to write and what to write to get that
 * again. False when it says less (a crash while it was made: nothing was switched yet). */
static bool record_read(const char *record, struct setting_hold *h)
{
	char **const line[] = {&h->path, &h->old, &h->back_path, &h->back};
	struct err e = ERR_INIT;
	struct str s;
	bool whole = true;

	*h = (struct setting_hold){.lock = {.fd = -1}};
	str_init(&s);
	if (file_read_regular(record, 65536, &s, &e) < 0)
		whole = false;
	for (char *at = s.s, *nl; whole && at < s.s + s.len; at = nl + 1) {
		size_t i = 0;

		while (i < 4 && *line[i])
			i++;
		nl = strchr(at, '\n');
		whole = nl && i < 4;
		if (whole)
			*line[i] = xstrndup(at, (size_t)(nl - at));
	}
	str_release(&s);
	return whole && h->back;
}

/* In place: a new file under the name would be one that nobody holds. */
static int record_write(const struct setting_hold *h, struct err *e)
{
	char *text = xasprintf("%s\n%s\n%s\n%s\n", h->path, h->old, h->back_path, h->back);
	int fd = open(h->record, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW), rc;

	rc = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	free(text);
	if (rc == 0)
		return 0;
	unlink(h->record);
	return err_sys(e, ERR_OUTPUT, -rc, "cannot record in '%s' what is to be put back",
		       h->record);
}

static int put_back(const struct setting_hold *h, struct err *e)
{
	if (host_tunable_write(h->back_path, h->back, e) < 0 ||
	    host_tunable_holds(h->path, h->old, e) < 0)
		return e->code;
	return 0;
}

/* What a killed run left of one setting: false when it is as it was, or there no more. */
static bool still_switched(const struct setting_hold *h, struct str *now)
{
	struct err e = ERR_INIT;

	return host_tunable_read(h->path, now, &e) == 0 &&
	       host_tunable_holds(h->path, h->old, &e) < 0;
}

/* The sentence about a record that nobody holds; NULL = it can go. */
static char *left_behind(const char *record, bool restore, bool *restored)
{
	struct err e = ERR_INIT;
	struct setting_hold h;
	char *text = NULL;
	struct str now;

	*restored = false;
	str_init(&now);
	if (record_read(record, &h) && still_switched(&h, &now)) {
		*restored = restore && put_back(&h, &e) == 0;
		if (*restored)
			text = xasprintf("'%s', which an earlier run left at '%s', was put back "
					 "to '%s'",
					 h.path, now.s, h.old);
		else
			text = xasprintf("an earlier run was killed and left '%s' at '%s', it was "
					 "'%s'; put it back: echo '%s' >%s%s%s",
					 h.path, now.s, h.old, h.back, h.back_path,
					 e.code ? "; that failed: " : "", e.code ? e.text : "");
	}
	str_release(&now);
	forget(&h);
	return text;
}

size_t session_settings_left(const char *folder, bool restore, struct notices *n)
{
	struct err e = ERR_INIT;
	char **names;
	size_t count, left = 0;

	if (file_list(folder, NULL, &names, &count, &e) < 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		char *record = xasprintf("%s/%s", folder, names[i]), *text;
		struct lock l = {.fd = -1};
		bool restored;

		if (lock_take(&l, record, false, 0, NULL, &e) == 0) {
			text = left_behind(record, restore, &restored);
			if (text)
				notices_add(n, "%s", text);
			if (!text || restored)
				unlink(record); /* it is as it was, or the disk is gone */
			left += text && !restored;
			free(text);
			lock_release(&l);
		}
		free(record);
	}
	file_list_free(names, count);
	return left;
}

/* The one who held it before takes the record away while we wait for its lock: then ours is the
 * lock of a file without a name. */
static bool lock_is_of(const struct lock *l, const char *path)
{
	struct stat held, named;

	return fstat(l->fd, &held) == 0 && lstat(path, &named) == 0 &&
	       held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

static int lock_record(struct setting_hold *h, uint64_t wait, const volatile int *stop,
		       struct err *e)
{
	for (;;) {
		if (lock_take(&h->lock, h->record, true, wait, stop, e) < 0)
			break;
		if (lock_is_of(&h->lock, h->record))
			return 0;
		lock_release(&h->lock);
	}
	if (e->code == ERR_BUSY) {
		err_set(e, ERR_BUSY, "another blkgate run switches '%s'", h->path);
		err_hint(e, "wait for it with --wait-lock 10min");
	}
	return e->code;
}

/* How to get back what it is now. */
static int remember(struct setting_hold *h, struct err *e)
{
	struct str old, other, value;

	str_init(&old);
	str_init(&other);
	str_init(&value);
	if (host_tunable_read(h->path, &old, e) == 0 && strchr(old.s, '\n'))
		err_set(e, ERR_TARGET, "'%s' has several lines, and is no setting with one value",
			h->path);
	if (!e->code) {
		h->old = xstrdup(old.s);
		h->back_path = xstrdup(h->path);
		h->back = xstrdup(old.s);
	}
	if (!e->code && str_eq(h->old, "0") && host_tunable_counterpart(h->path, &other) &&
	    host_tunable_read(other.s, &value, e) == 0) {
		free(h->back_path);
		free(h->back);
		h->back_path = xstrdup(other.s);
		h->back = xstrdup(value.s);
	}
	str_release(&old);
	str_release(&other);
	str_release(&value);
	return e->code ? e->code : record_write(h, e);
}

static struct setting_hold *find(const struct settings *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].path, path))
			return &s->v[i];
	return NULL;
}

int settings_take(struct settings *s, const char *folder, const char *path, uint64_t wait,
		  const volatile int *stop, struct err *e)
{
	struct setting_hold h = {.lock = {.fd = -1}};
	bool restored;
	char *left;

	if (find(s, path))
		return 0;
	if (file_mkdirs(folder, e) < 0)
		return e->code;
	h.path = xstrdup(path);
	h.record = record_path(folder, path);
	if (lock_record(&h, wait, stop, e) == 0) {
		left = left_behind(h.record, false, &restored);
		if (left)
			err_set(e, ERR_TARGET, "%s", left);
		else
			remember(&h, e);
		free(left);
	}
	if (e->code)
		forget(&h);
	else
		*VEC_PUSH(s) = h;
	return e->code;
}

int settings_put(const struct settings *s, const char *path, const char *value, struct err *e)
{
	const struct setting_hold *h = find(s, path);
	struct err ignored = ERR_INIT;

	if (!h)
		return err_set(e, ERR_TARGET, "'%s' is not held", path);
	value = value ? value : h->old;
	if (host_tunable_holds(path, value, &ignored) == 0)
		return 0;
	return str_eq(value, h->old) ? put_back(h, e) : host_tunable_write(path, value, e);
}

void settings_release(struct settings *s, struct notices *failed)
{
	while (s->n) {
		struct setting_hold *h = &s->v[--s->n];
		struct err e = ERR_INIT, ignored = ERR_INIT;

		if (host_tunable_holds(h->path, h->old, &ignored) == 0 || put_back(h, &e) == 0)
			unlink(h->record);
		else
			notices_add(failed, "'%s' could not be put back to '%s': %s; echo '%s' >%s",
				    h->path, h->old, e.text, h->back, h->back_path);
		forget(h);
	}
	VEC_RELEASE(s);
}
