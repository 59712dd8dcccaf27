/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/rng: splitmix64 seeding and xoshiro256** (Blackman & Vigna 2018, public domain algorithm).
 * Deterministic for a seed on every machine. Caller owned state, one thread each.
 */
#ifndef BLKGATE_BASE_RNG_H
#define BLKGATE_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

uint64_t rng_mix(uint64_t x); /* splitmix64 finaliser: stateless hash of a number */
void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
/* Uniform in [0, n), n > 0, without modulo bias (Lemire's multiply). */
uint64_t rng_below(struct rng *r, uint64_t n);
double rng_double(struct rng *r); /* [0, 1) */
/* Fisher-Yates of an array of n elements of that size. */
void rng_shuffle(struct rng *r, void *v, size_t n, size_t size);
/* A seed from the kernel (getrandom). */
uint64_t rng_entropy(void);

#endif
