/* device -- a GPU by the CUDA runtime: what is there, its memory, copies, lists of launches.
 *
 * Everything goes through one stream, in the order of the calls. Small copies to the GPU go through a ring of pinned memory, so that
 * nothing waits for them.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "eval/cuda/device/launchers.h"
#include "eval/cuda/device/products.h"

enum { RING = 1 << 24, ARRIVAL = 1 << 18 };

static struct {
    cudaStream_t stream;
    char *ring;    /* pinned: what is on its way */
    char *arrival; /* ... and what comes back */
    size_t at;
    cudaError_t error; /* the first */
    char text[256];
} own;

static bool is_well(cudaError_t e) {
    if (e != cudaSuccess && own.error == cudaSuccess) own.error = e;
    return e == cudaSuccess;
}

/* ---- what is there ---- */

static const char *driver(void) {
    static char text[64];
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess || !version) return "none";
    snprintf(text, sizeof text, "for CUDA %d.%d", version / 1000, version % 1000 / 10);
    return text;
}

/* Both versions. */
static const char *old_driver(void) {
    static char text[128];
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess || !version)
        return "there is no driver: this was built with CUDA " LH_CUDA_VERSION;
    snprintf(text, sizeof text,
             "the driver is for CUDA %d.%d, and this was built with CUDA " LH_CUDA_VERSION,
             version / 1000, version % 1000 / 10);
    return text;
}

static void describe(int i, lh_gpu_device *to) {
    struct cudaDeviceProp p;
    *to = (lh_gpu_device){.name = "?"};
    const cudaError_t e = cudaGetDeviceProperties(&p, i);
    if (e != cudaSuccess) {
        snprintf(to->trouble, sizeof to->trouble, "%s", cudaGetErrorString(e));
        return;
    }
    snprintf(to->name, sizeof to->name, "%.100s", p.name);
    to->memory = p.totalGlobalMem, to->major = p.major, to->minor = p.minor;
    if (p.major < LH_GPU_LEAST)
        snprintf(to->trouble, sizeof to->trouble,
                 "its compute capability is %d.%d, and this was built for %d.0 and later", p.major,
                 p.minor, LH_GPU_LEAST);
    if (!*to->trouble && cudaSetDevice(i) == cudaSuccess) {
        size_t all;
        if (cudaMemGetInfo(&to->free, &all) != cudaSuccess) to->free = 0;
    }
}

static int devices(lh_gpu_device *list, int most, const char **why) {
    int n = 0;
    const cudaError_t e = cudaGetDeviceCount(&n);
    *why = e == cudaSuccess ? "there is no GPU in this machine" : cudaGetErrorString(e);
    if (e == cudaErrorInsufficientDriver) *why = old_driver();
    if (e != cudaSuccess) return 0;
    for (int i = 0; i < n && i < most; i++) describe(i, &list[i]);
    return n;
}

static const char *trouble(void) {
    is_well(cudaPeekAtLastError());
    if (own.error == cudaSuccess) return NULL;
    snprintf(own.text, sizeof own.text, "%s", cudaGetErrorString(own.error));
    return own.text;
}

static const char *open_device(int device);

/* ---- memory ---- */

static void *take(size_t bytes) {
    void *p = NULL;
    if (cudaMalloc(&p, bytes) != cudaSuccess) {
        cudaGetLastError(); /* the caller reports it, so it is forgotten here */
        return NULL;
    }
    if (is_well(cudaMemsetAsync(p, 0, bytes, own.stream))) return p;
    cudaFree(p);
    return NULL;
}

static void wait(void) {
    is_well(cudaStreamSynchronize(own.stream));
    own.at = 0;
}

static void give_back(void *p) {
    if (!p) return;
    wait();
    cudaFree(p);
}

static void room(size_t *has, size_t *all) {
    if (cudaMemGetInfo(has, all) != cudaSuccess) *has = *all = 0;
}

/* Piece by piece through the ring; when it is full, earlier copies have to complete first. */
static void put(void *to, const void *from, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        if (own.at == RING) wait();
        const size_t left = RING - own.at, n = bytes - done < left ? bytes - done : left;
        memcpy(own.ring + own.at, (const char *)from + done, n);
        is_well(cudaMemcpyAsync((char *)to + done, own.ring + own.at, n, cudaMemcpyHostToDevice,
                                own.stream));
        own.at += (n + 63) / 64 * 64;
        if (own.at > RING) own.at = RING;
        done += n;
    }
}

static void move(void *to, const void *from, size_t bytes) {
    is_well(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, own.stream));
}

/* What fits is read through pinned memory: then the copy waits for nothing but the GPU. */
static void get(void *to, const void *from, size_t bytes) {
    void *here = bytes <= ARRIVAL ? own.arrival : to;
    is_well(cudaMemcpyAsync(here, from, bytes, cudaMemcpyDeviceToHost, own.stream));
    wait();
    if (here != to) memcpy(to, here, bytes);
}

/* ---- lists ---- */

static bool begin_list(void) {
    return is_well(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal));
}

static void *end_list(void) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t list = NULL;
    if (cudaStreamEndCapture(own.stream, &graph) != cudaSuccess || !graph) {
        cudaGetLastError();
        return NULL;
    }
    if (cudaGraphInstantiate(&list, graph, 0) != cudaSuccess) list = NULL, cudaGetLastError();
    cudaGraphDestroy(graph);
    return list;
}

static void run_list(void *list) {
    is_well(cudaGraphLaunch(list, own.stream));
}

static void free_list(void *list) {
    if (!list) return;
    wait();
    cudaGraphExecDestroy(list);
}

/* ---- the record ---- */

static lh_gpu gpu = {
    .version = LH_GPU_VERSION,
    .built_with = "CUDA " LH_CUDA_VERSION,
    .devices = devices,
    .driver = driver,
    .open = open_device,
    .take = take,
    .give_back = give_back,
    .room = room,
    .put = put,
    .move = move,
    .get = get,
    .wait = wait,
    .trouble = trouble,
    .product = lh_gpu_multiply,
    .makes = lh_gpu_products_can,
    .products = lh_gpu_products_name,
    .try_products = lh_gpu_products_try,
    .round = lh_gpu_round,
    .begin_list = begin_list,
    .end_list = end_list,
    .run_list = run_list,
    .free_list = free_list,
};

static const char *open_device(int device) {
    const bool is_open =
        is_well(cudaSetDevice(device)) &&
        is_well(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking)) &&
        is_well(cudaHostAlloc((void **)&own.ring, RING, cudaHostAllocDefault)) &&
        is_well(cudaHostAlloc((void **)&own.arrival, ARRIVAL, cudaHostAllocDefault)) &&
        is_well(cudaHostAlloc((void **)&gpu.answer, sizeof *gpu.answer, cudaHostAllocMapped));
    gpu.stream = own.stream;
    if (is_open) lh_gpu_products_open(own.stream);
    return is_open ? NULL : trouble();
}

__attribute__((visibility("default"))) const lh_gpu *lh_gpu_entry_2(void);

const lh_gpu *lh_gpu_entry_2(void) {
    lh_gpu_launchers(&gpu);
    return &gpu;
}
