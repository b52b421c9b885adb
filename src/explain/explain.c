#include "explain/explain.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { MANY_TERMS = 8, SHOWN_TERMS = 3, MAX_LINES = 20000 };

const char *lh_axis_label(const lh_graph *g, const lh_plan *p, int axis, int example, int at) {
    const lh_axis *a = &g->axis[axis];
    (void)p;
    if (a->vocab) return at < a->vocab->n_words ? a->vocab->word[at] : NULL;
    if (a->n || a->input < 0 || example >= g->n_examples) return NULL;
    const lh_example_value *v = &g->example[example]->value[a->input];
    const lh_vocab *vocab = g->input[a->input]->vocab;
    if (!v->cells || at >= v->rows || !vocab) return NULL;
    int word = (int)v->cells[at];
    return word >= 0 && word < vocab->n_words ? vocab->word[word] : NULL;
}

/* P[1][0], m[1] for a column, logits[2] for a row, loss for one number. */
const char *lh_cell_text(lh_explainer *x, const lh_node *n, lh_cell at) {
    lh_text t = lh_text_new(x->arena);
    lh_sizes s = lh_explain_sizes(x, n, at.example);
    if (n->step)
        lh_text_add(&t, "%s", lh_step_label(x->g, n->step, x->from));
    else
        lh_node_print_as(&t, n, x->from, LH_BIND_POSTFIX);
    bool many_examples = n->shape.is_batched && lh_explain_examples(x) > 1;
    if (many_examples && s.heads > 1)
        lh_text_add(&t, "{example %d, head %d}", at.example, at.head);
    else if (many_examples)
        lh_text_add(&t, "{example %d}", at.example);
    else if (s.heads > 1)
        lh_text_add(&t, "{head %d}", at.head);
    if (s.rows > 1 || (s.rows > 1 && s.cols > 1)) lh_text_add(&t, "[%d]", at.row);
    if (s.cols > 1) lh_text_add(&t, "[%d]", at.col);
    return t.s;
}

static void print_number(lh_text *out, double x, int digits) {
    char buffer[64];
    lh_text_add(out, "%s", lh_number_text(buffer, sizeof buffer, x, digits));
}

typedef struct printer {
    lh_explainer *x;
    lh_text *out;
    bool numbers, all_terms;
    int digits;
    bool is_lost; /* beside the other terms of a sum, this one changes no digit of it */
} printer;

static void print_term(const printer *p, const lh_term *t, int binding);

static int by_size(const void *a, const void *b) {
    double x = fabs((*(lh_term *const *)a)->value), y = fabs((*(lh_term *const *)b)->value);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Part i of a sum. */
static void print_part(const printer *p, lh_term *const *part, int n, int i, int binding) {
    printer of = *p;
    double largest = 0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(part[k]->value));
    of.is_lost = lh_number_without_dust(part[i]->value, largest) == 0;
    print_term(&of, part[i], binding);
}

/* What is divided, raised to a power or handed to a function counts, however small it is. */
static void print_operand(const printer *p, const lh_term *t, int binding) {
    printer of = *p;
    of.is_lost = false;
    print_term(&of, t, binding);
}

/* A long sum: its largest terms, and what the others come to. */
static void print_long_sum(const printer *p, const lh_term *t) {
    lh_term **sorted = lh_alloc_array(p->x->arena, (size_t)t->n_parts, sizeof *sorted);
    if (!sorted) return;
    memcpy(sorted, t->part, (size_t)t->n_parts * sizeof *sorted);
    qsort(sorted, (size_t)t->n_parts, sizeof *sorted, by_size);
    double rest = 0;
    for (int i = 0; i < t->n_parts; i++) {
        if (i >= SHOWN_TERMS) {
            rest += sorted[i]->value;
            continue;
        }
        if (i) lh_text_add(p->out, " + ");
        print_part(p, sorted, t->n_parts, i, LH_BIND_SUM + 1);
    }
    lh_text_add(p->out, " + %d more", t->n_parts - SHOWN_TERMS);
    if (!p->numbers) return;
    lh_text_add(p->out, " (");
    print_number(p->out, rest, p->digits);
    lh_text_add(p->out, ")");
}

