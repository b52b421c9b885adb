/* attention -- softmax(Q @ K^T * scale) @ V for every example and head, and its gradient, in bf16 with sums in float: the matrix of scores never exists.
 *
 *     forward   a thread block has some queries, a warp 16 of them. Keys come TILE at a time: S = Q @ K^T, m = the largest so far of each row, P = exp(S - m),
 *               the sums so far are rescaled to the new m, y += P @ V. At the end y is divided by rowsum(P), and log(rowsum(P)) + m is kept for the backward pass.
 *     backward  d_r = rowsum(dy * y); then twice over all pairs of tiles, so that each sum has one owner and its order is always the same:
 *               keys     P^T = exp(K @ Q^T - kept)   dV += P^T @ dy   dP^T = V @ dy^T   dS^T = P^T * (dP^T - d)   dK += dS^T @ Q
 *               queries  P and dS likewise, not transposed                                                    dQ += dS @ K
 *
 * Tiles that are completely masked are skipped. Exponentials are powers of two: scores are multiplied by log2(e).
 */
#include "eval/cuda/device/attention_tiles.h"

enum { TILE = 64, TILES = TILE / 8, PAD = 8 };

#ifdef LH_EMULATED
enum { WARPS = 2, WARPS_BACK = 2 }; /* TILE threads at least */
#else
enum { WARPS = 8, WARPS_BACK = 4 };
#endif

__device__ static bool sees(const sight &s, int query, int key) {
    return !s.is_causal || (key <= query && (!s.window || key > query - s.window || key < s.sinks));
}

/* Rows r .. r + n of head h into shared memory, rounded where they are floats; zeros past the last row and column. */
template <int D> __device__ static void fetch(bits16 *to, const lh_gpu_block &block, int h, int r, int n, bool is_wide) {
    const lh_gpu_block *b = &block;
    for (int i = (int)threadIdx.x; i < n * (D / 8); i += (int)blockDim.x) {
        const int row = i / (D / 8), c = i % (D / 8) * 8;
        bits16 *place = to + row * (D + PAD) + c;
        const bool is_there = r + row < b->rows && c < b->cols;
        if (is_wide && b->is_short) {
            copy_ahead(place, is_there ? (const bits16 *)b->p + h * b->hs + (r + row) * b->rs + c : (const bits16 *)b->p, is_there);
            continue;
        }
        for (int k = 0; k < 8; k++)
            place[k] = is_there && c + k < b->cols ? to_short(at(b, h, r + row, c + k)) : (bits16)0;
    }
}

/* sums += left @ (rows of `right`, transposed): TILE columns */
template <int D> __device__ static void multiply_turned(sums_tile s[TILES], const left_tile *left, const bits16 *right) {
    UNROLLED
    for (int n = 0; n < TILES; n++) s[n] = {{0, 0, 0, 0}};
UNROLLED
    for (int k = 0; k < D / 16; k++)
UNROLLED
        for (int n = 0; n < TILES; n += 2) {
            right_tile b[2];
            load_right_turned(b, right, D + PAD, 8 * n, 16 * k);
            multiply(s[n], left[k], b[0]), multiply(s[n + 1], left[k], b[1]);
        }
}

/* sums += (rounded s) @ right: D columns */
template <int D> __device__ static void multiply_rounded(sums_tile *sums, const sums_tile s[TILES], const bits16 *right) {
UNROLLED
    for (int k = 0; k < TILE / 16; k++) {
        const left_tile a = rounded(s[2 * k], s[2 * k + 1]);
UNROLLED
        for (int n = 0; n < D / 8; n += 2) {
            right_tile b[2];
            load_right(b, right, D + PAD, 16 * k, 8 * n);
            multiply(sums[n], a, b[0]), multiply(sums[n + 1], a, b[1]);
        }
    }
}

/* ---- forward ---- */

template <int D> __device__ static void fetch_both(bits16 *to, const lh_gpu_block &a, const lh_gpu_block &b, int h, int r, bool is_wide) {
    fetch<D>(to, a, h, r, TILE, is_wide);
    fetch<D>(to + TILE * (D + PAD), b, h, r, TILE, is_wide);
    end_group();
}

