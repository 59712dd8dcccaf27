/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/verdict: the words of verdicts and the precedence of the exit status. */
#include "model/verdict.h"

const struct verdict_shift verdict_shifts[VERDICT_SHIFTS] = {
	{"p50", 0.5}, {"p90", 0.1}, {"p99", 1e-2}, {"p99.9", 1e-3}, {"p99.99", 1e-4}};
#include "model/names.h"

static const char *const kind_names[] = {
	[VERDICT_NONE] = "none",
	[VERDICT_PASS] = "pass",
	[VERDICT_IMPROVEMENT] = "improvement",
	[VERDICT_REGRESSION] = "regression",
	[VERDICT_KNOWN] = "known",
	[VERDICT_MISSED] = "missed",
	[VERDICT_INCONCLUSIVE] = "inconclusive",
	[VERDICT_NO_BASELINE] = "no-baseline",
	[VERDICT_INCOMPARABLE] = "incomparable",
	[VERDICT_ERROR] = "error",
	[VERDICT_SKIPPED] = "skipped",
};
static const char *const shape_names[] = {
	[JUNIT_CASE] = "case",
	[JUNIT_FAILURE] = "failure",
	[JUNIT_ERROR] = "error",
	[JUNIT_SKIPPED] = "skipped",
};

const char *verdict_name(enum verdict_kind k)
{
	return names_at(kind_names, NAMES_COUNT(kind_names), (size_t)k);
}

const char *junit_shape_name(enum junit_shape s)
{
	return names_at(shape_names, NAMES_COUNT(shape_names), (size_t)s);
}

/* Ascending: the later wins (DESIGN 3.1). */
static const struct {
	enum exit_status status;
	const char *meaning;
} precedence[] = {
	{STATUS_PASS, "no loss was found"},
	{STATUS_INCONCLUSIVE, "inconclusive: neither a pass nor a loss could be shown"},
	{STATUS_NO_BASELINE, "no comparable baseline exists, or it is too thin"},
	{STATUS_ERROR, "something could not be measured"},
	{STATUS_REGRESSION, "a regression or a missed expectation"},
	{STATUS_USAGE, "the command line or the suite is wrong"},
	{STATUS_INTERRUPTED, "interrupted"},
};

/* A number outside the enum ranks as "could not measure": never as a pass. */
static size_t status_rank(enum exit_status s)
{
	for (size_t i = 0; i < NAMES_COUNT(precedence); i++) {
		if (precedence[i].status == s)
			return i;
	}
	return status_rank(STATUS_ERROR);
}

enum exit_status status_worse(enum exit_status a, enum exit_status b)
{
	size_t x = status_rank(a), y = status_rank(b);

	return precedence[x > y ? x : y].status;
}

const char *status_meaning(enum exit_status s)
{
	return precedence[status_rank(s)].meaning;
}
