/* Products of a few rows, weights of bf16, and a model that writes from a file of any type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "eval/backend.h"
#include "eval/exact.h"
#include "eval/fast/bf16.h"
#include "eval/fast/few.h"
#include "eval/fast/grow.h"
#include "eval/fast/profile.h"
#include "eval/fast/quant.h"
#include "eval/fast/row.h"
#include "base/half.h"
#include "files/tensors.h"
#include "notation/notation.h"
#include "train/floats.h"
#include "train/rounded_number.h"
#include "train/generate.h"

/* ---- numbers ---- */

static void rounds_to_the_nearest(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 400000; i++) {
        const uint32_t bits = i * 10737u + (i << 29);
        float x, back;
        uint16_t half;
        memcpy(&x, &bits, sizeof x);
        lh_row_way()->narrow(&half, &x, 1);
        lh_row_way()->widen(&back, &half, 1);
        const float right = lh_float_from_bf16(lh_bf16_from_float(x));
        if (isnan(right) ? !isnan(back) : back != right) fail_msg("%a becomes %a", x, back);
    }
}

/* ---- products ---- */

static unsigned seed = 1;

static float drawn(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 8388608 - 1;
}

/* Memory ends with the last number, so that reading behind it is seen. */
static float *numbers(size_t n) {
    float *p = malloc(n * sizeof *p + 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) p[i] = drawn();
    return p;
}

typedef struct trial {
    lh_matrix a, b, c; /* B in float; the numbers of bf16 lie beside it */
    float *bias;
    uint16_t *half;
} trial;

static trial trial_new(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, bool is_turned) {
    const size_t cells = (size_t)(k * n);
    trial t = {.bias = numbers((size_t)n), .half = malloc(cells * sizeof(uint16_t))};
    assert_non_null(t.half);
    t.a = (lh_matrix){numbers((size_t)(m * k)), m, k, k, 1};
    t.b = (lh_matrix){numbers(cells), k, n, is_turned ? 1 : n, is_turned ? k : 1};
    t.c = (lh_matrix){numbers((size_t)(m * (n + 3))), m, n, n + 3, 1};
    lh_row_way()->narrow(t.half, t.b.p, (ptrdiff_t)cells);
    lh_row_way()->widen(t.b.p, t.half, (ptrdiff_t)cells); /* both have the same numbers */
    return t;
}

static void trial_free(trial *t) {
    free(t->a.p), free(t->b.p), free(t->c.p), free(t->bias), free(t->half);
}

static void check(const trial *t, bool has_bias, double slack, const char *name) {
    for (ptrdiff_t r = 0; r < t->c.rows; r++) {
        for (ptrdiff_t c = 0; c < t->c.cols; c++) {
            double sum = has_bias ? t->bias[c] : 0, size = fabs(sum);
            for (ptrdiff_t i = 0; i < t->a.cols; i++) {
                const double x =
                    (double)t->a.p[r * t->a.rs + i] * t->b.p[i * t->b.rs + c * t->b.cs];
                sum += x, size += fabs(x);
            }
            const double y = t->c.p[r * t->c.rs + c];
            if (!(fabs(y - sum) <= slack * size))
                fail_msg("%s, %td x %td x %td: [%td][%td] is %.9g, not %.9g", name, t->c.rows,
                         t->c.cols, t->a.cols, r, c, y, sum);
        }
        for (ptrdiff_t c = t->c.cols; c < t->c.rs; c++)
            if (!isnan(t->c.p[r * t->c.rs + c])) fail_msg("%s writes behind row %td", name, r);
    }
}

static void forget(trial *t) {
    for (ptrdiff_t i = 0; i < t->c.rows * t->c.rs; i++) t->c.p[i] = NAN;
}

