/* sample -- which token comes next, given a score for each.
 *
 *     lh_choice how = {.temperature = 0.8, .top_k = 40, .top_p = 0.9};
 *     lh_chooser *c = lh_chooser_new(ctx, vocabulary);
 *     int token = lh_choose(c, scores, &how, lh_random_uniform(place));       one uniform number, one token
 *
 * Scores are logits. They are divided by the temperature (0: the highest score wins, the first of equal ones), the top_k highest
 * are kept (0: all), and of these, the likeliest first, as many as it takes for their probabilities to add up to top_p
 * (1: all; the first is always kept); of these, those that have at least min_p of the likeliest one's probability. One of them is
 * drawn, each with its share. The same number gives the same token.
 *
 * Before all that, lh_penalise lowers the score s of each token that is in the text already, k times: s / r where s > 0, else s * r, with the
 * repetition penalty r; then s - presence - k * frequency.
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
    double presence_penalty;   /* taken off the score of a token that is there, 0: none; */
    double frequency_penalty;  /* ... and once for each time that it is there */
} lh_choice;

typedef struct lh_chooser lh_chooser;

lh_chooser *lh_chooser_new(lh_context *ctx, int n); /* for n scores; NULL and the context failed */
void lh_chooser_free(lh_chooser *c);                /* NULL is allowed */
/* the scores of tokens that are there already; token is [n_tokens] */
void lh_penalise(lh_chooser *c, float *score, const int *token, int n_tokens, const lh_choice *how);
/* the highest score wins, and nothing is penalised: no other score has to be known */
bool lh_choice_is_greedy(const lh_choice *how);
/* -1: no score is a number */
int lh_choose(lh_chooser *c, const float *score, const lh_choice *how, double uniform);

#endif
