/* pairs -- questions and answers as batches: of a task that makes them, or of a file with a pair on each line.
 *
 *     lh_tokenizer *t = lh_pairs_tokenizer(ctx, &how, NULL);      of what the pairs are made of; or of a program's own words
 *     lh_pairs_how how = {.task = lh_train_task_find("addition"), .context = 16};
 *     lh_pairs *p = lh_pairs_new(ctx, t, &how);
 *     lh_trainer_new(g, lh_pairs_feed(p), ...);
 *     lh_pairs_free(p);
 *
 * Two kinds of program learn from them. One reads the question and writes the answer beside it:
 *
 *     source 1 2 + 3 4        given <start> 4 6        wanted 4 6 <end>
 *
 * The other has one row. What it should say within the question is <pad>, and a program that does not count it in its loss
 * (counts = target != "<pad>") learns the answer alone:
 *
 *     tokens  1  2  +  3  4 <start> 4   6
 *     target <pad>  ...  <pad>  4   6 <end>
 *
 * A file has question, tab, answer on each line; what follows a second tab is not read. Questions are held out as tasks.h says.
 * Pairs with more than `context` tokens are left out of a file and counted.
 *
 * Errors: a file without a pair, a token that the vocabulary does not have, a task too long for the context fail the context.
 */
#ifndef LH_TRAIN_PAIRS_H
#define LH_TRAIN_PAIRS_H

#include "train/feed.h"
#include "train/made_tasks.h"

typedef struct lh_pairs_how {
    const lh_train_task *task; /* NULL: */
    const char *name;          /* what messages call the file */
    const char *text;          /* its text, which must outlive the pairs */
    size_t length;
    bool is_chars;   /* a file: characters are tokens; otherwise words */
    int context;     /* tokens in a row, at most */
    bool has_source; /* the program reads the question apart */
} lh_pairs_how;

/* A question and its answer as texts: [q, q + n_q). */
typedef struct lh_pair_line {
    const char *question, *answer;
    size_t n_question, n_answer;
} lh_pair_line;

typedef struct lh_pairs {
    lh_context *ctx;
    lh_arena *arena;
    lh_pairs_how how;
    const lh_tokenizer *tokens;
    int pad, start, end;
    lh_pair_line *line[2]; /* a file: to learn from, held out */
    int n_lines[2];
    int n_cut; /* left out: too long */
} lh_pairs;

/* Made for the pairs (of a task, or of every line of a file); with `own`, a vocabulary in a program's own words, in their
 * order. NULL and the context failed. */
lh_tokenizer *lh_pairs_tokenizer(lh_context *ctx, const lh_pairs_how *how, const lh_vocab *own);
/* NULL and the context failed; t must outlive it */
lh_pairs *lh_pairs_new(lh_context *ctx, const lh_tokenizer *t, const lh_pairs_how *how);
void lh_pairs_free(lh_pairs *p);          /* NULL is allowed */
lh_feed lh_pairs_feed(const lh_pairs *p); /* for a trainer; p must outlive it */

/* A text as tokens, words with their space: how many, or -1 and the context failed. `most` of them fit into id. */
int lh_pairs_encode(lh_context *ctx, const lh_tokenizer *t, const char *text, size_t n, int *id,
                    int most);
/* the way back: no special tokens, no space in front */
void lh_pairs_decode(const lh_tokenizer *t, const int *id, int n, lh_text *out);

#endif
