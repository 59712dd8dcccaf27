/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/calibrate: which tolerance a noise allows. The k factors of PROCEDURE 6: smallest tolerance
 * (log) in units of a standard deviation that passes unchanged code often enough; detection of
 * twice the tolerance is then implied. Pure.
 */
#ifndef BLKGATE_GATE_CALIBRATE_H
#define BLKGATE_GATE_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

/* Factor for S baseline sessions and up to K new ones, in units of the sd of one session median;
 * share: of the runs on unchanged code that are to pass (0.95 and 0.99 are tabulated, the others on
 * the normal line through them). Between tabulated S and K the next smaller one holds (a larger
 * factor). NAN below 5 sessions, without a new one, or for a share outside [0.75, 0.9999]. */
double calibrate_stored(uint32_t sessions, uint32_t max, double share);
/* The same for two arms, in units of the sd of one run. NAN below 10 pairs. */
double calibrate_interleaved(uint32_t pairs, double share);

/* Standard deviation of the law behind n normal values whose own one is sd (the usual one, over n -
 * 1): that is too small by c4(n) on average, 2.7 % at n = 10 (Holtzman 1950). */
double calibrate_sd(double sd, size_t n);

enum gateable { GATEABLE, GATEABLE_NOISY, UNGATEABLE };
/* Tolerance that a spread needs where values come in steps of q: q goes on top of the limit;
 * least: what the steps ask for in any case, scale_least(). */
double calibrate_need(double sd, double factor, double q, double least);
/* tolerance, sd and q on one scale. NOISY: fewer than 95 % of unchanged code pass (the need above
 * the tolerance); UNGATEABLE: below about 75 % (factor x sd above 1.4 times what q leaves of the
 * tolerance), a tolerance below `least`, or a factor or sd that is not known.
 */
enum gateable calibrate_judge(double tolerance, double sd, double factor, double q, double least);

#endif
