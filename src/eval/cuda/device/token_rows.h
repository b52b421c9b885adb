/* token_rows -- the row that a step reads: some warps of a block do nothing but wait for its words, and put it into shared memory as it is multiplied (token.cu).
 *
 *     words of the last step -> a norm, or parts of attention combined -> k.x, and ROW_THERE
 *
 * The other warps load weights in the meantime. A number is seen one round trip to the L2 cache after it was asked for, so it is asked for when it is likely to be there: when this
 * block has told its own part of the step before (ROW_WANTED). What is not there then is waited for by one word of a warp: if all looked at all that they
 * need, again and again, those who write would have to wait.
 */
#ifndef LH_EVAL_CUDA_TOKEN_ROWS_H
#define LH_EVAL_CUDA_TOKEN_ROWS_H

#include "eval/cuda/device/token_walk.h"

/* A row in shared memory: the first four of each eight numbers, and much later the second four, so that lanes that read eight each have no bank conflicts. */
__device__ static float4 *fours_at(float *x, int inner, int i) {
    return (float4 *)(x + (i & 4 ? inner / 2 : 0) + i / 8 * 4);
}

__device__ static numbers<8> eight_at(float *x, int inner, int i) {
    const float4 a = *fours_at(x, inner, i), b = *fours_at(x, inner, i + 4);
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

__device__ static void put_eight(float *x, int inner, int i, const numbers<8> &v) {
    *fours_at(x, inner, i) = {v.x[0], v.x[1], v.x[2], v.x[3]};
    *fours_at(x, inner, i + 4) = {v.x[4], v.x[5], v.x[6], v.x[7]};
}

__device__ static uint4 to_shorts(const numbers<8> &v) {
    return {two_shorts(v.x[0], v.x[1]), two_shorts(v.x[2], v.x[3]), two_shorts(v.x[4], v.x[5]),
            two_shorts(v.x[6], v.x[7])};
}

__device__ static int row_thread() {
    return (int)threadIdx.x - EIGHTS;
}

/* A row that one team of warps multiplies as it is: each lane looks for its own numbers. */
__device__ static bool takes_its_own(const lh_gpu_step &step, const duty &own) {
    return own.teams == 1 && !is_norm(step.as.multiplies) && step.x.parts_of < 0;
}

/* ---- rows that products and attention left, normed ---- */

/* Four numbers of a row, of which a thread has F: its lane's in the first 128 of its warp, and then as many rows of threads later. */
struct four {
    float x[4];
};

__device__ static int of_fours(int f) {
    return 4 * (row_thread() + f * ROWS);
}

/* What a norm needs besides the row: how many numbers this warp has, and the step's own. */
struct norming {
    float n, one_of_n, each, epsilon;
    bool is_layernorm;
};

template <int F> __device__ static norming norming_of(const lh_gpu_multiplies &m, const duty &own) {
    float n = 0;
    for (int f = 0; f < F; f++) {
        /* from the first of this warp on */
        const int left = m.inner - of_fours(f) + 4 * (int)(threadIdx.x % WARP);
        n += (float)(left < 0 ? 0 : left < 4 * WARP ? left : 4 * WARP);
    }
    return {n, n > 0 ? 1.0f / n : 0.0f, own.each, own.epsilon, m.before == LH_GPU_BY_LAYERNORM};
}

/* Squares of differences to a warp's own mean, added up to those of the whole row: numbers far from 0 lose no digits. Warps are added up in their order. */
template <int F>
__device__ static void norm_row(walker &k, const norming &by_row, int inner, four v[F]) {
    float sum = 0, squared = 0, mean = 0, by = 0;
    for (int f = 0; f < F; f++) sum += v[f].x[0] + v[f].x[1] + (v[f].x[2] + v[f].x[3]);
    sum = by_row.is_layernorm ? warp_sum(sum) : 0.0f;
    const float middle = sum * by_row.one_of_n;
    for (int f = 0; f < F; f++) {
        const float among = of_fours(f) < inner ? 1.0f : 0.0f;
        for (int c = 0; c < 4; c++) squared += among * (v[f].x[c] - middle) * (v[f].x[c] - middle);
    }
    squared = warp_sum(squared);
    if (threadIdx.x % WARP == 0) k.room[row_thread() / WARP] = {by_row.n, sum, middle, squared};
    meet(AMONG_ROWS, ROWS);
    for (int i = 0; i < ROW_WARPS; i++) mean += k.room[i].y;
    mean *= by_row.each;
    for (int i = 0; i < ROW_WARPS; i++) {
        const float4 r = k.room[i];
        by += r.w + (by_row.is_layernorm ? r.x * (r.z - mean) * (r.z - mean) : 0.0f);
    }
    by = rsqrtf(by * by_row.each + by_row.epsilon);
    for (int f = 0; f < F; f++)
        for (int c = 0; c < 4; c++) v[f].x[c] = (v[f].x[c] - mean) * by;
}

__device__ static four four_of(const float *p, int i, int n) {
    four v = {};
    if (!p || i >= n) return v;
    emulate_touch(p + i, sizeof(float4));
    const float4 x = *(const float4 *)(p + i);
    v = {{x.x, x.y, x.z, x.w}};
    return v;
}

/* Gains and moves do not depend on the token: where registers suffice, they are on their way while words are waited for. */
template <int F>
__device__ static void whole_row(walker &k, const lh_gpu_step &step, const duty &own) {
    const lh_gpu_multiplies &m = step.as.multiplies;
    const unsigned *words = k.words + step.x.word;
    const bool is_early = F <= FEW_FOURS, has_norm = is_norm(m);
    const int inner = m.inner;
    const norming by_row = norming_of<F>(m, own);
    four v[F], gain[is_early ? F : 1], move[is_early ? F : 1];
    uint4 asked[F];
    for (int f = 0; f < (is_early ? F : 0); f++) {
        gain[f] = four_of(has_norm ? m.gain : nullptr, of_fours(f), inner);
        move[f] = four_of(has_norm ? m.move : nullptr, of_fours(f), inner);
    }
    meet(ROW_WANTED, EIGHTS + ROWS);
    for (int f = 0; f < F; f++) {
        asked[f] = no_four();
        if (of_fours(f) < inner) asked[f] = look_at_four(words + of_fours(f));
    }
    for (int times = 0, is_missing = true; is_missing; times++) {
        const unsigned *missing = nullptr;
        for (int f = 0; f < F; f++)
            if (!are_there(asked[f])) missing = words + of_fours(f) + missing_in(asked[f]);
        is_missing = is_missed(missing, missing, times);
        for (int f = 0; f < F; f++)
            if (!are_there(asked[f])) asked[f] = look_at_four(words + of_fours(f));
    }
    for (int f = 0; f < F; f++)
        v[f] = {{number_in(asked[f].x), number_in(asked[f].y), number_in(asked[f].z),
                 number_in(asked[f].w)}};
    if (has_norm) {
        norm_row<F>(k, by_row, inner, v);
        for (int f = 0; f < F; f++) {
            const four by = is_early ? gain[f % FEW_FOURS] : four_of(m.gain, of_fours(f), inner);
            const four more = is_early ? move[f % FEW_FOURS] : four_of(m.move, of_fours(f), inner);
            for (int c = 0; c < 4; c++) v[f].x[c] = v[f].x[c] * by.x[c] + more.x[c];
        }
    }
    for (int f = 0; f < F; f++)
        if (of_fours(f) < inner)
            *fours_at(k.x, inner, of_fours(f)) = {v[f].x[0], v[f].x[1], v[f].x[2], v[f].x[3]};
    arrive(ROW_THERE, EIGHTS + ROWS);
}

/* ---- what attention made ---- */

__device__ static int of_eights(int round) {
    return 8 * (row_thread() + round * ROWS);
}

/* Numbers i to i + 7 of parts. Words behind a part's numbers: its largest score, its sum; two are not used. */
__device__ static numbers<8> from_parts(const walker &k, const lh_gpu_step &m, int i) {
    const int cols = m.as.attends.v_cols, apart = cols + LH_GPU_PART_MORE, h = i / cols,
              at = i - h * cols;
    const bool is_short = m.y.is_short;
    const unsigned *from = k.words + m.word + h * k.s.parts * apart;
    eight_asked asked[MOST_PARTS];
    uint2 weight[MOST_PARTS];
    numbers<8> y = {};
    float most = -INFINITY, sum = 0;
    for (int p = 0; p < MOST_PARTS; p++) {
        weight[p] = {word_of(-INFINITY), word_of(0)}, asked[p] = no_eight();
        if (p < k.s.parts)
            weight[p] = look_at_two(from + p * apart + cols), asked[p] = ask(from + p * apart + at);
    }
    for (int p = 0; p < MOST_PARTS; p++) {
        while (!are_there(asked[p]))
            look_again(), asked[p] = ask(from + p * apart + at); /* seldom: weights are told last */
        most = fmaxf(most, number_in(weight[p].x));
    }
    for (int p = 0; p < MOST_PARTS; p++) {
        const numbers<8> part = numbers_in(asked[p]);
        const float by = exp2f(number_in(weight[p].x) - most);
        sum += by * number_in(weight[p].y);
        for (int c = 0; c < 8; c++) y.x[c] += by * part.x[c];
    }
    sum = __fdividef(1.0f, sum);
    for (int c = 0; c < 8; c++) y.x[c] *= sum;
    return is_short ? eight_shorts(to_shorts(y)) : y;
}

/* Until all parts of the heads that this warp has numbers of are there, or nearly: a lane looks at the two words behind the numbers of one. */
__device__ static void wait_for_parts(const walker &k, const lh_gpu_step &m, int from, int to) {
    const int cols = m.as.attends.v_cols, first = from / cols * k.s.parts,
              n = ((to - 1) / cols + 1) * k.s.parts;
    UNROLLED_BY(1)
    for (int i = first + (int)threadIdx.x % WARP; i < n; i += WARP) {
        const unsigned *at = k.words + m.word + i * (cols + LH_GPU_PART_MORE) + cols;
        for (uint2 v = look_at_two(at); !v.x || !v.y; v = look_at_two(at)) look_again();
    }
    __syncwarp();
}

__device__ static void combined_row(walker &k, const lh_gpu_step &step) {
    const int inner = step.as.multiplies.inner;
    const lh_gpu_step &made = k.step[step.x.parts_of];
    meet(ROW_WANTED, EIGHTS + ROWS);
    UNROLLED_BY(1)
    for (int r = 0; r < ROUNDS; r++) {
        const int i = of_eights(r), from = i - 8 * (int)(threadIdx.x % WARP),
                  to = from + OF_WARP < inner ? from + OF_WARP : inner;
        if (from >= inner) break;
        wait_for_parts(k, made, from, to);
        const numbers<8> v = from_parts(k, made, i < inner ? i : from);
        if (i < inner) put_eight(k.x, inner, i, v);
    }
    arrive(ROW_THERE, EIGHTS + ROWS);
}

/* ---- what attention reads: the query of a head, and behind it the new key and value, which are kept as well ---- */

__device__ static int cells_of_head(const lh_gpu_attends &a) {
    return 2 * a.k_cols + a.v_cols;
}

/* Number i of those. */
__device__ static const unsigned *word_of_head(const walker &k, const lh_gpu_step &step, int h,
                                               int i) {
    const lh_gpu_attends &a = step.as.attends;
    const int of = h / a.each;
    if (i < a.k_cols) return k.words + step.x.word + h * a.k_cols + i;
    if (i < 2 * a.k_cols) return k.words + step.other.word + of * a.k_cols + i - a.k_cols;
    return k.words + step.add.word + of * a.v_cols + i - 2 * a.k_cols;
}

__device__ static void query_row(walker &k, const lh_gpu_step &step, int h, bool has_fresh) {
    const lh_gpu_attends &a = step.as.attends;
    const int all = cells_of_head(a), n = has_fresh ? all : a.k_cols;
    char *kept = kept_row(a, h, k.t.past);
    meet(ROW_WANTED, EIGHTS + ROWS);
    UNROLLED_BY(1)
    for (int i = of_eights(0), lane = (int)threadIdx.x % WARP; i - 8 * lane < n; i += 8 * ROWS) {
        const bool is_asked = i < n;
        const unsigned *from = word_of_head(k, step, h, is_asked ? i : 0);
        const numbers<8> v = answer(is_asked ? ask(from) : no_eight(), from, is_asked);
        if (is_asked) put_eight(k.x, all, i, v);
    }
    arrive(ROW_THERE, EIGHTS + ROWS);
    /* what this thread itself put there: it is not replaced before this thread comes back */
    UNROLLED_BY(1)
    for (int i = of_eights(0); i < n; i += 8 * ROWS) {
        if (i < a.k_cols || h % a.each) continue;
        emulate_touch(kept + 2 * (i - a.k_cols), sizeof(uint4));
        *(uint4 *)(kept + 2 * (i - a.k_cols)) = to_shorts(eight_at(k.x, all, i));
    }
}

/* ---- all of them ---- */

__device__ static void bring_rows(walker &k) {
    UNROLLED_BY(1)
    for (int i = 0; i < k.t.n_steps; i++) {
        const lh_gpu_step &m = k.step[i];
        const duty &own = k.own[i];
        if (own.from < own.to && !takes_its_own(m, own)) {
            if (m.x.parts_of >= 0)
                combined_row(k, m);
            else if (m.as.multiplies.inner <= 4 * FEW_FOURS * ROWS)
                whole_row<FEW_FOURS>(k, m, own);
            else
                whole_row<FOURS>(k, m, own);
        }
        UNROLLED_BY(1)
        for (int item = (int)blockIdx.x;
             m.kind == LH_GPU_ATTENDS && item < m.as.attends.heads * k.s.parts;
             item += (int)gridDim.x) {
            query_row(k, m, item / k.s.parts, item % k.s.parts == k.s.parts - 1);
        }
    }
}

#endif
