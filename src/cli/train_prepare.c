/* train_prepare -- longhand train: everything up to the first step. What the options say, the text, the program's settings, its graph,
 * a trainer, and the folder that it is saved in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/version.h"
#include "cli/train_job.h"
#include "eval/backends.h"
#include "eval/cuda/devices.h"
#include "eval/fast/threads.h"
#include "train/floats.h"
#include "train/lora.h"

enum {
    BATCH = 12,
    STEPS = 1000,
    MANY_STEPS = 100000,
    SLOW = 1 /* seconds of a step that need not be measured twice */
};

/* ---- options ---- */

static bool refuse_bf16(const lh_train_job *j) {
    lh_text able = lh_text_new(j->cli->arena);
    for (int i = 0; lh_evaluators[i]; i++)
        if (lh_evaluators[i]->has_bf16)
            lh_text_add(&able, "%s%s", able.n ? " and " : "", lh_evaluators[i]->name);
    lh_cli_fail(j->cli, "products in bf16 are made by the evaluators %s, not by %s", able.s,
                j->with->name);
    return false;
}

static bool check_options(lh_train_job *j, const char *argument) {
    lh_cli *cli = j->cli;
    double rate;
    if (!lh_train_positive(cli, "until", j->options->until, &j->until) ||
        !lh_train_time(cli, j->options->time, &j->seconds) ||
        !lh_train_positive(cli, "rate", j->options->rate, &rate))
        return false;
    const lh_folder *f = j->model.folder;
    if (!lh_train_ranks_sums(cli, j->options->any_order, j->options->wire, &j->sums)) return false;
    if (!lh_train_precision(cli, j->options->precision, j->options->resume ? f : NULL,
                            &j->precision))
        return false;
    if (j->options->backend && j->options->device) {
        lh_cli_fail(
            cli, "--device chooses the evaluator, and so does --backend: use only one of the two");
        return false;
    }
    j->with = j->options->backend ? lh_cli_evaluator(cli, j->options->backend)
                                  : lh_cli_device(cli, j->options->device, j->precision);
    if (!j->with && j->options->backend) lh_cli_report(cli);
    if (!j->with) return false;
    if (j->with == &lh_fast && !lh_train_has_precision(cli, j->options->precision, j->precision))
        return false;
    if (j->precision == LH_IN_BF16 && !j->with->has_bf16) return refuse_bf16(j);
    if (j->options->recompute && !lh_cli_can_recompute(cli, j->with)) return false;
    j->out = j->options->out ? j->options->out : f && j->options->resume ? argument : "out";
    if (j->options->resume && j->options->init) {
        lh_cli_fail(cli, "--resume continues a run, --init starts one: use only one of the two");
        return false;
    }
    if (j->options->resume && j->options->tokens) {
        lh_cli_fail(cli,
                    "--resume continues with the tokens that %s has, which its weights know: leave "
                    "out --tokens",
                    argument);
        fprintf(stderr,
                "without --resume and with -o FOLDER another run begins with the weights of %s\n",
                argument);
        return false;
    }
    if (j->options->resume && strcmp(j->out, argument) != 0) {
        lh_cli_fail(cli, "--resume saves in the folder where it began: %s, not %s", argument,
                    j->out);
        return false;
    }
    return true;
}

/* A folder with a model in it is not begun anew by mistake. */
static bool is_free(lh_train_job *j) {
    if (j->options->resume || !lh_folder_holds_model(j->out)) return true;
    lh_folder *f = lh_folder_open(j->cli->ctx, j->out);
    if (!f) return lh_cli_report(j->cli), false;
    bool is_begun = !f->is_saved || f->step > 0;
    if (is_begun) {
        lh_cli_fail(j->cli, "%s already contains a model%s", j->out,
                    f->is_saved ? lh_printf(j->cli->arena, ", of step %lld", f->step) : "");
        fprintf(stderr, "longhand train %s --resume continues it; -o FOLDER starts another\n",
                j->out);
    }
    lh_folder_close(f);
    return !is_begun;
}

/* ---- what it learns from ---- */

/* Whose weights it begins with, and whose tokeniser is its own; or NULL. */
static lh_folder *begins_with(const lh_train_job *j) {
    return j->init.folder ? j->init.folder : j->model.folder;
}

