/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a measurement counts, on a recorded machine that changes between two looks. The test is
 * the supervisor (it makes the ticks) and the clock; no I/O is done.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../host/smart_page.h"
#include "base/clock.h"
#include "base/fileio.h"
#include "session/admission.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#define PCI "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"
#define DISK "/sys/block/nvme0n1"

struct stage {
	char root[64];
	struct host host;
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct result result;
	struct outcome out;
	struct admission_run run;
	struct admission *a;
	struct session_clock clock;
	uint64_t now;
	unsigned char page[512];
	struct run_progress progress;
	/* while it is waited for: what the drive's temperature is from then on */
	int cooler;
	uint64_t cooler_at;
	int stop;
	char told[256];
};

static void put(const struct stage *s, const char *path, const char *text, const char *mode)
{
	char *full = xasprintf("%s%s", s->root, path), *slash = strrchr(full, '/');
	struct err e = ERR_INIT;
	FILE *f;

	*slash = '\0';
	assert_int_equal(file_mkdirs(full, &e), 0);
	*slash = '/';
	f = fopen(full, mode);
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(full);
}

static void put_link(const struct stage *s, const char *path, const char *to)
{
	char *full = xasprintf("%s%s", s->root, path);

	assert_int_equal(symlink(to, full), 0);
	free(full);
}

/* Sectors read and written since boot. */
static void put_stat(const struct stage *s, unsigned long read, unsigned long written)
{
	char line[128];

	snprintf(line, sizeof(line), "1 0 %lu 5 1 0 %lu 5 0 0 0\n", read, written);
	put(s, DISK "/stat", line, "w");
}

static void put_temperature(struct stage *s, int celsius)
{
	smart_page_temperature(s->page, celsius);
	smart_page_write(s->root, s->page);
}

