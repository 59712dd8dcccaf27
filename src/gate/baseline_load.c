/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of one suite and profile as a baseline. */
#include "base/fileio.h"
#include "base/hash.h"
#include "gate/baseline_file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT (256u << 20)

static int unread(const char *path, struct err *e)
{
	char buf[32];
	int sys = e->sys;

	err_sys(e, ERR_DATA, sys, "cannot read baseline file '%s'", path);
	if (sys == EACCES || sys == EPERM)
		return err_hint(e, "give this account the right to read it; every session counts");
	return err_hint(e,
			"it is the system that fails (%s), so keep the file; every session counts",
			err_text(sys, buf, sizeof(buf)));
}

static int damaged(const char *path, struct err *e)
{
	char *cause = xstrdup(e->text);

	err_set(e, ERR_DATA, "baseline file '%s' is damaged or not ours: %s", path, cause);
	free(cause);
	return err_hint(e, "restore it from git or drop it (remove the file)");
}

static int read_file(struct baseline *b, const char *folder, const char *name, struct str *text,
		     struct err *e)
{
	char *path = xasprintf("%s/%s", folder, name);
	struct base_session *s = &b->sessions[b->n];
	struct json_doc *doc = NULL;
	int rc = file_read_regular(path, FILE_LIMIT, text, e);

	if (rc == 0)
		rc = json_parse(text->s, text->len, path, &doc, e);
	if (rc == 0) {
		struct json root = json_root(doc);

		*s = (struct base_session){.path = arena_strdup(&b->arena, path)};
		b->n++;
		rc = baseline_session_read(&root, b->suite, b->profile, &b->arena, s, e);
		if (rc == 0 && s->retired_jobs) /* a record is named by its file */
			s->id = arena_strndup(&b->arena, name, strlen(name) - strlen(".json"));
	}
	if (rc && e->sys) /* it was not even read: nothing is known against it */
		rc = unread(path, e);
	else if (rc)
		rc = damaged(path, e);
	json_doc_free(doc);
	free(path);
	return rc;
}

static int read_folder(struct baseline *b, const char *folder, struct err *e)
{
	uint64_t digest = 0;
	char **names;
	size_t n;
	struct str text;
	int rc = file_list(folder, ".json", &names, &n, e);

	if (rc)
		return rc;
	b->sessions = xcalloc(n + 1, sizeof(*b->sessions));
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (names[i][0] == '.') /* a temporary file of another program */
			continue;
		str_init(&text);
		rc = read_file(b, folder, names[i], &text, e);
		digest =
			digest * 1099511628211u ^ hash_str(names[i]) ^ hash_bytes(text.s, text.len);
		str_release(&text);
	}
	if (b->n > 0)
		snprintf(b->digest, sizeof(b->digest), "%016" PRIx64, digest);
	file_list_free(names, n);
	return rc;
}

int baseline_load(const char *dir, const char *suite, const char *profile, struct baseline *b,
		  struct err *e)
{
	char *folder;
	int rc;

	*b = (struct baseline){0};
	arena_init(&b->arena);
	b->dir = arena_strdup(&b->arena, dir);
	b->suite = arena_strdup(&b->arena, suite);
	b->profile = arena_strdup(&b->arena, profile);
	if (baseline_name_check(suite, "suite", e) || baseline_name_check(profile, "profile", e)) {
		baseline_release(b);
		return e->code;
	}
	folder = xasprintf("%s/%s/%s", dir, suite, profile);
	b->found = access(folder, F_OK) == 0;
	/* A link that leads nowhere is a mishap, not a baseline that nobody made yet. */
	if (!b->found && readlink(dir, (char[1]){0}, 1) >= 0 && access(dir, F_OK) < 0) {
		err_sys(e, ERR_DATA, errno,
			"the folder of baselines '%s' is a link that leads nowhere", dir);
		free(folder);
		baseline_release(b);
		return e->code;
	}
	rc = read_folder(b, folder, e);
	free(folder);
	if (rc == 0)
		rc = baseline_arrange(b, e);
	if (rc)
		baseline_release(b);
	return rc;
}

void baseline_release(struct baseline *b)
{
	for (size_t i = 0; i < b->n; i++)
		baseline_session_release(&b->sessions[i]);
	free(b->sessions);
	arena_release(&b->arena);
	*b = (struct baseline){0};
}
