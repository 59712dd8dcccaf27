/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engines/nvme.h"

#include <endian.h>
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define NAME "engine \"io_uring_cmd\""

enum {
	ADMIN_IDENTIFY = 0x06,
	IDENTIFY_SIZE = 4096,
	CNS_NAMESPACE = 0,
	CNS_CONTROLLER = 1,
	/* bytes of Identify Namespace */
	NS_NLBAF = 25,
	NS_FLBAS = 26,
	NS_DPS = 29,
	NS_LBAF = 128,
	/* bytes of Identify Controller */
	CTRL_MDTS = 77,
	CTRL_ONCS = 520,
	ONCS_DSM = 1 << 2,
	/* MDTS counts in the controller's smallest page, which only a register tells. It is 4 KiB
	 * on all that can serve a machine with pages of that size. */
	PAGE_SHIFT = 12,
	LBA_SHIFT_MIN = 9,
	LBA_SHIFT_MAX = 24,
};

static int identify(int fd, uint32_t nsid, unsigned cns, uint8_t *data, struct err *e)
{
	struct nvme_passthru_cmd64 cmd = {.opcode = ADMIN_IDENTIFY,
					  .nsid = nsid,
					  .addr = (uint64_t)(uintptr_t)data,
					  .data_len = IDENTIFY_SIZE,
					  .cdw10 = cns};
	const char *what = cns == CNS_NAMESPACE ? "Namespace" : "Controller", *text = NULL;
	int rc;

	memset(data, 0, IDENTIFY_SIZE);
	do
		rc = ioctl(fd, NVME_IOCTL_ADMIN64_CMD, &cmd);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return 0;
	if (rc > 0) {
		int sys = nvme_errno((unsigned)rc, &text);

		return err_sys(e, ERR_MEASURE, sys, NAME ": Identify %s: NVMe status 0x%x (%s)",
			       what, (unsigned)rc & 0x7ffu, text ? text : "not in the list");
	}
	int sys = errno;

	err_sys(e, ERR_MEASURE, sys, NAME ": Identify %s", what);
	if (sys == EACCES || sys == EPERM)
		return err_hint(e,
				"before Linux 6.2 passthrough commands need CAP_SYS_ADMIN, later "
				"permission on the node");
	return e->code;
}

/* How many bytes a block has, and whether anything but data belongs to it. */
static int read_format(const uint8_t *d, struct nvme_ns *ns, struct err *e)
{
	unsigned i = d[NS_FLBAS] & 0xfu, pi = d[NS_DPS] & 0x7u;
	uint16_t metadata;

	if (d[NS_NLBAF] >= 16)
		i |= (d[NS_FLBAS] >> 5 & 0x3u) << 4;
	const uint8_t *format = d + NS_LBAF + i * 4;

	memcpy(&metadata, format, sizeof(metadata));
	metadata = le16toh(metadata);
	ns->lba_shift = format[2];
	if (ns->lba_shift < LBA_SHIFT_MIN || ns->lba_shift > LBA_SHIFT_MAX)
		return err_set(e, ERR_MEASURE,
			       NAME ": namespace %u is not formatted (no size of a block)",
			       ns->nsid);
	if (pi)
		err_set(e, ERR_MEASURE,
			NAME ": namespace %u has protection information (PI type %u), which this "
			     "engine neither makes nor checks",
			ns->nsid, pi);
	else if (metadata)
		err_set(e, ERR_MEASURE,
			NAME ": the blocks of namespace %u carry %u bytes of metadata (%s), which "
			     "this engine does not transfer",
			ns->nsid, metadata,
			d[NS_FLBAS] & 0x10 ? "in the data: extended LBA"
					   : "in a buffer of its own");
	if (pi || metadata)
		return err_hint(e, "a format without metadata (nvme format --lbaf), which erases "
				   "it; or ioengine: io_uring on the block device");
	return 0;
}

static void read_limits(const uint8_t *d, struct nvme_ns *ns)
{
	unsigned mdts = d[CTRL_MDTS];
	uint16_t oncs;

	memcpy(&oncs, d + CTRL_ONCS, sizeof(oncs));
	ns->trims = le16toh(oncs) & ONCS_DSM;
	ns->max_transfer = mdts && mdts < 20 ? UINT64_C(1) << (PAGE_SHIFT + mdts) : UINT32_MAX;
	/* The number of blocks of a command has 16 bits. */
	if (ns->max_transfer > UINT64_C(65536) << ns->lba_shift)
		ns->max_transfer = UINT64_C(65536) << ns->lba_shift;
}

