/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_limit: an expectation that a worse device meets more easily. */
#include "plan/lint.h"

static bool wrong_way(const struct check *c, const struct metric *m)
{
	bool floor = c->op == OP_GE || c->op == OP_GT;

	if (c->kind != CHECK_EXPECT || c->spread || !m)
		return false;
	return m->better == BETTER_LOWER ? floor : m->better == BETTER_HIGHER && !floor;
}

bool lint_limit_wrong_way(const struct lint_view *v, struct str *text, struct str *hint)
{
	for (size_t i = 0; i < v->nchecks; i++) {
		const struct check *c = &v->checks[i];
		const struct metric *m = metric_find(c->metric);

		if (!wrong_way(c, m))
			continue;
		v->place->line = c->line;
		str_addf(text,
			 "'%s': of %s %s is better, so that a worse device meets it more easily",
			 c->text, m->name, m->better == BETTER_LOWER ? "less" : "more");
		str_addf(hint,
			 "`%s %s ...`, or say what it is for: `waive: {limit-wrong-way: WHY}`",
			 m->name, m->better == BETTER_LOWER ? "<=" : ">=");
		return true;
	}
	return false;
}
