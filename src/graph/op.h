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

/* The largest number of a value as it is, and the size of what was added up to make it: 1 - 1 is 0 of size 1. */
typedef struct lh_sized {
    double value, size;
} lh_sized;

struct lh_op {
    /* As it is called in the notation, or the sign. */
    const char *name;
    /* One sentence: the manual and --help are made of it. */
    const char *summary;
    /* An expression and its value: a test, and in the manual; {NULL} where it has none. */
    const char *example[2];
    /* Operands; n_max -1: any number. */
    int n_min, n_max;
    /* Not callable by name from the notation. */
    bool is_internal;
    /* No gradient goes through it. */
    bool is_discrete;
    /* How its rows depend on its operands' rows. */
    lh_rows rows;
    /* It goes cell by cell: a cell needs the same cell of each operand. */
    bool is_each;
    /* Bit i: of operand i it needs the size alone, or a number that is known before running. The numbers are not read. */
    unsigned sizes_only;
    /* Its numbers are there before the program runs; of rows(x) where they are the same for all examples. */
    bool is_leaf;
    /* Its numbers are drawn: no two nodes have the same, nor two steps. */
    bool is_random;
    /* Its view moves columns, so that heads behind it do not lie beside each other. */
    bool moves_columns;

    lh_print_kind print_kind;
    /* INFIX, PREFIX, OWN; left to right. */
    int binding;
    void (*print)(lh_text *out, const lh_node *n, const lh_scope *from);

    /* Sets n->shape (is_batched and heads are preset from the operands) or fails. */
    void (*shape)(lh_graph *g, lh_node *n);
    /* Of numbers that are known before running, as in size = 2 * dim; NULL: it is not worked out then. */
    double (*number)(double a, double b);
    /* The definition in numbers; NULL where .view is enough. */
    void (*exact)(const struct lh_work *w);
    /* Where the result lies in the memory of operand 0. out begins as a copy of in with the result's sizes; distances of size 1
     * are set to 0 afterwards. */
    void (*view)(const lh_node *n, const struct lh_layout *in, struct lh_layout *out);
    /* What comes back to operand i; adds nodes, computes nothing; NULL: nothing. It may have a larger shape than the operand:
     * the engine sums it down. */
    lh_node *(*gradient)(lh_graph *g, lh_node *n, lh_node *dy, int i);
    struct lh_term *(*explain)(struct lh_explainer *x, const lh_node *n, lh_cell at);
    /* NULL: one operation for each cell of the result, none for a view. With .cost, .exact counts what it does in w->count. */
    void (*cost)(const lh_graph *g, const lh_node *n, struct lh_cost *c);

    /* What operand x brings to the size of y, by which rounding is judged; other: the other operand of two. NULL: its own size,
     * as where it is added, moved or chosen. */
    double (*rounding)(const lh_sized *y, const lh_sized *x, const lh_sized *other);
    /* Why the result may be infinite, and why no number, in words; NULL: too large, not a number. */
    const char *trouble[2];
    /* ... and what usually helps, or NULL. */
    const char *cure[2];
};

/* In .sizes_only. */
#define LH_ALL_OPERANDS (~0u)

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

/* A callable operation by its name in the notation; LH_N_OPS when there is none. */
lh_op_id lh_op_find(const char *name);

/* Does it read the numbers of operand i, or only its size? */
static inline bool lh_op_reads(const lh_node *n, int i) {
    return i > 31 || !(n->op->sizes_only >> i & 1);
}

/* Are its numbers there before the program runs? */
static inline bool lh_op_is_leaf(const lh_node *n) {
    return n->op->is_leaf && (n->n_in == 0 || !n->shape.is_batched);
}

/* Shapes that many operations share. */
/* Cell by cell: one side has the full shape, the others fit or are stretched. */
void lh_shape_stretch(lh_graph *g, lh_node *n);
/* Like operand 0; with its words, too. */
void lh_shape_as_first(lh_graph *g, lh_node *n);
void lh_shape_same(lh_graph *g, lh_node *n);
/* One number; one number for each row. */
void lh_shape_one(lh_graph *g, lh_node *n);
void lh_shape_column(lh_graph *g, lh_node *n);
/* Rows of operand 0, as many as operand 1 has. */
void lh_shape_rows_like(lh_graph *g, lh_node *n);
/* Cell by cell over all examples, which must have one length. */
void lh_shape_across(lh_graph *g, lh_node *n);
/* The builder has set it. */
void lh_shape_preset(lh_graph *g, lh_node *n);

/* Other functions of records that many operations share. */
/* dx = dy. */
lh_node *lh_gradient_same(lh_graph *g, lh_node *n, lh_node *dy, int i);
/* No numbers move. */
void lh_view_whole(const lh_node *n, const struct lh_layout *in, struct lh_layout *out);
/* The operand as it is; inside another formula in brackets, for it may be any formula. */
void lh_print_operand(lh_text *out, const lh_node *n, const lh_scope *from);
/* A number as it was written. */
void lh_print_number(lh_text *out, const lh_node *n, const lh_scope *from);
/* a[i] */
void lh_print_index(lh_text *out, const lh_node *n, const lh_scope *from);

/* A product multiplies; of two values that rounding has made, so is their product. */
double lh_rounding_product(const lh_sized *y, const lh_sized *x, const lh_sized *other);
double lh_rounding_quotient(const lh_sized *y, const lh_sized *x, const lh_sized *other);
/* A function that is curved answers for its own digits; one that is bounded never passes 1. */
double lh_rounding_exponential(const lh_sized *y, const lh_sized *x, const lh_sized *other);
double lh_rounding_bounded(const lh_sized *y, const lh_sized *x, const lh_sized *other);

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
