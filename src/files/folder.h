/* folder -- a model on disk: a Hugging Face folder, with what is needed to go on training.
 *
 *     lh_folder_writer *w = lh_folder_create(ctx, "out", &(lh_folder_files){.config = &c, .generation = &g, .tokenizer = json});
 *     lh_folder_save(w, &(lh_save){.step = 100, .weight = e, .n_weights = n, .state = s, .n_states = m, ...});   again and again
 *     lh_folder_end(w);
 *
 *     lh_folder *f = lh_folder_open(ctx, "out");             f->weights, f->optimizer, f->step, f->config ...
 *     lh_folder_close(f);
 *
 *     config.json  generation_config.json  tokenizer.json    what the model is: written once, never changed by a save
 *     tokenizer_config.json
 *     model.safetensors                                      the weights; its metadata hold step, seed, position in the data,
 *                                                            settings, the program, and the name of the optimiser's file
 *     optimizer-STEP.safetensors                             the optimiser's states
 *     program.lh                                             the program, for people and other tools
 *
 * A save is one change: the renaming of model.safetensors. Before it the new optimiser file is written under a name that
 * the old model.safetensors does not mention; after it the old one is removed. So at every moment, whoever is killed and
 * wherever:
 *
 *     model.safetensors is whole, it is the old or the new one, and the optimiser file that it names is whole and its own.
 *
 * Other tools, which know config.json and model.safetensors alone, see the same. A folder that holds a model of other sizes
 * is refused by lh_folder_create, so that config.json always fits the weights.
 *
 * The program counts as it stands in program.lh, which a person can edit; in the metadata where there is no such file. A
 * save with another program removes program.lh before the renaming and writes it behind it, so that whoever is killed
 * leaves weights with their own program. A program.lh that was edited while training ran is left alone.
 *
 * An adapter (files/adapter.h) has adapter_config.json and adapter_model.safetensors in place of config.json and model.safetensors: what
 * learned, alone. Its weights are read together with those of the folder that it changes, `base`.
 *
 * Two programs may not write into one folder: the writer holds a lock on it to its end, and the second is refused.
 */
#ifndef LH_FILES_FOLDER_H
#define LH_FILES_FOLDER_H

#include <stdint.h>

#include "files/adapter.h"
#include "files/config.h"
#include "files/tensors.h"

enum { LH_MAX_STEP = INT32_MAX, LH_MAX_BATCH = 1000000, LH_MAX_MICRO = 1000000 };

typedef struct lh_folder lh_folder;

struct lh_folder {
    lh_context *ctx;
    lh_arena *arena;
    const char *path;
    const lh_adapter *adapter; /* NULL: the folder has all weights of its model */
    lh_folder *base;           /* of an adapter: the model that it changes */
    struct lh_gguf *gguf;      /* it is a GGUF file; else NULL */
    lh_config config;          /* model_type "": there is no config.json */
    lh_generation generation;
    bool allows_unused;    /* tensors that the program does not use are no error */
    lh_tensors *weights;   /* NULL: nothing was saved yet */
    lh_tensors *optimizer; /* NULL: weights from elsewhere, or see trouble */
    const char *trouble;   /* why there is no optimizer although the save had one, or NULL */
    bool is_saved;         /* Longhand wrote the weights: what stands below is known */
    long long step;        /* steps of training done */
    uint64_t seed, position;
    uint64_t batch;        /* examples in it; 0: not known */
    const char *precision; /* in which products were made: "float", "bf16" */
    uint64_t micro;        /* examples at a time; 0: all of a batch */
    uint64_t pieces;       /* that a batch is cut into; 0: it is not */
    const char *data;      /* which text was learned from, as the save said; or NULL */
    const lh_setting *set; /* as given by --set */
    int n_set;
    const char *program; /* its text, or NULL */
    size_t program_length;
    bool is_program_changed; /* program.lh is another one than the save's */
};

/* What a model is. NULL: not written. */
typedef struct lh_folder_files {
    const lh_config *config;
    const lh_generation *generation;
    const char *tokenizer; /* the text of tokenizer.json */
    const char *tokenizer_config, *chat_template;
    const lh_adapter *adapter; /* in place of a config */
} lh_folder_files;

/* A moment of training. */
typedef struct lh_save {
    long long step;
    uint64_t seed, position;
    uint64_t batch;        /* 0: not said */
    const char *precision; /* NULL: float */
    uint64_t micro;        /* 0: all examples of a batch at once */
    uint64_t pieces;       /* 0: the batch is not cut */
    const char *program;   /* NULL: none */
    const char *data; /* which text is learned from, in words of the caller's; NULL: not said */
    const lh_setting *set;
    int n_set;
    bool is_learned_alone; /* a trainer leaves out what does not learn: of an adapter */
    const lh_tensor_entry *weight;
    int n_weights;
    const lh_tensor_entry *state; /* of the optimiser */
    int n_states;
    lh_tensor_source source; /* of their data, where it is not here yet */
} lh_save;

typedef struct lh_folder_writer lh_folder_writer;

/* made where it is not there; NULL and the context failed */
lh_folder_writer *lh_folder_create(lh_context *ctx, const char *path, const lh_folder_files *files);
/* false: what was saved before is still there */
bool lh_folder_save(lh_folder_writer *w, const lh_save *save);
void lh_folder_end(lh_folder_writer *w); /* NULL is allowed */
/* a folder, or a GGUF file, which is read in place; NULL and the context failed */
lh_folder *lh_folder_open(lh_context *ctx, const char *path);
/* else there is an error, which says what to do with weights of another kind */
bool lh_folder_has_weights(const lh_folder *f);
bool lh_folder_is(const char *path); /* one of the two */
/* whole, in parts, a pickle or an adapter: nothing else is written over it */
bool lh_folder_holds_model(const char *path);
void lh_folder_close(lh_folder *f); /* NULL is allowed */

#endif
