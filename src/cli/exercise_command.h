/* exercise_command -- what the files of `longhand exercise` share.
 *
 *     exercise.c         the command: which exercise, one answer, the list
 *     exercise_talk.c    the prompt
 *     exercise_view.c    what is seen of a question, of an answer, of a key
 */
#ifndef LH_EXERCISE_COMMAND_H
#define LH_EXERCISE_COMMAND_H

#include "cli/keep.h"
#include "pages/exercise_json.h"
#include "learn/exercise.h"

/* Where an exercise shows something (show: loss 20): the caller's way to put it on the screen. */
typedef void (*lh_show_item)(lh_cli *cli, lh_live *v, int show);

typedef struct lh_exercise_state {
    lh_cli *cli;
    lh_source source;
    const char *kept; /* the name that progress knows the lesson by */
    lh_lesson *lesson;
    lh_live *live;
    lh_keeper keep;
    const lh_lesson_progress *before; /* what was done earlier, or NULL */
    bool *is_done;                    /* for each exercise, now */
    lh_show_item show;
} lh_exercise_state;

int lh_exercise_talk(lh_exercise_state *c, int from); /* from 0; the exit status */
void lh_exercise_record(lh_exercise_state *c, const lh_task *t, const char *raw,
                        const lh_answered *a, int hints);

void lh_view_list(const lh_exercise_state *c);
void lh_view_question(lh_exercise_state *c, lh_task *t);
void lh_view_sheet(lh_exercise_state *c, lh_task *t); /* compute: the step that is asked next */
/* verdict and words; where to say that it is no answer */
void lh_view_answer(lh_exercise_state *c, const lh_answered *a, FILE *refused);
/* when it is done: what the engine shows, because */
void lh_view_end(lh_exercise_state *c, lh_task *t);
void lh_view_key(lh_exercise_state *c, lh_task *t);

#endif
