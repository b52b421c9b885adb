/* practice_verdict -- what was entered, marked: the signs laid out as the matrix, and the words beside them. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "cli/practice_command.h"
#include "learn/advice.h"

enum { INDENT = LH_PRACTICE_INDENT, NAMED_CELLS = 3, SAMPLE = 60 };

typedef struct note {
    lh_verdict sign; /* LH_BLANK: none */
    const char *text;
} note;

typedef struct notes {
    note *list;
    int n;
} notes;

static void add_note(lh_practice_view *d, notes *n, lh_verdict sign, const char *text) {
    *lh_push(d->a, n->list, n->n) = (note){sign, text};
}

static lh_verdict verdict_at(const lh_practice_view *d, int ask, int k) {
    return d->p->marks->cell[d->p->sheet->ask[ask].first + k];
}

/* Z[1][0], Z[1][1] and Z[2][0]; the step's name when it is all of them, or too many. */
static const char *cells_with(lh_practice_view *d, int ask, lh_verdict v, int *count) {
    int n = d->p->sheet->ask[ask].n_cells, seen = 0;
    lh_text t = lh_text_new(d->a);
    *count = 0;
    for (int k = 0; k < n; k++) *count += verdict_at(d, ask, k) == v;
    if (*count > NAMED_CELLS || (*count == n && n > 1)) return lh_practice_view_ask(d, ask)->name;
    for (int k = 0; k < n; k++) {
        if (verdict_at(d, ask, k) != v) continue;
        lh_text_add(&t, "%s%s",
                    seen == 0            ? ""
                    : seen + 1 == *count ? " and "
                                         : ", ",
                    lh_paper_cell(d->p->paper, d->a, ask, k));
        seen++;
    }
    return t.s;
}

/* The rule with the numbers of one cell in it, and no result; NULL where there is nothing to see. */
static const char *sample(lh_practice_view *d, int ask, int k) {
    lh_explanation *e = lh_practice_explain(d->p, ask, k, 6);
    const char *text = NULL;
    if (e && e->n_lines) {
        const lh_line *l = &e->line[e->n_lines - 1];
        bool is_copy = strpbrk(l->numbers, "+*/(") == NULL && strchr(l->numbers + 1, '-') == NULL;
        if (!is_copy && lh_columns(l->numbers) <= SAMPLE)
            text = lh_printf(d->a, "%s = %s", l->label, l->numbers);
    }
    lh_explanation_free(e);
    return text;
}

static int last_large_cell(const lh_practice_view *d, int ask, int block) {
    const lh_answer_block *b = &lh_practice_view_ask(d, ask)->block[block];
    int first = b->first + (b->grid.rows - 1) * b->grid.cols, best = first;
    for (int k = first; k < first + b->grid.cols; k++)
        if (fabs(lh_sheet_exact(d->p->sheet, ask, k)) >
            fabs(lh_sheet_exact(d->p->sheet, ask, best)))
            best = k;
    return best;
}

static void note_mistakes(lh_practice_view *d, notes *out, int ask) {
    const lh_step_mark *m = &d->p->marks->step[ask];
    for (int i = 0; i < m->n_diagnoses; i++) {
        const lh_diagnosis *x = &m->diagnosis[i];
        const lh_step *line = lh_graph_step(d->p->sheet->g, x->where);
        const char *says = lh_diagnosis_text(d->a, x);
        if (i > 0)
            add_note(d, out, LH_BLANK, lh_printf(d->a, "or: %s", says));
        else if (line)
            add_note(d, out, LH_MISTAKE,
                     lh_printf(d->a, "check %s = %s. Known mistake: %s",
                               line->kind == LH_STEP_UPDATE ? line->of->path : line->path,
                               lh_step_formula(d->p->sheet->g, line), says));
        else
            add_note(d, out, LH_MISTAKE, lh_printf(d->a, "known mistake: %s", says));
    }
    if (!m->n_diagnoses) return;
    int k = 0;
    while (k + 1 < d->p->sheet->ask[ask].n_cells && verdict_at(d, ask, k) != LH_MISTAKE) k++;
    const char *rule = sample(d, ask, k);
    if (rule) add_note(d, out, LH_BLANK, rule);
}

static void note_slips(lh_practice_view *d, notes *out, int ask) {
    const lh_ask *q = &d->p->sheet->ask[ask];
    for (int k = 0, n = 0; k < q->n_cells && n < NAMED_CELLS; k++) {
        if (verdict_at(d, ask, k) != LH_SLIP) continue;
        add_note(d, out, LH_SLIP,
                 lh_printf(d->a, "check %s = %s: %s", lh_paper_cell(d->p->paper, d->a, ask, k),
                           lh_practice_view_number(d, d->p->text[q->first + k]),
                           d->p->marks->note[q->first + k]));
        n++;
    }
}

