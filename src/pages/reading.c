#include "pages/reading.h"

#include <string.h>

#include "train/loop.h"

/* What the engine puts in the place of insert i. */
static void insert(void *who, int i, lh_span *s) {
    lh_reading *r = who;
    const lh_shown_insert *x = lh_live_insert(r->live, i);
    if (!x && r->goes_on && r->ctx->error.kind != LH_ERROR_MEMORY) {
        lh_context_clear(r->ctx);
        s->text = r->lesson->insert[i].kind == LH_INSERT_CLAIM ? "" : "?";
    }
    if (!x) return;
    s->text = x->text;
    s->source = x->source;
    s->is_formula = x->is_code;
}

static lh_page *read_text(lh_reading *r, const char *markdown, size_t length, const char *prefix) {
    return r->read(r->ctx, r->arena,
                   &(lh_page_how){.file = r->lesson->file,
                                  .text = markdown,
                                  .length = length,
                                  .insert = insert,
                                  .who = r,
                                  .n_inserts = r->lesson->n_inserts,
                                  .prefix = prefix,
                                  .problems = r->goes_on ? r->lesson->problems : NULL});
}

int lh_reading_moment(const lh_reading *r, int program) {
    const lh_graph *g = r->step ? lh_live_graph(r->live, program) : NULL;
    return g && lh_loop_learns(g) ? r->step : 0;
}

lh_page *lh_reading_page(lh_reading *r, const char *markdown, const char *prefix) {
    return read_text(r, markdown, strlen(markdown), prefix);
}

const char *lh_reading_words(lh_reading *r, const char *text) {
    lh_page *p = lh_reading_page(r, text, NULL);
    return p && p->piece ? lh_span_words(r->arena, p->piece->span) : "";
}
