/* attention_tiles -- what the two implementations of attention share: which keys a query sees, the running softmax of a tile of scores, where results go.
 *
 * attention.cu has tiles of 16 x 8, attention_wide.cu those of four warps together. In both, a lane has two rows of each tile that its warp sums up.
 */
#ifndef LH_EVAL_CUDA_ATTENTION_TILES_H
#define LH_EVAL_CUDA_ATTENTION_TILES_H

#include "eval/cuda/device/tensor.h"

enum { Q, K, V, MASK, BIAS, DY, Y };
enum { NUMBER_SCALE, NUMBER_WINDOW, NUMBER_SINKS };

static const float LOG2E = 1.44269504088896340736f;

/* Which keys a query sees. */
struct sight {
    bool is_causal;
    int window, sinks; /* window 0: none */
};

__device__ static sight sight_of(const lh_gpu_work &w) {
    return {w.form != 0, (int)w.number[NUMBER_WINDOW], (int)w.number[NUMBER_SINKS]};
}

/* Queries q .. q + n and keys k .. k + m: does any query see any key; does every query see every key? */
__device__ static bool any_sees(const sight &s, int q, int n, int k, int m) {
    return !s.is_causal || (k < q + n && (!s.window || k + m > q - s.window + 1 || k < s.sinks));
}

__device__ static bool each_sees(const sight &s, int q, int n, int k, int m) {
    return !s.is_causal ||
           (k + m - 1 <= q && (!s.window || k > q + n - 1 - s.window || k + m <= s.sinks));
}

/* Can two neighbours be written as one word, starting at an even column? */
__device__ static bool is_in_pairs(const lh_gpu_block &b) {
    return b.is_short && b.cs == 1 && b.cols % 2 == 0 && (size_t)b.p % 4 == 0 &&
           (b.hs | b.rs) % 2 == 0;
}

/* Sums of a warp's 16 rows, row `first` on, times a number for each of a lane's two rows. */
template <int D>
__device__ static void write_sums(const lh_gpu_block to, int h, int first, const sums_tile *sums,
                                  const float by[2]) {
    const int lane = (int)(threadIdx.x % WARP);
    const bool in_pairs = is_in_pairs(to);
    UNROLLED
    for (int i = 0; i < 2; i++) {
        const int r = first + lane / 4 + 8 * i;
        bits16 *row = (bits16 *)to.p + h * to.hs + r * to.rs;
        UNROLLED
        for (int n = 0; n < D / 8; n++) {
            const int c = 8 * n + 2 * (lane % 4);
            const float x = sums[n].x[2 * i] * by[i], y = sums[n].x[2 * i + 1] * by[i];
            if (r >= to.rows || c >= to.cols) continue;
            if (in_pairs) {
                emulate_touch(row + c, 4);
                *(unsigned *)(row + c) = two_shorts(x, y);
                continue;
            }
            at(&to, h, r, c) = x;
            if (c + 1 < to.cols) at(&to, h, r, c + 1) = y;
        }
    }
}

/* kept and scratch: a number for each query, [example][head][row] of the longest */
__device__ static size_t query_number(const lh_gpu_work &w, int e, int h, int r) {
    return ((size_t)e * w.most_in[Q].heads + h) * w.most_in[Q].rows + r;
}

/* What a thread block works on: the last rows first, because they see the most keys. */
struct job {
    int e, h, first;
};

__device__ static job job_of(int heads, int most_rows, int rows) {
    const int pieces = (most_rows + rows - 1) / rows, i = (int)blockIdx.x;
    return {(int)blockIdx.y, i % heads, (pieces - 1 - i / heads) * rows};
}

/* The maximum so far and the sum of exponentials, of a lane's two rows. */
struct running {
    float most[2], sum[2];
};

