/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a suite above its workloads. */
#include <inttypes.h>
#include <string.h>

#include "suite/reader.h"
#include "suite/strset.h"

#define READ_SECTION(name)                                                                         \
	static void name(struct reader *r, const struct ynode *key, const struct ynode *node)

READ_SECTION(read_version)
{
	const char *text = rd_text(r, key, node);

	if (text && strcmp(text, "1") != 0)
		rd_hint(rd_error(r, node, "format version '%s' is not known", text),
			"this build reads 'blkgate: 1'");
}

READ_SECTION(read_name)
{
	if (!rd_text(r, key, node) || !rd_name(r, node, "name", "_+:=-"))
		return;
	r->s->name = node->text;
	if (node->cut)
		rd_hint(rd_warn(r, node, RULE_COMMENT_CUT, "the name is '%s': a comment follows",
				node->text),
			"quote the name, or put a space behind '#'");
}

READ_SECTION(read_description)
{
	if (rd_is(r, key, node, Y_SCALAR))
		r->s->description = node->text;
}

void read_waivers(struct reader *r, const struct ynode *key, const struct ynode *node, waivers *to)
{
	if (!rd_is(r, key, node, Y_MAP))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *k = node->key[i];
		const char *reason = rd_text(r, k, node->item[i]), *near;
		enum rule rule;

		if (!reason || !rd_name(r, k, "rule", "-"))
			continue;
		if (rule_find(k->text, &rule) < 0) {
			near = rule_nearest(k->text);
			rd_hint(rd_error(r, k, "waive: there is no rule '%s'", k->text),
				near ? "did you mean '%s'?" : "`blkgate lint --rules` lists them%s",
				near ? near : "");
		} else if (rule_table[rule].level == DIAG_ERROR) {
			rd_error(r, k, "waive: rule '%s' is an error and cannot be waived",
				 k->text);
		} else {
			*VEC_PUSH(to) = (struct waiver){rule, reason, k->line, k->column, false};
		}
	}
}

READ_SECTION(read_waive)
{
	read_waivers(r, key, node, &r->s->waive);
}

READ_SECTION(read_setup)
{
	read_commands(r, key, node, &r->s->setup);
}

READ_SECTION(read_teardown)
{
	read_commands(r, key, node, &r->s->teardown);
}

/* Parameters were read before anything else: their values stand in the other sections. */
READ_SECTION(read_parameters)
{
	(void)r;
	(void)key;
	(void)node;
}

/* The unit decides: .../s is a bandwidth, ... IOPS a rate, else a time. */
static bool read_figure(struct reader *r, const struct ynode *key, const struct ynode *node,
			struct datasheet *out)
{
	const char *text = rd_text(r, key, node);
	struct err e = ERR_INIT;

	if (!text)
		return false;
	if (strstr(text, "/s"))
		out->unit = UNIT_BW;
	else if (strstr(text, "IOPS"))
		out->unit = UNIT_IOPS;
	else
		out->unit = UNIT_TIME;
	if (unit_parse(out->unit, text, &out->value, &e)) {
		struct diag *g =
			rd_error(r, node, "%s: '%s' is no number with a unit", key->text, text);

		rd_hint(g, "a figure has a unit: '3230 MB/s', '340k IOPS' or '80 us'");
		return false;
	}
	if (out->value > 0)
		return true;
	rd_error(r, node, "%s: '%s' must be above 0", key->text, text);
	return false;
}

READ_SECTION(read_datasheet)
{
	if (!rd_is(r, key, node, Y_MAP))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *k = node->key[i];
		struct datasheet d = {.name = k->text, .line = k->line, .column = k->column};

		if (rd_name(r, k, "figure", "_-") && read_figure(r, k, node->item[i], &d))
			*VEC_PUSH(&r->s->datasheet) = d;
	}
}

