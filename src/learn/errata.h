/* errata -- the quantities that were printed and the claims that were made, each beside what is true.
 *
 *     lh_errata *e = lh_errata_open(ctx);                       errata.txt and claims.txt, read; nothing is worked out yet
 *     for (int i = 0; i < e->n; i++)
 *         if (lh_erratum_work(e, &e->erratum[i])) ... .exact, .verdict, .cell[k].verdict
 *     lh_errata_free(e);
 *
 * No exact value is stored: each has an expression over the programs of errata.md, which the engine works out, and its
 * verdict is found by comparing. One that stands in several documents counts once for each: lh_errata_count.
 *
 * Errors: the context fails with the file and the line. Memory: everything lies in e->arena.
 */
#ifndef LH_LEARN_ERRATA_H
#define LH_LEARN_ERRATA_H

#include "base/written.h"
#include "learn/live.h"

typedef enum lh_erratum_verdict {
    LH_ERRATUM_EXACT,
    LH_ERRATUM_ROUNDS, /* a correct rounding */
    LH_ERRATUM_LOOSE,  /* off in the last digit, or right for numbers that were rounded before */
    LH_ERRATUM_WRONG,
    LH_ERRATUM_BEYOND, /* cannot be worked out: `beyond` says why */
    LH_ERRATUM_OPEN,   /* nobody has written its expression yet */
    LH_N_ERRATUM_VERDICTS
} lh_erratum_verdict;

extern const char *const lh_erratum_words[LH_N_ERRATUM_VERDICTS]; /* "exact", "rounds" ... */

/* book:999,1001 */
typedef struct lh_erratum_place {
    const char *document; /* book */
    const char *lines;    /* 999,1001 */
} lh_erratum_place;

typedef struct lh_erratum_places {
    lh_erratum_place *place;
    int n;
} lh_erratum_places;

typedef struct lh_erratum_cell {
    const char *text; /* as printed */
    lh_written written;
    lh_erratum_verdict verdict;
} lh_erratum_cell;

typedef struct lh_erratum {
    const char *name; /* ex2-loss */
    lh_erratum_places at;
    const char *what;
    const char *printed; /* as it stands */
    bool is_denied;      /* `not 1`: the text says that it is not this number */
    lh_erratum_cell *cell;
    int rows, cols;
    const char *expr, *given_expr;       /* exact, given; NULL without one */
    const char *judged, *beyond, *cause; /* NULL without one */
    int line;                            /* in errata.txt */
    bool is_worked;                      /* what follows is known */
    lh_value exact;                      /* cell NULL: not worked out */
    lh_value given;                      /* cell NULL: not said */
    bool fits;                           /* exact has the printed rows and columns */
    lh_erratum_verdict verdict;          /* the worst of its cells, or what was judged */
} lh_erratum;

typedef enum lh_false_kind {
    LH_FALSE_FALSE = 1,
    LH_FALSE_MISLEADING = 2,
    LH_FALSE_CONTRADICTION = 4, /* of another place of the documents */
    LH_FALSE_UNKNOWN = 8,       /* cannot be checked here */
} lh_false_kind;

/* A statement, and what is true instead. */
typedef struct lh_false_claim {
    int number;
    int kinds; /* lh_false_kind, added up */
    lh_erratum_places at;
    const char *said, *truth; /* with {{...}} as in a lesson: lh_errata_text */
    const char **shows;       /* what must hold for the truth to be true */
    int n_shows;
    int line; /* in claims.txt */
} lh_false_claim;

typedef struct lh_errata {
    lh_context *ctx;
    lh_arena *arena;
    lh_lesson *lesson; /* errata.md */
    lh_live *live;
    lh_erratum *erratum;
    int n;
    lh_false_claim *claim;
    int n_claims;
} lh_errata;

lh_errata *lh_errata_open(lh_context *ctx); /* NULL and the context failed on error */
/* the same from other texts than the embedded */
lh_errata *lh_errata_read(lh_context *ctx, const char *quantities, const char *claims,
                          const char *programs);
void lh_errata_free(lh_errata *e); /* NULL is allowed */

bool lh_erratum_work(lh_errata *e, lh_erratum *x); /* false and the context failed */
bool lh_errata_work_all(lh_errata *e);
/* does all that it shows hold? else it fails */
bool lh_false_claim_work(lh_errata *e, const lh_false_claim *c);
/* with {{...}} worked out; NULL and the context failed */
const char *lh_errata_text(lh_errata *e, const char *text, int line);

/* what to type to see it worked out, or NULL; once worked */
const char *lh_erratum_command(lh_errata *e, const lh_erratum *x);
/* ex2-loss, book-ex2-loss; NULL: none */
const lh_erratum *lh_errata_find(const lh_errata *e, const char *name);

/* quantities of that verdict, in all documents; -1: of any */
int lh_errata_count(const lh_errata *e, int verdict);
/* "wrong", "quantities", "cells", "claims", "misleading" ...; -1: there is no such count */
int lh_errata_count_named(const lh_errata *e, const char *what);
/* printed numbers, in all documents */
int lh_errata_cells(const lh_errata *e);

/* The verdict on one printed number. unit: of the last digit that counts; given NULL: not said. */
lh_erratum_verdict lh_erratum_judge(lh_written printed, double unit, double exact,
                                    const double *given);

#endif
