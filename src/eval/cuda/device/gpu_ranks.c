/* gpu_ranks -- numbers outside of plans, in a stream of their own, and how they get to other GPUs: by NCCL, which is loaded when it is first needed.
 *
 * All ranks ask for the same operations in the same order, and the stream runs them one after the other: so one communicator is enough.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/cuda/device/nccl.h"
#include "eval/cuda/device/wire.h"
#include "eval/cuda/gpu_ranks.h"

static struct {
    bool is_sought, is_there;
    char name[32], why[256];
    ncclComm_t comm;
    int rank, n;
    ncclResult_t error; /* the first */
    const char *(*ncclGetErrorString)(ncclResult_t);
#define NCCL(name, parameters) ncclResult_t(*name) parameters;
    NCCL_FUNCTIONS
#undef NCCL
} nccl;

/* ---- the library ---- */

static void *load(void) {
    const char *asked = getenv("LONGHAND_NCCL");
    const char *const names[] = {asked && *asked ? asked : "libnccl.so.2",
                                 asked && *asked ? NULL : "libnccl.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names && names[i]; i++) {
        void *so = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (so) return so;
        snprintf(nccl.why, sizeof nccl.why, "NCCL was not found: %.200s", dlerror());
    }
    return NULL;
}

static bool find(void *so, const char *name, void *to) {
    void *f = dlsym(so, name);
    if (!f) snprintf(nccl.why, sizeof nccl.why, "this NCCL has no %s: it is too old", name);
    memcpy(to, &f, sizeof f);
    return f != NULL;
}

static bool find_all(void *so) {
    return so && find(so, "ncclGetErrorString", &nccl.ncclGetErrorString)
#define NCCL(name, parameters) &&find(so, #name, &nccl.name)
                     NCCL_FUNCTIONS
#undef NCCL
        ;
}

/* 22803 is 2.28.3; before 2.9, 2708 was 2.7.8. */
static void name_version(void) {
    int v = 0;
    nccl.ncclGetVersion(&v);
    if (v < 10000)
        snprintf(nccl.name, sizeof nccl.name, "NCCL %d.%d.%d", v / 1000, v / 100 % 10, v % 100);
    else
        snprintf(nccl.name, sizeof nccl.name, "NCCL %d.%d.%d", v / 10000, v / 100 % 100, v % 100);
}

static const char *library(const char **why) {
    if (!nccl.is_sought) {
        nccl.is_sought = true;
        nccl.is_there = find_all(load());
        if (nccl.is_there) name_version();
    }
    *why = nccl.why;
    return nccl.is_there ? nccl.name : NULL;
}

static bool is_well(ncclResult_t r) {
    if (r != NCCL_SUCCESS && r != NCCL_IN_PROGRESS && nccl.error == NCCL_SUCCESS) nccl.error = r;
    return r == NCCL_SUCCESS;
}

/* ---- numbers here ---- */

static const char *open_wire(void *stream) {
    return lh_gpu_wire_open(stream) ? NULL : lh_gpu_wire_trouble();
}

static void follow(void) {
    lh_gpu_wire_order(true);
}

static void join(void) {
    lh_gpu_wire_order(false);
}

static void copy(void *to, const void *from, size_t bytes) {
    if (bytes) lh_gpu_wire_copy(to, from, bytes, LH_GPU_WITHIN);
}

static void get(void *here, const void *there, size_t bytes) {
    if (bytes) lh_gpu_wire_copy(here, there, bytes, LH_GPU_TO_HERE);
    lh_gpu_wire_wait();
}

static void put(void *there, const void *here, size_t bytes) {
    if (bytes) lh_gpu_wire_copy(there, here, bytes, LH_GPU_TO_THERE);
    lh_gpu_wire_wait();
}

static void add(float *to, const float *left, size_t n) {
    if (n) lh_gpu_cells_add(to, left, n, lh_gpu_wire_stream());
}

static void shorten(unsigned short *to, const float *from, size_t n) {
    if (n) lh_gpu_cells_shorten(to, from, n, lh_gpu_wire_stream());
}

static void lengthen(float *to, const unsigned short *from, size_t n) {
    if (n) lh_gpu_cells_lengthen(to, from, n, lh_gpu_wire_stream());
}

/* Includes errors that NCCL found asynchronously. */
static const char *trouble(void) {
    ncclResult_t later = NCCL_SUCCESS;
    if (nccl.comm) is_well(nccl.ncclCommGetAsyncError(nccl.comm, &later)), is_well(later);
    return nccl.error ? nccl.ncclGetErrorString(nccl.error) : lh_gpu_wire_trouble();
}

