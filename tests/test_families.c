/* Folders of every family against what Hugging Face transformers said of them: tests/golden has the answers, and how they were made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "comma.h"
#include "base/embedded.h"
#include "base/file.h"
#include "eval/exact.h"
#include "files/gguf_folder.h"
#include "files/replace.h"
#include "files/family.h"
#include "files/json_read.h"
#include "files/weights.h"
#include "model_folder.h"
#include "train/describe.h"
#include "train/feed.h"
#include "eval/fast/grow.h"
#include "train/generate.h"
#include "train/trained.h"

enum { MOST_TENSORS = 128, MOST_TOKENS = 64 };

/* One file of tests/golden/models. */
typedef struct golden {
    const char *name;
    lh_context *ctx;
    lh_arena *arena;
    cJSON *root;
    int token[MOST_TOKENS], n_tokens;
} golden;

static void stop_if_failed(const golden *x, const char *when) {
    const lh_error *e = lh_context_error(x->ctx);
    if (lh_failed(x->ctx))
        fail_msg("%s, %s: %s: %s %s", x->name, when, e->file ? e->file : "", e->what, e->cure);
}

static const cJSON *part(const golden *x, const char *name) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(x->root, name);
    if (!item) fail_msg("%s has no %s", x->name, name);
    return item;
}

/* ---- weights by the formula of tests/golden/golden_weights.py ---- */

static uint32_t mixed(uint32_t x) {
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    x *= 3266489917u;
    return x ^ x >> 16;
}

static float weight_at(const char *name, uint32_t i, int rank) {
    uint32_t h = 2166136261u;
    const size_t n = strlen(name);
    for (size_t k = 0; k < n; k++) h = (h ^ (unsigned char)name[k]) * 16777619u;
    const float u = (float)(mixed(h + i * 2654435761u) >> 8) / 16777216.0f - 0.5f;
    const bool is_weight = n > 6 && strcmp(name + n - 6, "weight") == 0;
    return rank > 1 ? u : is_weight ? 1 + u / 2 : u / 2;
}

static void write_weights(const golden *x) {
    lh_tensor_entry entry[MOST_TENSORS];
    int n = 0;
    for (const cJSON *t = part(x, "tensors")->child; t && n < MOST_TENSORS; t = t->next, n++) {
        lh_tensor_entry *e = &entry[n];
        *e = (lh_tensor_entry){.name = t->string, .type = LH_F32, .from = LH_F32};
        size_t cells = 1;
        for (const cJSON *s = t->child; s; s = s->next)
            cells *= e->size[e->rank++] = (size_t)s->valueint;
        float *data = lh_alloc_array(x->arena, cells, sizeof *data);
        for (size_t i = 0; i < cells; i++) data[i] = weight_at(t->string, (uint32_t)i, e->rank);
        e->data = data;
    }
    mkdir(folder, 0700);
    const lh_pair format = {"format", "pt"};
    lh_tensors_write(x->ctx, lh_printf(x->arena, "%s/model.safetensors", folder), entry, n, &format,
                     1);
    stop_if_failed(x, "writing weights");
}

/* ---- what Longhand makes of it ---- */

typedef struct model {
    lh_program *program;
    lh_graph *g;
    lh_tensors *tensors;
    lh_weights *weights;
} model;

static void open_model(const golden *x, const char *config, model *m) {
    char *json = cJSON_PrintUnformatted(part(x, config));
    const char *text = lh_family_program(x->ctx, x->arena, config, json, strlen(json));
    free(json);
    stop_if_failed(x, config);
    m->program = lh_program_parse(x->ctx, x->name, text, strlen(text));
    if (lh_failed(x->ctx)) fprintf(stderr, "%s\n", text);
    stop_if_failed(x, "parsing");
    m->g = lh_graph_build(x->ctx, m->program, &(lh_build){.without_examples = true});
    if (lh_failed(x->ctx)) fprintf(stderr, "%s\n", text);
    stop_if_failed(x, "building");
    m->tensors = lh_tensors_open(x->ctx, folder);
    m->weights = lh_weights_of(x->ctx, x->arena, m->g, LH_PARAM);
    lh_weights_match(x->ctx, m->weights, m->tensors);
    stop_if_failed(x, "weights");
    char *again = cJSON_PrintUnformatted(part(x, config));
    if (!lh_family_describes(m->g, again, NULL)) fail_msg("%s does not describe itself", x->name);
    free(again);
    for (int i = 0; i < m->weights->n_unused; i++)
        fail_msg("%s: %s is not used", x->name, m->weights->unused[i]->name);
}

