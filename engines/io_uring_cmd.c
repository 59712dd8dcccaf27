/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_uring_cmd: NVMe commands through the passthrough node of a namespace (/dev/ngXnY). No page
 * cache, no I/O scheduler, no splitting: what is submitted is what the drive gets. The ring is that
 * of uring_setup.c with entries twice as long, as a command and its completion need it.
 */
#include "engines/nvme.h"
#include "engines/table.h"
#include "engines/uring.h"

#include <dirent.h>
#include <endian.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "engine \"io_uring_cmd\""

/* Why an I/O failed, beyond its errno. */
enum refusal { FINE, BY_DEVICE, BY_KERNEL, RESET, BUFFER, BLOCKS, TRANSFER, NO_TRIM };

struct range { /* of Dataset Management, little endian */
	uint32_t attributes, blocks;
	uint64_t start;
};

struct slot {
	struct range range;
	enum refusal refusal;
	unsigned status;
};

struct cmd_ring {
	struct nvme_ns *ns; /* one a descriptor */
	struct slot *slots; /* by io->index */
	struct io_uring_cqe **cqes;
	unsigned depth;
	char why[160];
	struct uring u; /* ends in the descriptors */
};

static void ring_free(struct cmd_ring *r)
{
	free(r->cqes);
	free(r->slots);
	free(r->ns);
	free(r);
}

static int ask_all(struct cmd_ring *r, const struct engine_config *c, struct err *e)
{
	/* A buffer is whole pages; how much of the last one a transfer takes each I/O tells. */
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < c->nfds; i++) {
		struct nvme_ns *ns = &r->ns[i];

		if (nvme_ask(c->fds[i], ns, e))
			return e->code;
		if (c->buffer_len < ns->max_transfer + page)
			continue;
		err_set(e, ERR_MEASURE,
			NAME ": a transfer of %zu bytes is above the %llu bytes that the device "
			     "takes at once (MDTS)",
			c->buffer_len, (unsigned long long)ns->max_transfer);
		return err_hint(e, "a smaller bs; the block layer would have split it");
	}
	return 0;
}

static int cmd_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct cmd_ring *r = xcalloc(1, sizeof(*r) + c->nfds * sizeof(r->u.fds[0]));

	r->ns = xcalloc(c->nfds, sizeof(*r->ns));
	r->slots = xcalloc(c->depth, sizeof(*r->slots));
	r->u.asked = IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
	/* The kernel takes other buffers too, by a copy of its own. */
	int rc = (uintptr_t)c->buffers % 4096
			 ? err_set(e, ERR_MEASURE, NAME ": its buffers are not page aligned")
			 : ask_all(r, c, e);

	if (!rc)
		rc = uring_setup(&r->u, c, e);
	if (rc) {
		ring_free(r);
		return rc;
	}
	r->cqes = xcalloc(c->depth, sizeof(struct io_uring_cqe *));
	r->depth = c->depth;
	memcpy(r->u.fds, c->fds, c->nfds * sizeof(r->u.fds[0]));
	*ctx = r;
	return 0;
}

static enum refusal check(const struct nvme_ns *ns, const struct io *io)
{
	uint64_t part = (UINT64_C(1) << ns->lba_shift) - 1;

	if (io->op == IO_FSYNC || io->op == IO_FDATASYNC)
		return FINE;
	if (io->len == 0 || (io->offset & part) || (io->len & part))
		return BLOCKS;
	if (io->op == IO_TRIM)
		return ns->trims ? FINE : NO_TRIM;
	if ((uintptr_t)io->buf & 3)
		return BUFFER; /* the bus moves words of 32 bits */
	return io->len > ns->max_transfer ? TRANSFER : FINE;
}

static void prep_rw(struct nvme_uring_cmd *cmd, const struct nvme_ns *ns, const struct io *io)
{
	uint64_t lba = io->offset >> ns->lba_shift;

	cmd->opcode = io->op == IO_WRITE ? NVME_WRITE : NVME_READ;
	cmd->addr = (uint64_t)(uintptr_t)io->buf;
	cmd->data_len = io->len;
	cmd->cdw10 = (uint32_t)lba;
	cmd->cdw11 = (uint32_t)(lba >> 32);
	cmd->cdw12 = (io->len >> ns->lba_shift) - 1;
}

