/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error rates of the shipped rules, and the bounds of PROCEDURE 4 that they must keep in every
 * noise. A bound b holds when the observed rate is within b and 3 standard errors. Seeds are fixed:
 * two runs print the same table.
 * prove [--trials N] [--short]: 1 when a bound is broken, or when a rule that must be seen to fail
 * did not; 2 for arguments that it does not know.
 */
#include "proof.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_BOUND NAN /* shown, and not counted as a bound */

/* At most red, passed at the tolerance; at least found at 10 %, passed unchanged; mean cost. */
struct limits {
	double red0, pass_tol, found, pass0, cost;
};

struct bounds {
	const char *name;
	struct cell cell;     /* effect and noise are filled in */
	struct limits in;     /* in every noise */
	double pass0, cost;   /* tighter ones for normal noise; 0 = the same */
	bool sessions_differ; /* the noises of the session effect, not those of runs */
};

static const struct bounds table[] = {
	{"interleaved, run sd 2 %",
	 {.sr = .02, .pairs = 20},
	 {.0005, .05, .995, .995, 7.5},
	 .cost = 5.2},
	{"interleaved, run sd 3 %", {.sr = .03, .pairs = 20}, {.001, .05, .993, .97, 9.5}},
	{"stored 10 x 5, run sd 2 %, session sd 0",
	 {.sr = .02, .ss = 0, .sessions = 10, .max = 5},
	 {.0005, .05, .993, .93, 2.5},
	 .pass0 = .98},
	{"stored 10 x 5, run sd 2 %, session sd 0.75 %",
	 {.sr = .02, .ss = .0075, .sessions = 10, .max = 5},
	 {.0005, .05, .993, .93, 2.5},
	 .pass0 = .98},
	{"stored 10 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 10, .max = 5},
	 {.0005, .05, .993, .93, 2.5},
	 .pass0 = .98},
	{"stored 10 x 5, run sd 3 %, session sd 1.5 %",
	 {.sr = .03, .ss = .015, .sessions = 10, .max = 5},
	 {.001, .05, .96, .84, 2.9}},
	{"stored 10 x 5, run sd 2 %, session sd 3 %",
	 {.sr = .02, .ss = .03, .sessions = 10, .max = 5},
	 {.001, .05, NO_BOUND, NO_BOUND, NO_BOUND}},
	{"stored 10 x 5, run sd 3 %, session sd 0",
	 {.sr = .03, .ss = 0, .sessions = 10, .max = 5},
	 {.001, .05, .96, .84, 2.9}},
	{"stored 10 x 5, run sd 3 %, session sd 0.75 %",
	 {.sr = .03, .ss = .0075, .sessions = 10, .max = 5},
	 {.001, .05, .96, .84, 2.9}},
	{"stored 10 x 5, run sd 3 %, session sd 3 %",
	 {.sr = .03, .ss = .03, .sessions = 10, .max = 5},
	 {.001, .05, NO_BOUND, NO_BOUND, NO_BOUND}},
	{"stored 10 x 5, run sd 2 %, session sd 1.5 % not normal",
	 {.sr = .02, .ss = .015, .sessions = 10, .max = 5},
	 {.001, .05, .95, .82, 3.0},
	 .sessions_differ = true},
	{"stored 20 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 20, .max = 5},
	 {.0005, .05, .995, .975, 2.1}},
	{"stored 5 x 5, run sd 2 %, session sd 1.5 %",
	 {.sr = .02, .ss = .015, .sessions = 5, .max = 5},
	 {.0005, .05, .82, .78, 3.1}},
};

