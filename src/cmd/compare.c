/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results side by side. A comparison is no verdict: its status says whether it could be made. */
#include "cmd/cmd.h"

#include "gate/compare.h"
#include "gate/gate.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option_def *const defs[] = {&opt_by, &opt_two_sided, &opt_json, NULL};

struct files {
	struct result *v;
	const struct result **list;
	size_t n;
};

static int load_files(const struct options *o, struct files *f, struct err *e)
{
	f->v = xcalloc(o->args.n, sizeof(*f->v));
	f->list = xcalloc(o->args.n, sizeof(*f->list));
	for (; f->n < o->args.n; f->n++) {
		struct result *r = &f->v[f->n];

		if (result_load(o->args.v[f->n], r, e) < 0) {
			result_release(r);
			return e->code;
		}
		gate_judge(r, NULL, &(struct gate_options){.now = r->ended});
		f->list[f->n] = r;
	}
	return 0;
}

static void files_release(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		result_release(&f->v[i]);
	free(f->v);
	free(f->list);
}

/* A document on stdout owns it: the text goes to stderr then. */
static int show(const struct options *o, const struct compare *c, struct err *e)
{
	struct jw w;
	struct str text;
	int rc = 0;

	str_init(&text);
	compare_text(c, &text);
	fwrite(text.s, 1, text.len, o->json && str_eq(o->json, "-") ? stderr : stdout);
	str_release(&text);
	if (!o->json)
		return 0;
	jw_init(&w);
	compare_json(c, &w);
	jw_finish(&w);
	rc = document_write(o->json, w.out.s, w.out.len, e);
	jw_release(&w);
	return rc;
}

static int check_options(const struct options *o, struct err *e)
{
	if (!o->args.n) {
		err_set(e, ERR_USAGE, "no result was named");
		return err_hint(e, "blkgate compare before/result.json after/result.json");
	}
	return documents_clash(o, e);
}

static enum exit_status compare_files(const struct options *o, struct err *e)
{
	enum exit_status status = STATUS_ERROR;
	struct files f = {0};
	struct compare c;
	struct compare_ask ask;

	if (check_options(o, e) < 0)
		return status_of(e);
	if (load_files(o, &f, e) == 0) {
		ask = (struct compare_ask){.r = f.list,
					   .names = o->args.v,
					   .n = f.n,
					   .by = o->by,
					   .two_sided = o->two_sided};
		if (compare_make(&ask, &c, e) == 0) {
			status = c.compared && !c.failed ? STATUS_PASS : STATUS_ERROR;
			show(o, &c, e);
			compare_release(&c);
		}
	}
	files_release(&f);
	return e->code ? status_of(e) : status;
}

int cmd_compare(int argc, char **argv)
{
	struct options o;
	struct err e = ERR_INIT;
	enum exit_status status;
	int rc = command_start(
		&o, "compare RESULT RESULT... [--by label.KEY] [--two-sided] [--json FILE]",
		"Results side by side: per workload and metric the mean of each side's session "
		"medians,\n"
		"the change from the first to it and its 95 % interval. Nothing is judged: the "
		"status is 0\n"
		"when all of it could be compared, 4 when a part could not, and 2 when the results "
		"cannot\n"
		"stand side by side (other suites, one side only, a label that is not known).",
		defs,
		"  blkgate compare before/result.json after/result.json\n"
		"  blkgate compare night/*.json --by label.adapter --two-sided",
		argc, argv);

	if (rc >= 0)
		return rc;
	status = compare_files(&o, &e);
	if (e.code)
		say_err(&e);
	say("blkgate: compare  status %d: %s", (int)status,
	    status == STATUS_PASS    ? "compared, which is no verdict"
	    : status == STATUS_USAGE ? "nothing was compared"
				     : "not all of it could be compared");
	options_release(&o);
	return (int)status;
}
