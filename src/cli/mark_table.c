/* mark_table -- a class: a row for each learner, a column for each step; the same as CSV and as JSON. */
#include <string.h>

#include "cli/mark.h"

/* ---- how often ---- */

typedef struct tally {
    const lh_mistake *mistake;
    int sheets, steps;
    const char *where; /* the step where it was made most */
} tally;

static int made_at(const lh_mark_class *c, const lh_mistake *m, int step) {
    int n = 0;
    for (int r = 0; r < c->n_rows; r++)
        n += step < c->row[r].n_cells && c->row[r].cell && c->row[r].cell[step].mistake == m;
    return n;
}

static bool made_on(const lh_mark_row *row, const lh_mistake *m) {
    for (int i = 0; row->cell && i < row->n_cells; i++)
        if (row->cell[i].mistake == m) return true;
    return false;
}

/* The mistakes that were made, most often first. */
static tally *count_mistakes(const lh_mark_class *c, int *n) {
    lh_arena *a = c->stock->cli->arena;
    const lh_mistakes *all = c->stock->mistakes;
    tally *list = NULL;
    *n = 0;
    for (int k = 0; k < all->n; k++) {
        tally t = {.mistake = &all->mistake[k]};
        for (int r = 0; r < c->n_rows; r++) t.sheets += made_on(&c->row[r], t.mistake);
        if (t.sheets == 0) continue;
        int most = 0;
        for (int i = 0; i < c->n_steps; i++) {
            int times = made_at(c, t.mistake, i);
            t.steps += times;
            if (times > most) most = times, t.where = c->step[i];
        }
        lh_push(a, (void **)&list, n, sizeof t);
        int at = *n - 1;
        for (; at > 0 && list[at - 1].sheets < t.sheets; at--) list[at] = list[at - 1];
        list[at] = t;
    }
    return list;
}

/* ---- the table ---- */

static const char *cell_text(lh_arena *a, const lh_mark_row *row, int step) {
    if (step >= row->n_cells || !row->cell || row->cell[step].total == 0) return "";
    const lh_mark_cell *c = &row->cell[step];
    if (c->credit == c->total) return lh_verdict_sign(LH_RIGHT);
    if (c->blank == c->total && !c->is_other_shape) return lh_verdict_sign(LH_BLANK);
    return lh_printf(a, "%d/%d", c->credit, c->total);
}

static int *column_widths(const lh_mark_class *c) {
    lh_arena *a = c->stock->cli->arena;
    int *width = lh_alloc_array(a, (size_t)c->n_steps + 1, sizeof *width);
    for (int i = 0; width && i < c->n_steps; i++) {
        width[i] = lh_columns(c->step[i]);
        for (int r = 0; r < c->n_rows; r++) {
            int n = lh_columns(cell_text(a, &c->row[r], i));
            if (n > width[i]) width[i] = n;
        }
    }
    return width;
}

static void put(const char *text, int width) {
    int n = lh_columns(text);
    printf("%*s%s", n < width ? width - n : 0, "", text);
}

/* Names longer than a third of the screen lose their middle. */
static const char *short_learner(const lh_mark_class *c, const char *name, int width) {
    size_t n = strlen(name);
    if (lh_columns(name) <= width) return name;
    for (const char *s = name; *s; s++)
        if ((unsigned char)*s >= 0x80) return lh_printf(c->stock->cli->arena, "%.*s", width, name);
    return lh_printf(c->stock->cli->arena, "%.*s..%s", width / 2 - 1, name,
                     name + n - (size_t)(width - width / 2 - 1));
}

