/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a suite: no crash, no leak, and a refusal always says something. */
#include <stdint.h>
#include <stdlib.h>

#include "suite/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct setting set[] = {{"kernel", "6.12.9"}};
	struct suite s;
	struct diags d;
	struct err e = ERR_INIT;
	int rc;

	diags_init(&d);
	/* the first byte chooses whether a parameter is set */
	rc = suite_parse((const char *)data, size, "fuzz.yaml", set, size && data[0] == 'k', &s, &d,
			 &e);
	if ((rc != 0) != (d.errors != 0) || (rc && (rc != ERR_SUITE || !e.text[0])))
		abort();
	if (!rc && s.workloads.n == 0)
		abort();
	suite_release(&s);
	diags_release(&d);
	return 0;
}
