/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/paths: by what a disk is reached: drivers, hardware queues, controllers of a namespace. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>

/* Drivers of what is only passed through: they say nothing about the disk. */
static bool passed(const char *driver)
{
	return str_eq(driver, "pcieport") || str_eq(driver, "usb") || str_eq(driver, "hub");
}

/* "sd uas xhci_hcd": from the disk up to the bus. */
static void driver_fact(const struct host *h, const struct block *disk, struct facts *f,
			struct arena *a)
{
	struct str dir, real, link, all;

	str_init(&dir);
	str_init(&real);
	str_init(&link);
	str_init(&all);
	block_hardware(h, disk, &dir);
	while (dir.len > strlen("/sys/devices")) {
		const char *name;

		str_clear(&link);
		str_addf(&link, "%s/driver", dir.s);
		name = host_resolve(h, link.s, &real) == 0 ? strrchr(real.s, '/') + 1 : NULL;
		if (name && !str_eq(name, "driver") && !passed(name))
			str_addf(&all, "%s%s", all.len ? " " : "", name);
		while (dir.len && dir.s[--dir.len] != '/')
			;
		dir.s[dir.len] = '\0';
	}
	facts_set(f, a, "device.driver", all.len ? all.s : "none", NULL);
	str_release(&all);
	str_release(&link);
	str_release(&real);
	str_release(&dir);
}

/* One folder a hardware queue; absent: the driver takes bios itself. */
static void queues_fact(const struct host *h, const struct block *disk, struct facts *f,
			struct arena *a)
{
	char **names;
	size_t n;
	int rc = host_list(h, &names, &n, "%s/mq", disk->dir);

	if (rc < 0)
		facts_set(f, a, "device.hw_queues", NULL,
			  arena_printf(a, "cannot list '%s/mq': %s", disk->dir, strerror(-rc)));
	else
		facts_set(f, a, "device.hw_queues", n ? arena_printf(a, "%zu", n) : "none", NULL);
	file_list_free(names, n);
}

static void add_controller(const struct host *h, const char *dir, struct str *out)
{
	static const char *const attrs[] = {"transport", "address", "state"};
	struct str s;

	str_init(&s);
	str_addf(out, "%s%s", out->len ? "; " : "", strrchr(dir, '/') + 1);
	for (size_t i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		int rc = host_read(h, &s, "%s/%s", dir, attrs[i]);

		str_addc(out, ' ');
		if (rc == 0 && s.len)
			text_squeeze(out, s.s, s.len);
		else
			str_addf(out, "%s unknown", attrs[i]);
	}
	str_release(&s);
}

/* The controllers of a namespace that has several: "nvme0 pcie 0000:01:00.0 live; nvme1 ...". */
static void controllers_fact(const struct host *h, const struct block *disk, struct facts *f,
			     struct arena *a)
{
	struct block_controllers c = {0};
	struct str s;

	block_controllers(h, disk, &c);
	str_init(&s);
	for (size_t i = 0; c.n > 1 && i < c.n; i++)
		add_controller(h, c.v[i], &s);
	if (c.n > 1)
		facts_set(f, a, "device.controllers", s.s, NULL);
	str_release(&s);
	block_controllers_release(&c);
}

void reach_facts(const struct host *h, const struct block *disk, struct facts *f, struct arena *a)
{
	driver_fact(h, disk, f, a);
	queues_fact(h, disk, f, a);
	controllers_fact(h, disk, f, a);
}
