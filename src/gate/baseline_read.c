/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading one baseline file. Strict: what is not understood is refused, because a value that is
 * skipped in silence is a regression that nobody sees. */
#include "base/clock.h"
#include "gate/baseline_file.h"
#include "gate/tail.h"
#include <math.h>
#include <string.h>

#define RUNS_LIMIT 1000000u

int baseline_name_check(const char *name, const char *what, struct err *e)
{
	size_t n = name ? strlen(name) : 0;

	for (size_t i = 0; i < n; i++)
		if (!c_isalnum(name[i]) && !strchr("_+:=.-", name[i]))
			n = 0;
	if (n == 0 || n > 100 || name[0] == '.') {
		err_set(e, ERR_USAGE, "%s '%s' cannot be the name of a folder or file of baselines",
			what, name ? name : "");
		return err_hint(e, "use letters, digits and _ + : = - only");
	}
	return 0;
}

/* One text or NULL into the arena. */
static int get_text(const struct json *o, const char *key, struct arena *a, const char **out,
		    struct err *e)
{
	const char *s;
	int rc = json_get_str(o, key, &s, e);

	if (rc == 0)
		*out = arena_strdup(a, s);
	return rc;
}

static int opt_text(const struct json *o, const char *key, struct arena *a, const char **out,
		    struct err *e)
{
	const char *s;
	int rc = json_opt_str(o, key, NULL, &s, e);

	if (rc == 0)
		*out = arena_strdup(a, s);
	return rc;
}

static int get_time(const struct json *o, const char *key, int64_t *out, struct err *e)
{
	const char *s;
	int rc = json_get_str(o, key, &s, e);

	if (rc == 0 && clock_parse_utc(s, out))
		rc = err_set(e, ERR_DATA, "%s: '%s' is no time", key, s);
	return rc;
}

static int get_u32(const struct json *o, const char *key, uint64_t lo, uint64_t hi, uint32_t *out,
		   struct err *e)
{
	uint64_t v;
	int rc = json_get_u64(o, key, &v, e);

	if (rc == 0 && (v < lo || v > hi))
		rc = err_set(e, ERR_DATA, "%s: %llu is out of range", key, (unsigned long long)v);
	if (rc == 0)
		*out = (uint32_t)v;
	return rc;
}

/* Written as a text, see baseline_write. */
static int get_seed(const struct json *o, const char *key, uint64_t *out, struct err *e)
{
	struct err cause = ERR_INIT;
	const char *s;
	int rc = json_get_str(o, key, &s, e);

	if (rc == 0 && units_count(s, out, &cause))
		rc = err_set(e, ERR_DATA, "%s: '%s' is no whole number", key, s);
	return rc;
}

static int read_facts(const struct json *o, struct facts *f, struct arena *a, struct err *e)
{
	struct json m, why_node;
	const char *s;
	int rc = json_need_object(o, e);

	for (size_t i = 0; rc == 0 && json_object_at(o, i, &m); i++) {
		why_node = json_member(&m, "unknown");
		if (json_present(&why_node)) {
			rc = json_as_str(&why_node, &s, e);
			if (rc == 0)
				facts_set(f, a, m.key, NULL, s);
			continue;
		}
		rc = json_as_str(&m, &s, e);
		if (rc == 0)
			facts_set(f, a, m.key, s, NULL);
	}
	return rc;
}

static int read_texts(const struct json *o, const char *key, struct arena *a, const char ***v,
		      size_t *n, struct err *e)
{
	struct json list = json_member(o, key), item;
	int rc = json_need_array(&list, e);

	*n = 0;
	*v = rc ? NULL : arena_alloc(a, (json_length(&list) + 1) * sizeof(**v));
	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		const char *s;

		item = json_element(&list, i);
		rc = json_as_str(&item, &s, e);
		if (rc == 0)
			(*v)[(*n)++] = arena_strdup(a, s);
	}
	return rc;
}