READ_SECTION(read_budget)
{
	static const char *const keys[] = {"time", "written"};

	if (!rd_is(r, key, node, Y_MAP))
		return;
	RD_KEYS(r, node, "budget", keys);
	for (size_t i = 0; i < node->n; i++) {
		bool time = strcmp(node->key[i]->text, "time") == 0;
		uint64_t *to = time ? &r->s->budget_time : &r->s->budget_written;
		struct err e = ERR_INIT;
		const char *text;

		if (!time && strcmp(node->key[i]->text, "written") != 0)
			continue;
		text = rd_text(r, node->key[i], node->item[i]);
		if (!text)
			continue;
		if (time ? units_time(text, to, &e) : units_size(text, to, &e)) {
			err_prefix(&e, "%s", node->key[i]->text);
			rd_err(r, node->item[i], &e);
		} else if (*to == 0) {
			rd_hint(rd_error(r, node->item[i], "%s: the budget must be above 0",
					 node->key[i]->text),
				"leave the key out for no limit");
		}
	}
}

/* What a condition on the machine cannot say. */
static void refuse_parts(struct reader *r, const struct ynode *at, const struct expr *x)
{
	if (x->every_run || x->all_targets || x->spread)
		rd_error(r, at, "'%s': '%s' belongs to expect", x->text,
			 x->every_run     ? "every run:"
			 : x->all_targets ? "all targets:"
					  : "spread()");
	if (x->percent_of)
		rd_error(r, at, "'%s': 'N%% of ...' belongs to expect", x->text);
}

/* A state that comes by itself when nothing is done. */
static void check_wait(struct reader *r, const struct ynode *at, const struct expr *x, bool admit)
{
	if (!x->wait || (admit && str_eq(x->subject, "temperature")))
		return;
	rd_hint(rd_error(r, at, "'%s': nothing is gained by waiting for %s", x->text, x->subject),
		admit ? "leave 'wait' out: only the temperature is waited for"
		      : "leave 'wait' out: only a condition of admit on the temperature waits");
}

static void check_run_only(struct reader *r, const struct ynode *at, const struct expr *x)
{
	if (expr_of_a_run(x->subject))
		rd_hint(rd_error(r, at, "'%s': %s is known of a run only", x->text, x->subject),
			"it belongs into 'admit'");
}

READ_SECTION(read_conditions)
{
	exprs *to = strcmp(key->text, "admit") == 0 ? &r->s->admit : &r->s->require;

	if (!rd_is(r, key, node, Y_SEQ))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *at = node->item[i];
		const char *text = rd_text(r, key, at);
		struct expr x;

		if (!text || !rd_expr(r, at, text, &x))
			continue;
		refuse_parts(r, at, &x);
		check_wait(r, at, &x, to == &r->s->admit);
		if (to != &r->s->admit)
			check_run_only(r, at, &x);
		rd_fact(r, at, x.subject);
		rd_fact_value(r, at, &x);
		*VEC_PUSH(to) = x;
	}
}

static void read_facts(struct reader *r, const struct ynode *key, const struct ynode *node,
		       fact_names *to, struct strset *seen)
{
	if (!rd_is(r, key, node, Y_SEQ))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *at = node->item[i];
		const char *text = rd_text(r, key, at);
		uint32_t line;

		if (!text)
			continue;
		if (!strset_add(seen, text, at->line, &line)) {
			rd_error(r, at, "fact '%s' is named twice in compare, first on line %u",
				 text, line);
			continue;
		}
		rd_fact(r, at, text);
		*VEC_PUSH(to) = text;
	}
}

READ_SECTION(read_compare)
{
	static const char *const keys[] = {"under_test", "must_match", "note"};
	fact_names *to[] = {&r->s->under_test, &r->s->must_match, &r->s->note};
	struct strset seen;

	if (!rd_is(r, key, node, Y_MAP))
		return;
	RD_KEYS(r, node, "compare", keys);
	strset_init(&seen);
	for (size_t i = 0; i < node->n; i++)
		for (size_t k = 0; k < 3; k++)
			if (strcmp(node->key[i]->text, keys[k]) == 0)
				read_facts(r, node->key[i], node->item[i], to[k], &seen);
	strset_release(&seen);
}

READ_SECTION(read_policy)
{
	if (!rd_is(r, key, node, Y_MAP))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const char *text = rd_text(r, node->key[i], node->item[i]);
		struct err e = ERR_INIT;

		if (text && policy_set(&r->s->policy, node->key[i]->text, text, &e))
			rd_err(r,
			       policy_word(&r->s->policy, node->key[i]->text) ? node->item[i]
									      : node->key[i],
			       &e);
	}
}

