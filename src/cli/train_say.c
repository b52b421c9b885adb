/* train_say -- longhand train: what it says of a model, of a text, of the steps ahead, and what the model writes meanwhile. */
#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "cli/character_stream.h"
#include "cli/train_job.h"
#include "eval/fast/threads.h"
#include "train/floats.h"
#include "train/generate.h"

static void say_text(const lh_train_job *j) {
    lh_arena *a = j->cli->arena;
    const lh_data *d = j->material->data;
    if (d->line)
        printf("%s: %s line%s, %s tokens; every tenth line is held out\n", j->material->name,
               lh_whole_text(a, (double)d->n_lines), LH_PLURAL(d->n_lines),
               lh_whole_text(a, (double)d->n));
    else
        printf("%s: %s tokens; %s\n", j->material->name, lh_whole_text(a, (double)d->n),
               d->n > d->n_train ? "the last tenth is held out"
                                 : "too few to hold out a tenth of them");
    if (d->n_cut)
        printf("cut: %s line%s longer than the context of %d\n", lh_whole_text(a, (double)d->n_cut),
               LH_PLURAL(d->n_cut), d->how.context);
}

/* What is known at once, before the first step is measured: a large model takes a while for that. */
void lh_train_say_model(const lh_train_job *j) {
    lh_ink_print(j->cli, stdout, LH_INK_BOLD, "%s", j->model.source.name);
    printf("   %s parameters, %d %s\n",
           lh_whole_text(j->cli->arena, lh_trainer_params(j->g) + lh_trainer_frozen(j->g)),
           lh_tokenizer_count(j->material->tokens),
           j->material->tokens->kind == LH_TOKENS_CHARS ? "characters" : "tokens");
    lh_train_lora_say(j->cli, j->g);
    if (j->material->is_pairs)
        lh_train_pairs_say(&j->pairs);
    else
        say_text(j);
    fflush(stdout);
}

/* Whoever writes a sample; NULL: nobody can. */
static lh_generator *open_writer(const lh_train_job *j) {
    if (!j->g->generate || !j->material->data || lh_failed(j->cli->ctx)) return NULL;
    return lh_generator_new(j->g, &(lh_generator_how){.context = j->material->data->how.context,
                                                      .choice = {.temperature = 0.8, .top_p = 1},
                                                      .seed = (uint64_t)j->t->step,
                                                      .end = j->material->end,
                                                      .threads = j->threads});
}

/* After a look, the process holds all but what a sample takes; a step may need more than both. */
static double memory_of(const lh_train_job *j) {
    lh_generator *w = open_writer(j);
    const double sample = w ? w->needs : 0;
    lh_generator_free(w);
    return fmax(j->step_memory, lh_memory_used() + sample);
}

static int threads_of(const lh_train_job *j) {
    return j->threads ? j->threads : lh_pool_processors();
}

static const char *say_shares(const lh_train_job *j) {
    const lh_ranks *r = j->ranks.ranks;
    lh_arena *a = j->cli->arena;
    const bool is_cut = j->pieces_of_batch && !(r && j->sums.any_order);
    const char *pieces = is_cut ? lh_printf(a, " in %d pieces", j->pieces_of_batch) : "";
    if (!r) return pieces;
    const lh_post *post = j->t->parts ? &j->t->parts->post : NULL;
    return lh_printf(
        a, "%s for %d processes of %d thread%s%s%s%s", pieces, r->n, threads_of(j),
        threads_of(j) > 1 ? "s" : "", j->sums.any_order ? ", added up in any order" : "",
        j->sums.wire == LH_WIRE_BF16 ? ", gradients sent in bf16" : "",
        post && post->sent ? lh_printf(a, ", from GPU to GPU by %s", post->carrier->name) : "");
}

/* Several GPUs, and no way from one to the other. */
static void say_detour(const lh_train_job *j) {
    const char *why = j->t->parts ? j->t->parts->post.why : NULL;
    if (why) printf("gradients go through the processes' memory, by MPI: %s\n", why);
}

