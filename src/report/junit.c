/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JUnit XML over libxml2's text writer, into memory (to a full disk it would lose the error).
 * strict: valid under both schemas in use (Jenkins xUnit's junit-10.xsd and the Ant JUnit.xsd):
 * bare <testsuites>; suite attributes name package id timestamp hostname tests failures errors
 * skipped time; properties first; a case has classname, name, time and at most one of failure,
 * error, skipped; then system-out and system-err. rich adds what newer readers show: case
 * properties.
 */
#include "report/view.h"

#include "base/clock.h"
#include "base/units.h"

#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jenkins keeps a suite's output whole or 100 kB of it; people read less. */
#define OUTPUT_MAX (256 * 1024)

/* The message attribute is a title; the text below it has more. */
#define MESSAGE_MAX 1000

struct junit {
	xmlTextWriterPtr w;
	enum junit_style style;
	struct console_options plain; /* how the texts are rendered */
	bool failed;                  /* any libxml2 call failed */
	char **identity; /* "classname\nname" of every case, for the uniqueness check */
	size_t n, cap;
	struct str class, clean;
};

static void ok(struct junit *j, int rc)
{
	if (rc < 0)
		j->failed = true;
}

static void attribute(struct junit *j, const char *name, const char *value)
{
	str_clear(&j->clean);
	str_add_clean(&j->clean, value, SIZE_MAX);
	ok(j, xmlTextWriterWriteAttribute(j->w, BAD_CAST name, BAD_CAST j->clean.s));
}

static void attribute_count(struct junit *j, const char *name, size_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", n);
	attribute(j, name, text);
}

/* Seconds with three decimals: a fourth, or an exponent, breaks a schema. */
static void attribute_time(struct junit *j, uint64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%03llu", (unsigned long long)(ns / NS_PER_SEC),
		 (unsigned long long)(ns % NS_PER_SEC / NS_PER_MS));
	attribute(j, "time", text);
}

static void content(struct junit *j, const char *text)
{
	str_clear(&j->clean);
	str_add_clean(&j->clean, text, SIZE_MAX);
	ok(j, xmlTextWriterWriteString(j->w, BAD_CAST j->clean.s));
}

static void start(struct junit *j, const char *name)
{
	ok(j, xmlTextWriterStartElement(j->w, BAD_CAST name));
}

static void end(struct junit *j)
{
	ok(j, xmlTextWriterEndElement(j->w));
}

static void property(struct junit *j, const char *name, const char *value)
{
	start(j, "property");
	attribute(j, "name", name);
	attribute(j, "value", value);
	end(j);
}

/* Dots split a class into packages in Jenkins: only our own may stand in the name. */
static void add_part(struct str *s, const char *text)
{
	for (; *text; text++)
		str_addc(s, *text == '.' || *text == '/' || *text == '\n' ? '_' : *text);
}

static void remember(struct junit *j, const char *class, const char *name)
{
	j->identity = vec_grow(j->identity, j->n, &j->cap, sizeof(*j->identity));
	j->identity[j->n++] = xasprintf("%s\n%s", class, name);
}

static void start_case(struct junit *j, const char *class, const char *name, uint64_t ns)
{
	remember(j, class, name);
	start(j, "testcase");
	attribute(j, "classname", class);
	attribute(j, "name", name);
	attribute_time(j, ns);
}

/* One result child: message, type and text, for GitLab shows the text and Jenkins both. */
static void child(struct junit *j, const char *element, const char *type, const char *message,
		  const char *text)
{
	start(j, element);
	attribute(j, "message", message);
	if (!str_eq(element, "skipped")) /* `skipped` may not carry a type */
		attribute(j, "type", type && type[0] ? type : "error");
	content(j, text);
	end(j);
}

static void case_properties(struct junit *j, const struct result *r, const struct verdict *v)
{
	const struct metric *m = view_metric(r, v);
	struct str s;

	if (j->style != JUNIT_RICH || !m)
		return;
	str_init(&s);
	start(j, "properties");
	property(j, "metric", m->name);
	property(j, "unit", unit_name(v->judged ? v->judged_unit : m->unit));
	if (v->judged)
		property(j, "judged", v->judged);
	if (!isnan(v->value)) {
		units_add_double(&s, v->value);
		property(j, "value", s.s);
	}
	if (!isnan(v->base_value)) {
		str_clear(&s);
		units_add_double(&s, v->base_value);
		property(j, "baseline", s.s);
	}
	if (!isnan(v->change)) {
		str_clear(&s);
		view_add_estimate(&s, r, v);
		property(j, "change", s.s);
	}
	if (v->creep)
		property(j, "creep", v->creep);
	property(j, "verdict", verdict_name(v->kind));
	end(j);
	str_release(&s);
}

