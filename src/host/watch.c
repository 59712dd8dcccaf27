/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/watch.h"

#include "base/clock.h"
#include "base/fileio.h"
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SECTOR 512

enum link_kind { LINK_NONE, LINK_UNKNOWN, LINK_PCIE, LINK_SATA };

struct host_watch {
	const struct host *h;
	struct health_source health;
	bool has_disk;    /* the rest is of it */
	bool thermometer; /* one is expected */
	char *no_disk;    /* why there is none, where one is expected; else NULL */
	char disk[160];   /* folder in sysfs */
	enum link_kind link;
	char *link_why;
	char speed[300]; /* files of the link */
	char width[300];
	struct kernlog_names names;
};

static void name_of_path(struct kernlog_names *names, const char *dir)
{
	const char *slash = strrchr(dir, '/');

	kernlog_name(names, slash ? slash + 1 : dir);
}

/* "ata3" and "2:0:0:0" of ".../ata3/host2/target2:0:0/2:0:0:0". */
static void scsi_names(struct host_watch *w, const struct str *hardware)
{
	const char *ata = strstr(hardware->s, "/ata");

	name_of_path(&w->names, hardware->s);
	if (ata && c_isdigit(ata[4])) {
		char *port = xstrndup(ata + 1, 3 + strspn(ata + 4, "0123456789"));

		kernlog_name(&w->names, port);
		free(port);
	}
}

static void find_link(struct host_watch *w, const struct target *t, const char *transport,
		      const struct str *hardware)
{
	const struct fact *link = facts_find(&t->facts, "link");
	const char *ata = strstr(hardware->s, "/ata");

	if (!link || str_eq(link->value, "none"))
		return;
	if (str_eq(transport, "pcie") && w->health.pci[0]) {
		w->link = LINK_PCIE;
		snprintf(w->speed, sizeof(w->speed), "%s/current_link_speed", w->health.pci);
		snprintf(w->width, sizeof(w->width), "%s/current_link_width", w->health.pci);
	} else if (str_eq(transport, "sata") && ata && c_isdigit(ata[4])) {
		w->link = LINK_SATA;
		snprintf(w->speed, sizeof(w->speed), "/sys/class/ata_link/link%d/sata_spd",
			 atoi(ata + 4));
	} else {
		w->link = LINK_UNKNOWN;
		w->link_why = xstrdup(link->why ? link->why : "the link cannot be looked at");
	}
}

static void open_disk(struct host_watch *w, const struct target *t, const struct blocks *b,
		      size_t disk)
{
	const struct block *d = &b->v[disk];
	size_t own = blocks_by_number(b, t->dev_major, t->dev_minor);
	struct str hardware, transport;

	w->has_disk = true;
	snprintf(w->disk, sizeof(w->disk), "%s", d->dir);
	health_open(&w->health, w->h, d);
	str_init(&hardware);
	str_init(&transport);
	block_hardware(w->h, d, &hardware);
	device_transport(w->h, d, &transport);
	w->thermometer = !transport_virtual(transport.s);
	kernlog_name(&w->names, d->name);
	if (own != BLOCK_NONE)
		kernlog_name(&w->names, b->v[own].name);
	kernlog_name(&w->names, w->health.controller);
	if (w->health.scsi[0])
		scsi_names(w, &hardware);
	else if (w->health.pci[0])
		name_of_path(&w->names, w->health.pci);
	if (w->health.pci[0] && !w->health.scsi[0] && w->health.port[0])
		name_of_path(&w->names, w->health.port);
	find_link(w, t, transport.s, &hardware);
	str_release(&transport);
	str_release(&hardware);
}

struct host_watch *host_watch_open(const struct host *h, const struct target *t)
{
	struct host_watch *w = xcalloc(1, sizeof(*w));
	struct err e = ERR_INIT;
	struct blocks b;
	struct str why;
	size_t disk = BLOCK_NONE;

	w->h = h;
	w->health.fd = -1;
	str_init(&why);
	if (blocks_load(h, &b, &e) < 0) {
		w->no_disk = xstrdup(e.text);
	} else {
		disk = health_disk(h, &b, t, &why);
		if (disk != BLOCK_NONE)
			open_disk(w, t, &b, disk);
		else if (why.len)
			w->no_disk = xstrdup(why.s);
		blocks_release(&b);
	}
	str_release(&why);
	return w;
}

void host_watch_close(struct host_watch *w)
{
	if (!w)
		return;
	health_close(&w->health);
	kernlog_names_release(&w->names);
	free(w->link_why);
	free(w->no_disk);
	free(w);
}