void lh_train_say_start(lh_train_job *j) {
    lh_arena *a = j->cli->arena;
    const int left = j->steps - j->t->step;
    printf("memory %s; ", lh_bytes_text(a, memory_of(j)));
    printf("batches of %d%s%s%s%s, about %s a step: %s for %s%d step%s%s\n", j->t->how.batch,
           j->t->how.micro && j->t->parts ? lh_printf(a, ", %d at a time", j->t->how.micro) : "",
           say_shares(j), j->precision == LH_IN_BF16 ? ", products in bf16" : "",
           j->options->recompute ? ", layers recomputed" : "",
           j->step_time < 1 ? lh_printf(a, "%.3g ms", 1e3 * j->step_time)
                            : lh_time_text(a, j->step_time),
           lh_time_text(a, left * j->step_time), j->options->until ? "at most " : "", left,
           LH_PLURAL(left), j->t->step ? lh_printf(a, " from step %d on", j->t->step) : "");
    say_detour(j);
    lh_train_ranks_say_apart(&j->ranks, &j->sums, j->apart);
    fflush(stdout);
}

enum { SAMPLE = 160, SAMPLE_LINES = 5 };

/* A line's end moves the text in; of running text this goes on, where lines are learned a new one begins. */
static void put_piece(const lh_train_job *j, lh_character_stream *text, int token) {
    size_t n = 0;
    const char *piece = token < lh_tokenizer_count(j->material->tokens)
                            ? lh_tokenizer_piece(j->material->tokens, token, &n)
                            : NULL;
    if (piece) lh_character_stream_put(text, piece, n);
}

static void put_sample(const lh_train_job *j, lh_generator *w) {
    const int first = j->material->data->newline >= 0 ? j->material->data->newline
                                                      : lh_data_token(j->material->data, 0);
    for (int line = 0, n = 0; line < (j->material->end >= 0 ? SAMPLE_LINES : 1); line++) {
        lh_character_stream text = {.out = stdout, .line_end = "\n    "};
        int token;
        lh_generator_prompt(w, &first, 1);
        fputs(line ? "\n    " : "    ", stdout);
        for (; n < SAMPLE && (token = lh_generator_next(w)) >= 0; n++) put_piece(j, &text, token);
        lh_character_stream_end(&text);
    }
}

/* What the model writes now. Its plan is made for this and gone after it: memory is for training. */
void lh_train_say_sample(lh_train_job *j) {
    lh_generator *w = open_writer(j);
    if (!w) return;
    lh_floats_copy(w->plan, j->t->plan, j->g);
    lh_ink_on(j->cli, stdout, LH_INK_QUIET);
    put_sample(j, w);
    lh_ink_off(j->cli, stdout);
    putchar('\n');
    lh_generator_free(w);
}

void lh_train_say_rest(const lh_train_job *j) {
    printf("continue with: longhand train %s --resume%s%s%s%s%s%s\n", j->out,
           j->options->data ? " --data " : "", j->options->data ? j->options->data : "",
           j->options->task ? " --task " : "", j->options->task ? j->options->task : "",
           j->options->lines ? " --lines" : "", j->options->recompute ? " --recompute" : "");
}

/* The step is known from the loop; which line began it, from running the step again with everything kept. */
int lh_train_say_lost(lh_train_job *j) {
    lh_text formula = lh_text_new(j->cli->arena);
    int line = 0;
    bool is_found = lh_train_is_root(&j->ranks) && lh_trainer_trouble(j->t, &formula, &line);
    lh_show_clear(&j->show);
    lh_cli_fail(j->cli, "the loss of step %d is %s: training stops; %s has the last good weights",
                j->t->step + 1, isnan(j->t->loss) ? "nan" : "inf", j->out);
    if (is_found) fprintf(stderr, "it starts in line %d: %s\n", line, formula.s);
    fprintf(stderr, "a lower learning rate is the usual cure: --rate\n");
    return LH_EXIT_FAILED;
}
