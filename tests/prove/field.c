/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of the field (GATES 3.2): one new session of five runs against one of five. */
#include "proof.h"
#include "gate/dist.h"
#include "gate/estimate.h"
#include <math.h>
#include <stdio.h>

#define RUNS 5
#define SAMPLES 60u /* of one run, as a tool prints them each second */
#define SAMPLE_SD .02
#define LIMIT log1p(.05)

enum rule { ONE_RUN, MEDIANS, SAMPLES_T, WELCH, WELCH_AND_LIMIT, RULES };

static const char *const names[RULES] = {
	"one run against the previous one, > 5 %",
	"median of 5 against one session, > 5 %",
	"the seconds of all runs as samples, t, p < 0.01",
	"runs of two sessions, Welch p < 0.05",
	"the same, and > 5 %",
};

struct side {
	double run[RUNS], mean;
	struct pool runs, seconds;
};

static void draw(const struct cell *c, double effect, struct rng *rng, struct side *s)
{
	double at = session_effect(c->noise, c->ss, rng) + effect;
	struct stream stream;

	*s = (struct side){0};
	stream_start(&stream, c->noise, c->sr, RUNS, rng);
	for (unsigned i = 0; i < RUNS; i++) {
		s->run[i] = at + stream_next(&stream);
		s->mean += s->run[i] / RUNS;
	}
	pool_add(&s->runs, s->run, RUNS);
}

/* The run's value becomes the mean of its seconds; their spread about the mean of all of them. */
static void draw_seconds(struct side *s, struct rng *rng)
{
	double v[RUNS * SAMPLES], sum = 0;

	for (unsigned i = 0; i < RUNS * SAMPLES; i++) {
		v[i] = s->run[i / SAMPLES] + SAMPLE_SD * noise_normal(rng);
		sum += v[i];
	}
	s->mean = sum / (RUNS * SAMPLES);
	pool_add(&s->seconds, v, RUNS * SAMPLES);
}

/* One-sided; Welch and Satterthwaite. */
static bool t_test(const struct pool *a, const struct pool *b, double difference, double level)
{
	double na = a->df + 1, nb = b->df + 1;
	double va = pool_sd(a) * pool_sd(a) / na, vb = pool_sd(b) * pool_sd(b) / nb;
	double df = (va + vb) * (va + vb) / (va * va / a->df + vb * vb / b->df);

	return difference > dist_t_upper(level, df) * sqrt(va + vb);
}

static bool is_red(enum rule rule, struct side *a, struct side *b, struct rng *rng)
{
	switch (rule) {
	case ONE_RUN:
		return b->run[0] - a->run[0] > LIMIT;
	case MEDIANS:
		return estimate_median(b->run, RUNS) - estimate_median(a->run, RUNS) > LIMIT;
	case SAMPLES_T:
		draw_seconds(a, rng);
		draw_seconds(b, rng);
		return t_test(&a->seconds, &b->seconds, b->mean - a->mean, .01);
	case WELCH:
		return t_test(&a->runs, &b->runs, b->mean - a->mean, .05);
	case WELCH_AND_LIMIT:
	case RULES:
		break;
	}
	return b->mean - a->mean > LIMIT && t_test(&a->runs, &b->runs, b->mean - a->mean, .05);
}

static double share_of_red(const struct cell *c, enum rule rule)
{
	unsigned red = 0;
	struct rng rng;

	rng_seed(&rng, c->seed);
	for (unsigned t = 0; t < c->trials; t++) {
		struct side a, b;

		draw(c, 0, &rng, &a);
		draw(c, log1p(c->effect), &rng, &b);
		red += is_red(rule, &a, &b, &rng);
	}
	return (double)red / c->trials;
}

/* What is not red is green with them: at the tolerance half of the losses, or false alarms. */
static void field_row(struct proof *p, enum rule rule)
{
	static const double sds[] = {0, .015, .03}, effects[] = {0, .025, .05, .10};
	double missed = 0, alarms = 0;
	char what[96];

	printf("| %s |", names[rule]);
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 4; k++) {
			struct cell c = {.sr = .02,
					 .ss = sds[i],
					 .effect = effects[k],
					 .trials = p->trials,
					 .seed = 700 + 20 * (unsigned)rule + 4 * i + k};
			double red = share_of_red(&c, rule);

			printf("%s %.2f", k ? " /" : "", 100 * red);
			if (k == 0)
				alarms = fmax(alarms, red);
			else if (k == 2)
				missed = fmax(missed, 1 - red);
		}
		printf(" |");
	}
	printf("\n");
	snprintf(what, sizeof(what), "%s: must be seen to fail", names[rule]);
	check_true(p, missed > .15 || alarms > .05, what);
}

void prove_field(struct proof *p)
{
	printf("\nrules of the field, run sd 2 %%, and 2 %% of a second inside a run: red at 0 / "
	       "2.5 / "
	       "5 / 10 %%, in %%; the rest is green\n\n"
	       "| rule | session sd 0 | 1.5 %% | 3 %% |\n|---|---|---|---|\n");
	for (unsigned k = 0; k < RULES; k++)
		field_row(p, (enum rule)k);
}
