/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "base/clock.h"
#include "base/fileio.h"
#include "json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int document_write(const char *path, const char *data, size_t n, struct err *e)
{
	int rc;

	if (!str_eq(path, "-"))
		return file_write(path, data, n, e);
	fflush(stdout);
	rc = fd_write_all(STDOUT_FILENO, data, n);
	if (rc < 0)
		return err_sys(e, ERR_OUTPUT, -rc, "cannot write to standard output");
	return 0;
}

static int write_result(const struct result *r, const char *path, struct err *e)
{
	struct jw w;
	const char *text;
	int rc;

	jw_init(&w);
	result_write(r, true, &w);
	text = jw_finish(&w);
	rc = document_write(path, text, w.out.len, e);
	jw_release(&w);
	return rc;
}

/* The document of a suite that could not be planned, or of a file that could not be read: valid,
 * without a run, and with the reason. */
static void write_broken(const struct documents *d, struct err *e)
{
	const char *base = strrchr(d->broken[0].suite, '/');
	struct result r;
	struct str name;

	result_init(&r);
	str_init(&name);
	for (base = base ? base + 1 : d->broken[0].suite; *base; base++)
		str_addc(&name, c_isalnum(*base) || *base == '-' ? *base : '_');
	r.suite = name.s;
	r.profile = d->o->profile ? d->o->profile : "default";
	r.started = r.ended = clock_utc();
	r.tool_version = BLKGATE_VERSION;
	r.measurement_version = MEASUREMENT_VERSION;
	r.sessions_min = r.sessions_max = 1;
	r.assumed_session_sd = 0.015;
	r.false_alarm = 0.05;
	r.setup_error = d->broken[0].text;
	r.setup_status = r.status = d->broken[0].status;
	write_result(&r, d->o->json, e);
	result_release(&r);
	str_release(&name);
}

/* Remembers the first failure and goes on: one unwritable path must not cost the other documents.
 */
static void keep_first(struct err *first, const struct err *e)
{
	if (!first->code && e->code)
		*first = *e;
}

/* "-" by all its names. */
static const char *place(const char *path)
{
	static const char *const names[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(path, names[i]))
			return "-";
	return path;
}