template <int D> __global__ void __launch_bounds__(WARPS *WARP) attention(lh_gpu_work w) {
    SHARED_MEMORY(bits16, room); /* two stages of keys and values; queries in the first */
    enum { ROWS = 16 * WARPS, STAGE = 2 * TILE * (D + PAD) };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp;
    const int of = j.h / (q.heads / k.heads);
    const float scale = w.number[NUMBER_SCALE] * LOG2E;
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, k.rows);
    if (j.first >= q.rows) return;
    fetch<D>(room + STAGE, q, j.h, j.first, ROWS, w.is_wide);
    end_group();
    int at_key = next_tile(by, j.first, ROWS, 0, k.rows, TILE), stage = 0;
    if (at_key < k.rows) fetch_both<D>(room, k, v, of, at_key, w.is_wide);
    wait_for_all_but<0>();
    __syncthreads();
    left_tile left[D / 16];
UNROLLED
    for (int i = 0; i < D / 16; i++) left[i] = load_left(room + STAGE, D + PAD, 16 * warp, 16 * i);
    __syncthreads();
    running m = {{-INFINITY, -INFINITY}, {0, 0}};
    sums_tile y[D / 8] = {};
    while (at_key < k.rows) {
        const int next = next_tile(by, j.first, ROWS, at_key + TILE, k.rows, TILE);
        const bits16 *keys = room + stage * STAGE, *values = keys + TILE * (D + PAD);
        stage = 1 - stage;
        if (next < k.rows) fetch_both<D>(room + stage * STAGE, k, v, of, next, w.is_wide);
        if (any_sees(by, mine, 16, at_key, TILE)) {
            sums_tile s[TILES];
            multiply_turned<D>(s, left, keys);
            if (!is_open(seen, at_key, TILE)) hide<TILE>(s, seen, at_key, -INFINITY);
            float shrunk[2];
            soften<TILE>(m, s, scale, shrunk);
            shrink<D>(y, shrunk);
            multiply_rounded<D>(y, s, values);
        }
        wait_for_all_but<0>();
        __syncthreads();
        at_key = next;
    }
    float by_sum[2];
    end_rows(w, m, j, mine, q.rows, scale, by_sum);
    write_sums<D>(*block_of(w.out, j.e), j.h, mine, y, by_sum);
}

/* ---- backward ---- */

/* scratch: rowsum(dy * y) */
__global__ void attention_along(lh_gpu_work w, int examples) {
    EACH_ROW(examples, e, dy, w.in[DY], k) {
        const int h = (int)(k % dy->heads), r = (int)(k / dy->heads);
        const lh_gpu_block *y = block_of(w.in[Y], e);
        float sum = 0;
        for (int c = (int)(threadIdx.x % WARP); c < dy->cols; c += WARP) sum += at(dy, h, r, c) * at(y, h, r, c);
        sum = warp_sum(sum);
        if (threadIdx.x % WARP == 0) w.scratch[query_number(w, e, h, r)] = sum;
    }
}

