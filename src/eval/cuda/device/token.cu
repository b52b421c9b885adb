/* token -- generating a whole token in one launch, which walks through a list of steps.
 *
 *     block 0    x @ W[0..17] |  head 0, keys 0..127   |  x @ W[0..5]  | ...        a thread block for each multiprocessor; all run at once
 *     block 1    x @ W[18..35]|  head 0, keys 128..255 |  x @ W[6..11] | ...
 *
 * There is no barrier between steps. A number that others wait for is written as one word, its bits inverted, into memory that was 0: whoever needs it
 * polls until it is there, so a step costs one round trip to the L2 cache. There are two sets of such words, and a launch clears the set of the next one.
 *
 * Weights, gains, biases, and the keys and values of earlier rows do not depend on the token. A block fetches its portions of them into shared memory through a ring of slots,
 * in the order of the steps, as far ahead as there are slots: while a block waits for a row, its weights are being read (token_walk.h). Before the row is there, each
 * lane takes its pieces of W out of the slot. Sums are always computed in the same order: a lane's eight numbers, lanes, warps, parts of attention.
 *
 * All code of a step has to stay in the instruction cache, and no register may be spilled: local memory would be read from the L2 cache.
 */
#include "eval/cuda/device/token_walk.h"

/* ---- rows ---- */

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

__device__ static float rounded(float x, bool is_short) {
    return is_short ? from_short(to_short(x)) : x;
}

