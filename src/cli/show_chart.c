/* show_chart -- the items of a `show` block that are charts. */
#include "cli/reading.h"
#include "explain/chart_show.h"

bool lh_show_is_chart(lh_show_verb verb) {
    return lh_chart_shows(lh_show_words[verb]);
}

/* The item once more as words, its programs as they are named in the lesson. */
static const char *item_text(lh_reading *r, const lh_show *s) {
    lh_text t = lh_text_new(r->arena);
    lh_text_add(&t, "%s", lh_show_words[s->verb]);
    if (s->verb == LH_SHOW_LOSS) lh_text_add(&t, " %d", s->updates);
    for (int i = 0; i < s->n_operands; i++) lh_text_add(&t, " %s", s->operand[i].text);
    for (int i = 0; i < s->n_other; i++)
        lh_text_add(&t, " %s", r->lesson->program[s->other[i]].name);
    return t.s;
}

lh_chart *lh_show_chart(lh_reading *r, int show) {
    const lh_show *s = &r->lesson->show[show];
    lh_show_program *p = lh_alloc_array(r->arena, (size_t)s->n_other + 1, sizeof *p);
    int n = 1 + s->n_other;
    for (int i = 0; p && i < n; i++) {
        int program = i ? s->other[i - 1] : s->program;
        p[i].name = i ? r->lesson->program[program].name : "";
        p[i].g = lh_live_graph(r->live, program);
        if (!p[i].g) return NULL;
    }
    return p ? lh_chart_show(r->arena, p, n, item_text(r, s), &(lh_show_how){0}) : NULL;
}
