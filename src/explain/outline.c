/* outline -- what is shown of a graph, and what belongs to it. */
#include "explain/outline.h"

#include <stdio.h>
#include <string.h>

#include "graph/op.h"

/* A.dQ is what comes back from a call to its unnamed operand A.Q: the formulas of the steps around it name it. */
static bool is_at_border(const lh_step *s) {
    const lh_scope *around = s->scope->outer;
    return s->of && s->of->kind == LH_STEP_AUX && s->scope->kind == LH_SCOPE_CALL && around &&
           around->kind != LH_SCOPE_CALL && around->kind != LH_SCOPE_RULE;
}

/* Of the lines inside calls only gradients may be shown: at the border, or where several shown steps read them. */
static bool is_shown(const lh_step *s, bool has_several_readers) {
    if (s->is_dead || s->kind == LH_STEP_GIVEN) return false;
    if (!lh_step_is_inner(s)) return true;
    return s->kind == LH_STEP_GRADIENT && (has_several_readers || is_at_border(s));
}

bool lh_outline_shows(const lh_outline *o, const lh_step *s) {
    return o->is_shown[s->id];
}

/* ---- which nodes ---- */

static void need_operands(const lh_node *n, bool *need) {
    if (n->kind == LH_OP_call) {
        need[n->call->result->id] = true;
        return;
    }
    for (int i = 0; i < n->n_in; i++)
        if (lh_op_reads(n, i)) need[n->in[i]->id] = true;
}

static void find_needed(lh_outline *o) {
    const lh_graph *g = o->g;
    for (int i = 0; i < g->n_steps; i++)
        if (!g->step[i]->is_dead) o->is_needed[g->step[i]->node->id] = true;
    for (int i = 0; i < g->n_givens; i++)
        if (g->given[i]->renewed)
            o->is_needed[g->given[i]->renewed->id] = o->leads_to_update[g->given[i]->renewed->id] =
                true;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        if (o->is_needed[i]) need_operands(g->node[i], o->is_needed);
        if (o->leads_to_update[i]) need_operands(g->node[i], o->leads_to_update);
    }
}

/* `backward` makes all gradients at one place: what comes later may read them. */
static void find_behind(lh_outline *o) {
    const lh_graph *g = o->g;
    o->backward_at = -1;
    for (int i = 0; i < g->n_steps && o->backward_at < 0; i++)
        if (g->step[i]->kind == LH_STEP_GRADIENT && g->loss) o->backward_at = g->step[i]->node->id;
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        o->is_behind[i] = n->step && (n->step->kind == LH_STEP_GRADIENT);
        if (n->kind == LH_OP_call) o->is_behind[i] |= o->is_behind[n->call->result->id];
        for (int k = 0; k < n->n_in; k++) o->is_behind[i] |= o->is_behind[n->in[k]->id];
    }
}

lh_phase lh_outline_phase(const lh_outline *o, const lh_step *s) {
    int id = s->node->id;
    if (s->kind == LH_STEP_UPDATE) return LH_UPDATE;
    if (s->kind == LH_STEP_GRADIENT || s->kind == LH_STEP_PART) return LH_BACKWARD;
    bool is_below = o->backward_at >= 0 && id > o->backward_at;
    return is_below && (o->leads_to_update[id] || o->is_behind[id]) ? LH_UPDATE : LH_FORWARD;
}

/* ---- which step a node belongs to ---- */

static void give(lh_outline *o, const lh_node *n, lh_step *owner) {
    lh_step **to = &o->owner[n->id];
    if (!owner || *to == owner) return;
    if (*to) o->is_shared[n->id] = true;
    if (!*to || owner->id < (*to)->id) *to = owner;
}

/* To the first step that reads it. A line of a body that nobody reads belongs to the step of its call. Readers come after
 * what they read, so one pass from the end finds all. */
static void find_owners(lh_outline *o) {
    const lh_graph *g = o->g;
    lh_step *next = NULL;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const lh_node *n = g->node[i];
        if (n->step && is_shown(n->step, o->is_shared[i])) {
            o->is_shown[n->step->id] = true;
            o->owner[i] = next = n->step;
        }
        if (!o->is_needed[i]) continue;
        if (!o->owner[i] && n->step && n->step->scope->call)
            o->owner[i] = o->owner[n->step->scope->call->id];
        if (!o->owner[i]) o->owner[i] = next;
        if (n->kind == LH_OP_call) give(o, n->call->result, o->owner[i]);
        for (int k = 0; k < n->n_in && n->kind != LH_OP_call; k++)
            if (lh_op_reads(n, k)) give(o, n->in[k], o->owner[i]);
    }
}

