/* device -- a GPU by the CUDA runtime: what is there, its memory, copies, lists of launches, products by cuBLAS.
 *
 * Everything goes through one stream, in the order of the calls. Small copies to the GPU leave from pinned memory that goes round, so that
 * nobody waits for them. cuBLAS is looked for when the first product is made: a system without it still runs, by matmul.cu.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "eval/cuda/device/launchers.h"

enum { RING = 1 << 24, WORKSPACE = 1 << 25 };

static struct {
    cudaStream_t stream;
    char *ring; /* pinned: what is on its way */
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
    if (e == cudaErrorInsufficientDriver)
        *why = "the driver is missing, or too old for CUDA " LH_CUDA_VERSION;
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
        cudaGetLastError(); /* said by who asked, and then forgotten */
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

/* Piece by piece through the ring; when it is full, what left it has to arrive first. */
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

static void get(void *to, const void *from, size_t bytes) {
    is_well(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, own.stream));
    wait();
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

/* ---- products ---- */

static struct {
    bool is_sought;
    cublasHandle_t handle;
    char name[64];
    __typeof__(&cublasCreate_v2) create;
    __typeof__(&cublasSetStream_v2) set_stream;
    __typeof__(&cublasSetWorkspace_v2) set_workspace;
    __typeof__(&cublasSetMathMode) set_math;
    __typeof__(&cublasGetVersion_v2) version;
    __typeof__(&cublasGemmStridedBatchedEx) at_distance;
    __typeof__(&cublasGemmBatchedEx) anywhere;
} blas;

static bool find(void *so, const char *name, void *to) {
    void *p = dlsym(so, name);
    memcpy(to, &p, sizeof p);
    return p != NULL;
}

static void *load_blas(void) {
    static const char *const name[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        void *so = dlopen(name[i], RTLD_NOW);
        if (so) return so;
    }
    return NULL;
}

static void start_blas(void) {
    int version = 0;
    void *workspace = NULL;
    if (blas.create(&blas.handle) != CUBLAS_STATUS_SUCCESS) {
        blas.handle = NULL;
        return;
    }
    blas.set_stream(blas.handle, own.stream);
    if (cudaMalloc(&workspace, WORKSPACE) == cudaSuccess) /* one of ours: lists can be recorded */
        blas.set_workspace(blas.handle, workspace, WORKSPACE);
    blas.set_math(blas.handle, CUBLAS_PEDANTIC_MATH);
    blas.version(blas.handle, &version);
    snprintf(blas.name, sizeof blas.name, "cuBLAS %d.%d", version / 10000, version / 100 % 100);
}

static bool has_blas(void) {
    if (blas.is_sought) return blas.handle != NULL;
    blas.is_sought = true;
    void *so = load_blas();
    const bool has_all = so && find(so, "cublasCreate_v2", &blas.create) &&
                         find(so, "cublasSetStream_v2", &blas.set_stream) &&
                         find(so, "cublasSetWorkspace_v2", &blas.set_workspace) &&
                         find(so, "cublasSetMathMode", &blas.set_math) &&
                         find(so, "cublasGetVersion_v2", &blas.version) &&
                         find(so, "cublasGemmStridedBatchedEx", &blas.at_distance) &&
                         find(so, "cublasGemmBatchedEx", &blas.anywhere);
    if (has_all) start_blas();
    return blas.handle != NULL;
}

static const char *products(void) {
    return has_blas() ? blas.name : NULL;
}

/* cuBLAS counts by columns: what it takes for B^T @ A^T is our A @ B. */
static bool product(const lh_gpu_product *p) {
    if (!has_blas() || p->c.is_turned) return false;
    const cublasOperation_t a = p->a.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N,
                            b = p->b.is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    const float alpha = p->scale, beta = p->adds ? 1 : 0;
    const int lda = (int)p->a.pitch, ldb = (int)p->b.pitch, ldc = (int)p->c.pitch;
    cublasStatus_t s;
    if (p->c.each)
        s = blas.anywhere(blas.handle, b, a, p->cols, p->rows, p->inner, &alpha,
                          (const void *const *)p->b.each, CUDA_R_32F, ldb,
                          (const void *const *)p->a.each, CUDA_R_32F, lda, &beta,
                          (void *const *)p->c.each, CUDA_R_32F, ldc, p->n, CUBLAS_COMPUTE_32F,
                          CUBLAS_GEMM_DEFAULT);
    else
        s = blas.at_distance(blas.handle, b, a, p->cols, p->rows, p->inner, &alpha, p->b.first,
                             CUDA_R_32F, ldb, p->b.apart, p->a.first, CUDA_R_32F, lda, p->a.apart,
                             &beta, p->c.first, CUDA_R_32F, ldc, p->c.apart, p->n,
                             CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    return s == CUBLAS_STATUS_SUCCESS;
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
    .product = product,
    .products = products,
    .begin_list = begin_list,
    .end_list = end_list,
    .run_list = run_list,
    .free_list = free_list,
};

static const char *open_device(int device) {
    const bool is_open = is_well(cudaSetDevice(device)) &&
                         is_well(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking)) &&
                         is_well(cudaHostAlloc((void **)&own.ring, RING, cudaHostAllocDefault));
    gpu.stream = own.stream;
    if (is_open && blas.handle) blas.set_stream(blas.handle, own.stream);
    return is_open ? NULL : trouble();
}

__attribute__((visibility("default"))) const lh_gpu *lh_gpu_entry_1(void);

const lh_gpu *lh_gpu_entry_1(void) {
    lh_gpu_launchers(&gpu);
    return &gpu;
}