/* Nothing is read yet; false: reported. */
static bool choose_material(lh_train_job *j) {
    const lh_train_options *o = j->options;
    const lh_folder *f = begins_with(j);
    const bool is_pipe = o->data && strcmp(o->data, "-") == 0;
    if (is_pipe && j->ranks.ranks) {
        lh_cli_fail(j->cli, "several processes cannot share what comes from a pipe");
        fprintf(stderr, "--data FILE, which all of them can read\n");
        return false;
    }
    const lh_material_how how = {.name = o->data,
                                 .file = is_pipe ? "/dev/stdin" : o->data,
                                 .task = o->task,
                                 .tokens = o->tokens ? o->tokens
                                           : f       ? f->path
                                                     : NULL,
                                 .is_lines = o->lines,
                                 .ranks = j->ranks.ranks};
    j->material = lh_material_new(j->cli->ctx, j->model.source.program, &how);
    return j->material != NULL || (lh_cli_report(j->cli), false);
}

static bool read_material(lh_train_job *j) {
    return lh_material_read(j->material) || (lh_cli_report(j->cli), false);
}

static bool find_tokens(lh_train_job *j) {
    return lh_material_find_tokens(j->material) || (lh_cli_report(j->cli), false);
}

/* Batches of it; which text it is. */
static bool draw_material(lh_train_job *j) {
    lh_material *l = j->material;
    if (!lh_material_draw_for(l, j->g) ||
        (l->is_pairs && !lh_train_pairs_make(&j->pairs, j->cli, l, j->g, j->threads)))
        return lh_cli_report(j->cli), false;
    j->text_mark = lh_train_mark(j->cli->arena, l->name, l->sum, l->whole);
    if (j->options->resume && lh_train_is_root(&j->ranks))
        lh_train_compare(j->model.folder, j->text_mark);
    return true;
}

/* ---- the program's settings ---- */

static void put_setting(lh_train_job *j, const char *name, const char *value) {
    lh_setting_put(j->cli->arena, &j->set.set, &j->set.n, name, value);
}

static bool set_const(lh_train_job *j, const char *option, const char *name, const char *value) {
    if (!value) return true;
    if (lh_program_has(j->model.source.program, LH_S_CONST, name)) {
        put_setting(j, name, value);
        return true;
    }
    lh_cli_fail(j->cli, "--%s sets the const %s, but %s has no such const", option, name,
                j->model.source.name);
    return false;
}

/* 2000, or 2e3 as --set may have it. */
static void read_steps(const char *value, int *steps) {
    char *end;
    const double x = lh_number_read(value, &end);
    if (!*end && x >= 1 && x <= 1e9) *steps = (int)x;
}

/* Of the folder, of the text, of the options, in this order: the later counts. */
static bool collect_settings(lh_train_job *j) {
    lh_cli *cli = j->cli;
    const lh_settings *first = j->init.folder ? &j->init.set : &j->model.set;
    const lh_program *p = j->model.source.program;
    for (int i = 0; i < first->n; i++) {
        const char *name = first->set[i].name;
        if (lh_program_has(p, LH_S_SIZE, name) || lh_program_has(p, LH_S_CONST, name) ||
            lh_program_has(p, LH_S_VOCAB, name))
            put_setting(j, name, first->set[i].value);
    }
    if (lh_program_has(p, LH_S_VOCAB, "vocab") && !first->n)
        put_setting(j, "vocab",
                    lh_printf(cli->arena, "%d", lh_tokenizer_count(j->material->tokens)));
    j->steps = j->options->steps                ? j->options->steps
               : j->seconds > 0 || j->until > 0 ? MANY_STEPS
                                                : STEPS;
    for (int i = 0; i < first->n && j->options->resume && !j->options->steps; i++)
        if (strcmp(first->set[i].name, "steps") == 0) read_steps(first->set[i].value, &j->steps);
    if (lh_program_has(p, LH_S_CONST, "steps"))
        put_setting(j, "steps", lh_printf(cli->arena, "%d", j->steps));
    if (!set_const(j, "rate", "rate", j->options->rate)) return false;
    for (int i = 0; i < j->options->set.n; i++)
        put_setting(j, j->options->set.set[i].name, j->options->set.set[i].value);
    return true;
}

/* ---- the model ---- */

