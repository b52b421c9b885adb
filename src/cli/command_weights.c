/* command_weights -- longhand weights FOLDER|FILE.safetensors: what is in a weights file, a row for each tensor. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "cli/cli.h"
#include "cli/json_stream.h"
#include "files/folder.h"

static struct {
    bool json;
    const char *name;
} options;

static const lh_option weights_options[] = {
    {"name", 0, LH_OPTION_TEXT, &options.name, "PART", "only tensors with this in their names", 0,
     0},
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

/* ---- statistics ---- */

enum { PIECE = 4096 };

/* Of the numbers that are numbers; infinities count in min and max and make the mean one. */
typedef struct stats {
    double min, max, mean, squares; /* squares: sum of (x - mean)^2 */
    size_t n, n_nan;
} stats;

/* Two sets of numbers become one: what their means differ by adds to the squares. */
static void stats_join(stats *s, const stats *t) {
    if (t->n == 0) return;
    double n = (double)s->n, m = (double)t->n, gap = t->mean - s->mean;
    if (s->n == 0 || t->min < s->min) s->min = t->min;
    if (s->n == 0 || t->max > s->max) s->max = t->max;
    s->mean = s->n ? s->mean + gap * m / (n + m) : t->mean;
    s->squares += t->squares + (s->n ? gap * gap * n * m / (n + m) : 0);
    s->n += t->n;
}

static stats stats_piece(const double *x, size_t n) {
    stats s = {.min = INFINITY, .max = -INFINITY};
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        if (x[i] < s.min) s.min = x[i];
        if (x[i] > s.max) s.max = x[i];
        sum += x[i];
        s.n++;
    }
    s.mean = s.n ? sum / (double)s.n : 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) s.squares += (x[i] - s.mean) * (x[i] - s.mean);
    return s;
}

static stats stats_of(const lh_tensor *t) {
    double x[PIECE];
    stats all = {0};
    if (!lh_tensor_is_number(t)) return all;
    for (size_t at = 0; at < t->cells; at += PIECE) {
        size_t n = t->cells - at < PIECE ? t->cells - at : PIECE;
        lh_tensor_copy_double(t, at, n, x);
        stats piece = stats_piece(x, n);
        all.n_nan += n - piece.n;
        stats_join(&all, &piece);
    }
    return all;
}

static double deviation(const stats *s) {
    return s->n ? sqrt(s->squares / (double)s->n) : 0;
}

/* ---- the table ---- */

static const char *whole_text(lh_arena *a, size_t n) {
    char text[LH_NUMBER_MAX];
    return lh_printf(a, "%s", lh_number_grouped(text, sizeof text, (double)n));
}

enum { COLUMNS = 9, DIGITS = 4 };

static const char *const heads[COLUMNS] = {"name", "type", "shape",     "bytes", "min",
                                           "max",  "mean", "deviation", "nan"};

typedef struct row {
    const char *cell[COLUMNS];
} row;

static const char *number(lh_arena *a, double x) {
    char buffer[LH_NUMBER_MAX];
    lh_number_text(buffer, sizeof buffer, x, DIGITS);
    return lh_copy(a, buffer, strlen(buffer));
}

static row row_of(lh_arena *a, const lh_tensor *t, const stats *s) {
    row r = {{t->name, lh_dtype_name(t->type), lh_sizes_text(a, t->rank, t->size),
              whole_text(a, t->bytes), "", "", "", "", ""}};
    if (s->n) {
        r.cell[4] = number(a, s->min);
        r.cell[5] = number(a, s->max);
        r.cell[6] = number(a, s->mean);
        r.cell[7] = number(a, deviation(s));
    }
    if (s->n_nan) r.cell[8] = whole_text(a, s->n_nan);
    return r;
}

/* Two lines a tensor where the screen is too narrow for one: name, type, shape, bytes; then the rest. */
static void print_row(const lh_cli *cli, const row *r, const int *width, bool is_head, int total) {
    bool is_split = total > cli->width;
    lh_ink_on(cli, stdout, is_head ? LH_INK_QUIET : LH_INK_PLAIN);
    for (int c = 0; c < COLUMNS; c++) {
        if (width[c] == 0) continue;
        const char *s = r->cell[c];
        int pad = width[c] - lh_columns(s);
        if (is_split && c == 4) fputs("\n  ", stdout);
        if (c < 3)
            printf(c == 0 ? "%s%*s" : "  %s%*s", s, pad, "");
        else
            printf("  %*s%s", pad, "", s);
    }
    lh_ink_off(cli, stdout);
    fputc('\n', stdout);
}

static void print_table(const lh_cli *cli, const row *list, int n) {
    row head;
    int width[COLUMNS], total = -2;
    memcpy(head.cell, heads, sizeof heads);
    for (int c = 0; c < COLUMNS; c++) {
        width[c] = 0;
        for (int i = 0; i < n; i++)
            if (lh_columns(list[i].cell[c]) > width[c]) width[c] = lh_columns(list[i].cell[c]);
        if (width[c] && width[c] < lh_columns(heads[c])) width[c] = lh_columns(heads[c]);
        if (width[c]) total += width[c] + 2;
    }
    if (n) print_row(cli, &head, width, true, total);
    for (int i = 0; i < n; i++) print_row(cli, &list[i], width, false, total);
}

