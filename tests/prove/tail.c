/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tails (PROCEDURE 9), with two modes: most I/Os about 80 us (log-normal 0.3), some about 5 ms in
 * bursts. The share of the slow ones, p99, and both as one gate, by the shipped rules: how a share
 * is told, when it has too few bursts, where the modes part, and what the figures come to.
 */
#include "proof.h"
#include "gate/dist.h"
#include "gate/estimate.h"
#include "gate/tail.h"
#include "gate/tails.h"
#include <math.h>
#include <stdio.h>

#define RUNS 5
#define SESSIONS 10
#define LOOKS 5
#define IOS 1e5
#define SLICES 300u /* 100 ms each: half a minute */
#define SESSION_SD .015
#define TAIL_SD .05 /* run to run, of the p99 */
#define MODE_SD .3
#define FAST 80e3 /* ns */
#define SLOW 5e6

struct cell_tail {
	double before, now; /* share of slow I/Os */
	double burst;       /* mean length, I/Os */
	unsigned trials;
	uint64_t seed;
};

struct rate {
	double red, pass;
};

struct tail_rates {
	struct rate share, p99, tail; /* tail: the first two as one gate */
};

/* One run: a Poisson number of bursts of geometric length, anywhere in the window. */
struct slow {
	uint64_t ios, slices;
};

static struct slow slow_run(double share, double burst, struct rng *rng)
{
	double left = exp(-IOS * share / burst), product = rng_double(rng);
	double by = burst > 1 ? 1 / log(1 - 1 / burst) : 0;
	bool hit[SLICES] = {false};
	struct slow s = {0};

	for (; product > left; product *= rng_double(rng)) {
		uint64_t at = rng_below(rng, SLICES);

		s.ios += 1 + (uint64_t)floor(log(1 - rng_double(rng)) * by);
		s.slices += !hit[at];
		hit[at] = true;
	}
	return s;
}

/*
 * Of I/Os that are all there: p99 is the slow mode's quantile that leaves a hundredth of all above,
 * or, where the slow ones are fewer, the fast mode's. A thousand I/Os above: 3 %.
 */
static double log_p99(double slow, struct rng *rng)
{
	double noise = TAIL_SD * noise_normal(rng), above = .01 * (1 + .03 * noise_normal(rng));

	if (slow > above)
		return log(SLOW) + MODE_SD * dist_normal_quantile(1 - above / slow) + noise;
	return log(FAST) + MODE_SD * dist_normal_quantile(1 - fmax(above - slow, 1 / IOS)) + noise;
}

enum figure { FIGURE_SHARE, FIGURE_P99, FIGURES };

struct sides {
	double base[FIGURES][SESSIONS], fresh[FIGURES][LOOKS];
	double reference, step; /* median of the baseline's shares; largest step of any */
	bool base_short;        /* a run of the baseline has too few bursts */
	unsigned enough;        /* new sessions before the first with such a run */
};

/* One session; false: the share of a run has too few bursts, and is larger than `reference`. */
static bool session(const struct cell_tail *c, double share, double reference, struct rng *rng,
		    double *runs, struct sides *s, double *out)
{
	double v[FIGURES][RUNS], level = SESSION_SD * noise_normal(rng);
	bool whole = true;

	for (unsigned i = 0; i < RUNS; i++) {
		struct slow slow = slow_run(share * exp(level), c->burst, rng);
		double step;

		if (!tails_share(slow.ios, slow.slices, (uint64_t)IOS, &runs[i], &step))
			whole &= runs[i] <= reference;
		s->step = fmax(s->step, step);
		v[FIGURE_SHARE][i] = log(runs[i]);
		v[FIGURE_P99][i] = level + log_p99((double)slow.ios / IOS, rng);
	}
	for (unsigned f = 0; f < FIGURES; f++)
		out[f] = estimate_median(v[f], RUNS);
	return whole;
}

