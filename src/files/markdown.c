/* markdown -- lh_page_read by md4c: it calls us at the beginning and end of each block and span, and we hang what comes on
 * the innermost one that is open. */
#include <stdlib.h>
#include <string.h>

#include <md4c.h>

#include "base/index.h"
#include "base/utf8.h"
#include "learn/page.h"

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    const lh_page_how *how;
    lh_piece *open[LH_PAGE_DEEP]; /* from outside; [0] is the page */
    lh_piece **end[LH_PAGE_DEEP]; /* of each: where its next child goes */
    int n_open;
    lh_span *span[LH_PAGE_DEEP];          /* inside the innermost piece */
    lh_span **span_end[LH_PAGE_DEEP + 1]; /* [0]: of that piece; [i + 1]: of span[i] */
    int n_spans;
    lh_text words;    /* of a code block or of a span without children */
    bool is_plain;    /* text goes into words */
    lh_index anchors; /* with the number that the next one of the same words gets */
    const char *seen; /* where line_of looked last, and which line that is */
    int seen_line;
    const char *noted; /* what was refused last, and where */
    int noted_line;
} reader;

/* ---- places ---- */

/* md4c hands out pieces of our own text: where such a piece lies is its line. */
static int line_of(reader *r, const char *s) {
    const char *begin = r->how->text, *end = begin + r->how->length;
    if (!s || s < begin || s > end) return 0;
    if (!r->seen || r->seen < begin || r->seen > s) r->seen = begin, r->seen_line = 1;
    for (; r->seen < s; r->seen++) r->seen_line += *r->seen == '\n';
    return r->seen_line;
}

/* The column is that of the file only while no insert stands before it on the line. */
static lh_place place_of(reader *r, const char *s) {
    enum { FAR = 1000 }; /* in a line that is longer, the line is enough */
    lh_place at = {line_of(r, s), 1, 0};
    const char *begin = s;
    if (!at.line || !s) return (lh_place){0, 0, 0};
    for (; begin > r->how->text && begin[-1] != '\n'; begin--)
        if ((unsigned char)begin[-1] == 0xEE || (unsigned char)begin[-1] == 0xEF || s - begin > FAR)
            return at;
    at.col = (int)(s - begin) + 1;
    return at;
}

/* One line that is refused is told once, whatever stands in it, and so are lines below each other. */
static int note(reader *r, int line, const char *what, const char *cure) {
    bool again = r->noted == what && line <= r->noted_line + 1;
    r->noted = what;
    r->noted_line = line;
    if (again) return 0;
    lh_problem_add(r->how->problems, LH_ERROR_TEXT, (lh_place){line, line ? 1 : 0, 0}, "%s", what);
    lh_problem_cure(r->how->problems, "%s", cure);
    return 0;
}

/* 1: reading ends here. */
static int refuse(reader *r, int line, const char *what, const char *cure) {
    if (r->how->problems) return note(r, line, what, cure);
    lh_fail(r->ctx, LH_ERROR_TEXT, (lh_place){line, line ? 1 : 0, 0}, "%s", what);
    lh_cure(r->ctx, "%s", cure);
    lh_fail_in(r->ctx, r->how->file, r->how->text, r->how->length);
    return 1;
}

static int too_deep(reader *r) {
    lh_fail(r->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "lists, quotes or emphasis inside each other more than %d deep", LH_PAGE_DEEP - 4);
    return 1;
}

/* ---- the tree ---- */

static lh_piece *inner(const reader *r) {
    return r->open[r->n_open - 1];
}

static lh_piece *add_piece(reader *r, lh_piece_kind kind) {
    lh_piece *p = lh_alloc(r->arena, sizeof *p), ***end = &r->end[r->n_open - 1];
    p->kind = kind;
    **end = p;
    *end = &p->next;
    r->end[r->n_open] = &p->child;
    r->open[r->n_open++] = p;
    r->span_end[0] = &p->span;
    return p;
}

static lh_span *add_span(reader *r, lh_span_kind kind) {
    lh_span *s = lh_alloc(r->arena, sizeof *s), ***end = &r->span_end[r->n_spans];
    s->kind = kind;
    **end = s;
    *end = &s->next;
    return s;
}

/* ---- inserts ---- */

