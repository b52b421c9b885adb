#include "base/utf8.h"
#include "learn/paper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "explain/explain.h"
#include "graph/op.h"
#include "learn/limits.h"
#include "learn/paper_lines.h"
#include "learn/variant.h"

enum { GIVEN_CELLS = 20000, LINE = 160, WORKED_CELLS = 4 };

/* ---- labels and numbers ---- */

static const char *label(const lh_paper *p, int axis, int example, int at) {
    const char *word = lh_axis_label(p->g, p->sheet->plan, axis, example, at);
    return word ? word : lh_printf(p->arena, "%d", at);
}

/* A single row or column without a word needs no label. */
static const char **labels(const lh_paper *p, int axis, int example, int n) {
    if (n == 1 && !lh_axis_label(p->g, p->sheet->plan, axis, example, 0)) return NULL;
    const char **out = lh_alloc_array(p->arena, (size_t)n + 1, sizeof *out);
    for (int i = 0; out && i < n; i++) out[i] = label(p, axis, example, i);
    return out;
}

static lh_grid grid_for(const lh_paper *p, const lh_node *n, int example) {
    lh_sizes z = lh_exact.sizes(p->sheet->plan, n, example);
    size_t cells = (size_t)z.rows * (size_t)z.cols;
    lh_grid g = {.rows = z.rows,
                 .cols = z.cols,
                 .row = labels(p, n->shape.rows, example, z.rows),
                 .col = labels(p, n->shape.cols, example, z.cols),
                 .cell = lh_alloc_array(p->arena, cells + 1, sizeof(char *))};
    for (size_t i = 0; g.cell && i < cells; i++) g.cell[i] = "";
    return g;
}

const char *lh_paper_number(lh_arena *a, const lh_paper_step *s, int digits, double x) {
    if (!isfinite(x)) return isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    char *text = s->is_scientific ? lh_printf(a, "%.*e", digits - 1, x)
                                  : lh_printf(a, "%.*f", s->decimals, x);
    bool is_zero = strspn(text, "-0.e+") == strlen(text);
    return is_zero && text[0] == '-' ? text + 1 : text;
}

/* ---- what is given ---- */

/* One statement as it stands, without its comment. */
static const char *line_of(const lh_paper *p, const lh_statement *s) {
    lh_statement bare = *s, *list[] = {&bare};
    lh_program one = *p->variant;
    bare.comment = NULL;
    bare.is_joined = false;
    one.statement = list;
    one.n_statements = 1;
    char *text = lh_program_print(&one);
    size_t n = strcspn(text, "\n");
    if (n <= LINE) return lh_copy(p->arena, text, n);
    n = LINE;
    while (n && !lh_utf8_starts(text[n])) n--;
    return lh_printf(p->arena, "%.*s ...", (int)n, text);
}

static lh_paper_given *add_given(lh_paper *p, const char *line, const char *comment) {
    lh_paper_given *x = lh_push(p->arena, p->given, p->n_given);
    *x = (lh_paper_given){.line = line, .comment = comment ? comment : ""};
    return x;
}

static void give_lines(lh_paper *p) {
    for (int i = 0; i < p->variant->n_statements; i++) {
        const lh_statement *s = p->variant->statement[i];
        if (s->kind == LH_S_VOCAB || s->kind == LH_S_SIZE || s->kind == LH_S_INPUT ||
            s->kind == LH_S_EXAMPLE || s->kind == LH_S_EXAMPLES || s->kind == LH_S_TEXT)
            add_given(p, line_of(p, s), s->comment);
    }
}

