/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/kernlog: what the kernel said between two looks. The marker is the place in the log where
 * the reading stands: nothing is written into it. Only what the kernel itself says counts, not what
 * a program wrote to /dev/kmsg. Lines that were overwritten before they were read are lost, and
 * then nobody knows what they said.
 *
 * Includes: base. Ownership: names are copied; a line is borrowed for the call. Threads: one. Below
 * a root other than "/" dev/kmsg is a file of records, one behind the other, that may grow.
 */
#ifndef BLKGATE_HOST_KERNLOG_H
#define BLKGATE_HOST_KERNLOG_H

#include "base/err.h"
#include "base/vec.h"
#include "host/host.h"

/* One record as read(2) of /dev/kmsg gives it: its length, 0 = no more now, or -errno (-EPIPE:
 * records were overwritten). */
typedef ssize_t (*kernlog_source)(void *arg, char *record, size_t size);

struct kernlog {
	kernlog_source source;
	void *arg;
	int fd;        /* of /dev/kmsg, -1 = another source or none */
	uint64_t next; /* sequence number of the next record; 0 = the first is not read yet */
	char *why;     /* it cannot be read, and the remedy; NULL = it can */
};

struct kernlog_line {
	uint64_t seq, time;  /* us since boot */
	unsigned level;      /* 0 emerg .. 7 debug */
	const char *text;    /* clean, without the dictionary */
	const char *device;  /* of the dictionary, "+pci:0000:01:00.0"; "" = none */
	const char *trouble; /* which kind of trouble it tells, whomever it concerns; NULL = none */
};

/* Opens the log at its end. A log that may not be read leaves k->why, and kernlog_read() says it.
 */
void kernlog_open(struct kernlog *k, const struct host *h);
/* Is it the character device 1:11? A link to /dev/null would read as clean for ever. */
struct stat;
bool kernlog_is_node(const struct stat *st);
/* For tests: records from anywhere. */
void kernlog_open_source(struct kernlog *k, kernlog_source source, void *arg);
void kernlog_close(struct kernlog *k);
/*
 * Hands over what came since the last call. 0, or -1 with *why when it is not known what the kernel
 * said meanwhile (it cannot be read, or records were lost): the caller's to free.
 */
int kernlog_read(struct kernlog *k, void (*line)(void *arg, const struct kernlog_line *l),
		 void *arg, char **why);

/* Names by which the kernel calls a device: nvme0n1, nvme0, 0000:01:00.0, ata3, 2:0:0:0. */
struct kernlog_names {
	char **v;
	size_t n, cap;
};
void kernlog_name(struct kernlog_names *names, const char *name); /* "" and doubles are left out */
void kernlog_names_release(struct kernlog_names *names);
/* Does the line concern the device (more than debugging), or is it trouble of the machine? */
bool kernlog_concerns(const struct kernlog_line *l, const struct kernlog_names *names);

#endif
