#include "eval/plan_text.h"

#include <string.h>

#include "base/columns.h"
#include "base/number.h"

typedef struct printer {
    lh_text *out;
    lh_plan *p;
    const lh_plan_how *how;
    const lh_node **named; /* of each node: the gradient that it is made for, or NULL */
    int kernel, value;     /* columns */
} printer;

enum { NUMBER = 5, PLACE = 16, BYTES = 9, LEAST = 12 };

/* ---- names ---- */

/* As much of it as fits. */
static const char *cut(const printer *t, const char *text, int columns) {
    if (lh_columns(text) <= columns) return text;
    int n = 0, bytes = 0, at = 0;
    while ((n += lh_columns_next(text + at, &bytes)) < columns) at += bytes;
    return lh_printf(t->p->arena, "%.*s…", at, text);
}

/* The last line of a body has the name of its call. */
static const lh_step *step_of(const lh_node *n) {
    const lh_step *s = n->step;
    while (s && s->kind == LH_STEP_BODY && s->scope->call && s->scope->call->step &&
           s->scope->call->call->result == s->node)
        s = s->scope->call->step;
    return s;
}

/* Its path, or its formula. */
static const char *name_of(const printer *t, const lh_node *n) {
    if (!n->step && t->named[n->id]) n = t->named[n->id];
    if (n->step) return step_of(n)->path;
    lh_text text = lh_text_new(t->p->arena);
    if (n->kind == LH_OP_back)
        lh_text_add(&text, "%s's part from %s", n->call->fn->param[n->index[0]],
                    n->in[0]->step ? n->in[0]->step->path : n->call->fn->name);
    else
        lh_node_print_inside(&text, n, n->scope);
    return text.s;
}

static const char *kernel_of(const printer *t, const lh_plan_work *w) {
    const char *name = w->match ? w->match->kernel->name : w->node->op->name;
    if (!w->match)
        name = lh_printf(t->p->arena, "(%s)", name);
    else if (strcmp(name, "cells") == 0)
        name = lh_printf(t->p->arena, "cells: %s", w->node->op->name);
    return w->is_again ? lh_printf(t->p->arena, "again: %s", name) : name;
}

/* What stands for a gradient has its name. */
static bool find_names(printer *t) {
    const lh_graph *g = t->p->g;
    t->named = lh_alloc_array(t->p->arena, (size_t)t->p->n_nodes + 1, sizeof *t->named);
    for (int i = 0; t->named && i < t->p->n_nodes; i++)
        if (g->node[i]->whole) t->named[g->node[i]->whole->node->id] = g->node[i];
    return t->named != NULL;
}

/* ---- buffers ---- */

static double bytes_of(const lh_plan *p, double cells) {
    return cells * (double)p->by->cell_bytes;
}

static const char *const buffer_names[LH_N_BUFFERS] = {
    [LH_NO_BUFFER] = "nowhere", [LH_FIXED] = "fixed",         [LH_MOVING] = "moving",
    [LH_SPARE] = "spare",       [LH_CONSTANTS] = "constants", [LH_BORROWED] = "borrowed",
};

static void print_buffers(const printer *t) {
    static const char *const what[LH_N_BUFFERS] = {
        [LH_FIXED] = "params, states and consts",
        [LH_MOVING] = "inputs, and what is computed from them",
        [LH_SPARE] = "new values, until := writes them",
        [LH_CONSTANTS] = "a zero; nan for missing cells",
    };
    const lh_plan *p = t->p;
    double all = 0;
    for (int i = 0; i < LH_N_BUFFERS; i++) {
        if (!p->cells[i]) continue;
        const double bytes = bytes_of(p, (double)p->cells[i]);
        all += bytes;
        lh_text_add(t->out, "  %-10s %*.0f   %s\n", buffer_names[i], BYTES + 1, bytes, what[i]);
    }
    lh_text_add(t->out, "  %-10s %*.0f\n", "in all", BYTES + 1, all);
}

/* ---- works ---- */

static double value_bytes(const lh_plan *p, const lh_node *n) {
    const lh_plan_value *v = lh_value_of(p, n);
    double cells = 0;
    for (int e = 0; v->layout && e < (v->step ? p->examples : 1); e++)
        cells += (double)lh_layout_cells(&v->layout[e]) / (v->layout[e].is_short ? 2 : 1);
    return bytes_of(p, cells);
}