/* Scores to exponentials, in place; returns the factors by which the sums so far are rescaled. */
template <int TILE>
__device__ static void soften(running &m, sums_tile *s, float scale, float shrunk[2]) {
    UNROLLED
    for (int i = 0; i < 2; i++) {
        float most = m.most[i];
        UNROLLED
        for (int n = 0; n < TILE / 8; n++)
            most = fmaxf(most, fmaxf(s[n].x[2 * i], s[n].x[2 * i + 1]));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2));
        const float from = most == -INFINITY ? 0.0f : most * scale;
        float sum = 0;
        shrunk[i] = power_of_two(m.most[i] * scale - from);
        UNROLLED
        for (int n = 0; n < TILE / 8; n++) UNROLLED
        for (int k = 2 * i; k < 2 * i + 2; k++)
            s[n].x[k] = power_of_two(s[n].x[k] * scale - from), sum += s[n].x[k];
        m.sum[i] = m.sum[i] * shrunk[i] + sum, m.most[i] = most;
    }
}

template <int D> __device__ static void shrink(sums_tile *y, const float by[2]) {
    UNROLLED
    for (int n = 0; n < D / 8; n++) UNROLLED
    for (int i = 0; i < 4; i++) y[n].x[i] *= by[i / 2];
}

/* The factors for the sums of a lane's two rows at the end; and what a query leaves for the backward pass. */
__device__ static void end_rows(const lh_gpu_work &w, running &m, const job &j, int first, int rows,
                                float scale, float by[2]) {
    const int lane = (int)(threadIdx.x % WARP);
    UNROLLED
    for (int i = 0; i < 2; i++) {
        m.sum[i] += __shfl_xor_sync(0xffffffffu, m.sum[i], 1);
        m.sum[i] += __shfl_xor_sync(0xffffffffu, m.sum[i], 2);
        by[i] = 1.0f / m.sum[i];
        const int r = first + lane / 4 + 8 * i;
        if (w.kept && lane % 4 == 0 && r < rows)
            w.kept[query_number(w, j.e, j.h, r)] = m.most[i] * scale + log2f(m.sum[i]);
    }
}

/* Keys that a lane's two rows see: from `first` up to `end`, and the sinks; and those that all 16 rows of its warp see. Known before the first tile. */
struct span {
    int first[2], end[2], sinks, all_first, all_end;
};

__device__ static span span_of(const sight &by, int query, int keys) {
    const int q = query + (int)(threadIdx.x % WARP) / 4;
    span x = {{0, 0}, {keys, keys}, by.is_causal ? by.sinks : 0, 0, keys};
    if (!by.is_causal) return x;
    for (int i = 0; i < 2; i++)
        x.first[i] = by.window ? q + 8 * i - by.window + 1 : 0, x.end[i] = min(keys, q + 8 * i + 1);
    x.all_first = by.window ? query + 15 - by.window + 1 : 0, x.all_end = min(keys, query + 1);
    return x;
}

__device__ static bool is_open(const span &x, int key, int n) {
    return key + n <= x.all_end && (key >= x.all_first || key + n <= x.sinks);
}

/* Without branches: products may be under way. */
template <int TILE> __device__ static void hide(sums_tile *s, const span &x, int key, float with) {
    const int lane = (int)(threadIdx.x % WARP);
    UNROLLED
    for (int n = 0; n < TILE / 8; n++) UNROLLED
    for (int i = 0; i < 4; i++) {
        const int c = key + 8 * n + 2 * (lane % 4) + i % 2;
        const bool is_seen = (c < x.end[i / 2]) & ((c >= x.first[i / 2]) | (c < x.sinks));
        s[n].x[i] = is_seen ? s[n].x[i] : with;
    }
}

/* The next tile from k on that some query sees. */
__device__ static int next_tile(const sight &by, int q, int n, int k, int keys, int tile) {
    if (!by.window) return by.is_causal && k >= q + n ? keys : k;
    while (k < keys && !any_sees(by, q, n, k, tile)) k += tile;
    return k;
}

static dim3 pieces_of(lh_gpu_sizes s, int rows, int examples) {
    return dim3((unsigned)((s.rows + rows - 1) / rows * s.heads), (unsigned)examples);
}

void launch_along(const lh_gpu_work *w, int examples, void *stream); /* scratch: rowsum(dy * y) */
/* Of a GPU that has wgmma; head sizes from 33 on (attention_wide.cu). */
bool can_be_wide(int cols);
void launch_wide(const lh_gpu_work *w, void *stream);
void launch_wide_back(const lh_gpu_work *w, int examples, void *stream);

#endif
