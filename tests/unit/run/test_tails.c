/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the slices of a run say about its tail and its course, on the virtual clock. */
#include "helper.h"
#include "measure/metric.h"

static struct value value_of(const char *name, const struct job *j, const struct outcome *o)
{
	struct value v;

	metric_value(metric_find(name), j, o, &v);
	return v;
}

/* The longest of each slot, and what was issued before the window is none of it. */
static void longest_of_each_slot(void **state)
{
	struct job j = sim_job("lat=1ms, every=100:lat=5ms");
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.nslots, 10);
	for (unsigned s = 0; s < 10; s++) {
		/* the 100th ends at 104 ms, each further one 104 ms later: in every slot but the
		 * first */
		uint64_t want = s == 0 ? NS_PER_MS : 5 * NS_PER_MS;

		assert_int_equal(o.slots[s].lat[DIR_READ], want);
		assert_int_equal(o.slots[s].clat[DIR_READ], want);
		assert_int_equal(o.slots[s].slat[DIR_READ], 0);
		assert_int_equal(o.slots[s].lat[DIR_WRITE] + o.slots[s].sync, 0);
	}
	outcome_release(&o);
	/* 700 ms in ramp, 300 ms in the window: it was issued in the ramp and is in no histogram */
	j = sim_job("lat=1ms, every=1:lat=1s");
	j.ramp_time = 700 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.slots[2].ios[DIR_READ], 1);
	assert_int_equal(o.slots[2].lat[DIR_READ], 0);
	outcome_release(&o);
}

static void longest_sync(void **state)
{
	struct job j = sim_job("lat=1ms, sync=9ms");
	struct outcome o;

	(void)state;
	j.rw = RW_WRITE;
	j.fdatasync = 1;
	run_ok(&j, INJECT_NONE, &o);
	for (unsigned s = 0; s < 10; s++)
		assert_int_equal(o.slots[s].sync, 9 * NS_PER_MS);
	/* 100 syncs, all alike, in every slice: but none above the percentile */
	assert_int_equal(value_of("sync.lat.p99", &j, &o).state, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

/* The same share of slow I/Os, one by one and in bursts: 2 % of them, 40 s, some 14 000 I/Os above
 * p99. */
static void bursts_are_few_events(void **state)
{
	struct job j = sim_job("lat=100us, every=50:lat=200us");
	struct outcome o;
	uint64_t seen, need;

	(void)state;
	j.runtime = 40 * NS_PER_SEC;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("read.clat.p99", &j, &o).state, VALUE_OK);
	assert_true(metric_slices(metric_find("read.clat.p99"), &o, &seen, &need));
	assert_int_equal(seen, 400);
	assert_int_equal(need, 30);
	assert_false(metric_slices(metric_find("read.clat.mean"), &o, &seen, &need));
	outcome_release(&o);
	j.sim = "lat=100us, every=100000/2000:lat=200us";
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("read.clat.p99", &j, &o).state, VALUE_INSUFFICIENT);
	assert_int_equal(value_of("read.lat.p99", &j, &o).state, VALUE_INSUFFICIENT);
	/* what is not of the bursts is there */
	assert_int_equal(value_of("read.clat.p95", &j, &o).state, VALUE_OK);
	assert_true(metric_slices(metric_find("read.clat.p99"), &o, &seen, &need));
	assert_int_equal(seen, 12); /* three bursts of 400 ms */
	outcome_release(&o);
	/* a tenth of the slices of a short run is enough: 4 of 40 */
	j.runtime = 4 * NS_PER_SEC;
	j.sim = "lat=100us, every=9000/1000:lat=300us";
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("read.clat.p99", &j, &o).state, VALUE_OK);
	outcome_release(&o);
}

static void nobody_recorded_slices(void **state)
{
	struct job j = sim_job("lat=10us");
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("read.clat.p99", &j, &o).state, VALUE_OK);
	o.nslots = 0;
	assert_int_equal(value_of("read.clat.p99", &j, &o).state, VALUE_ABSENT);
	assert_int_equal(value_of("bw.dips", &j, &o).state, VALUE_ABSENT);
	assert_int_equal(value_of("bw.drift", &j, &o).state, VALUE_ABSENT);
	outcome_release(&o);
}

/* A burst of 150 I/Os of 4 ms after each 9850 of 100 us: 600 ms at 25 I/Os a slice of 1000. */
static void dips(void **state)
{
	struct job j = sim_job("lat=100us, every=10000/150:lat=4ms");
	struct outcome o;
	struct value v;

	(void)state;
	j.runtime = 4 * NS_PER_SEC;
	run_ok(&j, INJECT_NONE, &o);
	/* from 999.9 ms: slices 10 to 15; from 2584.9 ms: 26 to 30, and most of 31 */
	v = value_of("bw.dips", &j, &o);
	assert_int_equal(v.state, VALUE_OK);
	assert_true(v.v == 12);
	/* and no trend: the line through them is level */
	v = value_of("bw.drift", &j, &o);
	assert_int_equal(v.state, VALUE_OK);
	assert_true(fabs(v.v) < 0.01);
	outcome_release(&o);
	j.sim = "lat=100us";
	run_ok(&j, INJECT_NONE, &o);
	assert_true(value_of("bw.dips", &j, &o).v == 0);
	assert_true(value_of("bw.drift", &j, &o).v == 0);
	outcome_release(&o);
	/* below a second there is no course; three I/Os a slice cannot be halved */
	j.runtime = 900 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("bw.dips", &j, &o).state, VALUE_INSUFFICIENT);
	assert_int_equal(value_of("bw.drift", &j, &o).state, VALUE_INSUFFICIENT);
	outcome_release(&o);
	j.sim = "lat=30ms";
	j.runtime = 4 * NS_PER_SEC;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(value_of("bw.dips", &j, &o).state, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(longest_of_each_slot),
		cmocka_unit_test(longest_sync),
		cmocka_unit_test(bursts_are_few_events),
		cmocka_unit_test(nobody_recorded_slices),
		cmocka_unit_test(dips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
