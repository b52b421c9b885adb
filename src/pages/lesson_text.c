/* lesson_text -- the tree of a lesson as HTML. */
#include <string.h>

#include "base/embedded.h"
#include "base/number.h"
#include "explain/explain.h"
#include "learn/chosen.h"
#include "learn/formula.h"
#include "pages/lesson_html.h"

static void put_spans(lh_writer *w, const lh_span *s);

static bool has_lesson(const lh_writer *w, const char *name) {
    return w->has_lesson && w->has_lesson(w->who, name);
}

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
    if (strncmp(to, "https://", 8) == 0 || strncmp(to, "http://", 7) == 0) return to;
    if (n && !has_lesson(w, name)) {
        if (is_embedded(a, name) || w->r->goes_on) return NULL;
        lh_fail(w->r->ctx, LH_ERROR_NAME, at, "the link to \"%s\" leads to no lesson of the book",
                to);
        return to;
    }
    if (!*w->prefix) return n ? lh_printf(a, "%s.html%s%s", name, *anchor ? "#" : "", anchor) : to;
    const char *lesson = n ? lh_printf(a, "%s--", name) : w->prefix;
    return lh_printf(a, "#%s%s", lesson, *anchor ? anchor : "top");
}

static void put_formula(lh_writer *w, const lh_span *s, bool is_block) {
    lh_formula *f = lh_formula_parse(w->r->ctx, w->r->arena, s->text, strlen(s->text), s->at);
    if (!f) return;
    if (is_block)
        lh_put(w->out,
               "<span class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"formula\">");
    lh_put(w->out, lh_formula_mathml(w->r->arena, f, is_block));
    if (is_block) lh_put(w->out, "</span>");
}

static void put_source(lh_writer *w, const char *source) {
    int k = 0;
    while (k < w->n_sources && strcmp(w->source[k], source) != 0) k++;
    if (k == w->n_sources) *lh_push(w->r->arena, w->source, w->n_sources) = source;
    lh_text_add(w->out, "<sup><a href=\"#%ssource-%d\" aria-label=\"source %d\">%d</a></sup>",
                w->prefix, k + 1, k + 1, k + 1);
}

static void put_link(lh_writer *w, const lh_span *s, const char *to) {
    if (to) lh_put_in(w->out, "<a href=\"", to, "\">");
    put_spans(w, s->child);
    if (to) lh_put(w->out, "</a>");
}

/* ---- inserts ---- */

const char *lh_program_prefix(lh_reading *r, int program) {
    const char *name = r->lesson->program[program].name;
    return *name ? lh_printf(r->arena, "%s:", name) : "";
}

/* What an insert names, where it computes nothing: 1 for a number, {{fast:P[1][0]}}, 2 for a matrix or a part of one, {{P}}; else 0. */
static int find_number(lh_writer *w, const lh_insert *x, lh_grid_place *place, lh_cell *at) {
    lh_reading *r = w->r;
    size_t colon = strcspn(x->expr, ":");
    const char *rest = x->expr[colon] ? x->expr + colon + 1 : x->expr;
    int program = lh_lesson_program_named(
        r->lesson, x->expr[colon] ? lh_copy(r->arena, x->expr, colon) : "", x->exercise);
    lh_address a;
    lh_graph *g = program < 0 ? NULL : lh_live_graph(r->live, program);
    if (!g || !lh_address_parse(r->ctx, rest, &a)) return 0;
    const lh_step *step = lh_graph_step(g, a.path);
    if (!step) step = lh_address_find(g, &a);
    const lh_plan *plan = step ? lh_live_moment(r->live, program, a.step) : NULL;
    if (!plan || !lh_address_cell(g, plan, &a, step->node, at)) return 0;
    lh_sizes z = lh_exact.sizes(plan, step->node, at->example);
    const int wants = (z.rows > 1) + (z.cols > 1);
    *place = (lh_grid_place){
        {lh_program_prefix(r, program), g, plan, a.step, NULL}, step, at->example, at->head};
    return a.n_indices >= wants ? 1 : a.n_indices == 0 ? 2 : 0;
}

/* What an insert comes to is shown; that it is no plain address is no error. */
static int named(lh_writer *w, const lh_insert *x, lh_grid_place *place, lh_cell *at) {
    int kind = x->kind == LH_INSERT_VALUE ? find_number(w, x, place, at) : 0;
    if (lh_failed(w->r->ctx) && w->r->ctx->error.kind != LH_ERROR_MEMORY)
        lh_context_clear(w->r->ctx);
    return kind;
}

