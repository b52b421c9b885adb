#include "cli/page_layout_words.h"

#include <string.h>

#include "learn/formula.h"

lh_words lh_words_new(lh_page_layout *l) {
    return (lh_words){.l = l};
}

/* ---- spans to words ---- */

static void add_word(lh_words *w, const char *s, size_t n, lh_ink ink) {
    lh_layout_word *x = lh_push(w->l->arena, w->word, w->n);
    *x = (lh_layout_word){lh_copy(w->l->arena, s, n), ink, w->n > 1 && !w->has_space, false};
    w->has_space = false;
}

static void add_text(lh_words *w, const char *s, lh_ink ink) {
    while (*s) {
        size_t blank = strspn(s, " \n\t"), n = strcspn(s + blank, " \n\t");
        if (blank) w->has_space = true;
        if (n) add_word(w, s + blank, n, ink);
        s += blank + n;
    }
}

/* A formula in the line. One that cannot be read fails the context. */
static const char *formula_text(lh_page_layout *l, const lh_span *s) {
    lh_formula *f = lh_formula_parse(l->cli->ctx, l->arena, s->text, strlen(s->text), s->at);
    return f ? lh_formula_inline(l->arena, f) : s->text;
}

static void add_source(lh_words *w, const char *source) {
    lh_page_layout *l = w->l;
    int k = 0;
    while (k < l->n_sources && strcmp(l->source[k], source) != 0) k++;
    if (k == l->n_sources) *lh_push(l->arena, l->source, l->n_sources) = source;
    const char *sign = lh_printf(l->arena, "[%d]", k + 1);
    add_word(w, sign, strlen(sign), LH_INK_QUIET);
}

/* Where a link leads, unless its words say so. */
static void add_target(lh_words *w, const lh_span *s) {
    if (!s->to || s->to[0] == '#' || strstr(lh_span_words(w->l->arena, s->child), s->to)) return;
    w->has_space = true;
    const char *to = lh_printf(w->l->arena, "(%s)", s->to);
    add_word(w, to, strlen(to), LH_INK_QUIET);
}

void lh_words_add_one(lh_words *w, const lh_span *s, lh_ink ink) {
    switch (s->kind) {
    case LH_SPAN_TEXT: add_text(w, s->text, ink); break;
    case LH_SPAN_EMPHASIS:
        lh_words_add(w, s->child, ink == LH_INK_PLAIN ? LH_INK_EMPHASIS : ink);
        break;
    case LH_SPAN_STRONG: lh_words_add(w, s->child, LH_INK_BOLD); break;
    case LH_SPAN_CODE: add_text(w, s->text, LH_INK_NAME); break;
    case LH_SPAN_LINK:
        lh_words_add(w, s->child, LH_INK_NAME);
        add_target(w, s);
        break;
    case LH_SPAN_MATH:
    case LH_SPAN_DISPLAY: add_text(w, formula_text(w->l, s), ink); break;
    case LH_SPAN_BREAK:
        add_word(w, "", 0, ink);
        w->word[w->n - 1].is_break = true;
        break;
    case LH_SPAN_INSERT:
        add_text(w, s->text, s->is_formula ? LH_INK_NAME : ink);
        if (s->source) add_source(w, s->source);
        break;
    }
}

void lh_words_add(lh_words *w, const lh_span *s, lh_ink ink) {
    for (; s; s = s->next) lh_words_add_one(w, s, ink);
}

int lh_words_widest(const lh_words *w) {
    int n = 0;
    for (int i = 0; i < w->n; i++) n += lh_columns(w->word[i].text) + (i && !w->word[i].is_glued);
    return n;
}

/* Glued words are one: a line cannot end between them. */
static int run_columns(const lh_words *w, int i) {
    int n = lh_columns(w->word[i].text);
    while (++i < w->n && w->word[i].is_glued && !w->word[i].is_break)
        n += lh_columns(w->word[i].text);
    return n;
}

int lh_words_longest(const lh_words *w) {
    int most = 0;
    for (int i = 0; i < w->n; i++) {
        const bool is_inside = i > 0 && w->word[i].is_glued && !w->word[i - 1].is_break;
        int n = is_inside ? 0 : run_columns(w, i);
        if (n > most) most = n;
    }
    return most;
}

/* ---- words to lines ---- */

typedef struct fold {
    lh_page_layout *l;
    lh_text line;
    int at, indent, width;
    bool is_empty; /* nothing but the indent stands on the line */
    lh_ink ink;    /* at its end */
} fold;

static void begin_line(fold *f, const char *lead) {
    f->line = lh_text_new(f->l->arena);
    lh_text_add(&f->line, "%*s%s", f->indent - lh_columns(lead), "", lead);
    f->at = f->indent;
    f->is_empty = true;
}

static void set_ink(fold *f, lh_ink ink) {
    bool has_colour = f->l->cli->colour;
    if (ink == f->ink) return;
    if (has_colour && *lh_ink_codes[f->ink]) lh_text_add(&f->line, LH_INK_END);
    if (has_colour) lh_text_add(&f->line, "%s", lh_ink_codes[ink]);
    f->ink = ink;
}

static void end_line(fold *f) {
    set_ink(f, LH_INK_PLAIN);
    lh_layout_add(f->l, 0, f->line.s);
    begin_line(f, "");
}

static void put_word(fold *f, const char *s, size_t n, lh_ink ink) {
    set_ink(f, ink);
    lh_text_add_n(&f->line, s, n);
    f->at += lh_columns(lh_copy(f->l->arena, s, n));
    f->is_empty = false;
}

/* A word that is wider than a whole line is cut. */
static void put_long(fold *f, const lh_layout_word *x) {
    const char *s = x->text;
    while (*s) {
        size_t n = lh_fitting(s, f->width - f->at);
        put_word(f, s, n, x->ink);
        s += n;
        if (*s) end_line(f);
    }
}

void lh_words_fold(lh_words *w, int indent, int width, const char *lead) {
    fold f = {.l = w->l, .indent = indent, .width = width - indent < 8 ? indent + 8 : width};
    begin_line(&f, lead);
    for (int i = 0; i < w->n; i++) {
        const lh_layout_word *x = &w->word[i];
        bool space = !x->is_glued && !f.is_empty;
        if (x->is_break) {
            end_line(&f);
            continue;
        }
        int run = x->is_glued ? lh_columns(x->text) : run_columns(w, i);
        if (!f.is_empty && !x->is_glued && f.at + space + run > f.width)
            end_line(&f), space = false;
        if (space && x->ink != f.ink) set_ink(&f, LH_INK_PLAIN);
        if (space) lh_text_add(&f.line, " "), f.at++;
        put_long(&f, x);
    }
    if (!f.is_empty || *lead) end_line(&f);
}

/* ---- formulas ---- */

void lh_layout_formula(lh_page_layout *l, const lh_span *s, int indent) {
    lh_formula *f = lh_formula_parse(l->cli->ctx, l->arena, s->text, strlen(s->text), s->at);
    if (!f) return;
    lh_formula_lines d = lh_formula_display(l->arena, f, l->width - indent);
    for (int i = 0; d.line && i < d.n; i++) lh_layout_add(l, indent, d.line[i]);
}
