/* update -- the new value of a weight, in place, and the norm of all gradients together. As eval/fast/update.c, but the numbers of the step are read on the GPU. */
#include "eval/cuda/device/gpu_grid.h"

enum { W, M, V, G, SCALE, RATE, DECAY, B1, B2, EPS, T };
enum { PARTS = 64 }; /* of each gradient */

__device__ static float number(const lh_gpu_work &w, int i, float standard) {
    return w.in[i].block ? *w.in[i].block->p : standard;
}

struct how {
    float scale, b1, b2, eps, step, root, keep;
};

__device__ static how read_how(const lh_gpu_work &w) {
    const double t = number(w, T, 1), b1 = number(w, B1, 0), b2 = number(w, B2, 0);
    const float rate = number(w, RATE, 0);
    how a;
    a.scale = number(w, SCALE, 1);
    a.b1 = (float)b1, a.b2 = (float)b2, a.eps = number(w, EPS, 0);
    a.step = (float)(rate / (1 - pow(b1, t)));
    a.root = (float)(1 / sqrt(1 - pow(b2, t)));
    a.keep = 1 - rate * number(w, DECAY, 0);
    return a;
}

/* Is it contiguous: row by row (1), or column by column (2)? */
__device__ static int is_flat(const lh_gpu_block &b) {
    if ((b.cols == 1 || b.cs == 1) && (b.rows == 1 || b.rs == b.cols)) return 1;
    return (b.rows == 1 || b.rs == 1) && (b.cols == 1 || b.cs == b.rows) ? 2 : 0;
}

/* ... so that eight at a time can be read */
__device__ static int is_in_eights(const lh_gpu_block &b) {
    return (long long)b.rows * b.cols % 8 == 0 && (size_t)b.p % 16 == 0 ? is_flat(b) : 0;
}

struct weights {
    lh_gpu_block to, m, v, dw;
};

__device__ static void learn_one(float &x, float &m, float &v, float d, const how &a) {
    const float g = d * a.scale;
    m = a.b1 * m + (1 - a.b1) * g, v = a.b2 * v + (1 - a.b2) * g * g;
    x = a.keep * x - a.step * m / (sqrtf(v) * a.root + a.eps);
}

/* Which weights are updated here, by all threads from `thread` 0 to `threads` - 1. */
struct reach {
    long long from, to, thread, threads;
};

/* FLAT: index i means the same cell in all four. */
template <int N, bool FLAT> __device__ static void learn(const weights &b, const how &a, const reach &n) {
    for (long long i = n.from + N * n.thread; i < n.to; i += N * n.threads) {
        const place k = FLAT ? place{0, 0, 0} : place_of(&b.to, i);
        const cell to = FLAT ? cell_of(&b.to, i) : at(&b.to, 0, k.r, k.c), at_m = FLAT ? cell_of(&b.m, i) : at(&b.m, 0, k.r, k.c),
                   at_v = FLAT ? cell_of(&b.v, i) : at(&b.v, 0, k.r, k.c), dw = FLAT ? cell_of(&b.dw, i) : at(&b.dw, 0, k.r, k.c);
        numbers<N> x = load<N>(to), m = load<N>(at_m), v = load<N>(at_v);
        const numbers<N> d = load<N>(dw);
        for (int i = 0; i < N; i++) learn_one(x.x[i], m.x[i], v.x[i], d.x[i], a);
        store<N>(at_m, m), store<N>(at_v, v), store<N>(to, x);
    }
}

