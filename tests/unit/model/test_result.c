/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result document: written, read, written again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/fileio.h"
#include "measure/metric.h"
#include "sample.h"
#include <unistd.h>

static struct result parsed(const char *text)
{
	struct result r;
	struct err e = ERR_INIT;

	if (result_parse(text, strlen(text), "r.json", &r, &e))
		fail_msg("%s", e.text);
	return r;
}

static void test_round_trip(void **state)
{
	struct result r, back;
	char *text, *again;

	(void)state;
	sample_result(&r);
	text = sample_text(&r, false);
	back = parsed(text);
	again = sample_text(&back, false);
	assert_string_equal(again, text);
	assert_true(back.owns_plan);
	free(again);
	free(text);
	result_release(&back);
	result_release(&back); /* may be called again */
	result_release(&r);
}

/* The node that was named, where it is not the device itself; a document without it stays as it
 * was. */
static void test_passthrough(void **state)
{
	struct result r, back;
	char *text;

	(void)state;
	sample_result(&r);
	text = sample_text(&r, false);
	assert_null(strstr(text, "passthrough"));
	free(text);
	r.targets[0].passthrough = "/dev/ng0n1";
	text = sample_text(&r, false);
	back = parsed(text);
	assert_string_equal(back.targets[0].passthrough, "/dev/ng0n1");
	assert_string_equal(back.targets[0].path, "/dev/nvme0n1");
	assert_string_equal(target_node(&back.targets[0]), "/dev/ng0n1");
	assert_null(back.targets[1].passthrough);
	/* fio is given the node that takes the commands */
	assert_non_null(strstr(text, "--filename=/dev/ng0n1 "));
	free(text);
	result_release(&back);
	result_release(&r);
}

static void test_fields(void **state)
{
	struct result r, b;
	char *text;

	(void)state;
	sample_result(&r);
	text = sample_text(&r, false);
	b = parsed(text);
	assert_true(b.seed == r.seed && b.jobs[0].seed == UINT64_MAX);
	assert_string_equal(b.description, r.description);
	assert_null(b.inject);
	assert_null(b.partial);
	assert_string_equal(facts_find(&b.host, "boot.id")->why, "no /proc");
	assert_null(facts_value(&b.host, "boot.id"));
	assert_string_equal(facts_value(&b.targets[0].facts, "device.model"), "Sample 990");
	assert_int_equal(b.targets[0].dio_offset, 512);
	assert_null(b.targets[0].fstype);
	assert_int_equal(b.jobs[2].state, JOB_SKIPPED);
	assert_string_equal(b.jobs[2].sim, "lat=100us error=5%");
	assert_true(b.jobs[1].canary && b.jobs[1].direct_auto && !b.jobs[0].canary);
	assert_string_equal(b.checks[0].known.ticket, "STOR-1421");
	assert_true(b.checks[0].known.until == 1801440000);
	assert_true(b.checks[1].absolute && b.checks[1].role == ROLE_WATCH);
	assert_true(isnan(b.checks[2].reference));
	assert_string_equal(b.checks[2].reference_why, "link cannot be read");
	assert_true(b.checks[3].every_run && b.checks[3].op == OP_LE);
	assert_true(b.sessions.v[0].complete && !b.sessions.v[1].complete);
	assert_true(b.sessions.v[1].seed == 0x8000000000000001ULL);
	assert_int_equal(b.runs.n, 5);
	assert_int_equal(b.runs.v[4].out.status, OUTCOME_IO_ERROR);
	assert_int_equal(b.runs.v[4].out.sys, 5);
	assert_true(b.runs.v[4].out.abandoned);
	assert_string_equal(b.runs.v[4].out.text, r.runs.v[4].out.text);
	assert_string_equal(b.runs.v[4].out.notes, r.runs.v[4].out.notes);
	assert_int_equal(b.runs.v[0].out.device_read.state, DEVICE_KNOWN);
	assert_true(b.runs.v[0].out.device_read.bytes == 1234567890);
	assert_int_equal(b.runs.v[0].out.device_written.state, DEVICE_UNKNOWN);
	assert_string_equal(b.runs.v[0].out.device_written.why, "btrfs has no single device");
	assert_string_equal(b.jobs[0].percentile_list, "50:99.5");
	assert_null(b.jobs[1].percentile_list);
	assert_int_equal(b.runs.v[2].out.nslots, 13);
	assert_int_equal(b.runs.v[2].out.slots[12].ios[DIR_READ], 98);
	assert_int_equal(b.runs.v[2].out.dir[DIR_READ].clat.nb,
			 r.runs.v[2].out.dir[DIR_READ].clat.nb);
	assert_string_equal(b.notices.v[0], r.notices.v[0]);
	free(text);
	result_release(&b);
	result_release(&r);
}

