/* ranks -- several processes that train one model: each works out some pieces of every batch, and all make the same step.
 *
 *     lh_ranks *r = lh_ranks_open(ctx);               NULL: this process was started alone, or the context failed
 *     r->rank, r->n                                   rank 0 prints, saves and evaluates
 *     lh_ranks_tell(r, &x, sizeof x);                 everybody has what rank 0 has
 *     lh_ranks_close(r);
 *
 * What sends is a record, so that nothing here knows MPI: src/mpi is a shared object of its own that is loaded where mpirun (or a job
 * queue) started several processes. A process that fails ends the others by abort(): a call below returns only when
 * all have made it, so that one that is missing would be waited for.
 */
#ifndef LH_TRAIN_RANKS_H
#define LH_TRAIN_RANKS_H

#include <stdint.h>

#include "base/carrier.h"
#include "base/context.h"

typedef struct lh_ranks lh_ranks;

struct lh_ranks {
    int rank, n;
    lh_carrier carrier; /* between the memories of the processes */
    /* These come back when they are done. */
    void (*add_ints)(int *x, size_t n);       /* sums over all ranks, on all of them */
    void (*add_doubles)(double *x, size_t n); /* exact where all but one are 0 */
    void (*send)(const float *x, size_t n, int to);
    void (*receive)(float *x, size_t n, int from);
    bool *is_parted; /* all failed together (lh_ranks_well): nobody waits for another any more */
    __attribute__((noreturn)) void (*abort)(int status); /* of all processes */
    void (*close)(void);
};

/* The environment of several processes: how many, and which this is. False: there is none. */
bool lh_ranks_asked(int *rank, int *n);

lh_ranks *lh_ranks_open(lh_context *ctx);
void lh_ranks_close(lh_ranks *r); /* NULL is allowed */

/* what rank 0 has; NULL: nothing to do */
void lh_ranks_tell(const lh_ranks *r, void *bytes, size_t n);
/* rank 0's, of any length; NULL on all of them where one has failed (lh_ranks_well) */
char *lh_ranks_tell_text(const lh_ranks *r, lh_context *ctx, lh_arena *a, const char *text);
bool lh_ranks_all(const lh_ranks *r, bool is_so, int *how_many); /* is it so on all of them? */
int lh_ranks_first(const lh_ranks *r, lh_arena *a, bool is_so);  /* the first; n: it is on none */
/* Has none of them failed? Where one has, the others fail with its words, and all come to an end without a further call. */
bool lh_ranks_well(const lh_ranks *r, lh_context *ctx, lh_arena *a);

/* What src/mpi exports: the record, after MPI was started. NULL: it could not be, or its record has another size: it is of another version. */
typedef lh_ranks *(*lh_ranks_start)(size_t record);
#define LH_RANKS_START "longhand_ranks_start"

#endif