/* LANES lanes share a row, eight numbers each */
template <int LANES> __global__ void attention_along_wide(lh_gpu_work w) {
    const lh_gpu_block *dy = block_of(w.in[DY], (int)blockIdx.y), *y = block_of(w.in[Y], (int)blockIdx.y);
    const int c = (int)threadIdx.x % LANES * 8;
    const long long rows = (long long)dy->heads * dy->rows, whole_warps = (rows + WARP - 1) / WARP * WARP;
    for (long long k = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / LANES; k < whole_warps;
         k += (long long)gridDim.x * (blockDim.x / LANES)) {
        const int h = (int)(k % dy->heads), r = (int)(k / dy->heads);
        float sum = 0;
        if (k < rows && c < dy->cols) {
            const numbers<8> a = load_at<8>(dy, h, r, c), b = load_at<8>(y, h, r, c);
            for (int i = 0; i < 8; i++) sum += a.x[i] * b.x[i];
        }
        for (int d = LANES / 2; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (k < rows && c == 0) w.scratch[query_number(w, (int)blockIdx.y, h, r)] = sum;
    }
}

/* kept, and what lies along, of TILE queries; one that is not there has no share in anything. Each of the first TILE threads has one, on its way while
 * others are worked on. */
struct of_query {
    float kept, along;
};

__device__ static of_query read_numbers(const lh_gpu_work &w, int e, int h, int r, int rows) {
    const int i = (int)threadIdx.x;
    if (i >= TILE || r + i >= rows) return {INFINITY, 0};
    return {w.kept[query_number(w, e, h, r + i)], w.scratch[query_number(w, e, h, r + i)]};
}

__device__ static void write_numbers(float *to, of_query x) {
    const int i = (int)threadIdx.x;
    if (i < TILE) to[i] = x.kept, to[TILE + i] = x.along;
}

/* One row of tiles: a warp's 16 keys, and queries from `query` on. `numbers`: of the queries. */
template <int D>
__device__ static void tile_to_keys(sums_tile *dk, sums_tile *dv, const left_tile *left_k, const left_tile *left_v, const bits16 *queries,
                                    const bits16 *dy, const float *numbers, const sight &by, int key, int query, float scale) {
    const int lane = (int)(threadIdx.x % WARP);
    const bool is_open = each_sees(by, query, TILE, key, 16);
    sums_tile s[TILES], d[TILES];
    multiply_turned<D>(s, left_k, queries);
    UNROLLED
    for (int n = 0; n < TILES; n++)
        UNROLLED
        for (int i = 0; i < 4; i++) {
            const int c = 8 * n + 2 * (lane % 4) + i % 2, r = key + lane / 4 + i / 2 * 8;
            const bool is_seen = is_open || sees(by, query + c, r);
            s[n].x[i] = is_seen ? power_of_two(s[n].x[i] * scale - numbers[c]) : 0.0f;
        }
    multiply_rounded<D>(dv, s, dy);
    multiply_turned<D>(d, left_v, dy);
    UNROLLED
    for (int n = 0; n < TILES; n++)
        UNROLLED
        for (int i = 0; i < 4; i++) d[n].x[i] = s[n].x[i] * (d[n].x[i] - numbers[TILE + 8 * n + 2 * (lane % 4) + i % 2]);
    multiply_rounded<D>(dk, d, queries);
}

template <int D> __global__ void __launch_bounds__(WARPS_BACK *WARP) attention_keys(lh_gpu_work w) {
    SHARED_MEMORY(bits16, room); /* two stages of queries and dy, their numbers; keys and values in the second stage */
    enum { ROWS = 16 * WARPS_BACK, STAGE = 2 * TILE * (D + PAD) };
    float *const number_room = (float *)(room + 2 * STAGE);
    const job j = job_of(w.most_in[K].heads, w.most_in[K].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e),
                       dy = *block_of(w.in[DY], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp, sharing = q.heads / k.heads;
    const float scale = w.number[NUMBER_SCALE];
    const sight by = sight_of(w);
    if (j.first >= k.rows) return;
    fetch<D>(room + STAGE, k, j.h, j.first, ROWS, w.is_wide);
    fetch<D>(room + STAGE + TILE * (D + PAD), v, j.h, j.first, ROWS, w.is_wide);
    end_group();
    wait_for_all_but<0>();
    __syncthreads();
    left_tile left_k[D / 16], left_v[D / 16];
UNROLLED
    for (int i = 0; i < D / 16; i++) {
        left_k[i] = load_left(room + STAGE, D + PAD, 16 * warp, 16 * i);
        left_v[i] = load_left(room + STAGE + TILE * (D + PAD), D + PAD, 16 * warp, 16 * i);
    }
    __syncthreads();
    sums_tile dk[D / 8] = {}, dv[D / 8] = {};
    const int pieces = (q.rows + TILE - 1) / TILE; /* of each head that shares these keys */
    int stage = 0, i = 0;
    while (i < pieces * sharing && !any_sees(by, i % pieces * TILE, TILE, j.first, ROWS)) i++;
    if (i < pieces * sharing) {
        fetch_both<D>(room, q, dy, j.h * sharing + i / pieces, i % pieces * TILE, w.is_wide);
        write_numbers(number_room, read_numbers(w, j.e, j.h * sharing + i / pieces, i % pieces * TILE, q.rows));
    }
    while (i < pieces * sharing) {
        int next = i + 1;
        while (next < pieces * sharing && !any_sees(by, next % pieces * TILE, TILE, j.first, ROWS)) next++;
        wait_for_all_but<0>();
        __syncthreads();
        const bits16 *queries = room + stage * STAGE;
        const float *numbers = number_room + stage * 2 * TILE;
        of_query coming = {0, 0};
        stage = 1 - stage;
        if (next < pieces * sharing) {
            fetch_both<D>(room + stage * STAGE, q, dy, j.h * sharing + next / pieces, next % pieces * TILE, w.is_wide);
            coming = read_numbers(w, j.e, j.h * sharing + next / pieces, next % pieces * TILE, q.rows);
        }
        if (any_sees(by, i % pieces * TILE, TILE, mine, 16))
            tile_to_keys<D>(dk, dv, left_k, left_v, queries, queries + TILE * (D + PAD), numbers, by, mine, i % pieces * TILE,
                            scale * LOG2E);
        write_numbers(number_room + stage * 2 * TILE, coming);
        __syncthreads();
        i = next;
    }
    const float of_k[2] = {scale, scale}, of_v[2] = {1, 1};
    if (w.outs[K].block) write_sums<D>(*block_of(w.outs[K], j.e), j.h, mine, dk, of_k);
    if (w.outs[V].block) write_sums<D>(*block_of(w.outs[V], j.e), j.h, mine, dv, of_v);
}

template <int D> __global__ void __launch_bounds__(WARPS_BACK *WARP) attention_queries(lh_gpu_work w) {
    SHARED_MEMORY(bits16, room); /* two stages of keys and values; queries and dy in the second */
    enum { ROWS = 16 * WARPS_BACK, STAGE = 2 * TILE * (D + PAD) };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e),
                       dy = *block_of(w.in[DY], j.e);
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, mine = j.first + 16 * warp;
    const int of = j.h / (q.heads / k.heads);
    const float scale = w.number[NUMBER_SCALE];
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, k.rows);
    if (j.first >= q.rows) return;
    fetch<D>(room + STAGE, q, j.h, j.first, ROWS, w.is_wide);
    fetch<D>(room + STAGE + TILE * (D + PAD), dy, j.h, j.first, ROWS, w.is_wide);
    end_group();
    int at_key = next_tile(by, j.first, ROWS, 0, k.rows, TILE), stage = 0;
    if (at_key < k.rows) fetch_both<D>(room, k, v, of, at_key, w.is_wide);
    wait_for_all_but<0>();
    __syncthreads();
    left_tile left_q[D / 16], left_dy[D / 16];
UNROLLED
    for (int i = 0; i < D / 16; i++) {
        left_q[i] = load_left(room + STAGE, D + PAD, 16 * warp, 16 * i);
        left_dy[i] = load_left(room + STAGE + TILE * (D + PAD), D + PAD, 16 * warp, 16 * i);
    }
    float kept[2], along[2];
    UNROLLED
    for (int i = 0; i < 2; i++) {
        const int r = mine + lane / 4 + 8 * i;
        kept[i] = r < q.rows ? w.kept[query_number(w, j.e, j.h, r)] : INFINITY;
        along[i] = r < q.rows ? w.scratch[query_number(w, j.e, j.h, r)] : 0.0f;
    }
    __syncthreads();
    sums_tile dq[D / 8] = {};
    while (at_key < k.rows) {
        const int next = next_tile(by, j.first, ROWS, at_key + TILE, k.rows, TILE);
        const bits16 *keys = room + stage * STAGE;
        stage = 1 - stage;
        if (next < k.rows) fetch_both<D>(room + stage * STAGE, k, v, of, next, w.is_wide);
        if (any_sees(by, mine, 16, at_key, TILE)) {
            sums_tile s[TILES], d[TILES];
            multiply_turned<D>(s, left_q, keys);
            if (!is_open(seen, at_key, TILE)) hide<TILE>(s, seen, at_key, -INFINITY);
            multiply_turned<D>(d, left_dy, keys + TILE * (D + PAD));
            UNROLLED
            for (int n = 0; n < TILES; n++)
                UNROLLED
                for (int i = 0; i < 4; i++)
                    d[n].x[i] = power_of_two(s[n].x[i] * (scale * LOG2E) - kept[i / 2]) * (d[n].x[i] - along[i / 2]);
            multiply_rounded<D>(dq, d, keys);
        }
        wait_for_all_but<0>();
        __syncthreads();
        at_key = next;
    }
    const float of_q[2] = {scale, scale};
    write_sums<D>(*block_of(w.outs[Q], j.e), j.h, mine, dq, of_q);
}

