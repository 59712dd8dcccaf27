/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a workload demands: expect, gate, and the suite's list of known losses. */
#include <string.h>

#include "base/clock.h"
#include "suite/reader.h"
#include "suite/strset.h"

/* The text of an item: a string, or {every run: ...}, which is what YAML makes of it unquoted. */
static const char *expect_text(struct reader *r, const struct ynode *key, const struct ynode *item,
			       const struct ynode **at)
{
	const char *prefix;

	*at = item;
	if (item->kind != Y_MAP || item->n != 1)
		return rd_text(r, key, item);
	prefix = item->key[0]->text;
	if (strcmp(prefix, "every run") != 0 && strcmp(prefix, "all targets") != 0) {
		if (item->item[0]->kind == Y_SCALAR) {
			rd_hint(rd_error(r, item, "'%s' is no expectation", prefix),
				"write 'read.bw >= 5 MB/s'; only 'every run:' and 'all targets:' "
				"take a colon");
			return NULL;
		}
		return rd_text(r, key, item);
	}
	*at = item->item[0];
	const char *text = rd_text(r, item->key[0], *at);

	return text ? arena_printf(&r->scratch, "%s: %s", prefix, text) : NULL;
}

static void check_reference(struct reader *r, const struct ynode *at, const struct expr *x)
{
	const char *names[64], *near, *name;
	size_t n = 0;

	if (!x->percent_of || !str_starts(x->percent_of, "datasheet."))
		return;
	name = x->percent_of + strlen("datasheet.");
	for (size_t i = 0; i < r->s->datasheet.n; i++) {
		if (strcmp(r->s->datasheet.v[i].name, name) == 0)
			return;
		if (n < sizeof(names) / sizeof(*names))
			names[n++] = r->s->datasheet.v[i].name;
	}
	near = str_nearest(name, names, n);
	rd_hint(rd_error(r, at, "'%s': the datasheet has no '%s'", x->text, name),
		near ? "did you mean 'datasheet.%s'?" : "add '%s' to 'datasheet'",
		near ? near : name);
}

static const char *bound_word(enum check_op op)
{
	switch (op) {
	case OP_GE:
	case OP_GT:
		return "floors";
	case OP_LE:
	case OP_LT:
		return "ceilings";
	default:
		return "equal conditions";
	}
}

static void needs_targets(struct reader *r, const struct ynode *at, const struct expr *x)
{
	rd_hint(rd_error(r, at, "'%s': the workload has no total over the targets", x->text),
		"add 'targets: all', which runs it on all of them at the same time");
}

void read_expect(struct reader *r, struct workload *w, const struct ynode *key,
		 const struct ynode *node)
{
	struct strset seen;

	if (!rd_is(r, key, node, Y_SEQ))
		return;
	if (node->n == 0)
		rd_hint(rd_error(r, node, "'expect' is empty"),
			"remove the key when nothing is expected");
	strset_init(&seen);
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *at;
		const char *text = expect_text(r, key, node->item[i], &at), *kind;
		struct expr x;
		uint32_t line;

		if (!text || !rd_expr(r, at, text, &x))
			continue;
		if (x.wait)
			rd_error(r, at, "'%s': 'wait' has no meaning for a measured value", x.text);
		check_reference(r, at, &x);
		if (x.all_targets && !w->all_targets)
			needs_targets(r, at, &x);
		kind = arena_printf(&r->scratch, "%s %s %s%s%s%s", x.subject, bound_word(x.op),
				    x.percent_of ? x.percent_of : "",
				    x.every_run ? " every run" : "",
				    x.all_targets ? " all targets" : "", x.spread ? " spread" : "");
		if (!strset_add(&seen, kind, at->line, &line))
			rd_hint(rd_error(r, at,
					 "'%s': two %s of one metric and reference, first on line "
					 "%u",
					 x.text, bound_word(x.op), line),
				"keep the stricter one");
		*VEC_PUSH(&w->expect) = x;
	}
	strset_release(&seen);
}

/* "5%" is a share; with a unit it is absolute, and the unit says of what. */
static bool read_tolerance(struct reader *r, const struct ynode *node, const char *text,
			   struct gate_entry *g)
{
	const char *number = text + (*text == '+');
	struct err e = ERR_INIT;

