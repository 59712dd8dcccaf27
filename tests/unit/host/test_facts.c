/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#define PCI1 "0000:01:00.0"
#define AT "/sys/devices/pci0000:00/0000:00:1c.0/" PCI1

static void put_nvme(struct fixture *x)
{
	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.00000000000000a1\n");
}

/* bugs-given pcie-link-1 */
static void a_downgraded_link_is_seen(void **state)
{
	static const struct {
		const char *speed, *max_speed, *width, *max_width;
		const char *link, *bandwidth, *shown;
	} cases[] = {
		{"8.0 GT/s PCIe", "8.0 GT/s PCIe", "4", "4", "full", "3938461538", "8 GT/s"},
		{"5.0 GT/s PCIe", "8.0 GT/s PCIe", "1", "4", "downgraded", "500000000", "5 GT/s"},
		{"2.5 GT/s PCIe", "2.5 GT/s PCIe", "1", "1", "full", "250000000", "2.5 GT/s"},
		{"8.0 GT/s PCIe", "8.0 GT/s PCIe", "2", "4", "downgraded", "1969230769", "8 GT/s"},
		{"16.0 GT/s PCIe", "16.0 GT/s PCIe", "4", "4", "full", "7876923076", "16 GT/s"},
		{"32.0 GT/s PCIe", "32.0 GT/s PCIe", "4", "4", "full", "15753846153", "32 GT/s"},
		{"64.0 GT/s PCIe", "64.0 GT/s PCIe", "4", "4", "full", "29500000000", "64 GT/s"},
		{"8 GT/s", "8 GT/s", "4", "4", "full", "3938461538", "8 GT/s"}, /* before 5.7 */
		{"Unknown", "8.0 GT/s PCIe", "4", "4", NULL, NULL, NULL},
		{"8.0 GT/s PCIe", "8.0 GT/s PCIe", "0", "4", NULL, NULL, "8 GT/s"},
		{"Unknown", "Unknown", "0", "0", "none", "none", "none"}, /* no link at all */
		{"", "", "", "", "none", "none", "none"},
		{"-1", "8.0 GT/s PCIe", "255", "4", NULL, NULL, NULL},
		{"99999999999999999999", "8.0 GT/s PCIe", "4", "4", NULL, NULL, NULL},
	};
	struct fixture *x = *state;

	put_nvme(x);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(x, AT "/current_link_speed", cases[i].speed);
		put(x, AT "/max_link_speed", cases[i].max_speed);
		put(x, AT "/current_link_width", cases[i].width);
		put(x, AT "/max_link_width", cases[i].max_width);
		must_resolve(x, "/dev/nvme0n1");
		fact_is(&x->target.facts, "link", cases[i].link);
		fact_is(&x->target.facts, "link.bandwidth", cases[i].bandwidth);
		fact_is(&x->target.facts, "link.speed", cases[i].shown);
	}
}

static void the_link_can_be_read_again(void **state)
{
	struct fixture *x = *state;
	struct facts now;

	put_nvme(x);
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "link", "full");
	fact_is(&x->target.facts, "link.width", "4");
	fact_is(&x->target.facts, "link.port", "16 GT/s x8");
	fact_is(&x->target.facts, "upstream.bandwidth", "3938461538");
	fact_is(&x->target.facts, "device.address", PCI1);
	put(x, AT "/current_link_width", "1");
	facts_init(&now);
	host_device(&x->host, &x->target, &now, &x->arena);
	fact_is(&now, "link", "downgraded");
	fact_is(&now, "link.bandwidth", "984615384");
	fact_is(&x->target.facts, "link", "full");
	facts_release(&now);
}

