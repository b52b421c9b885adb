/* formula -- a small part of TeX, read once into a tree; the tree as Unicode, as MathML, as spoken words.
 *
 *     lh_formula *f = lh_formula_parse(ctx, arena, "\\frac{Q K^\\top}{\\sqrt{d_k}}", length, (lh_place){0});
 *     puts(lh_formula_inline(arena, f));                            QKᵀ/√dₖ
 *     lh_formula_lines b = lh_formula_display(arena, f, 60);        stacked, at most 60 columns
 *     fputs(lh_formula_mathml(arena, f, true), page);               <math display="block" alttext="..."> ...
 *     puts(lh_formula_spoken(arena, f));                            Q times K transposed over the square root of d sub k
 *
 * Errors: an unknown command, a group left open, a formula that is too long or too deep: the context fails with the place,
 * and with the nearest command where there is one. The writers take every tree that the readers make.
 *
 * Memory: everything lies in the arena that is given. Strings are UTF-8.
 *
 * A tree comes from TeX or from the notation (lh_formula_from_expr), so that a step of a program can stand on a page as it
 * stands in a paper. formula_signs.c has the table of commands: the tests go through it, the manual is made from it.
 */
#ifndef LH_LEARN_FORMULA_H
#define LH_LEARN_FORMULA_H

#include "base/context.h"
#include "notation/notation.h"

#define LH_FORMULA_LENGTH 8192  /* bytes of TeX in one formula */
#define LH_FORMULA_DEPTH  60    /* groups inside each other */
#define LH_FORMULA_CELLS  10000 /* of a matrix, empty ones too */

/* How a sign stands beside its neighbours; what spaces go around it follows from this. */
typedef enum lh_sign_class {
    LH_SIGN_LETTER,   /* x, 12, α, ∞: nothing around it */
    LH_SIGN_PREFIX,   /* ∂ ∇: belongs to what follows */
    LH_SIGN_LARGE,    /* ∑ ∏: limits below and above in display */
    LH_SIGN_INTEGRAL, /* ∫: limits beside it */
    LH_SIGN_FUNCTION, /* log, softmax */
    LH_SIGN_BINARY,   /* + ⊙; after another operator or at the beginning it is a sign: -x */
    LH_SIGN_RELATION, /* = ≤ → */
    LH_SIGN_OPEN,     /* ( */
    LH_SIGN_CLOSE,    /* ) */
    LH_SIGN_COMMA,    /* , ; */
    LH_SIGN_INNER,    /* a fraction, a matrix, what \left and \right enclose */
    LH_SIGN_SPACE,    /* \quad */
} lh_sign_class;

/* What a command does: what follows it, and what it makes. */
typedef enum lh_command_does {
    LH_DOES_SIGN,        /* \alpha: itself */
    LH_DOES_LIMITS,      /* \max: a function whose script goes below it in display */
    LH_DOES_SPACE,       /* \quad: a space of `sign` */
    LH_DOES_FRACTION,    /* \frac{a}{b} */
    LH_DOES_ROOT,        /* \sqrt[n]{a} */
    LH_DOES_ACCENT,      /* \hat{a}: sign is the combining mark */
    LH_DOES_UNDER,       /* \underbrace{a}_{b} */
    LH_DOES_OVER,        /* \overbrace{a}^{b} */
    LH_DOES_ALPHABET,    /* \mathbf{a} */
    LH_DOES_TEXT,        /* \text{words} */
    LH_DOES_NAME,        /* \operatorname{softmax} */
    LH_DOES_LEFT,        /* \left( ... \right) */
    LH_DOES_RIGHT,       /* only behind its \left */
    LH_DOES_SIZE,        /* \big( */
    LH_DOES_BEGIN,       /* \begin{matrix} ... \end{matrix} */
    LH_DOES_END,         /* only behind its \begin */
    LH_DOES_ENVIRONMENT, /* not a command: a name behind \begin */
} lh_command_does;

/* One line of the table: everything that is known of a command. */
typedef struct lh_formula_command {
    const char *name; /* without the backslash; of a sign that stands for itself, that sign */
    const char *sign; /* Unicode; of an environment its brackets; "" for what has none */
    lh_sign_class class;
    lh_command_does does;
    const char *mathml; /* the element it becomes */
    const char *spoken; /* in a reading: "less than or equal to" */
} lh_formula_command;

extern const lh_formula_command lh_formula_commands[];
extern const int lh_n_formula_commands;
/* a whole formula in TeX that uses it */
char *lh_formula_example(lh_arena *a, const lh_formula_command *c);

