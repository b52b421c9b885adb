/* command_chat -- longhand chat FOLDER: a conversation with a model, in the terminal or through a pipe. */
#include <cjson/cJSON.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/character_stream.h"
#include "cli/choice.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "cli/precision.h"
#include "cli/prompt.h"
#include "cli/tokens.h"
#include "files/chat.h"
#include "files/gguf.h"
#include "files/json_read.h"
#include "files/tokenizer_file.h"
#include "train/generate.h"
#include "train/trained.h"

static struct {
    const char *input, *system, *template, *precision;
    lh_choice_options choice;
    int n, seed, threads, context;
    bool tokens, keeps;
} options = {.choice.top_k = -1};

static const lh_option chat_options[] = {
    {"prompt", 'i', LH_OPTION_TEXT, &options.input, "TEXT",
     "send one message, print the reply, and end", 0, 0},
    {"input", 0, LH_OPTION_TEXT, &options.input, "TEXT", "another name for --prompt", 0, 0},
    {"system", 0, LH_OPTION_TEXT, &options.system, "TEXT",
     "what the model is told before the conversation; '' for nothing (as its template has it)", 0,
     0},
    {"template", 0, LH_OPTION_TEXT, &options.template, "NAME",
     "write messages in this way, whatever the folder says", 0, 0},
    {"tokens", 0, LH_OPTION_FLAG, &options.tokens, NULL, "show the tokens that the model is given",
     0, 0},
    {"number", 'n', LH_OPTION_INT, &options.n, "N",
     "tokens of a reply at most (512, or as generation_config.json says)", 1, INT_MAX},
    LH_CHOICE_OPTIONS(options.choice),
    {"seed", 's', LH_OPTION_INT, &options.seed, "SEED", "other replies (0)", 0, INT_MAX},
    LH_OPTION_THREADS(options.threads),
    {"context", 0, LH_OPTION_INT, &options.context, "N",
     "use at most the last N tokens (as many as the model can)", 1, INT_MAX},
    LH_OPTION_PRECISION(&options.precision),
    LH_OPTION_KEEP_ROUNDED(&options.keeps),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { WINDOW = 64, NUMBER = 512, MOST_ENDS = LH_MAX_ENDS + LH_CHAT_PARTS };

typedef struct talk {
    lh_cli *cli;
    lh_model model;
    lh_tokenizer *tokens;
    lh_graph *g;
    lh_generator *w;
    const lh_chat *chat;
    const char *system;
    const char *date;
    lh_message *message; /* n */
    int n;
    int end[MOST_ENDS];
    int n_ends;
} talk;

static volatile sig_atomic_t is_stopped; /* Ctrl-C: the reply ends, the conversation does not */

static void stop(int signal) {
    (void)signal;
    is_stopped = 1;
}

/* ---- the template ---- */

/* A file of the folder; of an adapter that has none, of its base. */
static const char *path_of(talk *t, const char *name) {
    lh_cli *cli = t->cli;
    const char *folder = lh_adapter_file_folder(cli->ctx, cli->arena, t->model.folder->path, name);
    return lh_printf(cli->arena, "%s/%s", folder, name);
}

/* chat_template of tokenizer_config.json, or chat_template.jinja; "" when there is none. */
static const char *template_text(talk *t) {
    lh_cli *cli = t->cli;
    const char *path = path_of(t, "chat_template.jinja");
    size_t n;
    if (t->model.folder->gguf) {
        const char *its = lh_gguf_words(t->model.folder->gguf, "tokenizer.chat_template");
        return its ? its : "";
    }
    if (access(path, R_OK) == 0) return lh_file_read_plain(cli->ctx, cli->arena, path, &n);
    path = path_of(t, "tokenizer_config.json");
    if (access(path, R_OK) != 0) return "";
    const char *text = lh_file_read_plain(cli->ctx, cli->arena, path, &n);
    cJSON *root = text ? lh_json_parse(cli->ctx, path, text, n) : NULL;
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(root, "chat_template");
    for (const cJSON *k = cJSON_IsArray(x) ? x->child : NULL; k;
         k = k->next) { /* several, by name */
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(k, "name");
        if (cJSON_IsString(name) && strcmp(name->valuestring, "default") == 0)
            x = cJSON_GetObjectItemCaseSensitive(k, "template");
    }
    const char *found =
        cJSON_IsString(x) ? lh_copy(cli->arena, x->valuestring, strlen(x->valuestring)) : "";
    cJSON_Delete(root);
    return found;
}

static void list_templates(void) {
    fprintf(stderr, "known templates:\n");
    for (const lh_chat *c = lh_chats; c->name; c++)
        fprintf(stderr, "  --template %-16s %s\n", c->name, c->models);
}

static bool find_template(talk *t) {
    const char *text = template_text(t);
    if (lh_failed(t->cli->ctx)) return lh_cli_report(t->cli), false;
    t->chat = options.template ? lh_chat_named(options.template) : lh_chat_find(text);
    if (!t->chat && options.template)
        lh_cli_fail(t->cli, "there is no template called %s", options.template);
    else if (!t->chat && !*text)
        lh_cli_fail(t->cli, "%s has no chat template: it may be a model that only continues a text",
                    t->model.folder->path);
    else if (!t->chat)
        lh_cli_fail(t->cli, "the chat template of %s is not one of those known here",
                    t->model.folder->path);
    if (!t->chat) return list_templates(), false;
    t->system = options.system ? options.system : options.template ? NULL : lh_chat_system(text);
    if (t->system && !*t->system) t->system = NULL;
    if (options.system && *options.system && !t->chat->allows_system) {
        lh_cli_fail(t->cli, "--system: the template %s has no system message", t->chat->name);
        return false;
    }
    return true;
}

/* What ends a reply: as the folder lists it, and as the template has it. A model whose tokens do not have the template's marks was
 * hardly trained with them. */
static void find_ends(talk *t) {
    const lh_generation *g = &t->model.folder->generation;
    bool is_known = false;
    for (int i = 0; i < g->n_ends; i++) t->end[t->n_ends++] = g->end[i];
    for (int i = 0; i < LH_CHAT_PARTS && t->chat->end[i]; i++) {
        int id = lh_tokenizer_special(t->tokens, t->chat->end[i]);
        if (id >= 0) t->end[t->n_ends++] = id;
        is_known = is_known || id >= 0;
    }
    if (!is_known)
        fprintf(stderr,
                "(the template %s ends a reply with %s, which is not a token of this model: such "
                "marks are written as plain text)\n",
                t->chat->name, t->chat->end[0]);
}

/* ---- turns ---- */

/* A mark in a message would end it for the model. */
static const char *mark_in(const talk *t, const char *text) {
    for (int i = 0; i < t->tokens->n_specials; i++) {
        const lh_token *x = &t->tokens->token[t->tokens->special[i]];
        const char *name = x->name ? x->name : x->bytes;
        if (strstr(text, name)) return name;
    }
    return NULL;
}

/* The conversation as tokens. Where it is too long for the context, its oldest turns are left out. */
static int *conversation(talk *t, int *n) {
    lh_cli *cli = t->cli;
    int left = 0;
    size_t k = 0, room = (size_t)t->w->how.context;
    int *id = NULL;
    for (; left < t->n; left++) {
        lh_text text = lh_text_new(cli->arena);
        lh_chat_render(&text, t->chat, t->system, t->message + left, t->n - left, t->date);
        id = lh_tokenizer_ids(t->tokens, cli->arena, text.s, text.n, true, &k);
        if (!id || k + k / 8 + 16 < room || left + 1 == t->n) break;
    }
    if (left)
        fprintf(stderr, "(the context of %d is full: the first %d turn%s left out)\n",
                t->w->how.context, left, left > 1 ? "s are" : " is");
    if (id && k >= room)
        fprintf(stderr,
                "(the message alone has %zu tokens, and the context is %zu: its beginning is not "
                "read)\n",
                k, room);
    *n = (int)k;
    return id;
}

static void say_end(const talk *t, bool is_slid) {
    fflush(stdout);
    if (is_slid)
        fprintf(stderr,
                "(the context of %d was full during the reply: its older half was left out)\n",
                t->w->how.context);
    if (is_stopped) fprintf(stderr, "(stopped: the conversation continues with what was said)\n");
}

static const char *answer(talk *t) {
    lh_cli *cli = t->cli;
    const int said = t->model.folder->generation.max_new_tokens, most = options.n ? options.n
                                                                        : said    ? said
                                                                                  : NUMBER;
    lh_character_stream out = {.out = stdout, .line_end = "\n"};
    int n = 0, made = 0, token, *reply = lh_alloc_array(cli->arena, (size_t)most, sizeof *reply);
    int *id = conversation(t, &n);
    if (!id || !reply) return NULL;
    if (options.tokens) lh_tokens_print(cli, t->tokens, id, (size_t)n);
    is_stopped = 0;
    lh_generator_continue(t->w, id, n);
    const int slides = t->w->n_slides;
    while (made < most && !is_stopped && (token = lh_generator_next(t->w)) >= 0) {
        size_t k = 0;
        reply[made++] = token;
        if (token >= lh_tokenizer_count(t->tokens)) continue;
        const char *piece = lh_tokenizer_piece(t->tokens, token, &k);
        while (made == 1 && k && *piece == ' ') piece++, k--; /* of the first token */
        if (piece) lh_character_stream_put(&out, piece, k);
        if (fflush(stdout)) break;
    }
    lh_character_stream_end(&out);
    putchar('\n');
    say_end(t, t->w->n_slides > slides);
    lh_text text = lh_text_new(cli->arena);
    lh_tokenizer_decode(t->tokens, reply, (size_t)made, true, &text);
    return lh_failed(cli->ctx) ? NULL : text.s;
}

static bool turn(talk *t, const char *text) {
    const char *mark = mark_in(t, text);
    if (mark) {
        fprintf(stderr, "longhand: a message may not contain %s, a special token of this model\n",
                mark);
        return true;
    }
    *lh_push(t->cli->arena, t->message, t->n) =
        (lh_message){lh_copy(t->cli->arena, text, strlen(text)), NULL};
    const char *reply = answer(t);
    if (!reply) return false;
    t->message[t->n - 1].reply = reply;
    return true;
}

/* Lines that begin with / are for us. */
static bool command(talk *t, const char *line) {
    if (strcmp(line, "/new") == 0) {
        t->n = 0;
        fprintf(stderr, "(a new conversation)\n");
    } else if (strcmp(line, "/tokens") == 0) {
        options.tokens = !options.tokens;
    } else {
        fprintf(stderr,
                "/new starts over, /tokens shows or hides the tokens, /quit or Ctrl-D ends\n");
    }
    return true;
}

static bool converse(talk *t) {
    bool is_interactive = t->cli->is_terminal && isatty(STDIN_FILENO), is_good = true;
    if (options.input) return turn(t, options.input);
    if (is_interactive)
        fprintf(stderr, "%s, as %s. /new starts over, Ctrl-C stops a reply, Ctrl-D ends.\n",
                t->model.folder->path, t->chat->name);
    lh_prompt *p = lh_prompt_open(is_interactive, "chat");
    struct sigaction was, action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (const char *line;
         p && is_good && (line = lh_prompt_line(p, is_interactive ? "> " : ""));) {
        if (lh_prompt_dropped(p) || !line[strspn(line, " \t")]) continue;
        if (strcmp(line, "/quit") == 0) break;
        lh_prompt_remember(p, line);
        sigaction(SIGINT, &action, &was);
        is_good = line[0] == '/' ? command(t, line) : turn(t, line);
        sigaction(SIGINT, &was, NULL);
    }
    lh_prompt_close(p);
    return is_good;
}

/* ---- the model ---- */

static const char *today(lh_arena *a) {
    char text[40] = "";
    time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day)) strftime(text, sizeof text, "%d %b %Y", &day);
    return lh_copy(a, text, strlen(text));
}