static void try_sizes(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, bool is_turned) {
    trial t = trial_new(m, n, k, is_turned);
    lh_matrix half = t.b;
    half.p = (float *)(void *)t.half;
    const size_t bytes = (size_t)(m * t.c.rs) * sizeof(float);
    float *first = malloc(bytes);
    assert_non_null(first);
    for (int is_half = 0; is_half < 2; is_half++)
        for (int threads = 1; threads <= 3; threads++) {
            lh_pool *pool = lh_pool_new(threads);
            const float *bias = is_half ? t.bias : NULL;
            forget(&t);
            if (is_half)
                lh_half_product(pool, &t.a, &half, &t.c, bias);
            else
                assert_true(lh_product_threads(pool, &t.a, &t.b, &t.c, bias, false));
            check(&t, is_half, 1e-5, is_half ? "bf16" : "float");
            if (threads == 1) memcpy(first, t.c.p, bytes);
            assert_memory_equal(first, t.c.p, bytes);
            lh_pool_free(pool);
        }
    if (m <= LH_FEW || k < 100) {
        forget(&t);
        lh_half_product(NULL, &t.a, &half, &t.c, NULL); /* nobody to help, and no memory */
        check(&t, false, 1e-5, "alone");
    }
    lh_pool *pool = lh_pool_new(2);
    lh_pool_use_bf16(pool, lh_bf16_name() != NULL);
    forget(&t);
    lh_half_product(pool, &t.a, &half, &t.c, t.bias);
    check(&t, true, m > LH_FEW ? 5e-3 : 1e-5, "products in bf16");
    lh_pool_free(pool);
    free(first);
    trial_free(&t);
}

static void products_of_every_size(void **state) {
    (void)state;
    const ptrdiff_t rows[] = {1, 3, 4, 5, 37}, cols[] = {1, 31, 64, 803}, ks[] = {1, 8, 67, 530};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++)
                for (int turned = 0; turned < 2; turned++)
                    try_sizes(rows[i], cols[j], ks[k], turned);
}

/* ---- a model ---- */

typedef struct model {
    lh_context *ctx;
    lh_program *program;
    lh_graph *g;
    lh_arena *arena;
    lh_weights *weights;
} model;

static model model_open(void) {
    static const lh_setting set[] = {{"dim", "48"}, {"heads", "3"}};
    const lh_embedded *f = lh_embedded_find("models/gpt.lh");
    model m = {.ctx = lh_context_new()};
    m.program = lh_program_parse(m.ctx, f->name, f->text, f->length);
    m.g = lh_graph_build(m.ctx, m.program, &(lh_build){.set = set, .n_set = 2});
    m.arena = lh_arena_new(m.ctx);
    m.weights = lh_weights_of(m.ctx, m.arena, m.g, LH_PARAM);
    assert_false(lh_failed(m.ctx));
    return m;
}

static void model_close(model *m) {
    lh_arena_free(m->arena);
    lh_graph_free(m->g);
    lh_program_free(m->program);
    lh_context_free(m->ctx);
}

/* The starts of the program, each rounded to bf16, in a file of the type. */
static void write_file(model *m, const char *path, lh_dtype type) {
    lh_tensor_entry *entry = lh_alloc_array(m->arena, (size_t)m->weights->n, sizeof *entry);
    for (int i = 0; i < m->weights->n; i++) {
        const lh_weight *w = &m->weights->weight[i];
        float *x = lh_alloc_array(m->arena, w->rows * w->cols, sizeof *x);
        seed = (unsigned)i;
        for (size_t k = 0; k < w->rows * w->cols; k++)
            x[k] = lh_float_from_bf16(lh_bf16_from_float(0.3f * drawn()));
        entry[i] = lh_weight_entry(w, type, x, LH_F32);
    }
    assert_true(lh_tensors_write(m->ctx, path, entry, m->weights->n, NULL, 0));
}

enum { TOKENS = 12, WORDS = 65 };

