/* trainer -- training at full speed: draw a batch, run, update; hold out, save, go on.
 *
 *     lh_trainer *t = lh_trainer_new(g, lh_data_feed(data), &(lh_trainer_how){.batch = 12, .seed = 1});
 *     lh_trainer_load(t, folder, LH_LOAD_ALL);                             weights, optimiser, step: as they were saved
 *     while (t->step < 1000 && lh_trainer_step(t)) printf("%d %g\n", t->step, t->loss);
 *     double v = lh_trainer_validate(t, 20);                            the mean loss of 20 held-out batches, forward only
 *     lh_trainer_save(t, writer, &(lh_save){.program = text, .set = set, .n_set = n});
 *     lh_trainer_free(t);
 *
 * A step is decided by the numbers in params and states, by the step's number and by the seed. All of these are saved: a run that
 * goes on comes to the same bits as one that was never interrupted, with any number of threads.
 *
 * With ranks, every call below that draws, steps, looks or saves is made by all of them together; rank 0 looks and saves.
 *
 * A loss that is no number ends training before its update: params and states are as the step before left them.
 *
 * Errors: in the graph's context. Memory: the plan's, which lh_trainer_new asks for whole; a save copies nothing.
 */
#ifndef LH_TRAIN_TRAINER_H
#define LH_TRAIN_TRAINER_H

#include "eval/fast/wish.h"
#include "files/folder.h"
#include "files/weights.h"
#include "train/feed.h"
#include "train/batch_parts.h"

typedef struct lh_trainer_how {
    int batch;
    uint64_t seed;
    int threads; /* 0: as many as the machine has */
    int micro; /* examples at a time (train/batch_parts.h); 0, or as many as the batch: all at once */
    /* layers are computed again for their gradients, in less memory (eval/plan_again.c) */
    bool recomputes;
    lh_precision precision;   /* of large products; params and states are in float */
    const lh_evaluator *with; /* NULL: lh_fast; threads are its alone */
    /* Where its memory is not this machine's: what a plan will take, and whether that is there. NULL: nobody is asked before */
    double (*needs)(lh_graph *g, const lh_wish *wish, const lh_batch *batch);
    bool (*fits)(lh_context *ctx, double bytes);
    int pieces; /* that a batch is cut into, so that ranks can share it (train/shared_sums.h); 0: it is not */
    const lh_ranks *ranks;   /* NULL: this process is alone */
    lh_shared_sums_how sums; /* how theirs are added up; zero: in a fixed order */
} lh_trainer_how;

typedef struct lh_trainer {
    lh_graph *g;
    lh_feed feed;
    lh_trainer_how how;
    const lh_evaluator *with;
    lh_arena *arena;
    lh_plan *plan;   /* holds params and states, and makes the updates */
    lh_parts *parts; /* NULL: the plan makes everything at once */
    /* the loss alone, without its gradients, from the plan's params; NULL: made for the next look */
    lh_plan *look;
    lh_drawn_batch *held_out; /* a batch for it: as many examples as are run at a time */
    lh_weights *params, *states;
    lh_drawn_batch *batch;
    int step;     /* steps done */
    double loss;  /* of the last step, before its update */
    bool is_lost; /* the loss of step + 1 is no number */
} lh_trainer;

/* Held-out batches, one after the other: whoever shows how far it is counts along. */
typedef struct lh_held_out {
    int i, of;     /* batches done, and in all */
    double sum, n; /* of losses, each times its examples; of examples */
} lh_held_out;

/* Can it be trained on text, or on pairs? False and the context failed: it says what is missing. */
bool lh_trainer_takes(const lh_graph *g);

double lh_trainer_params(const lh_graph *g); /* how many numbers are learned */
double lh_trainer_frozen(const lh_graph *g); /* how many weights are not */

/* Bytes for params, gradients and states, on each of several ranks: what any batch takes comes on top. Known before a plan is made. */
double lh_trainer_least_memory(const lh_graph *g, const lh_ranks *ranks);

/* The numbers of --seed in place of the program's own: starts, dropout. */
void lh_trainer_seed(lh_graph *g, uint64_t seed);

/* NULL and the context failed */
lh_trainer *lh_trainer_new(lh_graph *g, lh_feed feed, const lh_trainer_how *how);
void lh_trainer_free(lh_trainer *t); /* NULL is allowed */
/* What of a folder is taken. */
typedef enum lh_load {
    LH_LOAD_WEIGHTS,
    LH_LOAD_FROZEN, /* of the weights those that do not learn: the others start as the program says */
    LH_LOAD_ALL     /* weights, states and step */
} lh_load;

/* false and the context failed: before a trainer is made */
bool lh_trainer_can_load(const lh_graph *g, const lh_folder *f, lh_load what);
bool lh_trainer_load(lh_trainer *t, const lh_folder *f, lh_load what);
double lh_trainer_memory(const lh_trainer *t); /* bytes, all of it */
/* gives back memory that only a step needs, before a look; the next step takes it again */
void lh_trainer_rest(lh_trainer *t);
double lh_trainer_try(lh_trainer *t);      /* seconds of a step that changes nothing; < 0: failed */
double lh_trainer_try_look(lh_trainer *t); /* likewise, of one look at a batch, or at a part */
/* of the gradients of the next batch, where their order is not fixed: lh_parts_apart. It changes nothing */
double lh_trainer_apart(lh_trainer *t);
bool lh_trainer_step(lh_trainer *t);     /* false: the context failed, or is_lost */
bool lh_trainer_is_sound(lh_trainer *t); /* runs the next step without its update: before a save */
/* mean loss of so many held-out batches; nan: none */
double lh_trainer_validate(lh_trainer *t, int most);
lh_held_out lh_trainer_held_out(const lh_trainer *t, int most); /* the same, batch by batch: */
bool lh_trainer_hold_out(lh_trainer *t, lh_held_out *h); /* one more; false: it was the last */
/* program and settings from `with` */
bool lh_trainer_save(lh_trainer *t, lh_folder_writer *w, const lh_save *with);

/* When is_lost: the line and the formula where it began. The program is built again for it, with the settings of its graph:
 * they must still be there. False: there is no memory to look. */
bool lh_trainer_trouble(lh_trainer *t, lh_text *formula, int *line);

#endif
