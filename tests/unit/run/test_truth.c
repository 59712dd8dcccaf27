/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are the numbers true? Statistics are computed anew from the latency log, by sorting, and by a
 * definition of their own: the percentile q of n values is the one with rank ceil(q n), the
 * smallest being number 1. Integers throughout; nothing of base/hist is used.
 */
#include "helper.h"

#include "engines/engine.h"
#include "measure/metric.h"
#include "run/latlog.h"

#include <fcntl.h>
#include <unistd.h>

/* The error of the histogram. */
#define BOUND 0.004

struct raw {
	uint64_t *v;
	size_t n;
	uint64_t sum;
};

enum what { LAT, CLAT, SLAT };

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void raw_take(const struct latlog *l, uint32_t what, enum what which, struct raw *r)
{
	*r = (struct raw){.v = xmalloc((latlog_kept(l) + 1) * sizeof(uint64_t))};
	for (unsigned i = 0; i < l->nparts; i++) {
		for (uint64_t k = 0; k < l->part[i].n; k++) {
			const struct latlog_record *x = &l->part[i].v[k];
			uint64_t v = which == LAT    ? x->lat
				     : which == SLAT ? x->slat
						     : x->lat - x->slat;

			for (uint32_t t = 0; x->what == what && t < x->times; t++) {
				r->v[r->n++] = v;
				r->sum += v;
			}
		}
	}
	qsort(r->v, r->n, sizeof(*r->v), ascending);
}

/* q in millionths. */
static uint64_t raw_percentile(const struct raw *r, uint64_t q)
{
	return r->v[(q * r->n + 999999) / 1000000 - 1];
}

static double raw_deviation(const struct raw *r)
{
	double mean = (double)r->sum / (double)r->n, squares = 0;

	for (size_t i = 0; i < r->n; i++)
		squares += ((double)r->v[i] - mean) * ((double)r->v[i] - mean);
	return sqrt(squares / (double)(r->n - 1));
}

static void near(const char *who, double got, double exact, double bound)
{
	if (fabs(got - exact) > bound)
		fail_msg("%s: %.9g, exactly %.9g, wanted within %.3g", who, got, exact, bound);
}

static void same(const char *who, const struct raw *r, const struct bins *b)
{
	static const uint64_t qs[] = {1000,   10000,  250000, 500000, 890000,
				      900000, 950000, 990000, 999000, 999900};
	double squares = 0;

	assert_int_equal(b->n, r->n);
	if (!r->n)
		return;
	assert_int_equal(b->min, r->v[0]);
	assert_int_equal(b->max, r->v[r->n - 1]);
	assert_int_equal(b->sum, r->sum);
	near(who, bins_mean(b), (double)r->sum / (double)r->n, 0);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		double exact = (double)raw_percentile(r, qs[i]);

		near(who, bins_percentile(b, (double)qs[i] / 1e6), exact, BOUND * exact);
	}
	if (r->n < 2)
		return;
	/* A standard deviation is a norm: it cannot move by more than the values did. */
	for (size_t i = 0; i < r->n; i++)
		squares += (double)r->v[i] * (double)r->v[i];
	near(who, bins_stddev(b), raw_deviation(r),
	     BOUND * sqrt(squares / (double)(r->n - 1)) + 1e-6);
}

static void same_as_log(const char *who, const struct latlog *l, const struct outcome *o)
{
	struct raw r;

	assert_int_equal(latlog_lost(l), 0);
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		const struct outcome_dir *x = &o->dir[d];
		const struct bins *b[] = {&x->lat, &x->clat, &x->slat};

		for (int w = LAT; w <= (o->has_slat ? SLAT : CLAT); w++) {
			raw_take(l, d, (enum what)w, &r);
			same(who, &r, b[w]);
			assert_int_equal(r.n, x->issued);
			free(r.v);
		}
	}
	raw_take(l, LATLOG_SYNC, LAT, &r);
	same(who, &r, &o->sync_lat);
	free(r.v);
}

static struct latlog *logged(const struct job *j, int fd, struct outcome *o)
{
	struct run_request q = {.job = j, .target_name = "T", .seed = 1, .run_seed = 2};
	struct err e = ERR_INIT;

	if (fd >= 0) {
		q.fds = &fd;
		q.nfds = 1;
	}
	q.log = latlog_new(j, &e);
	assert_non_null(q.log);
	run_with(&q, NULL, o);
	if (o->status != OUTCOME_OK)
		fail_msg("%s: %s", j->ioengine, o->text);
	return q.log;
}