/* Greedily; the scores of the last. `from` is of any type. */
static void write_tokens(lh_dtype type, lh_precision precision, int *token, float *score) {
    char path[] = "/tmp/longhand-generate-XXXXXX";
    model m = model_open();
    close(mkstemp(path));
    write_file(&m, path, type);
    lh_tensors *t = lh_tensors_open(m.ctx, path);
    assert_non_null(t);
    assert_true(lh_weights_match(m.ctx, m.weights, t));
    lh_generator *w = lh_generator_new(m.g, &(lh_generator_how){.context = 16,
                                                                .choice = {0, 0, 1, 0, 1, 0, 0},
                                                                .end = -1,
                                                                .precision = precision});
    assert_non_null(w);
    assert_true(lh_generator_weights(w, m.weights));
    const int prompt[] = {5, 6, 7, 5, 9, 1};
    lh_generator_prompt(w, prompt, 6);
    for (int i = 0; i < TOKENS; i++) token[i] = lh_generator_next(w);
    assert_false(lh_failed(m.ctx));
    memcpy(score, w->score, WORDS * sizeof *score);
    lh_generator_free(w);
    lh_tensors_close(t);
    model_close(&m);
    unlink(path);
}

/* Numbers that bf16 has are the same in every type: so is what is written, up to the order of sums. */
static void writes_the_same_from_every_type(void **state) {
    (void)state;
    const lh_dtype type[] = {LH_F32, LH_BF16, LH_F16};
    int first[TOKENS], token[TOKENS];
    float first_score[WORDS], score[WORDS];
    write_tokens(LH_F32, LH_IN_FLOAT, first, first_score);
    for (int i = 0; i < 3; i++) {
        write_tokens(type[i], LH_IN_FLOAT, token, score);
        assert_memory_equal(token, first, sizeof token);
        for (int k = 0; k < WORDS; k++)
            if (fabsf(score[k] - first_score[k]) > 1e-4f)
                fail_msg("type %d: score %d is %g, not %g", type[i], k, score[k], first_score[k]);
    }
}

/* What is rounded here is what was rounded in the file: the same bits. */
static void keeps_weights_in_bf16(void **state) {
    (void)state;
    int from_float[TOKENS], from_half[TOKENS];
    float score[WORDS], half_score[WORDS];
    write_tokens(LH_F32, LH_IN_BF16, from_float, score);
    write_tokens(LH_BF16, LH_IN_BF16, from_half, half_score);
    assert_memory_equal(from_float, from_half, sizeof from_float);
    assert_memory_equal(score, half_score, sizeof score);
}

/* ---- in few bits ---- */

enum { ROUNDED = 2 };
static const lh_precision rounded[ROUNDED] = {LH_IN_INT8, LH_IN_INT4};

/* A model whose weights lie in a folder of their own. */
typedef struct place {
    char folder[40], path[80], beside[ROUNDED][80];
    model m;
    lh_tensors *t;
} place;

static void place_write(place *p) {
    lh_tensors_close(p->t);
    write_file(&p->m, p->path, LH_F32);
    p->t = lh_tensors_open(p->m.ctx, p->path);
    assert_non_null(p->t);
    assert_true(lh_weights_match(p->m.ctx, p->m.weights, p->t));
}

static place place_open(void) {
    place p = {.folder = "/tmp/longhand-rounded-XXXXXX", .m = model_open()};
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/model.safetensors", p.folder);
    for (int i = 0; i < ROUNDED; i++)
        snprintf(p.beside[i], sizeof p.beside[i], "%s/longhand-%s.safetensors", p.folder,
                 lh_precision_name(rounded[i]));
    place_write(&p);
    return p;
}

static void place_close(place *p) {
    lh_tensors_close(p->t);
    model_close(&p->m);
    unlink(p->path);
    for (int i = 0; i < ROUNDED; i++) unlink(p->beside[i]);
    assert_int_equal(rmdir(p->folder), 0);
}

static lh_generator *start(place *p, lh_precision precision, int threads, bool keeps) {
    lh_generator *w = lh_generator_new(p->m.g, &(lh_generator_how){.context = 16,
                                                                   .choice = {0, 0, 1, 0, 1, 0, 0},
                                                                   .end = -1,
                                                                   .threads = threads,
                                                                   .precision = precision,
                                                                   .rounded.keeps = keeps});
    assert_non_null(w);
    assert_true(lh_generator_weights(w, p->m.weights));
    return w;
}

