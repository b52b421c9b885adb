/* grow -- generation, token by token: attention with a key-value cache, and products of one row.
 *
 * A token reads every weight once, so its time is that of reading them, and of starting launches. In a product of one row, a warp computes some columns of W, each of which
 * is contiguous; the norm before the product and what is added after it belong to the same launch. A launch may begin before the previous one has ended: it fetches
 * weights, which never change, and then waits. Sums are always computed in the same order.
 */
#include "eval/cuda/device/growing.h"

#ifdef LH_EMULATED
enum { ROW_WARPS = 2, ATTEND_WARPS = 2, LARGEST_WARPS = 2, MOST_BLOCKS = 4 };
#define LAUNCH_NEXT LAUNCH_TOGETHER
__device__ static inline void let_next_begin() {}
__device__ static inline void wait_for_last() {}
#else
enum { ROW_WARPS = 4, ATTEND_WARPS = 16, LARGEST_WARPS = 32, MOST_BLOCKS = 132 * 8 };

/* As LAUNCH, but before the previous launch has ended: the kernel itself waits for it. */
template <class... A, class... B>
static void launch_next(void (*kernel)(A...), dim3 grid, int threads, size_t shared, void *stream, const B &...with) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = grid, how.blockDim = dim3((unsigned)threads), how.dynamicSmemBytes = shared, how.stream = (cudaStream_t)stream;
    how.attrs = &early, how.numAttrs = 1;
    cudaLaunchKernelEx(&how, kernel, (A)with...);
}
#define LAUNCH_NEXT launch_next
__device__ static inline void let_next_begin() {
    asm volatile("griddepcontrol.launch_dependents;");
}
__device__ static inline void wait_for_last() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

/* ---- a product of one row ---- */

/* A thread's eight gains and offsets of a norm: they never change, so they are fetched before the row is there. */
struct gains {
    numbers<8> gain, move;
    float epsilon;
};

__device__ static numbers<8> floats_at(const float *p, int i) {
    return load<8>({(void *)(p + i), false});
}

__device__ static bool is_norm(const lh_gpu_row &r) {
    return r.before == LH_GPU_BY_LAYERNORM || r.before == LH_GPU_BY_RMSNORM;
}

__device__ static gains gains_of(const lh_gpu_row &r, int i) {
    gains g = {};
    if (!is_norm(r) || i >= r.inner) return g;
    g.gain = floats_at(r.gain, i), g.epsilon = *r.epsilon;
    if (r.move) g.move = floats_at(r.move, i);
    return g;
}

__device__ static void norm_row(const lh_gpu_row &r, float *x, float sum, float squared, gains g) {
    __shared__ float room[2][ROW_WARPS];
    const int warp = (int)threadIdx.x / WARP, first = 8 * (int)threadIdx.x;
    sum = warp_sum(sum), squared = warp_sum(squared);
    if (threadIdx.x % WARP == 0) room[0][warp] = sum, room[1][warp] = squared;
    __syncthreads();
    float all = 0, by = 0;
    for (int i = 0; i < ROW_WARPS; i++) all += room[0][i], by += room[1][i];
    const float mean = r.before == LH_GPU_BY_LAYERNORM ? all / (float)r.inner : 0.0f;
    if (r.before == LH_GPU_BY_LAYERNORM) { /* around the mean, as in the definition: numbers far from 0 lose no digits */
        by = 0;
        for (int i = first; i < r.inner; i += 8 * (int)blockDim.x)
            for (int k = 0; k < 8; k++) by += (x[i + k] - mean) * (x[i + k] - mean);
        by = warp_sum(by);
        __syncthreads();
        if (threadIdx.x % WARP == 0) room[1][warp] = by;
        __syncthreads();
        by = 0;
        for (int i = 0; i < ROW_WARPS; i++) by += room[1][i];
    }
    by = 1.0f / sqrtf(by / (float)r.inner + g.epsilon);
    for (int i = first; i < r.inner; i += 8 * (int)blockDim.x) {
        if (i != first) g = gains_of(r, i);
        for (int k = 0; k < 8; k++) x[i + k] = (x[i + k] - mean) * by * g.gain.x[k] + g.move.x[k];
    }
}

