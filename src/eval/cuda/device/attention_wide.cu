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

/* For heads of at most D columns: the groups in a thread block, the N rows of a tile, the thread blocks at a time; chosen so that the sums fit into registers. Plain: all
 * that is read is in bf16, eight numbers side by side. */
template <int D_, int GROUPS_, int N_, int BLOCKS_, bool IS_PLAIN_> struct shape {
    static const bool IS_PLAIN = IS_PLAIN_;
    enum { D = D_, GROUPS = GROUPS_, N = N_, BLOCKS = BLOCKS_, TOGETHER = GROUPS * GROUP, ROWS = GROUPS * GROUP_ROWS, TILE = N * D, PAIR = 2 * TILE };
};

__device__ static bits16 *first_panel(bits16 *room) {
    return room + (ALIGNED - (size_t)room % ALIGNED) % ALIGNED / sizeof *room;
}

/* The rows of a head, from which a thread block fetches tiles of N rows into panels, rounded where they are floats; zeros past the last row and column. A thread has pieces of
 * eight numbers that are STEP rows apart. A row has fewer than 2^31 numbers. */
template <int D, int N, int TOGETHER, bool IS_PLAIN> struct source {
    enum { STEP = TOGETHER / (D / 8) };
    static_assert(STEP % 8 == 0 && N % STEP == 0, "");
    const lh_gpu_block *of;
    int h;
    const bits16 *from; /* its piece of row 0 */
    int pitch, rows;    /* rows: from its first on */
    int place;          /* its piece in a tile */

    __device__ source(const lh_gpu_block *block, int head) : of(block), h(head) {
        const int first = (int)threadIdx.x / (D / 8), c = (int)threadIdx.x % (D / 8) * 8;
        pitch = (int)block->rs, rows = c < block->cols ? block->rows - first : 0, place = piece_at(N, first, c);
        from = (const bits16 *)block->p + head * block->hs + (long long)first * pitch + c;
    }
    __device__ void turn_to(int head) {
        if (head == h) return;
        from += (head - h) * of->hs, h = head;
    }
    __device__ void slowly(bits16 *to, int r) const {
        for (int i = (int)threadIdx.x; i < N * D; i += TOGETHER) {
            const int row = i / D, c = i % D;
            to[piece_at(N, row, c) + c % 8] = r + row < of->rows && c < of->cols ? to_short(at(of, h, r + row, c)) : (bits16)0;
        }
    }
    /* `to`: of room, in numbers */
    __device__ void fetch(bits16 *room, int to, int r) const {
        if (!IS_PLAIN) {
            slowly(room + to, r);
            return;
        }
        const bits16 *piece = from + (long long)r * pitch;
        UNROLLED
        for (int i = 0; i < N / STEP; i++, piece += STEP * pitch) copy_ahead(room, place, to + i * STEP * PANEL, piece, r + i * STEP < rows);
    }
};

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
    spot first;
    __device__ void load(const bits16 *panels, int warp) { first = spot_of(panels + warp / 4 * GROUP_ROWS * PANEL); }
    __device__ spot at(int k) const { return first + (16 * k / PANEL * ROWS * PANEL + 16 * k % PANEL); }
};

/* s = left @ (N rows of `right`, transposed) */
template <int D, int N, class L> __device__ static void score(sums_tile *s, const L &left, spot right) {
    enum { STEP = N < 64 ? N : 64 };
    UNROLLED
    for (int n = 0; n < N; n += STEP) {
        multiply_wide<STEP, true, false>(s + n / 8, left.at(0), right + n * PANEL);
        UNROLLED
        for (int k = 1; k < D / 16; k++)
            multiply_wide<STEP, true, true>(s + n / 8, left.at(k), right + ((16 * k / PANEL * N + n) * PANEL + 16 * k % PANEL));
    }
}