static int read_numbers(const struct json *o, const char *key, struct arena *a, uint32_t runs,
			double **v, size_t *n, struct err *e)
{
	struct json list = json_member(o, key), item;
	int rc = json_need_array(&list, e);

	if (rc == 0 && (json_length(&list) == 0 || json_length(&list) > runs))
		rc = err_set(e, ERR_DATA, "%s: %zu values of %u runs", o->key, json_length(&list),
			     runs);
	if (rc)
		return rc;
	*n = json_length(&list);
	*v = arena_alloc(a, *n * sizeof(**v));
	for (size_t i = 0; rc == 0 && i < *n; i++) {
		item = json_element(&list, i);
		rc = json_as_double(&item, &(*v)[i], e);
		if (rc == 0 && !isfinite((*v)[i]))
			rc = err_set(e, ERR_DATA, "%s: not a finite number", o->key);
	}
	return rc;
}

static int read_value(const struct json *m, struct arena *a, uint32_t runs, struct base_value *out,
		      struct err *e)
{
	const struct metric *metric = metric_find(m->key);
	const char *unit;
	size_t steps;

	if (json_need_object(m, e) || json_get_str(m, "unit", &unit, e))
		return e->code;
	if (!metric)
		return err_set(e, ERR_DATA, "metric '%s' is unknown to this version", m->key);
	if (strcmp(unit, unit_name(metric->unit)) != 0)
		return err_set(e, ERR_DATA, "%s is in '%s', expected '%s'", m->key, unit,
			       unit_name(metric->unit));
	out->metric = metric->name;
	out->unit = metric->unit;
	if (read_numbers(m, "v", a, runs, &out->v, &out->n, e) ||
	    read_numbers(m, "step", a, runs, &out->step, &steps, e))
		return e->code;
	for (size_t i = 0; i < steps; i++)
		if (out->step[i] < 0)
			return err_set(e, ERR_DATA, "%s: a step is negative", m->key);
	if (steps != out->n)
		return err_set(e, ERR_DATA, "%s: %zu values and %zu steps", m->key, out->n, steps);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Known metrics, each once. Sorted: v is in no order that means anything. */
static int check_gates(const char **v, size_t n, struct err *e)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_text);
	for (size_t i = 0; i < n; i++) {
		if (!metric_find(v[i]))
			return err_set(e, ERR_DATA, "gates: metric '%s' is unknown to this version",
				       v[i]);
		if (i > 0 && strcmp(v[i - 1], v[i]) == 0)
			return err_set(e, ERR_DATA, "gates: '%s' stands twice", v[i]);
	}
	return 0;
}