/* left: how many numbers may still be given */
static lh_grid *given_grid(const lh_paper *p, const lh_node *n, double *left) {
    lh_sizes z = lh_exact.sizes(p->sheet->plan, n, 0);
    const double cells = (double)z.rows * z.cols;
    if (cells > *left) {
        lh_fail(p->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "a sheet would have to give %s, which is %s%s, but at most %d numbers are allowed",
                n->step->path, lh_shape_text(p->g, n->shape),
                cells > GIVEN_CELLS ? "" : ", besides all the others", GIVEN_CELLS);
        lh_cure(p->ctx, "--steps can name steps that do not need it");
        return NULL;
    }
    *left -= cells;
    lh_grid *g = lh_alloc(p->arena, sizeof *g);
    *g = grid_for(p, n, 0);
    for (int i = 0; g->cell && i < z.rows * z.cols; i++) {
        char text[LH_NUMBER_MAX];
        double x = lh_exact.get(p->sheet->plan, n, (lh_cell){0, 0, i / z.cols, i % z.cols});
        g->cell[i] = lh_printf(p->arena, "%s", lh_given_text(text, sizeof text, x));
    }
    return g;
}

static bool same_grid(const lh_grid *a, const lh_grid *b) {
    if (!a || !b || a->rows != b->rows || a->cols != b->cols || !a->cell || !b->cell) return false;
    for (int i = 0; i < a->rows * a->cols; i++)
        if (strcmp(a->cell[i], b->cell[i]) != 0) return false;
    return true;
}

static const char *kind_word(const lh_given *g) {
    return g->kind == LH_PARAM ? "param" : g->kind == LH_STATE ? "state" : "const";
}

/* The same param of several turns of a repeat, with the same numbers, is given once: param h[0].WQ = h[1].WQ. */
typedef struct given_turns {
    const char *name;
    const lh_scope *scope;
    int place; /* in p->given */
} given_turns;

/* What a value is worked out from: a call from its body, which may ask for no more than the size of an operand. */
static void need(const lh_node *n, bool *is_needed) {
    if (is_needed[n->id] || n->kind == LH_OP_size) return;
    is_needed[n->id] = true;
    if (n->call) need(n->call->result, is_needed);
    for (int i = 0; i < n->n_in && !n->call; i++)
        if (!n->is_known || lh_op_reads(n, i)) need(n->in[i], is_needed);
}

/* The steps asked for decide which numbers are given. Those of later moments read what := made of others. */
static bool *needed_nodes(const lh_paper *p) {
    const lh_sheet *s = p->sheet;
    bool *is_needed = lh_alloc_array(p->arena, (size_t)p->g->n_nodes + 1, sizeof *is_needed);
    for (int i = 0; is_needed && i < s->n_asks; i++) need(s->ask[i].step->node, is_needed);
    for (int i = 0; is_needed && i < p->g->n_nodes && s->n_moments > 1; i++) is_needed[i] = true;
    return is_needed;
}

static void give_numbers(lh_paper *p) {
    given_turns *seen = NULL;
    int n_seen = 0;
    double left = GIVEN_CELLS;
    const bool *is_needed = needed_nodes(p);
    for (int i = 0; is_needed && i < p->g->n_givens && !lh_failed(p->ctx); i++) {
        const lh_given *given = p->g->given[i];
        const lh_step *s = given->node->step;
        if (!s || s->is_dead || !is_needed[given->node->id]) continue;
        if (!lh_exact.has(p->sheet->plan, given->node)) continue;
        lh_grid *grid = given_grid(p, given->node, &left);
        bool is_known = false;
        for (int k = 0; k < n_seen && !is_known; k++) {
            lh_paper_given *other = &p->given[seen[k].place];
            if (strcmp(seen[k].name, s->name) != 0 || s->scope->kind != LH_SCOPE_REPEAT ||
                seen[k].scope->kind != LH_SCOPE_REPEAT || !same_grid(other->grid, grid))
                continue;
            other->line = lh_printf(p->arena, "%s = %s", other->line, s->path);
            is_known = true;
        }
        if (is_known) continue;
        *lh_push(p->arena, seen, n_seen) = (given_turns){s->name, s->scope, p->n_given};
        lh_paper_given *x =
            add_given(p, lh_printf(p->arena, "%s %s", kind_word(given), s->path), s->comment);
        x->grid = grid;
    }
}