/* The number of the insert that begins at s, or -1. Three bytes: U+E000 to U+F8FF. */
static int insert_at(const reader *r, const char *s, size_t n) {
    if (n < 3 || ((unsigned char)s[0] != 0xEE && (unsigned char)s[0] != 0xEF)) return -1;
    int c = ((s[0] & 0x0F) << 12) | ((s[1] & 0x3F) << 6) | (s[2] & 0x3F), i = c - LH_PAGE_INSERT;
    return i >= 0 && i < r->how->n_inserts && r->how->insert ? i : -1;
}

static void add_text(reader *r, const char *s, size_t n) {
    size_t begin = 0;
    for (size_t k = 0; k < n; k++) {
        int i = insert_at(r, s + k, n - k);
        if (i < 0) continue;
        if (k > begin) add_span(r, LH_SPAN_TEXT)->text = lh_copy(r->arena, s + begin, k - begin);
        lh_span *x = add_span(r, LH_SPAN_INSERT);
        x->insert = i;
        r->how->insert(r->how->who, i, x);
        if (!x->text) x->text = "";
        begin = k + 3;
        k += 2;
    }
    if (n > begin) add_span(r, LH_SPAN_TEXT)->text = lh_copy(r->arena, s + begin, n - begin);
}

/* In code and formulas an insert is its words. */
static void add_plain(reader *r, const char *s, size_t n) {
    for (size_t k = 0; k < n; k++) {
        int i = insert_at(r, s + k, n - k);
        lh_span x = {0};
        if (i >= 0) r->how->insert(r->how->who, i, &x);
        if (i >= 0)
            lh_text_add(&r->words, "%s", x.text ? x.text : ""), k += 2;
        else
            lh_text_add_n(&r->words, s + k, 1);
    }
}

/* ---- entities ---- */

static const struct {
    const char *name, *text;
} entities[] = {
    {"&amp;", "&"},       {"&lt;", "<"},         {"&gt;", ">"},         {"&quot;", "\""},
    {"&nbsp;", "\u00a0"}, {"&times;", "\u00d7"}, {"&ndash;", "\u2013"}, {"&mdash;", "\u2014"},
};

static int add_entity(reader *r, const char *s, size_t n) {
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strlen(entities[i].name) == n && memcmp(entities[i].name, s, n) == 0) {
            add_text(r, entities[i].text, strlen(entities[i].text));
            return 0;
        }
    return refuse(r, line_of(r, s), "this entity is not known", "write the character itself");
}

static char *attribute(reader *r, const MD_ATTRIBUTE *x) {
    lh_text t = lh_text_new(r->arena);
    if (x->text) lh_text_add_n(&t, x->text, x->size);
    return t.s;
}

/* ---- blocks ---- */

static void begin_code(reader *r, const MD_BLOCK_CODE_DETAIL *d) {
    lh_piece *p = add_piece(r, LH_PIECE_CODE);
    const char *info = attribute(r, &d->info);
    p->language = attribute(r, &d->lang);
    p->name = info + strlen(p->language);
    p->name += strspn(p->name, " ");
    p->line = line_of(r, d->lang.text);
    r->words = lh_text_new(r->arena);
    r->is_plain = true;
}

static void end_code(reader *r) {
    lh_piece *p = inner(r);
    p->text = r->words.s;
    r->is_plain = false;
    if (strcmp(p->language, LH_PAGE_BLOCK) != 0) return;
    p->kind = LH_PIECE_BLOCK;
    p->number = atoi(p->text);
}

static lh_piece *begin_cell(reader *r, const MD_BLOCK_TD_DETAIL *d, bool is_head) {
    lh_piece *p = add_piece(r, LH_PIECE_CELL);
    p->is_head = is_head;
    p->align = d->align == MD_ALIGN_LEFT     ? LH_CELL_LEFT
               : d->align == MD_ALIGN_CENTER ? LH_CELL_CENTRE
               : d->align == MD_ALIGN_RIGHT  ? LH_CELL_RIGHT
                                             : LH_CELL_NATURAL;
    return p;
}

