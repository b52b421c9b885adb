/* cuda_token -- generating one token: all works of a run as a list of steps for one launch (device/token.cu).
 *
 *     E[tokens] + U[positions]     one step, which looks up rows
 *     products of one row          as cuda_row.c has fused them
 *     attention                    over the key-value cache
 *
 * A step finds the row that it reads by its address: it is in memory that an earlier step writes. If a work is of another kind, or its numbers are laid out in another
 * way, there is no list, and every work is launched separately.
 */
#include <string.h>

#include "eval/cuda/cuda.h"

/* Memory that a work writes: step `step`, or a work that is not a step. */
typedef struct made {
    const char *from, *to;
    int step;
} made;

/* Instead of a step: the number of rows before; not written any more. */
enum { IS_POSITION = -1, IS_NOWHERE = -2 };

typedef struct steps {
    lh_plan *p;
    lh_gpu_token token;
    lh_gpu_step *step;
    made *made;
    int n_made;
} steps;

static int bytes_of(bool is_short) {
    return is_short ? 2 : (int)sizeof(float);
}

static const lh_gpu_block *block_of(const steps *s, const lh_node *n) {
    return lh_cuda_blocks_of(s->p, &lh_cuda_of(s->p)->table[1], n).here;
}

static bool lasts(const steps *s, const lh_node *n) {
    return lh_plan_owner(s->p, n)->lasts;
}

/* ---- which step writes what ---- */

/* The last work that writes there. */
static const made *maker_of(const steps *s, const void *at) {
    for (int i = s->n_made - 1; i >= 0; i--)
        if ((const char *)at >= s->made[i].from && (const char *)at < s->made[i].to)
            return &s->made[i];
    return NULL;
}

static void add_made(steps *s, const void *at, int bytes, int step) {
    s->made[s->n_made++] = (made){at, (const char *)at + bytes, step};
}

/* A new step, which writes this row to memory and as words. */
static lh_gpu_step *add_step(steps *s, lh_gpu_step_kind kind, lh_gpu_line y, int cols, int words) {
    lh_gpu_token *t = &s->token;
    lh_gpu_step *m = &s->step[t->n_steps];
    memset(m, 0, sizeof *m);
    m->kind = kind, m->y = y, m->cols = cols, m->word = t->n_words;
    t->n_words += (words + 3) / 4 * 4;
    add_made(s, y.p, cols * bytes_of(y.is_short), t->n_steps++);
    return m;
}

static lh_gpu_flow no_flow(void) {
    return (lh_gpu_flow){.word = -1, .parts_of = -1};
}

/* Where a row comes from that the next step will read: an earlier step. */
static bool flow_of(const steps *s, lh_gpu_line line, int cols, lh_gpu_flow *to) {
    *to = no_flow();
    if (!line.p) return true;
    const made *by = maker_of(s, line.p);
    const lh_gpu_step *m = by && by->step >= 0 ? &s->step[by->step] : NULL;
    if (!m || m->y.is_short != line.is_short) return false;
    const long long first = ((const char *)line.p - by->from) / bytes_of(line.is_short);
    const bool is_parts = m->kind == LH_GPU_ATTENDS;
    to->word = m->word + (int)first, to->parts_of = is_parts ? by->step : -1;
    return first + cols <= m->cols && first % 4 == 0 && (!is_parts || cols == m->cols);
}

static bool is_whole_flow(const lh_gpu_flow *f) {
    return f->parts_of < 0;
}

/* ---- products ---- */

static bool add_product(steps *s, const lh_gpu_row *r) {
    lh_gpu_flow x, add;
    if (r->pitch != r->inner || r->inner % 8 || r->before == LH_GPU_BY_SWIGLU ||
        (r->bias.p && (r->cols % 8 || (size_t)r->bias.p % 16)) || !flow_of(s, r->x, r->inner, &x) ||
        !flow_of(s, r->add, r->cols, &add) || !is_whole_flow(&add) ||
        (r->before && !is_whole_flow(&x)))
        return false;
    lh_gpu_step *m = add_step(s, LH_GPU_MULTIPLIES, r->y, r->cols, r->cols);
    m->x = x, m->other = no_flow(), m->add = add;
    m->as.multiplies = (lh_gpu_multiplies){.w = r->w,
                                           .bias = r->bias,
                                           .gain = r->gain,
                                           .move = r->move,
                                           .epsilon = r->epsilon,
                                           .inner = r->inner,
                                           .before = r->before,
                                           .behind = r->behind};
    if (r->inner > s->token.most_inner) s->token.most_inner = r->inner;
    return true;
}

/* ---- attention ---- */

enum { SCALE, WINDOW, SINKS, CAP, KEPT_SHORT, MOST_COLS = 256 }; /* numbers of the launch */

/* One row with its heads side by side, readable eight numbers at a time. */
static bool lies_well(const lh_gpu_block *b) {
    return b && b->rows == 1 && b->cs == 1 && b->cols % 8 == 0 && b->cols <= MOST_COLS &&
           (b->heads == 1 || b->hs == b->cols);
}

