#include "learn/class.h"

#include <stdlib.h>
#include <string.h>

lh_class *lh_class_new(lh_arena *a, const lh_mistakes *mistakes) {
    lh_class *c = lh_alloc(a, sizeof *c);
    *c = (lh_class){.arena = a, .mistakes = mistakes};
    return c;
}

static int step_of(lh_class *c, const char *name, int guess) {
    if (guess < c->n_steps && strcmp(c->step[guess], name) == 0) return guess;
    for (int i = 0; i < c->n_steps; i++)
        if (strcmp(c->step[i], name) == 0) return i;
    *lh_push(c->arena, c->step, c->n_steps) = lh_printf(c->arena, "%s", name);
    return c->n_steps - 1;
}

lh_class_row *lh_class_add(lh_class *c, const lh_paper *p, const lh_filled *filled,
                           const lh_marks *marks) {
    for (int i = 0; i < p->n_steps; i++) step_of(c, p->step[i].name, i);
    lh_class_row *row = lh_push(c->arena, c->row, c->n_rows);
    *row =
        (lh_class_row){.learner = "",
                       .name = "",
                       .id = "",
                       .file = "",
                       .form = lh_printf(c->arena, "%s", p->form),
                       .seed = p->seed,
                       .digits = p->digits,
                       .is_absent = filled->is_absent,
                       .credit = marks->credit,
                       .points = marks->points,
                       .total = marks->total,
                       .cell = lh_alloc_array(c->arena, (size_t)c->n_steps + 1, sizeof *row->cell),
                       .n_cells = c->n_steps};
    if (!row->cell) row->n_cells = 0;
    for (int i = 0; row->cell && i < p->n_steps; i++) {
        const lh_step_mark *s = &marks->step[i];
        row->blank += s->n_blank;
        row->cell[step_of(c, p->step[i].name, i)] =
            (lh_class_cell){s->n_right, s->n_blank, p->sheet->ask[i].n_cells,
                            s->n_diagnoses ? s->diagnosis[0].mistake : NULL,
                            filled->answers->other_shape[i] != NULL};
    }
    return row;
}

/* ---- how the class did ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

lh_class_sum lh_class_summary(const lh_class *c) {
    lh_class_sum s = {.total = c->n_rows ? c->row[0].total : 0};
    int n = 0;
    double *share = lh_alloc_array(c->arena, (size_t)c->n_rows + 1, sizeof *share);
    for (int i = 0; share && i < c->n_rows; i++) {
        const lh_class_row *row = &c->row[i];
        s.absent += row->is_absent;
        if (row->is_absent) continue;
        share[n] = row->total ? row->points / row->total : 0;
        s.mean += share[n];
        s.points += row->points;
        s.all_right += row->credit == row->total;
        int tenth = (int)(10 * share[n] + 1e-9);
        s.tenth[tenth > 9 ? 9 : tenth]++;
        if (row->total != s.total) s.total = 0;
        n++;
    }
    s.sheets = n;
    if (n == 0) return s;
    s.mean /= n; /* at the end: a class that is all right has 1 */
    s.points /= n;
    qsort(share, (size_t)n, sizeof *share, by_size);
    s.lowest = share[0];
    s.highest = share[n - 1];
    s.median = (share[(n - 1) / 2] + share[n / 2]) / 2;
    return s;
}

/* ---- where it was hard ---- */

static int by_share(const void *a, const void *b) {
    const lh_class_step *x = a, *y = b;
    if (x->share != y->share) return x->share < y->share ? -1 : 1;
    return x->step - y->step;
}

lh_class_step *lh_class_hardest(const lh_class *c, int *n) {
    lh_class_step *list = NULL;
    *n = 0;
    for (int i = 0; i < c->n_steps; i++) {
        lh_class_step s = {.step = i};
        int credit = 0, total = 0;
        for (int r = 0; r < c->n_rows; r++) {
            if (c->row[r].is_absent || i >= c->row[r].n_cells || c->row[r].cell[i].total == 0)
                continue;
            const lh_class_cell *cell = &c->row[r].cell[i];
            s.sheets++;
            s.lost += cell->credit < cell->total;
            s.blank += cell->blank == cell->total && !cell->is_other_shape;
            credit += cell->credit;
            total += cell->total;
        }
        if (s.lost == 0) continue;
        s.share = (double)credit / total;
        *lh_push(c->arena, list, *n) = s;
    }
    if (list) qsort(list, (size_t)*n, sizeof *list, by_share);
    return list;
}

/* ---- what went wrong ---- */

static int made_at(const lh_class *c, const lh_mistake *m, int step) {
    int n = 0;
    for (int r = 0; r < c->n_rows; r++)
        n += step < c->row[r].n_cells && c->row[r].cell[step].mistake == m;
    return n;
}

static bool made_on(const lh_class_row *row, const lh_mistake *m) {
    for (int i = 0; i < row->n_cells; i++)
        if (row->cell[i].mistake == m) return true;
    return false;
}

static lh_class_tally tally_of(const lh_class *c, const lh_mistake *m) {
    lh_class_tally t = {.mistake = m};
    int most = 0;
    for (int r = 0; r < c->n_rows; r++) t.sheets += made_on(&c->row[r], m);
    for (int i = 0; t.sheets && i < c->n_steps; i++) {
        int times = made_at(c, m, i);
        t.steps += times;
        if (times > most) most = times, t.where = c->step[i];
    }
    return t;
}

lh_class_tally *lh_class_mistakes(const lh_class *c, int *n) {
    lh_class_tally *list = NULL;
    *n = 0;
    for (int k = 0; k < c->mistakes->n; k++) {
        lh_class_tally t = tally_of(c, &c->mistakes->mistake[k]);
        if (t.sheets == 0) continue;
        *lh_push(c->arena, list, *n) = t;
        for (int at = *n - 1; at > 0 && list[at - 1].sheets < t.sheets; at--)
            list[at] = list[at - 1], list[at - 1] = t;
    }
    return list;
}
