/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that a suite can name. The room of the host may know more on a newer kernel, so a name that
 * is not here is a warning: whether the fact can be read is decided where it is needed, and a fact
 * that cannot be read never passes.
 */
#include <string.h>

#include "suite/reader.h"

static const char *const fact_words[] = {
	"kernel.release",
	"kernel.version",
	"kernel.cmdline",
	"kernel.taint",
	"cpu.model",
	"cpu.count",
	"cpu.governor",
	"cpu.microcode",
	"cpu.mitigations",
	"host.name",
	"host.product",
	"host.bios",
	"boot.id",
	"cgroup.limit",
	"power.source",
	"target.type",
	"target.size",
	"target.id",
	"target.path",
	"target.dio",
	"fs.type",
	"fs.options",
	"fs.direct",
	"fs.kernel_device",
	"device.name",
	"device.model",
	"device.vendor",
	"device.serial",
	"device.wwid",
	"device.firmware",
	"device.transport",
	"device.address",
	"device.nsid",
	"device.diskseq",
	"device.capacity",
	"device.lba_format",
	"device.partition",
	"device.partition_start",
	"device.read_only",
	"device.write_cache",
	"device.scheduler",
	"device.made_of",
	"link",
	"link.speed",
	"link.width",
	"link.max_speed",
	"link.max_width",
	"link.port",
	"link.bandwidth",
	"temperature",
	"kernel_log",
};

void rd_fact(struct reader *r, const struct ynode *at, const char *name)
{
	const size_t n = sizeof(fact_words) / sizeof(*fact_words);
	const char *near;
	struct diag *g;

	if (str_starts(name, "label.") && name[6])
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, fact_words[i]) == 0)
			return;
	g = rd_warn(r, at, RULE_UNKNOWN_FACT, "'%s' is no fact known to this version", name);
	near = g ? str_nearest(name, fact_words, n) : NULL;
	rd_hint(g, near ? "did you mean '%s'?" : "'blkgate probe' shows the facts of a target%s",
		near ? near : "");
}
