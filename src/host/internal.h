/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/internal: what the files of this room share. Nothing outside host includes it.
 *
 * A path here is always "as seen inside the root". Functions that return -errno take no struct err:
 * their caller decides whether a missing attribute is an error, "none" or an unknown fact.
 */
#ifndef BLKGATE_HOST_INTERNAL_H
#define BLKGATE_HOST_INTERNAL_H

#include "base/vec.h"
#include "host/host.h"
#include <sys/stat.h>

/* ---- root.c: files below the root ---- */

bool host_live(const struct host *h);          /* the root is "/": device nodes are real */
const char *host_prefix(const struct host *h); /* "" for "/" */
/* Bytes of a small file, white space at both ends cut. 0 or -errno (out is "" then). */
int host_read(const struct host *h, struct str *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int host_read_u64(const struct host *h, uint64_t *out, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The first bytes of a binary file, as they are. 0 and *got, or -errno. */
int host_read_bytes(const struct host *h, unsigned char *out, size_t n, size_t *got,
		    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool host_exists(const struct host *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int host_stat(const struct host *h, const char *path, struct stat *st); /* follows no last link */
/* Names of a folder below the root, sorted; absent = none. 0 or -errno. Free with file_list_free.
 */
int host_list(const struct host *h, char ***names, size_t *n, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * Follows every link of path, absolute ones inside the root too. A relative path starts at the
 * working directory when live, else at the root. 0, or -errno and out is the component that failed.
 */
int host_resolve(const struct host *h, const char *path, struct str *out);

/* ---- block.c: the block devices of /sys/block ---- */

struct block {
	char name[64]; /* kernel name; '!' stands for '/' as in sysfs */
	char dir[160]; /* "/sys/block/sda/sda1" */
	unsigned dev_major, dev_minor;
	size_t disk; /* index of the whole disk, itself when it is one */
	bool hidden; /* a path of an NVMe multipath head: no node, never a target */
};

struct blocks {
	struct block *v;
	size_t n, cap;
};

#define BLOCK_NONE SIZE_MAX

int blocks_load(const struct host *h, struct blocks *b, struct err *e); /* ERR_TARGET */
void blocks_release(struct blocks *b);
size_t blocks_by_number(const struct blocks *b, unsigned dev_major, unsigned dev_minor);
size_t blocks_by_name(const struct blocks *b, const char *name);
/* "/dev/cciss/c0d0" of a kernel name. */
void block_node(const struct block *b, struct str *out);
/* Which device does this path name: by the node's number when live, by its name in another root. */
size_t blocks_by_path(const struct host *h, const struct blocks *b, const char *path);
/* wwid, serial as facts show them: clean, single spaces. 0 or -errno (ENOENT: it has none). */
int block_wwid(const struct host *h, const struct block *disk, struct str *out);
int block_serial(const struct host *h, const struct block *disk, struct str *out);
/* The folders of the NVMe controllers of a namespace, sorted; none for other disks. */
struct block_controllers {
	char **v;
	size_t n, cap;
};
void block_controllers(const struct host *h, const struct block *disk, struct block_controllers *c);
void block_controllers_release(struct block_controllers *c);
/* The first NVMe controller folder behind a namespace, "" when it is no NVMe; *several = multipath.
 */
void block_controller(const struct host *h, const struct block *disk, struct str *out,
		      bool *several);
/* Resolved sysfs path of the hardware behind a disk ("/sys/devices/pci0000:00/..."). */
void block_hardware(const struct host *h, const struct block *disk, struct str *out);

/* ---- stack.c: what they are made of ---- */

/* Indices of what the disk of i is made of (dm, md: slaves; loop: a block device as backing file).
 */
struct block_list {
	size_t *v;
	size_t n, cap;
};
int block_slaves(const struct host *h, const struct blocks *b, size_t i, struct block_list *out);
/*
 * The one physical disk below i, through partitions and devices made of one other; BLOCK_NONE with
 * a sentence in why when there are several or it cannot be read.
 */
size_t block_physical(const struct host *h, const struct blocks *b, size_t i, struct str *why);
/* All physical disks below i, each once. 0, or -errno when what is below cannot be told. */
int block_leaves(const struct host *h, const struct blocks *b, size_t i, struct block_list *out);

/* ---- generic.c: the passthrough nodes of NVMe namespaces ---- */

/*
 * Is the node at path (resolved, st its own) the passthrough node of a namespace? 1: *sibling is
 * its block device in b. 0: no. ERR_TARGET: it is one, but which block device is beside it cannot
 * be told, and so not what uses the namespace.
 */
int generic_sibling(const struct host *h, const struct blocks *b, const char *path,
		    const struct stat *st, size_t *sibling, struct err *e);

/* ---- mounts.c: mount and swap tables through libmount ---- */

struct mount_entry {
	int id;
	unsigned dev_major, dev_minor;
	const char *root, *target, *source, *fstype, *vfs_options, *fs_options; /* never NULL */
	const char *space; /* another mount namespace, by a process in it; NULL = our own */
};

struct mounts {
	struct mount_entry *v;
	size_t n, cap;
};

/* file is "/proc/self/mountinfo"; texts into a. ERR_TARGET when absent or damaged. */
int mounts_load(const struct host *h, const char *file, struct arena *a, struct mounts *m,
		struct err *e);
/*
 * Adds what is mounted in every other mount namespace in which a process lives: a container, a
 * service with private mounts. Those whose table may not be read are left out; the kernel's claim
 * knows them still.
 */
void mounts_elsewhere(const struct host *h, struct arena *a, struct mounts *m);
void mounts_release(struct mounts *m);
/* The mount a resolved path lives on: by the kernel's mount id when live, else by prefix. */
const struct mount_entry *mounts_of(const struct host *h, const struct mounts *m, const char *path);
/* Paths in /proc/swaps; a kernel without swap has no such file: none. */
int swaps_load(const struct host *h, struct arena *a, const char ***paths, size_t *n,
	       struct err *e);
/* Options of both kinds, sorted, without doubles; values that are paths are cut to their name. */
void mount_options(const struct mount_entry *m, struct str *out);

/* ---- inuse_files.c ---- */

/* What uses a file: swap space in it, a loop device on it. 0 or ERR_TARGET. */
int file_users(const struct host *h, const struct target *t, struct notices *users, struct err *e);

/* ---- facts of a device ---- */

/* device.* and link.* of the device i (a partition's are its disk's). */
void device_facts(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		  struct arena *a);
/* The same keys with one answer: "none" (value) or unknown (why). */
void device_facts_all(struct facts *f, struct arena *a, const char *value, const char *why);
/* nodes.c: device.numa_node of a physical disk: a number, -1 when firmware did not say, none. */
void node_fact(const struct host *h, const struct block *disk, struct facts *f, struct arena *a);
/* paths.c: device.driver, device.hw_queues, device.controllers of a physical disk. */
void reach_facts(const struct host *h, const struct block *disk, struct facts *f, struct arena *a);
/* device.scheduler of a disk, cpu.governor. */
void scheduler_fact(const struct host *h, const struct block *disk, struct facts *f,
		    struct arena *a);
void governor_fact(const struct host *h, struct facts *f, struct arena *a);
void device_transport(const struct host *h, const struct block *disk, struct str *out);
/* link, link.*, upstream.bandwidth of a physical disk. */
void link_facts(const struct host *h, const struct block *disk, struct facts *f, struct arena *a);
void link_facts_none(struct facts *f, struct arena *a, const char *value, const char *why);
/* The number in front of a unit: "8.0 GT/s PCIe", "6.0 Gbps"; 0 for "Unknown" and "<unknown>". */
double leading_number(const char *s);
/* Bytes/s as a whole number; 0 = unknown with why. */
void link_bandwidth(struct facts *f, struct arena *a, const char *key, double bytes,
		    const char *why);
/* link, link.*, upstream.bandwidth, pcie.* of a PCI function; dir is used up. */
void pcie_facts(const struct host *h, struct str *dir, struct facts *f, struct arena *a);
/* Of a controller behind whose PCI function the disk has a link of another kind:
 * upstream.bandwidth, pcie.*, device.address; dir is used up. */
void pcie_above(const struct host *h, struct str *dir, struct facts *f, struct arena *a);
/* members.c: sets those keys that any of n members has, each named for the reason of an unknown
 * one: the value that is alike in all, else all of them, "A + B". */
void members_merge(struct facts *f, struct arena *a, const char *const *keys, size_t nkeys,
		   const struct facts *m, const char *const *names, size_t n);
/* cgroup.limit for one device and what it is made of; i BLOCK_NONE: any device. */
void limit_facts(const struct host *h, const struct blocks *b, size_t i, struct facts *f,
		 struct arena *a);
/* fs.* of the file system below a resolved path; returns the device or BLOCK_NONE. */
size_t fs_facts(const struct host *h, const struct blocks *b, const char *path, struct target *t,
		struct arena *a);
/* Sets key from an attribute; absent gives `absent` (NULL: the key stays unset), other trouble
 * gives an unknown fact with the cause. */
void fact_from(const struct host *h, struct facts *f, struct arena *a, const char *key,
	       const char *absent, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The same of a file that lists all values: "mq-deadline" of "none [mq-deadline] kyber". */
void fact_chosen(const struct host *h, struct facts *f, struct arena *a, const char *key,
		 const char *absent, const char *path);
/* The value of the first line "key<blanks>: value" of a text of /proc; false when there is none. */
bool proc_line(const char *text, const char *key, struct str *out);
/* cpu.c: cpu.* */
void cpu_facts(const struct host *h, struct facts *f, struct arena *a);
/* Cuts dir behind its last PCI function; false when there is none. */
bool pcie_function(struct str *dir);
/* A device of memory or of another machine: no link, no temperature. */
bool transport_virtual(const char *transport);
/* White space runs become one space, bytes that are not UTF-8 become visible. */
void text_squeeze(struct str *out, const char *text, size_t n);

/* ---- nvme.c: log pages of a controller ---- */

#define NVME_SMART_PAGE 512

struct smart {
	int critical_warning; /* bits */
	bool has_temperature;
	int temperature; /* C, composite */
	int available_spare, spare_threshold, percentage_used;
	int64_t data_units_written; /* of 512 000 bytes */
	int64_t unsafe_shutdowns, power_on_hours, media_errors, error_log_entries;
	int64_t warning_temp_time, critical_temp_time;   /* min */
	int64_t thermal_transitions[2], thermal_time[2]; /* s */
};

/* The controller's node, else the disk's, read-only. Descriptor or -errno. */
int smart_open(const struct host *h, const char *controller, const char *disk);
/* 0 or -errno; EREMOTEIO: the device refused the command. */
int smart_page(int fd, unsigned char page[NVME_SMART_PAGE]);
int slots_page(int fd, unsigned char page[NVME_SMART_PAGE]);
/* Pure. -EINVAL: too short; -ENODATA: a page of ones only. */
int smart_parse(const unsigned char *page, size_t n, struct smart *s);
void slots_parse(const unsigned char page[NVME_SMART_PAGE], struct str *out);

/* ---- health.c ---- */

/* Where the health of a disk is read: looked for once, read again and again. */
struct health_source {
	const struct host *h;
	char controller[64];      /* "nvme0", "" = no NVMe */
	char hwmon[256];          /* temp1_input, "" = none */
	char scsi[256];           /* folder of the SCSI device, "" = none */
	char pci[256], port[256]; /* folders of the PCI function and of the port above it */
	int fd;                   /* of the controller; -1 */
	int fd_error;             /* why there is none, 0 = there is */
};
void health_open(struct health_source *s, const struct host *h, const struct block *disk);
void health_close(struct health_source *s);
/* 0 or -errno. */
int health_smart(const struct health_source *s, struct smart *out);
/* Why the SMART log cannot be read, with the remedy. */
const char *health_smart_why(const struct health_source *s, int rc, struct arena *a);
/* C; 0, or -ENOENT: nothing here measures it. smart may be NULL. */
int health_temperature(const struct health_source *s, const struct smart *smart, int64_t *c);
/* "correctable" "nonfatal" "fatal": both ends of the device's link. 0 or -errno. */
int health_aer(const struct health_source *s, const char *kind, int64_t *n);
int health_io_errors(const struct health_source *s, int64_t *n);
/* The disk whose health is that of the target; BLOCK_NONE with the reason, "" = it has none. */
size_t health_disk(const struct host *h, const struct blocks *b, const struct target *t,
		   struct str *why);

/* ---- identity.c ---- */

enum id_form {
	ID_PATH,  /* a path that is no by-id link */
	ID_BY_ID, /* /dev/disk/by-id/X, /dev/disk/by-diskseq/N, or a bare by-id name */
	ID_WWID,
	ID_SERIAL,
	ID_PCI,
	ID_DISKSEQ,
};
enum id_form id_form(const char *id);
/* The one device of an identity (not ID_PATH, not ID_BY_ID). ERR_TARGET when none or several. */
int id_find(const struct host *h, const struct blocks *b, const char *id, size_t *out,
	    struct err *e);
/* How many whole disks answer to it (as id_find()); *first is one of them. */
size_t id_answers(const struct host *h, const struct blocks *b, const char *id, size_t *first);
/* The names of a whole disk that no other answers to, the one to be preferred first. */
void id_own_names(const struct host *h, const struct blocks *b, size_t disk, struct notices *out);
/* Path of an ID_BY_ID. */
void id_link(const char *id, struct str *out);

#endif
