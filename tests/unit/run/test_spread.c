/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block sizes that vary and offsets that are not uniform. */
#include "helper.h"
#include "run/pattern.h"

static struct job job_of(enum job_rw rw, uint64_t blocks)
{
	struct job j = sim_job("");

	j.rw = rw;
	j.size = blocks * j.bs;
	j.offset = 1 << 20;
	return j;
}

static void inside(const struct pattern *p, const struct job *j, uint64_t offset)
{
	assert_true(offset >= j->offset && p->len <= j->size);
	assert_true(offset - j->offset <= j->size - p->len);
	assert_int_equal((offset - j->offset) % j->bs, 0);
	assert_int_equal(p->len, p->units * j->bs);
}

static void split_shares(void **state)
{
	enum { N = 20000 };
	struct job j = job_of(RW_RANDREAD, 1000);
	unsigned small = 0, mid = 0;
	enum io_dir dir;
	struct pattern p;
	uint64_t offset, pass;

	(void)state;
	j.bssplit = "4096/60:8192/10:65536/30";
	pattern_init(&p, &j, 0, 5);
	for (int i = 0; i < N; i++) {
		pattern_next(&p, &dir, &offset, &pass);
		inside(&p, &j, offset);
		small += p.len == 4096;
		mid += p.len == 8192;
		assert_true(p.len == 4096 || p.len == 8192 || p.len == 65536);
	}
	assert_in_range(small, N * 58 / 100, N * 62 / 100);
	assert_in_range(mid, N * 9 / 100, N * 11 / 100);
}

static void range_is_even(void **state)
{
	struct job j = job_of(RW_RANDWRITE, 64);
	unsigned hits[17] = {0};
	enum io_dir dir;
	struct pattern p;
	uint64_t offset, pass;

	(void)state;
	j.bsrange = "4096-65536";
	pattern_init(&p, &j, 0, 6);
	for (int i = 0; i < 16000; i++) {
		pattern_next(&p, &dir, &offset, &pass);
		inside(&p, &j, offset);
		hits[p.units]++;
	}
	for (int i = 1; i <= 16; i++)
		assert_in_range(hits[i], 850, 1150); /* sd 31 */
}

/* Every byte of the region once a pass, whatever the sizes: the last I/O is cut. */
static void sequential_passes(void **state)
{
	struct job j = job_of(RW_WRITE, 101);
	uint64_t offset, pass, expect = 0;
	enum io_dir dir;
	struct pattern p;

	(void)state;
	j.bsrange = "4096-65536";
	pattern_init(&p, &j, 0, 8);
	for (int i = 0; i < 500; i++) {
		pattern_next(&p, &dir, &offset, &pass);
		inside(&p, &j, offset);
		assert_int_equal(offset - j.offset + pass * j.size, expect);
		expect += p.len;
	}
	assert_true(expect > 10 * j.size);
}

static void mixed_run_ends_at_size(void **state)
{
	static const enum job_rw modes[] = {RW_WRITE, RW_RANDREAD};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct job j = sized(deep(sim_job("lat=10us"), 8), modes[i], 101 * 4096, 3);
		struct outcome o = {0};

		j.bssplit = "4096/50:65536/50";
		run_ok(&j, INJECT_NONE, &o);
		assert_int_equal(o.dir[DIR_READ].bytes + o.dir[DIR_WRITE].bytes, 3 * 101 * 4096);
		outcome_release(&o);
	}
}

static void bad_sizes_are_refused(void **state)
{
	struct job j = sim_job("lat=10us");
	struct outcome o = {0};

	(void)state;
	j.bssplit = "4096/50:6000/50";
	run_not(&j, OUTCOME_SETUP, "block sizes", NULL, &o);
	outcome_release(&o);
	j.bssplit = "8192/50:16384/50"; /* bs is not the smallest */
	run_not(&j, OUTCOME_SETUP, "block sizes", NULL, &o);
	outcome_release(&o);
	j.bssplit = "";
	j.bsrange = "4096-8192";
	j.size = 4096;
	run_not(&j, OUTCOME_SETUP, "no block of 8192", NULL, &o);
	outcome_release(&o);
	j = sim_job("lat=10us");
	j.rw = RW_RANDREAD;
	j.random_distribution = "zipf:1";
	run_not(&j, OUTCOME_SETUP, "random_distribution", NULL, &o);
	outcome_release(&o);
}

enum { BLOCKS = 10000, DRAWS = 200000 };

static int by_hits(const void *a, const void *b)
{
	return (int)*(const unsigned *)b - (int)*(const unsigned *)a;
}

static void draw(const char *dist, uint64_t seed, unsigned *hits)
{
	struct job j = job_of(RW_RANDREAD, BLOCKS);
	enum io_dir dir;
	struct pattern p;
	uint64_t offset, pass;

	memset(hits, 0, BLOCKS * sizeof(*hits));
	j.random_distribution = dist;
	pattern_init(&p, &j, 0, seed);
	for (int i = 0; i < DRAWS; i++) {
		pattern_next(&p, &dir, &offset, &pass);
		inside(&p, &j, offset);
		hits[(offset - j.offset) / j.bs]++;
		assert_int_equal(pass, i / BLOCKS);
	}
}