/* The law of the room: a value derived from a stored run is the same double. */
static void test_values_survive(void **state)
{
	struct result r, b;
	char *text;

	(void)state;
	sample_result(&r);
	text = sample_text(&r, false);
	b = parsed(text);
	for (size_t i = 0; i < r.runs.n; i++) {
		for (unsigned m = 0; m < metric_count; m++) {
			struct value x, y;

			metric_value(&metric_table[m], &r.jobs[r.runs.v[i].job], &r.runs.v[i].out,
				     &x);
			metric_value(&metric_table[m], &b.jobs[b.runs.v[i].job], &b.runs.v[i].out,
				     &y);
			assert_int_equal(x.state, y.state);
			assert_memory_equal(&x.v, &y.v, sizeof(x.v));
			assert_memory_equal(&x.step, &y.step, sizeof(x.step));
			assert_true(x.n == y.n);
		}
	}
	free(text);
	result_release(&b);
	result_release(&r);
}

static void add_verdicts(struct result *r)
{
	struct verdict *v = VEC_PUSH(&r->verdicts);

	*v = (struct verdict){.check = VERDICT_MEASURE, .kind = VERDICT_PASS, .text = "measured"};
	v = VEC_PUSH(&r->verdicts);
	*v = (struct verdict){.kind = VERDICT_REGRESSION,
			      .status = STATUS_REGRESSION,
			      .shape = JUNIT_FAILURE,
			      .type = "regression",
			      .text = "lost 7.3 %",
			      .change = -0.073,
			      .low = -0.092,
			      .high = -0.053,
			      .excluded = NAN,
			      .base_value = 444000,
			      .value = 412000,
			      .tolerance = 0.05,
			      .nsessions = 2,
			      .session_values = {411000, NAN}};
	v = VEC_PUSH(&r->verdicts);
	*v = (struct verdict){.check = 2,
			      .kind = VERDICT_INCONCLUSIVE,
			      .leaning = -1,
			      .status = STATUS_INCONCLUSIVE,
			      .shape = JUNIT_SKIPPED,
			      .text = "unknown link",
			      .value = NAN,
			      .limit = INFINITY};
	/* in the baseline but not in the result: no job, no check */
	v = VEC_PUSH(&r->verdicts);
	*v = (struct verdict){.job = UINT32_MAX,
			      .kind = VERDICT_ERROR,
			      .check = UINT32_MAX - 1,
			      .status = STATUS_ERROR,
			      .shape = JUNIT_ERROR,
			      .text = "gone"};
	r->status = STATUS_REGRESSION;
	r->baseline_digest = "0123456789abcdef";
}

/* Verdicts and values are written for readers, hold no bare nan, and are not read back. */
static void test_verdicts(void **state)
{
	struct result r, b;
	struct json_doc *doc;
	struct err e = ERR_INIT;
	char *text, *plain, *again;

	(void)state;
	sample_result(&r);
	plain = sample_text(&r, false);
	add_verdicts(&r);
	r.values_writer = measure_write_values;
	text = sample_text(&r, true);
	assert_int_equal(json_parse(text, strlen(text), "x", &doc, &e), 0);
	json_doc_free(doc);
	assert_non_null(strstr(text, "\"verdict\": \"regression\""));
	assert_non_null(
		strstr(text, "\"status_meaning\": \"a regression or a missed expectation\""));
	assert_non_null(strstr(text, "\"leaning\": \"fail\""));
	assert_non_null(strstr(text, "\"baseline_digest\": \"0123456789abcdef\""));
	assert_non_null(strstr(text, "\"unit\": \"IOPS\""));
	assert_non_null(strstr(text, "\"state\": \"insufficient\""));
	assert_null(strstr(text, ": nan"));
	assert_null(strstr(text, ": -nan"));
	assert_null(strstr(text, ": inf"));
	b = parsed(text);
	assert_int_equal(b.verdicts.n, 0);
	assert_null(b.baseline_digest);
	again = sample_text(&b, false);
	assert_string_equal(again, plain);
	free(again);
	free(plain);
	free(text);
	result_release(&b);
	result_release(&r);
}

