/* op -- what an operation has to say about itself. One file in ops/ and one line in ops.def make an operation. */
#ifndef LH_GRAPH_OP_H
#define LH_GRAPH_OP_H

#include "graph/graph.h"

struct lh_work;
struct lh_layout;
struct lh_explainer;
struct lh_term;
struct lh_cost;

/* One cell of a value. */
typedef struct lh_cell {
    int example, head, row, col;
} lh_cell;

typedef enum lh_print_kind {
    LH_PRINT_CALL,   /* name(a, b) */
    LH_PRINT_INFIX,  /* a sign b */
    LH_PRINT_PREFIX, /* sign a */
    LH_PRINT_OWN,    /* .print does it */
} lh_print_kind;

/* Binding strength, loosest first, as in the grammar. */
enum {
    LH_BIND_COMPARE = 1,
    LH_BIND_SUM,
    LH_BIND_TERM,
    LH_BIND_UNARY,
    LH_BIND_POWER,
    LH_BIND_POSTFIX,
    LH_BIND_ATOM
};

struct lh_op {
    const char *name;    /* as it is called in the notation, or the sign */
    const char *summary; /* one sentence: the manual and --help are made of it */
    const char *example
        [2]; /* an expression and its value: a test, and in the manual; {NULL} where it has none */
    int n_min, n_max; /* operands; n_max -1: any number */
    bool is_internal; /* not callable by name from the notation */
    bool is_discrete; /* no gradient goes through it */
    lh_rows rows;     /* how its rows depend on its operands' rows */
    bool is_each;     /* it goes cell by cell: a cell needs the same cell of each operand */
    lh_print_kind print_kind;
    int binding; /* INFIX, PREFIX, OWN; left to right */
    void (*print)(lh_text *out, const lh_node *n, const lh_scope *from);
    void (*shape)(
        lh_graph *g,
        lh_node
            *n); /* sets n->shape (is_batched and heads are preset from the operands) or fails */
    void (*exact)(
        const struct lh_work *w); /* the definition in numbers; NULL where .view is enough */
    /* Where the result lies in the memory of operand 0. out begins as a copy of in with the result's sizes; distances of size 1
     * are set to 0 afterwards. */
    void (*view)(const lh_node *n, const struct lh_layout *in, struct lh_layout *out);
    lh_node *(*gradient)(
        lh_graph *g, lh_node *n, lh_node *dy,
        int i); /* what comes back to operand i; adds nodes, computes nothing; NULL: nothing. It may have a larger shape than the operand: the engine sums it down */
    struct lh_term *(*explain)(struct lh_explainer *x, const lh_node *n, lh_cell at);
    void (*cost)(
        const lh_graph *g, const lh_node *n,
        struct lh_cost *
            c); /* NULL: one operation for each cell of the result, none for a view. With .cost, .exact counts what it does in w->count */
};

extern const lh_op *const lh_ops[LH_N_OPS];      /* in double */
extern const lh_op *const lh_wide_ops[LH_N_OPS]; /* .exact in the wide type; the rest the same */
extern const lh_op *const lh_fast_ops[LH_N_OPS]; /* likewise in float */

#if defined LH_FAST
#define LH_OP_RECORD(id) const lh_op lh_fast_op_##id
#elif defined LH_WIDE
#define LH_OP_RECORD(id) const lh_op lh_wide_op_##id
#else
#define LH_OP_RECORD(id) const lh_op lh_op_##id
#endif

lh_op_id lh_op_find(
    const char
        *name); /* a callable operation by its name in the notation; LH_N_OPS when there is none */

bool lh_op_reads(const lh_node *n,
                 int i); /* does it read the numbers of operand i, or only its size? */

/* Shapes that many operations share. */
void lh_shape_stretch(
    lh_graph *g,
    lh_node *n); /* cell by cell: one side has the full shape, the others fit or are stretched */
void lh_shape_as_first(lh_graph *g, lh_node *n); /* like operand 0 */
void lh_shape_one(lh_graph *g, lh_node *n);      /* one number */

/* f(x): like x. f(rows, cols): as many as these say. Once for each example only where a size differs. */
static inline void lh_shape_from_sizes(lh_graph *g, lh_node *n) {
    bool is_like = n->n_in == 1;
    n->shape.rows = is_like ? n->in[0]->shape.rows : lh_axis_of_node(g, n->in[0]);
    n->shape.cols = is_like ? n->in[0]->shape.cols : lh_axis_of_node(g, n->in[1]);
    if (!is_like) n->shape.heads = lh_axis_number(g, 1);
    n->shape.is_batched = g->axis[n->shape.rows].n == 0 || g->axis[n->shape.cols].n == 0;
}

/* A whole number from 0 on that is known before running: the i of a[i], the h of split(x, h). */
static inline bool lh_node_whole(const lh_graph *g, const lh_node *n, int *value) {
    double v;
    if (!lh_node_constant(g, n, &v) || !(v >= 0 && v <= LH_MAX_AXIS) || v != (int)v) return false;
    *value = (int)v;
    return true;
}

/* Fail with both shapes: "Q @ K: 2x3 by 2x3: inner sizes differ (3 and 2)". */
void lh_shape_fail(lh_graph *g, const lh_node *n, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* Numbers of rows or columns that are known before running, each one of the axis? `what` is "row" or "column". */
void lh_check_places(lh_graph *g, const lh_node *n, const lh_node *t, int axis, const char *what);

/* d in the shape of `like`: summed down where like is 1 and d is not, stretched where it is the other way round. */
lh_node *lh_fit(lh_graph *g, lh_node *d, const lh_node *like, bool across_examples);

#endif
