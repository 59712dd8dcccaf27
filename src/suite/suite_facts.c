/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that a suite can name. The room of the host may know more on a newer kernel, so a name that
 * is not here is a warning: whether the fact can be read is decided where it is needed, and a fact
 * that cannot be read never passes.
 */
#include <string.h>

#include "suite/reader.h"

const char *const fact_words[] = {
	"kernel.release",
	"kernel.version",
	"kernel.cmdline",
	"kernel.taint",
	"cpu.model",
	"cpu.count",
	"cpu.governor",
	"cpu.microcode",
	"cpu.mitigations",
	"cpu.smt",
	"cpu.turbo",
	"cpu.frequency_driver",
	"cpu.frequency_max",
	"cpu.energy_preference",
	"cpu.idle_driver",
	"cpu.isolated",
	"memory.total",
	"memory.huge_pages",
	"host.name",
	"host.product",
	"host.bios",
	"host.bios_date",
	"host.vendor",
	"host.board",
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
	"fs.block_size",
	"device.name",
	"device.model",
	"device.vendor",
	"device.serial",
	"device.wwid",
	"device.firmware",
	"device.transport",
	"device.address",
	"device.nsid",
	"device.eui",
	"device.nguid",
	"device.driver",
	"device.hw_queues",
	"device.controllers",
	"device.diskseq",
	"device.capacity",
	"device.lba_format",
	"device.partition",
	"device.partition_start",
	"device.read_only",
	"device.write_cache",
	"device.scheduler",
	"device.rotational",
	"device.numa_node",
	"device.io_poll",
	"device.io_poll_delay",
	"device.nr_requests",
	"device.nomerges",
	"device.rq_affinity",
	"device.max_sectors_kb",
	"device.max_hw_sectors_kb",
	"device.read_ahead_kb",
	"device.wbt_lat_usec",
	"device.iostats",
	"device.fua",
	"device.zoned",
	"device.physical_block_size",
	"device.discard_max_bytes",
	"device.discard_granularity",
	"device.made_of",
	"link",
	"link.speed",
	"link.width",
	"link.max_speed",
	"link.max_width",
	"link.port",
	"link.bandwidth",
	"upstream.bandwidth",
	"pcie.path",
	"pcie.narrowest",
	"pcie.limited_by",
	"pcie.max_payload",
	"pcie.usable_bandwidth",
	"device.firmware_slots",
	"device.io_errors",
	"temperature",
	"health.critical_warning",
	"health.percentage_used",
	"health.available_spare",
	"health.spare_threshold",
	"health.media_errors",
	"health.error_log_entries",
	"health.thermal_1_transitions",
	"health.thermal_2_transitions",
	"health.thermal_1_time",
	"health.thermal_2_time",
	"health.warning_temp_time",
	"health.critical_temp_time",
	"health.data_written",
	"health.unsafe_shutdowns",
	"health.power_on_hours",
	"pcie.correctable",
	"pcie.nonfatal",
	"pcie.fatal",
	"kernel_log",
	"throttled",
	"cpu.throttled",
	"other_io",
	"generator.cpu",
};
const size_t fact_word_count = sizeof(fact_words) / sizeof(*fact_words);

/* What only a run shows. */
static const char *const run_words[] = {"kernel_log", "throttled", "cpu.throttled", "other_io",
					"generator.cpu"};

bool expr_of_a_run(const char *subject)
{
	for (size_t i = 0; i < sizeof(run_words) / sizeof(*run_words); i++)
		if (str_eq(subject, run_words[i]))
			return true;
	return str_ends(subject, ".new");
}

/* Counters of which the growth over a run can be asked. */
static bool grows(const char *name, size_t n)
{
	static const char *const counters[] = {"health.media_errors",
					       "health.error_log_entries",
					       "health.thermal_1_transitions",
					       "health.thermal_2_transitions",
					       "health.thermal_1_time",
					       "health.thermal_2_time",
					       "health.warning_temp_time",
					       "health.critical_temp_time",
					       "device.io_errors",
					       "pcie.correctable",
					       "pcie.nonfatal",
					       "pcie.fatal"};

	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (strlen(counters[i]) == n && strncmp(counters[i], name, n) == 0)
			return true;
	return false;
}

/* Facts whose values the room of the host names itself; what hardware and kernel name is open. */
static const struct {
	const char *fact;
	const char *value[4]; /* NULL ends them */
} closed_facts[] = {
	{"target.type", {"block", "file", "dir"}},
	{"fs.direct", {"yes", "no"}},
	{"device.read_only", {"0", "1"}},
	{"link", {"full", "downgraded", "none"}},
	{"power.source", {"mains", "battery", "none"}},
	{"kernel_log", {"clean"}},
	{"throttled", {"yes", "no"}},
	{"cpu.throttled", {"yes", "no"}},
};

void rd_fact(struct reader *r, const struct ynode *at, const char *name)
{
	const size_t n = fact_word_count;
	const char *near;
	struct diag *g;

	if (str_starts(name, "label.") && name[6])
		return;
	if (str_ends(name, ".new") && grows(name, strlen(name) - strlen(".new")))
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, fact_words[i]) == 0)
			return;
	g = rd_warn(r, at, RULE_UNKNOWN_FACT, "'%s' is no fact known to this version", name);
	near = g ? str_nearest(name, fact_words, n) : NULL;
	rd_hint(g, near ? "did you mean '%s'?" : "'blkgate probe' shows the facts of a target%s",
		near ? near : "");
}

/* What people call it elsewhere, and is too far from the value to be its nearest. */
static const char *usual_name(const char *fact, const char *value)
{
	if (strcmp(fact, "target.type") != 0)
		return NULL;
	if (strcmp(value, "folder") == 0 || strcmp(value, "directory") == 0)
		return "dir";
	return strcmp(value, "device") == 0 || strcmp(value, "disk") == 0 ? "block" : NULL;
}

void rd_fact_value(struct reader *r, const struct ynode *at, const struct expr *x)
{
	const size_t facts = sizeof(closed_facts) / sizeof(*closed_facts);
	const char *near, *const *v;
	size_t i = 0, n = 0;
	struct diag *g;
	struct str all;

	while (i < facts && strcmp(closed_facts[i].fact, x->subject) != 0)
		i++;
	if (i == facts || !x->value)
		return;
	v = closed_facts[i].value;
	str_init(&all);
	for (; n < 4 && v[n] && strcmp(v[n], x->value) != 0; n++)
		str_addf(&all, "%s%s", n ? " " : "", v[n]);
	if (n == 4 || !v[n]) {
		near = usual_name(x->subject, x->value);
		if (!near)
			near = str_nearest(x->value, v, n);
		g = rd_error(r, at, "'%s': '%s' is no value of %s", x->text, x->value, x->subject);
		if (near)
			rd_hint(g, "did you mean '%s'? It is one of: %s", near, all.s);
		else
			rd_hint(g, "it is one of: %s", all.s);
	}
	str_release(&all);
}