static void print_sum(const printer *p, const lh_term *t) {
    if (t->n_parts > MANY_TERMS && !p->all_terms) {
        print_long_sum(p, t);
        return;
    }
    if (t->n_parts == 0) lh_text_add(p->out, "0");
    for (int i = 0; i < t->n_parts; i++) {
        if (i) lh_text_add(p->out, " + ");
        print_part(p, t->part, t->n_parts, i, LH_BIND_SUM + 1);
    }
}

/* What rounding left of a 0 is 0, as where the whole step is printed; but only in a sum that does not show it: 1 / 6.6e-36 is not 1 / 0. */
static double without_dust(const printer *p, const lh_term *t) {
    const double small = 1e-10; /* not every number is worth a look at all the others */
    if (!p->is_lost || t->kind != LH_TERM_CELL || t->value == 0 || !(fabs(t->value) < small))
        return t->value;
    const lh_sizes s = lh_explain_sizes(p->x, t->node, t->at.example);
    lh_cell at = t->at;
    double largest = 0;
    for (at.head = 0; at.head < s.heads; at.head++)
        for (at.row = 0; at.row < s.rows; at.row++)
            for (at.col = 0; at.col < s.cols; at.col++)
                largest = fmax(largest, fabs(lh_explain_value(p->x, t->node, at)));
    return lh_number_without_dust(t->value, largest);
}

/* pi, step, "thank": what stands for a number in the formula, and not among the numbers. */
static bool is_word(const lh_term *t) {
    return t->sign[0] == '"' || (isalpha((unsigned char)t->sign[0]) && isfinite(t->value));
}

static void print_leaf(const printer *p, const lh_term *t, int binding) {
    if (t->kind == LH_TERM_NUMBER && t->sign && !(p->numbers && is_word(t))) {
        lh_text_add(p->out, t->sign[0] == '-' && binding > LH_BIND_SUM ? "(%s)" : "%s", t->sign);
        return;
    }
    if (!p->numbers && t->kind == LH_TERM_CELL) {
        lh_text_add(p->out, "%s", lh_cell_text(p->x, t->node, t->at));
        return;
    }
    const double value = without_dust(p, t);
    bool brackets = value < 0 && binding > LH_BIND_SUM;
    if (brackets) lh_text_add(p->out, "(");
    print_number(p->out, value, p->digits);
    if (brackets) lh_text_add(p->out, ")");
}

static void print_term(const printer *p, const lh_term *t, int binding) {
    if (t->kind == LH_TERM_CELL || t->kind == LH_TERM_NUMBER) {
        print_leaf(p, t, binding);
        return;
    }
    bool brackets = t->binding < binding && t->kind != LH_TERM_CALL && t->kind != LH_TERM_CHOICE;
    if (t->kind == LH_TERM_SUM && t->n_parts == 1) {
        print_term(p, t->part[0], binding);
        return;
    }
    if (brackets) lh_text_add(p->out, "(");
    switch (t->kind) {
    case LH_TERM_INFIX:
        for (int i = 0; i < 2; i++) {
            const int own = i                             ? t->binding + 1
                            : t->binding == LH_BIND_POWER ? LH_BIND_POSTFIX
                                                          : t->binding;
            if (i) lh_text_add(p->out, t->binding >= LH_BIND_POWER ? "%s" : " %s ", t->sign);
            if (t->binding == LH_BIND_SUM)
                print_part(p, t->part, 2, i, own);
            else if (t->sign[0] == '*')
                print_term(p, t->part[i], own);
            else
                print_operand(p, t->part[i], own);
        }
        break;
    case LH_TERM_PREFIX:
        lh_text_add(p->out, "%s", t->sign);
        print_term(p, t->part[0], LH_BIND_POWER);
        break;
    case LH_TERM_CALL:
        lh_text_add(p->out, "%s(", t->sign);
        for (int i = 0; i < t->n_parts; i++) {
            if (i) lh_text_add(p->out, ", ");
            if (i == MANY_TERMS && !p->all_terms && t->n_parts > MANY_TERMS + 1) {
                lh_text_add(p->out, "%d more", t->n_parts - i);
                break;
            }
            print_operand(p, t->part[i], 0);
        }
        lh_text_add(p->out, ")");
        break;
    case LH_TERM_SUM: print_sum(p, t); break;
    case LH_TERM_CHOICE: print_term(p, t->part[0], binding); break;
    default: break;
    }
    if (brackets) lh_text_add(p->out, ")");
}