/* Threads, batches, short transfers, both directions, syncs, injected delays. */
static void log_and_histogram_agree_on_sim(void **state)
{
	static const char *const scripts[] = {
		"lat=100us",
		"lat=131072ns, every=10:lat=1048576ns",
		"lat=20us, jitter=90%, every=1000:lat=5ms, sync=300us",
		"lat=80us, jitter=30%, width=4, slow=3@400ms, short=1000@50",
		"lat=3ns, jitter=50%",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		for (uint32_t depth = 1; depth <= 32; depth *= 8) {
			struct job j =
				sized(deep(sim_job(scripts[i]), depth), RW_RANDRW, 4096 * 4096, 3);
			struct outcome o;

			j.numjobs = 1 + depth / 8;
			j.iodepth_batch_submit = j.iodepth_batch_complete_min = depth / 2 + 1;
			j.fdatasync = i == 2 ? 7 : 0;
			j.end_fsync = i == 3;
			struct latlog *l = logged(&j, -1, &o);

			same_as_log(scripts[i], l, &o);
			assert_true(o.sync_lat.n > 0 || (i != 2 && i != 3));
			latlog_free(l);
			outcome_release(&o);
		}
	}
}

static double p(const struct outcome *o, double q)
{
	return bins_percentile(&o->dir[DIR_READ].clat, q);
}

static void quantiles_are_those_of_the_distribution(void **state)
{
	static const double qs[] = {0.01, 0.1, 0.5, 0.89, 0.9, 0.95, 0.99, 0.999};
	struct outcome o;

	(void)state;
	struct job j = sim_job("lat=100us");

	run_ok(&j, INJECT_NONE, &o);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++)
		near("constant", p(&o, qs[i]), 100e3, 0);
	near("constant", bins_stddev(&o.dir[DIR_READ].clat), 0, 0);
	outcome_release(&o);

	/* Two values at the lower ends of their buckets, where any other place in them is off most.
	 */
	j = sized(sim_job("lat=131072ns, every=10:lat=1048576ns"), RW_READ, 10000 * 4096, 1);
	run_ok(&j, INJECT_NONE, &o);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		double want = qs[i] <= 0.9 ? 131072 : 1048576;

		near("two-point", p(&o, qs[i]), want, BOUND * want);
	}
	outcome_release(&o);

	/* Uniform over 50..150 us, 200 000 draws: five standard errors of a quantile beside the
	 * bound. */
	j = sized(sim_job("lat=100us, jitter=50%"), RW_READ, 200000ULL * 4096, 1);
	run_ok(&j, INJECT_NONE, &o);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		double want = 50e3 + 100e3 * qs[i];
		double error = 100e3 * sqrt(qs[i] * (1 - qs[i]) / 200000);

		near("uniform", p(&o, qs[i]), want, BOUND * want + 5 * error);
	}
	near("uniform", bins_stddev(&o.dir[DIR_READ].clat), 100e3 / sqrt(12), 0.01 * 28868);
	outcome_release(&o);
}

/* No script has these: put into a histogram by their inverse functions, so that nothing is drawn.
 */
static void quantiles_of_long_tails(void **state)
{
	enum { N = 1000000 };
	static const double qs[] = {0.01, 0.5, 0.9, 0.99, 0.999, 0.9999};
	struct hist *h = xcalloc(1, sizeof(*h));
	struct bins b;

	(void)state;
	bins_init(&b);
	for (int pareto = 0; pareto < 2; pareto++) {
		hist_reset(h);
		for (int i = 0; i < N; i++) {
			double u = (i + 0.5) / N;

			hist_add(h, (uint64_t)(pareto ? 20e3 / pow(1 - u, 1 / 1.5)
						      : -80e3 * log1p(-u) + 0.5));
		}
		bins_from_hist(&b, h);
		for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
			double want =
				pareto ? 20e3 / pow(1 - qs[i], 1 / 1.5) : -80e3 * log1p(-qs[i]);

			/* The grid itself ends a half step below the quantile: 0.5 of 100 at
			 * p99.99. */
			near(pareto ? "pareto" : "exponential", bins_percentile(&b, qs[i]), want,
			     (BOUND + 0.0035) * want);
		}
	}
	bins_release(&b);
	free(h);
}