static void draw(const struct cell_tail *c, struct rng *rng, struct sides *s)
{
	double runs[SESSIONS * RUNS], again[RUNS], out[FIGURES];

	*s = (struct sides){.enough = LOOKS};
	for (unsigned i = 0; i < SESSIONS; i++) {
		s->base_short |= !session(c, c->before, 0, rng, runs + i * RUNS, s, out);
		for (unsigned f = 0; f < FIGURES; f++)
			s->base[f][i] = out[f];
	}
	s->reference = estimate_median(runs, SESSIONS * RUNS);
	for (unsigned i = 0; i < LOOKS; i++) {
		if (!session(c, c->now, s->reference, rng, again, s, out) && s->enough == LOOKS)
			s->enough = i;
		for (unsigned f = 0; f < FIGURES; f++)
			s->fresh[f][i] = out[f];
	}
}

/* The first n figures from `first` on as one gate, with as many sessions as it asks for. */
static enum sequence_state judged(const struct sides *s, unsigned first, unsigned n)
{
	struct stored_output out[FIGURES];
	size_t worst = 0;

	if (first == FIGURE_SHARE && s->base_short)
		return SEQUENCE_GIVE_UP;
	for (unsigned k = 1; k <= LOOKS; k++) {
		struct stored_input in[FIGURES];
		bool more = false;

		if (first == FIGURE_SHARE && k > s->enough)
			return SEQUENCE_GIVE_UP;
		for (unsigned i = 0; i < n; i++) {
			bool share = first + i == FIGURE_SHARE;

			in[i] = (struct stored_input){
				.base = s->base[first + i],
				.nbase = SESSIONS,
				.fresh = s->fresh[first + i],
				.nfresh = k,
				.max = LOOKS,
				.delta = log1p(share ? TAIL_SHARE_TOLERANCE : .2),
				.q = share ? s->step : .004,
				.red_total = .001,
				.runs = RUNS};
		}
		worst = tails_judge(in, out, n);
		for (unsigned i = 0; i < n; i++)
			more |= out[i].state == SEQUENCE_CONTINUE;
		if (out[worst].state == SEQUENCE_REGRESSION || !more)
			break;
	}
	return out[worst].state;
}

static void count(struct rate *r, enum sequence_state st, double n)
{
	r->red += (st == SEQUENCE_REGRESSION) / n;
	r->pass += (st == SEQUENCE_PASS || st == SEQUENCE_IMPROVEMENT) / n;
}

static struct tail_rates tail_simulate(const struct cell_tail *c)
{
	struct tail_rates out = {0};
	double n = c->trials;
	struct rng rng;

	rng_seed(&rng, c->seed);
	for (unsigned t = 0; t < c->trials; t++) {
		struct sides s;

		draw(c, &rng, &s);
		count(&out.share, judged(&s, FIGURE_SHARE, 1), n);
		count(&out.p99, judged(&s, FIGURE_P99, 1), n);
		count(&out.tail, judged(&s, FIGURE_SHARE, FIGURES), n);
	}
	return out;
}

/* The grid of a baseline with that share of slow I/Os. */
static bool on_cliff(double share)
{
	static struct hist h;
	struct bins b;
	double grid[QUANTILE_POINTS];
	unsigned all = (unsigned)IOS, slow = (unsigned)lround(share * IOS);
	struct gap gap;
	bool is;

	hist_reset(&h);
	for (unsigned i = 0; i < all; i++) {
		unsigned n = i < slow ? slow : all - slow, k = i < slow ? i : i - slow;
		double z = dist_normal_quantile((k + .5) / n);

		hist_add(&h, (uint64_t)((i < slow ? SLOW : FAST) * exp(MODE_SD * z)));
	}
	bins_init(&b);
	bins_from_hist(&b, &h);
	grid_of(&b, grid);
	is = tails_gap(grid, .99, .2, &gap);
	bins_release(&b);
	return is;
}

