/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/watch: looks at one target again and again while it is measured: at its link while I/O is in
 * flight, at its health now and then, at what its disk moves. Each look is added to a struct
 * watched; what is not there (no link, no thermometer) is not looked at, what cannot be read is
 * missed with the reason.
 *
 * What a look costs, seen on a machine with two processors: link 20 us (two small files of sysfs),
 * bytes moved 10 us. A SMART log takes as long as the drive takes to answer, 0.1 ms to some 10 ms,
 * during which some drives answer nothing else: hence WATCH_HEALTH_EVERY, and the longest look
 * stands in the result (cost).
 *
 * Includes: model/facts.h model/target.h model/watched.h base. Ownership: texts into the arena
 * given. Threads: one. Units: ns.
 */
#ifndef BLKGATE_HOST_WATCH_H
#define BLKGATE_HOST_WATCH_H

#include "host/host.h"
#include "host/kernlog.h"
#include "model/watched.h"

#define WATCH_LINK_EVERY 200000000ULL     /* ns between two looks at the link */
#define WATCH_HEALTH_EVERY 10000000000ULL /* ns between two looks at the health, at least */
#define WATCH_HEALTH_SHARE 1000           /* and this many times as long as a look took */

struct host_watch;

/* Never NULL. Holds the controller open (host_watch_fd), so that it stays the same drive. */
struct host_watch *host_watch_open(const struct host *h, const struct target *t);
void host_watch_close(struct host_watch *w);   /* NULL is fine */
int host_watch_fd(const struct host_watch *w); /* for a worker to close; -1 = none */
/* By which names the kernel calls it in its log. */
const struct kernlog_names *host_watch_names(const struct host_watch *w);

/* One look while I/O is in flight. */
void host_watch_link(const struct host_watch *w, struct watched *out, struct arena *a);
bool host_watch_has_link(const struct host_watch *w);
/* One look at temperature, SMART, errors; adds its time to out->cost. */
void host_watch_health(const struct host_watch *w, struct watched *out, struct arena *a);
/* Degrees Celsius: 1; 0 = it has no thermometer; -1 = it cannot be read, *why in a. */
int host_watch_temperature(const struct host_watch *w, int64_t *c, const char **why,
			   struct arena *a);
/* Bytes read and written by the whole physical disk since boot. 1; 0 = there is no disk; -1 *why.
 */
int host_watch_moved(const struct host_watch *w, uint64_t *bytes, const char **why,
		     struct arena *a);
/* How often the processors slowed themselves down for heat, all together. */
void host_watch_processors(const struct host *h, struct watched *out, struct arena *a);
/* Settings by which a run could differ from what was planned, read now: device.scheduler,
 * cpu.governor. */
void host_watch_settings(const struct host_watch *w, struct facts *f, struct arena *a);

#endif
