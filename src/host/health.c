/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/health: how the device is: temperature, SMART, errors of its link and of its commands. A
 * recorded machine holds the pages of the controller nvme0 in dev/nvme0.smart and
 * dev/nvme0.firmware, as `nvme get-log --raw-binary` writes them.
 */
#include "base/fileio.h"
#include "host/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* hwmonN stands in the controller's folder, or in a folder hwmon of the SCSI device. */
static void find_hwmon(const struct host *h, const char *dir, char *out, size_t size)
{
	char **names;
	size_t n;

	if (host_list(h, &names, &n, "%s", dir) < 0)
		return;
	for (size_t i = 0; i < n && !*out; i++) {
		char *sub;

		if (!str_starts(names[i], "hwmon"))
			continue;
		sub = xasprintf("%s/%s", dir, names[i]);
		if (str_eq(names[i], "hwmon"))
			find_hwmon(h, sub, out, size);
		else if (host_exists(h, "%s/temp1_input", sub))
			snprintf(out, size, "%s/temp1_input", sub);
		free(sub);
	}
	file_list_free(names, n);
}

static void find_pci(struct health_source *s, struct str *dir)
{
	struct str above;

	if (!pcie_function(dir))
		return;
	snprintf(s->pci, sizeof(s->pci), "%s", dir->s);
	str_init(&above);
	str_addn(&above, dir->s, (size_t)(strrchr(dir->s, '/') - dir->s));
	if (pcie_function(&above))
		snprintf(s->port, sizeof(s->port), "%s", above.s);
	str_release(&above);
}

void health_open(struct health_source *s, const struct host *h, const struct block *disk)
{
	struct str dir, real;
	bool several = false;

	*s = (struct health_source){.h = h, .fd = -1, .fd_error = ENOENT};
	str_init(&dir);
	str_init(&real);
	block_controller(h, disk, &dir, &several);
	if (dir.len && host_resolve(h, dir.s, &real) == 0 && !several) {
		snprintf(s->controller, sizeof(s->controller), "%s", strrchr(real.s, '/') + 1);
		find_hwmon(h, real.s, s->hwmon, sizeof(s->hwmon));
	} else if (!dir.len && (str_starts(disk->name, "sd") || str_starts(disk->name, "sr"))) {
		snprintf(s->scsi, sizeof(s->scsi), "%s/device", disk->dir);
		find_hwmon(h, s->scsi, s->hwmon, sizeof(s->hwmon));
	}
	if (s->controller[0]) {
		int fd = smart_open(h, s->controller, disk->name);

		s->fd = fd < 0 ? -1 : fd;
		s->fd_error = fd < 0 ? -fd : 0;
	}
	block_hardware(h, disk, &real);
	if (!several)
		find_pci(s, &real);
	str_release(&real);
	str_release(&dir);
}

