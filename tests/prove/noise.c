/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"
#include <math.h>

const char *const noise_names[NOISE_COUNT] = {
	"normal", "outliers",   "AR(1) 0.5",       "drift 3 %", "two modes",
	"t3",     "session t3", "session 2 modes", "period 2",
};

/* Polar method. */
double noise_normal(struct rng *rng)
{
	double u, v, s;

	do {
		u = 2 * rng_double(rng) - 1;
		v = 2 * rng_double(rng) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

/* 0.6745 and 0.7649: upper quartiles of the normal and of t with 3 degrees of freedom. */
static double student3(struct rng *rng)
{
	double z = noise_normal(rng), chi = 0;

	for (int i = 0; i < 3; i++) {
		double x = noise_normal(rng);

		chi += x * x;
	}
	return z / sqrt(chi / 3) * (0.67449 / 0.76489);
}

static double mode(struct rng *rng)
{
	return rng_double(rng) < 0.5 ? -0.02 : 0.02;
}

void stream_start(struct stream *s, enum noise kind, double sd, double length, struct rng *rng)
{
	*s = (struct stream){kind, sd, length, noise_normal(rng), 0, rng};
}

double stream_next(struct stream *s)
{
	unsigned n = s->n++;
	double z;

	switch (s->kind) {
	case NOISE_T3:
		return s->sd * student3(s->rng);
	case NOISE_AR1:
		s->last = 0.5 * s->last + sqrt(0.75) * noise_normal(s->rng);
		return s->sd * s->last;
	default:
		break;
	}
	z = s->sd * noise_normal(s->rng);
	switch (s->kind) {
	case NOISE_OUTLIERS:
		if (rng_double(s->rng) < 0.05)
			z -= log(1 - (0.05 + 0.25 * rng_double(s->rng)));
		break;
	case NOISE_DRIFT:
		z += 0.03 * n / s->length;
		break;
	case NOISE_BIMODAL:
		z += mode(s->rng);
		break;
	case NOISE_PERIOD2:
		z += n % 2 ? 0 : 0.04;
		break;
	default:
		break;
	}
	return z;
}

double session_effect(enum noise kind, double ss, struct rng *rng)
{
	if (kind == NOISE_SESSION_T3)
		return ss * student3(rng);
	if (kind == NOISE_SESSION_BIMODAL)
		return mode(rng);
	return ss * noise_normal(rng);
}