/* The alphabets of mathematics: bold, as in 𝐱, is a letter of its own. */
typedef enum lh_alphabet {
    LH_ALPHABET_NONE, /* as usual: a single letter is italic on the page */
    LH_ALPHABET_ROMAN,
    LH_ALPHABET_BOLD,
    LH_ALPHABET_DOUBLE, /* ℝ */
    LH_ALPHABET_SCRIPT, /* ℒ */
} lh_alphabet;

typedef enum lh_formula_kind {
    LH_F_ROW,      /* arg[0 .. n_args), side by side; may be empty */
    LH_F_SIGN,     /* text: one sign or one letter, in Unicode */
    LH_F_NUMBER,   /* text: 0.02 */
    LH_F_NAME,     /* text: log, softmax */
    LH_F_TEXT,     /* text: words with their spaces */
    LH_F_SPACE,    /* number: columns on the screen; text: its width on the page, "1em" */
    LH_F_FRACTION, /* arg[0] over arg[1] */
    LH_F_ROOT,     /* arg[0], and arg[1] its index or NULL */
    LH_F_SCRIPT,   /* arg[0], below it arg[1] or NULL, above it arg[2] or NULL */
    LH_F_FENCE,    /* open, arg[0], close, which grow with it; "" for a bracket that is not there */
    LH_F_ACCENT,   /* text: the combining mark over arg[0] */
    LH_F_BRACE, /* arg[0] with a brace below (text "⏟") or above ("⏞") and arg[1], its label, or NULL */
    LH_F_TABLE, /* arg[r * cols + c]; open and close; align */
    LH_F_KINDS
} lh_formula_kind;

typedef enum lh_formula_align {
    LH_ALIGN_CENTRE,
    LH_ALIGN_LEFT, /* cases */
    LH_ALIGN_PAIRS /* aligned: right, left, right, left */
} lh_formula_align;

typedef struct lh_formula lh_formula;
struct lh_formula {
    lh_formula_kind kind;
    lh_sign_class class;
    const char *text;
    const lh_formula_command *command; /* where the sign comes from, or NULL */
    lh_alphabet alphabet;              /* of a sign, a number or a name */
    const char *open, *close;          /* fence, table */
    lh_formula **arg;
    int n_args;
    int rows, cols;         /* table */
    lh_formula_align align; /* table */
    int number;             /* space: columns; sign: 1 to 4 for \big to \Bigg */
    bool has_limits;        /* sign, name: scripts below and above in display */
    bool is_stretched;      /* sign: \middle, as tall as its fence */
};

/* Reading. NULL and the context failed on error. `at` is where the text begins in its file, for messages; line 0
 * where it stands alone. */
lh_formula *lh_formula_parse(lh_context *ctx, lh_arena *a, const char *tex, size_t length,
                             lh_place at);

/* Where one number stands and where a matrix: 0.1 x, but A ⊙ B. NULL: only what the expression itself tells. */
typedef struct lh_formula_names {
    bool (*is_number)(void *who, const char *name);
    void *who;
} lh_formula_names;
lh_formula *lh_formula_from_expr(lh_context *ctx, lh_arena *a, const lh_expr *e,
                                 const lh_formula_names *names);
/* name = expr; else NULL */
lh_formula *lh_formula_from_statement(lh_context *ctx, lh_arena *a, const lh_statement *s,
                                      const lh_formula_names *names);

/* Writing. */
char *lh_formula_inline(lh_arena *a, const lh_formula *f); /* one line of Unicode */
char *lh_formula_spoken(lh_arena *a, const lh_formula *f); /* a short reading in English */
char *lh_formula_mathml(lh_arena *a, const lh_formula *f, bool is_block); /* <math> ... </math> */

/* What a page with formulas needs: its style, and beside the page the font, an embedded file, where the program was built with one. */
#define LH_FORMULA_FONT "longhand-math.woff2" /* for lh_embedded_find */
/* names longhand-math.woff2 if there is one, then fonts that readers have */
const char *lh_formula_css(void);

/* A formula in two dimensions. */
typedef struct lh_formula_lines {
    char **line; /* n lines, each `width` columns wide; NULL without memory */
    int n, width;
    int baseline; /* which line stands level with the text around it; of the first part where it was broken */
    bool fits; /* false: something in it is wider than the room, and the lines are too */
} lh_formula_lines;
/* room: columns, at least 1 */
lh_formula_lines lh_formula_display(lh_arena *a, const lh_formula *f, int room);

int lh_formula_columns(const char *utf8); /* on the screen: marks take none, wide letters two */

#endif