void health_close(struct health_source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* A page of ones and zeros: not trimmed as text is. */
static int recorded(const struct host *h, const char *controller, const char *what,
		    unsigned char page[NVME_SMART_PAGE])
{
	char *path = xasprintf("%s/dev/%s.%s", host_prefix(h), controller, what);
	FILE *f = fopen(path, "re");
	size_t n = 0;

	free(path);
	if (!f)
		return -errno;
	n = fread(page, 1, NVME_SMART_PAGE, f);
	fclose(f);
	return n == NVME_SMART_PAGE ? 0 : -EINVAL;
}

int health_smart(const struct health_source *s, struct smart *out)
{
	unsigned char page[NVME_SMART_PAGE] __attribute__((aligned(8))) = {0};
	int rc;

	if (!s->controller[0])
		return -ENOENT;
	if (!host_live(s->h))
		rc = recorded(s->h, s->controller, "smart", page);
	else
		rc = s->fd < 0 ? -s->fd_error : smart_page(s->fd, page);
	return rc < 0 ? rc : smart_parse(page, sizeof(page), out);
}

const char *health_smart_why(const struct health_source *s, int rc, struct arena *a)
{
	char buf[64];

	if (rc == -EACCES || rc == -EPERM)
		return arena_printf(a,
				    "the SMART log of '/dev/%s' takes root (CAP_SYS_ADMIN): run "
				    "blkgate as root",
				    s->controller);
	if (rc == -EREMOTEIO)
		return arena_printf(a, "'/dev/%s' refused to tell its SMART log", s->controller);
	return arena_printf(a, "cannot read the SMART log of '/dev/%s': %s", s->controller,
			    err_text(-rc, buf, sizeof(buf)));
}

static int signed_number(const char *text, int64_t *out)
{
	bool minus = *text == '-';
	uint64_t v;

	if (!str_to_u64(text + minus, &v) || v > INT64_MAX)
		return -EINVAL;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return 0;
}

int health_temperature(const struct health_source *s, const struct smart *smart, int64_t *c)
{
	struct str text;
	int rc;

	if (smart && smart->has_temperature) {
		*c = smart->temperature;
		return 0;
	}
	if (!s->hwmon[0])
		return -ENOENT;
	str_init(&text);
	rc = host_read(s->h, &text, "%s", s->hwmon);
	if (rc == 0)
		rc = signed_number(text.s, c);
	if (rc == 0) /* thousandths, to the nearest: the drive itself counts whole degrees */
		*c = (*c + (*c < 0 ? -500 : 500)) / 1000;
	str_release(&text);
	return rc;
}

/* "TOTAL_ERR_COR 3" is the last line. */
static int aer_total(const struct host *h, const char *dir, const char *kind, int64_t *n)
{
	struct str text;
	const char *at;
	uint64_t v = 0;
	int rc;

	if (!*dir)
		return -ENOENT;
	str_init(&text);
	rc = host_read(h, &text, "%s/aer_dev_%s", dir, kind);
	at = rc == 0 ? strstr(text.s, "TOTAL_ERR_") : NULL;
	at = at ? strchr(at, ' ') : NULL;
	if (rc == 0 && (!at || !str_to_u64(at + 1, &v) || v > INT64_MAX))
		rc = -EINVAL;
	*n = (int64_t)v;
	str_release(&text);
	return rc;
}

int health_aer(const struct health_source *s, const char *kind, int64_t *n)
{
	int64_t above = 0;
	int rc = aer_total(s->h, s->pci, kind, n), up = aer_total(s->h, s->port, kind, &above);

	if (rc == 0 && up == 0)
		*n += above;
	if (rc == -ENOENT && up == 0) {
		*n = above;
		rc = 0;
	}
	return rc == 0 && up < 0 && up != -ENOENT ? up : rc;
}

/* Hexadecimal: "0x2". */
int health_io_errors(const struct health_source *s, int64_t *n)
{
	struct str text;
	char *end;
	int rc;

	if (!s->scsi[0])
		return -ENOENT;
	str_init(&text);
	rc = host_read(s->h, &text, "%s/ioerr_cnt", s->scsi);
	if (rc == 0) {
		*n = (int64_t)(strtoull(text.s, &end, 16) & INT64_MAX);
		rc = text.len && !*end ? 0 : -EINVAL;
	}
	str_release(&text);
	return rc;
}

size_t health_disk(const struct host *h, const struct blocks *b, const struct target *t,
		   struct str *why)
{
	const struct fact *x = facts_find(&t->facts, "device.transport");
	size_t i = blocks_by_number(b, t->dev_major, t->dev_minor);

	if (i != BLOCK_NONE)
		return block_physical(h, b, i, why);
	if (x && !x->value)
		str_add(why, x->why);
	else if (x && !str_eq(x->value, "none"))
		str_add(why, "the device is not in /sys/block");
	return BLOCK_NONE;
}

static void number_fact(struct facts *f, struct arena *a, const char *key, int64_t v)
{
	facts_set(f, a, key, arena_printf(a, "%" PRId64, v), NULL);
}

static const char *const smart_keys[] = {
	"health.critical_warning",      "health.percentage_used",       "health.available_spare",
	"health.spare_threshold",       "health.media_errors",          "health.error_log_entries",
	"health.thermal_1_transitions", "health.thermal_2_transitions", "health.thermal_1_time",
	"health.thermal_2_time",        "health.warning_temp_time",     "health.critical_temp_time",
	"health.data_written",          "health.unsafe_shutdowns",      "health.power_on_hours",
};

static void smart_facts(const struct health_source *s, const struct smart *m, int rc,
			struct facts *f, struct arena *a)
{
	const int64_t v[] = {
		m->critical_warning,
		m->percentage_used,
		m->available_spare,
		m->spare_threshold,
		m->media_errors,
		m->error_log_entries,
		m->thermal_transitions[0],
		m->thermal_transitions[1],
		m->thermal_time[0],
		m->thermal_time[1],
		m->warning_temp_time,
		m->critical_temp_time,
		m->data_units_written > INT64_MAX / 512000 ? INT64_MAX
							   : m->data_units_written * 512000,
		m->unsafe_shutdowns,
		m->power_on_hours,
	};
	_Static_assert(sizeof(v) / sizeof(v[0]) == sizeof(smart_keys) / sizeof(smart_keys[0]),
		       "a value for each key");

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		if (rc == 0)
			number_fact(f, a, smart_keys[i], v[i]);
		else
			facts_set(f, a, smart_keys[i], NULL, health_smart_why(s, rc, a));
	}
}