/* Made of numbers and sizes alone: sqrt(cols(K)) is nothing that one step takes from another. */
static void find_plain(lh_outline *o) {
    const lh_graph *g = o->g;
    for (int i = 0; i < g->n_nodes; i++) {
        const lh_node *n = g->node[i];
        bool plain = n->kind != LH_OP_given && n->kind != LH_OP_input &&
                     !(n->step && o->is_shown[n->step->id]);
        if (n->kind == LH_OP_call) plain &= o->is_plain[n->call->result->id];
        for (int k = 0; k < n->n_in && n->kind != LH_OP_call; k++)
            if (lh_op_reads(n, k)) plain &= o->is_plain[n->in[k]->id];
        o->is_plain[i] = plain;
    }
}

static void push(lh_outline *o, const lh_node *n) {
    *lh_push(o->arena, o->stack, o->n_stack) = n;
}

/* In the order in which the formula names them: what is pushed last is looked at first. */
int lh_outline_reads(lh_outline *o, const lh_step *s, lh_step ***from) {
    int count = 0, mark = ++o->mark;
    *from = NULL;
    o->n_stack = 0;
    push(o, s->node);
    while (o->n_stack > 0 && !lh_failed(o->g->ctx)) {
        const lh_node *n = o->stack[--o->n_stack];
        if (o->is_plain[n->id] || o->seen_node[n->id] == mark) continue;
        o->seen_node[n->id] = mark;
        bool is_given = n->kind == LH_OP_given || n->kind == LH_OP_input;
        lh_step *owner = is_given ? n->step : o->owner[n->id];
        if (owner == s && n->kind == LH_OP_call) {
            push(o, n->call->result);
        } else if (owner == s) {
            for (int i = n->n_in - 1; i >= 0; i--)
                if (lh_op_reads(n, i)) push(o, n->in[i]);
        } else if (owner && !(is_given && lh_step_is_inner(owner)) &&
                   o->seen_step[owner->id] != mark) {
            o->seen_step[owner->id] = mark;
            *lh_push(o->arena, *from, count) = owner;
        }
    }
    return count;
}

/* ---- repeats ---- */

const lh_scope *lh_repeat_around(const lh_scope *s) {
    while (s && s->kind != LH_SCOPE_REPEAT) s = s->outer;
    return s;
}

static const lh_statement *find_repeat(lh_statement *const *list, int n, const char *name,
                                       size_t length) {
    for (int i = 0; i < n; i++)
        if (list[i]->kind == LH_S_REPEAT && strlen(list[i]->name) == length &&
            memcmp(list[i]->name, name, length) == 0)
            return list[i];
    return NULL;
}

/* The size that says how often it turns, when it is one size by its name. */
static int count_axis(const lh_graph *g, const lh_statement *s) {
    if (!s || s->expr->kind != LH_E_NAME) return -1;
    for (int i = 0; i < g->n_steps; i++)
        if (g->step[i]->node->kind == LH_OP_size && strcmp(g->step[i]->path, s->expr->text) == 0)
            return g->step[i]->node->index[0];
    return -1;
}

/* The repeat whose turn a scope is, listed when it is new. */
static int repeat_of(lh_outline *o, const lh_scope *turn) {
    const lh_scope *around = lh_repeat_around(turn->outer);
    int outer = around ? repeat_of(o, around) : -1;
    const char *start = turn->path + strlen(turn->outer->path) + (turn->outer->path[0] != 0);
    size_t n = strcspn(start, "[");
    for (int i = 0; i < o->n_repeats; i++)
        if (o->repeat[i].outer == outer && strlen(o->repeat[i].name) == n &&
            memcmp(o->repeat[i].name, start, n) == 0)
            return i;
    const lh_program *p = o->g->program;
    const lh_statement *s =
        outer < 0 ? find_repeat(p->statement, p->n_statements, start, n)
        : o->repeat[outer].from
            ? find_repeat(o->repeat[outer].from->body, o->repeat[outer].from->n_body, start, n)
            : NULL;
    int id = o->n_repeats;
    *lh_push(o->arena, o->repeat, o->n_repeats) =
        (lh_turns){lh_copy(o->arena, start, n), outer, 0, count_axis(o->g, s), s};
    return id < o->n_repeats ? id : 0;
}

