/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/nodes: memory nodes, their processors, and which of them a disk is near. */
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>

#define NODES "/sys/devices/system/node"

static int unreadable(const char *what, int rc, struct err *e)
{
	if (rc == 0)
		return err_set(e, ERR_TARGET, "'%s' is empty", what);
	return err_sys(e, ERR_TARGET, -rc, "cannot read '%s'", what);
}

int host_nodes(const struct host *h, bool with_memory, struct str *out, struct err *e)
{
	const char *path = with_memory ? NODES "/has_memory" : NODES "/online";
	int rc = host_read(h, out, "%s", path);

	/* kernels before 3.x had normal memory only, and no file for all of it */
	if (rc == -ENOENT && with_memory) {
		path = NODES "/online";
		rc = host_read(h, out, "%s", path);
	}
	if (rc == 0 && out->len)
		return 0;
	if (rc == -ENOENT && !host_exists(h, NODES)) {
		err_set(e, ERR_TARGET,
			"this kernel knows no memory nodes ('" NODES "' is missing: CONFIG_NUMA)");
		return err_hint(e, "leave out numa_cpu_nodes and numa_mem_policy");
	}
	return unreadable(path, rc, e);
}

int host_node_cpus(const struct host *h, unsigned node, struct str *out, struct err *e)
{
	char path[64];
	int rc;

	snprintf(path, sizeof(path), NODES "/node%u/cpulist", node);
	rc = host_read(h, out, "%s", path);
	return rc ? unreadable(path, rc, e) : 0;
}

/* The nearest level of its sysfs path that says so: for most disks the PCI function. */
void node_fact(const struct host *h, const struct block *disk, struct facts *f, struct arena *a)
{
	const char *key = "device.numa_node", *why = NULL;
	struct str dir, v;
	int rc = -ENOENT;

	str_init(&dir);
	str_init(&v);
	block_hardware(h, disk, &dir);
	while (rc == -ENOENT && dir.len > strlen("/sys/devices")) {
		rc = host_read(h, &v, "%s/numa_node", dir.s);
		if (rc == -ENOENT)
			while (dir.len && dir.s[--dir.len] != '/')
				;
		dir.s[dir.len] = '\0';
	}
	if (rc && rc != -ENOENT)
		why = arena_printf(a, "cannot read '%s/numa_node': %s", dir.s, strerror(-rc));
	facts_set(f, a, key, rc == 0 && v.len ? v.s : why ? NULL : "none", why);
	str_release(&v);
	str_release(&dir);
}

int host_cpus(const struct host *h, struct str *out, struct err *e)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	int rc = host_read(h, out, "%s", path);

	return rc == 0 && out->len ? 0 : unreadable(path, rc, e);
}
