/* cuda_cells -- eval/far_cells.h on a GPU: sums over several runs or several processes, in a stream parallel to that of plans; to other GPUs by NCCL. */
#include <stdio.h>

#include "eval/far_cells.h"
#include "eval/cuda/cuda.h"

static const lh_place nowhere = {0, 0, 0};

static struct {
    lh_context *ctx;
    const lh_gpu_ranks *by;
    lh_carrier carrier;
    char why[256];
} own;

static bool open_cells(lh_context *ctx) {
    const lh_gpu *gpu = lh_cuda_gpu(ctx);
    own.ctx = ctx;
    own.by = gpu ? lh_cuda_ranks() : NULL;
    const char *trouble =
        own.by ? own.by->open(gpu->stream) : "longhand_cuda.so is of another version";
    if (!gpu) return false;
    if (trouble) lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "no GPU can be used: %s", trouble);
    return !trouble;
}

/* First sends what plans have written and not sent yet. */
static void follow(void) {
    lh_cuda_settle();
    own.by->follow();
}

static void join(void) {
    own.by->join();
    const char *trouble = lh_failed(own.ctx) ? NULL : own.by->trouble();
    if (!trouble) return;
    lh_fail(own.ctx, LH_ERROR_LIMIT, nowhere, "cannot exchange numbers with other GPUs: %s",
            trouble);
    lh_cure(own.ctx, "what was saved last is intact; NCCL_DEBUG=WARN says more");
}

static void copy(void *to, const void *from, size_t bytes) {
    own.by->copy(to, from, bytes);
}

static void add(float *to, const float *left, size_t n) {
    own.by->add(to, left, n);
}

static void shorten(uint16_t *to, const float *from, size_t n) {
    own.by->shorten(to, from, n);
}

static void lengthen(float *to, const uint16_t *from, size_t n) {
    own.by->lengthen(to, from, n);
}

static void get(void *here, const void *there, size_t bytes) {
    own.by->get(here, there, bytes);
}

static void put(void *there, const void *here, size_t bytes) {
    own.by->put(there, here, bytes);
}

/* ---- several processes ---- */

static void exchange(int slot, lh_wire wire, const void *from, const int *sends, void *to,
                     const int *gets) {
    (void)slot;
    own.by->exchange(wire == LH_WIRE_BF16, from, sends, to, gets);
}

static void gather(int slot, lh_wire wire, const void *from, int count, void *to,
                   const int *counts) {
    (void)slot, (void)count;
    own.by->gather(wire == LH_WIRE_BF16, from, to, counts);
}

static void add_floats(int slot, float *x, int n) {
    (void)slot;
    own.by->add_all(x, (size_t)n);
}

static bool is_done(int slot, bool waits) {
    (void)slot, (void)waits;
    return true;
}

static void tell(void *bytes, size_t n, int from) {
    own.by->tell(bytes, n, from);
}

static const char *device(void) {
    return own.by->device();
}

static bool can_carry(const char **why) {
    return own.by->library(why) != NULL;
}

static const char *last_trouble(const char *what) {
    const char *trouble = own.by->trouble();
    snprintf(own.why, sizeof own.why, "%s: %s", what, trouble ? trouble : "NCCL does not say why");
    return own.why;
}

static bool make_id(char id[LH_GPU_ID], const char **why) {
    if (own.by->make_id(id)) return true;
    *why = last_trouble("NCCL cannot be started");
    return false;
}

static const lh_carrier *carry(const char id[LH_GPU_ID], int rank, int n, const char **why) {
    const char *name = own.by->library(why);
    if (!name) return NULL;
    if (!own.by->join_others(id, rank, n)) {
        *why = last_trouble("the GPUs cannot connect to each other");
        return NULL;
    }
    own.carrier = (lh_carrier){.name = name,
                               .is_in_order = true,
                               .exchange = exchange,
                               .gather = gather,
                               .add_floats = add_floats,
                               .is_done = is_done,
                               .tell = tell};
    return &own.carrier;
}

static void leave(void) {
    own.by->leave();
}

const lh_far_cells lh_cuda_cells = {.open = open_cells,
                                    .follow = follow,
                                    .join = join,
                                    .copy = copy,
                                    .add = add,
                                    .shorten = shorten,
                                    .lengthen = lengthen,
                                    .get = get,
                                    .put = put,
                                    .device = device,
                                    .can_carry = can_carry,
                                    .make_id = make_id,
                                    .carry = carry,
                                    .leave = leave};