static void sata_links_are_read(void **state)
{
	struct fixture *x = *state;
	char page[60 + 512];
	char *path;
	FILE *f;

	put_sda(x);
	must_resolve(x, "/dev/sda");
	fact_is(&x->target.facts, "link", "full");
	fact_is(&x->target.facts, "link.speed", "6 Gbit/s");
	fact_is(&x->target.facts, "link.bandwidth", "600000000");
	put(x, "/sys/class/ata_link/link3/sata_spd", "1.5 Gbps\n");
	must_resolve(x, "/dev/sda1");
	fact_is(&x->target.facts, "link", "downgraded");
	fact_is(&x->target.facts, "link.bandwidth", "150000000");
	put(x, "/sys/class/ata_link/link3/sata_spd", "<unknown>\n");
	must_resolve(x, "/dev/sda");
	fact_is(&x->target.facts, "link", NULL);
	fact_is(&x->target.facts, "link.bandwidth", NULL);
	/* the drive's own maximum (IDENTIFY word 76) comes before the port's */
	memset(page, 1, sizeof(page));
	page[1] = (char)0x89;
	page[60 + 152] = 6;
	path = fixture_path(x, "/sys/block/sda/device/vpd_pg89");
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(page, 1, sizeof(page), f), sizeof(page));
	assert_int_equal(fclose(f), 0);
	free(path);
	put(x, "/sys/class/ata_link/link3/sata_spd", "3.0 Gbps\n");
	must_resolve(x, "/dev/sda");
	fact_is(&x->target.facts, "link", "full");
	fact_is(&x->target.facts, "link.max_speed", "3 Gbit/s");
}

/* bugs-given write-cache-1 */
static void queue_settings_are_facts(void **state)
{
	struct fixture *x = *state;

	put_nvme(x);
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "device.write_cache", "write back");
	fact_is(&x->target.facts, "device.scheduler", "none");
	fact_is(&x->target.facts, "device.lba_format", "512");
	assert_int_equal(x->target.logical_block, 512);
	assert_false(x->target.dio_known);
	put(x, "/sys/block/nvme0n1/queue/write_cache", "write through\n");
	put(x, "/sys/block/nvme0n1/queue/scheduler", "none [kyber] bfq\n");
	put(x, "/sys/block/nvme0n1/queue/logical_block_size", "4096\n");
	put(x, "/sys/block/nvme0n1/queue/dma_alignment", "3\n");
	put(x, "/sys/block/nvme0n1/queue/io_poll", "1\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "device.write_cache", "write through");
	fact_is(&x->target.facts, "device.scheduler", "kyber");
	fact_is(&x->target.facts, "device.lba_format", "4096");
	fact_is(&x->target.facts, "device.io_poll", "1");
	assert_int_equal(x->target.logical_block, 4096);
	assert_true(x->target.dio_known);
	assert_int_equal(x->target.dio_mem, 4);
	assert_int_equal(x->target.dio_offset, 4096);
}

static void absent_is_none_and_unreadable_is_unknown(void **state)
{
	struct fixture *x = *state;

	put_disk(x, "zram0", "253:0\n", "4096\n");
	/* a folder where an attribute should be: EISDIR, as good as EIO */
	put_dir(x, "/sys/block/zram0/queue/nomerges");
	must_resolve(x, "/dev/zram0");
	fact_is(&x->target.facts, "device.model", "none");
	assert_null(facts_find(&x->target.facts, "device.serial"));
	assert_null(facts_find(&x->target.facts, "device.wwid"));
	fact_is(&x->target.facts, "device.firmware", "none");
	fact_is(&x->target.facts, "device.transport", "zram");
	fact_is(&x->target.facts, "link", "none");
	fact_is(&x->target.facts, "device.nomerges", NULL);
	assert_non_null(facts_find(&x->target.facts, "device.nomerges")->why);
}

/* The PCI function says it, a level above the disk; firmware may leave it out. */
static void the_node_of_a_disk(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	must_resolve(x, "/dev/sda1");
	fact_is(&x->target.facts, "device.numa_node", "none");
	put(x, "/sys/devices/pci0000:00/0000:00:17.0/numa_node", "1\n");
	must_resolve(x, "/dev/sda1");
	fact_is(&x->target.facts, "device.numa_node", "1");
	put(x, "/sys/devices/pci0000:00/0000:00:17.0/numa_node", "-1\n");
	must_resolve(x, "/dev/sda");
	fact_is(&x->target.facts, "device.numa_node", "-1");
	put_dir(x, "/sys/devices/pci0000:00/0000:00:17.0/ata3/numa_node");
	must_resolve(x, "/dev/sda");
	fact_is(&x->target.facts, "device.numa_node", NULL);
	contains(facts_find(&x->target.facts, "device.numa_node")->why, "ata3/numa_node'");
}

