/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that say where a job runs and where its buffers lie. */
#include "suite/words_read.h"

#include <string.h>

#include "base/arena.h"

static const char *list_text(const struct cpu_list *c, struct arena *a)
{
	const char *text;
	struct str out;

	str_init(&out);
	cpu_list_add(c, &out);
	text = arena_strdup(a, out.s);
	str_release(&out);
	return text;
}

WORD_READER(word_read_cpus)
{
	struct cpu_list c;

	if (cpu_list_read(text, &c)) {
		err_set(e, ERR_SUITE, "%s: '%s' is no list of processors below %d", w->name, text,
			CPUS_MAX);
		return err_hint(e, "write numbers and ranges: 0-3,5");
	}
	j->cpus_allowed = list_text(&c, a);
	return 0;
}

WORD_READER(word_read_cpus_policy)
{
	bool split = strcmp(text, "split") == 0;

	if (!split && strcmp(text, "shared") != 0) {
		err_set(e, ERR_SUITE, "%s: '%s' is none of shared split", w->name, text);
		return err_hint(e, "split gives job i the i-th processor of 'cpus_allowed'");
	}
	j->cpus_allowed_policy = arena_strdup(a, split ? "split" : "");
	return 0;
}

WORD_SHOWER(word_show_cpus_policy)
{
	(void)w;
	str_add(out, j->cpus_allowed_policy && *j->cpus_allowed_policy ? j->cpus_allowed_policy
								       : "shared");
}

/* Which node `device` is, the plan knows. */
WORD_READER(word_read_numa_nodes)
{
	struct cpu_list c;

	j->numa_device = strcmp(text, "device") == 0;
	if (j->numa_device) {
		j->numa_cpu_nodes = arena_strdup(a, "");
		return 0;
	}
	if (numa_nodes_read(text, &c)) {
		err_set(e, ERR_SUITE, "%s: '%s' is no list of memory nodes below %d", w->name, text,
			NUMA_NODES_MAX);
		return err_hint(e, "write numbers and ranges: 0-1,3; or device, the node of the "
				   "target");
	}
	j->numa_cpu_nodes = list_text(&c, a);
	return 0;
}

WORD_SHOWER(word_show_numa_nodes)
{
	bool known = j->numa_cpu_nodes && *j->numa_cpu_nodes;

	(void)w;
	if (known)
		str_add(out, j->numa_cpu_nodes);
	if (j->numa_device)
		str_add(out, known ? " (device)" : "device");
}

WORD_READER(word_read_numa_policy)
{
	struct numa_policy p;
	struct str out;

	if (!*text || numa_policy_read(text, &p)) {
		err_set(e, ERR_SUITE, "%s: '%s' is no memory policy", w->name, text);
		return err_hint(e, "default, bind:0-1, prefer:0, interleave:0-1 or local");
	}
	str_init(&out);
	numa_policy_add(&p, &out);
	j->numa_mem_policy = arena_strdup(a, out.s);
	str_release(&out);
	return 0;
}

WORD_SHOWER(word_show_numa_policy)
{
	(void)w;
	str_add(out, j->numa_mem_policy && *j->numa_mem_policy ? j->numa_mem_policy : "default");
}