/* ---- launches ---- */

template <int D> static size_t shared_bytes() {
    return 2 * 2 * TILE * (D + PAD) * sizeof(bits16) + 2 * 2 * TILE * sizeof(float);
}

template <int D> static void launch(const lh_gpu_work *w, void *stream) {
    allow_shared((const void *)attention<D>, shared_bytes<D>());
    LAUNCH_TOGETHER(attention<D>, pieces_of(w->most_in[Q], 16 * WARPS, w->examples), WARPS * WARP, shared_bytes<D>(), stream, *w);
}

extern "C" void lh_gpu_kernel_attention(const lh_gpu_work *w, void *stream) {
    const int d = w->most_in[Q].cols;
    if (can_be_wide(d))
        launch_wide(w, stream);
    else if (d <= 32)
        launch<32>(w, stream);
    else if (d <= 64)
        launch<64>(w, stream);
    else
        launch<128>(w, stream);
}

template <int LANES> static void launch_along_wide(const lh_gpu_work *w, int examples, void *stream) {
    const long long rows = (long long)w->most_in[DY].heads * w->most_in[DY].rows;
    const dim3 grid(parts_of(rows, THREADS / LANES), (unsigned)examples);
    LAUNCH_TOGETHER(attention_along_wide<LANES>, grid, THREADS, 0, stream, *w);
}

