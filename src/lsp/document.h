/* document -- a text that is open in an editor: a program, or a lesson with programs in it.
 *
 *     lh_document *d = lh_document_new(ctx, "file:///home/me/mine.lh", text, length);
 *     lh_document_look(d);                             parsed, built and run as far as it goes: d->problem
 *     lh_document_name(d, offset, &word)               what stands there
 *     lh_document_free(d);
 *
 * Editors count lines from 0 and columns in units of UTF-16 (or bytes, where both sides agree on that); here it is offsets in bytes.
 *
 * A text that is being written is wrong most of the time: what was last right stays, so that names and shapes are known meanwhile.
 */
#ifndef LH_LSP_DOCUMENT_H
#define LH_LSP_DOCUMENT_H

#include "eval/exact.h"
#include "learn/lesson.h"

typedef struct lh_document_problem {
    lh_place at;
    const char *what, *cure; /* cure NULL: none */
    bool is_warning;
} lh_document_problem;

/* One program, as it was when it was last right. */
typedef struct lh_document_program {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;   /* NULL: it could not be built */
    lh_plan *plan; /* NULL: it could not be run, or would take too long */
} lh_document_program;

typedef struct lh_document {
    char *uri, *path; /* path: for messages, and for files that lie beside it */
    char *text;
    size_t length;
    bool is_lesson;
    lh_context *ctx;
    lh_arena *arena; /* of the problems */
    lh_document_problem *problem;
    int n_problems;
    lh_document_program *known; /* a lesson may have several */
    int n_known;
} lh_document;

lh_document *lh_document_new(const char *uri, const char *text); /* NULL: no memory */
void lh_document_free(lh_document *d);                           /* NULL is allowed */
bool lh_document_set(lh_document *d, const char *text); /* and looks at it; false: no memory */

size_t lh_document_offset(const lh_document *d, int line, int character, bool is_bytes);
/* of a column in bytes */
int lh_document_character(const lh_document *d, int line, size_t column, bool is_bytes);

/* A name in the code; in a lesson only inside a program. False: there is none. */
typedef struct lh_document_word {
    char name[128];
    int line;        /* from 1 */
    size_t from, to; /* offsets */
} lh_document_word;

bool lh_document_word_at(const lh_document *d, size_t offset, lh_document_word *w);
/* the next name in the code */
bool lh_document_next_word(const lh_document *d, size_t from, lh_document_word *w);
/* NULL: none is known */
const lh_document_program *lh_document_program_at(const lh_document *d, int line);

/* Where a name is made: the innermost block around the line that makes it, else the program. NULL: it is not made here. */
const lh_statement *lh_document_maker(const lh_program *p, const char *name, int line);
/* lines where it means this */
bool lh_document_scope(const lh_program *p, const char *name, int line, int *from, int *to);
/* of a block: where its end stands, or the line before */
int lh_document_last_line(const lh_statement *s);

#endif
