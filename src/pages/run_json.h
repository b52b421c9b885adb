/* run_json -- the trace of a program as JSON: every step with its formula, shape and numbers, for each example and head. */
#ifndef LH_PAGES_RUN_JSON_H
#define LH_PAGES_RUN_JSON_H

#include "eval/exact.h"
#include "explain/trace.h"
#include "pages/json.h"

/* What is run. */
typedef struct lh_run_of {
    lh_arena *arena;
    const char *lesson, *title;
    lh_graph *g;
    const lh_plan *plan;
} lh_run_of;

/* inside an object: lesson, title, examples, steps */
void lh_run_members(lh_json *j, const lh_run_of *r, const lh_trace *t);
char *lh_example_text(lh_arena *a, const lh_graph *g, int example);  /* A B -> C; cut where long */
char *lh_example_words(lh_arena *a, const lh_graph *g, int example); /* all of it */

#endif
