/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One job in this process, without supervisor: what a counter of instructions is put around (the
 * fork and pidfd of a real run are beyond valgrind). Reads a region at random, `loops` times.
 * one_job ENGINE DEPTH BATCH BYTES LOOPS [FILE]
 */
#include "run/child.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int die(const char *what)
{
	fprintf(stderr, "one_job: %s\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return die("ENGINE DEPTH BATCH BYTES LOOPS [FILE]");
	uint32_t depth = (uint32_t)strtoul(argv[2], NULL, 10),
		 batch = (uint32_t)strtoul(argv[3], NULL, 10);
	bool ring = str_eq(argv[1], "io_uring");
	struct job j = {
		.name = "one",
		.rw = RW_RANDREAD,
		.ioengine = argv[1],
		.bs = 4096,
		.iodepth = depth,
		.iodepth_batch_submit = batch,
		.iodepth_batch_complete_min = batch,
		.iodepth_batch_complete_max = depth,
		.numjobs = 1,
		.size = strtoull(argv[4], NULL, 10),
		.loops = strtoull(argv[5], NULL, 10),
		.fixedbufs = ring,
		.registerfiles = ring,
	};
	int fd = argc > 6 ? open(argv[6], O_RDONLY | O_CLOEXEC) : -1;
	struct run_request r = {.job = &j,
				.fds = &fd,
				.nfds = fd >= 0,
				.target_name = "FILE",
				.seed = 1,
				.run_seed = 2};
	struct child c = {.arg = &r, .live = live_new(1, 1000)};
	struct outcome o;

	if (argc > 6 && fd < 0)
		return die("cannot open FILE");
	if (!c.live)
		return die("no memory");
	worker_body(&c);
	if (live_failed(c.live))
		return die(c.live->text);
	outcome_init(&o);
	live_gather(c.live, &o);
	printf("%llu\n", (unsigned long long)o.dir[DIR_READ].ios);
	outcome_release(&o);
	live_free(c.live);
	return 0;
}
