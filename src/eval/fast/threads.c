#include "eval/fast/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/fast/product.h"

enum { MAX_THREADS = 256, SPINS = 4000 };

/* Pieces that one thread begins with, in a cache line of its own. */
typedef struct share {
    alignas(64) atomic_int next;
    int end;
} share;

struct lh_pool {
    int threads; /* the caller among them */
    pthread_t thread[MAX_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t begin;
    atomic_int round; /* counts up with each run: a sleeper looks at it */
    atomic_int busy;  /* helpers that have not finished this run */
    atomic_bool is_ending;
    share share[MAX_THREADS];
    lh_piece piece;
    void *what;
    bool uses_bf16;
    void *room;
    size_t room_bytes;
};

typedef struct helper {
    lh_pool *pool;
    int number;
} helper;

/* Its own share first, then what others have left. Pieces mostly stand for rows, so a thread comes back to the rows that it
 * has in its cache. */
static void take_pieces(lh_pool *p, int thread) {
    for (int k = 0; k < p->threads; k++) {
        share *s = &p->share[(thread + k) % p->threads];
        for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->end;) p->piece(p->what, i, thread);
    }
}

static void share_out(lh_pool *p, int pieces) {
    for (int i = 0, from = 0; i < p->threads; i++) {
        const int end = (int)((long long)pieces * (i + 1) / p->threads);
        atomic_store(&p->share[i].next, from);
        p->share[i].end = from = end;
    }
}

/* The next run comes soon, mostly: look for a while before sleeping. */
static void wait_for_round(lh_pool *p, int seen) {
    for (int i = 0; i < SPINS && atomic_load(&p->round) == seen; i++) __builtin_ia32_pause();
    if (atomic_load(&p->round) != seen) return;
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->round) == seen) pthread_cond_wait(&p->begin, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void *help(void *arg) {
    helper h = *(helper *)arg;
    free(arg);
    lh_pool *p = h.pool;
    lh_product_one_thread();
    for (int seen = 0;;) {
        wait_for_round(p, seen);
        seen = atomic_load(&p->round);
        if (atomic_load(&p->is_ending)) return NULL;
        take_pieces(p, h.number);
        atomic_fetch_sub(&p->busy, 1);
    }
}

static bool start_helper(lh_pool *p) {
    helper *h = malloc(sizeof *h);
    if (!h) return false;
    *h = (helper){p, p->threads};
    if (pthread_create(&p->thread[p->threads], NULL, help, h) != 0) {
        free(h);
        return false;
    }
    p->threads++;
    return true;
}

lh_pool *lh_pool_new(int threads) {
    lh_pool *p = aligned_alloc(alignof(lh_pool), sizeof *p);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= 0) threads = cores > 0 ? (int)cores : 1;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL);
    lh_product_one_thread();
    p->threads = 1;
    while (p->threads < threads && start_helper(p)) {}
    return p;
}

static void wake(lh_pool *p) {
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->round, 1);
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
}

void lh_pool_free(lh_pool *p) {
    if (!p) return;
    atomic_store(&p->is_ending, true);
    wake(p);
    for (int i = 1; i < p->threads; i++) pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->begin);
    pthread_mutex_destroy(&p->lock);
    free(p->room);
    free(p);
}

int lh_pool_threads(const lh_pool *p) {
    return p ? p->threads : 1;
}

void lh_pool_run(lh_pool *p, int pieces, lh_piece piece, void *what) {
    if (!p || p->threads == 1 || pieces == 1) {
        for (int i = 0; i < pieces; i++) piece(what, i, 0);
        return;
    }
    share_out(p, pieces);
    p->piece = piece;
    p->what = what;
    atomic_store(&p->busy, p->threads - 1);
    wake(p);
    take_pieces(p, 0);
    for (int i = 0; atomic_load(&p->busy); i++) /* they are at their last pieces */
        if (i < SPINS)
            __builtin_ia32_pause();
        else
            sched_yield();
}

void lh_pool_use_bf16(lh_pool *p, bool is_on) {
    if (p) p->uses_bf16 = is_on;
}

bool lh_pool_uses_bf16(const lh_pool *p) {
    return p && p->uses_bf16;
}

/* What was in it is not needed again, so it is not carried over; tiles are read fastest from whole cache lines. */
void *lh_pool_room(lh_pool *p, size_t bytes) {
    if (!p) return NULL;
    if (bytes <= p->room_bytes) return p->room;
    free(p->room);
    p->room = NULL;
    p->room_bytes = 0;
    if (posix_memalign(&p->room, 64, bytes) != 0) return p->room = NULL;
    p->room_bytes = bytes;
    return p->room;
}

size_t lh_pool_room_bytes(const lh_pool *p) {
    return p ? p->room_bytes : 0;
}
