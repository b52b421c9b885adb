/* graph -- a program as named steps over typed nodes.
 *
 *     lh_graph *g = lh_graph_build(ctx, program, &(lh_build){.set = ...});
 *     lh_step *P = lh_graph_find(g, "P");          any unique tail of a path: h[3].P for h[3].H.P
 *     puts(lh_step_formula(g, P));                 softmax(Z)
 *     lh_graph_free(g);
 *
 * A node is one operation on other nodes, with its shape. A step is a name for a node; nodes between two names are the
 * inside of a formula and are printed in place. A call of a function is a node with the nodes of its body before it; its
 * value is that of the body's last line. No node owns memory for its value: that is the plan's business (eval/).
 *
 * Meaning is (example, head, row, column). A value that depends on an example exists once for each (is_batched). Sizes are
 * axes: a number with a name, or the length of an input, which differs from example to example.
 */
#ifndef LH_GRAPH_H
#define LH_GRAPH_H

#include "notation/notation.h"

#include <stdint.h>

typedef struct lh_graph lh_graph;
typedef struct lh_node lh_node;
typedef struct lh_step lh_step;
typedef struct lh_scope lh_scope;
typedef struct lh_op lh_op;

typedef enum lh_op_id {
#define OP(name) LH_OP_##name,
#include "graph/ops.def"
#undef OP
    LH_N_OPS
} lh_op_id;

typedef struct lh_vocab {
    const char *name; /* "vocab" for the one without a name */
    const char **word;
    int n_words;
    int axis;
    bool is_counted; /* vocab 65: its words are t0, t1 ... */
    /* the numbers of its words as sorting has these, equal ones by number; or NULL */
    const int *order;
} lh_vocab;

/* An axis: a size, its name, and what it is a product of (for formulas of cost). */
typedef struct lh_factor {
    int axis, power; /* a base axis: one whose only factor is itself */
} lh_factor;

enum { LH_MAX_FACTORS = 6 };

typedef struct lh_axis {
    const char *name; /* "dim", "3*dim", "tokens" for a length; NULL for a plain number */
    size_t n;         /* 0: it differs from example to example */
    int input;        /* ... it is the length of this input, or -1 */
    char how;         /* ... or made of two others: '+', '*' or '/'; 0 for an input's length */
    int part[2];
    const lh_vocab *vocab; /* its places are the words of this vocabulary, or NULL */
    double times;          /* the axis is times * product of factor[i]^power */
    lh_factor factor[LH_MAX_FACTORS];
    int n_factors;
} lh_axis;

typedef struct lh_shape {
    int rows, cols, heads; /* axes */
    bool is_batched;       /* once for each example */
} lh_shape;

/* How the rows of a result depend on rows of its operands (DESIGN: generation of new rows only). */
typedef enum lh_rows { LH_ROWS_EACH, LH_ROWS_BEFORE, LH_ROWS_ALL } lh_rows;

struct lh_node {
    int id; /* its place in graph->node: operands come before their users */
    lh_op_id kind;
    const lh_op *op;
    lh_node **in;
    int n_in;
    lh_shape shape;
    const lh_vocab *vocab; /* its numbers are tokens of this vocabulary, or NULL */
    bool is_discrete;   /* made of comparisons, tokens and positions: no gradient goes through it */
    bool sees_examples; /* its numbers depend on the examples, or on how many there are */
    lh_step *step;      /* its name, or NULL inside a formula */
    lh_scope *scope;    /* where it was made */
    lh_place at;        /* where it stands in the text; of a generated node: the backward line */

    double number;       /* number, size; of other nodes their value where is_known or is_chosen */
    bool is_known;       /* one number that is known without running: 2 * cols(K) */
    bool is_chosen;      /* ... by comparing, by a call or from a matrix: where(h == 1, 4, 8) */
    const char *text;    /* number: as written ("0.10", "pi"); runtime: "training" or "step" */
    const double *cells; /* matrix: rows * cols */
    /* back: [0] the parameter; row, cell, column, columns, place: constants of its formula, resolved; matrix: rows, columns; size: its axis */
    int index[2];
    struct lh_given *given; /* given */
    int input;              /* input: its number */
    struct lh_call *call;   /* call; back: of the call that sends it */
    lh_node *definition;    /* back: the nodes that it stands for */
    struct lh_whole *whole; /* a gradient that can also be made of `back` nodes, or NULL */
    uint32_t stream;        /* coin: its place in the random numbers */
};

