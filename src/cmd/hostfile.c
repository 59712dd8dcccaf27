/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/hostfile.h"

#include "base/units.h"
#include "suite/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX (1u << 20)
#define VERSION "1"

bool host_file_word(const char *id)
{
	if (!*id)
		return false;
	for (; *id; id++)
		if (!c_isalnum(*id) && *id != '_' && *id != '-')
			return false;
	return true;
}

/* asked: it was named by --targets, so by the one who runs us. */
static int trusted(const struct stat *st, const char *path, bool asked, struct err *e)
{
	bool own = asked && st->st_uid == geteuid();

	if (!S_ISREG(st->st_mode))
		return err_set(e, ERR_USAGE, "host file '%s' is no regular file", path);
	if (st->st_uid != 0 && !own) {
		err_set(e, ERR_USAGE,
			"host file '%s' belongs to uid %u: it may permit writing, so it counts "
			"only "
			"when root%s owns it",
			path, (unsigned)st->st_uid,
			asked && geteuid() != 0 ? " or the user who runs blkgate" : "");
		return err_hint(e, "chown root %s", path);
	}
	if (st->st_mode & (S_IWGRP | S_IWOTH)) {
		err_set(e, ERR_USAGE,
			"host file '%s' may be written by others than its owner (mode %04o), and "
			"it may permit writing to disks",
			path, (unsigned)(st->st_mode & 07777));
		return err_hint(e, "chmod go-w %s", path);
	}
	return 0;
}