static void begin_list(reader *r, bool is_ordered, int first, bool is_tight) {
    lh_piece *p = add_piece(r, LH_PIECE_LIST);
    p->is_ordered = is_ordered;
    p->number = first;
    p->is_tight = is_tight;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *who) {
    reader *r = who;
    if (r->n_open + 2 > LH_PAGE_DEEP) return too_deep(r);
    switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY: break;
    case MD_BLOCK_QUOTE: add_piece(r, LH_PIECE_QUOTE); break;
    case MD_BLOCK_UL: begin_list(r, false, 0, ((MD_BLOCK_UL_DETAIL *)detail)->is_tight != 0); break;
    case MD_BLOCK_OL: {
        const MD_BLOCK_OL_DETAIL *d = detail;
        begin_list(r, true, (int)d->start, d->is_tight != 0);
        break;
    }
    case MD_BLOCK_LI: add_piece(r, LH_PIECE_ITEM); break;
    case MD_BLOCK_HR: add_piece(r, LH_PIECE_RULE); break;
    case MD_BLOCK_H:
        add_piece(r, LH_PIECE_HEADING)->level = (int)((MD_BLOCK_H_DETAIL *)detail)->level;
        break;
    case MD_BLOCK_CODE: begin_code(r, detail); break;
    case MD_BLOCK_HTML: return 0; /* refused with its text, which has a line */
    case MD_BLOCK_P: add_piece(r, LH_PIECE_PARAGRAPH); break;
    case MD_BLOCK_TABLE: add_piece(r, LH_PIECE_TABLE); break;
    case MD_BLOCK_TR: add_piece(r, LH_PIECE_ROW); break;
    case MD_BLOCK_TH: begin_cell(r, detail, true); break;
    case MD_BLOCK_TD: begin_cell(r, detail, false); break;
    }
    return lh_failed(r->ctx);
}

/* A second heading of the same words gets a number. */
static void name_heading(reader *r, lh_piece *p) {
    char *name = lh_printf(r->arena, "%s%s", r->how->prefix ? r->how->prefix : "",
                           lh_page_anchor(r->arena, lh_span_words(r->arena, p->span)));
    p->anchor = name;
    int k = lh_index_add(&r->anchors, name, strlen(name), 2);
    if (k < 0) return;
    do p->anchor = lh_printf(r->arena, "%s-%d", name, k++);
    while (lh_index_add(&r->anchors, p->anchor, strlen(p->anchor), 2) >= 0);
    lh_index_set(&r->anchors, name, strlen(name), k);
}

/* Words of a tight list's item may go on behind a list in it. */
static lh_span **end_of_spans(lh_piece *p) {
    lh_span **end = &p->span;
    while (*end) end = &(*end)->next;
    return end;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *who) {
    reader *r = who;
    (void)detail;
    switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_HTML: return 0;
    case MD_BLOCK_CODE: end_code(r); break;
    case MD_BLOCK_H: name_heading(r, inner(r)); break;
    default: break;
    }
    r->n_open--;
    r->n_spans = 0;
    r->span_end[0] = end_of_spans(inner(r));
    return lh_failed(r->ctx);
}

/* ---- spans ---- */

static int enter_span(MD_SPANTYPE type, void *detail, void *who) {
    reader *r = who;
    lh_span *s;
    if (r->n_spans + 2 > LH_PAGE_DEEP) return too_deep(r);
    switch (type) {
    case MD_SPAN_EM: s = add_span(r, LH_SPAN_EMPHASIS); break;
    case MD_SPAN_STRONG: s = add_span(r, LH_SPAN_STRONG); break;
    case MD_SPAN_CODE: s = add_span(r, LH_SPAN_CODE); break;
    case MD_SPAN_LATEXMATH: s = add_span(r, LH_SPAN_MATH); break;
    case MD_SPAN_LATEXMATH_DISPLAY: s = add_span(r, LH_SPAN_DISPLAY); break;
    case MD_SPAN_A:
        s = add_span(r, LH_SPAN_LINK);
        s->to = attribute(r, &((MD_SPAN_A_DETAIL *)detail)->href);
        s->at = place_of(r, ((MD_SPAN_A_DETAIL *)detail)->href.text);
        break;
    case MD_SPAN_IMG:
        if (refuse(r, line_of(r, ((MD_SPAN_IMG_DETAIL *)detail)->src.text),
                   "a lesson cannot contain image files",
                   "a `show` block draws what the engine knows: graph, heat, loss, points"))
            return 1;
        s = add_span(r, LH_SPAN_EMPHASIS);
        break;
    default: s = add_span(r, LH_SPAN_EMPHASIS); break;
    }
    r->span[r->n_spans++] = s;
    r->span_end[r->n_spans] = &s->child;
    if (s->kind != LH_SPAN_CODE && s->kind != LH_SPAN_MATH && s->kind != LH_SPAN_DISPLAY) return 0;
    r->words = lh_text_new(r->arena);
    r->is_plain = true;
    return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *who) {
    reader *r = who;
    (void)type, (void)detail;
    if (r->n_spans == 0) return 0;
    lh_span *s = r->span[--r->n_spans];
    if (r->is_plain) s->text = r->words.s;
    r->is_plain = false;
    return lh_failed(r->ctx);
}

