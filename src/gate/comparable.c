/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/comparable.h"
#include <stdlib.h>
#include <string.h>

static const char *const must_match_default[] = {
	"device.model", "device.capacity",    "device.lba_format", "device.transport",
	"link",         "device.write_cache", "fs.type",           "fs.options",
	"cpu.model",    "cgroup.limit",       "power.source",      "device.scheduler",
};
static const char *const under_test_default[] = {"kernel.release", "kernel.cmdline"};
/* Different in every session of an unchanged machine: saying so would only hide what matters. */
static const char *const restless[] = {"boot.id", "target.size", "target.id", "target.path"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_NOTES 4u

static bool listed(const char *const *v, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i], key) == 0)
			return true;
	return false;
}

/* What counts up while the device is used, or moves by itself: no two sessions of an unchanged
 * machine have the same. */
static bool counts_up(const char *key)
{
	static const char *const counters[] = {"temperature", "device.io_errors",
					       "pcie.correctable", "pcie.nonfatal", "pcie.fatal"};

	return str_starts(key, "health.") || listed(counters, COUNT(counters), key);
}

/* Of it a reader is told where it tells of wear or damage. */
static bool no_news(const char *key)
{
	static const char *const news[] = {"health.percentage_used",  "health.available_spare",
					   "health.critical_warning", "health.media_errors",
					   "device.io_errors",        "pcie.fatal"};

	return listed(restless, COUNT(restless), key) ||
	       (counts_up(key) && !listed(news, COUNT(news), key));
}

/* Length of the rule when it covers the key, else 0. */
static size_t covers(const char *rule, const char *key)
{
	size_t n = strlen(rule);

	return strncmp(rule, key, n) == 0 && (key[n] == '\0' || key[n] == '.') ? n : 0;
}

static void try_rules(const char *const *v, size_t n, enum fact_class cls, const char *key,
		      size_t *best, enum fact_class *out)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = covers(v[i], key);

		if (len == 0 || len < *best || (len == *best && cls < *out))
			continue;
		*best = len;
		*out = cls;
	}
}

enum fact_class fact_class_of(const struct compare_rules *c, const char *key)
{
	enum fact_class cls = FACT_NOTE;
	size_t best = 0;

	if (c) {
		try_rules(c->note.v, c->note.n, FACT_NOTE, key, &best, &cls);
		try_rules(c->under_test.v, c->under_test.n, FACT_UNDER_TEST, key, &best, &cls);
		try_rules(c->must_match.v, c->must_match.n, FACT_MUST_MATCH, key, &best, &cls);
	}
	if (best > 0)
		return cls;
	try_rules(must_match_default, COUNT(must_match_default), FACT_MUST_MATCH, key, &best, &cls);
	try_rules(under_test_default, COUNT(under_test_default), FACT_UNDER_TEST, key, &best, &cls);
	/* "ROLE:KEY" of the total over all targets is what KEY is of one */
	if (best == 0 && strchr(key, ':'))
		return fact_class_of(c, strchr(key, ':') + 1);
	return cls;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct keys {
	const char **v;
	size_t n;
};

static void add_keys(struct keys *k, const struct facts *f)
{
	for (size_t i = 0; f && i < f->n; i++)
		k->v[k->n++] = f->v[i].key;
}

/* The union of the keys of both sides, sorted, each once. */
static struct keys all_keys(struct fact_side a, struct fact_side b)
{
	const struct facts *f[4] = {a.target, a.host, b.target, b.host};
	size_t room = 1, n = 0;
	struct keys k = {0};

	for (unsigned i = 0; i < 4; i++)
		room += f[i] ? f[i]->n : 0;
	k.v = xcalloc(room, sizeof(*k.v));
	for (unsigned i = 0; i < 4; i++)
		add_keys(&k, f[i]);
	qsort(k.v, k.n, sizeof(*k.v), by_text);
	for (size_t i = 0; i < k.n; i++)
		if (n == 0 || strcmp(k.v[n - 1], k.v[i]) != 0)
			k.v[n++] = k.v[i];
	k.n = n;
	return k;
}

static const struct fact *side_find(struct fact_side s, const char *key)
{
	const struct fact *f = s.target ? facts_find(s.target, key) : NULL;

	return f || !s.host ? f : facts_find(s.host, key);
}

static void add_value(struct str *out, const struct fact *f)
{
	if (!f)
		str_add(out, "absent");
	else if (f->value)
		str_add(out, f->value);
	else if (f->why && *f->why)
		str_addf(out, "unreadable (%s)", f->why);
	else
		str_add(out, "unreadable");
}

static void add_change(struct str *out, const char *key, const struct fact *a, const struct fact *b)
{
	str_addf(out, "%s ", key);
	add_value(out, a);
	str_add(out, " -> ");
	add_value(out, b);
}

static bool known_equal(const struct fact *a, const struct fact *b)
{
	return a && b && a->value && b->value && strcmp(a->value, b->value) == 0;
}

unsigned comparable_differences(const struct compare_rules *c, struct fact_side old_side,
				struct fact_side new_side, struct str *out)
{
	struct keys k = all_keys(old_side, new_side);
	unsigned n = 0;

