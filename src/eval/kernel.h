/* kernel -- code that stands in for a whole call, or for several steps, in the fast evaluator.
 *
 * A kernel looks at a node and says whether it can make it (.fits); then the nodes between that one and the leaves it
 * named are not computed at all. It may make several nodes at once: what attention sends back to Q, K and V. What a
 * kernel means is what the notation says about the node: one test loops over the table and compares.
 */
#ifndef LH_EVAL_KERNEL_H
#define LH_EVAL_KERNEL_H

#include "graph/op.h"

struct lh_plan;
struct lh_work;
typedef struct lh_kernel lh_kernel;

enum { LH_MAX_LEAVES = 16, LH_MAX_OUTS = 6 };

typedef struct lh_match {
    const lh_kernel *kernel;
    lh_node *leaf[LH_MAX_LEAVES]; /* what it reads, in its own order; NULL: not there */
    int n_leaves;
    lh_node **many;            /* more leaves than that: all of them here, or NULL */
    lh_node *out[LH_MAX_OUTS]; /* what it makes; NULL: not asked for */
    int n_outs;
    bool is_listed; /* its work is in the plan */
    int form;       /* which of its forms fits: the kernel's own affair */
} lh_match;

struct lh_kernel {
    const char *name;
    /* In the notation: the manual and `longhand cost` show it. */
    const char *stands_for;
    /* A program that uses it, behind X, 6 columns made from `tokens` and a target for each: the test compares what comes to Y, and
     * every gradient, with the exact evaluator's. */
    const char *trial;
    /* It makes what a call of this function sends back; NULL: it is for something else. */
    const char *fn;
    /* ... or of this one. */
    const char *other_fn;
    /* ... of such calls; NULL: of all. */
    bool (*suits)(const lh_graph *g, const lh_node *call);
    /* It swallows steps between: only where nobody else reads them. */
    bool joins;
    /* It changes its first leaf, which nobody else reads, into its result. */
    bool in_place;
    /* It writes params in place, when := is carried out. */
    bool renews;
    /* Bit i: it can read leaf i in bf16, as it lies or turned. */
    unsigned halves;
    /* Bit i: it can read leaf i in few bits (eval/fast/quant.h), a line of which is a column, or a row, of the leaf. */
    unsigned quant_cols, quant_rows;
    bool (*fits)(const struct lh_plan *p, lh_node *n, lh_match *m);
    /* Floats for each thread while it runs, or NULL. */
    size_t (*scratch)(const struct lh_work *w);
    /* Floats for each row that it keeps while an input grows, or NULL. */
    size_t (*keeps)(const struct lh_work *w);
    /* ... how many of `most` rows it needs at a time; NULL: all. */
    int (*keeps_rows)(const struct lh_work *w, int most);
    /* ... the first row that it still has when `rows` were fed: earlier ones gave way. */
    int (*keeps_from)(const struct lh_work *w, int rows);
    /* ... does it look at earlier rows only? */
    bool (*may_grow)(const lh_match *m);
    /* NULL: the value is its first leaf. */
    void (*run)(const struct lh_work *w);
};

static inline lh_node *lh_match_leaf(const lh_match *m, int i) {
    return m->many ? m->many[i] : m->leaf[i];
}

extern const lh_kernel *const lh_kernels[]; /* ends with NULL; the first that fits is taken */

/* A call of that function of the prelude, unchanged, or of one that computes the same. */
bool lh_call_is(const lh_graph *g, const lh_node *n, const char *fn);

#endif