/* The scores behind a prompt of several rows and one of a single row. */
static void scores_of(place *p, lh_precision precision, int threads, bool keeps, bool *is_mapped,
                      float *score) {
    const int prompt[] = {5, 6, 7, 5, 9, 1};
    lh_generator *w = start(p, precision, threads, keeps);
    if (is_mapped) *is_mapped = w->rounded->kept != NULL;
    lh_generator_prompt(w, prompt, 6);
    lh_generator_next(w), lh_generator_next(w);
    assert_false(lh_failed(p->m.ctx));
    memcpy(score, w->score, WORDS * sizeof *score);
    lh_generator_free(w);
}

static double distance(const float *a, const float *b) {
    double d = 0, size = 0;
    for (int i = 0; i < WORDS; i++) {
        d += (double)(a[i] - b[i]) * (double)(a[i] - b[i]);
        size += (double)b[i] * (double)b[i];
    }
    return sqrt(d / size);
}

static void rounds_what_products_read(void **state) {
    (void)state;
    place p = place_open();
    for (int k = 0; k < ROUNDED; k++) {
        lh_generator *w = start(&p, rounded[k], 1, false);
        for (int i = 0; i < p.m.weights->n; i++) {
            const lh_weight *one = &p.m.weights->weight[i];
            const lh_quant *q = &w->rounded->quant[i];
            const bool is_table = strstr(one->name, "wpe"), is_words = strstr(one->name, "wte");
            const int bits = one->rows == 1 || is_table ? 0 : is_words || k == 0 ? 8 : 4;
            if (q->bits != bits) fail_msg("%s: %d bits, not %d", one->name, q->bits, bits);
            if (bits) assert_int_equal(q->is_by_rows, is_words); /* X @ E^T, X @ W */
            if (bits) assert_int_equal(q->lines, is_words ? one->rows : one->cols);
        }
        lh_generator_free(w);
    }
    place_close(&p);
}

static void writes_nearly_the_same_in_few_bits(void **state) {
    (void)state;
    place p = place_open();
    float plain[WORDS], one[WORDS], three[WORDS];
    const double least[ROUNDED] = {1e-4, 1e-2}, most[ROUNDED] = {0.05, 0.5};
    scores_of(&p, LH_IN_FLOAT, 1, false, NULL, plain);
    for (int k = 0; k < ROUNDED; k++) {
        scores_of(&p, rounded[k], 1, false, NULL, one);
        scores_of(&p, rounded[k], 3, false, NULL, three);
        assert_memory_equal(one, three, sizeof one);
        const double d = distance(one, plain);
        if (d < least[k] || d > most[k])
            fail_msg("%s is %g away", lh_precision_name(rounded[k]), d);
    }
    place_close(&p);
}

/* The file beside the weights has their bits, and is left alone when they are others, or when it is damaged. */
static void keeps_what_was_rounded(void **state) {
    (void)state;
    place p = place_open();
    float first[WORDS], again[WORDS];
    bool is_mapped;
    for (int k = 0; k < ROUNDED; k++) {
        scores_of(&p, rounded[k], 2, false, &is_mapped, first);
        assert_int_equal(access(p.beside[k], F_OK), -1);
        scores_of(&p, rounded[k], 2, true, &is_mapped, again);
        assert_false(is_mapped);
        assert_memory_equal(first, again, sizeof first);
        scores_of(&p, rounded[k], 2, false, &is_mapped, again);
        assert_true(is_mapped);
        assert_memory_equal(first, again, sizeof first);
        assert_int_equal(truncate(p.beside[k], 5000), 0);
        scores_of(&p, rounded[k], 2, true, &is_mapped, again);
        assert_false(is_mapped);
        assert_memory_equal(first, again, sizeof first);
        scores_of(&p, rounded[k], 2, false, &is_mapped, again);
        assert_true(is_mapped); /* written anew */
    }
    place_write(&p); /* the same numbers at another time */
    scores_of(&p, LH_IN_INT8, 2, false, &is_mapped, again);
    assert_false(is_mapped);
    place_close(&p);
}