static int no_namespace(int fd, int sys, struct err *e)
{
	struct stat st = {0};

	(void)fstat(fd, &st);
	if (sys == EBADF)
		return err_sys(e, ERR_MEASURE, sys, NAME ": its descriptor");
	err_set(e, ERR_MEASURE,
		NAME " needs the passthrough node of an NVMe namespace; this is a %s",
		S_ISBLK(st.st_mode)   ? "block device"
		: S_ISCHR(st.st_mode) ? "character device of another kind"
				      : "file");
	return err_hint(e, "name /dev/ngXnY, or choose another ioengine");
}

int nvme_ask(int fd, struct nvme_ns *ns, struct err *e)
{
	uint8_t data[IDENTIFY_SIZE];
	struct stat st;
	int nsid = -1;

	*ns = (struct nvme_ns){0};
	/* The block device answers the same question, but takes no io_uring commands. */
	if (fstat(fd, &st) < 0)
		return no_namespace(fd, errno, e);
	if (S_ISCHR(st.st_mode))
		nsid = ioctl(fd, NVME_IOCTL_ID);
	if (nsid <= 0)
		return no_namespace(fd, 0, e);
	ns->nsid = (uint32_t)nsid;
	if (identify(fd, ns->nsid, CNS_NAMESPACE, data, e) || read_format(data, ns, e) ||
	    identify(fd, 0, CNS_CONTROLLER, data, e))
		return e->code;
	read_limits(data, ns);
	return 0;
}

/* Status code type and status code, as they stand in the specification. */
static const struct {
	unsigned status;
	int sys;
	const char *text;
} meanings[] = {
	{0x001, EOPNOTSUPP, "invalid command opcode"},
	{0x002, EINVAL, "invalid field in command"},
	{0x004, EIO, "data transfer error"},
	{0x005, EIO, "aborted due to power loss"},
	{0x006, EIO, "internal error"},
	{0x007, ECANCELED, "command abort requested"},
	{0x008, ECANCELED, "aborted: its queue was deleted"},
	{0x00b, ENODEV, "invalid namespace or format"},
	{0x013, EINVAL, "PRP offset invalid"},
	{0x015, EACCES, "operation denied"},
	{0x016, EINVAL, "SGL offset invalid"},
	{0x01c, EIO, "sanitize failed"},
	{0x01d, EBUSY, "sanitize in progress"},
	{0x020, EROFS, "namespace is write protected"},
	{0x021, EBUSY, "command interrupted"},
	{0x080, ERANGE, "LBA out of range"},
	{0x081, ENOSPC, "capacity exceeded"},
	{0x082, EBUSY, "namespace not ready"},
	{0x083, EBUSY, "reservation conflict"},
	{0x084, EBUSY, "format in progress"},
	{0x180, EINVAL, "conflicting attributes"},
	{0x181, EINVAL, "invalid protection information"},
	{0x182, EROFS, "attempted write to a read-only range"},
	{0x280, EIO, "write fault"},
	{0x281, EIO, "unrecovered read error"},
	{0x282, EILSEQ, "end-to-end guard check error"},
	{0x283, EILSEQ, "end-to-end application tag check error"},
	{0x284, EILSEQ, "end-to-end reference tag check error"},
	{0x285, EIO, "compare failure"},
	{0x286, EACCES, "access denied"},
	{0x287, EIO, "deallocated or unwritten logical block"},
	{0x300, EIO, "internal path error"},
	{0x301, EIO, "asymmetric access persistent loss"},
	{0x302, EIO, "asymmetric access inaccessible"},
	{0x303, EIO, "asymmetric access transition"},
	{0x370, EIO, "host pathing error"},
	{0x371, EIO, "command aborted by host"},
};

int nvme_errno(unsigned status, const char **text)
{
	/* Above stand Do Not Retry, More and the retry delay. */
	status &= 0x7ff;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].status == status) {
			*text = meanings[i].text;
			return meanings[i].sys;
		}
	*text = NULL;
	return EIO;
}
