/* feed -- where training gets its batches from, whatever they are made of.
 *
 *     lh_feed f = lh_data_feed(data);                    a text (train/text_data.h), or lh_pairs_feed (train/pairs.h)
 *     lh_drawn_batch *b = f.make(f.from, 12);
 *     f.draw(f.from, seed, step, b);                     12 examples to learn from: always the same for this seed and step
 *     f.held_out(f.from, i, of, b);                      of what is held out, batch i of `of`
 *     lh_fast.feed(plan, &b->batch);
 *     lh_drawn_free(b);
 *
 * Programs that are trained have one of two sets of inputs, in this order:
 *
 *     tokens target            a row of tokens, and what follows each
 *     source given wanted      a row to read; what is written so far, and what follows each
 */
#ifndef LH_TRAIN_FEED_H
#define LH_TRAIN_FEED_H

#include <stdint.h>

#include "eval/exact.h"

/* A batch. `token` is what grows (tokens, given), `target` what follows it (target, wanted). */
typedef struct lh_drawn_batch {
    lh_context *ctx;
    lh_batch batch;
    int most;            /* examples there is room for */
    int longest;         /* tokens of an example there is room for */
    size_t n_tokens;     /* in this batch: of `token` */
    int *rows;           /* [most] of token and of target */
    int *token, *target; /* [most * longest] */
    size_t n_source;     /* ... of `source` */
    int *source_rows;    /* [most]; NULL: there is no source */
    int *source;         /* [most * longest] */
    const int *all_rows[3], *all_tokens[3];
} lh_drawn_batch;

typedef struct lh_feed {
    const void *from;
    lh_drawn_batch *(*make)(const void *from, int examples); /* NULL and the context failed */
    void (*draw)(const void *from, uint64_t seed, uint32_t step, lh_drawn_batch *b);
    /* how many examples it has: 0 behind the last */
    int (*held_out)(const void *from, int i, int of, lh_drawn_batch *b);
} lh_feed;

/* NULL and the context failed */
lh_drawn_batch *lh_drawn_make(lh_context *ctx, int examples, int longest, bool has_source);
void lh_drawn_begin(lh_drawn_batch *b); /* no example in it */
void lh_drawn_free(lh_drawn_batch *b);  /* NULL is allowed */

/* What a batch says of each input, with room for all that the program has. */
typedef struct lh_inputs {
    const int **rows, **tokens; /* [n] */
    const double **numbers;     /* [n] */
    int n;
} lh_inputs;

bool lh_inputs_make(lh_arena *a, const lh_graph *g, lh_inputs *in); /* false: the context failed */
/* every input has these: where one alone is read */
void lh_inputs_fill(const lh_inputs *in, const int *rows, const int *tokens);

bool lh_takes_text(const lh_graph *g);  /* tokens, target */
bool lh_takes_pairs(const lh_graph *g); /* source, given, wanted */

#endif
