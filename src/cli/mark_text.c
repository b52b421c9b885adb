/* mark_text -- one sheet, step by step: the numbers, a sign for each, and what to do. */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "cli/mark_command.h"

enum { INDENT = 6, CELL = 14 };

static lh_ink ink_of(lh_verdict v) {
    return v == LH_BLANK ? LH_INK_QUIET : lh_verdict_has_credit(v) ? LH_INK_GOOD : LH_INK_BAD;
}

static void put_sign(const lh_cli *cli, lh_verdict v) {
    lh_ink_print(cli, stdout, ink_of(v), "%s", lh_verdict_sign(v));
}

/* ---- what was read ---- */

static void echo(const lh_marked *m) {
    puts("Read:");
    for (int i = 0; i < m->paper->n_steps; i++) {
        const lh_paper_step *s = &m->paper->step[i];
        for (int b = 0; b < s->n_blocks; b++) {
            const lh_grid *g = &s->block[b].grid;
            int first = m->paper->sheet->ask[i].first + s->block[b].first;
            lh_text t = lh_text_new(m->arena);
            bool any = false;
            for (int k = 0; k < g->rows * g->cols; k++) {
                const char *text = m->filled->text[first + k];
                any |= *text != 0;
                lh_text_add(&t, "%s%s", k == 0 ? "" : k % g->cols ? " " : "; ", *text ? text : "_");
            }
            if (!any) continue;
            fputs("  ", stdout);
            lh_wrap(stdout, m->from->cli->width, 4,
                    lh_printf(m->arena, "%s = %s", s->block[b].address, t.s));
        }
    }
    putchar('\n');
}

/* ---- a step ---- */

/* A number as written, cut where it is very long. */
static int put_number(const lh_marked *m, int cell, int width) {
    const char *text = m->filled->text[cell];
    if (!*text) text = "_";
    int n = lh_columns(text);
    if (width > 0) printf("%*s%s", n < width ? width - n : 0, "", n > CELL ? "..." : text);
    return n > CELL ? 3 : n;
}

/* Numbers left, signs right; in parts where a row is wider than the screen. */
static void put_block(const lh_marked *m, int ask, const lh_answer_block *b) {
    const lh_cli *cli = m->from->cli;
    const lh_grid *g = &b->grid;
    int first = m->paper->sheet->ask[ask].first + b->first, width = 1;
    for (int k = 0; k < g->rows * g->cols; k++) {
        int n = put_number(m, first + k, 0);
        if (n > width) width = n;
    }
    int fit = (cli->width - INDENT - 4) / (width + 4);
    if (fit < 1) fit = 1;
    if (*b->title) printf("%*s%s\n", INDENT, "", b->title);
    for (int from = 0; from < g->cols; from += fit) {
        int to = from + fit < g->cols ? from + fit : g->cols;
        if (fit < g->cols) printf("%*scolumns %d to %d\n", INDENT, "", from, to - 1);
        for (int r = 0; r < g->rows; r++) {
            printf("%*s", INDENT, "");
            for (int c = from; c < to; c++) {
                if (c > from) fputs("  ", stdout);
                put_number(m, first + r * g->cols + c, width);
            }
            fputs("   ", stdout);
            for (int c = from; c < to; c++) {
                putchar(' ');
                put_sign(cli, m->marks->cell[first + r * g->cols + c]);
            }
            putchar('\n');
        }
    }
}

bool lh_marked_has_only(const lh_marked *m, int first, int n, lh_verdict v) {
    for (int k = 0; k < n; k++)
        if (m->marks->cell[first + k] != v) return false;
    return true;
}

/* The formula, cut to what there is room for, and the score at the right. */
static void put_heading(const lh_marked *m, int ask, const char *score, lh_verdict v) {
    const lh_cli *cli = m->from->cli;
    const lh_paper_step *s = &m->paper->step[ask];
    char text[1024];
    int line = cli->width < 72 ? cli->width : 72, room = line - 16;
    snprintf(text, sizeof text, "%s %s %s", s->name, s->sign, s->formula);
    if (lh_columns(text) > room && room > 8) {
        size_t n = 0;
        for (int k = 0; text[n] && k < room - 4; n++) k += lh_utf8_starts(text[n + 1]);
        memcpy(text + n, " ...", 5);
    }
    printf("%3d  ", s->number);
    lh_ink_print(cli, stdout, LH_INK_BOLD, "%s", text);
    printf("%*s", room > lh_columns(text) ? room - lh_columns(text) + 2 : 2, "");
    put_sign(cli, v);
    printf(" %s\n", score);
}

