/* attention_wide -- attention by four warps together (tensor_wide.h), for heads of more than 32 columns; the sums are those of attention.cu.
 *
 * A group of four warps has 64 rows, a thread block has two groups. While the tensor cores multiply, a group works on their previous results:
 *
 *     forward   S_i = Q @ K_i^T and y += P_{i-1} @ V_{i-1} run together; P_i is computed from S_i while the latter continues
 *     keys      S^T = K @ Q_i^T and dP^T = V @ dy_i^T run together; dV += P^T @ dy_i while dS^T is computed; dK += dS^T @ Q_i overlaps with the next round
 *     queries   likewise, with dQ += dS @ K_i overlapping with the next round
 *
 * Scores and their gradients stay in registers, as left tiles. There are three stages of shared memory, because what is read in one round may still be needed in the next.
 */
#include "eval/cuda/device/attention_tiles.h"
#include "eval/cuda/device/tensor_wide.h"

enum { STAGES = 3, ALIGNED = 1024 };

/* For heads of at most D columns: the groups in a thread block, the N rows of a tile, the thread blocks at a time; chosen so that the sums fit into registers. */
template <int D_, int GROUPS_, int N_, int BLOCKS_> struct shape {
    enum { D = D_, GROUPS = GROUPS_, N = N_, BLOCKS = BLOCKS_, TOGETHER = GROUPS * GROUP, ROWS = GROUPS * GROUP_ROWS, TILE = N * D, PAIR = 2 * TILE };
};

__device__ static bits16 *first_panel(bits16 *room) {
    return room + (ALIGNED - (size_t)room % ALIGNED) % ALIGNED / sizeof *room;
}

/* As fetch, for numbers of another type, or that cannot be read eight at a time. */
template <int D, int N, int TOGETHER> __device__ static void fetch_slowly(bits16 *to, const lh_gpu_block &b, int h, int r) {
    for (int i = (int)threadIdx.x; i < N * D; i += TOGETHER) {
        const int row = i / D, c = i % D;
        to[piece_at(N, row, c) + c % 8] = r + row < b.rows && c < b.cols ? to_short(at(&b, h, r + row, c)) : (bits16)0;
    }
}

/* Rows r .. r + N of head h into panels, rounded where they are floats; zeros past the last row and column. */
template <int D, int N, int TOGETHER> __device__ static void fetch(bits16 *to, const lh_gpu_block &b, int h, int r, bool is_plain) {
    enum { STEP = TOGETHER / (D / 8) };
    static_assert(STEP % 8 == 0 && N % STEP == 0, "");
    if (!is_plain) {
        fetch_slowly<D, N, TOGETHER>(to, b, h, r);
        return;
    }
    const int first = (int)threadIdx.x / (D / 8), c = (int)threadIdx.x % (D / 8) * 8, row = r + first;
    const bits16 *from = (const bits16 *)b.p + h * b.hs + row * b.rs + c;
    bits16 *place = to + piece_at(N, first, c);
    UNROLLED
    for (int i = 0; i < N / STEP; i++) {
        const bool is_there = row + i * STEP < b.rows && c < b.cols;
        copy_ahead(place + i * STEP * PANEL, is_there ? from + i * STEP * b.rs : (const bits16 *)b.p, is_there);
    }
}

/* What was fetched has arrived, for all threads and their products. */
__device__ static void arrive() {
    wait_for_all_but<0>();
    show_to_products();
    __syncthreads();
}

/* ---- products ---- */

/* A group's 64 rows of D columns: in registers, or where they lie in panels of ROWS rows. */
template <int D, int ROWS> struct in_registers {
    left_tile x[D / 16];
    __device__ void load(const bits16 *panels, int warp) {
        UNROLLED
        for (int k = 0; k < D / 16; k++) x[k] = load_left_of_panel(panels, ROWS, 16 * warp, 16 * k);
    }
    __device__ const left_tile &at(int k) const { return x[k]; }
};

