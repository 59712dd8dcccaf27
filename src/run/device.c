/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reached the device. Reads: read_bytes of the worker in /proc/self/io, which the kernel
 * counts where a bio is submitted: for the whole process with the threads that ended and the
 * workers of a ring, also behind a loop device or zram. Writes: the sectors in the stat of the
 * device behind the target, counted where they complete; write_bytes would count pages when they
 * become dirty.
 */
#include "run/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR 512
#define STAT_WRITTEN                                                                               \
	6 /* field of sectors written, counted from 0 (Documentation/block/stat.rst)               \
	   */

static void unknown(struct outcome_device *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void unknown(struct outcome_device *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->why, sizeof(d->why), fmt, ap);
	va_end(ap);
	d->state = DEVICE_UNKNOWN;
}

/* In the file system of no number of its own (major 0): who reads the device there, if any? */
static const struct {
	uint32_t magic;
	const char *name;
	bool reads_here; /* the caller's thread submits the reads, or there is no device */
} kinds[] = {
	{0x01021994, "tmpfs", true},    {0x858458f6, "ramfs", true}, {0x9123683e, "btrfs", true},
	{0x794c7630, "overlay", false}, {0x2fc12fc1, "zfs", false},  {0x6969, "nfs", false},
	{0x65735546, "fuse", false},    {0x01021997, "9p", false},
};

static bool in_memory(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 &&
	       ((uint32_t)fs.f_type == kinds[0].magic || (uint32_t)fs.f_type == kinds[1].magic);
}

static void no_number(int fd, struct device_marks *m)
{
	struct statfs fs;
	const char *name = "the file system";
	bool reads_here = false;

	for (size_t i = 0; fstatfs(fd, &fs) == 0 && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if ((uint32_t)fs.f_type != kinds[i].magic)
			continue;
		name = kinds[i].name;
		reads_here = kinds[i].reads_here;
	}
	unknown(&m->written_of, "%s has no single device", name);
	if (!reads_here)
		unknown(&m->read_of, "%s has no single device", name);
}

static int open_read(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The whole small file of the kernel, made anew at each read from its begin. */
static bool take(int fd, char *text, size_t size)
{
	ssize_t n = lseek(fd, 0, SEEK_SET) ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Some devices are told not to count: then their numbers stand still. Not all of them obey (zram
 * counts on), so that a counter which moves is believed. A partition asks its disk. */
static bool counts(unsigned major, unsigned minor)
{
	static const char *const where[] = {"queue/iostats", "../queue/iostats"};
	char path[64], text[8] = "";

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major, minor, where[i]);
		int fd = open_read(path);

		if (fd < 0)
			continue;
		bool off = take(fd, text, sizeof(text)) && text[0] == '0';

		close(fd);
		return !off;
	}
	return true;
}

static void open_stat(struct device *d, int fd, struct device_marks *m)
{
	char path[64], buf[32];
	struct stat st;

	if (fstat(fd, &st)) {
		unknown(&m->written_of, "fstat of the target failed: %s",
			err_text(errno, buf, sizeof(buf)));
		return;
	}
	dev_t dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;

	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode)) {
		unknown(&m->read_of, "the target is neither a file nor a block device");
		m->written_of = m->read_of;
		return;
	}
	if (!major(dev)) {
		no_number(fd, m);
		return;
	}
	m->counts = counts(major(dev), minor(dev));
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(dev), minor(dev));
	d->stat = open_read(path);
	if (d->stat < 0)
		unknown(&m->written_of, "cannot read %s: %s", path,
			err_text(errno, buf, sizeof(buf)));
}

void device_open(struct device *d, const struct job *j, const struct engine *g, int fd,
		 struct device_marks *m)
{
	char buf[32];

	*d = (struct device){-1, -1};
	m->read[0] = m->read[1] = m->written[0] = m->written[1] = -1;
	m->read_of.state = m->written_of.state = DEVICE_KNOWN;
	if (g->caps & ENGINE_DISKLESS || fd < 0) {
		m->read_of.state = m->written_of.state = DEVICE_NONE;
		return;
	}
	m->must_move = j->direct && !in_memory(fd);
	m->counts = true;
	open_stat(d, fd, m);
	if (m->read_of.state != DEVICE_KNOWN)
		return;
	d->io = open_read("/proc/self/io");
	if (d->io < 0)
		unknown(&m->read_of, "cannot read /proc/self/io: %s",
			err_text(errno, buf, sizeof(buf)));
}

void device_close(struct device *d)
{
	if (d->io >= 0)
		close(d->io);
	if (d->stat >= 0)
		close(d->stat);
	*d = (struct device){-1, -1};
}

static int64_t read_bytes(int fd)
{
	static const char name[] = "\nread_bytes: ";
	char text[512];
	const char *at;
	uint64_t v;

	if (fd < 0 || !take(fd, text, sizeof(text)))
		return -1;
	at = strstr(text, name);
	if (!at)
		return -1;
	at += sizeof(name) - 1;
	return str_take_u64(&at, &v) && v <= INT64_MAX ? (int64_t)v : -1;
}

static int64_t written_bytes(int fd)
{
	char text[512];
	const char *at = text;
	uint64_t v = 0;

	if (fd < 0 || !take(fd, text, sizeof(text)))
		return -1;
	for (int i = 0; i <= STAT_WRITTEN; i++) {
		at += strspn(at, " ");
		if (!str_take_u64(&at, &v))
			return -1;
	}
	return v <= INT64_MAX / SECTOR ? (int64_t)v * SECTOR : -1;
}

void device_mark(const struct device *d, struct device_marks *m, int border)
{
	m->read[border] = read_bytes(d->io);
	m->written[border] = written_bytes(d->stat);
}

static void between(const int64_t v[2], const struct outcome_device *of, const char *what,
		    struct outcome_device *out)
{
	*out = *of;
	if (of->state != DEVICE_KNOWN)
		return;
	if (v[0] < 0 || v[1] < v[0])
		unknown(out, "the counter of the %s could not be read at both ends of the window",
			what);
	else
		out->bytes = (uint64_t)(v[1] - v[0]);
}

/* Direct I/O was done, and the counter did not see it. */
static void believe(struct outcome_device *d, bool must_move, const char *what)
{
	if (d->state == DEVICE_KNOWN && !d->bytes && must_move)
		unknown(d, "the counter of the %s stands still", what);
}

void device_gather(const struct device_marks *m, struct outcome *o)
{
	between(m->read, &m->read_of, "reads", &o->device_read);
	between(m->written, &m->written_of, "writes", &o->device_written);
	if (o->device_written.state == DEVICE_KNOWN && !o->device_written.bytes && !m->counts)
		unknown(&o->device_written, "the device does not count (its queue/iostats is 0)");
	believe(&o->device_read, m->must_move && o->dir[DIR_READ].bytes, "reads");
	believe(&o->device_written, m->must_move && o->dir[DIR_WRITE].bytes, "writes");
}
