/* build_data -- vocabularies, inputs, examples and files of numbers. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/number.h"
#include "graph/build.h"
#include "graph/op.h"

/* t17 is word 17. */
static int counted_word(const lh_vocab *v, const char *word) {
    char *end;
    if (word[0] != 't' || word[1] < '0' || word[1] > '9') return -1;
    const long i = strtol(word + 1, &end, 10);
    return i < v->n_words && strcmp(v->word[i], word) == 0 ? (int)i : -1;
}

/* The first of the sorted words that is not before it. */
static int sorted_word(const lh_vocab *v, const char *word) {
    int from = 0, to = v->n_words;
    while (from < to) {
        const int middle = from + (to - from) / 2;
        if (strcmp(v->word[v->order[middle]], word) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_it = from < v->n_words && strcmp(v->word[v->order[from]], word) == 0;
    return is_it ? v->order[from] : -1;
}

int lh_vocab_word(const lh_vocab *v, const char *word) {
    if (v->is_counted) return counted_word(v, word);
    if (v->order) return sorted_word(v, word);
    for (int i = 0; i < v->n_words; i++)
        if (strcmp(v->word[i], word) == 0) return i;
    return -1;
}

lh_vocab *lh_vocab_find(const lh_graph *g, const char *name) {
    for (int i = 0; i < g->n_vocabs; i++)
        if (strcmp(g->vocab[i]->name, name) == 0) return g->vocab[i];
    return NULL;
}

void lh_fail_word(lh_graph *g, lh_place at, const lh_vocab *v, const char *word) {
    const char *near = lh_nearest(word, v->word, v->n_words);
    lh_fail(g->ctx, LH_ERROR_VALUE, at, "\"%.60s\" is not in the vocabulary%s%s", word,
            strcmp(v->name, "vocab") ? " " : "", strcmp(v->name, "vocab") ? v->name : "");
    if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
    else
        lh_cure(g->ctx, "it has %d word%s, from %s to %s", v->n_words, LH_PLURAL(v->n_words),
                v->word[0], v->word[v->n_words - 1]);
}

static const char *read_text(lh_builder *b, const lh_expr *call, size_t *length) {
    lh_context *ctx = b->g->ctx;
    const char *text = NULL;
    *length = 0;
    if (call->n_args < 1 || call->arg[0]->kind != LH_E_STRING) {
        lh_fail(ctx, LH_ERROR_TEXT, call->at, "file(\"name\") needs the name of a file in quotes");
    } else if (!ctx->read_file) {
        lh_fail(ctx, LH_ERROR_FILE, call->at, "files cannot be read here");
    } else {
        ctx->read_file(ctx->read_file_who, ctx, b->g->arena, call->arg[0]->text, &text, length);
        if (lh_failed(ctx) && ctx->error.at.line == 0) ctx->error.at = call->at;
    }
    return text ? text : "";
}

/* The next word of a line or text; NULL at its end. */
static const char *next_word(const char **p, const char *end, size_t *n, bool stop_at_newline) {
    while (*p < end && lh_is_space(**p) && !(stop_at_newline && **p == '\n')) (*p)++;
    const char *start = *p;
    while (*p < end && !lh_is_space(**p)) (*p)++;
    *n = (size_t)(*p - start);
    return *n ? start : NULL;
}

static void vocab_from_file(lh_builder *b, lh_vocab *v, const lh_expr *call) {
    size_t length, n;
    const char *p = read_text(b, call, &length), *end = p + length, *w;
    while ((w = next_word(&p, end, &n, false)) && !lh_failed(b->g->ctx))
        *lh_push(b->g->arena, v->word, v->n_words) = lh_copy(b->g->arena, w, n);
    if (!v->n_words) lh_fail(b->g->ctx, LH_ERROR_FILE, call->at, "the file contains no words");
}

typedef struct numbered {
    const char *word;
    int number;
} numbered;

static int compare_words(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    const int order = strcmp(x->word, y->word);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* So that a word is found without comparing it with every other; without memory it still is found. */
static void sort_words(lh_graph *g, lh_vocab *v) {
    const size_t n = (size_t)v->n_words;
    numbered *sorted = lh_alloc_array(g->arena, n + 1, sizeof *sorted);
    int *order = lh_alloc_array(g->arena, n + 1, sizeof *order);
    if (!sorted || !order) return;
    for (size_t i = 0; i < n; i++) sorted[i] = (numbered){v->word[i], (int)i};
    qsort(sorted, n, sizeof *sorted, compare_words);
    for (size_t i = 0; i < n; i++) order[i] = sorted[i].number;
    v->order = order;
}

/* Words must differ: equal ones stand beside each other when they are sorted. */
static void check_words(lh_builder *b, lh_vocab *v, lh_place at) {
    if (v->is_counted || !v->word) return;
    sort_words(b->g, v);
    for (int i = 1; v->order && i < v->n_words; i++)
        if (strcmp(v->word[v->order[i - 1]], v->word[v->order[i]]) == 0) {
            lh_fail(b->g->ctx, LH_ERROR_NAME, at, "\"%.60s\" occurs twice in the vocabulary",
                    v->word[v->order[i]]);
            return;
        }
}

/* vocab 65 has so many words, unless the caller set another number. */
static int vocab_count(lh_builder *b, const lh_statement *s, const char *name) {
    lh_graph *g = b->g;
    const lh_expr *e = lh_setting_for(b, name, NULL);
    double n = s->count;
    if (e && !s->count)
        lh_fail(g->ctx, LH_ERROR_VALUE, s->at,
                "%s is a list of words: only a vocabulary given as a number (vocab 65) can be set",
                name);
    if (!e || lh_failed(g->ctx)) return s->count;
    const lh_node *value = lh_build_expr(b, e, name, false);
    lh_setting_end(b);
    if (!lh_failed(g->ctx) &&
        (!lh_node_constant(g, value, &n) || !(n >= 1 && n <= LH_MAX_AXIS) || n != (int)n))
        lh_fail(g->ctx, LH_ERROR_SHAPE, s->at,
                "%s: the number of words must be a whole number from 1 to %d (as it was set)", name,
                LH_MAX_AXIS);
    return lh_failed(g->ctx) ? s->count : (int)n;
}

void lh_build_vocab(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    const char *name = s->name ? s->name : "vocab";
    if (lh_vocab_find(g, name) || lh_scope_here(g->top, name)) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->at, "%s is already defined", name);
        return;
    }
    lh_vocab *v = lh_alloc(g->arena, sizeof *v);
    v->name = name;
    const int count = vocab_count(b, s, name);
    if (count > LH_MAX_WORDS) {
        lh_fail(g->ctx, LH_ERROR_LIMIT, s->at, "%d words are too many; the maximum is %d", count,
                LH_MAX_WORDS);
        return;
    }
    if (s->file) {
        vocab_from_file(b, v, s->file);
    } else if (s->count) {
        v->word = lh_alloc_array(g->arena, (size_t)count, sizeof *v->word);
        v->n_words = v->word ? count : 0;
        v->is_counted = true;
        for (int i = 0; i < v->n_words && !lh_failed(g->ctx); i++)
            v->word[i] = lh_printf(g->arena, "t%d", i);
    } else {
        v->word = s->word;
        v->n_words = s->n_words;
    }
    if (lh_failed(g->ctx)) return;
    check_words(b, v, s->at);
    v->axis = lh_axis_named(g, name, (size_t)v->n_words);
    g->axis[v->axis].vocab = v;
    *lh_push(g->arena, g->vocab, g->n_vocabs) = v;
}

static lh_input *input_new(lh_builder *b, const char *name, const lh_vocab *vocab, bool is_many,
                           lh_place at) {
    lh_graph *g = b->g;
    lh_input *in = lh_alloc(g->arena, sizeof *in);
    *in = (lh_input){.name = name, .vocab = vocab, .is_many = is_many};
    g->at = at;
    lh_node *n = in->node = lh_node_new(g, LH_OP_input, 0, NULL);
    n->shape.is_batched = n->sees_examples = true;
    n->vocab = vocab;
    n->input = g->n_inputs;
    n->is_discrete = vocab != NULL;
    if (is_many) {
        in->axis = lh_axis_named(g, name, 0);
        g->axis[in->axis].input = g->n_inputs;
        n->shape.rows = in->axis;
    }
    lh_step_new(g, LH_STEP_GIVEN, b->scope, name, n);
    lh_scope_bind(g, b->scope, name, n);
    *lh_push(g->arena, g->input, g->n_inputs) = in;
    return in;
}

void lh_build_input(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (g->n_examples) {
        lh_fail(g->ctx, LH_ERROR_TEXT, s->at, "inputs must come before the first example");
        return;
    }
    if (lh_scope_here(b->scope, s->name)) {
        lh_fail(g->ctx, LH_ERROR_NAME, s->name_at, "%s is already defined", s->name);
        return;
    }
    if (s->of) {
        const lh_vocab *v = lh_vocab_find(g, s->of);
        if (!v) {
            const char *known[64];
            int n = 0;
            for (int i = 0; i < g->n_vocabs && i < 64; i++) known[n++] = g->vocab[i]->name;
            const char *near = lh_nearest(s->of, known, n);
            lh_fail(g->ctx, LH_ERROR_NAME, s->at, "input %s: there is no vocabulary %s", s->name,
                    s->of);
            if (near)
                lh_cure(g->ctx, "did you mean %s?", near);
            else
                lh_cure(g->ctx, "define it in a line above: vocab %s = ...", s->of);
            return;
        }
        input_new(b, s->name, v, s->is_many, s->at)->node->step->comment = s->comment;
        return;
    }
    int rows = lh_axis_of_node(g, lh_build_expr(b, s->rows, "", false));
    int cols = lh_axis_of_node(g, lh_build_expr(b, s->cols, "", false));
    lh_input *in = input_new(b, s->name, NULL, false, s->at);
    in->node->shape.rows = rows;
    in->node->shape.cols = cols;
    lh_shape_fits(g, in->node->shape, s->at);
    in->node->step->comment = s->comment;
}

/* example A B -> C and text: the inputs tokens and target need not be declared. What they are, all examples together say. */
static void declare_short_inputs(lh_builder *b, lh_place at) {
    lh_graph *g = b->g;
    bool tokens = false, target = false, many = false;
    const lh_vocab *v = lh_vocab_find(g, "vocab");
    if (g->n_inputs) return;
    if (!v) {
        lh_fail(g->ctx, LH_ERROR_NAME, at, "an example needs a vocabulary");
        lh_cure(g->ctx, "vocab A B C D, in a line above");
        return;
    }
    for (int i = 0; i < g->program->n_statements; i++) {
        const lh_statement *s = g->program->statement[i];
        if (s->kind == LH_S_TEXT) tokens = target = many = true;
        if (s->kind != LH_S_EXAMPLE || !s->is_short) continue;
        for (int k = 0; k < s->n_bindings; k++) {
            if (strcmp(s->binding[k].name, "tokens") == 0)
                tokens = true;
            else
                target = true, many |= s->binding[k].n_words != 1;
        }
    }
    if (tokens) input_new(b, "tokens", v, true, at);
    if (target) input_new(b, "target", v, many, at);
}

static lh_example *example_new(lh_graph *g, lh_place at) {
    lh_example *ex = lh_alloc(g->arena, sizeof *ex);
    ex->at = at;
    ex->value = lh_alloc_array(g->arena, (size_t)g->n_inputs + 1, sizeof *ex->value);
    if (ex->value) *lh_push(g->arena, g->example, g->n_examples) = ex;
    return ex->value ? ex : NULL;
}

static bool read_number(const char *word, double *x) {
    char *end;
    *x = lh_number_read(word, &end);
    return *word && !*end;
}

/* The words of one input: tokens of its vocabulary, or as many numbers as its shape has cells. */
static void example_words(lh_builder *b, lh_example *ex, int k, const char *const *word, int n,
                          lh_place at) {
    lh_graph *g = b->g;
    const lh_input *in = g->input[k];
    size_t cells =
        in->vocab ? 0 : g->axis[in->node->shape.rows].n * g->axis[in->node->shape.cols].n;
    if (in->vocab && !in->is_many && n != 1)
        lh_fail(g->ctx, LH_ERROR_VALUE, at, "%s takes one word, not %d", in->name, n);
    else if (in->is_many && n < 1)
        lh_fail(g->ctx, LH_ERROR_VALUE, at, "%s has no words", in->name);
    else if (cells && (size_t)n != cells)
        lh_fail(g->ctx, LH_ERROR_VALUE, at, "%s takes %zu number%s, not %d", in->name, cells,
                LH_PLURAL(cells), n);
    double *cell = lh_alloc_array(g->arena, (size_t)n + 1, sizeof *cell);
    if (!cell || lh_failed(g->ctx)) return;
    for (int i = 0; i < n; i++) {
        if (!in->vocab) {
            if (!read_number(word[i], &cell[i]))
                lh_fail(g->ctx, LH_ERROR_VALUE, at, "%s: \"%.40s\" is not a number", in->name,
                        word[i]);
            continue;
        }
        int w = lh_vocab_word(in->vocab, word[i]);
        if (w < 0) lh_fail_word(g, at, in->vocab, word[i]);
        cell[i] = w;
    }
    ex->value[k] = (lh_example_value){.rows = in->vocab ? n : (int)g->axis[in->node->shape.rows].n,
                                      .cells = cell};
}

static const char *input_names(lh_graph *g) {
    lh_text t = lh_text_new(g->arena);
    for (int i = 0; i < g->n_inputs; i++)
        lh_text_add(&t, "%s%s",
                    i == 0                ? ""
                    : i + 1 < g->n_inputs ? ", "
                                          : " and ",
                    g->input[i]->name);
    return t.s;
}

static int find_input(lh_graph *g, const char *name, lh_place at) {
    const char *known[64];
    for (int i = 0; i < g->n_inputs; i++) {
        if (strcmp(g->input[i]->name, name) == 0) return i;
        if (i < 64) known[i] = g->input[i]->name;
    }
    const char *near = lh_nearest(name, known, g->n_inputs < 64 ? g->n_inputs : 64);
    lh_fail(g->ctx, LH_ERROR_NAME, at, "there is no input %s", name);
    if (near)
        lh_cure(g->ctx, "did you mean %s?", near);
    else if (g->n_inputs)
        lh_cure(g->ctx, "the inputs are %s", input_names(g));
    else
        lh_cure(g->ctx, "input %s : vocab* declares it", name);
    return -1;
}

/* examples x = expr, y = expr: one example for each row. */
static void build_examples(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    const size_t n_bindings = (size_t)s->n_bindings + 1;
    lh_node **value = lh_alloc_array(g->arena, n_bindings, sizeof *value);
    int *input = lh_alloc_array(g->arena, n_bindings, sizeof *input);
    size_t rows = 0;
    if (!value || !input) return;
    for (int i = 0; i < s->n_bindings && !lh_failed(g->ctx); i++) {
        const lh_binding *with = &s->binding[i];
        input[i] = find_input(g, with->name, with->at);
        value[i] = lh_build_expr(b, with->expr, "", false);
        if (lh_failed(g->ctx)) return;
        const lh_input *in = g->input[input[i]];
        size_t n = g->axis[value[i]->shape.rows].n, cols = g->axis[value[i]->shape.cols].n;
        size_t want = g->axis[in->node->shape.rows].n * g->axis[in->node->shape.cols].n;
        if (value[i]->shape.is_batched || !n || !cols)
            lh_fail(g->ctx, LH_ERROR_SHAPE, with->at, "%s: examples must consist of given numbers",
                    with->name);
        else if (in->is_many || cols != want)
            lh_fail(g->ctx, LH_ERROR_SHAPE, with->at,
                    "%s takes %zu number%s for each example, but a row here has %zu", with->name,
                    want, LH_PLURAL(want), cols);
        else if (i && n != rows)
            lh_fail(g->ctx, LH_ERROR_SHAPE, with->at,
                    "%s has %zu row%s, but %s has %zu: there must be one row for each example",
                    with->name, n, LH_PLURAL(n), s->binding[0].name, rows);
        rows = n;
    }
    for (size_t r = 0; r < rows && !lh_failed(g->ctx); r++) {
        lh_example *ex = example_new(g, s->at);
        if (!ex) return;
        for (int i = 0; i < s->n_bindings; i++)
            ex->value[input[i]] =
                (lh_example_value){.rows = (int)g->axis[g->input[input[i]]->node->shape.rows].n,
                                   .node = value[i],
                                   .row = (int)r};
    }
}

static void build_text(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    const lh_binding *w = &s->binding[0];
    int tokens = find_input(g, "tokens", s->at), target = find_input(g, "target", s->at);
    if (lh_failed(g->ctx)) return;
    if (w->n_words < 2) {
        lh_fail(g->ctx, LH_ERROR_VALUE, s->at,
                "text needs at least two words: each is the target of the one before it");
        return;
    }
    lh_example *ex = example_new(g, s->at);
    if (!ex) return;
    example_words(b, ex, tokens, w->word, w->n_words - 1, s->at);
    example_words(b, ex, target, w->word + 1, w->n_words - 1, s->at);
}

void lh_build_example(lh_builder *b, const lh_statement *s) {
    lh_graph *g = b->g;
    if (s->kind == LH_S_EXAMPLES) {
        if (!b->how->without_examples) build_examples(b, s);
        return;
    }
    if (s->kind == LH_S_TEXT || s->is_short) declare_short_inputs(b, s->at);
    if (lh_failed(g->ctx) || b->how->without_examples) return;
    if (s->kind == LH_S_TEXT) {
        build_text(b, s);
        return;
    }
    lh_example *ex = example_new(g, s->at);
    for (int i = 0; ex && i < s->n_bindings && !lh_failed(g->ctx); i++) {
        const lh_binding *with = &s->binding[i];
        int k = find_input(g, with->name, with->at);
        if (k < 0) return;
        if (ex->value[k].cells)
            lh_fail(g->ctx, LH_ERROR_NAME, with->at, "%s is given twice in one example",
                    with->name);
        example_words(b, ex, k, with->word, with->n_words, with->at);
    }
}

/* A text file of numbers: a row on each line; a word may stand before the numbers. Where the rows of the value are the words
 * of a vocabulary and the lines have words, each word gets its own line's numbers. */
typedef struct table {
    double *cell; /* rows * cols */
    const char **word;
    int n_cells, n_rows, n_words, cols;
} table;

static bool read_line(lh_builder *b, table *t, const char **p, const char *end, int line,
                      const lh_expr *call) {
    lh_graph *g = b->g;
    size_t n;
    int cols = 0;
    const char *w;
    bool first = true;
    while ((w = next_word(p, end, &n, true))) {
        double x;
        const char *word = lh_copy(g->arena, w, n);
        bool is_number = read_number(word, &x);
        if (first && !is_number) {
            *lh_push(g->arena, t->word, t->n_words) = word;
        } else if (!is_number) {
            lh_fail(g->ctx, LH_ERROR_FILE, call->at, "%s, line %d: \"%.40s\" is not a number",
                    call->arg[0]->text, line, word);
            return false;
        } else {
            *lh_push(g->arena, t->cell, t->n_cells) = x;
            cols++;
        }
        first = false;
    }
    if (first) return true;
    if (t->n_rows && cols != t->cols)
        lh_fail(g->ctx, LH_ERROR_FILE, call->at,
                "%s, line %d has %d number%s, the lines before have %d", call->arg[0]->text, line,
                cols, LH_PLURAL(cols), t->cols);
    t->cols = cols;
    t->n_rows++;
    if (t->n_words && t->n_words != t->n_rows)
        lh_fail(g->ctx, LH_ERROR_FILE, call->at,
                "%s, line %d: a word before the numbers is missing, or was missing above",
                call->arg[0]->text, line);
    return !lh_failed(g->ctx);
}

static const double *rows_by_word(lh_graph *g, const table *t, const lh_vocab *v,
                                  const lh_expr *call) {
    double *cell = lh_alloc_array(g->arena, (size_t)v->n_words * (size_t)t->cols, sizeof *cell);
    lh_vocab file_words = {.name = "vocab", .word = t->word, .n_words = t->n_words};
    sort_words(g, &file_words);
    for (int i = 0; cell && i < v->n_words; i++) {
        int row = lh_vocab_word(&file_words, v->word[i]);
        if (row < 0) {
            lh_fail(g->ctx, LH_ERROR_FILE, call->at, "%s has no line for the word \"%.40s\"",
                    call->arg[0]->text, v->word[i]);
            return NULL;
        }
        memcpy(cell + (size_t)i * (size_t)t->cols, t->cell + (size_t)row * (size_t)t->cols,
               (size_t)t->cols * sizeof *cell);
    }
    return cell;
}

void lh_build_file(lh_builder *b, lh_given *given, const lh_expr *call, int *rows, int *cols) {
    lh_graph *g = b->g;
    size_t length;
    const char *p = read_text(b, call, &length), *end = p + length;
    table t = {0};
    for (int line = 1; p < end && !lh_failed(g->ctx); line++) {
        if (!read_line(b, &t, &p, end, line, call)) return;
        if (p < end) p++;
    }
    if (!t.n_cells && !lh_failed(g->ctx))
        lh_fail(g->ctx, LH_ERROR_FILE, call->at, "%s contains no numbers", call->arg[0]->text);
    if (lh_failed(g->ctx)) return;
    given->file = call->arg[0]->text;
    given->data = t.cell;
    int n_rows = t.n_rows;
    if (*rows >= 0 && g->axis[*rows].vocab && t.n_words) {
        given->data = rows_by_word(g, &t, g->axis[*rows].vocab, call);
        n_rows = g->axis[*rows].vocab->n_words;
    }
    if (*rows < 0) {
        *rows = lh_axis_number(g, (size_t)t.n_rows);
        *cols = lh_axis_number(g, (size_t)t.cols);
    } else if (g->axis[*rows].n != (size_t)n_rows || g->axis[*cols].n != (size_t)t.cols) {
        lh_fail(g->ctx, LH_ERROR_SHAPE, call->at,
                "%s contains %dx%d numbers, but %zux%zu are declared", call->arg[0]->text, n_rows,
                t.cols, g->axis[*rows].n, g->axis[*cols].n);
    }
}
