/* perplexity -- how well a model of one's own guesses a text that it has not seen, in each precision.
 *
 *     bench_perplexity FOLDER TEXT [float|bf16|int8|int4 ...]
 *
 * The text is cut into parts as long as the context. In each, every token but the first is guessed from those before it, one row at a time
 * as generation does it. Perplexity is e to the mean of -ln p.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "files/tokenizer_file.h"
#include "train/generate.h"
#include "train/trained.h"

typedef struct opened {
    lh_context *ctx;
    lh_arena *arena;
    lh_folder *folder;
    lh_program *program;
    lh_graph *g;
    const lh_weights *weights;
    int *token;
    int n, context;
} opened;

static double surprise(const float *score, int n, int token) {
    double most = score[0];
    for (int i = 1; i < n; i++) most = score[i] > most ? score[i] : most;
    double sum = exp(score[0] - most);
    for (int i = 1; i < n; i++) sum += exp(score[i] - most);
    return log(sum) + most - score[token];
}

static void measure(const opened *o, lh_precision precision) {
    const int words = (int)o->g->axis[o->g->generate->from->shape.cols].n;
    lh_generator *w = lh_generator_new(
        o->g, &(lh_generator_how){
                  .context = o->context, .end = -1, .threads = 2, .precision = precision});
    double sum = 0;
    long count = 0;
    if (!w || !lh_generator_weights(w, o->weights)) return;
    for (int from = 0; from + 1 < o->n; from += o->context) {
        const int *part = o->token + from;
        const int n = o->n - from < o->context ? o->n - from : o->context;
        for (int i = 1; i < n; i++, count++) {
            if (i == 1)
                lh_generator_prompt(w, part, i);
            else
                lh_generator_continue(w, part, i);
            lh_generator_next(w);
            sum += surprise(w->score, words, part[i]);
        }
    }
    printf("%s: %ld tokens, loss %.5f, perplexity %.3f\n", lh_precision_name(precision), count,
           sum / (double)count, exp(sum / (double)count));
    fflush(stdout);
    lh_generator_free(w);
}

static bool open_all(opened *o, const char *path, const char *text) {
    lh_found found;
    int n;
    size_t length;
    o->folder = lh_folder_open(o->ctx, path);
    o->program = o->folder ? lh_trained_program(o->folder, o->arena, &found) : NULL;
    if (!o->program) return false;
    const lh_setting *set = lh_trained_settings(o->folder, o->arena, o->program, &n);
    o->g = lh_graph_build(o->ctx, o->program,
                          &(lh_build){.set = set, .n_set = n, .without_examples = true});
    o->weights = o->g ? lh_trained_weights(o->folder, o->arena, o->g) : NULL;
    lh_tokenizer *t = o->weights ? lh_tokenizer_load(o->ctx, path) : NULL;
    const char *s = t ? lh_file_read(o->ctx, o->arena, text, &length) : NULL;
    if (!s) return false;
    o->token = lh_alloc_array(o->arena, length + 1, sizeof *o->token);
    o->n = (int)lh_tokenizer_encode(t, s, length, false, o->token, length + 1);
    o->context = lh_generator_context(o->g, 128);
    lh_tokenizer_free(t);
    return !lh_failed(o->ctx);
}

int main(int argc, char **argv) {
    opened o = {.ctx = lh_context_new()};
    o.arena = lh_arena_new(o.ctx);
    if (argc < 3) {
        puts("1..0 # SKIP bench_perplexity FOLDER TEXT [float|bf16|int8|int4 ...]");
        return 0;
    }
    static const lh_precision all[] = {LH_IN_FLOAT, LH_IN_BF16, LH_IN_INT8, LH_IN_INT4};
    lh_precision one;
    if (open_all(&o, argv[1], argv[2])) {
        for (int i = 3; i < argc; i++)
            if (lh_precision_read(argv[i], &one)) measure(&o, one);
        for (int i = 0; argc == 3 && i < 4; i++) measure(&o, all[i]);
    }
    const bool is_bad = lh_failed(o.ctx);
    if (is_bad) fprintf(stderr, "%s\n", lh_context_error(o.ctx)->what);
    lh_graph_free(o.g);
    lh_program_free(o.program);
    lh_folder_close(o.folder);
    lh_arena_free(o.arena);
    lh_context_free(o.ctx);
    return is_bad;
}
