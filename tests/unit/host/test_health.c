/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SMART pages, and the health of recorded machines. */
#include "fixture.h"

#include "host/internal.h"
#include "smart_page.h"

#include <errno.h>

#define PCI1 "0000:01:00.0"
#define AT "/sys/devices/pci0000:00/0000:00:1c.0/" PCI1
#define PORT "/sys/devices/pci0000:00/0000:00:1c.0"

static void put_nvme(struct fixture *x)
{
	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.0025385b71b0a1c2\n");
}

static void a_page_is_read_field_by_field(void **state)
{
	unsigned char page[NVME_SMART_PAGE];
	struct smart s;

	(void)state;
	smart_page_make(page);
	assert_int_equal(smart_parse(page, sizeof(page), &s), 0);
	assert_int_equal(s.critical_warning, 2);
	assert_true(s.has_temperature);
	assert_int_equal(s.temperature, 46);
	assert_int_equal(s.available_spare, 97);
	assert_int_equal(s.spare_threshold, 10);
	assert_int_equal(s.percentage_used, 3);
	assert_int_equal(s.data_units_written, 1234567);
	assert_int_equal(s.unsafe_shutdowns, 21);
	assert_int_equal(s.power_on_hours, 4321);
	assert_int_equal(s.media_errors, 5);
	assert_int_equal(s.error_log_entries, 258);
	assert_int_equal(s.warning_temp_time, 7);
	assert_int_equal(s.critical_temp_time, 1);
	assert_int_equal(s.thermal_transitions[0], 11);
	assert_int_equal(s.thermal_transitions[1], 12);
	assert_int_equal(s.thermal_time[0], 130);
	assert_int_equal(s.thermal_time[1], 14);
}

static void a_page_that_is_none(void **state)
{
	unsigned char page[NVME_SMART_PAGE];
	struct smart s;

	(void)state;
	smart_page_make(page);
	assert_int_equal(smart_parse(page, sizeof(page) - 1, &s), -EINVAL);
	assert_int_equal(smart_parse(page, 0, &s), -EINVAL);
	/* the device left the bus */
	memset(page, 0xff, sizeof(page));
	assert_int_equal(smart_parse(page, sizeof(page), &s), -ENODATA);
	/* no thermometer; counters beyond 63 bits stand still at the end */
	memset(page, 0, sizeof(page));
	page[160 + 15] = 1;
	assert_int_equal(smart_parse(page, sizeof(page), &s), 0);
	assert_false(s.has_temperature);
	assert_true(s.media_errors == INT64_MAX);
}

static void firmware_slots(void **state)
{
	unsigned char page[NVME_SMART_PAGE] = {0x31}; /* active 1, 3 after the next reset */
	struct str s;

	(void)state;
	memcpy(page + 8, "2B2QEXE7", 8);
	memcpy(page + 24, "3B2\033EX ", 7);
	str_init(&s);
	slots_parse(page, &s);
	assert_string_equal(s.s, "1 2B2QEXE7 (active), 3 3B2\\x1bEX (next reset)");
	str_release(&s);
}

static void health_of_nvme(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	put_nvme(x);
	put(x, AT "/aer_dev_correctable", "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3\n");
	put(x, AT "/aer_dev_nonfatal", "Undefined 0\nTOTAL_ERR_NONFATAL 0\n");
	put(x, PORT "/aer_dev_correctable", "RxErr 4\nTOTAL_ERR_COR 4\n");
	smart_page_put(x->root);
	must_resolve(x, "/dev/nvme0n1");
	facts_init(&f);
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", "46 C");
	fact_is(&f, "health.critical_warning", "2");
	fact_is(&f, "health.percentage_used", "3");
	fact_is(&f, "health.available_spare", "97");
	fact_is(&f, "health.media_errors", "5");
	fact_is(&f, "health.error_log_entries", "258");
	fact_is(&f, "health.thermal_1_transitions", "11");
	fact_is(&f, "health.thermal_1_time", "130");
	fact_is(&f, "health.warning_temp_time", "7");
	fact_is(&f, "health.critical_temp_time", "1");
	fact_is(&f, "health.data_written", "632098304000");
	fact_is(&f, "health.unsafe_shutdowns", "21");
	/* both ends of the link */
	fact_is(&f, "pcie.correctable", "7");
	fact_is(&f, "pcie.nonfatal", "0");
	fact_is(&f, "pcie.fatal", "none");
	facts_release(&f);
}

/* Without the SMART log nothing is made up, and the driver's thermometer is read. */
static void health_without_smart(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	put_nvme(x);
	must_resolve(x, "/dev/nvme0n1");
	facts_init(&f);
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", NULL);
	fact_is(&f, "health.media_errors", NULL);
	contains(facts_find(&f, "health.media_errors")->why, "SMART log of '/dev/nvme0'");
	fact_is(&f, "device.firmware_slots", NULL);
	put(x, AT "/nvme/nvme0/hwmon2/temp1_input", "41850\n");
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", "42 C");
	put(x, AT "/nvme/nvme0/hwmon2/temp1_input", "-3850\n");
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", "-4");
	facts_release(&f);
}

static void health_of_sata(void **state)
{
	struct fixture *x = *state;
	const char *at = "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0";
	struct facts f;

	put_sda(x);
	putf(x, "7\n", "%s/scsi_level", at);
	putf(x, "0x2\n", "%s/ioerr_cnt", at);
	must_resolve(x, "/dev/sda1");
	facts_init(&f);
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", NULL);
	contains(facts_find(&f, "temperature")->why, "drivetemp");
	fact_is(&f, "device.io_errors", "2");
	assert_null(facts_find(&f, "health.media_errors"));
	putf(x, "31000\n", "%s/hwmon/hwmon4/temp1_input", at);
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", "31 C");
	facts_release(&f);
}

static void health_of_memory(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	put_disk(x, "zram0", "251:0\n", "2048\n");
	must_resolve(x, "/dev/zram0");
	facts_init(&f);
	host_health(&x->host, &x->target, &f, &x->arena);
	fact_is(&f, "temperature", "none");
	assert_null(facts_find(&f, "pcie.fatal"));
	facts_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_is_read_field_by_field),
		cmocka_unit_test(a_page_that_is_none),
		cmocka_unit_test(firmware_slots),
		TEST(health_of_nvme),
		TEST(health_without_smart),
		TEST(health_of_sata),
		TEST(health_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