static int read_job(const struct json *o, struct arena *a, struct base_job *j, struct err *e)
{
	struct json values, m;
	const char **gates;
	size_t n;
	int rc;

	if (json_need_object(o, e) || get_text(o, "name", a, &j->name, e) ||
	    get_text(o, "target", a, &j->target, e) ||
	    get_text(o, "canonical", a, &j->canonical, e) ||
	    get_u32(o, "runs", 1, RUNS_LIMIT, &j->runs, e) ||
	    read_texts(o, "gates", a, &gates, &n, e) || check_gates(gates, n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&j->gates) = gates[i];
	if (latencies_read(o, a, j, e))
		return err_prefix(e, "%s", j->name);
	values = json_member(o, "values");
	rc = json_need_object(&values, e);
	for (size_t i = 0; rc == 0 && json_object_at(&values, i, &m); i++) {
		struct base_value v = {0};

		rc = read_value(&m, a, j->runs, &v, e);
		if (rc == 0)
			*(struct base_value *)VEC_PUSH(&j->values) = v;
	}
	if (rc)
		err_prefix(e, "%s", j->name);
	return rc;
}

/* Facts of each target into one array, its roles beside it; jobs point into the finished array. */
static int read_targets(const struct json *root, struct arena *a, struct base_session *s,
			struct err *e)
{
	struct json o = json_member(root, "targets"), m;
	int rc = json_need_object(&o, e);
	size_t n = 0;

	while (rc == 0 && json_object_at(&o, n, &m)) {
		facts_init(VEC_PUSH(&s->target_facts));
		rc = read_facts(&m, &s->target_facts.v[n++], a, e);
	}
	for (size_t i = 0; rc == 0 && i < s->jobs.n; i++) {
		for (size_t k = 0; k < n && json_object_at(&o, k, &m); k++)
			if (strcmp(m.key, s->jobs.v[i].target) == 0)
				s->jobs.v[i].facts = &s->target_facts.v[k];
		if (!s->jobs.v[i].facts)
			rc = err_set(e, ERR_DATA, "%s: target '%s' has no facts", s->jobs.v[i].name,
				     s->jobs.v[i].target);
	}
	return rc;
}

static int by_job(const void *a, const void *b)
{
	const struct base_job *x = *(const struct base_job *const *)a,
			      *y = *(const struct base_job *const *)b;
	int order = strcmp(x->target, y->target);

	return order ? order : strcmp(x->name, y->name);
}

/* Of two jobs of one name only one would be compared with, and nobody could say which. */
static int check_jobs(const struct base_session *s, struct err *e)
{
	const struct base_job **v = xcalloc(s->jobs.n + 1, sizeof(*v));
	int rc = 0;

	for (size_t i = 0; i < s->jobs.n; i++)
		v[i] = &s->jobs.v[i];
	qsort(v, s->jobs.n, sizeof(*v), by_job);
	for (size_t i = 1; i < s->jobs.n && rc == 0; i++)
		if (by_job(&v[i - 1], &v[i]) == 0)
			rc = err_set(e, ERR_DATA, "jobs: '%s' on '%s' stands twice", v[i]->name,
				     v[i]->target);
	free(v);
	return rc;
}

static int read_measured(const struct json *root, struct arena *a, struct base_session *s,
			 struct err *e)
{
	struct json jobs = json_member(root, "jobs"), host = json_member(root, "host"), item;
	uint32_t version;
	int rc;

	if (get_text(root, "session", a, &s->id, e) || get_time(root, "started", &s->started, e) ||
	    opt_text(root, "boot_id", a, &s->boot_id, e) ||
	    get_u32(root, "epoch", 1, UINT32_MAX - 1, &s->epoch, e) ||
	    get_u32(root, "measurement_version", 1, UINT32_MAX, &version, e) ||
	    get_seed(root, "seed", &s->seed, e) || json_need_array(&jobs, e))
		return e->code;
	s->measurement_version = version;
	facts_init(&s->host);
	rc = read_facts(&host, &s->host, a, e);
	for (size_t i = 0; rc == 0 && i < json_length(&jobs); i++) {
		item = json_element(&jobs, i);
		rc = read_job(&item, a, VEC_PUSH(&s->jobs), e);
	}
	if (rc == 0 && s->jobs.n == 0)
		rc = err_set(e, ERR_DATA, "jobs: the session holds none");
	if (rc == 0)
		rc = check_jobs(s, e);
	return rc ? rc : read_targets(root, a, s, e);
}

static int check_owner(const struct json *root, const char *suite, const char *profile,
		       struct err *e)
{
	const char *s, *p;
	uint64_t version;

	if (json_need_object(root, e) || json_get_u64(root, "blkgate_baseline", &version, e))
		return e->code;
	if (version != BASELINE_VERSION)
		return err_set(e, ERR_DATA, "baseline version %llu, this program reads %d",
			       (unsigned long long)version, BASELINE_VERSION);
	if (json_get_str(root, "suite", &s, e) || json_get_str(root, "profile", &p, e))
		return e->code;
	if (strcmp(s, suite) != 0 || strcmp(p, profile) != 0)
		return err_set(e, ERR_DATA,
			       "belongs to suite '%s', profile '%s', not to '%s', '%s'", s, p,
			       suite, profile);
	return 0;
}

int baseline_session_read(const struct json *root, const char *suite, const char *profile,
			  struct arena *a, struct base_session *s, struct err *e)
{
	const char **retired;
	struct json list;
	size_t n;

	if (check_owner(root, suite, profile, e) || get_time(root, "accepted", &s->accepted, e) ||
	    opt_text(root, "who", a, &s->who, e) || opt_text(root, "reason", a, &s->reason, e))
		return e->code;
	list = json_member(root, "retired");
	if (!json_present(&list))
		return read_measured(root, a, s, e);
	if (read_texts(root, "retired", a, &retired, &n, e))
		return e->code;
	s->retired_jobs = true;
	s->started = s->accepted;
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&s->retired) = retired[i];
	if (read_texts(root, "sessions", a, &retired, &n, e))
		return e->code;
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&s->retired_of) = retired[i];
	return 0;
}
