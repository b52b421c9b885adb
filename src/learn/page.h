/* page -- a lesson's text as a tree of pieces (headings, paragraphs, lists ...) and, inside them, spans of words.
 *
 *     lh_page *p = lh_page_read(ctx, arena, &(lh_page_how){.file = "ex1.md", .text = text, .length = n});
 *     for (const lh_piece *x = p->piece; x; x = x->next) ... x->kind, x->span, x->child
 *
 * The terminal and the book draw the same tree. What the engine puts into the text stands in it as one character each, from
 * LH_PAGE_INSERT on: number i is LH_PAGE_INSERT + i, and `insert` says what to write there. A fenced block of kind LH_PAGE_BLOCK holds
 * a number: the block of the lesson (show, exercise ...) that belongs there.
 *
 * HTML and images are refused, with their line: a lesson's pictures are made by its `show` blocks, and then they are true.
 * Everything lies in the arena. lh_page_read is in files/markdown.c, because it needs a library.
 */
#ifndef LH_LEARN_PAGE_H
#define LH_LEARN_PAGE_H

#include "learn/problem.h"

#define LH_PAGE_BLOCK "longhand-block"
enum { LH_PAGE_INSERT = 0xE000, LH_PAGE_DEEP = 32, LH_MAX_PAGE = 1 << 22 };

typedef enum lh_span_kind {
    LH_SPAN_TEXT,     /* text */
    LH_SPAN_EMPHASIS, /* child */
    LH_SPAN_STRONG,   /* child */
    LH_SPAN_CODE,     /* text */
    LH_SPAN_LINK,     /* child, and `to` where it leads */
    LH_SPAN_MATH,     /* text: a formula of TeX in the line */
    LH_SPAN_DISPLAY,  /* text: the same on lines of its own */
    LH_SPAN_BREAK,    /* a new line */
    LH_SPAN_INSERT    /* text: what the engine put there; `source` where a fact is from, or NULL */
} lh_span_kind;

typedef struct lh_span lh_span;
struct lh_span {
    lh_span_kind kind;
    const char *text, *to, *source;
    int insert;      /* its number */
    bool is_formula; /* of an insert: notation, not a number */
    lh_place at; /* of a formula and of a link: where it begins in the text; line 0: not known */
    lh_span *child, *next;
};

typedef enum lh_piece_kind {
    LH_PIECE_HEADING,   /* level, anchor, span */
    LH_PIECE_PARAGRAPH, /* span */
    LH_PIECE_QUOTE,     /* child */
    LH_PIECE_LIST,      /* child: items */
    LH_PIECE_ITEM,      /* child, and in a tight list span */
    LH_PIECE_CODE,      /* text, language */
    LH_PIECE_TABLE,     /* child: rows, the first one is the head */
    LH_PIECE_ROW,       /* child: cells */
    LH_PIECE_CELL,      /* span, align */
    LH_PIECE_RULE,
    LH_PIECE_BLOCK /* number: a block of the lesson */
} lh_piece_kind;

typedef enum lh_align {
    LH_CELL_NATURAL,
    LH_CELL_LEFT,
    LH_CELL_CENTRE,
    LH_CELL_RIGHT
} lh_cell_align;

typedef struct lh_piece lh_piece;
struct lh_piece {
    lh_piece_kind kind;
    int level;  /* of a heading: 1 to 6 */
    int number; /* of a block; of an ordered list: its first */
    int line;   /* in the text, from 1; 0: not known */
    bool is_ordered, is_tight, is_head;
    lh_cell_align align;
    const char *anchor;   /* scores-scaled; no two of a page are the same */
    const char *text;     /* of code; ends in a new line */
    const char *language; /* of code: its first word, or "" */
    const char *name;     /* ... and what stands behind it, or "": of a program its name */
    lh_span *span;
    lh_piece *child, *next;
};

typedef struct lh_page {
    lh_piece *piece;
} lh_page;

/* What stands for insert i: sets text, source and is_formula. */
typedef void (*lh_page_insert)(void *who, int i, lh_span *s);

typedef struct lh_page_how {
    const char *file; /* for messages */
    const char *text;
    size_t length;
    lh_page_insert insert; /* NULL: there are none */
    void *who;
    int n_inserts;
    const char *prefix; /* of anchors: "exercise-1-", or NULL */
    /* what is refused goes there, and the rest is read all the same; NULL: the context fails */
    lh_problems *problems;
} lh_page_how;

/* NULL and the context failed on error */
lh_page *lh_page_read(lh_context *ctx, lh_arena *a, const lh_page_how *how);
char *lh_page_anchor(lh_arena *a, const char *words); /* "Scores, scaled" is scores-scaled */
char *lh_span_words(lh_arena *a, const lh_span *s);   /* as plain text */

#endif