/* A claim that the text does not show has its place all the same: with other numbers it may be false. */
static void put_claim(lh_writer *w, const lh_span *s, const lh_insert *x) {
    lh_text_add(w->out, "<span class=\"claim\" data-insert=\"%d\"", s->insert);
    lh_put_in(w->out, " data-claim=\"", x->expr, "\"");
    lh_put(w->out, *s->text ? ">" : " hidden=\"hidden\">");
    lh_put_in(w->out, "", s->text, "</span>");
}

static void put_insert(lh_writer *w, const lh_span *s) {
    const lh_insert *x = &w->r->lesson->insert[s->insert];
    lh_text *out = w->out;
    lh_grid_place place;
    lh_cell at;
    if (x->kind == LH_INSERT_COUNT || x->kind == LH_INSERT_FACT) {
        lh_put_xml(out, s->text);
        return;
    }
    if (x->kind == LH_INSERT_CLAIM) {
        put_claim(w, s, x);
        return;
    }
    lh_text_add(out, "<%s class=\"n\" data-insert=\"%d\"", s->is_formula ? "code" : "span",
                s->insert);
    const int kind = named(w, x, &place, &at);
    if (kind == 1)
        lh_put_marks(out, &place, at);
    else if (kind == 2)
        lh_put_in(out, " data-value=\"",
                  lh_address_of_matrix(w->r->arena, &place.from, place.step, at.example, at.head),
                  "\"");
    else
        lh_put_in(out, " data-expr=\"", x->expr, "\"");
    lh_put_in(out, ">", s->text, s->is_formula ? "</code>" : "</span>");
}

static void put_span(lh_writer *w, const lh_span *s) {
    lh_text *out = w->out;
    switch (s->kind) {
    case LH_SPAN_TEXT: lh_put_xml(out, s->text); break;
    case LH_SPAN_EMPHASIS:
        lh_put(out, "<em>");
        put_spans(w, s->child);
        lh_put(out, "</em>");
        break;
    case LH_SPAN_STRONG:
        lh_put(out, "<strong>");
        put_spans(w, s->child);
        lh_put(out, "</strong>");
        break;
    case LH_SPAN_CODE: lh_put_in(out, "<code>", s->text, "</code>"); break;
    case LH_SPAN_LINK: put_link(w, s, target(w, s->to ? s->to : "", s->at)); break;
    case LH_SPAN_MATH: put_formula(w, s, false); break;
    case LH_SPAN_DISPLAY: put_formula(w, s, true); break;
    case LH_SPAN_BREAK: lh_put(out, "<br />"); break;
    case LH_SPAN_INSERT:
        put_insert(w, s);
        if (s->source) put_source(w, s->source);
        break;
    }
}

static void put_spans(lh_writer *w, const lh_span *s) {
    for (; s; s = s->next) put_span(w, s);
}

void lh_lesson_words(lh_writer *w, const char *markdown) {
    lh_page *p = lh_reading_page(w->r, markdown, NULL);
    if (p && p->piece) put_spans(w, p->piece->span);
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
    lh_text_add(w->out, "<h%d id=\"%s%s\">", level, w->prefix, is_title ? "top" : p->anchor);
    put_spans(w, p->span);
    lh_text_add(w->out, "</h%d>\n", level);
}

/* A program has its name; line: of its first one in the lesson's file, where its lines stand together. */
static void put_code(lh_writer *w, const char *text, bool is_notation, const char *program,
                     int line) {
    lh_text_add(w->out, "<pre class=\"scroll%s\" tabindex=\"0\"", is_notation ? " notation" : "");
    if (program) lh_put_in(w->out, " data-program=\"", program, "\"");
    if (line) lh_text_add(w->out, " data-line=\"%d\"", line);
    lh_put(w->out, "><code>");
    lh_put_code(w->out, text, is_notation);
    lh_put(w->out, "</code></pre>\n");
}

static void put_name(lh_writer *w, const char *name) {
    if (!*name) return;
    lh_put_in(w->out, "<p class=\"run\"><code>longhand run ", w->r->name, ":");
    lh_put_in(w->out, "", name, "</code></p>\n");
}

/* A program with a name has the command that runs it above. */
static void put_program(lh_writer *w, const lh_piece *p) {
    bool is_notation = strcmp(p->language, "longhand") == 0;
    if (is_notation) put_name(w, p->name);
    put_code(w, p->text, is_notation, is_notation ? p->name : NULL, p->line ? p->line + 1 : 0);
}

