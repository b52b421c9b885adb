/* command_translate -- longhand translate FOLDER TEXT: what a model that learned pairs makes of a text, and where it looked. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "files/tokenizer_file.h"
#include "train/beam.h"
#include "train/cross.h"
#include "train/generate.h"
#include "train/pairs.h"

static struct {
    const char *task;
    int beam, longest, check, threads;
    bool is_heads, is_quiet;
} options = {.beam = 1, .longest = 64};

static const lh_option translate_options[] = {
    {"beam", 'b', LH_OPTION_INT, &options.beam, "N",
     "follow the N likeliest answers at once (1: the likeliest word each time)", 1, 1000},
    {"number", 'n', LH_OPTION_INT, &options.longest, "N", "tokens at most (64)", 1, 10000},
    {"heads", 0, LH_OPTION_FLAG, &options.is_heads, NULL,
     "a map for each head of the last layer, not one for their mean", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"quiet", 'q', LH_OPTION_FLAG, &options.is_quiet, NULL, "print only the answer", 0, 0},
    {"check", 0, LH_OPTION_INT, &options.check, "N",
     "answer N held-out questions of a task, and count those that are right", 1, 10000000},
    {"task", 0, LH_OPTION_TEXT, &options.task, "TASK", "for --check (translate)", 0, 0},
    LH_OPTION_THREADS(options.threads),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { WINDOW = 64, MOST = 512 };

typedef struct job {
    lh_cli *cli;
    lh_model model;
    lh_tokenizer *tokens;
    lh_graph *g;
    lh_beam *beam;
    int start, end;
    bool has_source;
    int question[MOST + 1]; /* tokens; where the program reads no source, <start> behind them */
    int n_question;
} job;

/* ---- begin ---- */

static bool find_marks(job *j) {
    j->start = lh_tokenizer_special(j->tokens, "<start>");
    j->end = lh_tokenizer_special(j->tokens, "<end>");
    if (j->start >= 0 && j->end >= 0) return true;
    lh_cli_fail(j->cli, "%s did not learn from pairs: its vocabulary has no <start> and <end>",
                j->model.path);
    fprintf(stderr,
            "longhand sample %s lets it write; longhand train classic -o FOLDER makes a "
            "translator\n",
            j->model.path);
    return false;
}

/* A program with learned positions has room for so many tokens, question and answer together where they stand in one row. */
static bool make_beam(job *j) {
    const int context = lh_generator_context(j->g, 0);
    int longest = options.longest, given = j->has_source ? 1 : MOST + 1;
    if (context && longest > context) longest = context;
    j->beam = lh_beam_new(j->g, &(lh_beam_how){.width = options.beam,
                                               .longest = longest,
                                               .given = given,
                                               .end = j->end,
                                               .threads = options.threads});
    return j->beam && lh_model_load(j->cli, &j->model, j->g, j->beam->plan);
}

static bool open_model(job *j, const char *path) {
    lh_cli *cli = j->cli;
    if (!lh_model_is_folder(cli, path) || !lh_model_open(cli, path, &j->model)) return false;
    j->tokens = lh_tokenizer_load(cli->ctx, path);
    if (!j->tokens) return lh_cli_report(cli), false;
    j->g = lh_model_graph(cli, &j->model, &j->model.set);
    if (!j->g || !lh_model_takes(cli, &j->model, j->g, j->tokens) || !find_marks(j)) return false;
    j->has_source = lh_takes_pairs(j->g);
    if (!j->has_source && !lh_takes_text(j->g)) {
        lh_cli_fail(
            cli, "the program of %s takes neither source, given and wanted nor tokens and target",
            path);
        return false;
    }
    if (make_beam(j)) return true;
    lh_cli_report(cli);
    return false;
}

/* ---- one text ---- */

