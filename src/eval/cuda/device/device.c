/* device -- a GPU by the CUDA runtime: what is there, its memory, copies, lists of launches, products by cuBLAS.
 *
 * Everything goes through one stream, in the order of the calls. Small copies to the GPU go through a ring of pinned memory, so that
 * nothing waits for them. cuBLAS is loaded when the first product is needed: without it, matmul.cu does the work.
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/cuda/device/launchers.h"

enum { RING = 1 << 24, ARRIVAL = 1 << 18, WORKSPACE = 1 << 25 };

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

/* ---- products: single ones by cuBLASLt, many at once by cuBLAS ---- */

enum { MOST_WAYS = 512 };

/* How a product of these sizes is computed: found once. */
typedef struct way {
    int rows, cols, inner, lda, ldb, ldc;
    unsigned kind; /* types, transposed or not, bias, adds, what follows */
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
    bool is_good;
} way;

static struct {
    bool is_sought;
    cublasHandle_t handle;
    cublasLtHandle_t light;
    void *workspace;
    way *ways;
    int n_ways;
    char name[64];
    __typeof__(&cublasCreate_v2) create;
    __typeof__(&cublasSetStream_v2) set_stream;
    __typeof__(&cublasSetWorkspace_v2) set_workspace;
    __typeof__(&cublasSetMathMode) set_math;
    __typeof__(&cublasGetVersion_v2) version;
    __typeof__(&cublasGemmStridedBatchedEx) at_distance;
    __typeof__(&cublasGemmBatchedEx) anywhere;
    __typeof__(&cublasLtCreate) light_create;
    __typeof__(&cublasLtMatmul) light_multiply;
    __typeof__(&cublasLtMatmulDescCreate) new_how;
    __typeof__(&cublasLtMatmulDescSetAttribute) set_how;
    __typeof__(&cublasLtMatmulDescDestroy) free_how;
    __typeof__(&cublasLtMatrixLayoutDestroy) free_layout;
    __typeof__(&cublasLtMatrixLayoutCreate) new_layout;
    __typeof__(&cublasLtMatmulPreferenceCreate) new_wish;
    __typeof__(&cublasLtMatmulPreferenceSetAttribute) set_wish;
    __typeof__(&cublasLtMatmulPreferenceDestroy) free_wish;
    __typeof__(&cublasLtMatmulAlgoGetHeuristic) choose;
} blas;

static bool find(void *so, const char *name, void *to) {
    void *p = so ? dlsym(so, name) : NULL;
    memcpy(to, &p, sizeof p);
    return p != NULL;
}

static void *load_one(const char *const name[3]) {
    for (int i = 0; i < 3; i++) {
        void *so = dlopen(name[i], RTLD_NOW);
        if (so) return so;
    }
    return NULL;
}

static void start_light(void) {
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
    void *so = load_one(names);
    const bool has_all = find(so, "cublasLtCreate", &blas.light_create) &&
                         find(so, "cublasLtMatmul", &blas.light_multiply) &&
                         find(so, "cublasLtMatmulDescCreate", &blas.new_how) &&
                         find(so, "cublasLtMatmulDescSetAttribute", &blas.set_how) &&
                         find(so, "cublasLtMatmulDescDestroy", &blas.free_how) &&
                         find(so, "cublasLtMatrixLayoutCreate", &blas.new_layout) &&
                         find(so, "cublasLtMatrixLayoutDestroy", &blas.free_layout) &&
                         find(so, "cublasLtMatmulPreferenceCreate", &blas.new_wish) &&
                         find(so, "cublasLtMatmulPreferenceSetAttribute", &blas.set_wish) &&
                         find(so, "cublasLtMatmulPreferenceDestroy", &blas.free_wish) &&
                         find(so, "cublasLtMatmulAlgoGetHeuristic", &blas.choose);
    blas.ways = has_all && blas.workspace ? calloc(MOST_WAYS, sizeof *blas.ways) : NULL;
    if (!blas.ways || blas.light_create(&blas.light) != CUBLAS_STATUS_SUCCESS) blas.light = NULL;
}