void lh_mark_table(const lh_mark_class *c) {
    lh_cli *cli = c->stock->cli;
    int names = 7, most = cli->width / 3, n, *width = column_widths(c);
    if (!width) return;
    for (int r = 0; r < c->n_rows; r++)
        if (lh_columns(c->row[r].learner) > names) names = lh_columns(c->row[r].learner);
    if (names > most) names = most;
    printf("%s   %s\n", c->stock->name, c->stock->source.title);
    for (int from = 0; from < c->n_steps;) {
        int used = names, to = from, last = 0;
        while (to < c->n_steps) {
            int w = width[to] + 2;
            last = to + 1 == c->n_steps ? 9 : 0; /* the total */
            if (used + w + last > cli->width && to > from) break;
            used += w;
            to++;
        }
        printf("\n%-*s", names, "");
        for (int i = from; i < to; i++) fputs("  ", stdout), put(c->step[i], width[i]);
        puts(to == c->n_steps ? "    total" : "");
        for (int r = 0; r < c->n_rows; r++) {
            const char *name = short_learner(c, c->row[r].learner, names);
            printf("%s%*s", name, names - lh_columns(name), "");
            for (int i = from; i < to; i++) {
                fputs("  ", stdout);
                put(cell_text(cli->arena, &c->row[r], i), width[i]);
            }
            if (to == c->n_steps) printf("  %3d/%-3d", c->row[r].credit, c->row[r].total);
            putchar('\n');
        }
        from = to;
    }
    tally *t = count_mistakes(c, &n);
    printf("\n%d sheet%s; \342\234\223 every number has full credit, \302\267 blank\n", c->n_rows,
           c->n_rows == 1 ? "" : "s");
    if (n) puts("\nMistakes made");
    for (int i = 0; i < n; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s, %s: %s", t[i].mistake->name, t[i].where,
                 t[i].mistake->says);
        printf("  %4d  ", t[i].sheets);
        lh_wrap(stdout, cli->width, 8, text);
    }
}

/* ---- CSV ---- */

/* What begins with one of these signs a spreadsheet would work out: an apostrophe makes it a text. */
static bool is_formula(const char *text) {
    return *text && strchr("=+-@\t\r", *text);
}

