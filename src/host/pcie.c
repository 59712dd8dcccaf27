/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/pcie: the links between a PCIe device and the CPU, one of each function on the way up, and
 * what of the device's own is left for data.
 */
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>

#define PATH_LINKS_MAX 32u /* more switches than a bus number can count are a damaged fixture */

/*
 * Bytes/s of one lane: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s. From 64 GT/s on the line has
 * no bit encoding but fixed 256-byte flits, of which 236 carry packets.
 */
static double lane(double gts)
{
	if (gts <= 0)
		return 0;
	if (gts < 6)
		return gts * 1e9 / 8 * 8 / 10;
	if (gts < 48)
		return gts * 1e9 / 8 * 128 / 130;
	return gts * 1e9 / 8 * 236 / 256;
}

/* Formula and source: host.h. */
static double payload_share(double gts, unsigned payload)
{
	/*
	 * Around the data of a write to an address above 4 GiB: 16 bytes of header and 4 of LCRC;
	 * up to 5 GT/s 2 of sequence number and 1 of framing at each end, from 8 GT/s on a token
	 * of 4 that holds both. In flits framing, sequence and checksum are the flit's.
	 */
	double around = gts < 48 ? 24 : 16;

	return payload / (payload + around);
}

static const char unknown_link[] = "the device reports an unknown link speed or width";

struct link {
	const char *address;
	double speed, max_speed; /* GT/s, 0 = unknown */
	double width, max_width;
	bool present;
	const char *why; /* cannot be read, else NULL */
};

static int number(const struct host *h, const char *dir, const char *attr, double *out)
{
	struct str s;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s/%s", dir, attr);
	*out = rc == 0 ? leading_number(s.s) : 0;
	/* 255 lanes is what a link that is gone reads as; no speed comes near it either */
	if (*out > 254)
		*out = 0;
	str_release(&s);
	return rc;
}

static struct link link_read(const struct host *h, const char *dir, struct arena *a)
{
	struct link l = {.address = arena_strdup(a, strrchr(dir, '/') + 1)};
	int rc = number(h, dir, "current_link_speed", &l.speed);

	if (rc == -ENOENT)
		return l; /* conventional PCI, or the host bridge */
	if (rc == 0)
		rc = number(h, dir, "max_link_speed", &l.max_speed);
	if (rc == 0)
		rc = number(h, dir, "current_link_width", &l.width);
	if (rc == 0)
		rc = number(h, dir, "max_link_width", &l.max_width);
	if (rc < 0)
		l.why = arena_printf(a, "cannot read the link of '%s': %s", dir, strerror(-rc));
	/* a function integrated into the root complex has the files and no link */
	l.present = rc < 0 || l.max_speed > 0 || l.max_width > 0;
	return l;
}

