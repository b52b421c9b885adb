#include "pages/sheet_json.h"

static void write_texts(lh_json *j, const char *name, const char *const *text, int n) {
    lh_json_begin(j, name, '[');
    for (int i = 0; text && i < n; i++) lh_json_text(j, NULL, text[i]);
    lh_json_end(j, ']');
}

static void write_cells(lh_json *j, const char *name, const lh_grid *g) {
    lh_json_begin(j, name, '[');
    for (int r = 0; r < g->rows; r++) write_texts(j, NULL, g->cell + r * g->cols, g->cols);
    lh_json_end(j, ']');
}

static void write_working(lh_json *j, const char *name, const lh_working *w, int n) {
    lh_json_begin(j, name, '[');
    for (int i = 0; i < n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "label", w[i].label);
        if (w[i].path) lh_json_text(j, "path", w[i].path);
        if (w[i].path) lh_json_bool(j, "is_result", w[i].is_result);
        lh_json_text(j, "formula", w[i].formula);
        if (*w[i].value) {
            lh_json_text(j, "numbers", w[i].numbers);
            lh_json_text(j, "value", w[i].value);
        }
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void write_given(lh_json *j, const lh_paper_given *x) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "line", x->line);
    lh_json_text(j, "comment", *x->comment ? x->comment : NULL);
    if (x->grid) {
        write_texts(j, "rows", x->grid->row, x->grid->rows);
        write_texts(j, "columns", x->grid->col, x->grid->cols);
        write_cells(j, "numbers", x->grid);
    }
    lh_json_end(j, '}');
}

static void write_block(lh_json *j, const lh_paper_step *s, const lh_answer_block *b) {
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "address", b->address);
    lh_json_int(j, "example", b->example);
    lh_json_int(j, "head", b->head);
    lh_json_int(j, "rows", b->grid.rows);
    lh_json_int(j, "columns", b->grid.cols);
    write_texts(j, "row_labels", b->grid.row, b->grid.rows);
    write_texts(j, "column_labels", b->grid.col, b->grid.cols);
    lh_json_end(j, '}');
    (void)s;
}

static void write_step(lh_json *j, const lh_paper_step *s) {
    static const char *const section[] = {"given", "forward", "backward", "update"};
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "number", s->number);
    lh_json_text(j, "path", s->path);
    lh_json_text(j, "section", section[s->section]);
    lh_json_text(j, "formula", s->formula);
    lh_json_text(j, "comment", *s->comment ? s->comment : NULL);
    lh_json_int(j, "decimals", s->decimals);
    write_working(j, "inside", s->inside, s->n_inside);
    lh_json_begin(j, "blocks", '[');
    for (int i = 0; i < s->n_blocks; i++) write_block(j, s, &s->block[i]);
    lh_json_end(j, ']');
    if (s->n_working) write_working(j, "working", s->working, s->n_working);
    lh_json_end(j, '}');
}

void lh_sheet_members(lh_json *j, const lh_handout *h) {
    const lh_paper *p = h->paper;
    lh_json_text(j, "lesson", p->lesson);
    lh_json_text(j, "title", p->title);
    lh_json_text(j, "form", *p->form ? p->form : NULL);
    if (*h->class_code)
        lh_json_text(j, "class", h->class_code);
    else
        lh_json_int(j, "seed", (long long)p->seed);
    lh_json_text(j, "learner", *h->learner ? h->learner : NULL);
    lh_json_text(j, "id", *h->id ? h->id : NULL);
    lh_json_int(j, "digits", p->digits);
    lh_json_text(j, "code", p->code);
    lh_json_bool(j, "is_key", p->is_key);
    if (p->n_asked) write_texts(j, "steps", p->asked, p->n_asked);
    lh_json_text(j, "note", *h->hidden ? h->hidden : NULL);
    lh_json_begin(j, "given", '[');
    for (int i = 0; i < p->n_given; i++) write_given(j, &p->given[i]);
    lh_json_end(j, ']');
    lh_json_begin(j, "asked", '[');
    for (int i = 0; i < p->n_steps; i++) write_step(j, &p->step[i]);
    lh_json_end(j, ']');
    lh_json_begin(j, "answers", '{');
    for (int i = 0; i < p->n_steps; i++)
        for (int b = 0; b < p->step[i].n_blocks; b++)
            write_cells(j, p->step[i].block[b].address, &p->step[i].block[b].grid);
    lh_json_end(j, '}');
}