static const char *place_of(const printer *t, const lh_layout *l) {
    return lh_printf(t->p->arena, "%s+%.0f", buffer_names[l->buffer],
                     bytes_of(t->p, (double)l->at / (l->is_short ? 2 : 1)));
}

static void print_line(const printer *t, const char *number, const char *kernel, const char *value,
                       const lh_layout *l, double bytes) {
    kernel = cut(t, kernel, t->kernel), value = cut(t, value, t->value);
    lh_text_add(t->out, "%*s %s%*s %s%*s ", NUMBER - 1, number, kernel,
                t->kernel - lh_columns(kernel), "", value, t->value - lh_columns(value), "");
    lh_text_add(t->out, "%-*s %*.0f\n", PLACE, place_of(t, l), BYTES, bytes);
}

/* Every value that it makes; of a sum, where it is added up. */
static void print_writes(const printer *t, const lh_plan_work *w, int number) {
    const lh_plan *p = t->p;
    const char *kernel = kernel_of(t, w), *at = lh_printf(p->arena, "%d", number);
    const int n = w->match && w->match->n_outs ? w->match->n_outs : 1;
    for (int i = 0; i < n; i++) {
        const lh_node *out = w->match && w->match->n_outs ? w->match->out[i] : w->node;
        if (!out || p->value[out->id].role == UNUSED) continue;
        const lh_layout *l = w->sum >= 0 ? &p->sum_layout[w->sum] : lh_layout_of(p, out, 0);
        print_line(t, at, kernel, name_of(t, out), l, value_bytes(p, out));
        kernel = at = "";
    }
}

/* A name; of a part of another value, that of the value, too. */
static const char *read_name(const printer *t, const lh_node *n) {
    const lh_plan *p = t->p;
    const lh_node *stands = lh_standing(p, n), *owner = stands;
    while (p->value[owner->id].role == VIEW && owner->n_in && lh_op_reads(owner, 0))
        owner = lh_standing(p, owner->in[0]);
    const char *name = name_of(t, stands->step || t->named[stands->id] ? stands : n);
    const bool is_told = owner == stands || !(stands->step || n->step) || n->kind == LH_OP_call;
    return is_told ? name : lh_printf(p->arena, "%s (in %s)", name, name_of(t, owner));
}

/* Behind an arrow, folded where the line is full. */
static void print_reads(const printer *t, const lh_plan_work *w) {
    const int indent = NUMBER + 2;
    int at = 0;
    for (int i = 0; i < w->n_in; i++) {
        if (!lh_plan_reads(w, i)) continue;
        const char *name = cut(t, read_name(t, lh_plan_operand(w, i)), t->how->width - indent - 3);
        const int columns = lh_columns(name);
        if (at && at + 2 + columns + 1 > t->how->width) {
            lh_text_add(t->out, ",\n%*s", indent + 2, "");
            at = indent + 2;
        } else if (at) {
            lh_text_add(t->out, ", ");
            at += 2;
        } else {
            lh_text_add(t->out, "%*s← ", indent, "");
            at = indent + 2;
        }
        lh_text_add(t->out, "%s", name);
        at += columns;
    }
    if (at) lh_text_add(t->out, "\n");
}

/* ---- turns of a repeat ---- */

/* The outermost turn behind the first that it is in, or NULL. */
static const lh_scope *later_turn(const printer *t, const lh_plan_work *w) {
    const lh_node *n = t->named[w->node->id] ? t->named[w->node->id] : w->node;
    const lh_scope *found = NULL;
    if (t->how->all_turns) return NULL;
    for (const lh_scope *s = n->step ? n->step->scope : n->scope; s; s = s->outer)
        if (s->kind == LH_SCOPE_REPEAT && s->turn > 0) found = s;
    return found;
}

static double work_bytes(const lh_plan *p, const lh_plan_work *w) {
    double sum = 0;
    for (int i = 0; w->match && i < w->match->n_outs; i++)
        if (w->match->out[i] && p->value[w->match->out[i]->id].role != UNUSED)
            sum += value_bytes(p, w->match->out[i]);
    return w->match && w->match->n_outs ? sum : value_bytes(p, w->node);
}

