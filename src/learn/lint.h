/* lint -- everything that is wrong with a lesson, from an unclosed block to a false claim.
 *
 *     lh_lesson *l = lh_lesson_read(ctx, "mine.md", text, length, NULL);
 *     lh_lesson_lint(l);
 *     for (int i = 0; i < l->problems->n; i++) ... l->problems->problem[i]->error.what
 *
 * The context stays clear but for memory that ran out.
 */
#ifndef LH_LEARN_LINT_H
#define LH_LEARN_LINT_H

#include "learn/live.h"

void lh_lesson_lint(lh_lesson *l); /* problems are added and put into the order of the text */

#endif
