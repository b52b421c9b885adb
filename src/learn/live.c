/* live -- the programs of a lesson: parsed, built, run to the steps that are asked for. */
#include "learn/live.h"

#include <stdio.h>
#include <string.h>

#include "learn/chosen.h"
#include "learn/errata.h"
#include "learn/live_internal.h"

static const lh_place nowhere;

void lh_live_fail_at(lh_live *v, lh_place at) {
    lh_error *e = &v->ctx->error;
    if (!lh_failed(v->ctx) || e->kind == LH_ERROR_MEMORY) return;
    e->file[0] = e->source[0] = 0;
    e->at = at;
    lh_fail_in(v->ctx, v->l->file, v->l->source, v->l->length);
}

/* ---- parsing and building ---- */

static void parse(lh_live *v, lh_live_program *x, int number) {
    const lh_lesson_program *p = &v->l->program[number];
    if (p->of >= 0 && !p->seed) {
        x->program = lh_live_program_of(v, p->of);
        return;
    }
    x->own = lh_lesson_program_parse(v->l, number);
    x->program = x->own;
    if (!v->ctx->warning[0] || p->is_elsewhere) return;
    x->warning = lh_copy(v->l->arena, v->ctx->warning, strlen(v->ctx->warning));
    x->warned_at = v->ctx->warned_at;
}

static void make_mistake(lh_live *v, lh_live_program *x, const char *text) {
    lh_made made;
    x->arena = lh_arena_new(v->ctx);
    if (!x->arena || !lh_mistake_make(x->plain, text, x->arena, &made)) return;
    x->mistakes = made.rules;
    lh_rewrite *rewrite = lh_alloc(x->arena, sizeof made.how.rewrite);
    memcpy(rewrite, made.how.rewrite, sizeof made.how.rewrite);
    lh_build with = x->plain->how;
    with.rewrite = rewrite;
    with.n_rewrites = made.how.n_rewrites;
    x->g = lh_graph_build(v->ctx, x->program, &with);
}

static void build(lh_live *v, lh_live_program *x, int number) {
    lh_lesson_program all = {.shuffle = -1};
    lh_lesson_gather(v->l, v->l->arena, number, &all);
    lh_build how = lh_chosen_build(v->l->arena, &all, NULL);
    x->g = x->plain = lh_graph_build(v->ctx, x->program, &how);
    if (x->plain && all.mistake) make_mistake(v, x, all.mistake);
}

/* A program of this lesson that fails has a place already; what a use line asks for in vain has its own line. */
static void remember_failure(lh_live *v, lh_live_program *x, int number) {
    const lh_lesson_program *p = &v->l->program[number];
    if (v->ctx->error.kind == LH_ERROR_MEMORY) return;
    if (p->of_name.text && (v->ctx->error.at.line == 0 || p->is_elsewhere))
        lh_live_fail_at(v, p->of_name.at);
    lh_fail_in(v->ctx, v->l->file, v->l->source, v->l->length);
    x->is_failed = true;
    x->error = v->ctx->error;
}

static void drop_graphs(lh_live_program *x) {
    if (x->g != x->plain) lh_graph_free(x->g);
    lh_graph_free(x->plain);
    lh_mistakes_free(x->mistakes);
    lh_arena_free(x->arena);
    x->g = x->plain = NULL;
    x->mistakes = NULL;
    x->arena = NULL;
}

/* Its place in the list, which follows the lesson's; nothing is built yet. */
static lh_live_program *slot(lh_live *v, int program) {
    while (v->n_programs < v->l->n_programs && !lh_failed(v->ctx)) {
        lh_live_program *x = lh_alloc_array(v->l->arena, 1, sizeof *x);
        if (!x) return NULL;
        x->at = -1;
        *lh_push(v->l->arena, v->program, v->n_programs) = x;
    }
    bool is_there = !lh_failed(v->ctx) && program >= 0 && program < v->n_programs;
    return is_there ? v->program[program] : NULL;
}

lh_live_program *lh_live_ready(lh_live *v, int program) {
    lh_live_program *x = slot(v, program);
    if (!x || x->g) return x;
    if (x->is_failed) {
        v->ctx->error = x->error;
        v->ctx->is_failed = true;
        return NULL;
    }
    if (!x->program) parse(v, x, program);
    if (!lh_failed(v->ctx)) build(v, x, program);
    if (!lh_failed(v->ctx)) return x;
    drop_graphs(x);
    remember_failure(v, x, program);
    return NULL;
}

const lh_program *lh_live_program_of(lh_live *v, int program) {
    lh_live_program *x = lh_live_ready(v, program);
    return x ? x->program : NULL;
}

lh_graph *lh_live_graph(lh_live *v, int program) {
    lh_live_program *x = lh_live_ready(v, program);
    return x ? x->g : NULL;
}

/* ---- running ---- */

static void loop_restart(lh_live *v, lh_live_program *x, int number) {
    lh_lesson_program all = {.shuffle = -1};
    lh_lesson_gather(v->l, v->l->arena, number, &all);
    lh_loop_free(x->loop);
    x->loop = lh_loop_new(
        x->g, &(lh_loop_how){.batch = all.batch,
                             .shuffle = all.shuffle >= 0,
                             .seed = (unsigned long long)(all.shuffle >= 0 ? all.shuffle : 0)});
}

