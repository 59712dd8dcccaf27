/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/expr.h"

#include <limits.h>
#include <string.h>

#include "base/units.h"

struct op_word {
	const char *text;
	enum check_op op;
	const char *instead; /* NULL = this is the operator */
};

/* Longest first; the misspelt ones are known so that the hint can name the right one. */
static const struct op_word op_words[] = {
	{"\xE2\x89\xA5", OP_GE, ">="},
	{"\xE2\x89\xA4", OP_LE, "<="},
	{"\xE2\x89\xA0", OP_NE, "!="},
	{"===", OP_EQ, "=="},
	{">=", OP_GE, NULL},
	{"<=", OP_LE, NULL},
	{"==", OP_EQ, NULL},
	{"!=", OP_NE, NULL},
	{"=>", OP_GE, ">="},
	{"=<", OP_LE, "<="},
	{"<>", OP_NE, "!="},
	{"=~", OP_EQ, "=="},
	{">", OP_GT, NULL},
	{"<", OP_LT, NULL},
	{"=", OP_EQ, "=="},
};

static bool subject_char(char c)
{
	return c_isalnum(c) || c == '_' || c == '-' || c == '.';
}

/* White space folded to single spaces, none at the ends. */
static char *fold(const char *text, struct arena *a)
{
	char *out = arena_strdup(a, text), *w = out;

	for (const char *r = text; *r; r++) {
		if (!c_isspace(*r))
			*w++ = *r;
		else if (w > out && w[-1] != ' ')
			*w++ = ' ';
	}
	while (w > out && w[-1] == ' ')
		w--;
	*w = '\0';
	return out;
}

static const struct op_word *op_at(const char *s)
{
	for (size_t i = 0; i < sizeof(op_words) / sizeof(*op_words); i++)
		if (str_starts(s, op_words[i].text))
			return &op_words[i];
	return NULL;
}

static const struct op_word *op_anywhere(const char *s, const char **at)
{
	for (; *s; s++) {
		const struct op_word *o = op_at(s);

		if (o) {
			*at = s;
			return o;
		}
	}
	return NULL;
}

static const char *mirrored(enum check_op op)
{
	switch (op) {
	case OP_GE:
		return "<=";
	case OP_LE:
		return ">=";
	case OP_GT:
		return "<";
	case OP_LT:
		return ">";
	case OP_EQ:
		return "==";
	default:
		return "!=";
	}
}

static int fail_subject(const char *text, const char *s, struct err *e)
{
	const char *at = NULL;
	const struct op_word *o = op_anywhere(s, &at);

	err_set(e, ERR_SUITE, "'%s' does not start with a subject", text);
	if (o && at > s && (c_isdigit(*s) || *s == '.' || *s == '-' || *s == '+'))
		return err_hint(e, "the subject comes first: '%s %s %.*s'",
				at + strlen(o->text) + strspn(at + strlen(o->text), " "),
				mirrored(o->op), (int)(at - s - (at > s && at[-1] == ' ')), s);
	return err_hint(e, "write 'read.bw >= 5 MB/s': subject, operator, value");
}

/* Reads the subject into x; returns what follows, or NULL. */
static const char *read_subject(const char *s, struct arena *a, struct expr *x, struct err *e)
{
	static const char spread[] = "spread(";
	const char *start = s, *end;

	x->spread = str_starts(s, spread) || str_starts(s, "spread (");
	if (x->spread) {
		start = strchr(s, '(') + 1;
		start += strspn(start, " ");
	}
	end = start;
	while (subject_char(*end))
		end++;
	x->subject = arena_strndup(a, start, (size_t)(end - start));
	if (!c_isalpha(*start) || end[-1] == '.' || strstr(x->subject, "..")) {
		fail_subject(x->text, s, e);
		return NULL;
	}
	if (x->spread) {
		end += strspn(end, " ");
		if (*end != ')') {
			err_set(e, ERR_SUITE, "'%s': ')' is missing after the subject of spread",
				x->text);
			err_hint(e, "write 'spread(read.bw) <= 20%%'");
			return NULL;
		}
		end++;
	}
	return end + strspn(end, " ");
}