static double top(unsigned *hits, unsigned n)
{
	double sum = 0;

	qsort(hits, BLOCKS, sizeof(*hits), by_hits);
	for (unsigned i = 0; i < n; i++)
		sum += hits[i];
	return sum / DRAWS;
}

/* Of the law itself, summed to the end. */
static double zipf_share(double theta, unsigned n)
{
	double part = 0, all = 0;

	for (int i = 1; i <= BLOCKS; i++) {
		all += pow(i, -theta);
		part += i <= (int)n ? pow(i, -theta) : 0;
	}
	return part / all;
}

static void zipf_shares(void **state)
{
	static const struct {
		const char *text;
		double theta;
	} rows[] = {{"zipf:1.2", 1.2}, {"zipf:0.8", 0.8}, {"zipf:1.5", 1.5}, {"zipf:0.99", 0.99}};
	static unsigned hits[BLOCKS];
	static const unsigned tops[] = {1, 2, 100, 1000};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		draw(rows[i].text, 31, hits);
		for (int t = 0; t < 4; t++) {
			double got = top(hits, tops[t]), want = zipf_share(rows[i].theta, tops[t]);

			if (fabs(got - want) > (tops[t] <= 2 ? 0.005 : 0.03))
				fail_msg("%s: top %u get %.3f, the law says %.3f", rows[i].text,
					 tops[t], got, want);
		}
	}
}

/* The hot blocks do not lie side by side, and are the same for every thread. */
static void hot_blocks_are_spread_and_shared(void **state)
{
	static unsigned hits[2][BLOCKS];
	struct job j = job_of(RW_RANDREAD, BLOCKS);
	uint64_t offset, pass;
	enum io_dir dir;
	struct pattern p;
	unsigned hot[2] = {0}, first_tenth = 0;

	(void)state;
	j.random_distribution = "zipf:1.2";
	for (unsigned t = 0; t < 2; t++) {
		pattern_init(&p, &j, t, 77);
		for (int i = 0; i < DRAWS; i++) {
			pattern_next(&p, &dir, &offset, &pass);
			hits[t][(offset - j.offset) / j.bs]++;
		}
		for (unsigned b = 0; b < BLOCKS; b++)
			hot[t] = hits[t][b] > hits[t][hot[t]] ? b : hot[t];
	}
	assert_int_equal(hot[0], hot[1]);
	for (unsigned b = 0; b < BLOCKS; b++)
		first_tenth += b < BLOCKS / 10 && hits[0][b] > 100;
	assert_in_range(first_tenth, 1, 40); /* of about 230 */
}

static void pareto_shares(void **state)
{
	static unsigned hits[BLOCKS];

	(void)state;
	draw("pareto:0.2", 32, hits);
	assert_true(fabs(top(hits, BLOCKS / 5) - 0.8) < 0.02);
}

static double between(const unsigned *hits, unsigned from, unsigned to)
{
	double sum = 0;

	for (; from < to; from++)
		sum += hits[from];
	return sum / DRAWS;
}

static void normal_and_zoned_places(void **state)
{
	static unsigned hits[BLOCKS];

	(void)state;
	draw("normal:10", 33, hits);
	assert_true(fabs(between(hits, 4000, 6000) - 0.6827) < 0.01); /* one deviation */
	assert_true(fabs(between(hits, 0, 5000) - 0.5) < 0.01);
	draw("zoned:60/10:30/20:0/50:10/20", 34, hits);
	assert_true(fabs(between(hits, 0, 1000) - 0.6) < 0.01);
	assert_true(fabs(between(hits, 1000, 3000) - 0.3) < 0.01);
	assert_true(between(hits, 3000, 8000) < 1e-9);
	assert_true(fabs(between(hits, 8000, BLOCKS) - 0.1) < 0.01);
}

/* Small and huge regions: nothing leaves them, nothing divides by zero. */
static void any_region(void **state)
{
	static const char *const dists[] = {"zipf:0.5",    "zipf:3",     "zipf:10",
					    "pareto:0.01", "normal:100", "zoned:50/1:50/99"};
	static const uint64_t sizes[] = {1, 2, 3, 7, 1ULL << 40};

	(void)state;
	for (int d = 0; d < 6; d++) {
		for (int s = 0; s < 5; s++) {
			struct job j = job_of(RW_RANDREAD, sizes[s]);
			uint64_t offset, pass;
			enum io_dir dir;
			struct pattern p;

			j.random_distribution = dists[d];
			j.bsrange = sizes[s] > 2 ? "4096-12288" : "";
			pattern_init(&p, &j, 0, 35);
			for (int i = 0; i < 1000; i++) {
				pattern_next(&p, &dir, &offset, &pass);
				inside(&p, &j, offset);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_shares),
		cmocka_unit_test(range_is_even),
		cmocka_unit_test(sequential_passes),
		cmocka_unit_test(mixed_run_ends_at_size),
		cmocka_unit_test(bad_sizes_are_refused),
		cmocka_unit_test(zipf_shares),
		cmocka_unit_test(hot_blocks_are_spread_and_shared),
		cmocka_unit_test(pareto_shares),
		cmocka_unit_test(normal_and_zoned_places),
		cmocka_unit_test(any_region),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
