/* token -- generating a whole token in one launch, which walks through a list of steps.
 *
 *     block 0    x @ W[0..17] |  head 0, keys 0..127   |  x @ W[0..5]  | ...        a thread block for each multiprocessor; all run at once
 *     block 1    x @ W[18..35]|  head 0, keys 128..255 |  x @ W[6..11] | ...
 *
 * There is no barrier between steps. A number that others wait for is written as one word, its bits inverted, into memory that was 0: whoever needs it
 * polls until it is there, so a step costs one round trip to the L2 cache. There are two sets of such words, and a launch clears the set of the next one.
 *
 * Weights, gains, biases, and the keys and values of earlier rows do not depend on the token. A block fetches its portions of them into shared memory through a ring of slots,
 * in the order of the steps, as far ahead as there are slots: while a block waits for a row, its weights are being read (token_walk.h). Some warps wait for rows and norm
 * them (token_rows.h); before a row is there, each lane of the others takes its pieces of W out of the slot. Sums are always computed in the same order: a lane's eight
 * numbers, lanes, warps, parts of attention.
 *
 * All code of a step has to stay in the instruction cache, and no register may be spilled: local memory would be read from the L2 cache.
 */
#include "eval/cuda/device/token_rows.h"

/* ---- products ---- */

__device__ static numbers<8> from_shorts(const uint4 &v) {
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
    numbers<8> n;
    for (int i = 0; i < 8; i++) n.x[i] = __uint_as_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16);
    return n;
}

/* What was computed before has been told, and the row before was taken. */
__device__ static void want_row() {
    arrive(ROW_WANTED, EIGHTS + ROWS);
}

