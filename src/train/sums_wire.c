#include "train/sums_wire.h"

#include <string.h>

enum {
    BUCKET = 1 << 19, /* cells of a bucket, */
    LEAST = 1 << 12   /* ... or so many for each rank, where there are many */
};

/* A root is the highest node that a rank can make by itself. */
typedef struct root {
    int from, to;
} root;

typedef struct addition {
    int to, from; /* roots by number */
} addition;

typedef enum stage { OUT, BACK } stage;

/* A bucket on its way. */
typedef struct slot {
    stage at;
    /* [ranks] numbers to and from each rank on its way out; of each on its way back */
    int *sends, *gets, *parts;
    void *out, *in, *back, *all; /* as they are sent and received */
    float *sum;                  /* what came in, as floats */
} slot;

struct lh_sums_wire {
    root *root; /* of all ranks, from left to right */
    int n_roots;
    int *roots_of;      /* [ranks] how many each has */
    addition *addition; /* [n_roots - 1] in this order; the sum is in root 0 */
    int n_additions;
    size_t bucket, part; /* cells; ... that each rank adds up of a bucket */
    size_t n_buckets, begun, done;
    slot slot[LH_RANKS_SLOTS];
    /* in bf16: sums of one cell, such as a loss or a number of examples, are sent as they are */
    double *single;
    int *is_single; /* [n_singles] which of the sums */
    int n_singles;
};

/* ---- the tree ---- */

static void add_roots(lh_sums_wire *w, root node, root rank) {
    if (node.to <= rank.from || node.from >= rank.to) return;
    if (node.from >= rank.from && node.to <= rank.to) {
        w->root[w->n_roots++] = node;
        return;
    }
    const int m = lh_sums_half(node.from, node.to);
    add_roots(w, (root){node.from, m}, rank);
    add_roots(w, (root){m, node.to}, rank);
}

/* Everything up to this node, as additions of roots. Returns the root that has its sum then. */
static int add_up(lh_sums_wire *w, root node) {
    for (int i = 0; i < w->n_roots; i++)
        if (w->root[i].from == node.from && w->root[i].to == node.to) return i;
    const int m = lh_sums_half(node.from, node.to);
    const int left = add_up(w, (root){node.from, m}), right = add_up(w, (root){m, node.to});
    w->addition[w->n_additions++] = (addition){left, right};
    return left;
}

static void find_roots(const lh_shared_sums *p, lh_sums_wire *w) {
    for (int i = 0; i < p->ranks->n; i++) {
        const int before = w->n_roots;
        add_roots(w, (root){0, p->n},
                  (root){lh_sums_first_piece(p, i), lh_sums_first_piece(p, i + 1)});
        w->roots_of[i] = w->n_roots - before;
    }
    add_up(w, (root){0, p->n});
}

/* ---- sums of one cell ---- */

static bool find_singles(const lh_shared_sums *p, lh_arena *a) {
    lh_sums_wire *w = p->wire;
    if (p->how.wire == LH_WIRE_FLOAT) return true;
    w->single = lh_alloc_array(a, (size_t)p->n_sums + 1, sizeof *w->single);
    w->is_single = lh_alloc_array(a, (size_t)p->n_sums + 1, sizeof *w->is_single);
    for (int i = 0; w->single && w->is_single && i < p->n_sums; i++)
        if (p->cells[i] == 1) w->is_single[w->n_singles++] = i;
    return w->single && w->is_single;
}

static double cell_of(const lh_shared_sums *p, float *at) {
    float x;
    lh_far_transfer(p->post.cells, NULL, at, &x, 1, false);
    return (double)x;
}

/* What this rank has of those between two cells, when its last piece is there. */
static void keep_singles(const lh_shared_sums *p, size_t from, size_t to) {
    const lh_sums_wire *w = p->wire;
    size_t at = 0;
    for (int i = 0, k = 0; i < p->n_sums && k < w->n_singles; at += p->cells[i++]) {
        if (w->is_single[k] != i) continue;
        if (at >= from && at < to) {
            w->single[k] = cell_of(p, p->sum[i]);
            for (int j = 0; j < p->depth - p->merges; j++)
                w->single[k] += cell_of(p, p->stack[j].numbers + at);
        }
        k++;
    }
}

