/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error rates of the shipped rules, and the bounds of PROCEDURE 4 that they must keep in every
 * noise. A bound b holds when the observed rate is within b and 3 standard errors. Seeds are fixed:
 * two runs print the same table.
 * prove [--trials N] [--short]: nonzero when a bound is broken, or when a rule that must be seen to
 * fail did not.
 */
#include "tail.h"
#include "trial.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bounds {
	const char *name;
	struct cell cell; /* effect and noise are filled in */
	double red0, pass_tol, found, pass0, cost;
	double pass0_normal, cost_normal; /* tighter ones, for normal noise */
	enum noise first, last;
};

static const struct bounds table[] = {
	{"interleaved, run sd 2 %",
	 {.sr = .02, .pairs = 20},
	 .0005,
	 .05,
	 .995,
	 .995,
	 7.5,
	 .995,
	 5.2,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"interleaved, run sd 3 %",
	 {.sr = .03, .pairs = 20},
	 .001,
	 .05,
	 .993,
	 .97,
	 9.5,
	 .97,
	 9.5,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 2 %, session sd 0",
	 {.sr = .02, .ss = 0, .sessions = 10, .max = 5},
	 .0005,
	 .05,
	 .993,
	 .93,
	 2.5,
	 .98,
	 2.5,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 2 %, session sd 0.75 %",
	 {.sr = .02, .ss = .0075, .sessions = 10, .max = 5},
	 .0005,
	 .05,
	 .993,
	 .93,
	 2.5,
	 .98,
	 2.5,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 10, .max = 5},
	 .0005,
	 .05,
	 .993,
	 .93,
	 2.5,
	 .98,
	 2.5,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 3 %, session sd 1.5 %",
	 {.sr = .03, .ss = .015, .sessions = 10, .max = 5},
	 .001,
	 .05,
	 .96,
	 .84,
	 2.9,
	 .84,
	 2.9,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 2 %, session sd 3 %",
	 {.sr = .02, .ss = .03, .sessions = 10, .max = 5},
	 .001,
	 .05,
	 0,
	 0,
	 5,
	 0,
	 5,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 10 x 5, run sd 2 %, session sd 1.5 % not normal",
	 {.sr = .02, .ss = .015, .sessions = 10, .max = 5},
	 .001,
	 .05,
	 .95,
	 .82,
	 3.0,
	 .82,
	 3.0,
	 NOISE_SESSION_T3,
	 NOISE_SESSION_BIMODAL},
	{"stored 20 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 20, .max = 5},
	 .0005,
	 .05,
	 .995,
	 .975,
	 2.1,
	 .975,
	 2.1,
	 NOISE_NORMAL,
	 NOISE_T3},
	{"stored 5 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 5, .max = 5},
	 .0005,
	 .05,
	 .82,
	 .78,
	 3.1,
	 .78,
	 3.1,
	 NOISE_NORMAL,
	 NOISE_T3},
};

struct proof {
	unsigned trials; /* of a cell with a bound */
	unsigned checked, broken;
	bool quiet;
};

static void check(struct proof *p, bool at_most, double got, double bound, unsigned n,
		  const char *what)
{
	double slack = 3 * sqrt(bound * (1 - bound) / n);
	bool holds = at_most ? got <= bound + slack : got >= bound - slack;

	p->checked++;
	if (holds)
		return;
	p->broken++;
	printf("BROKEN %s: %.4f %%, bound %s %.4f %% in %u trials\n", what, 100 * got,
	       at_most ? "at most" : "at least", 100 * bound, n);
}

static void check_cost(struct proof *p, double got, double bound, const char *what)
{
	p->checked++;
	if (got <= bound * 1.005)
		return;
	p->broken++;
	printf("BROKEN %s: %.3f, bound %.3f\n", what, got, bound);
}

static struct rates one(struct proof *p, struct cell c, enum noise noise, double effect,
			uint64_t seed)
{
	struct rates r;

	c.noise = noise;
	c.effect = effect;
	c.seed = seed;
	c.trials = p->trials;
	simulate(&c, &r);
	return r;
}

