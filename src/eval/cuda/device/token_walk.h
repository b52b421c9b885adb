/* token_walk -- what a thread block knows while it computes its share of a token (token.cu), and how it fetches portions of memory: into slots in shared memory, filled
 * by one thread of a warp that does nothing else, in the order of use, as far ahead as there are slots.
 */
#ifndef LH_EVAL_CUDA_TOKEN_WALK_H
#define LH_EVAL_CUDA_TOKEN_WALK_H

#include "eval/cuda/device/token_words.h"

#ifdef LH_EMULATED
enum { WARPS = 2, ROW_WARPS = 1, SLOT = 4 << 10, MOST_SLOTS = 3, MOST_KEYS = 3 };
#else
enum { WARPS = 12, ROW_WARPS = 3, SLOT = 44 << 10, MOST_SLOTS = 8, MOST_KEYS = 176 };
#endif
enum {
    EIGHTS = WARPS * WARP,   /* threads that compute; each has eight numbers of a row */
    ROWS = ROW_WARPS * WARP, /* threads that wait for rows */
    OF_WARP = 8 * WARP,
    MOST_INNER = 8 * EIGHTS,
    ROUNDS = MOST_INNER / (8 * ROWS), /* in which they take one, eight numbers at a time ... */
    FOURS = MOST_INNER / (4 * ROWS),  /* ... or four */
    FEW_FOURS = 2,
    BIAS_ROOM = 1 << 10,
    BARRIERS = 2 * MOST_SLOTS * 8, /* bytes: whether a slot is filled, whether it is free */
    MOST_PARTS = LH_GPU_ATTENTION_PARTS,
    TOGETHER = 6,  /* columns of W that a lane has eight numbers of */
    ROUNDED = 8,   /* ... and room for their sums */
    LOOKED_AT = 2, /* keys, likewise */
    /* of a lane, when a warp goes through all */
    SCORES = (LOOKED_AT * EIGHTS / 8 + WARP - 1) / WARP
};

/* Barriers of a block's threads: those that compute; all of those and those that wait for rows, where a row is wanted, and where it is there; those that wait for rows. */
enum { AMONG_EIGHTS = 1, ROW_WANTED, ROW_THERE, AMONG_ROWS };

/* What the launcher decides: numbers of a row, of attention's scores and sums; lanes that share
 * a key; keys of a slot; attention of a head is made in `parts` of so many slots. */
struct shape {
    int x_cells, attention_cells, slots, lanes, keys, parts, pieces;
};

/* ---- the state of a block, and of its portions ---- */

struct span {
    int from, to;
};

/* A block's part of a product: its columns, how many of them are in a slot, behind a window of the bias; so many warps have a column, and so many teams of warps
 * there are; how to divide by both. */
struct duty {
    int from, to, some, warps, teams, by_warps, by_teams, columns_at;
    float epsilon, each; /* each: 1 / inner */
};

struct walker {
    const lh_gpu_token &t;
    const shape &s;
    unsigned *words;
    const lh_gpu_step *step; /* in shared memory, as all that follows */
    const duty *own;
    float4 *room;                /* numbers of each warp that waits for rows */
    float *sums, *x, *attention; /* sums of each warp, twice; the row; scores, and sums of values */
    char *slots;
    unsigned long long *there, *free; /* of each slot */
    int slot, turn;                   /* the next to be used; which sums are */
    unsigned phase;
};

/* A block's share of so many columns. */
__device__ static span share_of(int cols) {
    const int each = (cols + (int)gridDim.x - 1) / (int)gridDim.x, from = each * (int)blockIdx.x;
    return {from < cols ? from : cols, from + each < cols ? from + each : cols};
}

__device__ static bool is_norm(const lh_gpu_multiplies &m) {
    return m.before == LH_GPU_BY_LAYERNORM || m.before == LH_GPU_BY_RMSNORM;
}

__device__ static duty duty_of(const lh_gpu_step &step) {
    const lh_gpu_multiplies &m = step.as.multiplies;
    if (step.kind != LH_GPU_MULTIPLIES) return {};
    const span mine = share_of(step.cols);
    const int warps = (m.inner + OF_WARP - 1) / OF_WARP, teams = WARPS / warps,
              columns_at = m.bias.p ? BIAS_ROOM : 0, room = (SLOT - columns_at) / (2 * m.inner);
    return {mine.from,
            mine.to,
            room < TOGETHER * teams ? room : TOGETHER * teams,
            warps,
            teams,
            (1 << 16) / warps + 1,
            (1 << 16) / teams + 1,
            columns_at,
            is_norm(m) ? *m.epsilon : 0.0f,
            1.0f / (float)m.inner};
}

