/* notation -- a text in the notation as a tree of statements, and the tree as text again.
 *
 *     lh_program *p = lh_program_parse(ctx, "ex1.lh", text, length);   (the arena of p owns everything below it)
 *     char *s = lh_program_print(p);                                   (parse of s gives the same tree)
 *     lh_program_free(p);
 *
 * The tree says what was written, not what it means: names are not looked up, shapes not known. docs/notation.md has the
 * language on two pages; grammar.ebnf has it on one.
 */
#ifndef LH_NOTATION_H
#define LH_NOTATION_H

#include "base/context.h"

typedef enum lh_expr_kind {
    LH_E_NUMBER, /* 0.10     number, text as it was written */
    LH_E_STRING, /* "<pad>"  text without the quotes */
    LH_E_NAME,   /* WQ       text */
    LH_E_CALL,   /* f(a, k = b)   text f; arg[i], argname[i] NULL or "k" */
    LH_E_MATRIX, /* [1 2; 3 4]    rows, cols, cell[r * cols + c], celltext likewise */
    LH_E_LAST,   /* the word last in a[last] */
    LH_E_NEG,    /* -a */
    LH_E_ADD,    /* a + b */
    LH_E_SUB,    /* a - b */
    LH_E_MUL,    /* a * b    cell by cell */
    LH_E_TIMES, /* a × b    plain product where a side is one number; between two matrices it is refused */
    LH_E_DIV,    /* a / b */
    LH_E_MATMUL, /* a @ b    matrix product */
    LH_E_DOT, /* a · b    as on paper: matrix product, dot product of two rows or two columns, plain product where a side is one number */
    LH_E_POW, /* a ^ b */
    LH_E_TRANSPOSE, /* a^T      also aᵀ */
    LH_E_EQ,        /* a == b */
    LH_E_NE,        /* a != b */
    LH_E_LT,        /* a < b */
    LH_E_LE,        /* a <= b */
    LH_E_GT,        /* a > b */
    LH_E_GE,        /* a >= b */
    LH_E_ROW,       /* a[i]     arg[0] a, arg[1] i or LH_E_LAST */
    LH_E_CELL,      /* a[i][j]  arg[0] a, arg[1] i, arg[2] j */
    LH_E_COLUMN,    /* a[][j]   arg[0] a, arg[1] j */
    LH_E_KINDS
} lh_expr_kind;
/* √a is read as the call sqrt(a). */

typedef struct lh_expr lh_expr;
struct lh_expr {
    lh_expr_kind kind;
    /* the whole expression, from its first sign to its last (on the line where it begins) */
    lh_place at;
    double number;        /* LH_E_NUMBER */
    const char *text;     /* LH_E_NUMBER: as written; LH_E_STRING, LH_E_NAME, LH_E_CALL */
    lh_expr **arg;        /* operands, in the order they are written */
    const char **argname; /* LH_E_CALL: n_args names, NULL for one given by its place */
    int n_args;
    int height; /* of the tree from here down, 1 for a leaf; what the parser makes has at most LH_MAX_HEIGHT */
    int rows, cols;        /* LH_E_MATRIX; at least 1 x 1 */
    double *cell;          /* rows * cols */
    const char **celltext; /* as written, sign included ("-0.10") */
};

typedef enum lh_statement_kind {
    LH_S_COMMENT, /* a line of its own: # text */
    LH_S_BLANK,   /* an empty line (several in a row count once) */
    LH_S_VOCAB,   /* vocab [name =] words | count | file(...) */
    LH_S_SIZE, /* size name = expr: one statement for each name; is_joined when it stood behind a comma */
    LH_S_CONST, /* const name [: rows x cols] = start [as "..."] */
    LH_S_PARAM,
    LH_S_STATE,
    LH_S_INPUT,    /* input name : vocab* | vocab | rows x cols */
    LH_S_EXAMPLE,  /* example A B -> C, or example name = words, ... */
    LH_S_EXAMPLES, /* examples name = expr, ... */
    LH_S_TEXT,     /* text words */
    LH_S_STEP,     /* name = expr */
    LH_S_UPDATE,   /* name := expr */
    LH_S_REPEAT,   /* repeat name for expr [with name = expr, ...] ... end */
    LH_S_NEXT,     /* next name = expr */
    LH_S_EACH,     /* each name in params ... end */
    LH_S_FN,       /* fn name(param [= expr], ...) ... end */
    LH_S_GRAD, /* grad name(pattern, ...) ... end; the patterns are LH_E_NAME and LH_E_CALL expressions */
    LH_S_BACKWARD, /* backward name */
    LH_S_GENERATE, /* generate name from name [starting "..."] [until "..."] */
    LH_S_SEED,     /* seed [numpy] 42 */
    LH_S_MISTAKE, /* mistake name [*each i* | *same*] [in f | in grad f | forward | backward | update | later] "..." [see lesson] then rules pattern => pattern */
    LH_S_KINDS
} lh_statement_kind;

