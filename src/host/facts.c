/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/facts: the machine itself. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The value of the first line "key<blanks>: value" of a text of /proc; false when there is none. */
static bool proc_line(const char *text, const char *key, struct str *out)
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

/* x86 names the model; arm64 only implementer and part; others use "cpu" or "machine". */
static void cpu_facts(const struct host *h, struct facts *f, struct arena *a)
{
	static const char *const keys[] = {"model name", "cpu model", "cpu", "Processor",
					   "machine"};
	struct str text, v, part;
	int rc;

	str_init(&text);
	str_init(&v);
	str_init(&part);
	rc = host_read(h, &text, "/proc/cpuinfo");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !v.len; i++)
		(void)proc_line(text.s, keys[i], &v);
	if (!v.len && proc_line(text.s, "CPU implementer", &v) &&
	    proc_line(text.s, "CPU part", &part)) {
		facts_set(f, a, "cpu.model", arena_printf(a, "implementer %s part %s", v.s, part.s),
			  NULL);
	} else {
		facts_set(f, a, "cpu.model", v.len ? v.s : NULL,
			  rc < 0 ? arena_printf(a, "cannot read '/proc/cpuinfo': %s", strerror(-rc))
				 : "'/proc/cpuinfo' names no model");
	}
	str_clear(&v);
	if (proc_line(text.s, "microcode", &v))
		facts_set(f, a, "cpu.microcode", v.s, NULL);
	else
		fact_from(h, f, a, "cpu.microcode", "none",
			  "/sys/devices/system/cpu/cpu0/microcode/version");
	str_release(&part);
	str_release(&v);
	str_release(&text);
}

/* Members of a list like "0-3,8"; 0 when it is none. */
static unsigned long count_list(const char *s)
{
	unsigned long n = 0;

	while (*s) {
		unsigned long from, to;
		char *end;

		from = to = strtoul(s, &end, 10);
		if (end == s)
			return 0;
		if (*end == '-') {
			s = end + 1;
			to = strtoul(s, &end, 10);
			if (end == s || to < from)
				return 0;
		}
		n += to - from + 1;
		s = end;
		if (*s && *s++ != ',')
			return 0;
	}
	return n;
}

static void cpu_count(const struct host *h, struct facts *f, struct arena *a)
{
	struct str s;
	unsigned long n = 0;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "/sys/devices/system/cpu/online");
	if (rc == 0)
		n = count_list(s.s);
	facts_set(f, a, "cpu.count", n ? arena_printf(a, "%lu", n) : NULL,
		  arena_printf(a, "cannot read '/sys/devices/system/cpu/online': %s",
			       strerror(rc < 0 ? -rc : EINVAL)));
	str_release(&s);
}

/* One governor for all, or "mixed". */
void governor_fact(const struct host *h, struct facts *f, struct arena *a)
{
	char **cpus;
	size_t n;
	struct str first, s;
	bool mixed = false;

	str_init(&first);
	str_init(&s);
	if (host_list(h, &cpus, &n, "/sys/devices/system/cpu") < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(cpus[i], "cpu") || !c_isdigit(cpus[i][3]) ||
		    host_read(h, &s, "/sys/devices/system/cpu/%s/cpufreq/scaling_governor",
			      cpus[i]) < 0)
			continue;
		if (first.len == 0)
			str_add_clean(&first, s.s, s.len);
		else if (!str_eq(first.s, s.s))
			mixed = true;
	}
	file_list_free(cpus, n);
	facts_set(f, a, "cpu.governor", mixed ? "mixed" : first.len ? first.s : "none", NULL);
	str_release(&s);
	str_release(&first);
}

static void mitigation_fact(const struct host *h, struct facts *f, struct arena *a)
{
	char **names;
	size_t n;
	struct str all, s;
	int rc = host_list(h, &names, &n, "/sys/devices/system/cpu/vulnerabilities");

	str_init(&all);
	str_init(&s);
	for (size_t i = 0; i < n; i++) {
		if (host_read(h, &s, "/sys/devices/system/cpu/vulnerabilities/%s", names[i]) < 0 ||
		    str_eq(s.s, "Not affected"))
			continue;
		str_addf(&all, "%s%s: ", all.len ? "; " : "", names[i]);
		str_add_clean(&all, s.s, s.len);
	}
	if (rc < 0)
		facts_set(f, a, "cpu.mitigations", NULL, strerror(-rc));
	else
		facts_set(f, a, "cpu.mitigations", all.len ? all.s : "none", NULL);
	file_list_free(names, n);
	str_release(&s);
	str_release(&all);
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
	int rc = host_list(h, &names, &n, "/sys/class/power_supply");

	str_init(&s);
	for (size_t i = 0; i < n; i++) {
		const char *dir = "/sys/class/power_supply";

		/* scope Device: the battery of a mouse */
		if (host_read(h, &s, "%s/%s/scope", dir, names[i]) == 0 && str_eq(s.s, "Device"))
			continue;
		if (host_read(h, &s, "%s/%s/type", dir, names[i]) < 0)
			continue;
		if (str_eq(s.s, "Battery")) {
			battery = true;
			if (host_read(h, &s, "%s/%s/status", dir, names[i]) == 0)
				discharging |= str_eq(s.s, "Discharging");
		} else if (host_read(h, &s, "%s/%s/online", dir, names[i]) == 0) {
			mains |= str_eq(s.s, "1");
		}
	}
	if (rc < 0)
		facts_set(f, a, "power.source", NULL,
			  arena_printf(a, "cannot list '/sys/class/power_supply': %s",
				       strerror(-rc)));
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
	fact_from(h, f, a, "host.product", "none", "/sys/class/dmi/id/product_name");
	fact_from(h, f, a, "kernel.taint", "none", "/proc/sys/kernel/tainted");
	cpu_facts(h, f, a);
	cpu_count(h, f, a);
	governor_fact(h, f, a);
	mitigation_fact(h, f, a);
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