static bool usable(const char *name)
{
	const struct engine *g = engine_find(name);
	struct err e = ERR_INIT;

#ifdef __SANITIZE_THREAD__
	if (strcmp(name, "posixaio") == 0) {
		print_message("skip: the threads of posixaio are glibc's, and unknown to TSan\n");
		return false;
	}
#endif
	if (g && engine_probe(g, &e) == 0)
		return true;
	print_message("skip: %s\n", g ? e.text : name);
	return false;
}

static int temporary(uint64_t size)
{
	const char *dir = getenv("TMPDIR");
	char path[256];

	snprintf(path, sizeof(path), "%s/blkgate-truth-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

/* What the clock of a real machine gave is not known; log and histogram have to agree on it. */
static void log_and_histogram_agree_on_every_engine(void **state)
{
	static const char *const names[] = {"psync",  "pvsync2",  "mmap", "posixaio",
					    "libaio", "io_uring", "null"};
	enum { SIZE = 1000 * 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool diskless = strcmp(names[i], "null") == 0;
		struct job j = sized(deep(sim_job(""), 16), RW_RANDRW, SIZE, 4);
		struct outcome o;

		if (!usable(names[i]))
			continue;
		j.ioengine = names[i];
		j.numjobs = 2;
		j.iodepth_batch_submit = j.iodepth_batch_complete_min = 8;
		j.fdatasync = diskless ? 0 : 50;
		j.end_fsync = !diskless;
		int fd = diskless ? -1 : temporary(SIZE);
		struct latlog *l = logged(&j, fd, &o);

		assert_int_equal(o.dir[DIR_READ].issued + o.dir[DIR_WRITE].issued, 2 * 4 * 1000);
		same_as_log(names[i], l, &o);
		assert_true(diskless || o.sync_lat.n >= 2);
		latlog_free(l);
		outcome_release(&o);
		if (fd >= 0)
			close(fd);
	}
}

/* A sync is one call a file, and a run that ends at size knows how many there will be. */
static void log_has_room_for_the_syncs_of_all_files(void **state)
{
	struct job j = sized(sim_job("lat=1us"), RW_WRITE, 30 * 4096, 1);
	struct outcome o;

	(void)state;
	j.nrfiles = 3;
	j.fsync = j.fdatasync = 1;
	j.end_fsync = true;
	struct latlog *l = logged(&j, -1, &o);

	assert_int_equal(o.sync_lat.n, (30 + 1) * 3);
	same_as_log("sim", l, &o);
	assert_int_equal(latlog_kept(l), 30 + (30 + 1) * 3);
	latlog_free(l);
	outcome_release(&o);
}

static void full_log_counts_what_it_lacks(void **state)
{
	struct job j = sized(sim_job("lat=1us"), RW_READ, 100 * 4096, 1);
	struct run_request q = {.job = &j, .target_name = "T"};
	struct outcome o;
	struct err e = ERR_INIT;
	struct raw r;

	(void)state;
	q.log = latlog_new(&j, &e);
	assert_non_null(q.log);
	assert_true(q.log->part[0].max >= 100);
	q.log->part[0].max = 70;
	run_with(&q, NULL, &o);
	assert_int_equal(o.dir[DIR_READ].lat.n, 100);
	assert_int_equal(latlog_kept(q.log), 70);
	assert_int_equal(latlog_lost(q.log), 30);
	raw_take(q.log, DIR_READ, LAT, &r);
	assert_int_equal(r.n, 70);
	free(r.v);
	latlog_free(q.log);
	outcome_release(&o);

	/* Without a known end: a share of the whole each. */
	j = sim_job("");
	j.numjobs = 1000;
	q.log = latlog_new(&j, &e);
	assert_non_null(q.log);
	assert_int_equal(q.log->nparts, 1000);
	assert_int_equal(q.log->part[999].max, LATLOG_MAX / 1000);
	latlog_free(q.log);
}

static void text_of_a_log(void **state)
{
	struct job j = sized(deep(sim_job("lat=1ms, sync=2ms"), 2), RW_WRITE, 2 * 4096, 1);
	struct outcome o;
	struct str s;

	(void)state;
	j.end_fsync = true;
	j.ramp_time = 500 * NS_PER_US;
	struct latlog *l = logged(&j, -1, &o);

	str_init(&s);
	latlog_text(l, true, &s);
	/* Those of the ramp are in the way of the first of the window, but not in the log. */
	assert_string_equal(s.s, "thread,end_ns,direction,slat_ns,clat_ns,lat_ns\n"
				 "0,1500000,write,0,1000000,1000000\n"
				 "0,1500000,write,0,1000000,1000000\n"
				 "0,3500000,sync,,,2000000\n");
	str_clear(&s);
	latlog_text(l, false, &s);
	assert_non_null(strstr(s.s, "\n0,1500000,write,,1000000,1000000\n"));
	str_release(&s);
	latlog_free(l);
	outcome_release(&o);
}

/*
 * Coordinated omission, by analysis. 1000 I/Os a second of 100 us for ten seconds, and number 5000
 * takes a second. Of the k-th that was due behind it the latency is 1 s - k ms + k x 100 us, since
 * they are done one after another, as fast as it goes: 910 ms for k = 100, the 99th percentile of
 * 10 000, and 991 ms for k = 10. A closed loop never issued them.
 */
static void stall_of_a_second(void **state)
{
	struct job j = sim_job("lat=100us, every=5000:lat=1s");
	struct outcome o;

	(void)state;
	j.runtime = 10 * NS_PER_SEC;
	j.rate = 4096e3;
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_READ].ios, 9990, 10001);
	near("open loop", p(&o, 0.99), 910e6, BOUND * 910e6 + 1e6);
	near("open loop", p(&o, 0.999), 991e6, BOUND * 991e6 + 1e6);
	near("open loop", p(&o, 0.5), 100e3, BOUND * 100e3);
	assert_non_null(strstr(o.notes, "latency from the intended start"));
	outcome_release(&o);

	j.rate = 0;
	for (int paced = 0; paced < 2; paced++) {
		j.rate_iops = paced ? 1000 : 0;
		if (!paced)
			j.sim = "lat=1ms, every=5000:lat=1s";
		run_ok(&j, INJECT_NONE, &o);
		double lat = paced ? 100e3 : 1e6;

		near("closed loop", p(&o, 0.99), lat, BOUND * lat);
		near("closed loop", p(&o, 0.999), lat, BOUND * lat);
		assert_int_equal(o.dir[DIR_READ].clat.max, NS_PER_SEC);
		assert_in_range(o.stall_longest, NS_PER_SEC, NS_PER_SEC + NS_PER_MS);
		assert_null(strstr(o.notes, "intended"));
		outcome_release(&o);
		j.sim = "lat=100us, every=5000:lat=1s";
	}
}

