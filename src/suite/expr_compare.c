/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison of a fact with the value of an expression. Facts hold base units ("45" degrees,
 * "3938000000" B/s, "6.12.8"); the value is what a person wrote ("70C", "3.9 GB/s", "6.12").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "suite/expr.h"

enum { VERSION_PARTS = 8 };

struct version {
	unsigned long part[VERSION_PARTS];
	unsigned n;
	long rc; /* release candidate; LONG_MAX-like = none */
};

static const long NO_RC = 1L << 30;

/* "6.12.8", "v6.12-rc3", "6.1.0-18-amd64"; a word like "3B2QGXA7" is none. */
static bool version_read(const char *s, struct version *v)
{
	memset(v, 0, sizeof(*v));
	v->rc = NO_RC;
	if (*s == 'v' && c_isdigit(s[1]))
		s++;
	while (c_isdigit(*s)) {
		char *end;

		/* 18 digits fit: a longer part would be cut and equal another */
		if (v->n == VERSION_PARTS || strspn(s, "0123456789") > 18)
			return false;
		v->part[v->n++] = strtoul(s, &end, 10);
		s = end;
		if (*s != '.' || !c_isdigit(s[1]))
			break;
		s++;
	}
	if (v->n == 0 || (*s && !strchr("-+_~", *s)))
		return false;
	if (str_starts(s, "-rc") && c_isdigit(s[3]))
		v->rc = strtol(s + 3, NULL, 10);
	return true;
}

static int version_order(const struct version *a, const struct version *b)
{
	for (unsigned i = 0; i < VERSION_PARTS; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return a->rc == b->rc ? 0 : a->rc < b->rc ? -1 : 1;
}

struct quantity {
	double v;
	enum unit unit; /* UNIT_NONE = no unit written: the fact's base unit */
};

/* A number with or without a unit, in the base unit of that unit. */
static bool quantity_read(const char *s, struct quantity *q)
{
	static const enum unit units[] = {UNIT_CELSIUS, UNIT_BYTES, UNIT_BW,
					  UNIT_TIME,    UNIT_IOPS,  UNIT_RATIO};
	struct err e = ERR_INIT;

	q->unit = UNIT_NONE;
	if (units_number(s, &q->v, &e) == 0)
		return isfinite(q->v);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		q->unit = units[i];
		if (unit_parse(units[i], s, &q->v, &e) == 0)
			return isfinite(q->v);
	}
	return false;
}

/* Both are quantities, and not of two different units. */
static bool quantities(const char *fact, const char *value, struct quantity *x, struct quantity *y)
{
	if (!quantity_read(fact, x) || !quantity_read(value, y))
		return false;
	return x->unit == y->unit || x->unit == UNIT_NONE || y->unit == UNIT_NONE;
}

static bool holds(int order, enum check_op op)
{
	switch (op) {
	case OP_GE:
		return order >= 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	case OP_LT:
		return order < 0;
	case OP_EQ:
		return order == 0;
	default:
		return order != 0;
	}
}

/*
 * Equality. Two plain decimals with a point may be numbers (8.0 and 8.00) or versions (6.1 and
 * 6.10): they are equal only when both readings say so.
 */
static bool equal(const char *fact, const char *value)
{
	struct version a, b;
	struct quantity x, y;

	if (strcmp(fact, value) == 0)
		return true;
	if (!quantities(fact, value, &x, &y) || x.v < y.v || x.v > y.v)
		return false;
	if (strchr(fact, '.') && strchr(value, '.') && version_read(fact, &a) &&
	    version_read(value, &b))
		return version_order(&a, &b) == 0;
	return true;
}

/* Facts that are versions by their meaning; what they look like does not tell 6.10 from 6.1. */
static bool is_version(const char *key)
{
	return str_eq(key, "kernel.release") || str_eq(key, "device.firmware") ||
	       str_ends(key, ".version");
}

static int no_order(const char *fact, enum check_op op, const char *value, struct err *e)
{
	err_set(e, ERR_SUITE, "'%s' and '%s' have no order under '%s'", fact, value,
		check_op_name(op));
	return err_hint(e, "compare texts with == or !=");
}

int expr_compare_fact(const char *key, const char *fact, enum check_op op, const char *value,
		      struct err *e)
{
	struct version a, b;

	if (op == OP_EQ || op == OP_NE || !is_version(key))
		return expr_compare(fact, op, value, e);
	if (version_read(fact, &a) && version_read(value, &b))
		return holds(version_order(&a, &b), op);
	return no_order(fact, op, value, e);
}

int expr_compare(const char *fact, enum check_op op, const char *value, struct err *e)
{
	struct version a, b;
	struct quantity x, y;
	bool versions;
	int order;

	if (op == OP_EQ || op == OP_NE)
		return equal(fact, value) == (op == OP_EQ);
	versions = version_read(fact, &a) && version_read(value, &b);
	if (!quantities(fact, value, &x, &y))
		return versions ? holds(version_order(&a, &b), op) : no_order(fact, op, value, e);
	order = x.v < y.v ? -1 : x.v > y.v;
	if (!versions || holds(order, op) == holds(version_order(&a, &b), op))
		return holds(order, op);
	err_set(e, ERR_SUITE,
		"'%s' %s '%s' is ambiguous: as numbers and as versions the answers differ", fact,
		check_op_name(op), value);
	return err_hint(e, "compare with == or !=");
}