/* What is told of a number adds up, and is what the pass has. */
static lh_rounding check_rounding(place *p, lh_precision precision, const char *address) {
    static const int prompt[] = {5, 6, 7, 5, 9, 1};
    lh_inside *in = lh_inside_new(p->m.g, p->m.weights, prompt, 6, 1),
              *plain = lh_inside_new(p->m.g, p->m.weights, prompt, 6, 1);
    lh_rounding r;
    assert_true(in && plain && lh_inside_round(in, precision));
    lh_explanation *e = lh_inside_explain(in, address, &(lh_explain_how){.digits = 6});
    assert_non_null(e);
    const double value = e->value;
    assert_true(lh_rounding_of(in, plain, e->step->node, e->at, &r));
    assert_true(r.exact == value);
    lh_node *n = e->step->node;
    assert_true(lh_inside_run(in, &n, 1) && lh_inside_run(plain, &n, 1));
    assert_true(fabs(r.few - lh_inside_get(in, n, e->at)) < 1e-6);
    assert_true(fabs(r.plain - lh_inside_get(plain, n, e->at)) < 1e-6);
    assert_true(r.few != r.plain);
    if (r.is_product) {
        double sum = 0; /* by its largest changes: of the size of what rounding does */
        assert_int_equal(r.n_terms, LH_ROUNDING_TERMS);
        for (int i = 0; i < r.n_terms; i++) {
            const lh_rounding_number *x = &r.term[i].x, *w = &r.term[i].w;
            assert_true(x->rounded == x->code * x->scale && w->rounded == w->code * w->scale);
            assert_true(fabs(x->value - x->rounded) <= fabs(x->scale) * 0.51);
            sum += fabs(x->rounded * w->rounded - x->value * w->value);
        }
        assert_true(fabs(r.few - r.exact) <= sum * r.n);
        assert_true(fabs(r.few - r.by_matrix) <= sum * r.n);
    }
    lh_explanation_free(e);
    lh_inside_free(in);
    lh_inside_free(plain);
    return r;
}

/* The matrix has 4 bits and the row 8: most of what rounding does is the matrix's. */
static void tells_what_rounding_did(void **state) {
    double of_matrix = 0, of_row = 0;
    (void)state;
    static const char *const address[] = {"logits[5][3]", "logits[2][64]", "h[1].A[3][100]",
                                          "h[0].Y[4][7]"};
    place p = place_open();
    for (int k = 0; k < ROUNDED; k++)
        for (size_t i = 0; i < sizeof address / sizeof *address; i++) {
            const lh_rounding r = check_rounding(&p, rounded[k], address[i]);
            if (!r.is_product || rounded[k] != LH_IN_INT4) continue;
            of_matrix += fabs(r.by_matrix - r.exact);
            of_row += fabs(r.few - r.by_matrix);
        }
    place_close(&p);
    if (!(of_row < of_matrix / 2)) fail_msg("row %g, matrix %g", of_row, of_matrix);
}

