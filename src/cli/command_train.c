/* command_train -- longhand train MODEL: learns from a text, and keeps what it learned in a folder. */
#include "cli/train_command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/version.h"
#include "cli/model.h"
#include "cli/character_stream.h"
#include "eval/fast/threads.h"
#include "files/training_log.h"
#include "files/tokenizer_file.h"
#include "train/text_data.h"
#include "train/floats.h"
#include "train/generate.h"
#include "train/describe.h"
#include "train/lora.h"
#include "train/text_part.h"

static struct {
    const char *data, *task, *tokens, *until, *time, *rate, *init, *out, *precision, *backend,
        *wire, *device;
    lh_settings set;
    int batch, micro, pieces, steps, every, seed, threads;
    lh_train_lora lora;
    bool lines, resume, any_order;
} options = {.seed = -1, .out = NULL};

static const lh_option train_options[] = {
    {"data", 0, LH_OPTION_TEXT, &options.data, "FILE", "the text to learn from (the course's own)",
     0, 0},
    {"task", 0, LH_OPTION_TEXT, &options.task, "TASK",
     "generated data: addition, sort, reverse, copy, translate, names", 0, 0},
    {"tokens", 0, LH_OPTION_TEXT, &options.tokens, "KIND",
     "char (default), word, bpe:N, or a folder with a tokenizer.json", 0, 0},
    {"lines", 0, LH_OPTION_FLAG, &options.lines, NULL,
     "each line is an example (default where the program generates until a token)", 0, 0},
    {"set", 0, LH_OPTION_SETTINGS, &options.set, "NAME=VALUE",
     "another value for a size or const; several may follow", 0, 0},
    {"batch", 0, LH_OPTION_INT, &options.batch, "N", "examples in a batch (12)", 1, 1000000},
    {"micro", 0, LH_OPTION_INT, &options.micro, "N",
     "process a batch N examples at a time: the same step in less memory", 1, 1000000},
    {"pieces", 0, LH_OPTION_INT, &options.pieces, "N",
     "cut a batch into N pieces that are added up in a fixed order: the same bits for any number "
     "of processes (under "
     "mpirun: 8)",
     1, 1000000},
    {"any-order", 0, LH_OPTION_FLAG, &options.any_order, NULL,
     "under mpirun: add up gradients in whatever order is fastest, and say how far that is from "
     "the "
     "fixed one",
     0, 0},
    {"wire", 0, LH_OPTION_TEXT, &options.wire, "KIND",
     "under mpirun: gradients are sent as float (default) or bf16, half as many bytes", 0, 0},
    {"precision", 0, LH_OPTION_TEXT, &options.precision, "KIND",
     "precision of large matrix products: float (default) or bf16; weights stay in float", 0, 0},
    {"backend", 0, LH_OPTION_TEXT, &options.backend, "NAME",
     "the evaluator that trains: fast (default), exact or wide, which are slow", 0, 0},
    LH_OPTION_DEVICE(options.device),
    {"steps", 0, LH_OPTION_INT, &options.steps, "N",
     "stop after N updates (1000); also sets the program's const steps", 1, 100000000},
    {"until", 0, LH_OPTION_TEXT, &options.until, "LOSS",
     "stop when the mean loss of 20 steps is down to this", 0, 0},
    {"time", 0, LH_OPTION_TEXT, &options.time, "TIME", "stop after 90s, 10m, 2h", 0, 0},
    {"rate", 0, LH_OPTION_TEXT, &options.rate, "R", "learning rate: the program's const rate", 0,
     0},
    {"every", 0, LH_OPTION_INT, &options.every, "N",
     "every N updates measure the held-out loss, write a sample and save (ten times, in at most a "
     "tenth of the time)",
     1, 100000000},
    {"seed", 's', LH_OPTION_INT, &options.seed, "N",
     "random seed of batches, initial weights and dropout (the program's)", 0, INT_MAX},
    {"threads", 0, LH_OPTION_INT, &options.threads, "N", "threads (one per processor)", 1, 256},
    {"init", 0, LH_OPTION_TEXT, &options.init, "FOLDER",
     "start from the weights and the tokeniser of another model", 0, 0},
    {"lora", 0, LH_OPTION_INT, &options.lora.rank, "N",
     "LoRA: learn two small matrices of rank N beside each large one, which stays as it is", 1,
     LH_LORA_MOST},
    {"lora-on", 0, LH_OPTION_TEXT, &options.lora.on, "NAMES",
     "which matrices: WQ,WV or q_proj,v_proj (all that are multiplied with in layers)", 0, 0},
    {"lora-alpha", 0, LH_OPTION_TEXT, &options.lora.alpha, "A",
     "what the small matrices add counts A / N times (A = 2 N)", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"resume", 0, LH_OPTION_FLAG, &options.resume, NULL, "continue where the folder was saved", 0,
     0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER", "folder for the model (out)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum {
    BATCH = 12,
    STEPS = 1000,
    MANY_STEPS = 100000,
    WINDOW = 64,
    SLOW = 1,        /* seconds of a step that need not be measured twice */
    LOOK_SHARE = 10, /* looks take a tenth of the time at most, */
    SAVE_SHARE = 20, /* and saves a twentieth, unless --every says how often */
    LEAST_HELD_OUT = 4,
    HELD_OUT = 20,
    SMOOTH = 20,
    NAMES = 10000
};

typedef struct job {
    lh_cli *cli;
    lh_train_ranks ranks;
    lh_model model;
    lh_model init; /* --init: weights from there */
    const char *out;
    const char *text_name, *text;
    size_t length;
    const char *text_mark; /* which text it is: lh_train_mark */
    lh_arena *text_arena;
    lh_tokenizer *tokens;
    lh_settings set;
    lh_graph *g;
    const lh_adapter *adapter; /* LoRA: small matrices alone are saved */
    lh_data *data;             /* a text, or: */
    bool is_pairs;
    lh_train_pairs pairs;
    lh_trainer *t;
    lh_folder_writer *writer;
    lh_log *log;
    int threads, pieces_of_batch;
    int steps, every, end;      /* end: the token that ends a line, or -1 */
    int sampled;                /* the step of the last sample */
    bool is_over, looks, saves; /* what rank 0 decided after the last step */
    double until, seconds, step_time;
    double looked;    /* seconds spent on looks so far */
    double look_time; /* what the next one may take: at first an estimate */
    double save_time; /* of the last save */
    double saved_at;  /* when it was */
    lh_precision precision;
    lh_shared_sums_how sums;
    double apart; /* how far gradients are from those in the fixed order; nan: not known */
    const lh_evaluator *with;
    lh_train_show show;
} job;

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t is_stopped;

/* The step is finished and saved; who cannot wait asks a second time. */
static void stop(int signal_number) {
    (void)signal_number;
    is_stopped = 1;
}

/* What the shell had us ignore (nohup, a job in the background) stays so. */
static void listen_to_signals(void) {
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, a = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(wanted[i], &a, NULL);
}

/* ---- options ---- */

static bool check_options(job *j, const char *argument) {
    lh_cli *cli = j->cli;
    double rate;
    if (!lh_train_positive(cli, "until", options.until, &j->until) ||
        !lh_train_time(cli, options.time, &j->seconds) ||
        !lh_train_positive(cli, "rate", options.rate, &rate))
        return false;
    const lh_folder *f = j->model.folder;
    if (!lh_train_ranks_sums(cli, options.any_order, options.wire, &j->sums)) return false;
    if (!lh_train_precision(cli, options.precision, options.resume ? f : NULL, &j->precision))
        return false;
    if (options.backend && options.device) {
        lh_cli_fail(
            cli, "--device chooses the evaluator, and so does --backend: use only one of the two");
        return false;
    }
    j->with = options.backend ? lh_cli_evaluator(cli, options.backend)
                              : lh_cli_device(cli, options.device, j->precision);
    if (!j->with && options.backend) lh_cli_report(cli);
    if (!j->with) return false;
    if (j->precision == LH_IN_BF16 && j->with != &lh_fast) {
        lh_cli_fail(cli, "products in bf16 are made by the evaluator fast, not by %s",
                    j->with->name);
        return false;
    }
    j->out = options.out ? options.out : f && options.resume ? argument : "out";
    if (options.resume && options.init) {
        lh_cli_fail(cli, "--resume continues a run, --init starts one: use only one of the two");
        return false;
    }
    if (options.resume && strcmp(j->out, argument) != 0) {
        lh_cli_fail(cli, "--resume saves in the folder where it began: %s, not %s", argument,
                    j->out);
        return false;
    }
    return true;
}

/* A folder with a model in it is not begun anew by mistake. */
static bool is_free(job *j) {
    struct stat st;
    const bool is_there = lh_adapter_is(j->out) ||
                          stat(lh_printf(j->cli->arena, "%s/model.safetensors", j->out), &st) == 0;
    if (options.resume || !is_there) return true;
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

/* ---- the text ---- */

/* The folder that the tokeniser is read from; NULL: it is made from the text. */
static const char *vocabulary_of(const job *j) {
    const lh_folder *f = j->init.folder ? j->init.folder : j->model.folder;
    struct stat st;
    const char *spec = options.tokens ? options.tokens : f ? f->path : NULL;
    return spec && strcmp(spec, "char") != 0 && strcmp(spec, "word") != 0 && stat(spec, &st) == 0
               ? spec
               : NULL;
}

/* A text that several processes read, each a part of it. */
static bool is_shared_text(const job *j) {
    return j->ranks.ranks && options.data && !j->is_pairs;
}

/* A file, a task, or the course. Of a task of pairs nothing is read: its examples are made as they are drawn. Of a shared text rank 0
 * reads all of it here, where there is a vocabulary to be found in it, and lets go of it again. */
static const char *find_text(job *j) {
    const lh_train_task *task = options.task ? lh_train_task_find(options.task) : NULL;
    if (is_shared_text(j) && (!lh_train_is_root(&j->ranks) || vocabulary_of(j))) return "";
    if (options.data)
        return lh_file_read(j->cli->ctx, j->text_arena,
                            strcmp(options.data, "-") ? options.data : "/dev/stdin", &j->length);
    if (j->is_pairs) return "";
    if (task) return lh_train_task_text(j->text_arena, task, 0, NAMES, &j->length);
    return lh_data_course(j->text_arena, &j->length);
}

static void mark_text(job *j, uint64_t sum, uint64_t length) {
    j->text_mark = lh_train_mark(j->cli->arena, j->text_name, sum, length);
    if (options.resume && lh_train_is_root(&j->ranks))
        lh_train_compare(j->model.folder, j->text_mark);
}

/* Does it learn from pairs, and is there a text? Nothing is read yet; false: reported. */
static bool choose_text(job *j) {
    j->is_pairs = lh_train_is_pairs(&j->pairs, j->cli, j->model.source.program, options.task,
                                    options.data != NULL);
    if (j->pairs.is_refused) return false;
    j->text_name = options.data ? options.data : options.task ? options.task : "the course's text";
    if (!j->ranks.ranks || !options.data || strcmp(options.data, "-") != 0) return true;
    lh_cli_fail(j->cli, "several processes cannot share what comes from a pipe");
    fprintf(stderr, "--data FILE, which all of them can read\n");
    return false;
}

static bool read_text(job *j) {
    lh_context *ctx = j->cli->ctx;
    j->text_arena = lh_arena_new(ctx);
    if (!j->text_arena) return lh_cli_report(j->cli), false;
    j->text = find_text(j);
    j->pairs.how.name = j->text_name, j->pairs.how.text = j->text, j->pairs.how.length = j->length;
    if (lh_failed(ctx)) return lh_cli_report(j->cli), false;
    if (!is_shared_text(j)) mark_text(j, lh_text_sum(j->text, j->length), j->length);
    return true;
}

/* This process's part. */
static bool read_part(job *j) {
    lh_text_part part;
    lh_arena_free(j->text_arena);
    j->text_arena = lh_arena_new(j->cli->ctx);
    if (!j->text_arena ||
        !lh_text_part_read(j->cli->ctx, j->text_arena, options.data, j->ranks.ranks, &part))
        return false;
    j->text = part.text, j->length = part.length;
    mark_text(j, part.sum, part.whole);
    return true;
}

/* What rank 0 found in the text, for all. */
static lh_tokenizer *share_tokens(job *j) {
    lh_text json = lh_text_new(j->cli->arena);
    lh_tokenizer *t = NULL;
    if (lh_train_is_root(&j->ranks)) {
        t = lh_data_tokenizer(j->cli->ctx, options.tokens, j->text_name, j->text, j->length);
        if (t) lh_tokenizer_write_json(&json, t);
    }
    const char *text =
        lh_ranks_tell_text(j->ranks.ranks, j->cli->arena, json.s); /* "": it failed */
    return t || lh_failed(j->cli->ctx) || !text
               ? t
               : lh_tokenizer_read_json(j->cli->ctx, j->text_name, text, strlen(text));
}

/* The tokeniser of a model that is gone on with is its own. */
static bool find_tokens(job *j) {
    const lh_folder *f = j->init.folder ? j->init.folder : j->model.folder;
    const char *spec = options.tokens ? options.tokens : f ? f->path : NULL;
    if (j->is_pairs)
        j->tokens = lh_train_pairs_tokens(&j->pairs, spec);
    else if (is_shared_text(j) && !vocabulary_of(j))
        j->tokens = share_tokens(j);
    else
        j->tokens = lh_data_tokenizer(j->cli->ctx, spec, j->text_name, j->text, j->length);
    if (j->tokens) return true;
    lh_cli_report(j->cli);
    return false;
}

static void put_setting(job *j, const char *name, const char *value) {
    lh_setting_put(j->cli->arena, &j->set.set, &j->set.n, name, value);
}

static bool set_const(job *j, const char *option, const char *name, const char *value) {
    if (!value) return true;
    if (lh_program_has(j->model.source.program, LH_S_CONST, name)) {
        put_setting(j, name, value);
        return true;
    }
    lh_cli_fail(j->cli, "--%s sets the const %s, but %s has no such const", option, name,
                j->model.source.name);
    return false;
}

/* Of the folder, of the text, of the options, in this order: the later counts. */
static bool collect_settings(job *j) {
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
        put_setting(j, "vocab", lh_printf(cli->arena, "%d", lh_tokenizer_count(j->tokens)));
    j->steps = options.steps ? options.steps : j->seconds > 0 || j->until > 0 ? MANY_STEPS : STEPS;
    for (int i = 0; i < first->n && options.resume && !options.steps; i++)
        if (strcmp(first->set[i].name, "steps") == 0) j->steps = atoi(first->set[i].value);
    if (lh_program_has(p, LH_S_CONST, "steps"))
        put_setting(j, "steps", lh_printf(cli->arena, "%d", j->steps));
    if (!set_const(j, "rate", "rate", options.rate)) return false;
    for (int i = 0; i < options.set.n; i++)
        put_setting(j, options.set.set[i].name, options.set.set[i].value);
    return true;
}

/* ---- the model ---- */

static bool fits_in_memory(job *j) {
    const double least = lh_trainer_least_memory(j->g, j->ranks.ranks),
                 has = (double)j->cli->ctx->memory_limit;
    if (has <= 0 || least < has) return true;
    lh_cli_fail(j->cli, "params, gradients and optimiser need %s, but the machine has only %s",
                lh_bytes_text(j->cli->arena, least), lh_bytes_text(j->cli->arena, has));
    fprintf(stderr, "smaller sizes: --set layers=... dim=...\n");
    return false;
}

static int batch_of(const job *j) {
    const lh_folder *f = j->model.folder;
    if (options.batch) return options.batch;
    if (options.resume && f->step > 0 && f->position % (uint64_t)f->step == 0)
        return (int)(f->position / (uint64_t)f->step);
    return BATCH;
}

static bool make_data(job *j) {
    const int context = lh_generator_context(j->g, WINDOW);
    if (j->is_pairs) return lh_train_pairs_make(&j->pairs, j->g, j->tokens, context, j->threads);
    bool is_lines = options.lines || options.task || (j->g->generate && j->g->generate->until);
    lh_data_how how = {.name = j->text_name, .context = context, .is_lines = is_lines};
    if (is_shared_text(j) && !read_part(j)) return false;
    if (is_shared_text(j)) how.ranks = j->ranks.ranks;
    j->data = lh_data_new(j->cli->ctx, j->tokens, &how, j->text, j->length);
    lh_arena_free(j->text_arena);
    j->text_arena = NULL;
    j->end = j->data && is_lines ? j->data->newline : -1;
    return j->data != NULL;
}

static bool make_trainer(job *j) {
    lh_folder *f = j->model.folder;
    uint64_t seed = (uint64_t)j->g->seed;
    if (options.resume) seed = f->seed;
    if (options.seed >= 0) seed = (uint64_t)options.seed;
    lh_trainer_how how = {.batch = batch_of(j),
                          .seed = seed,
                          .threads = j->threads,
                          .pieces = j->pieces_of_batch,
                          .ranks = j->ranks.ranks,
                          .sums = j->sums,
                          .micro = lh_train_micro(options.micro, options.resume ? f : NULL),
                          .precision = j->precision,
                          .with = j->with};
    if (options.seed >= 0 || options.resume) lh_trainer_seed(j->g, seed);
    j->t = lh_trainer_new(j->g, j->is_pairs ? lh_pairs_feed(j->pairs.pairs) : lh_data_feed(j->data),
                          &how);
    lh_folder *from = j->init.folder ? j->init.folder : f;
    if (j->t && from)
        lh_trainer_load(j->t, from, lh_train_lora_load(&j->model, from, options.resume));
    return j->t && !lh_failed(j->cli->ctx);
}

/* What rank 0 measured is what all go by. */
static double try_step(job *j) {
    double took = lh_trainer_try(j->t);
    lh_ranks_tell(j->ranks.ranks, &took, sizeof took);
    return took;
}

/* One step to warm up, a few to measure; none changes anything. Where only a time is given, it decides how many steps
 * there are, so that a learning rate that falls towards the end knows where the end is. */
static bool measure(job *j) {
    double took = try_step(j);
    int n = took > SLOW; /* warming up counts for little in a step of seconds */
    for (took *= n; n < 10 && took < 0.1 && !lh_failed(j->cli->ctx); n++) took += try_step(j);
    if (lh_failed(j->cli->ctx)) return false;
    j->step_time = took / n;
    j->apart = j->sums.any_order || j->sums.wire ? lh_trainer_apart(j->t) : NAN;
    j->look_time = LEAST_HELD_OUT * lh_trainer_try_look(j->t);
    if (lh_failed(j->cli->ctx)) return false;
    if (options.time && !options.steps && !options.resume) {
        j->steps = lh_train_rounded(0.9 * j->seconds / j->step_time,
                                    10 * MANY_STEPS); /* looking up and saving take the rest */
        const lh_step *s = lh_graph_step(j->g, "steps");
        if (s && s->node->given && lh_program_has(j->model.source.program, LH_S_CONST, "steps")) {
            lh_fast.set(j->t->plan, s->node, (lh_cell){0, 0, 0, 0}, j->steps);
            put_setting(j, "steps", lh_printf(j->cli->arena, "%d", j->steps));
        }
    }
    j->every = options.every ? options.every : j->steps / 10;
    if (!options.every && j->every > 1000) j->every = 1000;
    if (j->every < 1) j->every = 1;
    return true;
}

static bool open_folder(job *j) {
    if (!lh_train_is_root(&j->ranks)) return true;
    const lh_folder *f = j->init.folder ? j->init.folder : j->model.folder;
    const lh_pairs *pairs = j->is_pairs ? j->pairs.pairs : NULL;
    j->adapter = lh_train_lora_adapter(j->cli, &j->model, f, j->g);
    j->writer = lh_describe_folder(j->out, j->g,
                                   &(lh_describe){.from = f,
                                                  .tokens = j->tokens,
                                                  .has_own_tokens = options.tokens != NULL,
                                                  .begin = pairs ? pairs->start : -1,
                                                  .end = pairs ? pairs->end : j->end,
                                                  .adapter = j->adapter});
    if (j->writer)
        j->log =
            lh_log_open(j->cli->ctx, lh_printf(j->cli->arena, "%s/log.jsonl", j->out), j->t->step);
    return j->log != NULL;
}

static bool save(job *j) {
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

/* ---- what is said ---- */

static void say_text(const job *j) {
    lh_arena *a = j->cli->arena;
    const lh_data *d = j->data;
    if (d->line)
        printf("%s: %s lines, %s tokens; every tenth line is held out\n", j->text_name,
               lh_whole_text(a, (double)d->n_lines), lh_whole_text(a, (double)d->n));
    else
        printf("%s: %s tokens; %s\n", j->text_name, lh_whole_text(a, (double)d->n),
               d->n > d->n_train ? "the last tenth is held out"
                                 : "too few to hold out a tenth of them");
    if (d->n_cut)
        printf("%s lines are longer than the context of %d and are cut\n",
               lh_whole_text(a, (double)d->n_cut), d->how.context);
}

/* What is known at once, before the first step is measured: a large model takes a while for that. */
static void say_model(const job *j) {
    lh_ink_print(j->cli, stdout, LH_INK_BOLD, "%s", j->model.source.name);
    printf("   %s parameters, %d %s\n",
           lh_whole_text(j->cli->arena, lh_trainer_params(j->g) + lh_trainer_frozen(j->g)),
           lh_tokenizer_count(j->tokens),
           j->tokens->kind == LH_TOKENS_CHARS ? "characters" : "tokens");
    lh_train_lora_say(j->cli, j->g);
    if (j->is_pairs)
        lh_train_pairs_say(&j->pairs);
    else
        say_text(j);
    fflush(stdout);
}

/* Whoever writes a sample; NULL: nobody can. */
static lh_generator *open_writer(const job *j) {
    if (!j->g->generate || !j->data || lh_failed(j->cli->ctx)) return NULL;
    return lh_generator_new(j->g, &(lh_generator_how){.context = j->data->how.context,
                                                      .choice = {.temperature = 0.8, .top_p = 1},
                                                      .seed = (uint64_t)j->t->step,
                                                      .end = j->end,
                                                      .threads = j->threads});
}

/* After a step and a look, the process holds all but what a sample takes. */
static double memory_of(const job *j) {
    lh_generator *w = open_writer(j);
    const double sample = w ? w->needs : 0;
    lh_generator_free(w);
    return lh_memory_used() + sample;
}

static int threads_of(const job *j) {
    return j->threads ? j->threads : lh_pool_processors();
}

static const char *say_shares(const job *j) {
    const lh_ranks *r = j->ranks.ranks;
    lh_arena *a = j->cli->arena;
    const bool is_cut = j->pieces_of_batch && !(r && j->sums.any_order);
    const char *pieces = is_cut ? lh_printf(a, " in %d pieces", j->pieces_of_batch) : "";
    if (!r) return pieces;
    return lh_printf(a, "%s for %d processes of %d thread%s%s%s", pieces, r->n, threads_of(j),
                     threads_of(j) > 1 ? "s" : "",
                     j->sums.any_order ? ", added up in any order" : "",
                     j->sums.wire == LH_WIRE_BF16 ? ", gradients sent in bf16" : "");
}

static void say_start(job *j) {
    lh_arena *a = j->cli->arena;
    const int left = j->steps - j->t->step;
    printf("memory %s; ", lh_bytes_text(a, memory_of(j)));
    printf("batches of %d%s%s%s, about %s a step: %s for %s%d steps%s\n", j->t->how.batch,
           j->t->how.micro && j->t->parts ? lh_printf(a, ", %d at a time", j->t->how.micro) : "",
           say_shares(j), j->precision == LH_IN_BF16 ? ", products in bf16" : "",
           j->step_time < 1 ? lh_printf(a, "%.3g ms", 1e3 * j->step_time)
                            : lh_time_text(a, j->step_time),
           lh_time_text(a, left * j->step_time), options.until ? "at most " : "", left,
           j->t->step ? lh_printf(a, " from step %d on", j->t->step) : "");
    lh_train_ranks_say_apart(&j->ranks, &j->sums, j->apart);
    fflush(stdout);
}

enum { SAMPLE = 160, SAMPLE_LINES = 5 };

/* A line's end moves the text in; of running text this goes on, where lines are learned a new one begins. */
static void put_piece(const job *j, lh_character_stream *text, int token) {
    size_t n = 0;
    const char *piece =
        token < lh_tokenizer_count(j->tokens) ? lh_tokenizer_piece(j->tokens, token, &n) : NULL;
    if (piece) lh_character_stream_put(text, piece, n);
}

static void put_sample(const job *j, lh_generator *w) {
    const int first = j->data->newline >= 0 ? j->data->newline : lh_data_token(j->data, 0);
    for (int line = 0, n = 0; line < (j->end >= 0 ? SAMPLE_LINES : 1); line++) {
        lh_character_stream text = {.out = stdout, .line_end = "\n    "};
        int token;
        lh_generator_prompt(w, &first, 1);
        fputs(line ? "\n    " : "    ", stdout);
        for (; n < SAMPLE && (token = lh_generator_next(w)) >= 0; n++) put_piece(j, &text, token);
        lh_character_stream_end(&text);
    }
}

/* What the model writes now. Its plan is made for this and gone after it: memory is for training. */
static void say_sample(job *j) {
    lh_generator *w = open_writer(j);
    if (!w) return;
    lh_floats_copy(w->plan, j->t->plan, j->g);
    lh_ink_on(j->cli, stdout, LH_INK_QUIET);
    put_sample(j, w);
    lh_ink_off(j->cli, stdout);
    putchar('\n');
    lh_generator_free(w);
}

static void say_how_to_go_on(const job *j) {
    printf("continue with: longhand train %s --resume%s%s%s%s%s\n", j->out,
           options.data ? " --data " : "", options.data ? options.data : "",
           options.task ? " --task " : "", options.task ? options.task : "",
           options.lines ? " --lines" : "");
}

/* The step is known from the loop; which line began it, from running the step again with everything kept. */
static int say_lost(job *j) {
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

/* ---- training ---- */

/* A time that is given is the time for all: what is left over is enough for a save. */
static bool is_at_end(const job *j) {
    if (is_stopped || j->t->step >= j->steps) return true;
    if (j->seconds > 0 && lh_seconds() - j->show.start + j->save_time >= j->seconds) return true;
    return j->until > 0 && j->show.n >= SMOOTH && lh_show_mean(&j->show, SMOOTH) <= j->until;
}

/* Without --every, looks take a tenth of the time at most; the first half second of them is free, so that a run of a moment
 * has something to show. */
static bool is_time_to_look(const job *j) {
    if (j->t->step % j->every != 0) return false;
    const double now = lh_seconds();
    return options.every ||
           LOOK_SHARE * (j->looked + j->look_time - 0.5) <= now - j->show.start + j->look_time;
}

static bool is_time_to_save(const job *j) {
    return options.every || j->is_over || lh_seconds() - j->saved_at >= SAVE_SHARE * j->save_time;
}

/* Clocks and signals are rank 0's: all do what it decided. */
static void decide(job *j) {
    j->is_over = is_at_end(j);
    j->looks = j->show.n && (j->is_over || is_time_to_look(j));
    j->saves = is_time_to_save(j);
    int32_t all = j->is_over | j->looks << 1 | j->saves << 2;
    lh_ranks_tell(j->ranks.ranks, &all, sizeof all);
    j->is_over = all & 1, j->looks = all >> 1 & 1, j->saves = all >> 2 & 1;
}

/* More batches where there is time for them: their mean is steadier. */
static double hold_out(job *j) {
    const int most = j->every / 10;
    lh_held_out h = lh_trainer_held_out(j->t, most < LEAST_HELD_OUT ? LEAST_HELD_OUT
                                              : most > HELD_OUT     ? HELD_OUT
                                                                    : most);
    while (lh_trainer_hold_out(j->t, &h)) lh_show_held_out(&j->show, h.i, h.of);
    return h.n > 0 ? h.sum / h.n : NAN;
}

/* What rank 0 alone does after a look: it says and notes what was seen. */
static void say_look(job *j) {
    lh_train_show *s = &j->show;
    lh_show_line(s, j->t->step);
    lh_show_keep(s);
    if (j->is_pairs)
        lh_train_pairs_look(&j->pairs, j->t, j->is_over);
    else
        say_sample(j);
    const double exact = lh_matched_share(&j->pairs.matched);
    const lh_log_value v[] = {{"loss", j->t->loss}, {"val", s->val}, {"exact", exact}};
    lh_log_add(j->log, j->t->step, v, isnan(s->val) ? 1 : isnan(exact) ? 2 : 3);
}

/* Held-out loss, a sample, a save: now and then, and at the end. */
static bool look_up(job *j) {
    lh_train_show *s = &j->show;
    const double start = lh_seconds();
    if (!lh_trainer_is_sound(j->t)) return false; /* what is saved can be gone on with */
    s->val = hold_out(j);
    if (!isnan(s->val) && !(s->val >= s->best_val)) s->best_val = s->val;
    if (lh_train_is_root(&j->ranks)) say_look(j);
    j->sampled = j->t->step;
    bool is_saved = !j->saves || save(j);
    j->look_time = lh_seconds() - start;
    j->looked += j->look_time;
    return is_saved;
}

static bool train(job *j) {
    for (decide(j); !j->is_over;) {
        if (!lh_trainer_step(j->t)) return false;
        if (!lh_show_add(&j->show, j->t)) {
            lh_fail(j->cli->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
            return false;
        }
        decide(j);
        if (!j->looks && lh_train_is_root(&j->ranks)) {
            lh_show_step(&j->show, j->t);
            lh_log_add(j->log, j->t->step, &(lh_log_value){"loss", j->t->loss}, 1);
        }
        if (j->looks && !look_up(j)) return false;
    }
    return j->sampled == j->t->step || look_up(j);
}

static int finish(job *j) {
    if (!train(j)) {
        if (j->t->is_lost) lh_train_ranks_part(&j->ranks);
        if (j->t->is_lost) return say_lost(j);
        lh_show_clear(&j->show);
        lh_cli_report(j->cli);
        fprintf(stderr, "%s has the model as it was last saved\n", j->out);
        return LH_EXIT_FAILED;
    }
    lh_show_end(&j->show, j->out,
                lh_printf(j->cli->arena, "longhand %s %s%s", j->is_pairs ? "translate" : "sample",
                          j->out, j->is_pairs ? " TEXT" : ""));
    if (is_stopped || j->t->step < j->steps) say_how_to_go_on(j);
    return LH_EXIT_YES;
}

static bool open_models(job *j, const char *argument) {
    lh_cli *cli = j->cli;
    if (options.resume && !lh_model_is_folder(cli, argument)) return false;
    if (options.init && !lh_model_is_folder(cli, options.init)) return false;
    return lh_model_open(cli, argument, &j->model) && check_options(j, argument) &&
           (!options.init || lh_model_open(cli, options.init, &j->init)) &&
           lh_train_lora_rewrite(cli, &options.lora, &j->model, options.init ? &j->init : &j->model,
                                 options.resume);
}

/* What all processes must have in common, first of what is theirs before anything is read. */
static const char *say_what(const job *j) {
    const lh_program *p = j->model.source.program;
    if (!p) return "";
    return lh_printf(j->cli->arena, "longhand %s\n%s", lh_version(),
                     lh_copy(j->cli->arena, p->source, p->length));
}

static const char *say_how(const job *j) {
    lh_text out = lh_text_new(j->cli->arena);
    for (int i = 0; i < j->set.n; i++)
        lh_text_add(&out, "%s = %s\n", j->set.set[i].name, j->set.set[i].value);
    lh_text_add(&out, "--seed %d\n--batch %d\n--micro %d\n--pieces %d\n--precision %s\n",
                options.seed, batch_of(j), options.micro, j->pieces_of_batch,
                j->precision == LH_IN_BF16 ? "bf16" : "float");
    lh_text_add(&out, "%s\n--wire %s\n", j->sums.any_order ? "--any-order" : "a fixed order",
                j->sums.wire == LH_WIRE_BF16 ? "bf16" : "float");
    const lh_folder *f = j->init.folder ? j->init.folder : j->model.folder;
    if (f) lh_text_add(&out, "weights of step %lld\n", f->step);
    return out.s;
}

static bool choose_pieces(job *j) {
    j->threads = lh_train_ranks_threads(&j->ranks, options.threads, lh_pool_processors());
    j->pieces_of_batch =
        lh_train_ranks_pieces(&j->ranks, options.pieces, options.resume ? j->model.folder : NULL,
                              batch_of(j), options.any_order);
    return j->pieces_of_batch >= 0;
}

/* The graph, if it can be trained here and from there; false: reported. */
static bool build(job *j) {
    lh_cli *cli = j->cli;
    const lh_folder *from = j->init.folder ? j->init.folder : j->model.folder;
    j->g = lh_model_graph(cli, &j->model, &j->set);
    if (!j->g) return false;
    if (lh_trainer_takes(j->g) && (!lh_model_takes(cli, j->g, j->tokens) || !fits_in_memory(j)))
        return false;
    if (!lh_failed(cli->ctx) && lh_lora_fits(j->g) &&
        (!from ||
         lh_trainer_can_load(j->g, from, lh_train_lora_load(&j->model, from, options.resume))))
        return true;
    lh_cli_report(cli);
    return false;
}

/* Everything up to the first step; false: reported. */
static bool prepare(job *j, const char *argument) {
    lh_cli *cli = j->cli;
    const bool is_good =
        open_models(j, argument) && (!lh_train_is_root(&j->ranks) || is_free(j)) && choose_text(j);
    if (!lh_train_ranks_agree(&j->ranks, is_good, say_what(j))) return false;
    if (!lh_train_ranks_agree(&j->ranks, read_text(j), "")) return false;
    const bool is_set = find_tokens(j) && collect_settings(j) && choose_pieces(j);
    if (!lh_train_ranks_agree(&j->ranks, is_set, say_how(j))) return false;
    if (!lh_train_ranks_agree(&j->ranks, build(j), "")) return false;
    const bool has_data = make_data(j) || (lh_cli_report(cli), false);
    if (!lh_train_ranks_agree(&j->ranks, has_data, "")) return false;
    say_model(j);
    if (make_trainer(j) && measure(j) && open_folder(j)) return true;
    lh_cli_report(cli);
    return false;
}

static int begin(job *j, const char *argument) {
    if (!prepare(j, argument)) return LH_EXIT_FAILED;
    say_start(j);
    if (j->t->step >= j->steps) {
        printf("%s already has %d steps; --steps %d continues\n", j->out, j->t->step,
               2 * j->t->step);
        return LH_EXIT_YES;
    }
    if (j->t->step == 0 && !save(j)) return lh_cli_report(j->cli); /* is there room? is it ours? */
    j->sampled = j->t->step;
    listen_to_signals();
    const int left = j->steps - j->t->step;
    lh_show_begin(&j->show, j->cli, j->t->step, j->steps, left > 20 ? left / 20 : 1);
    return finish(j);
}

static int run(lh_cli *cli, int argc, char **argv) {
    job j = {.cli = cli, .end = -1};
    (void)argc;
    int status = lh_train_ranks_begin(&j.ranks, cli) ? begin(&j, argv[0]) : LH_EXIT_FAILED;
    lh_train_ranks_end(&j.ranks, status);
    lh_show_free(&j.show);
    lh_log_close(j.log);
    lh_folder_end(j.writer);
    lh_trainer_free(j.t);
    lh_train_pairs_free(&j.pairs);
    lh_data_free(j.data);
    lh_graph_free(j.g);
    lh_tokenizer_free(j.tokens);
    lh_arena_free(j.text_arena);
    lh_model_close(&j.init);
    lh_model_close(&j.model);
    return status;
}

const lh_command lh_command_train = {
    .name = "train",
    .synopsis = "LESSON|FILE|FOLDER [options]",
    .summary = "Trains a model on a text at full speed, and saves it in a folder.",
    .examples =
        "longhand train gpt\ta first try: the course's own text\n"
        "longhand train gpt --data notes.txt --set layers=6 dim=384 heads=6 context=256 -o notes\n"
        "longhand train gpt --data notes.txt --tokens bpe:1000 --time 10m -o notes\tten minutes\n"
        "longhand train notes --resume --data notes.txt --steps 9000\tcontinue it\n"
        "longhand train gpt --init gpt2 --data notes.txt --rate 1e-4 -o mine\tfine-tune\n"
        "longhand train gpt --data notes.txt --batch 64 --micro 8 --precision bf16\tless memory, "
        "faster products\n"
        "longhand train micro --data names.txt -o names\ta line is an example\n"
        "longhand train adder --task addition -o sums\tgenerated questions and answers\n"
        "longhand train classic --task translate -o spanish\tEnglish to Spanish, from a small "
        "grammar",
    .notes = "The program says what is learned and how; --set changes its sizes and consts. Ctrl-C "
             "finishes the step, saves and says how to continue; SIGTERM and SIGHUP do the same. "
             "The folder is a Hugging Face folder with the program, the optimiser's states and "
             "log.jsonl in addition to the weights. The last tenth of the text is held out.",
    .options = train_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