/* ---- other GPUs ---- */

static bool make_id(char id[LH_GPU_ID]) {
    ncclUniqueId made;
    memset(&made, 0, sizeof made);
    if (!is_well(nccl.ncclGetUniqueId(&made))) return false;
    memcpy(id, made.internal, sizeof made.internal);
    return true;
}

static bool join_others(const char id[LH_GPU_ID], int rank, int n) {
    ncclUniqueId by;
    memcpy(by.internal, id, sizeof by.internal);
    nccl.rank = rank, nccl.n = n;
    if (is_well(nccl.ncclCommInitRank(&nccl.comm, n, by, rank))) return true;
    nccl.comm = NULL;
    return false;
}

/* After an error nothing is waited for. A later communicator starts without it. */
static void leave(void) {
    if (nccl.comm && !nccl.error)
        lh_gpu_wire_wait(), nccl.ncclCommDestroy(nccl.comm);
    else if (nccl.comm)
        nccl.ncclCommAbort(nccl.comm);
    nccl.comm = NULL;
    nccl.error = NCCL_SUCCESS;
}

static const char *behind(const void *p, size_t numbers, bool is_short) {
    return (const char *)p + numbers * (is_short ? 2 : sizeof(float));
}

/* To each rank its part, or to all the same. That includes our own: NCCL copies it. */
static void exchange(bool is_short, const void *from, const int *sends, void *to, const int *gets) {
    const ncclDataType_t type = is_short ? NCCL_BF16 : NCCL_FLOAT;
    size_t out = 0, in = 0;
    is_well(nccl.ncclGroupStart());
    for (int i = 0; i < nccl.n; i++) {
        if (sends[i])
            is_well(nccl.ncclSend(behind(from, out, is_short), (size_t)sends[i], type, i, nccl.comm,
                                  lh_gpu_wire_stream()));
        if (gets[i])
            is_well(nccl.ncclRecv((char *)to + (behind(to, in, is_short) - (const char *)to),
                                  (size_t)gets[i], type, i, nccl.comm, lh_gpu_wire_stream()));
        out += (size_t)sends[i], in += (size_t)gets[i];
    }
    is_well(nccl.ncclGroupEnd());
}

static void gather(bool is_short, const void *from, void *to, const int *counts) {
    const ncclDataType_t type = is_short ? NCCL_BF16 : NCCL_FLOAT;
    bool is_even = counts[0] > 0;
    size_t in = 0;
    for (int i = 1; i < nccl.n; i++) is_even = is_even && counts[i] == counts[0];
    if (is_even) {
        is_well(
            nccl.ncclAllGather(from, to, (size_t)counts[0], type, nccl.comm, lh_gpu_wire_stream()));
        return;
    }
    is_well(nccl.ncclGroupStart());
    for (int i = 0; i < nccl.n; in += (size_t)counts[i++]) {
        if (counts[nccl.rank])
            is_well(nccl.ncclSend(from, (size_t)counts[nccl.rank], type, i, nccl.comm,
                                  lh_gpu_wire_stream()));
        if (counts[i])
            is_well(nccl.ncclRecv((char *)to + in * (is_short ? 2 : sizeof(float)),
                                  (size_t)counts[i], type, i, nccl.comm, lh_gpu_wire_stream()));
    }
    is_well(nccl.ncclGroupEnd());
}

static void add_all(float *x, size_t n) {
    is_well(nccl.ncclAllReduce(x, x, n, NCCL_FLOAT, NCCL_SUM, nccl.comm, lh_gpu_wire_stream()));
}

static void tell(void *bytes, size_t n, int from) {
    is_well(nccl.ncclBroadcast(bytes, bytes, n, NCCL_BYTES, from, nccl.comm, lh_gpu_wire_stream()));
}

__attribute__((visibility("default"))) const lh_gpu_ranks *lh_gpu_ranks_entry_1(void);

const lh_gpu_ranks *lh_gpu_ranks_entry_1(void) {
    static const lh_gpu_ranks record = {
        .version = LH_GPU_RANKS_VERSION,
        .open = open_wire,
        .follow = follow,
        .join = join,
        .copy = copy,
        .add = add,
        .shorten = shorten,
        .lengthen = lengthen,
        .get = get,
        .put = put,
        .device = lh_gpu_wire_device,
        .trouble = trouble,
        .library = library,
        .make_id = make_id,
        .join_others = join_others,
        .leave = leave,
        .exchange = exchange,
        .gather = gather,
        .add_all = add_all,
        .tell = tell,
    };
    return &record;
}
