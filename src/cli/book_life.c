/* book_life -- what makes the pages answer: the engine and the page's script as files beside them, the texts that the engine opens, and pages
 * that are no lessons.
 *
 * A page that was opened from a disk may load scripts and nothing else. So all data are scripts that call one function: longhandText(name, text),
 * longhandContents(lessons, models). web/modules/engine.js has the other side.
 */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "cli/book.h"

void lh_book_inline(FILE *out, const char *name) {
    const lh_embedded *f = lh_embedded_find(name);
    if (f) fwrite(f->text, 1, f->length, out);
}

/* ---- the texts of a lesson ---- */

static void put_text(FILE *out, const char *name, const char *text) {
    fputs("longhandText(", out);
    lh_js_text(out, name);
    fputc(',', out);
    lh_js_text(out, text);
    fputs(");\n", out);
}

static bool is_first(const lh_lesson *l, int i) {
    for (int k = 0; k < i; k++)
        if (l->program[k].is_elsewhere && strcmp(l->program[k].file, l->program[i].file) == 0)
            return false;
    return true;
}

const char *lh_book_texts(lh_reading *r, lh_arena *a) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const lh_lesson *l = r->lesson;
    if (!out) return NULL;
    put_text(out, lh_printf(a, "lessons/%s.md", r->name), l->source);
    for (int i = 0; i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        const lh_embedded *f = p->is_elsewhere && is_first(l, i) ? lh_embedded_find(p->file) : NULL;
        if (f) put_text(out, f->name, f->text);
    }
    const char *copy = fclose(out) == 0 ? lh_copy(a, text, length) : NULL;
    free(text);
    return copy;
}

/* ---- the list of lessons and models ---- */

static void put_contents(lh_book *b, FILE *out, int i) {
    (void)i;
    fputs("longhandContents([\n", out);
    for (int k = 0; k < b->n_lessons; k++) {
        const lh_book_lesson *l = &b->lesson[k];
        fputs("{\"name\":", out);
        lh_js_text(out, l->name);
        fputs(",\"title\":", out);
        lh_js_text(out, l->title);
        fputs(",\"part\":", out);
        lh_js_text(out, l->part);
        fprintf(out, ",\"minutes\":%d,\"sheet\":%s,\"exercises\":%d},\n", l->minutes,
                l->has_sheet ? "true" : "false", l->n_exercises);
    }
    fputs("],[", out);
    for (int k = 0, n = 0; k < lh_n_embedded_files; k++) {
        const char *name = lh_embedded_files[k].name;
        if (strncmp(name, "models/", 7) != 0) continue;
        if (n++) fputc(',', out);
        lh_js_text(out, lh_copy(b->arena, name + 7, strcspn(name + 7, ".")));
    }
    fputs("]);\n", out);
}

/* A model by its own name, so that the playground can begin with it. */
static void add_models(lh_book *b) {
    for (int k = 0; k < lh_n_embedded_files; k++) {
        const lh_embedded *f = &lh_embedded_files[k];
        if (strncmp(f->name, "models/", 7) != 0) continue;
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        if (out) put_text(out, f->name, f->text);
        if (out && fclose(out) == 0)
            lh_book_add(
                b, lh_printf(b->arena, "%.*s.text.js", (int)strcspn(f->name + 7, "."), f->name + 7),
                text, length);
        free(text);
    }
}

/* ---- pages that are no lessons ---- */

static const struct {
    const char *file, *id, *title, *says;
} pages[] = {
    {"practice.html", "practice", "Practise",
     "A worksheet with numbers of its own for each seed. Fill in the blanks and check each step: "
     "rounding is fair, a slip is counted "
     "once, and known mistakes are named."},
    {"play.html", "play", "Playground",
     "Write a program as you would on paper. Each line shows its shape, and every number can be "
     "opened to see how it was computed."},
    {"model.html", "model", "Watch a GPT",
     "A small GPT that lives in this page: it writes, it shows what else it could have written and "
     "where it looks, and it learns from "
     "your text. Nothing is uploaded."},
    {"teach.html", "teach", "For teachers",
     "Your own lessons brought to life, sheets and keys to print, the answers of a class marked. "
     "All of it happens in this browser; "
     "nothing leaves your machine."},
};

static void put_other(lh_book *b, FILE *out, int i) {
    lh_book_head(b, out, lh_printf(b->arena, "%s \u00b7 Longhand", pages[i].title), pages[i].file);
    fprintf(out, "<main id=\"text\" tabindex=\"-1\">\n<h1>%s</h1>\n<p>%s</p>\n<div id=\"%s\">",
            pages[i].title, pages[i].says, pages[i].id);
    fputs("<noscript><p>This page needs JavaScript, which is switched "
          "off.</p></noscript></div>\n</main>\n",
          out);
    lh_book_foot(out);
}

static void add_text(lh_book *b, const lh_book_lesson *l) {
    if (l->texts)
        lh_book_add(b, lh_printf(b->arena, "%s.text.js", l->name), l->texts, strlen(l->texts));
}

bool lh_book_life(lh_book *b) {
    bool ok = lh_book_add_page(b, "contents.js", put_contents, 0);
    for (int i = 0; ok && i < (int)(sizeof pages / sizeof *pages); i++)
        ok = lh_book_add_page(b, pages[i].file, put_other, i);
    for (int i = 0; i < b->n_lessons; i++) add_text(b, &b->lesson[i]);
    add_text(b, &b->front);
    add_models(b);
    lh_book_add_embedded(b, "page.js");
    lh_book_add_embedded(b, "engine.js");
    lh_book_add_embedded(b, "fast.js");
    /* What the GPT learns, and what it has learned: scripts/page-models.sh makes them. */
    lh_book_add_embedded(b, "names.js");
    lh_book_add_embedded(b, "names-model.js");
    lh_book_add_embedded(b, "sentences.js");
    lh_book_add_embedded(b, "sentences-model.js");
    lh_book_add_embedded(b, "sw.js");
    lh_book_add_embedded(b, "longhand.webmanifest");
    return ok;
}
