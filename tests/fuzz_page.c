/* Any bytes as the text of a lesson: refused with a message, or a tree whose lines fit. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insert(void *who, int i, lh_span *s) {
    (void)who;
    s->text = i ? "a longer text" : "";
    s->source = i == 2 ? "source" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { WIDTH = 44 };
    lh_cli cli = {.ctx = lh_context_new(), .width = WIDTH, .colour = size % 2 != 0};
    if (!cli.ctx) return 0;
    cli.arena = lh_arena_new(cli.ctx);
    lh_page_how how = {.file = "fuzz",
                       .text = (const char *)data,
                       .length = size,
                       .insert = insert,
                       .n_inserts = 3};
    lh_page *p = cli.arena ? lh_page_read(cli.ctx, cli.arena, &how) : NULL;
    if (!p && (!lh_failed(cli.ctx) || !*lh_context_error(cli.ctx)->what)) abort();
    lh_page_layout *l = p ? lh_layout_new(&cli, cli.arena, WIDTH) : NULL;
    if (l) {
        lh_layout_pieces(l, p->piece, 0);
        lh_layout_sources(l);
        for (int i = 0; i < l->n_lines; i++)
            if (lh_layout_columns(l->line[i]) > WIDTH) abort();
    }
    lh_arena_free(cli.arena);
    lh_context_free(cli.ctx);
    return 0;
}