static bool fits_in_memory(lh_train_job *j) {
    const double least = lh_trainer_least_memory(j->g, j->ranks.ranks),
                 has = (double)j->cli->ctx->memory_limit;
    if (has <= 0 || least < has) return true;
    lh_cli_fail(j->cli, "params, gradients and optimiser need %s, but the machine has only %s",
                lh_bytes_text(j->cli->arena, least), lh_bytes_text(j->cli->arena, has));
    fprintf(stderr, "smaller sizes: --set layers=... dim=...\n");
    return false;
}

static int batch_of(const lh_train_job *j) {
    const lh_folder *f = j->model.folder;
    if (j->options->batch) return j->options->batch;
    return j->options->resume && f->batch > 0 && f->batch <= LH_MAX_BATCH ? (int)f->batch : BATCH;
}

/* The graph, if it can be trained here and from there; false: reported. */
static bool build(lh_train_job *j) {
    lh_cli *cli = j->cli;
    const lh_folder *from = begins_with(j);
    j->g = lh_model_graph(cli, &j->model, &j->set);
    if (!j->g) return false;
    if (lh_trainer_takes(j->g) &&
        (!lh_model_takes(cli, NULL, j->g, j->material->tokens) || !fits_in_memory(j)))
        return false;
    if (!lh_failed(cli->ctx) && lh_lora_fits(j->g) &&
        (!from ||
         lh_trainer_can_load(j->g, from, lh_train_lora_load(&j->model, from, j->options->resume))))
        return true;
    lh_cli_report(cli);
    return false;
}

static bool make_trainer(lh_train_job *j) {
    lh_folder *f = j->model.folder;
    uint64_t seed = (uint64_t)j->g->seed;
    if (j->options->resume) seed = f->seed;
    if (j->options->seed >= 0) seed = (uint64_t)j->options->seed;
    lh_trainer_how how = {.batch = batch_of(j),
                          .seed = seed,
                          .threads = j->threads,
                          .pieces = j->pieces_of_batch,
                          .ranks = j->ranks.ranks,
                          .sums = j->sums,
                          .micro = lh_train_micro(j->options->micro, j->options->resume ? f : NULL),
                          .recomputes = j->options->recompute,
                          .precision = j->precision,
                          .with = j->with};
    if (j->with == &lh_cuda) how.needs = lh_cuda_needs, how.fits = lh_cuda_fits;
    if (j->options->seed >= 0 || j->options->resume) lh_trainer_seed(j->g, seed);
    j->t = lh_trainer_new(j->g, lh_material_feed(j->material), &how);
    lh_folder *from = begins_with(j);
    if (j->t && from)
        lh_trainer_load(j->t, from, lh_train_lora_load(&j->model, from, j->options->resume));
    return j->t && !lh_failed(j->cli->ctx);
}

/* What rank 0 measured is what all go by. */
static double try_step(lh_train_job *j) {
    double took = lh_trainer_try(j->t);
    lh_ranks_tell(j->ranks.ranks, &took, sizeof took);
    return took;
}

/* One step to warm up, a few to measure; none changes anything. Where only a time is given, it decides how many steps
 * there are, so that a learning rate that falls towards the end knows where the end is. */
static bool measure(lh_train_job *j) {
    double took = try_step(j);
    int n = took > SLOW; /* warming up counts for little in a step of seconds */
    for (took *= n; n < 10 && took < 0.1 && !lh_failed(j->cli->ctx); n++) took += try_step(j);
    if (lh_failed(j->cli->ctx)) return false;
    j->step_time = took / n;
    j->step_memory = lh_memory_used();
    j->apart = j->sums.any_order || j->sums.wire ? lh_trainer_apart(j->t) : NAN;
    j->look_time = LH_TRAIN_LEAST_HELD_OUT * lh_trainer_try_look(j->t);
    if (lh_failed(j->cli->ctx)) return false;
    if (j->options->time && !j->options->steps && !j->options->resume) {
        /* looking up and saving take the rest */
        j->steps = lh_train_rounded(0.9 * j->seconds / j->step_time, 10 * MANY_STEPS);
        const lh_step *s = lh_graph_step(j->g, "steps");
        if (s && s->node->given && lh_program_has(j->model.source.program, LH_S_CONST, "steps")) {
            lh_fast.set(j->t->plan, s->node, (lh_cell){0, 0, 0, 0}, j->steps);
            put_setting(j, "steps", lh_printf(j->cli->arena, "%d", j->steps));
        }
    }
    j->every = j->options->every ? j->options->every : j->steps / 10;
    if (!j->options->every && j->every > 1000) j->every = 1000;
    if (j->every < 1) j->every = 1;
    return true;
}

