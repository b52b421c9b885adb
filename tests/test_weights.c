/* Params and tensors: a gpt that goes on training to the bit, GPT-2's names, and what does not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "base/embedded.h"
#include "engine.h"
#include "files/folder.h"
#include "files/weights.h"
#include "model_folder.h"

static void open_gpt(engine *e) {
    const lh_embedded *gpt = lh_embedded_find("models/gpt.lh");
    char *text = strndup(gpt->text, gpt->length);
    if (!engine_open(e, text, NULL)) fail_msg("%s", e->problem);
    free(text);
    e->exact = lh_exact.plan(e->graph, &(lh_wish){.all = true});
    lh_exact.start(e->exact);
    lh_exact.bind(e->exact, NULL, 0);
}

/* Three steps of training, so that states and step count. */
static void train_a_little(engine *e, int steps) {
    for (int i = 0; i < steps; i++) lh_exact.run(e->exact), lh_exact.commit(e->exact);
}

static void save_gpt(engine *e, lh_dtype type, long long step) {
    lh_arena *a = lh_arena_new(e->ctx);
    lh_weights *params = lh_weights_of(e->ctx, a, e->graph, LH_PARAM);
    lh_weights *states = lh_weights_of(e->ctx, a, e->graph, LH_STATE);
    assert_true(params && states && params->n == 28 && states->n > 28);
    lh_config c;
    lh_config_start(&c);
    lh_config_of_graph(e->graph, &c);
    assert_true(c.n_layer == 2 && c.n_head == 2 && c.n_embd == 8 && c.n_positions == 16 &&
                c.vocab_size == 65);
    lh_folder_writer *w = lh_folder_create(e->ctx, folder, &(lh_folder_files){.config = &c});
    bool is_done = lh_folder_save(
        w, &(lh_save){.step = step,
                      .program = e->program->source,
                      .weight = lh_weights_get(e->ctx, params, &lh_exact, e->exact, type),
                      .n_weights = params->n,
                      .state = lh_weights_get(e->ctx, states, &lh_exact, e->exact, LH_F64),
                      .n_states = states->n});
    if (!is_done) fail_msg("%s", lh_context_error(e->ctx)->what);
    lh_folder_end(w);
    lh_arena_free(a);
}

static void load_gpt(engine *e, const lh_folder *f) {
    lh_arena *a = lh_arena_new(e->ctx);
    lh_weights *params = lh_weights_of(e->ctx, a, e->graph, LH_PARAM);
    lh_weights *states = lh_weights_of(e->ctx, a, e->graph, LH_STATE);
    if (!lh_weights_match(e->ctx, params, f->weights) ||
        !lh_weights_match(e->ctx, states, f->optimizer))
        fail_msg("%s", lh_context_error(e->ctx)->what);
    assert_int_equal(params->n_unused + states->n_unused, 0);
    lh_weights_set(params, &lh_exact, e->exact);
    lh_weights_set(states, &lh_exact, e->exact);
    lh_exact.at_step(e->exact, (int)f->step);
    lh_arena_free(a);
}

/* Every number of every step of the two is the same. */
static void compare_all(engine *x, engine *y) {
    lh_exact.run(x->exact);
    lh_exact.run(y->exact);
    for (int i = 0; i < x->graph->n_steps; i++) {
        const lh_node *a = x->graph->step[i]->node, *b = y->graph->step[i]->node;
        for (int e = 0; e < (a->shape.is_batched ? 2 : 1); e++) {
            lh_sizes s = lh_exact.sizes(x->exact, a, e);
            for (int k = 0; k < s.heads * s.rows * s.cols; k++) {
                lh_cell at = {e, k / (s.rows * s.cols), k / s.cols % s.rows, k % s.cols};
                double p = lh_exact.get(x->exact, a, at), q = lh_exact.get(y->exact, b, at);
                if (memcmp(&p, &q, sizeof p) != 0)
                    fail_msg("%s: %.17g became %.17g", x->graph->step[i]->path, p, q);
            }
        }
    }
}

static void training_goes_on_to_the_bit(void **state) {
    (void)state;
    engine x, y;
    clean(NULL);
    open_gpt(&x);
    train_a_little(&x, 3);
    save_gpt(&x, LH_F64, 3);
    open_gpt(&y);
    lh_folder *f = lh_folder_open(y.ctx, folder);
    assert_non_null(f);
    assert_int_equal(f->step, 3);
    assert_string_equal(f->program, x.program->source);
    load_gpt(&y, f);
    train_a_little(&x, 2);
    train_a_little(&y, 2);
    compare_all(&x, &y);
    lh_folder_close(f);
    engine_close(&x);
    engine_close(&y);
}

