/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/placement: memory nodes and policies as text, in fio's spelling. */
#include "model/job.h"

#include <string.h>

bool cpu_list_has(const struct cpu_list *c, unsigned i)
{
	return i < CPUS_MAX && c->bit[i / 64] >> i % 64 & 1;
}

int numa_nodes_read(const char *text, struct cpu_list *out)
{
	if (cpu_list_read(text, out))
		return -1;
	for (unsigned i = NUMA_NODES_MAX; i < CPUS_MAX; i++)
		if (cpu_list_has(out, i))
			return -1;
	return 0;
}

static const char *const kinds[] = {
	[NUMA_DEFAULT] = "default",       [NUMA_BIND] = "bind",   [NUMA_PREFER] = "prefer",
	[NUMA_INTERLEAVE] = "interleave", [NUMA_LOCAL] = "local",
};

static bool has_nodes(enum numa_kind k)
{
	return k != NUMA_DEFAULT && k != NUMA_LOCAL;
}

int numa_policy_read(const char *text, struct numa_policy *out)
{
	size_t n = strcspn(text, ":");
	unsigned k = 0;

	*out = (struct numa_policy){.kind = NUMA_DEFAULT};
	if (!*text)
		return 0;
	while (k < sizeof(kinds) / sizeof(kinds[0]) &&
	       (strlen(kinds[k]) != n || memcmp(kinds[k], text, n) != 0))
		k++;
	if (k == sizeof(kinds) / sizeof(kinds[0]))
		return -1;
	out->kind = (enum numa_kind)k;
	if (!has_nodes(out->kind))
		return text[n] ? -1 : 0;
	if (!text[n] || numa_nodes_read(text + n + 1, &out->nodes))
		return -1;
	return out->kind == NUMA_PREFER && out->nodes.n != 1 ? -1 : 0;
}

void numa_policy_add(const struct numa_policy *p, struct str *out)
{
	if (p->kind == NUMA_DEFAULT)
		return;
	str_add(out, kinds[p->kind]);
	if (!has_nodes(p->kind))
		return;
	str_addc(out, ':');
	cpu_list_add(&p->nodes, out);
}