static void put_csv(FILE *out, const char *text) {
    const bool is_marked = is_formula(text);
    if (!is_marked && !strpbrk(text, ",;\"\t\r\n")) {
        fputs(text, out);
        return;
    }
    fputs(is_marked ? "\"'" : "\"", out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static int largest(const lh_mark_class *c, int step) {
    int n = 0;
    for (int r = 0; r < c->n_rows; r++)
        if (step < c->row[r].n_cells && c->row[r].cell[step].total > n)
            n = c->row[r].cell[step].total;
    return n;
}

void lh_mark_csv(const lh_mark_class *c, FILE *out) {
    lh_arena *a = c->stock->cli->arena;
    fputs("learner,lesson,form,seed,digits,credit,total,mistakes", out);
    for (int i = 0; i < c->n_steps; i++) {
        fputc(',', out);
        put_csv(out, lh_printf(a, "%s of %d", c->step[i], largest(c, i)));
    }
    fputs("\r\n", out);
    for (int r = 0; r < c->n_rows; r++) {
        const lh_mark_row *row = &c->row[r];
        lh_text made = lh_text_new(a);
        for (int i = 0; i < row->n_cells; i++)
            if (row->cell[i].mistake)
                lh_text_add(&made, "%s%s@%s", made.n ? " " : "", row->cell[i].mistake->name,
                            c->step[i]);
        put_csv(out, row->learner);
        fputc(',', out);
        put_csv(out, c->stock->name);
        fprintf(out, ",%s,%llu,%d,%d,%d,", row->form, row->seed, row->digits, row->credit,
                row->total);
        put_csv(out, made.s);
        for (int i = 0; i < c->n_steps; i++) {
            fputc(',', out);
            if (i < row->n_cells && row->cell[i].total) fprintf(out, "%d", row->cell[i].credit);
        }
        fputs("\r\n", out);
    }
}

/* ---- JSON ---- */

static void write_block(lh_json *j, const lh_marked *m, int ask, const lh_block *b) {
    int first = m->paper->sheet->ask[ask].first + b->first;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "address", b->address);
    for (int what = 0; what < 2; what++) {
        lh_json_begin(j, what ? "verdicts" : "written", '[');
        for (int r = 0; r < b->grid.rows; r++) {
            lh_json_begin(j, NULL, '[');
            for (int c = 0; c < b->grid.cols; c++) {
                int cell = first + r * b->grid.cols + c;
                lh_json_text(j, NULL,
                             what ? lh_verdict_names[m->marks->cell[cell]] : m->filled->text[cell]);
            }
            lh_json_end(j, ']');
        }
        lh_json_end(j, ']');
    }
    lh_json_end(j, '}');
}

static void write_diagnoses(lh_json *j, const lh_step_mark *s) {
    lh_json_begin(j, "mistakes", '[');
    for (int i = 0; i < s->n_diagnoses; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", s->diagnosis[i].mistake->name);
        lh_json_text(j, "says", s->diagnosis[i].mistake->says);
        lh_json_text(j, "where", s->diagnosis[i].where);
        if (s->diagnosis[i].choice >= 0) lh_json_int(j, "choice", s->diagnosis[i].choice);
        lh_json_text(j, "what", s->diagnosis[i].what);
        lh_json_text(j, "see", s->diagnosis[i].mistake->see);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static bool follows(const lh_marked *m, int ask) {
    const lh_ask *q = &m->paper->sheet->ask[ask];
    for (int k = 0; k < q->n_cells; k++)
        if (m->marks->cell[q->first + k] == LH_FOLLOWS) return m->marks->step[ask].origin >= 0;
    return false;
}

static void write_step(lh_json *j, const lh_marked *m, int ask) {
    const lh_paper_step *s = &m->paper->step[ask];
    const lh_step_mark *mark = &m->marks->step[ask];
    int n;
    lh_advice *line = lh_advise(
        &(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->stock->mistakes}, ask, &n);
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "number", s->number);
    lh_json_text(j, "path", s->path);
    lh_json_int(j, "credit", mark->n_right);
    lh_json_int(j, "blank", mark->n_blank);
    lh_json_int(j, "total", m->paper->sheet->ask[ask].n_cells);
    lh_json_text(j, "follows_from", follows(m, ask) ? m->paper->step[mark->origin].path : NULL);
    lh_json_bool(j, "few_digits", mark->few_digits);
    lh_json_text(j, "other_shape", m->filled->answers->other_shape[ask]);
    write_diagnoses(j, mark);
    lh_json_begin(j, "advice", '[');
    for (int i = 0; i < n; i++) lh_json_text(j, NULL, line[i].text);
    lh_json_end(j, ']');
    lh_json_begin(j, "blocks", '[');
    for (int b = 0; b < s->n_blocks; b++) write_block(j, m, ask, &s->block[b]);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

void lh_mark_json_file(lh_json *j, const lh_marked *m) {
    const lh_notes *notes = &m->filled->notes;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "learner", lh_short_name(m->arena, m->file));
    lh_json_text(j, "file", m->file);
    lh_json_text(j, "name", m->answers->learner);
    lh_json_text(j, "form", m->answers->form);
    lh_json_int(j, "seed", (long long)m->paper->seed);
    lh_json_int(j, "digits", m->paper->digits);
    lh_json_int(j, "credit", m->marks->credit);
    lh_json_int(j, "total", m->marks->total);
    lh_json_begin(j, "notes", '[');
    for (int i = 0; i < notes->n && i < LH_MAX_NOTES; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "line", notes->note[i].line);
        lh_json_text(j, "text", notes->note[i].what);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_begin(j, "steps", '[');
    for (int i = 0; i < m->paper->n_steps; i++) write_step(j, m, i);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

void lh_mark_json_mistakes(lh_json *j, const lh_mark_class *c) {
    int n;
    tally *t = count_mistakes(c, &n);
    lh_json_begin(j, "mistakes", '[');
    for (int i = 0; i < n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", t[i].mistake->name);
        lh_json_text(j, "says", t[i].mistake->says);
        lh_json_int(j, "sheets", t[i].sheets);
        lh_json_int(j, "steps", t[i].steps);
        lh_json_text(j, "most_at", t[i].where);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}
