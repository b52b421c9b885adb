#include "files/chat.h"

#include <string.h>

const lh_chat lh_chats[] = {
    {.name = "chatml",
     .models = "Qwen2, Qwen2.5, Qwen3, SmolLM2 and many others",
     .has = {"<|im_start|>", "<|im_end|>"},
     .start = "",
     .before_system = "<|im_start|>system\n",
     .after_system = "<|im_end|>\n",
     .before_user = "<|im_start|>user\n",
     .after_user = "<|im_end|>\n",
     .before_reply = "<|im_start|>assistant\n",
     .after_reply = "<|im_end|>\n",
     .end = {"<|im_end|>", "<|endoftext|>"},
     .allows_system = true},
    {.name = "llama-3",
     .models = "Llama 3",
     .has = {"<|start_header_id|>", "<|eot_id|>"},
     .lacks = {"Cutting Knowledge Date"},
     .start = "<|begin_of_text|>",
     .before_system = "<|start_header_id|>system<|end_header_id|>\n\n",
     .after_system = "<|eot_id|>",
     .before_user = "<|start_header_id|>user<|end_header_id|>\n\n",
     .after_user = "<|eot_id|>",
     .before_reply = "<|start_header_id|>assistant<|end_header_id|>\n\n",
     .after_reply = "<|eot_id|>",
     .end = {"<|eot_id|>", "<|end_of_text|>"},
     .is_trimmed = true,
     .allows_system = true},
    {.name = "llama-3.1",
     .models = "Llama 3.1 and 3.2",
     .has = {"<|start_header_id|>", "<|eot_id|>", "Cutting Knowledge Date"},
     .start = "<|begin_of_text|>",
     .before_system = "<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: "
                      "December 2023\nToday Date: {date}\n\n",
     .after_system = "<|eot_id|>",
     .before_user = "<|start_header_id|>user<|end_header_id|>\n\n",
     .after_user = "<|eot_id|>",
     .before_reply = "<|start_header_id|>assistant<|end_header_id|>\n\n",
     .after_reply = "<|eot_id|>",
     .end = {"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"},
     .is_trimmed = true,
     .has_date = true,
     .needs_system = true,
     .allows_system = true},
    {.name = "llama-2",
     .models = "Llama 2",
     .has = {"[INST]", "<<SYS>>"},
     .start = "",
     .before_system = "<<SYS>>\n",
     .after_system = "\n<</SYS>>\n\n",
     .before_user = "<s>[INST] ",
     .after_user = " [/INST]",
     .before_reply = "",
     .lead = " ",
     .after_reply = " </s>",
     .end = {"</s>"},
     .is_system_in_user = true,
     .is_trimmed = true,
     .allows_system = true},
    {.name = "mistral",
     .models = "Mistral 7B 0.1 and 0.2",
     .has = {"[INST] ", " [/INST]"},
     .lacks = {"<<SYS>>"},
     .start = "<s>",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "[INST] ",
     .after_user = " [/INST]",
     .before_reply = "",
     .lead = " ",
     .after_reply = "</s>",
     .end = {"</s>"},
     .is_system_in_user = true,
     .allows_system = true},
    {.name = "mistral-3",
     .models = "Mistral 7B 0.3",
     .has = {"[INST] ", "[/INST]"},
     .lacks = {"<<SYS>>", " [/INST]"},
     .start = "<s>",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "[INST] ",
     .after_user = "[/INST]",
     .before_reply = "",
     .lead = " ",
     .after_reply = "</s>",
     .end = {"</s>"},
     .is_system_in_user = true,
     .allows_system = true},
    {.name = "mistral-tekken",
     .models = "Mistral Nemo",
     .has = {"[INST]", "[/INST]"},
     .lacks = {"<<SYS>>", "[INST] ", " [/INST]"},
     .start = "<s>",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "[INST]",
     .after_user = "[/INST]",
     .before_reply = "",
     .after_reply = "</s>",
     .end = {"</s>"},
     .is_system_in_user = true,
     .allows_system = true},
    {.name = "gemma",
     .models = "Gemma 1 and 2",
     .has = {"<start_of_turn>", "System role not supported"},
     .start = "<bos>",
     .before_user = "<start_of_turn>user\n",
     .after_user = "<end_of_turn>\n",
     .before_reply = "<start_of_turn>model\n",
     .after_reply = "<end_of_turn>\n",
     .end = {"<end_of_turn>", "<eos>"},
     .is_trimmed = true},
    {.name = "gemma-3",
     .models = "Gemma 3",
     .has = {"<start_of_turn>"},
     .lacks = {"System role not supported"},
     .start = "<bos>",
     .before_system = "",
     .after_system = "\n\n",
     .before_user = "<start_of_turn>user\n",
     .after_user = "<end_of_turn>\n",
     .before_reply = "<start_of_turn>model\n",
     .after_reply = "<end_of_turn>\n",
     .end = {"<end_of_turn>", "<eos>"},
     .is_system_in_user = true,
     .is_trimmed = true,
     .allows_system = true},
    {.name = "phi-3",
     .models = "Phi-3",
     .has = {"<|user|>", "<|end|>", "<|assistant|>"},
     .start = "",
     .before_system = "<|system|>\n",
     .after_system = "<|end|>\n",
     .before_user = "<|user|>\n",
     .after_user = "<|end|>\n",
     .before_reply = "<|assistant|>\n",
     .after_reply = "<|end|>\n",
     .end = {"<|end|>", "<|endoftext|>"},
     .allows_system = true},
    {.name = "olmo-2",
     .models = "OLMo 2",
     .has = {"<|user|>", "<|assistant|>", "eos_token"},
     .lacks = {"<|end|>", "</s>"},
     .start = "<|endoftext|>",
     .before_system = "<|system|>\n",
     .after_system = "\n",
     .before_user = "<|user|>\n",
     .after_user = "\n",
     .before_reply = "<|assistant|>\n",
     .after_reply = "<|endoftext|>\n",
     .end = {"<|endoftext|>"},
     .allows_system = true},
    {.name = NULL},
};

