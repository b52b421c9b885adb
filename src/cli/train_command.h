/* train_command -- what the files of `longhand train` share: how training goes, shown as it goes; questions and answers as data. */
#ifndef LH_TRAIN_COMMAND_H
#define LH_TRAIN_COMMAND_H

#include "eval/fast/wish.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "train/material.h"
#include "train/matcher.h"
#include "train/trainer.h"

typedef struct lh_train_show {
    lh_cli *cli;
    bool in_place;           /* one line, written over and over; otherwise a line now and then */
    int steps;               /* in all */
    int first;               /* done before this run */
    int every;               /* a plain line so often */
    double start, next_time; /* seconds: when it began; when the line is written again */
    double val;              /* the last one; nan: none yet */
    double best_val;
    double tokens; /* seen in this run */
    double *loss;  /* [n] of each step of this run */
    int n, cap;
} lh_train_show;

/* Whoever read what is printed (| head) may have gone: that is said once, and then nothing is printed. SIGPIPE is ignored. */
void lh_show_mind_reader(void);

void lh_show_begin(lh_train_show *s, lh_cli *cli, int first, int steps, int every);
bool lh_show_add(lh_train_show *s, const lh_trainer *t);   /* a step was done; false: no memory */
void lh_show_step(lh_train_show *s, const lh_trainer *t);  /* a line now and then */
void lh_show_line(lh_train_show *s, int step);             /* now, whatever the time */
void lh_show_held_out(lh_train_show *s, int done, int of); /* in place, where there is a terminal */
void lh_show_keep(lh_train_show *s);  /* the line stays: what follows stands below it */
void lh_show_clear(lh_train_show *s); /* room for other words */
double lh_show_mean(const lh_train_show *s, int last); /* of the last so many losses */
/* the plot, what came of it, the command to try it */
void lh_show_end(lh_train_show *s, const char *out, const char *try);
void lh_show_free(lh_train_show *s);

/* What options say (train_how.c); false: it is none, and a message was written. NULL as text: nothing was said. */
bool lh_train_positive(lh_cli *cli, const char *name, const char *text, double *x);
bool lh_train_time(lh_cli *cli, const char *text, double *seconds); /* 90, 90s, 10m, 1.5h */
/* which text: a sum of it, its name, its length */
const char *lh_train_mark(lh_arena *a, const char *name, uint64_t sum, uint64_t length);
/* says so where the folder learned from another text */
void lh_train_compare(const lh_folder *f, const char *mark);
/* ... then as the folder says; NULL: float */
bool lh_train_precision(lh_cli *cli, const char *text, const lh_folder *resumed, lh_precision *to);
/* false and reported: the processor has no products in bf16 */
bool lh_train_has_precision(lh_cli *cli, const char *text, lh_precision precision);
int lh_train_micro(int option, const lh_folder *resumed);
int lh_train_rounded(double n, int most); /* 1234 to 1200: a number of steps that one can say */

/* Training on pairs (train_pairs.c). */
typedef struct lh_train_pairs {
    lh_cli *cli;
    const lh_material *material;
    lh_matcher *matcher;
    lh_matched matched; /* when it was last looked at */
} lh_train_pairs;

/* m: drawn for g. false: the context failed */
bool lh_train_pairs_make(lh_train_pairs *p, lh_cli *cli, const lh_material *m, lh_graph *g,
                         int threads);
void lh_train_pairs_say(const lh_train_pairs *p); /* what is learned from */
/* counts, and shows a few answers */
void lh_train_pairs_look(lh_train_pairs *p, const lh_trainer *t, bool is_last);
void lh_train_pairs_free(lh_train_pairs *p);

/* LoRA (train_lora.c). */
typedef struct lh_train_lora {
    int rank; /* 0: none is asked for */
    const char *on, *alpha;
} lh_train_lora;

/* `from`: who has the weights. false: already reported */
bool lh_train_lora_rewrite(lh_cli *cli, const lh_train_lora *how, lh_model *m, const lh_model *from,
                           bool resumes);
lh_load lh_train_lora_load(const lh_model *m, const lh_folder *from, bool resumes);
/* what is saved is an adapter; NULL: a model */
const lh_adapter *lh_train_lora_adapter(lh_cli *cli, const lh_model *m, const lh_folder *from,
                                        const lh_graph *g);
void lh_train_lora_say(lh_cli *cli, const lh_graph *g);

/* One of several processes (train_ranks.c). */
typedef struct lh_train_ranks {
    lh_cli *cli;
    lh_ranks *ranks; /* NULL: this process is alone */
    bool is_asked;   /* it was started by mpirun or its like, alone or not */
    bool is_joined;  /* who fails ends all: they would wait for it */
    FILE *said;      /* what this rank wrote on stderr; NULL: it goes there directly */
    int errors;      /* where that goes in the end */
} lh_train_ranks;

bool lh_train_ranks_begin(lh_train_ranks *r, lh_cli *cli); /* false: already reported */
bool lh_train_is_root(const lh_train_ranks *r);
/* Is it good on all of them, and do all say the same of themselves? Lines "what it is"; false: already reported. */
bool lh_train_ranks_agree(lh_train_ranks *r, bool is_good, const char *who);
void lh_train_ranks_part(lh_train_ranks *r); /* all come to an end together, and rank 0 says why */
void lh_train_ranks_end(lh_train_ranks *r, int status);
int lh_train_ranks_threads(const lh_train_ranks *r, int asked, int processors);
/* -1: refused, and reported. In any order one process alone need not cut its batch */
int lh_train_ranks_pieces(const lh_train_ranks *r, int asked, const lh_folder *resumed, int batch,
                          bool any_order);
/* wire: float, bf16, or NULL; false: reported */
bool lh_train_ranks_sums(lh_cli *cli, bool any_order, const char *wire, lh_shared_sums_how *to);
/* the line about another order, and an empty one */
void lh_train_ranks_say_apart(const lh_train_ranks *r, const lh_shared_sums_how *how, double apart);

const char *lh_time_text(lh_arena *a, double seconds); /* 40 s, 12 min, 3 h 20 min */

#endif