static void verdict_case(struct junit *j, const struct view *view, const struct verdict *v)
{
	const struct result *r = view->r;
	bool measure = v->job != UINT32_MAX && v->check == VERDICT_MEASURE;
	struct str block, message;

	str_init(&block);
	str_init(&message);
	str_clear(&j->class);
	add_part(&j->class, r->suite);
	str_addc(&j->class, '.');
	add_part(&j->class, r->profile);
	str_addc(&j->class, '.');
	add_part(&j->class, view_target(r, v));
	str_addc(&j->class, '.');
	add_part(&j->class, view_workload(r, v));
	start_case(j, j->class.s, view_check_name(r, v), measure ? view_wall(view, v->job) : 0);
	case_properties(j, r, v);
	if (v->shape != JUNIT_CASE) {
		static const char *const element[] = {"", "failure", "error", "skipped"};

		/* The text of a watched check says `watch:` first already. */
		if (!v->watch && (v->kind == VERDICT_INCONCLUSIVE || v->kind == VERDICT_KNOWN))
			str_addf(&message, "%s: ", verdict_name(v->kind));
		str_addn(&message, v->text, strnlen(v->text, MESSAGE_MAX));
		view_block(view, v, &j->plain, &block);
		child(j, element[v->shape], v->type, message.s, block.s);
	}
	end(j);
	str_release(&message);
	str_release(&block);
}

static void warnings(struct junit *j, const struct result *r)
{
	struct str s;

	str_init(&s);
	if (view_red_attempts(r, &s))
		property(j, "blkgate.warning", s.s);
	str_clear(&s);
	if (view_incomplete(r, &s))
		property(j, "blkgate.incomplete", s.s);
	str_clear(&s);
	if (view_other_baseline(r, &s))
		property(j, "blkgate.judged_again", s.s);
	str_release(&s);
}

static void suite_properties(struct junit *j, const struct result *r)
{
	start(j, "properties");
	property(j, "blkgate.version", r->tool_version ? r->tool_version : "");
	property(j, "blkgate.profile", r->profile);
	if (r->change)
		property(j, "blkgate.change", r->change);
	if (r->interleave.kind != INTERLEAVE_NONE) {
		struct str s;

		str_init(&s);
		interleave_title(&r->interleave, &s);
		property(j, "blkgate.interleaved", s.s);
		str_release(&s);
	}
	if (r->inject)
		property(j, "blkgate.injected", r->inject);
	if (r->partial)
		property(j, "blkgate.partial", r->partial);
	for (size_t i = 0; i < r->host.n; i++)
		if (r->host.v[i].value)
			property(j, r->host.v[i].key, r->host.v[i].value);
	for (size_t t = 0; t < r->ntargets; t++)
		for (size_t i = 0; i < r->targets[t].facts.n; i++) {
			const struct fact *f = &r->targets[t].facts.v[i];
			char *name;

			if (!f->value || target_is_total(&r->targets[t]))
				continue; /* of the total: those of the targets once more */
			name = xasprintf("%s.%s", r->targets[t].role, f->key);
			property(j, name, f->value);
			free(name);
		}
	for (size_t i = 0; i < r->attempts.n; i++) {
		char *name = xasprintf("blkgate.attempt.%zu", i + 1);
		struct str text;

		str_init(&text);
		view_attempt(r, i, &text);
		property(j, name, text.s);
		str_release(&text);
		free(name);
	}
	if (r->environment)
		property(j, "blkgate.environment", r->environment);
	if (r->baseline_age)
		property(j, "blkgate.baseline_age", r->baseline_age);
	warnings(j, r);
	if (r->judged_gates) {
		struct str s;

		str_init(&s);
		view_add_levels(&s, r);
		property(j, "blkgate.family_bound", s.s);
		str_release(&s);
	}
	for (size_t i = 0; i < r->notices.n; i++)
		property(j, "blkgate.notice", r->notices.v[i]);
	end(j);
}

static void suite_head(struct junit *j, const char *name, const char *package, size_t id,
		       int64_t started, const char *host)
{
	struct str s;

	str_init(&s);
	clock_format_utc(&s, started);
	start(j, "testsuite");
	attribute(j, "name", name);
	attribute(j, "package", package);
	attribute_count(j, "id", id);
	attribute(j, "timestamp", s.s);
	attribute(j, "hostname", host && host[0] ? host : "localhost");
	str_release(&s);
}

static void suite_tail(struct junit *j, const char *output, size_t n)
{
	struct str s;

	str_init(&s);
	str_addn(&s, output, n > OUTPUT_MAX ? OUTPUT_MAX : n);
	start(j, "system-out");
	content(j, s.s);
	end(j);
	start(j, "system-err");
	end(j);
	end(j);
	str_release(&s);
}

