#include "learn/paper_lines.h"

#include "graph/op.h"

enum { DEEPEST = 2000 };

/* Every name in a formula of the sheet is given, asked or has a line of its own, before what uses it, once in each moment. */
typedef struct writer {
    lh_paper *p;
    lh_paper_step *s;
    const lh_step *asked; /* the lines are for this step */
    bool *is_seen;
    int depth;
} writer;

const char *lh_paper_formula(const lh_paper *p, const lh_step *step) {
    lh_text t = lh_text_new(p->arena);
    lh_node_print_inside(&t, step->node, step->scope);
    return t.s;
}

/* The program, or one turn of a repeat: names are short within it. */
static const lh_scope *turn_of(const lh_scope *s) {
    while (s->outer && s->kind != LH_SCOPE_TOP && s->kind != LH_SCOPE_REPEAT) s = s->outer;
    return s;
}

static bool is_in_rule(const lh_scope *s) {
    for (; s && s->kind != LH_SCOPE_TOP && s->kind != LH_SCOPE_REPEAT; s = s->outer)
        if (s->kind == LH_SCOPE_RULE) return true;
    return false;
}

/* Lines of a call are short among themselves. Those of another turn, or of the way back, are read elsewhere too: in full. */
static lh_working *add_line(writer *w, const lh_step *line, const lh_node *n,
                            const lh_scope *from) {
    const lh_scope *turn = turn_of(w->asked->scope);
    if (turn_of(from) != turn || is_in_rule(from)) from = turn;
    lh_text formula = lh_text_new(w->p->arena);
    lh_node_print_inside(&formula, n, from);
    bool is_update = line->kind == LH_STEP_UPDATE && line->of;
    lh_working *x = lh_push(w->p->arena, w->s->inside, w->s->n_inside);
    *x = (lh_working){.label = lh_step_label(w->p->g, is_update ? line->of : line, from),
                      .formula = formula.s,
                      .numbers = "",
                      .value = "",
                      .path = line->path,
                      .is_update = is_update};
    return x;
}

/* P = softmax(Z) is opened by its lines, and the last of them is P = e / s. */
static void add_step(writer *w, const lh_step *line) {
    const lh_node *n = line->node;
    if (n->kind == LH_OP_renew) n = n->in[0];
    if (n->kind == LH_OP_call && n->call->fn->n_body > 1)
        add_line(w, line, n->call->result, n->call->result->scope)->is_result = true;
    else if (line != w->asked)
        add_line(w, line, line->node, line->scope);
}

static bool is_asked(const writer *w, const lh_step *line, bool is_inner) {
    const lh_sheet *s = w->p->sheet;
    for (int i = 0; i < s->n_asks; i++)
        if (s->ask[i].step == line && (!is_inner || s->ask[i].moment == w->s->moment)) return true;
    return false;
}

static void write_lines(writer *w, const lh_node *n) {
    const lh_step *line = n->step;
    bool is_inner = line && lh_step_is_inner(line), is_named = line && !is_inner;
    if (w->is_seen[n->id] || w->depth > DEEPEST) return;
    w->is_seen[n->id] = true;
    if (line && line->kind == LH_STEP_GIVEN) return;
    if (line && line != w->asked && is_asked(w, line, is_inner)) return;
    w->depth++;
    for (int i = 0; i < n->n_in; i++) write_lines(w, n->in[i]);
    if (n->kind == LH_OP_call) write_lines(w, n->call->result);
    w->depth--;
    if (is_named || (is_inner && n->kind == LH_OP_call && n->call->fn->n_body > 1))
        add_step(w, line);
    else if (is_inner && line != w->asked && !lh_node_is_result_line(n))
        add_line(w, line, n, n->scope);
}

void lh_paper_lines(lh_paper *p, lh_paper_step *s, const lh_step *step, bool *is_seen) {
    writer w = {.p = p, .s = s, .asked = step, .is_seen = is_seen};
    is_seen[step->node->id] = false;
    write_lines(&w, step->node);
}
