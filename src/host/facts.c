/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/facts: the machine itself. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

bool proc_line(const char *text, const char *key, struct str *out)
{
	size_t n = strlen(key);

	for (const char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		const char *q = p + n;

		if (strncmp(p, key, n) != 0)
			continue;
		q += strspn(q, " \t");
		if (*q != ':')
			continue;
		q++;
		str_clear(out);
		text_squeeze(out, q, strcspn(q, "\n"));
		return out->len > 0;
	}
	return false;
}

/*
 * "battery" when a system battery discharges, "mains" when a supply says it is on line or only
 * batteries that do not discharge are there, "none" when nothing reports (desktops, servers).
 */
static void power_fact(const struct host *h, struct facts *f, struct arena *a)
{
	char **names;
	size_t n;
	struct str s;
	bool battery = false, discharging = false, mains = false;
	const char *dir = "/sys/class/power_supply", *unreadable = NULL;
	int rc = host_list(h, &names, &n, "/sys/class/power_supply");

	str_init(&s);
	for (size_t i = 0; i < n && !unreadable; i++) {
		const char *attr = "type";
		int got;

		/* scope Device: the battery of a mouse */
		if (host_read(h, &s, "%s/%s/scope", dir, names[i]) == 0 && str_eq(s.s, "Device"))
			continue;
		got = host_read(h, &s, "%s/%s/type", dir, names[i]);
		if (got == 0 && str_eq(s.s, "Battery")) {
			battery = true;
			attr = "status";
			got = host_read(h, &s, "%s/%s/status", dir, names[i]);
			discharging |= got == 0 && str_eq(s.s, "Discharging");
		} else if (got == 0) {
			attr = "online";
			got = host_read(h, &s, "%s/%s/online", dir, names[i]);
			mains |= got == 0 && str_eq(s.s, "1");
		}
		/* a supply without that attribute has nothing to say */
		if (got < 0 && got != -ENOENT)
			unreadable = arena_printf(a, "cannot read '%s/%s/%s': %s", dir, names[i],
						  attr, strerror(-got));
	}
	if (rc < 0)
		facts_set(f, a, "power.source", NULL,
			  arena_printf(a, "cannot list '/sys/class/power_supply': %s",
				       strerror(-rc)));
	else if (unreadable)
		facts_set(f, a, "power.source", NULL, unreadable);
	else if (!host_exists(h, "/sys/class"))
		facts_set(f, a, "power.source", NULL, "'/sys/class' is not mounted");
	else
		facts_set(f, a, "power.source",
			  mains         ? "mains"
			  : discharging ? "battery"
			  : battery     ? "mains"
					: "none",
			  NULL);
	file_list_free(names, n);
	str_release(&s);
}

/* Of the whole machine, to the eighth of a GiB: what the kernel keeps for itself differs a little
 * from boot to boot. */
static void memory_facts(const struct host *h, struct facts *f, struct arena *a)
{
	struct str text, v;
	char *end = NULL;
	uint64_t kib = 0;
	int rc;

	str_init(&text);
	str_init(&v);
	rc = host_read(h, &text, "/proc/meminfo");
	if (rc == 0 && proc_line(text.s, "MemTotal", &v) && c_isdigit(v.s[0]))
		kib = strtoull(v.s, &end, 10);
	if (end && str_eq(end, " kB") && kib <= UINT64_MAX / 1024)
		facts_set(f, a, "memory.total",
			  arena_printf(a, "%g GiB", (double)((kib + (64 << 10)) / (128 << 10)) / 8),
			  NULL);
	else
		facts_set(f, a, "memory.total", NULL,
			  rc < 0 ? arena_printf(a, "cannot read '/proc/meminfo': %s", strerror(-rc))
				 : "'/proc/meminfo' has no MemTotal in kB");
	fact_chosen(h, f, a, "memory.huge_pages", "none",
		    "/sys/kernel/mm/transparent_hugepage/enabled");
	str_release(&v);
	str_release(&text);
}

static void required(const struct host *h, struct facts *f, struct arena *a, const char *key,
		     const char *path)
{
	fact_from(h, f, a, key, NULL, "%s", path);
	if (!facts_find(f, key))
		facts_set(f, a, key, NULL, arena_printf(a, "'%s' is absent or empty", path));
}

void host_facts(const struct host *h, struct facts *f, struct arena *a)
{
	static const struct blocks none = {0};

	required(h, f, a, "kernel.release", "/proc/sys/kernel/osrelease");
	required(h, f, a, "kernel.version", "/proc/sys/kernel/version");
	required(h, f, a, "kernel.cmdline", "/proc/cmdline");
	required(h, f, a, "host.name", "/proc/sys/kernel/hostname");
	required(h, f, a, "boot.id", "/proc/sys/kernel/random/boot_id");
	fact_from(h, f, a, "host.bios", "none", "/sys/class/dmi/id/bios_version");
	fact_from(h, f, a, "host.bios_date", "none", "/sys/class/dmi/id/bios_date");
	fact_from(h, f, a, "host.vendor", "none", "/sys/class/dmi/id/sys_vendor");
	fact_from(h, f, a, "host.product", "none", "/sys/class/dmi/id/product_name");
	fact_from(h, f, a, "host.board", "none", "/sys/class/dmi/id/board_name");
	fact_from(h, f, a, "kernel.taint", "none", "/proc/sys/kernel/tainted");
	cpu_facts(h, f, a);
	memory_facts(h, f, a);
	power_fact(h, f, a);
	limit_facts(h, &none, BLOCK_NONE, f, a);
}

void host_label(struct facts *f, struct arena *a, const char *name, const char *value)
{
	facts_set(f, a, arena_printf(a, "label.%s", name), value, "no value given");
}

int host_memory(const struct host *h, uint64_t *bytes, struct err *e)
{
	struct str text, v;
	char *end = NULL;
	uint64_t kib = 0;
	int rc;

	str_init(&text);
	str_init(&v);
	rc = host_read(h, &text, "/proc/meminfo");
	/* its "kB" are 1024 bytes */
	if (rc == 0 && proc_line(text.s, "MemAvailable", &v) && c_isdigit(v.s[0]))
		kib = strtoull(v.s, &end, 10);
	if (rc < 0)
		rc = err_sys(e, ERR_TARGET, -rc, "cannot read '/proc/meminfo'");
	else if (!end || !str_eq(end, " kB") || kib > UINT64_MAX / 1024)
		rc = err_set(e, ERR_TARGET, "'/proc/meminfo' has no MemAvailable in kB");
	else
		*bytes = kib * 1024;
	str_release(&v);
	str_release(&text);
	return rc;
}

/* "Max open files            1024                 4096                 files" */
int host_descriptors(const struct host *h, uint64_t *n, struct err *e)
{
	static const char key[] = "Max open files";
	const char *at;
	struct str text;
	int rc;

	str_init(&text);
	rc = host_read(h, &text, "/proc/self/limits");
	at = rc == 0 ? strstr(text.s, key) : NULL;
	if (at)
		at += strlen(key) + strspn(at + strlen(key), " ");
	if (rc < 0)
		rc = err_sys(e, ERR_TARGET, -rc, "cannot read '/proc/self/limits'");
	else if (at && str_starts(at, "unlimited"))
		*n = UINT64_MAX;
	else if (at && c_isdigit(*at))
		*n = strtoull(at, NULL, 10);
	else
		rc = err_set(e, ERR_TARGET, "'/proc/self/limits' has no limit of open files");
	str_release(&text);
	return rc;
}