bool lh_live_has_batches(lh_live *v, int program) {
    lh_lesson_program all = {.shuffle = -1};
    lh_lesson_gather(v->l, v->l->arena, program, &all);
    return all.batch > 0;
}

static void loop_to(lh_live *v, lh_live_program *x, int number, int step) {
    if (!x->loop || x->loop->step > step) loop_restart(v, x, number);
    while (x->loop && x->loop->step < step && lh_loop_step(x->loop))
        if (x->loop->step > x->n_losses)
            *lh_push(v->l->arena, x->loss, x->n_losses) = x->loop->loss;
}

static bool learns(lh_live *v, const lh_live_program *x, int step) {
    if (step > v->l->most_updates) {
        lh_fail(v->ctx, LH_ERROR_LIMIT, nowhere, "%d updates are too many: at most %d", step,
                v->l->most_updates);
        return false;
    }
    if (step == 0 || lh_loop_learns(x->g)) return true;
    lh_fail(v->ctx, LH_ERROR_NAME, nowhere, "there is no step %d: the program has no update", step);
    lh_cure(v->ctx, "an update is a line such as W := W - rate * dW");
    return false;
}

/* Training runs what := needs, on batches. Its params and states in a plan for all values and all examples: that is a moment. */
static bool run_at(lh_live *v, lh_live_program *x, int number, int step) {
    if (x->at == step) return true;
    if (!learns(v, x, step)) return false;
    if (!x->plan) x->plan = lh_exact.plan(x->g, &(lh_wish){.all = true});
    if (!x->plan) return false;
    x->at = -1;
    lh_exact.start(x->plan);
    if (step > 0) loop_to(v, x, number, step);
    if (step > 0 && !lh_failed(v->ctx)) lh_loop_copy(x->loop, x->plan);
    lh_exact.at_step(x->plan, step);
    lh_exact.bind(x->plan, NULL, 0);
    lh_exact.run(x->plan);
    if (lh_failed(v->ctx)) return false;
    x->at = step;
    return true;
}

const lh_plan *lh_live_moment(lh_live *v, int program, int step) {
    lh_live_program *x = lh_live_ready(v, program);
    return x && run_at(v, x, program, step) ? x->plan : NULL;
}

const double *lh_live_losses(lh_live *v, int program, int updates) {
    lh_live_program *x = lh_live_ready(v, program);
    if (!x) return NULL;
    if (!x->g->loss) {
        lh_fail(v->ctx, LH_ERROR_NAME, nowhere, "the program has no loss: there is no `backward`");
        return NULL;
    }
    if (!learns(v, x, updates)) return NULL;
    if (x->n_losses <= updates)
        loop_to(v, x, program, updates + 1); /* a step knows its loss before its update */
    return lh_failed(v->ctx) ? NULL : x->loss;
}

/* ---- values by address ---- */

static bool is_asked(const lh_wanted *w, const lh_address *a) {
    return w->step == a->step && w->example == a->example && w->head == a->head &&
           strcmp(w->path, a->path) == 0;
}

void lh_live_announce(lh_live *v, int program, const lh_address *a) {
    lh_live_program *x = slot(v, program);
    for (int i = 0; x && i < x->n_wanted; i++)
        if (is_asked(&x->wanted[i], a)) return;
    if (x)
        *lh_push(v->l->arena, x->wanted, x->n_wanted) =
            (lh_wanted){.path = lh_copy(v->l->arena, a->path, strlen(a->path)),
                        .step = a->step,
                        .example = a->example,
                        .head = a->head};
}

/* The whole value of one example and head, copied out of the plan. */
static bool take(lh_live *v, lh_live_program *x, int number, lh_wanted *w) {
    lh_cell at;
    lh_address a = {.example = w->example, .head = w->head, .has_example = true, .has_head = true};
    snprintf(a.path, sizeof a.path, "%s", w->path);
    lh_step *s = lh_address_find(x->g, &a);
    if (!s || !run_at(v, x, number, w->step)) return false;
    if (!lh_address_cell(x->g, x->plan, &a, s->node, &at)) return false;
    lh_sizes z = lh_exact.sizes(x->plan, s->node, at.example);
    double *cell = lh_alloc_array(v->l->arena, (size_t)z.rows * (size_t)z.cols + 1, sizeof *cell);
    if (!cell) return false;
    for (int r = 0; r < z.rows; r++)
        for (int c = 0; c < z.cols; c++)
            cell[r * z.cols + c] =
                lh_exact.get(x->plan, s->node, (lh_cell){at.example, at.head, r, c});
    w->value = (lh_value){z.rows, z.cols, cell, s->node->vocab};
    return true;
}