__device__ static void row_is_there() {
    meet(ROW_THERE, EIGHTS + ROWS);
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

/* words: NULL where no step reads the row by words. */
__device__ static float write_number(unsigned *words, const lh_gpu_line &y, int col, float x) {
    x = y.is_short ? from_short(to_short(x)) : x;
    if (words) tell(words + col, word_of(x));
    if (y.p) number_of(y, col) = x;
    return x;
}

__device__ static unsigned *words_of(const walker &k, int word) {
    return word < 0 ? nullptr : k.words + word;
}

/* As then() of growing.h, in fewer instructions. */
__device__ static float quickly_then(lh_gpu_behind behind, float x) {
    if (behind == LH_GPU_AS_IT_CAME) return x;
    const float by = behind == LH_GPU_THEN_GELU ? 2 * 0.79788456080286535588f * (x + 0.044715f * x * x * x) : x;
    return x * __fdividef(1.0f, 1.0f + __expf(-by));
}

/* Column c of a slot's n: team c % teams of warps has it, each lane eight numbers of it, which it takes before the row is there. What is known of the step is taken
 * out of shared memory first: after each wait it would be read from there again. */
__device__ static void multiply(walker &k, const lh_gpu_step &step, const duty &its, best &largest) {
    const duty own = its;
    const lh_gpu_multiplies &m = step.as.multiplies;
    const lh_gpu_line out = step.y;
    const lh_gpu_behind behind = m.behind;
    const bool is_direct = takes_its_own(step, own), has_bias = m.bias.p, is_short_bias = m.bias.is_short;
    const unsigned *row = k.words + step.x.word, *added = words_of(k, step.add.word);
    unsigned *words = words_of(k, step.word);
    const int inner = m.inner, c = (int)threadIdx.x, warp = c / WARP, lane = c % WARP, team = warp * own.by_warps >> 16, at = 8 * (c - team * own.warps * WARP);
    const bool has_some = team < own.teams && at < inner;
    numbers<8> x = {};
    if (own.from < own.to && !is_direct) want_row();
    UNROLLED_BY(1)
    for (int from = own.from; from < own.to; from += own.some) {
        const int n = own.to - from < own.some ? own.to - from : own.some;
        const bool is_added = c < n && added;
        float *sums = k.sums + (k.turn ^= 1) * WARPS * ROUNDED, sum[ROUNDED] = {};
        const char *slot = wait_for_slot(k);
        eight_asked asked = no_eight();
        if (from == own.from && is_direct && has_some) asked = ask(row + at);
        uint4 w[TOGETHER] = {};
        for (int u = 0; u < TOGETHER; u++)
            w[u] = piece_at(slot + own.columns_at + 2 * ((team + u * own.teams) * inner + at), has_some && team + u * own.teams < n);
        const int lead = from * (is_short_bias ? 2 : 4) % 16;
        float y = c < n && has_bias ? (float)cell{(void *)(slot + lead + c * (is_short_bias ? 2 : 4)), is_short_bias} : 0.0f;
        if (from == own.from) {
            if (is_direct)
                x = answer(asked, row + at, has_some);
            else
                row_is_there(), x = has_some ? eight_at(k.x, inner, at) : x;
        }
        unsigned word = is_added ? look(added + from + c) : 0; /* on its way during the product */
        for (int u = 0; u < TOGETHER; u++) sum[u] = product(x, w[u]);
        const float all = sum_of_eight(sum);
        if (lane % 4 == 0) sums[warp * ROUNDED + lane / 4] = all;
        meet(AMONG_EIGHTS, EIGHTS);
        leave_slot(k);
        if (c >= n) continue;
        const int of = c * own.by_teams >> 16; /* of those that its team has */
        const float *part = sums + (c - of * own.teams) * own.warps * ROUNDED + of;
        float all_warps = 0;
        for (int i = 0; i < WARPS; i++) all_warps += i < own.warps ? part[i * ROUNDED] : 0.0f;
        y = quickly_then(behind, all_warps + y);
        while (is_added && !word) look_again(), word = look(added + from + c);
        if (is_added) y += number_in(word);
        y = write_number(words, out, from + c, y);
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

/* What a block knows so far about a part; each lane has a share of the sum, and of y that of its keys. */
struct part {
    float most, sum;
    numbers<8> y;
};

/* n scores of a block are there: each warp goes through all of them, and adds its own values. */
__device__ static void add_values(part &p, const float *scores, int n, const float score[LOOKED_AT], const pair pairs[LOOKED_AT]) {
    const int lane = (int)threadIdx.x % WARP;
    const uint4 nothing = {0, 0, 0, 0};
    float most = p.most, x[SCORES];
    for (int i = 0; i < SCORES; i++) {
        x[i] = lane + i * WARP < n ? scores[lane + i * WARP] : -INFINITY;
        most = fmaxf(most, x[i]);
    }
    for (int d = WARP / 2; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    const float of = most == -INFINITY ? 0.0f : most, shrunk = exp2f(p.most - of);
    p.most = most, p.sum *= shrunk;
    for (int i = 0; i < SCORES; i++) p.sum += exp2f(x[i] - of);
    for (int c = 0; c < 8; c++) p.y.x[c] *= shrunk;
    for (int u = 0; u < LOOKED_AT; u++) {
        const float weight = exp2f(score[u] - of);
        const numbers<8> v = from_shorts(weight > 0 ? pairs[u].value : nothing); /* infinite values that nobody sees do not count */
        for (int c = 0; c < 8; c++) p.y.x[c] += weight * v.x[c];
    }
}

NOT_INLINED __device__ static float capped(float x, float cap) {
    return cap * tanhf(x / cap);
}

/* Keys of a piece: `lanes` lanes have one, eight numbers each. */
__device__ static void add_keys(walker &k, const lh_gpu_step &step, part &p, numbers<8> &q, int part_of, int piece) {
    const lh_gpu_attends a = step.as.attends; /* a copy: shared memory is read again after each wait */
    const int lanes = k.s.lanes, at = 8 * ((int)threadIdx.x % lanes), mine = (int)threadIdx.x / lanes, groups = EIGHTS / lanes;
    const span keys = keys_of(part_of * k.s.pieces + piece, k.s.keys, k.t.past);
    const int n = keys.to - keys.from, row = 2 * (a.k_cols + a.v_cols), all = cells_of_head(a);
    const bool has_fresh = part_of == k.s.parts - 1 && piece == k.s.pieces - 1;
    const char *slot = n ? wait_for_slot(k) : nullptr;
    pair pairs[LOOKED_AT] = {};
    float score[LOOKED_AT];
    for (int u = 0; u < LOOKED_AT; u++) {
        const char *key = slot + (mine + u * groups) * row + 2 * at;
        const bool is_there = mine + u * groups < n;
        pairs[u].key = piece_at(key, is_there && at < a.k_cols);
        pairs[u].value = piece_at(key + 2 * a.k_cols, is_there && at < a.v_cols);
    }
    if (piece == 0) row_is_there();
    if (piece == 0 && at < a.k_cols) q = eight_at(k.x, all, at);
    for (int u = 0; has_fresh && u < LOOKED_AT; u++) {
        if (mine + u * groups != n) continue;
        if (at < a.k_cols) pairs[u].key = to_shorts(eight_at(k.x, all, a.k_cols + at));
        if (at < a.v_cols) pairs[u].value = to_shorts(eight_at(k.x, all, 2 * a.k_cols + at));
    }
    for (int u = 0; u < LOOKED_AT; u++) score[u] = product(q, pairs[u].key);
    UNROLLED_BY(1)
    for (int d = lanes / 2; d; d /= 2)
        for (int u = 0; u < LOOKED_AT; u++) score[u] += __shfl_xor_sync(0xffffffffu, score[u], d);
    for (int u = 0; u < LOOKED_AT; u++) {
        const int key = mine + u * groups;
        float x = score[u] * a.scale;
        if (a.cap > 0) x = capped(x, a.cap);
        score[u] = key < n + has_fresh && sees(a, k.t.past, key < n ? keys.from + key : k.t.past) ? x * LOG2E : -INFINITY;
        if (at == 0) k.attention[key] = score[u];
    }
    meet(AMONG_EIGHTS, EIGHTS);
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
    x = warp_sum(p.sum);
    meet(AMONG_EIGHTS, EIGHTS);
    if (i >= cols + LH_GPU_PART_MORE) return;
    if (i < cols) x = 0;
    for (int w = 0; w < WARPS; w++) x += i < cols ? y[w * cols + i] : 0.0f;
    tell(to + i, word_of(i == cols ? p.most : x));
}

__device__ static void attend(walker &k, const lh_gpu_step &step) {
    const lh_gpu_attends &a = step.as.attends;
    UNROLLED_BY(1)
    for (int item = (int)blockIdx.x; item < a.heads * k.s.parts; item += (int)gridDim.x) {
        part p = {-INFINITY, 0, {}};
        want_row();
        numbers<8> q = {};
        UNROLLED_BY(1)
        for (int piece = 0; piece < k.s.pieces; piece++) {
            if (piece) meet(AMONG_EIGHTS, EIGHTS); /* nobody reads scores any more */
            add_keys(k, step, p, q, item % k.s.parts, piece);
        }
        tell_part(k, p, a.v_cols, k.words + step.word + item * (a.v_cols + LH_GPU_PART_MORE));
    }
}

/* ---- the first and the last step ---- */

/* The bits of a number, without a branch: both tables are on their way at once. */
__device__ static unsigned bits_of(const lh_gpu_line &l, long long i) {
    const char *p = (const char *)l.p + (l.is_short ? 2 : 4) * i;
    emulate_touch(p, l.is_short ? 2 : 4);
    const unsigned low = *(const unsigned short *)p, high = *(const unsigned short *)(l.is_short ? p : p + 2);
    return l.is_short ? low << 16 : high << 16 | low;
}

/* A row that is not there is row 0 of the first table, and what comes of it no number. */
__device__ static void look_up(const walker &k, const lh_gpu_step &step) {
    const lh_gpu_looks &l = step.as.looks;
    const span mine = share_of(step.cols);
    for (int c = mine.from + (int)threadIdx.x; c < mine.to; c += EIGHTS) {
        float index[LH_GPU_TABLES];
        unsigned bits[LH_GPU_TABLES];
        int row[LH_GPU_TABLES];
        for (int i = 0; i < LH_GPU_TABLES; i++) index[i] = *(i < l.n && l.index[i] ? l.index[i] : k.sums);
        for (int i = 0; i < LH_GPU_TABLES; i++) {
            const bool is_asked = i < l.n;
            row[i] = l.index[i] ? whole(index[i], l.rows[i]) : k.t.past < l.rows[i] ? k.t.past : -1;
            bits[i] = bits_of(l.table[is_asked ? i : 0], (is_asked && row[i] >= 0 ? (long long)row[i] * step.cols : 0) + c);
        }
        float x = 0;
        for (int i = 0; i < LH_GPU_TABLES; i++) {
            if (i >= l.n) continue;
            const float y = row[i] < 0 ? no_number() : __uint_as_float(bits[i]);
            x = i ? x + y : y;
        }
        write_number(words_of(k, step.word), step.y, c, x);
    }
}

/* Of all blocks, by the first. A place is a word, too: 1 for none. */
__device__ static void tell_largest(walker &k, best b) {
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    unsigned *words = k.words + k.t.best_word;
    int *place = (int *)(k.sums + WARPS);
    meet(AMONG_EIGHTS, EIGHTS);
    for (int d = WARP / 2; d; d /= 2) b = better(b, {__shfl_xor_sync(0xffffffffu, b.x, d), __shfl_xor_sync(0xffffffffu, b.i, d)});
    if (lane == 0) k.sums[warp] = b.x, place[warp] = b.i;
    meet(AMONG_EIGHTS, EIGHTS);
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

enum { THREADS_OF_TOKEN = EIGHTS + ROWS + WARP, STEP_WORDS = sizeof(lh_gpu_step) / sizeof(unsigned long long) };

__host__ __device__ static inline int sixteens(int bytes) {
    return (bytes + 15) / 16 * 16;
}

__global__ void __launch_bounds__(THREADS_OF_TOKEN, 1) whole_token(lh_gpu_token t, shape s) {
    SHARED_MEMORY(char, memory);
    unsigned long long *there = (unsigned long long *)memory;
    float4 *room = (float4 *)(memory + BARRIERS);
    float *sums = (float *)(room + ROW_WARPS), *x = sums + 2 * WARPS * ROUNDED, *attention = x + s.x_cells;
    unsigned long long *step = (unsigned long long *)(attention + s.attention_cells);
    duty *own = (duty *)((char *)step + sixteens(t.n_steps * (int)sizeof(lh_gpu_step)));
    char *slots = (char *)own + sixteens(t.n_steps * (int)sizeof(duty));
    walker k = {t, s, t.turn ? t.words[1] : t.words[0], (const lh_gpu_step *)step, own, room, sums, x, attention, slots, there, there + MOST_SLOTS, 0, 0, 0};
    for (int i = (int)threadIdx.x; i < t.n_steps * STEP_WORDS; i += (int)blockDim.x) step[i] = ((const unsigned long long *)t.step)[i];
    if (threadIdx.x < 2 * MOST_SLOTS) open_barrier(&there[threadIdx.x]);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < t.n_steps; i += (int)blockDim.x) own[i] = duty_of(k.step[i]);
    __syncthreads();
    if (threadIdx.x >= EIGHTS + ROWS) {
        if (threadIdx.x == EIGHTS + ROWS) fetch_all(k);
        return;
    }
    if (threadIdx.x >= EIGHTS) {
        bring_rows(k);
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
    s.x_cells = over(t->most_inner < 3 * a ? 3 * a : t->most_inner, 8) * 8;
    s.attention_cells = LOOKED_AT * EIGHTS / 8 + WARPS * a;
    *bytes = BARRIERS + (size_t)sixteens(t->n_steps * (int)sizeof(lh_gpu_step)) + (size_t)sixteens(t->n_steps * (int)sizeof(duty)) +
             ROW_WARPS * sizeof(float4) + sizeof(float) * (size_t)(2 * WARPS * ROUNDED + s.x_cells + s.attention_cells);
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

/* One column of W has to fit into a slot; a thread has eight numbers of a row. */
static bool fits(const lh_gpu_token *t, const shape &s) {
    return s.slots >= 2 && s.keys > 0 && t->most_attended + LH_GPU_PART_MORE <= EIGHTS && t->most_inner <= MOST_INNER && 2ll * t->most_inner + BIAS_ROOM <= SLOT;
}

#ifdef LH_EMULATED
enum { BLOCKS = 3 };
extern "C" bool lh_gpu_whole_token(const lh_gpu_token *t, void *stream) {
    size_t bytes;
    const shape s = shape_of(t, most_shared() < 40 << 10 ? most_shared() : 40 << 10, &bytes);
    if (!fits(t, s)) return false;
    LAUNCH_AT_ONCE(whole_token, dim3(BLOCKS), THREADS_OF_TOKEN, bytes, stream, *t, s);
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
    how.gridDim = dim3((unsigned)blocks), how.blockDim = dim3(THREADS_OF_TOKEN), how.dynamicSmemBytes = bytes, how.stream = (cudaStream_t)stream;
    how.attrs = &at_once, how.numAttrs = 1;
    if (cudaLaunchKernelEx(&how, whole_token, *t, s) == cudaSuccess) return true;
    cudaGetLastError(); /* not all blocks fit at once (a GPU that is shared): nothing was started, and works are launched one by one */
    return false;
}
#endif