static int chat(talk *t, const char *path) {
    lh_cli *cli = t->cli;
    lh_choice choice;
    lh_precision precision;
    if (!lh_cli_precision(cli, options.precision, options.keeps, &precision) ||
        !lh_model_is_folder(cli, path) || !lh_model_open(cli, path, &t->model) ||
        !find_template(t) || !lh_choice_read(cli, &options.choice, t->model.folder, &choice))
        return LH_EXIT_FAILED;
    t->tokens = lh_tokenizer_load(cli->ctx, path);
    if (!t->tokens) return lh_cli_report(cli);
    t->g = lh_model_graph(cli, &t->model, &t->model.set);
    if (!t->g || !lh_model_takes(cli, &t->model, t->g, t->tokens)) return LH_EXIT_FAILED;
    find_ends(t);
    t->date = today(cli->arena);
    int context = lh_generator_context(t->g, WINDOW);
    if (options.context && options.context < context) context = options.context;
    t->w = lh_generator_new(
        t->g, &(lh_generator_how){
                  .context = context,
                  .choice = choice,
                  .seed = (uint64_t)options.seed,
                  .end = lh_trained_end(t->model.folder, t->g),
                  .ends = t->end,
                  .n_ends = t->n_ends,
                  .threads = options.threads,
                  .precision = precision,
                  .rounded = {.keeps = options.keeps, .tell = lh_cli_tell_rounded, .who = cli}});
    const lh_weights *weights = t->w ? lh_trained_weights(t->model.folder, cli->arena, t->g) : NULL;
    if (!weights || !lh_generator_weights(t->w, weights) || !converse(t)) return lh_cli_report(cli);
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    talk t = {.cli = cli};
    (void)argc;
    int status = chat(&t, argv[0]);
    lh_generator_free(t.w);
    lh_graph_free(t.g);
    lh_tokenizer_free(t.tokens);
    lh_model_close(&t.model);
    return status;
}

const lh_command lh_command_chat = {
    .name = "chat",
    .synopsis = "FOLDER [options]",
    .summary = "A conversation with a model.",
    .examples = "longhand chat SmolLM2\tin the terminal; Ctrl-C stops a reply, Ctrl-D ends\n"
                "longhand chat SmolLM2 --system 'Answer in one word.'\twhat it is told beforehand\n"
                "longhand chat SmolLM2 -i 'What is attention?' -t 0\tone question\n"
                "longhand chat SmolLM2 --tokens\twhat the model is given, token by token\n"
                "longhand chat SmolLM2 <questions.txt\tone message per line",
    .notes =
        "FOLDER is a Hugging Face folder of a model that was trained for conversations. Its chat "
        "template is not run but recognised: those of Llama 2 and 3, Qwen, SmolLM2, Mistral, "
        "Gemma, Phi-3 and OLMo 2 are known, others are refused unless --template says how "
        "messages are written. Lines /new, /tokens and /quit are commands.",
    .options = chat_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