/* Once, in the order of steps: training goes through without a return. What fails here fails again where it is asked for. */
static void gather_wanted(lh_live *v, lh_live_program *x, int number) {
    x->has_gathered = true;
    for (int step = -1;;) {
        int next = -1;
        for (int i = 0; i < x->n_wanted; i++)
            if (x->wanted[i].step > step && (next < 0 || x->wanted[i].step < next))
                next = x->wanted[i].step;
        if (next < 0) return;
        step = next;
        for (int i = 0; i < x->n_wanted; i++) {
            if (x->wanted[i].step != step) continue;
            take(v, x, number, &x->wanted[i]);
            if (lh_failed(v->ctx) && v->ctx->error.kind == LH_ERROR_MEMORY) return;
            lh_context_clear(v->ctx);
        }
    }
}

/* P[1] of a matrix is a row; of one row or one column it is a cell. */
static bool narrow(lh_live *v, const lh_address *a, lh_value *x) {
    int index[2] = {a->index[0], a->index[1]}, n = a->n_indices;
    if (n == 1 && x->rows == 1) index[1] = index[0], index[0] = 0, n = 2;
    if (n == 1 && x->cols == 1) index[1] = 0, n = 2;
    if (n == 0) return true;
    if (index[0] >= x->rows || (n == 2 && index[1] >= x->cols)) {
        bool is_row = index[0] >= x->rows;
        lh_fail(v->ctx, LH_ERROR_NAME, nowhere,
                "there is no %s %d in %s: it has %d, counted from 0", is_row ? "row" : "column",
                index[is_row ? 0 : 1], a->path, is_row ? x->rows : x->cols);
        return false;
    }
    x->cell += (ptrdiff_t)index[0] * x->cols + (n == 2 ? index[1] : 0);
    x->rows = 1;
    if (n == 2) x->cols = 1;
    return true;
}

bool lh_live_read(lh_live *v, int program, const lh_address *a, lh_value *out) {
    lh_live_announce(v, program, a);
    lh_live_program *x = lh_live_ready(v, program);
    if (!x) return false;
    if (!x->has_gathered) gather_wanted(v, x, program);
    for (int i = 0; i < x->n_wanted && !lh_failed(v->ctx); i++) {
        lh_wanted *w = &x->wanted[i];
        if (!is_asked(w, a)) continue;
        if (!w->value.cell && !take(v, x, program, w)) return false;
        *out = w->value;
        return narrow(v, a, out);
    }
    return false;
}

/* ---- the whole ---- */

/* Conditions of choices, and what an experiment has to reach. */
static void announce_exercises(lh_live *v) {
    for (int i = 0; i < v->l->n_exercises; i++)
        for (int k = 0; k < v->l->exercise[i].n_fields; k++) {
            const lh_field *f = &v->l->exercise[i].field[k];
            const char *expr = f->right ? f->right : strcmp(f->name, "until") == 0 ? f->value : "";
            lh_live_announce_all(v, expr, (lh_where){0, i + 1, f->at});
        }
}

/* Is program i made from this one, or it itself? */
static bool is_made_from(const lh_lesson *l, int i, int program) {
    while (i >= 0 && i != program) i = l->program[i].of;
    return i == program;
}

static void forget(lh_live_program *x) {
    lh_loop_free(x->loop);
    lh_exact.free(x->plan);
    drop_graphs(x);
    lh_program_free(x->own);
    for (int i = 0; i < x->n_wanted; i++) x->wanted[i].value = (lh_value){0};
    *x = (lh_live_program){.at = -1, .wanted = x->wanted, .n_wanted = x->n_wanted};
}

void lh_live_forget(lh_live *v, int program) {
    for (int i = 0; i < v->n_programs; i++)
        if (is_made_from(v->l, i, program)) forget(v->program[i]);
    for (int i = 0; i < v->l->n_inserts; i++) v->shown[i] = NULL;
}

lh_live *lh_live_new(lh_lesson *l) {
    lh_live *v = lh_live_of_text(l);
    if (v) announce_exercises(v);
    if (!lh_failed(l->ctx)) return v;
    lh_live_free(v);
    return NULL;
}

lh_live *lh_live_of_text(lh_lesson *l) {
    if (lh_failed(l->ctx)) return NULL;
    lh_live *v = lh_alloc(l->arena, sizeof *v);
    v->l = l;
    v->ctx = l->ctx;
    v->shown = lh_alloc_array(l->arena, (size_t)l->n_inserts + 1, sizeof *v->shown);
    if (!v->shown || lh_failed(l->ctx)) return NULL;
    for (int i = 0; i < l->n_inserts; i++) {
        const lh_insert *x = &l->insert[i];
        if (x->kind <= LH_INSERT_WORD)
            lh_live_announce_all(v, x->expr, (lh_where){0, x->exercise, x->expr_at});
    }
    if (!lh_failed(l->ctx)) return v;
    lh_live_free(v);
    return NULL;
}

lh_lesson *lh_live_lesson(const lh_live *v) {
    return v->l;
}

void lh_live_free(lh_live *v) {
    if (v) lh_errata_free(v->errata);
    for (int i = 0; v && i < v->n_programs; i++) {
        lh_live_program *x = v->program[i];
        if (!x) continue;
        lh_loop_free(x->loop);
        lh_exact.free(x->plan);
        drop_graphs(x);
        lh_program_free(x->own);
    }
}