/* ---- what is asked ---- */

static const char *example_text(const lh_paper *p, int example) {
    int n = 0;
    for (int i = 0; i < p->variant->n_statements; i++) {
        const lh_statement *s = p->variant->statement[i];
        if (s->kind != LH_S_EXAMPLE || n++ != example) continue;
        const char *line = line_of(p, s);
        return strncmp(line, "example ", 8) == 0 ? line + 8 : line;
    }
    return "";
}

static void add_block(lh_paper *p, lh_paper_step *s, const lh_node *n, int example, int head,
                      int examples, int heads) {
    lh_answer_block *b = lh_push(p->arena, s->block, s->n_blocks);
    lh_arena *a = p->arena;
    const char *words = examples > 1 ? example_text(p, example) : "";
    *b = (lh_answer_block){.example = example, .head = head, .grid = grid_for(p, n, example)};
    if (s->n_blocks > 1) {
        const lh_answer_block *before = b - 1;
        b->first = before->first + before->grid.rows * before->grid.cols;
    }
    if (examples > 1 && heads > 1) {
        b->address = lh_printf(a, "%s{example %d, head %d}", s->name, example, head);
        b->title =
            lh_printf(a, "example %d%s%s, head %d", example, *words ? ": " : "", words, head);
    } else if (examples > 1) {
        b->address = lh_printf(a, "%s{example %d}", s->name, example);
        b->title = lh_printf(a, "example %d%s%s", example, *words ? ": " : "", words);
    } else if (heads > 1) {
        b->address = lh_printf(a, "%s{head %d}", s->name, head);
        b->title = lh_printf(a, "head %d", head);
    } else {
        b->address = s->name;
        b->title = "";
    }
}

static void add_blocks(lh_paper *p, lh_paper_step *s, const lh_node *n) {
    int examples = n->shape.is_batched ? lh_exact.examples(p->sheet->plan) : 1;
    for (int e = 0; e < examples; e++) {
        int heads = lh_exact.sizes(p->sheet->plan, n, e).heads;
        for (int h = 0; h < heads; h++) add_block(p, s, n, e, h, examples, heads);
    }
}

static const char *shape_of(const lh_paper *p, const lh_paper_step *s) {
    if (s->n_blocks == 0) return "no example"; /* of a value that exists once for each */
    const lh_grid *g = &s->block[0].grid;
    bool same = true;
    for (int i = 1; i < s->n_blocks; i++)
        same &= s->block[i].grid.rows == g->rows && s->block[i].grid.cols == g->cols;
    if (s->n_blocks > 1 && !same) return lh_printf(p->arena, "%d matrices", s->n_blocks);
    const char *one = g->rows == 1 && g->cols == 1
                          ? "1 number"
                          : lh_printf(p->arena, "%d x %d", g->rows, g->cols);
    return s->n_blocks > 1 ? lh_printf(p->arena, "%d times %s", s->n_blocks, one) : one;
}

/* The item of a step, or of the step that a line stands in. */
static const lh_trace_item *item_of(const lh_trace *t, const lh_step *s) {
    for (int i = 0; i < t->n_items; i++) {
        if (t->item[i].step == s) return &t->item[i];
        for (int k = 0; k < t->item[i].n_inner; k++)
            if (t->item[i].inner[k] == s) return &t->item[i];
    }
    return NULL;
}

static const char *at_moment(const lh_paper *p, const char *path, int moment) {
    return moment ? lh_printf(p->arena, "%s@%d", path, moment) : path;
}

static const char *precision_of(const lh_paper *p, int decimals) {
    if (decimals == 0) return "whole numbers";
    if (decimals > LH_PLAIN_DECIMALS) return lh_printf(p->arena, "%d digits, as 1.5e-9", p->digits);
    return lh_printf(p->arena, "%d decimal%s", decimals, decimals == 1 ? "" : "s");
}

