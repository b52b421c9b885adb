/* trace -- the steps of a program in the order a person would work them out, each with the lines that open it.
 *
 *     lh_trace *t = lh_trace_new(g, &(lh_trace_how){.to = "P"});
 *     for (int i = 0; i < t->n_items; i++) ... t->item[i].step, .section, .inner[k]
 *
 * It says which steps and in which order; the numbers are a plan's, the printing is the caller's.
 */
#ifndef LH_EXPLAIN_TRACE_H
#define LH_EXPLAIN_TRACE_H

#include "graph/graph.h"

typedef enum lh_section {
    LH_SECTION_GIVEN,
    LH_SECTION_FORWARD,
    LH_SECTION_BACKWARD,
    LH_SECTION_UPDATE
} lh_section;

typedef struct lh_trace_item {
    lh_step *step;
    lh_section section;
    /* unnamed calls and operands, lines of bodies and rules, in order; each is opened once */
    lh_step **inner;
    int n_inner;
} lh_trace_item;

typedef struct lh_trace_how {
    const char *to; /* stop after this step, or NULL */
    bool all;       /* gradients that no update needs, too */
} lh_trace_how;

typedef struct lh_trace {
    lh_arena *arena;
    lh_trace_item *item;
    int n_items;
} lh_trace;

/* NULL and the context failed on error */
lh_trace *lh_trace_new(lh_graph *g, const lh_trace_how *how);
void lh_trace_free(lh_trace *t);
/* for each node: does an update need it? NULL when there is no update */
bool *lh_trace_needed(lh_graph *g, lh_arena *a);

#endif
