/* book_text -- the tree of a lesson as HTML. */
#include <string.h>

#include "base/embedded.h"
#include "cli/book.h"
#include "learn/chosen.h"
#include "learn/formula.h"

/* ---- spans ---- */

static bool is_embedded(lh_arena *a, const char *name) {
    return lh_embedded_find(lh_printf(a, "lessons/%s.md", name)) != NULL;
}

/* ex2, ex2#part and #part are places in the book; what has a scheme leads out of it. NULL: a lesson of the course that was left
 * out of this book (--only), so there is no link. */
static const char *target(lh_writer *w, const char *to, lh_place at) {
    lh_arena *a = w->r->arena;
    size_t n = strcspn(to, "#");
    const char *name = lh_copy(a, to, n), *anchor = to[n] ? to + n + 1 : "";
    if (strstr(to, "://")) return to;
    if (n && lh_course_find(&w->book->course, name) < 0) {
        if (is_embedded(a, name)) return NULL;
        lh_fail(w->r->cli->ctx, LH_ERROR_NAME, at,
                "the link to \"%s\" leads to no lesson of the book", to);
        return to;
    }
    if (!*w->prefix) return n ? lh_printf(a, "%s.html%s%s", name, *anchor ? "#" : "", anchor) : to;
    const char *lesson = n ? lh_printf(a, "%s--", name) : w->prefix;
    return lh_printf(a, "#%s%s", lesson, *anchor ? anchor : "top");
}

static void put_formula(lh_writer *w, const lh_span *s, bool is_block) {
    lh_formula *f = lh_formula_parse(w->r->cli->ctx, w->r->arena, s->text, strlen(s->text), s->at);
    if (!f) return;
    if (is_block)
        fputs("<span class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"formula\">",
              w->out);
    fputs(lh_formula_mathml(w->r->arena, f, is_block), w->out);
    if (is_block) fputs("</span>", w->out);
}

static void put_source(lh_writer *w, const char *source) {
    int k = 0;
    while (k < w->n_sources && strcmp(w->source[k], source) != 0) k++;
    if (k == w->n_sources) *lh_push(w->r->arena, w->source, w->n_sources) = source;
    fprintf(w->out, "<sup><a href=\"#%ssource-%d\" aria-label=\"source %d\">%d</a></sup>",
            w->prefix, k + 1, k + 1, k + 1);
}

static void put_link(lh_writer *w, const lh_span *s, const char *to) {
    if (to) lh_html_in(w->out, "<a href=\"", to, "\">");
    lh_book_spans(w, s->child);
    if (to) fputs("</a>", w->out);
}

static void put_span(lh_writer *w, const lh_span *s) {
    FILE *out = w->out;
    switch (s->kind) {
    case LH_SPAN_TEXT: lh_html_text(out, s->text); break;
    case LH_SPAN_EMPHASIS:
        fputs("<em>", out);
        lh_book_spans(w, s->child);
        fputs("</em>", out);
        break;
    case LH_SPAN_STRONG:
        fputs("<strong>", out);
        lh_book_spans(w, s->child);
        fputs("</strong>", out);
        break;
    case LH_SPAN_CODE: lh_html_in(out, "<code>", s->text, "</code>"); break;
    case LH_SPAN_LINK: put_link(w, s, target(w, s->to ? s->to : "", s->at)); break;
    case LH_SPAN_MATH: put_formula(w, s, false); break;
    case LH_SPAN_DISPLAY: put_formula(w, s, true); break;
    case LH_SPAN_BREAK: fputs("<br />", out); break;
    case LH_SPAN_INSERT:
        lh_html_in(out, s->is_formula ? "<code>" : "", s->text, s->is_formula ? "</code>" : "");
        if (s->source) put_source(w, s->source);
        break;
    }
}

void lh_book_spans(lh_writer *w, const lh_span *s) {
    for (; s; s = s->next) put_span(w, s);
}

void lh_book_words(lh_writer *w, const char *markdown) {
    lh_page *p = lh_reading_page(w->r, markdown, NULL);
    if (p && p->piece) lh_book_spans(w, p->piece->span);
}