static void close_model(model *m) {
    lh_tensors_close(m->tensors);
    lh_graph_free(m->g);
    lh_program_free(m->program);
}

static void feed(const golden *x, const lh_evaluator *with, lh_plan *p, const model *m) {
    lh_inputs in;
    lh_inputs_make(x->arena, m->g, &in);
    lh_inputs_fill(&in, &x->n_tokens, x->token);
    with->start(p);
    lh_weights_set(m->weights, with, p);
    with->training(p, false);
    with->feed(p, &(lh_batch){.examples = 1, .rows = in.rows, .tokens = in.tokens});
    with->run(p);
    stop_if_failed(x, "running");
}

static const lh_node *node_at(const golden *x, const model *m, const char *path) {
    const lh_step *s = lh_graph_find(m->g, path);
    stop_if_failed(x, path);
    return s->node;
}

static double compare_logits(const golden *x, const lh_evaluator *with, const lh_plan *p,
                             const lh_node *logits) {
    double apart = 0, size = 0;
    int r = 0;
    for (const cJSON *row = part(x, "logits")->child; row; row = row->next, r++) {
        int c = 0;
        for (const cJSON *cell = row->child; cell; cell = cell->next, c++) {
            const double y = with->get(p, logits, (lh_cell){0, 0, r, c}), d = y - cell->valuedouble;
            apart += d * d, size += cell->valuedouble * cell->valuedouble;
        }
    }
    return sqrt(apart / size);
}

/* Row by row: the weights with which the last position looks back, in every layer and head. */
static double compare_attention(const golden *x, const lh_plan *p, const model *m) {
    double worst = 0;
    int layer = 0;
    for (const cJSON *l = part(x, "attention")->child; l; l = l->next, layer++) {
        const lh_node *P = node_at(x, m, lh_printf(x->arena, "h[%d].H.P", layer));
        int head = 0;
        for (const cJSON *h = l->child; h; h = h->next, head++) {
            int c = 0;
            for (const cJSON *cell = h->child; cell; cell = cell->next, c++) {
                const double y = lh_exact.get(p, P, (lh_cell){0, head, x->n_tokens - 1, c});
                worst = fmax(worst, fabs(y - cell->valuedouble));
            }
        }
    }
    return worst;
}

static void compare_greedy(const golden *x, const model *m) {
    const int context = lh_generator_context(m->g, 0);
    lh_generator *w =
        lh_generator_new(m->g, &(lh_generator_how){.context = context, .end = -1, .threads = 1});
    stop_if_failed(x, "generating");
    assert_null(lh_fast_prevents(w->plan));
    lh_generator_weights(w, m->weights);
    lh_generator_prompt(w, x->token, x->n_tokens);
    int i = x->n_tokens;
    for (const cJSON *t = part(x, "greedy")->child; t && i < context; t = t->next, i++) {
        const int token = lh_generator_next(w);
        stop_if_failed(x, "generating");
        if (token != t->valueint)
            fail_msg("%s: token %d is %d, and %d there", x->name, i, token, t->valueint);
    }
    lh_generator_free(w);
}

static void compare(const golden *x, const char *config) {
    model m;
    open_model(x, config, &m);
    const lh_node *logits = node_at(x, &m, "logits");
    lh_plan *p = lh_exact.plan(m.g, &(lh_wish){.all = true});
    feed(x, &lh_exact, p, &m);
    const double off = compare_logits(x, &lh_exact, p, logits);
    const double looks = compare_attention(x, p, &m);
    lh_node *want = (lh_node *)logits;
    lh_plan *q = lh_fast.plan(m.g, &(lh_wish){.node = &want, .n_nodes = 1});
    feed(x, &lh_fast, q, &m);
    const double fast = compare_logits(x, &lh_fast, q, logits);
    printf("# %-20s %-7s logits %.1e, fast %.1e, attention %.1e\n", x->name, config, off, fast,
           looks);
    lh_exact.free(p);
    lh_fast.free(q);
    if (!(off < 1e-5) || !(fast < 1e-5) || !(looks < 1e-5))
        fail_msg("%s: logits are off by %g, fast ones by %g, attention by %g", x->name, off, fast,
                 looks);
    if (part(x, "greedy")->child) compare_greedy(x, &m);
    close_model(&m);
}

