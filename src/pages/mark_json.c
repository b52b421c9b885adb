#include "pages/mark_json.h"

static void write_block(lh_json *j, const lh_mark_told *m, int ask, const lh_answer_block *b) {
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

static void write_diagnoses(lh_json *j, const lh_paper *p, const lh_step_mark *s) {
    lh_json_begin(j, "mistakes", '[');
    for (int i = 0; i < s->n_diagnoses; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "name", s->diagnosis[i].mistake->name);
        lh_json_text(j, "says", s->diagnosis[i].mistake->says);
        lh_json_text(j, "where", s->diagnosis[i].where);
        if (s->diagnosis[i].choice >= 0) lh_json_int(j, "choice", s->diagnosis[i].choice);
        lh_json_text(j, "what", s->diagnosis[i].what);
        lh_json_text(j, "see", s->diagnosis[i].mistake->see);
        lh_json_text(j, "again",
                     s->diagnosis[i].again >= 0 ? p->step[s->diagnosis[i].again].path : NULL);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static bool follows(const lh_mark_told *m, int ask) {
    const lh_ask *q = &m->paper->sheet->ask[ask];
    for (int k = 0; k < q->n_cells; k++)
        if (m->marks->cell[q->first + k] == LH_FOLLOWS) return m->marks->step[ask].origin >= 0;
    return false;
}

static void write_step(lh_json *j, const lh_mark_told *m, int ask) {
    const lh_paper_step *s = &m->paper->step[ask];
    const lh_step_mark *mark = &m->marks->step[ask];
    int n;
    lh_advice *line =
        lh_advise(&(lh_advisor){m->arena, m->paper, m->filled, m->marks, m->mistakes}, ask, &n);
    lh_json_begin(j, NULL, '{');
    lh_json_int(j, "number", s->number);
    lh_json_text(j, "path", s->path);
    lh_json_int(j, "credit", mark->n_right);
    lh_json_int(j, "blank", mark->n_blank);
    lh_json_int(j, "total", m->paper->sheet->ask[ask].n_cells);
    lh_json_text(j, "follows_from", follows(m, ask) ? m->paper->step[mark->origin].path : NULL);
    lh_json_bool(j, "few_digits", mark->few_digits);
    lh_json_bool(j, "too_early", m->marks->too_early == ask);
    lh_json_text(j, "other_way", mark->other_way ? mark->other_way->says : NULL);
    lh_json_text(j, "other_shape", m->filled->answers->other_shape[ask]);
    write_diagnoses(j, m->paper, mark);
    lh_json_begin(j, "advice", '[');
    for (int i = 0; i < n; i++) lh_json_text(j, NULL, line[i].text);
    lh_json_end(j, ']');
    lh_json_begin(j, "blocks", '[');
    for (int b = 0; b < s->n_blocks; b++) write_block(j, m, ask, &s->block[b]);
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}

void lh_mark_sheet(lh_json *j, const lh_mark_told *m) {
    const lh_notes *notes = &m->filled->notes;
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "learner", m->label);
    lh_json_text(j, "file", m->file);
    if (m->line) lh_json_int(j, "line", m->line);
    lh_json_text(j, "name", *m->name ? m->name : NULL);
    lh_json_text(j, "id", *m->id ? m->id : NULL);
    lh_json_text(j, "lesson", m->lesson);
    lh_json_text(j, "form", *m->paper->form ? m->paper->form : NULL);
    if (m->has_seed) lh_json_int(j, "seed", (long long)m->paper->seed);
    lh_json_int(j, "digits", m->paper->digits);
    lh_json_int(j, "credit", m->marks->credit);
    lh_json_int(j, "total", m->marks->total);
    lh_json_number(j, "points", m->marks->points);
    lh_json_bool(j, "absent", m->filled->is_absent);
    lh_json_bool(j, "gave_up", m->marks->gave_up);
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

static void write_hardest(lh_json *j, const lh_class *c) {
    int n;
    lh_class_step *s = lh_class_hardest(c, &n);
    lh_json_begin(j, "hardest", '[');
    for (int i = 0; i < n; i++) {
        lh_json_begin(j, NULL, '{');
        lh_json_text(j, "step", c->step[s[i].step]);
        lh_json_number(j, "share", s[i].share);
        lh_json_int(j, "sheets", s[i].sheets);
        lh_json_int(j, "lost", s[i].lost);
        lh_json_int(j, "blank", s[i].blank);
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
}

static void write_mistakes(lh_json *j, const lh_class *c) {
    int n;
    lh_class_tally *t = lh_class_mistakes(c, &n);
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

void lh_mark_class(lh_json *j, const lh_class *c) {
    lh_class_sum s = lh_class_summary(c);
    lh_json_int(j, "absent", s.absent);
    if (s.sheets) {
        lh_json_number(j, "mean", s.mean);
        lh_json_number(j, "median", s.median);
    } else {
        lh_json_text(j, "mean", NULL);
        lh_json_text(j, "median", NULL);
    }
    write_hardest(j, c);
    write_mistakes(j, c);
}
