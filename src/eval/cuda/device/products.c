/* products -- by NVIDIA's libraries: single ones in bf16 by cuBLASLt, many at once and those in float by cuBLAS; which way of cuBLASLt is the fastest is tried.
 *
 * Both are loaded when the first product is needed: without them, matmul.cu does the work.
 */
#include "eval/cuda/device/products.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/cuda/device/launchers.h"

enum { MOST_WAYS = 512, MOST_SUGGESTED = 8, WORKSPACE = 1 << 25 };

/* How a product of these sizes is computed: found once. */
typedef struct way {
    int rows, cols, inner, lda, ldb, ldc;
    unsigned kind; /* types, transposed or not, bias, adds, what follows */
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
    bool is_good, is_tried;
} way;

static struct {
    bool is_sought, tries;
    cudaStream_t stream;
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
    __typeof__(&cublasLtMatmulAlgoConfigGetAttribute) read;
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
                         find(so, "cublasLtMatmulAlgoGetHeuristic", &blas.choose) &&
                         find(so, "cublasLtMatmulAlgoConfigGetAttribute", &blas.read);
    blas.ways = has_all && blas.workspace ? calloc(MOST_WAYS, sizeof *blas.ways) : NULL;
    if (!blas.ways || blas.light_create(&blas.light) != CUBLAS_STATUS_SUCCESS) blas.light = NULL;
}

static void start_blas(void) {
    int version = 0;
    if (blas.create(&blas.handle) != CUBLAS_STATUS_SUCCESS) {
        blas.handle = NULL;
        return;
    }
    blas.set_stream(blas.handle, blas.stream);
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

const char *lh_gpu_products_name(void) {
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

/* The ways that the library suggests, the best of them first, as it thinks; returns their number. */
static int suggest(const way *w, const lh_gpu_product *p, cublasLtMatmulHeuristicResult_t *to,
                   int most) {
    cublasLtMatmulPreference_t wish;
    const size_t room = WORKSPACE;
    const uint32_t at = alignment_of(p);
    int n = 0;
    if (blas.new_wish(&wish) != CUBLAS_STATUS_SUCCESS) return 0;
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &at, sizeof at);
    blas.set_wish(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &at, sizeof at);
    const cublasStatus_t s =
        blas.choose(blas.light, w->how, w->a, w->b, w->c, w->c, wish, most, to, &n);
    blas.free_wish(wish);
    return s == CUBLAS_STATUS_SUCCESS ? n : 0;
}

/* In how many parts a suggestion cuts the sum of each number. */
static int parts_of(const cublasLtMatmulHeuristicResult_t *found) {
    int n = 1;
    size_t written;
    blas.read(&found->algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &n, sizeof n, &written);
    return n < 1 ? 1 : n;
}

/* Enough tiles for most multiprocessors: then a sum in parts gains nothing. */
static bool fills_the_gpu(const lh_gpu_product *p) {
    enum { TILE = 128 };
    static int processors;
    int device = 0;
    const long long tiles =
        (long long)((p->rows + TILE - 1) / TILE) * ((p->cols + TILE - 1) / TILE);
    if (!processors && (cudaGetDevice(&device) != cudaSuccess ||
                        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                               device) != cudaSuccess))
        processors = 1;
    const long long turns = (tiles + processors - 1) / processors;
    return 5 * tiles >= 4 * turns * processors;
}

/* Which suggestion decides the order of sums, and so the bits: the same for the same sizes, whatever is fastest on a day. */
static int measure_of(const lh_gpu_product *p, const cublasLtMatmulHeuristicResult_t *found,
                      int n) {
    for (int i = 0; i < n && fills_the_gpu(p); i++)
        if (parts_of(&found[i]) == 1) return i;
    return 0;
}

