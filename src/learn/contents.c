#include "learn/contents.h"

#include <string.h>

#include "learn/fence.h"

lh_contents *lh_contents_read(lh_context *ctx, lh_arena *a) {
    lh_contents *c = lh_alloc(a, sizeof *c);
    const lh_embedded *e = lh_embedded_find("contents.txt");
    const char *part = "";
    if (!e) return c;
    for (lh_text_row row = {0}; lh_text_row_next(e->text, e->length, 1, &row) && !lh_failed(ctx);) {
        lh_text_row rest = lh_row_code(row), word;
        if (!lh_row_word(&rest, &word)) continue;
        const char *name = lh_copy(a, word.s, word.n);
        rest = lh_row_trim(rest);
        if (strcmp(name, "part") == 0) {
            part = lh_copy(a, rest.s, rest.n);
            continue;
        }
        *lh_push(a, c->item, c->n) =
            (lh_contents_item){part, name, lh_embedded_find(lh_printf(a, "lessons/%s.md", name)),
                               strcmp(part, "Variations") == 0};
    }
    return c;
}

const lh_contents_item *lh_contents_find(const lh_contents *c, const char *name) {
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->item[i].name, name) == 0) return &c->item[i];
    return NULL;
}