static void prove_row(struct proof *p, const struct bounds *b, enum noise n, uint64_t seed)
{
	struct rates r0 = prove_one(p, b->cell, n, 0, seed),
		     r2 = prove_one(p, b->cell, n, .025, seed + 1),
		     r5 = prove_one(p, b->cell, n, .05, seed + 2),
		     r10 = prove_one(p, b->cell, n, .10, seed + 3);
	bool normal = n == NOISE_NORMAL;
	char what[160];

	printf("| %s | %s | %.3f / %.3f / %.2f / %.2f | %.2f / %.1f / %.2f / %.3f | %.2f |\n",
	       b->name, noise_names[n], 100 * r0.red, 100 * r2.red, 100 * r5.red, 100 * r10.red,
	       100 * r0.pass, 100 * r2.pass, 100 * r5.pass, 100 * r10.pass, r0.cost);
	snprintf(what, sizeof(what), "%s, %s: red on unchanged code", b->name, noise_names[n]);
	check_rate(p, true, r0.red, b->in.red0, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: pass at the tolerance", b->name, noise_names[n]);
	check_rate(p, true, r5.pass, b->in.pass_tol, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: found at 10 %%", b->name, noise_names[n]);
	check_rate(p, false, r10.red, b->in.found, p->trials, what);
	snprintf(what, sizeof(what), "%s, %s: pass on unchanged code", b->name, noise_names[n]);
	check_rate(p, false, r0.pass, normal && b->pass0 > 0 ? b->pass0 : b->in.pass0, p->trials,
		   what);
	snprintf(what, sizeof(what), "%s, %s: mean cost on unchanged code", b->name,
		 noise_names[n]);
	check_cost(p, r0.cost, normal && b->cost > 0 ? b->cost : b->in.cost, what);
}

static void prove_table(struct proof *p)
{
	printf("\n%u trials a figure, tolerance 5 %%, effects 0 / 2.5 / 5 / 10 %%\n\n"
	       "| rule | noise | red, %% | pass, %% | mean pairs or sessions at 0 |\n"
	       "|---|---|---|---|---|\n",
	       p->trials);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		bool differ = table[i].sessions_differ;
		unsigned last = differ ? NOISE_SESSION_BIMODAL : NOISE_T3;

		for (unsigned n = differ ? NOISE_SESSION_T3 : NOISE_NORMAL; n <= last; n++)
			prove_row(p, &table[i], (enum noise)n, 1000 * i + 10 * n);
	}
}

/* Whatever the noise, false red stays below 0.1 %. */
static void prove_any_noise(struct proof *p)
{
	static const double sds[] = {.10, .20};

	printf("\nany noise: red on unchanged code, %%\n\n");
	for (size_t i = 0; i < 2; i++) {
		struct cell pairs = {.sr = sds[i], .pairs = 20};
		struct cell stored = {.sr = sds[i], .sessions = 10, .max = 5};
		struct rates a = prove_one(p, pairs, NOISE_NORMAL, 0, 77 + i);
		struct rates b = prove_one(p, stored, NOISE_NORMAL, 0, 87 + i);

		printf("run sd %2.0f %%: interleaved %.3f, stored %.3f\n", 100 * sds[i],
		       100 * a.red, 100 * b.red);
		check_rate(p, true, a.red, .001, p->trials, "interleaved, any noise");
		check_rate(p, true, b.red, .001, p->trials, "stored, any noise");
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
	a = prove_one(p, stored, NOISE_NORMAL, 0, 91);
	b = prove_one(p, pairs, NOISE_NORMAL, 0, 92);
	printf("\nsuite of 20 gates, session correlation 0.5, session sd 1.5 %%, run sd 2 %%: any "
	       "red / "
	       "all pass on unchanged code, %%\n\n"
	       "stored 10 x 5: %.3f / %.1f (%.1f sessions); interleaved: %.3f / %.2f (%.1f "
	       "pairs)\n",
	       100 * a.red, 100 * a.pass, a.cost, 100 * b.red, 100 * b.pass, b.cost);
	check_rate(p, true, a.red, .001, p->trials, "suite, stored: any red");
	check_rate(p, false, a.pass, .80, p->trials, "suite, stored: all pass");
	check_rate(p, true, b.red, .001, p->trials, "suite, interleaved: any red");
	check_rate(p, false, b.pass, .99, p->trials, "suite, interleaved: all pass");
	p->trials = all;
}

static void prove_calibrate(struct proof *p)
{
	struct cell c = {
		.sr = .02, .ss = .03, .sessions = 10, .max = 5, .trials = p->trials, .seed = 95};
	double warns = calibrations_warn(&c, .05);

	printf("\ncalibrate warns at session sd 3 %%: %.1f %% of the calibrations\n", 100 * warns);
	check_rate(p, false, warns, .90, p->trials, "calibrate warns");
}

/* adjust_by (PROCEDURE 5.6), and what it costs where the declaration was wrong. */
static void prove_canary(struct proof *p)
{
	struct cell c = {.sr = .01, .ss = .03, .sessions = 10, .max = 5};
	struct rates raw0 = prove_one(p, c, NOISE_NORMAL, 0, 101), raw10, r0, r5, r10, hit;

	raw10 = prove_one(p, c, NOISE_NORMAL, .10, 102);
	c.canary = .8;
	r0 = prove_one(p, c, NOISE_NORMAL, 0, 103);
	r5 = prove_one(p, c, NOISE_NORMAL, .05, 104);
	r10 = prove_one(p, c, NOISE_NORMAL, .10, 105);
	c.hit = 1;
	hit = prove_one(p, c, NOISE_NORMAL, .10, 106);
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
	check_rate(p, true, r0.red, .001, p->trials, "adjust_by: red on unchanged code");
	check_rate(p, true, r5.pass, .05, p->trials, "adjust_by: pass at the tolerance");
	check_rate(p, false, r0.pass, .96, p->trials, "adjust_by: pass on unchanged code");
	check_rate(p, false, r10.red, .995, p->trials, "adjust_by: found at 10 %");
	check_rate(p, true, hit.red, .05, p->trials,
		   "adjust_by, canary hit: must be seen to hide it");
}

/* A proof that could not fail proves nothing: these must be seen to break the bound of 5 %. */
static void must_fail(struct proof *p, const char *what, struct cell c, enum noise n,
		      double at_least)
{
	struct rates r = prove_one(p, c, n, .05, 99);
	char name[120];

	printf("%s: pass at the tolerance %.1f %%\n", what, 100 * r.pass);
	snprintf(name, sizeof(name), "%s: must be seen to fail", what);
	check_true(p, r.pass > at_least, name);
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
	r = prove_one(p, c, NOISE_NORMAL, .05, 99);
	printf("the same with the step rule: pass at the tolerance %.1f %%\n", 100 * r.pass);
	check_rate(p, true, r.pass, .05, p->trials, "step rule");
	/* why the looks of --sessions 1 have the level of the suite's sessions */
	must_fail(p, "a first look at the level of one session, then four of five",
		  (struct cell){.sr = .02, .ss = .015, .sessions = 10, .max = 5, .steps = true},
		  NOISE_NORMAL, .053);
	r = prove_one(p, (struct cell){.sr = .02, .pairs = 20}, NOISE_PERIOD2, .05, 99);
	printf("ABBA under the device of period 2: pass at the tolerance %.1f %%\n", 100 * r.pass);
	check_rate(p, true, r.pass, .05, p->trials, "ABBA, period 2");
}

static int usage(void)
{
	fprintf(stderr, "usage: prove [--short | --trials N], N from 100 to 100000000\n");
	return 2;
}

static bool read_trials(const char *text, unsigned *trials)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < 100 || n > 100000000)
		return false;
	*trials = (unsigned)n;
	return true;
}

int main(int argc, char **argv)
{
	struct proof p = {.trials = 100000};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--short") == 0)
			p.trials = 3000;
		else if (strcmp(argv[i], "--trials") != 0 || i + 1 >= argc ||
			 !read_trials(argv[++i], &p.trials))
			return usage();
	}
	prove_table(&p);
	prove_any_noise(&p);
	prove_suite(&p);
	prove_calibrate(&p);
	prove_canary(&p);
	prove_boots(&p);
	prove_levels(&p);
	prove_failing_rules(&p);
	prove_tails(&p);
	prove_cliffs(&p);
	prove_field(&p);
	printf("\n%u bounds checked, %u broken\n", p.checked, p.broken);
	return p.broken != 0;
}
