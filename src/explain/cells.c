#include "explain/cells.h"

#include <math.h>
#include <string.h>

#include "eval/work.h"

typedef struct entry {
    int node; /* its id + 1; 0: free */
    lh_cell at;
    double value;
} entry;

struct lh_cells {
    lh_graph *g;
    lh_arena *arena;
    lh_cells_from from;
    entry *table; /* cap of them, a power of two */
    size_t n, cap;
    int *example; /* 0, 1, 2 ...: their numbers */
};

/* ---- what was computed already ---- */

static size_t slot_of(const lh_cells *c, const lh_node *n, lh_cell at) {
    size_t h = (size_t)n->id * 2654435761u + (size_t)at.example * 97u + (size_t)at.head * 193u +
               (size_t)at.row * 40503u + (size_t)at.col * 1543u;
    for (h ^= h >> 15, h &= c->cap - 1; c->table[h].node; h = (h + 1) & (c->cap - 1))
        if (c->table[h].node == n->id + 1 && memcmp(&c->table[h].at, &at, sizeof at) == 0) break;
    return h;
}

static void grow(lh_cells *c) {
    const lh_cells old = *c;
    c->cap = old.cap ? old.cap * 2 : 1024;
    c->table = lh_alloc_array(c->arena, c->cap, sizeof *c->table);
    if (!c->table) {
        *c = old; /* what is not kept is computed again: the context has failed anyway */
        return;
    }
    for (size_t i = 0; i < old.cap; i++) {
        const entry *e = &old.table[i];
        if (e->node) c->table[slot_of(c, c->g->node[e->node - 1], e->at)] = *e;
    }
}

static double keep(lh_cells *c, const lh_node *n, lh_cell at, double value) {
    if (c->n * 2 >= c->cap) grow(c);
    if (c->n + 1 >= c->cap) return value;
    entry *e = &c->table[slot_of(c, n, at)];
    c->n += e->node == 0;
    *e = (entry){n->id + 1, at, value};
    return value;
}

/* ---- cells ---- */

static lh_sizes sizes(const lh_cells *c, const lh_node *n, int example) {
    return c->from.sizes(c->from.who, n, example);
}

/* A size of 1 is stretched: row 0 stands for all. */
static lh_cell within(lh_sizes s, const lh_node *n, lh_cell at) {
    if (!n->shape.is_batched) at.example = 0;
    if (at.head >= s.heads) at.head = 0;
    if (at.row >= s.rows) at.row = 0;
    if (at.col >= s.cols) at.col = 0;
    return at;
}

static lh_block block_of(double *p, int heads, int rows, int cols) {
    return (lh_block){p,
                      heads > 1 ? cols : 0,
                      rows > 1 ? (ptrdiff_t)heads * cols : 0,
                      cols > 1 ? 1 : 0,
                      heads,
                      rows,
                      cols};
}

static lh_moment moment_of(const lh_cells *c, const int *example, int row) {
    return (lh_moment){.past = row,
                       .examples = c->from.examples,
                       .of = c->from.examples,
                       .example = example,
                       .training = c->from.training,
                       .step = c->from.step,
                       .seed = c->g->seed};
}

/* Operations that go cell by cell need one cell of each operand. */
static double from_each(lh_cells *c, const lh_node *n, lh_cell at) {
    double x[3] = {0}, y = 0;
    lh_block in[3], out = block_of(&y, 1, 1, 1);
    lh_view view[3];
    for (int i = 0; i < n->n_in && i < 3; i++) {
        x[i] = lh_cells_get(c, n->in[i], at);
        in[i] = block_of(&x[i], 1, 1, 1);
        view[i] = (lh_view){&in[i], 0};
    }
    const lh_moment moment = moment_of(c, &at.example, at.row);
    const lh_work w = {
        .node = n, .out = {&out, 0}, .in = view, .n_in = n->n_in, .examples = 1, .moment = &moment};
    lh_ops[n->kind]->exact(&w);
    return y;
}

/* A row of the left by a column of the right. */
static double from_product(lh_cells *c, const lh_node *n, lh_cell at) {
    const int inner = sizes(c, n->in[0], at.example).cols;
    double sum = 0;
    for (int k = 0; k < inner; k++)
        sum += lh_cells_get(c, n->in[0], (lh_cell){at.example, at.head, at.row, k}) *
               lh_cells_get(c, n->in[1], (lh_cell){at.example, at.head, k, at.col});
    return sum;
}