static void slots_fact(const struct health_source *s, struct facts *f, struct arena *a)
{
	unsigned char page[NVME_SMART_PAGE] __attribute__((aligned(8))) = {0};
	struct str text;
	int rc;

	if (!host_live(s->h))
		rc = recorded(s->h, s->controller, "firmware", page);
	else
		rc = s->fd < 0 ? -s->fd_error : slots_page(s->fd, page);
	str_init(&text);
	if (rc == 0)
		slots_parse(page, &text);
	facts_set(f, a, "device.firmware_slots", text.len ? text.s : NULL,
		  rc == 0 ? "the log names no firmware"
			  : arena_printf(a, "cannot read the firmware slots of '/dev/%s'%s",
					 s->controller,
					 rc == -EACCES || rc == -EPERM ? ": it takes root" : ""));
	str_release(&text);
}

static void temperature_fact(const struct health_source *s, const struct block *disk,
			     const struct smart *smart, int smart_rc, struct facts *f,
			     struct arena *a)
{
	struct str transport;
	int64_t c;
	int rc = health_temperature(s, smart_rc == 0 ? smart : NULL, &c);

	str_init(&transport);
	device_transport(s->h, disk, &transport);
	if (rc == 0)
		facts_set(f, a, "temperature",
			  arena_printf(a, c < 0 ? "%" PRId64 : "%" PRId64 " C", c), NULL);
	else if (transport_virtual(transport.s))
		facts_set(f, a, "temperature", "none", NULL);
	else if (s->controller[0])
		facts_set(f, a, "temperature", NULL, health_smart_why(s, smart_rc, a));
	else
		facts_set(f, a, "temperature", NULL,
			  "no driver measures it; for a SATA drive: modprobe drivetemp");
	str_release(&transport);
}

static void error_facts(const struct health_source *s, struct facts *f, struct arena *a)
{
	static const char *const kinds[] = {"correctable", "nonfatal", "fatal"};
	int64_t n;

	for (size_t i = 0; i < 3; i++) {
		const char *key = arena_printf(a, "pcie.%s", kinds[i]);
		int rc = health_aer(s, kinds[i], &n);

		if (rc == 0)
			number_fact(f, a, key, n);
		else if (rc != -ENOENT)
			facts_set(f, a, key, NULL, strerror(-rc));
		else if (s->pci[0])
			facts_set(f, a, key, "none", NULL);
	}
	if (health_io_errors(s, &n) == 0)
		number_fact(f, a, "device.io_errors", n);
}

static void disk_health(const struct host *h, const struct block *disk, struct facts *f,
			struct arena *a)
{
	struct health_source s;
	struct smart smart = {0};
	int rc = -ENOENT;

	health_open(&s, h, disk);
	if (s.controller[0]) {
		rc = health_smart(&s, &smart);
		smart_facts(&s, &smart, rc, f, a);
		slots_fact(&s, f, a);
	}
	temperature_fact(&s, disk, &smart, rc, f, a);
	error_facts(&s, f, a);
	health_close(&s);
}

void host_health(const struct host *h, const struct target *t, struct facts *f, struct arena *a)
{
	struct blocks b;
	struct err e = ERR_INIT;
	struct str why;
	size_t disk;

	if (blocks_load(h, &b, &e) < 0) {
		facts_set(f, a, "temperature", NULL, e.text);
		return;
	}
	str_init(&why);
	disk = health_disk(h, &b, t, &why);
	if (disk != BLOCK_NONE)
		disk_health(h, &b.v[disk], f, a);
	else
		facts_set(f, a, "temperature", why.len ? NULL : "none", why.s);
	str_release(&why);
	blocks_release(&b);
}
