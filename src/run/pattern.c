/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which direction and offset comes next. The reasons are in the header. */
#include "run/pattern.h"

#define ROUNDS 4u

/*
 * One pass over a Feistel network is a bijection of the domain whatever the round function is, so
 * the round function only has to be cheap and to mix: the high bits of a 64-bit product depend on
 * every bit below them.
 */
static uint64_t feistel(uint64_t x, uint64_t key, unsigned half_bits)
{
	const uint64_t mask = (1ULL << half_bits) - 1;
	uint64_t left = x >> half_bits, right = x & mask;

	for (unsigned r = 0; r < ROUNDS; r++) {
		uint64_t f = (right ^ key) * 0x9e3779b97f4a7c15ULL;
		uint64_t next = left ^ ((f ^ (f >> 29)) >> (64 - half_bits));

		left = right;
		right = next & mask;
		key = (key << 13 | key >> 51) + 0xd1342543de82ef95ULL;
	}
	return left << half_bits | right;
}

/* The rounds backwards: each mixes one half with a function of the other, which is still there. */
static uint64_t feistel_back(uint64_t x, uint64_t key, unsigned half_bits)
{
	const uint64_t mask = (1ULL << half_bits) - 1;
	uint64_t left = x >> half_bits, right = x & mask, keys[ROUNDS];

	for (unsigned r = 0; r < ROUNDS; r++) {
		keys[r] = key;
		key = (key << 13 | key >> 51) + 0xd1342543de82ef95ULL;
	}
	for (unsigned r = ROUNDS; r--;) {
		uint64_t f = (left ^ keys[r]) * 0x9e3779b97f4a7c15ULL;
		uint64_t before = right ^ ((f ^ (f >> 29)) >> (64 - half_bits));

		right = left;
		left = before & mask;
	}
	return left << half_bits | right;
}

uint64_t pattern_permute(const struct pattern *p, uint64_t i)
{
	/* Cycle walking: the domain is below 4 x blocks, so this takes fewer than 4 steps on
	 * average. */
	do
		i = feistel(i, p->key, p->half_bits);
	while (i >= p->blocks);
	return i;
}

static unsigned half_bits_for(uint64_t blocks)
{
	unsigned bits = blocks > 1 ? 64u - (unsigned)__builtin_clzll(blocks - 1) : 1;

	return (bits + 1) / 2;
}

static uint32_t read_share(const struct job *j)
{
	if (!job_writes(j))
		return 100;
	return job_reads(j) ? j->rwmixread : 0;
}

static uint64_t key_of(const struct pattern *p, uint64_t pass)
{
	/* rng is not drawn from in map mode: its first word is the key of the keys. */
	return rng_mix(p->rng.s[0] + 0x9e3779b97f4a7c15ULL * (pass + 1));
}

static void pass_key(struct pattern *p)
{
	p->key = key_of(p, p->pass);
}

uint64_t pattern_position(const struct pattern *p, uint64_t pass, uint64_t block)
{
	uint64_t key = pass == p->pass ? p->key : key_of(p, pass);

	if (!p->map)
		return block;
	/* The walk of the permutation, back to where it came from. */
	do
		block = feistel_back(block, key, p->half_bits);
	while (block >= p->blocks);
	return block;
}

void pattern_rewind(struct pattern *p, uint64_t n)
{
	for (; n; n--) {
		if (p->pos == 0) {
			p->pos = p->blocks;
			p->pass--;
			if (p->map)
				pass_key(p);
		}
		p->pos--;
	}
}

void pattern_init(struct pattern *p, const struct job *j, unsigned thread, uint64_t seed)
{
	uint64_t mine = rng_mix(seed + 0x632be59bd9b4e019ULL * (thread + 1));

	*p = (struct pattern){
		.blocks = j->bs ? j->size / j->bs : 0,
		.offset = j->offset,
		.bs = j->bs,
		.random = job_random(j),
		.read_pct = read_share(j),
	};
	p->len = j->bs;
	p->units = 1;
	p->odd = spread_init(&p->spread, j, p->blocks, rng_mix(mine + 1)) == 0 &&
		 (p->spread.sized || p->spread.placed);
	/* Blocks of several sizes cannot each be visited once; a distribution repeats them. */
	p->map = p->random && !j->norandommap && !p->odd;
	p->half_bits = half_bits_for(p->blocks);
	rng_seed(&p->rng, mine);
	rng_seed(&p->mix, rng_mix(mine));
	pass_key(p);
	if (p->spread.ranked)
		p->key = rng_mix(seed ^ 0x2545f4914f6cdd1dULL);
}

static enum io_dir next_dir(struct pattern *p)
{
	if (p->read_pct == 100)
		return DIR_READ;
	if (p->read_pct == 0)
		return DIR_WRITE;
	return rng_below(&p->mix, 100) < p->read_pct ? DIR_READ : DIR_WRITE;
}

static void odd_next(struct pattern *p, enum io_dir *dir, uint64_t *offset, uint64_t *pass)
{
	uint64_t left = p->random ? p->blocks : p->blocks - p->pos, block = p->pos;

	p->units = spread_units(&p->spread);
	if (p->units > left)
		p->units = (uint32_t)left;
	if (p->spread.placed) {
		block = spread_draw(&p->spread, &p->rng);
		if (p->spread.ranked)
			block = pattern_permute(p, block);
		if (block > p->blocks - p->units)
			block = p->blocks - p->units;
	} else if (p->random) {
		block = rng_below(&p->rng, p->blocks - p->units + 1);
	}
	p->len = p->units * p->bs;
	*offset = p->offset + block * p->bs;
	*pass = p->pass;
	*dir = next_dir(p);
	p->pos += p->units;
	if (p->pos >= p->blocks) {
		p->pos -= p->blocks;
		p->pass++;
	}
}

void pattern_next(struct pattern *p, enum io_dir *dir, uint64_t *offset, uint64_t *pass)
{
	uint64_t block;

	if (__builtin_expect(p->odd, 0)) {
		odd_next(p, dir, offset, pass);
		return;
	}
	if (p->map)
		block = pattern_permute(p, p->pos);
	else if (p->random)
		block = rng_below(&p->rng, p->blocks);
	else
		block = p->pos;
	*offset = p->offset + block * p->bs;
	*pass = p->pass;
	*dir = next_dir(p);
	if (++p->pos == p->blocks) {
		p->pos = 0;
		p->pass++;
		if (p->map)
			pass_key(p);
	}
}
