/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processors and memory nodes: what contradicts itself, and what the machine does not have. */
#include "recorded.h"

#define NODE "/sys/devices/system/node"
#define PCI "/sys/devices/pci0000:00/0000:00:01.0"

/* Two nodes with processors, one with memory only, and a disk that is near the second. */
static void put_machine(struct fix *f)
{
	put(f, NODE "/online", "0-2\n");
	put(f, NODE "/has_memory", "0-2\n");
	put(f, NODE "/node0/cpulist", "0-3,8-11\n");
	put(f, NODE "/node1/cpulist", "4-7,12-15\n");
	put(f, NODE "/node2/cpulist", "\n");
	put(f, "/sys/block/sda/dev", "8:0\n");
	put(f, "/sys/block/sda/size", "2048\n");
	put(f, "/sys/block/sda/queue/logical_block_size", "512\n");
	put(f, PCI "/host0/numa", "");
	put(f, PCI "/numa_node", "1\n");
	put_link(f, "../../devices/pci0000:00/0000:00:01.0/host0", "/sys/block/sda/device");
	put(f, "/dev/sda", "");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	f->host.root = f->dir;
	f->arg[0].id = "/dev/sda";
}

static void nodes_become_processors(void **state)
{
	struct fix *f = *state;
	struct str s;

	put_machine(f);
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, numa_cpu_nodes: 0}\n"
			    "  - {name: b, rw: read, numa_cpu_nodes: \"1,0\"}\n"
			    "  - {name: c, rw: read, numa_cpu_nodes: device}\n"
			    "  - {name: d, rw: read, numa_mem_policy: \"interleave:0-2\"}\n"
			    "  - {name: e, rw: read, numa_mem_policy: default}\n");
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
	assert_string_equal(f->plan.jobs[0].numa_cpus, "0-3,8-11");
	assert_string_equal(f->plan.jobs[1].numa_cpu_nodes, "0-1");
	assert_string_equal(f->plan.jobs[1].numa_cpus, "0-15");
	assert_string_equal(f->plan.jobs[2].numa_cpu_nodes, "1");
	assert_string_equal(f->plan.jobs[2].numa_cpus, "4-7,12-15");
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "1 (device)");
	str_clear(&s);
	job_canonical(&f->plan.jobs[2], &s);
	assert_part(s.s, " numa_cpu_nodes=1 ");
	assert_null(strstr(s.s, "numa_mem_policy"));
	str_clear(&s);
	job_canonical(&f->plan.jobs[4], &s);
	assert_null(strstr(s.s, "numa"));
	str_release(&s);
}

static void job_refused(struct fix *f, const char *keys, const char *part)
{
	char text[512];

	snprintf(text, sizeof(text),
		 HEAD_BARE "  - {name: a, rw: read, %s}\n  - {name: b, rw: read}\n", keys);
	fix_ok(f, text);
	if (f->plan.jobs[0].state != JOB_ERROR)
		fail_msg("%s is ready", keys);
	assert_part(f->plan.jobs[0].why, part);
	assert_part(f->plan.jobs[0].why, "(suite.yaml:4)");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
}

static void what_the_machine_has_not(void **state)
{
	struct fix *f = *state;
	char path[256];

	put_machine(f);
	job_refused(f, "numa_cpu_nodes: 63",
		    "numa_cpu_nodes: node 63 is not there; this machine has nodes 0-2");
	job_refused(f, "numa_cpu_nodes: \"0-1,7-8\"", "node 7-8 is not there");
	job_refused(f, "numa_cpu_nodes: \"0,2\"", "numa_cpu_nodes: node 2 has no processors");
	job_refused(f, "numa_mem_policy: \"bind:0,63\"",
		    "numa_mem_policy: node 63 is not there, or has no memory; this machine has "
		    "nodes 0-2");
	put(f, NODE "/has_memory", "0\n");
	job_refused(f, "numa_mem_policy: \"prefer:1\"", "node 1 is not there, or has no memory");
	put(f, NODE "/node1/cpulist", "nonsense\n");
	job_refused(f, "numa_cpu_nodes: 1", "processors 'nonsense' of node 1");
	put(f, NODE "/online", "many\n");
	job_refused(f, "numa_cpu_nodes: 1", "'many' cannot be read");
	/* a device without a node is never taken for node 0 */
	put(f, PCI "/numa_node", "-1\n");
	job_refused(f, "numa_cpu_nodes: device",
		    "numa_cpu_nodes: device: the node of 'dut' is not known (device.numa_node is "
		    "-1); name it: numa_cpu_nodes: 0");
	snprintf(path, sizeof(path), "%s" PCI "/numa_node", f->dir);
	assert_int_equal(unlink(path), 0);
	job_refused(f, "numa_cpu_nodes: device", "device.numa_node is none");
}