static void nodes_and_limits(void **state)
{
	struct fixture *x = *state;
	uint64_t n = 0;
	struct str s;

	str_init(&s);
	assert_int_equal(host_nodes(&x->host, false, &s, &x->err), ERR_TARGET);
	contains(x->err.text, "no memory nodes");
	x->err = ERR_INIT;
	put(x, "/sys/devices/system/node/online", "0-2\n");
	put(x, "/sys/devices/system/node/node0/cpulist", "0-3,8\n");
	put(x, "/sys/devices/system/node/node2/cpulist", "\n");
	assert_int_equal(host_nodes(&x->host, true, &s, &x->err), 0);
	assert_string_equal(s.s, "0-2");
	put(x, "/sys/devices/system/node/has_memory", "0,2\n");
	assert_int_equal(host_nodes(&x->host, true, &s, &x->err), 0);
	assert_string_equal(s.s, "0,2");
	assert_int_equal(host_nodes(&x->host, false, &s, &x->err), 0);
	assert_string_equal(s.s, "0-2");
	assert_int_equal(host_node_cpus(&x->host, 0, &s, &x->err), 0);
	assert_string_equal(s.s, "0-3,8");
	assert_int_equal(host_node_cpus(&x->host, 2, &s, &x->err), 0);
	assert_string_equal(s.s, "");
	assert_int_equal(host_node_cpus(&x->host, 1, &s, &x->err), ERR_TARGET);
	contains(x->err.text, "node1/cpulist'");
	x->err = ERR_INIT;
	str_release(&s);

	assert_int_equal(host_descriptors(&x->host, &n, &x->err), ERR_TARGET);
	x->err = ERR_INIT;
	put(x, "/proc/self/limits",
	    "Limit                     Soft Limit           Hard Limit           Units\n"
	    "Max open files            1024                 524288               files\n");
	assert_int_equal(host_descriptors(&x->host, &n, &x->err), 0);
	assert_int_equal(n, 1024);
	put(x, "/proc/self/limits", "Max open files            unlimited   unlimited  files\n");
	assert_int_equal(host_descriptors(&x->host, &n, &x->err), 0);
	assert_true(n == UINT64_MAX);
	put(x, "/proc/self/limits", "Max processes   7 7 files\n");
	assert_int_equal(host_descriptors(&x->host, &n, &x->err), ERR_TARGET);
}

static void a_stack_shows_its_one_disk(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_nvme(x);
	put_disk(x, "dm-0", "252:0\n", "1024\n");
	put(x, "/sys/block/dm-0/dm/uuid", "LVM-abc\n");
	put_link(x, "/sys/block/dm-0/slaves/sda2", "../../sda/sda2");
	put(x, "/sys/block/sda/queue/scheduler", "none [bfq]\n");
	must_resolve(x, "/dev/dm-0");
	fact_is(&x->target.facts, "device.model", "Samsung SSD 860");
	fact_is(&x->target.facts, "device.scheduler", "bfq");
	fact_is(&x->target.facts, "device.capacity", "524288");
	fact_is(&x->target.facts, "device.made_of", "sda2 (LVM)");
}

