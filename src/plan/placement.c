/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/placement: processors and memory nodes of a job. What contradicts itself is an error of the
 * suite; what this machine does not have is an error of the job, which names what there is.
 */
#include "plan/planner.h"

static bool set(const char *text)
{
	return text && *text;
}

/* Two ways to name the processors: the one written nearest to the workload holds, as with bs. */
static void one_list(struct planner *pl, const struct workload *w, struct job *j,
		     struct job_origins *og)
{
	struct origin *cpus = &og->of[pl->at[PW_CPUS]], *nodes = &og->of[pl->at[PW_NUMA_CPUS]];
	struct diag *g;

	if (!set(j->cpus_allowed) || (!set(j->numa_cpu_nodes) && !j->numa_device))
		return;
	if (cpus->kind == nodes->kind) {
		g = planner_report(pl, nodes->line, nodes->column,
				   "workload '%s' has both cpus_allowed and numa_cpu_nodes",
				   w->name);
		if (g)
			diag_hint(g, "keep one: a node is a list of processors");
	} else if (cpus->kind > nodes->kind) {
		j->numa_cpu_nodes = "";
		j->numa_device = false;
		*nodes = (struct origin){0};
	} else {
		j->cpus_allowed = "";
		*cpus = (struct origin){0};
	}
}

void placement_words(struct planner *pl, const struct workload *w, struct job *j,
		     struct job_origins *og)
{
	struct origin *policy = &og->of[pl->at[PW_CPUS_POLICY]];
	struct diag *g;

	one_list(pl, w, j, og);
	if (!set(j->cpus_allowed_policy) || set(j->cpus_allowed))
		return;
	g = planner_report(pl, policy->line, policy->column,
			   "cpus_allowed_policy of workload '%s' needs cpus_allowed", w->name);
	if (g)
		diag_hint(g, "cpus_allowed: 0-3");
}

/* Of `nodes`, those that this machine does not have: "", or the list. */
static void add_missing(const struct cpu_list *nodes, const struct cpu_list *have, struct str *out)
{
	struct cpu_list missing = {0};

	for (unsigned i = 0; i < CPUS_MAX / 64; i++)
		missing.bit[i] = nodes->bit[i] & ~have->bit[i];
	cpu_list_add(&missing, out);
}

/* NULL, or why these nodes cannot be had. */
static const char *nodes_refused(struct planner *pl, const char *word, const struct cpu_list *nodes,
				 bool with_memory)
{
	struct cpu_list have;
	const char *why = NULL;
	struct err e = ERR_INIT;
	struct str s, missing;

	str_init(&s);
	str_init(&missing);
	if (host_nodes(pl->o->host, with_memory, &s, &e) < 0) {
		why = arena_printf(pl->a, "%s: %s%s%s", word, e.text, e.hint[0] ? "; " : "",
				   e.hint);
	} else if (cpu_list_read(s.s, &have)) {
		why = arena_printf(pl->a, "%s: the kernel's list of nodes '%s' cannot be read",
				   word, s.s);
	} else {
		add_missing(nodes, &have, &missing);
		if (missing.len)
			why = arena_printf(
				pl->a, "%s: node %s is not there%s; this machine has nodes %s",
				word, missing.s, with_memory ? ", or has no memory" : "", s.s);
	}
	str_release(&missing);
	str_release(&s);
	return why;
}

/* "0" of the device behind the target, or why not. */
static const char *device_node(struct planner *pl, struct job *j, const struct target *t)
{
	const struct fact *f = facts_find(&t->facts, "device.numa_node");
	const char *v = f ? f->value : NULL;
	struct cpu_list node;

	if (v && numa_nodes_read(v, &node) == 0) {
		j->numa_cpu_nodes = v;
		return NULL;
	}
	return arena_printf(
		pl->a,
		"numa_cpu_nodes: device: the node of '%s' is not known (%s%s); name it: "
		"numa_cpu_nodes: 0",
		t->role, v ? "device.numa_node is " : "",
		v             ? v
		: f && f->why ? f->why
			      : "it has no device");
}

