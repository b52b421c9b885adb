/* train_job -- one run of longhand train: what was asked for, what is known of it so far, and what its parts do with it. */
#ifndef LH_TRAIN_JOB_H
#define LH_TRAIN_JOB_H

#include "cli/model.h"
#include "cli/train_command.h"
#include "files/training_log.h"
#include "train/material.h"

typedef struct lh_train_options {
    const char *data, *task, *tokens, *until, *time, *rate, *init, *out, *precision, *backend,
        *wire, *device;
    lh_settings set;
    int batch, micro, pieces, steps, every, seed, threads;
    lh_train_lora lora;
    bool lines, resume, any_order, recompute;
} lh_train_options;

typedef struct lh_train_job {
    lh_cli *cli;
    const lh_train_options *options;
    lh_train_ranks ranks;
    lh_model model;
    lh_model init; /* --init: weights from there */
    const char *out;
    lh_material *material; /* what it learns from */
    const char *text_mark; /* which text that is: lh_train_mark */
    lh_settings set;
    lh_graph *g;
    const lh_adapter *adapter; /* LoRA: small matrices alone are saved */
    lh_train_pairs pairs;
    lh_trainer *t;
    lh_folder_writer *writer;
    lh_log *log;
    int threads, pieces_of_batch;
    int steps, every;
    int sampled;                /* the step of the last sample */
    bool is_over, looks, saves; /* what rank 0 decided after the last step */
    double until, seconds, step_time;
    double step_memory; /* bytes of the process after a step was tried */
    double looked;      /* seconds spent on looks so far */
    double look_time;   /* what the next one may take: at first an estimate */
    double save_time;   /* of the last save */
    double saved_at;    /* when it was */
    lh_precision precision;
    lh_shared_sums_how sums;
    double apart; /* how far gradients are from those in the fixed order; nan: not known */
    const lh_evaluator *with;
    lh_train_show show;
} lh_train_job;

enum { LH_TRAIN_LEAST_HELD_OUT = 4 }; /* batches in a look */

/* Everything up to the first step (train_prepare.c); false: reported. */
bool lh_train_prepare(lh_train_job *j, const char *argument);
bool lh_train_save(lh_train_job *j);

/* All of them; what the program ends with (train_steps.c). */
int lh_train_steps(lh_train_job *j);

/* What is said (train_say.c). */
void lh_train_say_model(const lh_train_job *j);
void lh_train_say_start(lh_train_job *j);
void lh_train_say_sample(lh_train_job *j);     /* what the model writes now */
void lh_train_say_rest(const lh_train_job *j); /* how to continue */
int lh_train_say_lost(lh_train_job *j);        /* the loss is no number any more */

#endif