static bool same_place(const char *a, const char *b)
{
	struct stat x, y;

	if (str_eq(place(a), place(b)))
		return true;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Is the path the same file as one that this invocation reads or may write? */
static bool is_input(const struct options *o, const char *path)
{
	for (size_t i = 0; i < o->args.n; i++)
		if (same_place(path, o->args.v[i]))
			return true;
	for (size_t i = 0; i < o->against.n; i++)
		if (same_place(path, o->against.v[i]))
			return true;
	for (size_t i = 0; i < o->allow_write.n; i++)
		if (same_place(path, o->allow_write.v[i]))
			return true;
	for (size_t i = 0; i < o->targets.n; i++) {
		const char *id = strchr(o->targets.v[i], '=');

		if (same_place(path, o->targets.v[i]) || (id && same_place(path, id + 1)))
			return true;
	}
	return false;
}

/* A result that this run goes on from: in its own place it is kept aside, but nowhere else. */
static bool is_evidence(const struct options *o, const char *path)
{
	for (size_t i = 0; i < o->with.n; i++)
		if (same_place(path, o->with.v[i]))
			return true;
	return false;
}

/* Does it lie in the folder of baselines? Those are immutable. */
static bool in_baselines(const struct options *o, const char *path)
{
	char *dir = realpath(o->baselines, NULL), *real = realpath(path, NULL);
	bool inside = dir && real && str_starts(real, dir) && real[strlen(dir)] == '/';

	free(dir);
	free(real);
	return inside;
}

static int check_output(const struct options *o, const char *what, const char *path, struct err *e)
{
	if (e->code || !path || str_eq(place(path), "-"))
		return e->code;
	if (is_input(o, path))
		err_set(e, ERR_USAGE, "%s '%s' is a target, suite or result of this very command",
			what, path);
	else if (is_evidence(o, path) && str_starts(what, "--"))
		err_set(e, ERR_USAGE, "%s '%s' is the result that --with goes on from", what, path);
	else if (in_baselines(o, path))
		err_set(e, ERR_USAGE, "%s '%s' lies in the folder of baselines", what, path);
	if (e->code)
		err_hint(e, "it would be overwritten; name another file");
	return e->code;
}

int documents_clash(const struct options *o, struct err *e)
{
	char *journal = o->out ? xasprintf("%s/journal", o->out) : NULL;
	char *result = o->out ? xasprintf("%s/result.json", o->out) : NULL;
	char *junit = o->out ? xasprintf("%s/junit.xml", o->out) : NULL;

	if (o->json && o->junit && same_place(o->json, o->junit))
		err_set(e, ERR_USAGE, "--json and --junit name one place: '%s'", o->json);
	else if (o->json && junit && same_place(o->json, junit))
		err_set(e, ERR_USAGE, "--json would overwrite '%s'", junit);
	else if (o->junit && result && same_place(o->junit, result))
		err_set(e, ERR_USAGE, "--junit would overwrite '%s'", result);
	check_output(o, "--json", o->json, e);
	check_output(o, "--junit", o->junit, e);
	check_output(o, "the result", result, e);
	check_output(o, "the JUnit file", junit, e);
	check_output(o, "the journal", journal, e);
	free(journal);
	free(result);
	free(junit);
	return e->code;
}

/* A stream takes one document: only a file is replaced on the way. */
static bool replaceable(const char *path)
{
	struct stat st;

	/* /dev/stdout looks like the file it was redirected to. */
	if (str_eq(path, "-") || str_starts(path, "/dev/") || str_starts(path, "/proc/"))
		return false;
	return stat(path, &st) < 0 || S_ISREG(st.st_mode);
}

static void put_junit(const struct documents *d, bool final, struct err *first)
{
	struct junit_options jo = {
		.style = d->o->junit_style, .command = d->command, .paths = d->paths};
	char *own = d->own ? xasprintf("%s/junit.xml", d->o->out) : NULL;
	const char *path[] = {own, d->o->junit};
	struct err e = ERR_INIT;
	struct str text;

	str_init(&text);
	if ((own || d->o->junit) &&
	    report_junit(d->results, d->n, d->broken, d->nbroken, &jo, &text, &e) < 0)
		keep_first(first, &e);
	for (size_t i = 0; i < 2 && text.len; i++) {
		struct err we = ERR_INIT;

		if (path[i] && (final || replaceable(path[i])))
			document_write(path[i], text.s, text.len, &we);
		keep_first(first, &we);
	}
	str_release(&text);
	free(own);
}

int documents_junit(const struct documents *d, struct err *e)
{
	put_junit(d, false, e);
	return e->code;
}

/* Did that run measure anything? What only says "not measured" need not be kept. */
static bool worth_keeping(const char *path)
{
	struct result r;
	struct err e = ERR_INIT;
	bool yes = result_load(path, &r, &e) < 0 || r.runs.n > 0;

	result_release(&r);
	return yes;
}

/* A result of an earlier run beside a run that died would be taken for its result; but it may be
 * all that is left of hours, and not accepted yet: it goes aside. */
static int set_aside(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (worth_keeping(path))
		return file_set_aside(path, NULL, e);
	if (unlink(path) < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot remove '%s'", path);
	return 0;
}

int documents_begin(const struct documents *d, struct err *e)
{
	/* First what may fail: nothing is touched for a run that cannot report. */
	put_junit(d, false, e);
	if (e->code)
		return e->code;
	for (size_t i = 0; i < d->n; i++)
		if (set_aside(d->paths[i], e) < 0)
			return e->code;
	if (!d->n) {
		char *path = xasprintf("%s/result.json", d->o->out);

		if (!d->keep && !is_evidence(d->o, path))
			set_aside(path, e);
		free(path);
		if (e->code)
			return e->code;
	}
	if (d->o->json && replaceable(d->o->json))
		unlink(d->o->json);
	return 0;
}

int documents_write(const struct documents *d, struct err *e)
{
	for (size_t i = 0; i < d->n; i++) {
		struct err we = ERR_INIT;

		if (d->own)
			write_result(d->results[i], d->paths[i], &we);
		keep_first(e, &we);
		we = ERR_INIT;
		if (d->o->json)
			write_result(d->results[i], d->o->json, &we);
		keep_first(e, &we);
	}
	if (!d->n && d->nbroken == 1 && d->o->json)
		write_broken(d, e);
	put_junit(d, true, e);
	return e->code;
}

void print_results(const struct documents *d, enum exit_status status)
{
	struct console_options c = {
		.colour = want_colour(STDERR_FILENO),
		.width = terminal_width(STDERR_FILENO),
		.verbose = d->o->verbose,
		.quiet = d->o->quiet,
		.command = d->command,
	};
	struct str text, accept;

	str_init(&text);
	str_init(&accept);
	if (d->o->baselines && !str_eq(d->o->baselines, "baselines")) {
		str_add(&accept, " --baselines ");
		str_add_shell(&accept, d->o->baselines);
	}
	c.accept_options = accept.s;
	for (size_t i = 0; i < d->n && !d->o->quiet; i++) {
		c.result_path = d->paths[i];
		report_console(d->results[i], &c, &text);
	}
	report_last_line(d->results, d->n, status, &c, &text);
	fwrite(text.s, 1, text.len, stderr);
	str_release(&accept);
	str_release(&text);
}
