/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that take a mapping: what is done to a target before it is measured, and settings of the
 * kernel. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/units.h"
#include "model/precondition.h"
#include "suite/words_read.h"
#include "suite/yaml.h"

static bool add_lines(struct str *s, const struct ynode *map, const char *before)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct ynode *item = map->item[i];

		if (item->kind == Y_SCALAR && !strchr(item->text, '\n')) {
			str_addf(s, "%s%s=%s\n", before, map->key[i]->text, item->text);
		} else if (item->kind == Y_MAP && !*before) {
			char *inner = xasprintf("%s.", map->key[i]->text);
			bool ok = true;

			if (item->n == 0) /* all of it as it is without a word */
				str_addf(s, "%s=\n", inner);
			else
				ok = add_lines(s, item, inner);
			free(inner);
			if (!ok)
				return false;
		} else {
			return false;
		}
	}
	return true;
}

const char *word_map_text(const struct ynode *map, struct arena *a)
{
	struct str s;
	const char *text;

	str_init(&s);
	text = add_lines(&s, map, "") ? arena_strdup(a, s.s ? s.s : "") : NULL;
	str_release(&s);
	return text;
}

/* One "key=value" line; false at the end. */
static bool next_line(const char **text, struct arena *a, char **key, char **value)
{
	const char *s = *text, *end, *eq;

	if (!*s)
		return false;
	end = strchrnul(s, '\n');
	eq = memchr(s, '=', (size_t)(end - s));
	if (!eq)
		eq = end;
	*key = arena_strndup(a, s, (size_t)(eq - s));
	*value = arena_strndup(a, eq < end ? eq + 1 : end, eq < end ? (size_t)(end - eq - 1) : 0);
	*text = *end ? end + 1 : end;
	return true;
}

static int bad(struct err *e, const char *key, const char *value, const char *takes)
{
	err_set(e, ERR_SUITE, "precondition: %s is '%s'", key, value);
	return err_hint(e, "it takes %s", takes);
}

static int base_error(struct err *e, const char *key)
{
	e->code = ERR_SUITE;
	return err_prefix(e, "precondition: %s", key);
}

static int read_trim(const char *key, const char *value, struct precondition *p, struct err *e)
{
	return units_bool(value, &p->trim, e) ? base_error(e, key) : 0;
}

static int read_fill(const char *key, const char *value, struct precondition *p, struct err *e)
{
	if (str_eq(value, "random"))
		p->fill = FILL_RANDOM;
	else if (str_eq(value, "sequential"))
		p->fill = FILL_SEQUENTIAL;
	else
		return bad(e, key, value, "sequential or random");
	return 0;
}

static int read_loops(const char *key, const char *value, struct precondition *p, struct err *e)
{
	uint64_t n;

	if (units_count(value, &n, e))
		return base_error(e, key);
	if (n < 1 || n > 100)
		return bad(e, key, value, "1 to 100");
	p->loops = (uint32_t)n;
	return 0;
}

static int read_bs(const char *key, const char *value, struct precondition *p, struct err *e)
{
	uint64_t n;

	if (units_size(value, &n, e))
		return base_error(e, key);
	if (n < 512 || n > 64 << 20)
		return bad(e, key, value, "512 to 64MiB");
	p->bs = (uint32_t)n;
	return 0;
}

/* Whether there is such a metric is the plan's to know. */
static int read_metric(const char *key, const char *value, struct precondition *p, struct err *e)
{
	for (const char *s = value; *s; s++)
		if (!c_isalnum(*s) && !strchr("._", *s))
			return bad(e, key, value, "a metric: total.iops, write.bw, write.lat.mean");
	p->metric = value;
	return 0;
}

static int read_rounds(const char *key, const char *value, struct precondition *p, struct err *e)
{
	const char *s = value;
	uint64_t min, max;

	if (!str_take_u64(&s, &min) || (*s && (!str_starts(s, "..") || !str_to_u64(s + 2, &max))))
		return bad(e, key, value, "5..25, or a number");
	if (!*s)
		max = min;
	if (min < STEADY_WINDOW || max < min || max > STEADY_ROUNDS_LIMIT)
		return bad(e, key, value,
			   "5..25: the window has five rounds, and 1000 is the most");
	p->rounds_min = (uint32_t)min;
	p->rounds_max = (uint32_t)max;
	return 0;
}

static int read_round(const char *key, const char *value, struct precondition *p, struct err *e)
{
	if (units_time(value, &p->round, e))
		return base_error(e, key);
	return p->round < 100 * NS_PER_MS ? bad(e, key, value, "a time of 100ms or more: 60s") : 0;
}

static int read_share(const char *key, const char *value, double *out, struct err *e)
{
	if (units_percent(value, out, e))
		return base_error(e, key);
	return *out > 0 && *out <= 1 ? 0 : bad(e, key, value, "more than 0 % and up to 100 %");
}

static int read_range(const char *key, const char *value, struct precondition *p, struct err *e)
{
	return read_share(key, value, &p->range, e);
}

static int read_slope(const char *key, const char *value, struct precondition *p, struct err *e)
{
	return read_share(key, value, &p->slope, e);
}

static int refuse_format(const char *key, const char *value, struct precondition *p, struct err *e)
{
	(void)key;
	(void)value;
	(void)p;
	err_set(e, ERR_SUITE, "precondition: blkgate does not format a drive");
	return err_hint(e, "`trim: true` discards the region; a format belongs into the suite's "
			   "setup: [[nvme, format, ...]]");
}