static void test_head_flags(void **state)
{
	struct result r, b;
	char *text;

	(void)state;
	sample_result(&r);
	r.inject = "slow=30%";
	r.partial = "interrupted";
	r.interrupted = true;
	r.setup_error = "target.type == block is not met";
	r.setup_status = STATUS_ERROR;
	assert_int_equal(policy_set(&r.policy, "inconclusive", "fail", &(struct err){0}), 0);
	text = sample_text(&r, false);
	assert_non_null(strstr(text, "\"injected\": true"));
	b = parsed(text);
	assert_string_equal(b.inject, "slow=30%");
	assert_string_equal(b.partial, "interrupted");
	assert_true(b.interrupted);
	assert_string_equal(b.setup_error, r.setup_error);
	assert_int_equal(b.setup_status, STATUS_ERROR);
	assert_int_equal(b.policy.inconclusive, INCONCLUSIVE_FAIL);
	free(text);
	result_release(&b);
	result_release(&r);
}

/* A suite that could not even start has jobs and no session. */
static void test_empty(void **state)
{
	struct result r, b;
	char *text, *again;

	(void)state;
	result_init(&r);
	r.suite = "empty";
	r.profile = "default";
	text = sample_text(&r, true);
	b = parsed(text);
	assert_int_equal(b.njobs + b.runs.n + b.sessions.n + b.ntargets, 0);
	assert_int_equal(b.measurement_version, MEASUREMENT_VERSION);
	again = sample_text(&b, true);
	assert_string_equal(again, text);
	free(again);
	free(text);
	result_release(&b);
	result_release(&r);
}

/* A job that could not even be resolved is stored and read all the same. */
static void test_unresolved_job(void **state)
{
	struct result r, b;
	char *text, *again;

	(void)state;
	sample_result(&r);
	r.jobs[2] = (struct job){.name = "fake", .state = JOB_ERROR, .why = "no engine"};
	r.checks[3].text = NULL;
	text = sample_text(&r, false);
	b = parsed(text);
	assert_int_equal(b.jobs[2].state, JOB_ERROR);
	assert_string_equal(b.jobs[2].ioengine, "");
	assert_string_equal(b.checks[3].text, b.checks[3].name);
	again = sample_text(&b, false);
	assert_non_null(strstr(again, "\"why\": \"no engine\""));
	free(again);
	free(text);
	result_release(&b);
	result_release(&r);
}

static void test_hostile_texts(void **state)
{
	struct result r, b;
	char *text;

	(void)state;
	sample_result(&r);
	r.jobs[0].description = "\x1b[31mred\x1b[0m \xff bad \x08";
	memset(r.runs.v[4].out.text, 0x1b, sizeof(r.runs.v[4].out.text) - 1);
	text = sample_text(&r, false);
	b = parsed(text); /* what is written can always be read */
	assert_null(strchr(b.jobs[0].description, 0x1b));
	assert_non_null(strstr(b.jobs[0].description, "\\x1"));
	assert_true(strlen(b.runs.v[4].out.text) < sizeof(b.runs.v[4].out.text));
	free(text);
	result_release(&b);
	result_release(&r);
}

/* A cut in a fixed field falls between characters. */
static void test_long_text(void **state)
{
	struct result r, b;
	char *text;
	size_t bad;

	(void)state;
	sample_result(&r);
	memset(r.runs.v[4].out.text, 0x01, 170); /* 680 bytes once visible */
	memcpy(r.runs.v[4].out.text + 100, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 9);
	r.runs.v[4].out.text[170] = '\0';
	text = sample_text(&r, false);
	b = parsed(text);
	assert_true(utf8_valid(b.runs.v[4].out.text, strlen(b.runs.v[4].out.text), &bad));
	free(text);
	result_release(&b);
	result_release(&r);
}

