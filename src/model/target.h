/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/target: what is measured on. Filled by host, read by plan, session, run and report.
 * Includes: base. Ownership: strings live in the owner's arena. Units: bytes.
 */
#ifndef BLKGATE_MODEL_TARGET_H
#define BLKGATE_MODEL_TARGET_H

#include "base/err.h"
#include "model/facts.h"

enum target_kind { TARGET_NONE, TARGET_BLOCK, TARGET_FILE, TARGET_DIR };

struct target {
	const char *role; /* "dut" when a single target came without ROLE= */
	const char *id;   /* as the user wrote it */
	const char *
		path; /* what is opened: node, file or folder; NULL when it could not be resolved */
	enum target_kind kind;
	uint64_t size;          /* bytes of device or file; free bytes of a folder */
	uint32_t logical_block; /* bytes; what offset and length must be a multiple of under
				   O_DIRECT */
	uint32_t dio_mem;       /* buffer alignment under O_DIRECT, bytes; 0 = not reported */
	uint32_t dio_offset;    /* statx DIOALIGN offset, bytes; 0 = the file system reports none */
	bool dio_known;         /* statx answered DIOALIGN */
	unsigned dev_major, dev_minor; /* of the device (block) or of the file system's device */
	uint64_t fs_dev, inode;        /* st_dev and st_ino: which file or folder this is */
	/* block: the passthrough node (/dev/ngXnY) by which the target was named, NULL = by itself.
	 * path and all the rest are its block device's: what uses the one uses the other. */
	const char *passthrough;
	unsigned ng_major, ng_minor; /* of that node; 0 in a document */
	const char *disk_path; /* block: node of the whole disk (a partition's lock); else NULL */
	uint64_t diskseq;      /* block: BLKGETDISKSEQ, 0 = unknown */
	bool write_allowed;    /* --allow-write, or a folder */
	const char *permit;    /* the --allow-write that named it; NULL: none */
	const char *fstype;    /* of a file or folder: "ext4"; NULL unknown */
	struct facts facts;    /* target.*, device.*, link.*, fs.* ... */
};

/* Role of the total over all targets (`targets: all`): not a target that could be named. */
#define TARGET_ROLE_TOTAL "all"
bool target_is_total(const struct target *t);
/* Where I/O goes; NULL as path is. */
static inline const char *target_node(const struct target *t)
{
	return t->passthrough ? t->passthrough : t->path;
}

const char *target_kind_name(enum target_kind k); /* "block" "file" "dir" "none" */
int target_kind_find(const char *name, enum target_kind *out);

#endif