template <int D, int ROWS> struct in_panels {
    const bits16 *p;
    __device__ void load(const bits16 *panels, int warp) { p = panels + warp / 4 * GROUP_ROWS * PANEL; }
    __device__ const bits16 *at(int k) const { return p + 16 * k / PANEL * ROWS * PANEL + 16 * k % PANEL; }
};

/* s = left @ (N rows of `right`, transposed) */
template <int D, int N, class L> __device__ static void score(sums_tile *s, const L &left, const bits16 *right) {
    enum { STEP = N < 64 ? N : 64 };
    UNROLLED
    for (int n = 0; n < N; n += STEP) {
        multiply_wide<STEP, true, false>(s + n / 8, left.at(0), right + n * PANEL);
        UNROLLED
        for (int k = 1; k < D / 16; k++)
            multiply_wide<STEP, true, true>(s + n / 8, left.at(k), right + (16 * k / PANEL * N + n) * PANEL + 16 * k % PANEL);
    }
}

/* sums += left @ (N rows of `right`) */
template <int D, int N> __device__ static void sum_up(sums_tile *sums, const left_tile *left, const bits16 *right) {
    UNROLLED
    for (int c = 0; c < D; c += PANEL)
        UNROLLED
        for (int k = 0; k < N / 16; k++)
            multiply_wide<PANEL, false, true>(sums + c / 8, left[k], right + (c / PANEL * N + 16 * k) * PANEL);
}

template <int N> __device__ static void round_all(left_tile *to, const sums_tile *s) {
    UNROLLED
    for (int k = 0; k < N / 16; k++) to[k] = rounded(s[2 * k], s[2 * k + 1]);
}

/* ---- forward ---- */

template <class S> __global__ void __launch_bounds__(S::TOGETHER, S::BLOCKS) wide(lh_gpu_work w) {
    SHARED_MEMORY(bits16, raw); /* queries, two tiles of keys, two of values */
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TILE = S::TILE, TOGETHER = S::TOGETHER };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp, group = j.first + warp / 4 * GROUP_ROWS;
    const int of = j.h / (q.heads / k.heads);
    const float scale = w.number[NUMBER_SCALE] * LOG2E;
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, k.rows);
    const bool is_plain = w.is_wide && q.is_short && k.is_short && v.is_short;
    bits16 *const room = first_panel(raw), *const keys = room + ROWS * D, *const values = keys + 2 * TILE;
    if (j.first >= q.rows) return;
    int at_key = next_tile(by, j.first, ROWS, 0, k.rows, N), next = next_tile(by, j.first, ROWS, at_key + N, k.rows, N), turn = 0;
    fetch<D, ROWS, TOGETHER>(room, q, j.h, j.first, is_plain);
    fetch<D, N, TOGETHER>(keys, k, of, at_key, is_plain);
    end_group();
    arrive();
    if (next < k.rows) fetch<D, N, TOGETHER>(keys + TILE, k, of, next, is_plain);
    fetch<D, N, TOGETHER>(values, v, of, at_key, is_plain);
    end_group();
    in_registers<D, ROWS> left;
    left.load(room, warp);
    running m = {{-INFINITY, -INFINITY}, {0, 0}};
    sums_tile y[D / 8] = {}, s[N / 8];
    left_tile powers[N / 16];
    float shrunk[2];
    begin_products();
    score<D, N>(s, left, keys);
    end_products();
    wait_for_products_but<0>();
    if (!is_open(seen, at_key, N)) hide<N>(s, seen, at_key, -INFINITY);
    soften<N>(m, s, scale, shrunk);
    round_all<N>(powers, s);
    const auto ahead = [&](int after, int next, int turn) {
        if (after < k.rows) fetch<D, N, TOGETHER>(keys + turn * TILE, k, of, after, is_plain);
        if (next < k.rows) fetch<D, N, TOGETHER>(values + (1 - turn) * TILE, v, of, next, is_plain);
        end_group();
    };
    for (bool has_powers = true;; turn = 1 - turn) {
        arrive();
        const int after = next_tile(by, j.first, ROWS, next + N, k.rows, N);
        if (next < k.rows && (!by.is_causal || next < group + GROUP_ROWS)) {
            begin_products();
            score<D, N>(s, left, keys + (1 - turn) * TILE);
            end_products();
            sum_up<D, N>(y, powers, values + turn * TILE);
            end_products();
            ahead(after, next, turn);
            wait_for_products_but<1>();
            if (!is_open(seen, next, N)) hide<N>(s, seen, next, -INFINITY);
            soften<N>(m, s, scale, shrunk);
            wait_for_products_but<0>();
            shrink<D>(y, shrunk);
            round_all<N>(powers, s);
        } else {
            ahead(after, next, turn);
            if (has_powers) {
                begin_products();
                sum_up<D, N>(y, powers, values + turn * TILE);
                end_products();
                wait_for_products_but<0>();
            }
            has_powers = false;
        }
        if (next >= k.rows) break;
        next = after;
    }
    end_rows(w, m, j, mine, q.rows, scale, shrunk);
    write_sums<D>(*block_of(w.out, j.e), j.h, mine, y, shrunk);
}