/* The usual case: floats, four at a time, with several such reads in flight. */
__device__ static void learn_floats(float *__restrict__ x, float *__restrict__ m, float *__restrict__ v, const float *__restrict__ d, const how &a, const reach &n) {
    UNROLLED_BY(2)
    for (long long i = n.from + 4 * n.thread; i < n.to; i += 4 * n.threads) {
        emulate_touch(x + i, 16), emulate_touch(m + i, 16), emulate_touch(v + i, 16), emulate_touch(d + i, 16);
        float4 to = *(const float4 *)(x + i), at_m = *(const float4 *)(m + i), at_v = *(const float4 *)(v + i);
        const float4 g = *(const float4 *)(d + i);
        learn_one(to.x, at_m.x, at_v.x, g.x, a), learn_one(to.y, at_m.y, at_v.y, g.y, a);
        learn_one(to.z, at_m.z, at_v.z, g.z, a), learn_one(to.w, at_m.w, at_v.w, g.w, a);
        *(float4 *)(m + i) = at_m, *(float4 *)(v + i) = at_v, *(float4 *)(x + i) = to;
    }
}

__device__ static void update(const lh_gpu_work &w, const how &a, const reach &n) {
    const weights b = {*w.in[W].block, *w.in[M].block, *w.in[V].block, *w.in[G].block};
    const int flat = is_in_eights(b.to);
    if (!flat || is_in_eights(b.m) != flat || is_in_eights(b.v) != flat || is_in_eights(b.dw) != flat) {
        if (w.is_wide)
            learn<8, false>(b, a, n);
        else
            learn<1, false>(b, a, n);
    } else if (b.to.is_short || b.m.is_short || b.v.is_short || b.dw.is_short)
        learn<8, true>(b, a, n);
    else
        learn_floats(b.to.p, b.m.p, b.v.p, b.dw.p, a, n);
}

__global__ void adam(lh_gpu_work w) {
    __shared__ how shared;
    if (threadIdx.x == 0) shared = read_how(w);
    __syncthreads();
    update(w, shared, {0, cells_of(w.in[W].block), blockIdx.x * (long long)blockDim.x + threadIdx.x, (long long)gridDim.x * blockDim.x});
}

/* A grid-stride loop: each thread block begins with powers in double, which take as long as some thousand numbers. */
extern "C" void lh_gpu_kernel_adam(const lh_gpu_work *w, void *stream) {
    enum { BLOCKS = 132 * 6 };
    const unsigned parts = parts_of((long long)w->most_in[W].rows * w->most_in[W].cols / 8, THREADS);
    LAUNCH_TOGETHER(adam, dim3(parts < BLOCKS ? parts : BLOCKS), THREADS, 0, stream, *w);
}

/* ---- all of them ---- */

/* Once for each weight: powers in double take time, and registers. */
__global__ void find_hows(lh_gpu_many all) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < all.n; i += (int)(gridDim.x * blockDim.x))
        ((how *)all.room)[i] = read_how(all.work[i]);
}

/* A transposed gradient goes through shared memory, so that all accesses are contiguous. */
enum { TILE = 64 };

typedef float tile[TILE][TILE + 1];

__device__ static void learn_tile(const weights &b, const how &a, int first_row, int first_col, tile &room) {
    const int rows = min((int)TILE, b.to.rows - first_row), cols = min((int)TILE, b.to.cols - first_col);
    const float *dw = b.dw.p + (long long)first_col * b.dw.cs + first_row;
    UNROLLED_BY(8)
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int r = i % TILE, c = i / TILE;
        if (r < rows && c < cols) {
            emulate_touch(dw + c * b.dw.cs + r, 4);
            room[r][c] = dw[c * b.dw.cs + r];
        }
    }
    __syncthreads();
    UNROLLED_BY(4)
    for (int i = (int)threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int r = i / TILE, c = i % TILE;
        if (r < rows && c < cols) {
            const long long k = (long long)(first_row + r) * b.to.cols + first_col + c;
            emulate_touch(b.to.p + k, 4), emulate_touch(b.m.p + k, 4), emulate_touch(b.v.p + k, 4);
            float x = b.to.p[k], m = b.m.p[k], v = b.v.p[k];
            learn_one(x, m, v, room[r][c], a);
            b.m.p[k] = m, b.v.p[k] = v, b.to.p[k] = x;
        }
    }
    __syncthreads();
}