static bool is_carried(const lh_statement *repeat, const char *name) {
    for (int i = 0; repeat && i < repeat->n_bindings; i++)
        if (strcmp(repeat->binding[i].name, name) == 0) return true;
    return false;
}

/* What is carried exists once more than there are turns. */
static void count_turns(lh_outline *o) {
    const lh_graph *g = o->g;
    for (int i = 0; i < g->n_steps; i++) {
        const lh_scope *s = lh_repeat_around(g->step[i]->scope);
        if (!s) continue;
        int k = repeat_of(o, s);
        if (lh_failed(g->ctx)) return;
        lh_turns *t = &o->repeat[k];
        int turns = s->turn + !(t->from && t->from->n_bindings);
        if (turns > t->n) t->n = turns;
    }
    for (int i = 0; i < o->n_repeats; i++) {
        lh_turns *t = &o->repeat[i];
        if (t->axis >= 0 && (int)g->axis[t->axis].n != t->n) t->axis = -1;
    }
}

/* A path without that of the turn. What stands in `next X` has the path of the next turn: h[10].X.relu made in h[9]. */
static const char *name_in(const lh_scope *turn, const char *path) {
    const char *around = turn->outer->path;
    const char *dot = strchr(path + strlen(around) + (around[0] != 0), '.');
    return dot ? dot + 1 : path;
}

/* next X of turn 2 is h[3].X. The start of X, and what comes back from behind the last turn, stand outside. */
lh_home lh_outline_home(lh_outline *o, const lh_step *s) {
    const lh_scope *turn = lh_repeat_around(s->scope);
    lh_home h = {-1, 0, NULL, s->path, NULL};
    bool is_next = false;
    if (turn) {
        int k = repeat_of(o, turn);
        const lh_turns *t = &o->repeat[k];
        bool carried =
            s->scope == turn && s->kind == LH_STEP_FORWARD && is_carried(t->from, s->name);
        bool is_back = s->kind == LH_STEP_GRADIENT || s->kind == LH_STEP_PART;
        is_next = carried && turn->turn > 0;
        bool outside = (carried && !is_next) || (is_back && turn->turn == t->n);
        if (outside) turn = lh_repeat_around(turn->outer);
        h.repeat = turn ? repeat_of(o, turn) : -1;
    }
    if (turn) {
        h.turn = turn->turn - is_next;
        h.turns_in = turn->outer;
        h.name = name_in(turn, s->path);
    }
    if (is_next) h.name = lh_printf(o->arena, "next %s", h.name);
    size_t n = strlen(h.name);
    if (s->kind == LH_STEP_UPDATE && n > 2 && strcmp(h.name + n - 2, ":=") == 0)
        h.name = lh_printf(o->arena, "%.*s :=", (int)n - 2, h.name);
    h.key = lh_printf(o->arena, "%d %s", h.repeat, h.name);
    return h;
}

lh_outline *lh_outline_new(lh_graph *g, lh_arena *a) {
    size_t nodes = (size_t)g->n_nodes + 1, steps = (size_t)g->n_steps + 1;
    lh_outline *o = lh_alloc(a, sizeof *o);
    *o = (lh_outline){.g = g,
                      .arena = a,
                      .is_needed = lh_alloc_array(a, nodes, sizeof(bool)),
                      .leads_to_update = lh_alloc_array(a, nodes, sizeof(bool)),
                      .is_behind = lh_alloc_array(a, nodes, sizeof(bool)),
                      .is_shared = lh_alloc_array(a, nodes, sizeof(bool)),
                      .is_shown = lh_alloc_array(a, steps, sizeof(bool)),
                      .is_plain = lh_alloc_array(a, nodes, sizeof(bool)),
                      .owner = lh_alloc_array(a, nodes, sizeof *o->owner),
                      .seen_node = lh_alloc_array(a, nodes, sizeof *o->seen_node),
                      .seen_step = lh_alloc_array(a, steps, sizeof *o->seen_step)};
    if (!o->is_needed || !o->leads_to_update || !o->is_behind || !o->is_plain || !o->is_shared ||
        !o->is_shown || !o->owner || !o->seen_node || !o->seen_step || lh_failed(g->ctx))
        return NULL;
    find_needed(o);
    find_behind(o);
    find_owners(o);
    find_plain(o);
    count_turns(o);
    return lh_failed(g->ctx) ? NULL : o;
}
