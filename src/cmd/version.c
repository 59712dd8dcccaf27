/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "engines/engine.h"

#include <stdio.h>

static const struct option_def *const defs[] = {&opt_engines, NULL};

int cmd_version(int argc, char **argv)
{
	struct options o;
	int rc = command_start(&o, "version [--engines]",
			       "The version, and which engines are usable here.", defs,
			       "  blkgate version --engines", argc, argv);

	if (rc >= 0)
		return rc;
	printf("blkgate %s (result format %d, measurement version %d)\n", BLKGATE_VERSION,
	       RESULT_VERSION, MEASUREMENT_VERSION);
	for (unsigned i = 0; o.engines && i < engine_count; i++) {
		const struct engine *g = engine_table[i];
		struct err e = ERR_INIT;
		bool usable = engine_probe(g, &e) == 0;

		printf("  %-12s %-10s %s\n", g->name, usable ? "usable" : "not usable",
		       usable ? g->what : e.text);
		if (!usable && e.hint[0])
			printf("  %-12s %-10s %s\n", "", "", e.hint);
	}
	options_release(&o);
	return STATUS_PASS;
}
