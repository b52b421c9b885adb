/* api_model -- what a longhand has beside a program and its numbers: weights of a file, what it learns from, a prompt.
 *
 * Which numbers the params have now:
 *
 *     the plan's          after longhand_write, _set_value or _update
 *     the trainer's       after longhand_learn
 *     the file's          after longhand_load or longhand_open_folder
 *     the program's       otherwise
 *
 * A new plan of the exact evaluator begins with them (fill_plan), and so does whatever reads a prompt (lh_api_weights).
 */
#ifndef LH_API_MODEL_H
#define LH_API_MODEL_H

#include "api/api.h"
#include "files/folder.h"
#include "files/weights.h"
#include "train/inside.h"
#include "train/material.h"
#include "train/trained.h"
#include "train/trainer.h"

typedef struct lh_api_model {
    lh_arena *arena;       /* as long as the program is open */
    lh_folder *folder;     /* that was opened, or NULL */
    lh_tensors *file;      /* that was loaded, or NULL */
    lh_tokenizer *tokens;  /* of the folder, or NULL */
    lh_material *material; /* what is learned from, or NULL */
    /* Where the material is from. A later call that names nothing to learn from learns from this. */
    lh_material_how source;
    lh_arena *of_source;

    /* Of the graph. */
    lh_trainer *trainer;       /* or NULL */
    lh_arena *of_params;       /* for `weights` */
    const lh_weights *weights; /* where params are read without a plan, or NULL */
    lh_arena *of_prompt;       /* for what follows */
    lh_inside *in;             /* reads the prompt; NULL: there is none */
    int *id, n;                /* its tokens */
} lh_api_model;

/* made when it is first needed; NULL: context failed */
lh_api_model *lh_api_model_of(longhand *lh);
/* the params as they are now, as float or as the file has them; NULL: context failed */
const lh_weights *lh_api_weights(longhand *lh, lh_arena *a);
void lh_api_wrap(lh_arena *a, lh_weight *w, const float *numbers); /* its numbers lie there */
/* it has a tokeniser that fits; or fails */
bool lh_api_takes_text(longhand *lh, lh_trained_text *t);
const lh_tokenizer *lh_api_tokens(const longhand *lh); /* or NULL */
bool lh_api_has_prompt(longhand *lh);                  /* false and the context failed */
void lh_api_end_prompt(longhand *lh);
void lh_api_forget_params(longhand *lh); /* they are about to change */
/* float or bf16; false: failed */
bool lh_api_precision(longhand *lh, const char *text, lh_precision *p);

#endif