static bool is_wanted(const lh_tensor *t) {
    return !options.name || strstr(t->name, options.name);
}

static void print_save(lh_cli *cli, const lh_folder *f) {
    if (!f) return;
    if (f->is_saved) {
        printf("step %lld, seed %llu", f->step, (unsigned long long)f->seed);
        for (int i = 0; i < f->n_set; i++) printf(", %s=%s", f->set[i].name, f->set[i].value);
        fputc('\n', stdout);
    }
    if (f->optimizer)
        printf("optimiser: %d tensor%s in addition to the weights\n", f->optimizer->n,
               LH_PLURAL(f->optimizer->n));
    if (f->trouble) {
        fputs("optimiser: ", stdout);
        lh_wrap(stdout, cli->width, 4, f->trouble);
    }
}

static int print_text(lh_cli *cli, const lh_tensors *t, const lh_folder *f) {
    row *list = lh_alloc_array(cli->arena, (size_t)t->n + 1, sizeof *list);
    size_t cells = 0, bytes = 0, n_nan = 0;
    int n = 0;
    for (int i = 0; list && i < t->n; i++) {
        if (!is_wanted(&t->tensor[i])) continue;
        stats s = stats_of(&t->tensor[i]);
        list[n++] = row_of(cli->arena, &t->tensor[i], &s);
        cells += t->tensor[i].cells;
        bytes += t->tensor[i].bytes;
        n_nan += s.n_nan;
    }
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    print_table(cli, list, n);
    printf("%s%d tensor%s, %s number%s, %s bytes", n ? "\n" : "", n, LH_PLURAL(n),
           whole_text(cli->arena, cells), LH_PLURAL(cells), whole_text(cli->arena, bytes));
    if (n_nan) printf(", %s of them nan", whole_text(cli->arena, n_nan));
    fputc('\n', stdout);
    print_save(cli, f);
    return LH_EXIT_YES;
}

/* ---- JSON ---- */

static void json_tensor(lh_json *j, const lh_tensor *t) {
    stats s = stats_of(t);
    lh_json_begin(j, NULL, '{');
    lh_json_text(j, "name", t->name);
    lh_json_text(j, "type", lh_dtype_name(t->type));
    lh_json_begin(j, "shape", '[');
    for (int i = 0; i < t->rank; i++) lh_json_int(j, NULL, (long long)t->size[i]);
    lh_json_end(j, ']');
    lh_json_int(j, "bytes", (long long)t->bytes);
    if (s.n) {
        lh_json_number(j, "min", s.min);
        lh_json_number(j, "max", s.max);
        lh_json_number(j, "mean", s.mean);
        lh_json_number(j, "deviation", deviation(&s));
    }
    lh_json_int(j, "nan", (long long)s.n_nan);
    lh_json_end(j, '}');
}

static void print_json(const lh_tensors *t, const lh_folder *f) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_json_text(&j, "file", lh_tensors_path(t));
    if (f && f->is_saved) {
        lh_json_int(&j, "step", f->step);
        lh_json_text(&j, "trouble", f->trouble);
    }
    lh_json_begin(&j, "metadata", '{');
    for (int i = 0; i < t->n_metadata; i++)
        lh_json_text(&j, t->metadata[i].key, t->metadata[i].value);
    lh_json_end(&j, '}');
    lh_json_begin(&j, "tensors", '[');
    for (int i = 0; i < t->n; i++)
        if (is_wanted(&t->tensor[i])) json_tensor(&j, &t->tensor[i]);
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int show(lh_cli *cli, const lh_tensors *t, const lh_folder *f) {
    if (!options.json) return print_text(cli, t, f);
    print_json(t, f);
    return LH_EXIT_YES;
}

static int run(lh_cli *cli, int argc, char **argv) {
    (void)argc;
    if (lh_folder_is(argv[0])) {
        lh_folder *f = lh_folder_open(cli->ctx, argv[0]);
        if (!f) return lh_cli_report(cli);
        int status = lh_folder_has_weights(f) ? show(cli, f->weights, f) : lh_cli_report(cli);
        lh_folder_close(f);
        return status;
    }
    lh_tensors *t = lh_tensors_open(cli->ctx, argv[0]);
    if (!t) return lh_cli_report(cli);
    int status = show(cli, t, NULL);
    lh_tensors_close(t);
    return status;
}

const lh_command lh_command_weights = {
    .name = "weights",
    .synopsis = "FOLDER|FILE.safetensors [options]",
    .summary = "What is in a weights file: a row for each tensor, with a summary of its numbers.",
    .examples = "longhand weights gpt2\tevery tensor of a model folder\n"
                "longhand weights gpt2 --name h.0.\tthose of the first layer\n"
                "longhand weights out/optimizer-100.safetensors\ta file alone\n"
                "longhand weights gpt2 --json\tfor programs",
    .notes = "A folder is what other tools call a Hugging Face folder: config.json and "
             "model.safetensors, or model.safetensors.index.json and its parts. F64, F32, F16, "
             "BF16 and whole numbers are summarised; the mean and the deviation leave out what is "
             "not a number.",
    .options = weights_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