static void put_machine(struct stage *s)
{
	put(s, DISK "/dev", "259:0\n", "w");
	put(s, DISK "/size", "2048000\n", "w");
	put(s, DISK "/queue/logical_block_size", "512\n", "w");
	put(s, DISK "/queue/scheduler", "[none] mq-deadline\n", "w");
	put_stat(s, 1000, 1000);
	put(s, "/dev/nvme0n1", "", "w");
	put(s, "/dev/kmsg", "6,1,1,-;booted\n", "w");
	put(s, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n", "w");
	put(s, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n", "w");
	put(s, "/proc/sys/kernel/osrelease", "6.12.8\n", "w");
	put(s, "/sys/devices/system/cpu/online", "0-1\n", "w");
	put(s, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n", "w");
	put(s, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "4\n", "w");
	put(s, PCI "/nvme/nvme0/transport", "pcie\n", "w");
	put(s, PCI "/current_link_speed", "8.0 GT/s PCIe\n", "w");
	put(s, PCI "/max_link_speed", "8.0 GT/s PCIe\n", "w");
	put(s, PCI "/current_link_width", "4\n", "w");
	put(s, PCI "/max_link_width", "4\n", "w");
	put(s, PCI "/aer_dev_correctable", "RxErr 0\nTOTAL_ERR_COR 0\n", "w");
	put_link(s, DISK "/device",
		 "../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0");
	put_link(s, PCI "/nvme/nvme0/device", "../..");
	smart_page_make(s->page);
	s->page[0] = 0;
	put_temperature(s, 45);
}

static uint64_t clock_of(void *arg)
{
	return ((struct stage *)arg)->now;
}

static void pause_of(void *arg, uint64_t until)
{
	struct stage *s = arg;

	assert_true(until > s->now);
	s->now = until;
	if (s->cooler && s->now >= s->cooler_at)
		put_temperature(s, s->cooler);
}

static int stage_setup(void **state)
{
	struct stage *s = xcalloc(1, sizeof(*s));

	snprintf(s->root, sizeof(s->root), "/tmp/blkgate-admission.XXXXXX");
	if (!mkdtemp(s->root))
		return -1;
	s->host.root = s->root;
	s->clock = (struct session_clock){clock_of, pause_of, s};
	s->now = 1000 * NS_PER_SEC;
	put_machine(s);
	*state = s;
	return 0;
}

static int stage_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int stage_teardown(void **state)
{
	struct stage *s = *state;

	admission_close(s->a);
	outcome_release(&s->out);
	result_release(&s->result);
	plan_release(&s->plan);
	suite_release(&s->suite);
	diags_release(&s->diags);
	nftw(s->root, stage_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(s);
	return 0;
}

/* A suite with these conditions and one workload with these words, planned for the drive. */
static void planned(struct stage *s, const char *admit, const char *words)
{
	char *text = xasprintf("blkgate: 1\nname: t\nwaive: {no-checks: x, short-runtime: x}\n"
			       "%s%sworkloads:\n  - {name: a, rw: randread, bs: 4KiB, size: 1MiB, "
			       "ioengine: libaio, iodepth: 8, runtime: 10s%s}\n",
			       admit, *admit ? "\n" : "", words);
	struct target_arg target = {.role = "dut", .id = "/dev/nvme0n1"};
	struct plan_options po = {.host = &s->host,
				  .targets = &target,
				  .ntargets = 1,
				  .seed = 5,
				  .profile = "default"};
	struct err e = ERR_INIT;

	diags_init(&s->diags);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &s->suite, &s->diags, &e) < 0)
		fail_msg("%s: %s", e.text, s->diags.n ? s->diags.v[0].text : "");
	if (plan_make(&s->suite, &po, &s->plan, &s->diags, &e) < 0)
		fail_msg("%s", e.text);
	if (s->plan.setup_error)
		fail_msg("%s", s->plan.setup_error);
	/* what is asked of a real device cannot be had here, and is not needed: no I/O is done */
	s->plan.jobs[0].state = JOB_READY;
	free(text);
	session_result_init(&s->plan, &(struct session_options){0}, &s->result);
	outcome_init(&s->out);
	s->run = (struct admission_run){&s->plan.jobs[0], &s->out};
	s->a = admission_open(&s->plan, &s->host, &s->clock, &s->result);
}

static void begin(struct stage *s)
{
	s->progress = (struct run_progress){.phase = "measure"};
	admission_begin(s->a, &s->run, 1);
}

/* Time passes, and that many I/Os of 4 KiB complete. */
static void tick(struct stage *s, uint64_t ns, uint64_t ios)
{
	s->now += ns;
	s->progress.elapsed += ns;
	s->progress.at = s->now;
	s->progress.ios += ios;
	s->progress.bytes += ios * 4096;
	admission_tick(s->a, &s->progress);
}

static void end(struct stage *s)
{
	s->out.status = OUTCOME_OK;
	s->out.window = 10 * NS_PER_SEC;
	s->out.cpu_usr = s->out.cpu_sys = NS_PER_SEC;
	admission_end(s->a);
}

static const struct watched_series *seen(const struct stage *s, enum watched_key key)
{
	return &admission_seen(s->a, 0)->of[key];
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not hold '%s'", text, part);
}

static void counts(struct stage *s)
{
	if (s->out.status != OUTCOME_OK)
		fail_msg("%s", s->out.text);
}

static void broken(struct stage *s, const char *part)
{
	assert_int_equal(s->out.status, OUTCOME_ADMISSION);
	says(s->out.text, part);
}

#define ALL                                                                                        \
	"admit: [link == full, temperature < 80C, kernel_log == clean, throttled == no, "          \
	"other_io < 5%, generator.cpu < 95%, health.media_errors.new == 0, "                       \
	"pcie.correctable.new == 0, cpu.throttled == no, device.scheduler == none, "               \
	"cpu.governor == performance, kernel.release == 6.12.8]"

static void a_quiet_run_counts(void **state)
{
	struct stage *s = *state;

	planned(s, ALL, "");
	begin(s);
	for (int i = 0; i < 4; i++) {
		put_stat(s, 1000 + 80000ul * (unsigned)i, 1000);
		tick(s, 200 * NS_PER_MS, 10000);
	}
	end(s);
	counts(s);
	assert_string_equal(s->out.notes, "");
	assert_int_equal(seen(s, WATCHED_LINK_SPEED)->n, 4);
	assert_int_equal(seen(s, WATCHED_LINK_SPEED)->min, 8000);
	assert_int_equal(seen(s, WATCHED_LINK_WIDTH)->min, 4);
	assert_int_equal(seen(s, WATCHED_TEMPERATURE)->n, 2);
	assert_int_equal(seen(s, WATCHED_OTHER_BYTES)->last, 0);
	assert_int_equal(seen(s, WATCHED_DEVICE_BYTES)->last, 3 * 80000 * 512);
	for (size_t i = 0; i < s->result.notices.n; i++)
		assert_null(strstr(s->result.notices.v[i], "not watched"));
}

/* bugs-given pcie-link-1, and the fixture whose link drops between two looks. */
static void a_link_that_drops_is_caught(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [link == full]", "");
	begin(s);
	tick(s, 200 * NS_PER_MS, 100);
	put(s, PCI "/current_link_width", "1\n", "w");
	tick(s, 200 * NS_PER_MS, 100);
	put(s, PCI "/current_link_width", "4\n", "w");
	tick(s, 200 * NS_PER_MS, 100);
	end(s);
	broken(s, "admit: link == full did not hold during the run on 'dut': it was 'downgraded'");
	says(s->out.text, "link.width: first 4, least 1, greatest 4, last 4 of 3 looks");
}

/* A link saves power when nothing is done: such a look is none. */
static void an_idle_link_is_not_looked_at(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [link == full]", "");
	begin(s);
	put(s, PCI "/current_link_speed", "2.5 GT/s PCIe\n", "w");
	tick(s, 200 * NS_PER_MS, 0);
	s->progress.phase = "ramp";
	tick(s, 200 * NS_PER_MS, 100);
	s->progress.phase = "drain";
	tick(s, 200 * NS_PER_MS, 100);
	put(s, PCI "/current_link_speed", "8.0 GT/s PCIe\n", "w");
	s->progress.phase = "measure";
	tick(s, 200 * NS_PER_MS, 100);
	put(s, PCI "/current_link_speed", "2.5 GT/s PCIe\n", "w");
	tick(s, 200 * NS_PER_MS, 0);
	end(s);
	counts(s);
	assert_int_equal(seen(s, WATCHED_LINK_SPEED)->n, 1);
}

/* No look, no evidence. */
static void a_window_without_a_look(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [link == full]", "");
	begin(s);
	end(s);
	broken(s, "no look fell into the window");
	s->out.notes[0] = '\0';
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	put(s, PCI "/current_link_width", "255\n", "w");
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	broken(s, "could not be read under load");
}

/* Unasked, a link that fell is still no run that may be compared: it must match. */
static void what_must_match_holds_during_the_run(void **state)
{
	struct stage *s = *state;

	planned(s, "", "");
	begin(s);
	put(s, PCI "/current_link_width", "1\n", "w");
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	broken(s, "link fell from full to 8 GT/s x1 under load, and it must match");
	put(s, PCI "/current_link_width", "4\n", "w");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	put(s, DISK "/queue/scheduler", "none [mq-deadline]\n", "w");
	end(s);
	broken(s, "device.scheduler changed from 'none' to 'mq-deadline'");
	put(s, DISK "/queue/scheduler", "[none] mq-deadline\n", "w");
	put(s, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n", "w");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	says(s->out.notes, "cpu.governor is 'powersave', and was 'performance'");
	/* what --ab switches is none that changed by itself */
	s->plan.interleave.kind = INTERLEAVE_SETTING;
	s->plan.interleave.setting = "scheduler";
	put(s, DISK "/queue/scheduler", "none [mq-deadline]\n", "w");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	s->plan.interleave.setting = "wbt_lat_usec";
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	broken(s, "device.scheduler changed");
	s->plan.interleave.kind = INTERLEAVE_NONE;
}

static void heat_during_the_run(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [temperature < 80C, throttled == no]", "");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	put_temperature(s, 84);
	tick(s, 11 * NS_PER_SEC, 10);
	put_temperature(s, 60);
	end(s);
	broken(s, "temperature < 80C did not hold during the run on 'dut': it was '84C'");
	says(s->out.text, "first 45, least 45, greatest 84, last 60 of 3 looks");
	/* throttling is the gate's to leave undecided */
	put_temperature(s, 45);
	begin(s);
	s->page[216]++;
	put_temperature(s, 45);
	end(s);
	counts(s);
	says(s->out.notes, "the device throttled: health.thermal_1_transitions +1");
	/* health is looked at now and then: the drive may answer nothing else meanwhile */
	begin(s);
	for (int i = 0; i < 100; i++)
		tick(s, 200 * NS_PER_MS, 10);
	end(s);
	assert_in_range(seen(s, WATCHED_TEMPERATURE)->n, 3, 4);
}

static void the_kernel_log(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [kernel_log == clean]", "");
	put(s, "/dev/kmsg", "3,2,1,-;I/O error, dev sdb, sector 0\n", "a");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	/* a line that came late, behind the run before, is not lost */
	broken(s, "it was '1 line: I/O error, dev sdb, sector 0'");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	begin(s);
	put(s, "/dev/kmsg", "4,3,1,-;nvme nvme0: resetting controller\n6,4,1,-;usb 1-1: new\n",
	    "a");
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	broken(s, "1 line: nvme nvme0: resetting controller");
	/* lines that are missing may have said anything */
	begin(s);
	put(s, "/dev/kmsg", "6,9,1,-;usb 1-1: old\n", "a");
	end(s);
	broken(s, "kernel_log cannot be read here: lines of the kernel log are missing");
}

static void unasked_it_is_noted(void **state)
{
	struct stage *s = *state;

	planned(s, "", "");
	begin(s);
	put(s, "/dev/kmsg", "3,2,1,-;I/O error, dev sdb, sector 0\n", "a");
	put(s, PCI "/aer_dev_correctable", "RxErr 2\nTOTAL_ERR_COR 2\n", "w");
	put(s, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "6\n", "w");
	s->page[160]++;
	s->page[0] = 2;
	put_temperature(s, 45);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	says(s->out.notes, "kernel log: 1 line: I/O error, dev sdb");
	says(s->out.notes, "pcie.correctable +2 during the run");
	says(s->out.notes, "health.media_errors +1 during the run");
	says(s->out.notes, "cpu.throttle_count +2 during the run");
	says(s->out.notes, "health.critical_warning rose from 0 to 2 during the run");
}

static void growth_that_was_asked_for(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [pcie.correctable.new == 0, cpu.throttled == no]", "");
	begin(s);
	put(s, PCI "/aer_dev_correctable", "RxErr 2\nTOTAL_ERR_COR 2\n", "w");
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	broken(s, "admit: pcie.correctable.new == 0 did not hold during the run on 'dut': it was "
		  "'2'");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	put(s, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5\n", "w");
	end(s);
	broken(s, "cpu.throttled == no");
}

static void io_of_others(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [other_io < 5%]", "");
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	/* 1000 I/Os of 8 sectors are ours; 8000 sectors more are not */
	put_stat(s, 1000 + 8000, 1000 + 8000);
	tick(s, 200 * NS_PER_MS, 1000);
	end(s);
	broken(s, "other_io < 5% did not hold");
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	put_stat(s, 1000 + 16000, 1000 + 8000);
	tick(s, 200 * NS_PER_MS, 1000);
	end(s);
	counts(s);
	/* a counter that stands still tells nothing */
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	tick(s, 200 * NS_PER_MS, 1000);
	end(s);
	broken(s, "the disk does not count all I/O of the run");
	/* the supervisor came late: as much as the run moves meanwhile says nothing of others */
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	put_stat(s, 1000 + 24000 + 800, 1000 + 8000);
	s->progress.bytes += 1000 * 4096;
	s->now += 200 * NS_PER_MS;
	s->progress.at = s->now - 20 * NS_PER_MS;
	admission_tick(s->a, &s->progress);
	end(s);
	broken(s, "to tell it from what was in flight");
	/* one look is none */
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	end(s);
	broken(s, "too short for two looks");
}

static void buffered_io_of_others_is_unknown(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [other_io < 5%]", ", direct: false");
	begin(s);
	tick(s, 200 * NS_PER_MS, 1000);
	tick(s, 200 * NS_PER_MS, 1000);
	end(s);
	broken(s, "other_io cannot be read here: buffered I/O");
}

static void a_busy_generator(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [generator.cpu < 95%]", "");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	s->out.window = NS_PER_SEC;
	s->out.cpu_sys = 960 * NS_PER_MS;
	s->out.status = OUTCOME_OK;
	admission_end(s->a);
	broken(s, "generator.cpu < 95% did not hold during the run on 'dut': it was '96.0%'");
	says(s->out.notes, "generator: busy 96 %");
}

static void a_failed_run_keeps_its_cause(void **state)
{
	struct stage *s = *state;

	planned(s, "admit: [link == full]", "");
	begin(s);
	s->out.status = OUTCOME_IO_ERROR;
	snprintf(s->out.text, sizeof(s->out.text), "read failed");
	admission_end(s->a);
	assert_int_equal(s->out.status, OUTCOME_IO_ERROR);
	assert_string_equal(s->out.text, "read failed");
	assert_non_null(admission_seen(s->a, 0));
}

static void on_told(void *arg, const char *text)
{
	struct stage *s = arg;

	assert_int_equal(s->told[0], '\0'); /* once */
	snprintf(s->told, sizeof(s->told), "%s", text);
}

static int waits(struct stage *s, struct err *e)
{
	*e = ERR_INIT;
	s->told[0] = '\0';
	return admission_wait(s->a, &s->run, 1, &s->stop, on_told, s, e);
}

static void waiting_for_the_temperature(void **state)
{
	struct stage *s = *state;
	uint64_t begun = s->now;
	struct err e;

	planned(s, "admit: [temperature < 70C wait 10min]", "");
	/* nothing to wait for */
	assert_int_equal(waits(s, &e), 0);
	assert_int_equal(s->now, begun);
	assert_string_equal(s->told, "");
	put_temperature(s, 75);
	s->cooler = 69;
	s->cooler_at = begun + 60 * NS_PER_SEC;
	assert_int_equal(waits(s, &e), 0);
	assert_in_range(s->now - begun, 60 * NS_PER_SEC, 63 * NS_PER_SEC);
	says(s->told, "waiting up to 10 min: admit: temperature < 70C wait 10min is not met on "
		      "'dut': it is '75 C'");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	says(s->out.notes, "until temperature < 70C wait 10min");
	/* never: bounded, and it is said */
	put_temperature(s, 90);
	s->cooler = 0;
	begun = s->now;
	assert_int_equal(waits(s, &e), ERR_MEASURE);
	says(e.text, "it is '90 C', also after waiting 10 min");
	assert_int_equal(s->now - begun, 600 * NS_PER_SEC);
	assert_null(admission_seen(s->a, 0));
	/* a signal ends it */
	s->stop = 1;
	assert_int_equal(waits(s, &e), ERR_INTR);
}

static void what_cannot_be_watched_is_told(void **state)
{
	struct stage *s = *state;
	char *path = xasprintf("%s/dev/kmsg", s->root),
	     *smart = xasprintf("%s/dev/nvme0.smart", s->root);
	size_t n;

	unlink(path);
	unlink(smart);
	planned(s, "", "");
	n = s->result.notices.n;
	assert_true(n >= 2);
	says(s->result.notices.v[n - 2], "the kernel log is not watched: cannot read '/dev/kmsg'");
	says(s->result.notices.v[n - 1],
	     "the health of 'dut' is not watched: cannot read the SMART log");
	begin(s);
	tick(s, 200 * NS_PER_MS, 10);
	end(s);
	counts(s);
	assert_int_equal(seen(s, WATCHED_KERNEL_LOG)->state, WATCHED_UNKNOWN);
	assert_int_equal(seen(s, WATCHED_TEMPERATURE)->state, WATCHED_UNKNOWN);
	free(smart);
	free(path);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_setup, stage_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_quiet_run_counts),
		TEST(a_link_that_drops_is_caught),
		TEST(an_idle_link_is_not_looked_at),
		TEST(a_window_without_a_look),
		TEST(what_must_match_holds_during_the_run),
		TEST(heat_during_the_run),
		TEST(the_kernel_log),
		TEST(unasked_it_is_noted),
		TEST(growth_that_was_asked_for),
		TEST(io_of_others),
		TEST(buffered_io_of_others_is_unknown),
		TEST(a_busy_generator),
		TEST(a_failed_run_keeps_its_cause),
		TEST(waiting_for_the_temperature),
		TEST(what_cannot_be_watched_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
