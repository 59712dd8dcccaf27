/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of DESIGN 3.4 as code: kind, role and policy give status and JUnit shape. */
#include "gate/judge.h"
#include <math.h>

struct verdict *verdict_new(struct result *r, uint32_t job, uint32_t check)
{
	struct verdict *v = VEC_PUSH(&r->verdicts);

	v->job = job;
	v->check = check;
	v->type = "";
	v->text = "not judged";
	v->change = v->low = v->high = v->excluded = NAN;
	v->base_value = v->value = v->tolerance = v->limit = NAN;
	for (unsigned i = 0; i < VERDICT_MAX_SESSIONS; i++)
		v->session_values[i] = NAN;
	for (unsigned i = 0; i < VERDICT_SHIFTS; i++)
		v->shift[i] = NAN;
	return v;
}

void verdict_say(struct result *r, struct verdict *v, enum verdict_kind kind, const char *type,
		 const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	v->kind = kind;
	v->type = type ? type : verdict_name(kind);
	v->text = arena_strdup(&r->arena, s.s);
	str_release(&s);
}

static void inconclusive(const struct policy *p, struct verdict *v)
{
	v->status = STATUS_INCONCLUSIVE;
	v->shape = JUNIT_SKIPPED;
	if (p->inconclusive == INCONCLUSIVE_FAIL) {
		v->status = STATUS_REGRESSION;
		v->shape = JUNIT_FAILURE;
	} else if (p->inconclusive == INCONCLUSIVE_WARN && v->leaning > 0) {
		v->status = STATUS_PASS;
	}
}

static void by_kind(const struct policy *p, struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_PASS:
	case VERDICT_IMPROVEMENT:
		v->status = STATUS_PASS;
		v->shape = JUNIT_CASE;
		break;
	case VERDICT_REGRESSION:
	case VERDICT_MISSED:
		v->status = STATUS_REGRESSION;
		v->shape = JUNIT_FAILURE;
		break;
	case VERDICT_KNOWN:
	case VERDICT_SKIPPED:
		v->status = STATUS_PASS;
		v->shape = JUNIT_SKIPPED;
		break;
	case VERDICT_INCONCLUSIVE:
		inconclusive(p, v);
		break;
	case VERDICT_NO_BASELINE:
		v->status = STATUS_NO_BASELINE;
		v->shape = JUNIT_ERROR;
		if (p->no_baseline == NO_BASELINE_WARN && !v->expired &&
		    !str_eq(v->type, VERDICT_TYPE_DEMANDED)) {
			v->status = STATUS_PASS;
			v->shape = JUNIT_SKIPPED;
		}
		break;
	case VERDICT_INCOMPARABLE: /* never excused by a policy */
		v->status = STATUS_NO_BASELINE;
		v->shape = JUNIT_ERROR;
		break;
	case VERDICT_NONE:
	case VERDICT_ERROR:
		v->status = STATUS_ERROR;
		v->shape = JUNIT_ERROR;
		break;
	}
}

uint32_t verdict_thin(const struct verdict *v)
{
	return v->base_blocks < v->base_sessions ? v->base_blocks : v->base_sessions;
}

/* `provisional: fail`: a verdict on fewer than five sessions does not open the gate; a red one
 * stays. */
static void provisional(struct result *r, struct verdict *v)
{
	if (!v->provisional || r->policy.provisional != PROVISIONAL_FAIL)
		return;
	v->status = status_worse(v->status, STATUS_NO_BASELINE);
	if (v->status != STATUS_NO_BASELINE)
		return;
	v->shape = JUNIT_ERROR;
	v->type = "provisional";
	v->text = arena_printf(&r->arena,
			       "the baseline is too thin (%u of %u) and provisional=fail: %s",
			       verdict_thin(v), BASELINE_BLOCKS, v->text);
}

void verdict_finish(struct result *r, const struct check *c, struct verdict *v)
{
	by_kind(&r->policy, v);
	if (!c || c->role != ROLE_WATCH) {
		provisional(r, v);
		return;
	}
	v->watch = true;
	v->wants_session = false;
	if (v->kind == VERDICT_ERROR || v->kind == VERDICT_NONE)
		return;
	v->status = STATUS_PASS;
	v->shape = JUNIT_SKIPPED;
	v->text = arena_printf(&r->arena, "watch: %s", v->text);
}
