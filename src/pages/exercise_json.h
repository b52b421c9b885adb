/* exercise_json -- exercises for programs and pages: longhand-json(5) has the fields. All write members of an object. */
#ifndef LH_PAGES_EXERCISE_JSON_H
#define LH_PAGES_EXERCISE_JSON_H

#include "learn/exercise.h"
#include "pages/json.h"

/* for each exercise; NULL: nobody knows */
void lh_exercise_list(lh_json *j, const char *lesson, const lh_lesson *l, const bool *is_done);
void lh_exercise_question(lh_json *j, const char *lesson, lh_task *t, bool is_done);
void lh_exercise_verdict(lh_json *j, const char *lesson, lh_task *t, const lh_answered *a);
void lh_exercise_key(lh_json *j, const char *lesson, lh_task *t);

#endif