/* 0 with the text, 1 when it is absent and need not be there, or ERR_USAGE. */
static int read_trusted(const char *path, bool asked, struct str *text, struct err *e)
{
	char buf[4096];
	struct stat st;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int sys = errno, rc;

	if (fd < 0 && !asked && (sys == ENOENT || sys == ENOTDIR))
		return 1;
	if (fd < 0 && sys == ELOOP) {
		err_set(e, ERR_USAGE, "host file '%s' is a symbolic link", path);
		return err_hint(e, "name the file itself");
	}
	if (fd < 0)
		return err_sys(e, ERR_USAGE, sys, "cannot open host file '%s'", path);
	rc = fstat(fd, &st) < 0
		     ? err_sys(e, ERR_USAGE, errno, "cannot look at host file '%s'", path)
		     : trusted(&st, path, asked, e);
	while (rc == 0 && (got = read(fd, buf, sizeof(buf))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = err_sys(e, ERR_USAGE, errno, "cannot read host file '%s'", path);
		else if (text->len + (size_t)got > BYTES_MAX)
			rc = err_set(e, ERR_USAGE, "host file '%s' is larger than 1 MiB", path);
		else
			str_addn(text, buf, (size_t)got);
	}
	close(fd);
	return rc;
}

static int wrong(const struct host_file *f, const struct ynode *at, struct err *e, const char *text)
{
	err_set(e, ERR_USAGE, "%s", text);
	return err_at(e, f->path, at->line, at->column);
}

static int need_map(const struct host_file *f, const struct ynode *n, const char *what,
		    struct err *e)
{
	char *text;
	int rc;

	if (n->kind == Y_MAP)
		return 0;
	text = xasprintf("%s is a mapping, not %s", what, ykind_name(n->kind));
	rc = wrong(f, n, e, text);
	free(text);
	return rc;
}

/* Every key of a mapping is one of those. */
static int known_keys(const struct host_file *f, const struct ynode *map, const char *const *keys,
		      size_t n, struct err *e)
{
	for (size_t i = 0; i < map->n; i++) {
		const char *key = map->key[i]->text, *near = str_nearest(key, keys, n);
		size_t k = 0;

		while (k < n && !str_eq(keys[k], key))
			k++;
		if (k < n)
			continue;
		err_set(e, ERR_USAGE, "unknown key '%s'", key);
		if (near)
			err_hint(e, "did you mean '%s'?", near);
		return err_at(e, f->path, map->key[i]->line, map->key[i]->column);
	}
	return 0;
}

static int scalar(const struct host_file *f, const struct ynode *n, const char *what,
		  const char **out, struct err *e)
{
	char *text;
	int rc;

	if (n->kind == Y_SCALAR && n->text[0]) {
		*out = n->text;
		return 0;
	}
	text = xasprintf("%s is empty, or no single value", what);
	rc = wrong(f, n, e, text);
	free(text);
	return rc;
}

static int read_labels(struct host_file *f, struct host_entry *x, const struct ynode *labels,
		       struct err *e)
{
	if (need_map(f, labels, "labels", e) < 0)
		return e->code;
	for (size_t i = 0; i < labels->n; i++) {
		struct setting s = {.key = labels->key[i]->text};

		if (!host_file_word(s.key))
			return wrong(f, labels->key[i], e,
				     "the name of a label is made of letters, digits, _ and -");
		if (scalar(f, labels->item[i], "the value of a label", &s.value, e) < 0)
			return e->code;
		*VEC_PUSH(&x->labels) = s;
	}
	return 0;
}

static int read_entry(struct host_file *f, const struct ynode *role, const struct ynode *map,
		      struct err *e)
{
	static const char *const keys[] = {"id", "allow_write", "labels"};
	struct host_entry *x;
	const struct ynode *n;
	const char *word;

	if (!host_file_word(role->text) || str_eq(role->text, TARGET_ROLE_TOTAL))
		return wrong(f, role, e,
			     "a role is made of letters, digits, _ and -, and is not 'all'");
	if (need_map(f, map, "what stands behind a role", e) < 0 ||
	    known_keys(f, map, keys, sizeof(keys) / sizeof(*keys), e) < 0)
		return e->code;
	x = VEC_PUSH(f);
	*x = (struct host_entry){.role = role->text};
	n = yaml_get(map, "id", NULL);
	if (!n)
		return wrong(f, role, e, "the role has no 'id'");
	if (scalar(f, n, "id", &x->id, e) < 0)
		return e->code;
	n = yaml_get(map, "allow_write", NULL);
	if (n &&
	    (scalar(f, n, "allow_write", &word, e) < 0 || units_bool(word, &x->allow_write, e) < 0))
		return err_at(e, f->path, n->line, n->column);
	n = yaml_get(map, "labels", NULL);
	return n ? read_labels(f, x, n, e) : 0;
}

static int read_all(struct host_file *f, const struct ynode *top, struct err *e)
{
	static const char *const keys[] = {"blkgate_targets", "targets"};
	const struct ynode *version, *targets;

	if (need_map(f, top, "a host file", e) < 0 || known_keys(f, top, keys, 2, e) < 0)
		return e->code;
	version = yaml_get(top, "blkgate_targets", NULL);
	if (!version || version->kind != Y_SCALAR || !str_eq(version->text, VERSION))
		return wrong(f, version ? version : top, e,
			     "a host file says 'blkgate_targets: " VERSION "'");
	targets = yaml_get(top, "targets", NULL);
	if (!targets)
		return wrong(f, top, e, "there is no 'targets'");
	if (need_map(f, targets, "targets", e) < 0)
		return e->code;
	for (size_t i = 0; i < targets->n; i++)
		if (read_entry(f, targets->key[i], targets->item[i], e) < 0)
			return e->code;
	return 0;
}

int host_file_read(struct host_file *f, const char *path, struct err *e)
{
	const char *name = path ? path : HOST_FILE;
	struct ynode *top = NULL;
	struct str text;
	int rc;

	*f = (struct host_file){.path = NULL};
	arena_init(&f->arena);
	str_init(&text);
	rc = read_trusted(name, path != NULL, &text, e);
	if (rc == 0) {
		f->path = arena_strdup(&f->arena, name);
		rc = yaml_parse(text.s, text.len, name, &f->arena, &top, e);
		if (rc == 0)
			rc = read_all(f, top, e);
	}
	str_release(&text);
	if (rc >= 0)
		return 0;
	/* nothing of a file that is wrong in one place is used */
	host_file_release(f);
	*f = (struct host_file){.path = NULL};
	arena_init(&f->arena);
	e->code = ERR_USAGE;
	return ERR_USAGE;
}

void host_file_release(struct host_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		VEC_RELEASE(&f->v[i].labels);
	VEC_RELEASE(f);
	arena_release(&f->arena);
}

const struct host_entry *host_file_find(const struct host_file *f, const char *role)
{
	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->v[i].role, role))
			return &f->v[i];
	return NULL;
}
