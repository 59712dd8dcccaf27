/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/nvme: private to io_uring_cmd.c: what a descriptor of an NVMe namespace is, asked of
 * itself, and what the status of a command means. ioctl(2) alone: no library, no path.
 */
#ifndef BLKGATE_ENGINES_NVME_H
#define BLKGATE_ENGINES_NVME_H

#include "base/err.h"

enum { NVME_FLUSH = 0x00, NVME_WRITE = 0x01, NVME_READ = 0x02, NVME_DSM = 0x09 };

struct nvme_ns {
	uint32_t nsid;
	unsigned lba_shift;    /* a logical block is 1 << lba_shift bytes */
	uint64_t max_transfer; /* bytes a command (MDTS, and what its fields can say) */
	bool trims;            /* Dataset Management */
};

/* Of an open /dev/ngXnY. ERR_MEASURE: it is none, or its format is one that a plain transfer of
 * blocks cannot serve (metadata, protection information). */
int nvme_ask(int fd, struct nvme_ns *ns, struct err *e);

/* A positive result of IORING_OP_URING_CMD: the status field of the completion, as errno and as the
 * specification calls it ("LBA out of range"; NULL = not in the list). */
int nvme_errno(unsigned status, const char **text);

#endif
