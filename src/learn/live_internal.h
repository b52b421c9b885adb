/* live_internal -- what live.c (programs to numbers), expression.c (expressions to numbers) and live_insert.c (numbers to text) share. Not for
 * other files.
 */
#ifndef LH_LIVE_INTERNAL_H
#define LH_LIVE_INTERNAL_H

#include "explain/explain.h"
#include "learn/live.h"
#include "learn/mistakes.h"
#include "train/loop.h"

/* A value that is asked for, and later the value itself. */
typedef struct lh_wanted {
    const char *path;
    int step, example, head;
    lh_value value; /* cell NULL: not known yet */
} lh_wanted;

typedef struct lh_live_program {
    lh_program *own;           /* parsed for this program alone, or NULL */
    const lh_program *program; /* own, or that of the program it is made from */
    const char *warning;       /* of what was likely not meant in its text, or NULL */
    lh_place warned_at;
    lh_graph *plain, *g;   /* without its mistake, and with it; the same where it has none */
    lh_mistakes *mistakes; /* whose rules g was built with */
    lh_arena *arena;       /* the rewrites of g */
    lh_loop *loop;         /* training, as far as it has come */
    lh_plan *plan;         /* every value */
    int at;                /* ... after so many updates; -1: not run yet */
    double *loss;          /* before each update so far */
    int n_losses;
    lh_wanted *wanted;
    int n_wanted;
    bool has_gathered; /* what was announced has been kept */
    bool is_failed;    /* it cannot be parsed or built: error says why, each time */
    lh_error error;
} lh_live_program;

struct lh_live {
    lh_lesson *l;
    lh_context *ctx;
    lh_live_program **program; /* as lesson->program; NULL: not asked for yet */
    int n_programs;
    lh_shown_insert **shown;  /* as lesson->insert; NULL: not worked out yet */
    struct lh_errata *errata; /* opened for {{count errata-...}}, or NULL */
};

lh_live_program *lh_live_ready(lh_live *v, int program); /* built; NULL and the context failed */
void lh_live_announce(lh_live *v, int program, const lh_address *a); /* it will be asked for */
/* a matrix, a row or a cell */
bool lh_live_read(lh_live *v, int program, const lh_address *a, lh_value *out);
void lh_live_fail_at(lh_live *v, lh_place at); /* the error is in the lesson's text, there */
void lh_live_announce_all(lh_live *v, const char *expr, lh_where where); /* each address in it */

#endif