/* The same for a whole tile of 64 x 64, four at a time: weights and states are being read while the gradient is transposed. */
__device__ static void learn_whole_tile(const weights &b, const how &a, int first_row, int first_col, tile &room) {
    enum { LINE = TILE / 4, DOWN = THREADS / LINE, TIMES = TILE / DOWN, HALF = TIMES / 2 };
    const int across = 4 * ((int)threadIdx.x % LINE), down = (int)threadIdx.x / LINE;
    const float *dw = b.dw.p + (long long)first_col * b.dw.cs + first_row;
    float4 d[TIMES], x[HALF], m[HALF], v[HALF];
    const long long first = (long long)(first_row + down) * b.to.cols + first_col + across, apart = (long long)DOWN * b.to.cols;
    const auto fetch = [&](int k) {
        for (int i = 0; i < HALF; i++) {
            const long long at_i = first + (k + i) * apart;
            emulate_touch(b.to.p + at_i, 16), emulate_touch(b.m.p + at_i, 16), emulate_touch(b.v.p + at_i, 16);
            x[i] = *(const float4 *)(b.to.p + at_i), m[i] = *(const float4 *)(b.m.p + at_i), v[i] = *(const float4 *)(b.v.p + at_i);
        }
    };
    const auto learn_half = [&](int k) {
        for (int i = 0; i < HALF; i++) {
            const float *g = &room[down + (k + i) * DOWN][across];
            learn_one(x[i].x, m[i].x, v[i].x, g[0], a), learn_one(x[i].y, m[i].y, v[i].y, g[1], a);
            learn_one(x[i].z, m[i].z, v[i].z, g[2], a), learn_one(x[i].w, m[i].w, v[i].w, g[3], a);
            const long long at_i = first + (k + i) * apart;
            *(float4 *)(b.m.p + at_i) = m[i], *(float4 *)(b.v.p + at_i) = v[i], *(float4 *)(b.to.p + at_i) = x[i];
        }
    };
    UNROLLED_BY(4)
    for (int i = 0; i < TIMES; i++) {
        emulate_touch(dw + (down + i * DOWN) * b.dw.cs + across, 16);
        d[i] = *(const float4 *)(dw + (down + i * DOWN) * b.dw.cs + across);
    }
    fetch(0);
    UNROLLED_BY(4)
    for (int i = 0; i < TIMES; i++) {
        const int c = down + i * DOWN;
        room[across][c] = d[i].x, room[across + 1][c] = d[i].y, room[across + 2][c] = d[i].z, room[across + 3][c] = d[i].w;
    }
    __syncthreads();
    learn_half(0);
    fetch(HALF);
    learn_half(HALF);
    __syncthreads();
}

__device__ static bool is_in_fours(const weights &b) {
    return b.to.cols % 4 == 0 && b.to.rows % 4 == 0 && ((size_t)b.to.p | (size_t)b.m.p | (size_t)b.v.p | (size_t)b.dw.p) % 16 == 0;
}

__device__ static void update_turned(const lh_gpu_work &w, const how &a, int part) {
    enum { SIDE = LH_GPU_UPDATED_SIDE };
    __shared__ tile room;
    const weights b = {*w.in[W].block, *w.in[M].block, *w.in[V].block, *w.in[G].block};
    const int across = (b.to.cols + SIDE - 1) / SIDE, row = part / across * SIDE, col = part % across * SIDE;
    for (int r = row; r < row + SIDE && r < b.to.rows; r += TILE)
        for (int c = col; c < col + SIDE && c < b.to.cols; c += TILE)
            if (is_in_fours(b) && r + TILE <= b.to.rows && c + TILE <= b.to.cols)
                learn_whole_tile(b, a, r, c, room);
            else
                learn_tile(b, a, r, c, room);
}

