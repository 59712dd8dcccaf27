/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/facts: what is known of host and target, as sorted key/value texts ("kernel.release" =
 * "6.12.8"). A fact that could not be read is present with value NULL and the reason: unknown is
 * not the same as absent, and a must-match fact that is unknown is incomparable.
 * Some keys (suites/README.md has all): kernel.release kernel.cmdline cpu.model cpu.count host.name boot.id cgroup.limit
 * power.source target.type target.size fs.type fs.options fs.kernel_device device.model
 * device.serial device.wwid device.firmware device.transport device.capacity device.lba_format
 * device.write_cache device.scheduler device.numa_node link.speed link.width link.bandwidth
 * (bytes/s as a number) link device.firmware_slots device.io_errors temperature health.* (SMART)
 * pcie.{correctable,nonfatal,fatal} label.NAME Ownership: arena given at facts_set.
 */
#ifndef BLKGATE_MODEL_FACTS_H
#define BLKGATE_MODEL_FACTS_H

#include "base/arena.h"
#include "base/err.h"

struct fact {
	const char *key;
	const char *value; /* NULL = unknown */
	const char *why;   /* reason when unknown, else NULL */
};

struct facts {
	struct fact *v;
	size_t n, cap;
};

void facts_init(struct facts *f);
void facts_release(struct facts *f); /* the array; texts belong to the arena */
/* Sets or replaces; texts are copied into a. value NULL = unknown with why. */
void facts_set(struct facts *f, struct arena *a, const char *key, const char *value,
	       const char *why);
const struct fact *facts_find(const struct facts *f, const char *key); /* NULL = absent */
const char *facts_value(const struct facts *f, const char *key); /* NULL = absent or unknown */
/* Looks in b when a has no such key (target facts before host facts). */
const struct fact *facts_find2(const struct facts *a, const struct facts *b, const char *key);

#endif