static double from_table(lh_cells *c, const lh_node *n, lh_cell at) {
    const double t = lh_cells_get(c, n->in[1], (lh_cell){at.example, at.head, at.row, 0});
    const int row = lh_place_of(t, sizes(c, n->in[0], at.example).rows);
    return row < 0 ? NAN : lh_cells_get(c, n->in[0], (lh_cell){at.example, at.head, row, at.col});
}

/* Cells of the operand are numbered as they would lie in memory: a view of it says whose cell it is. */
static double from_view(lh_cells *c, const lh_node *n, lh_cell at) {
    const lh_sizes to = sizes(c, n, at.example), s = sizes(c, n->in[0], at.example);
    const ptrdiff_t width = (ptrdiff_t)s.heads * s.cols;
    const lh_layout in = {.buffer = LH_FIXED,
                          .hs = s.heads > 1 ? s.cols : 0,
                          .rs = s.rows > 1 ? width : 0,
                          .cs = s.cols > 1 ? 1 : 0,
                          .heads = s.heads,
                          .rows = s.rows,
                          .cols = s.cols};
    lh_layout out = in;
    out.heads = to.heads, out.rows = to.rows, out.cols = to.cols;
    lh_ops[n->kind]->view(n, &in, &out);
    if (out.buffer == LH_CONSTANTS) return out.at == LH_CELL_ZERO ? 0 : NAN;
    const ptrdiff_t place = lh_layout_at(&out, to.heads > 1 ? at.head : 0, to.rows > 1 ? at.row : 0,
                                         to.cols > 1 ? at.col : 0);
    if (place < 0 || place >= width * s.rows)
        return NAN; /* a cell that this example does not have */
    return lh_cells_get(c, n->in[0],
                        (lh_cell){at.example, (int)(place % width / s.cols), (int)(place / width),
                                  (int)(place % s.cols)});
}

/* ---- whole rows ---- */

/* Its rows are made of the same rows of its operands, or of none; past says which row it is. */
static bool goes_by_rows(const lh_node *n) {
    return n->op->rows == LH_ROWS_EACH && n->kind != LH_OP_coin && n->kind != LH_OP_linspace;
}

typedef struct operand {
    lh_view view;
    lh_block *block;
} operand;

/* Operand i for one example: all of it, or one row where it has a row for each of the result. */
static bool gather(lh_cells *c, const lh_node *of, int example, int row, lh_block *to) {
    const lh_sizes s = sizes(c, of, example);
    const int rows = row >= 0 ? 1 : s.rows, first = row >= 0 ? row : 0;
    double *p =
        lh_alloc_array(c->arena, (size_t)s.heads * (size_t)rows * (size_t)s.cols, sizeof *p);
    if (!p) return false;
    *to = block_of(p, s.heads, rows, s.cols);
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < s.heads; h++)
            for (int k = 0; k < s.cols; k++)
                *p++ = lh_cells_get(c, of, (lh_cell){example, h, first + r, k});
    return true;
}

static bool gather_all(lh_cells *c, const lh_node *n, lh_cell at, int row, lh_view *view) {
    const lh_sizes s = sizes(c, n, at.example);
    for (int i = 0; i < n->n_in; i++) {
        const lh_node *of = n->in[i];
        const bool is_many = of->shape.is_batched && !n->shape.is_batched;
        const int count = is_many ? c->from.examples : 1;
        lh_block *block = lh_alloc_array(c->arena, (size_t)count, sizeof *block);
        if (!block) return false;
        view[i] = (lh_view){block, is_many};
        for (int e = 0; e < count; e++) {
            const int example = is_many ? e : at.example;
            const lh_sizes z = sizes(c, of, example);
            const bool by_row = row >= 0 && z.rows == s.rows && s.rows > 1;
            if (!lh_op_reads(n, i))
                block[e] = block_of(NULL, z.heads, z.rows, z.cols);
            else if (!gather(c, of, example, by_row ? row : -1, &block[e]))
                return false;
        }
    }
    return true;
}

