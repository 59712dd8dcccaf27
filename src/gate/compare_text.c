/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison for people, and as a document. */
#include "gate/compare.h"
#include "gate/estimate.h"
#include <math.h>

/* "A", "B" ... "Z", then "27". */
static void add_letter(struct str *s, size_t side)
{
	if (side < 26)
		str_addc(s, (char)('A' + side));
	else
		str_addf(s, "%zu", side + 1);
}

static void add_amount(struct str *s, const struct compare_row *row, double v)
{
	if (row->absolute)
		unit_format_signed(s, row->metric->unit, v);
	else
		units_add_signed(s, expm1(v) * 100, 1);
}

static void add_difference(struct str *s, const struct compare_row *row, const struct difference *d)
{
	const char *per_cent = row->absolute ? "" : " %";

	add_amount(s, row, d->est);
	str_add(s, per_cent);
	if (!isfinite(d->low))
		return;
	str_add(s, " [");
	add_amount(s, row, d->low);
	str_add(s, ", ");
	add_amount(s, row, d->high);
	str_addc(s, ']');
}

/* The tolerance as bounds on the scale: what may be lower, what may be higher. */
static void bounds(const struct compare_row *row, double *below, double *above)
{
	*below = row->absolute ? row->tolerance : -log1p(-row->tolerance);
	*above = row->absolute ? row->tolerance : log1p(row->tolerance);
}

static enum sameness sameness(const struct compare_row *row, size_t side)
{
	double below, above;

	bounds(row, &below, &above);
	return difference_sameness(&row->against[side], below, above);
}

static bool may_judge(const struct compare *c, const struct compare_row *row, size_t side)
{
	return c->two_sided && row->tolerance > 0 && (row->absolute || row->tolerance < 1) &&
	       compare_carries(row, side) && isfinite(row->against[side].low);
}

static void add_tolerance(struct str *s, const struct compare_row *row)
{
	if (row->absolute)
		unit_format(s, row->metric->unit, row->tolerance);
	else
		str_addf(s, "%.4g %%", row->tolerance * 100);
}

/* "no difference larger than 5 % between A and B (95 %)"; nothing without --two-sided. */
static void add_sameness(const struct compare *c, const struct compare_row *row, size_t side,
			 struct str *out)
{
	const struct difference *d = &row->against[side];

	if (!c->two_sided || row->cell[0].missing || row->cell[side].missing)
		return;
	if (!(row->tolerance > 0)) {
		str_add(out, "no gate, so no tolerance to be the same within");
	} else if (!may_judge(c, row, side)) {
		str_add(out, "not judged: fewer than two sessions a side");
	} else if (sameness(row, side) == SAME) {
		str_add(out, "no difference larger than ");
		add_tolerance(out, row);
		str_add(out, " between A and ");
		add_letter(out, side);
		str_add(out, " (95 %)");
	} else if (sameness(row, side) == DIFFERENT) {
		add_letter(out, side);
		str_addf(out, " is %s by more than ", d->est < 0 ? "lower" : "higher");
		add_tolerance(out, row);
		str_add(out, " (95 %)");
	} else {
		str_add(out, "undecided: a difference of ");
		add_amount(out, row, -d->least > d->greatest ? d->least : d->greatest);
		str_add(out, row->absolute ? " cannot be excluded" : " % cannot be excluded");
	}
}

/* Session sd as the verdicts assume it, with what the runs of these sessions add (PROCEDURE 7). */
static uint32_t sessions_needed(const struct compare_row *row, size_t side)
{
	double tolerance = row->tolerance > 0 ? row->tolerance : 0.05, sum = 0, mean = 0, assumed;
	const struct compare_cell *b = &row->cell[side];
	struct scale s = {.absolute = row->absolute};

	for (size_t i = 0; i < b->nrun; i++)
		mean += b->run[i] / (double)b->nrun;
	for (size_t i = 0; i < b->nrun; i++)
		sum += (b->run[i] - mean) * (b->run[i] - mean);
	s.delta = row->absolute ? tolerance : -log1p(-tolerance);
	assumed = scale_assumed_sd(&s, row->assumed_sd, row->cell[0].value);
	if (b->nrun > 1)
		sum /= (double)b->nrun - 1;
	sum *= median_variance((uint32_t)b->nrun);
	return difference_sessions(sqrt(assumed * assumed + sum), s.delta);
}

static void add_cell(struct str *s, const struct compare_row *row, size_t side)
{
	const struct compare_cell *x = &row->cell[side];

	add_letter(s, side);
	str_addc(s, ' ');
	if (x->missing)
		str_addf(s, "n/a (%s)", x->missing);
	else
		unit_format(s, row->metric->unit, x->value);
}

/* What the change is made of, and what it would take to carry a verdict. */
static void add_units(struct str *s, const struct compare_row *row, size_t side)
{
	if (compare_by_sessions(row, side))
		str_addf(s, "  %zu and %zu sessions", row->cell[0].nsession,
			 row->cell[side].nsession);
	else
		str_add(s, "  runs of one session a side");
	if (!compare_carries(row, side))
		str_addf(s, ": carries no verdict; about %u sessions a side would",
			 sessions_needed(row, side));
}

