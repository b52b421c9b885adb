/* beam -- the likeliest answer, found by following several at once.
 *
 *     lh_beam *b = lh_beam_new(g, &(lh_beam_how){.width = 4, .longest = 32, .end = 2});
 *     lh_floats_copy(b->plan, trained, g);                             or lh_weights from a file
 *     lh_beam_search(b, source, n, &start, 1);
 *     b->found[0].token, b->found[0].n, b->found[0].log_probability    the best; then the others
 *     lh_beam_free(b);
 *
 * A beam is the `width` likeliest rows of tokens found so far. Each turn, every row that has not ended is continued by every
 * token of the vocabulary; of all these and of those that have ended the likeliest are kept. When the best one has ended it is the
 * answer: a row only loses by going on. What a row is worth is its own log probability, the sum of those of its tokens, the
 * end's among them; nothing is divided by its length.
 *
 * Width 1 is greedy: the likeliest token each time. A width of V^n leaves nothing out: the likeliest of all rows of up to
 * n tokens.
 *
 * New rows alone are computed where the program allows it; what was kept of earlier ones moves with the beams.
 */
#ifndef LH_TRAIN_BEAM_H
#define LH_TRAIN_BEAM_H

#include "eval/fast/wish.h"
#include "train/feed.h"

typedef struct lh_beam_how {
    int width;
    int longest; /* tokens of an answer at most, its end among them */
    int given;   /* tokens that stand before the answer, at most */
    int end;     /* the token that ends an answer */
    int threads;
} lh_beam_how;

typedef struct lh_answer {
    int *token; /* [n] the answer; the end token is the last of it when is_ended */
    int n;
    double log_probability;
    bool is_ended; /* false: `longest` came first */
} lh_answer;

typedef struct lh_beam {
    lh_graph *g;
    lh_arena *arena;
    lh_beam_how how;
    lh_plan *plan;
    lh_answer *found; /* [n_found], the likeliest first */
    int n_found;
    lh_answer *other;               /* where the next turn's are written */
    double *score;                  /* [vocabulary] log probabilities of one row's next token */
    struct lh_beam_candidate *best; /* [width] */
    int *from;                      /* [width] which beam each continues */
    int *rows[2], *token[2];        /* what is fed: [0] the growing input, [1] the source */
    lh_inputs inputs;               /* ... as a batch names it */
} lh_beam;

lh_beam *lh_beam_new(lh_graph *g, const lh_beam_how *how); /* NULL and the context failed */
void lh_beam_free(lh_beam *b);                             /* NULL is allowed */

/* source: for programs that read one (n_source 0: none); given: what stands before the answer, at least one token. False: the
 * context failed. */
bool lh_beam_search(lh_beam *b, const int *source, int n_source, const int *given, int n_given);

#endif