const char *lh_term_text(lh_explainer *x, const lh_term *t, bool numbers, int digits,
                         bool all_terms) {
    lh_text out = lh_text_new(x->arena);
    print_term(&(printer){x, &out, numbers, all_terms, digits, false}, t, 0);
    return out.s;
}

lh_term *lh_explain_node(lh_explainer *x, const lh_node *n, lh_cell at) {
    const bool is_size = n->kind == LH_OP_size && n->step; /* size dim = 4 */
    const char *given =
        n->kind == LH_OP_given || n->kind == LH_OP_input || is_size ? "given" : NULL;
    if (given || !n->op->explain) return lh_term_number(x, lh_explain_value(x, n, at), given);
    x->n_opened = 0;
    lh_term *t = n->op->explain(x, n, at);
    t->value = lh_explain_value(x, n, at);
    return t;
}

/* ---- the lines of an explanation ---- */

typedef struct teller {
    lh_explainer x;
    lh_explanation *e;
    lh_explain_how how;
    int digits;
    unsigned char *told; /* for each node: its body line has been told */
    lh_cell *seen_at;    /* deep: cells told already, a table of node and cell */
    const lh_node **seen;
    size_t n_seen, cap_seen;
    struct telling *open; /* lines that were begun, each inside the one before */
    int n_open, cap_open;
} teller;

static const char *note_of(const lh_term *term) {
    if (term->kind == LH_TERM_CHOICE) return term->sign;
    for (int i = 0; i < term->n_parts && i < 8; i++) {
        const char *note = note_of(term->part[i]);
        if (note) return note;
    }
    return NULL;
}

static void add_line(teller *t, const lh_node *n, const lh_node *shown_as, lh_cell at,
                     const lh_term *term, int depth) {
    lh_explanation *e = t->e;
    if (e->n_lines >= MAX_LINES) return;
    lh_line *line = lh_push(e->arena, e->line, e->n_lines);
    *line = (lh_line){.depth = depth, .node = n, .shown = shown_as, .at = at, .term = term};
    line->value = term->value;
    line->note = note_of(term);
    line->label = lh_cell_text(&t->x, shown_as, at);
    line->formula = lh_term_text(&t->x, term, false, t->digits, t->how.all_terms);
    line->numbers = lh_term_text(&t->x, term, true, t->digits, t->how.all_terms);
}

const char *lh_line_between(const lh_line *l, const char *value) {
    bool is_said = strcmp(l->numbers, value) == 0 || strcmp(l->numbers, l->formula) == 0;
    return is_said ? "" : l->numbers;
}

/* Lines of the same call or rule come first, each once: m, e, s, then the result. */
static bool is_line_of(const lh_node *n, const lh_scope *scope) {
    return n->step && n->step->scope == scope &&
           (n->step->kind == LH_STEP_BODY || n->step->kind == LH_STEP_RULE) &&
           n->kind != LH_OP_given;
}

static size_t seen_slot(const teller *t, const lh_node *n, lh_cell at) {
    size_t h = (size_t)n->id * 2654435761u + (size_t)at.example * 97u + (size_t)at.head * 193u +
               (size_t)at.row * 769u + (size_t)at.col * 1543u;
    for (h &= t->cap_seen - 1; t->seen[h]; h = (h + 1) & (t->cap_seen - 1))
        if (t->seen[h] == n && memcmp(&t->seen_at[h], &at, sizeof at) == 0) break;
    return h;
}

