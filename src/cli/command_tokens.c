/* command_tokens -- longhand tokens train|show|encode|decode: vocabularies learned from a text, looked at, applied. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "cli/tokens.h"
#include "cli/screen.h"
#include "files/tokenizer_file.h"
#include "graph/build.h"

static struct {
    const char *data, *out, *kind;
    int size;
    lh_names special;
    bool is_closed, all, ids, marks, frame;
} options;

enum { MOST_TOKENS = 10000000, MOST_ARGUMENTS = INT_MAX };

static const lh_option tokens_options[] = {
    {"data", 0, LH_OPTION_TEXT, &options.data, "FILE",
     "train: the text to learn from; show: a text to measure with", 0, 0},
    {"size", 0, LH_OPTION_INT, &options.size, "N",
     "train: size of the vocabulary (every character or word; 1000 for bpe)", 1, MOST_TOKENS},
    {"kind", 0, LH_OPTION_TEXT, &options.kind, "KIND", "train: bpe (default), chars or words", 0,
     0},
    {"special", 0, LH_OPTION_NAMES, &options.special, "NAMES",
     "train: special tokens, such as <pad>,<start> (for bpe <|endoftext|>)", 0, 0},
    {"closed", 0, LH_OPTION_FLAG, &options.is_closed, NULL,
     "train: no tokens for what the text does not contain; such text is refused later", 0, 0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER", "train: where the files go", 0, 0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "show: every token", 0, 0},
    {"ids", 0, LH_OPTION_FLAG, &options.ids, NULL, "encode: only ids, for decode and for programs",
     0, 0},
    {"marks", 0, LH_OPTION_FLAG, &options.marks, NULL,
     "encode: read special tokens such as <|endoftext|> in the text", 0, 0},
    {"frame", 0, LH_OPTION_FLAG, &options.frame, NULL,
     "encode: with what the tokeniser puts around a prompt, such as <s>", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- what the four share ---- */

static bool fail_missing(lh_cli *cli, const char *what, const char *usage) {
    lh_cli_fail(cli, "tokens: %s", what);
    fprintf(stderr, "usage: longhand tokens %s\n", usage);
    return false;
}

/* A file, or - for stdin. */
static const char *read_input(lh_cli *cli, const char *path, size_t *n) {
    return lh_cli_read_file(cli, strcmp(path, "-") == 0 ? "/dev/stdin" : path, n);
}

/* The ids of a text, in cli->arena; NULL: the context failed. */
static int *encode_text(lh_cli *cli, const lh_tokenizer *t, const char *text, size_t length,
                        size_t *n) {
    if (options.frame) return lh_tokenizer_prompt(t, cli->arena, text, length, options.marks, n);
    *n = lh_tokenizer_encode(t, text, length, options.marks, NULL, 0);
    int *ids = lh_failed(cli->ctx) ? NULL : lh_alloc_array(cli->arena, *n + 1, sizeof *ids);
    if (ids) lh_tokenizer_encode(t, text, length, options.marks, ids, *n);
    return ids;
}

/* ---- train ---- */

typedef struct progress {
    bool is_shown;
    double next;
} progress;

static void tell(void *who, int done, int size) {
    progress *p = who;
    if (!p->is_shown || lh_seconds() < p->next) return;
    p->next = lh_seconds() + 0.1;
    lh_screen_begin_line(stderr);
    fprintf(stderr, "  %d of %d tokens  %d%%", done, size, (int)(100LL * done / size));
    fflush(stderr);
}

static bool read_kind(lh_cli *cli, lh_tokenizer_kind *kind) {
    const char *names[] = {"chars", "words", "bpe"};
    *kind = LH_TOKENS_BPE;
    for (int i = 0; options.kind && i < 3; i++)
        if (strcmp(options.kind, names[i]) == 0) {
            *kind = (lh_tokenizer_kind)i;
            return true;
        }
    if (!options.kind) return true;
    lh_cli_fail(cli, "--kind is chars, words or bpe, not \"%s\"", options.kind);
    return false;
}

/* One line at the end: what was learned, from how much, how long it took, what a token is worth. */
static void tell_end(const lh_tokenizer *t, const char *text, size_t length, double took,
                     bool is_shown) {
    size_t n = lh_tokenizer_encode(t, text, length, false, NULL, 0);
    if (is_shown) lh_screen_begin_line(stderr);
    fprintf(stderr, "%s: %d token%s", options.out, t->n_tokens, LH_PLURAL(t->n_tokens));
    if (t->n_merges) fprintf(stderr, ", %d merge%s", t->n_merges, LH_PLURAL(t->n_merges));
    fprintf(stderr, "; %zu byte%s are %zu token%s, %.2f bytes each; %.1f s\n", length,
            LH_PLURAL(length), n, LH_PLURAL(n), n ? (double)length / (double)n : 0, took);
    if (options.size && t->n_tokens < options.size)
        fprintf(stderr, "%s\n",
                t->kind == LH_TOKENS_BPE ? "fewer than requested: no pair occurs twice any more"
                                         : "fewer than requested: the text has no more");
}