static void open_golden(golden *x, const char *path, const char *name) {
    size_t length;
    *x = (golden){.name = name, .ctx = lh_context_new()};
    x->arena = lh_arena_new(x->ctx);
    const char *text = lh_file_read_plain(x->ctx, x->arena, path, &length);
    stop_if_failed(x, "reading");
    x->root = lh_json_parse(x->ctx, path, text, length);
    stop_if_failed(x, "reading");
    for (const cJSON *t = part(x, "tokens")->child; t && x->n_tokens < MOST_TOKENS; t = t->next)
        x->token[x->n_tokens++] = t->valueint;
}

static void close_golden(golden *x) {
    cJSON_Delete(x->root);
    lh_arena_free(x->arena);
    lh_context_free(x->ctx);
}

static void write_text(const golden *x, const char *name, const char *text) {
    lh_replace_file(x->ctx, x->arena, lh_printf(x->arena, "%s/%s", folder, name), text,
                    strlen(text));
    stop_if_failed(x, name);
}

/* What is written beside trained weights means the program that was trained: the same text, line by line. */
static void compare_saved(const golden *x) {
    size_t length;
    lh_found before;
    char *config = cJSON_PrintUnformatted(part(x, "config"));
    write_text(x, "config.json", config);
    free(config);
    lh_folder *f = lh_folder_open(x->ctx, folder);
    model m = {.program = lh_trained_program(f, x->arena, &before)};
    stop_if_failed(x, "the program of the folder");
    m.g = lh_graph_build(x->ctx, m.program, &(lh_build){.without_examples = true});
    lh_folder_end(lh_describe_folder(folder, m.g, &(lh_describe){f, NULL, false, -1, -1, NULL}));
    const char *path = lh_printf(x->arena, "%s/config.json", folder),
               *text = lh_file_read_plain(x->ctx, x->arena, path, &length),
               *after = lh_family_program(x->ctx, x->arena, path, text, length);
    stop_if_failed(x, "the config that was written");
    if (strcmp(before.text, after) != 0)
        fail_msg("%s: the program of the saved config is\n%s\ninstead of\n%s", x->name, after,
                 before.text);
    close_model(&m);
    lh_folder_close(f);
}

static void families_agree(void **state) {
    const char *root_folder = getenv("LH_SOURCE_ROOT");
    char path[600];
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/golden/models", root_folder ? root_folder : ".");
    DIR *d = opendir(path);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        char file[1000];
        golden x;
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        open_golden(&x, file, e->d_name);
        write_weights(&x);
        compare(&x, "config");
        compare(&x, "saved");
        compare_saved(&x);
        clean(state);
        close_golden(&x);
        n++;
    }
    closedir(d);
    assert_true(n > 0);
}

/* ---- by way of a GGUF file ---- */

/* The folder as a file, which is opened in place of it: names, orders and sizes have all been there and back. */
static double through_gguf(const golden *x) {
    const char *path = lh_printf(x->arena, "%s/model.gguf", folder);
    cJSON *kind = cJSON_GetObjectItem(part(x, "saved"), "hidden_act");
    if (strcmp(x->name, "gemma") == 0) cJSON_SetValuestring(kind, "gelu_pytorch_tanh");
    char *config = cJSON_PrintUnformatted(part(x, "saved"));
    write_weights(x);
    write_text(x, "config.json", config);
    write_text(x, "tokenizer.json",
               "{\"version\": \"1.0\", \"added_tokens\": [], \"normalizer\": null, "
               "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
               "\"trim_offsets\": true, \"use_regex\": true}, \"post_processor\": null, "
               "\"decoder\": {\"type\": \"ByteLevel\"}, \"model\": {\"type\": \"BPE\", "
               "\"vocab\": {\"a\": 0, \"b\": 1}, \"merges\": []}}");
    free(config);
    lh_gguf_from_folder(x->ctx, folder, path, LH_GGUF_TYPE_F32);
    stop_if_failed(x, "writing GGUF");
    lh_folder *f = lh_folder_open(x->ctx, path);
    stop_if_failed(x, "opening GGUF");
    lh_found text;
    model m = {.program = lh_trained_program(f, x->arena, &text)};
    stop_if_failed(x, "the program of the file");
    m.g = lh_graph_build(x->ctx, m.program, &(lh_build){.without_examples = true});
    m.weights = lh_trained_weights(f, x->arena, m.g);
    stop_if_failed(x, "the weights of the file");
    lh_node *logits = (lh_node *)node_at(x, &m, "logits");
    lh_plan *p = lh_exact.plan(m.g, &(lh_wish){.node = &logits, .n_nodes = 1});
    feed(x, &lh_exact, p, &m);
    const double off = compare_logits(x, &lh_exact, p, logits);
    lh_exact.free(p);
    close_model(&m);
    lh_folder_close(f);
    return off;
}

