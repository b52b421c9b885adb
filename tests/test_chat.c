/* Conversations as the families write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "files/chat.h"

static const lh_message talk[] = {{"Hello ", " Hi there."}, {"Why?", NULL}};

/* A system's text, two messages, one reply. */
static const struct {
    const char *name, *written;
} with_system[] = {
    {"chatml", "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nHello <|im_end|>\n"
               "<|im_start|>assistant\n Hi there.<|im_end|>\n<|im_start|>user\nWhy?<|im_end|>\n"
               "<|im_start|>assistant\n"},
    {"llama-3", "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe short.<|eot_id|>"
                "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
                "<|start_header_id|>assistant<|end_header_id|>\n\nHi there.<|eot_id|>"
                "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
                "<|start_header_id|>assistant<|end_header_id|>\n\n"},
    {"llama-3.1",
     "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: "
     "December 2023\nToday Date: 26 Jul 2024\n\nBe short.<|eot_id|>"
     "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
     "<|start_header_id|>assistant<|end_header_id|>\n\nHi there.<|eot_id|>"
     "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
     "<|start_header_id|>assistant<|end_header_id|>\n\n"},
    {"llama-2", "<s>[INST] <<SYS>>\nBe short.\n<</SYS>>\n\nHello [/INST] Hi there. </s>"
                "<s>[INST] Why? [/INST]"},
    {"mistral-tekken", "<s>[INST]Be short.\n\nHello [/INST] Hi there.</s>[INST]Why?[/INST]"},
    {"gemma-3", "<bos><start_of_turn>user\nBe short.\n\nHello<end_of_turn>\n<start_of_turn>model\n"
                "Hi there.<end_of_turn>\n<start_of_turn>user\nWhy?<end_of_turn>\n"
                "<start_of_turn>model\n"},
    {"phi-3", "<|system|>\nBe short.<|end|>\n<|user|>\nHello <|end|>\n<|assistant|>\n Hi "
              "there.<|end|>\n<|user|>\nWhy?<|end|>\n<|assistant|>\n"},
    {"olmo-2", "<|endoftext|><|system|>\nBe short.\n<|user|>\nHello \n<|assistant|>\n Hi "
               "there.<|endoftext|>\n<|user|>\nWhy?\n<|assistant|>\n"},
};

static void conversations_are_written_as_the_family_does(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    for (size_t i = 0; i < sizeof with_system / sizeof *with_system; i++) {
        lh_text out = lh_text_new(a);
        const lh_chat *c = lh_chat_named(with_system[i].name);
        assert_non_null(c);
        lh_chat_render(&out, c, "Be short.", talk, 2, "26 Jul 2024");
        assert_string_equal(out.s, with_system[i].written);
    }
    lh_arena_free(a), lh_context_free(ctx);
}

static void without_a_system_nothing_is_written_for_it(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    for (const lh_chat *c = lh_chats; c->name; c++) {
        lh_text out = lh_text_new(a);
        lh_chat_render(&out, c, NULL, talk + 1, 1, "26 Jul 2024");
        assert_non_null(strstr(out.s, "Why?"));
        assert_true(c->needs_system == (strstr(out.s, "system") != NULL));
        assert_non_null(c->end[0]);
    }
    lh_arena_free(a), lh_context_free(ctx);
}

/* Pieces of templates as folders have them, and what they are. */
static void templates_are_known_by_their_text(void **state) {
    (void)state;
    static const struct {
        const char *text, *name, *system;
    } known[] = {
        {"{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
         "'<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}{% endif %}",
         "chatml", "You are a helpful assistant."},
        {"{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful "
         "assistant.<|im_end|>\\n' }}",
         "chatml", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."},
        {"{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ "
         "message['content'] | trim + '<|eot_id|>' %}",
         "llama-3", NULL},
        {"{{- \"Cutting Knowledge Date: December 2023\\n\" }}<|start_header_id|> <|eot_id|>",
         "llama-3.1", NULL},
        {"'<<SYS>>\\n' ... bos_token + '[INST] ' + content.strip() + ' [/INST]'", "llama-2", NULL},
        {"{{ '[INST] ' + message['content'] + ' [/INST]' }}", "mistral", NULL},
        {"{{ '[INST] ' + message['content'] + '[/INST]' }}", "mistral-3", NULL},
        {"{{ '[INST]' + message['content'] + '[/INST]' }}", "mistral-tekken", NULL},
        {"raise_exception('System role not supported') '<start_of_turn>' + role", "gemma", NULL},
        {"'<start_of_turn>' + role + '\\n'", "gemma-3", NULL},
        {"'<|user|>\\n' + content + '<|end|>\\n<|assistant|>\\n'", "phi-3", NULL},
        {"'<|user|>\\n' + content + '\\n' ... '<|assistant|>\\n' + eos_token", "olmo-2", NULL},
        {"{{ '### Instruction:' }}", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const lh_chat *c = lh_chat_find(known[i].text);
        if (!known[i].name) {
            assert_null(c);
            continue;
        }
        assert_non_null(c);
        assert_string_equal(c->name, known[i].name);
        const char *system = lh_chat_system(known[i].text);
        assert_true((system == NULL) == (known[i].system == NULL));
        if (system) assert_string_equal(system, known[i].system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversations_are_written_as_the_family_does),
        cmocka_unit_test(without_a_system_nothing_is_written_for_it),
        cmocka_unit_test(templates_are_known_by_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