/* An operator of two characters with blanks between them. */
static int split_op(const char *s, const struct expr *x, struct err *e)
{
	const char *second = s + 1;

	if (!*s || !strchr("<>=!", *s))
		return 0;
	second += strspn(second, " ");
	if (second == s + 1 || !*second || !strchr("<>=", *second) ||
	    (*second != '=' && *s != '=' && (*s != '<' || *second != '>')))
		return 0;
	err_set(e, ERR_SUITE, "'%s': '%.*s' is not an operator", x->text, (int)(second + 1 - s), s);
	if (*s == '=' && *second != '=')
		return err_hint(e, "write '%c='", *second);
	return err_hint(e, "write '%c='", *second == '=' ? *s : '!');
}

static const char *read_op(const char *s, struct expr *x, struct err *e)
{
	const struct op_word *o = op_at(s);
	const char *at = NULL;

	if (split_op(s, x, e))
		return NULL;
	if (!o) {
		err_set(e, ERR_SUITE, "'%s' has no operator after '%s'", x->text, x->subject);
		if (op_anywhere(s, &at))
			err_hint(e,
				 "'%.*s' stands between subject and operator; a subject is one "
				 "word with dots",
				 (int)(at - s - (at > s && at[-1] == ' ')), s);
		else
			err_hint(e, "operators are >= <= > < == !=");
		return NULL;
	}
	if (o->instead) {
		err_set(e, ERR_SUITE, "'%s': '%s' is not an operator", x->text, o->text);
		err_hint(e, "write '%s'", o->instead);
		return NULL;
	}
	x->op = o->op;
	s += strlen(o->text);
	return s + strspn(s, " ");
}

/* Cuts a trailing "wait TIME" off the value. */
static int read_wait(char *value, struct expr *x, struct err *e)
{
	char *last = strrchr(value, ' '), *wait;

	if (str_eq(value, "wait") || str_ends(value, " wait"))
		return err_set(e, ERR_SUITE, "'%s': 'wait' needs a time, as in 'wait 10min'",
			       x->text);
	for (wait = strstr(value, " wait "); wait; wait = strstr(wait + 1, " wait ")) {
		/* "wait 10min" and "wait 10 min" end the text; elsewhere it is a word of the value
		 */
		if (!c_isdigit(wait[6]) || (wait + 5 != last && strchr(wait + 6, ' ') != last))
			continue;
		if (units_time(wait + 6, &x->wait, e)) {
			e->code = ERR_SUITE;
			return err_prefix(e, "'%s'", x->text);
		}
		*wait = '\0';
		return 0;
	}
	return 0;
}

static bool reference_ok(const char *ref)
{
	if (str_eq(ref, "link") || str_eq(ref, "upstream"))
		return true;
	if (!str_starts(ref, "datasheet.") || !ref[10])
		return false;
	for (ref += 10; *ref; ref++)
		if (!c_isalnum(*ref) && *ref != '_' && *ref != '-')
			return false;
	return true;
}