static void add_side(struct str *out, const struct compare *c, const struct compare_row *row,
		     size_t side)
{
	const struct difference *d = &row->against[side];
	struct str s, same;

	str_init(&s);
	str_init(&same);
	str_add(&s, "    ");
	add_cell(&s, row, side);
	if (isfinite(d->est)) {
		str_add(&s, "  ");
		add_difference(&s, row, d);
		add_units(&s, row, side);
	} else if (!row->cell[0].missing && !row->cell[side].missing) {
		str_add(&s, "  no ratio: a value is 0");
	}
	if (compare_carries(row, side) || !(row->tolerance > 0)) /* else the line has said it */
		add_sameness(c, row, side, &same);
	if (same.len)
		str_addf(&s, "\n      %s", same.s);
	str_add_clean(out, s.s, s.len);
	str_addc(out, '\n');
	str_release(&s);
	str_release(&same);
}

static void add_heads(const struct compare *c, struct str *out)
{
	str_addf(out, "%s, side by side, nothing pooled%s%s\n", c->suite, c->by ? ", by " : "",
		 c->by ? c->by : "");
	for (size_t i = 0; i < c->sides.n; i++) {
		const struct compare_side *x = &c->sides.v[i];
		struct str s;

		str_init(&s);
		str_add(&s, "  ");
		add_letter(&s, i);
		if (c->by)
			str_addf(&s, ": %s,", x->name);
		str_addf(&s, " %s", x->what);
		if (x->differ)
			str_addf(&s, "\n    differs from A in: %s", x->differ);
		str_add_clean(out, s.s, s.len);
		str_addc(out, '\n');
		str_release(&s);
	}
}

void compare_text(const struct compare *c, struct str *out)
{
	add_heads(c, out);
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *row = &c->rows.v[i];
		struct str s;

		str_init(&s);
		str_addf(&s, "%s%s%s  %s\n    ", row->target ? row->target : "",
			 row->target ? " " : "", row->workload, row->metric->name);
		add_cell(&s, row, 0);
		str_add_clean(out, s.s, s.len);
		str_addc(out, '\n');
		str_release(&s);
		for (size_t k = 1; k < c->sides.n; k++)
			add_side(out, c, row, k);
	}
	str_addf(out, "%zu compared", c->compared);
	if (c->failed)
		str_addf(out, ", %zu could not be", c->failed);
	str_add(out, "; each interval holds at 95 % alone, not for all of them together\n");
	for (size_t i = 0; i < c->sides.n; i++)
		if (c->sides.v[i].one_block) {
			str_add(out, "sessions of one boot share what it brings: over reboots the "
				     "intervals are wider than shown\n");
			break;
		}
}

/* A number of the scale as the document has it: a ratio, or the unit of the metric. */
static void write_amount(struct jw *w, const char *key, const struct compare_row *row, double v)
{
	if (isfinite(v))
		jw_double(w, key, (row->absolute ? v : expm1(v)) + 0.0); /* no minus zero */
	else
		jw_null(w, key);
}

static void write_against(const struct compare *c, const struct compare_row *row, size_t side,
			  struct jw *w)
{
	static const char *const words[] = {
		[SAME] = "same", [DIFFERENT] = "different", [UNDECIDED] = "undecided"};
	const struct difference *d = &row->against[side];
	struct str s;

	write_amount(w, "change", row, d->est);
	write_amount(w, "low", row, d->low);
	write_amount(w, "high", row, d->high);
	jw_str(w, "units", compare_by_sessions(row, side) ? "sessions" : "runs");
	if (!c->two_sided)
		return;
	jw_str(w, "two_sided", may_judge(c, row, side) ? words[sameness(row, side)] : NULL);
	str_init(&s);
	add_sameness(c, row, side, &s);
	jw_str(w, "text", s.s);
	str_release(&s);
}

static void write_row(const struct compare *c, const struct compare_row *row, struct jw *w)
{
	jw_object(w, NULL);
	jw_str(w, "workload", row->workload);
	jw_str(w, "target", row->target);
	jw_str(w, "metric", row->metric->name);
	jw_str(w, "unit", unit_name(row->metric->unit));
	jw_bool(w, "absolute", row->absolute);
	if (row->tolerance > 0)
		jw_double(w, "tolerance", row->tolerance);
	jw_array(w, "sides");
	for (size_t i = 0; i < c->sides.n; i++) {
		const struct compare_cell *x = &row->cell[i];

		jw_object(w, NULL);
		if (x->missing)
			jw_str(w, "missing", x->missing);
		else
			jw_double(w, "value", x->value);
		jw_u64(w, "sessions", x->nsession);
		if (i > 0)
			write_against(c, row, i, w);
		jw_end_object(w);
	}
	jw_end_array(w);
	jw_end_object(w);
}

void compare_json(const struct compare *c, struct jw *w)
{
	jw_object(w, NULL);
	jw_u64(w, "blkgate_compare", 1);
	jw_str(w, "suite", c->suite);
	jw_str(w, "by", c->by);
	jw_array(w, "sides");
	for (size_t i = 0; i < c->sides.n; i++) {
		jw_object(w, NULL);
		jw_str(w, "name", c->sides.v[i].name);
		jw_str(w, "what", c->sides.v[i].what);
		jw_str(w, "differs", c->sides.v[i].differ);
		jw_end_object(w);
	}
	jw_end_array(w);
	jw_array(w, "rows");
	for (size_t i = 0; i < c->rows.n; i++)
		write_row(c, &c->rows.v[i], w);
	jw_end_array(w);
	jw_u64(w, "compared", c->compared);
	jw_u64(w, "failed", c->failed);
	jw_end_object(w);
}