/* Works from i on that are in one later turn, as a line; returns the one behind them. */
static int print_turn(const printer *t, const lh_plan_list *list, int i) {
    const lh_scope *turn = later_turn(t, &list->work[i]);
    const int from = i;
    double bytes = 0;
    int again = 0;
    for (; i < list->n && later_turn(t, &list->work[i]) == turn; i++) {
        bytes += work_bytes(t->p, &list->work[i]);
        again += list->work[i].is_again;
    }
    const char *what = lh_printf(t->p->arena, "%s: %d work%s of this turn%s", turn->path, i - from,
                                 i - from == 1 ? "" : "s",
                                 again ? lh_printf(t->p->arena, ", %d of them again", again) : "");
    lh_text_add(t->out, "%*s… %s%*s %*.0f\n", NUMBER - 2, "", what,
                t->kernel + t->value + PLACE + 2 - lh_columns(what), "", BYTES, bytes);
    return i;
}

static void print_list(const printer *t, lh_stage stage) {
    static const char *const title[] = {[LH_STAGE_START] = "At the start, once",
                                        [LH_STAGE_RUN] = "In every run",
                                        [LH_STAGE_COMMIT] = "When := is carried out"};
    const lh_plan_list *list = &t->p->list[stage];
    if (list->n == 0) return;
    lh_text_add(t->out, "\n%s\n", title[stage]);
    for (int i = 0; i < list->n && !lh_failed(t->p->g->ctx);) {
        if (later_turn(t, &list->work[i])) {
            i = print_turn(t, list, i);
            continue;
        }
        print_writes(t, &list->work[i], i);
        print_reads(t, &list->work[i++]);
    }
}

/* ---- the whole ---- */

/* Long names of kernels get room, values the rest. */
static void find_columns(printer *t) {
    const int rest = t->how->width - NUMBER - PLACE - BYTES - 3;
    t->kernel = LEAST;
    for (int stage = 0; stage < LH_N_STAGES; stage++)
        for (int i = 0; i < t->p->list[stage].n; i++) {
            const int n = lh_columns(kernel_of(t, &t->p->list[stage].work[i]));
            if (n > t->kernel && n <= rest / 2) t->kernel = n;
        }
    t->value = rest - t->kernel > LEAST ? rest - t->kernel : LEAST;
}

static void print_roles(const printer *t) {
    int n[MADE + 1] = {0}, shared = 0;
    for (int i = 0; i < t->p->n_nodes; i++) {
        const lh_plan_value *v = &t->p->value[i];
        shared += v->same != NULL;
        n[v->role] += v->same == NULL;
    }
    const struct {
        int n;
        const char *what;
    } line[] = {
        {n[MADE], "made by works"},
        {n[VIEW], "views: parts of others, or transposed"},
        {shared, "the same as another"},
        {n[GIVEN] + n[INPUT] + n[KNOWN], "given, or input"},
        {n[LEAF], "numbers"},
        {n[UNUSED] + n[SHAPE], "not needed, or inside kernels"},
    };
    lh_text_add(t->out, "\n%d node%s\n", t->p->n_nodes, LH_PLURAL(t->p->n_nodes));
    for (size_t i = 0; i < sizeof line / sizeof *line; i++)
        lh_text_add(t->out, "%*d   %s\n", BYTES + 1, line[i].n, line[i].what);
}

void lh_plan_print(lh_text *out, lh_plan *p, const lh_plan_how *how) {
    printer t = {.out = out, .p = p, .how = how};
    if (lh_failed(p->g->ctx) || !find_names(&t)) return;
    find_columns(&t);
    lh_text_add(out, "Evaluator %s: cells of %s, %zu bytes each; %d example%s\n", p->by->name,
                p->by->element, p->by->cell_bytes, p->examples, p->examples == 1 ? "" : "s");
    print_buffers(&t);
    lh_text_add(out,
                "\nPlaces and sizes are bytes. (op): by its definition.\n%s← what a work reads.\n",
                p->recomputes ? "again: computed a second time, for the gradients.\n" : "");
    for (int stage = 0; stage < LH_N_STAGES; stage++) print_list(&t, (lh_stage)stage);
    print_roles(&t);
}