static bool flow_of_block(const steps *s, const lh_gpu_block *b, lh_gpu_flow *to) {
    return flow_of(s, (lh_gpu_line){b->p, b->is_short}, b->heads * b->cols, to) &&
           is_whole_flow(to);
}

/* All attentions of a token have the same sizes. */
static bool has_same_sizes(steps *s, const lh_gpu_block *k, const lh_gpu_block *v) {
    const int cols = k->cols > v->cols ? k->cols : v->cols;
    if (!s->token.most_attended) s->token.most_attended = cols;
    return s->token.most_attended == cols;
}

static bool add_attention(steps *s, const lh_cuda_work *w) {
    const lh_gpu_block *q = block_of(s, lh_plan_operand(w->plan, 0)),
                       *k = block_of(s, lh_plan_operand(w->plan, 1)),
                       *v = block_of(s, lh_plan_operand(w->plan, 2)),
                       *y = block_of(s, w->plan->node);
    const float *number = w->gpu.number;
    lh_gpu_flow x, other, add;
    if (number[KEPT_SHORT] != 1 || lasts(s, w->plan->node) || !lies_well(q) || !lies_well(k) ||
        !lies_well(v) || !lies_well(y) || q->heads % k->heads || q->cols != k->cols ||
        k->heads != v->heads || !has_same_sizes(s, k, v) || !flow_of_block(s, q, &x) ||
        !flow_of_block(s, k, &other) || !flow_of_block(s, v, &add))
        return false;
    const int words = q->heads * LH_GPU_ATTENTION_PARTS * (v->cols + LH_GPU_PART_MORE);
    lh_gpu_step *m =
        add_step(s, LH_GPU_ATTENDS, (lh_gpu_line){y->p, y->is_short}, y->heads * y->cols, words);
    m->x = x, m->other = other, m->add = add;
    m->as.attends = (lh_gpu_attends){.kept = w->gpu.kept,
                                     .kept_rows = w->gpu.kept_rows,
                                     .heads = q->heads,
                                     .each = q->heads / k->heads,
                                     .k_cols = k->cols,
                                     .v_cols = v->cols,
                                     .scale = number[SCALE],
                                     .cap = number[CAP],
                                     .window = (int)number[WINDOW],
                                     .sinks = (int)number[SINKS]};
    return true;
}

/* ---- rows of tables ---- */

static bool is_row(const lh_gpu_block *b) {
    return b && b->heads == 1 && b->rows == 1 && (b->cols == 1 || b->cs == 1);
}

static bool add_lookup(steps *s, const lh_node *n) {
    const lh_gpu_block *table = block_of(s, n->in[0]), *index = block_of(s, n->in[1]),
                       *y = block_of(s, n);
    if (!table || table->heads != 1 || table->cs != 1 || table->rs != table->cols || !is_row(y) ||
        !is_row(index) || index->cols != 1 || index->is_short)
        return false;
    const made *by = maker_of(s, index->p);
    if (by && by->step != IS_POSITION) return false;
    lh_gpu_step *m =
        add_step(s, LH_GPU_LOOKS_UP, (lh_gpu_line){y->p, y->is_short}, y->cols, y->cols);
    m->x = m->other = m->add = no_flow();
    m->as.looks = (lh_gpu_looks){.table = {{table->p, table->is_short}},
                                 .index = {by ? NULL : index->p},
                                 .rows = {table->rows},
                                 .n = 1};
    return true;
}

/* The last two steps looked up a row each, and this is their sum: they become one step. */
static bool add_sum(steps *s, const lh_node *n) {
    const lh_gpu_block *a = block_of(s, n->in[0]), *b = block_of(s, n->in[1]), *y = block_of(s, n);
    const int first = s->token.n_steps - 2;
    if (first < 0 || !is_row(a) || !is_row(b) || !is_row(y) || a->cols != b->cols ||
        lasts(s, n->in[0]) || lasts(s, n->in[1]))
        return false;
    const made *by_a = maker_of(s, a->p), *by_b = maker_of(s, b->p);
    lh_gpu_step *m = &s->step[first], *second = m + 1;
    if (!by_a || !by_b || by_a->from != (const char *)a->p || by_b->from != (const char *)b->p ||
        by_a->step + by_b->step != 2 * first + 1 || by_a->step < first || by_b->step < first ||
        m->kind != LH_GPU_LOOKS_UP || second->kind != LH_GPU_LOOKS_UP || m->as.looks.n != 1 ||
        second->as.looks.n != 1 || m->y.is_short || second->y.is_short)
        return false;
    m->as.looks.table[1] = second->as.looks.table[0];
    m->as.looks.index[1] = second->as.looks.index[0];
    m->as.looks.rows[1] = second->as.looks.rows[0];
    m->as.looks.n = 2;
    m->y = (lh_gpu_line){y->p, y->is_short};
    s->token.n_steps--;
    for (int i = 0; i < s->n_made; i++)
        if (s->made[i].step >= first) s->made[i].step = IS_NOWHERE;
    add_made(s, y->p, y->cols * bytes_of(y->is_short), first);
    return true;
}

/* ---- all of it ---- */

