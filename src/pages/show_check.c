/* show_check -- `check` of a show block: what was checked, how far it was off at most, and in which number, which can be asked. */
#include <string.h>

#include "pages/check_report.h"
#include "pages/lesson_html.h"

/* With the settings that a use line gave the program. */
lh_check *lh_show_checked(lh_reading *r, const lh_show *show) {
    const lh_lesson_program *p = &r->lesson->program[show->program];
    const lh_program *program = lh_live_program_of(r->live, show->program);
    return program ? lh_check_program(r->ctx, program,
                                      &(lh_build){.set = p->set,
                                                  .n_set = p->n_set,
                                                  .train = p->train,
                                                  .n_train = p->n_train,
                                                  .freeze = p->freeze,
                                                  .n_freeze = p->n_freeze})
                   : NULL;
}

/* The address of a finding's number; NULL: it was all cells together, or a step without a name. */
static const char *address_of(lh_writer *w, const lh_show *show, const lh_finding *f) {
    lh_where where = {show->program, show->exercise, show->at};
    if (!f->where) return NULL;
    const char *at = f->moment ? lh_printf(w->r->arena, "%s@%d", f->where, f->moment) : f->where;
    if (lh_live_step(w->r->live, at, where))
        return lh_printf(w->r->arena, "%s%s", lh_program_prefix(w->r, show->program), at);
    if (w->r->ctx->error.kind != LH_ERROR_MEMORY) lh_context_clear(w->r->ctx);
    return NULL;
}

static void put_place(lh_writer *w, const char *at, const char *text) {
    if (at) lh_put_in(w->out, "<span class=\"n\" data-at=\"", at, "\">");
    lh_put_in(w->out, "<code>", text, "</code>");
    if (at) lh_put(w->out, "</span>");
}

/* 1 gradient of L, all 8 cells; largest error 2e-12 in dWO[0][2] */
static void put_line(lh_writer *w, const lh_show *show, const lh_check_line *l) {
    lh_arena *a = w->r->arena;
    const lh_finding *f = l->worst;
    if (!f) {
        lh_put_xml(w->out, l->text);
        return;
    }
    const char *at = address_of(w, show, f);
    const size_t shown = strcspn(l->text + l->error, " "),
                 place = strlen(f->where) + (f->moment ? 2 : 0);
    lh_put_xml(w->out, lh_copy(a, l->text, l->error));
    lh_put_in(w->out, "<span class=\"n\" data-expr=\"error of ", at ? at : f->where, "");
    lh_put_in(w->out, ", relative, by ", l->label, "\">");
    lh_put_in(w->out, "", lh_copy(a, l->text + l->error, shown), "</span> in ");
    put_place(w, at, lh_copy(a, l->text + l->where, place));
    lh_put_xml(w->out, l->text + l->where + place);
}

static void put_wrong(lh_writer *w, const lh_show *show, const lh_finding *f) {
    const char *name = f->where ? f->where : f->step ? f->step : "?";
    lh_put(w->out, "<br />\n");
    put_place(w, address_of(w, show, f),
              f->moment ? lh_printf(w->r->arena, "%s@%d", name, f->moment) : name);
    lh_put_in(w->out, " ", lh_finding_text(w->r->arena, f), "\n");
}

static void put_kind(lh_writer *w, const lh_show *show, const lh_check *c, lh_check_kind kind) {
    enum { SHOWN = 5 };
    const lh_check_line l = lh_check_describe(w->r->arena, c, kind);
    int wrong = 0;
    if (!l.text) return;
    lh_text_add(w->out, "<li>%s <b>%s</b> ", l.is_wrong ? "✗" : "✓", l.label);
    put_line(w, show, &l);
    for (int i = 0; i < c->n_findings; i++)
        if (c->finding[i].kind == kind && !c->finding[i].ok && wrong++ < SHOWN)
            put_wrong(w, show, &c->finding[i]);
    if (wrong > SHOWN) lh_text_add(w->out, "<br />\nand %d more\n", wrong - SHOWN);
    lh_put(w->out, "</li>\n");
}

void lh_show_check(lh_writer *w, const lh_show *show) {
    lh_check *c = lh_show_checked(w->r, show);
    if (!c) return;
    lh_put(w->out, "<ul class=\"check\">\n");
    for (int kind = 0; kind < LH_N_CHECKS; kind++) put_kind(w, show, c, (lh_check_kind)kind);
    lh_put(w->out, "</ul>\n");
    if (!c->loss) lh_put(w->out, "<p>no gradients in this program: there is no backward</p>\n");
    lh_text_add(w->out, "<p>%s%s</p>\n", c->ok ? "all is well" : "not all is well",
                c->ok && c->learns ? ", at the start and after one step of training" : "");
    lh_check_free(c);
}
