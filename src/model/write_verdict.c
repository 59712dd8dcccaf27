/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/write_verdict: verdicts by name, for readers; no room reads them back. */
#include "model/result_io.h"
#include <math.h>

static void write_known_number(struct jw *w, const char *key, double v)
{
	if (isfinite(v))
		jw_double(w, key, v + 0.0); /* a difference of minus zero is none */
}

/* Job and check as text: a reader of the document must not count array elements. */
static void write_subject(const struct result *r, const struct verdict *v, struct jw *w)
{
	const struct job *j = v->job < r->njobs ? &r->jobs[v->job] : NULL;

	if (j) {
		jw_str(w, "workload", j->name);
		if (j->target < r->ntargets)
			jw_str(w, "target", r->targets[j->target].role);
	}
	if (v->check == VERDICT_MEASURE)
		jw_str(w, "check", "measure");
	else if (v->check < r->nchecks)
		jw_str(w, "check", r->checks[v->check].name);
}

/* New over old, of each part of the latency. */
static void write_shift(const struct verdict *v, struct jw *w)
{
	bool any = false;

	for (unsigned i = 0; i < VERDICT_SHIFTS; i++)
		any |= isfinite(v->shift[i]);
	if (!any)
		return;
	jw_object_flat(w, "quantile_shift");
	for (unsigned i = 0; i < VERDICT_SHIFTS; i++)
		write_known_number(w, verdict_shifts[i].name, v->shift[i]);
	jw_end_object(w);
}

static void write_gate(const struct verdict *v, struct jw *w)
{
	write_known_number(w, "change", v->change);
	write_known_number(w, "low", v->low);
	write_known_number(w, "high", v->high);
	write_known_number(w, "excluded", v->excluded);
	write_known_number(w, "base_value", v->base_value);
	if (v->pairs)
		jw_u64(w, "pairs", v->pairs);
	jw_u64(w, "base_sessions", v->base_sessions);
	jw_u64(w, "base_blocks", v->base_blocks);
	if (v->look_sessions) {
		jw_u64(w, "new_sessions", v->look_sessions);
		jw_u64(w, "new_blocks", v->look_blocks);
	}
	if (v->base_first)
		jw_i64(w, "base_first", v->base_first);
	if (v->base_last)
		jw_i64(w, "base_last", v->base_last);
	write_known_number(w, "tolerance", v->tolerance);
	if (v->judged) {
		jw_str(w, "judged", v->judged);
		jw_str(w, "judged_unit", unit_name(v->judged_unit));
	}
	write_shift(v, w);
	jw_array_flat(w, "session_values");
	for (uint32_t i = 0; i < v->nsessions && i < VERDICT_MAX_SESSIONS; i++)
		jw_double(w, NULL, v->session_values[i]);
	jw_end_array(w);
}

static void write_verdict(const struct result *r, const struct verdict *v, struct jw *w)
{
	jw_object(w, NULL);
	write_subject(r, v, w);
	jw_str(w, "verdict", verdict_name(v->kind));
	jw_u64(w, "status", (uint64_t)v->status);
	jw_str(w, "junit", junit_shape_name(v->shape));
	if (v->type)
		jw_str(w, "type", v->type);
	write_flag(w, "watch", v->watch);
	write_flag(w, "provisional", v->provisional);
	write_flag(w, "certain", v->certain);
	write_flag(w, "marginal", v->marginal);
	write_flag(w, "one_layout", v->one_layout);
	write_flag(w, "worse_after", v->worse_after);
	if (v->adjusted_by)
		jw_str(w, "adjusted_by", v->adjusted_by);
	write_flag(w, "one_boot", v->one_boot);
	write_flag(w, "measured_only", v->measured_only);
	if (v->kind == VERDICT_INCONCLUSIVE && v->leaning)
		jw_str(w, "leaning", v->leaning > 0 ? "pass" : "fail");
	jw_str(w, "text", v->text);
	if (v->check < r->nchecks) {
		write_known_number(w, "value", v->value);
		if (r->checks[v->check].kind == CHECK_GATE)
			write_gate(v, w);
		else
			write_known_number(w, "limit", v->limit);
	}
	jw_end_object(w);
}

void doc_write_verdicts(const struct result *r, struct jw *w)
{
	jw_u64(w, "status", (uint64_t)r->status);
	jw_str(w, "status_meaning", status_meaning(r->status));
	jw_str(w, "baseline_digest", r->baseline_digest);
	if (r->environment)
		jw_str(w, "environment", r->environment);
	if (r->baseline_age)
		jw_str(w, "baseline_age", r->baseline_age);
	jw_array(w, "verdicts");
	for (size_t i = 0; i < r->verdicts.n; i++)
		write_verdict(r, &r->verdicts.v[i], w);
	jw_end_array(w);
}