static void share_singles(const lh_shared_sums *p) {
    const lh_sums_wire *w = p->wire;
    if (!w->n_singles) return;
    p->ranks->add_doubles(w->single, (size_t)w->n_singles);
    for (int k = 0; k < w->n_singles; k++) {
        float x = (float)w->single[k];
        lh_far_transfer(p->post.cells, NULL, p->sum[w->is_single[k]], &x, 1, true);
    }
}

/* ---- memory ---- */

static size_t number_bytes(const lh_shared_sums *p) {
    return p->how.wire == LH_WIRE_BF16 ? sizeof(uint16_t) : sizeof(float);
}

/* MPI adds them up: they go from the sums and back. */
static bool is_added_by_mpi(const lh_shared_sums *p) {
    return p->how.any_order && p->how.wire == LH_WIRE_FLOAT;
}

/* Room for what is on its way. */
static void *take(const lh_shared_sums *p, lh_arena *a, size_t n, size_t bytes) {
    return lh_post_take(&p->post, p->ctx, a, n, bytes);
}

static bool make_slot(const lh_shared_sums *p, lh_arena *a, slot *s) {
    const lh_sums_wire *w = p->wire;
    const size_t n = (size_t)p->ranks->n, bytes = number_bytes(p),
                 mine = (size_t)w->roots_of[p->ranks->rank], roots = (size_t)w->n_roots;
    const bool is_half = bytes < sizeof(float);
    s->all = take(p, a, n * w->part + 1, bytes);
    if (is_added_by_mpi(p)) return s->all != NULL;
    s->sends = lh_alloc_array(a, n, sizeof *s->sends);
    s->gets = lh_alloc_array(a, n, sizeof *s->gets);
    s->parts = lh_alloc_array(a, n, sizeof *s->parts);
    s->out = take(p, a, mine * n * w->part + 1, bytes);
    s->in = take(p, a, roots * w->part + 1, bytes);
    s->sum = is_half ? take(p, a, roots * w->part + 1, sizeof *s->sum) : s->in;
    s->back = is_half ? take(p, a, w->part + 1, bytes) : s->in;
    return !lh_failed(p->ctx);
}

void lh_sums_wire_free(lh_shared_sums *p, lh_sums_wire *w) {
    for (int i = 0; w && i < LH_RANKS_SLOTS; i++) {
        slot *s = &w->slot[i];
        void *const own[] = {s->all, s->out, s->in, s->sum == s->in ? NULL : s->sum,
                             s->back == s->in ? NULL : s->back};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            lh_post_give_back(&p->post, p->ctx, own[k]);
        *s = (slot){0};
    }
}

double lh_sums_wire_memory(const lh_shared_sums *p) {
    const lh_sums_wire *w = p->wire;
    const double part = (double)w->part, n = p->ranks->n, bytes = (double)number_bytes(p);
    double each = n * part * bytes;
    if (!is_added_by_mpi(p)) each += part * bytes * (n * w->roots_of[p->ranks->rank] + w->n_roots);
    if (bytes < sizeof(float)) each += part * (w->n_roots * (double)sizeof(float) + bytes);
    return LH_RANKS_SLOTS * each;
}

