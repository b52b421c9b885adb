/* diagram -- blocks in columns with arrows between them: the whole transformer, GPT, a model of today, the loop of training.
 *
 *     const lh_diagram *d = lh_diagram_find("transformer");
 *     lh_diagram_text(d, "positions", &(lh_chart_screen){.width = 80}, &text);
 *     lh_diagram_svg(d, "positions", "The transformer", &text);
 *
 * A line of a block may name the lesson that treats it; the line of the lesson `here` is the reader's place. Rows of blocks begin at
 * the same height in every column. The architectures are tables; the loop of training is made from a program.
 */
#ifndef LH_EXPLAIN_DIAGRAM_H
#define LH_EXPLAIN_DIAGRAM_H

#include "explain/chart.h"
#include "graph/graph.h"

enum {
    LH_DIAGRAM_LINES = 8,
    LH_DIAGRAM_BLOCKS = 10,
    LH_DIAGRAM_LINKS = 12,
    LH_DIAGRAM_COLUMNS = 2
};

typedef struct lh_diagram_line {
    const char *text;
    const char *lesson; /* that treats it, or NULL */
    bool is_apart;      /* a rule stands above it: another part of the block begins */
} lh_diagram_line;

typedef struct lh_diagram_block {
    const char *title; /* in its upper edge, or NULL */
    int column, row;
    bool is_words; /* what goes in and what comes out: a line of text without an edge */
    lh_diagram_line line[LH_DIAGRAM_LINES];
    int n_lines;
} lh_diagram_block;

/* In one column: from block to block, straight. Between columns: from the side of a line to the side of a line. */
typedef struct lh_diagram_link {
    int from, to; /* blocks */
    int from_line, to_line;
} lh_diagram_link;

typedef struct lh_diagram {
    const char *name, *title;
    lh_diagram_block block[LH_DIAGRAM_BLOCKS];
    int n_blocks;
    lh_diagram_link link[LH_DIAGRAM_LINKS];
    int n_links;
} lh_diagram;

extern const char *const lh_diagram_names[]; /* transformer, gpt, today, training; NULL ends them */
/* NULL: there is none, or it needs a program */
const lh_diagram *lh_diagram_find(const char *name);
/* NULL and the context failed: it learns nothing */
lh_diagram *lh_diagram_training(lh_arena *a, lh_graph *g);

void lh_diagram_text(const lh_diagram *d, const char *here, const lh_chart_screen *how,
                     lh_text *out);
void lh_diagram_svg(const lh_diagram *d, const char *here, lh_text *out);
void lh_diagram_describe(const lh_diagram *d, const char *here, lh_text *out); /* in sentences */

/* Where everything stands, in the units that `size` gives: what both forms share. */
typedef struct lh_diagram_size {
    int line, edge, rule, gap; /* heights: of a line, of an edge, of a rule, between two rows */
} lh_diagram_size;
typedef struct lh_diagram_place {
    int y, h;
    int line_y[LH_DIAGRAM_LINES];
} lh_diagram_place;
/* returns the whole height */
int lh_diagram_layout(const lh_diagram *d, const lh_diagram_size *size,
                      lh_diagram_place place[LH_DIAGRAM_BLOCKS]);
int lh_diagram_columns(const lh_diagram *d);
bool lh_diagram_is_across(const lh_diagram *d, const lh_diagram_link *k);
int lh_diagram_n_across(const lh_diagram *d); /* links between columns: each has a lane */

#endif
