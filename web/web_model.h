/* web_model -- the model that lives in a page: one at a time, trained there (web_fast.c) or opened from the reader's disk (web_disk.c). */
#ifndef LH_WEB_MODEL_H
#define LH_WEB_MODEL_H

#include "train/generate.h"
#include "train/text_data.h"
#include "train/trained.h"
#include "train/trainer.h"
#include "web.h"

typedef struct lh_web_model {
    lh_arena *arena; /* settings, and what is asked for by name */
    lh_program *program;
    lh_tokenizer *tokens; /* NULL: a model without words, whose tokens are numbers */
    lh_graph *g;
    int end;              /* the token of a text's or line's end, or -1 */
    lh_generator *writer; /* of the last sample, which `more` goes on with; or NULL */
    /* learned here, or NULL */
    lh_data *data;
    lh_trainer *t;
    /* opened from a disk, or NULL */
    lh_folder *folder;
    lh_weights *weights;
} lh_web_model;

extern lh_web_model lh_web_now;

void lh_web_model_close(void);
bool lh_web_model_is_open(lh_web *w);                                  /* false: failed */
int *lh_web_model_prompt(lh_web *w, const char *text, int *n);         /* as tokens; NULL: failed */
const char *lh_web_model_piece(lh_web *w, int token);                  /* as it is read */
void lh_web_open_model(lh_web *w, int n, const char *const *argument); /* open_model FOLDER */

#endif