/* Writes the row as it will be multiplied to shared memory. */
__device__ static void prepare_row(const lh_gpu_row &r, float *x, const gains &g) {
    float sum = 0, squared = 0;
    for (int i = 8 * (int)threadIdx.x; i < r.inner; i += 8 * (int)blockDim.x) {
        numbers<8> v = load<8>(number_of(r.x, i));
        if (r.before == LH_GPU_BY_SWIGLU) {
            const numbers<8> other = load<8>(number_of(r.other, i));
            for (int k = 0; k < 8; k++) v.x[k] *= share(v.x[k]) * other.x[k];
        }
        for (int k = 0; k < 8; k++) x[i + k] = v.x[k], sum += v.x[k], squared += v.x[k] * v.x[k];
    }
    if (is_norm(r)) norm_row(r, x, sum, squared, g);
    __syncthreads();
}

enum { AHEAD = 4 }; /* pieces of a column that are fetched together; a piece is 8 numbers for each lane */

/* Pieces `from` on of U columns. */
template <int U> struct pieces {
    uint4 x[AHEAD][U];
};

template <int U> __device__ static void fetch(pieces<U> &to, const lh_gpu_row &r, int col, int from) {
    const int lane = (int)threadIdx.x % WARP;
    for (int i = 0; i < AHEAD; i++)
        for (int u = 0; u < U; u++) {
            const int k = 8 * ((from + i) * WARP + lane);
            const uint4 *p = (const uint4 *)((const unsigned short *)r.w + (col + u) * r.pitch + k);
            const bool is_there = k < r.inner && col + u < r.cols;
            if (is_there) emulate_touch(p, sizeof *p);
#ifdef LH_EMULATED
            to.x[i][u] = is_there ? *p : uint4{0, 0, 0, 0};
#else
            to.x[i][u] = is_there ? __ldcs(p) : uint4{0, 0, 0, 0};
#endif
        }
}

template <int U> __device__ static void add_pieces(float sum[U], const pieces<U> &w, const float *x, int inner, int from) {
    const int lane = (int)threadIdx.x % WARP;
    for (int i = 0; i < AHEAD; i++) {
        const int k = 8 * ((from + i) * WARP + lane);
        if (k >= inner) break;
        const float4 a = *(const float4 *)(x + k), b = *(const float4 *)(x + k + 4);
        const float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        for (int u = 0; u < U; u++) {
            const unsigned word[4] = {w.x[i][u].x, w.x[i][u].y, w.x[i][u].z, w.x[i][u].w};
            for (int c = 0; c < 8; c++)
                sum[u] += v[c] * __uint_as_float(c % 2 ? word[c / 2] & 0xffff0000u : word[c / 2] << 16);
        }
    }
}

/* What is added to a column's sum. */
__device__ static float added_to(const lh_gpu_row &r, const lh_gpu_line &l, int col) {
    return l.p && col < r.cols ? (float)number_of(l, col) : 0.0f;
}

__device__ static void finish(const lh_gpu_row &r, int col, float x, float bias, float add) {
    number_of(r.y, col) = then(r.behind, x + bias) + add;
}

template <int U> __global__ void __launch_bounds__(ROW_WARPS *WARP) row_product(lh_gpu_row r) {
    SHARED_MEMORY(float, x);
    const int lane = (int)threadIdx.x % WARP, step = U * (int)gridDim.x * ROW_WARPS;
    const int all = (r.inner / 8 + WARP - 1) / WARP; /* pieces of a column */
    int col = U * ((int)blockIdx.x * ROW_WARPS + (int)threadIdx.x / WARP), piece = 0;
    pieces<U> coming;
    float sum[U] = {};
    let_next_begin();
    fetch<U>(coming, r, col, 0);
    const gains g = gains_of(r, 8 * (int)threadIdx.x);
    float bias = lane < U ? added_to(r, r.bias, col + lane) : 0.0f;
    wait_for_last();
    float add = lane < U ? added_to(r, r.add, col + lane) : 0.0f;
    prepare_row(r, x, g);
    while (col < r.cols) {
        const pieces<U> now = coming;
        const bool is_end = piece + AHEAD >= all;
        const int next_col = is_end ? col + step : col, next = is_end ? 0 : piece + AHEAD;
        if (next_col < r.cols) fetch<U>(coming, r, next_col, next);
        add_pieces<U>(sum, now, x, r.inner, piece);
        for (int u = 0; is_end && u < U; u++) {
            const float whole = warp_sum(sum[u]);
            if (lane == u && col + u < r.cols) finish(r, col + u, whole, bias, add);
            sum[u] = 0;
        }
        if (is_end && lane < U && next_col < r.cols)
            bias = added_to(r, r.bias, next_col + lane), add = added_to(r, r.add, next_col + lane);
        col = next_col, piece = next;
    }
}

