/* sample -- which token comes next, given a score for each.
 *
 *     lh_choice how = {.temperature = 0.8, .top_k = 40, .top_p = 0.9};
 *     lh_chooser *c = lh_chooser_new(ctx, vocabulary);
 *     int token = lh_choose(c, scores, &how, lh_random_uniform(place));       one uniform number, one token
 *
 * Scores are logits. They are divided by the temperature (0: the highest score wins, the first of equal ones), the top_k highest
 * are kept (0: all), and of these, the likeliest first, as many as it takes for their probabilities to add up to top_p
 * (1: all; the first is always kept); of these, those that have at least min_p of the likeliest one's probability. One of them is drawn, each with its share. The same number gives the same token.
 */
#ifndef LH_TRAIN_SAMPLE_H
#define LH_TRAIN_SAMPLE_H

#include "base/context.h"

typedef struct lh_choice {
    double temperature;
    int top_k;
    double top_p;
    double min_p;              /* at least so much of the likeliest one's probability; 0: all */
    double repetition_penalty; /* of tokens that were there already; 0 or 1: none */
} lh_choice;

typedef struct lh_chooser lh_chooser;

lh_chooser *lh_chooser_new(lh_context *ctx, int n); /* for n scores; NULL and the context failed */
void lh_chooser_free(lh_chooser *c);                /* NULL is allowed */
/* each token that is there once: a score above 0 is divided, another multiplied; token is [n_tokens] */
void lh_penalise(float *score, int n, const int *token, int n_tokens, double penalty);
/* -1: no score is a number */
int lh_choose(lh_chooser *c, const float *score, const lh_choice *how, double uniform);

#endif
