/* Writing, and what lies in a folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "files/gguf_folder.h"
#include "files/adapter.h"
#include "files/replace.h"
#include "files/tokenizer_file.h"
#include "text/alphabet.h"
#include "base/unicode.h"

static const lh_place nowhere = {0, 0, 0};

/* ---- names ---- */

/* Bytes in the visible alphabet of GPT-2. */
static void add_alphabet(lh_text *out, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char c[4];
        lh_text_add_n(out, c, lh_utf8_write(c, lh_alphabet_char((unsigned char)bytes[i])));
    }
}

/* What a token is called in a file. */
static void add_name(lh_text *out, const lh_tokenizer *t, int id) {
    const lh_token *token = &t->token[id];
    if (token->name)
        lh_text_add(out, "%s", token->name);
    else if (token->role == LH_TOKEN_BYTE)
        lh_text_add(out, "<0x%02X>", (unsigned char)token->bytes[0]);
    else if (token->role == LH_TOKEN_PLAIN && t->kind != LH_TOKENS_CHARS)
        add_alphabet(out, token->bytes, token->length);
    else
        lh_text_add_n(out, token->bytes, token->length);
}

static void add_vocab(lh_text *out, const lh_tokenizer *t, const char *indent) {
    lh_text name = lh_text_new(out->arena);
    bool is_first = true;
    for (int i = 0; i < t->n_tokens; i++) {
        if (t->token[i].role == LH_TOKEN_HOLE) continue;
        name.n = 0;
        add_name(&name, t, i);
        lh_text_add(out, "%s%s", is_first ? "" : ",\n", indent);
        is_first = false;
        lh_text_add_json(out, name.s, name.n);
        lh_text_add(out, ": %d", i);
    }
}

/* ---- the three files ---- */

void lh_tokenizer_write_vocab(lh_text *out, const lh_tokenizer *t) {
    lh_text_add(out, "{\n");
    add_vocab(out, t, "");
    lh_text_add(out, "\n}\n");
}

void lh_tokenizer_write_merges(lh_text *out, const lh_tokenizer *t) {
    lh_text_add(out, "#version: 0.2\n");
    for (int i = 0; i < t->n_merges; i++) {
        add_name(out, t, t->merge[i].left);
        lh_text_add(out, " ");
        add_name(out, t, t->merge[i].right);
        lh_text_add(out, "\n");
    }
}

static void add_specials(lh_text *out, const lh_tokenizer *t) {
    for (int i = 0; i < t->n_specials; i++) {
        const lh_token *x = &t->token[t->special[i]];
        lh_text_add(out, "%s\n    {\"id\": %d, \"content\": ", i ? "," : "", t->special[i]);
        lh_text_add_json(out, x->name ? x->name : x->bytes, x->name ? strlen(x->name) : x->length);
        lh_text_add(out, ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, "
                         "\"normalized\": false, \"special\": true}");
    }
    lh_text_add(out, "%s", t->n_specials ? "\n  " : "");
}

/* What stands around the model, by kind. */
static const char byte_level[] = "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
                                 "\"trim_offsets\": true, \"use_regex\": true}";
static const char fallback[] = "{\"type\": \"Sequence\", \"decoders\": [{\"type\": "
                               "\"ByteFallback\"}, {\"type\": \"Fuse\"}]}";

static void add_model(lh_text *out, const lh_tokenizer *t) {
    bool has_bytes = false;
    for (int i = 0; i < t->n_tokens; i++) has_bytes |= t->token[i].role == LH_TOKEN_BYTE;
    lh_text_add(out, "{\n    \"type\": \"%s\",\n    \"unk_token\": ",
                t->kind == LH_TOKENS_WORDS ? "WordLevel" : "BPE");
    if (t->unknown >= 0)
        lh_text_add_json(out, t->token[t->unknown].bytes, t->token[t->unknown].length);
    else
        lh_text_add(out,
                    t->kind == LH_TOKENS_WORDS ? "\"\"" : "null"); /* no token is called that */
    if (t->kind != LH_TOKENS_WORDS)
        lh_text_add(out,
                    ",\n    \"dropout\": null,\n    \"continuing_subword_prefix\": null,\n"
                    "    \"end_of_word_suffix\": null,\n    \"fuse_unk\": false,\n"
                    "    \"byte_fallback\": %s,\n    \"ignore_merges\": false",
                    has_bytes ? "true" : "false");
    lh_text_add(out, ",\n    \"vocab\": {\n");
    add_vocab(out, t, "      ");
    lh_text_add(out, "\n    }");
    if (t->kind != LH_TOKENS_WORDS) lh_text_add(out, ",\n    \"merges\": [");
    for (int i = 0; i < t->n_merges; i++) {
        lh_text name = lh_text_new(out->arena);
        add_name(&name, t, t->merge[i].left);
        lh_text_add(&name, " ");
        add_name(&name, t, t->merge[i].right);
        lh_text_add(out, "%s\n      ", i ? "," : "");
        lh_text_add_json(out, name.s, name.n);
    }
    if (t->kind != LH_TOKENS_WORDS) lh_text_add(out, "%s]", t->n_merges ? "\n    " : "");
    lh_text_add(out, "\n  }");
}