/* ---- backward ---- */

/* Some queries and dy of head h, and for each kept and what lies along. One that is not there is all zeros: it has no share in anything. */
template <class S> __device__ static void fetch_queries(bits16 *to, float *numbers, const lh_gpu_work &w, const lh_gpu_block &q,
                                                        const lh_gpu_block &dy, const float *kept, const float *along, int h, int r, bool is_plain) {
    enum { N = S::N };
    fetch<S::D, N, S::TOGETHER>(to, q, h, r, is_plain);
    fetch<S::D, N, S::TOGETHER>(to + S::TILE, dy, h, r, is_plain);
    const int i = (int)threadIdx.x % N, which = (int)threadIdx.x / N;
    if (which > 1) return;
    const bool is_there = r + i < q.rows;
    const float *from = which ? along : kept; /* of the first head */
    copy_word_ahead(numbers + which * N + i, is_there ? from + (size_t)h * w.most_in[Q].rows + r + i : from, is_there);
}

/* Scores of the 16 keys of a warp to exponentials, for queries that see them, relative to what each query kept. */
template <int N> __device__ static void powers_of_keys(sums_tile *s, const float *kept, const sight &by, int key, int query, float scale) {
    const int lane = (int)(threadIdx.x % WARP);
    const bool is_open = each_sees(by, query, N, key, 16);
    UNROLLED
    for (int n = 0; n < N / 8; n++) {
        const float2 from = *(const float2 *)(kept + 8 * n + 2 * (lane % 4));
        UNROLLED
        for (int i = 0; i < 4; i++) s[n].x[i] = power_of_two(s[n].x[i] * scale - (i % 2 ? from.y : from.x));
    }
    if (is_open) return;
    UNROLLED
    for (int i = 0; i < 2; i++) {
        const int k = key + lane / 4 + i * 8, end = by.window && k >= by.sinks ? k + by.window : 0x7fffffff;
        UNROLLED
        for (int n = 0; n < N / 8; n++)
            UNROLLED
            for (int x = 0; x < 2; x++) {
                const int c = query + 8 * n + 2 * (lane % 4) + x;
                s[n].x[2 * i + x] = (c >= k) & (c < end) ? s[n].x[2 * i + x] : 0.0f;
            }
    }
}

/* dP to dS */
template <int N> __device__ static void slopes_of_keys(sums_tile *d, const sums_tile *s, const float *along) {
    UNROLLED
    for (int n = 0; n < N / 8; n++) {
        const float2 less = *(const float2 *)(along + 8 * n + 2 * ((int)threadIdx.x % 4));
        UNROLLED
        for (int i = 0; i < 4; i++) d[n].x[i] = s[n].x[i] * (d[n].x[i] - (i % 2 ? less.y : less.x));
    }
}

