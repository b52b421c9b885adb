/* format -- a program with its lines in order: indents, spaces, comments. What stands on which line stays the author's choice.
 *
 *     char *s = lh_format_program(ctx, arena, "mine.lh", text, length);          NULL and the context failed: it is no program
 *     char *s = lh_format_lesson(ctx, arena, "mine.md", text, length);   the programs inside a lesson, the rest as it is
 *
 * Blocks are indented by two spaces; one space stands around = := + - @ and comparisons and behind commas; * and / stay as close as they
 * are written. Where neighbouring lines have = or : or `as` in one column, they keep it; a comment keeps its column where the code leaves room
 * for it. Numbers inside [ ] stay where they are. Several blank lines become one.
 *
 * What comes out has the same tree, comments included, and comes out unchanged a second time.
 */
#ifndef LH_NOTATION_FORMAT_H
#define LH_NOTATION_FORMAT_H

#include "notation/notation.h"

char *lh_format_program(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                        size_t length);
char *lh_format_lesson(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                       size_t length);

#endif