static void gguf_agrees(void **state) {
    static const char *const names[] = {
        "gpt2",    "gpt2-epsilon", "gpt2-inner",   "llama1",      "llama2",       "llama3",
        "smollm2", "qwen2",        "qwen2-yarn",   "llama-yarn",  "llama-linear", "qwen3",
        "gemma",   "phi3",         "phi3-partial", "phi3-window", "mistral-plain"};
    const char *root_folder = getenv("LH_SOURCE_ROOT");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[600];
        golden x;
        snprintf(path, sizeof path, "%s/tests/golden/models/%s.json",
                 root_folder ? root_folder : ".", names[i]);
        open_golden(&x, path, names[i]);
        const double off = through_gguf(&x);
        printf("# %-20s through GGUF: logits %.1e\n", names[i], off);
        const double most = strcmp(names[i], "gemma") == 0 ? 1e-3 : 1e-5; /* gelu by tanh */
        if (!(off < most)) fail_msg("%s: logits are off by %g", names[i], off);
        clean(state);
        close_golden(&x);
    }
}

/* The biases of a Qwen2 folder, to a program that has none. */
static void leftovers_are_named(void **state) {
    char path[600];
    golden x;
    model m = {0};
    const char *root_folder = getenv("LH_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/tests/golden/models/qwen2.json",
             root_folder ? root_folder : ".");
    open_golden(&x, path, "qwen2.json");
    write_weights(&x);
    const char *config = "{\"model_type\": \"llama\", \"vocab_size\": 24, \"hidden_size\": 16, "
                         "\"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
                         "\"num_key_value_heads\": 2, \"intermediate_size\": 20, "
                         "\"tie_word_embeddings\": true}";
    const char *text = lh_family_program(x.ctx, x.arena, "config.json", config, strlen(config));
    stop_if_failed(&x, "llama");
    m.program = lh_program_parse(x.ctx, "llama", text, strlen(text));
    m.g = lh_graph_build(x.ctx, m.program, &(lh_build){.without_examples = true});
    lh_folder *f = lh_folder_open(x.ctx, folder);
    stop_if_failed(&x, "the folder");
    assert_null(lh_trained_weights(f, x.arena, m.g));
    assert_non_null(strstr(lh_context_error(x.ctx)->what, "k_proj.bias"));
    assert_non_null(strstr(lh_context_error(x.ctx)->what, "and 3 more"));
    lh_context_clear(x.ctx);
    f->allows_unused = true;
    assert_non_null(lh_trained_weights(f, x.arena, m.g));
    lh_folder_close(f);
    close_model(&m);
    clean(state);
    close_golden(&x);
}

/* ---- what a program is decides what its config says ---- */

static lh_graph *graph_of(lh_context *ctx, const char *text, lh_program **p) {
    *p = lh_program_parse(ctx, "program", text, strlen(text));
    lh_graph *g = *p ? lh_graph_build(ctx, *p, &(lh_build){.without_examples = true}) : NULL;
    if (lh_failed(ctx)) fail_msg("%s", lh_context_error(ctx)->what);
    return g;
}