static void prep_trim(struct nvme_uring_cmd *cmd, const struct nvme_ns *ns, const struct io *io,
		      struct range *range)
{
	*range = (struct range){.blocks = htole32(io->len >> ns->lba_shift),
				.start = htole64(io->offset >> ns->lba_shift)};
	cmd->opcode = NVME_DSM;
	cmd->addr = (uint64_t)(uintptr_t)range;
	cmd->data_len = sizeof(*range);
	cmd->cdw11 = 1 << 2; /* deallocate; cdw10 0 = one range */
}

static void prep(struct cmd_ring *r, struct io_uring_sqe *sqe, struct io *io)
{
	const struct nvme_ns *ns = &r->ns[io->fd];
	struct slot *s = &r->slots[io->index];
	struct nvme_uring_cmd cmd = {.nsid = ns->nsid};

	s->refusal = check(ns, io);
	if (__builtin_expect(s->refusal != FINE, 0)) {
		/* It goes through the ring all the same, so that it comes back in one way only. */
		io_uring_prep_nop(sqe);
		io_uring_sqe_set_data(sqe, io);
		return;
	}
	memset(sqe, 0, 2 * sizeof(*sqe));
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->cmd_op = NVME_URING_CMD_IO;
	sqe->fd = r->u.registerfiles ? (int)io->fd : r->u.fds[io->fd];
	sqe->flags = r->u.registerfiles ? IOSQE_FIXED_FILE : 0;
	sqe->user_data = (uint64_t)(uintptr_t)io;
	if (io->op == IO_READ || io->op == IO_WRITE) {
		prep_rw(&cmd, ns, io);
		sqe->uring_cmd_flags = r->u.fixedbufs ? IORING_URING_CMD_FIXED : 0;
		sqe->buf_index = (uint16_t)(r->u.fixedbufs ? io->index : 0);
	} else if (io->op == IO_TRIM) {
		prep_trim(&cmd, ns, io, &s->range);
	} else {
		cmd.opcode = NVME_FLUSH;
	}
	memcpy(sqe->cmd, &cmd, sizeof(cmd));
}

static int cmd_submit(void *ctx, struct io **ios, unsigned n)
{
	struct cmd_ring *r = ctx;
	unsigned taken = 0;

	if (r->u.broken)
		return r->u.broken;
	while (taken < n) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&r->u.ring);

		if (!sqe && r->u.sqthread_poll) {
			uring_flush(&r->u);
			io_uring_sqring_wait(&r->u.ring);
			sqe = io_uring_get_sqe(&r->u.ring);
		}
		if (!sqe)
			break;
		prep(r, sqe, ios[taken++]);
	}
	uring_flush(&r->u);
	return (int)taken;
}

__attribute__((cold)) static int64_t failed(struct slot *s, int res)
{
	const char *text;

	if (s->refusal != FINE)
		return s->refusal == NO_TRIM ? -EOPNOTSUPP : -EINVAL;
	if (res > 0) {
		s->refusal = BY_DEVICE;
		s->status = (unsigned)res & 0x7ff;
		return -nvme_errno(s->status, &text);
	}
	/* The kernel's word for a command that it ended itself. No signal: the runner must not do
	 * it again as if nothing had been. */
	s->refusal = res == -EINTR ? RESET : BY_KERNEL;
	return res == -EINTR ? -EIO : res;
}

