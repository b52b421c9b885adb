/* sheet_note -- which mistakes the numbers of a sheet show, and which they hide. */
#include <string.h>

#include "pages/sheet_json.h"

static bool is_same_way(const lh_shown *a, const lh_shown *b) {
    return a->mistake == b->mistake && strcmp(a->step, b->step) == 0;
}

/* Where there is a choice (of a row, a word), one that shows will do. */
static void count_ways(lh_sheet_shown *t) {
    for (int i = 0; i < t->n; i++) {
        bool again = false, shows = false;
        for (int k = 0; k < t->n; k++) {
            if (!is_same_way(&t->row[k], &t->row[i])) continue;
            again |= k < i;
            shows |= t->row[k].shows;
        }
        t->ways += !again;
        t->hidden += !again && !shows;
    }
}

/* Old numbers after an update: a mistake of the sheet, which asks the moments. */
static void add_old_numbers(const lh_mistakes *all, const lh_paper *p, lh_sheet_shown *t) {
    const lh_mistake *old = NULL;
    for (int i = 0; i < all->n && !old; i++) {
        const lh_mistake *m = &all->mistake[i];
        if (m->where && strcmp(m->where, "later") == 0) old = m;
    }
    for (int i = 0; old && i < p->n_steps; i++) {
        const lh_ask *q = &p->sheet->ask[i];
        if (q->moment > 0)
            *lh_push(p->arena, t->row, t->n) = (lh_shown){old, p->step[i].path, p->step[i].path, -1,
                                                          lh_ask_shows_update(p->sheet, q)};
    }
}

lh_sheet_shown lh_sheet_shown_by(const lh_mistakes *m, const lh_paper *p) {
    lh_sheet_shown t = {0};
    lh_variant_how how = {
        .seed = p->seed, .digits = p->digits, .mistakes = m, .n_untried = &t.untried};
    t.row = lh_variant_shown(p->ctx, p->variant, &how, p->arena, &t.n);
    add_old_numbers(m, p, &t);
    count_ways(&t);
    return t;
}

const char *lh_sheet_note(const lh_mistakes *m, const lh_paper *p) {
    if (p->seed && p->n_untried)
        return lh_printf(p->arena,
                         "The program is large: the search for numbers was given up with %d ways "
                         "to go wrong not tried.",
                         p->n_untried);
    if (p->seed) return "";
    lh_sheet_shown t = lh_sheet_shown_by(m, p);
    if (t.hidden == 0) return "";
    return lh_printf(p->arena,
                     "These are the classic numbers. They hide %d of the %d ways to go wrong that "
                     "are known here; --seed 1 draws numbers that show more.",
                     t.hidden, t.ways);
}
