/* LoRA as a rewrite: what the new program says, that its gradients are right, and that what it learned can be added to the weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "base/embedded.h"
#include "engine.h"
#include "eval/fast/wish.h"
#include "files/weights.h"
#include "model_folder.h"
#include "train/lora.h"
#include "train/trained.h"

static const char *const models[] = {"gpt", "llama", "qwen", "mistral", "gemma", "mixture"};

enum { N_MODELS = sizeof models / sizeof *models, RANK = 2 };

static const double ALPHA = 6;

static char *model_text(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "models/%s.lh", name);
    const lh_embedded *m = lh_embedded_find(path);
    assert_non_null(m);
    return strndup(m->text, m->length);
}

/* The rewritten text, or what the error says; free it. */
static char *rewritten(const char *text, const lh_lora *how, bool *is_good) {
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_program *p = lh_program_parse(ctx, "test.lh", text, strlen(text));
    const char *to = p ? lh_lora_rewrite(ctx, a, p, how) : NULL;
    *is_good = to != NULL;
    const lh_error *e = lh_context_error(ctx);
    char *copy = to ? strdup(to) : NULL;
    if (!to) {
        const size_t n = strlen(e->what) + strlen(e->cure) + 3;
        copy = malloc(n);
        snprintf(copy, n, "%s; %s", e->what, e->cure);
    }
    lh_program_free(p);
    lh_arena_free(a);
    lh_context_free(ctx);
    return copy;
}

static char *with_lora(const char *text) {
    bool is_good;
    char *to = rewritten(text, &(lh_lora){.rank = RANK, .alpha = ALPHA}, &is_good);
    if (!is_good) fail_msg("%s", to);
    return to;
}

static void has_line(const char *text, const char *line) {
    if (!strstr(text, line)) fail_msg("there is no \"%s\" in\n%s", line, text);
}

/* ---- what it says ---- */

static const char small[] = "vocab A B C\n"
                            "size dim = 4\n"
                            "const rate = 0.1\n"
                            "input tokens : vocab*\ninput target : vocab*\n"
                            "example tokens = A B, target = B C\n"
                            "param E : vocab x dim = normal(0.5)\n"
                            "param V : dim x dim = normal(0.5)\n"
                            "repeat h for 2 with X = E[tokens]\n"
                            "  param g : 1 x dim = 1\n"
                            "  param W : dim x dim = normal(0.5) as \"layers.{h}.proj.weight\"\n"
                            "  next X = X + softmax(X * g) @ W  # mixed\n"
                            "end\n"
                            "logits = X @ V @ E^T\n"
                            "loss = average(mean(crossentropy(logits, target)))\n"
                            "backward loss\n"
                            "each W in params\n  W := W - rate * dW\nend\n";

static void says_what_it_does(void **state) {
    (void)state;
    char *text = with_lora(small);
    has_line(text, "size rank = 2");
    has_line(text, "const alpha = 6");
    has_line(text, "const E : vocab x dim = normal(0.5) as \"E\"\n");
    has_line(text, "  const g : 1 x dim = 1 as \"h[{h}].g\"\n");
    has_line(text, "  const W : dim x dim = normal(0.5) as \"layers.{h}.proj.weight\"\n");
    has_line(text, "  param W_A : rank x dim = normal(1 / sqrt(dim)) as "
                   "\"base_model.model.layers.{h}.proj.lora_A.weight\"\n");
    has_line(text,
             "  param W_B : dim x rank = 0 as \"base_model.model.layers.{h}.proj.lora_B.weight\"");
    has_line(text, "  W_x = softmax(X * g)");
    has_line(text, "  W_add = alpha / rank * (W_x @ W_A^T) @ W_B^T");
    has_line(text, "  next X = X + (W_x @ W + W_add)  # mixed\n");
    has_line(text, "logits = X @ V @ E^T\n"); /* outside of a repeat: only on request */
    has_line(text, "each W in params\n");
    free(text);
}

static void on_what_is_asked_for(void **state) {
    (void)state;
    bool is_good;
    const char *on[] = {"V", "proj"};
    char *text = rewritten(small, &(lh_lora){.rank = 1, .alpha = 1, .on = on, .n_on = 2}, &is_good);
    assert_true(is_good);
    has_line(text, "V_add = alpha / rank * (X @ V_A^T) @ V_B^T");
    has_line(text, "logits = (X @ V + V_add) @ E^T\n");
    has_line(text, "param W_A");
    free(text);
}

