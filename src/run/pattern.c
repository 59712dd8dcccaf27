/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which direction and offset comes next. The reasons are in the header. */
#include "run/pattern.h"

/*
 * One pass over a Feistel network is a bijection of the domain whatever the round function is, so
 * the round function only has to be cheap and to mix: the high bits of a 64-bit product depend on
 * every bit below them. The halves need not be equally wide, as each round changes one by the
 * other: the domain is the next power of two, and not of four.
 */
static inline uint64_t mixed(uint64_t half, uint64_t key, unsigned shift)
{
	return ((half ^ key) * 0x9e3779b97f4a7c15ULL) >> shift;
}

static inline uint64_t feistel(const struct pattern *p, uint64_t x)
{
	const unsigned to_left = p->to_left, to_right = p->to_right, bits = 64 - to_right;
	uint64_t left = x >> bits, right = x & ((1ULL << bits) - 1);

	left ^= mixed(right, p->key[0], to_left);
	right ^= mixed(left, p->key[1], to_right);
	left ^= mixed(right, p->key[2], to_left);
	right ^= mixed(left, p->key[3], to_right);
	return left << bits | right;
}

uint64_t pattern_permute(const struct pattern *p, uint64_t i)
{
	/* Cycle walking: the domain is below 2 x blocks, so this takes fewer than 2 steps on
	 * average. */
	do
		i = feistel(p, i);
	while (i >= p->blocks);
	return i;
}

/* v[0..n) to where they are mapped. */
static void permute_all(const struct pattern *p, uint64_t *v, uint64_t n)
{
	const struct pattern c = *p; /* nothing that is stored can change it */

	for (uint64_t i = 0; i < n; i++)
		v[i] = pattern_permute(&c, v[i]);
}

static void set_domain(struct pattern *p)
{
	unsigned bits = p->blocks > 4 ? 64u - (unsigned)__builtin_clzll(p->blocks - 1) : 2;

	p->to_left = 64 - bits / 2;
	p->to_right = 64 - (bits + 1) / 2;
}

static void set_key(struct pattern *p, uint64_t key)
{
	for (size_t r = 0; r < sizeof(p->key) / sizeof(p->key[0]); r++) {
		p->key[r] = key;
		key = (key << 13 | key >> 51) + 0xd1342543de82ef95ULL;
	}
}

static uint32_t read_share(const struct job *j)
{
	if (!job_writes(j))
		return 100;
	return job_reads(j) ? j->rwmixread : 0;
}

static void pass_key(struct pattern *p)
{
	/* rng is not drawn from in map mode: its first word is the key of the keys. */
	set_key(p, rng_mix(p->rng.s[0] + 0x9e3779b97f4a7c15ULL * (p->pass + 1)));
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
	p->plain = !p->odd && p->map == p->random && p->read_pct % 100 == 0;
	set_domain(p);
	rng_seed(&p->rng, mine);
	rng_seed(&p->mix, rng_mix(mine));
	pass_key(p);
	if (p->spread.ranked)
		set_key(p, rng_mix(seed ^ 0x2545f4914f6cdd1dULL));
}

static enum io_dir next_dir(struct pattern *p)
{
	if (p->read_pct == 100)
		return DIR_READ;
	if (p->read_pct == 0)
		return DIR_WRITE;
	return rng_below(&p->mix, 100) < p->read_pct ? DIR_READ : DIR_WRITE;
}

__attribute__((noinline)) static void odd_next(struct pattern *p, enum io_dir *dir,
					       uint64_t *offset, uint64_t *pass)
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

__attribute__((noinline, cold)) static void next_pass(struct pattern *p)
{
	p->pos = 0;
	p->pass++;
	if (p->map)
		pass_key(p);
}

/* Two directions, or blocks that are drawn. */
__attribute__((noinline)) static void mixed_next(struct pattern *p, enum io_dir *dir,
						 uint64_t *offset, uint64_t *pass)
{
	uint64_t block = p->pos;

	if (p->map)
		block = pattern_permute(p, block);
	else if (p->random)
		block = rng_below(&p->rng, p->blocks);
	*offset = p->offset + block * p->bs;
	*pass = p->pass;
	*dir = next_dir(p);
	if (++p->pos == p->blocks)
		next_pass(p);
}

/*
 * A plain pattern depends on nothing but its position, so it is computed ahead: many blocks in one
 * go let the processor work at several at once, which a chain of four products does not.
 */
__attribute__((noinline)) static void look_ahead(struct pattern *p, enum io_dir *dir,
						 uint64_t *offset, uint64_t *pass)
{
	uint64_t left, n;

	if (p->pos == p->blocks)
		next_pass(p);
	left = p->blocks - p->pos;
	n = left < PATTERN_AHEAD ? left : PATTERN_AHEAD;
	for (uint64_t i = 0; i < n; i++)
		p->ahead[i] = p->pos + i;
	if (p->map)
		permute_all(p, p->ahead, n);
	for (uint64_t i = 0; i < n; i++)
		p->ahead[i] = p->offset + p->ahead[i] * p->bs;
	p->pos += n;
	p->nahead = (unsigned)n;
	p->taken = 0;
	pattern_next(p, dir, offset, pass);
}

void pattern_next(struct pattern *p, enum io_dir *dir, uint64_t *offset, uint64_t *pass)
{
	if (__builtin_expect(p->plain, 1)) {
		if (__builtin_expect(p->taken == p->nahead, 0)) {
			look_ahead(p, dir, offset, pass);
			return;
		}
		*offset = p->ahead[p->taken++];
		*pass = p->pass;
		*dir = p->read_pct ? DIR_READ : DIR_WRITE;
		return;
	}
	if (p->odd)
		odd_next(p, dir, offset, pass);
	else
		mixed_next(p, dir, offset, pass);
}