/* A field of the config that is found for a text, as it is written there; "" for none. */
static const char *field_of(const char *text, const char *field) {
    static char value[60];
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_program *p;
    lh_graph *g = graph_of(ctx, text, &p);
    const char *config = lh_family_config(a, g);
    const char *at = config ? strstr(config, lh_printf(a, "\"%s\": ", field)) : NULL;
    if (at) at = strstr(at, ": ") + 2;
    snprintf(value, sizeof value, "%.*s", at ? (int)strcspn(at, ",}") : 0, at ? at : "");
    lh_graph_free(g);
    lh_program_free(p);
    lh_arena_free(a);
    lh_context_free(ctx);
    return value;
}

/* The model_type of the family that a text describes; "" for none. */
static const char *family_of(const char *text) {
    static char type[60];
    const char *value = field_of(text, "model_type");
    snprintf(type, sizeof type, "%.*s", *value ? (int)strlen(value) - 2 : 0, value + (*value != 0));
    return type;
}

/* transformers wants 4 here and 30.0 there, and refuses 4.0 and 30. */
static void numbers_are_written_as_wanted(void **state) {
    (void)state;
    const lh_embedded *f = lh_embedded_find("models/gemma.lh");
    assert_string_equal(field_of(f->text, "query_pre_attn_scalar"), "4");
    assert_string_equal(field_of(f->text, "final_logit_softcapping"), "30.0");
}

static char *changed(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) fail_msg("there is no %s", from);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static void models_are_known(void **state) {
    (void)state;
    static const struct {
        const char *model, *type, *from, *to, *then;
    } list[] = {
        {"gpt", "gpt2", "gelu(", "relu(", "gpt2"},
        {"gpt", "gpt2", "gelu(", "abs(", ""},
        {"gpt", "gpt2", "hide = later(Q, K)", "hide = 0", ""},
        {"llama", "llama", "swiglu(", "swiglu(2 * ", ""},
        {"llama", "llama", "rope(split(N @ WK^T, groups), w)", "split(N @ WK^T, groups)", ""},
        {"llama", "llama", "later(Q, K)", "beyond(Q, K, 7)", ""},
        {"qwen", "qwen3", "1000000", "5000", "qwen3"},
        {"mistral", "mistral", "window = 8", "window = 9", "mistral"},
        {"gemma", "gemma2", "cap = 50", "cap = 20", "gemma2"},
        {"gemma", "gemma2", "mod(h, 2) == 0", "mod(h, 2) == 1", ""},
        {"mixture", "mixtral", "topk(R, 2)", "topk(R, 3)", "mixtral"},
        {"mixture", "mixtral", "C / rowsum(C)", "C", ""},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[60];
        snprintf(name, sizeof name, "models/%s.lh", list[i].model);
        const lh_embedded *f = lh_embedded_find(name);
        assert_non_null(f);
        assert_string_equal(family_of(f->text), list[i].type);
        char *text = changed(f->text, list[i].from, list[i].to);
        const char *then = family_of(text);
        if (strcmp(then, list[i].then) != 0)
            fail_msg("%s with %s is \"%s\" instead of \"%s\"", name, list[i].to, then,
                     list[i].then);
        free(text);
    }
}

/* ---- fields ---- */

static const char *refused(const char *config) {
    static char text[600];
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    const char *program = lh_family_program(ctx, a, "config.json", config, strlen(config));
    snprintf(text, sizeof text, "%s", program ? "" : lh_context_error(ctx)->what);
    lh_arena_free(a);
    lh_context_free(ctx);
    return text;
}

