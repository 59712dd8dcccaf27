/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/cpu: the processors, and the settings that decide how fast they run. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CPUS "/sys/devices/system/cpu"

/* x86 names the model; arm64 only implementer and part; others use "cpu" or "machine". */
static void model_facts(const struct host *h, struct facts *f, struct arena *a)
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

/* A setting of each processor: one value for all, "mixed", or none. */
static void each_cpu(const struct host *h, struct facts *f, struct arena *a, const char *key,
		     const char *attr)
{
	char **cpus;
	size_t n;
	struct str first, s;
	const char *why = NULL;
	bool mixed = false;
	int rc = host_list(h, &cpus, &n, CPUS);

	str_init(&first);
	str_init(&s);
	if (rc < 0)
		why = arena_printf(a, "cannot list '" CPUS "': %s", strerror(-rc));
	for (size_t i = 0; i < n && !why; i++) {
		if (!str_starts(cpus[i], "cpu") || !c_isdigit(cpus[i][3]))
			continue;
		rc = host_read(h, &s, CPUS "/%s/%s", cpus[i], attr);
		/* offline processors have none */
		if (rc == -ENOENT || rc == -ENOTDIR || (rc == 0 && s.len == 0))
			continue;
		if (rc < 0)
			why = arena_printf(a, "cannot read '" CPUS "/%s/%s': %s", cpus[i], attr,
					   strerror(-rc));
		else if (first.len == 0)
			str_add_clean(&first, s.s, s.len);
		else
			mixed |= !str_eq(first.s, s.s);
	}
	file_list_free(cpus, n);
	facts_set(f, a, key, why ? NULL : mixed ? "mixed" : first.len ? first.s : "none", why);
	str_release(&s);
	str_release(&first);
}

void governor_fact(const struct host *h, struct facts *f, struct arena *a)
{
	each_cpu(h, f, a, "cpu.governor", "cpufreq/scaling_governor");
}

/* "on" or "off": intel_pstate says whether it is off, the others whether it is on. */
static void turbo_fact(const struct host *h, struct facts *f, struct arena *a)
{
	static const struct {
		const char *path, *on;
	} attrs[] = {{CPUS "/intel_pstate/no_turbo", "0"}, {CPUS "/cpufreq/boost", "1"}};
	const char *value = "none", *why = NULL;
	struct str s;

	str_init(&s);
	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		int rc = host_read(h, &s, "%s", attrs[i].path);

		if (rc == -ENOENT || rc == -ENOTDIR)
			continue;
		if (rc < 0)
			why = arena_printf(a, "cannot read '%s': %s", attrs[i].path, strerror(-rc));
		else if (str_eq(s.s, "0") || str_eq(s.s, "1"))
			value = str_eq(s.s, attrs[i].on) ? "on" : "off";
		else
			why = arena_printf(a, "'%s' is neither 0 nor 1", attrs[i].path);
		break;
	}
	facts_set(f, a, "cpu.turbo", why ? NULL : value, why);
	str_release(&s);
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
		rc = host_read(h, &s, "/sys/devices/system/cpu/vulnerabilities/%s", names[i]);
		if (rc < 0)
			break;
		if (str_eq(s.s, "Not affected"))
			continue;
		str_addf(&all, "%s%s: ", all.len ? "; " : "", names[i]);
		str_add_clean(&all, s.s, s.len);
	}
	if (rc < 0)
		facts_set(f, a, "cpu.mitigations", NULL,
			  arena_printf(a,
				       "cannot read '/sys/devices/system/cpu/vulnerabilities': "
				       "%s",
				       strerror(-rc)));
	else
		facts_set(f, a, "cpu.mitigations", all.len ? all.s : "none", NULL);
	file_list_free(names, n);
	str_release(&s);
	str_release(&all);
}

void cpu_facts(const struct host *h, struct facts *f, struct arena *a)
{
	model_facts(h, f, a);
	cpu_count(h, f, a);
	governor_fact(h, f, a);
	each_cpu(h, f, a, "cpu.frequency_driver", "cpufreq/scaling_driver");
	each_cpu(h, f, a, "cpu.frequency_max", "cpufreq/scaling_max_freq");
	each_cpu(h, f, a, "cpu.energy_preference", "cpufreq/energy_performance_preference");
	turbo_fact(h, f, a);
	fact_from(h, f, a, "cpu.smt", "none", CPUS "/smt/control");
	fact_from(h, f, a, "cpu.idle_driver", "none", CPUS "/cpuidle/current_driver");
	fact_from(h, f, a, "cpu.isolated", "none", CPUS "/isolated");
	mitigation_fact(h, f, a);
}