template <int U> static void launch_row(const lh_gpu_row *r, void *stream) {
    const int blocks = (r->cols + U * ROW_WARPS - 1) / (U * ROW_WARPS);
    const size_t room = (size_t)r->inner * sizeof(float);
    if (room > 48 << 10) allow_shared((const void *)row_product<U>, room);
    LAUNCH_NEXT(row_product<U>, dim3((unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS)), ROW_WARPS * WARP, room, stream, *r);
}

extern "C" void lh_gpu_row_product(const lh_gpu_row *r, void *stream) {
    if (r->cols >= 2 * 1024)
        launch_row<2>(r, stream);
    else
        launch_row<1>(r, stream);
}

/* ---- attention ---- */

enum { Q, K, V };
enum { SCALE, WINDOW, SINKS, CAP, KEPT_SHORT }; /* the last: 1, 0, or -1: keys and values are not of one type */
enum { MOST_COLS = 256, TOGETHER = 4 }; /* keys that a group of lanes looks at together */

__device__ static bool sees(const lh_gpu_work &w, int query, int key) {
    const int window = (int)w.number[WINDOW], sinks = (int)w.number[SINKS];
    return key <= query && (!window || key > query - window || key < sinks);
}

/* A lane's 8 numbers of a row, which G lanes share. WIDE: contiguous; otherwise WARP apart. */
template <bool WIDE> __device__ static numbers<8> part_of(cell row, long long cs, int cols, int lane) {
    const int size = row.is_short ? 2 : 4;
    numbers<8> n = {};
    if constexpr (WIDE) {
        return 8 * lane < cols ? load<8>({(char *)row.p + 8 * lane * size, row.is_short}) : n;
    } else {
        for (int i = 0; i < 8; i++) {
            const int c = lane + WARP * i;
            if (c < cols) n.x[i] = load<1>({(char *)row.p + c * cs * size, row.is_short}).x[0];
        }
        return n;
    }
}

/* Where row `key` of head h is in the cache: keys, followed by values. */
__device__ static cell kept_row(const lh_gpu_work &w, const lh_gpu_block *k, const lh_gpu_block *v, int e, int h, int key) {
    const long long width = k->cols + v->cols, i = (((long long)e * k->heads + h) * w.kept_rows + key) * width;
    return {k->is_short ? (void *)((unsigned short *)w.kept + i) : (void *)(w.kept + i), k->is_short};
}

__device__ static cell behind(cell c, int n) {
    return {(char *)c.p + n * (c.is_short ? 2 : 4), c.is_short};
}

/* Eight numbers as they lie. */
template <bool SHORT> struct words {
    uint4 x[SHORT ? 1 : 2];
    __device__ void fetch(const void *p) {
        emulate_touch(p, sizeof *this);
        for (int i = 0; i < (SHORT ? 1 : 2); i++) x[i] = ((const uint4 *)p)[i];
    }
    __device__ numbers<8> read() const {
        const unsigned w[8] = {x[0].x, x[0].y, x[0].z, x[0].w, x[SHORT ? 0 : 1].x, x[SHORT ? 0 : 1].y, x[SHORT ? 0 : 1].z, x[SHORT ? 0 : 1].w};
        numbers<8> n;
        for (int i = 0; i < 8; i++) n.x[i] = __uint_as_float(!SHORT ? w[i] : i % 2 ? w[i / 2] & 0xffff0000u : w[i / 2] << 16);
        return n;
    }
};

/* TOGETHER keys and their values, `apart` rows from one to the next. Those before `past` are kept, the others new. WIDE: a lane's words are fetched without asking
 * first, so that all are on their way together: in the place of a key that is not there, the first comes. */
