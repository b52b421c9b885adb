/* cost_command -- what the text and the JSON of the bill share. */
#ifndef LH_COST_COMMAND_H
#define LH_COST_COMMAND_H

#include "cli/cli.h"
#include "cli/json_stream.h"
#include "eval/exact.h"
#include "eval/fast/wish.h"
#include "eval/fast/machine.h"
#include "eval/fast/profile.h"
#include "eval/fast/threads.h"
#include "explain/bill.h"
#include "pages/bill_json.h"
#include "train/shared_sums.h"

/* How work is cut into pieces, and what follows for 1, 2, 4 ... 64 cores. */
typedef struct lh_measured_cores {
    long pieces, runs;          /* runs: how often pieces are shared out */
    double serial;              /* seconds outside all pieces, on one thread */
    double longest;             /* the longest stretch for one thread: of those, or a piece */
    double with[LH_POOL_CORES]; /* seconds on 1 << i cores */
} lh_measured_cores;

/* A step, or the same step of every turn, as the fast evaluator does it. */
typedef struct lh_measured_row {
    const char *name, *key;
    int repeat; /* of the bill's outline, or -1 */
    lh_phase phase;
    const char *by;            /* its kernels: "layernorm, linear" */
    const char *by_definition; /* operations that have none: "+, sum" */
    double seconds, bytes;
    double flops; /* as the bill counts them; 0: it has no such row */
    lh_measured_cores cores;
} lh_measured_row;

typedef struct lh_measured {
    lh_machine machine;
    lh_measured_row *row;
    int n;
    double seconds, flops, bytes; /* of all rows */
    double memory;                /* at its peak: params, states and values */
    double kernel_seconds;        /* of works that have a kernel */
    int kernels, definitions;     /* works */
    bool is_training;             /* a whole step; else the forward pass */
    int examples;                 /* of a batch */
    lh_measured_cores cores;      /* of all rows */
    const char *device;           /* the GPU; NULL: the processor, and machine is known */
    const char *products;         /* ... what makes its products */
} lh_measured;

/* How it is run, measured or predicted. */
typedef struct lh_cost_how {
    int threads, batch; /* 0: as many as processors, one example */
    lh_precision precision;
    const lh_evaluator *with; /* NULL: lh_fast; or lh_cuda, measured alone */
    bool recomputes;          /* as train --recompute */
} lh_cost_how;

/* The program for the fast evaluator, and examples as long as the bill says. */
typedef struct lh_cost_model {
    lh_graph *g; /* NULL: the context failed */
    lh_node *end;
    lh_fast_wish own;
    lh_wish wish;   /* it points at end and own: the model stays where it is */
    lh_batch batch; /* none: the program's own */
    bool is_training;
    double needs;       /* bytes; 0 for the program's own examples */
    double rows;        /* tokens in a batch, of the first input; 0: none */
    const char *device; /* the name of the GPU, once there is a plan for it */
} lh_cost_model;

void lh_cost_model_new(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                       const lh_cost_how *how, lh_cost_model *m);
lh_plan *lh_cost_model_plan(lh_cli *cli, lh_cost_model *m); /* started and fed; NULL: failed */
void lh_cost_model_feed(const lh_cost_model *m, lh_plan *p);
/* a work to the row of its line */
void lh_measured_add(const lh_cli *cli, lh_measured *m, lh_outline *o, const lh_profile_work *w);

/* On a GPU (cost_gpu.c). */
lh_plan *lh_cost_gpu_plan(lh_cli *cli, lh_cost_model *m);
void lh_cost_gpu_works(lh_cli *cli, lh_plan *p, lh_outline *o, lh_measured *m);

/* false: reported */
bool lh_cost_measured(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                      const lh_cost_how *how, lh_measured *m);
void lh_print_measured(const lh_cli *cli, const lh_bill *b, const lh_measured *m);
void lh_print_cores(const lh_cli *cli, const lh_measured *m); /* cost_cores.c */
void lh_cores_add(lh_measured_cores *to, const lh_pool_counts *counts, double seconds);
void lh_cores_json(lh_json *j, const lh_measured_cores *c);
void lh_measured_json(lh_json *j, const lh_bill *b, const lh_measured *m);

/* A repeat that was measured with one turn and with two. */
typedef struct lh_predicted_repeat {
    const char *name;    /* the size that counts its turns */
    double turns, twice; /* seconds of a step in which it has two */
} lh_predicted_repeat;

typedef struct lh_predicted {
    double seconds, memory; /* of a step */
    double once;            /* seconds of a step in which every repeat has one turn */
    double rows;            /* tokens in it, or 0 */
    lh_predicted_repeat *repeat;
    int n;
    bool is_training;
} lh_predicted;

/* false: reported */
bool lh_cost_predicted(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                       const lh_cost_how *how, lh_predicted *p);
void lh_print_predicted(const lh_cli *cli, const lh_predicted *p);
void lh_predicted_json(lh_json *j, const lh_predicted *p);

/* the repeats that are tried with one turn and with two; the settings with all at one, but `two` at two (-1: none) */
void lh_cost_repeats(const lh_cli *cli, const lh_bill *b, lh_predicted *p);
lh_settings lh_cost_turned(const lh_cli *cli, const lh_settings *set, const lh_predicted *p,
                           int two);

/* --recompute (cost_recompute.c): a step of so many examples. */
typedef struct lh_recomputed {
    int examples;
    double memory, kept;      /* bytes with it, and without */
    double again, operations; /* floating-point operations that are done twice, of all */
} lh_recomputed;

/* false: reported */
bool lh_cost_recomputed(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                        const lh_cost_how *how, lh_recomputed *to);
void lh_print_recomputed(const lh_cli *cli, const lh_recomputed *x);
void lh_recomputed_json(lh_json *j, const lh_recomputed *x);

/* Several processes (cost_ranks.c): what the options say, ... */
typedef struct lh_cost_ranks_options {
    int ranks, pieces; /* 0: not said */
    bool any_order;
    const char *network, *latency, *wire;
} lh_cost_ranks_options;

/* ... what follows from them, ... */
typedef struct lh_cost_ranks_how {
    int ranks; /* 0: nothing is asked about several processes */
    int pieces, batch;
    double bandwidth, latency; /* bytes in a second, seconds */
    lh_shared_sums_how sums;
} lh_cost_ranks_how;

/* ... and what is predicted, for a step and of each process. */
typedef struct lh_cost_ranks {
    lh_cost_ranks_how how;
    double seconds, compute, communication;
    double alone; /* seconds of one process, for the whole batch in the same pieces */
    double efficiency;
    double memory, alone_memory; /* bytes; ... of one process that does the whole batch at once */
    double bytes, rounds;        /* sent or received; messages that wait for each other */
    double rows;                 /* tokens in a step */
} lh_cost_ranks;

/* batch: as it was said, or 0; then as it is. false: reported */
bool lh_cost_ranks_read(lh_cli *cli, const lh_cost_ranks_options *o, int *batch,
                        lh_cost_ranks_how *r);
bool lh_cost_ranks_predicted(lh_cli *cli, const lh_source *s, const lh_settings *set,
                             const lh_bill *b, const lh_cost_how *how, const lh_cost_ranks_how *r,
                             lh_cost_ranks *to);
void lh_print_cost_ranks(const lh_cli *cli, const lh_cost_ranks *p);
void lh_cost_ranks_json(lh_json *j, const lh_cost_ranks *p);

/* NULL: was not wanted */
void lh_cost_json(const lh_source *s, const lh_bill *b, const lh_measured *m, const lh_predicted *p,
                  const lh_cost_ranks *r, const lh_recomputed *x);

#endif
