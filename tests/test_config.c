/* config.json and generation_config.json: read, kept and written again, and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "files/config.h"

static const char *const gpt2 =
    "{\"activation_function\": \"gelu_new\", \"architectures\": [\"GPT2LMHeadModel\"],\n"
    " \"attn_pdrop\": 0.1, \"bos_token_id\": 50256, \"eos_token_id\": 50256, \"n_ctx\": 1024,\n"
    " \"layer_norm_epsilon\": 1e-05, \"model_type\": \"gpt2\", \"n_embd\": 768, \"n_head\": 12,\n"
    " \"n_layer\": 12, \"n_positions\": 1024, \"n_inner\": null, \"vocab_size\": 50257,\n"
    " \"task_specific_params\": {\"text-generation\": {\"max_length\": 50}}}";

static void a_config_is_read_and_kept(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_config c, again;
    assert_true(lh_config_read(ctx, a, "config.json", gpt2, strlen(gpt2), &c));
    assert_int_equal(c.n_layer, 12);
    assert_int_equal(c.n_embd, 768);
    assert_int_equal(c.vocab_size, 50257);
    assert_int_equal(c.n_positions, 1024);
    assert_int_equal(c.eos, 50256);
    c.n_layer = 3;
    char *text = lh_config_text(ctx, a, &c);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"max_length\""));
    assert_non_null(strstr(text, "\"attn_pdrop\":\t0.1"));
    assert_true(lh_config_read(ctx, a, "config.json", text, strlen(text), &again));
    assert_int_equal(again.n_layer, 3);
    const char *which;
    assert_true(lh_config_same(&c, &again, &which));
    again.n_head = 6;
    assert_false(lh_config_same(&c, &again, &which));
    assert_string_equal(which, "n_head");
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* Other software tells 30.0 from 30, and refuses one where it wants the other. */
static void fractions_stay_fractions(void **state) {
    (void)state;
    static const char text[] =
        "{\"model_type\": \"gemma2\", \"final_logit_softcapping\": 30.0, \"a \\\" 1.0\": 2, "
        "\"list\": [1, 2.0, "
        "{\"3.0\": -4.0}, 5], \"router_jitter_noise\": 0.0, \"head_dim\": 256}";
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_config c;
    assert_true(lh_config_read(ctx, a, "config.json", text, strlen(text), &c));
    const char *again = lh_config_text(ctx, a, &c);
    assert_non_null(again);
    static const char *const parts[] = {"softcapping\":\t30.0", "1.0\":\t2,", "[1, 2.0,",
                                        "\"3.0\":\t-4.0",       ", 5]",       "noise\":\t0.0",
                                        "head_dim\":\t256"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(again, parts[i])) fail_msg("%s is not in %s", parts[i], again);
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ... in generation_config.json, too. */
static void fractions_of_choosing_stay_fractions(void **state) {
    (void)state;
    static const char text[] = "{\"temperature\": 1.0, \"top_k\": 50, \"eos_token_id\": 2}";
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_generation g;
    assert_true(lh_generation_read(ctx, a, "g", text, strlen(text), &g));
    const char *again = lh_generation_text(ctx, a, &g);
    assert_non_null(again);
    assert_non_null(strstr(again, "temperature\":\t1.0,"));
    assert_non_null(strstr(again, "top_k\":\t50,"));
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void hostile_configs_are_refused(void **state) {
    (void)state;
#define SIZES "\"n_layer\":2,\"n_head\":2,\"n_embd\":8,\"n_positions\":16,\"vocab_size\":65"
    static const char *const cases[][2] = {
        {"", "the file is empty"},
        {"[]", "fields in { } are expected"},
        {"{\"model_type\":\"gpt2\"}", NULL}, /* usual values: families.c */
        {"{\"model_type\":7}", "model_type must be a short text"},
        {"{\"n_layer\":-1}", "n_layer must be a whole number from 1 on"},
        {"{\"n_layer\":0}", "n_layer must be a whole number from 1 on"},
        {"{\"n_layer\":1e9}", "n_layer must be"},
        {"{\"n_layer\":1.5}", "n_layer must be"},
        {"{\"n_layer\":\"12\"}", "n_layer must be"},
        {"{\"model_type\":\"gpt2\"," SIZES ",\"n_head\":3}", NULL},
        {"{" SIZES ",\"eos_token_id\":\"</s>\"}", "eos_token_id must be the number of a token"},
        {"{" SIZES ",\"eos_token_id\":[]}", "eos_token_id must be the number of a token"},
        {"{\"architectures\":[]}", "architectures must be a short text"},
        {"{" SIZES ",\"model_type\":\"a\\u0000b\"}", "a text cannot contain a NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_config c;
        bool is_read = lh_config_read(ctx, a, "config.json", cases[i][0], strlen(cases[i][0]), &c);
        if (is_read != !cases[i][1]) fail_msg("%s", cases[i][0]);
        if (cases[i][1] && !strstr(lh_context_error(ctx)->what, cases[i][1]))
            fail_msg("\"%s\" instead of \"%s\"", lh_context_error(ctx)->what, cases[i][1]);
        lh_arena_free(a);
        lh_context_free(ctx);
    }
}

/* Later models have other names for the sizes, and keep them when a config is written. */
static void sizes_have_two_names(void **state) {
    (void)state;
    const char *text = "{\"model_type\":\"llama\",\"num_hidden_layers\":2,\"hidden_size\":8,"
                       "\"num_attention_heads\":2,\"max_position_embeddings\":16,"
                       "\"vocab_size\":65,\"torch_dtype\":\"bfloat16\"}";
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_config c;
    assert_true(lh_config_read(ctx, a, "config.json", text, strlen(text), &c));
    assert_true(c.n_layer == 2 && c.n_embd == 8 && c.n_head == 2 && c.n_positions == 16);
    c.n_embd = 24;
    const char *again = lh_config_text(ctx, a, &c);
    assert_non_null(strstr(again, "\"hidden_size\":\t24"));
    assert_null(strstr(again, "n_embd"));
    assert_non_null(strstr(again, "\"torch_dtype\":\t\"float32\""));
    lh_arena_free(a);
    lh_context_free(ctx);
}

static void how_to_generate_is_read_and_kept(void **state) {
    (void)state;
    const char *text =
        "{\"eos_token_id\":[7,8],\"temperature\":0.7,\"top_k\":40,\"do_sample\":true,"
        "\"repetition_penalty\":1.1}";
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_generation g;
    assert_true(lh_generation_read(ctx, a, "generation_config.json", text, strlen(text), &g));
    assert_true(g.eos == 7 && g.bos == -1 && g.top_k == 40 && g.temperature == 0.7 &&
                g.is_sampled == LH_SAMPLED && g.n_ends == 2 && g.end[1] == 8 &&
                g.repetition_penalty == 1.1);
    char *again = lh_generation_text(ctx, a, &g);
    assert_non_null(strstr(again, "[7, 8]"));
    assert_non_null(strstr(again, "\"repetition_penalty\":\t1.1"));
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* Each field is honoured, harmless or named. */
static void no_field_is_passed_over(void **state) {
    (void)state;
    static const struct {
        const char *text, *says; /* NULL: nothing */
    } trial[] = {
        {"{\"use_cache\": true, \"pad_token_id\": 3, \"transformers_version\": \"5.17.0\"}", NULL},
        {"{\"num_beams\": 1, \"typical_p\": 1.0, \"bad_words_ids\": null, \"constraints\": []}",
         NULL},
        {"{\"num_beams\": 4}", "num_beams is 4, which is not supported"},
        {"{\"min_new_tokens\": 5}", "min_new_tokens is 5, which is not supported"},
        {"{\"stop_strings\": [\"x\"]}", "stop_strings is not supported"},
        {"{\"tempreature\": 0.3}", "there is no field tempreature; did you mean temperature?"},
        {"{\"mine\": 0.3}", "there is no field mine"},
        {"{\"temperature\": 0.3}", "temperature counts only where do_sample is true"},
        {"{\"temperature\": 0.3, \"do_sample\": false}", NULL},
        {"{\"num_beams\": \"four\"}", "num_beams is not a number"},
    };
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_generation g;
        assert_true(lh_generation_read(ctx, a, "g", trial[i].text, strlen(trial[i].text), &g));
        assert_int_equal(g.n_odd, trial[i].says != NULL);
        if (trial[i].says) assert_string_equal(g.odd[0], trial[i].says);
        lh_arena_free(a);
        lh_context_free(ctx);
    }
}

static void hostile_generations_are_refused(void **state) {
    (void)state;
    static const char *const trial[][2] = {
        {"[]", "fields in { } are expected"},
        {"{\"repetition_penalty\": 0}", "repetition_penalty must be a number above 0"},
        {"{\"top_p\": 2}", "top_p must be a number from 0 to 1"},
        {"{\"eos_token_id\": [2, \"x\"]}",
         "eos_token_id must be the number of a token, or a list of such"},
    };
    for (size_t i = 0; i < sizeof trial / sizeof *trial; i++) {
        lh_context *ctx = lh_context_new();
        lh_arena *a = lh_arena_new(ctx);
        lh_generation g;
        assert_false(lh_generation_read(ctx, a, "g", trial[i][0], strlen(trial[i][0]), &g));
        assert_string_equal(lh_context_error(ctx)->what, trial[i][1]);
        lh_arena_free(a);
        lh_context_free(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_config_is_read_and_kept),
        cmocka_unit_test(fractions_stay_fractions),
        cmocka_unit_test(fractions_of_choosing_stay_fractions),
        cmocka_unit_test(hostile_configs_are_refused),
        cmocka_unit_test(sizes_have_two_names),
        cmocka_unit_test(how_to_generate_is_read_and_kept),
        cmocka_unit_test(no_field_is_passed_over),
        cmocka_unit_test(hostile_generations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