	g->tolerance_text = text;
	if (!node->raw) {
		g->at_line = node->line;
		g->at_column = node->column;
	}
	if (str_ends(text, "%"))
		g->unit = UNIT_RATIO;
	else if (strstr(text, "/s"))
		g->unit = UNIT_BW;
	else if (str_ends(text, "IOPS"))
		g->unit = UNIT_IOPS;
	else if (str_ends(text, "B"))
		g->unit = UNIT_BYTES;
	else if (*text == '+' && number[strspn(number, " 0123456789")] == '\0')
		g->unit = UNIT_COUNT;
	else
		g->unit = UNIT_TIME;
	g->absolute = g->unit != UNIT_RATIO;
	if (*text == '-') {
		rd_hint(rd_error(r, node, "tolerance '%s' has a sign", text),
			"a tolerance is a size: the metric knows which direction is worse");
		return false;
	}
	if (unit_parse(g->unit, number, &g->tolerance, &e)) {
		double bare;
		struct diag *d = units_number(number, &bare, &(struct err){0})
					 ? rd_error(r, node, "tolerance: %s", e.text)
					 : rd_error(r, node, "tolerance '%s' has no unit", text);

		rd_hint(d, "write '5%%', or an absolute one with its unit: '+50ms', '+10 MB/s', "
			   "'+500 IOPS', of a count '+3'");
		return false;
	}
	if (g->tolerance > 0 && (g->absolute || g->tolerance <= 10))
		return true;
	rd_error(r, node, "tolerance '%s' is out of range: above 0%s", text,
		 g->absolute ? "" : ", at most 1000%");
	return false;
}

static bool read_role(struct reader *r, const struct ynode *key, const struct ynode *node,
		      struct gate_entry *g)
{
	static const char *const roles[] = {"primary", "watch"};
	const char *text = rd_text(r, key, node), *near;

	if (!text)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (strcmp(text, roles[i]) != 0)
			continue;
		g->role = (enum check_role)i;
		return true;
	}
	near = str_nearest(text, roles, 2);
	rd_hint(rd_error(r, node, "role '%s' is none of primary watch", text),
		near ? "did you mean '%s'?" : "watch: shown and never red%s", near ? near : "");
	return false;
}

static bool read_gate_value(struct reader *r, const struct ynode *key, const struct ynode *node,
			    struct gate_entry *g)
{
	static const char *const keys[] = {"tolerance", "role"};
	struct ynode *at = NULL;
	const struct ynode *tolerance, *role;
	const char *text;

	if (node->kind == Y_SCALAR) {
		text = rd_text(r, key, node);
		return text && read_tolerance(r, node, text, g);
	}
	if (!rd_is(r, key, node, Y_MAP))
		return false;
	RD_KEYS(r, node, "a gate", keys);
	role = yaml_get(node, "role", &at);
	if (role && !read_role(r, at, role, g))
		return false;
	tolerance = yaml_get(node, "tolerance", &at);
	if (!tolerance) {
		rd_hint(rd_error(r, node, "gate '%s' has no 'tolerance'", key->text),
			"write '%s: {tolerance: 5%%}'", key->text);
		return false;
	}
	text = rd_text(r, at, tolerance);
	return text && read_tolerance(r, tolerance, text, g);
}

/* Only the shape: whether there is such a metric is the plan's to know. */
static bool metric_shape(struct reader *r, const struct ynode *key)
{
	const char *s = key->text;
	struct diag *g;

	while ((*s >= 'a' && *s <= 'z') || c_isdigit(*s) || *s == '_' ||
	       (*s == '.' && s > key->text && s[-1] != '.' && s[1]))
		s++;
	if (s > key->text && !*s)
		return true;
	g = rd_error(r, key, "'%s' is no name of a metric", key->text);
	if (strpbrk(key->text, "<>="))
		rd_hint(g, "a gate compares with the baseline: a condition belongs into 'expect'");
	else
		rd_hint(g, "metrics are written like 'read.bw' or 'read.clat.p99'");
	return false;
}

void read_gate(struct reader *r, struct workload *w, const struct ynode *key,
	       const struct ynode *node)
{
	if (node->kind == Y_SEQ) {
		rd_hint(rd_error(r, node, "'gate' expects a mapping, not a list"),
			"write 'gate: {read.bw: 5%%}'");
		return;
	}
	if (!rd_is(r, key, node, Y_MAP))
		return;
	if (node->n == 0)
		rd_hint(rd_error(r, node, "'gate' is empty"),
			"remove the key when nothing is gated");
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *k = node->key[i];
		struct gate_entry g = {.metric = k->text, .line = k->line, .column = k->column};

		if (strcmp(k->text, "role") == 0 || strcmp(k->text, "tolerance") == 0) {
			rd_hint(rd_error(r, k, "'%s' stands beside the metrics of the gate",
					 k->text),
				"it is of one metric: 'read.iops: {tolerance: 5%%, role: watch}'");
			continue;
		}
		if (metric_shape(r, k) && read_gate_value(r, k, node->item[i], &g))
			*VEC_PUSH(&w->gate) = g;
	}
}

