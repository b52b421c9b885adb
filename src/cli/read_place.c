#include "cli/read_place.h"

#include <stdlib.h>
#include <string.h>

#include "learn/contents.h"

int lh_reading_report(lh_reading *r) {
    if (r->lesson) lh_fail_in(r->cli->ctx, r->lesson->file, r->lesson->source, r->lesson->length);
    return lh_cli_report(r->cli);
}

/* A program without prose is a page all the same: its title and its text. */
static const char *text_of(lh_reading *r) {
    const char *file = r->lesson->file, *dot = strrchr(file, '.');
    if (!dot || strcmp(dot, ".lh") != 0) return r->lesson->markdown;
    return lh_printf(r->arena, "# %s\n\n```longhand\n%s\n```\n", *r->title ? r->title : r->name,
                     r->lesson->source);
}

bool lh_reading_open(lh_cli *cli, const char *lesson, lh_reading *r) {
    lh_source s;
    *r = (lh_reading){.cli = cli};
    return lh_cli_find(cli, lesson, &s) && lh_reading_open_source(cli, &s, r);
}

bool lh_reading_open_source(lh_cli *cli, const lh_source *s, lh_reading *r) {
    lh_finder finder = lh_cli_finder(cli);
    *r = (lh_reading){.cli = cli,
                      .ctx = cli->ctx,
                      .arena = lh_arena_new(cli->ctx),
                      .name = s->name,
                      .read = lh_page_read};
    r->lesson = r->arena ? lh_lesson_open(cli->ctx, s->file, s->text, s->length, &finder) : NULL;
    r->live = r->lesson ? lh_live_new(r->lesson) : NULL;
    if (r->live) {
        r->title = lh_lesson_title(cli->arena, s->file, s->text, s->length);
        r->page = lh_reading_page(r, text_of(r), NULL);
    }
    if (r->page && !lh_failed(cli->ctx)) return true;
    lh_reading_report(r);
    lh_reading_close(r);
    return false;
}

void lh_reading_close(lh_reading *r) {
    lh_live_free(r->live);
    lh_lesson_free(r->lesson);
    lh_arena_free(r->arena);
    *r = (lh_reading){0};
}

/* ---- the course ---- */

/* Those that are written; the variations last. */
lh_course lh_course_read(lh_context *ctx, lh_arena *a) {
    lh_course c = {0};
    const lh_contents *all = lh_contents_read(ctx, a);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < all->n; i++) {
            const lh_contents_item *x = &all->item[i];
            if (!x->file || x->is_variation != (pass == 1)) continue;
            *lh_push(a, c.entry, c.n) = (lh_course_entry){x->part, x->name};
        }
        if (pass == 0) c.n_listed = c.n;
    }
    return c;
}

int lh_course_find(const lh_course *c, const char *name) {
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->entry[i].name, name) == 0) return i;
    return -1;
}