static double bandwidth(const struct link *l)
{
	return lane(l->speed) * l->width;
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

/* Cuts dir to the function above; false at the host bridge. */
static bool above(struct str *dir)
{
	char *slash = strrchr(dir->s, '/');

	if (!slash)
		return false;
	dir->len = (size_t)(slash - dir->s);
	dir->s[dir->len] = '\0';
	slash = strrchr(dir->s, '/');
	return slash && pci_address(slash + 1, strlen(slash + 1));
}

struct path {
	struct link v[PATH_LINKS_MAX]; /* the device's own first */
	size_t n;
	const char *unknown; /* why not every link of it is known, else NULL */
};

/* dir: the device's function; used up. */
static void path_read(const struct host *h, struct str *dir, struct arena *a, struct path *p)
{
	do {
		struct link l = link_read(h, dir->s, a);

		if (!l.present)
			continue;
		p->v[p->n++] = l;
		if (!p->unknown && l.why)
			p->unknown = l.why;
		else if (!p->unknown && bandwidth(&l) == 0)
			p->unknown = arena_printf(a, "'%s' reports an unknown link speed or width",
						  l.address);
	} while (above(dir) && p->n < PATH_LINKS_MAX);
}

static void add_end(struct str *out, double speed, double width)
{
	str_addf(out, speed > 0 ? "%g GT/s" : "unknown", speed);
	str_addf(out, width > 0 ? " x%g" : " x?", width);
}

static void add_link(struct str *out, const struct link *l)
{
	str_addf(out, "%s ", l->address);
	if (l->why) {
		str_add(out, "unreadable");
		return;
	}
	add_end(out, l->speed, l->width);
	str_add(out, " of ");
	add_end(out, l->max_speed, l->max_width);
}

/* Every link from the device to the CPU, and the one that lets the least through; of equals the one
 * nearest to the device. */
static void path_facts(const struct path *p, struct facts *f, struct arena *a)
{
	const struct link *least = &p->v[0];
	struct str s;

	str_init(&s);
	for (size_t i = 0; i < p->n; i++) {
		str_add(&s, i ? "; " : "");
		add_link(&s, &p->v[i]);
		if (bandwidth(&p->v[i]) < bandwidth(least))
			least = &p->v[i];
	}
	facts_set(f, a, "pcie.path", s.s, NULL);
	str_clear(&s);
	add_link(&s, least);
	facts_set(f, a, "pcie.narrowest", p->unknown ? NULL : s.s, p->unknown);
	str_release(&s);
}

/* The narrowest link between the device and the CPU, from the one at `from` on. */
static void upstream_fact(const struct path *p, size_t from, struct facts *f, struct arena *a)
{
	const char *why = "no port above the device reports a link";
	double least = 0;

	for (size_t i = from; i < p->n; i++) {
		double bytes = bandwidth(&p->v[i]);

		if (bytes == 0 || p->v[i].why) {
			least = 0;
			why = p->v[i].why ? p->v[i].why
					  : arena_printf(a,
							 "'%s' reports an unknown link speed or "
							 "width",
							 p->v[i].address);
			break;
		}
		if (least == 0 || bytes < least)
			least = bytes;
	}
	link_bandwidth(f, a, "upstream.bandwidth", least, why);
}

static void port_fact(const struct path *p, struct facts *f, struct arena *a)
{
	/* the other end of the device's own link: what the slot could do */
	if (p->n > 1 && p->v[1].max_speed > 0 && p->v[1].max_width > 0)
		facts_set(f, a, "link.port",
			  arena_printf(a, "%g GT/s x%g", p->v[1].max_speed, p->v[1].max_width),
			  NULL);
}

static double lesser(double x, double y)
{
	return x < y ? x : y;
}

/* Which end keeps the device's own link below the device's maximum. */
static const char *limited_by(const struct path *p, bool full, struct arena *a, const char **why)
{
	const struct link *own = &p->v[0], *port = &p->v[1];

	if (full)
		return "nothing";
	if (p->n < 2 || port->max_speed == 0 || port->max_width == 0) {
		*why = "what the port above the device could do is not known";
		return NULL;
	}
	if (own->speed < lesser(own->max_speed, port->max_speed) ||
	    own->width < lesser(own->max_width, port->max_width))
		return arena_printf(a, "training: device and port '%s' can both do %g GT/s x%g",
				    port->address, lesser(own->max_speed, port->max_speed),
				    lesser(own->max_width, port->max_width));
	return arena_printf(a, "port '%s', which can do %g GT/s x%g", port->address,
			    port->max_speed, port->max_width);
}

/* Bytes of Max_Payload_Size in the Device Control register of the PCI Express capability. */
static unsigned max_payload(const struct host *h, const char *dir, struct arena *a,
			    const char **why)
{
	enum { STATUS = 6, HAS_LIST = 0x10, FIRST = 0x34, EXPRESS = 0x10, CONTROL = 8 };
	unsigned char c[256];
	size_t n = 0;
	int rc = host_read_bytes(h, c, sizeof(c), &n, "%s/config", dir);
	unsigned at, code;

	*why = NULL;
	if (rc < 0)
		*why = arena_printf(a, "cannot read '%s/config': %s", dir, strerror(-rc));
	else if (n <= FIRST || !(c[STATUS] & HAS_LIST))
		*why = arena_printf(a, "'%s/config' lists no capabilities", dir);
	if (*why)
		return 0;
	at = c[FIRST] & ~3u;
	/* each step goes to another of the 48 places a capability can be at */
	for (unsigned step = 0; step < 48 && at >= 64; step++) {
		/* the kernel gives the first 64 bytes to everybody and the rest to root */
		if (at + 1 >= n || (c[at] == EXPRESS && at + CONTROL >= n)) {
			*why = arena_printf(
				a, "only %zu bytes of '%s/config' can be read; run as root", n,
				dir);
			return 0;
		}
		if (c[at] == EXPRESS) {
			code = c[at + CONTROL] >> 5;
			if (code <= 5)
				return 128u << code;
			break;
		}
		at = c[at + 1] & ~3u;
	}
	*why = arena_printf(a, "'%s/config' holds no maximum payload", dir);
	return 0;
}

static void payload_facts(const struct host *h, const char *dir, const struct link *own,
			  struct facts *f, struct arena *a)
{
	const char *why;
	unsigned payload = max_payload(h, dir, a, &why);
	double usable = payload ? bandwidth(own) * payload_share(own->speed, payload) : 0;

	facts_set(f, a, "pcie.max_payload", payload ? arena_printf(a, "%u", payload) : NULL, why);
	link_bandwidth(f, a, "pcie.usable_bandwidth", usable, why ? why : unknown_link);
}

static bool link_known(const struct link *l)
{
	return l->speed > 0 && l->width > 0 && l->max_speed > 0 && l->max_width > 0;
}

static bool link_full(const struct link *l)
{
	return l->speed == l->max_speed && l->width == l->max_width;
}

static void limit_fact(const struct path *p, struct facts *f, struct arena *a)
{
	const struct link *l = &p->v[0];
	const char *why = l->why ? l->why : unknown_link, *limit = NULL;

	if (!l->why && link_known(l))
		limit = limited_by(p, link_full(l), a, &why);
	facts_set(f, a, "pcie.limited_by", limit, why);
}

static void own_facts(const struct link *l, struct facts *f, struct arena *a)
{
	const char *why = unknown_link;

	facts_set(f, a, "link.speed", l->speed > 0 ? arena_printf(a, "%g GT/s", l->speed) : NULL,
		  why);
	facts_set(f, a, "link.width", l->width > 0 ? arena_printf(a, "%g", l->width) : NULL, why);
	if (l->max_speed > 0)
		facts_set(f, a, "link.max_speed", arena_printf(a, "%g GT/s", l->max_speed), NULL);
	if (l->max_width > 0)
		facts_set(f, a, "link.max_width", arena_printf(a, "%g", l->max_width), NULL);
	facts_set(f, a, "link", !link_known(l) ? NULL : link_full(l) ? "full" : "downgraded", why);
	link_bandwidth(f, a, "link.bandwidth", bandwidth(l), why);
}

void pcie_facts(const struct host *h, struct str *dir, struct facts *f, struct arena *a)
{
	const char *function = arena_strdup(a, dir->s);
	struct link own = link_read(h, function, a);
	struct path p = {0};

	facts_set(f, a, "device.address", own.address, NULL);
	if (own.why) {
		link_facts_none(f, a, NULL, own.why);
		return;
	}
	if (!own.present) {
		link_facts_none(f, a, "none", NULL);
		return;
	}
	path_read(h, dir, a, &p);
	own_facts(&own, f, a);
	limit_fact(&p, f, a);
	port_fact(&p, f, a);
	upstream_fact(&p, 1, f, a);
	path_facts(&p, f, a);
	payload_facts(h, function, &own, f, a);
}

void pcie_above(const struct host *h, struct str *dir, struct facts *f, struct arena *a)
{
	const char *function = arena_strdup(a, dir->s);
	struct path p = {0};

	facts_set(f, a, "device.address", strrchr(function, '/') + 1, NULL);
	path_read(h, dir, a, &p);
	if (p.n == 0) {
		/* integrated into the root complex: nothing narrows the way */
		facts_set(f, a, "upstream.bandwidth", "none", NULL);
		return;
	}
	upstream_fact(&p, 0, f, a);
	path_facts(&p, f, a);
	if (str_eq(p.v[0].address, strrchr(function, '/') + 1)) {
		limit_fact(&p, f, a);
		payload_facts(h, function, &p.v[0], f, a);
	}
}
