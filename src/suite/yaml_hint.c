/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/yaml_hint.h"

#include <string.h>

#include "base/str.h"

static const char COLON_HINT[] = "a space is missing after the colon: write 'key: value'";
static const char SUBJECT_HINT[] =
	"an expression starts with its subject: 'read.bw >= 80% of link', not '>= 80% of link'";

static size_t line_start(const struct yaml_fault *f, size_t at)
{
	while (at > 0 && f->text[at - 1] != '\n')
		at--;
	return at;
}

static char char_at(const struct yaml_fault *f, size_t at)
{
	return at < f->n ? f->text[at] : '\0';
}

/* Offset of a tab in the indentation of the line that holds `at`; SIZE_MAX = none. */
static size_t indent_tab(const struct yaml_fault *f, size_t at)
{
	size_t i = line_start(f, at);

	for (; i < f->n && (f->text[i] == ' ' || f->text[i] == '\t'); i++)
		if (f->text[i] == '\t')
			return i;
	return SIZE_MAX;
}

const char *yaml_hint_colon(const char *s)
{
	size_t i = 0;

	while (c_isalnum(s[i]) || s[i] == '_')
		i++;
	if (i == 0 || s[i] != ':' || s[i + 1] == '\0' || c_isspace(s[i + 1]))
		return NULL;
	return COLON_HINT;
}

/* True when the line that holds `at` begins like `rw:read` or `- rw:read`. */
static bool line_lacks_space(const struct yaml_fault *f, size_t at)
{
	char head[80];
	size_t i = line_start(f, at), k = 0;

	while (i < f->n && (f->text[i] == ' ' || f->text[i] == '-'))
		i++;
	while (i < f->n && k + 1 < sizeof(head) && f->text[i] != '\n' && f->text[i] != '\r')
		head[k++] = f->text[i++];
	head[k] = '\0';
	return yaml_hint_colon(head) != NULL;
}

static size_t say(struct err *e, size_t at, const char *text, const char *hint)
{
	err_set(e, ERR_SUITE, "%s", text);
	err_hint(e, "%s", hint);
	return at;
}

/* A character that has a meaning of its own where a value begins. */
static size_t hint_indicator(const struct yaml_fault *f, size_t at, struct err *e)
{
	char c = char_at(f, at);

	if (c == '*')
		return say(e, at, "a value that starts with '*' is an alias in YAML",
			   "quote it: \"*...\"");
	if (c == '&')
		return say(e, at, "a value that starts with '&' is an anchor in YAML",
			   "quote it: \"&...\"");
	if (c == '!')
		return say(e, at, "a value that starts with '!' is a tag in YAML", SUBJECT_HINT);
	if (c == '>')
		return say(e, at, "a value that starts with '>' is a folded block in YAML",
			   SUBJECT_HINT);
	if (c == '|')
		return say(e, at, "a value that starts with '|' is a literal block in YAML",
			   "quote it: \"|...\"");
	err_set(e, ERR_SUITE, "a value cannot start with '%c' without quotes", c);
	err_hint(e, "quote it: \"%c...\"", c);
	return at;
}

/* Traps that show in the characters around the problem. */
static bool hint_by_char(const struct yaml_fault *f, struct err *e, size_t *place)
{
	size_t tab = indent_tab(f, f->at);

	if (char_at(f, f->at) == '{' && f->at > 0 && f->text[f->at - 1] == '$') {
		*place = say(e, f->at - 1, "'${' without quotes inside [] or {} starts a mapping",
			     "quote it: {runtime: \"${runtime}\"}, or write the mapping on lines "
			     "of its own");
		return true;
	}
	if (tab == SIZE_MAX)
		tab = indent_tab(f, f->context_at);
	if (tab == SIZE_MAX && char_at(f, f->at) == '\t')
		tab = f->at;
	if (tab != SIZE_MAX) {
		*place = say(e, tab, "a tab is used for indentation",
			     "YAML indents with spaces only: use spaces");
		return true;
	}
	if (strstr(f->problem, "cannot start any token")) {
		*place = hint_indicator(f, f->at, e);
		return true;
	}
	return false;
}

