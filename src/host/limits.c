/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/limits: I/O limits of the cgroups this process is in (workers inherit them). The fact holds
 * the effective limits and no path or device number: both differ from one login to the next, and
 * the fact must match between a baseline and a new session.
 */
#include "host/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

enum { RBPS, WBPS, RIOPS, WIOPS, LIMITS };
static const char *const limit_names[LIMITS] = {"rbps", "wbps", "riops", "wiops"};
static const char *const throttle_files[LIMITS] = {
	"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
	"blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};

struct limit {
	unsigned dev_major, dev_minor;
	uint64_t v[LIMITS]; /* 0 = none */
};

struct limits {
	struct limit *v;
	size_t n, cap;
};

static struct limit *limit_of(struct limits *l, unsigned dev_major, unsigned dev_minor)
{
	struct limit *x;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].dev_major == dev_major && l->v[i].dev_minor == dev_minor)
			return &l->v[i];
	x = VEC_PUSH(l);
	x->dev_major = dev_major;
	x->dev_minor = dev_minor;
	return x;
}

static void lower(struct limit *x, unsigned which, uint64_t v)
{
	if (v && (x->v[which] == 0 || v < x->v[which]))
		x->v[which] = v;
}

/* One line of io.max: "8:0 rbps=max wbps=1048576 riops=max wiops=max". */
static bool v2_line(struct limits *l, const char *line)
{
	unsigned dev_major, dev_minor;
	int at = 0;
	struct limit *x;

	if (sscanf(line, "%u:%u %n", &dev_major, &dev_minor, &at) < 2 || at == 0)
		return false;
	x = limit_of(l, dev_major, dev_minor);
	line += at;
	while (*line) {
		size_t n = strcspn(line, " ");

		for (unsigned k = 0; k < LIMITS; k++) {
			size_t len = strlen(limit_names[k]);
			uint64_t v;

			if (strncmp(line, limit_names[k], len) == 0 && line[len] == '=' &&
			    sscanf(line + len + 1, "%" SCNu64, &v) == 1)
				lower(x, k, v);
		}
		line += n;
		line += strspn(line, " ");
	}
	return true;
}

static bool v1_line(struct limits *l, const char *line, unsigned which)
{
	unsigned dev_major, dev_minor;
	uint64_t v;

	if (sscanf(line, "%u:%u %" SCNu64, &dev_major, &dev_minor, &v) != 3)
		return false;
	lower(limit_of(l, dev_major, dev_minor), which, v);
	return true;
}

/* which LIMITS: io.max. An absent file is no limit: the root has none, nor has a group whose parent
 * did not enable the controller. */
static int read_file(const struct host *h, struct limits *l, const char *dir, const char *file,
		     unsigned which)
{
	struct str s;
	char *line, *save;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s/%s", dir, file);
	if (rc == -ENOENT)
		rc = 0;
	for (line = rc == 0 ? strtok_r(s.s, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		if (!(which == LIMITS ? v2_line(l, line) : v1_line(l, line, which)))
			rc = -EINVAL;
	str_release(&s);
	return rc;
}

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = options; *p;) {
		size_t len = strcspn(p, ",");

		if (len == n && strncmp(p, name, n) == 0)
			return true;
		p += len;
		p += *p == ',';
	}
	return false;
}

/* Folder of cgroup `path` in a mounted hierarchy, with the mount point's length. */
static bool group_dir(const struct mounts *m, bool v2, const char *path, struct str *dir,
		      size_t *top)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mount_entry *x = &m->v[i];
		const char *rest = path;
		size_t n = strlen(x->root);

		if (!str_eq(x->fstype, v2 ? "cgroup2" : "cgroup") ||
		    (!v2 && !has_option(x->fs_options, "blkio")))
			continue;
		/* a bind mount of a part of the tree: the path starts at its root */
		if (!str_eq(x->root, "/")) {
			if (strncmp(path, x->root, n) != 0 || (path[n] && path[n] != '/'))
				continue;
			rest = path + n;
		}
		str_clear(dir);
		str_add(dir, x->target);
		*top = dir->len;
		if (!str_eq(rest, "/"))
			str_add(dir, rest);
		return true;
	}
	return false;
}

/* Limits of v2 hold for all below them; those of v1's throttle only for the group itself. */
static int read_group(const struct host *h, const struct mounts *m, bool v2, const char *path,
		      struct limits *l, struct str *why)
{
	struct str dir;
	size_t top = 0;
	int rc = 0;

