#include "emulate.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <algorithm>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

enum state { READY, LOOKING, AT_BLOCK, AT_MEETING, AT_WARP, DONE };
enum { STACK = 1 << 16, WARP_SIZE = 32, MOST = 1024, MOST_LOOKS = 10000, BARRIERS = 16 };

/* Once a fibre has been entered, it is left and found again by jumps: contexts would ask the system each time. It is never ended: when its work is done, it waits for
 * the next block's. */
struct fibre {
    jmp_buf here;
    char *stack; /* NULL: not entered yet */
    state at;
    unsigned barrier; /* at a meeting: which one */
    uint32_t word; /* what it gives to the others of its warp ... */
    const unsigned short *row;
};

static fibre fibres[MOST];
static jmp_buf scheduler;
static unsigned current;
static unsigned meeting[BARRIERS], arrived[MOST / WARP_SIZE][BARRIERS]; /* how many threads of a block meet; how many of each block came and did not wait */
static const std::function<void()> *work;
static const char *running = "";
static std::vector<char> shared_memory; /* of all blocks that run at once */
static size_t shared_each;

const char *emulate_running(void) { return running; }

static void stop(const char *what) {
    fprintf(stderr, "emulated GPU: %s, block %u,%u, thread %u: %s\n", running, blockIdx.x, blockIdx.y, current,
            what);
    abort();
}

void *emulate_shared(void) { return shared_memory.data() + current / blockDim.x * shared_each; }

static void leave(state at) {
    fibre *f = &fibres[current];
    f->at = at;
    if (_setjmp(f->here) == 0) _longjmp(scheduler, 1);
}

void emulate_wait(bool is_block) {
    leave(is_block ? AT_BLOCK : AT_WARP);
}

void emulate_meet(unsigned barrier, unsigned n) {
    meeting[barrier] = n, fibres[current].barrier = barrier;
    leave(AT_MEETING);
}

void emulate_arrive(unsigned barrier, unsigned n) {
    meeting[barrier] = n;
    if (++arrived[current / blockDim.x][barrier] > n) stop("more threads arrive at a barrier than it has");
}

void emulate_look_again(void) { leave(LOOKING); }

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

static float half_of(uint32_t word, unsigned i) {
    return __uint_as_float(i ? word & 0xffff0000u : word << 16);
}

/* The tiles that the lanes of a warp have brought together: a row of the left one, a column of the right one. */
static float left_rows[MOST / WARP_SIZE][16][16], right_cols[MOST / WARP_SIZE][8][16];

void emulate_multiply(float sums[4], const uint32_t left[4], const uint32_t right[2]) {
    const unsigned warp = current / WARP_SIZE, lane = current % WARP_SIZE, g = lane / 4, t = lane % 4 * 2;
    for (unsigned i = 0; i < 8; i++)
        left_rows[warp][g + i / 2 % 2 * 8][t + i % 2 + i / 4 * 8] = half_of(left[i / 2], i % 2);
    for (unsigned i = 0; i < 4; i++) right_cols[warp][g][t + i % 2 + i / 2 * 8] = half_of(right[i / 2], i % 2);
    emulate_wait(false);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 16; k++) sums[i] += left_rows[warp][g + i / 2 * 8][k] * right_cols[warp][t + i % 2][k];
    emulate_wait(false);
}

void emulate_matrices(uint32_t to[4], const unsigned short *row, bool is_turned) {
    const fibre *warp = &fibres[current / WARP_SIZE * WARP_SIZE];
    const unsigned lane = current % WARP_SIZE, r = lane / 4, c = lane % 4 * 2;
    if ((uintptr_t)row % 16) stop("a row of a matrix does not lie on a multiple of 16 bytes");
    fibres[current].row = row;
    emulate_wait(false);
    for (unsigned i = 0; i < 4; i++) {
        const fibre *rows = warp + 8 * i;
        to[i] = is_turned ? rows[c].row[r] | (uint32_t)rows[c + 1].row[r] << 16
                          : rows[r].row[c] | (uint32_t)rows[r].row[c + 1] << 16;
    }
    emulate_wait(false);
}