	for (size_t i = 0; i < k.n; i++) {
		const struct fact *a = side_find(old_side, k.v[i]),
				  *b = side_find(new_side, k.v[i]);

		if (fact_class_of(c, k.v[i]) != FACT_MUST_MATCH || known_equal(a, b))
			continue;
		str_add(out, n++ ? "; " : "");
		add_change(out, k.v[i], a, b);
	}
	free(k.v);
	return n;
}

/* Unreadable before and after is no news, for a fact that need not match. */
static bool changed(const struct fact *a, const struct fact *b)
{
	if (a && b && !a->value && !b->value)
		return false;
	return !known_equal(a, b);
}

/* A label says what no machine can read, so that another one is another thing, unless the suite
 * lists it as a note. */
static bool tells_apart(const struct compare_rules *c, const char *key)
{
	const char *role = strchr(key, ':');
	enum fact_class cls = FACT_NOTE;
	size_t best = 0;

	if (!str_starts(role ? role + 1 : key, "label."))
		return false;
	if (c)
		try_rules(c->note.v, c->note.n, FACT_NOTE, key, &best, &cls);
	return best == 0;
}

unsigned comparable_other(const struct compare_rules *c, struct fact_side a_side,
			  struct fact_side b_side, bool all, struct str *out)
{
	/* kept by no machine: free space, names given at boot, what moves by itself */
	static const char *const moving[] = {
		"device.name", "device.diskseq", "device.address", "device.controllers",
		"pcie.path",   "pcie.narrowest", "pcie.limited_by"};
	struct keys k = all_keys(a_side, b_side);
	unsigned n = 0;

	for (size_t i = 0; i < k.n; i++) {
		const struct fact *a = side_find(a_side, k.v[i]), *b = side_find(b_side, k.v[i]);
		enum fact_class cls = fact_class_of(c, k.v[i]);
		bool differs = cls == FACT_MUST_MATCH ? !known_equal(a, b) : changed(a, b);

		if (cls == FACT_NOTE && !tells_apart(c, k.v[i]) &&
		    (!all || counts_up(k.v[i]) || listed(restless, COUNT(restless), k.v[i]) ||
		     listed(moving, COUNT(moving), k.v[i])))
			continue;
		if (!differs)
			continue;
		str_add(out, n++ ? "; " : "");
		add_change(out, k.v[i], a, b);
	}
	free(k.v);
	return n;
}

/* What is said of a change: under test first, then notes; of these last what only one side holds,
 * which may be no change but a fact that was not read then. */
enum turn { TURN_TESTED, TURN_NOTED, TURN_ONE_SIDED, TURNS };

static bool its_turn(enum turn turn, enum fact_class cls, const struct fact *a,
		     const struct fact *b)
{
	switch (turn) {
	case TURN_TESTED:
		return cls == FACT_UNDER_TEST;
	case TURN_NOTED:
		return cls == FACT_NOTE && a && b;
	default:
		return cls == FACT_NOTE && !(a && b);
	}
}

void comparable_changes(const struct compare_rules *c, struct fact_side old_side,
			struct fact_side new_side, struct str *out)
{
	struct keys k = all_keys(old_side, new_side);
	unsigned tested = 0, notes = 0;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		bool note = turn != TURN_TESTED;

		if (turn == TURN_NOTED && tested == 0)
			str_add(out, "nothing under test changed");
		for (size_t i = 0; i < k.n; i++) {
			const struct fact *a = side_find(old_side, k.v[i]),
					  *b = side_find(new_side, k.v[i]);

			if (!its_turn((enum turn)turn, fact_class_of(c, k.v[i]), a, b) ||
			    !changed(a, b))
				continue;
			if (note && (no_news(k.v[i]) || ++notes > MAX_NOTES))
				continue;
			str_add(out, note || tested++ ? "; " : "");
			add_change(out, k.v[i], a, b);
			str_add(out, note ? " (note)" : " (under test)");
		}
	}
	if (notes > MAX_NOTES)
		str_addf(out, "; %u more notes", notes - MAX_NOTES);
	free(k.v);
}

/* The suite's own word on a key; FACT_NOTE also when it says nothing. */
static bool says(const struct compare_rules *c, const char *key, enum fact_class *cls)
{
	size_t best = 0;

	*cls = FACT_NOTE;
	try_rules(c->note.v, c->note.n, FACT_NOTE, key, &best, cls);
	try_rules(c->under_test.v, c->under_test.n, FACT_UNDER_TEST, key, &best, cls);
	try_rules(c->must_match.v, c->must_match.n, FACT_MUST_MATCH, key, &best, cls);
	return best > 0;
}

static bool forbids(const struct compare_rules *c, const char *key)
{
	enum fact_class cls;

	return says(c, key, &cls) ? cls == FACT_MUST_MATCH : strcmp(key, "device.lba_format") == 0;
}

void comparable_targets(const struct compare_rules *c, const struct facts *reference,
			const struct facts *candidate, struct str *forbid, struct str *differ)
{
	struct keys k =
		all_keys((struct fact_side){reference, NULL}, (struct fact_side){candidate, NULL});
	struct str notes;

	str_init(&notes);
	for (size_t i = 0; i < k.n; i++) {
		const struct fact *a = facts_find(reference, k.v[i]);
		const struct fact *b = facts_find(candidate, k.v[i]);
		enum fact_class cls = fact_class_of(c, k.v[i]);

		if (cls == FACT_NOTE ? !changed(a, b) || no_news(k.v[i]) : known_equal(a, b))
			continue;
		if (forbids(c, k.v[i])) {
			str_add(forbid, forbid->len ? "; " : "");
			add_change(forbid, k.v[i], a, b);
		} else if (cls == FACT_NOTE) {
			str_addf(&notes, "%s%s", notes.len ? ", " : "", k.v[i]);
		} else {
			str_add(differ, differ->len ? "; " : "targets differ in: ");
			add_change(differ, k.v[i], a, b);
		}
	}
	if (notes.len)
		str_addf(differ, "%s%s",
			 differ->len ? "; also in: " : "targets differ in: ", notes.s);
	str_release(&notes);
	free(k.v);
}
