/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host: the machine and its devices as facts. Every read of /sys, /proc, /dev and /run goes through
 * a settable root, so recorded machines serve as fixtures; a root other than "/" serves probe,
 * plan, lint and tests, never real I/O.
 *
 * Includes: model/facts.h, model/target.h, base. Ownership: texts go into the arena given.
 * libblkid, libmount behind host only, libnvme in host/nvme.c only. Threads: one.
 */
#ifndef BLKGATE_HOST_HOST_H
#define BLKGATE_HOST_HOST_H

#include "base/arena.h"
#include "base/log.h"
#include "base/str.h"
#include "model/target.h"

struct host {
	const char *root; /* "/" or a fixture; never NULL */
};

/* ERR_USAGE when the root of a recorded machine holds no /sys. */
int host_check_root(const struct host *h, struct err *e);

/* kernel.release kernel.cmdline cpu.model cpu.count host.name boot.id cgroup.limit power.source ...
 */
void host_facts(const struct host *h, struct facts *f, struct arena *a);

/*
 * Resolves what the user wrote: a path (node, by-id link, file, folder) or an identity of exactly
 * one block device: "wwid:X" or a bare EUI/NAA, "serial:S" or "serial:S/nsid:N",
 * "pci:0000:01:00.0". An ambiguous identity is refused with the candidates. Fills kind, path,
 * sizes, limits, device numbers and facts; opens nothing for writing. ERR_TARGET: missing, wrong
 * kind (socket, fifo, char device), no permission (file mode versus device cgroup), symlink loops;
 * each with cause and remedy.
 *
 * Identities besides: "diskseq:N" and /dev/disk/by-diskseq/N (one device until it is removed; the
 * only one that loop, zram and ram disks have), 16 or 32 bare hex digits of an EUI-64, NGUID or
 * NAA, and bare names of /dev/disk/by-id ("nvme-..."). With a root other than "/" every path, files
 * and folders too, is looked up below that root. dio_known is set when statx reported DIOALIGN and
 * an alignment: zeros mean that direct I/O is not possible there. A folder is left unknown:
 * host_dio() on one of the session's own files. A fact that does not exist for this hardware (model
 * of a zram disk) is "none"; one that exists and cannot be read is unknown.
 */
int host_target(const struct host *h, const char *role, const char *id, struct arena *a,
		struct target *t, struct err *e);
/* Fills dio_mem, dio_offset, dio_known (and logical_block of a file or folder target) from an open
 * descriptor. 0 or -errno of statx. */
int host_dio(int fd, struct target *t);
/* The kernel's sequence number of the disk behind an open node: another one is another disk. 0 =
 * unknown (no such ioctl, no block device). */
uint64_t host_diskseq(int fd);
/*
 * Is block device t where it was? 0: yes. 1: no, it was found elsewhere by wwid, or serial and
 * namespace; *now is it (release its facts), with the same model, firmware, size and format.
 * ERR_TARGET: it is gone, came back as something else, several answer to its name, or it has no
 * name but the kernel's (loop).
 */
int host_again(const struct host *h, const struct target *t, struct arena *a, struct target *now,
	       struct err *e);
/*
 * Reads device.*, link.*, upstream.bandwidth, pcie.* of t's device again, as host_target() did;
 * nothing for a target without one. Bandwidths are bytes/s:
 *   link.bandwidth         GT/s x lanes / 8 x coding: 8/10 up to 5 GT/s, 128/130 up to 32 GT/s,
 *                          236/256 (flits) at 64 GT/s. `% of link` refers to it.
 *   pcie.usable_bandwidth  link.bandwidth x P / (P + around), P = pcie.max_payload, around = 24
 *                          bytes up to 32 GT/s and 16 in flits.
 * After the PCI Express Base Specification: header of a memory write with a 64-bit address (2.2.1,
 * 16 bytes), LCRC (3.6, 4), sequence number and framing (4.2.1 with 8b/10b, 4.2.2 with 128b/130b,
 * 4); coding and flits 4.2. Acknowledgements, flow control and skip sets, a few per cent, are not
 * taken off: no transfer reaches it quite.
 */
void host_device(const struct host *h, const struct target *t, struct facts *f, struct arena *a);
/* The device's health now: temperature, health.* (SMART of NVMe, root), pcie.correctable and
 * its like (errors of its link), device.io_errors, device.firmware_slots. Counters are over its life. none and unknown as
 * above. */