static void a_kernel_without_nodes(void **state)
{
	struct fix *f = *state;

	char path[256];

	put_machine(f);
	snprintf(path, sizeof(path), "%s" NODE, f->dir);
	assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	job_refused(f, "numa_cpu_nodes: 0", "this kernel knows no memory nodes");
	job_refused(f, "numa_mem_policy: local", "this kernel knows no memory nodes");
}

/* Of the two lists the nearest holds; two at one place contradict each other. */
static void one_list_of_processors(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	put_machine(f);
	g = fix_refused(f,
			HEAD_BARE "  - {name: a, rw: read, cpus_allowed: 0, numa_cpu_nodes: 0}\n",
			"workload 'a' has both cpus_allowed and numa_cpu_nodes");
	assert_int_equal(g->line, 4);
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: read, cpus_allowed: 0, numa_cpu_nodes: device}\n",
		    "both cpus_allowed and numa_cpu_nodes");
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {cpus_allowed: 0-1}\nworkloads:\n"
		  "  - {name: a, rw: read}\n  - {name: b, rw: read, numa_cpu_nodes: 1}\n");
	assert_string_equal(f->plan.jobs[0].cpus_allowed, "0-1");
	assert_string_equal(f->plan.jobs[1].cpus_allowed, "");
	assert_string_equal(f->plan.jobs[1].numa_cpus, "4-7,12-15");
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {numa_cpu_nodes: device}\nworkloads:\n"
		  "  - {name: a, rw: read}\n  - {name: b, rw: read, cpus_allowed: 1}\n");
	assert_string_equal(f->plan.jobs[0].numa_cpu_nodes, "1");
	assert_string_equal(f->plan.jobs[1].numa_cpu_nodes, "");
	assert_false(f->plan.jobs[1].numa_device);
	assert_null(f->plan.jobs[1].numa_cpus);
}

static void split(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	g = fix_refused(f, HEAD "  - {name: a, rw: read, cpus_allowed_policy: split}\n",
			"cpus_allowed_policy of workload 'a' needs cpus_allowed");
	assert_int_equal(g->line, 5);
	fix_ok(f, HEAD "  - {name: a, rw: read, cpus_allowed_policy: shared, numjobs: 3}\n"
		       "  - {name: b, rw: read, cpus_allowed_policy: split, cpus_allowed: 0-2, "
		       "numjobs: 3}\n");
	assert_null(fix_rule(f, "split-above-processors"));
	assert_string_equal(f->plan.jobs[0].cpus_allowed_policy, "");
	assert_string_equal(f->plan.jobs[1].cpus_allowed_policy, "split");
	fix_ok(f, HEAD "  - {name: b, rw: read, cpus_allowed_policy: split, cpus_allowed: 0-2, "
		       "numjobs: 4}\n");
	g = fix_rule(f, "split-above-processors");
	assert_non_null(g);
	assert_int_equal(g->level, DIAG_WARN);
	assert_part(g->text, "numjobs 4 on 3 processors of cpus_allowed");
	assert_part(g->hint, "numjobs: 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(nodes_become_processors),
		DISK_TEST(what_the_machine_has_not),
		DISK_TEST(a_kernel_without_nodes),
		DISK_TEST(one_list_of_processors),
		TEST(split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
