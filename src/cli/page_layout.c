#include "base/utf8.h"
#include "cli/page_layout.h"

#include <string.h>

#include "cli/page_layout_words.h"
#include "learn/formula.h"

lh_page_layout *lh_layout_new(lh_cli *cli, lh_arena *a, int width) {
    lh_page_layout *l = lh_alloc(a, sizeof *l);
    *l = (lh_page_layout){
        .cli = cli, .arena = a, .width = width < LH_LAYOUT_LEAST ? LH_LAYOUT_LEAST : width};
    return l;
}

/* ---- lines ---- */

/* The bytes of the sequence or character that begins at s. */
static size_t unit_at(const char *s) {
    size_t n = 1;
    if (s[0] == '\033' && s[1] == '[') {
        for (n = 2; s[n] && !(s[n] >= '@' && s[n] <= '~'); n++) {}
        return s[n] ? n + 1 : n;
    }
    while (!lh_utf8_starts(s[n])) n++;
    return n;
}

static int unit_columns(const char *s, size_t n) {
    char one[64];
    if (*s == '\033' || n >= sizeof one) return 0;
    memcpy(one, s, n);
    one[n] = 0;
    return lh_columns(one);
}

int lh_layout_columns(const char *s) {
    int columns = 0;
    for (size_t n; *s; s += n) columns += unit_columns(s, n = unit_at(s));
    return columns;
}

size_t lh_fitting(const char *s, int room) {
    size_t at = 0;
    for (int columns = 0; s[at];) {
        size_t n = unit_at(s + at);
        columns += unit_columns(s + at, n);
        if (columns > room && at > 0) break;
        at += n;
    }
    return at;
}

static void push_line(lh_page_layout *l, char *line) {
    size_t n = strlen(line);
    while (n && line[n - 1] == ' ') line[--n] = 0;
    *lh_push(l->arena, l->line, l->n_lines) = line;
}

void lh_layout_add(lh_page_layout *l, int indent, const char *line) {
    int room = l->width - indent;
    if (room < 8) indent = 0, room = l->width;
    do {
        size_t n = lh_fitting(line, room);
        push_line(l, lh_printf(l->arena, "%*s%.*s", indent, "", (int)n, line));
        line += n;
    } while (*line);
}

void lh_layout_whole(lh_page_layout *l, int indent, const char *line) {
    push_line(l, lh_printf(l->arena, "%*s%s", indent, "", line));
}

void lh_layout_text(lh_page_layout *l, int indent, const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        lh_layout_add(l, indent, lh_copy(l->arena, text, n));
        text += n + (text[n] == '\n');
    }
}

void lh_layout_gap(lh_page_layout *l) {
    if (l->n_lines && l->line[l->n_lines - 1][0]) push_line(l, lh_printf(l->arena, "%s", ""));
}

static int prose_width(const lh_page_layout *l) {
    return l->width < LH_PROSE ? l->width : LH_PROSE;
}

void lh_layout_words(lh_page_layout *l, const lh_span *s, int indent, const char *lead) {
    lh_words w = lh_words_new(l);
    lh_words_add(&w, s, LH_INK_PLAIN);
    lh_words_fold(&w, indent, prose_width(l), lead);
}

void lh_layout_say(lh_page_layout *l, int indent, lh_ink ink, const char *text) {
    lh_words w = lh_words_new(l);
    lh_words_add(&w, &(lh_span){.kind = LH_SPAN_TEXT, .text = text}, ink);
    lh_words_fold(&w, indent, prose_width(l), "");
}

/* ---- pieces ---- */

static char *ruler(lh_page_layout *l, const char *sign, int n) {
    lh_text t = lh_text_new(l->arena);
    for (int i = 0; i < n; i++) lh_text_add(&t, "%s", sign);
    return t.s;
}

static void heading(lh_page_layout *l, const lh_piece *p, int indent) {
    lh_layout_gap(l);
    if (p->level <= 2) lh_layout_gap(l);
    *lh_push(l->arena, l->mark, l->n_marks) = (lh_layout_mark){p->anchor, l->n_lines};
    int first = l->n_lines, widest = 0;
    lh_words w = lh_words_new(l);
    lh_words_add(&w, p->span, LH_INK_BOLD);
    lh_words_fold(&w, indent, prose_width(l), "");
    for (int i = first; i < l->n_lines; i++) {
        int n = lh_layout_columns(l->line[i]) - indent;
        if (n > widest) widest = n;
    }
    if (p->level <= 2)
        lh_layout_add(l, indent, ruler(l, p->level == 1 ? "\u2550" : "\u2500", widest));
}