void host_health(const struct host *h, const struct target *t, struct facts *f, struct arena *a);
/* kernel_log: "clean" when the log may be read, so that a run can tell; else unknown with the
 * remedy. */
void host_kernel_log(const struct host *h, struct facts *f, struct arena *a);
/* Is id an identity that may authorise writing to that device (by-id link, wwid, serial, pci; never
 * /dev/sdX)? For a file or folder: is id its path?
 * 1 yes, 0 no with the sentence in e (code untouched otherwise). */
int host_identity(const struct host *h, const char *id, const struct target *t, struct err *e);
/* Does t->id lead to t as it did when it was resolved? Of the living machine only. 0, or
 * ERR_TARGET. */
int host_still(const struct target *t, struct err *e);
/* All names by which --allow-write would know t, those that others answer to as well left out. 0, or
 * ERR_TARGET. */
int host_identities(const struct host *h, const struct target *t, struct notices *out,
		    struct err *e);
/*
 * What uses a block device: mounts (in every mount namespace that may be seen), swap, holders (LVM,
 * MD, crypt, multipath) and loop devices stacked on it, in the device, its parents, partitions and
 * siblings. What uses a file as one: swap, a loop device. One sentence each into users. 0, or
 * ERR_TARGET when it cannot be found out (then it counts as used).
 */
int host_in_use(const struct host *h, const struct target *t, struct notices *users, struct err *e);
/* Signature of a file system, partition table, LVM ... on the device (libblkid); *type = NULL when
 * blank. Opens the device read-only. ERR_TARGET when it cannot be read. With a root other than "/"
 * the answer is what udev recorded in ROOT/run/udev/data/bMAJOR:MINOR. */
int host_signature(const struct host *h, const struct target *t, struct arena *a, const char **type,
		   struct err *e);
/* Bytes that can be had without swapping (MemAvailable). No fact: it is another one each moment. 0,
 * or ERR_TARGET when the kernel does not tell. */
int host_memory(const struct host *h, uint64_t *bytes, struct err *e);
/* Descriptors that this process may have open (RLIMIT_NOFILE, the soft limit; UINT64_MAX = no
 * limit). 0, or ERR_TARGET. */
int host_descriptors(const struct host *h, uint64_t *n, struct err *e);
/* Memory nodes there are, or those of them with memory, as a list ("0-1,3"); the processors of one
 * of them, "" when it has none. 0, or ERR_TARGET: the kernel has none, or does not tell. */
int host_nodes(const struct host *h, bool with_memory, struct str *out, struct err *e);
int host_node_cpus(const struct host *h, unsigned node, struct str *out, struct err *e);
/* Processors that are online, as a list. 0 or ERR_TARGET. */
int host_cpus(const struct host *h, struct str *out, struct err *e);
/*
 * Settings of the kernel: "scheduler" and the like are attributes of the queue of t's whole disk,
 * "sysctl:KEY" is /proc/sys/KEY. host_tunable_name: ERR_USAGE when it cannot be one. host_tunable:
 * its file, which is there and may be written, or ERR_TARGET. A value is the text of the file, or
 * the word in brackets where it lists them all.
 */
int host_tunable_name(const char *setting, struct err *e);
int host_tunable(const struct host *h, const char *setting, const struct target *t, struct arena *a,
		 const char **path, struct err *e);
int host_tunable_read(const char *path, struct str *out, struct err *e);
/* ERR_TARGET when it is another value than that. */
int host_tunable_holds(const char *path, const char *value, struct err *e);
/* Writes it and reads it back: ERR_TARGET when the kernel did not take it. */
int host_tunable_write(const char *path, const char *value, struct err *e);
/* Boot, disk, its sequence number, and what the kernel counted as written to and discarded on the
 * whole disk, as a text: while it stays the same nobody changed t's device. ERR_TARGET: it is not
 * counted.
 */
int host_write_mark(const struct host *h, const struct target *t, struct str *out, struct err *e);
/* Drops the clean pages, dentries and inodes of the whole machine; or only asks whether it may.
 * ERR_TARGET. */
int host_drop_caches(const struct host *h, bool only_ask, struct err *e);
/* A value of 0 that the kernel shows and does not take: of vm.dirty_bytes and vm.dirty_ratio (and
 * their background kind) the one that was set last holds, and the other is 0. The file to write
 * instead, into out; false = path has no such counterpart. */
bool host_tunable_counterpart(const char *path, struct str *out);
/* Fresh label: a user label becomes fact label.NAME. */
void host_label(struct facts *f, struct arena *a, const char *name, const char *value);

#endif