static void put_cell(lh_writer *w, const lh_piece *c, bool is_first) {
    static const char *const align[] = {"", "", " class=\"centre\"", " class=\"right\""};
    const char *tag = c->is_head ? "th scope=\"col\"" : is_first ? "th scope=\"row\"" : "td";
    if (!c->span) tag = "td"; /* a header without words heads nothing */
    lh_text_add(w->out, "<%s%s>", tag, align[c->align]);
    put_spans(w, c->span);
    lh_text_add(w->out, "</%.2s>", tag);
}

static void put_table(lh_writer *w, const lh_piece *t) {
    lh_put(w->out,
           "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table>\n");
    for (const lh_piece *r = t->child; r; r = r->next) {
        bool is_head = r == t->child;
        if (is_head) lh_put(w->out, "<thead>");
        lh_put(w->out, "<tr>");
        for (const lh_piece *c = r->child; c; c = c->next) put_cell(w, c, c == r->child);
        lh_put(w->out, is_head ? "</tr></thead>\n<tbody>\n" : "</tr>\n");
    }
    lh_put(w->out, "</tbody></table></div>\n");
}

static void put_list(lh_writer *w, const lh_piece *p) {
    const char *tag = p->is_ordered ? "ol" : "ul";
    if (p->is_ordered && p->number != 1)
        lh_text_add(w->out, "<ol start=\"%d\">\n", p->number);
    else
        lh_text_add(w->out, "<%s>\n", tag);
    for (const lh_piece *x = p->child; x; x = x->next) {
        lh_put(w->out, "<li>");
        put_spans(w, x->span);
        lh_lesson_pieces(w, x->child);
        lh_put(w->out, "</li>\n");
    }
    lh_text_add(w->out, "</%s>\n", tag);
}

/* A paragraph that is a formula alone is a block; a <p> holds no block, so others are split around theirs. */
static void put_paragraph(lh_writer *w, const lh_span *s) {
    bool is_open = false;
    for (; s; s = s->next) {
        bool is_blank = s->kind == LH_SPAN_TEXT && strspn(s->text, " \n") == strlen(s->text);
        if (s->kind == LH_SPAN_DISPLAY) {
            if (is_open) lh_put(w->out, "</p>\n");
            lh_put(w->out, "<div class=\"formula\">");
            put_span(w, s);
            lh_put(w->out, "</div>\n");
            is_open = false;
        } else if (is_open || !is_blank) {
            if (!is_open) lh_put(w->out, "<p>");
            put_span(w, s);
            is_open = true;
        }
    }
    if (is_open) lh_put(w->out, "</p>\n");
}

/* ---- blocks ---- */

static void put_head(lh_writer *w) {
    const lh_lesson *l = w->r->lesson;
    if (!l->minutes && !l->n_needs) return;
    lh_put(w->out, "<p class=\"quiet\">");
    if (l->minutes)
        lh_text_add(w->out, "%d minute%s%s", l->minutes, LH_PLURAL(l->minutes),
                    l->n_needs ? "; read first: " : "");
    if (!l->minutes) lh_put(w->out, "Read first: ");
    for (int i = 0; i < l->n_needs; i++) {
        const char *name = l->needs[i].text;
        bool is_there = has_lesson(w, name);
        if (i) lh_put(w->out, ", ");
        if (is_there) lh_put_in(w->out, "<a href=\"", target(w, name, (lh_place){0, 0, 0}), "\">");
        lh_put_xml(w->out, name);
        if (is_there) lh_put(w->out, "</a>");
    }
    lh_put(w->out, "</p>\n");
}

static void put_choices(lh_writer *w, const lh_exercise *e, const char *name, const char *open) {
    const lh_field *f;
    if (!lh_exercise_field(e, name, 0)) return;
    lh_text_add(w->out, "%s\n", open);
    for (int k = 0; (f = lh_exercise_field(e, name, k)); k++) {
        lh_put(w->out, "<li>");
        lh_lesson_words(w, f->right ? f->left : f->value);
        lh_put(w->out, "</li>\n");
    }
    lh_put(w->out, "</ol>\n");
}

static void put_hints(lh_writer *w, const lh_exercise *e) {
    const lh_field *f;
    for (int k = 0; (f = lh_exercise_field(e, "hint", k)); k++) {
        lh_put(w->out, "<details><summary>Hint</summary><p>");
        lh_lesson_words(w, f->value);
        lh_put(w->out, "</p></details>\n");
    }
}