void launch_along(const lh_gpu_work *w, int examples, void *stream) {
    if (w->is_wide && w->most_in[DY].cols <= 64)
        launch_along_wide<8>(w, examples, stream);
    else if (w->is_wide)
        launch_along_wide<16>(w, examples, stream);
    else
        LAUNCH_TOGETHER(attention_along, grid_of_rows(w->most_in[DY], examples), THREADS, 0, stream, *w, examples);
}

template <int D> static void launch_back(const lh_gpu_work *w, int examples, void *stream) {
    const int rows = 16 * WARPS_BACK;
    allow_shared((const void *)attention_keys<D>, shared_bytes<D>());
    allow_shared((const void *)attention_queries<D>, shared_bytes<D>());
    launch_along(w, examples, stream);
    if (w->outs[K].block || w->outs[V].block)
        LAUNCH_TOGETHER(attention_keys<D>, pieces_of(w->most_in[K], rows, examples), rows * 2, shared_bytes<D>(), stream, *w);
    if (w->outs[Q].block)
        LAUNCH_TOGETHER(attention_queries<D>, pieces_of(w->most_in[Q], rows, examples), rows * 2, shared_bytes<D>(), stream, *w);
}

extern "C" void lh_gpu_kernel_attention_back(const lh_gpu_work *w, void *stream) {
    const int d = w->most_in[Q].cols, examples = w->in[Q].step ? w->batch : 1;
    if (can_be_wide(d))
        launch_wide_back(w, examples, stream);
    else if (d <= 32)
        launch_back<32>(w, examples, stream);
    else if (d <= 64)
        launch_back<64>(w, examples, stream);
    else
        launch_back<128>(w, examples, stream);
}