template <class S> __global__ void __launch_bounds__(S::TOGETHER, S::BLOCKS) wide_keys(lh_gpu_work w) {
    SHARED_MEMORY(bits16, raw); /* keys, values; three stages of queries and dy; their numbers */
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TOGETHER = S::TOGETHER };
    const job j = job_of(w.most_in[K].heads, w.most_in[K].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e), dy = *block_of(w.in[DY], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp, group = j.first + warp / 4 * GROUP_ROWS;
    const int sharing = q.heads / k.heads, last = (j.h + 1) * sharing;
    const float scale = w.number[NUMBER_SCALE];
    const float *const kept = w.kept + query_number(w, j.e, 0, 0), *const along = w.scratch + query_number(w, j.e, 0, 0);
    const sight by = sight_of(w);
    const bool is_plain = w.is_wide && q.is_short && k.is_short && v.is_short && dy.is_short;
    bits16 *const room = first_panel(raw), *const stages = room + 2 * ROWS * D;
    float *const numbers = (float *)(stages + STAGES * S::PAIR);
    if (j.first >= k.rows) return;
    /* the tiles of queries that somebody of these keys sees, of each head that shares them */
    const int first = by.is_causal ? j.first / N * N : 0, window_end = j.first + ROWS - 1 + by.window,
              end = by.is_causal && by.window && j.first >= by.sinks && window_end < q.rows ? window_end : q.rows;
    int h = first < end ? j.h * sharing : last, r = first, stage = 0;
    fetch<D, ROWS, TOGETHER>(room, k, j.h, j.first, is_plain);
    fetch<D, ROWS, TOGETHER>(room + ROWS * D, v, j.h, j.first, is_plain);
    if (h < last) fetch_queries<S>(stages, numbers, w, q, dy, kept, along, h, r, is_plain);
    end_group();
    arrive();
    in_panels<D, ROWS> left_k, left_v;
    left_k.load(room, warp), left_v.load(room + ROWS * D, warp);
    sums_tile dk[D / 8] = {}, dv[D / 8] = {}, s[N / 8], d[N / 8];
    left_tile powers[N / 16], slopes[N / 16];
    while (h < last) {
        const bool is_last_of_head = r + N >= end;
        const int next_h = h + is_last_of_head, next_r = is_last_of_head ? first : r + N, then = stage == STAGES - 1 ? 0 : stage + 1;
        const bits16 *queries = stages + stage * S::PAIR;
        const float *own = numbers + stage * 2 * N;
        const auto ahead = [&] {
            if (next_h < last)
                fetch_queries<S>(stages + then * S::PAIR, numbers + then * 2 * N, w, q, dy, kept, along, next_h, next_r, is_plain);
            end_group();
        };
        if (any_sees(by, r, N, group, GROUP_ROWS)) {
            begin_products();
            score<D, N>(s, left_k, queries);
            end_products();
            score<D, N>(d, left_v, queries + S::TILE);
            end_products();
            ahead();
            wait_for_products_but<1>();
            powers_of_keys<N>(s, own, by, mine, r, scale * LOG2E);
            round_all<N>(powers, s);
            begin_products();
            sum_up<D, N>(dv, powers, queries + S::TILE);
            end_products();
            wait_for_products_but<1>();
            slopes_of_keys<N>(d, s, own + N);
            round_all<N>(slopes, d);
            begin_products();
            sum_up<D, N>(dk, slopes, queries);
            end_products();
        } else {
            ahead();
            wait_for_products_but<0>();
        }
        h = next_h, r = next_r, stage = then;
        arrive();
    }
    wait_for_products_but<0>();
    const float of_k[2] = {scale, scale}, of_v[2] = {1, 1};
    if (w.outs[K].block) write_sums<D>(*block_of(w.outs[K], j.e), j.h, mine, dk, of_k);
    if (w.outs[V].block) write_sums<D>(*block_of(w.outs[V], j.e), j.h, mine, dv, of_v);
}

