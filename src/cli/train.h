/* train -- what the files of `longhand train` share: how training went, shown as it goes. */
#ifndef LH_CLI_TRAIN_H
#define LH_CLI_TRAIN_H

#include "cli/cli.h"
#include "train/trainer.h"

typedef struct lh_train_show {
    lh_cli *cli;
    bool in_place;           /* one line, written over and over; otherwise a line now and then */
    int steps;               /* in all */
    int first;               /* done before this run */
    int every;               /* a plain line so often */
    double start, next_time; /* seconds: when it began; when the line is written again */
    double val;              /* the last one; nan: none yet */
    double best_val;
    double tokens; /* seen in this run */
    double busy;   /* seconds spent in steps alone */
    double *loss;  /* [n] of each step of this run */
    int n, cap;
} lh_train_show;

void lh_show_begin(lh_train_show *s, lh_cli *cli, int first, int steps, int every);
bool lh_show_step(lh_train_show *s, const lh_trainer *t, double took,
                  bool looks_up); /* keeps the loss; looks_up: a line follows; false: no memory */
void lh_show_line(lh_train_show *s, int step); /* now, whatever the time */
void lh_show_keep(lh_train_show *s);           /* the line stays: what follows stands below it */
void lh_show_clear(lh_train_show *s);          /* room for other words */
double lh_show_mean(const lh_train_show *s, int last); /* of the last so many losses */
void lh_show_end(lh_train_show *s, const char *out);   /* the plot, and what came of it */
void lh_show_free(lh_train_show *s);
const char *lh_time_text(lh_arena *a, double seconds); /* 40 s, 12 min, 3 h 20 min */
double lh_seconds(void);

#endif
