/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text through every parser of base/units. What must hold: success leaves the error untouched,
 * failure fills text and hint with printable UTF-8, a number has one reading (its own plain text
 * reads back equal), and what is written for people is printable.
 */
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check(int ret, const struct err *e)
{
	if (ret == 0) {
		require(e->code == 0);
		return;
	}
	require(ret == ERR_USAGE && e->code == ERR_USAGE && e->text[0]);
	require(utf8_valid(e->text, strlen(e->text), NULL));
	require(utf8_valid(e->hint, strlen(e->hint), NULL));
}

static void check_double(int ret, double v, const struct err *e)
{
	struct str s;

	check(ret, e);
	if (ret)
		return;
	require(isfinite(v));
	str_init(&s);
	units_add_double(&s, v);
	require(strtod(s.s, NULL) == v);
	for (int u = UNIT_NONE; u <= UNIT_CELSIUS; u++)
		unit_format(&s, (enum unit)u, v);
	require(utf8_valid(s.s, s.len, NULL));
	str_release(&s);
}

static void check_whole(int ret, uint64_t v, const struct err *e)
{
	struct err again = ERR_INIT;
	uint64_t back;
	struct str s;

	check(ret, e);
	if (ret)
		return;
	str_init(&s);
	str_addf(&s, "%llu", (unsigned long long)v);
	require(units_count(s.s, &back, &again) == 0 && back == v);
	str_clear(&s);
	unit_format_size(&s, v);
	unit_format_duration(&s, v);
	require(utf8_valid(s.s, s.len, NULL));
	str_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int (*const whole[])(const char *, uint64_t *,
				    struct err *) = {units_count, units_size, units_time};
	static int (*const real[])(const char *, double *,
				   struct err *) = {units_number, units_iops, units_percent};
	char *text = xstrndup((const char *)data, size);
	struct err e;
	bool b;

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		uint64_t v = 0;

		e = ERR_INIT;
		int ret = whole[i](text, &v, &e);

		check_whole(ret, v, &e);
	}
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		double v = 0;

		e = ERR_INIT;
		int ret = real[i](text, &v, &e);

		check_double(ret, v, &e);
	}
	for (int u = UNIT_NONE; u <= UNIT_CELSIUS; u++) {
		double v = 0;

		e = ERR_INIT;
		int ret = unit_parse((enum unit)u, text, &v, &e);

		check_double(ret, v, &e);
	}
	e = ERR_INIT;
	check(units_bool(text, &b, &e), &e);
	free(text);
	return 0;
}