static void put_step(const lh_marked *m, int ask) {
    const lh_cli *cli = m->from->cli;
    const lh_ask *q = &m->paper->sheet->ask[ask];
    const lh_paper_step *s = &m->paper->step[ask];
    const lh_step_mark *mark = &m->marks->step[ask];
    int n;
    lh_advice *line = lh_advise(
        &(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->from->mistakes}, ask, &n);
    bool is_blank = lh_marked_has_only(m, q->first, q->n_cells, LH_BLANK),
         is_right = mark->n_right == q->n_cells;
    char score[64];
    /* and nothing of it wrong */
    const bool is_begun = !is_right && !is_blank && mark->n_wrong == 0;
    lh_verdict sign = is_right ? LH_RIGHT : is_begun || (is_blank && n == 0) ? LH_BLANK : LH_WRONG;
    for (int k = 0; is_right && sign == LH_RIGHT && k < q->n_cells; k++)
        sign = m->marks->cell[q->first + k];
    if (is_right)
        snprintf(score, sizeof score, sign == LH_RIGHT ? "right" : "full credit");
    else if (is_blank && n == 0)
        snprintf(score, sizeof score, "blank");
    else if (is_begun)
        snprintf(score, sizeof score, "%d of %d, %d blank", mark->n_right, q->n_cells,
                 mark->n_blank);
    else
        snprintf(score, sizeof score, "%d of %d", mark->n_right, q->n_cells);
    put_heading(m, ask, score, sign);
    for (int b = 0; b < s->n_blocks && !is_blank; b++) {
        int first = q->first + s->block[b].first,
            cells = s->block[b].grid.rows * s->block[b].grid.cols;
        if (!lh_marked_has_only(m, first, cells, LH_RIGHT)) put_block(m, ask, &s->block[b]);
    }
    for (int i = 0; i < n; i++) {
        printf("%*s", INDENT - 1, "");
        put_sign(cli, line[i].verdict);
        putchar(' ');
        lh_wrap(stdout, cli->width, INDENT + 1, line[i].text);
    }
}

static void put_notes(const lh_marked *m) {
    const lh_notes *notes = &m->filled->notes;
    for (int i = 0; i < notes->n && i < LH_MAX_NOTES; i++) {
        fputs("  ", stdout);
        lh_wrap(stdout, m->from->cli->width, 4,
                lh_printf(m->arena, "line %d: %s", notes->note[i].line, notes->note[i].what));
    }
    if (notes->n > LH_MAX_NOTES) printf("  and %d more such lines\n", notes->n - LH_MAX_NOTES);
    if (notes->n) putchar('\n');
}

void lh_mark_show(const lh_marked *m, bool wants_echo) {
    const lh_cli *cli = m->from->cli;
    const lh_paper *p = m->paper;
    int blank = 0;
    lh_ink_print(cli, stdout, LH_INK_BOLD, "%s", p->lesson);
    printf("   %s\n", p->title);
    printf("%s%s%s", m->learner->file, *m->learner->name ? ", " : "", m->learner->name);
    if (*p->form) printf(", form %s", p->form);
    if (m->has_seed) printf(", seed %llu", p->seed);
    printf(", %d digits\n\n", p->digits);
    if (wants_echo) echo(m);
    put_notes(m);
    for (int i = 0; i < p->n_steps; i++) put_step(m, i);
    for (int i = 0; i < m->marks->total; i++) blank += m->marks->cell[i] == LH_BLANK;
    putchar('\n');
    if (m->marks->credit == m->marks->total)
        printf(m->marks->total == 1 ? "%d number has full credit\n"
                                    : "all %d numbers have full credit\n",
               m->marks->total);
    else
        printf("%d of %d number%s %s full credit%s\n", m->marks->credit, m->marks->total,
               LH_PLURAL(m->marks->total), m->marks->total == 1 ? "has" : "have",
               blank ? lh_printf(m->arena, ", %d %s blank", blank, blank == 1 ? "is" : "are") : "");
    if (m->marks->points > m->marks->credit)
        printf("%g points, with half a point for each right number that has too few digits\n",
               m->marks->points);
    if (m->marks->gave_up)
        lh_wrap(stdout, cli->width, 0,
                "Marking this sheet more closely would take too long: not every way to round "
                "what is not written on it was tried, nor every known mistake.");
}
