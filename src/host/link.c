/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/link: how fast the way to the drive is. link is "full" when the device runs at its own
 * maximum, "downgraded" when it does not, "none" when there is no link (virtual devices), unknown
 * when there is one that cannot be read. link.bandwidth is what the line carries after its own
 * encoding, bytes/s; packet headers are not taken off: what `% of link` refers to must not move
 * with a payload size that firmware or kernel may set wrongly.
 */
#include "host/internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void link_facts_none(struct facts *f, struct arena *a, const char *value, const char *why)
{
	static const char *const keys[] = {
		"link", "link.speed", "link.width", "link.bandwidth", "upstream.bandwidth",
	};

	/* "none" is known, unlike a link that cannot be read: two targets without one are alike. */
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		facts_set(f, a, keys[i], value, why);
}

/* The number in front of a unit: "8.0 GT/s PCIe", "6.0 Gbps"; 0 for "Unknown" and "<unknown>". */
double leading_number(const char *s)
{
	double v = 0, scale = 1;
	const char *p = s;

	/* no strtod: it follows the locale */
	for (; c_isdigit(*p) && v < 1e6; p++)
		v = v * 10 + (*p - '0');
	if (p != s && *p == '.')
		for (p++; c_isdigit(*p) && scale > 1e-6; p++)
			v += (*p - '0') * (scale /= 10);
	return p == s ? 0 : v;
}

void link_bandwidth(struct facts *f, struct arena *a, const char *key, double bytes,
		    const char *why)
{
	if (bytes > 0)
		facts_set(f, a, key, arena_printf(a, "%.0f", floor(bytes)), NULL);
	else
		facts_set(f, a, key, NULL, why);
}

/* Highest generation of IDENTIFY DEVICE word 76, from VPD page 89h: 1.5, 3 or 6 Gbit/s; 0 unknown.
 */
static double sata_device_max(const struct host *h, const struct block *disk)
{
	enum { WORD = 60 + 2 * 76 };
	struct str s;
	double max = 0;
	unsigned bits;

	str_init(&s);
	if (host_read(h, &s, "%s/device/vpd_pg89", disk->dir) == 0 && s.len > WORD + 1 &&
	    (unsigned char)s.s[1] == 0x89) {
		bits = (unsigned char)s.s[WORD];
		if (bits != 0xff)
			max = bits & 8 ? 6.0 : bits & 4 ? 3.0 : bits & 2 ? 1.5 : 0;
	}
	str_release(&s);
	return max;
}

/* ".../ata3/host2/target2:0:0/..." is behind ata_link link3. */
static void sata_facts(const struct host *h, const struct block *disk, const struct str *hardware,
		       struct facts *f, struct arena *a)
{
	const char *ata = strstr(hardware->s, "/ata");
	struct str s;
	double speed, max;
	int port = ata ? atoi(ata + 4) : 0, rc;
	const char *why;

	str_init(&s);
	rc = host_read(h, &s, "/sys/class/ata_link/link%d/sata_spd", port);
	speed = rc == 0 ? leading_number(s.s) : 0;
	max = sata_device_max(h, disk);
	if (max == 0 && host_read(h, &s, "/sys/class/ata_link/link%d/hw_sata_spd_limit", port) == 0)
		max = leading_number(s.s);
	why = arena_printf(a, "ata_link 'link%d' reports no speed%s%s", port, rc < 0 ? ": " : "",
			   rc < 0 ? strerror(-rc) : "");
	facts_set(f, a, "link.speed", speed > 0 ? arena_printf(a, "%g Gbit/s", speed) : NULL, why);
	facts_set(f, a, "link.width", "1", NULL);
	if (speed > 0 && max > 0) {
		facts_set(f, a, "link.max_speed", arena_printf(a, "%g Gbit/s", max), NULL);
		facts_set(f, a, "link", speed >= max ? "full" : "downgraded", NULL);
	} else {
		facts_set(f, a, "link", NULL,
			  speed > 0 ? "neither drive nor port states a maximum" : why);
	}
	link_bandwidth(f, a, "link.bandwidth", speed * 1e9 / 10, why); /* 8b/10b */
	str_release(&s);
}

/* A namespace with several controllers: which of them an I/O takes is the kernel's choice. */
static void several_links(const struct host *h, const struct block *disk, struct facts *f,
			  struct arena *a)
{
	static const char *const keys[] = {"link",           "link.speed",     "link.width",
					   "link.max_speed", "link.max_width", "link.port"};
	struct block_controllers c;
	struct facts *m;
	struct str dir;

	block_controllers(h, disk, &c);
	m = xcalloc(c.n, sizeof(*m));
	str_init(&dir);
	for (size_t i = 0; i < c.n; i++) {
		struct str transport;

		str_init(&transport);
		(void)host_read(h, &transport, "%s/transport", c.v[i]);
		if (str_eq(transport.s, "pcie") && host_resolve(h, c.v[i], &dir) == 0 &&
		    pcie_function(&dir))
			pcie_facts(h, &dir, &m[i], a);
		else
			link_facts_none(&m[i], a, NULL,
					"no rule reads the link of that controller");
		str_release(&transport);
	}
	members_merge(f, a, keys, sizeof(keys) / sizeof(*keys), m, (const char *const *)c.v, c.n);
	for (size_t i = 0; i < c.n; i++)
		facts_release(&m[i]);
	free(m);
	str_release(&dir);
	block_controllers_release(&c);
}

bool transport_virtual(const char *transport)
{
	static const char *const virtual[] = {"loop", "zram", "ram",    "null_blk", "pmem",
					      "ublk", "xen",  "virtio", "hyperv"};

	for (size_t i = 0; i < sizeof(virtual) / sizeof(virtual[0]); i++)
		if (str_eq(transport, virtual[i]))
			return true;
	return false;
}

void link_facts(const struct host *h, const struct block *disk, struct facts *f, struct arena *a)
{
	struct str transport, dir;
	bool several = false;

	str_init(&transport);
	str_init(&dir);
	block_controller(h, disk, &dir, &several);
	device_transport(h, disk, &transport);
	block_hardware(h, disk, &dir);
	if (several)
		several_links(h, disk, f, a);
	else if (transport_virtual(transport.s))
		link_facts_none(f, a, "none", NULL);
	else if (str_eq(transport.s, "sata"))
		sata_facts(h, disk, &dir, f, a);
	else if (str_eq(transport.s, "pcie") && pcie_function(&dir))
		pcie_facts(h, &dir, f, a);
	else
		link_facts_none(f, a, NULL,
				arena_printf(a, "no rule reads the link of transport '%s'",
					     transport.len ? transport.s : "unknown"));
	/* an adapter: its own way to the CPU limits whatever hangs on it */
	if (!several && !transport_virtual(transport.s) && !str_eq(transport.s, "pcie") &&
	    pcie_function(&dir))
		pcie_above(h, &dir, f, a);
	else if (str_eq(transport.s, "sata"))
		facts_set(f, a, "upstream.bandwidth", NULL, "the SATA port is on no PCI function");
	str_release(&dir);
	str_release(&transport);
}