static bool open_folder(lh_train_job *j) {
    if (!lh_train_is_root(&j->ranks)) return true;
    const lh_folder *f = begins_with(j);
    j->adapter = lh_train_lora_adapter(j->cli, &j->model, f, j->g);
    j->writer = lh_material_folder(j->out, j->g, j->material->tokens, j->material, f, j->adapter);
    if (j->writer)
        j->log =
            lh_log_open(j->cli->ctx, lh_printf(j->cli->arena, "%s/log.jsonl", j->out), j->t->step);
    return j->log != NULL;
}

bool lh_train_save(lh_train_job *j) {
    const lh_program *p = j->model.source.program;
    const double start = lh_seconds();
    bool is_saved =
        lh_trainer_save(j->t, j->writer,
                        &(lh_save){.program = lh_copy(j->cli->arena, p->source, p->length),
                                   .is_learned_alone = j->adapter != NULL,
                                   .data = j->text_mark,
                                   .set = j->set.set,
                                   .n_set = j->set.n});
    j->saved_at = lh_seconds();
    j->save_time = j->saved_at - start;
    return is_saved;
}

/* ---- all of it ---- */

static bool open_models(lh_train_job *j, const char *argument) {
    lh_cli *cli = j->cli;
    if (j->options->resume && !lh_model_is_folder(cli, argument)) return false;
    if (j->options->init && !lh_model_is_folder(cli, j->options->init)) return false;
    return lh_model_open(cli, argument, &j->model) && check_options(j, argument) &&
           (!j->options->init || lh_model_open(cli, j->options->init, &j->init)) &&
           lh_train_lora_rewrite(cli, &j->options->lora, &j->model,
                                 j->options->init ? &j->init : &j->model, j->options->resume);
}

/* What all processes must have in common, first of what is theirs before anything is read. */
static const char *say_what(const lh_train_job *j) {
    const lh_program *p = j->model.source.program;
    if (!p) return "";
    return lh_printf(j->cli->arena, "longhand %s\n%s", lh_version(),
                     lh_copy(j->cli->arena, p->source, p->length));
}

static const char *say_how(const lh_train_job *j) {
    lh_text out = lh_text_new(j->cli->arena);
    for (int i = 0; i < j->set.n; i++)
        lh_text_add(&out, "%s = %s\n", j->set.set[i].name, j->set.set[i].value);
    lh_text_add(&out, "--seed %d\n--batch %d\n--micro %d\n--pieces %d\n--precision %s\n",
                j->options->seed, batch_of(j), j->options->micro, j->pieces_of_batch,
                j->precision == LH_IN_BF16 ? "bf16" : "float");
    lh_text_add(&out, "%s\n--wire %s\n", j->sums.any_order ? "--any-order" : "a fixed order",
                j->sums.wire == LH_WIRE_BF16 ? "bf16" : "float");
    const lh_folder *f = begins_with(j);
    if (f) lh_text_add(&out, "weights of step %lld\n", f->step);
    return out.s;
}

static bool choose_pieces(lh_train_job *j) {
    j->threads = lh_train_ranks_threads(&j->ranks, j->options->threads, lh_pool_processors());
    j->pieces_of_batch = lh_train_ranks_pieces(&j->ranks, j->options->pieces,
                                               j->options->resume ? j->model.folder : NULL,
                                               batch_of(j), j->options->any_order);
    return j->pieces_of_batch >= 0;
}

bool lh_train_prepare(lh_train_job *j, const char *argument) {
    lh_train_ranks *r = &j->ranks;
    const bool is_good =
        open_models(j, argument) && (!lh_train_is_root(r) || is_free(j)) && choose_material(j);
    if (!lh_train_ranks_agree(r, is_good, say_what(j))) return false;
    if (!lh_train_ranks_agree(r, read_material(j), "")) return false;
    const bool is_set = find_tokens(j) && collect_settings(j) && choose_pieces(j);
    if (!lh_train_ranks_agree(r, is_set, say_how(j))) return false;
    if (!lh_train_ranks_agree(r, build(j), "")) return false;
    if (!lh_train_ranks_agree(r, draw_material(j), "")) return false;
    lh_train_say_model(j);
    if (make_trainer(j) && measure(j) && open_folder(j)) return true;
    lh_cli_report(j->cli);
    return false;
}