static bool choose(way *w, const lh_gpu_product *p) {
    cublasLtMatmulHeuristicResult_t found[MOST_SUGGESTED];
    const int n = suggest(w, p, found, MOST_SUGGESTED);
    if (n) w->algorithm = found[measure_of(p, found, n)].algo;
    return n > 0;
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

/* What the library takes for B^T @ A^T is our A @ B. */
static bool multiply_by(const way *w, const lh_gpu_product *p,
                        const cublasLtMatmulAlgo_t *algorithm) {
    const float alpha = p->scale, beta = p->adds || p->also ? 1 : 0;
    return blas.light_multiply(blas.light, w->how, &alpha, p->b.first, w->a, p->a.first, w->b,
                               &beta, p->also ? p->also : p->c.first, w->c, p->c.first, w->c,
                               algorithm, blas.workspace, WORKSPACE,
                               blas.stream) == CUBLAS_STATUS_SUCCESS;
}

/* ---- trying ----
 *
 * What the library suggests first is often not the fastest. Large products are run in each way that it suggests, on the numbers of their first run, and the fastest way is kept of those
 * that come to the same bits as the one that was decided on without a clock. So results do not depend on what was fastest. */

typedef struct trial {
    const way *w;
    const lh_gpu_product *p;
    cudaEvent_t from, to;
    unsigned long long *sum; /* in the GPU's memory */
} trial;

static const char *end_of_factor(const lh_gpu_factor *f, int rows, int cols) {
    const long long lines = f->is_turned ? cols : rows, line = f->is_turned ? rows : cols;
    return (const char *)f->first + ((lines - 1) * f->pitch + line) * (f->is_short ? 2 : 4);
}

/* Does a factor share memory with the result? */
static bool meets_result(const lh_gpu_product *p, const lh_gpu_factor *f, int rows, int cols) {
    return f->first && (const char *)f->first < end_of_factor(&p->c, p->rows, p->cols) &&
           (const char *)p->c.first < end_of_factor(f, rows, cols);
}

/* Running it again changes nothing. */
static bool can_be_repeated(const lh_gpu_product *p) {
    lh_gpu_factor also = p->c, kept = p->c;
    union {
        const void *from;
        void *to;
    } place = {p->also};
    also.first = place.to, kept.first = p->kept;
    return !p->adds && !meets_result(p, &p->a, p->rows, p->inner) &&
           !meets_result(p, &p->b, p->inner, p->cols) &&
           !meets_result(p, &also, p->rows, p->cols) && !meets_result(p, &kept, p->rows, p->cols);
}

/* While launches are recorded, nothing can be tried; small products are over before it would pay. */
static bool is_worth_trying(const way *w, const lh_gpu_product *p) {
    enum cudaStreamCaptureStatus status;
    return blas.tries && !w->is_tried && (double)p->rows * p->cols * p->inner > 4e8 &&
           can_be_repeated(p) && cudaStreamIsCapturing(blas.stream, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusNone;
}

/* A number that stands for all bits of the result, and of what is kept; 0: it could not be found. */
static unsigned long long bits_of(const trial *t) {
    const lh_gpu_product *p = t->p;
    unsigned long long sum = 0;
    if (cudaMemsetAsync(t->sum, 0, sizeof sum, blas.stream) != cudaSuccess) return 0;
    const void *const place[] = {p->c.first, p->kept};
    for (int i = 0; i < 2; i++)
        if (place[i])
            lh_gpu_sum_bits(place[i],
                            ((p->rows - 1) * p->c.pitch + p->cols) * (p->c.is_short ? 1 : 2),
                            t->sum, blas.stream);
    if (cudaMemcpyAsync(&sum, t->sum, sizeof sum, cudaMemcpyDeviceToHost, blas.stream) !=
            cudaSuccess ||
        cudaStreamSynchronize(blas.stream) != cudaSuccess)
        return 0;
    return sum;
}

static float time_of(const trial *t, const cublasLtMatmulAlgo_t *algorithm) {
    enum { TIMES = 6 };
    float ms = 0;
    cudaEventRecord(t->from, blas.stream);
    for (int i = 0; i < TIMES; i++)
        if (!multiply_by(t->w, t->p, algorithm)) return INFINITY;
    cudaEventRecord(t->to, blas.stream);
    return cudaEventSynchronize(t->to) == cudaSuccess &&
                   cudaEventElapsedTime(&ms, t->from, t->to) == cudaSuccess
               ? ms
               : INFINITY;
}

static void try_all(way *w, const trial *t) {
    cublasLtMatmulHeuristicResult_t found[MOST_SUGGESTED];
    const int n = suggest(w, t->p, found, MOST_SUGGESTED);
    const unsigned long long bits = multiply_by(w, t->p, &w->algorithm) ? bits_of(t) : 0;
    float least = bits ? time_of(t, &w->algorithm) : 0; /* the first time also wakes the GPU up */
    if (bits) least = time_of(t, &w->algorithm);
    for (int i = 0; i < n && bits; i++) {
        if (!multiply_by(w, t->p, &found[i].algo) || bits_of(t) != bits) continue;
        const float ms = time_of(t, &found[i].algo);
        if (ms < least) least = ms, w->algorithm = found[i].algo;
    }
    if (bits) multiply_by(w, t->p, &w->algorithm);
}

static void try_ways(way *w, const lh_gpu_product *p) {
    trial t = {.w = w, .p = p};
    w->is_tried = true;
    if (cudaMalloc((void **)&t.sum, sizeof *t.sum) == cudaSuccess &&
        cudaEventCreate(&t.from) == cudaSuccess && cudaEventCreate(&t.to) == cudaSuccess)
        try_all(w, &t);
    else
        cudaGetLastError(); /* no memory is left: the first way will do */
    if (t.to) cudaEventDestroy(t.to);
    if (t.from) cudaEventDestroy(t.from);
    cudaFree(t.sum);
}

void lh_gpu_products_try(bool tries) {
    blas.tries = tries;
}

/* ---- products ---- */

/* One product in bf16. */
static bool product_alone(const lh_gpu_product *p) {
    way *w = has_blas() ? way_of(p) : NULL;
    if (!w || !set_places(w, p)) return false;
    if (is_worth_trying(w, p)) try_ways(w, p);
    return multiply_by(w, p, &w->algorithm);
}

static bool is_alone(const lh_gpu_product *p) {
    return p->n == 1 && !p->c.each && (p->a.is_short || p->bias);
}

bool lh_gpu_products_can(const lh_gpu_product *p) {
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

void lh_gpu_multiply(const lh_gpu_product *p) {
    if (is_alone(p) && product_alone(p)) return;
    if (product_of_many(p)) return;
    lh_gpu_any_product(p, blas.stream);
}

void lh_gpu_products_open(void *stream) {
    blas.stream = stream;
    if (blas.handle) blas.set_stream(blas.handle, blas.stream);
}