/* ---- pieces ---- */

/* Headings go down one level at a time, so that a list of them has no holes. */
static int level_for(lh_writer *w, int wanted) {
    int level = wanted > w->level + 1 ? w->level + 1 : wanted;
    w->level = level;
    level += w->deeper;
    return level > 6 ? 6 : level;
}

static void put_heading(lh_writer *w, const lh_piece *p) {
    bool is_title = w->level == 0;
    int level = level_for(w, is_title ? 1 : p->level < 2 ? 2 : p->level);
    fprintf(w->out, "<h%d id=\"%s%s\">", level, w->prefix, is_title ? "top" : p->anchor);
    lh_book_spans(w, p->span);
    fprintf(w->out, "</h%d>\n", level);
}

static void put_code(lh_writer *w, const char *text, bool is_notation) {
    fprintf(w->out, "<pre class=\"scroll%s\" tabindex=\"0\"><code>",
            is_notation ? " notation" : "");
    lh_html_code(w->out, text, is_notation);
    fputs("</code></pre>\n", w->out);
}

static void put_name(lh_writer *w, const char *name) {
    if (!*name) return;
    lh_html_in(w->out, "<p class=\"run\"><code>longhand run ", w->r->name, ":");
    lh_html_in(w->out, "", name, "</code></p>\n");
}

/* A program with a name has the command that runs it above. */
static void put_program(lh_writer *w, const lh_piece *p) {
    bool is_notation = strcmp(p->language, "longhand") == 0;
    if (is_notation) put_name(w, p->name);
    put_code(w, p->text, is_notation);
}

static void put_cell(lh_writer *w, const lh_piece *c, bool is_first) {
    static const char *const align[] = {"", "", " class=\"centre\"", " class=\"right\""};
    const char *tag = c->is_head ? "th scope=\"col\"" : is_first ? "th scope=\"row\"" : "td";
    if (c->is_head && !c->span) tag = "td";
    fprintf(w->out, "<%s%s>", tag, align[c->align]);
    lh_book_spans(w, c->span);
    fprintf(w->out, "</%.2s>", tag);
}

static void put_table(lh_writer *w, const lh_piece *t) {
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>\n",
          w->out);
    for (const lh_piece *r = t->child; r; r = r->next) {
        bool is_head = r == t->child;
        if (is_head) fputs("<thead>", w->out);
        fputs("<tr>", w->out);
        for (const lh_piece *c = r->child; c; c = c->next) put_cell(w, c, c == r->child);
        fputs(is_head ? "</tr></thead>\n<tbody>\n" : "</tr>\n", w->out);
    }
    fputs("</tbody></table></div>\n", w->out);
}

static void put_list(lh_writer *w, const lh_piece *p) {
    const char *tag = p->is_ordered ? "ol" : "ul";
    if (p->is_ordered && p->number != 1)
        fprintf(w->out, "<ol start=\"%d\">\n", p->number);
    else
        fprintf(w->out, "<%s>\n", tag);
    for (const lh_piece *x = p->child; x; x = x->next) {
        fputs("<li>", w->out);
        lh_book_spans(w, x->span);
        lh_book_pieces(w, x->child);
        fputs("</li>\n", w->out);
    }
    fprintf(w->out, "</%s>\n", tag);
}

/* A paragraph that is a formula alone is a block; a <p> holds no block, so others are split around theirs. */
static void put_paragraph(lh_writer *w, const lh_span *s) {
    bool is_open = false;
    for (; s; s = s->next) {
        bool is_blank = s->kind == LH_SPAN_TEXT && strspn(s->text, " \n") == strlen(s->text);
        if (s->kind == LH_SPAN_DISPLAY) {
            if (is_open) fputs("</p>\n", w->out);
            fputs("<div class=\"formula\">", w->out);
            put_span(w, s);
            fputs("</div>\n", w->out);
            is_open = false;
        } else if (is_open || !is_blank) {
            if (!is_open) fputs("<p>", w->out);
            put_span(w, s);
            is_open = true;
        }
    }
    if (is_open) fputs("</p>\n", w->out);
}

