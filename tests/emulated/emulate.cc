#include "emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

enum state { READY, AT_BLOCK, AT_WARP, DONE };
enum { STACK = 1 << 16, WARP_SIZE = 32, MOST = 1024 };

struct fibre {
    ucontext_t context;
    char *stack;
    state at;
    uint32_t word; /* what it gives to the others of its warp */
};

static fibre fibres[MOST];
static ucontext_t scheduler;
static unsigned current;
static const std::function<void()> *work;
static const char *running = "";
static std::vector<char> shared_memory;

const char *emulate_running(void) { return running; }

static void stop(const char *what) {
    fprintf(stderr, "emulated GPU: %s, block %u,%u, thread %u: %s\n", running, blockIdx.x, blockIdx.y, current,
            what);
    abort();
}

void *emulate_shared(void) { return shared_memory.data(); }

void emulate_wait(bool is_block) {
    fibre *f = &fibres[current];
    f->at = is_block ? AT_BLOCK : AT_WARP;
    swapcontext(&f->context, &scheduler);
}

uint32_t emulate_exchange(uint32_t value, unsigned lane) {
    const unsigned first = current / WARP_SIZE * WARP_SIZE;
    fibres[current].word = value;
    emulate_wait(false);
    const uint32_t got = fibres[first + lane].word;
    emulate_wait(false);
    return got;
}

uint32_t emulate_ballot(bool is_so) {
    const unsigned first = current / WARP_SIZE * WARP_SIZE;
    uint32_t all = 0;
    fibres[current].word = is_so;
    emulate_wait(false);
    for (unsigned i = 0; i < WARP_SIZE; i++) all |= fibres[first + i].word << i;
    emulate_wait(false);
    return all;
}

static void enter(void) {
    (*work)();
    fibres[current].at = DONE;
    swapcontext(&fibres[current].context, &scheduler);
}

static void start(unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        fibre *f = &fibres[i];
        if (!f->stack) f->stack = (char *)malloc(STACK);
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack;
        f->context.uc_stack.ss_size = STACK;
        f->context.uc_link = &scheduler;
        f->at = READY;
        makecontext(&f->context, enter, 0);
    }
}

static unsigned count(unsigned from, unsigned to, state at) {
    unsigned n = 0;
    for (unsigned i = from; i < to; i++) n += fibres[i].at == at;
    return n;
}

static void release(unsigned from, unsigned to) {
    for (unsigned i = from; i < to; i++)
        if (fibres[i].at != DONE) fibres[i].at = READY;
}

/* Where all that are left wait at the same barrier, they go on. False: nobody can. */
static bool go_on(unsigned n) {
    bool is_one = false;
    for (unsigned w = 0; w < n; w += WARP_SIZE) {
        const unsigned end = w + WARP_SIZE < n ? w + WARP_SIZE : n, left = end - w - count(w, end, DONE);
        if (left && count(w, end, AT_WARP) == end - w) release(w, end), is_one = true;
    }
    if (is_one) return true;
    if (count(0, n, AT_BLOCK) != n) return false; /* some have ended, or wait elsewhere */
    release(0, n);
    return true;
}

static void run_together(unsigned n) {
    start(n);
    while (count(0, n, DONE) < n) {
        for (unsigned i = 0; i < n; i++) {
            if (fibres[i].at != READY) continue;
            current = i, threadIdx.x = i;
            swapcontext(&scheduler, &fibres[i].context);
        }
        if (count(0, n, DONE) < n && !go_on(n)) stop("not all threads come to a barrier");
    }
}

void emulate(const char *name, dim3 grid, dim3 threads, size_t shared, bool together,
             const std::function<void()> &body) {
    running = name, gridDim = grid, blockDim = threads, work = &body;
    if (threads.x > MOST || threads.y != 1 || grid.z != 1 || grid.y > 65535 || !grid.x || !grid.y || shared > 227 * 1024)
        stop("no GPU starts such a grid");
    if (shared_memory.size() < shared) shared_memory.resize(shared);
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < grid.x; blockIdx.x++) {
            if (together) run_together(threads.x);
            for (current = 0; !together && current < threads.x; current++) threadIdx.x = current, body();
        }
}
