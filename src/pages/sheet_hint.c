/* sheet_hint -- the hints for a step of a worksheet: the rule, with numbers, the working, the answer. */
#include <string.h>

#include "base/number.h"
#include "pages/sheet_json.h"

const char *const lh_hint_titles[LH_HINTS] = {"the rule", "the rule with numbers in it",
                                              "the working of one number", "the answer"};

typedef struct hint {
    lh_practice *p;
    lh_arena *a;
    lh_hint_line *line;
    int n;
} hint;

static void say(hint *h, const char *text, bool is_quiet) {
    *lh_push(h->a, h->line, h->n) = (lh_hint_line){text, is_quiet};
}

static void say_rule(hint *h, const lh_paper_step *s) {
    say(h, lh_printf(h->a, "%s %s %s", s->name, s->sign, s->formula), false);
    for (int i = 0; i < s->n_inside; i++)
        say(h, lh_printf(h->a, "%s = %s", s->inside[i].label, s->inside[i].formula), true);
    if (*s->comment) say(h, s->comment, true);
}

/* One line with the numbers in it; in a longer working the first has them, the others wait for their results. */
static void say_numbers(hint *h, const lh_explanation *e) {
    for (int i = 0; i < e->n_lines; i++) {
        const lh_line *l = &e->line[i];
        bool has_numbers = i == 0 && strcmp(l->formula, l->numbers) != 0;
        say(h,
            has_numbers ? lh_printf(h->a, "%s = %s = %s", l->label, l->formula, l->numbers)
                        : lh_printf(h->a, "%s = %s", l->label, l->formula),
            false);
    }
}

static void say_working(hint *h, const lh_explanation *e) {
    char number[LH_NUMBER_MAX];
    for (int i = 0; i < e->n_lines; i++) {
        const lh_line *l = &e->line[i];
        lh_number_text(number, sizeof number, l->value, 6);
        say(h,
            strcmp(l->numbers, number) == 0 || strcmp(l->formula, l->numbers) == 0
                ? lh_printf(h->a, "%s = %s = %s", l->label, l->formula, number)
                : lh_printf(h->a, "%s = %s = %s = %s", l->label, l->formula, l->numbers, number),
            false);
    }
}

static void say_answer(hint *h, const lh_paper_step *s) {
    const lh_practice *p = h->p;
    const lh_answer_block *b = &s->block[p->block];
    for (int r = 0; r < b->grid.rows; r++) {
        lh_text t = lh_text_new(h->a);
        for (int c = 0; c < b->grid.cols; c++)
            lh_text_add(
                &t, "%s%s", c ? "  " : "",
                lh_paper_number(h->a, s, p->paper->digits,
                                lh_practice_answer(p, p->at, b->first + r * b->grid.cols + c)));
        say(h, t.s, false);
    }
}

lh_hint_line *lh_hint_lines(lh_practice *p, lh_arena *a, int level, int *n) {
    hint h = {.p = p, .a = a};
    const lh_paper_step *s = &p->paper->step[p->at];
    if (level == 1) say_rule(&h, s);
    if (level == 2 || level == 3) {
        lh_explanation *e = lh_practice_explain(p, p->at, lh_practice_open_cell(p), 6);
        if (e && level == 2) say_numbers(&h, e);
        if (e && level == 3) say_working(&h, e);
        lh_explanation_free(e);
    }
    if (level == LH_HINTS) say_answer(&h, s);
    *n = h.n;
    return h.line;
}
