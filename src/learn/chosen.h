/* chosen -- one program of a lesson, by what a reader writes: attention, attention:bag, mine.md:fit.
 *
 *     size_t n;
 *     const char *name = lh_chosen_name("attention:bag", &n);             "bag", and 9: attention
 *     lh_chosen c;
 *     if (lh_chosen_open(ctx, arena, &found, name, NULL, &c)) ...         c.program, c.use
 *     lh_build how = lh_chosen_build(arena, c.use, &more);                its own settings, then the caller's
 *     lh_program_free(c.program);
 *
 * A block ```longhand bag is a program as it stands. A use line, wo = this --freeze WQ, is another program with settings: c.use has
 * them. Only what the chosen program needs is read: a mistake elsewhere in the lesson is no obstacle.
 */
#ifndef LH_LEARN_CHOSEN_H
#define LH_LEARN_CHOSEN_H

#include "learn/lesson.h"
#include "learn/mistakes.h"

typedef struct lh_chosen {
    lh_program *program;          /* the caller's to free */
    const lh_lesson_program *use; /* what its use lines set, in the caller's arena; NULL: nothing */
} lh_chosen;

/* what stands behind the last colon, if it can name a program; n: bytes before it. Or NULL */
const char *lh_chosen_name(const char *text, size_t *n);
/* name NULL or "": the lesson's own. False and the context failed on error */
bool lh_chosen_open(lh_context *ctx, lh_arena *a, const lh_found *lesson, const char *name,
                    const lh_finder *finder, lh_chosen *out);
/* of two settings of one name the caller's holds */
lh_build lh_chosen_build(lh_arena *a, const lh_lesson_program *use, const lh_build *more);
/* --set rate=1 --freeze WQ: as one would type them */
const char *lh_chosen_options(lh_arena *a, const lh_lesson_program *use);

/* settings of the whole chain that it is made from, the nearest last so that it wins */
void lh_lesson_gather(const lh_lesson *l, lh_arena *a, int number, lh_lesson_program *all);
/* anew, in other numbers where it has a seed; NULL and the context failed */
lh_program *lh_lesson_program_parse(const lh_lesson *l, int number);

/* a program without the blank lines where prose stood */
const char *lh_chosen_text(lh_arena *a, const char *text);

/* Names of the blocks of a lesson, in the order of the text: n of them. */
const char **lh_chosen_names(lh_arena *a, const lh_found *lesson, int *n);

/* A mistake, NAME[@STEP], made in a program. */
typedef struct lh_made {
    lh_mistakes *rules; /* must outlive the graph */
    /* how.rewrite, how.n_rewrites: for lh_build; its steps are of the plain graph */
    lh_candidate how;
} lh_made;
/* the first way that changes a number, else the first that can be worked out; false and the context failed */
bool lh_mistake_make(lh_graph *plain, const char *mistake, lh_arena *a, lh_made *out);

#endif