static void refuses(const char *text, const char *on, const char *says) {
    bool is_good;
    char *to =
        rewritten(text, &(lh_lora){.rank = 2, .alpha = 4, .on = &on, .n_on = on != NULL}, &is_good);
    if (is_good || !strstr(to, says)) fail_msg("%s where \"%s\" is expected", to, says);
    free(to);
}

static void refuses_what_cannot_be(void **state) {
    (void)state;
    refuses(small, "no_such", "no param is called that; LoRA can be used on V, W");
    refuses(small, "g", "g is one row");
    refuses(small, "E", "E is read in other ways than by x @ E");
    char *again = with_lora(small);
    refuses(again, NULL, "has small matrices of LoRA already; longhand merge");
    free(again);
    refuses("size n = 2\nparam W : n x n = 1\nY = zeros(n, n) @ W\n", NULL,
            "no matrix in a repeat that LoRA could add to; LoRA can be used on W");
    refuses("size n = 2\nparam W : n x n = 1\nY = zeros(n, n) @ W @ W^T\n", "W",
            "W is read as x @ W and as x @ W^T");
    refuses("size n = 2\nparam W = [1 2; 3 4]\nY = zeros(n, n) @ W\n", "W", "W has no sizes");
    refuses("size n = 2, rank = 3\nparam W : n x n = 1\nY = zeros(n, n) @ W\n", "W",
            "LoRA adds a name rank");
    refuses("size n = 2\nparam W : n x n = 1\nW_A = 3\nY = zeros(n, n) @ W\n", "W",
            "LoRA adds a name W_A");
    refuses("size n = 2\nparam W : n x n = 1\nY = zeros(n, n) @ W\nloss = sum(Y)\nbackward loss\n"
            "W := W - dW\n",
            "W", "updates a param by name");
}

static void rank_must_fit(void **state) {
    (void)state;
    engine e;
    char *text = with_lora(small);
    const lh_build how = {.set = &(lh_setting){"rank", "5"}, .n_set = 1};
    assert_true(engine_open(&e, text, &how));
    assert_false(lh_lora_fits(e.graph));
    assert_string_equal(lh_context_error(e.ctx)->what,
                        "a rank of 5 is more than h[0].W has: it is 4 x 4");
    engine_close(&e);
    free(text);
}

/* ---- what it computes ---- */

static bool is_small(const lh_given *w) {
    return strstr(w->as, ".lora_A.weight") || strstr(w->as, ".lora_B.weight");
}

static void only_small_matrices_learn(void **state) {
    (void)state;
    for (int m = 0; m < N_MODELS; m++) {
        char *text = model_text(models[m]), *lora = with_lora(text);
        engine e;
        if (!engine_open(&e, lora, NULL)) fail_msg("%s: %s", models[m], e.problem);
        int n_small = 0, n_frozen = 0;
        for (int i = 0; i < e.graph->n_givens; i++) {
            const lh_given *w = e.graph->given[i];
            if (w->kind == LH_STATE || !w->as) continue;
            if (is_small(w) != (w->kind == LH_PARAM) || !w->gradient != !is_small(w))
                fail_msg("%s: %s", models[m], w->node->step->path);
            n_small += is_small(w), n_frozen += lh_given_is_frozen(w);
        }
        assert_true(n_small >= 2 * 2 && n_frozen > n_small / 4);
        engine_close(&e);
        free(lora), free(text);
    }
}

/* After an update, when what is added is no longer nothing. */
static void gradients_are_differences(void **state) {
    (void)state;
    for (int m = 0; m < N_MODELS; m++) {
        char *text = model_text(models[m]), *lora = with_lora(text);
        engine e;
        if (!engine_open(&e, lora, NULL) || !engine_run(&e, 1) || !engine_gradients_agree(&e, 2))
            fail_msg("%s: %s", models[m], e.problem);
        engine_close(&e);
        free(lora), free(text);
    }
}

