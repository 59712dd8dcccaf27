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

static inline uint64_t feistel(const struct shuffle *s, uint64_t x)
{
	const unsigned to_left = s->to_left, to_right = s->to_right, bits = 64 - to_right;
	uint64_t left = x >> bits, right = x & ((1ULL << bits) - 1);

	left ^= mixed(right, s->key[0], to_left);
	right ^= mixed(left, s->key[1], to_right);
	left ^= mixed(right, s->key[2], to_left);
	right ^= mixed(left, s->key[3], to_right);
	return left << bits | right;
}

static inline uint64_t shuffled(const struct shuffle *s, uint64_t blocks, uint64_t i)
{
	/* Cycle walking: the domain is below 2 x blocks, so this takes fewer than 2 steps on
	 * average. */
	do
		i = feistel(s, i);
	while (i >= blocks);
	return i;
}

/* The rounds backwards: each mixed one half with a function of the other, which is still there. */
static uint64_t feistel_back(const struct shuffle *s, uint64_t x)
{
	const unsigned to_left = s->to_left, to_right = s->to_right, bits = 64 - to_right;
	uint64_t left = x >> bits, right = x & ((1ULL << bits) - 1);

	right ^= mixed(left, s->key[3], to_right);
	left ^= mixed(right, s->key[2], to_left);
	right ^= mixed(left, s->key[1], to_right);
	left ^= mixed(right, s->key[0], to_left);
	return left << bits | right;
}

uint64_t pattern_permute(const struct pattern *p, uint64_t i)
{
	return shuffled(&p->shuffle, p->blocks, i);
}

static void set_domain(struct pattern *p)
{
	unsigned bits = p->blocks > 4 ? 64u - (unsigned)__builtin_clzll(p->blocks - 1) : 2;

	p->shuffle.to_left = 64 - bits / 2;
	p->shuffle.to_right = 64 - (bits + 1) / 2;
}

static void set_key(struct shuffle *s, uint64_t key)
{
	for (size_t r = 0; r < sizeof(s->key) / sizeof(s->key[0]); r++) {
		s->key[r] = key;
		key = (key << 13 | key >> 51) + 0xd1342543de82ef95ULL;
	}
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
	set_key(&p->shuffle, key_of(p, p->pass));
}

static void start(struct pattern *p, unsigned thread, uint64_t seed)
{
	uint64_t mine = rng_mix(seed + 0x632be59bd9b4e019ULL * (thread + 1));

	p->pos = p->pass = 0;
	p->taken = p->nahead = 0;
	rng_seed(&p->rng, mine);
	rng_seed(&p->mix, rng_mix(mine));
	rng_seed(&p->spread.sizes, rng_mix(mine + 1));
	pass_key(p);
	if (p->spread.ranked)
		set_key(&p->shuffle, rng_mix(seed ^ 0x2545f4914f6cdd1dULL));
}

void pattern_init_like(struct pattern *p, const struct pattern *like, unsigned thread,
		       uint64_t seed)
{
	*p = *like;
	start(p, thread, seed);
}

uint64_t pattern_position(const struct pattern *p, uint64_t pass, uint64_t block)
{
	struct shuffle s = p->shuffle;

	if (!p->map)
		return block;
	if (pass != p->pass)
		set_key(&s, key_of(p, pass));
	/* The walk of the permutation, back to where it came from. */
	do
		block = feistel_back(&s, block);
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
	*p = (struct pattern){
		.blocks = j->bs ? job_file_size(j) / j->bs : 0,
		.offset = j->offset,
		.bs = j->bs,
		.random = job_random(j),
		.read_pct = read_share(j),
		.other = job_trims(j) ? DIR_TRIM : DIR_WRITE,
	};
	p->len = j->bs;
	p->units = 1;
	p->odd =
		spread_init(&p->spread, j, p->blocks) == 0 && (p->spread.sized || p->spread.placed);
	/* Blocks of several sizes cannot each be visited once; a distribution repeats them. */
	p->map = p->random && !j->norandommap && !p->odd;
	/* verify asks where the pattern stands: nothing is computed ahead of it. */
	p->plain = !p->odd && p->map == p->random && p->read_pct % 100 == 0 && !job_verifies(j);
	p->only = p->read_pct ? DIR_READ : p->other;
	set_domain(p);
	start(p, thread, seed);
}

static enum io_dir next_dir(struct pattern *p)
{
	if (p->read_pct == 100)
		return DIR_READ;
	if (p->read_pct == 0)
		return p->other;
	return rng_below(&p->mix, 100) < p->read_pct ? DIR_READ : p->other;
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

/* Where n blocks from pos on are mapped. A function of its own, as it fills the registers. */
__attribute__((noinline)) static void shuffle_all(const struct pattern *p, uint64_t pos,
						  uint64_t *to, unsigned n)
{
	const struct shuffle s = p->shuffle; /* a copy: nothing that is stored can change it */
	const uint64_t blocks = p->blocks;

	for (const uint64_t *end = to + n; to < end; to++, pos++)
		*to = shuffled(&s, blocks, pos);
}

/*
 * A plain pattern depends on nothing but its position, so it is computed ahead: many blocks in one
 * go let the processor work at several at once, which a chain of four products does not.
 */
static void look_ahead(struct pattern *p)
{
	if (p->pos == p->blocks)
		next_pass(p);
	const uint64_t pos = p->pos, left = p->blocks - pos, offset = p->offset;
	const unsigned n = left < PATTERN_AHEAD ? (unsigned)left : PATTERN_AHEAD;
	const uint32_t bs = p->bs;

	if (p->map)
		shuffle_all(p, pos, p->ahead, n);
	for (unsigned i = 0; i < n; i++)
		p->ahead[i] = offset + (p->map ? p->ahead[i] : pos + i) * bs;
	p->pos = pos + n;
	p->nahead = n;
	p->taken = 0;
}

void pattern_draw(struct pattern *p, enum io_dir *dir, uint64_t *offset, uint64_t *pass)
{
	if (p->plain) {
		look_ahead(p);
		pattern_next(p, dir, offset, pass);
	} else if (p->odd) {
		odd_next(p, dir, offset, pass);
	} else {
		mixed_next(p, dir, offset, pass);
	}
}
