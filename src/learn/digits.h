/* digits -- numbers that were typed into the prose of a lesson although the engine could have put them there.
 *
 *     int n;
 *     lh_mention *typed = lh_digits_find(lesson, arena, &n);     typed[i].text "0.4982", typed[i].at
 *
 * Allowed are: what the programs of the lesson are given, in its blocks, `use` lines and exercises, and numbers of updates that
 * it asks for (@100, `loss 100`); whole numbers up to twelve; years; shapes (2x2, 4-6-4); names (GPT-2, ex4, Example 13);
 * the numbers of a list. Code, formulas between $ signs, inserts and the addresses of links are not looked at.
 */
#ifndef LH_LEARN_DIGITS_H
#define LH_LEARN_DIGITS_H

#include "learn/lesson.h"

/* in a, in the order of the text */
lh_mention *lh_digits_find(const lh_lesson *l, lh_arena *a, int *n);

#endif
