#define _GNU_SOURCE /* the processors that a thread may run on */
#include "eval/fast/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "eval/fast/product.h"
#include "eval/fast/signals.h"

enum { MAX_THREADS = 256, SPINS = 4000 };

/* What a helper is about. Whoever changes it from ASKED decides: the helper begins, or the caller does without it. */
enum { IDLE, ASKED, AT_WORK, ENDING };

/* A thread, and the pieces that it begins with, in cache lines of its own. */
typedef struct helper {
    alignas(64) atomic_int next; /* piece; up to `end` */
    int end;
    alignas(64) atomic_int state;
    atomic_bool sleeps;
    struct lh_pool *pool;
    int number;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t call;
} helper;

struct lh_pool {
    int threads; /* the caller among them: number 0 */
    int at_work; /* of them in this run */
    helper *helper[MAX_THREADS];
    lh_pool_piece piece;
    void *what;
    bool uses_bf16;
    void *room;
    size_t room_bytes;
    lh_pool_counts *counts; /* NULL: nobody counts */
};

/* ---- pieces ---- */

/* Its own share first, then what others have left. Pieces mostly stand for rows, so a thread comes back to the rows that it
 * has in its cache. */
static void take_pieces(const lh_pool *p, int thread) {
    for (int k = 0; k < p->at_work; k++) {
        helper *h = p->helper[(thread + k) % p->at_work];
        for (int i; (i = atomic_fetch_add(&h->next, 1)) < h->end;) p->piece(p->what, i, thread);
    }
}

static void share_out(const lh_pool *p, int pieces) {
    for (int i = 0, from = 0; i < p->at_work; i++) {
        const int end = (int)((long long)pieces * (i + 1) / p->at_work);
        atomic_store(&p->helper[i]->next, from);
        p->helper[i]->end = from = end;
    }
}

/* ---- helpers ---- */

/* Tells the processor that this is a loop that waits; one that has no word for it just goes on. */
static inline void pause_a_little(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The next run comes soon, mostly: look for a while before sleeping. */
static void wait_for_call(helper *h) {
    for (int i = 0; i < SPINS && atomic_load(&h->state) == IDLE; i++) pause_a_little();
    if (atomic_load(&h->state) != IDLE) return;
    pthread_mutex_lock(&h->lock);
    /* before looking again: a caller that came in between saw no sleeper */
    atomic_store(&h->sleeps, true);
    while (atomic_load(&h->state) == IDLE) pthread_cond_wait(&h->call, &h->lock);
    atomic_store(&h->sleeps, false);
    pthread_mutex_unlock(&h->lock);
}

static void *help(void *arg) {
    helper *h = arg;
    lh_product_one_thread();
    lh_signals_hold(); /* for good */
    for (;;) {
        wait_for_call(h);
        int state = ASKED;
        if (atomic_compare_exchange_strong(&h->state, &state, AT_WORK)) {
            take_pieces(h->pool, h->number);
            atomic_store(&h->state, IDLE);
        } else if (state == ENDING) {
            return NULL;
        }
    }
}

static void call_helper(helper *h, int state) {
    atomic_store(&h->state, state);
    if (!atomic_load(&h->sleeps)) return;
    pthread_mutex_lock(&h->lock);
    pthread_cond_signal(&h->call);
    pthread_mutex_unlock(&h->lock);
}

/* One that has not begun is not waited for: all pieces are taken. */
static void release_helper(helper *h) {
    int state = ASKED;
    if (atomic_compare_exchange_strong(&h->state, &state, IDLE)) return;
    for (int i = 0; atomic_load(&h->state) != IDLE; i++) /* it is at its last piece */
        if (i < SPINS)
            pause_a_little();
        else
            sched_yield();
}

/* It inherits what is held: signals come to the threads of the program, never to a helper. */
static bool start_helper(helper *h) {
    lh_signals_hold();
    const bool is_started = pthread_create(&h->thread, NULL, help, h) == 0;
    lh_signals_let();
    return is_started;
}

static helper *helper_new(lh_pool *p, int number) {
    helper *h = aligned_alloc(alignof(helper), sizeof *h);
    if (!h) return NULL;
    memset(h, 0, sizeof *h);
    h->pool = p, h->number = number;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->call, NULL);
    if (number == 0 || start_helper(h)) return h;
    free(h);
    return NULL;
}

/* ---- the pool ---- */

/* Those that this process may run on: a container or taskset may leave it fewer than the machine has. */
int lh_pool_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

lh_pool *lh_pool_new(int threads) {
    lh_pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    if (threads <= 0) threads = lh_pool_processors();
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    lh_product_one_thread();
    while (p->threads < threads) {
        helper *h = helper_new(p, p->threads);
        if (!h) break;
        p->helper[p->threads++] = h;
    }
    if (p->threads) return p;
    free(p);
    return NULL;
}

void lh_pool_free(lh_pool *p) {
    if (!p) return;
    for (int i = 0; i < p->threads; i++) {
        helper *h = p->helper[i];
        if (i) call_helper(h, ENDING), pthread_join(h->thread, NULL);
        pthread_cond_destroy(&h->call);
        pthread_mutex_destroy(&h->lock);
        free(h);
    }
    free(p->room);
    free(p);
}

int lh_pool_threads(const lh_pool *p) {
    return p ? p->threads : 1;
}

/* ---- counting ---- */

/* On this thread alone, one piece after another; other threads on the same core do not count. */
static void count_run(lh_pool_counts *c, int pieces, lh_pool_piece piece, void *what) {
    const double start = lh_seconds_by(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < pieces; i++) piece(what, i, 0);
    const double seconds = lh_seconds_by(CLOCK_THREAD_CPUTIME_ID) - start;
    c->runs++, c->pieces += pieces, c->seconds += seconds;
    if (seconds / pieces > c->longest) c->longest = seconds / pieces;
    for (int k = 0; k < LH_POOL_CORES; k++) {
        const int cores = 1 << k, turns = (pieces + cores - 1) / cores;
        c->with[k] += seconds * turns / pieces;
    }
}

void lh_pool_count(lh_pool *p, lh_pool_counts *counts) {
    if (p) p->counts = counts;
}

/* A piece is worth a thread, and a thread more than there are pieces is not called. */
void lh_pool_run(lh_pool *p, int pieces, lh_pool_piece piece, void *what) {
    if (p && p->counts) {
        count_run(p->counts, pieces, piece, what);
        return;
    }
    if (!p || p->threads == 1 || pieces <= 1) {
        for (int i = 0; i < pieces; i++) piece(what, i, 0);
        return;
    }
    p->at_work = pieces < p->threads ? pieces : p->threads;
    share_out(p, pieces);
    p->piece = piece;
    p->what = what;
    for (int i = 1; i < p->at_work; i++) call_helper(p->helper[i], ASKED);
    take_pieces(p, 0);
    for (int i = 1; i < p->at_work; i++) release_helper(p->helper[i]);
}

/* ---- what a pool has besides ---- */

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