static void fields_are_named(void **state) {
    (void)state;
    static const char *const list[][2] = {
        {"{\"model_type\": \"gpt2\"}", ""},
        {"{\"model_type\": \"gpt2\", \"hidden_size\": 64, \"n_head\": 4}", ""},
        {"{\"model_type\": \"gpt2\", \"hidden_size\": 64, \"n_embd\": 64, \"n_head\": 4}", ""},
        {"{\"model_type\": \"gpt2\", \"hidden_size\": 64, \"n_embd\": 128, \"n_head\": 4}",
         "hidden_size is 64, and n_embd"},
        {"{\"model_type\": \"gpt_neox\", \"rotary_emb_base\": 10000, \"rope_theta\": 500}",
         "rope_theta is 500"},
        {"{}", "model_type"},
        {"{\"model_type\": \"gpt5\"}", "model_type is gpt5"},
        {"{\"model_type\": \"gpt2\", \"n_embed\": 64}", "n_embed"},
        {"{\"model_type\": \"gpt2\", \"activation_function\": \"mish\"}", "activation_function"},
        {"{\"model_type\": \"gpt2\", \"n_head\": 5}", "n_head is 5"},
        {"{\"model_type\": \"gpt2\", \"n_layer\": \"12\"}", "n_layer"},
        {"{\"model_type\": \"gpt2\", \"n_layer\": -1}", "n_layer"},
        {"{\"model_type\": \"gpt2\", \"n_layer\": 1e300}", "n_layer"},
        {"{\"model_type\": \"gpt2\", \"add_cross_attention\": true}", "add_cross_attention"},
        {"{\"model_type\": \"llama\", \"quantization_config\": {\"bits\": 4}}",
         "quantization_config"},
        {"{\"model_type\": \"llama\", \"architectures\": [\"LlamaForSequenceClassification\"]}",
         "architectures"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": 5}", "num_key_value_heads"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2}}",
         "rope_type is dynamic"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"llama3\"}}",
         "factor of llama3 rope is missing"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": "
         "8}}",
         "low_freq_factor"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"type\": \"linear\", \"factor\": null}}",
         "factor"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"type\": null}}", "rope"},
        {"{\"model_type\": \"llama\", \"rms_norm_eps\": null}", "rms_norm_eps is null"},
        {"{\"model_type\": \"llama\", \"rope_theta\": null}", "rope_theta is null"},
        {"{\"model_type\": \"llama\", \"hidden_size\": null}", "hidden_size is 0 or null"},
        {"{\"model_type\": \"llama\", \"hidden_act\": null}", "hidden_act"},
        {"{\"model_type\": \"llama\", \"layer_types\": [\"full_attention\"]}", "layer_types"},
        {"{\"model_type\": \"llama\", \"sliding_window\": 4}", "sliding_window"},
        {"{\"model_type\": \"llama\", \"sliding_window\": null}", ""},
        {"{\"model_type\": \"mistral\", \"sliding_window\": null, \"attention_bias\": false}", ""},
        {"{\"model_type\": \"mistral\", \"attention_bias\": true}", "attention_bias"},
        {"{\"model_type\": \"llama\", \"rope_parameters\": {\"full_attention\": {\"rope_type\": "
         "\"default\"}, \"sliding_attention\": {\"rope_type\": \"default\"}}}",
         "sliding_attention is given together"},
        {"{\"model_type\": \"gemma3_text\", \"rope_parameters\": {\"full_attention\": "
         "{\"rope_type\": "
         "\"default\"}, \"chunked_attention\": {\"rope_type\": \"default\"}}}",
         "chunked_attention"},
        {"{\"model_type\": \"gemma3_text\", \"rope_parameters\": {\"sliding_attention\": "
         "{\"rope_type\": "
         "\"default\"}}}",
         "sliding_attention"},
        {"{\"model_type\": \"gemma3_text\", \"rope_parameters\": {\"rope_theta\": 5}, "
         "\"rope_scaling\": "
         "{\"type\": \"linear\", \"factor\": 2}}",
         "rope_scaling is given together"},
        {"{\"model_type\": \"gemma3_text\", \"sliding_window\": null}", "sliding_window"},
        {"{\"model_type\": \"gemma2\", \"sliding_window\": 0}", "sliding_window"},
        {"{\"model_type\": \"qwen2\", \"num_hidden_layers\": 1, \"layer_types\": "
         "[\"sliding_attention\"]}",
         "sliding_window"},
        {"{\"model_type\": \"qwen2\", \"num_hidden_layers\": 1, \"layer_types\": "
         "[\"linear_attention\"]}",
         "layer_types has linear_attention"},
        {"{\"model_type\": \"qwen2\", \"num_hidden_layers\": 1, \"layer_types\": \"full\"}",
         "layer_types"},
        {"{\"model_type\": \"phi3\", \"vocab_size\": 9, \"full_attn_mod\": 1, "
         "\"interpolate_factor\": 1, "
         "\"lm_head_bias\": false}",
         ""},
        {"{\"model_type\": \"phi3\", \"full_attn_mod\": 2}", "full_attn_mod"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 2, "
         "\"twist\": 3}}",
         "twist"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": 7}", "rope_scaling"},
        {"{\"model_type\": \"llama\", \"rope_interleaved\": true}", "rope_interleaved"},
        {"{\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"layer_types\": [\"full\"]}",
         "layer_types"},
        {"{\"model_type\": \"qwen2\", \"use_sliding_window\": true, \"layer_types\": "
         "[\"full_attention\"]}",
         "layer_types names 1"},
        {"{\"model_type\": \"phi3\", \"partial_rotary_factor\": 0.001}", "partial_rotary_factor"},
        {"{\"model_type\": \"bert\", \"position_embedding_type\": \"relative_key\"}",
         "position_embedding_type"},
        {"{\"model_type\": \"mixtral\", \"num_experts_per_tok\": 99}", "num_experts_per_tok"},
        {"{\"model_type\": \"llama\", \"num_key_value_heads\": 0}", "num_key_value_heads must be"},
        {"{\"model_type\": \"llama\", \"rope_theta\": 0}", "rope_theta must be"},
        {"{\"model_type\": \"llama\", \"intermediate_size\": 0}", "intermediate_size must be"},
        {"{\"model_type\": \"llama\", \"intermediate_size\": null}", "intermediate_size is 0"},
        {"{\"model_type\": \"llama\", \"rms_norm_eps\": 0}", ""},
        {"{\"model_type\": \"llama\", \"is_causal\": false}", "is_causal"},
        {"{\"model_type\": \"llama\", \"is_causal\": null}", "is_causal"},
        {"{\"model_type\": \"llama\", \"is_causal\": true}", ""},
        {"{\"model_type\": \"llama\", \"use_rope\": false}", "use_rope"},
        {"{\"model_type\": \"llama\", \"twist\": 0}", "twist"},
        {"{\"model_type\": \"llama\", \"twist\": []}", "twist"},
        {"{\"model_type\": \"llama\", \"twist\": null}", ""},
        {"{\"model_type\": \"llama\", \"use_mrope\": false, \"rope_interleaved\": false}", ""},
        {"{\"model_type\": \"llama\", \"head_dim\": 5}", "head_dim is 5"},
        {"{\"model_type\": \"llama\", \"num_hidden_layers\": 5000}", "num_hidden_layers is 5000"},
        {"{\"model_type\": \"llama\", \"rope_parameters\": 7}", "rope_parameters must"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 2, "
         "\"twist\": false}}",
         "twist"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 2, "
         "\"truncate\": \"no\"}}",
         "truncate"},
        {"{\"model_type\": \"llama\", \"rope_scaling\": {\"rope_type\": \"default\", "
         "\"partial_rotary_factor\": 0}}",
         "partial_rotary_factor"},
        {"{\"model_type\": \"mistral\", \"sliding_window\": 0}", "sliding_window must be"},
        {"{\"model_type\": \"gpt2\", \"n_inner\": 0}", "n_inner must be"},
        {"{\"model_type\": \"gpt2\", \"n_layer\": 5000}", "n_layer is 5000"},
        {"{\"model_type\": \"gpt2\", \"scale_attn_weights\": null}", "scale_attn_weights"},
        {"{\"model_type\": \"gpt_neox\", \"rotary_pct\": 0}", "rotary_pct must be"},
        {"{\"model_type\": \"gpt_neox\", \"rotary_pct\": 0.001}", "rotary_pct leaves"},
        {"{\"model_type\": \"gpt_neox\", \"rotary_emb_base\": 0}", "rotary_emb_base must be"},
        {"{\"model_type\": \"gpt_neox\", \"rotary_emb_base\": 0.5}", "rotary_emb_base must be"},
        {"{\"model_type\": \"gpt_neox\", \"hidden_dropout_prob\": 0, "
         "\"attention_probs_dropout_prob\": 0}",
         ""},
        {"{\"model_type\": \"phi3\", \"partial_rotary_factor\": 0}",
         "partial_rotary_factor must be"},
        {"{\"model_type\": \"phi3\", \"full_attn_mod\": 0}", "full_attn_mod"},
        {"{\"model_type\": \"phi3\", \"head_dim\": 4, \"rope_scaling\": {\"type\": \"longrope\", "
         "\"short_factor\": {\"a\": 1, \"b\": 1}, \"long_factor\": [1, 1]}}",
         "short_factor"},
        {"{\"model_type\": \"gemma3_text\", \"query_pre_attn_scalar\": 0}",
         "query_pre_attn_scalar must be"},
        {"{\"model_type\": \"gemma3_text\", \"rope_local_base_freq\": 0}",
         "rope_local_base_freq must be"},
        {"{\"model_type\": \"gemma3_text\", \"rope_local_base_freq\": 0.5}",
         "rope_local_base_freq must be"},
        {"{\"model_type\": \"gemma3_text\", \"sliding_window_pattern\": 0}",
         "sliding_window_pattern must be"},
        {"{\"model_type\": \"gemma3_text\", \"sliding_window_pattern\": null}",
         "sliding_window_pattern is null"},
        {"{\"model_type\": \"gemma2\", \"final_logit_softcapping\": 0}",
         "final_logit_softcapping must be"},
        {"{\"model_type\": \"gemma2\", \"hidden_activation\": \"mish\"}",
         "hidden_activation is mish"},
        {"{\"model_type\": \"bert\", \"type_vocab_size\": 0}", "type_vocab_size must be"},
        {"{\"model_type\": \"qwen2\", \"num_hidden_layers\": 1, \"layer_types\": {\"a\": "
         "\"full_attention\"}}",
         "layer_types must be a list"},
        {"[1]", "fields"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *what = refused(list[i][0]);
        const bool is_right = *list[i][1] ? strstr(what, list[i][1]) != NULL : !*what;
        if (!is_right) fail_msg("%s: \"%s\" instead of \"%s\"", list[i][0], what, list[i][1]);
    }
}