/* ---- blocks ---- */

static void put_head(lh_writer *w) {
    const lh_lesson *l = w->r->lesson;
    if (!l->minutes && !l->n_needs) return;
    fputs("<p class=\"quiet\">", w->out);
    if (l->minutes) fprintf(w->out, "%d minutes%s", l->minutes, l->n_needs ? "; read first: " : "");
    if (!l->minutes) fputs("Read first: ", w->out);
    for (int i = 0; i < l->n_needs; i++) {
        const char *name = l->needs[i].text;
        int at = lh_course_find(&w->book->course, name);
        if (i) fputs(", ", w->out);
        if (at >= 0) lh_html_in(w->out, "<a href=\"", target(w, name, (lh_place){0, 0, 0}), "\">");
        lh_html_text(w->out, name);
        if (at >= 0) fputs("</a>", w->out);
    }
    fputs("</p>\n", w->out);
}

static void put_choices(lh_writer *w, const lh_exercise *e, const char *name, const char *open) {
    const lh_field *f;
    if (!lh_exercise_field(e, name, 0)) return;
    fprintf(w->out, "%s\n", open);
    for (int k = 0; (f = lh_exercise_field(e, name, k)); k++) {
        fputs("<li>", w->out);
        lh_book_words(w, f->right ? f->left : f->value);
        fputs("</li>\n", w->out);
    }
    fputs("</ol>\n", w->out);
}

static void put_hints(lh_writer *w, const lh_exercise *e) {
    const lh_field *f;
    for (int k = 0; (f = lh_exercise_field(e, "hint", k)); k++) {
        fputs("<details><summary>Hint</summary><p>", w->out);
        lh_book_words(w, f->value);
        fputs("</p></details>\n", w->out);
    }
}

static void put_exercise(lh_writer *w, const lh_exercise *e) {
    int above = w->level, level = level_for(w, (above < 2 ? above : 2) + 1);
    fprintf(w->out, "<section class=\"exercise\">\n<h%d id=\"%sexercise-%d\">Exercise %d", level,
            w->prefix, e->number, e->number);
    if (*e->title) fputs(". ", w->out), lh_book_words(w, e->title);
    fprintf(w->out, "</h%d>\n", level);
    lh_page *p =
        lh_reading_page(w->r, e->question, lh_printf(w->r->arena, "exercise-%d-", e->number));
    if (p) lh_book_pieces(w, p->piece);
    if (e->kind->choices)
        put_choices(w, e, e->kind->choices,
                    e->kind->has_letters ? "<ol class=\"letters\">" : "<ol>");
    put_hints(w, e);
    lh_html_in(w->out, "<p class=\"command\"><code>longhand exercise ", w->r->name, "");
    fprintf(w->out, " %d</code></p>\n</section>\n", e->number);
    w->level = above;
}

static void put_sheet(lh_writer *w) {
    lh_html_in(w->out,
               "<p>On paper or at the prompt, these numbers are asked by "
               "<code>longhand sheet ",
               w->r->name, "</code>");
    lh_html_in(w->out, " and <code>longhand practice ", w->r->name, "</code>.</p>\n");
}

static void put_block(lh_writer *w, int number) {
    const lh_lesson *l = w->r->lesson;
    if (number < 0 || number >= l->n_blocks || lh_failed(l->ctx)) return;
    const lh_lesson_block *b = &l->block[number];
    switch (b->kind) {
    case LH_BLOCK_LESSON: put_head(w); break;
    case LH_BLOCK_USE: break;
    case LH_BLOCK_SHOW:
        for (int i = b->first; i < b->first + b->n; i++)
            if (!lh_book_show(w, i)) return;
        break;
    case LH_BLOCK_SHEET: put_sheet(w); break;
    case LH_BLOCK_EXERCISE: put_exercise(w, &l->exercise[b->first]); break;
    }
}

