/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single looks at recorded machines; what they come to is in session/test_admission. */
#include "fixture.h"

#include "host/watch.h"
#include "smart_page.h"

#define PCI1 "0000:01:00.0"
#define AT "/sys/devices/pci0000:00/0000:00:1c.0/" PCI1
#define SATA "/sys/class/ata_link/link3/sata_spd"

static bool named(const struct host_watch *w, const char *name)
{
	const struct kernlog_names *names = host_watch_names(w);

	for (size_t i = 0; i < names->n; i++)
		if (str_eq(names->v[i], name))
			return true;
	return false;
}

static struct host_watch *watch(struct fixture *x, const char *id)
{
	must_resolve(x, id);
	return host_watch_open(&x->host, &x->target);
}

static void a_sata_disk_by_its_partition(void **state)
{
	struct fixture *x = *state;
	struct watched seen = {0};
	struct host_watch *w;
	const char *why;
	uint64_t bytes;

	put_sda(x);
	put(x, "/sys/block/sda/stat", "    10  0  100  5  10  0  28  5  0 0 0\n");
	w = watch(x, "/dev/sda1");
	assert_true(named(w, "sda") && named(w, "sda1") && named(w, "ata3") && named(w, "2:0:0:0"));
	assert_false(named(w, "sda2"));
	assert_int_equal(host_watch_fd(w), -1);
	assert_true(host_watch_has_link(w));
	host_watch_link(w, &seen, &x->arena);
	put(x, SATA, "1.5 Gbps\n");
	host_watch_link(w, &seen, &x->arena);
	put(x, SATA, "6.0 Gbps\n");
	host_watch_link(w, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_LINK_SPEED].n, 3);
	assert_int_equal(seen.of[WATCHED_LINK_SPEED].min, 1500);
	assert_int_equal(seen.of[WATCHED_LINK_SPEED].max, 6000);
	assert_int_equal(seen.of[WATCHED_LINK_WIDTH].min, 1);
	/* the whole disk's: an other partition is somebody else */
	assert_int_equal(host_watch_moved(w, &bytes, &why, &x->arena), 1);
	assert_int_equal(bytes, 128 * 512);
	put(x, "/sys/block/sda/queue/iostats", "0\n");
	assert_int_equal(host_watch_moved(w, &bytes, &why, &x->arena), -1);
	contains(why, "does not count");
	put(x, "/sys/block/sda/queue/iostats", "1\n");
	put(x, "/sys/block/sda/stat", "1 2 3\n");
	assert_int_equal(host_watch_moved(w, &bytes, &why, &x->arena), -1);
	contains(why, "no seven numbers");
	put(x, SATA, "<unknown>\n");
	host_watch_link(w, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_LINK_SPEED].state, WATCHED_UNKNOWN);
	host_watch_close(w);
}

static void an_nvme_drive(void **state)
{
	struct fixture *x = *state;
	struct watched seen = {0};
	struct host_watch *w;
	struct facts f;
	const char *why;
	int64_t c;

	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.0025385b71b0a1c2\n");
	put(x, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	smart_page_put(x->root);
	w = watch(x, "/dev/nvme0n1");
	assert_true(named(w, "nvme0n1") && named(w, "nvme0") && named(w, PCI1) &&
		    named(w, "0000:00:1c.0"));
	host_watch_health(w, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_TEMPERATURE].last, 46);
	assert_int_equal(seen.of[WATCHED_CRITICAL_WARNING].last, 2);
	assert_int_equal(seen.of[WATCHED_ERROR_LOG].last, 258);
	assert_int_equal(seen.of[WATCHED_CRITICAL_TEMP_TIME].last, 1);
	assert_int_equal(seen.of[WATCHED_PCIE_FATAL].state, WATCHED_NONE);
	assert_true(seen.cost > 0);
	assert_int_equal(host_watch_temperature(w, &c, &why, &x->arena), 1);
	assert_int_equal(c, 46);
	facts_init(&f);
	host_watch_settings(w, &f, &x->arena);
	fact_is(&f, "device.scheduler", "none");
	fact_is(&f, "cpu.governor", "powersave");
	facts_release(&f);
	/* gone from the bus: what was seen before does not stand for what is now */
	put(x, AT "/current_link_width", "255\n");
	host_watch_link(w, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_LINK_WIDTH].state, WATCHED_UNKNOWN);
	host_watch_close(w);
}

/* There is nothing to look at, which is known, or what there is cannot be told. */
static void no_disk_and_no_single_disk(void **state)
{
	struct fixture *x = *state;
	struct watched seen = {0};
	struct host_watch *w;
	const char *why;
	uint64_t bytes;
	int64_t c;

	put_disk(x, "zram0", "251:0\n", "2048\n");
	put(x, "/sys/block/zram0/stat", "1 0 8 0 1 0 8 0 0 0 0\n");
	w = watch(x, "/dev/zram0");
	assert_false(host_watch_has_link(w));
	host_watch_link(w, &seen, &x->arena);
	host_watch_health(w, &seen, &x->arena);
	for (size_t k = 0; k < WATCHED_COUNT; k++)
		assert_int_equal(seen.of[k].state, WATCHED_NONE);
	assert_int_equal(host_watch_temperature(w, &c, &why, &x->arena), 0);
	assert_int_equal(host_watch_moved(w, &bytes, &why, &x->arena), 1);
	host_watch_close(w);

	put_disk(x, "md0", "9:0\n", "2048\n");
	put_disk(x, "sdb", "8:16\n", "2048\n");
	put_disk(x, "sdc", "8:32\n", "2048\n");
	put_link(x, "/sys/block/md0/slaves/sdb", "../../sdb");
	put_link(x, "/sys/block/md0/slaves/sdc", "../../sdc");
	w = watch(x, "/dev/md0");
	assert_int_equal(host_watch_temperature(w, &c, &why, &x->arena), -1);
	contains(why, "made of 2 devices");
	assert_int_equal(host_watch_moved(w, &bytes, &why, &x->arena), -1);
	contains(why, "made of 2 devices");
	host_watch_close(w);
}

static void processors_that_were_too_hot(void **state)
{
	struct fixture *x = *state;
	struct watched seen = {0};

	host_watch_processors(&x->host, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_CPU_THROTTLE].state, WATCHED_NONE);
	put(x, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
	put(x, "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", "1\n");
	put(x, "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
	put(x, "/sys/devices/system/cpu/cpufreq/thermal_throttle/core_throttle_count", "100\n");
	host_watch_processors(&x->host, &seen, &x->arena);
	assert_int_equal(seen.of[WATCHED_CPU_THROTTLE].last, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sata_disk_by_its_partition),
		TEST(an_nvme_drive),
		TEST(no_disk_and_no_single_disk),
		TEST(processors_that_were_too_hot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