/* sums += left @ (N rows of `right`) */
template <int D, int N> __device__ static void sum_up(sums_tile *sums, const left_tile *left, spot right) {
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
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TILE = S::TILE, TOGETHER = S::TOGETHER, KEYS = ROWS * D, VALUES = KEYS + 2 * TILE };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block *const q = block_of(w.in[Q], j.e), *const k = block_of(w.in[K], j.e), *const v = block_of(w.in[V], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp, group = j.first + warp / 4 * GROUP_ROWS;
    const int of = j.h / (q->heads / k->heads), queries = q->rows, n_keys = k->rows;
    const float scale = w.number[NUMBER_SCALE] * LOG2E;
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, n_keys);
    const source<D, N, TOGETHER, S::IS_PLAIN> from_keys(k, of), from_values(v, of);
    bits16 *const room = first_panel(raw);
    if (j.first >= queries) return;
    int at_key = next_tile(by, j.first, ROWS, 0, n_keys, N), next = next_tile(by, j.first, ROWS, at_key + N, n_keys, N);
    source<D, ROWS, TOGETHER, S::IS_PLAIN>(q, j.h).fetch(room, 0, j.first);
    from_keys.fetch(room, KEYS, at_key);
    end_group();
    arrive();
    if (next < n_keys) from_keys.fetch(room, KEYS + TILE, next);
    from_values.fetch(room, VALUES, at_key);
    end_group();
    in_registers<D, ROWS> left;
    left.load(room, warp);
    const spot start = spot_of(room);
    running m = {{-INFINITY, -INFINITY}, {0, 0}};
    sums_tile y[D / 8] = {}, s[N / 8];
    left_tile powers[N / 16];
    float shrunk[2];
    begin_products();
    score<D, N>(s, left, start + KEYS);
    end_products();
    wait_for_products_but<0>();
    if (!is_open(seen, at_key, N)) hide<N>(s, seen, at_key, -INFINITY);
    soften<N>(m, s, scale, shrunk);
    round_all<N>(powers, s);
    for (bool has_powers = true, is_over = false; !is_over;)
        UNROLLED
        for (int turn = 0; turn < 2 && !is_over; turn++) { /* a constant: places in shared memory are, too */
            arrive();
            const spot here = afresh(start);
            const int after = next_tile(by, j.first, ROWS, next + N, n_keys, N);
            const auto ahead = [&] {
                if (after < n_keys) from_keys.fetch(room, KEYS + turn * TILE, after);
                if (next < n_keys) from_values.fetch(room, VALUES + (1 - turn) * TILE, next);
                end_group();
            };
            if (next < n_keys && (!by.is_causal || next < group + GROUP_ROWS)) {
                begin_products();
                score<D, N>(s, left, here + (KEYS + (1 - turn) * TILE));
                end_products();
                sum_up<D, N>(y, powers, here + (VALUES + turn * TILE));
                end_products();
                ahead();
                wait_for_products_but<1>();
                if (!is_open(seen, next, N)) hide<N>(s, seen, next, -INFINITY);
                soften<N>(m, s, scale, shrunk);
                wait_for_products_but<0>();
                shrink<D>(y, shrunk);
                round_all<N>(powers, s);
            } else {
                ahead();
                if (has_powers) {
                    begin_products();
                    sum_up<D, N>(y, powers, here + (VALUES + turn * TILE));
                    end_products();
                    wait_for_products_but<0>();
                }
                has_powers = false;
            }
            is_over = next >= n_keys, next = after;
        }
    end_rows(w, m, j, mine, queries, scale, shrunk);
    write_sums<D>(*block_of(w.out, j.e), j.h, mine, y, shrunk);
}

/* ---- backward ---- */

/* What the gradients of keys are made from: some queries and dy of a head, and for each a number that was kept and one that lies along. A query that is not there is all
 * zeros: it has no share in anything. */