static void add_step(lh_paper *p, const lh_trace *t, bool *is_seen, int ask) {
    const lh_ask *q = &p->sheet->ask[ask];
    const lh_step *step = q->step;
    const lh_trace_item *item = item_of(t, step);
    bool is_update = step->kind == LH_STEP_UPDATE;
    lh_paper_step *s = lh_push(p->arena, p->step, p->n_steps);
    *s = (lh_paper_step){
        .number = ask + 1,
        .name = at_moment(p, is_update && step->of ? step->of->path : step->path, q->moment),
        .path = at_moment(p, step->path, q->moment),
        .sign = is_update ? ":=" : "=",
        .formula = lh_paper_formula(p, step),
        .comment = step->comment ? step->comment : "",
        .section = item ? item->section : LH_SECTION_FORWARD,
        .moment = q->moment,
        .decimals = q->decimals,
        .is_scientific = q->decimals > LH_PLAIN_DECIMALS};
    s->precision = precision_of(p, s->decimals);
    add_blocks(p, s, step->node);
    s->shape = shape_of(p, s);
    bool is_new_moment = ask > 0 && q[-1].moment != q->moment;
    if (is_new_moment) memset(is_seen, 0, (size_t)p->g->n_nodes);
    lh_paper_lines(p, s, step, is_seen);
}

const lh_answer_block *lh_paper_block(const lh_paper *p, int ask, int k, int *cell) {
    const lh_paper_step *s = &p->step[ask];
    int i = 0;
    while (i + 1 < s->n_blocks && s->block[i + 1].first <= k) i++;
    *cell = k - s->block[i].first;
    return &s->block[i];
}

/* ---- the key ---- */

static const char *cell_index(lh_arena *a, const lh_grid *g, int k) {
    if (g->rows > 1 && g->cols > 1) return lh_printf(a, "[%d][%d]", k / g->cols, k % g->cols);
    return g->rows * g->cols > 1 ? lh_printf(a, "[%d]", k) : "";
}

const char *lh_paper_cell(const lh_paper *p, lh_arena *a, int ask, int k) {
    int cell;
    const lh_answer_block *b = lh_paper_block(p, ask, k, &cell);
    return lh_printf(a, "%s%s", b->address, cell_index(a, &b->grid, cell));
}

/* The cell whose working stands for the others: of the first block the largest number in the last row. */
static int typical_cell(const lh_paper *p, int ask) {
    const lh_grid *g = &p->step[ask].block[0].grid;
    int best = (g->rows - 1) * g->cols;
    for (int k = best + 1; k < g->rows * g->cols; k++)
        if (fabs(lh_sheet_exact(p->sheet, ask, k)) > fabs(lh_sheet_exact(p->sheet, ask, best)))
            best = k;
    return best;
}

/* Returns how many lines it took. */
static int work_cell(lh_paper *p, int ask, int k, int most) {
    lh_paper_step *s = &p->step[ask];
    int cell;
    const lh_answer_block *b = lh_paper_block(p, ask, k, &cell);
    const char *braces = b->address + strlen(s->name);
    const char *address =
        lh_printf(p->arena, "%s%s%s", s->path, braces, cell_index(p->arena, &b->grid, cell));
    lh_explanation *e =
        lh_explain(p->g, address,
                   &(lh_explain_how){.digits = p->digits + 1,
                                     .plan = p->sheet->at[p->sheet->ask[ask].moment]});
    int n = e ? e->n_lines : 0;
    for (int i = 0; i < n && n <= most; i++) {
        const lh_line *l = &e->line[i];
        char value[LH_NUMBER_MAX];
        bool is_last = i == n - 1;
        lh_number_text(value, sizeof value, l->value, p->digits + 1);
        *lh_push(p->arena, s->working, s->n_working) =
            (lh_working){.label = lh_printf(p->arena, "%s", l->label),
                         .formula = lh_printf(p->arena, "%s", l->formula),
                         .numbers = lh_printf(p->arena, "%s", l->numbers),
                         .value = is_last ? lh_paper_number(p->arena, s, p->digits, l->value)
                                          : lh_printf(p->arena, "%s", value)};
    }
    lh_explanation_free(e);
    return n;
}