/* A conversation grows at its end: what it began with is not read again, and the scores are the same. */
static void goes_on_from_what_it_has_read(void **state) {
    (void)state;
    const int talk[] = {1, 2, 3, 4, 5, 2, 1, 3}, other[] = {1, 2, 4, 4, 5};
    char path[] = "/tmp/longhand-generate-XXXXXX";
    model m = model_open();
    close(mkstemp(path));
    write_file(&m, path, LH_F32);
    lh_tensors *t = lh_tensors_open(m.ctx, path);
    assert_true(lh_weights_match(m.ctx, m.weights, t));
    const lh_generator_how how = {.context = 16, .choice = {0, 0, 1, 0, 1, 0, 0}, .end = -1};
    lh_generator *w = lh_generator_new(m.g, &how), *fresh = lh_generator_new(m.g, &how);
    assert_true(lh_generator_weights(w, m.weights) && lh_generator_weights(fresh, m.weights));
    for (int turn = 0; turn < 4; turn++) {
        const int *token = turn == 2 ? other : talk, n = turn == 0 ? 3 : turn == 2 ? 5 : 8;
        lh_generator_continue(w, token, n);
        lh_generator_prompt(fresh, token, n);
        if (turn == 1) assert_int_equal(w->n_past, 3);
        if (turn == 2) assert_int_equal(w->n_past, 2);
        assert_int_equal(lh_generator_next(w), lh_generator_next(fresh));
        for (int i = 0; i < WORDS; i++)
            if (fabsf(w->score[i] - fresh->score[i]) > 1e-5f)
                fail_msg("turn %d: score %d is %g, not %g", turn, i, w->score[i], fresh->score[i]);
    }
    lh_generator_free(w), lh_generator_free(fresh);
    lh_tensors_close(t);
    model_close(&m);
    unlink(path);
}

/* ---- windows ---- */

/* Shared keys, sinks, a soft cap, and a layer that sees everything: what is kept differs from layer to layer. */
static const char windows[] =
    "vocab 20\nsize dim = 16, context = 500\nseed 3\ninput tokens : vocab*\ngenerate tokens from "
    "logits\n"
    "param E : vocab x dim = normal(1)\nparam W : dim x 2*dim = normal(0.5)\n"
    "fn parts(x, W, from, to, n)\n  y = split(columns(x @ W, from, to), n)\nend\n"
    "X = E[tokens]\n"
    "Q = parts(X, W, 0, dim, 4)\nK = parts(X, W, dim, dim + 8, 2)\nV = parts(X, W, dim + 8, 2*dim, "
    "2)\n"
    "Y = X + join(attention(Q, K, V, hide = beyond(Q, K, 9, 3)))\n"
    "Q2 = parts(Y, W, 0, dim, 4)\nK2 = parts(Y, W, dim, dim + 8, 2)\nV2 = parts(Y, W, dim + 8, "
    "2*dim, 2)\n"
    "Z = Y + join(attentionwith(Q2, K2, V2, hide = beyond(Q2, K2, 70), cap = 2))\n"
    "Q3 = parts(Z, W, 0, dim, 4)\nK3 = parts(Z, W, dim, dim + 8, 2)\nV3 = parts(Z, W, dim + 8, "
    "2*dim, 2)\n"
    "logits = (Z + join(attention(Q3, K3, V3, hide = later(Q3, K3)))) @ E^T\n";

static void feed_rows(const lh_evaluator *with, lh_plan *p, const int *token, int n) {
    const int *rows = &n;
    with->feed(p, &(lh_batch){.examples = 1, .rows = &rows, .tokens = &token});
    with->run(p);
}

static void same_last_row(const lh_node *logits, const lh_plan *a, int row_a,
                          const lh_evaluator *with, const lh_plan *b, int row_b, int fed) {
    for (int c = 0; c < 20; c++) {
        const double x = lh_fast.get(a, logits, (lh_cell){0, 0, row_a, c}),
                     y = with->get(b, logits, (lh_cell){0, 0, row_b, c});
        if (!(fabs(x - y) < 1e-4))
            fail_msg("after %d rows: score %d is %.7g, and %.7g of all at once", fed, c, x, y);
    }
}

