/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus_allowed, memory nodes, and startdelay. */
#include "helper.h"
#include "model/job.h"
#include "run/live.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static void allowed_here(struct cpu_list *c)
{
	*c = (struct cpu_list){0};
	assert_true(syscall(SYS_sched_getaffinity, 0, sizeof(c->bit), c->bit) > 0);
}

static void list_text(void **state)
{
	static const char *const rows[][2] = {
		{"0", "0"},         {"0-3,5", "0-3,5"},         {"5,3-4,0", "0,3-5"},
		{"63-64", "63-64"}, {"4094,4095", "4094-4095"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list c;
		struct str s;

		str_init(&s);
		assert_int_equal(cpu_list_read(rows[i][0], &c), 0);
		cpu_list_add(&c, &s);
		assert_string_equal(s.s, rows[i][1]);
		str_release(&s);
	}
}

static void threads_are_placed(void **state)
{
	struct job j = sim_job("lat=100us");
	struct cpu_list c;
	struct outcome o;
	struct str s;

	(void)state;
	allowed_here(&c);
	str_init(&s);
	cpu_list_add(&c, &s);
	j.cpus_allowed = s.s;
	j.numjobs = 2;
	run_ok(&j, INJECT_NONE, &o);
	outcome_release(&o);
	str_release(&s);
	/* the worker alone was moved */
	struct cpu_list after;

	allowed_here(&after);
	assert_memory_equal(&after, &c, sizeof(c));
}

/* A list that the kernel would narrow in silence is an error too. */
static void absent_processors(void **state)
{
	struct job j = sim_job("lat=100us");
	struct cpu_list c;
	struct outcome o;
	struct str s;

	(void)state;
	allowed_here(&c);
	if (c.bit[4095 / 64] >> 4095 % 64 & 1) {
		print_message("skip: this machine has 4096 processors\n");
		skip();
	}
	j.cpus_allowed = "4095";
	run_not(&j, OUTCOME_SETUP, "cannot run on the processors 4095", NULL, &o);
	outcome_release(&o);
	str_init(&s);
	cpu_list_add(&c, &s);
	str_add(&s, ",4095");
	j.cpus_allowed = s.s;
	run_not(&j, OUTCOME_SETUP, "only, of the processors", NULL, &o);
	outcome_release(&o);
	str_release(&s);
	j.cpus_allowed = "x";
	run_not(&j, OUTCOME_SETUP, "not valid", NULL, &o);
	outcome_release(&o);
}

static unsigned first_of(const struct cpu_list *c, unsigned nth)
{
	unsigned i = 0;

	while (!cpu_list_has(c, i) || nth-- > 0)
		i++;
	return i;
}

/* split: each thread has one processor, and those beyond the list begin again at its front. */
static void one_processor_a_thread(void **state)
{
	struct cpu_list all, got;
	struct job j = sim_job("");
	struct str s;

	(void)state;
	allowed_here(&all);
	all.n = 0;
	for (unsigned i = 0; i < CPUS_MAX; i++)
		all.n += cpu_list_has(&all, i);
	str_init(&s);
	cpu_list_add(&all, &s);
	j.cpus_allowed = s.s;
	j.cpus_allowed_policy = "split";
	for (unsigned t = 0; t < 2 * all.n; t++) {
		struct task k = {.job = &j, .index = t};
		struct cpu_list want = {0};
		unsigned cpu = first_of(&all, t % all.n);
		struct err e = ERR_INIT;

		assert_int_equal(task_place(&k, &e), 0);
		want.bit[cpu / 64] = 1ULL << cpu % 64;
		allowed_here(&got);
		assert_memory_equal(got.bit, want.bit, sizeof(want.bit));
	}
	assert_int_equal(syscall(SYS_sched_setaffinity, 0, sizeof(all.bit), all.bit), 0);
	str_release(&s);
}

/* Does the kernel know nodes and let us set a policy (a container may not)? */
static bool nodes_here(void)
{
	if (access("/sys/devices/system/node/node0/cpulist", R_OK)) {
		print_message("skip: this kernel knows no memory nodes\n");
		return false;
	}
	if (syscall(SYS_set_mempolicy, 0, NULL, 0)) {
		print_message("skip: set_mempolicy: %s\n", strerror(errno));
		return false;
	}
	return true;
}

/* Nodes and processors of this machine: node 0 has those that are allowed to us, or the test has
 * nothing to say. */
static bool cpus_of_node_0(char *text, size_t size)
{
	FILE *f = fopen("/sys/devices/system/node/node0/cpulist", "re");
	bool ok = f && fgets(text, (int)size, f);
	struct cpu_list node, allowed;

	if (f)
		fclose(f);
	if (!ok)
		return false;
	text[strcspn(text, "\n")] = '\0';
	allowed_here(&allowed);
	if (cpu_list_read(text, &node))
		return false;
	for (unsigned i = 0; i < CPUS_MAX / 64; i++)
		if (node.bit[i] & ~allowed.bit[i])
			return false;
	return true;
}

static void on_the_processors_of_a_node(void **state)
{
	struct job j = sim_job("lat=100us");
	struct outcome o;
	char cpus[256];

	(void)state;
	if (!nodes_here() || !cpus_of_node_0(cpus, sizeof(cpus))) {
		print_message("skip: node 0 cannot be had here\n");
		skip();
	}
	j.numa_cpu_nodes = "0";
	j.numa_cpus = cpus;
	j.numjobs = 2;
	run_ok(&j, INJECT_NONE, &o);
	outcome_release(&o);
	/* processors of another node than was asked: the kernel is asked, not the plan */
	j.numa_cpu_nodes = "63";
	run_not(&j, OUTCOME_SETUP, "of node 0, which is none of numa_cpu_nodes 63", NULL, &o);
	outcome_release(&o);
	j.numa_cpus = "";
	run_not(&j, OUTCOME_SETUP, "numa_cpu_nodes '63' has no processors", NULL, &o);
	outcome_release(&o);
	j.numa_cpus = cpus;
	j.cpus_allowed = "0";
	run_not(&j, OUTCOME_SETUP, "both cpus_allowed and numa_cpu_nodes", NULL, &o);
	outcome_release(&o);
}

/* The buffers lie where they were asked to; a node that is not there refuses the run. */
static void buffers_on_a_node(void **state)
{
	static const char *const good[] = {"bind:0", "interleave:0", "prefer:0", "local"};
	static const char *const bad[] = {"bind:63", "interleave:63", "prefer:63"};
	struct job j = deep(sim_job("lat=100us"), 64);
	struct outcome o;

	(void)state;
	if (!nodes_here() || !access("/sys/devices/system/node/node1", F_OK) ||
	    !access("/sys/devices/system/node/node63", F_OK)) {
		print_message("skip: another machine than one with a single node\n");
		skip();
	}
	j.bs = 1 << 20;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		j.numa_mem_policy = good[i];
		run_ok(&j, INJECT_NONE, &o);
		assert_string_equal(o.notes, "");
		outcome_release(&o);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		j.numa_mem_policy = bad[i];
		run_not(&j, OUTCOME_SETUP, "set_mempolicy: Invalid argument", NULL, &o);
		assert_non_null(strstr(o.text, bad[i]));
		assert_non_null(strstr(o.text, "does not exist"));
		outcome_release(&o);
	}
	/* of two nodes the kernel drops the absent one in silence */
	j.numa_mem_policy = "bind:0,63";
	run_not(&j, OUTCOME_SETUP, "only the nodes '0' can be had", NULL, &o);
	outcome_release(&o);
	j.numa_mem_policy = "bind:x";
	run_not(&j, OUTCOME_SETUP, "numa_mem_policy 'bind:x' is not valid", NULL, &o);
	outcome_release(&o);
}

