/* lesson -- a literate Markdown file: prose, and the program in ```longhand blocks, which joined are one program.
 *
 *     lh_program *p = lh_lesson_parse(ctx, "ex1.md", text, length);   (a .lh text is a program as it stands)
 *
 * Lines of the program keep their numbers in the file, so messages point into it.
 *
 * A ```sheet block says what a worksheet of the lesson asks for, a step on each line, and how many digits:
 *
 *     ```sheet
 *     digits 4
 *     all        # every step that the trace shows; and besides:
 *     P.e        # a line inside a step
 *     L@1        # a step after one update
 *     ```
 */
#ifndef LH_LEARN_LESSON_H
#define LH_LEARN_LESSON_H

#include "notation/notation.h"

lh_program *lh_lesson_parse(lh_context *ctx, const char *file, const char *text,
                            size_t length); /* NULL on error */
const char *lh_lesson_title(
    lh_arena *a, const char *file, const char *text,
    size_t length); /* its first heading, or of a .lh file its first comment; "" without one */

/* What the sheet blocks of a lesson say, all of them together. Nothing where there is none. */
typedef struct lh_lesson_sheet {
    int digits;        /* 0: not said */
    const char **step; /* names or paths, as written */
    lh_place *at;      /* where each stands */
    int n_steps;       /* 0: every step that is shown is asked */
} lh_lesson_sheet;

lh_lesson_sheet lh_lesson_sheet_read(lh_context *ctx, lh_arena *a, const char *file,
                                     const char *text,
                                     size_t length); /* the context fails on error */

#endif
