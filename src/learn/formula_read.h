/* formula_read -- the reader of TeX, as its two files share it: formula.c has rows, groups and letters, formula_commands.c what
 * stands behind a backslash. Private to them.
 */
#ifndef LH_LEARN_FORMULA_READ_H
#define LH_LEARN_FORMULA_READ_H

#include "base/ascii.h"
#include "learn/formula_internal.h"

typedef struct lh_reader {
    lh_arena *arena;
    lh_context *ctx;
    const char *text, *p, *end;
    lh_place at; /* of text */
    int depth;
    bool in_root; /* a ] ends the index of a root */
} lh_reader;

/* A command being read: the table's line, where its backslash stands, and its name for messages. */
typedef struct lh_formula_call {
    const lh_formula_command *command;
    const char *from; /* the backslash */
    size_t n;
    char name[48]; /* with the backslash, for messages */
} lh_formula_call;

/* Where we are, and what is wrong there (formula.c). After a failure the reader stands at its end. */
lh_place lh_reader_place(const lh_reader *r, const char *p, size_t length);
void lh_reader_fail(lh_reader *r, const char *p, size_t n, const char *what, const char *cure);
void lh_reader_skip_space(lh_reader *r);
size_t lh_reader_name_length(const lh_reader *r);           /* of the command at p, 0 for none */
bool lh_reader_at(const lh_reader *r, const char *command); /* does \command stand here? */
bool lh_reader_stops(const lh_reader *r); /* does something stand here that a row cannot take? */
bool lh_reader_deeper(lh_reader *r);      /* one group more; false and failed where too deep */

/* Parts (formula.c, and lh_read_command and lh_read_space in formula_commands.c). Never NULL. */
lh_formula *lh_read_nothing(lh_reader *r);
lh_formula *lh_read_row(lh_reader *r);
lh_formula *lh_read_argument(lh_reader *r, const char *from, size_t n, const char *whose);
char *lh_read_words(lh_reader *r, const char *from, size_t n, const char *whose);
lh_formula *lh_read_command(lh_reader *r);
lh_formula *lh_read_space(lh_reader *r, const lh_formula_call *c);

#endif