/* Where a slip began: the one cell of it, or the step. */
static const char *origin_text(lh_practice_view *d, int ask) {
    int n = d->p->sheet->ask[ask].n_cells, wrong = 0, cell = 0;
    for (int k = 0; k < n; k++) {
        lh_verdict v = verdict_at(d, ask, k);
        if (v != LH_BLANK && !lh_verdict_has_credit(v)) wrong++, cell = k;
    }
    return lh_printf(d->a, "%s in step %d",
                     wrong == 1 ? lh_paper_cell(d->p->paper, d->a, ask, cell)
                                : lh_practice_view_ask(d, ask)->name,
                     ask + 1);
}

static void note_wrong(lh_practice_view *d, notes *out, int ask) {
    int n;
    const lh_step_mark *m = &d->p->marks->step[ask];
    const lh_paper_step *s = lh_practice_view_ask(d, ask);
    const char *cells = cells_with(d, ask, LH_WRONG, &n);
    if (n)
        add_note(d, out, LH_WRONG,
                 lh_printf(d->a, "work %s out again: %s leads to %s", cells, s->formula,
                           n == 1 ? "another number" : "other numbers"));
    cells = cells_with(d, ask, LH_CANNOT, &n);
    if (n)
        add_note(d, out, LH_CANNOT,
                 m->origin >= 0
                     ? lh_printf(d->a, "correct %s first: this step cannot be computed from it",
                                 origin_text(d, m->origin))
                     : lh_printf(d->a,
                                 "correct the earlier steps first: they give no number for %s",
                                 cells));
    cells = cells_with(d, ask, LH_COARSE, &n);
    if (n)
        add_note(d, out, LH_COARSE,
                 lh_printf(d->a, "give %s: too few digits to judge %s", s->precision, cells));
    for (int i = 0; i < d->p->marks->n_remarks; i++)
        if (d->p->marks->remark[i].ask == ask)
            add_note(d, out, LH_WRONG, d->p->marks->remark[i].text);
    cells = cells_with(d, ask, LH_CARRIED, &n);
    if (n)
        add_note(d, out, LH_CARRIED,
                 lh_printf(d->a,
                           "work %s out: numbers that are all equal or copied get no credit, "
                           "but later steps may use them",
                           cells));
}

static void note_credit(lh_practice_view *d, notes *out, int ask, int block) {
    int n;
    const lh_step_mark *m = &d->p->marks->step[ask];
    const lh_paper_step *s = lh_practice_view_ask(d, ask);
    lh_step_state state = lh_practice_state(d->p, ask);
    cells_with(d, ask, LH_FOLLOWS, &n);
    if (n && m->origin >= 0)
        add_note(d, out, LH_FOLLOWS,
                 lh_printf(d->a, "%s from your %s, carried on correctly: full credit",
                           n == 1 ? "follows" : "follow", origin_text(d, m->origin)));
    cells_with(d, ask, LH_EARLY, &n);
    if (d->p->marks->too_early == ask)
        add_note(d, out, LH_EARLY,
                 "rounded too early: keep at least as many digits as you write down; full credit");
    else if (n)
        add_note(d, out, LH_EARLY, "rounded on the way: full credit");
    if (m->other_way)
        add_note(d, out, LH_OTHER_WAY, lh_printf(d->a, "%s: full credit", m->other_way->says));
    cells_with(d, ask, LH_LAST_DIGIT, &n);
    if (n) add_note(d, out, LH_LAST_DIGIT, "one off in the last digit: full credit");
    if (m->few_digits) add_note(d, out, LH_RIGHT, lh_printf(d->a, "right; give %s", s->precision));
    if (state == LH_STATE_DONE && d->p->step[ask].verdict != LH_FOLLOWS) {
        const char *why = *s->comment ? s->comment : sample(d, ask, last_large_cell(d, ask, block));
        add_note(d, out, LH_RIGHT, why ? lh_printf(d->a, "right: %s", why) : "right");
    }
    if (state == LH_STATE_PARTLY)
        add_note(d, out, LH_BLANK,
                 lh_printf(d->a, "right so far; %d number%s to go", m->n_blank,
                           m->n_blank == 1 ? "" : "s"));
}