static bool has_all(const char *text, const char *const *part) {
    for (int i = 0; i < LH_CHAT_PARTS && part[i]; i++)
        if (!strstr(text, part[i])) return false;
    return true;
}

static bool has_any(const char *text, const char *const *part) {
    for (int i = 0; i < LH_CHAT_PARTS && part[i]; i++)
        if (strstr(text, part[i])) return true;
    return false;
}

const lh_chat *lh_chat_find(const char *text) {
    for (const lh_chat *c = lh_chats; c->name; c++)
        if (has_all(text, c->has) && !has_any(text, c->lacks)) return c;
    return NULL;
}

const lh_chat *lh_chat_named(const char *name) {
    for (const lh_chat *c = lh_chats; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

/* Templates of one family give different systems of their own; they stand in them as they are. */
const char *lh_chat_system(const char *text) {
    static const char *const known[] = {
        "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
        "You are a helpful assistant."};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, known[i])) return known[i];
    return NULL;
}

static bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void add_message(lh_text *out, const lh_chat *c, const char *text) {
    size_t n = strlen(text), from = 0;
    while (c->is_trimmed && n && is_space(text[n - 1])) n--;
    while (c->is_trimmed && from < n && is_space(text[from])) from++;
    lh_text_add_n(out, text + from, n - from);
}

static void add_dated(lh_text *out, const lh_chat *c, const char *text, const char *date) {
    const char *at = c->has_date ? strstr(text, "{date}") : NULL;
    if (!at)
        lh_text_add(out, "%s", text);
    else
        lh_text_add(out, "%.*s%s%s", (int)(at - text), text, date, at + 6);
}

static void add_system(lh_text *out, const lh_chat *c, const char *system, const char *date) {
    if (!system && !c->needs_system) return;
    add_dated(out, c, c->before_system, date);
    if (system) add_message(out, c, system);
    lh_text_add(out, "%s", c->after_system);
}

void lh_chat_render(lh_text *out, const lh_chat *c, const char *system, const lh_message *message,
                    int n, const char *date) {
    lh_text_add(out, "%s", c->start);
    if (!c->is_system_in_user) add_system(out, c, system, date);
    for (int i = 0; i < n; i++) {
        lh_text_add(out, "%s", c->before_user);
        if (i == 0 && c->is_system_in_user) add_system(out, c, system, date);
        add_message(out, c, message[i].user);
        lh_text_add(out, "%s", c->after_user);
        if (message[i].reply || i + 1 == n) lh_text_add(out, "%s", c->before_reply);
        if (!message[i].reply) continue;
        if (c->lead) lh_text_add(out, "%s", c->lead);
        add_message(out, c, message[i].reply);
        lh_text_add(out, "%s", c->after_reply);
    }
}