static void test_slots(void **state)
{
	struct result r, b;
	struct outcome *o;
	char *text;

	(void)state;
	sample_result(&r);
	o = &r.runs.v[0].out;
	memset(o->slots, 0, o->nslots * sizeof(*o->slots));
	o->dir[DIR_READ].ios = o->dir[DIR_READ].bytes = 0;
	o = &r.runs.v[1].out;
	o->dir[DIR_WRITE].ios = UINT32_MAX;
	o->dir[DIR_WRITE].bytes = UINT64_MAX;
	o->slots[3].ios[DIR_WRITE] = UINT32_MAX;
	o->slots[3].bytes[DIR_WRITE] = UINT64_MAX;
	o->slots[3].slat[DIR_WRITE] = UINT64_MAX;
	o->slots[4].sync = UINT64_MAX;
	r.runs.v[2].out.has_slat = false;
	memcpy(r.runs.v[2].out.slots[5].clat, r.runs.v[2].out.slots[5].lat,
	       sizeof(r.runs.v[2].out.slots[5].lat));
	text = sample_text(&r, false);
	b = parsed(text);
	/* thirteen idle slots are evidence, too */
	assert_int_equal(b.runs.v[0].out.nslots, 13);
	assert_int_equal(b.runs.v[0].out.slots[12].ios[DIR_READ], 0);
	assert_true(b.runs.v[1].out.slots[3].ios[DIR_WRITE] == UINT32_MAX);
	assert_true(b.runs.v[1].out.slots[3].bytes[DIR_WRITE] == UINT64_MAX);
	assert_int_equal(b.runs.v[1].out.slots[2].ios[DIR_READ], 88);
	assert_memory_equal(b.runs.v[1].out.slots, r.runs.v[1].out.slots,
			    13 * sizeof(struct outcome_slot));
	/* a synchronous engine has one latency: that is its clat, and no slat */
	assert_true(b.runs.v[2].out.slots[5].lat[DIR_READ] > 71000);
	assert_int_equal(b.runs.v[2].out.slots[5].clat[DIR_READ],
			 b.runs.v[2].out.slots[5].lat[DIR_READ]);
	assert_int_equal(b.runs.v[2].out.slots[5].slat[DIR_READ], 0);
	/* without syncs there is no series of them */
	assert_int_equal(b.runs.v[2].out.slots[4].sync, 0);
	free(text);
	result_release(&b);
	result_release(&r);
}

static void test_load(void **state)
{
	char path[] = "/tmp/blkgate-result-XXXXXX";
	struct err e = ERR_INIT;
	struct result r, b;
	char *text;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	sample_result(&r);
	text = sample_text(&r, false);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	close(fd);
	assert_int_equal(result_load(path, &b, &e), 0);
	assert_int_equal(b.runs.n, 5);
	result_release(&b);
	assert_int_equal(truncate(path, (off_t)strlen(text) - 10), 0);
	assert_int_equal(result_load(path, &b, &e), ERR_DATA);
	assert_non_null(strstr(e.text, path));
	result_release(&b); /* empty after a failure */
	unlink(path);
	assert_true(result_load(path, &b, &e) < 0);
	result_release(&b);
	free(text);
	result_release(&r);
}

/* 500 workloads x 5 runs: written and read whole; how long it takes decides nothing here. */
static void test_many(void **state)
{
	struct result r, b;
	char *text;

	(void)state;
	sample_result(&r);
	for (unsigned i = 0; i < 2500; i++) {
		struct run *run = VEC_PUSH(&r.runs);

		run->run = 100 + i;
		sample_outcome(&run->out, i);
	}
	r.values_writer = measure_write_values;
	text = sample_text(&r, false);
	b = parsed(text);
	assert_int_equal(b.runs.n, 2505);
	free(text);
	result_release(&b);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passthrough),   cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_fields),        cmocka_unit_test(test_values_survive),
		cmocka_unit_test(test_verdicts),      cmocka_unit_test(test_head_flags),
		cmocka_unit_test(test_empty),         cmocka_unit_test(test_unresolved_job),
		cmocka_unit_test(test_hostile_texts), cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_slots),         cmocka_unit_test(test_load),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