/* What a config leaves out is as transformers has it: the program of a bare model_type and that of all its usual values are one text. */
static void usual_values_agree(void **state) {
    (void)state;
    const char *root_folder = getenv("LH_SOURCE_ROOT");
    char path[600];
    golden x = {.name = "defaults.json", .ctx = lh_context_new()};
    size_t length;
    x.arena = lh_arena_new(x.ctx);
    snprintf(path, sizeof path, "%s/tests/golden/defaults.json", root_folder ? root_folder : ".");
    const char *text = lh_file_read_plain(x.ctx, x.arena, path, &length);
    stop_if_failed(&x, "reading");
    x.root = lh_json_parse(x.ctx, path, text, length);
    int n = 0;
    for (const cJSON *f = x.root->child; f; f = f->next, n++) {
        char *all = cJSON_PrintUnformatted(f);
        const char *bare = lh_printf(x.arena, "{\"model_type\": \"%s\"}", f->string),
                   *of_all = lh_family_program(x.ctx, x.arena, f->string, all, strlen(all)),
                   *of_bare = lh_family_program(x.ctx, x.arena, f->string, bare, strlen(bare));
        free(all);
        stop_if_failed(&x, f->string);
        assert_string_equal(of_bare, of_all);
    }
    assert_int_equal(n, lh_family_count());
    close_golden(&x);
}