static bool ask(job *j, const char *text) {
    lh_context *ctx = j->cli->ctx;
    if (!text[strspn(text, " \t\n")])
        lh_fail(ctx, LH_ERROR_VALUE, (lh_place){0, 0, 0}, "there is no text to translate");
    j->n_question = lh_pairs_encode(ctx, j->tokens, text, strlen(text), j->question, MOST);
    if (j->n_question < 0) return false;
    const int context = lh_generator_context(j->g, MOST);
    if (j->n_question > MOST || j->n_question + (j->has_source ? 0 : 1) > context)
        lh_fail(ctx, LH_ERROR_LIMIT, (lh_place){0, 0, 0},
                "the text has %d tokens, but there is room for only %d", j->n_question,
                context < MOST ? context : MOST);
    if (lh_failed(ctx)) return false;
    if (j->has_source) return lh_beam_search(j->beam, j->question, j->n_question, &j->start, 1);
    j->question[j->n_question++] = j->start;
    const int room = context - j->n_question + 1;
    if (j->beam->how.longest > room) j->beam->how.longest = room;
    return lh_beam_search(j->beam, NULL, 0, j->question, j->n_question);
}

static const char *words(job *j, const lh_answer *f) {
    lh_text out = lh_text_new(j->cli->arena);
    lh_pairs_decode(j->tokens, f->token, f->n, &out);
    return out.s;
}

/* With the special tokens, which make two answers differ that read alike; without the end, which all have, unless it
 * is all there is. */
static const char *spelled(job *j, const lh_answer *f) {
    lh_text out = lh_text_new(j->cli->arena);
    for (int i = 0; i < f->n; i++) {
        size_t k = 0;
        if (i > 0 && i == f->n - 1 && f->is_ended && f->token[i] == j->end) break;
        const char *piece = f->token[i] < lh_tokenizer_count(j->tokens)
                                ? lh_tokenizer_piece(j->tokens, f->token[i], &k)
                                : NULL;
        if (!piece) continue;
        bool is_special = j->tokens->token[f->token[i]].role == LH_TOKEN_SPECIAL;
        if (is_special && out.n) lh_text_add(&out, " ");
        size_t skip = !out.n && k > 0 && *piece == ' ';
        lh_text_add_n(&out, piece + skip, k - skip);
    }
    return out.s;
}

static void say_found(job *j) {
    const lh_beam *b = j->beam;
    lh_ink_on(j->cli, stdout, LH_INK_BOLD);
    puts(words(j, &b->found[0]));
    lh_ink_off(j->cli, stdout);
    fflush(stdout);
    if (b->found[0].is_ended && !*words(j, &b->found[0]))
        fprintf(stderr, "the answer is empty: its end is the likeliest beginning\n");
    if (!b->found[0].is_ended)
        fprintf(stderr,
                "no end after %d token%s: -n allows more, or the model needs more training\n",
                b->found[0].n, LH_PLURAL(b->found[0].n));
    if (options.is_quiet) return;
    printf("log probability %.4f (probability %.4g)\n", b->found[0].log_probability,
           exp(b->found[0].log_probability));
    for (int i = 1; i < b->n_found; i++)
        printf("%9.4f   %s%s\n", b->found[i].log_probability, spelled(j, &b->found[i]),
               b->found[i].is_ended ? "" : " ...");
}

/* ---- where it looked ---- */

static const char **labels(job *j, const int *id, int n) {
    const char **label = lh_alloc_array(j->cli->arena, (size_t)n + 1, sizeof *label);
    for (int i = 0; label && i < n; i++) {
        size_t k = 0;
        const char *piece = lh_tokenizer_piece(j->tokens, id[i], &k);
        const size_t skip = k > 1 && piece[0] == ' ';
        label[i] = lh_copy(j->cli->arena, piece + skip, k - skip);
    }
    return label;
}

typedef struct map {
    const lh_cross *cross;
    const lh_case *known; /* or NULL */
    const char **row, **col;
    lh_panel *panel;
    int n_panels;
} map;

static lh_panel *add_panel(job *j, map *m, const char *name) {
    const size_t cells = (size_t)m->cross->rows * (size_t)m->cross->cols;
    lh_panel *p = lh_push(j->cli->arena, m->panel, m->n_panels);
    *p = (lh_panel){.name = name,
                    .cell = lh_alloc_array(j->cli->arena, cells, sizeof(double)),
                    .rows = m->cross->rows,
                    .cols = m->cross->cols,
                    .row_label = m->row,
                    .col_label = m->col};
    return p;
}