static void same_by_the_fast_evaluator(void **state) {
    (void)state;
    for (int m = 0; m < N_MODELS; m++) {
        char *text = model_text(models[m]), *lora = with_lora(text);
        engine e;
        if (!engine_open(&e, lora, NULL) || !engine_run(&e, 2)) fail_msg("%s", e.problem);
        lh_plan *fast = lh_fast.plan(
            e.graph, &(lh_wish){.updates = true, .node = &e.graph->loss, .n_nodes = 1});
        lh_fast.start(fast), lh_fast.bind(fast, NULL, 0);
        for (int i = 0; i < 2; i++) lh_fast.run(fast), lh_fast.commit(fast);
        lh_fast.run(fast);
        const lh_cell one = {0, 0, 0, 0};
        const double x = lh_exact.get(e.exact, e.graph->loss, one),
                     y = lh_fast.get(fast, e.graph->loss, one);
        if (!(fabs(x - y) < 1e-5)) fail_msg("%s: %.9g, and fast %.9g", models[m], x, y);
        lh_fast.free(fast);
        engine_close(&e);
        free(lora), free(text);
    }
}

static const lh_given *given_named(lh_weights *w, const char *name) {
    for (int i = 0; i < w->n; i++)
        if (strcmp(w->weight[i].name, name) == 0) return w->weight[i].given;
    return NULL;
}

static double cell(const engine *e, const lh_given *w, int row, int col) {
    return lh_exact.get(e->exact, w->node, (lh_cell){0, 0, row, col});
}

/* W + alpha / rank * B @ A of one cell; the names say whether W is out x in, for the test knows these models. */
static double merged(const engine *e, lh_weights *all, lh_arena *a, const lh_weight *w, int row,
                     int col) {
    const lh_given *x = given_named(all, lh_lora_name(a, w->name, "A")),
                   *y = given_named(all, lh_lora_name(a, w->name, "B"));
    double sum = cell(e, given_named(all, w->name), row, col);
    const bool is_gpt = strncmp(w->name, "h.", 2) == 0;
    const int out = is_gpt ? col : row, in = is_gpt ? row : col;
    for (int k = 0; x && y && k < RANK; k++)
        sum += ALPHA / RANK * cell(e, y, out, k) * cell(e, x, k, in);
    return sum;
}

static void merged_it_is_the_same(void **state) {
    (void)state;
    for (int m = 0; m < N_MODELS; m++) {
        char *text = model_text(models[m]), *lora = with_lora(text);
        engine small_one, plain;
        if (!engine_open(&small_one, lora, NULL) || !engine_run(&small_one, 3) ||
            !engine_open(&plain, text, NULL) || !engine_run(&plain, 0))
            fail_msg("%s", models[m]);
        lh_arena *a = lh_arena_new(plain.ctx);
        lh_weights *to = lh_weights_of(plain.ctx, a, plain.graph, LH_PARAM),
                   *from = lh_weights_of(plain.ctx, a, small_one.graph, LH_PARAM);
        for (int i = 0; i < to->n; i++)
            for (int k = 0; k < (int)(to->weight[i].rows * to->weight[i].cols); k++) {
                const int cols = (int)to->weight[i].cols;
                lh_exact.set(plain.exact, to->weight[i].given->node,
                             (lh_cell){0, 0, k / cols, k % cols},
                             merged(&small_one, from, a, &to->weight[i], k / cols, k % cols));
            }
        lh_exact.run(plain.exact);
        const lh_node *x = lh_graph_step(small_one.graph, "logits")->node,
                      *y = lh_graph_step(plain.graph, "logits")->node;
        double worst = 0;
        ENGINE_EACH_CELL(&lh_exact, small_one.exact, x, at) {
            const double d =
                fabs(lh_exact.get(small_one.exact, x, at) - lh_exact.get(plain.exact, y, at));
            if (d > worst) worst = d;
        }
        if (!(worst < 1e-12)) fail_msg("%s: merged, logits are off by %g", models[m], worst);
        lh_arena_free(a);
        engine_close(&small_one), engine_close(&plain);
        free(lora), free(text);
    }
}

/* ---- folders ---- */