static bool hint_by_context(const struct yaml_fault *f, struct err *e, size_t *place)
{
	const char *c = f->context ? f->context : "";

	if (strstr(c, "block scalar") || strstr(c, "an alias") || strstr(c, "an anchor") ||
	    strstr(c, "a tag")) {
		*place = hint_indicator(f, f->context_at, e);
		return true;
	}
	if (strstr(c, "quoted scalar") && strstr(f->problem, "end of stream")) {
		*place = say(e, f->context_at, "the quote that opens here is never closed",
			     "end the value with the same quote");
		return true;
	}
	if (strstr(f->problem, "escape character")) {
		*place = say(e, f->at, "unknown escape in a value in double quotes",
			     "use single quotes, in which a backslash is an ordinary character");
		return true;
	}
	return false;
}

static bool hint_by_problem(const struct yaml_fault *f, struct err *e, size_t *place)
{
	const char *p = f->problem;

	if (strstr(p, "could not find expected ':'") && line_lacks_space(f, f->context_at)) {
		*place = say(e, f->context_at, "this line is no 'key: value'", COLON_HINT);
	} else if (strstr(p, "could not find expected ':'")) {
		*place =
			say(e, f->context_at, "this line is no 'key: value'",
			    "every line of a mapping is 'key: value'; check colon and indentation");
	} else if (strstr(p, "mapping values are not allowed") && f->at > 0 &&
		   line_start(f, f->at) > 0 && line_lacks_space(f, line_start(f, f->at) - 1)) {
		*place = say(e, line_start(f, line_start(f, f->at) - 1),
			     "this line is no 'key: value'", COLON_HINT);
	} else if (strstr(p, "mapping values are not allowed")) {
		*place = say(
			e, f->at, "a second ': ' in one value, or a line indented too far",
			"quote a value that holds ': '; keys of one mapping start in one column");
	} else if (strstr(p, "did not find expected key")) {
		*place = say(e, f->at, "expected a key here",
			     "keys of one mapping start in one column, and nothing follows a "
			     "closing quote or bracket");
	} else if (strstr(p, "expected '-' indicator")) {
		*place =
			say(e, f->at, "expected '- ' here: a list goes on in this column",
			    "items of one list start in one column; a key cannot stand among them");
	} else if (strstr(p, "expected <document start>")) {
		*place = say(e, f->at, "text after the end of the document",
			     "a suite is one YAML document: remove what follows it");
	} else if (strstr(p, "did not find expected ','")) {
		*place = say(e, f->at, "a list or mapping in one line is not closed here",
			     "separate by ',' and close with ']' or '}'; quote values that hold , "
			     "[ ] { }");
	} else {
		return false;
	}
	return true;
}

size_t yaml_hint_fault(const struct yaml_fault *f, struct err *e)
{
	size_t place = f->at;

	if (hint_by_char(f, e, &place) || hint_by_context(f, e, &place) ||
	    hint_by_problem(f, e, &place))
		return place;
	err_set(e, ERR_SUITE, "not valid YAML: %s%s%s", f->problem, f->context ? " " : "",
		f->context ? f->context : "");
	return place;
}

void yaml_hint_tag(const char *tag, struct err *e)
{
	static const char core[] = "tag:yaml.org,2002:";

	if (str_starts(tag, "!=")) {
		say(e, 0, "'!=' at the start of a value is a tag in YAML",
		    "an expression starts with its subject: 'fs.type != tmpfs'");
		return;
	}
	if (str_starts(tag, core))
		err_set(e, ERR_SUITE, "tag '!!%s' is not allowed here", tag + strlen(core));
	else
		err_set(e, ERR_SUITE, "tag '%s' is not allowed here", tag);
	err_hint(e, "the key decides how a value is read, so remove the tag; "
		    "quote a value that starts with '!'");
}