/* Tokens of a model are not written over: its weights know no others. One that has lost them may get them again. */
static bool may_go_to(lh_cli *cli, const char *folder) {
    static const char *const own[] = {"tokenizer.json", "vocab.json", "tokenizer.model"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (access(lh_printf(cli->arena, "%s/%s", folder, own[i]), F_OK) == 0)
            return lh_model_may_go_to(cli, folder);
    return true;
}

static int train(lh_cli *cli, int argc) {
    static const char *const end[] = {"<|endoftext|>"};
    static const char usage[] = "train --data FILE --size N -o FOLDER";
    lh_tokenizer_how how = {.size = options.size, .is_closed = options.is_closed, .tell = tell};
    progress p = {isatty(STDERR_FILENO), 0};
    size_t length;
    if (!options.data || !options.out || argc > 1) {
        fail_missing(cli,
                     argc > 1        ? "train takes only options"
                     : !options.data ? "train needs a text: --data FILE"
                                     : "train needs a folder for what it learns: -o FOLDER",
                     usage);
        return LH_EXIT_FAILED;
    }
    if (!read_kind(cli, &how.kind) || !may_go_to(cli, options.out)) return LH_EXIT_FAILED;
    bool is_bpe = how.kind == LH_TOKENS_BPE;
    if (is_bpe && !how.size) how.size = 1000;
    how.special = options.special.n ? options.special.name : is_bpe ? end : NULL;
    how.n_specials = options.special.n ? options.special.n : is_bpe;
    how.who = &p;
    const char *text = read_input(cli, options.data, &length);
    double start = lh_seconds();
    lh_tokenizer *t = text ? lh_tokenizer_train(cli->ctx, text, length, &how) : NULL;
    double took = lh_seconds() - start;
    lh_fail_in(cli->ctx, options.data, NULL, 0);
    if (t && lh_tokenizer_save(t, options.out)) tell_end(t, text, length, took, p.is_shown);
    lh_tokenizer_free(t);
    return lh_failed(cli->ctx) ? lh_cli_report(cli) : LH_EXIT_YES;
}

/* ---- encode and decode ---- */

/* What an argument stands for: a file of that name, - for stdin, or the text itself. */
static const char *text_of(lh_cli *cli, const char *argument, size_t *length) {
    if (strcmp(argument, "-") == 0 || access(argument, F_OK) == 0)
        return read_input(cli, argument, length);
    *length = strlen(argument);
    return argument;
}

static int encode(lh_cli *cli, const lh_tokenizer *t, int argc, char **argv) {
    size_t length = 0, n;
    if (argc != 3) {
        fail_missing(cli,
                     argc < 3 ? "encode: the text is missing"
                              : "one text at a time, please: put it in quotes",
                     "encode FOLDER FILE|-|TEXT");
        return LH_EXIT_FAILED;
    }
    const char *text = text_of(cli, argv[2], &length);
    int *ids = text ? encode_text(cli, t, text, length, &n) : NULL;
    if (!ids) return lh_cli_report(cli);
    if (!options.ids) {
        lh_tokens_print(cli, t, ids, n);
        lh_tokens_tell(length, n);
        return LH_EXIT_YES;
    }
    for (size_t i = 0; i < n; i++) printf("%s%d", i ? " " : "", ids[i]);
    putchar('\n');
    return LH_EXIT_YES;
}

/* Ids that were read. */
typedef struct id_list {
    int *id;
    int n;
} id_list;

static bool add_id(lh_cli *cli, id_list *list, const lh_tokenizer *t, const char *word, size_t n) {
    const char *text = lh_copy(cli->arena, word, n);
    size_t length;
    int id;
    if (!lh_number_whole(text, INT_MIN, INT_MAX, &id)) {
        lh_fail(cli->ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0}, "\"%.40s\" is not an id", text);
        lh_cure(cli->ctx, "ids are whole numbers, as longhand tokens encode --ids writes them");
        return false;
    }
    if (!lh_tokenizer_piece(t, id, &length)) return false;
    *lh_push(cli->arena, list->id, list->n) = id;
    return !lh_failed(cli->ctx);
}