/* What lies elsewhere: an error for bind, a note for prefer. The policy says node 1, the pages came
 * before it. */
static void pages_elsewhere(void **state)
{
	struct job j = deep(sim_job(""), 3);
	struct run_request r = {.job = &j, .target_name = "T"};
	struct live *l = live_new(1, 1);
	struct task k = {.job = &j, .req = &r, .live = l, .t = &l->thread[0], .depth = 3};
	struct err e = ERR_INIT;

	(void)state;
	if (!nodes_here() || !access("/sys/devices/system/node/node1", F_OK)) {
		print_message("skip: another machine than one with a single node\n");
		skip();
	}
	assert_int_equal(task_alloc(&k, &e), 0);
	j.numa_mem_policy = "bind:1";
	assert_int_equal(task_placed(&k, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "pages of its buffers lie elsewhere, on node 0"));
	e = ERR_INIT;
	j.numa_mem_policy = "interleave:1-2";
	assert_int_equal(task_placed(&k, &e), ERR_MEASURE);
	e = ERR_INIT;
	assert_string_equal(k.t->place, "");
	j.numa_mem_policy = "prefer:1";
	assert_int_equal(task_placed(&k, &e), 0);
	assert_non_null(strstr(k.t->place, "numa_mem_policy prefer:1: "));
	assert_non_null(strstr(k.t->place, "lie on other nodes (0)"));
	task_free(&k);
	live_free(l);
}

/* The rest is part of neither ramp nor window, on both clocks. */
static void rest_before_the_ramp(void **state)
{
	struct job j = sim_job("lat=100us");
	struct outcome o;

	(void)state;
	j.startdelay = 3600 * NS_PER_SEC;
	j.ramp_time = 100 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, NS_PER_SEC);
	assert_int_equal(o.ramp, 100 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].ios, 10000);
	outcome_release(&o);
	j = sized(sim_job(""), RW_READ, 4096, 1);
	j.ioengine = "null";
	j.startdelay = 50 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 1);
	assert_true(o.wall >= 50 * NS_PER_MS);
	outcome_release(&o);
	assert_true(run_deadline(&j) > 50 * NS_PER_MS + 60 * NS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_text),
		cmocka_unit_test(threads_are_placed),
		cmocka_unit_test(absent_processors),
		cmocka_unit_test(one_processor_a_thread),
		cmocka_unit_test(on_the_processors_of_a_node),
		cmocka_unit_test(buffers_on_a_node),
		cmocka_unit_test(pages_elsewhere),
		cmocka_unit_test(rest_before_the_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
