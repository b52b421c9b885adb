/* lesson -- a literate Markdown file: prose, and the program in ```longhand blocks, which joined are one program.
 *
 *     lh_program *p = lh_lesson_parse(ctx, "ex1.md", text, length);   (a .lh text is a program as it stands)
 *
 * Lines of the program keep their numbers in the file, so messages point into it.
 */
#ifndef LH_LEARN_LESSON_H
#define LH_LEARN_LESSON_H

#include "notation/notation.h"

lh_program *lh_lesson_parse(lh_context *ctx, const char *file, const char *text,
                            size_t length); /* NULL on error */
const char *lh_lesson_title(
    lh_arena *a, const char *file, const char *text,
    size_t length); /* its first heading, or of a .lh file its first comment; "" without one */

#endif
