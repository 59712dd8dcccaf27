/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a thread runs and where its memory lies. The kernel narrows processors to a cpuset and
 * nodes to what the cpuset allows, and takes pages from elsewhere when a node is short, all in
 * silence: each is looked at afterwards, and what is not as asked refuses the run.
 */
#include "run/live.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGES = 512 }; /* asked for in one call */

static const char *text_or_empty(const char *s)
{
	return s ? s : "";
}

/* The processors of this thread. *asked is the word that says so, NULL = none does. */
static int wanted_cpus(const struct task *k, struct cpu_list *want, const char **asked,
		       struct err *e)
{
	const struct job *j = k->job;
	const char *nodes = text_or_empty(j->numa_cpu_nodes);
	const char *text = *nodes ? text_or_empty(j->numa_cpus) : text_or_empty(j->cpus_allowed);
	unsigned nth, i = 0;

	*asked = *nodes ? "numa_cpu_nodes" : *text ? "cpus_allowed" : NULL;
	if (!*asked)
		return 0;
	if (*nodes && *text_or_empty(j->cpus_allowed))
		return err_set(e, ERR_MEASURE, "'%s' has both cpus_allowed and numa_cpu_nodes",
			       j->name);
	if (cpu_list_read(text, want))
		return err_set(e, ERR_MEASURE, "'%s': %s '%s' %s", j->name, *asked,
			       *nodes ? nodes : text,
			       *nodes ? "has no processors" : "is not valid");
	if (!str_eq(j->cpus_allowed_policy, "split") || *nodes)
		return 0;
	/* the i-th of the list; beyond its end from the front again, as fio does */
	nth = k->index % want->n;
	while (!cpu_list_has(want, i) || nth-- > 0)
		i++;
	*want = (struct cpu_list){.n = 1};
	want->bit[i / 64] = 1ULL << i % 64;
	return 0;
}

static int wrong_cpus(const struct task *k, const struct cpu_list *want, const struct cpu_list *got,
		      struct err *e)
{
	struct str asked, have;

	str_init(&asked);
	str_init(&have);
	cpu_list_add(want, &asked);
	if (!got) {
		err_sys(e, ERR_MEASURE, errno, "'%s' cannot run on the processors %s", k->job->name,
			asked.s);
	} else {
		cpu_list_add(got, &have);
		err_set(e, ERR_MEASURE, "'%s' may run on %s only, of the processors %s",
			k->job->name, have.s, asked.s);
	}
	str_release(&asked);
	str_release(&have);
	return e->code;
}

/* The processors were looked up when the plan was made; this is what the kernel says now. */
static int check_node(const struct task *k, struct err *e)
{
	const char *text = text_or_empty(k->job->numa_cpu_nodes);
	struct cpu_list nodes;
	unsigned cpu, node;

	if (!*text)
		return 0;
	if (numa_nodes_read(text, &nodes))
		return err_set(e, ERR_MEASURE, "'%s': numa_cpu_nodes '%s' is not valid",
			       k->job->name, text);
	if (syscall(SYS_getcpu, &cpu, &node, NULL))
		return err_sys(e, ERR_MEASURE, errno, "'%s': getcpu", k->job->name);
	if (cpu_list_has(&nodes, node))
		return 0;
	return err_set(e, ERR_MEASURE,
		       "'%s' runs on processor %u of node %u, which is none of numa_cpu_nodes %s",
		       k->job->name, cpu, node, text);
}

static int place_cpus(const struct task *k, struct err *e)
{
	struct cpu_list want, got = {0};
	const char *asked;
	long len;
	int rc = wanted_cpus(k, &want, &asked, e);

	if (rc || !asked)
		return rc;
	if (sched_setaffinity(0, sizeof(want.bit), (const cpu_set_t *)(const void *)want.bit))
		return wrong_cpus(k, &want, NULL, e);
	len = syscall(SYS_sched_getaffinity, 0, sizeof(got.bit), got.bit);
	if (len <= 0 || memcmp(want.bit, got.bit, sizeof(got.bit)) != 0)
		return wrong_cpus(k, &want, &got, e);
	return check_node(k, e);
}

static int policy_of(const struct task *k, struct numa_policy *p, struct err *e)
{
	const char *text = text_or_empty(k->job->numa_mem_policy);

	if (numa_policy_read(text, p))
		return err_set(e, ERR_MEASURE, "'%s': numa_mem_policy '%s' is not valid",
			       k->job->name, text);
	return 0;
}

static int policy_refused(const struct task *k, const char *call, int sys, struct err *e)
{
	err_sys(e, ERR_MEASURE, sys, "'%s': numa_mem_policy %s: %s", k->job->name,
		k->job->numa_mem_policy, call);
	if (sys == ENOSYS)
		return err_hint(e, "this kernel knows no memory nodes (CONFIG_NUMA); leave out "
				   "numa_mem_policy");
	if (sys == EPERM)
		return err_hint(e, "a seccomp filter denies it (container engines do without "
				   "CAP_SYS_NICE); allow it, or leave out numa_mem_policy");
	if (sys == EINVAL)
		return err_hint(e, "a node that does not exist, has no memory, or is not in the "
				   "cpuset of the process");
	return e->code;
}