/* The library may be called where 1.5 is written 1,5: a program has points. */
static void programs_have_points_in_every_locale(void **state) {
    (void)state;
    static const char config[] = "{\"model_type\": \"llama\", \"rms_norm_eps\": 1.5e-05, "
                                 "\"rope_theta\": 10000.5, \"attention_bias\": false}";
    golden x = {.name = "llama", .ctx = lh_context_new()};
    x.arena = lh_arena_new(x.ctx);
    const char *plain = lh_family_program(x.ctx, x.arena, "c", config, strlen(config));
    stop_if_failed(&x, "with a point");
    assert_non_null(strstr(plain, "10000.5"));
    comma_begin();
    const char *comma = lh_family_program(x.ctx, x.arena, "c", config, strlen(config));
    comma_end();
    stop_if_failed(&x, "with a comma");
    assert_string_equal(comma, plain);
    close_golden(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_have_points_in_every_locale),
        cmocka_unit_test(fields_are_named),
        cmocka_unit_test(usual_values_agree),
        cmocka_unit_test(models_are_known),
        cmocka_unit_test(numbers_are_written_as_wanted),
        cmocka_unit_test_teardown(leftovers_are_named, clean),
        cmocka_unit_test_teardown(families_agree, clean),
        cmocka_unit_test_teardown(gguf_agrees, clean),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
