#include "pages/page_address.h"

#include "explain/explain.h"

/* What training does not change has one address at all steps. */
static bool is_fixed(const lh_node *n) {
    return n->kind == LH_OP_input || n->kind == LH_OP_size || (n->given && !n->given->renewed);
}

static const lh_step *meant(const lh_step *s, int *step) {
    if (is_fixed(s->node)) *step = 0;
    if (s->kind != LH_STEP_UPDATE || !s->of) return s;
    (*step)++;
    return s->of;
}

static const char *write_address(lh_arena *a, const lh_addressed *from, const lh_step *s,
                                 lh_cell at, bool has_cell) {
    lh_text t = lh_text_new(a);
    int step = from->step;
    const lh_node *n = s->node;
    const lh_numbers *x = from->numbers;
    lh_sizes z = x ? x->sizes(x->from, n, at.example) : lh_exact.sizes(from->plan, n, at.example);
    bool many = n->shape.is_batched && (x ? x->examples : lh_exact.examples(from->plan)) > 1;
    s = meant(s, &step);
    lh_text_add(&t, "%s%s", from->program, s->path);
    if (many && z.heads > 1)
        lh_text_add(&t, "{example %d, head %d}", at.example, at.head);
    else if (many)
        lh_text_add(&t, "{example %d}", at.example);
    else if (z.heads > 1)
        lh_text_add(&t, "{head %d}", at.head);
    if (has_cell && z.rows > 1) lh_text_add(&t, "[%d]", at.row);
    if (has_cell && z.cols > 1) lh_text_add(&t, "[%d]", at.col);
    if (step > 0) lh_text_add(&t, "@%d", step);
    return t.s;
}

const char *lh_address_of_step(lh_arena *a, const lh_addressed *from, const lh_step *s,
                               lh_cell at) {
    return write_address(a, from, s, at, true);
}

const char *lh_address_of(lh_arena *a, const lh_addressed *from, const lh_node *n, lh_cell at) {
    return n->step ? write_address(a, from, n->step, at, true) : NULL;
}

const char *lh_address_of_matrix(lh_arena *a, const lh_addressed *from, const lh_step *s,
                                 int example, int head) {
    return write_address(a, from, s, (lh_cell){example, head, 0, 0}, false);
}
