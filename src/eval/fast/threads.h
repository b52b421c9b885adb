/* threads -- pieces of work done by a few threads, with the same result for any number of them.
 *
 *     lh_pool *pool = lh_pool_new(2);
 *     lh_pool_run(pool, 8, do_piece, &what);      do_piece(&what, 0) ... do_piece(&what, 7), in any order
 *     lh_pool_free(pool);
 *
 * How many pieces there are is decided by the sizes of the numbers, never by the number of threads; each piece writes
 * what no other writes. So the bits do not depend on who did what. A piece is large enough to be worth a thread; no more
 * threads are called than there are pieces, and one that has not come when all pieces are taken is not waited for. One run
 * at a time. A pool that gets no memory or no thread works with fewer, at least the caller.
 */
#ifndef LH_EVAL_FAST_THREADS_H
#define LH_EVAL_FAST_THREADS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lh_pool lh_pool;
typedef void (*lh_pool_piece)(void *what, int piece, int thread); /* thread: 0 .. threads - 1 */

int lh_pool_processors(void);      /* that this process may run on */
lh_pool *lh_pool_new(int threads); /* 0: as many as there are processors; NULL: none to be had */
void lh_pool_free(lh_pool *pool);
int lh_pool_threads(const lh_pool *pool); /* 1 for NULL */
void lh_pool_run(lh_pool *pool, int pieces, lh_pool_piece piece, void *what);
void lh_pool_use_bf16(lh_pool *pool, bool is_on); /* large products in bf16: eval/fast/bf16.h */
bool lh_pool_uses_bf16(const lh_pool *pool);      /* false for NULL */
/* memory that stays with the pool, for one run at a time; NULL: refused */
void *lh_pool_room(lh_pool *pool, size_t bytes);
size_t lh_pool_room_bytes(const lh_pool *pool); /* how much it holds; 0 for NULL */

/* What runs would take on 1, 2, 4 ... 64 cores, by their pieces: each run is done on one thread, and n equal pieces on c
 * cores take as long as the rounded-up n / c of them. */
enum { LH_POOL_CORES = 7 };

typedef struct lh_pool_counts {
    long runs, pieces;
    double seconds; /* of all pieces, one after another */
    double longest; /* a piece, on average in its run: what no thread more makes shorter */
    double with[LH_POOL_CORES]; /* seconds on 1 << i cores */
} lh_pool_counts;

void lh_pool_count(lh_pool *pool, lh_pool_counts *counts); /* runs are counted; NULL: no longer */

#endif