void lh_tokenizer_write_json(lh_text *out, const lh_tokenizer *t) {
    bool is_chars = t->kind == LH_TOKENS_CHARS;
    if (t->source) {
        lh_text_add_n(out, t->source, t->source_length);
        return;
    }
    lh_text_add(out, "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n"
                     "  \"added_tokens\": [");
    add_specials(out, t);
    lh_text_add(out,
                "],\n  \"normalizer\": null,\n  \"pre_tokenizer\": %s,\n"
                "  \"post_processor\": null,\n  \"decoder\": %s,\n  \"model\": ",
                is_chars ? "null" : byte_level, is_chars ? fallback : byte_level);
    add_model(out, t);
    lh_text_add(out, "\n}\n");
}

static void add_token_field(lh_text *out, const lh_tokenizer *t, const char *field, int id) {
    if (id < 0 || id >= t->n_tokens) return;
    const lh_token *x = &t->token[id];
    lh_text_add(out, ",\n  \"%s\": ", field);
    lh_text_add_json(out, x->name ? x->name : x->bytes, x->name ? strlen(x->name) : x->length);
}

/* Spaces before signs are text, not an artefact: clean_up_tokenization_spaces would take them away. */
void lh_tokenizer_write_config(lh_text *out, const lh_tokenizer *t, int bos, int eos, int context) {
    lh_text_add(out, "{\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\",\n"
                     "  \"clean_up_tokenization_spaces\": false");
    if (context > 0) lh_text_add(out, ",\n  \"model_max_length\": %d", context);
    add_token_field(out, t, "bos_token", bos);
    add_token_field(out, t, "eos_token", eos);
    add_token_field(out, t, "unk_token", t->unknown);
    add_token_field(out, t, "pad_token", lh_tokenizer_special(t, "<pad>"));
    lh_text_add(out, "\n}\n");
}

static void write_plain_config(lh_text *out, const lh_tokenizer *t) {
    int end = lh_tokenizer_special(t, "<|endoftext|>");
    lh_tokenizer_write_config(out, t, end, end, 0);
}

/* ---- a folder ---- */