static bool add_work(steps *s, const lh_gpu *gpu, const lh_cuda_work *w) {
    const lh_node *n = w->plan->node;
    if (w->is_joined || w->plan->is_once) return true;
    if (w->row) return add_product(s, w->row);
    if (w->plan->match) return w->launch == gpu->attend && add_attention(s, w);
    const lh_gpu_block *y = block_of(s, n);
    switch (n->kind) {
    case LH_OP_lookup: return add_lookup(s, n);
    case LH_OP_add: return add_sum(s, n);
    case LH_OP_positions:
        if (!is_row(y) || y->is_short) return false;
        add_made(s, y->p, bytes_of(false), IS_POSITION);
        return true;
    default: return false;
    }
}

/* Memory that several values have one after the other. */
static bool is_shared(const lh_plan *p, const void *at) {
    const char *from = (const char *)p->memory[LH_MOVING] + p->n_lasting * sizeof(float),
               *to = (const char *)p->memory[LH_MOVING] + p->cells[LH_MOVING] * sizeof(float);
    return (const char *)at >= from && (const char *)at < to;
}

/* The last step makes scores, which nobody reads by words. Blocks of threads do not wait for each other before they write to memory, so what a later step
 * writes to the same place might be there first: where places are shared, there are words alone. */
static bool make_steps(steps *s, const lh_gpu *gpu) {
    const lh_cuda_work *work = lh_cuda_of(s->p)->work[LH_STAGE_RUN];
    for (int i = 0; i < s->p->list[LH_STAGE_RUN].n; i++)
        if (!add_work(s, gpu, &work[i])) return false;
    lh_gpu_step *last = s->token.n_steps ? &s->step[s->token.n_steps - 1] : NULL;
    if (!last || last->kind != LH_GPU_MULTIPLIES) return false;
    last->word = -1;
    for (lh_gpu_step *m = s->step; m < last; m++)
        if (is_shared(s->p, m->y.p)) m->y.p = NULL;
    lh_cuda_of(s->p)->token_scores = last->y.p;
    s->token.best_word = s->token.n_words;
    s->token.n_words += LH_GPU_BEST_WORDS;
    return true;
}

/* Memory for the list and for both sets of words, which are cleared. */
static bool send_steps(steps *s, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(s->p);
    lh_context *ctx = s->p->g->ctx;
    lh_gpu_token *t = &s->token;
    const size_t bytes = (size_t)t->n_steps * sizeof *s->step, cells = 2 * (size_t)t->n_words;
    if (bytes + cells * sizeof(unsigned) > own->token_bytes) {
        lh_cuda_give_back(ctx, own->token_there);
        own->token_bytes = 0;
        own->token_there = lh_cuda_take(ctx, bytes + cells * sizeof(unsigned), 1);
        if (!own->token_there) return false;
        own->token_bytes = bytes + cells * sizeof(unsigned);
    }
    t->words[0] = own->token_there, t->words[1] = t->words[0] + t->n_words;
    t->step = (const lh_gpu_step *)(const void *)(t->words[1] + t->n_words);
    t->largest = gpu->answer;
    gpu->put((void *)t->step, s->step, bytes);
    lh_gpu_token clears = *t;
    clears.n_steps = 0;
    const bool can = gpu->token(&clears, gpu->stream);
    clears.turn = 1;
    if (can && gpu->token(&clears, gpu->stream)) own->token = *t;
    return true;
}

bool lh_cuda_list_token(lh_plan *p) {
    lh_cuda_own *own = lh_cuda_of(p);
    lh_context *ctx = p->g->ctx;
    const lh_gpu *gpu = lh_cuda_gpu(ctx);
    const size_t n = (size_t)p->list[LH_STAGE_RUN].n;
    own->token = (lh_gpu_token){0}, own->is_token = false;
    if (!gpu || !own->row || own->is_apart) return gpu != NULL;
    steps s = {.p = p};
    s.step = ctx->alloc((n + 1) * sizeof *s.step);
    s.made = ctx->alloc((n + 1) * sizeof *s.made);
    bool is_done = s.step && s.made;
    if (!is_done)
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
    else if (make_steps(&s, gpu))
        is_done = send_steps(&s, gpu);
    ctx->release(s.step), ctx->release(s.made);
    return is_done;
}

static const lh_plan *answered; /* whose token was the last one */

bool lh_cuda_token_answer(const lh_plan *p, const lh_gpu *gpu, const void *scores, int *at) {
    const lh_cuda_own *own = lh_cuda_of(p);
    if (!own->is_token || own->token_scores != scores || answered != p) return false;
    gpu->wait();
    *at = *gpu->answer;
    return true;
}

bool lh_cuda_run_token(lh_plan *p, const lh_gpu *gpu) {
    lh_cuda_own *own = lh_cuda_of(p);
    if (!own->token.n_steps || p->moment.past <= 0) return false;
    own->token.past = p->moment.past;
    own->is_token = gpu->token(&own->token, gpu->stream);
    if (own->is_token) own->token.turn ^= 1, answered = p; /* else no set was written or cleared */
    return own->is_token;
}
