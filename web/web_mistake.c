/* web_mistake -- a number as a known mistake makes it: `e3 with unscaled in Z:Z[0][0]`. The program is run once more with the mistake in it, and
 * explained as any other; operands have the same words before their addresses. */
#include <stdlib.h>
#include <string.h>

#include "learn/study.h"
#include "pages/lesson_html.h"
#include "web.h"

/* The program, and what of the address stands behind the colon; NULL: it speaks of no mistake. */
static const char *split(lh_web *w, const char *address, int *program) {
    const char *with = strncmp(address, "with ", 5) == 0 ? address : strstr(address, " with ");
    const char *colon = strrchr(address, ':');
    if (!with || !colon || colon < with) return NULL;
    const char *name = lh_copy(w->arena, address, (size_t)(with - address));
    return lh_web_program(w, name, program) ? colon + 1 : NULL;
}

/* The way that these words name; NULL and the context failed. */
static const lh_candidate *find_way(lh_web *w, int program, lh_graph *g, const lh_mistakes *m,
                                    const char *address) {
    lh_reading r = {.ctx = w->ctx, .arena = w->arena, .lesson = w->lesson, .live = w->live};
    int n;
    lh_candidate *c = lh_candidates(g, m, w->arena, &n);
    for (int i = 0; i < n; i++) {
        const char *words = lh_mistaken_prefix(&r, program, &c[i]);
        if (strncmp(words, address, strlen(words)) == 0) return &c[i];
    }
    lh_web_fail(w, LH_ERROR_NAME, "this mistake cannot be made here: %.100s", address);
    return NULL;
}

static void explain_in(lh_web *w, lh_effect *e, int program, const lh_candidate *c,
                       const char *rest, lh_explain_how *how) {
    lh_reading r = {.ctx = w->ctx, .arena = w->arena, .lesson = w->lesson, .live = w->live};
    lh_address a;
    if (!lh_address_parse(w->ctx, rest, &a)) return;
    const lh_step *s = lh_address_find(e->g, &a);
    const lh_node *n = s ? s->node : NULL;
    const int moment =
        a.step - (n && n->kind == LH_OP_given && a.step > 0 && n->given->renewed ? 1 : 0);
    how->plan = moment == 0 ? e->plan : NULL;
    lh_explanation *told = s ? lh_explain(e->g, rest, how) : NULL;
    const char *prefix = lh_mistaken_prefix(&r, program, c);
    lh_addressed from = {prefix, e->g, e->plan, moment, NULL};
    if (told)
        lh_web_write_explanation(w, told, &from, how->digits,
                                 lh_printf(w->arena, "%s%s", prefix, rest));
    lh_explanation_free(told);
    if (!told)
        lh_web_fail(w, LH_ERROR_NAME, "%.200s",
                    lh_failed(e->ctx) ? e->ctx->error.what : "there is no such number");
}

bool lh_web_explain_mistake(lh_web *w, const char *address, lh_explain_how *how) {
    int program = 0;
    const char *rest = split(w, address, &program);
    if (!rest) return false;
    lh_graph *g = lh_live_graph(w->live, program);
    const lh_plan *right = g ? lh_live_moment(w->live, program, 0) : NULL;
    lh_mistakes *m = right ? lh_mistakes_load(w->ctx, g->program) : NULL;
    const lh_candidate *c = m ? find_way(w, program, g, m, address) : NULL;
    lh_effect *e = c ? lh_effect_new(g, right, c) : NULL;
    if (e)
        explain_in(w, e, program, c, rest, how);
    else if (c)
        lh_web_fail(w, LH_ERROR_NAME, "with this mistake the program cannot be run");
    lh_effect_free(e);
    lh_mistakes_free(m);
    return true;
}