static bool make_folder(lh_context *ctx, const char *folder) {
    struct stat st;
    if (mkdir(folder, 0777) == 0) return true;
    int why = errno;
    if (stat(folder, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "the folder %s cannot be made: %s", folder,
            why == EEXIST ? "a file of this name is there" : strerror(why));
    return false;
}

bool lh_tokenizer_save(const lh_tokenizer *t, const char *folder) {
    static const struct {
        const char *name;
        void (*write)(lh_text *, const lh_tokenizer *);
        bool is_bpe; /* for bpe alone */
    } file[] = {{"vocab.json", lh_tokenizer_write_vocab, true},
                {"merges.txt", lh_tokenizer_write_merges, true},
                {"tokenizer_config.json", write_plain_config, false},
                {"tokenizer.json", lh_tokenizer_write_json, false}};
    bool ok = !lh_failed(t->ctx) && make_folder(t->ctx, folder);
    for (int i = 0; i < 4 && ok; i++) {
        if (file[i].is_bpe && (t->kind != LH_TOKENS_BPE || t->pipeline)) continue;
        lh_arena *arena = lh_arena_new(t->ctx);
        if (!arena) return false;
        lh_text text = lh_text_new(arena);
        file[i].write(&text, t);
        const char *path = lh_printf(arena, "%s/%s", folder, file[i].name);
        ok = lh_replace_file(t->ctx, arena, path, text.s, text.n);
        lh_arena_free(arena);
    }
    return ok;
}

static bool is_there(lh_arena *arena, const char *folder, const char *name, char **path) {
    *path = lh_printf(arena, "%s/%s", folder, name);
    return access(*path, F_OK) == 0;
}

/* Files of other tools that hold a vocabulary, and are not read. */
static void fail_missing(lh_context *ctx, lh_arena *arena, const char *folder, bool has_vocab,
                         bool has_merges) {
    static const char *const other[] = {"tokenizer.model", "vocab.txt", "spiece.model",
                                        "sentencepiece.bpe.model"};
    char *path;
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s has no tokenizer.json%s", folder,
            has_vocab    ? ", and a vocab.json without merges.txt"
            : has_merges ? ", and a merges.txt without vocab.json"
                         : ", nor vocab.json and merges.txt");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (!is_there(arena, folder, other[i], &path)) continue;
        lh_cure(ctx,
                "its %s is not read; in Python, AutoTokenizer.from_pretrained(folder)"
                ".save_pretrained(folder) of transformers writes a tokenizer.json beside it",
                other[i]);
        return;
    }
    lh_cure(ctx, "longhand tokens train makes one");
}

/* added_tokens.json, which older tools write beside: nothing in it may be missing from the vocabulary. */
static lh_tokenizer *check_added(lh_context *ctx, lh_arena *arena, const char *folder,
                                 lh_tokenizer *t) {
    char *path;
    size_t n;
    if (!t || !is_there(arena, folder, "added_tokens.json", &path)) return t;
    const char *text = lh_file_read_plain(ctx, arena, path, &n);
    if (text && lh_tokenizer_has_added(t, path, text, n)) return t;
    lh_tokenizer_free(t);
    return NULL;
}

static lh_tokenizer *load_folder(lh_context *ctx, lh_arena *arena, const char *folder) {
    char *json, *vocab, *merges;
    size_t n, m;
    if (is_there(arena, folder, "tokenizer.json", &json)) {
        const char *text = lh_file_read_plain(ctx, arena, json, &n);
        lh_tokenizer *t = text ? lh_tokenizer_read_json(ctx, json, text, n) : NULL;
        return check_added(ctx, arena, folder, t);
    }
    bool has_vocab = is_there(arena, folder, "vocab.json", &vocab);
    bool has_merges = is_there(arena, folder, "merges.txt", &merges);
    if (!has_vocab || !has_merges) {
        fail_missing(ctx, arena, folder, has_vocab, has_merges);
        return NULL;
    }
    const char *v = lh_file_read_plain(ctx, arena, vocab, &n),
               *text = lh_file_read_plain(ctx, arena, merges, &m);
    return v && text ? check_added(ctx, arena, folder, lh_tokenizer_read_pair(ctx, v, n, text, m))
                     : NULL;
}

static const char *json_of_gguf(lh_context *ctx, lh_arena *a, const char *path, size_t *n) {
    lh_gguf *f = lh_gguf_open(ctx, path);
    lh_text out = lh_text_new(a);
    if (f) lh_gguf_tokenizer_json(f, &out);
    lh_fail_in(ctx, path, NULL, 0);
    lh_gguf_close(f);
    *n = out.n;
    return lh_failed(ctx) ? NULL : out.s;
}

lh_tokenizer *lh_tokenizer_load(lh_context *ctx, const char *path) {
    struct stat st;
    lh_arena *arena = lh_failed(ctx) ? NULL : lh_arena_new(ctx);
    lh_tokenizer *t = NULL;
    size_t n;
    if (!arena) return NULL;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        const char *folder = lh_adapter_file_folder(ctx, arena, path, "tokenizer.json");
        if (!lh_failed(ctx)) t = load_folder(ctx, arena, folder);
    } else {
        const char *text = lh_gguf_is(path) ? json_of_gguf(ctx, arena, path, &n)
                                            : lh_file_read(ctx, arena, path, &n);
        if (text) t = lh_tokenizer_read_json(ctx, path, text, n);
    }
    lh_arena_free(arena);
    return t;
}