/* The weights of a llama as a folder without any other file of ours; free the text. */
static void save_base(engine *e) {
    lh_arena *a = lh_arena_new(e->ctx);
    lh_weights *w = lh_weights_of(e->ctx, a, e->graph, LH_PARAM);
    lh_folder_writer *to = lh_folder_create(e->ctx, folder, &(lh_folder_files){0});
    assert_true(lh_folder_save(
        to, &(lh_save){.program = e->program->source,
                       .weight = lh_weights_get(e->ctx, w, &lh_exact, e->exact, LH_F32),
                       .n_weights = w->n}));
    lh_folder_end(to);
    lh_arena_free(a);
}

/* As PEFT saves one: tensors and adapter_config.json, and nothing that Longhand would know it by. */
static void save_adapter(engine *e, const char *path, const lh_adapter *x) {
    lh_arena *a = lh_arena_new(e->ctx);
    lh_weights *w = lh_weights_of(e->ctx, a, e->graph, LH_PARAM);
    lh_tensor_entry *all = lh_weights_get(e->ctx, w, &lh_exact, e->exact, LH_F32),
                    *some = lh_alloc_array(a, (size_t)w->n, sizeof *some);
    int n = 0;
    for (int i = 0; i < w->n; i++)
        if (w->weight[i].given->kind == LH_PARAM) some[n++] = all[i];
    mkdir(path, 0777);
    assert_true(lh_tensors_write(e->ctx, lh_printf(a, "%s/" LH_ADAPTER_WEIGHTS, path), some, n,
                                 &(lh_pair){"format", "pt"}, 1));
    FILE *f = fopen(lh_printf(a, "%s/" LH_ADAPTER_CONFIG, path), "w");
    fputs(lh_adapter_text(e->ctx, a, x), f);
    fclose(f);
    lh_arena_free(a);
}

static void remove_folder(const char *path) {
    static const char *const names[] = {LH_ADAPTER_WEIGHTS, LH_ADAPTER_CONFIG, "model.safetensors",
                                        "program.lh"};
    char file[700];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        unlink(file);
    }
    rmdir(path);
}

static float tensor_cell(const lh_tensors *t, const char *name, size_t i) {
    float x;
    lh_tensor_copy_float(lh_tensors_find(t, name), i, 1, &x);
    return x;
}

static void adapters_of_others_open_and_merge(void **state) {
    (void)state;
    static const char q[] = "model.layers.1.self_attn.q_proj";
    char path[400], out[400], *text = model_text("llama"), *lora = with_lora(text);
    engine plain, e;
    snprintf(path, sizeof path, "%s/adapter", root), snprintf(out, sizeof out, "%s/merged", root);
    assert_true(engine_open(&plain, text, NULL) && engine_run(&plain, 0));
    save_base(&plain);
    assert_true(engine_open(&e, lora, NULL) && engine_run(&e, 3));
    lh_arena *a = lh_arena_new(e.ctx);
    const lh_adapter x = lh_lora_adapter(a, e.graph, folder);
    assert_true(x.rank == RANK && x.alpha == ALPHA && x.n_on == 7 && !x.is_untransposed);
    save_adapter(&e, path, &x);
    lh_folder *f = lh_folder_open(e.ctx, path);
    if (!f) fail_msg("%s", lh_context_error(e.ctx)->what);
    assert_true(f->adapter && f->base && !f->program && f->adapter->rank == RANK);
    lh_found found;
    lh_program *p = lh_trained_program(f, a, &found);
    assert_non_null(p);
    assert_string_equal(found.text, lora);
    lh_graph *g = lh_graph_build(e.ctx, p, &(lh_build){.without_examples = true});
    lh_weights *w = lh_trained_weights(f, a, g);
    if (!w || !lh_lora_merge(f, g, w, out)) fail_msg("%s", lh_context_error(e.ctx)->what);
    lh_folder *m = lh_folder_open(e.ctx, out);
    assert_true(m && !m->adapter && m->weights->n == f->base->weights->n);
    for (size_t i = 0; i < 256; i++) { /* 16 x 16: out x in */
        double sum = tensor_cell(f->weights, lh_printf(a, "%s.weight", q), i);
        for (size_t k = 0; k < RANK; k++)
            sum += ALPHA / RANK *
                   tensor_cell(f->weights, lh_lora_name(a, lh_printf(a, "%s.weight", q), "B"),
                               i / 16 * RANK + k) *
                   tensor_cell(f->weights, lh_lora_name(a, lh_printf(a, "%s.weight", q), "A"),
                               k * 16 + i % 16);
        assert_true(tensor_cell(m->weights, lh_printf(a, "%s.weight", q), i) == (float)sum);
    }
    lh_folder_close(m), lh_graph_free(g), lh_program_free(p), lh_folder_close(f);
    lh_arena_free(a);
    remove_folder(path), remove_folder(out);
    engine_close(&e), engine_close(&plain);
    free(lora), free(text);
    clean(NULL);
}

