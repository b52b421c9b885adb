/* look -- inside a model that reads a prompt: attention, what each layer would say, and which word comes next, or is hidden.
 *
 *     lh_look l = {.in = in, .tokens = tokens, .head = -1};
 *     if (lh_look_gather(&l, -1, true)) lh_look_json(&l, &json, "out");
 *     lh_chart *c = lh_look_heat(&l, 3);                           the attention of layer 3 as shades
 *
 * A program that generates says what comes behind the last position; one that does not (BERT) says what is hidden, at each [MASK] of the
 * prompt. One forward pass has all that is looked at. Errors: in the context of the graph. Memory: in the arena of `in`.
 */
#ifndef LH_TRAIN_LOOK_H
#define LH_TRAIN_LOOK_H

#include "explain/chart.h"
#include "pages/json.h"
#include "text/tokenizer.h"
#include "train/inside.h"

enum { LH_LOOK_TOP = 10, LH_LOOK_LENS_TOP = 3 };

typedef struct lh_look {
    lh_inside *in; /* with its prompt */
    const lh_tokenizer *tokens;
    lh_step **attention; /* n_attention: of every layer, in the order of the program */
    int n_attention;
    lh_lens lens;
    int *place; /* n_places: positions whose word is asked for */
    int n_places;
    bool is_hidden; /* ... these words are hidden: otherwise it is the one that comes next */
    int scores;     /* the size of the vocabulary */
    double *likely; /* n_places x scores: probabilities */
    int head;       /* the only one that is shown, or -1 */
    bool *is_shown; /* for each attention */
} lh_look;

/* layer: the only one, or -1: all, or without `all` the last where there are many. False and the context failed. */
bool lh_look_gather(lh_look *l, int layer, bool all);
lh_chart *lh_look_heat(lh_look *l, int attention); /* NULL: out of memory */
lh_chart *lh_look_bars(lh_look *l, int place);
/* l->lens.score: of this place. False: the context failed */
bool lh_look_layers(lh_look *l, int place);
void lh_look_json(lh_look *l, lh_json *j, const char *model);

const char *lh_look_word(const lh_look *l, int token); /* as it is shown: ␣cat; or NULL */
void lh_look_probabilities(const float *score, int n, double *p);
/* the largest, largest first; -1 behind the end */
void lh_look_top(const double *p, int n, int *top, int count);

/* A token as JSON: id, text as it is, and its bytes where they are no text. */
void lh_token_json(lh_arena *a, lh_json *j, const lh_tokenizer *t, int token);

#endif
