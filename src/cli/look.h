/* look -- what `look` found, for its text, its JSON and its pictures. */
#ifndef LH_CLI_LOOK_H
#define LH_CLI_LOOK_H

#include "cli/opened.h"
#include "explain/chart.h"

typedef struct lh_look {
    lh_opened o;
    lh_step **attention; /* n_attention: of every layer, in the order of the program */
    int n_attention;
    lh_lens lens;
    int scores;     /* the size of the vocabulary */
    double *next;   /* scores: probabilities of the next token */
    int head;       /* the only one that is shown, or -1 */
    bool *is_shown; /* for each attention: --layer, or the last where there are many */
} lh_look;

enum { LH_LOOK_TOP = 10, LH_LOOK_LENS_TOP = 3 };

void lh_look_print(lh_look *l);
void lh_look_json(lh_look *l);
lh_chart *lh_look_heat(lh_look *l, int attention); /* NULL: out of memory */
lh_chart *lh_look_bars(lh_look *l);
void lh_look_probabilities(const float *score, int n, double *p);
/* the largest, largest first; -1 behind the end */
void lh_look_top(const double *p, int n, int *top, int count);

#endif
