/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/outlook: what the verdict of a whole suite will be on unchanged code, before it is measured:
 * the forecast of each primary gate from the spread of the sessions in its baseline, or, of two
 * arms in turn, from the spread of the runs inside them. Pure.
 */
#ifndef BLKGATE_GATE_OUTLOOK_H
#define BLKGATE_GATE_OUTLOOK_H

#include "gate/baseline.h"
#include "gate/forecast.h"
#include "model/check.h"
#include "model/interleave.h"
#include "model/job.h"
#include "model/target.h"

struct outlook_ask {
	const struct job *jobs;
	size_t njobs;
	const struct check *checks;
	size_t nchecks;
	const struct target *targets; /* roles */
	size_t ntargets;
	bool any_role;  /* the targets are not known (lint): the roles of the baseline hold */
	uint32_t max;   /* sessions at most */
	uint32_t looks; /* K of the levels: what the suite plans */
	double assumed_sd;
	const struct interleave *interleave; /* kind other than none: two arms in turn */
};

/* A tolerance of gates whose run sd is not known. */
struct outlook_bear {
	double delta; /* on the scale */
	double tolerance;
	bool absolute;
	enum unit unit;
};
#define OUTLOOK_BEARS 8

struct outlook {
	struct forecast all;
	struct forecast raw; /* the same without adjust_by */
	bool adjusted;       /* a gate behind it has one */
	uint32_t pairs;      /* at most; 0 = against the baseline */
	size_t gates;        /* primary gates of jobs that run */
	size_t played;       /* of those the ones behind `all` */
	char worst[160];     /* gate with the most undecided, "" = none above 1 % */
	double worst_share;  /* its undecided */
	char cure[300];      /* the cheapest for it */
	/* Gates that cannot pass yet, whatever their sessions show; the one that waits longest. */
	size_t waiting;
	uint32_t waits_for;    /* boots or days */
	size_t unjudged;       /* gates of which the rule decides nothing */
	char undecidable[400]; /* one of them, and why */
	char waiter[600];      /* its name, and why */
	size_t nbears;         /* tolerances of the other gates, each once */
	struct outlook_bear bears[OUTLOOK_BEARS];
	char arms[100]; /* roles whose sessions would tell the run sd */
};

void outlook(const struct outlook_ask *a, const struct baseline *b, struct outlook *out);
/* Lines for people, each with a newline. */
void outlook_text(const struct outlook *o, struct str *out);

#endif
