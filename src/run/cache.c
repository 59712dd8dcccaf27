/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page cache of a target: dropping it, and looking whether it is gone. */
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (16u << 20)
#define CHUNKS 64u
#define PAGE_MIN 4096u
/* What may stay behind of a drop: a device is also read by others (udev, a partition table). */
#define LEFT_PERCENT 1

/*
 * Dirty pages cannot be dropped, so they are written first. For a block device too only the cached
 * pages go: BLKFLSBUF would need CAP_SYS_ADMIN, and does no more for clean pages.
 */
int run_invalidate(int fd, const char *name, struct err *e)
{
	/* Devices without a cache (/dev/full) and read-only file systems have nothing to sync. */
	if (fdatasync(fd) && errno != EINVAL && errno != EROFS)
		return err_sys(e, ERR_MEASURE, errno, "fdatasync of '%s' failed", name);
	int sys = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

	if (sys)
		return err_sys(e, ERR_MEASURE, sys, "cannot drop the cached pages of '%s'", name);
	return 0;
}

/* Some sandboxes answer that every page is in memory, also one that was never touched. */
static bool mincore_tells(size_t page)
{
	unsigned char in = 1;
	void *p = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return false;
	bool tells = mincore(p, page, &in) == 0 && !(in & 1);

	munmap(p, page);
	return tells;
}

/* Of a file that is neither ours nor writable mincore() also calls every page present. */
static bool may_look(int fd, const struct stat *st)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return st->st_uid == geteuid() || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* 0 or a positive errno. */
static int look_at(int fd, uint64_t at, uint64_t len, size_t page, struct cache_look *c)
{
	unsigned char in[CHUNK / PAGE_MIN + 1];
	uint64_t skip = at % page;
	size_t bytes = (size_t)(len + skip), pages = (bytes + page - 1) / page;
	void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)(at - skip));

	if (p == MAP_FAILED)
		return errno;
	int sys = mincore(p, bytes, in) ? errno : 0;

	munmap(p, bytes);
	for (size_t i = 0; !sys && i < pages; i++)
		c->left += in[i] & 1;
	c->seen += sys ? 0 : pages;
	return sys;
}

void cache_look(int fd, uint64_t offset, uint64_t len, struct cache_look *c)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat st;

	if (fstat(fd, &st))
		c->sys = errno;
	else if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return; /* no page cache */
	else if (!may_look(fd, &st))
		c->sys = EPERM;
	else if (!mincore_tells(page))
		c->sys = ENOSYS;
	uint64_t n = (len + CHUNK - 1) / CHUNK;

	/* All of it up to a GiB, else evenly spread samples that begin and end with the region. */
	if (n > CHUNKS)
		n = CHUNKS;
	for (uint64_t i = 0; i < n && !c->sys; i++) {
		uint64_t at = i * CHUNK, size = len - at < CHUNK ? len - at : CHUNK;

		if (len > (uint64_t)CHUNK * CHUNKS) {
			at = (len - CHUNK) / (CHUNKS - 1) * i;
			at = i + 1 < n ? at - at % page : len - CHUNK;
			size = CHUNK;
		}
		c->sys = look_at(fd, offset + at, size, page, c);
	}
}

bool cache_kept(const struct cache_look *c, bool may_stay, char *note, size_t size)
{
	char buf[32];

	*note = '\0';
	if (c->sys)
		snprintf(note, size, "whether the page cache was dropped cannot be seen (%s)",
			 err_text(c->sys, buf, sizeof(buf)));
	else if (c->left && !may_stay && c->left * 100 > c->seen * LEFT_PERCENT)
		return true;
	else if (c->left)
		snprintf(note, size, "%llu of %llu pages looked at stayed in the page cache",
			 (unsigned long long)c->left, (unsigned long long)c->seen);
	return false;
}
