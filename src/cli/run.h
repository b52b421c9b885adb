/* run -- what the files of `longhand run` share. */
#ifndef LH_CLI_RUN_H
#define LH_CLI_RUN_H

#include "cli/cli.h"
#include "eval/exact.h"
#include "explain/trace.h"
#include "pages/run_json.h"
#include "pages/run_text.h"

typedef struct lh_run {
    lh_cli *cli;
    const lh_source *source;
    lh_graph *g;
    const lh_plan *plan; /* every step, at the start values */
    int digits;
    bool has_digits; /* they were asked for */
} lh_run;

/* Parts of the trace (run.c), for pages too. */
void lh_run_step(const lh_run *r, const lh_trace_item *item);
void lh_run_given(const lh_run *r, const lh_trace *t);

/* A step of training, and what became of it (learning.c). */
int lh_run_training(lh_run *r, int steps, const lh_loop_how *how, bool table, bool json);
/* pattern, prediction, target; how many are right */
int lh_run_table(lh_run *r, const lh_plan *plan);
/* n numbers: before the first update, after it ... */
void lh_plot_loss(const lh_cli *cli, const double *loss, int n);
void lh_run_effect(lh_run *r); /* loss and target before and after one update */
/* NAME[@STEP]: run_mistake.c */
int lh_run_mistake(lh_run *r, const char *mistake, const lh_trace *t);

#endif