/* A thread block has a part of one of them: the last whose parts begin before it, or with it. */
__global__ void __launch_bounds__(THREADS, 2) adam_of_all(lh_gpu_many all) {
    int from = 0, to = all.n;
    while (to - from > 1) {
        const int half = (from + to) / 2;
        emulate_touch(all.before + half, 4);
        if (all.before[half] <= (int)blockIdx.x)
            from = half;
        else
            to = half;
    }
    const lh_gpu_work &w = all.work[from];
    const how a = ((const how *)all.room)[from];
    const int part = (int)blockIdx.x - all.before[from];
    if (w.number[LH_GPU_IS_TURNED] != 0) {
        update_turned(w, a, part);
        return;
    }
    const long long first = (long long)part * LH_GPU_UPDATED, cells = cells_of(w.in[W].block);
    update(w, a, {first, first + LH_GPU_UPDATED < cells ? first + LH_GPU_UPDATED : cells, (long long)threadIdx.x, (long long)blockDim.x});
}

static_assert(sizeof(how) <= LH_GPU_ROOM_OF_EACH, "room for what is found once for each");

extern "C" void lh_gpu_update_many(const lh_gpu_many *all, void *stream) {
    LAUNCH(find_hows, dim3(parts_of(all->n, WARP)), WARP, 0, stream, *all);
    LAUNCH_TOGETHER(adam_of_all, dim3((unsigned)all->parts), THREADS, 0, stream, *all);
}

/* ---- norm(gradients) ---- */

__device__ static const lh_gpu_block *gradient(const lh_gpu_work &w, int i) {
    return (w.many ? w.many[i] : w.in[i]).block;
}

/* Those of a thread of a part. */
__device__ static double squares_of(const lh_gpu_block b) {
    const long long cells = (long long)b.rows * b.cols, first = blockIdx.x * (long long)THREADS + threadIdx.x;
    double own = 0;
    if (is_in_eights(b)) {
        UNROLLED_BY(2)
        for (long long k = 8 * first; k < cells; k += 8 * PARTS * THREADS) {
            const numbers<8> x = load<8>(cell_of(&b, k));
            for (int i = 0; i < 8; i++) own += (double)x.x[i] * x.x[i];
        }
        return own;
    }
    for (long long k = first; k < cells; k += PARTS * THREADS) {
        const place at_k = place_of(&b, k);
        const double x = at(&b, 0, at_k.r, at_k.c);
        own += x * x;
    }
    return own;
}

/* scratch, as double: [gradient][part] */
__global__ void squares(lh_gpu_work w) {
    __shared__ double part[THREADS];
    double *to = (double *)w.scratch;
    for (int i = (int)blockIdx.y; i < w.n_in; i += (int)gridDim.y) {
        part[threadIdx.x] = squares_of(*gradient(w, i));
        for (int d = THREADS / 2; d; d /= 2) {
            __syncthreads();
            if ((int)threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
        }
        if (threadIdx.x == 0) to[(size_t)i * PARTS + blockIdx.x] = part[0];
        __syncthreads();
    }
}

/* One thread block: each thread adds up some, then all of them together, by halves. */
__global__ void root_of_squares(lh_gpu_work w) {
    __shared__ double part[THREADS];
    const double *from = (const double *)w.scratch;
    double own = 0;
    for (int i = (int)threadIdx.x; i < w.n_in * PARTS; i += THREADS) own += from[i];
    part[threadIdx.x] = own;
    for (int d = THREADS / 2; d; d /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    }
    if (threadIdx.x == 0) *w.out.block->p = (float)sqrt(part[0]);
}

extern "C" void lh_gpu_kernel_length(const lh_gpu_work *w, void *stream) {
    const unsigned gradients = (unsigned)(w->n_in < MOST_Y ? w->n_in : MOST_Y);
    LAUNCH_TOGETHER(squares, dim3(PARTS, gradients), THREADS, 0, stream, *w);
    LAUNCH_TOGETHER(root_of_squares, dim3(1), THREADS, 0, stream, *w);
}
