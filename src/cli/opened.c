#include "cli/opened.h"

#include <string.h>

#include "cli/json_stream.h"
#include "cli/tokens.h"
#include "files/tokenizer_file.h"

const char *lh_opened_word(const lh_opened *o, int token) {
    size_t n;
    if (token < 0 || token >= lh_tokenizer_count(o->tokens)) return NULL; /* rounded up */
    const char *piece = lh_tokenizer_piece(o->tokens, token, &n);
    return piece ? lh_token_text(o->cli->arena, piece, n) : NULL;
}

static const char *word(void *who, int token) {
    return lh_opened_word(who, token);
}

/* A word that the vocabulary does not have is read as <unk>: said, since every number below it is that token's. */
static void tell_unknown(const lh_opened *o) {
    for (int i = 0; i < o->n && o->tokens->unknown >= 0; i++)
        if (o->id[i] == o->tokens->unknown)
            fprintf(stderr, "token %d of the prompt is not in the vocabulary and is read as %s\n",
                    i, lh_opened_word(o, o->id[i]));
}

static bool read_prompt(lh_opened *o, const char *prompt, bool marks) {
    lh_cli *cli = o->cli;
    const char *text = prompt ? prompt : "";
    size_t length = strlen(text);
    if (strcmp(text, "-") == 0) text = lh_cli_read_file(cli, "/dev/stdin", &length);
    const lh_trained_text t = {o->g, o->tokens, lh_trained_end(o->model.folder, o->g), marks, NULL};
    o->id = lh_trained_prompt(&t, cli->arena, text, length, false, NULL, &o->n);
    if (o->id) tell_unknown(o);
    if (o->id) lh_model_tell_cut(cli, &o->model, o->tokens, text, length, marks);
    if (!o->id || o->n || !length) return o->id != NULL;
    lh_fail(cli->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0},
            "nothing is left of the prompt: the tokeniser of %s leaves out characters that it does "
            "not have",
            o->model.path);
    return false;
}

static bool open_all(lh_opened *o, const char *path, const char *prompt, bool marks, int threads) {
    lh_cli *cli = o->cli;
    if (!lh_model_is_folder(cli, path) || !lh_model_open(cli, path, &o->model)) return false;
    o->tokens = lh_tokenizer_load(cli->ctx, path);
    if (!o->tokens) {
        lh_cli_report(cli);
        return false;
    }
    o->g = lh_model_graph(cli, &o->model, &o->model.set);
    if (!o->g || !lh_model_takes(cli, &o->model, o->g, o->tokens)) return false;
    const lh_weights *w = lh_trained_weights(o->model.folder, cli->arena, o->g);
    if (w && read_prompt(o, prompt, marks)) o->in = lh_inside_new(o->g, w, o->id, o->n, threads);
    if (!o->in) {
        lh_cli_report(cli);
        return false;
    }
    o->in->who = o;
    o->in->word = word;
    return true;
}

bool lh_opened_open(lh_cli *cli, const char *path, const char *prompt, bool marks, int threads,
                    lh_opened *o) {
    *o = (lh_opened){.cli = cli};
    if (open_all(o, path, prompt, marks, threads)) return true;
    lh_opened_close(o);
    return false;
}

void lh_opened_close(lh_opened *o) {
    lh_inside_free(o->in);
    lh_graph_free(o->g);
    lh_tokenizer_free(o->tokens);
    lh_model_close(&o->model);
}
