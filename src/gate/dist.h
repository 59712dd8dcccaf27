/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/dist: the distributions that judging needs. dist.c is the only file that knows libRmath,
 * which can print on stdout and call exit() on odd arguments: every argument is clamped here. NaN
 * in, NaN out.
 */
#ifndef BLKGATE_GATE_DIST_H
#define BLKGATE_GATE_DIST_H

#include <stddef.h>

/* Upper quantile of Student's t: P(T > result) = level. level is held in [1e-12, 0.5], df in
 * [1, 1e7]. */
double dist_t_upper(double level, double df);
/* x with P(Z <= x) = p of the standard normal. p is held in [1e-12, 1 - 1e-12]. */
double dist_normal_quantile(double p);
/*
 * Rank c (from 1) so that the c-th smallest and the c-th largest of n values enclose the median
 * with at least 93.75 % confidence, whatever the distribution: five runs give their own range.
 * Below five values no rank reaches that and the range (1) is returned; 0 for n == 0.
 */
size_t dist_median_rank(size_t n);
/* Sign test, two-sided: how often at least so many of n estimates lie on one side as n - fewer when
 * both sides are alike (2 P(X <= fewer), X binomial with 1/2); at most 1. fewer <= n / 2. */
double dist_sign_test(size_t fewer, size_t n);
/* Largest c with P(W <= c) <= level of Wilcoxon's rank-sum statistic W of two arms of n values each
 * (1..50): the exact distribution without ties. -1 = not even c = 0 is that rare, or bad arguments.
 */
int dist_ranksum_rank(double level, unsigned n);

#endif
