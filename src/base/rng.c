/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rng.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define GOLDEN 0x9e3779b97f4a7c15u

uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void rng_seed(struct rng *r, uint64_t seed)
{
	/* splitmix64 never gives four zeros in a row, the one state xoshiro cannot leave. */
	for (unsigned i = 0; i < 4; i++)
		r->s[i] = rng_mix(seed += GOLDEN);
}

static uint64_t rotl(uint64_t x, unsigned k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(struct rng *r)
{
	uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	unsigned __int128 m = (unsigned __int128)rng_next(r) * n;

	if ((uint64_t)m < n) {
		uint64_t least = -n % n;

		while ((uint64_t)m < least)
			m = (unsigned __int128)rng_next(r) * n;
	}
	return (uint64_t)(m >> 64);
}

double rng_double(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

void rng_shuffle(struct rng *r, void *v, size_t n, size_t size)
{
	unsigned char *b = v;

	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(r, i);
		unsigned char *p = b + (i - 1) * size, *q = b + j * size;

		if (p == q)
			continue;
		for (size_t k = 0; k < size; k++) {
			unsigned char t = p[k];

			p[k] = q[k];
			q[k] = t;
		}
	}
}

uint64_t rng_entropy(void)
{
	uint64_t seed;
	ssize_t n;

	do {
		n = getrandom(&seed, sizeof(seed), 0);
	} while (n < 0 && errno == EINTR);
	/* A sandbox may forbid the call. A seed needs to differ, not to be secret, and is recorded.
	 */
	if (n != (ssize_t)sizeof(seed))
		seed = rng_mix(clock_now() ^ rng_mix((uint64_t)getpid()));
	return seed;
}