static void prove_row(struct proof *p, const struct bounds *b, enum noise n, uint64_t seed)
{
	struct rates r0 = one(p, b->cell, n, 0, seed), r2 = one(p, b->cell, n, .025, seed + 1),
		     r5 = one(p, b->cell, n, .05, seed + 2),
		     r10 = one(p, b->cell, n, .10, seed + 3);
	bool normal = n == NOISE_NORMAL;
	char what[160];

	printf("| %s | %s | %.3f / %.3f / %.2f / %.2f | %.2f / %.1f / %.2f / %.3f | %.2f |\n",
	       b->name, noise_names[n], 100 * r0.red, 100 * r2.red, 100 * r5.red, 100 * r10.red,
	       100 * r0.pass, 100 * r2.pass, 100 * r5.pass, 100 * r10.pass, r0.cost);
	snprintf(what, sizeof(what), "%s, %s: red on unchanged code", b->name, noise_names[n]);
	check(p, true, r0.red, b->red0, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: pass at the tolerance", b->name, noise_names[n]);
	check(p, true, r5.pass, b->pass_tol, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: found at 10 %%", b->name, noise_names[n]);
	check(p, false, r10.red, b->found, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: pass on unchanged code", b->name, noise_names[n]);
	check(p, false, r0.pass, normal ? b->pass0_normal : b->pass0, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: mean cost on unchanged code", b->name,
		 noise_names[n]);
	check_cost(p, r0.cost, normal ? b->cost_normal : b->cost, what);
}

static void prove_table(struct proof *p)
{
	printf("\n%u trials a figure, tolerance 5 %%, effects 0 / 2.5 / 5 / 10 %%\n\n"
	       "| rule | noise | red, %% | pass, %% | mean pairs or sessions at 0 |\n"
	       "|---|---|---|---|---|\n",
	       p->trials);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		for (unsigned n = table[i].first; n <= (unsigned)table[i].last; n++)
			prove_row(p, &table[i], (enum noise)n, 1000 * i + 10 * n);
}

/* Whatever the noise, false red stays below 0.1 %. */
static void prove_any_noise(struct proof *p)
{
	static const double sds[] = {.10, .20};

	printf("\nany noise: red on unchanged code, %%\n\n");
	for (size_t i = 0; i < 2; i++) {
		struct cell pairs = {.sr = sds[i], .pairs = 20};
		struct cell stored = {.sr = sds[i], .sessions = 10, .max = 5};
		struct rates a = one(p, pairs, NOISE_NORMAL, 0, 77 + i);
		struct rates b = one(p, stored, NOISE_NORMAL, 0, 87 + i);

		printf("run sd %2.0f %%: interleaved %.3f, stored %.3f\n", 100 * sds[i],
		       100 * a.red, 100 * b.red);
		check(p, true, a.red, .001, p->trials, "interleaved, any noise");
		check(p, true, b.red, .001, p->trials, "stored, any noise");
	}
}

static void prove_suite(struct proof *p)
{
	struct cell stored = {
		.sr = .02, .ss = .015, .sessions = 10, .max = 5, .gates = 20, .correlation = .5};
	struct cell pairs = {.sr = .02, .pairs = 20, .gates = 20};
	unsigned all = p->trials;
	struct rates a, b;

	p->trials = all / 5 ? all / 5 : 1;
	a = one(p, stored, NOISE_NORMAL, 0, 91);
	b = one(p, pairs, NOISE_NORMAL, 0, 92);
	printf("\nsuite of 20 gates, session correlation 0.5, session sd 1.5 %%, run sd 2 %%: any "
	       "red / "
	       "all pass on unchanged code, %%\n\n"
	       "stored 10 x 5: %.3f / %.1f (%.1f sessions); interleaved: %.3f / %.2f (%.1f "
	       "pairs)\n",
	       100 * a.red, 100 * a.pass, a.cost, 100 * b.red, 100 * b.pass, b.cost);
	check(p, true, a.red, .001, p->trials, "suite, stored: any red");
	check(p, false, a.pass, .80, p->trials, "suite, stored: all pass");
	check(p, true, b.red, .001, p->trials, "suite, interleaved: any red");
	check(p, false, b.pass, .99, p->trials, "suite, interleaved: all pass");
	p->trials = all;
}

static void prove_calibrate(struct proof *p)
{
	struct cell c = {
		.sr = .02, .ss = .03, .sessions = 10, .max = 5, .trials = p->trials, .seed = 95};
	double warns = calibrations_warn(&c, .05);

	printf("\ncalibrate warns at session sd 3 %%: %.1f %% of the calibrations\n", 100 * warns);
	check(p, false, warns, .90, p->trials, "calibrate warns");
}

/* adjust_by (PROCEDURE 5.6), and what it costs where the declaration was wrong. */
static void prove_canary(struct proof *p)
{
	struct cell c = {.sr = .01, .ss = .03, .sessions = 10, .max = 5};
	struct rates raw0 = one(p, c, NOISE_NORMAL, 0, 101), raw10, r0, r5, r10, hit;

	raw10 = one(p, c, NOISE_NORMAL, .10, 102);
	c.canary = .8;
	r0 = one(p, c, NOISE_NORMAL, 0, 103);
	r5 = one(p, c, NOISE_NORMAL, .05, 104);
	r10 = one(p, c, NOISE_NORMAL, .10, 105);
	c.hit = 1;
	hit = one(p, c, NOISE_NORMAL, .10, 106);
	printf("\nadjust_by, canary correlated 0.8, session sd 3 %%, run sd 1 %%: red at 0 / pass "
	       "at "
	       "0 / pass at 5 %% / found at 10 %%, %%\n\n"
	       "adjusted: %.3f / %.1f / %.2f / %.1f (%.1f sessions); not adjusted: %.3f / %.1f / - "
	       "/ "
	       "%.1f (%.1f)\n"
	       "the change hits the canary as well (10 %%): found %.1f, passed %.1f: declared "
	       "untouched by mistake it hides the loss\n",
	       100 * r0.red, 100 * r0.pass, 100 * r5.pass, 100 * r10.red, r0.cost, 100 * raw0.red,
	       100 * raw0.pass, 100 * raw10.red, raw0.cost, 100 * hit.red, 100 * hit.pass);
	check(p, true, r0.red, .001, p->trials, "adjust_by: red on unchanged code");
	check(p, true, r5.pass, .05, p->trials, "adjust_by: pass at the tolerance");
	check(p, false, r0.pass, .96, p->trials, "adjust_by: pass on unchanged code");
	check(p, false, r10.red, .995, p->trials, "adjust_by: found at 10 %");
	check(p, true, hit.red, .05, p->trials, "adjust_by, canary hit: must be seen to hide it");
}

/* A sequence that began with a run planned for one session and went on with --with. */
static void prove_steps(struct proof *p)
{
	struct cell c = {.sr = .02, .ss = .015, .sessions = 10, .max = 5, .steps = true};
	struct rates r0 = one(p, c, NOISE_NORMAL, 0, 111), r5 = one(p, c, NOISE_NORMAL, .05, 112),
		     r10 = one(p, c, NOISE_NORMAL, .10, 113);

	printf("\nfirst look planned for one session, then five (--sessions 1, --with): red at 0 "
	       "%.3f "
	       "%%, pass at 5 %% %.2f %%, found at 10 %% %.2f %%\n",
	       100 * r0.red, 100 * r5.pass, 100 * r10.red);
	check(p, true, r0.red, .0005, p->trials, "steps: red on unchanged code");
	check(p, true, r5.pass, .07, p->trials, "steps: pass at the tolerance");
	check(p, false, r10.red, .99, p->trials, "steps: found at 10 %");
}

/* A proof that could not fail proves nothing: these must be seen to break the bound of 5 %. */
static void must_fail(struct proof *p, const char *what, struct cell c, enum noise n,
		      double at_least)
{
	struct rates r = one(p, c, n, .05, 99);

	printf("%s: pass at the tolerance %.1f %%\n", what, 100 * r.pass);
	p->checked++;
	if (r.pass > at_least)
		return;
	p->broken++;
	printf("BROKEN %s was not seen to fail\n", what);
}

static void prove_failing_rules(struct proof *p)
{
	struct cell c = {.sr = .002, .pairs = 20, .bucket = .008};
	struct rates r;

	printf("\nrules that must be seen to fail (bound 5 %%)\n\n");
	must_fail(p, "fixed AB order under a device of period 2",
		  (struct cell){.sr = .02, .pairs = 20, .fixed_order = true}, NOISE_PERIOD2, .5);
	must_fail(p, "one layout per arm, its sd 1 %",
		  (struct cell){.sr = .01, .pairs = 20, .layout = .01}, NOISE_NORMAL, .15);
	must_fail(p, "values in steps of 0.8 % without the step rule", c, NOISE_NORMAL, .15);
	c.q = c.bucket;
	r = one(p, c, NOISE_NORMAL, .05, 99);
	printf("the same with the step rule: pass at the tolerance %.1f %%\n", 100 * r.pass);
	check(p, true, r.pass, .05, p->trials, "step rule");
	r = one(p, (struct cell){.sr = .02, .pairs = 20}, NOISE_PERIOD2, .05, 99);
	printf("ABBA under the device of period 2: pass at the tolerance %.1f %%\n", 100 * r.pass);
	check(p, true, r.pass, .05, p->trials, "ABBA, period 2");
}

/* PROCEDURE 9: twice as many slow I/Os below 1 % are invisible to p99; the tail gate finds them. */
static void prove_tails(struct proof *p)
{
	static const double shares[] = {.001, .0015, .002};
	struct tail_rates r[3];

	printf("\ntwo modes, 80 us and 5 ms in bursts of 3, 100 000 I/Os a run, stored 10 x 5, "
	       "session "
	       "sd 1.5 %%: share of slow I/Os 0.1 %% before\n\n"
	       "| now | p99 red / pass, %% | clat.tail red / pass, %% |\n|---|---|---|\n");
	for (unsigned i = 0; i < 3; i++) {
		tail_simulate(.001, shares[i], p->trials, 500 + i, &r[i]);
		printf("| %.2f %% | %.3f / %.2f | %.3f / %.2f |\n", 100 * shares[i],
		       100 * r[i].p99_red, 100 * r[i].p99_pass, 100 * r[i].red, 100 * r[i].pass);
	}
	check(p, true, r[0].red, .001, p->trials, "tail: red on unchanged code");
	check(p, false, r[0].pass, .90, p->trials, "tail: pass on unchanged code");
	check(p, true, r[1].pass, .05, p->trials, "tail: pass at the tolerance");
	check(p, false, r[2].red, .97, p->trials, "tail: twice the slow I/Os found");
	check(p, false, r[2].p99_pass, .99, p->trials, "p99 must be seen to miss them");
}

static void show_naive(struct proof *p)
{
	static const double sds[] = {0, .015, .03};

	printf("\nrules of the field: red on unchanged code, %%, session sd 0 / 1.5 / 3 %%, run sd "
	       "2 "
	       "%%\n\n");
	for (unsigned k = 0; k < NAIVE_COUNT; k++) {
		printf("%s:", naive_names[k]);
		for (size_t i = 0; i < 3; i++) {
			struct cell c = {
				.sr = .02, .ss = sds[i], .trials = p->trials, .seed = 7 + k};

			printf("%s %.2f", i ? " /" : "", 100 * naive_red(&c, (enum naive)k));
		}
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	struct proof p = {.trials = 100000};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--short") == 0)
			p.trials = 3000;
		else if (strcmp(argv[i], "--trials") == 0 && i + 1 < argc)
			p.trials = (unsigned)strtoul(argv[++i], NULL, 10);
	}
	if (p.trials < 100) {
		fprintf(stderr, "prove: --trials must be at least 100\n");
		return 2;
	}
	prove_table(&p);
	prove_any_noise(&p);
	prove_suite(&p);
	prove_calibrate(&p);
	prove_canary(&p);
	prove_steps(&p);
	prove_failing_rules(&p);
	prove_tails(&p);
	show_naive(&p);
	printf("\n%u bounds checked, %u broken\n", p.checked, p.broken);
	return p.broken != 0;
}