template <int N> __device__ static void powers_of_queries(sums_tile *s, const float kept[2], float scale) {
    UNROLLED
    for (int n = 0; n < N / 8; n++)
        UNROLLED
        for (int i = 0; i < 4; i++) s[n].x[i] = power_of_two(s[n].x[i] * scale - kept[i / 2]);
}

template <int N> __device__ static void slopes_of_queries(sums_tile *d, const sums_tile *s, const float along[2]) {
    UNROLLED
    for (int n = 0; n < N / 8; n++)
        UNROLLED
        for (int i = 0; i < 4; i++) d[n].x[i] = s[n].x[i] * (d[n].x[i] - along[i / 2]);
}

template <class S> __global__ void __launch_bounds__(S::TOGETHER, S::BLOCKS) wide_queries(lh_gpu_work w) {
    SHARED_MEMORY(bits16, raw); /* queries, dy; three stages of keys and values */
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TOGETHER = S::TOGETHER };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block q = *block_of(w.in[Q], j.e), k = *block_of(w.in[K], j.e), v = *block_of(w.in[V], j.e), dy = *block_of(w.in[DY], j.e);
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, mine = j.first + 16 * warp,
              group = j.first + warp / 4 * GROUP_ROWS, of = j.h / (q.heads / k.heads);
    const float scale = w.number[NUMBER_SCALE];
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, k.rows);
    const bool is_plain = w.is_wide && q.is_short && k.is_short && v.is_short && dy.is_short;
    bits16 *const room = first_panel(raw), *const stages = room + 2 * ROWS * D;
    if (j.first >= q.rows) return;
    const auto ahead = [&](int stage, int key) {
        if (key < k.rows) {
            fetch<D, N, TOGETHER>(stages + stage * S::PAIR, k, of, key, is_plain);
            fetch<D, N, TOGETHER>(stages + stage * S::PAIR + S::TILE, v, of, key, is_plain);
        }
        end_group();
    };
    int at_key = next_tile(by, j.first, ROWS, 0, k.rows, N), next = next_tile(by, j.first, ROWS, at_key + N, k.rows, N);
    fetch<D, ROWS, TOGETHER>(room, q, j.h, j.first, is_plain);
    fetch<D, ROWS, TOGETHER>(room + ROWS * D, dy, j.h, j.first, is_plain);
    ahead(0, at_key);
    float kept[2], along[2];
    UNROLLED
    for (int i = 0; i < 2; i++) {
        const int r = mine + lane / 4 + 8 * i;
        kept[i] = r < q.rows ? w.kept[query_number(w, j.e, j.h, r)] : INFINITY;
        along[i] = r < q.rows ? w.scratch[query_number(w, j.e, j.h, r)] : 0.0f;
    }
    arrive();
    in_panels<D, ROWS> left_q, left_dy;
    left_q.load(room, warp), left_dy.load(room + ROWS * D, warp);
    sums_tile dq[D / 8] = {}, s[N / 8], d[N / 8];
    left_tile slopes[N / 16];
    begin_products();
    score<D, N>(s, left_q, stages);
    score<D, N>(d, left_dy, stages + S::TILE);
    end_products();
    ahead(1, next);
    wait_for_products_but<0>();
    powers_of_queries<N>(s, kept, scale * LOG2E);
    if (!is_open(seen, at_key, N)) hide<N>(s, seen, at_key, 0);
    slopes_of_queries<N>(d, s, along);
    round_all<N>(slopes, d);
    bool has_slopes = true;
    for (int stage = 0, then = 1;;) { /* of the keys before, and of the next */
        arrive();
        const int after = next_tile(by, j.first, ROWS, next + N, k.rows, N), third = STAGES - stage - then;
        const bits16 *before = stages + stage * S::PAIR, *keys = stages + then * S::PAIR;
        if (next < k.rows && (!by.is_causal || next < group + GROUP_ROWS)) {
            begin_products();
            score<D, N>(s, left_q, keys);
            end_products();
            score<D, N>(d, left_dy, keys + S::TILE);
            end_products();
            sum_up<D, N>(dq, slopes, before);
            end_products();
            ahead(third, after);
            wait_for_products_but<2>();
            powers_of_queries<N>(s, kept, scale * LOG2E);
            if (!is_open(seen, next, N)) hide<N>(s, seen, next, 0);
            wait_for_products_but<1>();
            slopes_of_queries<N>(d, s, along);
            wait_for_products_but<0>();
            round_all<N>(slopes, d);
        } else {
            ahead(third, after);
            if (has_slopes) {
                begin_products();
                sum_up<D, N>(dq, slopes, before);
                end_products();
                wait_for_products_but<0>();
            }
            has_slopes = false;
        }
        if (next >= k.rows) break;
        next = after, stage = then, then = third;
    }
    const float of_q[2] = {scale, scale};
    write_sums<D>(*block_of(w.outs[Q], j.e), j.h, mine, dq, of_q);
}

