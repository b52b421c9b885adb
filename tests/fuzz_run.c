/* Any bytes, as far as they go: read, built, differentiated, run, renewed, explained, printed. What is refused has a
 * message; what runs gives the same bits again; a formula that is plain notation reads back. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "explain/cells.h"
#include "explain/explain.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 48 << 20, MAX_WORK = 2000000, MAX_STEPS = 400, MAX_FORMULA = 20000 };

/* Programs may be long without being wrong: memory ends where patience does. */
static size_t taken;

static void *alloc_some(size_t size) {
    if (size > MEMORY || taken + size > MEMORY) return NULL;
    taken += size;
    return malloc(size);
}

/* A refusal says why. */
static void check_error(const lh_context *ctx) {
    const lh_error *e = lh_context_error(ctx);
    if (lh_failed(ctx) && (e->kind == LH_OK || !*e->what)) abort();
}

static int examples_of(const lh_plan *p, const lh_node *n) {
    return n->shape.is_batched ? lh_exact.examples(p) : 1;
}

/* Numbers to make, about. */
static double work_of(const lh_graph *g, const lh_plan *p) {
    double work = 0;
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        if (!lh_exact.has(p, n)) continue;
        for (int e = 0; e < examples_of(p, n); e++) {
            lh_sizes s = lh_exact.sizes(p, n, e);
            double cells = (double)s.heads * s.rows * s.cols;
            if (n->n_in) cells *= 1 + lh_exact.sizes(p, n->in[0], e).cols;
            work += cells;
        }
    }
    return work;
}

static uint64_t hash_of(const lh_graph *g, const lh_plan *p) {
    uint64_t h = 14695981039346656037u;
    for (int i = 0; i < g->n_steps; i++) {
        const lh_node *n = g->step[i]->node;
        if (!lh_exact.has(p, n)) continue;
        for (int e = 0; e < examples_of(p, n); e++) {
            lh_sizes s = lh_exact.sizes(p, n, e);
            for (int k = 0; k < s.heads * s.rows * s.cols; k++) {
                lh_cell at = {e, k / (s.rows * s.cols), k / s.cols % s.rows, k % s.cols};
                double x = lh_exact.get(p, n, at);
                uint64_t bits;
                memcpy(&bits, &x, sizeof bits);
                if (isnan(x)) bits = 1; /* which nan is not said */
                h = (h ^ bits) * 1099511628211u;
            }
        }
    }
    return h;
}

/* Paths (h[1].X, dX.Q), numbered parts and what only backward makes are for readers. */
static bool is_plain(const char *formula) {
    for (const char *s = formula; *s; s++) {
        if (*s == '"') return false;
        if (*s == '#') return false;
        if (*s == '.' && !(s[1] >= '0' && s[1] <= '9')) return false;
        if (*s == '.' && s > formula && !(s[-1] >= '0' && s[-1] <= '9')) return false;
    }
    return !strstr(formula, "place(") && !strstr(formula, "rows(") && !strstr(formula, "length of");
}

static void print_formulas(lh_graph *g) {
    for (int i = 0; i < g->n_steps && i < MAX_STEPS; i++) {
        lh_step *s = g->step[i];
        const char *formula = lh_step_formula(g, s);
        size_t n = strlen(formula);
        bool is_read = s->kind == LH_STEP_FORWARD && s->scope == g->top && n < MAX_FORMULA &&
                       is_plain(formula);
        if (lh_failed(g->ctx) || !is_read) continue;
        lh_arena *arena = lh_arena_new(g->ctx);
        if (arena && !lh_expr_parse(g->ctx, arena, formula, n) &&
            lh_context_error(g->ctx)->kind == LH_ERROR_TEXT)
            abort();
        lh_arena_free(arena);
    }
}

