/* shared_sums -- the sums of a batch that is cut into pieces, added up in a fixed order: the same bits for any number of ranks.
 *
 *     lh_shared_sums *p = lh_shared_sums_new(ctx, arena, 8, ranks);
 *     lh_shared_sums_of(p, arena, sum, cells, n_sums, each, with);
 *     lh_shared_sums_begin(p);
 *     for (int i = p->from; i < p->to; i++) {                 the pieces of this rank
 *         lh_shared_sums_next(p);
 *         ... work out piece i: its sums lie in sum[0 .. n_sums - 1] ...
 *         lh_shared_sums_done(p);
 *     }
 *     lh_shared_sums_end(p);                                  the sums of all pieces of all ranks lie there, on every rank
 *
 * Additions of floats depend on their order, so the order belongs to the batch and not to the ranks: the pieces are the leaves of a tree that
 * is halved from the top, and each inner node is the sum of its two halves.
 *
 *           0..8                   8 pieces. One rank adds all of it up by itself. Of three ranks the first has 0..3, and so the
 *        0..4  4..8                nodes 0..2 and 2..3; the second 3..4 and 4..6; the third 6..8. These five are sent, and who gets
 *     0..2 2..4 4..6 6..8          them adds up the rest of the tree.
 *
 * Every rank gets a part of all numbers to add up, so that the work is shared as well. They are sent in buckets, in the order of the sums: of
 * the last piece a sum can be sent as soon as it is known (lh_shared_sums_ready), while later ones are still being worked out.
 *
 * Where another order will do (how.any_order), a rank has one piece, its part of the batch, and MPI adds up the ranks. In bf16 (how.wire) half as
 * much is sent: what a rank has is rounded on its way to be added up, and the sum once more on its way back. Then the bits depend on
 * the number of ranks.
 *
 * Memory: as many copies of the sums as the tree of a rank is deep, at most, taken when they are first needed.
 */
#ifndef LH_TRAIN_SHARED_SUMS_H
#define LH_TRAIN_SHARED_SUMS_H

#include "train/post.h"
#include "train/ranks.h"

/* A node of the tree, on its way up. */
typedef struct lh_subtree {
    int from, to;
    float *numbers; /* NULL: it lies in the sums themselves */
} lh_subtree;

/* Runs n pieces of work, on threads where there are any. */
typedef void (*lh_shared_sums_each)(void *with, int n,
                                    void (*work)(void *what, int piece, int thread), void *what);

/* All zero: the same bits for any number of ranks. */
typedef struct lh_shared_sums_how {
    bool any_order;
    lh_wire wire;
} lh_shared_sums_how;

typedef struct lh_shared_sums {
    lh_context *ctx;
    const lh_ranks *ranks; /* NULL: this process is alone */
    lh_post post;          /* whose memory the sums are in; zero: this process's, sent by ranks */
    lh_shared_sums_how how;
    int asked; /* pieces, where the order is fixed */
    int n;
    int from, to; /* of this rank */
    float *const *sum;
    const size_t *cells;
    int n_sums;
    size_t total; /* cells of all sums */
    lh_shared_sums_each each;
    void *with;
    lh_subtree *stack;
    int depth;
    int merges;     /* of the last piece: so many copies of the stack are still to be added to it */
    int done;       /* pieces of this rank */
    bool *is_ready; /* [n_sums] */
    int n_ready;    /* the first so many sums are, of the last piece, */
    size_t ready;   /* and these are their cells */
    float **spare;  /* copies that are not in use */
    int n_spare;
    int copies;                /* taken so far */
    struct lh_sums_wire *wire; /* what is needed to speak to other ranks, or NULL */
} lh_shared_sums;

/* NULL: failed */
lh_shared_sums *lh_shared_sums_new(lh_context *ctx, lh_arena *a, int n, const lh_ranks *ranks);
/* once, before the first begin */
bool lh_shared_sums_of(lh_shared_sums *p, lh_arena *a, float *const *sum, const size_t *cells,
                       int n_sums, lh_shared_sums_each each, void *with);
/* from now on, between two batches; false: failed */
bool lh_shared_sums_go_by(lh_shared_sums *p, lh_arena *a, lh_shared_sums_how how);
/* as it was before go_by */
void lh_shared_sums_take_back(lh_shared_sums *p, lh_shared_sums_how how, struct lh_sums_wire *wire);
/* its copies: taken again when needed; NULL is allowed */
void lh_shared_sums_free(lh_shared_sums *p);
void lh_shared_sums_begin(lh_shared_sums *p);
void lh_shared_sums_next(lh_shared_sums *p);
bool lh_shared_sums_is_last(const lh_shared_sums *p); /* is the next piece the last of this rank? */
void lh_shared_sums_ready(lh_shared_sums *p, int sum); /* of the last piece */
void lh_shared_sums_done(lh_shared_sums *p);
void lh_shared_sums_end(lh_shared_sums *p);
/* the first example of a piece */
int lh_shared_sums_first(const lh_shared_sums *p, int piece, int examples);
double lh_shared_sums_memory(const lh_shared_sums *p); /* bytes */

#endif