static void start_blas(void) {
    int version = 0;
    if (blas.create(&blas.handle) != CUBLAS_STATUS_SUCCESS) {
        blas.handle = NULL;
        return;
    }
    blas.set_stream(blas.handle, own.stream);
    if (cudaMalloc(&blas.workspace, WORKSPACE) ==
        cudaSuccess) /* one of ours: lists can be recorded */
        blas.set_workspace(blas.handle, blas.workspace, WORKSPACE);
    else
        blas.workspace = NULL, cudaGetLastError();
    blas.set_math(blas.handle, CUBLAS_PEDANTIC_MATH);
    blas.version(blas.handle, &version);
    start_light();
    snprintf(blas.name, sizeof blas.name, "cuBLAS%s %d.%d", blas.light ? " and cuBLASLt" : "",
             version / 10000, version / 100 % 100);
}

static bool has_blas(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    if (blas.is_sought) return blas.handle != NULL;
    blas.is_sought = true;
    void *so = load_one(names);
    const bool has_all = find(so, "cublasCreate_v2", &blas.create) &&
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

static cudaDataType type_of(const lh_gpu_factor *f) {
    return f->is_short ? CUDA_R_16BF : CUDA_R_32F;
}

static cublasOperation_t turning_of(const lh_gpu_factor *f) {
    return f->is_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* The alignment of all numbers, up to 16 bytes: what the library may rely on. */
static uint32_t alignment_of(const lh_gpu_product *p) {
    const size_t all = (size_t)p->a.first | (size_t)p->b.first | (size_t)p->c.first |
                       (size_t)p->also | (size_t)p->kept | (size_t)p->bias;
    uint32_t n = 16;
    while (all % n) n /= 2;
    return n;
}

static unsigned kind_of(const lh_gpu_product *p) {
    return (unsigned)p->a.is_short | (unsigned)p->c.is_short << 1 | (unsigned)p->a.is_turned << 2 |
           (unsigned)p->b.is_turned << 3 | (unsigned)(p->bias != NULL) << 4 |
           (unsigned)p->adds << 5 | alignment_of(p) << 6 | (unsigned)(p->also != NULL) << 11 |
           (unsigned)p->behind << 12;
}

static bool is_way(const way *w, const lh_gpu_product *p) {
    return w->rows == p->rows && w->cols == p->cols && w->inner == p->inner &&
           w->lda == p->a.pitch && w->ldb == p->b.pitch && w->ldc == p->c.pitch &&
           w->kind == kind_of(p);
}

/* A matrix as the library sees it, by columns: rows and columns are swapped. */
static bool lay(cublasLtMatrixLayout_t *to, const lh_gpu_factor *f, int rows, int cols) {
    const uint64_t down = (uint64_t)(f->is_turned ? rows : cols),
                   across = (uint64_t)(f->is_turned ? cols : rows);
    return blas.new_layout(to, type_of(f), down, across, f->pitch) == CUBLAS_STATUS_SUCCESS;
}

static cublasLtEpilogue_t end_of(const lh_gpu_product *p) {
    switch (p->behind) {
    case LH_GPU_THEN_GELU:
        return p->bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    case LH_GPU_THEN_GELU_BACK: return CUBLASLT_EPILOGUE_DGELU;
    case LH_GPU_AS_IT_CAME:
    case LH_GPU_THEN_SILU: break;
    }
    return p->bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

#define SET(attribute, x)                                                                          \
    (blas.set_how(w->how, attribute, &(x), sizeof(x)) == CUBLAS_STATUS_SUCCESS)

/* Where a row and a matrix of this product lie, which a way does not know. */
static bool set_places(way *w, const lh_gpu_product *p) {
    return (!p->bias || SET(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p->bias)) &&
           (!p->kept || SET(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p->kept));
}

static bool set_how(way *w, const lh_gpu_product *p) {
    const cublasOperation_t a = turning_of(&p->b), b = turning_of(&p->a);
    const cublasLtEpilogue_t end = end_of(p);
    const int64_t pitch = p->c.pitch;
    return blas.new_how(&w->how, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS &&
           SET(CUBLASLT_MATMUL_DESC_TRANSA, a) && SET(CUBLASLT_MATMUL_DESC_TRANSB, b) &&
           SET(CUBLASLT_MATMUL_DESC_EPILOGUE, end) && set_places(w, p) &&
           (!p->kept || SET(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, pitch));
}

static bool choose(way *w, const lh_gpu_product *p) {
    cublasLtMatmulPreference_t wish;
    cublasLtMatmulHeuristicResult_t found;
    const size_t room = WORKSPACE;
    const uint32_t at = alignment_of(p);
    int n = 0;
    if (blas.new_wish(&wish) != CUBLAS_STATUS_SUCCESS) return false;
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &at, sizeof at);
    const cublasStatus_t s =
        blas.choose(blas.light, w->how, w->a, w->b, w->c, w->c, wish, 1, &found, &n);
    blas.free_wish(wish);
    w->algorithm = found.algo;
    return s == CUBLAS_STATUS_SUCCESS && n > 0;
}

/* Batches of many different sizes fill the table: those that are used are found again. */
static void forget_ways(void) {
    for (int i = 0; i < blas.n_ways; i++) {
        const way *w = &blas.ways[i];
        if (w->a) blas.free_layout(w->a);
        if (w->b) blas.free_layout(w->b);
        if (w->c) blas.free_layout(w->c);
        if (w->how) blas.free_how(w->how);
    }
    blas.n_ways = 0;
}

/* NULL: there is none. */
static way *way_of(const lh_gpu_product *p) {
    for (int i = 0; i < blas.n_ways; i++)
        if (is_way(&blas.ways[i], p)) return blas.ways[i].is_good ? &blas.ways[i] : NULL;
    if (!blas.light) return NULL;
    if (blas.n_ways == MOST_WAYS) forget_ways();
    way *w = &blas.ways[blas.n_ways++];
    *w = (way){p->rows,         p->cols,         p->inner,   (int)p->a.pitch,
               (int)p->b.pitch, (int)p->c.pitch, kind_of(p), .is_good = false};
    w->is_good = set_how(w, p) && lay(&w->a, &p->b, p->inner, p->cols) &&
                 lay(&w->b, &p->a, p->rows, p->inner) && lay(&w->c, &p->c, p->rows, p->cols) &&
                 choose(w, p);
    return w->is_good ? w : NULL;
}

/* One product in bf16. What the library takes for B^T @ A^T is our A @ B. */
static bool product_alone(const lh_gpu_product *p) {
    way *w = has_blas() ? way_of(p) : NULL;
    const float alpha = p->scale, beta = p->adds || p->also ? 1 : 0;
    if (!w || !set_places(w, p)) return false;
    return blas.light_multiply(blas.light, w->how, &alpha, p->b.first, w->a, p->a.first, w->b,
                               &beta, p->also ? p->also : p->c.first, w->c, p->c.first, w->c,
                               &w->algorithm, blas.workspace, WORKSPACE,
                               own.stream) == CUBLAS_STATUS_SUCCESS;
}

static bool is_alone(const lh_gpu_product *p) {
    return p->n == 1 && !p->c.each && (p->a.is_short || p->bias);
}

static bool makes(const lh_gpu_product *p) {
    return is_alone(p) && has_blas() && way_of(p);
}

static bool product_of_many(const lh_gpu_product *p) {
    const cublasOperation_t a = turning_of(&p->a), b = turning_of(&p->b);
    const cudaDataType in = type_of(&p->a), out = type_of(&p->c);
    const float alpha = p->scale, beta = p->adds ? 1 : 0;
    const int lda = (int)p->a.pitch, ldb = (int)p->b.pitch, ldc = (int)p->c.pitch;
    if (!has_blas() || p->bias || p->also || p->behind) return false;
    if (p->c.each)
        return blas.anywhere(blas.handle, b, a, p->cols, p->rows, p->inner, &alpha,
                             (const void *const *)p->b.each, in, ldb,
                             (const void *const *)p->a.each, in, lda, &beta,
                             (void *const *)p->c.each, out, ldc, p->n, CUBLAS_COMPUTE_32F,
                             CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
    return blas.at_distance(blas.handle, b, a, p->cols, p->rows, p->inner, &alpha, p->b.first, in,
                            ldb, p->b.apart, p->a.first, in, lda, p->a.apart, &beta, p->c.first,
                            out, ldc, p->c.apart, p->n, CUBLAS_COMPUTE_32F,
                            CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
}

static void product(const lh_gpu_product *p) {
    if (is_alone(p) && product_alone(p)) return;
    if (product_of_many(p)) return;
    lh_gpu_any_product(p, own.stream);
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
    .makes = makes,
    .products = products,
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
        is_well(cudaHostAlloc((void **)&own.arrival, ARRIVAL, cudaHostAllocDefault));
    gpu.stream = own.stream;
    if (is_open && blas.handle) blas.set_stream(blas.handle, own.stream);
    return is_open ? NULL : trouble();
}

__attribute__((visibility("default"))) const lh_gpu *lh_gpu_entry_2(void);

const lh_gpu *lh_gpu_entry_2(void) {
    lh_gpu_launchers(&gpu);
    return &gpu;
}