static void explain_one(lh_graph *g, lh_plan *p, size_t which, bool deep) {
    lh_step *s = g->step[which % (size_t)g->n_steps];
    if (s->is_dead || !lh_exact.has(p, s->node) || strlen(s->path) > 200) return;
    lh_explanation *e = lh_explain(g, s->path, &(lh_explain_how){.plan = p, .deep = deep});
    if (e && e->n_lines == 0) abort();
    lh_explanation_free(e);
    lh_context_clear(g->ctx);
}

/* ---- a cell alone, from the named values that it needs ---- */

typedef struct asked {
    const lh_plan *plan;
    const lh_node *node;
} asked;

static bool is_known(void *who, const lh_node *n, lh_cell at, double *x) {
    const asked *a = who;
    const bool is_leaf = n->kind == LH_OP_given || n->kind == LH_OP_input;
    const bool is_step = n->step && !lh_step_is_inner(n->step) && n != a->node;
    if (!(is_leaf || is_step) || !lh_exact.has(a->plan, n)) return false;
    *x = lh_exact.get(a->plan, n, at);
    return true;
}

static lh_sizes sizes_now(void *who, const lh_node *n, int example) {
    return lh_exact.sizes(((const asked *)who)->plan, n, example);
}

static void cell_alone(lh_graph *g, const lh_plan *p, size_t which) {
    const lh_step *s = g->step[which % (size_t)g->n_steps];
    if (s->is_dead || !lh_exact.has(p, s->node)) return;
    asked a = {p, s->node};
    lh_cells *c = lh_cells_new(g, &(lh_cells_from){.who = &a,
                                                   .known = is_known,
                                                   .sizes = sizes_now,
                                                   .examples = lh_exact.examples(p),
                                                   .training = 1});
    const lh_sizes z = lh_exact.sizes(p, s->node, 0);
    const lh_cell at = {0, (int)(which % (size_t)z.heads), (int)(which % (size_t)z.rows),
                        (int)(which % (size_t)z.cols)};
    const double x = lh_exact.get(p, s->node, at), y = c ? lh_cells_get(c, s->node, at) : x;
    if (!lh_failed(g->ctx) && x != y && !(isnan(x) && isnan(y))) abort();
    lh_cells_free(c);
    lh_context_clear(g->ctx);
}

static void run(lh_graph *g, size_t size) {
    lh_plan *p = lh_exact.plan(g, &(lh_wish){.all = true});
    if (!p) return;
    lh_exact.start(p);
    lh_exact.bind(p, NULL, 0);
    if (!lh_failed(g->ctx) && work_of(g, p) < MAX_WORK) {
        lh_exact.run(p);
        uint64_t once = hash_of(g, p);
        (void)lh_exact.trouble(p);
        lh_exact.run(p);
        if (!lh_failed(g->ctx) && hash_of(g, p) != once) abort();
        lh_exact.commit(p);
        lh_exact.run(p);
        lh_exact.start(p);
        lh_exact.run(p);
        if (!lh_failed(g->ctx) && hash_of(g, p) != once) abort();
        for (size_t i = 0; i < 4 && g->n_steps; i++)
            if (!lh_failed(g->ctx)) explain_one(g, p, size * 31 + i * 17, i == 0);
        for (size_t i = 0; i < 16 && g->n_steps; i++)
            if (!lh_failed(g->ctx)) cell_alone(g, p, size * 13 + i * 7);
    }
    lh_exact.free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lh_context *ctx = lh_context_new();
    if (!ctx || size > 8192) {
        lh_context_free(ctx);
        return 0;
    }
    taken = 0;
    ctx->alloc = alloc_some;
    lh_program *p = lh_program_parse(ctx, "fuzz", (const char *)data, size);
    lh_graph *g = lh_graph_build(ctx, p, NULL);
    if (!g && !lh_failed(ctx)) abort();
    check_error(ctx);
    if (g && g->n_nodes < 20000) {
        print_formulas(g);
        check_error(ctx);
        lh_context_clear(ctx);
        run(g, size);
        check_error(ctx);
    }
    lh_graph_free(g);
    lh_program_free(p);
    lh_context_free(ctx);
    return 0;
}