/* Twice as many slow I/Os below 1 % are invisible to p99; the tail gate finds them. */
void prove_tails(struct proof *p)
{
	static const double shares[] = {.001, .0015, .002};
	struct tail_rates r[3];

	printf("\ntwo modes, 80 us and 5 ms in bursts of 3, 100 000 I/Os a run, stored 10 x 5, "
	       "session sd 1.5 %%: share of slow I/Os 0.1 %% before\n\n"
	       "| now | p99 red / pass, %% | clat.tail red / pass, %% |\n|---|---|---|\n");
	for (unsigned i = 0; i < 3; i++) {
		r[i] = tail_simulate(&(struct cell_tail){.001, shares[i], 3, p->trials, 500 + i});
		printf("| %.2f %% | %.3f / %.2f | %.3f / %.2f |\n", 100 * shares[i],
		       100 * r[i].p99.red, 100 * r[i].p99.pass, 100 * r[i].tail.red,
		       100 * r[i].tail.pass);
	}
	check_rate(p, true, r[0].tail.red, .001, p->trials, "tail: red on unchanged code");
	check_rate(p, false, r[0].tail.pass, .90, p->trials, "tail: pass on unchanged code");
	check_rate(p, true, r[1].tail.pass, .05, p->trials, "tail: pass at the tolerance");
	check_rate(p, false, r[2].tail.red, .97, p->trials, "tail: twice the slow I/Os found");
	check_rate(p, false, r[2].p99.pass, .99, p->trials, "p99 must be seen to miss them");
}

/* A row: unchanged, at the tolerance of the share, and twice as many. */
struct row {
	double share, burst;
	bool cliff;   /* p99 is on it, so that the share is what is judged */
	bool bounded; /* bursts enough in every run */
};

static void cliff_bounds(struct proof *p, const struct row *row, const struct tail_rates *r)
{
	check_rate(p, true, r[0].share.red, .001, p->trials, "cliff: red on unchanged code");
	check_rate(p, true, r[1].share.pass, .05, p->trials, "cliff: pass at the tolerance");
	if (!row->bounded)
		return;
	check_rate(p, false, r[0].share.pass, .999, p->trials, "cliff: pass on unchanged code");
	check_rate(p, false, r[2].share.red, .999, p->trials, "cliff: twice the slow I/Os found");
	if (row->cliff)
		check_true(p, r[0].p99.pass < .9, "p99 on a cliff must be seen to fail");
}

static void cliff_row(struct proof *p, const struct row *row, unsigned i)
{
	static const double times[] = {1, 1 + TAIL_SHARE_TOLERANCE, 2};
	bool is = on_cliff(row->share);
	struct tail_rates r[3];
	char what[96];

	for (unsigned k = 0; k < 3; k++)
		r[k] = tail_simulate(&(struct cell_tail){row->share, row->share * times[k],
							 row->burst, p->trials, 600 + 3 * i + k});
	printf("| %.2f %%, %.0f bursts | %s | %.3f / %.3f | %.2f / %.2f / %.2f | %.2f / %.2f | "
	       "%.2f |\n",
	       100 * row->share, IOS * row->share / row->burst, is ? "share" : "p99",
	       100 * r[0].share.red, 100 * r[2].share.red, 100 * r[0].share.pass,
	       100 * r[1].share.pass, 100 * r[2].share.pass, 100 * r[0].p99.pass,
	       100 * r[2].p99.pass, 100 * r[2].p99.red);
	snprintf(what, sizeof(what), "slow share %.2f %%, bursts of %.0f: which is judged",
		 100 * row->share, row->burst);
	check_true(p, is == row->cliff, what);
	cliff_bounds(p, row, r);
}

/*
 * PROCEDURE 9: at a slow share about 1 % p99 is the one mode or the other, and says nothing; the
 * share of I/Os beyond the limit between the modes does.
 */
void prove_cliffs(struct proof *p)
{
	static const struct row rows[] = {{.005, 10, false, true},  {.0095, 10, true, true},
					  {.0105, 10, true, true},  {.012, 10, true, true},
					  {.02, 10, false, true},   {.0105, 35, true, false},
					  {.0105, 350, true, false}};

	printf("\nthe same modes, a tolerance of 50 %% for the share of I/Os beyond the limit: "
	       "share "
	       "of slow I/Os and bursts of a run; at 1 / 1.5 / 2 times as many\n\n"
	       "| before | judged by | share: red at 1 / 2, %% | share: pass at 1 / 1.5 / 2, %% | "
	       "p99: pass at 1 / 2, %% | p99: red at 2, %% |\n|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cliff_row(p, &rows[i], i);
}