/* Hundredths are enough for a map, and short enough for numbers to fit. */
static double rounded(double share) {
    return floor(100 * share + 0.5) / 100;
}

static void fill_mean(const lh_cross *c, double *to) {
    for (int r = 0; to && r < c->rows; r++)
        for (int k = 0; k < c->cols; k++) *to++ = rounded(lh_cross_mean(c, c->layers - 1, r, k));
}

static void fill_head(const lh_cross *c, int head, double *to) {
    const size_t cells = (size_t)c->rows * (size_t)c->cols;
    const double *from = c->weight + (size_t)((c->layers - 1) * c->heads + head) * cells;
    for (size_t i = 0; to && i < cells; i++) to[i] = rounded(from[i]);
}

static int count_bits(uint32_t x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

/* A word that comes from two words: half of it from each. The end comes from none. */
static void fill_known(const map *m, double *to) {
    for (int r = 0; to && r < m->known->n_from; r++)
        for (int k = 0; k < m->cross->cols; k++)
            if (m->known->from[r] >> k & 1)
                to[r * m->cross->cols + k] = rounded(1.0 / count_bits(m->known->from[r]));
}

static void add_panels(job *j, map *m) {
    const lh_cross *c = m->cross;
    lh_arena *a = j->cli->arena;
    if (!options.is_heads) fill_mean(c, (double *)add_panel(j, m, "the model")->cell);
    for (int i = 0; options.is_heads && i < c->heads; i++)
        fill_head(c, i, (double *)add_panel(j, m, lh_printf(a, "head %d", i))->cell);
    if (m->known) fill_known(m, (double *)add_panel(j, m, "the grammar")->cell);
}

/* How much of the attention of the last layer is on the words that each word comes from. */
static double share_of(const map *m) {
    const lh_cross *c = m->cross;
    double sum = 0;
    for (int r = 0; r < m->known->n_from; r++)
        for (int k = 0; k < c->cols; k++)
            if (m->known->from[r] >> k & 1) sum += lh_cross_mean(c, c->layers - 1, r, k);
    return sum / m->known->n_from;
}

/* An answer without an end goes on about nothing: of such a one, twice as many rows as the question has words. */
static int rows_shown(const job *j, const lh_answer *f) {
    const int most = 2 * j->n_question > 8 ? 2 * j->n_question : 8;
    return f->is_ended || f->n <= most ? f->n : most;
}

static void say_map(job *j, const map *m, const lh_case *said) {
    lh_text text = lh_text_new(j->cli->arena);
    lh_chart_screen screen = lh_cli_screen(j->cli);
    lh_chart chart = {.kind = LH_CHART_HEAT,
                      .title = options.is_heads
                                   ? "Where the last layer looked"
                                   : "Where the last layer looked, averaged over its heads",
                      .panel = m->panel,
                      .n_panels = m->n_panels};
    lh_chart_text(&chart, &screen, &text);
    printf("\n%s", text.s);
    if (m->cross->rows < j->beam->found[0].n)
        printf("the first %d of %d tokens: the answer has no end\n", m->cross->rows,
               j->beam->found[0].n);
    if (m->known)
        lh_wrap(stdout, j->cli->width, 0,
                lh_printf(j->cli->arena,
                          "%.0f%% of the last layer's attention is on the words that the grammar "
                          "says each word comes from",
                          100 * share_of(m)));
    else if (said)
        printf("the grammar says: %s\n", said->answer);
}

/* By the exact evaluator. */
static bool show_map(job *j, const char *text) {
    lh_cli *cli = j->cli;
    const lh_answer *f = &j->beam->found[0];
    lh_case said;
    const bool is_ours = lh_grammar_read(text, &said);
    const int rows = rows_shown(j, f);
    const lh_asked q = {j->question, &j->start, f->token, j->n_question, 1, rows};
    map m = {.cross = lh_cross_new(cli->arena, j->g, j->model.folder->weights, &q)};
    if (m.cross && m.cross->layers) {
        const char *answer = words(j, f);
        m.known = is_ours && rows == f->n && strcmp(said.answer, answer) == 0 ? &said : NULL;
        m.row = labels(j, f->token, rows);
        m.col = labels(j, j->question, j->n_question);
        add_panels(j, &m);
        if (!lh_failed(cli->ctx)) say_map(j, &m, is_ours ? &said : NULL);
    }
    return !lh_failed(cli->ctx);
}

static bool translate(job *j, const char *text) {
    if (!ask(j, text)) return lh_cli_report(j->cli), false;
    say_found(j);
    if (options.is_quiet || !j->has_source || show_map(j, text)) return true;
    if (lh_failed(j->cli->ctx)) lh_cli_report(j->cli);
    return false;
}

/* Each line of stdin, its answer on a line. */
static bool translate_lines(job *j) {
    size_t length;
    char *text = lh_cli_read_file(j->cli, "/dev/stdin", &length), *line;
    if (!text) return lh_cli_report(j->cli), false;
    options.is_quiet = true;
    while ((line = strtok_r(text, "\n", &text)))
        if (!translate(j, line)) return false;
    return true;
}

/* ---- many ---- */

static int check(job *j) {
    const lh_train_task *task = lh_train_task_find(options.task ? options.task : "translate");
    int right = 0;
    lh_case c;
    if (!task || !lh_train_task_is_pairs(task))
        return lh_cli_fail(j->cli, "%s is not a task with questions: longhand data lists them",
                           options.task);
    for (int i = 0; i < options.check; i++) {
        lh_train_task_example(task, 0, (uint64_t)i, true, &c);
        if (!ask(j, c.question)) return lh_cli_report(j->cli);
        lh_arena *a = lh_arena_new(j->cli->ctx);
        if (!a) return lh_cli_report(j->cli);
        lh_text said = lh_text_new(a);
        lh_pairs_decode(j->tokens, j->beam->found[0].token, j->beam->found[0].n, &said);
        right += j->beam->found[0].is_ended && strcmp(said.s, c.answer) == 0;
        lh_arena_free(a);
    }
    printf("%s: %d of %d held-out questions answered exactly, %.2f%%\n", task->name, right,
           options.check, 100.0 * right / options.check);
    return LH_EXIT_YES;
}

static int begin(job *j, int argc, char **argv) {
    if (argc == 2 ? options.check != 0 : !options.check)
        return lh_cli_fail(
            j->cli, "translate needs a text: longhand translate %s \"you are welcome\"", argv[0]);
    if (!open_model(j, argv[0])) return LH_EXIT_FAILED;
    if (options.check) return check(j);
    bool is_done = strcmp(argv[1], "-") == 0 ? translate_lines(j) : translate(j, argv[1]);
    return is_done ? LH_EXIT_YES : LH_EXIT_FAILED;
}

static int run(lh_cli *cli, int argc, char **argv) {
    job j = {.cli = cli};
    int status = begin(&j, argc, argv);
    lh_beam_free(j.beam);
    lh_graph_free(j.g);
    lh_tokenizer_free(j.tokens);
    lh_model_close(&j.model);
    return status;
}

const lh_command lh_command_translate = {
    .name = "translate",
    .synopsis = "FOLDER TEXT [options]",
    .summary = "Translates a text with a model that learned pairs, and shows where it looked.",
    .examples =
        "longhand train classic --task translate -o spanish\ta translator, in minutes\n"
        "longhand translate spanish 'you are welcome'\tgreedy, with a map\n"
        "longhand translate spanish 'the old cat sees a house' --beam 4\tand the runners-up\n"
        "longhand translate spanish --check 1000 --beam 4\thow many come out right\n"
        "longhand translate sums '12+34' -q\tany pairs will do",
    .notes = "FOLDER is one that longhand train wrote from pairs (--task, or --data with a tab in "
             "each line). The number is the log probability of the answer itself, including its "
             "end. The map has a row for each word written and a column for each word read: how "
             "much the decoder looked there, the mean over the heads of the last layer. For a "
             "sentence of the project's own grammar, the right answer is shown next to it. TEXT - "
             "reads a text from each line of stdin.",
    .options = translate_options,
    .run = run,
    .min_args = 1,
    .max_args = 2,
};