static unsigned drain(struct cmd_ring *r, struct io **done, unsigned max)
{
	struct uring *u = &r->u;
	unsigned ask = max < r->depth ? max : r->depth;

	if (u->hipri && io_uring_cq_ready(&u->ring) == 0)
		io_uring_get_events(&u->ring);
	unsigned n = io_uring_peek_batch_cqe(&u->ring, r->cqes, ask);

	for (unsigned i = 0; i < n; i++) {
		struct io *io = io_uring_cqe_get_data(r->cqes[i]);
		struct slot *s = &r->slots[io->index];
		int res = r->cqes[i]->res;

		io->res = res == 0 && s->refusal == FINE ? (int64_t)io->len : failed(s, res);
		done[i] = io;
	}
	io_uring_cq_advance(&u->ring, n);
	return n;
}

static int cmd_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct cmd_ring *r = ctx;
	struct uring *u = &r->u;

	uring_flush(u);
	unsigned got = drain(r, done, max);
	bool again = got < min && until > 0;

	while (again && got < min && !u->broken) {
		again = uring_wait(u, min - got, until);
		got += drain(r, done + got, max - got);
	}
	return got == 0 && u->broken ? u->broken : (int)got;
}

static const char *cmd_why(void *ctx, const struct io *io)
{
	static const char *const texts[] = {
		[FINE] = "",
		[RESET] = "the kernel ended the command: its time was over, or the controller was "
			  "reset",
		[BUFFER] = "the buffer is not aligned to 4 bytes",
		[BLOCKS] = "offset and length must be multiples of the logical block",
		[TRANSFER] = "the transfer is above what the device takes at once (MDTS)",
		[NO_TRIM] = "the device has no Dataset Management",
	};
	struct cmd_ring *r = ctx;
	const struct slot *s = &r->slots[io->index];
	const char *text;

	if (s->refusal == BY_DEVICE) {
		nvme_errno(s->status, &text);
		snprintf(r->why, sizeof(r->why), "NVMe status 0x%x%s%s", s->status,
			 text ? ": " : "", text ? text : "");
		return r->why;
	}
	if (s->refusal != BY_KERNEL)
		return texts[s->refusal];
	if (io->res == -EINVAL)
		return "the kernel did not take the command: is it above queue/max_hw_sectors_kb, "
		       "or of more pages than queue/max_segments?";
	if (io->res == -EACCES || io->res == -EPERM)
		return "before Linux 6.2 passthrough commands need CAP_SYS_ADMIN, later "
		       "permission on the node";
	return "";
}

static const char *cmd_about(void *ctx)
{
	return ((const struct cmd_ring *)ctx)->u.about;
}

static void cmd_close(void *ctx)
{
	struct cmd_ring *r = ctx;

	io_uring_queue_exit(&r->u.ring);
	ring_free(r);
}

/* Whether one of them is the target the plan sees; here, whether there is anything to do. */
static int cmd_probe(struct err *e)
{
	DIR *dev = opendir("/dev");
	struct dirent *d = NULL;
	unsigned controller, ns;
	char tail;

	while (dev && (d = readdir(dev)) &&
	       sscanf(d->d_name, "ng%un%u%c", &controller, &ns, &tail) != 2)
		;
	if (dev)
		closedir(dev);
	if (!d) {
		err_set(e, ERR_MEASURE, NAME ": no NVMe character device (/dev/ng*) here");
		return err_hint(e, "Linux 5.13 or later makes one for each NVMe namespace; a "
				   "container must be given it");
	}
	return uring_probe_cmd(e);
}

const struct engine engine_io_uring_cmd = {
	.api = ENGINE_API,
	.name = "io_uring_cmd",
	.what = "NVMe passthrough on /dev/ngXnY; hipri, fixedbufs, registerfiles, sqthread_poll",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC |
		ENGINE_OP_FDATASYNC | ENGINE_PASSTHROUGH | ENGINE_HIPRI | ENGINE_FIXEDBUFS |
		ENGINE_REGISTERFILES | ENGINE_SQPOLL,
	.depth_max = 32768, /* IORING_MAX_ENTRIES of the kernel */
	.probe = cmd_probe,
	.open = cmd_open,
	.submit = cmd_submit,
	.reap = cmd_reap,
	.close = cmd_close,
	.about = cmd_about,
	.why = cmd_why,
};