/* The row that a cell is in, or everything; kept, and the cell of it. */
static double from_rows(lh_cells *c, const lh_node *n, lh_cell at) {
    const lh_sizes s = sizes(c, n, at.example);
    const int row = goes_by_rows(n) ? at.row : -1, rows = row >= 0 ? 1 : s.rows;
    const size_t cells = (size_t)s.heads * (size_t)rows * (size_t)s.cols;
    double *y = lh_alloc_array(c->arena, cells, sizeof *y), result = NAN;
    lh_view *in = lh_alloc_array(c->arena, (size_t)n->n_in + 1, sizeof *in);
    if (!y || !in || !gather_all(c, n, at, row, in)) return NAN;
    lh_block out = block_of(y, s.heads, rows, s.cols);
    const lh_moment moment = moment_of(c, c->example + at.example, row >= 0 ? row : 0);
    const lh_work w = {
        .node = n, .out = {&out, 0}, .in = in, .n_in = n->n_in, .examples = 1, .moment = &moment};
    lh_ops[n->kind]->exact(&w);
    for (int r = 0; r < rows; r++)
        for (int h = 0; h < s.heads; h++)
            for (int k = 0; k < s.cols; k++, y++) {
                const lh_cell cell = {at.example, h, row >= 0 ? row : r, k};
                keep(c, n, cell, *y);
                if (memcmp(&cell, &at, sizeof at) == 0) result = *y;
            }
    return result;
}

/* ---- any cell ---- */

static double runtime_number(const lh_cells *c, const lh_node *n) {
    return strcmp(n->text, "training") == 0 ? c->from.training
           : strcmp(n->text, "step") == 0   ? c->from.step
                                            : c->from.examples;
}

static double of_given(lh_cells *c, const lh_node *n, lh_cell at) {
    const lh_given *given = n->given;
    const size_t cols = c->g->axis[n->shape.cols].n;
    if (given->start == LH_START_EXPR) return lh_cells_get(c, given->expr, at);
    if (given->data) return given->data[(size_t)at.row * cols + (size_t)at.col];
    return NAN;
}

/* What is there without computing; false: it has to be made. */
static bool is_there(lh_cells *c, const lh_node *n, lh_cell at, double *x) {
    switch (n->kind) {
    case LH_OP_number:
    case LH_OP_size: *x = n->number; return true;
    case LH_OP_rows: *x = sizes(c, n->in[0], at.example).rows; return true;
    case LH_OP_cols: *x = sizes(c, n->in[0], at.example).cols; return true;
    case LH_OP_matrix:
        *x = n->cells[(size_t)at.row * c->g->axis[n->shape.cols].n + (size_t)at.col];
        return true;
    case LH_OP_runtime: *x = runtime_number(c, n); return true;
    default: return c->from.known(c->from.who, n, at, x);
    }
}

double lh_cells_get(lh_cells *c, const lh_node *n, lh_cell at) {
    double x;
    while (lh_node_meaning(n) &&
           !c->from.known(c->from.who, n, within(sizes(c, n, at.example), n, at), &x))
        n = lh_node_meaning(n);
    at = within(sizes(c, n, at.example), n, at);
    if (is_there(c, n, at, &x)) return x;
    if (n->kind == LH_OP_given) return of_given(c, n, at);
    if (n->kind == LH_OP_input || lh_failed(c->g->ctx)) return NAN;
    if (lh_ops[n->kind]->view) return from_view(c, n, at);
    const entry *e = &c->table[slot_of(c, n, at)];
    if (e->node) return e->value;
    if (n->op->is_each) return keep(c, n, at, from_each(c, n, at));
    if (n->kind == LH_OP_matmul) return keep(c, n, at, from_product(c, n, at));
    if (n->kind == LH_OP_lookup) return from_table(c, n, at);
    return from_rows(c, n, at);
}

lh_cells *lh_cells_new(lh_graph *g, const lh_cells_from *from) {
    lh_arena *arena = lh_failed(g->ctx) ? NULL : lh_arena_new(g->ctx);
    if (!arena) return NULL;
    lh_cells *c = lh_alloc(arena, sizeof *c);
    *c = (lh_cells){.g = g, .arena = arena, .from = *from};
    c->example = lh_alloc_array(arena, (size_t)from->examples + 1, sizeof *c->example);
    for (int e = 0; c->example && e < from->examples; e++) c->example[e] = e;
    grow(c);
    if (!lh_failed(g->ctx) && c->table && c->example) return c;
    lh_cells_free(c);
    return NULL;
}

void lh_cells_free(lh_cells *c) {
    if (c) lh_arena_free(c->arena);
}