/* One value where all members agree, else all of them; what is unknown of one is of the whole. */
static void a_stack_of_several(void **state)
{
	struct fixture *x = *state;
	const struct facts *f = &x->target.facts;
	struct facts now;

	put_sda(x);
	put_nvme(x);
	put_disk(x, "dm-0", "252:0\n", "1024\n");
	put_link(x, "/sys/block/dm-0/slaves/sda2", "../../sda/sda2");
	put_link(x, "/sys/block/dm-0/slaves/nvme0n1", "../../nvme0n1");
	must_resolve(x, "/dev/dm-0");
	fact_is(f, "device.model", "Samsung SSD 860 + Samsung SSD 970 EVO");
	fact_is(f, "device.transport", "pcie + sata");
	fact_is(f, "device.scheduler", "none");
	fact_is(f, "device.write_cache", "write back");
	fact_is(f, "device.capacity", "524288");
	fact_is(f, "device.made_of", "nvme0n1 sda2");
	fact_is(f, "link", "full");
	fact_is(f, "link.width", "1 + 4");
	/* no sum and no choice among them is the whole's */
	assert_null(facts_find(f, "link.bandwidth"));
	assert_null(facts_find(f, "upstream.bandwidth"));
	assert_null(facts_find(f, "device.address"));
	assert_null(facts_find(f, "device.wwid"));
	put(x, AT "/current_link_width", "2\n");
	facts_init(&now);
	host_device(&x->host, &x->target, &now, &x->arena);
	fact_is(&now, "link", "downgraded + full");
	facts_release(&now);
	put(x, "/sys/class/ata_link/link3/sata_spd", "<unknown>\n");
	must_resolve(x, "/dev/dm-0");
	fact_is(f, "link", NULL);
	contains(facts_find(f, "link")->why, "of 'sda': ");
	fact_is(f, "device.model", "Samsung SSD 860 + Samsung SSD 970 EVO");
	/* a member that sysfs does not know */
	put_link(x, "/sys/block/dm-0/slaves/sdz", "../../sdz");
	put_link(x, "/sys/block/sdz", "gone");
	must_resolve(x, "/dev/dm-0");
	fact_is(f, "device.model", NULL);
	fact_is(f, "link", NULL);
}