/* Is this the first time that the cell is asked for? Remembers it. */
static bool is_news(teller *t, const lh_node *n, lh_cell at) {
    if (t->n_seen * 2 >= t->cap_seen) {
        teller old = *t;
        t->cap_seen = old.cap_seen ? old.cap_seen * 2 : 256;
        t->seen = lh_alloc_array(t->e->arena, t->cap_seen, sizeof *t->seen);
        t->seen_at = lh_alloc_array(t->e->arena, t->cap_seen, sizeof *t->seen_at);
        if (!t->seen || !t->seen_at) {
            *t = old;
            return false;
        }
        for (size_t i = 0; i < old.cap_seen; i++)
            if (old.seen[i]) {
                size_t k = seen_slot(t, old.seen[i], old.seen_at[i]);
                t->seen[k] = old.seen[i];
                t->seen_at[k] = old.seen_at[i];
            }
    }
    size_t k = seen_slot(t, n, at);
    if (t->seen[k]) return false;
    t->seen[k] = n;
    t->seen_at[k] = at;
    t->n_seen++;
    return true;
}

static bool is_given(const lh_node *n) {
    return n->kind == LH_OP_given || n->kind == LH_OP_input || n->kind == LH_OP_number ||
           n->kind == LH_OP_size || n->kind == LH_OP_matrix;
}

/* ---- which lines, and in which order ----
 *
 * A line is made of cells. Plainly, the lines of the same call come before the line that reads them; deep, every operand comes
 * below it. A program may have thousands of steps, one made of the other: what is still to be told stands in a list of our
 * own, not on the stack. */

/* A line that was begun. */
typedef struct telling {
    const lh_node *n, *shown_as;
    lh_cell at;
    const lh_term *term;
    const lh_scope *from; /* names are seen from here again when it ends */
    int depth;
    const lh_term **cell; /* what it reads, in the order of its formula */
    int n_cells, next;
} telling;

static void gather_cells(teller *t, telling *l, const lh_term *term) {
    if (term->kind == LH_TERM_CELL) *lh_push(t->e->arena, l->cell, l->n_cells) = term;
    for (int i = 0; i < term->n_parts; i++) gather_cells(t, l, term->part[i]);
}

/* Given numbers stand in the line above already; every other cell is told once. */
static bool is_told_next(teller *t, const telling *l, const lh_term *cell) {
    if (t->how.deep) return !is_given(cell->node) && is_news(t, cell->node, cell->at);
    if (!is_line_of(cell->node, l->n->scope) || t->told[cell->node->id]) return false;
    t->told[cell->node->id] = 1;
    return true;
}

static void add_told(teller *t, const telling *l) {
    t->x.from = l->n->scope;
    add_line(t, l->n, l->shown_as, l->at, l->term, l->depth);
}

static bool is_enough(const teller *t) {
    return t->e->n_lines >= MAX_LINES || lh_failed(t->x.g->ctx);
}

/* For one more line that is begun. */
static bool has_room(teller *t) {
    if (t->n_open < t->cap_open) return true;
    const int cap = t->cap_open ? 2 * t->cap_open : 64;
    telling *more = lh_alloc_array(t->e->arena, (size_t)cap, sizeof *more);
    if (!more) return false;
    if (t->n_open) memcpy(more, t->open, (size_t)t->n_open * sizeof *more);
    t->open = more;
    t->cap_open = cap;
    return true;
}

static void begin_line(teller *t, const lh_node *n, lh_cell at, int depth) {
    telling l = {.shown_as = n, .at = at, .depth = depth, .from = t->x.from};
    if (is_enough(t)) return;
    while (n->kind == LH_OP_call) n = n->call->result; /* a call is told by its last line */
    l.n = n;
    t->x.from = n->scope;
    l.term = lh_explain_node(&t->x, n, at);
    gather_cells(t, &l, l.term);
    if (t->how.deep) add_told(t, &l);
    if (has_room(t)) t->open[t->n_open++] = l;
}

