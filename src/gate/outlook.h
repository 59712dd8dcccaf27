/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/outlook: what the verdict of a whole suite will be on unchanged code, before it is measured:
 * the forecast of each primary gate from the spread of the sessions in its baseline. Pure.
 */
#ifndef BLKGATE_GATE_OUTLOOK_H
#define BLKGATE_GATE_OUTLOOK_H

#include "gate/baseline.h"
#include "gate/forecast.h"
#include "model/check.h"
#include "model/job.h"
#include "model/target.h"

struct outlook_ask {
	const struct job *jobs;
	size_t njobs;
	const struct check *checks;
	size_t nchecks;
	const struct target *targets; /* roles */
	size_t ntargets;
	bool any_role; /* the targets are not known (lint): the roles of the baseline hold */
	uint32_t max;  /* sessions at most */
	double assumed_sd;
};

struct outlook {
	struct forecast all;
	size_t gates;       /* primary gates of jobs that run */
	size_t played;      /* of those the ones behind `all` */
	char worst[160];    /* gate with the most undecided, "" = none above 1 % */
	double worst_share; /* its undecided */
	char cure[100];     /* the cheapest for it */
};

void outlook(const struct outlook_ask *a, const struct baseline *b, struct outlook *out);
/* Two lines for people at most, each with a newline. */
void outlook_text(const struct outlook *o, struct str *out);

#endif