#define STEADY "steady_state."
static const struct part {
	const char *key;
	int (*read)(const char *key, const char *value, struct precondition *p, struct err *e);
} parts[] = {
	{"trim", read_trim},
	{"fill", read_fill},
	{"loops", read_loops},
	{"bs", read_bs},
	{"format", refuse_format},
	{STEADY "metric", read_metric},
	{STEADY "rounds", read_rounds},
	{STEADY "round", read_round},
	{STEADY "range", read_range},
	{STEADY "slope", read_slope},
};
enum { NPARTS = sizeof(parts) / sizeof(*parts) };

static int read_part(const char *key, const char *value, struct precondition *p, struct err *e)
{
	const char *names[NPARTS], *near;

	for (size_t i = 0; i < NPARTS; i++) {
		names[i] = parts[i].key;
		if (str_eq(parts[i].key, key))
			return *value ? parts[i].read(key, value, p, e)
				      : bad(e, key, value, "a value");
	}
	near = str_nearest(key, names, NPARTS);
	err_set(e, ERR_SUITE, "precondition: unknown key '%s'", key);
	if (near)
		return err_hint(e, "did you mean '%s'?", near);
	return err_hint(e, "it takes trim, fill, loops, bs, and steady_state: {metric, rounds, "
			   "round, range, slope}");
}

static int settle(struct precondition *p, bool steady, struct err *e)
{
	if (p->fill == FILL_NONE && (p->loops || p->bs)) {
		err_set(e, ERR_SUITE, "precondition: %s without fill fills nothing",
			p->loops ? "loops" : "bs");
		return err_hint(e, "fill: sequential, or fill: random");
	}
	if (p->fill != FILL_NONE && !p->loops)
		p->loops = 1;
	if (p->fill != FILL_NONE && !p->bs)
		p->bs = p->fill == FILL_RANDOM ? 4 << 10 : 128 << 10;
	if (steady) {
		p->metric = p->metric ? p->metric : "total.iops";
		p->rounds_min = p->rounds_min ? p->rounds_min : STEADY_WINDOW;
		p->rounds_max = p->rounds_max ? p->rounds_max : STEADY_ROUNDS_MAX;
		p->round = p->round ? p->round : 60 * NS_PER_SEC;
		p->range = p->range > 0 ? p->range : 0.2;
		p->slope = p->slope > 0 ? p->slope : 0.1;
	}
	if (p->trim || p->fill != FILL_NONE || steady)
		return 0;
	err_set(e, ERR_SUITE, "precondition: it asks for nothing");
	return err_hint(e, "name trim, fill or steady_state, or leave it out");
}

WORD_READER(word_read_precondition)
{
	struct precondition p = {0};
	bool steady = false;
	char *key, *value;
	struct str out;

	(void)w;
	while (next_line(&text, a, &key, &value)) {
		bool inner = str_starts(key, STEADY);

		steady |= inner;
		if (inner && !key[strlen(STEADY)])
			continue;
		if (read_part(key, value, &p, e))
			return e->code;
	}
	if (settle(&p, steady, e))
		return e->code;
	str_init(&out);
	precondition_add(&p, &out);
	j->precondition = arena_strdup(a, out.s);
	str_release(&out);
	return 0;
}

static void show(const struct precondition *p, struct str *out)
{
	if (p->trim)
		str_add(out, "trim");
	if (p->fill != FILL_NONE) {
		str_addf(out, "%sfill %s", out->len ? ", " : "",
			 p->fill == FILL_RANDOM ? "random" : "sequential");
		if (p->loops > 1)
			str_addf(out, " %u times", p->loops);
		str_add(out, " with bs ");
		unit_format_size(out, p->bs);
	}
	if (p->metric) {
		str_addf(out, "%ssteady %s in %u..%u rounds of ", out->len ? ", " : "", p->metric,
			 p->rounds_min, p->rounds_max);
		unit_format_duration(out, p->round);
		str_addf(out, " (range %.4g %%, slope %.4g %%)", p->range * 100, p->slope * 100);
	}
}

WORD_SHOWER(word_show_precondition)
{
	struct precondition p;
	struct arena a;
	struct str s;

	(void)w;
	arena_init(&a);
	str_init(&s);
	if (precondition_read(j->precondition, &a, &p) == 0)
		show(&p, &s);
	str_addn(out, s.s, s.len);
	str_release(&s);
	arena_release(&a);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tunable *)a)->name, ((const struct tunable *)b)->name);
}

/* Whether there is such a setting is the plan's to know. */
WORD_READER(word_read_tunables)
{
	struct tunable_list l = {0};
	char *key, *value;
	struct str out;

	while (next_line(&text, a, &key, &value)) {
		if (!*key || strpbrk(key, ",= ") || !*value) {
			err_set(e, ERR_SUITE, "%s: '%s: %s' is no setting with a value", w->name,
				key, value);
			return err_hint(e, "{scheduler: none, sysctl:vm.dirty_ratio: 10}");
		}
		if (l.n == TUNABLES_MAX)
			return err_set(e, ERR_SUITE, "%s: more than %d settings", w->name,
				       TUNABLES_MAX);
		l.v[l.n++] = (struct tunable){key, value};
	}
	if (!l.n) {
		err_set(e, ERR_SUITE, "%s: it holds no setting", w->name);
		return err_hint(e, "leave it out");
	}
	qsort(l.v, l.n, sizeof(*l.v), by_name);
	str_init(&out);
	tunables_add(&l, &out);
	j->tunables = arena_strdup(a, out.s);
	str_release(&out);
	return 0;
}
