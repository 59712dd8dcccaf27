/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/stored: the evidence of one gate, from run values to the input of the decision. Private. */
#ifndef BLKGATE_GATE_STORED_H
#define BLKGATE_GATE_STORED_H

#include "gate/estimate.h"
#include "gate/judge.h"
#include "gate/sequence.h"

/* Judged in the place of a metric: the share of the I/Os of a run at or above a limit. */
struct tail_view {
	uint32_t limit;   /* bucket index, gate/tail.h */
	double reference; /* median of the baseline's shares */
};

struct evidence {
	const struct check *check;
	const struct metric *metric;
	const struct tail_view *view; /* NULL = the metric itself */
	const char *title;            /* of the sentence; NULL = the check's metric */
	struct scale scale;
	uint32_t runs; /* of every session, on both sides */

	/* new sessions: n rows of `runs` values, NaN = none; the first k are whole, and a look is
	 * made after each of these only */
	double *fresh, *fresh_step; /* of a row the largest step on the scale */
	size_t n, k;
	size_t look;       /* the one that was judged last: sessions that it knew */
	size_t beyond;     /* sessions after the last look: shown, not judged */
	size_t short_runs; /* runs whose percentile has too few samples */

	/* comparable baseline sessions that hold the metric, oldest first */
	const struct base_value **base;
	size_t *base_session; /* index into judge.base */
	size_t nbase, left_out, expired;

	double *base_x, *fresh_x; /* session values on the scale; NaN = none */
	uint32_t *base_block, *fresh_block;
	uint32_t *looks; /* K of each new session's look */
	double step;     /* largest step on the scale that the look knew */
	double share;    /* the red level is divided by that; 0 = 1 */
	/* adjust_by: the canary beside, on logs; NULL = not adjusted */
	double *base_canary, *fresh_canary;
	struct stored_output raw; /* what it would be without */

	bool adds_block; /* accepting the new sessions would add a block */
};

void evidence_init(struct evidence *e, const struct judge *g, const struct check *c);
void evidence_release(struct evidence *e);
/* Values of the new sessions, up to the first whose measurement failed; false with an error
 * verdict: a session lacks the metric, and those before it stand. */
bool evidence_fresh(struct evidence *e, struct judge *g, struct verdict *v);
/* The baseline sessions; false with a verdict no-baseline or incomparable. */
bool evidence_base(struct evidence *e, struct judge *g, struct verdict *v);
/* Nothing to compare with, nothing that is young enough; and nothing that may be compared with, the
 * newest being that session (no_values: it only lacks values). */
void verdict_no_baseline(struct judge *g, const struct evidence *e, struct verdict *v);
void verdict_incomparable(struct judge *g, const char *session, const char *why, bool no_values,
			  struct verdict *v);
/* The stored value that the evidence is made of; NULL = none. */
const struct base_value *evidence_base_value(const struct evidence *e, struct judge *g,
					     const struct base_job *j);
/* May a baseline session be compared? why gets the reason when not. */
enum comparison { COMPARABLE, DIFFERS, LACKS_VALUES };
enum comparison evidence_compare(struct evidence *e, struct judge *g, const struct epoch_index *x,
				 size_t session, const struct base_value *bv, struct str *why);
/* look.c. Look by look up to the first that decides, or the last one: each is made of the baseline
 * and the sessions up to it. e->k > 0. False with an error verdict: nothing was decided up to a
 * look that cannot be made (zero in it, no canary). */
bool evidence_judge(struct evidence *e, struct judge *g, struct stored_input *in,
		    struct stored_output *out, struct verdict *v);
/* The numbers after the last session that can be judged, at most the first `most`, whatever was
 * decided before. */
bool evidence_last(struct evidence *e, struct judge *g, size_t most, struct stored_input *in,
		   struct stored_output *out, struct verdict *v);

/* adjust.c: the figure of a canary that stands beside a gate of that metric. */
const struct metric *adjust_metric(const struct metric *m, const struct job *canary);
/* Why a baseline session has no value of the canary that the gate is adjusted by; NULL =
 * it has, or none is needed. */
const char *adjust_lacks(const struct evidence *e, struct judge *g, const struct epoch_index *x,
			 size_t session);
/* The canary's session values beside those of the gate at that look; false with an error verdict
 * when a new session has none. */
bool adjust_input(struct evidence *e, struct judge *g, struct stored_input *in, struct verdict *v);
void adjust_sentence(const struct evidence *e, const struct judge *g,
		     const struct stored_output *out, struct str *s);
/* The verdict from what the decision came to, with its numbers and its sentence. */
void gate_conclude(struct judge *g, const struct evidence *e, const struct stored_input *in,
		   const struct stored_output *out, struct verdict *v);

/* shift.c. The baseline's grid: in each point the median over all runs; false when no session holds
 * one. And v->shift, for a latency. */
bool gate_reference(const struct judge *g, const struct evidence *e, double *grid);
void gate_shift(const struct judge *g, const struct evidence *e, struct verdict *v);

/* tail_gate.c. Of a percentile on a cliff between two modes (PROCEDURE 9), and of a tail: judges it
 * by other figures and returns true. False: the gate is judged by its metric. e holds both sides.
 */
bool gate_tails(struct judge *g, struct evidence *e, struct verdict *v);
/* Between two arms such a percentile decides nothing, nor does a tail; true with that verdict. run:
 * the n > 0 runs of the reference that the first look knows. */
bool gate_cliff_between(struct judge *g, const struct evidence *e, const struct run *const *run,
			size_t n, struct verdict *v);
/* tail_view.c. The values of a view: of one run, and of a stored job (NULL = it holds none). */
void tail_view_value(const struct tail_view *t, const struct metric *m, const struct outcome *o,
		     struct value *out);
const struct base_value *tail_view_base(const struct tail_view *t, const struct metric *m,
					const struct base_job *j, struct arena *a);

/* Does a `known` entry cover a loss of that much (oriented), to the end of its day? */
bool gate_known_covers(const struct judge *g, const struct evidence *e, double est,
		       const struct verdict *v);
/* True with a skipped verdict: another gate of the job states the same fact. */
bool gate_judged_elsewhere(const struct judge *g, const struct evidence *e, struct verdict *v);
/* Raises *most to the step of a value (model/value.h) on the scale. */
void evidence_step(const struct evidence *e, double step, double value, double *most);
/* pairs.c: the same gate between two arms that took turns; e has metric and scale only. */
void pairs_judge(struct judge *g, struct evidence *e, struct verdict *v);

/* Parts of sentences: "read.iops -7.3 % [-9.2, -5.3], tolerance 5 %", "4.1 %", ", known to be ...".
 */
void gate_add_head(struct str *s, const struct evidence *e, const struct verdict *v);
void gate_add_loss(struct str *s, const struct evidence *e, double loss);
void gate_add_known(struct str *s, const struct judge *g, const struct evidence *e, bool covered);
void gate_add_steps(struct str *s, const struct evidence *e);
/* PROCEDURE 5.9: a tolerance of fewer than five steps of the values tells nothing from rounding: no
 * pass comes of it, unless the limit excludes any loss, or whole
 * things are counted (scale_least). A loss that is shown all the
 * same is one. */
bool gate_too_coarse(const struct evidence *e, double upper);
/* The sentence for a decided or undecided gate. */
void gate_sentence(struct judge *g, const struct evidence *e, const struct stored_output *out,
		   struct verdict *v, struct str *s);

#endif
