/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/link: how fast the way to the drive is. link is "full" when the device runs at its own
 * maximum, "downgraded" when it does not, "none" when there is no link (virtual devices), unknown
 * when there is one that cannot be read. link.bandwidth is what the line carries after its own
 * encoding, bytes/s; packet headers are not taken off.
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
static double leading(const char *s)
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

/*
 * Bytes/s of one lane: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s. From 64 GT/s on the line has
 * no bit encoding but fixed 256-byte flits, of which 236 carry packets.
 */
static double pcie_lane(double gts)
{
	if (gts <= 0)
		return 0;
	if (gts < 6)
		return gts * 1e9 / 8 * 8 / 10;
	if (gts < 48)
		return gts * 1e9 / 8 * 128 / 130;
	return gts * 1e9 / 8 * 236 / 256;
}

struct pcie {
	double speed, max_speed; /* GT/s, 0 = unknown */
	double width, max_width;
	bool present;
};

static int pcie_number(const struct host *h, const char *dir, const char *attr, double *out)
{
	struct str s;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s/%s", dir, attr);
	*out = rc == 0 ? leading(s.s) : 0;
	/* 255 lanes is what a link that is gone reads as; no speed comes near it either */
	if (*out > 254)
		*out = 0;
	str_release(&s);
	return rc;
}

static int pcie_read(const struct host *h, const char *dir, struct pcie *p)
{
	int rc = pcie_number(h, dir, "current_link_speed", &p->speed);

	*p = (struct pcie){.speed = p->speed, .present = rc != -ENOENT};
	if (rc < 0)
		return rc == -ENOENT ? 0 : rc;
	if ((rc = pcie_number(h, dir, "max_link_speed", &p->max_speed)) < 0 ||
	    (rc = pcie_number(h, dir, "current_link_width", &p->width)) < 0)
		return rc;
	return pcie_number(h, dir, "max_link_width", &p->max_width);
}

/* "0000:01:00.0" with any domain width of 4 or more. */
static bool pci_address(const char *s, size_t n)
{
	if (n < 12 || s[n - 2] != '.' || s[n - 5] != ':' || s[n - 8] != ':')
		return false;
	for (size_t i = 0; i < n; i++)
		if (i != n - 2 && i != n - 5 && i != n - 8 && !c_isdigit(s[i]) &&
		    !(s[i] >= 'a' && s[i] <= 'f'))
			return false;
	return true;
}

bool pcie_function(struct str *dir)
{
	while (dir->len) {
		char *slash = strrchr(dir->s, '/');

		if (!slash)
			return false;
		if (pci_address(slash + 1, strlen(slash + 1)))
			return true;
		dir->len = (size_t)(slash - dir->s);
		dir->s[dir->len] = '\0';
	}
	return false;
}

static void bandwidth_fact(struct facts *f, struct arena *a, const char *key, double bytes,
			   const char *why)
{
	if (bytes > 0)
		facts_set(f, a, key, arena_printf(a, "%.0f", floor(bytes)), NULL);
	else
		facts_set(f, a, key, NULL, why);
}

/* The narrowest link between the device and the CPU, the device's own left out. */
static void upstream_facts(const struct host *h, struct str *dir, struct facts *f, struct arena *a)
{
	double least = 0;
	struct pcie p;
	bool first = true;

	for (;;) {
		char *slash = strrchr(dir->s, '/');

		if (!slash)
			break;
		dir->len = (size_t)(slash - dir->s);
		dir->s[dir->len] = '\0';
		slash = strrchr(dir->s, '/');
		if (!slash || !pci_address(slash + 1, strlen(slash + 1)))
			break;
		if (pcie_read(h, dir->s, &p) < 0 || !p.present)
			continue;
		if (first) {
			/* the other end of the device's own link: what the slot could do */
			first = false;
			if (p.max_speed > 0 && p.max_width > 0)
				facts_set(f, a, "link.port",
					  arena_printf(a, "%g GT/s x%g", p.max_speed, p.max_width),
					  NULL);
		}
		double bytes = pcie_lane(p.speed) * p.width;

		if (bytes > 0 && (least == 0 || bytes < least))
			least = bytes;
	}
	bandwidth_fact(f, a, "upstream.bandwidth", least,
		       "no port above the device reports a link");
}

/* dir: the PCI function; used up. */
static void pcie_facts(const struct host *h, struct str *dir, struct facts *f, struct arena *a)
{
	struct pcie p = {0};
	int rc = pcie_read(h, dir->s, &p);
	bool known = p.speed > 0 && p.width > 0 && p.max_speed > 0 && p.max_width > 0;
	const char *why;

	if (rc < 0) {
		why = arena_printf(a, "cannot read the link of '%s': %s", dir->s, strerror(-rc));
		link_facts_none(f, a, NULL, why);
		return;
	}
	if (!p.present || (p.max_speed == 0 && p.max_width == 0)) {
		/* conventional PCI, or an endpoint integrated into the root complex */
		link_facts_none(f, a, "none", NULL);
		return;
	}
	why = "the device reports an unknown link speed or width";
	facts_set(f, a, "link.speed", p.speed > 0 ? arena_printf(a, "%g GT/s", p.speed) : NULL,
		  why);
	facts_set(f, a, "link.width", p.width > 0 ? arena_printf(a, "%g", p.width) : NULL, why);
	if (p.max_speed > 0)
		facts_set(f, a, "link.max_speed", arena_printf(a, "%g GT/s", p.max_speed), NULL);
	if (p.max_width > 0)
		facts_set(f, a, "link.max_width", arena_printf(a, "%g", p.max_width), NULL);
	if (!known)
		facts_set(f, a, "link", NULL, why);
	else
		facts_set(f, a, "link",
			  p.speed == p.max_speed && p.width == p.max_width ? "full" : "downgraded",
			  NULL);
	bandwidth_fact(f, a, "link.bandwidth", pcie_lane(p.speed) * p.width, why);
	facts_set(f, a, "device.address", strrchr(dir->s, '/') + 1, NULL);
	upstream_facts(h, dir, f, a);
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
	speed = rc == 0 ? leading(s.s) : 0;
	max = sata_device_max(h, disk);
	if (max == 0 && host_read(h, &s, "/sys/class/ata_link/link%d/hw_sata_spd_limit", port) == 0)
		max = leading(s.s);
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
	bandwidth_fact(f, a, "link.bandwidth", speed * 1e9 / 10, why); /* 8b/10b */
	facts_set(f, a, "upstream.bandwidth", NULL, "not followed above a SATA port");
	str_release(&s);
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
		link_facts_none(f, a, NULL, "the namespace is reached through several controllers");
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
	str_release(&dir);
	str_release(&transport);
}