READ_SECTION(read_session_sd)
{
	double v;

	if (!rd_percent(r, key, node, &v))
		return;
	if (v > 0 && v <= 0.5)
		r->s->assumed_session_sd = v;
	else
		rd_error(r, node, "'%s' is out of range: above 0%%, at most 50%%", key->text);
}

/* Two numbers with something else between them than the two points. */
static bool looks_like_range(const char *text, uint64_t *min, uint64_t *max)
{
	const char *s = text;

	if (!str_take_u64(&s, min))
		return false;
	while (*s && !c_isdigit(*s))
		s++;
	return *s && str_to_u64(s, max);
}

/* "1..5" or "3". */
static void read_sessions(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	const char *text = rd_text(r, key, node), *dots;
	uint64_t min, max;
	struct err e = ERR_INIT;

	if (!text)
		return;
	dots = strstr(text, "..");
	if (units_count(dots ? arena_strndup(&r->scratch, text, (size_t)(dots - text)) : text, &min,
			&e) ||
	    units_count(dots ? dots + 2 : text, &max, &e)) {
		if (looks_like_range(text, &min, &max)) {
			rd_hint(rd_error(r, node, "sessions: '%s' is no range", text),
				"write %" PRIu64 "..%" PRIu64, min, max);
			return;
		}
		err_prefix(&e, "sessions");
		rd_err(r, node, &e);
	} else if (min < 1 || max > 5 || min > max) {
		rd_hint(rd_error(r, node, "sessions: '%s' is out of range", text),
			"one to five sessions: '1..5' or '3'");
	} else {
		r->s->sessions_min = (uint32_t)min;
		r->s->sessions_max = (uint32_t)max;
	}
}

READ_SECTION(read_defaults)
{
	if (!rd_is(r, key, node, Y_MAP))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct word *w;

		if (strcmp(node->key[i]->text, "sessions") == 0) {
			read_sessions(r, node->key[i], node->item[i]);
			continue;
		}
		w = read_word(r, node->key[i], node->item[i]);
		if (w)
			*VEC_PUSH(&r->s->defaults) = (struct word_value){w, node->item[i]};
	}
}

static void refuse_equal_names(struct reader *r)
{
	struct strset seen;
	uint32_t line;

	strset_init(&seen);
	for (size_t i = 0; i < r->s->workloads.n; i++) {
		const struct workload *w = &r->s->workloads.v[i];
		struct ynode at = {.line = w->line, .column = w->column};

		if (w->name && !strset_add(&seen, w->name, w->line, &line))
			rd_hint(rd_error(r, &at,
					 "workload name '%s' is used twice, first on line %u",
					 w->name, line),
				"every test case needs a name of its own; '#' after a space starts "
				"a "
				"comment");
	}
	strset_release(&seen);
}

READ_SECTION(read_workloads)
{
	if (!rd_is(r, key, node, Y_SEQ))
		return;
	if (node->n == 0)
		rd_hint(rd_error(r, node, "the suite has no workloads"),
			"a suite that measures nothing cannot pass");
	for (size_t i = 0; i < node->n; i++)
		read_workload(r, node->item[i]);
	refuse_equal_names(r);
}

/* In the order of reading: waivers before warnings, defaults and figures before workloads. */
const struct section sections[] = {
	{"blkgate", read_version, "add 'blkgate: 1' as its first line: the version of the format"},
	{"waive", read_waive, NULL},
	{"name", read_name, "add 'name: NAME': baselines and reports are kept under it"},
	{"description", read_description, NULL},
	{"parameters", read_parameters, NULL},
	{"labels", read_labels, NULL},
	{"datasheet", read_datasheet, NULL},
	{"budget", read_budget, NULL},
	{"requires", read_conditions, NULL},
	{"admit", read_conditions, NULL},
	{"compare", read_compare, NULL},
	{"policy", read_policy, NULL},
	{"baseline", read_baseline, NULL},
	{"setup", read_setup, NULL},
	{"teardown", read_teardown, NULL},
	{"assumed_session_sd", read_session_sd, NULL},
	{"defaults", read_defaults, NULL},
	{"workloads", read_workloads,
	 "add 'workloads:' with at least one '- {name: NAME, rw: read}'"},
	{"known", read_known, NULL},
};
const size_t nsections = sizeof(sections) / sizeof(*sections);