/* Words up to each formula on lines of its own; then that formula. */
static void paragraph(lh_page_layout *l, const lh_span *s, int indent, const char *lead) {
    lh_words w = lh_words_new(l);
    bool is_empty = true;
    for (; s; s = s->next) {
        if (s->kind != LH_SPAN_DISPLAY) {
            lh_words_add_one(&w, s, LH_INK_PLAIN);
            is_empty = false;
            continue;
        }
        if (!is_empty) lh_words_fold(&w, indent, prose_width(l), lead), lh_layout_gap(l);
        lh_layout_formula(l, s, indent + 4);
        if (s->next) lh_layout_gap(l);
        w = lh_words_new(l);
        is_empty = true;
        lead = "";
    }
    if (!is_empty) lh_words_fold(&w, indent, prose_width(l), lead);
}

static void list(lh_page_layout *l, const lh_piece *p, int indent) {
    int number = p->number, last = number;
    for (const lh_piece *x = p->child; x && x->next; x = x->next) last++;
    int width = p->is_ordered ? lh_columns(lh_printf(l->arena, "%d. ", last)) : 2;
    for (const lh_piece *x = p->child; x; x = x->next) {
        const char *sign = p->is_ordered ? lh_printf(l->arena, "%d. ", number++) : "\u2022 ";
        const char *lead = lh_printf(l->arena, "%*s%s", width - lh_columns(sign), "", sign);
        const lh_piece *rest = x->child;
        const lh_span *words = x->span;
        if (!words && rest && rest->kind == LH_PIECE_PARAGRAPH)
            words = rest->span, rest = rest->next;
        if (words)
            paragraph(l, words, indent + width, lead);
        else
            lh_layout_add(l, indent, lead);
        if (rest) {
            if (!p->is_tight) lh_layout_gap(l);
            lh_layout_pieces(l, rest, indent + width);
        }
        if (x->next && !p->is_tight) lh_layout_gap(l);
    }
}

/* Where quotes stand in quotes until no room is left, the inner ones have no bar. */
static void quote(lh_page_layout *l, const lh_piece *p, int indent) {
    enum { LEAST = 20 };
    int first = l->n_lines, width = l->width;
    if (width - indent < LEAST) {
        lh_layout_pieces(l, p->child, indent);
        return;
    }
    l->width = width - 2;
    lh_layout_pieces(l, p->child, indent);
    l->width = width;
    for (int i = first; i < l->n_lines; i++) {
        const char *s = l->line[i];
        size_t blank = strspn(s, " ");
        if (blank > (size_t)indent) blank = (size_t)indent;
        int at = *s ? (int)blank : indent; /* a line that was cut begins further left */
        l->line[i] = lh_printf(l->arena, "%*s\u2502 %s", at, "", s + blank);
    }
}

/* How a program of the lesson is run, in a comment: what is copied with the code runs too. */
static void program_name(lh_page_layout *l, const lh_piece *p, int indent) {
    if (!l->lesson || !*p->name || strcmp(p->language, "longhand") != 0) return;
    lh_layout_say(
        l, indent, LH_INK_QUIET,
        lh_printf(l->arena, "# longhand run %s",
                  lh_shell_word(l->arena, lh_printf(l->arena, "%s:%s", l->lesson, p->name))));
}

static void piece(lh_page_layout *l, const lh_piece *p, int indent) {
    switch (p->kind) {
    case LH_PIECE_HEADING: heading(l, p, indent); break;
    case LH_PIECE_PARAGRAPH: paragraph(l, p->span, indent, ""); break;
    case LH_PIECE_QUOTE: quote(l, p, indent); break;
    case LH_PIECE_LIST: list(l, p, indent); break;
    case LH_PIECE_CODE:
        program_name(l, p, indent + 4);
        lh_layout_code(l, indent + 4, p->text, strcmp(p->language, "longhand") == 0);
        break;
    case LH_PIECE_TABLE: lh_layout_table(l, p, indent); break;
    case LH_PIECE_RULE:
        lh_layout_add(l, indent, ruler(l, "\u2500", prose_width(l) - indent));
        break;
    case LH_PIECE_BLOCK:
        if (l->block) l->block(l, l->who, p->number, indent);
        break;
    case LH_PIECE_ITEM:
    case LH_PIECE_ROW:
    case LH_PIECE_CELL: break; /* inside their own */
    }
}

void lh_layout_pieces(lh_page_layout *l, const lh_piece *first, int indent) {
    if (indent > l->width / 2) indent = l->width / 2;
    for (const lh_piece *p = first; p; p = p->next) {
        if (p != first) lh_layout_gap(l);
        piece(l, p, indent);
    }
}

void lh_layout_sources(lh_page_layout *l) {
    if (!l->n_sources) return;
    lh_layout_gap(l);
    lh_layout_say(l, 0, LH_INK_BOLD, "Sources");
    for (int i = 0; i < l->n_sources; i++) {
        lh_words w = lh_words_new(l);
        lh_words_add(&w, &(lh_span){.kind = LH_SPAN_TEXT, .text = l->source[i]}, LH_INK_QUIET);
        lh_words_fold(&w, 5, prose_width(l), lh_printf(l->arena, "[%d]  ", i + 1));
    }
}
