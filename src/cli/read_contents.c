/* read_contents -- the course by parts: titles, minutes, what was read, and where to go on. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/utf8.h"
#include "cli/keep.h"
#include "cli/read.h"

lh_places lh_places_load(lh_cli *cli) {
    char folder[LH_STORE_PATH];
    lh_store_trouble why = {0};
    lh_places p = {0};
    lh_store *s = lh_store_folder(folder, sizeof folder)
                      ? lh_store_open(folder, &(lh_store_how){0}, &why)
                      : NULL;
    if (!s) return p;
    if (!s->reads(s, cli->arena, &p.read, &p.n)) p.n = 0;
    s->close(s);
    return p;
}

/* The one read last; the next one when that was read to its end. */
const char *lh_places_next(const lh_course *c, const lh_places *p) {
    if (!c->n_listed) return NULL;
    for (int i = 0; i < p->n; i++) {
        const lh_read *r = &p->read[i];
        int at = lh_course_find(c, r->lesson);
        if (at < 0 && access(r->lesson, F_OK)) continue; /* a file that is gone, or elsewhere */
        return r->is_finished && at >= 0 && at + 1 < c->n_listed ? c->entry[at + 1].name
                                                                 : r->lesson;
    }
    return c->entry[0].name;
}

/* The line `minutes 20` of the head: the list is made for all lessons, and opening each would take long. */
int lh_lesson_minutes(const char *text, size_t length) {
    const char *end = text + length;
    bool is_head = false;
    while (text < end) {
        size_t n = strcspn(text, "\n");
        if (n >= 3 && strncmp(text, "```", 3) == 0) is_head = strncmp(text, "```lesson", 9) == 0;
        if (is_head && strncmp(text, "minutes ", 8) == 0) return atoi(text + 8);
        text += n + (text[n] == '\n');
        if (n == 0 && text >= end) break;
    }
    return 0;
}

static void add_line(lh_arena *a, lh_listing *c, char *line, const char *name) {
    int n = c->n_lines;
    *lh_push(a, c->line, c->n_lines) = line;
    *lh_push(a, c->name, n) = name;
}

static char *entry_line(lh_cli *cli, lh_arena *a, const char *name, const lh_read *read, int column,
                        int width) {
    const lh_embedded *f = lh_embedded_find(lh_printf(a, "lessons/%s.md", name));
    if (!f) return lh_printf(a, "    %s", name);
    int minutes = lh_lesson_minutes(f->text, f->length);
    const char *sign = !read               ? " "
                       : read->is_finished ? "\u2713"
                                           : "\u25b8",
               *title = lh_lesson_title(a, f->name, f->text, f->length);
    char *end = minutes ? lh_printf(a, "%4d min", minutes) : lh_printf(a, "%s", "");
    int room = width - 4 - column - 1 - lh_columns(end) - 1;
    const char *on = cli->colour ? lh_ink_codes[LH_INK_NAME] : "", *off = *on ? LH_INK_END : "";
    lh_text t = lh_text_new(a);
    for (const char *s = title; *s && room > 0; s++) { /* cut where it does not fit */
        if (lh_utf8_starts(*s) && lh_columns(t.s) >= room) break;
        lh_text_add_n(&t, s, 1);
    }
    return lh_printf(a, "  %s %s%-*s%s %s%*s %s", sign, on, column, name, off, t.s,
                     *end ? room - lh_columns(t.s) : 0, "", end);
}

lh_listing lh_listing_lines(lh_cli *cli, lh_arena *a, const lh_course *course, const lh_read *reads,
                            int n_reads, int width) {
    lh_listing c = {0};
    const char *part = NULL, *on = cli->colour ? lh_ink_codes[LH_INK_BOLD] : "",
               *off = *on ? LH_INK_END : "";
    int column = 8;
    if (width > LH_PROSE) width = LH_PROSE;
    for (int i = 0; i < course->n_listed; i++)
        if (lh_columns(course->entry[i].name) > column) column = lh_columns(course->entry[i].name);
    for (int i = 0; i < course->n_listed; i++) {
        const lh_course_entry *e = &course->entry[i];
        if (!part || strcmp(part, e->part) != 0) {
            if (part) add_line(a, &c, lh_printf(a, "%s", ""), NULL);
            add_line(a, &c, lh_printf(a, "%s%s%s", on, e->part, off), NULL);
            part = e->part;
        }
        const lh_read *read = lh_read_find(reads, n_reads, e->name);
        add_line(a, &c, entry_line(cli, a, e->name, read, column, width), e->name);
    }
    return c;
}
