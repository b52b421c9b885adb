/* command_train -- longhand train MODEL: learns from a text, and keeps what it learned in a folder. */
#include <limits.h>
#include <signal.h>

#include "base/number.h"
#include "cli/train_job.h"
#include "train/lora.h"

static lh_train_options options = {.seed = -1};

static const lh_option train_options[] = {
    {"data", 0, LH_OPTION_TEXT, &options.data, "FILE", "the text to learn from (the course's own)",
     0, 0},
    {"task", 0, LH_OPTION_TEXT, &options.task, "TASK",
     "generated data: addition, sort, reverse, copy, translate, names", 0, 0},
    {"tokens", 0, LH_OPTION_TEXT, &options.tokens, "KIND",
     "char (default), word, bpe:N, or a folder with a tokenizer.json", 0, 0},
    {"lines", 0, LH_OPTION_FLAG, &options.lines, NULL,
     "each line is an example (default where the program generates until a token)", 0, 0},
    LH_OPTION_SET(options.set),
    {"batch", 0, LH_OPTION_INT, &options.batch, "N", "examples in a batch (12)", 1, 1000000},
    {"micro", 0, LH_OPTION_INT, &options.micro, "N",
     "process a batch N examples at a time: the same step in less memory", 1, 1000000},
    {"recompute", 0, LH_OPTION_FLAG, &options.recompute, NULL,
     "keep only what enters each layer, and compute the rest again for its gradients: the same "
     "bits in less memory, with two forward passes through the layers",
     0, 0},
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
    LH_OPTION_THREADS(options.threads),
    {"init", 0, LH_OPTION_TEXT, &options.init, "FOLDER",
     "start from the weights and the tokeniser of another model", 0, 0},
    {"lora", 0, LH_OPTION_INT, &options.lora.rank, "N",
     "LoRA: train two low-rank matrices (rank N) for each large one, which is frozen", 1,
     LH_LORA_MOST},
    {"lora-on", 0, LH_OPTION_TEXT, &options.lora.on, "NAMES",
     "which matrices: WQ,WV or q_proj,v_proj (all that the layers multiply by)", 0, 0},
    {"lora-alpha", 0, LH_OPTION_TEXT, &options.lora.alpha, "A",
     "multiply what the low-rank matrices add by A / N (A = 2 N)", 0, 0},
    LH_OPTION_ALLOW_UNUSED,
    {"resume", 0, LH_OPTION_FLAG, &options.resume, NULL, "continue where the folder was saved", 0,
     0},
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER", "folder for the model (out)", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static int begin(lh_train_job *j, const char *argument) {
    if (!lh_train_prepare(j, argument)) return LH_EXIT_FAILED;
    if (j->t->step >= j->steps) {
        printf("%s already has %d step%s, and --steps is %d: nothing is left to do; --steps %d "
               "continues\n",
               j->out, j->t->step, LH_PLURAL(j->t->step), j->steps, 2 * j->t->step);
        return LH_EXIT_YES;
    }
    lh_train_say_start(j);
    /* is there room? is it ours? */
    if (j->t->step == 0 && !lh_train_save(j)) return lh_cli_report(j->cli);
    return lh_train_steps(j);
}

static int run(lh_cli *cli, int argc, char **argv) {
    lh_train_job j = {.cli = cli, .options = &options};
    (void)argc;
    signal(SIGPIPE, SIG_IGN); /* training is worth more than what it prints */
    int status = lh_train_ranks_begin(&j.ranks, cli) ? begin(&j, argv[0]) : LH_EXIT_FAILED;
    lh_train_ranks_end(&j.ranks, status);
    lh_show_mind_reader();
    lh_show_free(&j.show);
    lh_log_close(j.log);
    lh_folder_end(j.writer);
    lh_trainer_free(j.t);
    lh_train_pairs_free(&j.pairs);
    lh_material_free(j.material);
    lh_graph_free(j.g);
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
        "longhand train gpt --data notes.txt --set layers=24 context=4096 --recompute\ta long "
        "context in less memory\n"
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
