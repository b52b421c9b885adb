/* exercise_show -- what an exercise shows when it is answered: whatever a `show` block can show, as `longhand read` draws it. */
#include <stdlib.h>
#include <string.h>

#include "cli/parts.h"
#include "cli/read_place.h"

enum { INDENT = 4 };

/* The caption, or which program it is and what is shown of it. */
static const char *heading_of(lh_reading *r, const lh_show *x) {
    if (*x->caption) return lh_reading_words(r, x->caption);
    const char *name = x->program > 0 ? r->lesson->program[x->program].name : NULL;
    const char *what = x->verb == LH_SHOW_LOSS
                           ? lh_printf(r->arena, "the loss over %d updates", x->updates)
                           : lh_show_words[x->verb];
    return name ? lh_printf(r->arena, "%s: %s", name, what) : what;
}

static void print_indented(char *text) {
    for (char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        if (end) *end = 0;
        printf("%*s%s\n", *text ? INDENT : 0, "", text);
        if (!end) return;
    }
}

void lh_print_show(lh_cli *cli, lh_live *v, int show) {
    lh_lesson *l = lh_live_lesson(v);
    lh_reading r = {.cli = cli,
                    .arena = cli->arena,
                    .name = l->name,
                    .title = l->title,
                    .lesson = l,
                    .live = v};
    char *text = NULL;
    size_t length = 0;
    lh_cli page = *cli;
    page.width = cli->width - INDENT;
    page.out = open_memstream(&text, &length);
    if (!page.out) {
        lh_fail(cli->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "there is no memory left");
        return;
    }
    bool ok = lh_show_print(&r, &page, show);
    fclose(page.out);
    if (ok) {
        lh_ink_on(cli, stdout, LH_INK_QUIET);
        printf("%*s", INDENT, "");
        lh_wrap(stdout, cli->width, INDENT, heading_of(&r, &l->show[show]));
        lh_ink_off(cli, stdout);
        print_indented(text);
    }
    free(text);
}