/* Number `at` of what lies from `first` on in a panel: pieces of 16 bytes change places by the bits of their address. */
static unsigned short in_panel(const unsigned short *first, unsigned at) {
    uintptr_t p = (uintptr_t)(first + at);
    p ^= (p >> 7 & 7) << 4;
    return *(const unsigned short *)p;
}

static void together(const void *panel) {
    if (blockDim.x % 128) stop("four warps are needed for such a product");
    if ((uintptr_t)panel % 32) stop("a tile does not begin at a multiple of 16 numbers");
}

size_t emulate_most_shared(void) {
    const char *text = getenv("EMULATED_SHARED");
    return text ? (size_t)atol(text) : 227 * 1024;
}

bool emulate_has_wide(void) { return !getenv("EMULATED_NARROW"); }

void emulate_wide_left(uint32_t to[4], const unsigned short *left) {
    const unsigned row = current / WARP_SIZE % 4 * 16 + current % 32 / 4, c = current % 4 * 2;
    together(left);
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = (row + i % 2 * 8) * 64 + c + i / 2 * 8;
        to[i] = in_panel(left, at) | (uint32_t)in_panel(left, at + 1) << 16;
    }
}

void emulate_wide(float *sums, const uint32_t left[4], const unsigned short *right, int n, bool is_turned, bool adds) {
    const unsigned warp = current / WARP_SIZE, lane = current % WARP_SIZE, g = lane / 4, t = lane % 4 * 2;
    together(right);
    for (unsigned i = 0; i < 8; i++)
        left_rows[warp][g + i / 2 % 2 * 8][t + i % 2 + i / 4 * 8] = half_of(left[i / 2], i % 2);
    emulate_wait(false);
    for (unsigned i = 0; i < (unsigned)n / 2; i++) {
        const unsigned c = i / 4 * 8 + t + i % 2, r = g + i / 2 % 2 * 8;
        float sum = adds ? sums[i] : 0;
        for (unsigned k = 0; k < 16; k++)
            sum += left_rows[warp][r][k] * half_of(in_panel(right, is_turned ? c * 64 + k : k * 64 + c), 0);
        sums[i] = sum;
    }
    emulate_wait(false);
}

static void live(void) {
    for (;;) {
        (*work)();
        leave(DONE);
    }
}

