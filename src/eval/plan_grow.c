/* plan_grow -- an input that becomes longer, row by row: which works are done once, what is kept of earlier rows.
 *
 * A row of the result may be made alone where every step on the way makes its rows from the same rows of its operands,
 * or is an attention that looks at earlier rows only and keeps their keys and values. What does not depend on the
 * growing input (an encoder, and the keys and values that are made of it) is found once.
 */
#include "eval/plan.h"

bool lh_plan_axis_grows(const lh_graph *g, int axis) {
    const lh_axis *a = &g->axis[axis];
    if (a->n) return false;
    if (a->input >= 0) return a->input == g->generate->input;
    return a->how && (lh_plan_axis_grows(g, a->part[0]) || lh_plan_axis_grows(g, a->part[1]));
}

/* Everything that the growing input leads to. */
static void find_once(lh_plan *p) {
    const lh_graph *g = p->g;
    for (int i = 0; i < p->n_nodes; i++) {
        lh_plan_value *v = &p->value[i];
        const lh_node *n = g->node[i];
        bool depends = n->kind == LH_OP_input && n->input == g->generate->input;
        depends |= lh_plan_axis_grows(g, n->shape.rows) || lh_plan_axis_grows(g, n->shape.cols);
        for (int k = 0; k < n->n_in && !v->match; k++) depends |= !p->value[n->in[k]->id].is_once;
        for (int k = 0; v->match && k < v->match->n_leaves; k++) {
            const lh_node *leaf = lh_match_leaf(v->match, k);
            depends |= leaf && !p->value[leaf->id].is_once;
        }
        if (lh_node_meaning(n) && !v->match) depends |= !p->value[lh_node_meaning(n)->id].is_once;
        v->is_once = !depends;
        if (v->is_once && v->role == MADE) v->lasts = true;
    }
}

/* A column on its side: [n x 1] as a row, for an attention to read. */
static bool is_row_of_each(const lh_graph *g, const lh_node *n) {
    return n->kind == LH_OP_transpose && lh_axis_is_one(g, n->in[0]->shape.cols);
}

static bool is_prevented(const lh_plan *p, const lh_node *n) {
    const lh_graph *g = p->g;
    const lh_plan_value *v = &p->value[n->id];
    if ((v->role != MADE && v->role != VIEW) || v->is_once || v->same) return false;
    if (v->match && v->match->kernel->keeps)
        return lh_plan_axis_grows(g, v->match->leaf[1]->shape.rows) &&
               !v->match->kernel->may_grow(v->match);
    if (is_row_of_each(g, n)) return false;
    if (lh_plan_axis_grows(g, n->shape.cols) || lh_plan_axis_grows(g, n->shape.heads)) return true;
    if (n->op->rows != LH_ROWS_ALL || n->kind == LH_OP_last) return false;
    for (int k = 0; k < n->n_in; k++)
        if (lh_plan_axis_grows(g, n->in[k]->shape.rows)) return true;
    return false;
}

bool lh_plan_grow(lh_plan *p) {
    lh_graph *g = p->g;
    if (!g->generate) {
        lh_fail(g->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
                "the program does not say what is generated");
        lh_cure(g->ctx, "generate tokens from logits");
        return false;
    }
    for (int i = 0; i < p->n_nodes; i++) p->value[i].is_once = false;
    find_once(p);
    for (int i = 0; i < p->n_nodes && !p->prevents; i++)
        if (is_prevented(p, g->node[i])) p->prevents = g->node[i];
    for (int i = 0; p->prevents && i < p->n_nodes; i++) p->value[i].is_once = false;
    return true;
}