/* Numbers i to i + 7 of what attention made; lane p of four has part p. Words behind a part's numbers: its largest score, its sum; two are not used. */
__device__ static numbers<8> from_parts(const walker &k, const lh_gpu_step &m, int i, bool is_asked) {
    const unsigned cols = (unsigned)m.as.attends.v_cols, apart = cols + LH_GPU_PART_MORE, h = (unsigned)i / cols, p = threadIdx.x % MOST_PARTS;
    const unsigned *from = k.words + m.word + (h * (unsigned)k.s.parts + p) * apart;
    const bool is_short = m.y.is_short;
    numbers<8> y = {};
    uint2 weight = {word_of(-INFINITY), word_of(0)};
    if (is_asked && p < (unsigned)k.s.parts) {
        weight = look_at_two(from + cols);
        y = eight_words(from + (unsigned)i - h * cols);
        while (!weight.x || !weight.y) look_again(), weight = look_at_two(from + cols);
    }
    float most = number_in(weight.x);
    for (int d = 1; d < MOST_PARTS; d *= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    const float by = most > -INFINITY ? exp2f(number_in(weight.x) - most) : 0.0f;
    float sum = by > 0 ? by * number_in(weight.y) : 0.0f;
    for (int d = 1; d < MOST_PARTS; d *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    sum = __fdividef(1.0f, sum);
    for (int c = 0; c < 8; c++) {
        y.x[c] = by > 0 ? by * y.x[c] : 0.0f;
        for (int d = 1; d < MOST_PARTS; d *= 2) y.x[c] += __shfl_xor_sync(0xffffffffu, y.x[c], d);
        y.x[c] = rounded(y.x[c] * sum, is_short);
    }
    return y;
}

__device__ static numbers<8> eight_floats(const char *p) {
    const float4 a = ((const float4 *)p)[0], b = ((const float4 *)p)[1];
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

/* Sums of differences to a number of the row itself: numbers far from 0 lose no digits. Warps are added up in their order. */
__device__ static void norm_row(walker &k, const lh_gpu_multiplies &m, const duty &own, numbers<8> &v, const char *slot) {
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    const bool has_some = 8 * (int)threadIdx.x < m.inner, is_layernorm = m.before == LH_GPU_BY_LAYERNORM;
    if (warp < own.warps) {
        float sum = 0, squared = 0, around = __shfl_sync(0xffffffffu, v.x[0], 0);
        if (!is_layernorm) around = 0;
        for (int c = 0; has_some && c < 8; c++) sum += v.x[c] - around, squared += (v.x[c] - around) * (v.x[c] - around);
        for (int d = WARP / 2; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d), squared += __shfl_xor_sync(0xffffffffu, squared, d);
        if (lane == 0) k.room[warp] = {around, sum, squared, 0};
    }
    meet(EIGHTS);
    if (!has_some) return;
    float mean = 0, by = 0;
    UNROLLED_BY(1)
    for (int i = 0, n = m.inner; is_layernorm && i < own.warps; i++, n -= OF_WARP)
        mean += (float)(n < OF_WARP ? n : OF_WARP) * k.room[i].x + k.room[i].y;
    mean *= own.each;
    UNROLLED_BY(1)
    for (int i = 0, n = m.inner; i < own.warps; i++, n -= OF_WARP) {
        const float4 r = k.room[i];
        const float off = r.x - mean;
        by += r.z + off * (2 * r.y + (float)(n < OF_WARP ? n : OF_WARP) * off);
    }
    by = rsqrtf(by * own.each + own.epsilon);
    const numbers<8> gain = eight_floats(slot + 32 * threadIdx.x);
    for (int c = 0; c < 8; c++) v.x[c] = (v.x[c] - mean) * by * gain.x[c];
    if (!m.move) return;
    const numbers<8> move = eight_floats(slot + 4 * m.inner + 32 * threadIdx.x);
    for (int c = 0; c < 8; c++) v.x[c] += move.x[c];
}

/* The row as it is multiplied. */
__device__ static void prepare_row(walker &k, const lh_gpu_step &step, const duty &own, const char *slot) {
    const lh_gpu_multiplies &m = step.as.multiplies;
    const int i = 8 * (int)threadIdx.x;
    if (step.x.parts_of >= 0) {
        UNROLLED_BY(1)
        for (int c = (int)threadIdx.x / MOST_PARTS * 8, last = 0; last < m.inner; c += EIGHTS / MOST_PARTS * 8, last += EIGHTS / MOST_PARTS * 8) {
            const numbers<8> v = from_parts(k, k.step[step.x.parts_of], c, c < m.inner);
            if (c < m.inner && threadIdx.x % MOST_PARTS == 0) put_eight(k.x, m.inner, c, v);
        }
        meet(EIGHTS);
        return;
    }
    numbers<8> v = {};
    if (i < m.inner) v = eight_words(k.words + step.x.word + i);
    if (is_norm(m)) norm_row(k, m, own, v, slot);
    if (i < m.inner) put_eight(k.x, m.inner, i, v);
    meet(EIGHTS);
}

/* ---- products ---- */

__device__ static numbers<8> from_shorts(const uint4 &v) {
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
    numbers<8> n;
    for (int i = 0; i < 8; i++) n.x[i] = __uint_as_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16);
    return n;
}

__device__ static float product(const numbers<8> &x, const uint4 &w) {
    const numbers<8> y = from_shorts(w);
    float sum = 0;
    for (int c = 0; c < 8; c++) sum += x.x[c] * y.x[c];
    return sum;
}

/* Half of n numbers go to the lane d away, half stay. */
__device__ static void halve(float *s, int n, int d) {
    const bool is_high = threadIdx.x & (unsigned)d;
    for (int i = 0; i < n / 2; i++) {
        const float stays = is_high ? s[n / 2 + i] : s[i], goes = is_high ? s[i] : s[n / 2 + i];
        s[i] = stays + __shfl_xor_sync(0xffffffffu, goes, d);
    }
}

/* The sum of all lanes: of number lane / 4. */
__device__ static float sum_of_eight(float s[ROUNDED]) {
    halve(s, 8, 16), halve(s, 4, 8), halve(s, 2, 4);
    for (int d = 2; d; d /= 2) s[0] += __shfl_xor_sync(0xffffffffu, s[0], d);
    return s[0];
}

__device__ static float write_number(const walker &k, const lh_gpu_step &step, int col, float x) {
    x = rounded(x, step.y.is_short);
    if (step.word >= 0) tell(k.words + step.word + col, word_of(x));
    if (step.y.p) number_of(step.y, col) = x;
    return x;
}

/* As then() of growing.h, in fewer instructions. */
__device__ static float quickly_then(lh_gpu_behind behind, float x) {
    if (behind == LH_GPU_AS_IT_CAME) return x;
    const float by = behind == LH_GPU_THEN_GELU ? 2 * 0.79788456080286535588f * (x + 0.044715f * x * x * x) : x;
    return x * __fdividef(1.0f, 1.0f + __expf(-by));
}

/* Column c of a slot's n: team c % teams of warps has it, each lane eight numbers of it, which it takes before the row is there. */
__device__ static void multiply(walker &k, const lh_gpu_step &step, const duty &own, best &largest) {
    const lh_gpu_multiplies &m = step.as.multiplies;
    const int c = (int)threadIdx.x, warp = c / WARP, lane = c % WARP, team = warp * own.by_warps >> 16, at = 8 * (c - team * own.warps * WARP);
    const bool has_some = team < own.teams && at < m.inner;
    numbers<8> x = {};
    UNROLLED_BY(1)
    for (int from = own.from; from < own.to; from += own.some) {
        const int n = own.to - from < own.some ? own.to - from : own.some;
        const bool is_added = c < n && step.add.word >= 0;
        unsigned word = is_added ? look(k.words + step.add.word + from + c) : 0; /* on its way while others are waited for */
        float *sums = k.sums + (k.turn ^= 1) * WARPS * ROUNDED, sum[ROUNDED] = {};
        const char *slot = wait_for_slot(k);
        uint4 w[TOGETHER] = {};
        for (int u = 0; u < TOGETHER; u++)
            if (has_some && team + u * own.teams < n) w[u] = *(const uint4 *)(slot + own.columns_at + 2 * ((team + u * own.teams) * m.inner + at));
        const char *bias = slot + own.bias_at + bias_lead(m, from) + c * (m.bias.is_short ? 2 : 4);
        float y = c < n && m.bias.p ? (float)cell{(void *)bias, m.bias.is_short} : 0.0f;
        if (from == own.from) {
            prepare_row(k, step, own, slot);
            if (has_some) x = eight_at(k.x, m.inner, at);
        }
        for (int u = 0; u < TOGETHER; u++) sum[u] = product(x, w[u]);
        const float all = sum_of_eight(sum);
        if (lane % 4 == 0) sums[warp * ROUNDED + lane / 4] = all;
        meet(EIGHTS);
        leave_slot(k);
        if (c >= n) continue;
        const int of = c * own.by_teams >> 16; /* of those that its team has */
        const float *part = sums + (c - of * own.teams) * own.warps * ROUNDED + of;
        float all_warps = 0;
        for (int i = 0; i < MOST_WARPS; i++) all_warps += i < own.warps ? part[i * ROUNDED] : 0.0f;
        y = quickly_then(m.behind, all_warps + y);
        while (is_added && !word) look_again(), word = look(k.words + step.add.word + from + c);
        if (is_added) y += number_in(word);
        y = write_number(k, step, from + c, y);
        if (y == y) largest = better(largest, {y, from + c});
    }
}

/* ---- attention ---- */

__device__ static bool sees(const lh_gpu_attends &a, int query, int key) {
    return key <= query && (!a.window || key > query - a.window || key < a.sinks);
}

/* A piece of a key and of a value, eight numbers each. */
struct pair {
    uint4 key, value;
};

__device__ static uint4 to_shorts(const numbers<8> &v) {
    return {two_shorts(v.x[0], v.x[1]), two_shorts(v.x[2], v.x[3]), two_shorts(v.x[4], v.x[5]), two_shorts(v.x[6], v.x[7])};
}

/* The new row, which is kept as well. */
__device__ static pair fresh_pair(const walker &k, const lh_gpu_step &step, int h, int at) {
    const lh_gpu_attends &a = step.as.attends;
    const int each = a.each, of = h / each;
    char *kept = kept_row(a, h, k.t.past) + 2 * at;
    pair p = {};
    if (at < a.k_cols) p.key = to_shorts(eight_words(k.words + step.other.word + of * a.k_cols + at));
    if (at < a.v_cols) p.value = to_shorts(eight_words(k.words + step.add.word + of * a.v_cols + at));
    if (h % each) return p;
    emulate_touch(kept_row(a, h, k.t.past), 2 * (a.k_cols + a.v_cols));
    if (at < a.k_cols) *(uint4 *)kept = p.key;
    if (at < a.v_cols) *(uint4 *)(kept + 2 * a.k_cols) = p.value;
    return p;
}

/* What a block knows so far about a part; of y, each lane has the share of its keys. */
struct part {
    float most, sum;
    numbers<8> y;
};

/* n scores of a block are there: each warp goes through all of them, and adds its own values. */
__device__ static void add_values(part &p, const float *scores, int n, const float score[LOOKED_AT], const pair pairs[LOOKED_AT]) {
    const int lane = (int)threadIdx.x % WARP;
    float most = p.most, sum = 0, x[SCORES];
    for (int i = 0; i < SCORES; i++) {
        x[i] = lane + i * WARP < n ? scores[lane + i * WARP] : -INFINITY;
        most = fmaxf(most, x[i]);
    }
    for (int d = WARP / 2; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    const float of = most == -INFINITY ? 0.0f : most, shrunk = exp2f(p.most - of);
    for (int i = 0; i < SCORES; i++) sum += exp2f(x[i] - of);
    for (int d = WARP / 2; d; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    p.most = most, p.sum = p.sum * shrunk + sum;
    for (int c = 0; c < 8; c++) p.y.x[c] *= shrunk;
    for (int u = 0; u < LOOKED_AT; u++) {
        const float weight = exp2f(score[u] - of);
        const numbers<8> v = from_shorts(pairs[u].value);
        for (int c = 0; c < 8; c++) p.y.x[c] += weight > 0 ? weight * v.x[c] : 0.0f;
    }
}

NOT_INLINED __device__ static float capped(float x, float cap) {
    return cap * tanhf(x / cap);
}

/* Keys of a piece: `lanes` lanes have one, eight numbers each. */
__device__ static void add_keys(walker &k, const lh_gpu_step &step, part &p, numbers<8> &q, int h, int part_of, int piece) {
    const lh_gpu_attends &a = step.as.attends;
    const int lanes = k.s.lanes, at = 8 * ((int)threadIdx.x % lanes), mine = (int)threadIdx.x / lanes, groups = EIGHTS / lanes;
    const span keys = keys_of(part_of * k.s.pieces + piece, k.s.keys, k.t.past);
    const int n = keys.to - keys.from, row = 2 * (a.k_cols + a.v_cols);
    const bool has_fresh = part_of == k.s.parts - 1 && piece == k.s.pieces - 1;
    const char *slot = n ? wait_for_slot(k) : nullptr;
    pair pairs[LOOKED_AT] = {};
    float score[LOOKED_AT];
    for (int u = 0; u < LOOKED_AT; u++) {
        const char *key = slot + (mine + u * groups) * row + 2 * at;
        const bool is_there = mine + u * groups < n;
        if (is_there && at < a.k_cols) pairs[u].key = *(const uint4 *)key;
        if (is_there && at < a.v_cols) pairs[u].value = *(const uint4 *)(key + 2 * a.k_cols);
    }
    if (piece == 0 && at < a.k_cols) q = eight_words(k.words + step.x.word + h * a.k_cols + at);
    if (has_fresh && (mine == n || mine + groups == n || mine + 2 * groups == n)) {
        const pair fresh = fresh_pair(k, step, h, at);
        for (int u = 0; u < LOOKED_AT; u++)
            if (mine + u * groups == n) pairs[u] = fresh;
    }
    for (int u = 0; u < LOOKED_AT; u++) {
        const int key = mine + u * groups;
        float x = product(q, pairs[u].key);
        for (int d = lanes / 2; d; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
        x *= a.scale;
        if (a.cap > 0) x = capped(x, a.cap);
        score[u] = key < n + has_fresh && sees(a, k.t.past, key < n ? keys.from + key : k.t.past) ? x * LOG2E : -INFINITY;
        if (at == 0) k.attention[key] = score[u];
    }
    meet(EIGHTS);
    if (n) leave_slot(k);
    add_values(p, k.attention, n + has_fresh, score, pairs);
}

/* Sums of all warps, in their order, as words: numbers, the largest score, the sum. */
__device__ static void tell_part(const walker &k, part &p, int cols, unsigned *to) {
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, lanes = k.s.lanes, i = (int)threadIdx.x;
    float *y = k.attention + LOOKED_AT * EIGHTS / 8, x = 0;
    UNROLLED_BY(1)
    for (int d = lanes; d < WARP; d *= 2)
        for (int c = 0; c < 8; c++) p.y.x[c] += __shfl_xor_sync(0xffffffffu, p.y.x[c], d);
    if (lane < lanes && 8 * lane < cols) put_eight(y + warp * cols + 8 * lane, 8, 0, p.y);
    meet(EIGHTS);
    if (i >= cols + LH_GPU_PART_MORE) return;
    UNROLLED_BY(8)
    for (int w = 0; i < cols && w < WARPS; w++) x += y[w * cols + i];
    tell(to + i, word_of(i < cols ? x : i == cols ? p.most : p.sum));
}

__device__ static void attend(walker &k, const lh_gpu_step &step) {
    const lh_gpu_attends &a = step.as.attends;
    UNROLLED_BY(1)
    for (int item = (int)blockIdx.x; item < a.heads * k.s.parts; item += (int)gridDim.x) {
        part p = {-INFINITY, 0, {}};
        numbers<8> q = {};
        UNROLLED_BY(1)
        for (int piece = 0; piece < k.s.pieces; piece++) {
            if (piece) meet(EIGHTS); /* nobody reads scores any more */
            add_keys(k, step, p, q, item / k.s.parts, item % k.s.parts, piece);
        }
        tell_part(k, p, a.v_cols, k.words + step.word + item * (a.v_cols + LH_GPU_PART_MORE));
    }
}

/* ---- the first and the last step ---- */

__device__ static void look_up(const walker &k, const lh_gpu_step &step) {
    const lh_gpu_looks &l = step.as.looks;
    const span mine = share_of(step.cols);
    for (int c = mine.from + (int)threadIdx.x; c < mine.to; c += EIGHTS) {
        float x = 0;
        for (int i = 0; i < l.n; i++) {
            const int row = l.index[i] ? whole(*l.index[i], l.rows[i]) : k.t.past < l.rows[i] ? k.t.past : -1;
            const float y = row < 0 ? no_number() : (float)number_of(l.table[i], (long long)row * step.cols + c);
            x = i ? x + y : y;
        }
        write_number(k, step, c, x);
    }
}

/* Of all blocks, by the first. A place is a word, too: 1 for none. */
__device__ static void tell_largest(walker &k, best b) {
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    unsigned *words = k.words + k.t.best_word;
    int *place = (int *)(k.sums + WARPS);
    meet(EIGHTS);
    for (int d = WARP / 2; d; d /= 2) b = better(b, {__shfl_xor_sync(0xffffffffu, b.x, d), __shfl_xor_sync(0xffffffffu, b.i, d)});
    if (lane == 0) k.sums[warp] = b.x, place[warp] = b.i;
    meet(EIGHTS);
    UNROLLED_BY(1)
    for (int i = 0; i < WARPS; i++) b = better(b, {k.sums[i], place[i]});
    if (threadIdx.x == 0) tell(words + 2 * blockIdx.x, word_of(b.x)), tell(words + 2 * blockIdx.x + 1, (unsigned)(b.i + 2));
    if (blockIdx.x || warp) return;
    for (int i = lane; i < (int)gridDim.x; i += WARP) {
        unsigned x = look(words + 2 * i), at = look(words + 2 * i + 1);
        while (!x || !at) look_again(), x = look(words + 2 * i), at = look(words + 2 * i + 1);
        b = better(b, {number_in(x), (int)at - 2});
    }
    for (int d = WARP / 2; d; d /= 2) b = better(b, {__shfl_xor_sync(0xffffffffu, b.x, d), __shfl_xor_sync(0xffffffffu, b.i, d)});
    if (lane == 0) *k.t.largest = b.i;
}

/* ---- the launch ---- */

__device__ static void clear_words(const lh_gpu_token &t) {
    const uint4 nothing = {0, 0, 0, 0};
    uint4 *to = (uint4 *)(t.turn ? t.words[0] : t.words[1]);
    for (int i = (int)blockIdx.x * EIGHTS + (int)threadIdx.x; i < t.n_words / 4; i += (int)gridDim.x * EIGHTS) {
        emulate_touch(to + i, sizeof *to);
        to[i] = nothing;
    }
}

__device__ static void walk(walker &k) {
    best largest = {0, -1};
    UNROLLED_BY(1)
    for (int i = 0; i < k.t.n_steps; i++) {
        const lh_gpu_step &m = k.step[i];
        if (m.kind == LH_GPU_LOOKS_UP) look_up(k, m);
        if (m.kind == LH_GPU_MULTIPLIES) largest = {0, -1}, multiply(k, m, k.own[i], largest);
        if (m.kind == LH_GPU_ATTENDS) attend(k, m);
    }
    tell_largest(k, largest);
}

enum { STEP_WORDS = sizeof(lh_gpu_step) / sizeof(unsigned long long) };

__host__ __device__ static inline int sixteens(int bytes) {
    return (bytes + 15) / 16 * 16;
}

__global__ void __launch_bounds__((WARPS + 1) * WARP, 1) whole_token(lh_gpu_token t, shape s) {
    SHARED_MEMORY(char, memory);
    unsigned long long *there = (unsigned long long *)memory;
    float4 *room = (float4 *)(memory + BARRIERS);
    float *sums = (float *)(room + WARPS), *x = sums + 2 * WARPS * ROUNDED, *attention = x + s.x_cells;
    unsigned long long *step = (unsigned long long *)(attention + s.attention_cells);
    duty *own = (duty *)((char *)step + sixteens(t.n_steps * (int)sizeof(lh_gpu_step)));
    char *slots = (char *)own + sixteens(t.n_steps * (int)sizeof(duty));
    walker k = {t, s, t.turn ? t.words[1] : t.words[0], (const lh_gpu_step *)step, own, room, sums, x, attention, slots, there, there + MOST_SLOTS, 0, 0, 0};
    for (int i = (int)threadIdx.x; i < t.n_steps * STEP_WORDS; i += (int)blockDim.x) step[i] = ((const unsigned long long *)t.step)[i];
    if (threadIdx.x < 2 * MOST_SLOTS) open_barrier(&there[threadIdx.x]);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < t.n_steps; i += (int)blockDim.x) own[i] = duty_of(k.step[i]);
    __syncthreads();
    if (threadIdx.x >= WARPS * WARP) {
        if (threadIdx.x == WARPS * WARP) fetch_all(k);
        return;
    }
    clear_words(t);
    if (t.n_steps) walk(k);
}

/* ---- the launcher ---- */

static int over(int a, int b) {
    return (a + b - 1) / b;
}

static shape shape_of(const lh_gpu_token *t, size_t most, size_t *bytes) {
    const int a = t->most_attended;
    shape s = {};
    s.lanes = a <= 64 ? 8 : a <= 128 ? 16 : WARP;
    s.x_cells = over(t->most_inner, 8) * 8;
    s.attention_cells = LOOKED_AT * EIGHTS / 8 + WARPS * a;
    *bytes = BARRIERS + (size_t)sixteens(t->n_steps * (int)sizeof(lh_gpu_step)) + (size_t)sixteens(t->n_steps * (int)sizeof(duty)) +
             WARPS * sizeof(float4) + sizeof(float) * (size_t)(2 * WARPS * ROUNDED + s.x_cells + s.attention_cells);
    s.slots = *bytes < most ? (int)((most - *bytes) / SLOT) : 0;
    if (s.slots > MOST_SLOTS) s.slots = MOST_SLOTS;
    *bytes += (size_t)s.slots * SLOT;
    s.keys = LOOKED_AT * (EIGHTS / s.lanes) - 1; /* besides the new one */
    if (a && s.keys > SLOT / (4 * a)) s.keys = SLOT / (4 * a);
    if (s.keys > MOST_KEYS) s.keys = MOST_KEYS;
    const int all = s.keys && t->past > s.keys ? over(t->past, s.keys) : 1;
    s.pieces = over(all, MOST_PARTS), s.parts = over(all, s.pieces);
    return s;
}

/* A row, its gains and one column of W have to fit into a slot; a thread has eight numbers of a row. */
static bool fits(const lh_gpu_token *t, const shape &s) {
    return s.slots >= 2 && s.keys > 0 && t->most_attended + LH_GPU_PART_MORE <= EIGHTS && t->most_inner <= MOST_INNER && t->most_inner <= 8 * EIGHTS && 10ll * t->most_inner + BIAS_ROOM <= SLOT;
}

#ifdef LH_EMULATED
enum { BLOCKS = 3 };
extern "C" bool lh_gpu_whole_token(const lh_gpu_token *t, void *stream) {
    size_t bytes;
    const shape s = shape_of(t, most_shared() < 40 << 10 ? most_shared() : 40 << 10, &bytes);
    if (!fits(t, s)) return false;
    LAUNCH_AT_ONCE(whole_token, dim3(BLOCKS), (WARPS + 1) * WARP, bytes, stream, *t, s);
    return true;
}
#else
static int attribute(cudaDeviceAttr which) {
    int device = 0, x = 0;
    return cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&x, which, device) == cudaSuccess ? x : 0;
}

extern "C" bool lh_gpu_whole_token(const lh_gpu_token *t, void *stream) {
    static int blocks, most;
    size_t bytes;
    if (!blocks) {
        blocks = attribute(cudaDevAttrMultiProcessorCount), most = (int)most_shared();
        if (blocks > LH_GPU_BEST_WORDS / 2) blocks = LH_GPU_BEST_WORDS / 2;
        allow_shared((const void *)whole_token, (size_t)most);
    }
    const shape s = shape_of(t, (size_t)most, &bytes);
    if (!fits(t, s)) return false;
    cudaLaunchAttribute at_once = {};
    at_once.id = cudaLaunchAttributeCooperative, at_once.val.cooperative = 1; /* all blocks, or an error */
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3((unsigned)blocks), how.blockDim = dim3((WARPS + 1) * WARP), how.dynamicSmemBytes = bytes, how.stream = (cudaStream_t)stream;
    how.attrs = &at_once, how.numAttrs = 1;
    if (cudaLaunchKernelEx(&how, whole_token, *t, s) == cudaSuccess) return true;
    cudaGetLastError(); /* not all blocks fit at once (a GPU that is shared): nothing was started, and works are launched one by one */
    return false;
}
#endif