/* ---- launches ---- */

template <class S> static void start(void (*kernel)(lh_gpu_work), size_t numbers, const lh_gpu_work *w, lh_gpu_sizes of, int examples, void *stream) {
    const size_t bytes = numbers * sizeof(bits16) + ALIGNED;
    allow_shared((const void *)kernel, bytes);
    LAUNCH_TOGETHER(kernel, pieces_of(of, S::ROWS, examples), S::TOGETHER, bytes, stream, *w);
}

template <class S> static void start_there(const lh_gpu_work *w, void *stream) {
    start<S>(wide<S>, S::ROWS * S::D + 2 * S::PAIR, w, w->most_in[Q], w->examples, stream);
}

template <class S> static void start_keys(const lh_gpu_work *w, int examples, void *stream) {
    const size_t of_numbers = 2 * S::N * sizeof(float) / sizeof(bits16);
    start<S>(wide_keys<S>, 2 * S::ROWS * S::D + STAGES * (S::PAIR + of_numbers), w, w->most_in[K], examples, stream);
}

template <class S> static void start_queries(const lh_gpu_work *w, int examples, void *stream) {
    start<S>(wide_queries<S>, 2 * S::ROWS * S::D + STAGES * S::PAIR, w, w->most_in[Q], examples, stream);
}

template <class KEYS, class QUERIES> static void start_back(const lh_gpu_work *w, int examples, void *stream) {
    launch_along(w, examples, stream);
    if (w->outs[K].block || w->outs[V].block) start_keys<KEYS>(w, examples, stream);
    if (w->outs[Q].block) start_queries<QUERIES>(w, examples, stream);
}

#ifdef LH_EMULATED
enum { PAIR_OF_GROUPS = 1 }; /* threads are slow */
#else
enum { PAIR_OF_GROUPS = 2 };
#endif

bool can_be_wide(int cols) {
    if (cols <= 32) return false;
#ifdef LH_EMULATED
    return emulate_has_wide();
#else
    static int major = 0;
    int device = 0;
    if (!major && (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess))
        return false;
    return major == 9;
#endif
}

void launch_wide(const lh_gpu_work *w, void *stream) {
    if (w->most_in[Q].cols <= 64)
        start_there<shape<64, PAIR_OF_GROUPS, 64, 2>>(w, stream);
    else
        start_there<shape<128, PAIR_OF_GROUPS, 64, 1>>(w, stream);
}

void launch_wide_back(const lh_gpu_work *w, int examples, void *stream) {
    if (w->most_in[Q].cols <= 64)
        start_back<shape<64, 1, 64, 2>, shape<64, 1, 64, 3>>(w, examples, stream);
    else
        start_back<shape<128, PAIR_OF_GROUPS, 32, 1>, shape<128, PAIR_OF_GROUPS, 64, 1>>(w, examples, stream);
}