void lh_book_pieces(lh_writer *w, const lh_piece *first) {
    for (const lh_piece *p = first; p && !lh_failed(w->r->cli->ctx); p = p->next) switch (p->kind) {
        case LH_PIECE_HEADING: put_heading(w, p); break;
        case LH_PIECE_PARAGRAPH: put_paragraph(w, p->span); break;
        case LH_PIECE_QUOTE:
            fputs("<blockquote>\n", w->out);
            lh_book_pieces(w, p->child);
            fputs("</blockquote>\n", w->out);
            break;
        case LH_PIECE_LIST: put_list(w, p); break;
        case LH_PIECE_CODE: put_program(w, p); break;
        case LH_PIECE_TABLE: put_table(w, p); break;
        case LH_PIECE_RULE: fputs("<hr />\n", w->out); break;
        case LH_PIECE_BLOCK: put_block(w, p->number); break;
        case LH_PIECE_ITEM:
        case LH_PIECE_ROW:
        case LH_PIECE_CELL: break;
        }
}

/* ---- the end of a lesson ---- */

static void put_programs(lh_writer *w) {
    const lh_lesson *l = w->r->lesson;
    bool is_first = true;
    for (int i = 0; i < l->n_programs; i++) {
        const lh_lesson_program *p = &l->program[i];
        const char *text =
            p->text && !p->exercise && !p->is_elsewhere ? lh_chosen_text(w->r->arena, p->text) : "";
        if (!*text) continue;
        if (is_first) {
            w->level = 1;
            int level = level_for(w, 2);
            fprintf(w->out,
                    "<section class=\"program\">\n<h%d id=\"%sprogram\">The program</h%d>\n", level,
                    w->prefix, level);
        }
        is_first = false;
        put_name(w, p->name);
        put_code(w, text, true);
    }
    if (!is_first) fputs("</section>\n", w->out);
}

static void put_sources(lh_writer *w) {
    if (!w->n_sources) return;
    w->level = 1;
    int level = level_for(w, 2);
    fprintf(w->out, "<section class=\"sources\">\n<h%d id=\"%ssources\">Sources</h%d>\n<ol>\n",
            level, w->prefix, level);
    for (int i = 0; i < w->n_sources; i++) {
        fprintf(w->out, "<li id=\"%ssource-%d\">", w->prefix, i + 1);
        lh_html_in(w->out, "", w->source[i], "</li>\n");
    }
    fputs("</ol>\n</section>\n", w->out);
}

bool lh_book_body(lh_writer *w) {
    lh_book_pieces(w, w->r->page->piece);
    if (!lh_failed(w->r->cli->ctx)) {
        put_programs(w);
        put_sources(w);
    }
    return !lh_failed(w->r->cli->ctx);
}

/* ---- the index of the search ---- */

static void add_words(lh_text *t, lh_arena *a, const lh_piece *p) {
    for (; p; p = p->next) {
        if (p->span) lh_text_add(t, "%s ", lh_span_words(a, p->span));
        if (p->kind == LH_PIECE_CODE) lh_text_add(t, "%s ", p->text);
        add_words(t, a, p->child);
    }
}

/* One line for each heading: lesson, title, anchor, heading, words up to the next. */
void lh_book_index(lh_book *b, lh_reading *r, FILE *out) {
    (void)b;
    const lh_piece *p = r->page->piece;
    for (bool is_first = true; p; is_first = false) {
        const lh_piece *head = p->kind == LH_PIECE_HEADING ? p : NULL;
        lh_text words = lh_text_new(r->arena);
        if (head) p = p->next;
        for (; p && p->kind != LH_PIECE_HEADING; p = p->next) {
            lh_piece alone = *p;
            alone.next = NULL;
            add_words(&words, r->arena, &alone);
        }
        const char *anchor = head && !is_first ? head->anchor : "top";
        fputc('[', out);
        lh_js_text(out, r->name);
        fputc(',', out);
        lh_js_text(out, r->title);
        fputc(',', out);
        lh_js_text(out, anchor);
        fputc(',', out);
        lh_js_text(out, head ? lh_span_words(r->arena, head->span) : r->title);
        fputc(',', out);
        lh_js_text(out, words.s);
        fputs("],\n", out);
    }
}
