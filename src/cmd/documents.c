/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "base/fileio.h"
#include "json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* To a file, or to stdout for "-". */
static int write_document(const char *path, const char *data, size_t n, struct err *e)
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
	rc = write_document(path, text, w.out.len, e);
	jw_release(&w);
	return rc;
}

static int junit_text(const struct documents *d, struct str *text, struct err *e)
{
	return report_junit(d->results, d->n, d->broken, d->nbroken, d->o->junit_style, text, e);
}

/* Remembers the first failure and goes on: one unwritable path must not cost the other documents.
 */
static void keep_first(struct err *first, const struct err *e)
{
	if (!first->code && e->code)
		*first = *e;
}

static void put_junit(const struct documents *d, bool final, struct err *first)
{
	struct err e = ERR_INIT;
	struct str text;

	str_init(&text);
	if (junit_text(d, &text, &e) == 0) {
		if (d->out_dir) {
			char *path = xasprintf("%s/junit.xml", d->o->out);

			write_document(path, text.s, text.len, &e);
			keep_first(first, &e);
			e = ERR_INIT;
			free(path);
		}
		if (d->o->junit && (final || !str_eq(d->o->junit, "-")))
			write_document(d->o->junit, text.s, text.len, &e);
	}
	keep_first(first, &e);
	str_release(&text);
}

int documents_junit(const struct documents *d, struct err *e)
{
	put_junit(d, false, e);
	return e->code;
}

int documents_write(const struct documents *d, struct err *e)
{
	for (size_t i = 0; i < d->n && d->out_dir; i++) {
		struct err we = ERR_INIT;
		char *path = d->n + d->nbroken == 1
				 ? xasprintf("%s/result.json", d->o->out)
				 : xasprintf("%s/%s/result.json", d->o->out, d->results[i]->suite);

		write_result(d->results[i], path, &we);
		keep_first(e, &we);
		free(path);
	}
	if (d->o->json && d->n == 1) {
		struct err we = ERR_INIT;

		write_result(d->results[0], d->o->json, &we);
		keep_first(e, &we);
	}
	put_junit(d, true, e);
	return e->code;
}

void print_results(const struct documents *d, enum exit_status status, const char *result_path,
		   const char *command)
{
	struct console_options c = {
	    .colour = want_colour(STDERR_FILENO),
	    .width = terminal_width(STDERR_FILENO),
	    .verbose = d->o->verbose,
	    .quiet = d->o->quiet,
	    .result_path = result_path,
	    .command = command,
	};
	struct str text;

	str_init(&text);
	for (size_t i = 0; i < d->n && !d->o->quiet; i++) {
		char *path = NULL;

		/* Of several suites each has a folder of its own. */
		if (d->n + d->nbroken > 1 && d->out_dir)
			path = xasprintf("%s/%s/result.json", d->o->out, d->results[i]->suite);
		if (d->n + d->nbroken > 1)
			c.result_path = path;
		report_console(d->results[i], &c, &text);
		free(path);
	}
	c.result_path = NULL;
	report_last_line(d->results, d->n, status, &c, &text);
	fwrite(text.s, 1, text.len, stderr);
	str_release(&text);
}
