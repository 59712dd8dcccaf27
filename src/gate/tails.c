/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/tails.h"
#include "gate/tail.h"
#include <math.h>

#define ONE_STEP 0.75 /* of the whole rise, to be a gap */

static double badness(const struct stored_input *in, const struct stored_output *out)
{
	if (out->state == SEQUENCE_REGRESSION)
		return 2e9 + out->est / in->delta;
	if (out->state == SEQUENCE_CONTINUE || out->state == SEQUENCE_GIVE_UP)
		return isnan(out->upper) ? 1.5e9 : 1e9 + out->est / in->delta;
	return out->upper / in->delta;
}

size_t tails_judge(const struct stored_input *in, struct stored_output *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct stored_input part = in[i];

		part.red_total /= (double)n;
		stored_judge(&part, &out[i]);
	}
	return tails_worst(in, out, n);
}

size_t tails_worst(const struct stored_input *in, const struct stored_output *out, size_t n)
{
	size_t worst = 0;

	for (size_t i = 0; i < n; i++)
		if (badness(&in[i], &out[i]) > badness(&in[worst], &out[worst]))
			worst = i;
	if (badness(&in[worst], &out[worst]) >= 1e8)
		return worst;
	for (size_t i = 0; i < n; i++) /* all pass: the one that improved most is news */
		if (out[i].upper < -in[i].delta &&
		    (out[worst].upper >= -in[worst].delta ||
		     out[i].upper / in[i].delta < out[worst].upper / in[worst].delta))
			worst = i;
	return worst;
}

bool tails_gap(const double *grid, double q, double tolerance, struct gap *out)
{
	double from = 1.3 * (1 - q), to = 0.7 * (1 - q), least = 2 * log1p(tolerance), best = 0;
	double low = grid_at(grid, from), last = low, all = log(grid_at(grid, to) / low);

	if (!(all > least))
		return false;
	for (unsigned i = (unsigned)floor(-8 * log10(from)) + 1; i < QUANTILE_POINTS; i++) {
		bool end = -8 * log10(to) < i;
		double v = end ? grid_at(grid, to) : grid[i];

		if (v / last > exp(best)) {
			best = log(v / last);
			*out = (struct gap){grid[i - 1], grid[i]}; /* not between the modes */
		}
		last = v;
		if (end)
			break;
	}
	return best > ONE_STEP * all;
}

bool tails_share(uint64_t ios, uint64_t slices, uint64_t all, double *share, double *step)
{
	double n = fmax((double)ios, TAIL_BURSTS);

	*share = n / fmax((double)all, n);
	*step = 1 / n;
	return slices >= TAIL_BURSTS || ios <= TAIL_BURSTS;
}