static void result_suite(struct junit *j, const struct result *r, size_t id)
{
	size_t count[4] = {0};
	uint64_t wall = 0;
	struct console_options rows;
	struct view view;
	struct str text;

	view_init(&view, r);
	for (size_t i = 0; i < r->verdicts.n; i++)
		count[r->verdicts.v[i].shape]++;
	for (size_t i = 0; i < r->runs.n; i++)
		wall += r->runs.v[i].out.wall;
	suite_head(j, r->suite, "blkgate", id, r->started, facts_value(&r->host, "host.name"));
	attribute_count(j, "tests", r->verdicts.n);
	attribute_count(j, "failures", count[JUNIT_FAILURE]);
	attribute_count(j, "errors", count[JUNIT_ERROR]);
	attribute_count(j, "skipped", count[JUNIT_SKIPPED]);
	attribute_time(j, wall);
	suite_properties(j, r);
	for (size_t i = 0; i < r->verdicts.n; i++)
		verdict_case(j, &view, &r->verdicts.v[i]);
	str_init(&text);
	rows = j->plain; /* a case has its block already */
	rows.rows = true;
	report_console(r, &rows, &text);
	suite_tail(j, text.s, text.len);
	str_release(&text);
	view_release(&view);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Files of one name, or one file twice: each still needs a case of its own. */
static size_t namesakes(const struct report_suite_error *broken, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < i; k++)
		n += str_eq(base_name(broken[k].suite), base_name(broken[i].suite));
	return n;
}

static void broken_suite(struct junit *j, const struct report_suite_error *b, size_t namesake,
			 size_t id)
{
	const char *base = base_name(b->suite);
	struct str class;

	str_init(&class);
	add_part(&class, base);
	if (namesake)
		str_addf(&class, "_%zu", namesake + 1);
	suite_head(j, base, "blkgate", id, clock_utc(), NULL);
	attribute_count(j, "tests", 1);
	attribute_count(j, "failures", 0);
	attribute_count(j, "errors", 1);
	attribute_count(j, "skipped", 0);
	attribute_time(j, 0);
	start(j, "properties");
	end(j);
	start_case(j, class.s, "suite", 0);
	child(j, "error", b->status == STATUS_USAGE ? "suite" : "setup", b->text, b->text);
	end(j);
	suite_tail(j, b->text, strlen(b->text));
	str_release(&class);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* GitLab keeps one of two cases of equal class and name: a failure could vanish. */
static int check_unique(struct junit *j, struct err *e)
{
	if (j->n)
		qsort(j->identity, j->n, sizeof(*j->identity), by_text);
	for (size_t i = 1; i < j->n; i++) {
		if (strcmp(j->identity[i - 1], j->identity[i]))
			continue;
		*strchr(j->identity[i], '\n') = ' ';
		return err_set(e, ERR_OUTPUT, "two JUnit cases have the name '%s'", j->identity[i]);
	}
	return 0;
}

int report_junit(const struct result *const *r, size_t n, const struct report_suite_error *broken,
		 size_t nbroken, const struct junit_options *o, struct str *out, struct err *e)
{
	struct junit j = {.style = o->style, .plain = {.width = 80, .command = o->command}};
	int rc = 0;
	xmlBufferPtr buffer = xmlBufferCreate();
	size_t id = 0;

	j.w = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
	if (!j.w) {
		xmlBufferFree(buffer);
		return err_set(e, ERR_OUTPUT, "cannot set up the XML writer: out of memory");
	}
	str_init(&j.class);
	str_init(&j.clean);
	ok(&j, xmlTextWriterSetIndent(j.w, 1));
	ok(&j, xmlTextWriterStartDocument(j.w, NULL, "UTF-8", NULL));
	start(&j, "testsuites");
	for (size_t i = 0; i < n; i++) {
		j.plain.result_path = o->paths ? o->paths[i] : NULL;
		result_suite(&j, r[i], id++);
	}
	for (size_t i = 0; i < nbroken; i++)
		broken_suite(&j, &broken[i], namesakes(broken, i), id++);
	end(&j);
	ok(&j, xmlTextWriterEndDocument(j.w));
	xmlFreeTextWriter(j.w);
	if (j.failed)
		rc = err_set(e, ERR_OUTPUT, "the JUnit document could not be built");
	else if ((rc = check_unique(&j, e)) == 0)
		str_addn(out, (const char *)xmlBufferContent(buffer),
			 (size_t)xmlBufferLength(buffer));
	for (size_t i = 0; i < j.n; i++)
		free(j.identity[i]);
	free(j.identity);
	str_release(&j.class);
	str_release(&j.clean);
	xmlBufferFree(buffer);
	return rc;
}