/* As other tools have them: F32, a prefix, masks, a head that is a copy. */
static void weights_have_gpt2s_names(void **state) {
    (void)state;
    engine x;
    clean(NULL);
    open_gpt(&x);
    save_gpt(&x, LH_F32, 0);
    lh_arena *a = lh_arena_new(x.ctx);
    lh_tensors *t = lh_tensors_open(x.ctx, folder);
    const lh_tensor *w = lh_tensors_find(t, "h.1.attn.c_attn.weight"),
                    *b = lh_tensors_find(t, "h.1.attn.c_attn.bias");
    assert_true(w && w->rank == 2 && w->size[0] == 8 && w->size[1] == 24 && w->type == LH_F32);
    assert_true(b && b->rank == 1 && b->size[0] == 24);
    assert_string_equal(lh_tensors_metadata(t, "format"), "pt");
    lh_tensor_entry *e = lh_alloc_array(a, (size_t)t->n + 4, sizeof *e);
    for (int i = 0; i < t->n; i++) {
        const lh_tensor *one = &t->tensor[i];
        e[i] = (lh_tensor_entry){.name = lh_printf(a, "transformer.%s", one->name),
                                 .type = one->type,
                                 .rank = one->rank,
                                 .data = one->data,
                                 .from = one->type};
        memcpy(e[i].size, one->size, sizeof one->size);
        if (one->rank == 1) e[i].rank = 2, e[i].size[1] = e[i].size[0], e[i].size[0] = 1;
    }
    const lh_tensor *head = lh_tensors_find(t, "wte.weight");
    int n = t->n;
    e[n++] = (lh_tensor_entry){"transformer.h.0.attn.bias", LH_F32, 1, {3}, head->data, LH_F32};
    e[n++] = (lh_tensor_entry){"lm_head.weight", LH_F32, 2, {65, 8}, head->data, LH_F32};
    e[n++] = (lh_tensor_entry){"more", LH_F32, 1, {3}, head->data, LH_F32};
    char path[400];
    snprintf(path, sizeof path, "%s/other.safetensors", folder);
    assert_true(lh_tensors_write(x.ctx, path, e, n, NULL, 0));
    lh_tensors *other = lh_tensors_open(x.ctx, path);
    lh_weights *params = lh_weights_of(x.ctx, a, x.graph, LH_PARAM);
    if (!lh_weights_match(x.ctx, params, other)) fail_msg("%s", lh_context_error(x.ctx)->what);
    assert_int_equal(params->n_unused, 1);
    assert_string_equal(params->unused[0]->name, "more");
    lh_tensors_close(other);
    lh_tensors_close(t);
    lh_arena_free(a);
    engine_close(&x);
}

static void check_mismatch(const char *text, const lh_tensor_entry *entry, const char *part) {
    engine e;
    char path[400];
    if (!engine_open(&e, text, NULL)) fail_msg("%s", e.problem);
    snprintf(path, sizeof path, "%s/mismatch.safetensors", root);
    lh_arena *a = lh_arena_new(e.ctx);
    assert_true(lh_tensors_write(e.ctx, path, entry, 1, NULL, 0));
    lh_tensors *t = lh_tensors_open(e.ctx, path);
    lh_weights *w = lh_weights_of(e.ctx, a, e.graph, LH_PARAM);
    bool is_good = w && lh_weights_match(e.ctx, w, t);
    if (is_good || !strstr(lh_context_error(e.ctx)->what, part))
        fail_msg("\"%s\" instead of \"%s\"", lh_context_error(e.ctx)->what, part);
    lh_tensors_close(t);
    lh_arena_free(a);
    engine_close(&e);
    unlink(path);
}

static void what_does_not_fit_is_told(void **state) {
    (void)state;
    float x[6] = {0};
    const lh_tensor_entry w = {"w", LH_F32, 2, {3, 2}, x, LH_F32},
                          f8 = {"w", LH_F8_E4M3, 2, {2, 3}, x, LH_F8_E4M3};
    check_mismatch("param A : 2 x 3 = 0 as \"w\"\nB = A\n", &w,
                   "w is 3 x 2 in the file, and A is 2 x 3 in the program");
    check_mismatch("param A : 1 x 6 = 0 as \"w\"\nB = A\n", &w, "w is 3 x 2 in the file");
    check_mismatch("param A : 3 x 2 = 0 as \"v\"\nB = A\n", &w, "v is not in the file; A needs it");
    check_mismatch("param A : 3 x 2 = 0\nparam C : 3 x 2 = 0\nB = A + C\n", &w,
                   "A is not in the file, nor are 1 others");
    check_mismatch("param A : 2 x 3 = 0 as \"w\"\nB = A\n", &f8, "of type F8_E4M3, which is not");
    check_mismatch("param A : 3 x 2 = 0 as \"w.{i}\"\nB = A\n", &w,
                   "no repeat around it is called i");
    check_mismatch("param A : 3 x 2 = 0 as \"w.{i\"\nB = A\n", &w,
                   "no repeat around it is called i");
}

/* A config builds the program that its weights fit. */
static void a_config_sets_the_sizes(void **state) {
    (void)state;
    engine e;
    open_gpt(&e);
    lh_arena *a = lh_arena_new(e.ctx);
    lh_config c, again;
    int n;
    lh_config_start(&c);
    c.n_layer = 3;
    c.n_head = 2;
    c.n_embd = 24;
    c.n_positions = 16;
    c.vocab_size = 99;
    lh_setting *set = lh_config_settings(a, &c, e.program, &n);
    assert_int_equal(n, 5);
    lh_graph *g = lh_graph_build(e.ctx, e.program, &(lh_build){.set = set, .n_set = n});
    assert_non_null(g);
    lh_config_start(&again);
    lh_config_of_graph(g, &again);
    const char *which = "";
    if (!lh_config_same(&c, &again, &which)) fail_msg("%s", which);
    lh_graph_free(g);
    lh_arena_free(a);
    engine_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_goes_on_to_the_bit),
        cmocka_unit_test(weights_have_gpt2s_names),
        cmocka_unit_test(what_does_not_fit_is_told),
        cmocka_unit_test(a_config_sets_the_sizes),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