/* "80% of link"; leaves x alone when the value has no such form. */
static int read_percent_of(const char *value, struct arena *a, struct expr *x, struct err *e)
{
	static const char *const refs[] = {"link", "upstream", "datasheet"};
	const char *sign = strchr(value, '%'), *of;
	char *number;

	if (!sign || !c_isdigit(*value)) {
		if (c_isdigit(*value) && strstr(value, " of "))
			return err_set(e, ERR_SUITE, "'%s': '%%' is missing before 'of'", x->text);
		return 0;
	}
	of = sign + 1 + strspn(sign + 1, " ");
	if (!str_starts(of, "of") && !strstr(of, " of "))
		return 0;
	if (of == sign + 1 || of[2] != ' ') {
		err_set(e, ERR_SUITE, "'%s': '%s' is not 'N%% of REFERENCE'", x->text, value);
		return err_hint(e, "write '80%% of link', with spaces");
	}
	number = arena_strndup(a, value, (size_t)(sign + 1 - value));
	if (units_percent(number, &x->ratio, e)) {
		e->code = ERR_SUITE;
		return err_prefix(e, "'%s'", x->text);
	}
	if (!(x->ratio > 0))
		return err_set(e, ERR_SUITE, "'%s': a share must be above 0%%", x->text);
	of += 3;
	if (!reference_ok(of)) {
		const char *near = str_nearest(of, refs, 3);

		err_set(e, ERR_SUITE, "'%s': '%s' is no reference", x->text, of);
		return err_hint(e, "%s%s%sreferences are link, upstream, datasheet.NAME",
				near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
	}
	x->percent_of = of;
	return 0;
}

/* An operator at the start or standing alone; one inside a word is text ("root=/dev/sda"). */
static bool second_op(const char *value)
{
	for (const char *s = value; *s; s++) {
		const struct op_word *o = s == value || s[-1] == ' ' ? op_at(s) : NULL;

		if (o && (s == value || s[strlen(o->text)] == ' ' || !s[strlen(o->text)]))
			return true;
	}
	return false;
}

/* In matching quotes: YAML took off the outer ones, these would be part of the text compared. */
static bool quoted(const char *value)
{
	size_t n = strlen(value);

	return n >= 2 && (*value == '"' || *value == '\'') && value[n - 1] == *value;
}

static int read_value(const char *s, struct arena *a, struct expr *x, struct err *e)
{
	char *value = arena_strdup(a, s);
	int rc;

	if (!*value) {
		err_set(e, ERR_SUITE, "'%s' has no value after the operator", x->text);
		return err_hint(e, "write 'read.bw >= 5 MB/s'; quote an expression that holds '#'");
	}
	if (quoted(value)) {
		err_set(e, ERR_SUITE, "'%s': the quotes around %s would be part of the value",
			x->text, value);
		return err_hint(e, "write %.*s without quotes", (int)strlen(value) - 2, value + 1);
	}
	if (second_op(value)) {
		err_set(e, ERR_SUITE, "'%s' has a second operator", x->text);
		return err_hint(e, "one expression makes one comparison: write two");
	}
	rc = read_wait(value, x, e);
	if (!rc)
		rc = read_percent_of(value, a, x, e);
	if (!rc && !x->percent_of)
		x->value = value;
	return rc;
}

/* "all targets:", "every run:": in any order, each once. */
static const char *read_prefixes(const char *s, struct expr *x, struct err *e)
{
	static const char *const prefix[] = {"all targets", "every run"};

	for (unsigned i = 0; i < 2; i++) {
		bool *flag = i ? &x->every_run : &x->all_targets;

		if (!str_starts(s, prefix[i]) || *flag)
			continue;
		s += strlen(prefix[i]);
		s += strspn(s, " ");
		if (*s != ':') {
			err_set(e, ERR_SUITE, "'%s': a colon is missing after '%s'", x->text,
				prefix[i]);
			err_hint(e, "write \"%s: read.bw >= 5 MB/s\"", prefix[i]);
			return NULL;
		}
		*flag = true;
		s += 1 + strspn(s + 1, " ");
		i = UINT_MAX; /* from the first again */
	}
	return s;
}

int expr_parse(const char *text, struct arena *a, struct expr *out, struct err *e)
{
	struct expr x = {.text = fold(text, a)};
	const char *s = x.text;
	int rc;

	if (!*s) {
		err_set(e, ERR_SUITE, "an expression is empty");
		return err_hint(e, "write 'read.bw >= 5 MB/s': subject, operator, value");
	}
	s = read_prefixes(s, &x, e);
	if (!s)
		return e->code;
	s = read_subject(s, a, &x, e);
	if (s)
		s = read_op(s, &x, e);
	if (!s)
		return e->code;
	rc = read_value(s, a, &x, e);
	if (rc)
		return rc;
	x.line = out->line;
	x.column = out->column;
	*out = x;
	return 0;
}