/*
 * A regression takes two sessions that agree: in a suite that never makes a second one the largest
 * loss stays inconclusive. What watches only, or expects, needs one.
 */
void gates_check(struct reader *r)
{
	if (r->s->sessions_max > 1)
		return;
	for (size_t i = 0; i < r->s->workloads.n; i++) {
		const struct workload *w = &r->s->workloads.v[i];

		for (size_t k = 0; k < w->gate.n; k++) {
			const struct gate_entry *g = &w->gate.v[k];
			const struct ynode at = {.line = g->line, .column = g->column};

			if (g->role == ROLE_WATCH)
				continue;
			rd_hint(rd_broken(r, &at, RULE_CANNOT_TURN_RED,
					  "gate '%s' can never turn red: the suite has 1 session, "
					  "and "
					  "a regression is told by two",
					  g->metric),
				"'sessions: 1..2' at least, or 'role: watch'");
			break; /* one finding a workload */
		}
	}
}

/* "WORKLOAD gate METRIC", three words. */
static bool known_check(struct reader *r, const struct ynode *node)
{
	const char *first = strchr(node->text, ' '),
		   *second = first ? strchr(first + 1, ' ') : NULL;

	if (second && first > node->text && second[1] && !strchr(second + 1, ' ') &&
	    (size_t)(second - first) == strlen(" gate") && str_starts(first, " gate "))
		return true;
	rd_hint(rd_error(r, node, "known: '%s' is no gate", node->text),
		"write it as reports do: \"rand-4k:rw=randread:iodepth=32 gate read.iops\"");
	return false;
}

static bool known_until(struct reader *r, const struct ynode *node, int64_t *out)
{
	if (clock_parse_utc(node->text, out)) {
		rd_hint(rd_error(r, node, "until: '%s' is no date", node->text),
			"write '2027-01-31'");
		return false;
	}
	if (!strchr(node->text, 'T')) /* the day itself still counts */
		*out += 24 * 60 * 60 - 1;
	return true;
}

static void read_known_entry(struct reader *r, const struct ynode *map, struct strset *seen)
{
	static const char *const keys[] = {"check", "no_worse_than", "ticket", "until"};
	static const struct ynode what = {.kind = Y_SCALAR, .text = "known"};
	struct known_entry k = {.line = map->line, .column = map->column};
	const struct ynode *node[4];
	bool ok = true;
	uint32_t line;

	if (!rd_is(r, &what, map, Y_MAP))
		return;
	RD_KEYS(r, map, "known", keys);
	for (unsigned i = 0; i < 4; i++) {
		struct ynode *key = NULL;

		node[i] = yaml_get(map, keys[i], &key);
		if (!node[i])
			rd_hint(rd_error(r, map, "an entry of known has no '%s'", keys[i]),
				"an excuse names its check, its floor, its ticket and its last "
				"day");
		ok &= node[i] && rd_text(r, key, node[i]);
	}
	if (!ok)
		return;
	k.check = node[0]->text;
	k.ticket = node[2]->text;
	ok = known_check(r, node[0]);
	ok &= rd_percent(r, &(struct ynode){.kind = Y_SCALAR, .text = keys[1]}, node[1],
			 &k.no_worse_than);
	ok &= known_until(r, node[3], &k.until);
	if (ok && !(k.no_worse_than > 0 && k.no_worse_than < 1)) {
		rd_error(r, node[1], "no_worse_than: '%s' is out of range: above 0%%, below 100%%",
			 node[1]->text);
		return;
	}
	if (ok && !strset_add(seen, k.check, map->line, &line))
		rd_error(r, node[0], "known: '%s' stands twice, first on line %u", k.check, line);
	else if (ok)
		*VEC_PUSH(&r->s->known) = k;
}

void read_known(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	struct strset seen;

	if (!rd_is(r, key, node, Y_SEQ))
		return;
	strset_init(&seen);
	for (size_t i = 0; i < node->n; i++)
		read_known_entry(r, node->item[i], &seen);
	strset_release(&seen);
}