lh_sums_wire *lh_sums_wire_new(lh_shared_sums *p, lh_arena *a) {
    const size_t n = (size_t)p->ranks->n, most = (size_t)p->n + n;
    lh_sums_wire *w = lh_alloc(a, sizeof *w);
    if (!w) return NULL;
    *w = (lh_sums_wire){0};
    w->root = lh_alloc_array(a, most, sizeof *w->root);
    w->addition = lh_alloc_array(a, most, sizeof *w->addition);
    w->roots_of = lh_alloc_array(a, n, sizeof *w->roots_of);
    if (lh_failed(p->ctx)) return NULL;
    find_roots(p, w);
    w->part = BUCKET / n > LEAST ? BUCKET / n : LEAST;
    if (w->part > (p->total + n - 1) / n) w->part = (p->total + n - 1) / n;
    if (w->part == 0) w->part = 1;
    w->bucket = w->part * n;
    w->n_buckets = (p->total + w->bucket - 1) / w->bucket;
    p->wire = w;
    bool is_made = find_singles(p, a);
    for (int i = 0; i < LH_RANKS_SLOTS && is_made; i++) is_made = make_slot(p, a, &w->slot[i]);
    if (is_made) return w;
    lh_sums_wire_free(p, w);
    return NULL;
}

/* ---- numbers of 16 bits ---- */