static void tell(teller *t, const lh_node *n, lh_cell at) {
    begin_line(t, n, at, 0);
    while (t->n_open && !lh_failed(t->x.g->ctx)) {
        telling *l = &t->open[t->n_open - 1];
        if (l->next < l->n_cells) {
            const lh_term *cell = l->cell[l->next++];
            t->x.from = l->n->scope;
            if (is_told_next(t, l, cell))
                begin_line(t, cell->node, cell->at, l->depth + t->how.deep);
            continue;
        }
        if (!t->how.deep && !is_enough(t)) add_told(t, l);
        t->x.from = l->from;
        t->n_open--;
    }
}

static const char *label_of(const lh_explainer *x, int axis, int example, int at) {
    return x->numbers ? x->numbers->label(x->numbers->from, axis, at)
                      : lh_axis_label(x->g, x->plan, axis, example, at);
}

static const char *where_in_words(teller *t, const lh_node *n, lh_cell at) {
    const char *row = label_of(&t->x, n->shape.rows, at.example, at.row);
    const char *col = label_of(&t->x, n->shape.cols, at.example, at.col);
    if (row && col)
        return lh_printf(t->e->arena, "row %d (%s), column %d (%s)", at.row, row, at.col, col);
    if (row) return lh_printf(t->e->arena, "row %d (%s)", at.row, row);
    if (col) return lh_printf(t->e->arena, "column %d (%s)", at.col, col);
    return "";
}

/* The program, run up to the asked step of training. What := makes in step t is what step t + 1 begins with, and what it saw is
 * the batch of step t. */
static bool run_to(teller *t, const lh_node *n, int step, bool is_update, lh_moments *m) {
    lh_node *wanted[] = {(lh_node *)n};
    return lh_moments_open(m, t->x.g, &t->how.training, wanted, 1, step > 0 || is_update) &&
           lh_moments_to(m, step) && (!is_update || lh_moments_batch(m));
}

void lh_explanation_free(lh_explanation *e) {
    if (e) lh_arena_free(e->arena);
}

static void explain_all(teller *t, lh_step *s, const lh_node *n, int step) {
    lh_explanation *e = t->e;
    lh_moments own = {0};
    const bool has_numbers = t->how.plan || t->how.numbers, is_update = n != s->node;
    if (!has_numbers && !run_to(t, n, step, is_update, &own)) {
        lh_moments_close(&own);
        return;
    }
    t->x.plan = t->how.plan ? t->how.plan : own.plan;
    t->x.numbers = t->how.numbers;
    if ((t->x.plan || has_numbers) && lh_explain_cell(&t->x, &e->address, n, &e->at)) {
        e->step = s;
        e->value = lh_explain_value(&t->x, n, e->at);
        e->where = where_in_words(t, n, e->at);
        t->x.from = n->scope;
        tell(t, n, e->at);
    }
    lh_moments_close(&own);
}

lh_explanation *lh_explain(lh_graph *g, const char *address, const lh_explain_how *how) {
    lh_address a;
    if (lh_failed(g->ctx) || !lh_address_parse(g->ctx, address, &a)) return NULL;
    lh_step *s = lh_address_find(g, &a);
    if (!s) return NULL;
    lh_arena *arena = lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_explanation *e = lh_alloc(arena, sizeof *e);
    *e = (lh_explanation){.arena = arena, .address = a};
    teller t = {.x = {.g = g, .arena = arena}, .e = e, .how = how ? *how : (lh_explain_how){0}};
    t.digits = t.how.digits ? t.how.digits : 6;
    t.told = lh_alloc_array(arena, (size_t)g->n_nodes + 1, 1);
    const lh_node *n = s->node;
    int step = a.step;
    if (n->kind == LH_OP_given && a.step > 0 && n->given->renewed) n = n->given->renewed, step--;
    e->moment = step;
    if (t.told) explain_all(&t, s, n, step);
    if (!lh_failed(g->ctx)) return e;
    lh_explanation_free(e);
    return NULL;
}