/* A row of marks: ✓ 0.1697  ✗ 0.2912, or the signs alone where that is too wide. */
static int marks_width(lh_practice_view *d, int ask, const lh_answer_block *b, int *column) {
    int total = 0;
    for (int c = 0; c < b->grid.cols; c++) {
        column[c] = 0;
        for (int r = 0; r < b->grid.rows; r++) {
            int k = b->first + r * b->grid.cols + c;
            int w =
                lh_columns(lh_practice_view_number(d, d->p->text[d->p->sheet->ask[ask].first + k]));
            if (w > column[c]) column[c] = w;
        }
        total += column[c] + 2 + (c ? 3 : 0);
    }
    if (total + INDENT <= d->cli->width) return total;
    for (int c = 0; c < b->grid.cols; c++) column[c] = -1;
    return b->grid.cols * 2 - 1;
}

/* Returns how many columns of the last cell are empty. */
static int print_row(lh_practice_view *d, int ask, const lh_answer_block *b, int row,
                     const int *column) {
    int left = 0;
    printf("%*s", INDENT, "");
    for (int c = 0; c < b->grid.cols; c++) {
        int k = b->first + row * b->grid.cols + c;
        lh_verdict v = verdict_at(d, ask, k);
        const char *text = lh_practice_view_number(d, d->p->text[d->p->sheet->ask[ask].first + k]);
        if (c) printf(column[c] < 0 ? " " : "   ");
        lh_ink_print(d->cli, stdout, lh_practice_view_ink(v), "%s", lh_practice_view_mark(v));
        if (column[c] < 0) continue;
        left = column[c] - lh_columns(text);
        printf(" %s%*s", text, c + 1 < b->grid.cols ? left : 0, "");
    }
    return left;
}

static void print_note(lh_practice_view *d, const note *n, int indent) {
    bool has_sign = n->sign != LH_BLANK;
    lh_ink_print(d->cli, stdout, lh_practice_view_ink(n->sign), "%s ",
                 has_sign ? lh_practice_view_mark(n->sign) : " ");
    lh_wrap(stdout, d->cli->width, indent + 2, n->text);
}

/* The words stand beside the rows while they fit, and below them from the first that does not. */
static void print_block(lh_practice_view *d, int ask, const lh_answer_block *b, bool has_title,
                        const notes *words) {
    int *column = lh_alloc_array(d->a, (size_t)b->grid.cols + 1, sizeof *column), used = 0;
    if (!column) return;
    int width = marks_width(d, ask, b, column);
    if (has_title && *b->title) lh_practice_view_quiet(d, INDENT, b->title);
    for (int r = 0; r < b->grid.rows; r++) {
        int left = print_row(d, ask, b, r, column);
        int indent = INDENT + width + 4;
        if (used == r && used < words->n && indent < d->cli->width / 2 + 8 &&
            indent + 2 + lh_columns(words->list[used].text) <= d->cli->width) {
            printf("%*s", left + 4, "");
            print_note(d, &words->list[used++], indent);
        } else {
            putchar('\n');
        }
    }
    for (; used < words->n; used++) {
        printf("%*s", INDENT, "");
        print_note(d, &words->list[used], INDENT);
    }
}

void lh_practice_view_verdict(lh_practice_view *d, const lh_entered *e) {
    const lh_paper_step *s = lh_practice_view_ask(d, e->ask);
    notes words = {0}, none = {0};
    note_mistakes(d, &words, e->ask);
    note_slips(d, &words, e->ask);
    note_wrong(d, &words, e->ask);
    note_credit(d, &words, e->ask, e->block);
    const lh_answer_block *b = &s->block[e->block];
    bool is_all = e->n > b->grid.rows * b->grid.cols;
    for (int i = is_all ? 0 : e->block; i < (is_all ? s->n_blocks : e->block + 1); i++)
        print_block(d, e->ask, &s->block[i], is_all || e->ask != d->p->at,
                    is_all && i + 1 < s->n_blocks ? &none : &words);
    if (lh_practice_state(d->p, e->ask) != LH_STATE_WRONG) return;
    lh_ink_print(d->cli, stdout, LH_INK_QUIET, "%*sh hint   n next   ? help\n", INDENT + 2, "");
}

void lh_practice_view_changes(lh_practice_view *d) {
    for (int i = 0; i < d->p->n_changes; i++) {
        const lh_change *c = &d->p->change[i];
        if (c->after == LH_BLANK) continue;
        printf("%*s", INDENT, "");
        lh_ink_print(d->cli, stdout, lh_practice_view_ink(c->after), "%s",
                     lh_practice_view_mark(c->after));
        fputc(' ', stdout);
        lh_wrap(stdout, d->cli->width, INDENT + 2,
                lh_printf(d->a,
                          lh_verdict_has_credit(c->after)
                              ? "step %d, %s: %s now, %s before"
                              : "look at step %d, %s, again: %s now, %s before",
                          c->ask + 1, lh_practice_view_ask(d, c->ask)->name,
                          lh_verdict_names[c->after], lh_verdict_names[c->before]));
    }
}