template <bool WIDE, bool SHORT> struct seen {
    words<SHORT> k[TOGETHER], v[TOGETHER];
    numbers<8> k_apart[WIDE ? 1 : TOGETHER], v_apart[WIDE ? 1 : TOGETHER];

    __device__ void fetch_wide(const lh_gpu_work &w, const lh_gpu_block *kb, const lh_gpu_block *vb, int e, int of, int key, int apart,
                               int lane, int past, int query) {
        enum { SIZE = SHORT ? 2 : 4 };
        const int c = 8 * lane < kb->cols ? 8 * lane : 0, d = 8 * lane < vb->cols ? 8 * lane : 0;
        const char *kept = (const char *)kept_row(w, kb, vb, e, of, 0).p, *new_k = (const char *)kb->p + of * kb->hs * SIZE,
                   *new_v = (const char *)vb->p + of * vb->hs * SIZE;
        const long long width = kb->cols + vb->cols;
        for (int i = 0; i < TOGETHER; i++) {
            const int at_key = key + i * apart <= query ? key + i * apart : 0;
            const bool is_kept = at_key < past;
            k[i].fetch((is_kept ? kept + (at_key * width + c) * SIZE : new_k + ((at_key - past) * kb->rs + c) * SIZE));
            v[i].fetch((is_kept ? kept + (at_key * width + kb->cols + d) * SIZE : new_v + ((at_key - past) * vb->rs + d) * SIZE));
        }
    }

    __device__ void fetch(const lh_gpu_work &w, const lh_gpu_block *kb, const lh_gpu_block *vb, int e, int of, int key, int apart,
                          int lane, int past, int query) {
        if constexpr (WIDE)
            fetch_wide(w, kb, vb, e, of, key, apart, lane, past, query);
        else
            for (int i = 0; i < TOGETHER; i++) {
                const int at_key = key + i * apart <= query ? key + i * apart : 0;
                const bool is_new = at_key >= past;
                const cell row = is_new ? at(kb, of, at_key - past, 0) : kept_row(w, kb, vb, e, of, at_key);
                k_apart[i] = part_of<false>(row, is_new ? kb->cs : 1, kb->cols, lane);
                v_apart[i] = part_of<false>(is_new ? at(vb, of, at_key - past, 0) : behind(row, kb->cols), is_new ? vb->cs : 1, vb->cols,
                                            lane);
            }
    }

    __device__ numbers<8> key(int i, int lane, int cols) const { return lane_of(WIDE ? k[i].read() : k_apart[WIDE ? 0 : i], lane, cols); }
    __device__ numbers<8> value(int i, int lane, int cols) const { return lane_of(WIDE ? v[i].read() : v_apart[WIDE ? 0 : i], lane, cols); }
    __device__ static numbers<8> lane_of(numbers<8> n, int lane, int cols) {
        for (int i = 0; WIDE && i < 8; i++) n.x[i] = 8 * lane < cols ? n.x[i] : 0.0f;
        return n;
    }
};

template <int G, class S>
__device__ static void add_keys(summed &s, const lh_gpu_work &w, const numbers<8> &q, const S &keys, int key, int apart, int query, int lane,
                                int k_cols, int v_cols) {
    const float scale = w.number[SCALE], cap = w.number[CAP];
    float score[TOGETHER], most = s.most;
    for (int i = 0; i < TOGETHER; i++) {
        const numbers<8> k = keys.key(i, lane, k_cols);
        float x = 0;
        for (int c = 0; c < 8; c++) x += q.x[c] * k.x[c];
        x = over_group<G>(x) * scale;
        if (cap > 0) x = cap * tanhf(x / cap);
        score[i] = sees(w, query, key + i * apart) ? x * LOG2E : -INFINITY;
        most = fmaxf(most, score[i]);
    }
    const float of = most == -INFINITY ? 0.0f : most, shrunk = exp2f(s.most - of);
    s.most = most, s.sum *= shrunk;
    for (int c = 0; c < 8; c++) s.y.x[c] *= shrunk;
    for (int i = 0; i < TOGETHER; i++) {
        const numbers<8> v = keys.value(i, lane, v_cols);
        const float p = score[i] == -INFINITY ? 0.0f : exp2f(score[i] - of);
        s.sum += p;
        for (int c = 0; c < 8; c++) s.y.x[c] += p > 0 ? p * v.x[c] : 0.0f;
    }
}

