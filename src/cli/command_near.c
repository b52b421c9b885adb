/* command_near -- longhand near FILE WORD: the words whose arrows point the same way, and analogies. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/number.h"
#include "cli/cli.h"
#include "cli/json_stream.h"
#include "files/vectors.h"
#include "graph/build.h"

static struct {
    lh_names plus, minus;
    int count;
    bool json;
} options = {.count = 10};

static const lh_option near_options[] = {
    {"count", 'n', LH_OPTION_INT, &options.count, "N", "how many words (10)", 1, 1000000},
    {"minus", 0, LH_OPTION_NAMES, &options.minus, "WORD", "subtract the vector of this word", 0, 0},
    {"plus", 0, LH_OPTION_NAMES, &options.plus, "WORD", "and add the vector of this one", 0, 0},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { MOST_WORDS = 64 };

/* What is asked: a sum of words, and the words themselves. */
typedef struct question {
    lh_cli *cli;
    const char *file;
    lh_vectors *v;
    double *to;
    int word[MOST_WORDS], n;
    const char *text; /* king - man + woman */
} question;

/* A word on the screen: nothing in it that would move the cursor. */
static const char *shown(lh_cli *cli, const char *word) {
    char *s = lh_copy(cli->arena, word, strlen(word));
    for (char *c = s; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    return s;
}

static bool fail_word(const question *q, const char *word) {
    const char *near = lh_nearest(word, q->v->word, q->v->n);
    lh_cli_fail(q->cli, "%s has no word \"%s\" among its %d", q->file, word, q->v->n);
    if (near) fprintf(stderr, "did you mean %s?\n", shown(q->cli, near));
    return false;
}

static bool add_word(question *q, const char *word, double sign) {
    int i = lh_vectors_find(q->v, word);
    if (i < 0) return fail_word(q, word);
    if (q->n == MOST_WORDS) {
        lh_cli_fail(q->cli, "more than %d words", MOST_WORDS);
        return false;
    }
    const double *row = q->v->cell + (size_t)i * (size_t)q->v->width;
    for (int c = 0; c < q->v->width; c++) q->to[c] += sign * row[c];
    q->text = q->n == 0 ? shown(q->cli, word)
                        : lh_printf(q->cli->arena, "%s %c %s", q->text, sign < 0 ? '-' : '+',
                                    shown(q->cli, word));
    q->word[q->n++] = i;
    return true;
}

static bool ask(question *q, const char *word) {
    q->to = lh_alloc_array(q->cli->arena, (size_t)q->v->width, sizeof *q->to);
    if (!q->to) {
        lh_cli_report(q->cli);
        return false;
    }
    if (!add_word(q, word, 1)) return false;
    for (int i = 0; i < options.minus.n; i++)
        if (!add_word(q, options.minus.name[i], -1)) return false;
    for (int i = 0; i < options.plus.n; i++)
        if (!add_word(q, options.plus.name[i], 1)) return false;
    if (lh_vectors_size(q->to, q->v->width) > 0) return true;
    lh_cli_fail(q->cli, "%s is all zeros: it has no direction, and no neighbours", q->text);
    return false;
}

/* ---- the answer ---- */

static int widest(lh_cli *cli, const lh_vectors *v, const lh_nearby *near) {
    int most = 4;
    for (int i = 0; i < near->n; i++) {
        int n = lh_columns(shown(cli, v->word[near->near[i].word]));
        if (n > most) most = n;
    }
    return most < cli->width / 2 ? most : cli->width / 2;
}

static void print_bar(const lh_cli *cli, double cosine, int room, int gap) {
    int n = cosine > 0 ? (int)(cosine * room + 0.5) : 0;
    if (n) fprintf(cli->out, "%*s", gap, "");
    for (int i = 0; i < n; i++) fputs("█", cli->out);
}

static bool is_tied(const lh_nearby *near, int i) {
    return i > 0 && fabs(near->near[i].cosine - near->near[i - 1].cosine) <= 1e-12;
}

static void print_list(const question *q, const lh_nearby *near) {
    lh_cli *cli = q->cli;
    int width = widest(cli, q->v, near), room = cli->width - width - 30;
    for (int i = 0; i < near->n; i++) {
        const char *word = shown(cli, q->v->word[near->near[i].word]);
        int gap = width - lh_columns(word);
        fprintf(cli->out, "%6d  ", i + 1);
        lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", word);
        fprintf(cli->out, "%*s  %7.4f%s", gap > 0 ? gap : 0, "", near->near[i].cosine,
                is_tied(near, i) ? " =" : "");
        if (room > 4)
            print_bar(cli, near->near[i].cosine, room < 20 ? room : 20, is_tied(near, i) ? 2 : 4);
        fputc('\n', cli->out);
    }
}

/* Of the words that were asked with, the nearest to the sum: without it the answer looks better than it is. */
static void print_left_out(const question *q, const lh_nearby *near) {
    int best = 0;
    double size = lh_vectors_size(q->to, q->v->width), cosine[MOST_WORDS] = {0};
    for (int i = 0; i < q->n; i++) {
        cosine[i] =
            q->v->size[q->word[i]] > 0 ? lh_vectors_cosine(q->v, q->word[i], q->to, size) : -1;
        if (cosine[i] > cosine[best]) best = i;
    }
    fprintf(q->cli->out, "  the words of the question are left out");
    if (near->n && cosine[best] > near->near[0].cosine)
        fprintf(q->cli->out, "; %s itself would come first, with %.4f",
                shown(q->cli, q->v->word[q->word[best]]), cosine[best]);
    fputc('\n', q->cli->out);
}

static void print_notes(const question *q, const lh_nearby *near) {
    bool any = false;
    for (int i = 0; i < near->n; i++) any = any || is_tied(near, i);
    if (any) fprintf(q->cli->out, "  = exactly as near as the word above it\n");
    if (near->n_more)
        fprintf(q->cli->out, "  %d more %s exactly as near as the last\n", near->n_more,
                near->n_more == 1 ? "is" : "are");
    if (near->n_nowhere)
        fprintf(q->cli->out, "  %d word%s with only zeros ha%s no direction\n", near->n_nowhere,
                near->n_nowhere == 1 ? "" : "s", near->n_nowhere == 1 ? "s" : "ve");
    if (q->n > 1) print_left_out(q, near);
}

static void print_answer(const question *q, const lh_nearby *near) {
    lh_cli *cli = q->cli;
    const char *of =
        lh_printf(cli->arena, "nearest by cosine, of %d word%s with %d number%s each", q->v->n,
                  LH_PLURAL(q->v->n), q->v->width, q->v->width == 1 ? "" : "s");
    bool fits = lh_columns(q->text) + 3 + lh_columns(of) <= cli->width;
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%s", q->text);
    fprintf(cli->out, "%s%s\n\n", fits ? "   " : "\n", of);
    print_list(q, near);
    fputc('\n', q->cli->out);
    print_notes(q, near);
}

static void json_answer(const question *q, const lh_nearby *near) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "file", q->file);
    lh_json_text(&j, "question", q->text);
    lh_json_int(&j, "words", q->v->n);
    lh_json_int(&j, "width", q->v->width);
    lh_json_begin(&j, "near", '[');
    for (int i = 0; i < near->n; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "word", q->v->word[near->near[i].word]);
        lh_json_number(&j, "cosine", near->near[i].cosine);
        lh_json_bool(&j, "is_tied", is_tied(near, i));
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_int(&j, "more", near->n_more);
    lh_json_int(&j, "nowhere", near->n_nowhere);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int refuse_folder(lh_cli *cli, const char *path) {
    lh_cli_fail(cli, "%s is a folder, but near reads a file: on each line a word and its numbers",
                path);
    fprintf(stderr, "longhand look %s --prompt TEXT looks into a model\n", path);
    return LH_EXIT_FAILED;
}

