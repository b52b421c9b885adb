/* parser -- what parser.c (statements), words.c (those that hold words) and expression.c share;
 * nobody else includes this.
 *
 * Every function begins with the first token of its thing in hand and leaves the one behind it in
 * hand. After an error they return something that may be half made; the text is then at its end,
 * and the whole program is thrown away.
 */
#ifndef LH_NOTATION_PARSER_H
#define LH_NOTATION_PARSER_H

#include "notation/lexer.h"
#include "notation/notation.h"

/* A list of statements that is being filled: the program, or the body of a block. */
typedef struct lh_parser_scope {
    struct lh_parser_scope *outer;
    const lh_statement *head; /* the block; NULL for the program */
    lh_statement ***list;
    int *n;
    int depth;
} lh_parser_scope;

typedef struct lh_parser {
    lh_lexer lx;
    int depth;     /* of brackets, signs and powers inside each other */
    lh_place open; /* the innermost bracket that waits to be closed; line 0: none */
    bool in_shape; /* × is the x between rows and columns; inside brackets it is a product again */
    lh_parser_scope *scope;
} lh_parser;

/* What was so outside of a bracket, and is again behind it. */
typedef struct lh_bracket {
    lh_place open;
    bool in_shape;
} lh_bracket;

/* Formulas. A sum is one without a comparison: what a shape is made of. */
lh_expr *lh_parse_expr(lh_parser *p);
lh_expr *lh_parse_sum(lh_parser *p);
/* NAME, or NAME(pattern, ...) */
lh_expr *lh_parse_pattern(lh_parser *p);
/* A name is expected; `what` says whose, for the message. */
const char *lh_parse_name(lh_parser *p, const char *what);

/* The statements of words.c, from the keyword in hand to the end of the line. */
void lh_read_vocab(lh_parser *p, lh_statement *s);
void lh_read_example(lh_parser *p, lh_statement *s);
void lh_read_text(lh_parser *p, lh_statement *s);

/* One more binding in s. */
lh_binding *lh_parser_binding(lh_parser *p, lh_statement *s, const char *name);
/* The number that digits stand for; fails the context above the limit. */
unsigned long long lh_parser_whole(lh_parser *p, const char *digits, lh_place at,
                                   unsigned long long limit);
/* Is the token in hand this name? */
bool lh_parser_is(const lh_parser *p, const char *name);
/* Passes the token in hand if it is of this kind. */
bool lh_parser_accept(lh_parser *p, lh_token_kind kind);
/* Passes the ( or [ in hand. */
lh_bracket lh_parser_open(lh_parser *p);
/* Passes ) or ], or says that it is missing. */
void lh_parser_close(lh_parser *p, lh_token_kind kind, lh_bracket outside);
/* An end of line must be in hand; it is not passed. */
void lh_parser_line_end(lh_parser *p);
/* For messages: at most 40 bytes of a name; the token in hand as `x` or in words. */
const char *lh_parser_cut(lh_parser *p, const char *s, size_t n);
const char *lh_parser_found(lh_parser *p);

#define lh_parser_fail(p, at, ...) lh_lexer_fail(&(p)->lx, LH_ERROR_TEXT, at, __VA_ARGS__)

#endif
