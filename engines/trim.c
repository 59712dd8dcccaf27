/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engines/trim.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

void trim_learn(const int *fds, unsigned n, int *is_block)
{
	struct stat st;

	for (unsigned i = 0; i < n; i++)
		is_block[i] = fstat(fds[i], &st) == 0 && S_ISBLK(st.st_mode);
}

ssize_t trim_one(int fd, bool is_block, const struct io *io)
{
	uint64_t range[2] = {io->offset, io->len};
	int rc = is_block ? ioctl(fd, BLKDISCARD, range)
			  : fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				      (off_t)io->offset, (off_t)io->len);

	return rc < 0 ? -1 : (ssize_t)io->len;
}
