/* opened -- what `explain --prompt` and `look` begin with: a model in a folder, its tokeniser, and a prompt as tokens. */
#ifndef LH_OPENED_H
#define LH_OPENED_H

#include "cli/model.h"
#include "train/inside.h"

typedef struct lh_opened {
    lh_cli *cli;
    lh_model model;
    lh_tokenizer *tokens;
    lh_graph *g;
    lh_inside *in;
    int *id; /* the prompt: n */
    int n;
} lh_opened;

/* "-": the prompt is read from stdin; marks: special tokens in it count as such; false: reported */
bool lh_opened_open(lh_cli *cli, const char *path, const char *prompt, bool marks, int threads,
                    lh_opened *o);
void lh_opened_close(lh_opened *o);
const char *lh_opened_word(const lh_opened *o, int token); /* as it is shown: ␣cat */

#endif
