/* read_layout -- a lesson on a screen: its text, and in place of its blocks what they stand for. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/read.h"

/* ---- show ---- */

/* What prints to a file becomes lines. The copy of cli is made for the page: its own width, arena and file. */
static bool print_show(lh_page_layout *l, lh_reading *r, int show, int indent) {
    char *text = NULL;
    size_t length = 0;
    lh_cli cli = *r->cli;
    cli.arena = l->arena;
    cli.width = l->width - indent;
    cli.out = open_memstream(&text, &length);
    if (!cli.out) {
        lh_fail(cli.ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "there is no memory left");
        return false;
    }
    bool ok = lh_show_print(r, &cli, show);
    fclose(cli.out);
    while (length && text[length - 1] == '\n') text[--length] = 0;
    if (ok) lh_layout_text(l, indent, text);
    free(text);
    return ok;
}

static void lay_caption(lh_page_layout *l, lh_reading *r, const char *caption, int indent) {
    if (!*caption) return;
    lh_page *p = lh_reading_page(r, caption, NULL);
    if (p && p->piece) lh_layout_words(l, p->piece->span, indent, "");
}

static void lay_shows(lh_page_layout *l, lh_reading *r, int first, int n, int indent) {
    for (int i = first; i < first + n; i++) {
        if (i > first) lh_layout_gap(l);
        lay_caption(l, r, r->lesson->show[i].caption, indent);
        if (!print_show(l, r, i, indent + 4)) {
            lh_fail_in(r->cli->ctx, r->lesson->file, r->lesson->source, r->lesson->length);
            return;
        }
    }
}

/* ---- exercises ---- */

/* Fields of this name, each behind its letter or number, without what decides about it. */
static void lay_fields(lh_page_layout *l, lh_reading *r, const lh_exercise *e, const char *name,
                       bool has_letters) {
    const lh_field *f;
    for (int k = 0; (f = lh_exercise_field(e, name, k)); k++) {
        const char *text = f->right ? f->left : f->value,
                   *lead = has_letters ? lh_printf(l->arena, "%c) ", 'a' + k % 26)
                                       : lh_printf(l->arena, "%d. ", k + 1);
        lh_page *p = lh_reading_page(r, text, NULL);
        if (p && p->piece) lh_layout_words(l, p->piece->span, 8, lead);
    }
}

static void lay_exercise(lh_page_layout *l, lh_reading *r, const lh_exercise *e) {
    const char *title = *e->title ? lh_reading_words(r, e->title) : "";
    lh_layout_say(l, 0, LH_INK_BOLD,
                  lh_printf(l->arena, "Exercise %d%s%s", e->number, *title ? ". " : "", title));
    lh_page *p = lh_reading_page(r, e->question, NULL);
    if (p) lh_layout_pieces(l, p->piece, 4);
    if (e->kind->choices) lay_fields(l, r, e, e->kind->choices, e->kind->has_letters);
    lh_layout_say(l, 4, LH_INK_QUIET,
                  lh_printf(l->arena, "longhand exercise %s %d", lh_shell_word(l->arena, r->name),
                            e->number));
}

/* ---- blocks ---- */

static void lay_head(lh_page_layout *l, lh_reading *r) {
    const lh_lesson *x = r->lesson;
    lh_text t = lh_text_new(l->arena);
    if (x->minutes) lh_text_add(&t, "%d minute%s", x->minutes, LH_PLURAL(x->minutes));
    for (int i = 0; i < x->n_needs; i++)
        lh_text_add(&t, "%s%s",
                    i     ? ", "
                    : t.n ? "; read first: "
                          : "Read first: ",
                    x->needs[i].text);
    if (t.n) lh_layout_say(l, 0, LH_INK_QUIET, t.s);
}

static void lay_sheet(lh_page_layout *l, lh_reading *r, int indent) {
    lh_layout_say(l, indent, LH_INK_PLAIN,
                  "The numbers above are asked on a worksheet, on paper or on the screen:");
    lh_layout_add(l, indent + 4,
                  lh_printf(l->arena, "longhand sheet %s", lh_shell_word(l->arena, r->name)));
    lh_layout_add(l, indent + 4,
                  lh_printf(l->arena, "longhand practice %s", lh_shell_word(l->arena, r->name)));
}

static void lay_block(lh_page_layout *l, void *who, int number, int indent) {
    lh_reading *r = who;
    if (number < 0 || number >= r->lesson->n_blocks || lh_failed(r->cli->ctx)) return;
    const lh_lesson_block *b = &r->lesson->block[number];
    switch (b->kind) {
    case LH_BLOCK_LESSON: lay_head(l, r); break;
    case LH_BLOCK_USE: break;
    case LH_BLOCK_SHOW: lay_shows(l, r, b->first, b->n, indent); break;
    case LH_BLOCK_SHEET: lay_sheet(l, r, indent); break;
    case LH_BLOCK_EXERCISE: lay_exercise(l, r, &r->lesson->exercise[b->first]); break;
    }
}

static void lay_end(lh_page_layout *l, lh_reading *r) {
    lh_layout_sources(l);
    if (!r->lesson->next.text) return;
    lh_layout_gap(l);
    lh_layout_say(l, 0, LH_INK_QUIET,
                  lh_printf(l->arena, "Next: longhand read %s", r->lesson->next.text));
}

bool lh_read_layout(lh_reading *r, lh_arena *a, int width, lh_read_lines *out) {
    lh_page_layout *l = lh_layout_new(r->cli, a, width);
    *out = (lh_read_lines){.layout = l};
    l->block = lay_block;
    l->lesson = r->name;
    l->is_code_whole = r->is_code_whole;
    l->who = r;
    for (const lh_piece *p = r->page->piece; p && !lh_failed(r->cli->ctx); p = p->next) {
        lh_piece alone = *p;
        alone.next = NULL;
        if (p != r->page->piece) lh_layout_gap(l);
        *lh_push(a, out->first, out->n_pieces) = l->n_lines;
        lh_layout_pieces(l, &alone, 0);
    }
    if (!lh_failed(r->cli->ctx)) lay_end(l, r);
    return !lh_failed(r->cli->ctx);
}
