/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/probe: what was found out about the things named, and its two forms. Texts live in `arena` or
 * in the notices.
 *
 * The document (`blkgate_probe: 1`, suites/probe.schema.json) holds facts as results do: a text, or
 * {"unknown": REASON}. A reader ignores members that it does not know.
 */
#ifndef BLKGATE_CMD_PROBE_H
#define BLKGATE_CMD_PROBE_H

#include "cmd/cmd.h"
#include "host/host.h"

/* A list that may not have been found out. */
struct found {
	struct notices v;
	struct err err; /* code 0: v is all */
};

struct probed {
	const char *id;
	struct err err; /* code != 0: it is no target here, and the rest is empty */
	struct target t;
	struct found users, identities;
	const char *refused;   /* why the name used is not one of the identities; NULL: it is */
	const char *signature; /* NULL: nothing is written there */
	struct err signature_err;
};

struct probe {
	struct host host;
	struct arena arena;
	struct facts machine;
	struct notices left; /* settings that a killed run left switched; of this machine only */
	struct probed *v;
	size_t n;
	enum exit_status status;
};

/* For people, to stdout. */
void probe_text(const struct probe *p);
int probe_json(const struct probe *p, const char *path, struct err *e); /* ERR_OUTPUT */

#endif