static void put_exercise(lh_writer *w, const lh_exercise *e) {
    int above = w->level, level = level_for(w, (above < 2 ? above : 2) + 1);
    lh_text_add(w->out,
                "<section class=\"exercise\" data-exercise=\"%d\" data-kind=\"%s\">\n"
                "<h%d id=\"%sexercise-%d\">Exercise %d",
                e->number, e->kind->name, level, w->prefix, e->number, e->number);
    if (*e->title) lh_put(w->out, ". "), lh_lesson_words(w, e->title);
    lh_text_add(w->out, "</h%d>\n", level);
    lh_page *p =
        lh_reading_page(w->r, e->question, lh_printf(w->r->arena, "exercise-%d-", e->number));
    if (p) lh_lesson_pieces(w, p->piece);
    if (e->kind->choices)
        put_choices(w, e, e->kind->choices,
                    e->kind->has_letters ? "<ol class=\"letters\">" : "<ol>");
    put_hints(w, e);
    lh_put_in(w->out, "<p class=\"command\"><code>longhand exercise ", w->r->name, "");
    lh_text_add(w->out, " %d</code></p>\n</section>\n", e->number);
    w->level = above;
}

static void put_sheet(lh_writer *w) {
    lh_put_in(w->out,
              "<div class=\"sheet\" data-sheet=\"\"><p>On paper or at the prompt, these numbers "
              "are asked by "
              "<code>longhand sheet ",
              w->r->name, "</code>");
    lh_put_in(w->out, " and <code>longhand practice ", w->r->name, "</code>.</p></div>\n");
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
            if (!lh_lesson_show(w, i)) return;
        break;
    case LH_BLOCK_SHEET: put_sheet(w); break;
    case LH_BLOCK_EXERCISE: put_exercise(w, &l->exercise[b->first]); break;
    }
}

void lh_lesson_pieces(lh_writer *w, const lh_piece *first) {
    for (const lh_piece *p = first; p && !lh_failed(w->r->ctx); p = p->next) switch (p->kind) {
        case LH_PIECE_HEADING: put_heading(w, p); break;
        case LH_PIECE_PARAGRAPH: put_paragraph(w, p->span); break;
        case LH_PIECE_QUOTE:
            lh_put(w->out, "<blockquote>\n");
            lh_lesson_pieces(w, p->child);
            lh_put(w->out, "</blockquote>\n");
            break;
        case LH_PIECE_LIST: put_list(w, p); break;
        case LH_PIECE_CODE: put_program(w, p); break;
        case LH_PIECE_TABLE: put_table(w, p); break;
        case LH_PIECE_RULE: lh_put(w->out, "<hr />\n"); break;
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
            lh_text_add(w->out,
                        "<section class=\"program\">\n<h%d id=\"%sprogram\">The program</h%d>\n",
                        level, w->prefix, level);
        }
        is_first = false;
        put_name(w, p->name);
        put_code(w, text, true, p->name, 0);
    }
    if (!is_first) lh_put(w->out, "</section>\n");
}

static void put_sources(lh_writer *w) {
    if (!w->n_sources) return;
    w->level = 1;
    int level = level_for(w, 2);
    lh_text_add(w->out, "<section class=\"sources\">\n<h%d id=\"%ssources\">Sources</h%d>\n<ol>\n",
                level, w->prefix, level);
    for (int i = 0; i < w->n_sources; i++) {
        lh_text_add(w->out, "<li id=\"%ssource-%d\">", w->prefix, i + 1);
        lh_put_in(w->out, "", w->source[i], "</li>\n");
    }
    lh_put(w->out, "</ol>\n</section>\n");
}

bool lh_lesson_body(lh_writer *w) {
    lh_lesson_pieces(w, w->r->page->piece);
    if (!lh_failed(w->r->ctx)) {
        put_programs(w);
        put_sources(w);
    }
    return !lh_failed(w->r->ctx);
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
void lh_lesson_index(lh_reading *r, lh_text *out) {
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
        lh_put(out, "[");
        lh_put_js(out, r->name);
        lh_put(out, ",");
        lh_put_js(out, r->title);
        lh_put(out, ",");
        lh_put_js(out, anchor);
        lh_put(out, ",");
        lh_put_js(out, head ? lh_span_words(r->arena, head->span) : r->title);
        lh_put(out, ",");
        lh_put_js(out, words.s);
        lh_put(out, "],\n");
    }
}