/* name = words, of an example; name = expr, of examples and of repeat ... with. */
typedef struct lh_binding {
    const char *name; /* "tokens" and "target" in the short form of example */
    lh_place at;
    const char **word; /* example, text */
    int n_words;
    lh_expr *expr; /* examples, with */
} lh_binding;

typedef struct lh_statement lh_statement;
struct lh_statement {
    lh_statement_kind kind;
    lh_place at; /* the whole line without its comment */
    /* what it makes, renews, declares or goes back from; NULL for vocab without a name */
    const char *name;
    lh_place name_at;
    /* what stands behind # on its line, trimmed, or NULL: teaching text that traces show */
    const char *comment;

    lh_expr *expr; /* step, update, next, size, repeat (the count); const/param/state: the start */
    lh_expr *rows, *cols; /* const, param, state, input: the shape, or NULL */
    const char *as;       /* const, param, state: its name in a weights file, or NULL */
    bool is_joined;       /* size: stood behind a comma on the line of the size before it */

    const char **word; /* vocab: words as they stand, without quotes */
    int n_words;
    lh_expr *file; /* vocab: file("...") call, or NULL */
    int count;     /* vocab 65: 65; seed: the number is in seed */
    unsigned long long seed;
    /* input: its vocabulary; generate: from this name; seed: "numpy" or NULL; mistake: the function it is in */
    const char *of;
    bool is_many;                 /* input: vocab* */
    const char *starting, *until; /* generate */

    lh_binding *binding; /* example, examples, text (one, name "text"), repeat */
    int n_bindings;
    bool is_short;   /* example A B -> C */
    bool has_target; /* the short form had an arrow */

    lh_statement **body; /* repeat, each, fn, grad */
    int n_body;
    const char *end_comment; /* comment behind the end of a block */

    const char **param; /* fn: the parameters */
    lh_expr **standard; /* fn: their defaults or NULL */
    int n_params;
    lh_expr **pattern; /* grad: one for each parameter of fn, or fewer */
    int n_patterns;

    /* mistake */
    /* "forward", "backward", "update", "later", "in", "in grad", or NULL for anywhere */
    const char *where;
    const char *says;     /* what the learner did */
    const char *see;      /* the lesson that explains it, or NULL */
    const char *choice;   /* *each i*: "i"; *same*: "same"; else NULL */
    lh_expr **from, **to; /* pattern => pattern, n_rules of them */
    int n_rules;
};

typedef struct lh_program {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;   /* for messages */
    const char *source; /* a copy of the text */
    size_t length;
    lh_statement **statement;
    int n_statements;
} lh_program;

#define LH_MAX_DEPTH 200 /* brackets and blocks inside each other */
/* operations inside each other, as in a + a + a ...: recursion over a tree is safe */
#define LH_MAX_HEIGHT 1000

/* copies file and text; NULL on error */
lh_program *lh_program_parse(lh_context *ctx, const char *file, const char *text, size_t length);
void lh_program_free(lh_program *p);         /* NULL is allowed */
char *lh_program_print(const lh_program *p); /* in p's arena: one canonical layout */
/* fewest brackets that parse back to the same tree */
void lh_expr_print(lh_text *out, const lh_expr *e);
/* one expression alone; NULL on error */
lh_expr *lh_expr_parse(lh_context *ctx, lh_arena *arena, const char *text, size_t length);
bool lh_expr_same(const lh_expr *a, const lh_expr *b); /* same tree, places aside */
/* likewise; comments count, blank lines do not */
bool lh_program_same(const lh_program *a, const lh_program *b);
/* its function of that name, or NULL; p may be NULL */
const lh_statement *lh_program_fn(const lh_program *p, const char *name);

#endif