/* A call: the function, and the body built for these operands. */
typedef struct lh_call {
    const lh_statement *fn;
    /* the function of the prelude that it is, or computes the same as; or NULL */
    const lh_statement *known;
    lh_scope *scope;   /* its lines: P.m, P.e ... */
    lh_node *result;   /* the last line */
    lh_node **param;   /* one for each parameter of fn, defaults included */
    bool *is_standard; /* it is the default: not printed */
    /* a line of the body was changed by a rewrite: the rule for its gradient no longer holds */
    bool is_rewritten;
    const lh_statement *rule; /* how its gradient goes back; set by the differentiation */
    lh_node **back; /* for each parameter what goes back to it as a whole, or NULL; or NULL */
} lh_call;

/* The same gradient, made of what whole calls send back instead of the nodes of their bodies and rules: for plans that have
 * kernels for such calls (graph/grad_whole.c). */
typedef struct lh_whole {
    lh_node *node;
    lh_node **back; /* those that it is made of */
    int n_backs;
} lh_whole;

typedef enum lh_start_kind {
    LH_START_EXPR,
    LH_START_NORMAL,
    LH_START_UNIFORM,
    LH_START_XAVIER,
    LH_START_HE,
    LH_START_FILE
} lh_start_kind;

typedef enum lh_given_kind { LH_CONST, LH_PARAM, LH_STATE } lh_given_kind;

/* A value that is there before the first step: const, param or state. */
typedef struct lh_given {
    lh_given_kind kind;
    int number; /* its place among all givens, in declared order */
    lh_node *node;
    lh_start_kind start;
    lh_node *expr;         /* LH_START_EXPR: its value at the start, stretched to the shape */
    lh_node *a, *b;        /* normal(mean a, deviation b); uniform(from a, to b); one number each */
    const char *file;      /* LH_START_FILE: the path */
    const char *item;      /* and what in it, or NULL */
    const double *data;    /* numbers already read from the file: rows * cols, or NULL */
    const char *as;        /* its name in a weights file, or NULL */
    const char *seed_kind; /* "numpy" or NULL */
    unsigned long long seed; /* the seed in force where it is declared */
    int seed_number; /* which seed statement: numpy's stream goes on from given to given under one seed */
    lh_node *renewed;  /* what := makes of it at the end of a step, or NULL */
    lh_step *gradient; /* param: the step dW, or NULL */
} lh_given;

/* A const with a name in a weights file is a weight that does not learn: its numbers come from there, and what stands behind = is only
 * what it is without a file. */
static inline bool lh_given_is_frozen(const lh_given *given) {
    return given->kind == LH_CONST && given->as;
}

static inline bool lh_given_is_weight(const lh_given *given) {
    return given->kind == LH_PARAM || lh_given_is_frozen(given);
}

/* A const whose numbers stand in the program. */
static inline bool lh_given_is_written(const lh_given *given) {
    return given->kind == LH_CONST && given->start == LH_START_EXPR && !given->as;
}

typedef struct lh_input {
    const char *name;
    const lh_vocab *vocab; /* tokens, or NULL for numbers */
    bool is_many;          /* a column of tokens: its length is an axis of its own */
    lh_node *node;
    int axis; /* is_many: its length */
} lh_input;

/* One example: for each input a column of tokens or a matrix of numbers. */
typedef struct lh_example_value {
    int rows;            /* tokens: how many */
    const double *cells; /* token numbers, or rows * cols numbers; NULL: from `node` */
    lh_node *node;       /* examples x = expr: ... row `row` of this value */
    int row;
} lh_example_value;

typedef struct lh_example {
    lh_example_value *value; /* n_inputs */
    lh_place at;
} lh_example;

typedef enum lh_step_kind {
    LH_STEP_GIVEN,    /* const, param, state, size, input */
    LH_STEP_FORWARD,  /* name = expr */
    LH_STEP_GRADIENT, /* made by backward */
    LH_STEP_PART,     /* one of several parts of a gradient: dX.Q */
    LH_STEP_UPDATE,   /* name := expr */
    LH_STEP_AUX, /* an unnamed call, or an unnamed operand of a call: printed in place, addressable */
    LH_STEP_BODY, /* a line inside a call */
    LH_STEP_RULE, /* a line inside a gradient rule */
} lh_step_kind;

