/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/check: operators, kinds, roles, and the policy words as one table. */
#include "model/check.h"
#include "base/str.h"
#include "model/names.h"

static const char *const op_names[] = {
	[OP_GE] = ">=", [OP_LE] = "<=", [OP_GT] = ">",
	[OP_LT] = "<",  [OP_EQ] = "==", [OP_NE] = "!=",
};
static const char *const kind_names[] = {
	[CHECK_GATE] = "gate",
	[CHECK_EXPECT] = "expect",
};
static const char *const role_names[] = {
	[ROLE_PRIMARY] = "primary",
	[ROLE_WATCH] = "watch",
};

NAMES_DEFINE(check_op, enum check_op, op_names)
NAMES_DEFINE(check_kind, enum check_kind, kind_names)
NAMES_DEFINE(check_role, enum check_role, role_names)

static const char *const inconclusive_words[] = {
	[INCONCLUSIVE_REPORT] = "report",
	[INCONCLUSIVE_FAIL] = "fail",
	[INCONCLUSIVE_WARN] = "warn",
};
static const char *const no_baseline_words[] = {
	[NO_BASELINE_FAIL] = "fail",
	[NO_BASELINE_WARN] = "warn",
};
static const char *const provisional_words[] = {
	[PROVISIONAL_JUDGE] = "judge",
	[PROVISIONAL_FAIL] = "fail",
};
static const char *const leftover_words[] = {
	[LEFTOVER_REFUSE] = "refuse",
	[LEFTOVER_RESTORE] = "restore",
};

static const struct policy_key {
	const char *key;
	const char *const *words;
	size_t n;
} policy_keys[] = {
	{"inconclusive", inconclusive_words, NAMES_COUNT(inconclusive_words)},
	{"no_baseline", no_baseline_words, NAMES_COUNT(no_baseline_words)},
	{"provisional", provisional_words, NAMES_COUNT(provisional_words)},
	{"leftover", leftover_words, NAMES_COUNT(leftover_words)},
};

static const struct policy_key *policy_key_find(const char *key)
{
	for (size_t i = 0; key && i < NAMES_COUNT(policy_keys); i++) {
		if (strcmp(policy_keys[i].key, key) == 0)
			return &policy_keys[i];
	}
	return NULL;
}

static void add_words(struct str *s, const struct policy_key *k, const char *between)
{
	for (size_t i = 0; i < k->n; i++)
		str_addf(s, "%s%s", i ? between : "", k->words[i]);
}

static int unknown_policy(const char *what, struct err *e)
{
	struct str all;

	str_init(&all);
	for (size_t i = 0; i < NAMES_COUNT(policy_keys); i++) {
		str_addf(&all, "%s%s=", i ? ", " : "", policy_keys[i].key);
		add_words(&all, &policy_keys[i], "|");
	}
	err_set(e, ERR_USAGE, "unknown policy '%s'", what ? what : "");
	err_hint(e, "policies: %s", all.s);
	str_release(&all);
	return e->code;
}

int policy_set(struct policy *p, const char *key, const char *value, struct err *e)
{
	const struct policy_key *k = policy_key_find(key);
	struct str words;
	int i;

	if (!k)
		return unknown_policy(key, e);
	i = names_find(k->words, k->n, value);
	if (i < 0) {
		str_init(&words);
		add_words(&words, k, ", ");
		err_set(e, ERR_USAGE, "policy '%s': unknown word '%s'", key, value ? value : "");
		err_hint(e, "%s takes one of: %s", key, words.s);
		str_release(&words);
		return e->code;
	}
	if (k->words == inconclusive_words)
		p->inconclusive = (enum policy_inconclusive)i;
	else if (k->words == no_baseline_words)
		p->no_baseline = (enum policy_no_baseline)i;
	else if (k->words == provisional_words)
		p->provisional = (enum policy_provisional)i;
	else
		p->leftover = (enum policy_leftover)i;
	return 0;
}

const char *policy_word(const struct policy *p, const char *key)
{
	const struct policy_key *k = policy_key_find(key);

	if (!k)
		return NULL;
	if (k->words == inconclusive_words)
		return names_at(k->words, k->n, (size_t)p->inconclusive);
	if (k->words == no_baseline_words)
		return names_at(k->words, k->n, (size_t)p->no_baseline);
	if (k->words == provisional_words)
		return names_at(k->words, k->n, (size_t)p->provisional);
	return names_at(k->words, k->n, (size_t)p->leftover);
}
