/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/outcome.h"

#include <string.h>

/* None is written over another one. */
static void notes_add_up(void **state)
{
	struct outcome o;

	(void)state;
	outcome_init(&o);
	outcome_note(&o, "%s", "");
	assert_string_equal(o.notes, "");
	outcome_note(&o, "%u of %u pages", 1u, 12u);
	outcome_note(&o, "%u of %u pages", 1u, 1u); /* a part of the one before, and another note */
	outcome_note(&o, "%u of %u pages", 1u, 12u);
	outcome_note(&o, "no I/O");
	outcome_note(&o, "no I/O");
	assert_string_equal(o.notes, "1 of 12 pages; 1 of 1 pages; no I/O");
	outcome_release(&o);
}

static void what_has_no_room_is_seen_to_be_missing(void **state)
{
	struct outcome o;

	(void)state;
	outcome_init(&o);
	for (unsigned i = 0; i < 200; i++)
		outcome_note(&o, "note number %u", i);
	assert_int_equal(strlen(o.notes), sizeof(o.notes) - 1);
	assert_string_equal(o.notes + sizeof(o.notes) - 4, "...");
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_add_up),
		cmocka_unit_test(what_has_no_room_is_seen_to_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