static int text(MD_TEXTTYPE type, const MD_CHAR *s, MD_SIZE n, void *who) {
    reader *r = who;
    if (r->is_plain && (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR)) {
        lh_text_add(&r->words, " ");
        return 0;
    }
    switch (type) {
    case MD_TEXT_NULLCHAR: return refuse(r, 0, "a character with the number 0", "take it out");
    case MD_TEXT_BR: add_span(r, LH_SPAN_BREAK); break;
    case MD_TEXT_SOFTBR: add_span(r, LH_SPAN_TEXT)->text = " "; break;
    case MD_TEXT_ENTITY: return add_entity(r, s, n);
    case MD_TEXT_HTML:
        if (r->how->problems) add_text(r, s, n); /* whoever goes on shows it as text */
        return refuse(r, line_of(r, s), "a lesson cannot contain HTML",
                      "Markdown has headings, lists, tables, emphasis, links and code");
    default:
        if (r->is_plain && r->n_spans && !r->words.n) r->span[r->n_spans - 1]->at = place_of(r, s);
        if (r->is_plain)
            add_plain(r, s, n);
        else
            add_text(r, s, n);
    }
    return lh_failed(r->ctx);
}

/* md4c passes any bytes on, and screens differ in what they make of them. */
static void check_bytes(reader *r) {
    uint32_t c;
    for (size_t i = 0, n; i < r->how->length; i += n) {
        n = lh_utf8_read(r->how->text + i, r->how->length - i, &c);
        if (n) continue;
        refuse(r, line_of(r, r->how->text + i), "this is not UTF-8",
               "save the file as text in UTF-8");
        return;
    }
}

/* md4c 0.4.8 looks behind a text that ends inside a link: it reads a copy that ends with its last line, and with room. */
static bool copy_text(reader *r, lh_page_how *how) {
    enum { ROOM = 8 };
    if (r->how->length == 0 || r->how->length > LH_MAX_PAGE) return true;
    char *copy = lh_alloc(r->arena, r->how->length + 1 + ROOM);
    if (!copy) return false;
    memcpy(copy, r->how->text, r->how->length);
    if (copy[how->length - 1] != '\n') copy[how->length++] = '\n';
    how->text = copy;
    r->how = how;
    return true;
}

lh_page *lh_page_read(lh_context *ctx, lh_arena *a, const lh_page_how *how) {
    static const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_LATEXMATHSPANS | MD_FLAG_COLLAPSEWHITESPACE,
        .enter_block = enter_block,
        .leave_block = leave_block,
        .enter_span = enter_span,
        .leave_span = leave_span,
        .text = text,
    };
    reader *r = lh_alloc(a, sizeof *r);
    lh_piece root = {0};
    *r = (reader){.ctx = ctx, .arena = a, .how = how, .open = {&root}, .n_open = 1};
    r->end[0] = &root.child;
    r->span_end[0] = &root.span;
    r->anchors.arena = a;
    if (how->length > LH_MAX_PAGE)
        lh_fail(ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "%s: a lesson of %zu bytes is too long; at most %d are allowed", how->file,
                how->length, LH_MAX_PAGE);
    else
        check_bytes(r);
    lh_page_how mine = *how;
    if (lh_failed(ctx) || !copy_text(r, &mine)) return NULL;
    if (md_parse(mine.text, (MD_SIZE)mine.length, &parser, r) != 0 && !lh_failed(ctx))
        lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "%s cannot be read", how->file);
    if (lh_failed(ctx)) return NULL;
    lh_page *page = lh_alloc(a, sizeof *page);
    page->piece = root.child;
    return page;
}
