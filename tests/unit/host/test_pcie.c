/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The links between a device and the CPU, and what of the device's own is left for data. */
#include "fixture.h"

#define BUS "/sys/devices/pci0000:00"
#define PORT BUS "/0000:00:1c.0"
#define UP PORT "/0000:01:00.0"
#define DOWN UP "/0000:02:03.0"
#define DISK DOWN "/0000:03:00.0"

static void put_link_of(struct fixture *x, const char *dir, const char *speed, const char *width,
			const char *max_speed, const char *max_width)
{
	putf(x, speed, "%s/current_link_speed", dir);
	putf(x, width, "%s/current_link_width", dir);
	putf(x, max_speed, "%s/max_link_speed", dir);
	putf(x, max_width, "%s/max_link_width", dir);
}

/* A drive behind a switch: the port of the switch is the slot, its upstream port has a link too. */
static void put_switched(struct fixture *x)
{
	put_disk(x, "nvme0n1", "259:1\n", "2097152\n");
	put_link(x, "/sys/block/nvme0n1/device",
		 "../../devices/pci0000:00/0000:00:1c.0/"
		 "0000:01:00.0/0000:02:03.0/0000:03:00.0/nvme/nvme0");
	put(x, DISK "/nvme/nvme0/transport", "pcie\n");
	put_link_of(x, DISK, "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4");
	put_link_of(x, DOWN, "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "8");
	put_link_of(x, UP, "8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "16");
	put_link_of(x, PORT, "8.0 GT/s PCIe", "4", "8.0 GT/s PCIe", "16");
}

static void put_config(struct fixture *x, const unsigned char *c, size_t n)
{
	char *path = fixture_path(x, DISK "/config");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(c, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void every_link_of_the_way(void **state)
{
	struct fixture *x = *state;
	const struct facts *f = &x->target.facts;

	put_switched(x);
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "link", "full");
	fact_is(f, "pcie.path",
		"0000:03:00.0 16 GT/s x4 of 16 GT/s x4; "
		"0000:02:03.0 16 GT/s x4 of 16 GT/s x8; "
		"0000:01:00.0 8 GT/s x4 of 16 GT/s x16; "
		"0000:00:1c.0 8 GT/s x4 of 8 GT/s x16");
	fact_is(f, "pcie.narrowest", "0000:01:00.0 8 GT/s x4 of 16 GT/s x16");
	fact_is(f, "upstream.bandwidth", "3938461538");
	fact_is(f, "link.port", "16 GT/s x8");
	fact_is(f, "pcie.limited_by", "nothing");
	fact_is(f, "device.address", "0000:03:00.0");
	/* alike all the way: the device's own is the narrowest */
	put_link_of(x, UP, "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4");
	put_link_of(x, PORT, "16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "pcie.narrowest", "0000:03:00.0 16 GT/s x4 of 16 GT/s x4");
}

/* A port that cannot be read may be the narrowest. */
static void a_port_that_cannot_be_read(void **state)
{
	struct fixture *x = *state;
	const struct facts *f = &x->target.facts;
	char *path;

	put_switched(x);
	path = fixture_path(x, UP "/max_link_width");
	assert_int_equal(unlink(path), 0);
	free(path);
	put_dir(x, UP "/max_link_width");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "link", "full");
	fact_is(f, "pcie.narrowest", NULL);
	contains(facts_find(f, "pcie.narrowest")->why, "cannot read the link of '" UP "'");
	fact_is(f, "upstream.bandwidth", NULL);
	contains(facts_find(f, "upstream.bandwidth")->why, UP);
	contains(facts_value(f, "pcie.path"), "0000:01:00.0 unreadable");
	path = fixture_path(x, UP "/max_link_width");
	assert_int_equal(rmdir(path), 0);
	free(path);
	put_link_of(x, UP, "Unknown", "4", "16.0 GT/s PCIe", "4");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "upstream.bandwidth", NULL);
	fact_is(f, "pcie.narrowest", NULL);
	contains(facts_value(f, "pcie.path"), "0000:01:00.0 unknown x4 of 16 GT/s x4");
}

static void what_keeps_a_link_down(void **state)
{
	static const struct {
		const char *speed, *width, *port_speed, *port_width, *limit;
	} cases[] = {
		{"16.0 GT/s PCIe", "4", "32.0 GT/s PCIe", "16", "nothing"},
		{"2.5 GT/s PCIe", "4", "2.5 GT/s PCIe", "16",
		 "port '0000:02:03.0', which can do 2.5 GT/s x16"},
		{"16.0 GT/s PCIe", "1", "16.0 GT/s PCIe", "1",
		 "port '0000:02:03.0', which can do 16 GT/s x1"},
		{"16.0 GT/s PCIe", "1", "16.0 GT/s PCIe", "4",
		 "training: device and port '0000:02:03.0' can both do 16 GT/s x4"},
		/* the port is slower, and the lanes are missing all the same */
		{"8.0 GT/s PCIe", "1", "8.0 GT/s PCIe", "8",
		 "training: device and port '0000:02:03.0' can both do 8 GT/s x4"},
		{"8.0 GT/s PCIe", "4", "Unknown", "8", NULL},
	};
	struct fixture *x = *state;

	put_switched(x);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_link_of(x, DISK, cases[i].speed, cases[i].width, "16.0 GT/s PCIe", "4");
		put_link_of(x, DOWN, cases[i].speed, cases[i].width, cases[i].port_speed,
			    cases[i].port_width);
		must_resolve(x, "/dev/nvme0n1");
		fact_is(&x->target.facts, "pcie.limited_by", cases[i].limit);
	}
}

/* link.bandwidth x P / (P + 24), in flits P / (P + 16). */
static void what_packets_leave(void **state)
{
	static const struct {
		const char *speed;
		unsigned code;
		const char *payload, *usable;
	} cases[] = {
		{"2.5 GT/s PCIe", 0, "128", "842105263"},  /* 1000000000 x 128/152 */
		{"8.0 GT/s PCIe", 0, "128", "3316599190"}, /* 3938461538 x 128/152 */
		{"8.0 GT/s PCIe", 1, "256", "3600879120"},
		{"16.0 GT/s PCIe", 2, "512", "7524225028"},
		{"64.0 GT/s PCIe", 1, "256", "27764705882"}, /* 29500000000 x 256/272 */
		{"8.0 GT/s PCIe", 5, "4096", "3915519044"},
		{"8.0 GT/s PCIe", 6, NULL, NULL},
	};
	struct fixture *x = *state;
	const struct facts *f = &x->target.facts;
	/* a power management capability at 0x40, MSI at 0x50, PCI Express at 0x70 */
	unsigned char c[256] = {[6] = 0x10, [0x34] = 0x40, [0x40] = 1,    [0x41] = 0x50,
				[0x50] = 5, [0x51] = 0x70, [0x70] = 0x10, [0x71] = 0};

	put_switched(x);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(x, DISK "/current_link_speed", cases[i].speed);
		c[0x78] = (unsigned char)(cases[i].code << 5 | 0x10);
		put_config(x, c, sizeof(c));
		must_resolve(x, "/dev/nvme0n1");
		fact_is(f, "pcie.max_payload", cases[i].payload);
		fact_is(f, "pcie.usable_bandwidth", cases[i].usable);
	}
	/* what everybody but root sees */
	put_config(x, c, 64);
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "pcie.max_payload", NULL);
	contains(facts_find(f, "pcie.max_payload")->why, "only 64 bytes");
	contains(facts_find(f, "pcie.usable_bandwidth")->why, "run as root");
	fact_is(f, "link.bandwidth", "3938461538");
	/* a list that leads back to itself ends */
	c[0x71] = 0x50;
	c[0x70] = 5;
	put_config(x, c, sizeof(c));
	must_resolve(x, "/dev/nvme0n1");
	fact_is(f, "pcie.max_payload", NULL);
	contains(facts_find(f, "pcie.max_payload")->why, "no maximum payload");
	/* the last place a capability can be at */
	c[0x71] = 0xfc;
	c[0xfc] = 5;
	put_config(x, c, sizeof(c));
	must_resolve(x, "/dev/nvme0n1");
	contains(facts_find(f, "pcie.max_payload")->why, "no maximum payload");
	put_config(x, c, 0);
	must_resolve(x, "/dev/nvme0n1");
	contains(facts_find(f, "pcie.max_payload")->why, "lists no capabilities");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_link_of_the_way),
		TEST(a_port_that_cannot_be_read),
		TEST(what_keeps_a_link_down),
		TEST(what_packets_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