/* A rank in the config that the tensors do not have. */
static void another_rank_is_refused(void **state) {
    (void)state;
    char path[400], *text = model_text("llama"), *lora = with_lora(text);
    engine plain, e;
    snprintf(path, sizeof path, "%s/adapter", root);
    assert_true(engine_open(&plain, text, NULL) && engine_run(&plain, 0));
    save_base(&plain);
    assert_true(engine_open(&e, lora, NULL) && engine_run(&e, 0));
    lh_arena *a = lh_arena_new(e.ctx);
    lh_adapter x = lh_lora_adapter(a, e.graph, folder);
    x.rank = 3;
    save_adapter(&e, path, &x);
    lh_folder *f = lh_folder_open(e.ctx, path);
    lh_found found;
    lh_program *p = lh_trained_program(f, a, &found);
    lh_graph *g = lh_graph_build(e.ctx, p, &(lh_build){.without_examples = true});
    assert_null(lh_trained_weights(f, a, g));
    assert_non_null(strstr(lh_context_error(e.ctx)->what, "is 2 x 16 in the file"));
    lh_graph_free(g), lh_program_free(p), lh_folder_close(f);
    lh_arena_free(a);
    remove_folder(path);
    engine_close(&e), engine_close(&plain);
    free(lora), free(text);
    clean(NULL);
}

/* A const with a name in a file is a weight: no number of the program may stand in for it. */
static void frozen_weights_are_no_numbers(void **state) {
    (void)state;
    engine e;
    assert_true(
        engine_open(&e, "const g : 1 x 2 = 1 as \"g\"\nconst h : 1 x 2 = 1\nY = g + h\n", NULL));
    double x;
    assert_false(lh_node_constant(e.graph, e.graph->given[0]->node, &x));
    lh_plan *p = lh_exact.plan(e.graph, &(lh_wish){.all = true});
    lh_exact.start(p), lh_exact.bind(p, NULL, 0);
    lh_exact.set(p, e.graph->given[0]->node, (lh_cell){0, 0, 0, 1}, 5);
    lh_exact.run(p);
    const lh_node *y = lh_graph_step(e.graph, "Y")->node;
    assert_true(lh_exact.get(p, y, (lh_cell){0, 0, 0, 1}) == 6);
    lh_exact.free(p);
    engine_close(&e);
}

/* alpha of rslora has a root in it, and a name may have quotes. */
static void an_adapter_reads_back_the_same(void **state) {
    (void)state;
    const char *on[] = {"q_proj", "a\"b\\c"};
    const lh_adapter x = {
        .base = "some \"folder\"", .rank = 3, .alpha = 16 * sqrt(3), .on = on, .n_on = 2};
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_adapter again;
    const char *text = lh_adapter_text(ctx, a, &x);
    assert_true(lh_adapter_read(ctx, a, "adapter_config.json", text, strlen(text), &again));
    assert_string_equal(again.base, x.base);
    assert_true(again.alpha == x.alpha && again.rank == 3 && again.n_on == 2);
    assert_string_equal(again.on[1], on[1]);
    lh_arena_free(a);
    lh_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_does),
        cmocka_unit_test(on_what_is_asked_for),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(rank_must_fit),
        cmocka_unit_test(only_small_matrices_learn),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(same_by_the_fast_evaluator),
        cmocka_unit_test(merged_it_is_the_same),
        cmocka_unit_test(frozen_weights_are_no_numbers),
        cmocka_unit_test(adapters_of_others_open_and_merge),
        cmocka_unit_test(another_rank_is_refused),
        cmocka_unit_test(an_adapter_reads_back_the_same),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
