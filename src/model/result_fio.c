/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/result_fio: the fio command of a job with all that runs at the same time. */
#include "model/result.h"

#include "base/vec.h"

#include <stdlib.h>

static void add_job(const struct result *r, uint32_t job, const char *scratch, bool first,
		    bool together, struct str *out)
{
	const struct job *j = &r->jobs[job];
	const struct target *t = j->target < r->ntargets ? &r->targets[j->target] : NULL;
	struct str path;

	str_init(&path);
	if (t && t->path)
		str_addf(&path, "%s%s", target_node(t), t->kind == TARGET_DIR ? scratch : "");
	if (first)
		job_fio(j, path.len ? path.s : NULL, out);
	else
		job_fio_beside(j, path.len ? path.s : NULL, together, out);
	str_release(&path);
}

void result_fio(const struct result *r, uint32_t job, const char *scratch, struct str *out)
{
	const struct job *j = &r->jobs[job];
	bool first = true;

	if (!j->group) {
		add_job(r, job, scratch, true, false, out);
		return;
	}
	/* its own section first; of a total they are reported as one */
	if (!j->total) {
		add_job(r, job, scratch, true, false, out);
		first = false;
	}
	for (uint32_t i = j->group - 1; i < r->njobs; i++) {
		if (i == job || r->jobs[i].group != j->group || r->jobs[i].total)
			continue;
		add_job(r, i, scratch, first, j->total, out);
		first = false;
	}
}