/* Adds up the sums of all warps, in their order, and writes the row of the result. */
__device__ static void write_row(const lh_gpu_block *y, int h, int r, const summed &s, const int place[8], bool writes) {
    __shared__ float most[ATTEND_WARPS], sum[ATTEND_WARPS], weight[ATTEND_WARPS], part[ATTEND_WARPS][MOST_COLS];
    const int warp = (int)threadIdx.x / WARP;
    if (writes) {
        for (int i = 0; i < 8; i++)
            if (place[i] < MOST_COLS) part[warp][place[i]] = s.y.x[i];
        most[warp] = s.most, sum[warp] = s.sum;
    }
    __syncthreads();
    if (threadIdx.x < WARP) { /* the share of each warp's sums in all weights */
        const int i = (int)threadIdx.x;
        const float mine = i < ATTEND_WARPS ? most[i] : -INFINITY, by = exp2f(mine - warp_max(mine));
        const float all = warp_sum(i < ATTEND_WARPS && by > 0 ? sum[i] * by : 0.0f);
        if (i < ATTEND_WARPS) weight[i] = by / all;
    }
    __syncthreads();
    for (int c = (int)threadIdx.x; c < y->cols; c += (int)blockDim.x) {
        float x = 0;
        for (int i = 0; i < ATTEND_WARPS; i++) x += weight[i] > 0 ? part[i][c] * weight[i] : 0.0f;
        at(y, h, r, c) = x;
    }
}

__device__ static void keep_row(const lh_gpu_work &w, const lh_gpu_block *k, const lh_gpu_block *v, int e, int of, int r, int key) {
    const lh_gpu_block to = {(float *)kept_row(w, k, v, e, of, key).p, 0, 0, 1, 1, 1, k->cols + v->cols, k->is_short};
    for (int c = (int)(blockDim.x - 1 - threadIdx.x); c < k->cols + v->cols; c += (int)blockDim.x)
        at(&to, 0, 0, c) = c < k->cols ? at(k, of, r, c) : at(v, of, r, c - k->cols);
}

/* A thread block for a row of a head. */
template <int G, bool WIDE, bool SHORT> __global__ void __launch_bounds__(ATTEND_WARPS *WARP) attend(lh_gpu_work w) {
    const int e = (int)blockIdx.y, h = (int)blockIdx.x % w.most_in[Q].heads, r = (int)blockIdx.x / w.most_in[Q].heads;
    const lh_gpu_block *q = block_of(w.in[Q], e), *k = block_of(w.in[K], e), *v = block_of(w.in[V], e);
    const int past = w.moment->past, query = past + r, of = h / (q->heads / k->heads);
    const int lane = (int)threadIdx.x % G, apart = (int)blockDim.x / G, mine = (int)threadIdx.x / G;
    const bool is_there = r < q->rows;
    seen<WIDE, SHORT> keys;
    let_next_begin();
    const bool is_kept = past >= TOGETHER * apart; /* those of the first group: they can be fetched before the new row is there */
    if (is_there && is_kept) keys.fetch(w, k, v, e, of, mine, apart, lane, past, query);
    wait_for_last();
    if (!is_there) return;
    if (h % (q->heads / k->heads) == 0) keep_row(w, k, v, e, of, r, query);
    summed s = {-INFINITY, 0, {}};
    const numbers<8> mine_q = part_of<WIDE>(at(q, h, r, 0), q->cs, q->cols, lane);
    for (int key = 0; key <= query; key += TOGETHER * apart) { /* all groups of a warp stay together */
        if (key || !is_kept) keys.fetch(w, k, v, e, of, key + mine, apart, lane, past, query);
        add_keys<G>(s, w, mine_q, keys, key + mine, apart, query, lane, k->cols, v->cols);
    }
    for (int d = G; d < WARP; d *= 2) join(s, from_lane(s, d));
    int place[8];
    for (int i = 0; i < 8; i++) place[i] = WIDE ? 8 * lane + i : lane + WARP * i;
    write_row(block_of(w.out, e), h, r, s, place, (int)threadIdx.x % WARP < G);
}

template <int G, bool WIDE, bool SHORT> static void launch_attend(const lh_gpu_work *w, void *stream) {
    LAUNCH_NEXT((attend<G, WIDE, SHORT>), dim3((unsigned)(w->most_in[Q].heads * w->most_in[Q].rows), (unsigned)w->examples),
                ATTEND_WARPS * WARP, 0, stream, *w);
}