/* bugs-given cgroup-1, version 2: a limit holds for all groups below it */
static void cgroup_v2_limits_are_seen(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	put_nvme(x);
	put_sda(x);
	put(x, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "31 21 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put(x, "/proc/self/cgroup", "0::/ci/job\n");
	put(x, "/sys/fs/cgroup/ci/job/io.max", "");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", "none");
	put(x, "/sys/fs/cgroup/ci/job/io.max",
	    "259:1 rbps=max wbps=1048576 riops=max wiops=900\n8:0 rbps=7 wbps=max riops=max "
	    "wiops=max\n");
	put(x, "/sys/fs/cgroup/ci/io.max", "259:1 rbps=max wbps=2097152 riops=120 wiops=800\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", "wbps=1048576 riops=120 wiops=800");
	/* a partition is limited through its disk */
	must_resolve(x, "/dev/sda1");
	fact_is(&x->target.facts, "cgroup.limit", "rbps=7");
	facts_init(&f);
	host_facts(&x->host, &f, &x->arena);
	fact_is(&f, "cgroup.limit", "259:1 wbps=1048576 riops=120 wiops=800; 8:0 rbps=7");
	facts_release(&f);
	put(x, "/sys/fs/cgroup/ci/io.max", "garbage\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", NULL);
}

/* version 1: the throttle of the group itself, parents do not count */
static void cgroup_v1_limits_are_seen(void **state)
{
	struct fixture *x = *state;

	put_nvme(x);
	put(x, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "31 21 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
	    "32 21 0:31 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n");
	put(x, "/proc/self/cgroup", "7:blkio:/ci\n3:cpu:/other\n0::/\n");
	put(x, "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device", "259:1 1\n");
	put(x, "/sys/fs/cgroup/blkio/ci/blkio.throttle.read_iops_device", "259:1 500\n");
	put(x, "/sys/fs/cgroup/blkio/ci/blkio.throttle.write_bps_device", "8:0 500\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", "riops=500");
	/* a group that cannot be looked at is unknown, not unlimited */
	put(x, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", NULL);
	contains(facts_find(&x->target.facts, "cgroup.limit")->why, "not mounted");
	put(x, "/proc/self/cgroup", "0::/../elsewhere\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", NULL);
	put(x, "/proc/self/cgroup", "damaged\n");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "cgroup.limit", NULL);
}

static void the_machine_is_described(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	put(x, "/proc/sys/kernel/osrelease", "6.12.8-amd64\n");
	put(x, "/proc/cmdline", "BOOT_IMAGE=/vmlinuz  quiet mitigations=off\n");
	put(x, "/proc/sys/kernel/hostname", "lab7\n");
	put(x, "/proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n");
	put(x, "/proc/cpuinfo",
	    "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Xeon(R)  Gold 6248\n"
	    "microcode\t: 0x5003605\n");
	put(x, "/sys/devices/system/cpu/online", "0-3,8\n");
	put(x, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put(x, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
	put(x, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put(x, "/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
	put(x, "/sys/class/power_supply/AC/type", "Mains\n");
	put(x, "/sys/class/power_supply/AC/online", "0\n");
	put(x, "/sys/class/power_supply/BAT0/type", "Battery\n");
	put(x, "/sys/class/power_supply/BAT0/status", "Discharging\n");
	facts_init(&f);
	host_facts(&x->host, &f, &x->arena);
	fact_is(&f, "kernel.release", "6.12.8-amd64");
	fact_is(&f, "kernel.cmdline", "BOOT_IMAGE=/vmlinuz quiet mitigations=off");
	fact_is(&f, "kernel.version", NULL);
	fact_is(&f, "host.name", "lab7");
	fact_is(&f, "boot.id", "11111111-2222-3333-4444-555555555555");
	fact_is(&f, "cpu.model", "Xeon(R) Gold 6248");
	fact_is(&f, "cpu.microcode", "0x5003605");
	fact_is(&f, "cpu.count", "5");
	fact_is(&f, "cpu.governor", "mixed");
	fact_is(&f, "cpu.mitigations", "meltdown: Mitigation: PTI");
	fact_is(&f, "power.source", "battery");
	put(x, "/sys/class/power_supply/AC/online", "1\n");
	put(x, "/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
	put(x, "/sys/devices/system/cpu/online", "0-\n");
	host_facts(&x->host, &f, &x->arena);
	fact_is(&f, "power.source", "mains");
	fact_is(&f, "cpu.model", "implementer 0x41 part 0xd0c");
	fact_is(&f, "cpu.count", NULL);
	host_label(&f, &x->arena, "adapter", "ASM2824");
	fact_is(&f, "label.adapter", "ASM2824");
	facts_release(&f);
}

/* What decides how fast the processors run: absent is none, unreadable is unknown, and nothing of it
 * is made up. */
static void settings_of_the_machine(void **state)
{
#define CPUS "/sys/devices/system/cpu"
	static const struct {
		const char *key, *path, *text, *want, *absent;
	} cases[] = {
		{"cpu.governor", CPUS "/cpu0/cpufreq/scaling_governor", "powersave\n", "powersave",
		 "none"},
		{"cpu.frequency_driver", CPUS "/cpu0/cpufreq/scaling_driver", "intel_pstate\n",
		 "intel_pstate", "none"},
		{"cpu.frequency_max", CPUS "/cpu0/cpufreq/scaling_max_freq", "3900000\n", "3900000",
		 "none"},
		{"cpu.energy_preference", CPUS "/cpu0/cpufreq/energy_performance_preference",
		 "power\n", "power", "none"},
		{"cpu.smt", CPUS "/smt/control", "forceoff\n", "forceoff", "none"},
		{"cpu.turbo", CPUS "/intel_pstate/no_turbo", "1\n", "off", "none"},
		{"cpu.turbo", CPUS "/intel_pstate/no_turbo", "0\n", "on", "none"},
		{"cpu.turbo", CPUS "/intel_pstate/no_turbo", "maybe\n", NULL, "none"},
		{"cpu.turbo", CPUS "/cpufreq/boost", "1\n", "on", "none"},
		{"cpu.turbo", CPUS "/cpufreq/boost", "0\n", "off", "none"},
		{"cpu.idle_driver", CPUS "/cpuidle/current_driver", "intel_idle\n", "intel_idle",
		 "none"},
		{"cpu.isolated", CPUS "/isolated", "2-3\n", "2-3", "none"},
		{"cpu.isolated", CPUS "/isolated", "\n", "none", "none"},
		{"cpu.mitigations", CPUS "/vulnerabilities/mds", "Vulnerable\n", "mds: Vulnerable",
		 "none"},
		{"cpu.microcode", CPUS "/cpu0/microcode/version", "0x2b\n", "0x2b", "none"},
		{"memory.total", "/proc/meminfo", "MemTotal:       16303456 kB\n", "15.5 GiB", NULL},
		{"memory.total", "/proc/meminfo", "MemTotal:       16 MB\n", NULL, NULL},
		{"memory.huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled",
		 "always [madvise] never\n", "madvise", "none"},
		{"host.bios", "/sys/class/dmi/id/bios_version", "2.1\n", "2.1", "none"},
		{"host.bios_date", "/sys/class/dmi/id/bios_date", "01/02/2026\n", "01/02/2026",
		 "none"},
		{"host.vendor", "/sys/class/dmi/id/sys_vendor", "Lab  Inc\n", "Lab Inc", "none"},
		{"host.product", "/sys/class/dmi/id/product_name", "R1\n", "R1", "none"},
		{"host.board", "/sys/class/dmi/id/board_name", "B2\n", "B2", "none"},
		{"power.source", "/sys/class/power_supply/AC/type", "Mains\n", "none", "none"},
	};
	struct fixture *x = *state;

	put_dir(x, CPUS);
	put_dir(x, "/sys/class/power_supply");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *path = fixture_path(x, cases[i].path);
		struct facts f;

		facts_init(&f);
		host_facts(&x->host, &f, &x->arena);
		fact_is(&f, cases[i].key, cases[i].absent);
		put(x, cases[i].path, cases[i].text);
		host_facts(&x->host, &f, &x->arena);
		fact_is(&f, cases[i].key, cases[i].want);
		/* a folder in its place: EISDIR, as good as EIO */
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mkdir(path, 0700), 0);
		host_facts(&x->host, &f, &x->arena);
		fact_is(&f, cases[i].key, NULL);
		contains(facts_find(&f, cases[i].key)->why, "cannot read '");
		assert_int_equal(rmdir(path), 0);
		facts_release(&f);
		free(path);
	}
}

/* On battery or not decides whether sessions can be compared: a supply that cannot be read is not
 * taken for mains. */
static void a_supply_that_cannot_be_read(void **state)
{
	static const char *const attrs[] = {"BAT0/status", "AC/online"};
	struct fixture *x = *state;

	put(x, "/sys/class/power_supply/AC/type", "Mains\n");
	put(x, "/sys/class/power_supply/AC/online", "0\n");
	put(x, "/sys/class/power_supply/BAT0/type", "Battery\n");
	put(x, "/sys/class/power_supply/BAT0/status", "Full\n");
	for (size_t i = 0; i < 2; i++) {
		char *path = xasprintf("%s/sys/class/power_supply/%s", x->root, attrs[i]);
		struct facts f;

		facts_init(&f);
		host_facts(&x->host, &f, &x->arena);
		fact_is(&f, "power.source", "mains");
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mkdir(path, 0700), 0);
		host_facts(&x->host, &f, &x->arena);
		fact_is(&f, "power.source", NULL);
		contains(facts_find(&f, "power.source")->why, attrs[i]);
		assert_int_equal(rmdir(path), 0);
		facts_release(&f);
		free(path);
		put(x, "/sys/class/power_supply/BAT0/status", "Full\n");
	}
}

static void the_way_to_a_disk(void **state)
{
	struct fixture *x = *state;
	const struct facts *f = &x->target.facts;

	put_nvme(x);
	put_sda(x);
	put_dir(x, "/sys/block/nvme0n1/mq/0");
	put_dir(x, "/sys/block/nvme0n1/mq/1");
	put_link(x, AT "/driver", "../../../../bus/pci/drivers/nvme");
	put_link(x, "/sys/devices/pci0000:00/0000:00:1c.0/driver",
		 "../../../bus/pci/drivers/pcieport");
	put_dir(x, "/sys/bus/pci/drivers/nvme");
	put_dir(x, "/sys/bus/pci/drivers/pcieport");
	put(x, "/sys/block/nvme0n1/eui", "00 25 38 5b 71 b0 00 01\n");
	put(x, "/sys/block/nvme0n1/nguid", "00000000-0000-0000-0025-385b71b00001\n");
	put(x, "/sys/block/nvme0n1/queue/read_ahead_kb", "128\n");
	put(x, "/sys/block/nvme0n1/queue/wbt_lat_usec", "2000\n");
	put_dir(x, "/sys/bus/scsi/drivers/sd");
	put_dir(x, "/sys/bus/pci/drivers/ahci");
	put_link(x, "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/driver",
		 "../../../../../../../bus/scsi/drivers/sd");
	put_link(x, "/sys/devices/pci0000:00/0000:00:17.0/driver", "../../../bus/pci/drivers/ahci");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "device.driver", "nvme");
	fact_is(f, "device.hw_queues", "2");
	fact_is(f, "device.nsid", "1");
	fact_is(f, "device.eui", "00 25 38 5b 71 b0 00 01");
	fact_is(f, "device.nguid", "00000000-0000-0000-0025-385b71b00001");
	fact_is(f, "device.read_ahead_kb", "128");
	fact_is(f, "device.wbt_lat_usec", "2000");
	must_resolve(x, "/dev/sda1");
	fact_is(f, "device.driver", "sd ahci");
	fact_is(f, "device.hw_queues", "none");
}

static void memory_available(void **state)
{
	struct fixture *x = *state;
	static const struct {
		const char *text;
		uint64_t bytes; /* 0 = unknown */
	} v[] = {
		{"MemTotal:       16303456 kB\nMemFree:  1 kB\nMemAvailable:   12000000 kB\n",
		 12000000ull * 1024},
		{"MemAvailable:\t4 kB\nMemAvailable: 9 kB\n", 4096},
		{"MemTotal: 16303456 kB\nMemFree: 1 kB\n", 0}, /* Linux before 3.14 */
		{"MemAvailable: 12\n", 0},
		{"MemAvailable: -1 kB\n", 0},
		{"MemAvailable: many kB\n", 0},
		{"MemAvailable: 99999999999999999999 kB\n", 0},
		{"MemAvailableX: 12 kB\n", 0},
		{"", 0},
	};
	uint64_t bytes = 0;

	assert_int_equal(host_memory(&x->host, &bytes, &x->err), ERR_TARGET);
	contains(x->err.text, "/proc/meminfo");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		bytes = 0;
		x->err = ERR_INIT;
		put(x, "/proc/meminfo", v[i].text);
		assert_int_equal(host_memory(&x->host, &bytes, &x->err),
				 v[i].bytes ? 0 : ERR_TARGET);
		assert_true(bytes == v[i].bytes);
		if (!v[i].bytes)
			contains(x->err.text, "MemAvailable");
	}
}

/* A root that is nearly empty: every fact is there, none is invented. */
static void nothing_readable_is_unknown(void **state)
{
	static const char *const keys[] = {"kernel.release", "kernel.cmdline", "cpu.model",
					   "cpu.count",      "host.name",      "boot.id",
					   "power.source",   "cgroup.limit"};
	struct fixture *x = *state;
	struct host h = {.root = "/nonexistent/root"};
	struct facts f;

	facts_init(&f);
	host_facts(&h, &f, &x->arena);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		fact_is(&f, keys[i], NULL);
		assert_non_null(facts_find(&f, keys[i])->why);
	}
	facts_release(&f);
}