/* Bytes of the bias that lie before the window's first column. */
__device__ static int bias_lead(const lh_gpu_multiplies &m, int from) {
    return from * (m.bias.is_short ? 2 : 4) % 16;
}

/* What the thread that fetches knows: the next slot. */
struct fetcher {
    const walker &k;
    int slot;
    unsigned phase;
};

/* Waits for the next slot until it is no longer read. */
__device__ static char *claim_slot(fetcher &f, unsigned long long **there) {
    const int slot = f.slot;
    wait_until_there(&f.k.free[slot], f.phase);
    if (++f.slot == f.k.s.slots) f.slot = 0, f.phase ^= 1;
    *there = &f.k.there[slot];
    return f.k.slots + (long long)slot * SLOT;
}

__device__ static void fetch_columns(fetcher &f, const lh_gpu_multiplies &m, const duty &own,
                                     int from) {
    const int n = own.to - from < own.some ? own.to - from : own.some, columns = 2 * n * m.inner;
    const int size = m.bias.is_short ? 2 : 4, lead = bias_lead(m, from),
              bias = m.bias.p ? (lead + n * size + 15) / 16 * 16 : 0;
    unsigned long long *there;
    char *to = claim_slot(f, &there);
    expect(there, columns + bias);
    if (bias) bring(to, (const char *)m.bias.p + from * size - lead, bias, there);
    bring(to + own.columns_at, (const char *)m.w + 2ll * from * m.inner, columns, there);
}

/* Kept keys of a piece of a part. */
__device__ static span keys_of(int first, int keys, int past) {
    const int from = first * keys, to = from + keys < past ? from + keys : past;
    return {from, to > from ? to : from};
}

__device__ static char *kept_row(const lh_gpu_attends &a, int head, int key) {
    const long long row = (long long)(head / a.each) * a.kept_rows + key;
    return (char *)a.kept + 2 * row * (a.k_cols + a.v_cols);
}

__device__ static void fetch_keys(fetcher &f, const lh_gpu_attends &a, int item) {
    const shape &s = f.k.s;
    UNROLLED_BY(1)
    for (int piece = 0; piece < s.pieces; piece++) {
        const span keys = keys_of(item % s.parts * s.pieces + piece, s.keys, f.k.t.past);
        const int bytes = 2 * (keys.to - keys.from) * (a.k_cols + a.v_cols);
        unsigned long long *there;
        if (!bytes) continue;
        char *to = claim_slot(f, &there);
        expect(there, bytes);
        bring(to, kept_row(a, item / s.parts, keys.from), bytes, there);
    }
}

/* Run by one thread of a warp that does nothing else: fetches all portions, in the order of use. */
__device__ static void fetch_all(const walker &k) {
    fetcher f = {k, 0, 1};
    UNROLLED_BY(1)
    for (int i = 0; i < k.t.n_steps; i++) {
        const lh_gpu_step &m = k.step[i];
        const duty &own = k.own[i];
        UNROLLED_BY(1)
        for (int from = own.from; from < own.to; from += own.some)
            fetch_columns(f, m.as.multiplies, own, from);
        UNROLLED_BY(1)
        for (int item = (int)blockIdx.x;
             m.kind == LH_GPU_ATTENDS && item < m.as.attends.heads * k.s.parts;
             item += (int)gridDim.x)
            fetch_keys(f, m.as.attends, item);
    }
}

__device__ static const char *wait_for_slot(const walker &k) {
    wait_until_there(&k.there[k.slot], k.phase);
    return k.slots + (long long)k.slot * SLOT;
}

/* After a barrier behind which the slot is no longer read. */
__device__ static void leave_slot(walker &k) {
    if (threadIdx.x == (WARPS - 1) * WARP) give_free(&k.free[k.slot]);
    if (++k.slot == k.s.slots) k.slot = 0, k.phase ^= 1;
}

#endif
