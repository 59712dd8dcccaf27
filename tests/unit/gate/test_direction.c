/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate-direction-1: the direction belongs to the metric. Every metric of the table, better and
 * worse by a quarter: only the worse one is red. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/clock.h"
#include "lab.h"

/* Two hundred latencies from 80 us on, a million times each, so that p99.9999 has its samples. */
static void latencies(struct bins *b, double factor, unsigned salt)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < 200; i++)
		hist_add(h, (uint64_t)((80000 + i * 800 + salt * 40) * factor));
	bins_from_hist(b, h);
	for (size_t i = 0; i < b->nb; i++)
		b->b[i].count *= 1000000;
	b->n *= 1000000;
	b->sum *= 1000000;
	free(h);
}

/* A run in which all rates are divided and all times multiplied by the factor. */
static void whole_run(struct outcome *o, double factor, unsigned salt)
{
	double noise = 1 + 0.002 * salt;

	o->has_slat = true;
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		o->dir[d].ios = (uint64_t)(6400000 * noise / factor);
		o->dir[d].bytes = o->dir[d].ios * 4096;
		o->dir[d].issued = o->dir[d].ios;
		latencies(&o->dir[d].slat, factor, salt);
		latencies(&o->dir[d].clat, factor, salt);
		latencies(&o->dir[d].lat, factor, salt);
	}
	latencies(&o->sync_lat, factor, salt);
	o->device_read = o->device_written = (struct outcome_device){
		.state = DEVICE_KNOWN,
		.bytes = (uint64_t)((double)o->dir[DIR_READ].bytes * (1 - 0.4 * factor * noise)),
	};
	o->stall_longest = (uint64_t)(3000000 * noise * factor);
	o->cpu_usr = (uint64_t)(6000000000. * noise * factor);
	o->cpu_sys = (uint64_t)(9000000000. * noise * factor);
	lab_slices(o, NS_PER_SEC);
	/* 20 dips in 25 slices each, and a rise by a fifth: both grow with the factor */
	for (uint64_t i = 0; i < o->nslots; i++) {
		double level = 1 + 0.2 * factor * ((double)i / (double)o->nslots - 0.5);

		if (i % 25 == 0 && i < 25 * (uint64_t)llround(20 * factor))
			level /= 3;
		for (unsigned d = 0; d < DIR_COUNT; d++) {
			o->slots[i].ios[d] = (uint32_t)(10000 * level * noise / factor);
			o->slots[i].bytes[d] = o->slots[i].ios[d] * 4096ULL;
		}
	}
}

static void whole_result(struct result *r, unsigned day, const char *metric, bool writes,
			 double factor)
{
	struct check *c;
	struct job *j;

	lab_init(r, day);
	j = lab_job(r, "mix");
	j->rw = writes ? RW_RANDWRITE : RW_RANDREAD;
	j->fsync = writes ? 32 : 0;
	c = lab_gate(r, 0, metric, 0.05);
	c->absolute = str_eq(metric, "bw.dips") || str_eq(metric, "bw.drift");
	c->tolerance = str_eq(metric, "bw.dips") ? 2 : c->absolute ? 0.02 : 0.05;
	for (uint32_t s = 0; s < (day >= 40 ? 2 : 1); s++) {
		lab_session(r);
		for (uint32_t i = 0; i < 5; i++)
			whole_run(&lab_run(r, 0, s, i)->out, factor, (i + day) % 5);
	}
}

static void whole_baseline(struct baseline *b, bool writes)
{
	struct result r[6];
	const struct result *p[6];
	struct err e = ERR_INIT;

	for (unsigned i = 0; i < 6; i++) {
		whole_result(&r[i], i, "read.iops", writes, 1);
		p[i] = &r[i];
	}
	assert_int_equal(baseline_from_results(p, 6, b, &e), 0);
	for (unsigned i = 0; i < 6; i++)
		result_release(&r[i]);
}

/* Returns false when such a job does not have the metric. */
static bool both_ways(const struct metric *m, const struct baseline *b, bool writes)
{
	for (unsigned worse = 0; worse < 2; worse++) {
		struct result r;
		const struct verdict *v;

		whole_result(&r, 40, m->name, writes, worse ? 1.25 : 0.8);
		if (!metric_applies(m, &r.jobs[0], false)) {
			result_release(&r);
			return false;
		}
		lab_judge(&r, b);
		v = lab_verdict(&r, 0, 0);
		if (v->kind != (worse ? VERDICT_REGRESSION : VERDICT_IMPROVEMENT))
			fail_msg("%s %s: %s: %s", m->name, worse ? "worse" : "better",
				 verdict_name(v->kind), v->text);
		/* signed as the user sees the metric */
		if ((v->change > 0) != ((m->better == BETTER_HIGHER) != worse))
			fail_msg("%s: change %g", m->name, v->change);
		assert_true(v->low <= v->change && v->change <= v->high);
		result_release(&r);
	}
	return true;
}

static void test_every_metric(void **state)
{
	unsigned judged = 0, trims = 0;

	(void)state;
	for (unsigned writes = 0; writes < 2; writes++) {
		struct baseline b;

		whole_baseline(&b, writes);
		for (unsigned i = 0; i < metric_count; i++) {
			const struct metric *m = &metric_table[i];

			if (m->better == BETTER_NONE) {
				assert_string_equal(m->name, "depth.reached");
				continue;
			}
			trims += strncmp(m->name, "trim.", 5) == 0;
			judged += both_ways(m, &b, writes);
		}
		baseline_release(&b);
	}
	/* what belongs to one direction is judged once, what belongs to the job twice */
	assert_true(judged >= metric_count - trims / 2 - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_metric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