static void answer_step(lh_paper *p, int ask) {
    lh_paper_step *s = &p->step[ask];
    int n = p->sheet->ask[ask].n_cells;
    for (int k = 0; k < n; k++) {
        int cell;
        const lh_answer_block *b = lh_paper_block(p, ask, k, &cell);
        b->grid.cell[cell] =
            lh_paper_number(p->arena, s, p->digits, lh_sheet_exact(p->sheet, ask, k));
    }
    /* each cell where one line says it, else one cell in full */
    int lines = n ? work_cell(p, ask, typical_cell(p, ask), 1 << 20) : 0;
    if (lines != 1 || n > WORKED_CELLS || n == 1) return;
    s->n_working = 0;
    for (int k = 0; k < n; k++) work_cell(p, ask, k, 1);
}

/* ---- the code ---- */

static void hash(unsigned *h, const char *s) {
    for (; *s; s++) *h = (*h ^ (unsigned char)*s) * 16777619u;
    *h = (*h ^ 0xFFu) * 16777619u;
}

/* More digits for later moments do not make it another sheet, nor does the wording of a formula. */
static const char *code_of(const lh_paper *p) {
    unsigned h = 2166136261u;
    for (int i = 0; i < p->n_given; i++) {
        const lh_grid *g = p->given[i].grid;
        hash(&h, p->given[i].line);
        for (int k = 0; g && k < g->rows * g->cols; k++) hash(&h, g->cell[k]);
    }
    for (int i = 0; i < p->n_steps; i++) {
        hash(&h, p->step[i].path);
        const lh_ask *q = &p->sheet->ask[i];
        hash(&h, lh_step_formula(p->g, q->step));
        hash(&h, p->step[i].shape);
        int decimals = lh_decimals_for(p->sheet->at[q->moment], q->step->node, p->digits);
        hash(&h, precision_of(p, decimals));
    }
    return lh_printf(p->arena, "%06x", (h ^ (h >> 24)) & 0xFFFFFFu);
}

/* ---- the whole ---- */

static bool is_asked(const lh_sheet *s, const char *name) {
    for (int i = 0; i < s->n_asks; i++)
        if (lh_ask_is_named(&s->ask[i], name)) return true;
    return false;
}

/* A step named for the sheet that it cannot ask: the last line of a call, tokens, something given. */
static void check_steps(lh_paper *p, const lh_paper_how *how) {
    for (int i = 0; i < how->n_steps && !lh_failed(p->ctx); i++) {
        if (is_asked(p->sheet, how->steps[i]) || strcmp(how->steps[i], "all") == 0) continue;
        lh_place at = how->at ? how->at[i] : (lh_place){0, 0, 0};
        const char *name = lh_copy(p->arena, how->steps[i], strcspn(how->steps[i], "@"));
        const lh_step *s = lh_graph_find(p->g, name);
        if (!s) return;
        if (lh_step_is_inner(s) && s->scope->call && s->scope->call->step)
            lh_fail(p->ctx, LH_ERROR_NAME, at, "%s is the value of %s: ask for %s", name,
                    s->scope->call->step->path, s->scope->call->step->path);
        else if (s->kind == LH_STEP_GIVEN)
            lh_fail(p->ctx, LH_ERROR_NAME, at, "%s is given: there is nothing to work out", name);
        else
            lh_fail(p->ctx, LH_ERROR_NAME, at, "%s is not a number to be worked out", name);
    }
}

