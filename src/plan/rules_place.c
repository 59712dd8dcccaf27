/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_place: lint rules about where a job runs. */
#include "plan/lint.h"

bool lint_split_above_processors(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;
	struct cpu_list cpus;

	if (!j->cpus_allowed_policy || !*j->cpus_allowed_policy || !j->cpus_allowed ||
	    cpu_list_read(j->cpus_allowed, &cpus) || j->numjobs <= cpus.n)
		return false;
	str_addf(text,
		 "cpus_allowed_policy split: numjobs %u on %u processor%s of cpus_allowed, so that "
		 "some share one",
		 j->numjobs, cpus.n, cpus.n == 1 ? "" : "s");
	str_addf(hint, "numjobs: %u, or cpus_allowed_policy: shared", cpus.n);
	return true;
}