int host_watch_fd(const struct host_watch *w)
{
	return w->health.fd;
}

const struct kernlog_names *host_watch_names(const struct host_watch *w)
{
	return &w->names;
}

bool host_watch_has_link(const struct host_watch *w)
{
	return w->link != LINK_NONE;
}

/* "8.0 GT/s PCIe", "6.0 Gbps" in thousandths. */
static int64_t link_number(const char *s)
{
	uint64_t whole = 0, tenth = 0;

	if (!str_take_u64(&s, &whole) || whole > 100000)
		return 0;
	if (*s == '.' && c_isdigit(s[1]))
		tenth = (uint64_t)(s[1] - '0');
	return (int64_t)(whole * 1000 + tenth * 100);
}

static int read_link(const struct host *h, const char *path, int64_t *out)
{
	struct str s;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s", path);
	*out = rc == 0 ? link_number(s.s) : 0;
	str_release(&s);
	/* 255 lanes is what a link that is gone reads as */
	return rc < 0 ? rc : *out <= 0 || *out >= 255000 ? -ENODATA : 0;
}

void host_watch_link(const struct host_watch *w, struct watched *out, struct arena *a)
{
	int64_t speed = 0, width = 1000;
	int rc;

	if (w->link == LINK_NONE)
		return;
	if (w->link == LINK_UNKNOWN) {
		watched_miss(out, a, WATCHED_LINK_SPEED, w->link_why);
		watched_miss(out, a, WATCHED_LINK_WIDTH, w->link_why);
		return;
	}
	rc = read_link(w->h, w->speed, &speed);
	if (rc == 0 && w->width[0])
		rc = read_link(w->h, w->width, &width);
	if (rc < 0) {
		const char *why = arena_printf(a, "the link could not be read under load: %s",
					       rc == -ENODATA ? "it reports no speed or width"
							      : strerror(-rc));

		watched_miss(out, a, WATCHED_LINK_SPEED, why);
		watched_miss(out, a, WATCHED_LINK_WIDTH, why);
		return;
	}
	watched_see(out, WATCHED_LINK_SPEED, speed);
	watched_see(out, WATCHED_LINK_WIDTH, width / 1000);
}

static void see_smart(struct watched *out, const struct smart *s)
{
	watched_see(out, WATCHED_CRITICAL_WARNING, s->critical_warning);
	watched_see(out, WATCHED_MEDIA_ERRORS, s->media_errors);
	watched_see(out, WATCHED_ERROR_LOG, s->error_log_entries);
	watched_see(out, WATCHED_THERMAL_1_TRANSITIONS, s->thermal_transitions[0]);
	watched_see(out, WATCHED_THERMAL_2_TRANSITIONS, s->thermal_transitions[1]);
	watched_see(out, WATCHED_THERMAL_1_TIME, s->thermal_time[0]);
	watched_see(out, WATCHED_THERMAL_2_TIME, s->thermal_time[1]);
	watched_see(out, WATCHED_WARNING_TEMP_TIME, s->warning_temp_time);
	watched_see(out, WATCHED_CRITICAL_TEMP_TIME, s->critical_temp_time);
}

static void miss_smart(struct watched *out, struct arena *a, const char *why)
{
	for (enum watched_key k = WATCHED_CRITICAL_WARNING; k <= WATCHED_CRITICAL_TEMP_TIME; k++)
		watched_miss(out, a, k, why);
}

static void see_temperature(const struct host_watch *w, const struct smart *s, int smart_rc,
			    struct watched *out, struct arena *a)
{
	int64_t c;
	int rc = health_temperature(&w->health, smart_rc == 0 ? s : NULL, &c);

	if (rc == 0)
		watched_see(out, WATCHED_TEMPERATURE, c);
	else if (rc != -ENOENT || w->health.hwmon[0])
		watched_miss(out, a, WATCHED_TEMPERATURE, strerror(-rc));
	else if (w->health.controller[0])
		watched_miss(out, a, WATCHED_TEMPERATURE,
			     health_smart_why(&w->health, smart_rc, a));
	else if (w->thermometer)
		watched_miss(out, a, WATCHED_TEMPERATURE,
			     "no driver measures it; for a SATA drive: modprobe drivetemp");
}

