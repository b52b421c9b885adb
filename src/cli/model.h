/* model -- what `train`, `sample` and `translate` begin with: a program, or a folder that holds a model. */
#ifndef LH_CLI_MODEL_H
#define LH_CLI_MODEL_H

#include "cli/cli.h"
#include "eval/exact.h"
#include "files/folder.h"
#include "text/tokenizer.h"
#include "train/trained.h"

typedef struct lh_model {
    const char *path;
    lh_folder *folder; /* NULL: a program alone */
    lh_source source;
    lh_settings set; /* of the folder: as saved, or from its config.json */
} lh_model;

/* --allow-unused: tensors that the program does not use are no error. */
extern bool lh_model_allows_unused;
#define LH_OPTION_ALLOW_UNUSED                                                                     \
    {                                                                                              \
        "allow-unused", 0, LH_OPTION_FLAG, &lh_model_allows_unused, NULL,                          \
            "continue even if the program does not use all weights of the folder", 0, 0            \
    }

bool lh_model_open(lh_cli *cli, const char *path, lh_model *m); /* false: already reported */
bool lh_model_is_folder(lh_cli *cli, const char *path);         /* false: already reported */
/* does this folder hold none yet, for what is written there? false: already reported */
bool lh_model_may_go_to(lh_cli *cli, const char *folder);
void lh_model_close(lh_model *m);
/* for the fast evaluator; NULL: reported */
lh_graph *lh_model_graph(lh_cli *cli, const lh_model *m, const lh_settings *set);
/* them, into a plan of lh_fast; false: the context failed */
bool lh_model_load(lh_cli *cli, const lh_model *m, const lh_graph *g, lh_plan *p);
/* has it every token? m: NULL where what it was made with does not count; false: reported */
bool lh_model_takes(lh_cli *cli, const lh_model *m, const lh_graph *g, const lh_tokenizer *t);
/* Some tokenisers keep only so many tokens of a prompt: said, since nothing shows where a text was cut. */
void lh_model_tell_cut(lh_cli *cli, const lh_model *m, const lh_tokenizer *t, const char *text,
                       size_t length, bool marks);
const char *lh_whole_text(lh_arena *a, double n); /* 124,439,808 */
const char *lh_bytes_text(lh_arena *a, double n); /* 0.8 GB */

#endif