struct lh_step {
    int id; /* its place in graph->step */
    lh_step_kind kind;
    const char *name; /* in its scope: P, dX.Q, e */
    const char *path; /* in the graph: h[0].A.P; unique */
    lh_node *node;
    lh_scope *scope;
    const char *comment; /* teaching text from the program, or NULL */
    lh_place at;
    lh_step *gradient;   /* dX beside X, or NULL */
    lh_step *of;         /* gradient: X; part: dX; update: the given */
    bool is_dead;        /* a rewrite took its formula's place */
    const char *formula; /* as lh_step_formula told it last, or NULL */
    const lh_node *told; /* the node that it was told of */
};

/* Where names live: the program, one turn of a repeat, the body of a call, a gradient rule, one param of each. */
typedef enum lh_scope_kind {
    LH_SCOPE_TOP,
    LH_SCOPE_REPEAT,
    LH_SCOPE_CALL,
    LH_SCOPE_RULE,
    LH_SCOPE_EACH
} lh_scope_kind;

typedef struct lh_name {
    const char *name;
    lh_node *node;
} lh_name;

struct lh_scope {
    lh_scope_kind kind;
    lh_scope *parent; /* where names are looked up next; NULL for top, call and rule */
    lh_scope *outer;  /* where it stands: of a body, the scope of the call */
    const char *path; /* "" or "h[0]" or "h[0].A" */
    lh_name *name;    /* newest last; := adds the new meaning */
    int n_names;
    lh_node *call; /* the call whose body or rule it is, or NULL */
    int turn;      /* repeat: which, from 0 */
};

typedef struct lh_generate {
    int input;     /* the input that grows */
    lh_node *from; /* whose last row gives the next token */
    const char *starting, *until;
} lh_generate;

/* A check that only the examples can answer: two sizes that must agree for each. */
typedef struct lh_size_check {
    const lh_node *node; /* where they meet */
    int a, b;            /* axes */
} lh_size_check;

/* What a caller may change about a program while it is built. */
typedef struct lh_setting {
    const char *name;  /* a size or a const of the program */
    const char *value; /* an expression in the notation */
} lh_setting;

typedef struct lh_rewrite {
    const char *path;         /* the step whose formula changes: "Z", "P.y", "h[0].dX" */
    const lh_expr *from, *to; /* pattern => pattern; letters as in a mistake rule */
    int candidate;            /* the how-manieth match in that formula, from 0 */
    const char *choice;       /* the letter of *each i*, or NULL */
    int chosen;               /* its value */
    bool look;                /* the pattern may look through the names of steps */
} lh_rewrite;

typedef struct lh_build {
    const lh_setting *set;
    int n_set;
    const char *const *train; /* consts to be params */
    int n_train;
    const char *const *freeze; /* params to be consts; "*" for all */
    int n_freeze;
    const lh_rewrite *rewrite;
    int n_rewrites;
    const char *backward;  /* differentiate this although the program has no backward, or NULL */
    bool ignore_rules;     /* differentiate every call by its body: check compares the two */
    bool without_examples; /* the program's own are left out: batches come from elsewhere */
} lh_build;

struct lh_graph {
    lh_context *ctx;
    lh_arena *arena;
    const lh_program *program;
    lh_build how; /* as it was built: to build it again with a formula changed */
    lh_node **node;
    int n_nodes;
    lh_step **step; /* in the order of the program, gradients where backward stands */
    int n_steps;
    lh_axis *axis;
    int n_axes;
    lh_vocab **vocab;
    int n_vocabs;
    lh_given **given;
    int n_givens;
    lh_input **input;
    int n_inputs;
    lh_example **example;
    int n_examples;
    lh_size_check *check;
    int n_checks;
    lh_generate *generate; /* or NULL */
    lh_node *loss;         /* what backward goes back from, or NULL */
    lh_scope *top;
    bool is_generating;         /* simplify: generated formulas are kept in normal form */
    struct lh_builder *builder; /* only while it is built */
    struct lh_path_table *paths;
    const lh_program *prelude; /* the context's */
    lh_place at;               /* where new nodes stand in the text */
    uint32_t n_streams;        /* coins so far */
    unsigned long long seed;   /* of random steps: the last seed statement's */
};

enum { LH_MAX_NODES = 1000000, LH_MAX_AXIS = 1 << 30, LH_MAX_WORDS = 1 << 22 };
/* Cells of one value. Sums over all nodes: lh_cells_sum. */
#if SIZE_MAX > UINT32_MAX
#define LH_MAX_CELLS ((size_t)1 << 40)
#else
#define LH_MAX_CELLS ((size_t)1 << 27)
#endif
static inline size_t lh_cells_sum(size_t a, size_t b) { /* at the most what no memory has */
    return a > SIZE_MAX / 2 || b > SIZE_MAX / 2 - a ? SIZE_MAX / 2 : a + b;
}