/* Until it waits, or its work is done. */
static void enter(fibre *f) {
    static ucontext_t first;
    if (_setjmp(scheduler)) return;
    if (f->stack) _longjmp(f->here, 1);
    f->stack = (char *)malloc(STACK);
    getcontext(&first);
    first.uc_stack.ss_sp = f->stack;
    first.uc_stack.ss_size = STACK;
    makecontext(&first, live, 0);
    setcontext(&first);
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

/* Of a block: those that wait at this barrier go on when all that it has are there. */
static bool meet_at(unsigned barrier, unsigned from, unsigned to) {
    unsigned *came = &arrived[from / blockDim.x][barrier], waiting = 0;
    for (unsigned i = from; i < to; i++) waiting += fibres[i].at == AT_MEETING && fibres[i].barrier == barrier;
    if (waiting + *came > meeting[barrier]) stop("more threads come to a barrier than it has");
    if (!waiting || waiting + *came < meeting[barrier]) return false;
    for (unsigned i = from; i < to; i++)
        if (fibres[i].at == AT_MEETING && fibres[i].barrier == barrier) fibres[i].at = READY;
    *came = 0;
    return true;
}

/* Of a block: where all that are left wait at the same barrier, they go on. */
static bool go_on(unsigned from, unsigned to) {
    bool is_one = false;
    for (unsigned w = from; w < to; w += WARP_SIZE) {
        const unsigned end = w + WARP_SIZE < to ? w + WARP_SIZE : to;
        if (count(w, end, AT_WARP) == end - w) release(w, end), is_one = true;
    }
    for (unsigned b = 0; b < BARRIERS; b++) is_one |= meeting[b] && meet_at(b, from, to);
    if (is_one || count(from, to, AT_BLOCK) != to - from) return is_one; /* some have ended, or wait elsewhere */
    release(from, to);
    return true;
}

/* Until each waits, looks for what another one shall write, or is done. How many ran that were not only looking. */
static unsigned run_each(unsigned n, unsigned first_block) {
    unsigned ran = 0;
    for (unsigned i = 0; i < n; i++) {
        if (fibres[i].at != READY && fibres[i].at != LOOKING) continue;
        current = i, threadIdx.x = i % blockDim.x, blockIdx.x = first_block + i / blockDim.x;
        ran += fibres[i].at == READY;
        enter(&fibres[i]);
        ran += fibres[i].at != LOOKING;
    }
    return ran;
}

/* So many blocks at once. */
static void run_together(unsigned blocks, unsigned first_block) {
    const unsigned n = blocks * blockDim.x;
    unsigned looks = 0;
    memset(meeting, 0, sizeof meeting), memset(arrived, 0, sizeof arrived);
    for (unsigned i = 0; i < n; i++) fibres[i].at = READY;
    while (count(0, n, DONE) < n) {
        bool goes_on = run_each(n, first_block) > 0;
        for (unsigned b = 0; b < n; b += blockDim.x) goes_on |= go_on(b, b + blockDim.x);
        looks = goes_on ? 0 : looks + 1;
        if (looks > 1 && !count(0, n, LOOKING) && count(0, n, DONE) < n) stop("not all threads come to a barrier");
        if (looks > MOST_LOOKS) stop("what is looked for is never written");
    }
}

static void run(const emulate_launch &how, const std::function<void()> &body) {
    const dim3 grid = how.grid, threads = how.threads;
    const unsigned blocks = how.way == ALL_BLOCKS ? grid.x : 1;
    running = how.name, gridDim = grid, blockDim = threads, work = &body;
    if (threads.x > MOST || threads.y != 1 || grid.z != 1 || grid.y > 65535 || !grid.x || !grid.y || how.shared > emulate_most_shared() ||
        (how.way == ALL_BLOCKS && (blocks * threads.x > MOST || threads.x % WARP_SIZE)))
        stop("no GPU starts such a grid");
    shared_each = (how.shared + 1023) / 1024 * 1024;
    if (shared_memory.size() < blocks * shared_each) shared_memory.resize(blocks * shared_each);
    for (blockIdx.y = 0; blockIdx.y < grid.y; blockIdx.y++)
        for (unsigned b = 0; b < grid.x; b += blocks) {
            blockIdx.x = b;
            std::fill_n(shared_memory.begin(), blocks * shared_each, (char)0xff); /* whatever was there before: no numbers */
            if (how.way != ALONE) run_together(blocks, b);
            for (current = 0; how.way == ALONE && current < threads.x; current++) threadIdx.x = current, body();
        }
}

/* ---- lists ---- */

typedef std::vector<std::function<void()>> launches;

static launches *recorded; /* NULL: launches are done at once */

void emulate(const emulate_launch &how, const std::function<void()> &body) {
    if (recorded)
        recorded->push_back([=] { run(how, body); });
    else
        run(how, body);
}

bool emulate_is_recording(void) { return recorded != nullptr; }

bool emulate_note(void (*f)(const void *with), const void *with, size_t bytes) {
    if (!recorded) return false;
    const std::vector<char> copy((const char *)with, (const char *)with + bytes);
    recorded->push_back([=] { f(copy.data()); });
    return true;
}

void emulate_begin_list(void) { recorded = new launches; }

void *emulate_end_list(void) {
    void *list = recorded;
    recorded = nullptr;
    return list;
}

void emulate_run_list(void *list) {
    for (const auto &launch : *(launches *)list) launch();
}

void emulate_free_list(void *list) { delete (launches *)list; }