/* The processors of the nodes, all together. */
static const char *node_cpus(struct planner *pl, struct job *j, const struct cpu_list *nodes)
{
	struct cpu_list all = {0}, some;
	const char *why = NULL;
	struct err e = ERR_INIT;
	struct str s;

	str_init(&s);
	for (unsigned n = 0; n < NUMA_NODES_MAX && !why; n++) {
		if (!cpu_list_has(nodes, n))
			continue;
		if (host_node_cpus(pl->o->host, n, &s, &e) < 0)
			why = arena_printf(pl->a, "numa_cpu_nodes: %s", e.text);
		else if (s.len && cpu_list_read(s.s, &some))
			why = arena_printf(pl->a, "numa_cpu_nodes: processors '%s' of node %u", s.s,
					   n);
		else if (!s.len)
			why = arena_printf(pl->a, "numa_cpu_nodes: node %u has no processors", n);
		for (unsigned i = 0; !why && i < CPUS_MAX / 64; i++)
			all.bit[i] |= some.bit[i];
	}
	str_clear(&s);
	cpu_list_add(&all, &s);
	if (!why)
		j->numa_cpus = arena_strdup(pl->a, s.s);
	str_release(&s);
	return why;
}

/* A list that names a processor which is not there would only fail in the worker. */
static const char *cpus_refused(struct planner *pl, const struct job *j)
{
	struct cpu_list want, have;
	const char *why = NULL;
	struct err e = ERR_INIT;
	struct str s, missing;

	if (!set(j->cpus_allowed) || cpu_list_read(j->cpus_allowed, &want))
		return NULL;
	str_init(&s);
	str_init(&missing);
	/* Where the list cannot be read the worker still asks the kernel itself. */
	if (host_cpus(pl->o->host, &s, &e) == 0 && cpu_list_read(s.s, &have) == 0) {
		add_missing(&want, &have, &missing);
		if (missing.len)
			why = arena_printf(pl->a,
					   "cpus_allowed: processor %s is not there; this machine "
					   "has %s",
					   missing.s, s.s);
	}
	str_release(&missing);
	str_release(&s);
	return why;
}

static const char *resolve_cpus(struct planner *pl, struct job *j, const struct target *t)
{
	const char *why = j->numa_device ? device_node(pl, j, t) : NULL;
	struct cpu_list nodes;

	if (why || !set(j->numa_cpu_nodes))
		return why;
	if (numa_nodes_read(j->numa_cpu_nodes, &nodes))
		return arena_printf(pl->a, "numa_cpu_nodes '%s' is not valid", j->numa_cpu_nodes);
	why = nodes_refused(pl, "numa_cpu_nodes", &nodes, false);
	return why ? why : node_cpus(pl, j, &nodes);
}

static const char *resolve_memory(struct planner *pl, const struct job *j)
{
	struct numa_policy p;

	if (!set(j->numa_mem_policy))
		return NULL;
	if (numa_policy_read(j->numa_mem_policy, &p))
		return arena_printf(pl->a, "numa_mem_policy '%s' is not valid", j->numa_mem_policy);
	return nodes_refused(pl, "numa_mem_policy", &p.nodes, true);
}

void placement_on_target(struct planner *pl, struct job *j, const struct target *t,
			 const struct job_origins *og)
{
	enum plan_word at = PW_NUMA_CPUS;
	const char *why;

	if (pl->o->lint_only || t->kind == TARGET_NONE)
		return;
	why = resolve_cpus(pl, j, t);
	if (!why) {
		at = PW_CPUS;
		why = cpus_refused(pl, j);
	}
	if (!why) {
		at = PW_NUMA_MEMORY;
		why = resolve_memory(pl, j);
	}
	if (why)
		job_stop(j, JOB_ERROR,
			 arena_printf(pl->a, "%s (%s:%u)", why, pl->s->file,
				      og->of[pl->at[at]].line ? og->of[pl->at[at]].line
							      : j->file_line));
}
