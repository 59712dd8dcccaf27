/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other budgets of pairs, and the smaller red totals of large suites, at a noise in which the red
 * level is used up. */
#include "proof.h"
#include <stdio.h>

static void budget(struct proof *p, uint32_t pairs)
{
	const struct cell quiet = {.sr = .02, .pairs = pairs}, loud = {.sr = .10, .pairs = pairs};
	struct rates r0 = prove_one(p, loud, NOISE_NORMAL, 0, 2400 + pairs),
		     r5 = prove_one(p, quiet, NOISE_NORMAL, .05, 2500 + pairs),
		     r10 = prove_one(p, quiet, NOISE_NORMAL, .10, 2600 + pairs);
	char what[100];

	printf("| %u | %.3f | %.2f | %.2f |\n", pairs, 100 * r0.red, 100 * r5.pass, 100 * r10.red);
	snprintf(what, sizeof(what), "%u pairs: red on unchanged code, run sd 10 %%", pairs);
	check_rate(p, true, r0.red, .001, p->trials, what);
	snprintf(what, sizeof(what), "%u pairs: pass at the tolerance", pairs);
	check_rate(p, true, r5.pass, .05, p->trials, what);
}

static void total(struct proof *p, double red)
{
	const struct cell pairs = {.sr = .10, .pairs = 20, .total = red},
			  stored = {.sr = .10, .sessions = 10, .max = 5, .total = red};
	struct rates a = prove_one(p, pairs, NOISE_NORMAL, 0, 2700),
		     b = prove_one(p, stored, NOISE_NORMAL, 0, 2701);
	char what[100];

	printf("| %.3f | %.4f | %.4f |\n", 100 * red, 100 * b.red, 100 * a.red);
	snprintf(what, sizeof(what), "red total %.3f %%, stored", 100 * red);
	check_rate(p, true, b.red, red, p->trials, what);
	snprintf(what, sizeof(what), "red total %.3f %%, interleaved", 100 * red);
	check_rate(p, true, a.red, red, p->trials, what);
}

void prove_levels(struct proof *p)
{
	static const uint32_t budgets[] = {10, 15, 28};
	static const double totals[] = {.0005, .0001, .00005};

	printf("\n| pairs at most | red at 0, run sd 10 %% | pass at 5 %%, run sd 2 %% | found at "
	       "10 %% "
	       "|\n|---|---|---|---|\n");
	for (size_t i = 0; i < 3; i++)
		budget(p, budgets[i]);
	printf("\n| red total of a gate, %% | stored, run sd 10 %% | interleaved "
	       "|\n|---|---|---|\n");
	for (size_t i = 0; i < 3; i++)
		total(p, totals[i]);
}