template <class S> struct query_source {
    source<S::D, S::N, S::TOGETHER, S::IS_PLAIN> queries, dy;
    const float *numbers; /* a thread has a number of each tile, or none */
    bool has_number;
    int rows, heads_apart;

    __device__ query_source(const lh_gpu_work &w, const job &j, int h)
        : queries(block_of(w.in[Q], j.e), h), dy(block_of(w.in[DY], j.e), h), heads_apart(w.most_in[Q].rows) {
        const int i = (int)threadIdx.x % S::N, which = (int)threadIdx.x / S::N;
        numbers = (which ? w.scratch : w.kept) + query_number(w, j.e, h, i);
        has_number = which <= 1, rows = queries.of->rows - i;
    }
    __device__ void turn_to(int h) {
        numbers += (long long)(h - queries.h) * heads_apart;
        queries.turn_to(h), dy.turn_to(h);
    }
    __device__ void fetch(bits16 *room, int to, float *to_numbers, int r) const {
        queries.fetch(room, to, r);
        dy.fetch(room, to + S::TILE, r);
        if (has_number) copy_word_ahead(to_numbers + threadIdx.x, numbers + r, r < rows);
    }
};

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
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TOGETHER = S::TOGETHER, FIRST = 2 * ROWS * D };
    const job j = job_of(w.most_in[K].heads, w.most_in[K].rows, ROWS);
    const lh_gpu_block *const q = block_of(w.in[Q], j.e), *const k = block_of(w.in[K], j.e);
    const int warp = (int)threadIdx.x / WARP, mine = j.first + 16 * warp, group = j.first + warp / 4 * GROUP_ROWS;
    const int sharing = q->heads / k->heads, last = (j.h + 1) * sharing, queries = q->rows;
    const float scale = w.number[NUMBER_SCALE];
    const sight by = sight_of(w);
    bits16 *const room = first_panel(raw);
    float *const numbers = (float *)(room + FIRST + STAGES * S::PAIR);
    if (j.first >= k->rows) return;
    /* the tiles of queries that somebody of these keys sees, of each head that shares them */
    const int first = by.is_causal ? j.first / N * N : 0, window_end = j.first + ROWS - 1 + by.window,
              end = by.is_causal && by.window && j.first >= by.sinks && window_end < queries ? window_end : queries;
    int h = first < end ? j.h * sharing : last, r = first;
    query_source<S> from(w, j, j.h * sharing);
    source<D, ROWS, TOGETHER, S::IS_PLAIN>(k, j.h).fetch(room, 0, j.first);
    source<D, ROWS, TOGETHER, S::IS_PLAIN>(block_of(w.in[V], j.e), j.h).fetch(room, ROWS * D, j.first);
    if (h < last) from.fetch(room, FIRST, numbers, r);
    end_group();
    arrive();
    in_panels<D, ROWS> left_k, left_v;
    left_k.load(room, warp), left_v.load(room + ROWS * D, warp);
    const spot start = spot_of(room);
    sums_tile dk[D / 8] = {}, dv[D / 8] = {}, s[N / 8], d[N / 8];
    left_tile powers[N / 16], slopes[N / 16];
    while (h < last)
        UNROLLED
        for (int stage = 0; stage < STAGES && h < last; stage++) { /* a constant: places in shared memory are, too */
            const bool is_last_of_head = r + N >= end;
            const int next_h = h + is_last_of_head, next_r = is_last_of_head ? first : r + N, then = (stage + 1) % STAGES;
            const spot at_queries = afresh(start) + (FIRST + stage * S::PAIR), at_dy = at_queries + S::TILE;
            const float *own = numbers + stage * 2 * N;
            const auto ahead = [&] {
                if (next_h < last) {
                    from.turn_to(next_h);
                    from.fetch(room, FIRST + then * S::PAIR, numbers + then * 2 * N, next_r);
                }
                end_group();
            };
            if (any_sees(by, r, N, group, GROUP_ROWS)) {
                begin_products();
                score<D, N>(s, left_k, at_queries);
                end_products();
                score<D, N>(d, left_v, at_dy);
                end_products();
                ahead();
                wait_for_products_but<1>();
                powers_of_keys<N>(s, own, by, mine, r, scale * LOG2E);
                round_all<N>(powers, s);
                begin_products();
                sum_up<D, N>(dv, powers, at_dy);
                end_products();
                wait_for_products_but<1>();
                slopes_of_keys<N>(d, s, own + N);
                round_all<N>(slopes, d);
                begin_products();
                sum_up<D, N>(dk, slopes, at_queries);
                end_products();
            } else {
                ahead();
                wait_for_products_but<0>();
            }
            h = next_h, r = next_r;
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
    enum { D = S::D, N = S::N, ROWS = S::ROWS, TOGETHER = S::TOGETHER, FIRST = 2 * ROWS * D };
    const job j = job_of(w.most_in[Q].heads, w.most_in[Q].rows, ROWS);
    const lh_gpu_block *const q = block_of(w.in[Q], j.e), *const k = block_of(w.in[K], j.e);
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, mine = j.first + 16 * warp,
              group = j.first + warp / 4 * GROUP_ROWS, of = j.h / (q->heads / k->heads), queries = q->rows, n_keys = k->rows;
    const float scale = w.number[NUMBER_SCALE];
    const sight by = sight_of(w);
    const span seen = span_of(by, mine, n_keys);
    const source<D, N, TOGETHER, S::IS_PLAIN> from_keys(k, of), from_values(block_of(w.in[V], j.e), of);
    bits16 *const room = first_panel(raw);
    if (j.first >= queries) return;
    int at_key = next_tile(by, j.first, ROWS, 0, n_keys, N), next = next_tile(by, j.first, ROWS, at_key + N, n_keys, N);
    source<D, ROWS, TOGETHER, S::IS_PLAIN>(q, j.h).fetch(room, 0, j.first);
    source<D, ROWS, TOGETHER, S::IS_PLAIN>(block_of(w.in[DY], j.e), j.h).fetch(room, ROWS * D, j.first);
    const auto ahead = [&](int stage, int key) {
        if (key < n_keys) from_keys.fetch(room, FIRST + stage * S::PAIR, key), from_values.fetch(room, FIRST + stage * S::PAIR + S::TILE, key);
        end_group();
    };
    ahead(0, at_key);
    float kept[2], along[2];
    UNROLLED
    for (int i = 0; i < 2; i++) {
        const int r = mine + lane / 4 + 8 * i;
        kept[i] = r < queries ? w.kept[query_number(w, j.e, j.h, r)] : INFINITY;
        along[i] = r < queries ? w.scratch[query_number(w, j.e, j.h, r)] : 0.0f;
    }
    arrive();
    in_panels<D, ROWS> left_q, left_dy;
    left_q.load(room, warp), left_dy.load(room + ROWS * D, warp);
    const spot start = spot_of(room);
    sums_tile dq[D / 8] = {}, s[N / 8], d[N / 8];
    left_tile slopes[N / 16];
    begin_products();
    score<D, N>(s, left_q, start + FIRST);
    score<D, N>(d, left_dy, start + (FIRST + S::TILE));
    end_products();
    ahead(1, next);
    wait_for_products_but<0>();
    powers_of_queries<N>(s, kept, scale * LOG2E);
    if (!is_open(seen, at_key, N)) hide<N>(s, seen, at_key, 0);
    slopes_of_queries<N>(d, s, along);
    round_all<N>(slopes, d);
    for (bool has_slopes = true, is_over = false; !is_over;)
        UNROLLED
        for (int stage = 0; stage < STAGES && !is_over; stage++) { /* of the keys before, and of the next; a constant, as above */
            arrive();
            const int after = next_tile(by, j.first, ROWS, next + N, n_keys, N), then = (stage + 1) % STAGES, third = (stage + 2) % STAGES;
            const spot here = afresh(start) + FIRST, before = here + stage * S::PAIR, at_keys = here + then * S::PAIR;
            if (next < n_keys && (!by.is_causal || next < group + GROUP_ROWS)) {
                begin_products();
                score<D, N>(s, left_q, at_keys);
                end_products();
                score<D, N>(d, left_dy, at_keys + S::TILE);
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
            is_over = next >= n_keys, next = after;
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

template <bool IS_PLAIN> static void launch_there(const lh_gpu_work *w, void *stream) {
    if (w->most_in[Q].cols <= 64)
        start_there<shape<64, PAIR_OF_GROUPS, 64, 2, IS_PLAIN>>(w, stream);
    else
        start_there<shape<128, PAIR_OF_GROUPS, 64, 1, IS_PLAIN>>(w, stream);
}

template <bool IS_PLAIN> static void launch_back(const lh_gpu_work *w, int examples, void *stream) {
    if (w->most_in[Q].cols <= 64)
        start_back<shape<64, 1, 64, 2, IS_PLAIN>, shape<64, 1, 64, 3, IS_PLAIN>>(w, examples, stream);
    else
        start_back<shape<128, PAIR_OF_GROUPS, 32, 1, IS_PLAIN>, shape<128, PAIR_OF_GROUPS, 64, 1, IS_PLAIN>>(w, examples, stream);
}

void launch_wide(const lh_gpu_work *w, void *stream) {
    const unsigned all = 1 << Q | 1 << K | 1 << V;
    if (w->is_wide && (w->shorts & all) == all)
        launch_there<true>(w, stream);
    else
        launch_there<false>(w, stream);
}

void launch_wide_back(const lh_gpu_work *w, int examples, void *stream) {
    const unsigned all = 1 << Q | 1 << K | 1 << V | 1 << DY;
    if (w->is_wide && (w->shorts & all) == all)
        launch_back<true>(w, examples, stream);
    else
        launch_back<false>(w, examples, stream);
}