static void see_errors(const struct host_watch *w, struct watched *out, struct arena *a)
{
	static const struct {
		const char *kind;
		enum watched_key key;
	} aer[] = {{"correctable", WATCHED_PCIE_CORRECTABLE},
		   {"nonfatal", WATCHED_PCIE_NONFATAL},
		   {"fatal", WATCHED_PCIE_FATAL}};
	int64_t n;
	int rc;

	for (size_t i = 0; i < sizeof(aer) / sizeof(aer[0]); i++) {
		rc = health_aer(&w->health, aer[i].kind, &n);
		if (rc == 0)
			watched_see(out, aer[i].key, n);
		else if (rc != -ENOENT || out->of[aer[i].key].state == WATCHED_KNOWN)
			watched_miss(out, a, aer[i].key, strerror(-rc));
	}
	rc = health_io_errors(&w->health, &n);
	if (rc == 0)
		watched_see(out, WATCHED_IO_ERRORS, n);
	else if (rc != -ENOENT || out->of[WATCHED_IO_ERRORS].state == WATCHED_KNOWN)
		watched_miss(out, a, WATCHED_IO_ERRORS, strerror(-rc));
}

void host_watch_health(const struct host_watch *w, struct watched *out, struct arena *a)
{
	uint64_t begun = clock_now(), took;
	struct smart s = {0};
	int rc = -ENOENT;

	if (!w->has_disk) {
		if (w->no_disk)
			watched_miss(out, a, WATCHED_TEMPERATURE, w->no_disk);
		return;
	}
	if (w->health.controller[0]) {
		rc = health_smart(&w->health, &s);
		if (rc == 0)
			see_smart(out, &s);
		else
			miss_smart(out, a, health_smart_why(&w->health, rc, a));
	}
	see_temperature(w, &s, rc, out, a);
	see_errors(w, out, a);
	took = clock_now() - begun;
	if (took > out->cost)
		out->cost = took;
}

int host_watch_temperature(const struct host_watch *w, int64_t *c, const char **why,
			   struct arena *a)
{
	struct watched once = {0};
	const struct watched_series *s = &once.of[WATCHED_TEMPERATURE];

	host_watch_health(w, &once, a);
	*c = s->last;
	*why = s->why;
	return s->state == WATCHED_KNOWN ? 1 : s->state == WATCHED_NONE ? 0 : -1;
}

/* Sectors of reads and writes are fields 3 and 7 (Documentation/block/stat.rst). */
int host_watch_moved(const struct host_watch *w, uint64_t *bytes, const char **why, struct arena *a)
{
	uint64_t v[7] = {0}, counts = 1;
	unsigned n = 0;
	struct str s;
	int rc;

	*bytes = 0;
	*why = w->no_disk;
	if (!w->has_disk)
		return w->no_disk ? -1 : 0;
	str_init(&s);
	rc = host_read(w->h, &s, "%s/stat", w->disk);
	for (const char *at = s.s; rc == 0 && n < 7; n++) {
		at += strspn(at, " ");
		if (!str_take_u64(&at, &v[n]))
			break;
	}
	str_release(&s);
	if (rc < 0)
		*why = arena_printf(a, "cannot read '%s/stat': %s", w->disk, strerror(-rc));
	else if (n < 7)
		*why = arena_printf(a, "'%s/stat' has no seven numbers", w->disk);
	else if (host_read_u64(w->h, &counts, "%s/queue/iostats", w->disk) == 0 && counts == 0)
		*why = "the device does not count (its queue/iostats is 0)";
	*bytes = (v[2] + v[6]) * SECTOR;
	return *why ? -1 : 1;
}

void host_watch_processors(const struct host *h, struct watched *out, struct arena *a)
{
	static const char dir[] = "/sys/devices/system/cpu";
	char **names;
	size_t n;
	int64_t sum = 0;
	bool any = false;

	if (host_list(h, &names, &n, "%s", dir) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		if (!str_starts(names[i], "cpu") || !c_isdigit(names[i][3]))
			continue;
		if (host_read_u64(h, &v, "%s/%s/thermal_throttle/core_throttle_count", dir,
				  names[i]) == 0) {
			sum += (int64_t)v;
			any = true;
		}
		if (host_read_u64(h, &v, "%s/%s/thermal_throttle/package_throttle_count", dir,
				  names[i]) == 0)
			sum += (int64_t)v;
	}
	file_list_free(names, n);
	if (any)
		watched_see(out, WATCHED_CPU_THROTTLE, sum);
	else if (out->of[WATCHED_CPU_THROTTLE].state == WATCHED_KNOWN)
		watched_miss(out, a, WATCHED_CPU_THROTTLE, "the counters are gone");
}

void host_watch_settings(const struct host_watch *w, struct facts *f, struct arena *a)
{
	struct block disk = {0};

	governor_fact(w->h, f, a);
	if (!w->has_disk)
		return;
	snprintf(disk.dir, sizeof(disk.dir), "%s", w->disk);
	scheduler_fact(w->h, &disk, f, a);
}