	if (strstr(path, "/..")) {
		str_addf(why, "the cgroup '%s' lies outside this cgroup namespace", path);
		return -EXDEV;
	}
	str_init(&dir);
	if (!group_dir(m, v2, path, &dir, &top)) {
		if (!str_eq(path, "/")) {
			str_addf(why, "the cgroup '%s' is not mounted here", path);
			rc = -ENOENT;
		}
		goto done;
	}
	for (unsigned k = 0; !v2 && rc == 0 && k < LIMITS; k++)
		rc = read_file(h, l, dir.s, throttle_files[k], k);
	while (v2 && rc == 0) {
		rc = read_file(h, l, dir.s, "io.max", LIMITS);
		if (dir.len <= top)
			break;
		while (dir.len > top && dir.s[dir.len - 1] != '/')
			dir.len--;
		dir.len -= dir.len > top;
		dir.s[dir.len] = '\0';
	}
	if (rc < 0)
		str_addf(why, "cannot read the limits in '%s': %s", dir.s, strerror(-rc));
done:
	str_release(&dir);
	return rc;
}

/* One line of /proc/self/cgroup: "0::/user.slice" or "7:blkio:/". */
static int read_membership(const struct host *h, const struct mounts *m, char *line,
			   struct limits *l, struct str *why)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path) {
		str_add(why, "'/proc/self/cgroup' is damaged");
		return -EINVAL;
	}
	*path++ = '\0';
	controllers++;
	if (str_starts(line, "0:") && *controllers == '\0')
		return read_group(h, m, true, path, l, why);
	if (has_option(controllers, "blkio"))
		return read_group(h, m, false, path, l, why);
	return 0;
}

static int limits_load(const struct host *h, struct limits *l, struct str *why)
{
	struct mounts m = {0};
	struct arena a;
	struct err e = ERR_INIT;
	struct str s;
	char *line, *save;
	int rc;

	arena_init(&a);
	str_init(&s);
	rc = host_read(h, &s, "/proc/self/cgroup");
	if (rc == -ENOENT && host_exists(h, "/proc/self")) {
		rc = 0; /* a kernel without cgroups */
		goto done;
	}
	if (rc < 0) {
		str_addf(why, "cannot read '/proc/self/cgroup': %s", strerror(-rc));
		goto done;
	}
	rc = mounts_load(h, "/proc/self/mountinfo", &a, &m, &e);
	if (rc < 0)
		str_add(why, e.text);
	for (line = rc == 0 ? strtok_r(s.s, "\n", &save) : NULL; line && rc == 0;
	     line = strtok_r(NULL, "\n", &save))
		rc = read_membership(h, &m, line, l, why);
done:
	mounts_release(&m);
	str_release(&s);
	arena_release(&a);
	return rc;
}

static void add_text(struct str *out, const struct limit *x)
{
	for (unsigned k = 0; k < LIMITS; k++)
		if (x->v[k])
			str_addf(out, "%s%s=%" PRIu64, out->len ? " " : "", limit_names[k],
				 x->v[k]);
}

/* The limits of the disk of i and of everything below it, the smallest of each kind. */
static void merge_stack(const struct host *h, const struct blocks *b, size_t i,
			const struct limits *l, struct limit *sum, unsigned depth)
{
	const struct block *disk = &b->v[b->v[i].disk];
	struct block_list below = {0};

	for (size_t k = 0; k < l->n; k++)
		if (l->v[k].dev_major == disk->dev_major && l->v[k].dev_minor == disk->dev_minor)
			for (unsigned w = 0; w < LIMITS; w++)
				lower(sum, w, l->v[k].v[w]);
	if (depth == 0)
		return;
	(void)block_slaves(h, b, i, &below);
	for (size_t k = 0; k < below.n; k++)
		merge_stack(h, b, below.v[k], l, sum, depth - 1);
	VEC_RELEASE(&below);
}

void limit_facts(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		 struct arena *a)
{
	struct limits l = {0};
	struct limit sum = {0};
	struct str why, text;

	str_init(&why);
	str_init(&text);
	if (limits_load(h, &l, &why) < 0) {
		facts_set(f, a, "cgroup.limit", NULL, why.s);
		goto done;
	}
	if (i != BLOCK_NONE) {
		merge_stack(h, b, i, &l, &sum, 8);
		add_text(&text, &sum);
	}
	for (size_t k = 0; i == BLOCK_NONE && k < l.n; k++) {
		struct str one;

		str_init(&one);
		add_text(&one, &l.v[k]);
		if (one.len)
			str_addf(&text, "%s%u:%u %s", text.len ? "; " : "", l.v[k].dev_major,
				 l.v[k].dev_minor, one.s);
		str_release(&one);
	}
	facts_set(f, a, "cgroup.limit", text.len ? text.s : "none", NULL);
done:
	VEC_RELEASE(&l);
	str_release(&text);
	str_release(&why);
}