static void a_window_keeps_what_it_sees(void **state) {
    (void)state;
    const int pieces[] = {1, 2, 100, 1, 1, 64, 63, 1, 130, 1, 1, 65, 1};
    lh_context *ctx = lh_context_new();
    lh_program *p = lh_program_parse(ctx, "windows.lh", windows, strlen(windows));
    lh_graph *g = lh_graph_build(ctx, p, &(lh_build){.without_examples = true});
    if (lh_failed(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
    lh_node *logits = g->generate->from;
    const lh_fast_wish own = {.threads = 2};
    lh_plan *growing = lh_fast.plan(
                g, &(lh_wish){.node = &logits, .n_nodes = 1, .grows = 500, .own = &own}),
            *whole = lh_fast.plan(g, &(lh_wish){.node = &logits, .n_nodes = 1, .own = &own}),
            *exact = lh_exact.plan(g, &(lh_wish){.node = &logits, .n_nodes = 1});
    lh_fast.start(growing), lh_fast.start(whole), lh_exact.start(exact);
    assert_null(lh_fast_prevents(growing));
    int token[500], fed = 0;
    seed = 5;
    for (int i = 0; i < 500; i++) token[i] = (int)((drawn() + 1) * 9.99f);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        lh_fast_past(growing, fed);
        feed_rows(&lh_fast, growing, token + fed, pieces[i]);
        fed += pieces[i];
        feed_rows(&lh_fast, whole, token, fed);
        if (lh_failed(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
        same_last_row(logits, growing, pieces[i] - 1, &lh_fast, whole, fed - 1, fed);
    }
    feed_rows(&lh_exact, exact, token, fed);
    same_last_row(logits, whole, fed - 1, &lh_exact, exact, fed - 1, fed);
    /* A window that has moved on cannot go back; one that has not can. */
    assert_true(lh_fast_has_past(growing, fed, fed) && lh_fast_has_past(growing, 40, 20));
    assert_false(lh_fast_has_past(growing, fed, 20));
    lh_fast.free(growing), lh_fast.free(whole), lh_exact.free(exact);
    lh_graph_free(g), lh_program_free(p), lh_context_free(ctx);
}

/* Floats for each row: 2 heads of 4 for keys and values, and one that says whether it is hidden. */
static void a_window_takes_less_memory(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_program *p = lh_program_parse(ctx, "windows.lh", windows, strlen(windows));
    lh_graph *g = lh_graph_build(ctx, p, &(lh_build){.without_examples = true});
    lh_node *logits = g->generate->from;
    const int one = 1, token = 0;
    const int *rows = &one, *tokens = &token;
    const lh_batch batch = {.examples = 1, .rows = &rows, .tokens = &tokens};
    double needs[2];
    for (int i = 0; i < 2; i++) {
        const lh_wish wish = {.node = &logits,
                              .n_nodes = 1,
                              .grows = i ? 400 : 500,
                              .own = &(lh_fast_wish){.threads = 1}};
        needs[i] = lh_fast_needs(g, &wish, &batch);
    }
    /* 100 rows more are kept by the layer without a window alone; scores of a block of 64 queries have 100 more. */
    assert_true(needs[0] - needs[1] == 100 * (17 + 64) * sizeof(float));
    lh_graph_free(g), lh_program_free(p), lh_context_free(ctx);
}

/* Of the params only those that products and lookups alone read may be halves: norms and biases are read by others. */
static void knows_who_can_read_bf16(void **state) {
    (void)state;
    model m = model_open();
    lh_generator *w = lh_generator_new(
        m.g, &(lh_generator_how){.context = 16, .choice = {0, 0, 1, 0, 1, 0, 0}, .end = -1});
    assert_non_null(w);
    for (int i = 0; i < m.weights->n; i++) {
        const lh_weight *one = &m.weights->weight[i];
        assert_int_equal(lh_floats_may_be_half(w->plan, one->given->node), one->rows > 1);
    }
    lh_plan *trains = lh_fast.plan(m.g, &(lh_wish){.updates = true});
    assert_false(lh_floats_may_be_half(trains, m.weights->weight[0].given->node));
    lh_fast.free(trains);
    lh_generator_free(w);
    model_close(&m);
}

/* ---- memory ---- */

/* What a plan takes is known before it takes it. */
static void needs_are_what_is_taken(void **state) {
    (void)state;
    model m = model_open();
    const int rows[3] = {16, 3, 9}, count[3] = {16, 3, 9};
    int token[28] = {0};
    const int *all_rows[] = {rows, count}, *all_tokens[] = {token, token};
    const lh_batch batch = {.examples = 3, .rows = all_rows, .tokens = all_tokens};
    const lh_wish wish[] = {
        {.node = &m.g->loss, .n_nodes = 1, .updates = true, .own = &(lh_fast_wish){.threads = 2}},
        {.node = &m.g->loss, .n_nodes = 1, .own = &(lh_fast_wish){.threads = 1}},
        {.node = &m.g->generate->from,
         .n_nodes = 1,
         .grows = 16,
         .own = &(lh_fast_wish){.threads = 2}},
        {.all = true, .own = &(lh_fast_wish){.threads = 2}},
    };
    for (int i = 0; i < 4; i++) {
        const double needs = lh_fast_needs(m.g, &wish[i], &batch);
        lh_plan *p = lh_fast.plan(m.g, &wish[i]);
        lh_fast.feed(p, &batch);
        assert_false(lh_failed(m.ctx));
        assert_true(needs > 1e4);
        if (needs != lh_plan_bytes(p))
            fail_msg("wish %d takes %.0f bytes, not %.0f", i, lh_plan_bytes(p), needs);
        lh_fast.free(p);
    }
    model_close(&m);
}

static size_t largest;

static void *watched(size_t bytes) {
    if (bytes > largest) largest = bytes;
    return malloc(bytes);
}

/* Refused before anything of that size was asked for. */
static void what_does_not_fit_is_not_taken(void **state) {
    (void)state;
    model m = model_open();
    const lh_generator_how how = {.context = 100000, .choice = {0, 0, 1, 0, 1, 0, 0}, .end = -1};
    m.ctx->alloc = watched;
    m.ctx->memory_limit = 30000000;
    largest = 0;
    assert_null(lh_generator_new(m.g, &how));
    assert_int_equal(lh_context_error(m.ctx)->kind, LH_ERROR_MEMORY);
    assert_non_null(strstr(lh_context_error(m.ctx)->what, "of memory, but only 30 MB is free"));
    assert_non_null(strstr(lh_context_error(m.ctx)->cure, "context"));
    assert_true(largest < 1000000);
    m.ctx->alloc = malloc;
    model_close(&m);
}

/* A limit on the address space counts from what is taken already. */
static void limits_are_seen(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        lh_context *ctx = lh_context_new();
        FILE *f = fopen("/proc/self/statm", "r");
        double pages = 0;
        if (!f || fscanf(f, "%lf", &pages) != 1) _exit(77);
        const double now = pages * (double)sysconf(_SC_PAGESIZE);
        struct rlimit limit = {(rlim_t)(now + 64e6), RLIM_INFINITY};
        if (!ctx || setrlimit(RLIMIT_AS, &limit) != 0) _exit(77);
        const double has = lh_memory_free();
        if (!(has > 30e6 && has < 65e6)) _exit(1);
        if (!lh_memory_fits(ctx, 1e6, NULL)) _exit(2);
        if (lh_memory_fits(ctx, 80e6, "less") || !lh_failed(ctx)) _exit(3);
        if (!strstr(lh_context_error(ctx)->what, "this needs 80 MB of memory, but only ")) _exit(4);
        _exit(0);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != 77) assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_to_the_nearest),
        cmocka_unit_test(products_of_every_size),
        cmocka_unit_test(writes_the_same_from_every_type),
        cmocka_unit_test(keeps_weights_in_bf16),
        cmocka_unit_test(a_window_keeps_what_it_sees),
        cmocka_unit_test(a_window_takes_less_memory),
        cmocka_unit_test(knows_who_can_read_bf16),
        cmocka_unit_test(rounds_what_products_read),
        cmocka_unit_test(writes_nearly_the_same_in_few_bits),
        cmocka_unit_test(keeps_what_was_rounded),
        cmocka_unit_test(tells_what_rounding_did),
        cmocka_unit_test(goes_on_from_what_it_has_read),
        cmocka_unit_test(needs_are_what_is_taken),
        cmocka_unit_test(what_does_not_fit_is_not_taken),
        cmocka_unit_test(limits_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