/* Hardware names come from outside: escape sequences and broken UTF-8 do not get through. */
static void names_are_cleaned(void **state)
{
	struct fixture *x = *state;
	const char *model;

	put_nvme(x);
	put(x, AT "/nvme/nvme0/model", "Disk \033[31m\xff  red\n");
	must_resolve(x, "/dev/nvme0n1");
	model = facts_value(&x->target.facts, "device.model");
	assert_non_null(model);
	assert_null(strchr(model, '\033'));
	assert_true(utf8_valid(model, strlen(model), NULL));
	contains(model, "red");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_downgraded_link_is_seen),
		TEST(the_link_can_be_read_again),
		TEST(sata_links_are_read),
		TEST(queue_settings_are_facts),
		TEST(absent_is_none_and_unreadable_is_unknown),
		TEST(a_stack_shows_its_one_disk),
		TEST(a_stack_of_several),
		TEST(the_node_of_a_disk),
		TEST(nodes_and_limits),
		TEST(cgroup_v2_limits_are_seen),
		TEST(cgroup_v1_limits_are_seen),
		TEST(the_machine_is_described),
		TEST(settings_of_the_machine),
		TEST(a_supply_that_cannot_be_read),
		TEST(the_way_to_a_disk),
		TEST(memory_available),
		TEST(nothing_readable_is_unknown),
		TEST(names_are_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
