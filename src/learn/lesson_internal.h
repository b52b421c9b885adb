/* lesson_internal -- what the files that read a lesson share. Not for other folders.
 *
 * lesson.c goes through the segments; insert.c reads {{...}}, programs.c `longhand` and `use`, show.c and fields.c their blocks.
 * Names of programs are looked up at the end (lh_read_names): a use block may stand below the line that needs it.
 */
#ifndef LH_LESSON_INTERNAL_H
#define LH_LESSON_INTERNAL_H

#include "learn/fence.h"
#include "learn/lesson.h"

/* remembered as prose; inserts become characters */
char *lh_read_prose(lh_lesson *l, lh_arena *a, lh_text_row text, const char *line_start,
                    int exercise);
void lh_read_program(lh_lesson *l, const lh_segment *s);
void lh_read_use(lh_lesson *l, lh_text_row row, const char *line_start, int exercise);
void lh_read_show(lh_lesson *l, lh_text_row row, const char *line_start, int exercise);
void lh_read_exercise(lh_lesson *l, const lh_segment *s);
void lh_read_names(lh_lesson *l);
/* the rest blank */
const char *lh_program_lines(lh_lesson *l, lh_arena *a, const lh_lesson_program *p);

lh_place lh_row_place(lh_text_row row, const char *line_start);
lh_mention lh_row_mention(lh_lesson *l, lh_text_row row, const char *line_start);
bool lh_row_is(lh_text_row row, const char *word);
bool lh_row_number(lh_text_row row, int most, int *n); /* digits alone, up to most */
bool lh_is_name(const char *s, size_t n);              /* letters, digits and _, a letter first */
/* the cure of the last problem: did you mean, or the list */
void lh_problem_nearest(lh_lesson *l, const char *word, const char *const *known, int n);

#endif
