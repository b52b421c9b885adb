/* practice_save -- what is kept of a sheet: one attempt for the record, and the sheet as it stands. */
#include "learn/practice.h"

bool lh_practice_is_written(const lh_practice *p, int ask) {
    const lh_ask *q = &p->sheet->ask[ask];
    for (int i = 0; i < q->n_cells; i++)
        if (p->answers->cell[q->first + i].kind == LH_WRITTEN_NUMBER) return true;
    return false;
}

static const char *mistakes_of(const lh_practice *p, lh_arena *a, int ask, lh_verdict v) {
    const lh_step_mark *m = &p->marks->step[ask];
    if (v == LH_SLIP) return "slip";
    if (v != LH_MISTAKE) return "";
    lh_text t = lh_text_new(a);
    for (int i = 0; i < m->n_diagnoses; i++)
        lh_text_add(&t, "%s%s", i ? " " : "", m->diagnosis[i].mistake->name);
    return t.s;
}

lh_attempt lh_practice_attempt(const lh_practice *p, lh_arena *a, const lh_entered *e,
                               long long time) {
    lh_attempt x = {.time = time,
                    .lesson = p->paper->lesson,
                    .seed = p->paper->seed,
                    .digits = p->paper->digits,
                    .step = p->paper->step[e->ask].path,
                    .raw = e->raw,
                    .mistake = "",
                    .hints = p->step[e->ask].hints};
    if (e->kind == LH_ENTERED_MARKED) {
        lh_verdict v = lh_practice_verdict(p, e->ask, e->first, e->n);
        x.is_right = lh_practice_state(p, e->ask) == LH_STATE_DONE;
        x.is_wrong = v != LH_BLANK && v != LH_COARSE && !lh_verdict_has_credit(v);
        bool is_partly = lh_verdict_has_credit(v) && !x.is_right;
        x.verdict = is_partly ? "partly" : lh_verdict_names[v];
        x.mistake = x.is_wrong ? mistakes_of(p, a, e->ask, v) : "";
    } else {
        x.verdict = e->kind == LH_ENTERED_UNREAD ? lh_verdict_names[LH_UNREAD] : "other shape";
    }
    return x;
}

static const char *cells_text(const lh_practice *p, lh_arena *a, int ask) {
    const lh_ask *q = &p->sheet->ask[ask];
    lh_text t = lh_text_new(a);
    for (int i = 0; i < q->n_cells; i++) {
        const char *s = p->text[q->first + i];
        lh_text_add(&t, "%s%s", i ? " " : "", *s ? s : "_");
    }
    return t.s;
}

lh_saved lh_practice_save(const lh_practice *p, lh_arena *a, long long time) {
    lh_saved s = {.lesson = p->paper->lesson,
                  .seed = p->paper->seed,
                  .digits = p->paper->digits,
                  .only = p->only < 0 ? "" : p->paper->step[p->only].path,
                  .at = p->paper->step[p->at].path,
                  .time = time,
                  .done = lh_practice_done(p),
                  .total = p->sheet->n_asks,
                  .is_finished = lh_practice_is_finished(p)};
    for (int i = 0; i < p->sheet->n_asks; i++) {
        const lh_practice_step *x = &p->step[i];
        if (!lh_practice_is_written(p, i) && !x->tries && !x->hints && !x->is_skipped) continue;
        *lh_push(a, s.step, s.n_steps) =
            (lh_saved_step){.step = p->paper->step[i].path,
                            .cells = lh_practice_is_written(p, i) ? cells_text(p, a, i) : "",
                            .tries = x->tries,
                            .hints = x->hints,
                            .is_skipped = x->is_skipped};
    }
    return s;
}