static bool is_between(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

static bool add_ids(lh_cli *cli, id_list *list, const lh_tokenizer *t, const char *text,
                    size_t length) {
    for (size_t i = 0, n; i < length; i += n + 1) {
        for (n = 0; i + n < length && !is_between(text[i + n]);) n++;
        if (n && !add_id(cli, list, t, text + i, n)) return false;
    }
    return true;
}

/* Exactly the bytes, of the kinds that have them; otherwise the text that the decoders make. */
static void add_text(const lh_tokenizer *t, const id_list *list, lh_text *out) {
    if (t->pipeline) lh_tokenizer_decode(t, list->id, (size_t)list->n, false, out);
    for (int i = 0; i < list->n && !t->pipeline; i++)
        lh_text_add_n(out, t->token[list->id[i]].bytes, t->token[list->id[i]].length);
}

/* A terminal gets the end of its line besides. */
static int decode(lh_cli *cli, const lh_tokenizer *t, int argc, char **argv) {
    lh_text out = lh_text_new(cli->arena);
    id_list list = {NULL, 0};
    if (argc < 3) {
        fail_missing(cli, "decode: the ids are missing", "decode FOLDER ID...|-|FILE");
        return LH_EXIT_FAILED;
    }
    for (int i = 2; i < argc; i++) {
        size_t length;
        bool is_ids = strcmp(argv[i], "-") != 0 && !argv[i][strspn(argv[i], "-0123456789, ")];
        const char *text = is_ids ? argv[i] : text_of(cli, argv[i], &length);
        if (is_ids) length = strlen(argv[i]);
        if (!text || !add_ids(cli, &list, t, text, length)) return lh_cli_report(cli);
    }
    add_text(t, &list, &out);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    fwrite(out.s, 1, out.n, stdout);
    if (cli->is_terminal && out.n && out.s[out.n - 1] != '\n') putchar('\n');
    return LH_EXIT_YES;
}

/* ---- show ---- */

static int show(lh_cli *cli, const lh_tokenizer *t, int argc, char **argv) {
    (void)argv;
    if (argc > 2) {
        fail_missing(cli, "show takes one folder", "show FOLDER [--data FILE] [--all]");
        return LH_EXIT_FAILED;
    }
    size_t length = 0, n = 0;
    const char *text = options.data ? read_input(cli, options.data, &length) : NULL;
    if (text) n = lh_tokenizer_encode(t, text, length, options.marks, NULL, 0);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    lh_tokens_show(cli, t, options.all);
    if (text) lh_tokens_tell(length, n);
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    static const char *const verbs[] = {"train", "show", "encode", "decode"};
    static int (*const act[])(lh_cli *, const lh_tokenizer *, int, char **) = {NULL, show, encode,
                                                                               decode};
    int which = 0;
    while (which < 4 && strcmp(argv[0], verbs[which]) != 0) which++;
    if (which == 0) return train(cli, argc);
    if (which == 4) {
        const char *near = lh_nearest(argv[0], (const char **)verbs, 4);
        lh_cli_fail(cli, "tokens: \"%s\" is not train, show, encode or decode", argv[0]);
        if (near) fprintf(stderr, "did you mean %s?\n", near);
        return LH_EXIT_FAILED;
    }
    if (argc < 2) {
        fail_missing(cli, "the folder of a vocabulary is missing",
                     which == 1 ? "show FOLDER" : "encode|decode FOLDER ...");
        return LH_EXIT_FAILED;
    }
    lh_tokenizer *t = lh_tokenizer_load(cli->ctx, argv[1]);
    int status = t ? act[which](cli, t, argc, argv) : lh_cli_report(cli);
    lh_tokenizer_free(t);
    return status;
}

const lh_command lh_command_tokens = {
    .name = "tokens",
    .synopsis = "train|show|encode|decode ...",
    .summary = "Vocabularies: learn one from a text, show it, encode text and decode ids.",
    .examples =
        "longhand tokens train --data notes.txt --size 1000 -o out\tlearn 1000 byte pairs\n"
        "longhand tokens show out\twhat was learned, merge by merge\n"
        "longhand tokens encode out 'The cat sat'\tpieces and their ids\n"
        "longhand tokens encode out notes.txt --ids\tids alone\n"
        "longhand tokens decode out 464 3797 3332\tids to text\n"
        "longhand tokens train --data notes.txt --kind chars -o out\ta token for each character",
    .notes =
        "FOLDER is one that train wrote, a Hugging Face folder with tokenizer.json (GPT-2's, say) "
        "or with vocab.json and merges.txt, or a tokenizer.json itself. encode takes a file, - for "
        "stdin, or the text itself. decode writes exactly the bytes that were encoded.",
    .options = tokens_options,
    .run = run,
    .min_args = 1,
    .max_args = MOST_ARGUMENTS,
};