/* lh_bf16_from_float without a call for each, so that it is done for several at once. */
static void to_half(const lh_far_cells *by, uint16_t *restrict to, const float *restrict from,
                    size_t n) {
    if (by) {
        by->shorten(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        const uint32_t is_nan = (bits & 0x7FFFFFFF) > 0x7F800000 ? 0xFFFFFFFF : 0;
        const uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
        to[i] = (uint16_t)(((rounded & ~is_nan) | ((bits | 0x400000) & is_nan)) >> 16);
    }
}

static void from_half(const lh_far_cells *by, float *restrict to, const uint16_t *restrict from,
                      size_t n) {
    if (by) {
        by->lengthen(to, from, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = (uint32_t)from[i] << 16;
        memcpy(&to[i], &bits, sizeof bits);
    }
}

/* ---- out ---- */

static size_t bucket_at(const lh_sums_wire *w, size_t b) {
    return b * w->bucket;
}

static size_t bucket_end(const lh_shared_sums *p, size_t b) {
    const size_t end = (b + 1) * p->wire->bucket;
    return end < p->total ? end : p->total;
}

/* What a rank adds up of a bucket: from, and how many. */
static size_t part_of(const lh_shared_sums *p, size_t b, int rank, size_t *from) {
    const size_t end = bucket_end(p, b), part = p->wire->part;
    *from = bucket_at(p->wire, b) + (size_t)rank * part;
    return *from >= end ? 0 : end - *from < part ? end - *from : part;
}

/* Cells of one root of this rank, as they are sent. */
static void pack(const lh_shared_sums *p, int k, size_t at, size_t n, float *room, void *out) {
    const int copies = p->depth - p->merges;
    const bool is_half = p->how.wire == LH_WIRE_BF16;
    float *to = is_half ? room : out;
    if (k < copies)
        lh_far_transfer(p->post.cells, p->post.sent, p->stack[k].numbers + at, to, n, false);
    else
        lh_sums_stretch(p, at, n, to, false);
    if (is_half) to_half(p->post.sent, out, to, n);
}

static void send(lh_shared_sums *p, size_t b, int number) {
    lh_sums_wire *w = p->wire;
    slot *s = &w->slot[number];
    const int mine = w->roots_of[p->ranks->rank];
    size_t from, own = part_of(p, b, p->ranks->rank, &from);
    char *out = s->out;
    for (int r = 0; r < p->ranks->n; r++) {
        const size_t n = part_of(p, b, r, &from);
        for (int k = 0; k < mine; k++, out += n * number_bytes(p)) pack(p, k, from, n, s->sum, out);
        s->sends[r] = (int)n * mine;
        s->gets[r] = (int)own * w->roots_of[r];
        s->parts[r] = (int)n;
    }
    p->post.carrier->exchange(number, p->how.wire, s->out, s->sends, s->in, s->gets);
}

static void begin_bucket(lh_shared_sums *p) {
    lh_sums_wire *w = p->wire;
    const size_t b = w->begun++, at = bucket_at(w, b), n = bucket_end(p, b) - at;
    const int number = (int)(b % LH_RANKS_SLOTS);
    slot *s = &w->slot[number];
    if (p->post.cells) p->post.cells->follow();
    lh_sums_merge(p, at, n);
    keep_singles(p, at, at + n);
    s->at = is_added_by_mpi(p) ? BACK : OUT;
    if (s->at == OUT) {
        send(p, b, number);
    } else {
        lh_sums_stretch(p, at, n, s->all, false);
        p->post.carrier->add_floats(number, s->all, (int)n);
    }
}

/* ---- and back ---- */

static void add_root(const lh_far_cells *by, float *restrict to, const float *restrict other,
                     size_t n) {
    if (by)
        by->add(to, other, n);
    else
        for (size_t c = 0; c < n; c++) to[c] = to[c] + other[c];
}

static void add_bucket(lh_shared_sums *p, size_t b, int number) {
    const lh_sums_wire *w = p->wire;
    slot *s = &p->wire->slot[number];
    size_t from;
    const size_t n = part_of(p, b, p->ranks->rank, &from);
    const bool is_half = p->how.wire == LH_WIRE_BF16;
    if (is_half) from_half(p->post.sent, s->sum, s->in, n * (size_t)w->n_roots);
    for (int i = 0; i < w->n_additions; i++)
        add_root(p->post.sent, s->sum + (size_t)w->addition[i].to * n,
                 s->sum + (size_t)w->addition[i].from * n, n);
    if (is_half) to_half(p->post.sent, s->back, s->sum, n);
    s->at = BACK;
    p->post.carrier->gather(number, p->how.wire, s->back, (int)n, s->all, s->parts);
}

/* A bucket is written only when every rank has sent what it had there: its numbers are not needed again. Parts lie one behind the other
 * in it, as in the sums. */
static void write_bucket(lh_shared_sums *p, size_t b, slot *s) {
    const size_t at = bucket_at(p->wire, b), n = bucket_end(p, b) - at;
    const uint16_t *half = s->all;
    if (p->how.wire == LH_WIRE_FLOAT) {
        lh_sums_stretch(p, at, n, s->all, true);
        return;
    }
    for (size_t done = 0; done < n; done += p->wire->part) {
        const size_t k = n - done < p->wire->part ? n - done : p->wire->part;
        from_half(p->post.sent, s->sum, half + done, k);
        lh_sums_stretch(p, at + done, k, s->sum, true);
    }
}

/* ---- several at a time ---- */

void lh_sums_wire_begin(lh_shared_sums *p) {
    p->wire->begun = p->wire->done = 0;
}

/* Buckets come back in the order in which they were begun: so all ranks send them back in the same order. */
static void take_what_came(lh_shared_sums *p, bool waits) {
    lh_sums_wire *w = p->wire;
    const lh_carrier *r = p->post.carrier;
    for (size_t b = w->done; b < w->begun; b++) {
        const int number = (int)(b % LH_RANKS_SLOTS);
        if (w->slot[number].at == BACK) continue;
        if (!r->is_done(number, waits && b == w->done)) break;
        add_bucket(p, b, number);
    }
    while (w->done < w->begun) {
        const int number = (int)(w->done % LH_RANKS_SLOTS);
        if (w->slot[number].at == OUT || !r->is_done(number, waits)) return;
        write_bucket(p, w->done++, &w->slot[number]);
        waits = false; /* one bucket more can begin */
    }
}

void lh_sums_wire_go_on(lh_shared_sums *p, bool waits) {
    lh_sums_wire *w = p->wire;
    if (lh_failed(p->ctx)) return;
    do {
        take_what_came(p, false);
        while (w->begun < w->n_buckets && w->begun - w->done < LH_RANKS_SLOTS &&
               bucket_end(p, w->begun) <= p->ready) {
            begin_bucket(p);
            if (p->post.carrier->is_in_order) take_what_came(p, false);
        }
        if (waits) take_what_came(p, true);
    } while (waits && w->done < w->n_buckets);
    if (waits) share_singles(p);
}