/* how may be NULL; NULL on error; p must outlive it */
lh_graph *lh_graph_build(lh_context *ctx, const lh_program *p, const lh_build *how);
/* parsed once and kept in the context: a rewritten program is built hundreds of times; NULL and the context failed */
const lh_program *lh_prelude(lh_context *ctx);
void lh_graph_free(lh_graph *g);

/* Of a call its last line, of a back node its definition: the node whose value it has. NULL: it is computed by itself. */
static inline lh_node *lh_node_meaning(const lh_node *n) {
    return n->kind == LH_OP_call ? n->call->result : n->kind == LH_OP_back ? n->definition : NULL;
}

lh_step *lh_graph_step(const lh_graph *g, const char *path); /* the whole path, or NULL */
/* the scores of words: what the program generates from; where it generates nothing, its `logits`; or NULL */
lh_node *lh_graph_scores(const lh_graph *g);
/* whole path or unique tail; NULL and the context failed otherwise */
lh_step *lh_graph_find(lh_graph *g, const char *tail);
/* what stands right of the = ; in g's arena, made once */
const char *lh_step_formula(lh_graph *g, const lh_step *s);
/* a formula: named nodes by name, others in place */
void lh_node_print(lh_text *out, const lh_node *n, const lh_scope *from);
/* the same, but n itself is always opened */
void lh_node_print_inside(lh_text *out, const lh_node *n, const lh_scope *from);
/* would a formula seen from there show its name? */
bool lh_node_is_named(const lh_node *n, const lh_scope *from);
/* in brackets when n binds less than `binding` */
void lh_node_print_as(lh_text *out, const lh_node *n, const lh_scope *from, int binding);
/* its name as seen from a scope */
const char *lh_step_label(lh_graph *g, const lh_step *s, const lh_scope *from);
const char *lh_shape_text(lh_graph *g, lh_shape s); /* "2x4", "nx8 (2 heads)" */
/* one number known without running: sizes, numbers and sums of them */
bool lh_node_constant(const lh_graph *g, const lh_node *n, double *value);
/* how many places of its formula the pattern fits */
int lh_rewrite_matches(lh_graph *g, const lh_step *s, const lh_rewrite *rule);
bool lh_node_is_result_line(const lh_node *n); /* named: the last line of the body of a call */
bool lh_step_is_inner(const lh_step *s); /* aux, body or rule: shown when its step is opened */

/* Axes. */
int lh_axis_number(lh_graph *g, size_t n);
/* the size a node stands for: a number, a size, rows(x), 3*dim; fails the context otherwise */
int lh_axis_of_node(lh_graph *g, const lh_node *n);
const char *lh_axis_text(lh_graph *g, int axis); /* "4", "dim", "length of tokens" */
/* not more than LH_MAX_CELLS, or the context fails */
bool lh_shape_fits(lh_graph *g, lh_shape s, lh_place at);
bool lh_axis_is_one(const lh_graph *g, int axis);
bool lh_axis_same(const lh_graph *g, int a, int b); /* surely equal */
/* equal, or to be checked for each example (recorded); false: surely different */
bool lh_axis_meet(lh_graph *g, const lh_node *n, int a, int b);
int lh_axis_named(lh_graph *g, const char *name, size_t n); /* a new base axis */
int lh_axis_sum(lh_graph *g, int a, int b);
int lh_axis_times(lh_graph *g, int a, int b);
int lh_axis_divide(lh_graph *g, int a, int b); /* a / b; fails when it does not go */

/* Constructors. Each returns a node with its shape; after a failure some node, never NULL. `at` comes from g's builder. */
lh_node *lh_op_node(lh_graph *g, lh_op_id kind, int n_in, lh_node *const *in);
lh_node *lh_op1(lh_graph *g, lh_op_id kind, lh_node *a);
lh_node *lh_op2(lh_graph *g, lh_op_id kind, lh_node *a, lh_node *b);
lh_node *lh_op3(lh_graph *g, lh_op_id kind, lh_node *a, lh_node *b, lh_node *c);
lh_node *lh_number(lh_graph *g, double x, const char *text); /* text NULL: made from x */
/* training, step, examples: known when it runs */
lh_node *lh_runtime(lh_graph *g, const char *name);
lh_node *lh_axis_node(lh_graph *g, int axis); /* the size of a fixed axis as a node */
/* row LH_AT_END: against the last row */
lh_node *lh_place_node(lh_graph *g, lh_node *d, lh_node *like, int row, int col);
enum { LH_AT_END = -1 };

#endif