static lh_sheet *sheet_of(lh_graph *g, const lh_paper_how *how, int digits) {
    return g ? lh_sheet_new(g, &(lh_sheet_how){.digits = digits,
                                               .steps = how->steps,
                                               .n_steps = how->n_steps,
                                               .with_tiny = how->with_tiny})
             : NULL;
}

static void check_size(lh_paper *p, const lh_paper_how *how, const lh_sheet *s) {
    if (s->n_cells <= LH_PAPER_CELLS) return;
    lh_fail(p->ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
            "a sheet of %s would ask for %d numbers, but at most %d are allowed", how->lesson,
            s->n_cells, LH_PAPER_CELLS);
    lh_cure(p->ctx, "--steps names the steps to ask");
}

/* In the lesson's own numbers it asks for as much as in others: what is too much is said before other numbers are looked for. */
static bool fits(lh_paper *p, const lh_program *lesson, const lh_paper_how *how) {
    lh_graph *g = how->seed ? lh_graph_build(p->ctx, lesson, NULL) : NULL;
    lh_sheet *s = sheet_of(g, how, p->digits);
    if (s) check_size(p, how, s);
    lh_sheet_free(s);
    lh_graph_free(g);
    return !lh_failed(p->ctx);
}

static bool open_sheet(lh_paper *p, const lh_program *lesson, const lh_paper_how *how) {
    lh_variant_how draw = {.seed = how->seed,
                           .digits = p->digits,
                           .mistakes = how->mistakes,
                           .n_untried = &p->n_untried};
    p->variant = fits(p, lesson, how) ? lh_variant_program(p->ctx, lesson, &draw) : NULL;
    p->g = p->variant ? lh_graph_build(p->ctx, p->variant, NULL) : NULL;
    p->sheet = sheet_of(p->g, how, p->digits);
    if (!p->sheet) return false;
    check_steps(p, how);
    if (p->sheet->n_cells == 0)
        lh_fail(p->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0}, "%s has no step to ask for",
                how->lesson);
    check_size(p, how, p->sheet);
    return !lh_failed(p->ctx);
}

lh_paper *lh_paper_new(lh_context *ctx, const lh_program *lesson, const lh_paper_how *how) {
    lh_arena *a = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    if (!a) return NULL;
    lh_paper *p = lh_alloc(a, sizeof *p);
    *p = (lh_paper){.ctx = ctx,
                    .arena = a,
                    .lesson = lh_printf(a, "%s", how->lesson),
                    .title = lh_printf(a, "%s", how->title ? how->title : ""),
                    .form = lh_printf(a, "%s", how->form ? how->form : ""),
                    .seed = how->seed,
                    .digits = how->digits ? how->digits : 4,
                    .asked = how->is_named_by_caller ? how->steps : NULL,
                    .n_asked = how->is_named_by_caller ? how->n_steps : 0,
                    .is_key = how->key};
    lh_trace *t =
        open_sheet(p, lesson, how) ? lh_trace_new(p->g, &(lh_trace_how){NULL, true}) : NULL;
    if (t) {
        give_lines(p);
        give_numbers(p);
        bool *is_seen = lh_alloc_array(a, (size_t)p->g->n_nodes + 1, sizeof *is_seen);
        for (int i = 0; i < p->sheet->n_asks && !lh_failed(ctx); i++) add_step(p, t, is_seen, i);
        for (int i = 0; how->key && i < p->n_steps && !lh_failed(ctx); i++) answer_step(p, i);
        p->code = code_of(p);
    }
    lh_trace_free(t);
    if (!lh_failed(ctx)) return p;
    lh_paper_free(p);
    return NULL;
}

void lh_paper_free(lh_paper *p) {
    if (!p) return;
    lh_sheet_free(p->sheet);
    lh_graph_free(p->g);
    lh_program_free(p->variant);
    lh_arena_free(p->arena);
}