/* rate_iops: what is asked is what is done, on every depth; 1998 to 2002 is what FACTS demand. */
static void rate_is_exact(void **state)
{
	(void)state;
	for (uint32_t depth = 1; depth <= 64; depth *= 8) {
		struct job j = deep(sim_job("lat=200us, jitter=50%"), depth);
		struct outcome o;

		j.rate_iops = 2000;
		j.ramp_time = 123456789;
		run_ok(&j, INJECT_NONE, &o);
		assert_in_range(o.dir[DIR_READ].ios, 1999, 2001);
		outcome_release(&o);
	}
}

/* thermal-2: a drive that gets too warm after half the window. The mean hides it, the series does
 * not. */
static void step_inside_the_window_is_seen(void **state)
{
	struct job j = sim_job("lat=100us, slow=4@2s");
	struct outcome o;
	struct value v;

	(void)state;
	j.runtime = 4 * NS_PER_SEC;
	run_ok(&j, INJECT_NONE, &o);
	near("mean", iops(&o), 0.625 * 10000, 1);
	metric_value(metric_find("bw.lowest_second"), &j, &o, &v);
	assert_int_equal(v.state, VALUE_OK);
	near("slowest second", v.v, 2500 * 4096, 4096);
	assert_int_equal(o.nslots, 40);
	for (unsigned i = 0; i < o.nslots; i++)
		near("slot", o.slots[i].ios[DIR_READ], i < 20 ? 1000 : 250, 1);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_and_histogram_agree_on_sim),
		cmocka_unit_test(quantiles_are_those_of_the_distribution),
		cmocka_unit_test(quantiles_of_long_tails),
		cmocka_unit_test(log_and_histogram_agree_on_every_engine),
		cmocka_unit_test(log_has_room_for_the_syncs_of_all_files),
		cmocka_unit_test(full_log_counts_what_it_lacks),
		cmocka_unit_test(text_of_a_log),
		cmocka_unit_test(stall_of_a_second),
		cmocka_unit_test(rate_is_exact),
		cmocka_unit_test(step_inside_the_window_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