static int near_run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    size_t length;
    struct stat st;
    question q = {.cli = cli, .file = argv[0]};
    if (stat(q.file, &st) == 0 && S_ISDIR(st.st_mode)) return refuse_folder(cli, q.file);
    const lh_embedded *own =
        strcmp(q.file, "words") == 0 && access(q.file, F_OK) ? lh_embedded_find("words.txt") : NULL;
    const char *text = own ? own->text : lh_cli_read_file(cli, q.file, &length);
    if (own) length = own->length;
    if (text) q.v = lh_vectors_read(cli->ctx, cli->arena, q.file, text, length);
    if (!q.v) return lh_cli_report(cli);
    if (!ask(&q, argv[1])) return LH_EXIT_FAILED;
    lh_nearby near = lh_vectors_near(q.v, cli->arena, q.to, q.word, q.n, options.count);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    if (options.json)
        json_answer(&q, &near);
    else
        print_answer(&q, &near);
    return LH_EXIT_YES;
}

const lh_command lh_command_near = {
    .name = "near",
    .synopsis = "FILE WORD [options]",
    .summary = "The words nearest to a word, by the cosine of their vectors; and analogies.",
    .examples = "longhand near words airplane\tin the small file that comes with Longhand\n"
                "longhand near vectors.txt cat\tthe ten nearest words\n"
                "longhand near vectors.txt cat -n 3\tthree of them\n"
                "longhand near vectors.txt king --minus man --plus woman\tan analogy\n",
    .notes = "words, where no file has that name, is a small file that comes with Longhand. A line "
             "of FILE is a word and its numbers, as file(\"vectors.txt\") reads them in a program. "
             "A first line that counts words and numbers, as word2vec writes it, is skipped. The "
             "words of the question are left out of the answers.",
    .options = near_options,
    .run = near_run,
    .min_args = 2,
    .max_args = 2,
};
