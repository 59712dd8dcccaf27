/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/interleave.h"
#include "model/names.h"
#include "model/result_io.h"

static const char *const kinds[] = {
	[INTERLEAVE_NONE] = "none",
	[INTERLEAVE_VERSUS] = "versus",
	[INTERLEAVE_SETTING] = "setting",
};

static int find_kind(const char *name, enum interleave_kind *out)
{
	int i = names_find(kinds, NAMES_COUNT(kinds), name);

	if (i < 0)
		return -1;
	*out = (enum interleave_kind)i;
	return 0;
}

static bool counterpart(const struct job *a, const struct job *b)
{
	return a->target != b->target && a->total == b->total && str_eq(a->name, b->name);
}

uint32_t interleave_partner(const struct job *jobs, size_t n, uint32_t job)
{
	/* Jobs of one workload stand together: in every plan of ours it is the neighbour. */
	for (uint32_t k = job ? job - 1 : 0; k < n && k <= job + 1; k++)
		if (counterpart(&jobs[k], &jobs[job]))
			return k;
	for (uint32_t k = 0; k < n; k++)
		if (counterpart(&jobs[k], &jobs[job]))
			return k;
	return UINT32_MAX;
}

enum arm interleave_arm(const struct interleave *i, const struct target *t)
{
	return str_eq(t->role, i->name[ARM_REFERENCE]) ? ARM_REFERENCE : ARM_CANDIDATE;
}

void interleave_title(const struct interleave *i, struct str *out)
{
	if (i->setting)
		str_addf(out, "%s ", i->setting);
	str_addf(out, "%s against %s", i->name[ARM_CANDIDATE], i->name[ARM_REFERENCE]);
}

void doc_write_interleave(const struct interleave *i, struct jw *w)
{
	if (i->kind == INTERLEAVE_NONE)
		return;
	jw_object(w, "interleaved");
	jw_str(w, "kind", names_at(kinds, NAMES_COUNT(kinds), i->kind));
	jw_str(w, "reference", i->name[ARM_REFERENCE]);
	jw_str(w, "candidate", i->name[ARM_CANDIDATE]);
	if (i->setting)
		jw_str(w, "setting", i->setting);
	if (i->path)
		jw_str(w, "path", i->path);
	jw_u64(w, "pairs", i->pairs);
	doc_write_seed(w, "seed", i->seed);
	jw_end_object(w);
}

static bool has_role(const struct result *r, const char *role)
{
	for (size_t t = 0; t < r->ntargets; t++)
		if (str_eq(r->targets[t].role, role))
			return true;
	return false;
}

static int check_kind(const struct reader *rd, const struct json *o, const struct interleave *i)
{
	if (i->pairs < INTERLEAVE_PAIRS_MIN || i->pairs > INTERLEAVE_PAIRS_MAX)
		return doc_bad(rd, o, "pairs", "%u is not between %u and %u", i->pairs,
			       INTERLEAVE_PAIRS_MIN, INTERLEAVE_PAIRS_MAX);
	if (i->kind == INTERLEAVE_NONE)
		return doc_bad(rd, o, "kind", "'none' is no comparison");
	if (i->kind == INTERLEAVE_SETTING)
		return i->setting ? 0 : doc_bad(rd, o, "setting", "is missing");
	for (unsigned a = 0; a < ARM_COUNT; a++)
		if (!has_role(rd->r, i->name[a]))
			return doc_bad(rd, o, a ? "candidate" : "reference",
				       "there is no target '%.60s'", i->name[a]);
	if (str_eq(i->name[0], i->name[1]))
		return doc_bad(rd, o, "candidate", "is the reference");
	return 0;
}

int doc_read_interleave(const struct reader *rd, const struct json *root)
{
	struct interleave *i = &rd->r->interleave;
	struct json o = json_member(root, "interleaved");

	if (!json_present(&o))
		return 0;
	if (json_need_object(&o, rd->e) || DOC_WORD(rd, &o, "kind", find_kind, &i->kind) ||
	    doc_text(rd, &o, "reference", &i->name[ARM_REFERENCE]) ||
	    doc_text(rd, &o, "candidate", &i->name[ARM_CANDIDATE]) ||
	    doc_opt_text(rd, &o, "setting", &i->setting) ||
	    doc_opt_text(rd, &o, "path", &i->path) ||
	    doc_u32(rd, &o, "pairs", UINT32_MAX, &i->pairs) || doc_seed(rd, &o, "seed", &i->seed))
		return rd->e->code;
	return check_kind(rd, &o, i);
}

int doc_read_turn(const struct reader *rd, const struct json *o, struct run *run)
{
	const struct interleave *i = &rd->r->interleave;
	const struct target *t = &rd->r->targets[rd->r->jobs[run->job].target];
	uint32_t arm;

	if (i->kind == INTERLEAVE_NONE)
		return 0;
	if (doc_u32(rd, o, "pair", i->pairs - 1, &run->pair) ||
	    doc_u32(rd, o, "arm", ARM_CANDIDATE, &arm))
		return rd->e->code;
	run->arm = (enum arm)arm;
	if (i->kind == INTERLEAVE_VERSUS && run->arm != interleave_arm(i, t))
		return doc_bad(rd, o, "arm", "%u, but target '%.60s' is the other one", arm,
			       t->role);
	return 0;
}

void doc_guess_turn(const struct result *r, struct run *run)
{
	const struct interleave *i = &r->interleave;
	uint32_t pair = i->kind == INTERLEAVE_SETTING ? run->run / ARM_COUNT : run->run;

	if (i->kind == INTERLEAVE_NONE)
		return;
	run->pair = pair < i->pairs ? pair : 0;
	if (i->kind == INTERLEAVE_VERSUS)
		run->arm = interleave_arm(i, &r->targets[r->jobs[run->job].target]);
}
