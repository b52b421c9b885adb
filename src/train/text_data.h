/* text_data -- a text as tokens, and the batches that are drawn from it.
 *
 *     lh_tokenizer *t = lh_data_tokenizer(ctx, "char", "notes.txt", text, length);       or "word", "bpe:1000", a folder
 *     lh_data *d = lh_data_new(ctx, t, &(lh_data_how){.name = "notes.txt", .context = 64}, text, length);
 *     lh_drawn_batch *b = lh_drawn_new(d, 12);
 *     lh_data_draw(d, seed, step, b);                    12 windows of 64 tokens, and what follows each token
 *     lh_fast.feed(plan, &b->batch) ...
 *     lh_drawn_free(b), lh_data_free(d), lh_tokenizer_free(t);
 *
 * Running text: an example is a window of `context` tokens that begins anywhere; its target is the window one further on.
 * Lines: an example is a line. It begins with the token of the line's end and is to be followed by it:
 *
 *     emma        tokens \n e m m a        target e m m a \n
 *
 * Of a line too long for the context the beginning is taken; empty lines are left out.
 *
 * A tenth is held out, and nothing is learned from it: of a running text the last tenth, of lines every tenth. Which windows or lines a step sees is computed from (seed, step,
 * example) alone, so that a run that goes on sees what it would have seen. They are drawn with replacement.
 *
 * Of several ranks each has a part of the text (train/text_part.h), and all draw together: who has a token tells it to the others. So the batches
 * are those of the whole text.
 *
 * Errors: an empty text, one that is binary, one too short for the context and a character that the vocabulary does not have
 * fail the context. Memory: two bytes a token (four above 65,536 kinds); the text is not kept.
 */
#ifndef LH_TEXT_DATA_H
#define LH_TEXT_DATA_H

#include <stdint.h>

#include "text/tokenizer.h"
#include "train/feed.h"
#include "train/ranks.h"

typedef struct lh_data_how {
    const char *name; /* what messages call the text */
    int context;      /* tokens in an example, at most */
    bool is_lines;
    const lh_ranks *ranks; /* the text is this rank's part of it; NULL: it is all there */
} lh_data_how;

typedef struct lh_data {
    lh_context *ctx;
    lh_arena *arena;
    lh_data_how how;
    uint16_t *narrow;   /* [n_here] tokens, or NULL: */
    uint32_t *wide;     /* [n_here] */
    size_t n;           /* tokens of the text */
    size_t first;       /* ... the number of the first that is here: 0 where no other ranks are */
    size_t n_here;      /* ... so many are */
    size_t n_train;     /* running text: the first so many tokens are learned from */
    size_t *line;       /* lines: [lines_here + 1] where each begins here; NULL: running text */
    size_t n_lines;     /* ... of the text that hold anything */
    size_t first_line;  /* ... the number of the first that is here */
    size_t lines_here;  /* ... so many are */
    size_t train_lines; /* ... so many are learned from */
    size_t n_cut;       /* ... that are longer than the context */
    int newline;        /* the token of a line's end, or -1 */
} lh_data;

/* spec NULL: char; NULL and the context failed */
lh_tokenizer *lh_data_tokenizer(lh_context *ctx, const char *spec, const char *name,
                                const char *text, size_t length);
/* NULL and the context failed */
lh_data *lh_data_new(lh_context *ctx, const lh_tokenizer *t, const lh_data_how *how,
                     const char *text, size_t length);
void lh_data_free(lh_data *d);                 /* NULL is allowed */
int lh_data_token(const lh_data *d, size_t i); /* 0: another rank has it */

/* Where a text may be cut so that its parts have the same tokens as the whole. */
bool lh_data_is_cut(const char *text, size_t i);

lh_drawn_batch *lh_drawn_new(const lh_data *d, int examples); /* NULL and the context failed */
/* b->most examples to learn from */
void lh_data_draw(const lh_data *d, uint64_t seed, uint32_t step, lh_drawn_batch *b);

/* Of what is held out, batch i of `of`: always the same ones, spread over all there is. Returns how many examples there
 * are: fewer in the last batch, 0 behind it. */
int lh_data_held_out(const lh_data *d, int i, int of, lh_drawn_batch *b);
size_t lh_data_held_out_count(const lh_data *d); /* examples; 0: too little is left to hold out */

lh_feed lh_data_feed(const lh_data *d); /* for a trainer; d must outlive it */

char *lh_data_course(lh_arena *a, size_t *length); /* the course's own text; NULL: no memory */

#endif