template <int G, bool WIDE> static void launch_typed(const lh_gpu_work *w, void *stream) {
    if (w->number[KEPT_SHORT] > 0)
        launch_attend<G, WIDE, true>(w, stream);
    else
        launch_attend<G, WIDE, false>(w, stream);
}

extern "C" void lh_gpu_attend(const lh_gpu_work *w, void *stream) {
    const int cols = w->most_in[K].cols > w->most_in[V].cols ? w->most_in[K].cols : w->most_in[V].cols;
    if (!w->is_wide || w->number[KEPT_SHORT] < 0)
        launch_attend<WARP, false, false>(w, stream);
    else if (cols <= 64)
        launch_typed<8, true>(w, stream);
    else if (cols <= 128)
        launch_typed<16, true>(w, stream);
    else
        launch_typed<WARP, true>(w, stream);
}

/* ---- the largest ---- */

__global__ void __launch_bounds__(LARGEST_WARPS *WARP) largest(lh_gpu_line from, int n, int *to) {
    __shared__ float score[LARGEST_WARPS];
    __shared__ int place[LARGEST_WARPS];
    best b = {0, -1};
    wait_for_last();
    const int wide = (size_t)from.p % 16 ? 0 : n / 8 * 8; /* eight at a time, as far as that goes */
    for (int i = 8 * (int)threadIdx.x; i < wide; i += 8 * (int)blockDim.x) {
        const numbers<8> x = load<8>(number_of(from, i));
        for (int k = 0; k < 8; k++)
            if (x.x[k] == x.x[k]) b = better(b, {x.x[k], i + k});
    }
    for (int i = wide + (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        const float x = number_of(from, i);
        if (x == x) b = better(b, {x, i});
    }
    for (int d = WARP / 2; d; d /= 2) b = better(b, {__shfl_xor_sync(0xffffffffu, b.x, d), __shfl_xor_sync(0xffffffffu, b.i, d)});
    if (threadIdx.x % WARP == 0) score[threadIdx.x / WARP] = b.x, place[threadIdx.x / WARP] = b.i;
    __syncthreads();
    if (threadIdx.x) return;
    for (int i = 1; i < LARGEST_WARPS; i++) b = better(b, {score[i], place[i]});
    *to = b.i;
}

extern "C" void lh_gpu_largest(lh_gpu_line from, int n, int *to, void *stream) {
    LAUNCH_NEXT(largest, dim3(1), LARGEST_WARPS * WARP, 0, stream, from, n, to);
}

/* ---- weights, transposed ---- */

enum { SIDE = 32, TURNERS = 256 };

/* A tile at a time, through shared memory: both matrices are accessed by rows. */
__global__ void turn_all(const lh_gpu_rounding *list) {
    __shared__ float tile[SIDE][SIDE + 1];
    const lh_gpu_rounding one = list[blockIdx.y];
    if (!one.turned) return;
    const int cols = one.turned, rows = (int)(one.n / cols), across = (cols + SIDE - 1) / SIDE, down = (rows + SIDE - 1) / SIDE;
    const int x = (int)threadIdx.x % SIDE, lines = (int)blockDim.x / SIDE;
    for (long long i = blockIdx.x; i < (long long)across * down; i += gridDim.x) {
        const int r0 = (int)(i / across) * SIDE, c0 = (int)(i % across) * SIDE;
        for (int y = (int)threadIdx.x / SIDE; y < SIDE; y += lines)
            if (r0 + y < rows && c0 + x < cols) tile[y][x] = load<1>({(void *)(one.from + (long long)(r0 + y) * cols + c0 + x), false}).x[0];
        __syncthreads();
        for (int y = (int)threadIdx.x / SIDE; y < SIDE; y += lines)
            if (c0 + y < cols && r0 + x < rows)
                store<1>({(unsigned short *)one.to + (long long)(c0 + y) * rows + r0 + x, true}, {{tile[x][y]}});
        __syncthreads();
    }
}

extern "C" void lh_gpu_turn(const lh_gpu_rounding *list, int n, void *stream) {
    if (n) LAUNCH_TOGETHER(turn_all, dim3(TURNERS, (unsigned)n), THREADS, 0, stream, list);
}