/* Every bit is a node; the kernel takes one less than it is told. */
enum { NODE_BITS = NUMA_NODES_MAX + 1 };

/* Nodes outside the cpuset or without memory are dropped from the set in silence. */
static int check_policy(const struct task *k, const struct numa_policy *p, struct err *e)
{
	struct cpu_list got = {0};
	struct str have;
	int mode;

	if (syscall(SYS_get_mempolicy, &mode, got.bit, NODE_BITS, NULL, 0))
		return policy_refused(k, "get_mempolicy", errno, e);
	if (memcmp(got.bit, p->nodes.bit, sizeof(got.bit)) == 0)
		return 0;
	str_init(&have);
	cpu_list_add(&got, &have);
	err_set(e, ERR_MEASURE, "'%s': numa_mem_policy %s: only the nodes '%s' can be had",
		k->job->name, k->job->numa_mem_policy, have.s);
	str_release(&have);
	return err_hint(e, "the others do not exist, have no memory, or are not in the cpuset of "
			   "the process");
}

static int place_memory(const struct task *k, struct err *e)
{
	static const int modes[] = {[NUMA_DEFAULT] = MPOL_DEFAULT,
				    [NUMA_BIND] = MPOL_BIND,
				    [NUMA_PREFER] = MPOL_PREFERRED,
				    [NUMA_INTERLEAVE] = MPOL_INTERLEAVE,
				    [NUMA_LOCAL] = MPOL_LOCAL};
	struct numa_policy p;
	int rc = policy_of(k, &p, e);

	if (rc || p.kind == NUMA_DEFAULT)
		return rc;
	bool nodes = p.nodes.n > 0;

	if (syscall(SYS_set_mempolicy, modes[p.kind], nodes ? p.nodes.bit : NULL,
		    nodes ? NODE_BITS : 0))
		return policy_refused(k, "set_mempolicy", errno, e);
	return nodes ? check_policy(k, &p, e) : 0;
}

int task_place(const struct task *k, struct err *e)
{
	int rc = place_cpus(k, e);

	return rc ? rc : place_memory(k, e);
}

struct pages {
	uint64_t n, elsewhere;
	unsigned found; /* a node of those elsewhere */
};

/* 0 or a positive errno. */
static int look(const struct task *k, const struct cpu_list *nodes, struct pages *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at[PAGES];
	int status[PAGES];

	for (size_t from = 0; from < k->buffers_len;) {
		unsigned n = 0;

		for (; n < PAGES && from < k->buffers_len; from += page)
			at[n++] = k->buffers + from;
		if (syscall(SYS_move_pages, 0, (unsigned long)n, at, NULL, status, 0))
			return errno;
		for (unsigned i = 0; i < n; i++) {
			if (status[i] < 0)
				return -status[i];
			out->n++;
			if (cpu_list_has(nodes, (unsigned)status[i]))
				continue;
			out->elsewhere++;
			out->found = (unsigned)status[i];
		}
	}
	return 0;
}

/*
 * Where the buffers came to lie. bind and interleave name the nodes: a page elsewhere is not what
 * was asked. prefer and local leave the kernel the choice when their node is short, so there it is
 * noted. The buffers alone are looked at: they are what a device reads and writes.
 */
int task_placed(struct task *k, struct err *e)
{
	struct pages seen = {0};
	struct numa_policy p;
	unsigned cpu, node;
	int rc = policy_of(k, &p, e);

	if (rc || p.kind == NUMA_DEFAULT)
		return rc;
	if (p.kind == NUMA_LOCAL) {
		if (syscall(SYS_getcpu, &cpu, &node, NULL))
			return policy_refused(k, "getcpu", errno, e);
		p.nodes.bit[node / 64] |= 1ULL << node % 64;
	}
	int sys = look(k, &p.nodes, &seen);

	if (sys)
		return policy_refused(k, "where the buffers lie cannot be seen", sys, e);
	if (!seen.elsewhere)
		return 0;
	if (p.kind == NUMA_BIND || p.kind == NUMA_INTERLEAVE)
		return err_set(
			e, ERR_MEASURE,
			"'%s': numa_mem_policy %s, but %llu of %llu pages of its buffers lie "
			"elsewhere, on node %u",
			k->job->name, k->job->numa_mem_policy, (unsigned long long)seen.elsewhere,
			(unsigned long long)seen.n, seen.found);
	snprintf(k->t->place, sizeof(k->t->place),
		 "numa_mem_policy %s: %llu of %llu pages of the buffers of a thread lie on other "
		 "nodes (%u)",
		 k->job->numa_mem_policy, (unsigned long long)seen.elsewhere,
		 (unsigned long long)seen.n, seen.found);
	return 0;
}
