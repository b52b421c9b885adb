/* lexer -- a text as tokens, or, where a statement holds words as they stand, as words.
 *
 *     lh_lexer lx;
 *     lh_lexer_start(&lx, ctx, arena, text, length);          (now lx.tok is the first token)
 *     while (lx.tok.kind != LH_T_END) lh_lexer_next(&lx);
 *
 * lx.tok is the token in hand; the place of reading is right behind it. So a statement that begins
 * with the keyword in hand may still choose to read what follows as words.
 *
 * Inside ( ) and [ ] ends of lines are passed over. Comments are never tokens: they gather until
 * someone takes them. After an error every token is LH_T_END: parsing runs out by itself.
 */
#ifndef LH_NOTATION_LEXER_H
#define LH_NOTATION_LEXER_H

#include "base/context.h"

typedef enum lh_token_kind {
    LH_T_END,     /* of the text */
    LH_T_NEWLINE, /* of a line; the last line has one even where the text has none */
    LH_T_NUMBER,
    LH_T_STRING,
    LH_T_NAME,
    LH_T_OPEN,      /* ( */
    LH_T_CLOSE,     /* ) */
    LH_T_BRACKET,   /* [ */
    LH_T_UNBRACKET, /* ] */
    LH_T_COMMA,
    LH_T_SEMICOLON,
    LH_T_COLON,
    LH_T_ASSIGN, /* = */
    LH_T_RENEW,  /* := */
    LH_T_RULE,   /* => */
    LH_T_ARROW,  /* -> */
    LH_T_PLUS,
    LH_T_MINUS,
    LH_T_STAR,
    LH_T_TIMES, /* the sign ×: a product, or the x of a shape */
    LH_T_SLASH,
    LH_T_AT,
    LH_T_DOT, /* the sign · */
    LH_T_POWER,
    LH_T_TRANSPOSE, /* ^T as one token, or ᵀ */
    LH_T_ROOT,      /* √ */
    LH_T_EQ,
    LH_T_NE,
    LH_T_LT,
    LH_T_LE,
    LH_T_GT,
    LH_T_GE
} lh_token_kind;

typedef struct lh_lexer_token {
    lh_token_kind kind;
    lh_place at;
    const char *s; /* as written: at.len bytes, not ended by 0 */
    double number; /* LH_T_NUMBER */
    char *text;    /* LH_T_STRING: without quotes, in the arena */
} lh_lexer_token;

typedef enum lh_word_kind {
    LH_W_END, /* of the line */
    LH_W_PLAIN,
    LH_W_QUOTED,
    LH_W_ARROW,
    LH_W_COMMA /* only where asked for */
} lh_word_kind;

typedef struct lh_word {
    lh_word_kind kind;
    lh_place at;
    const char *text; /* LH_W_PLAIN, LH_W_QUOTED: in the arena */
} lh_word;

typedef struct lh_lexer {
    lh_context *ctx;
    lh_arena *arena;
    const char *pos, *end, *line_start;
    int line, depth;
    lh_lexer_token tok;
    lh_place last; /* the token or word before the place of reading; its end is where a span ends */
    int *line_end; /* for each line that is done: the column behind its last token */
    int n_lines;
    lh_text comment; /* gathered; comment.s is NULL while there is none */
} lh_lexer;

/* Reads the first token. The text must outlive the lexer; it is checked to be UTF-8 without control
 * characters before anything else. */
void lh_lexer_start(lh_lexer *lx, lh_context *ctx, lh_arena *arena, const char *text,
                    size_t length);
/* The next token comes to hand. */
void lh_lexer_next(lh_lexer *lx);
/* The next word behind the place of reading. At LH_W_END the end of the line is still to be read.
 */
lh_word lh_lexer_word(lh_lexer *lx, bool comma_ends);

/* where the line ends behind it: on to the next that has something */
void lh_lexer_pass_break(lh_lexer *lx);

/* What stands behind the token in hand, without reading it: = or := ?  NAME = ?  file( ? */
bool lh_lexer_sees_assign(const lh_lexer *lx);
bool lh_lexer_sees_binding(const lh_lexer *lx);
bool lh_lexer_sees_file(const lh_lexer *lx);
/* With an end of line in hand: is the next line a rule, `a => b`? Its => must be on that line. */
bool lh_lexer_sees_rule(const lh_lexer *lx);

/* With a name in hand: it becomes the name of a lesson, in which hyphens join words, as in next-word. */
void lh_lexer_join(lh_lexer *lx);

/* From there to the token before the one in hand, as far as it is on that line. */
lh_place lh_lexer_span(const lh_lexer *lx, lh_place from);
/* Takes the comments that have gathered; NULL when there are none. */
char *lh_lexer_comment(lh_lexer *lx);
/* The token in hand as written. */
char *lh_token_copy(const lh_lexer *lx);

/* Sets the error with its cure, unless there is one, and makes every further token LH_T_END. */
void lh_lexer_fail(lh_lexer *lx, lh_error_kind kind, lh_place at, const char *cure,
                   const char *what, ...) __attribute__((format(printf, 5, 6)));

/* How many bytes of white space stand at s (0: none). Spaces of other alphabets count, ends of
 * lines do not. */
size_t lh_space(const char *s, const char *end);

#endif
