/* model -- what `train`, `sample` and `translate` begin with: a program, or a folder that holds a model. */
#ifndef LH_CLI_MODEL_H
#define LH_CLI_MODEL_H

#include "cli/cli.h"
#include "eval/exact.h"
#include "files/folder.h"
#include "files/weights.h"
#include "text/tokenizer.h"

typedef struct lh_model {
    const char *path;
    lh_folder *folder; /* NULL: a program alone */
    lh_source source;
    lh_settings set; /* of the folder: as saved, or from its config.json */
} lh_model;

bool lh_model_open(lh_cli *cli, const char *path, lh_model *m); /* false: already reported */
bool lh_model_is_folder(lh_cli *cli, const char *path);         /* false: already reported */
void lh_model_close(lh_model *m);
bool lh_model_has(
    const lh_program *p, lh_statement_kind kind,
    const char *name); /* size, const, or vocab of a number ("vocab" without a name) */
void lh_model_set(lh_cli *cli, lh_settings *s, const char *name,
                  const char *value); /* in place of what is there, or behind it */
lh_graph *lh_model_graph(lh_cli *cli, const lh_model *m,
                         const lh_settings *set); /* for the fast evaluator; NULL: reported */
lh_weights *lh_model_weights(lh_cli *cli, const lh_model *m,
                             const lh_graph *g); /* of its folder; NULL: the context failed */
bool lh_model_load(lh_cli *cli, const lh_model *m, const lh_graph *g,
                   lh_plan *p); /* them, into a plan of lh_fast; false: the context failed */
int lh_model_end(const lh_model *m, const lh_graph *g); /* the token that ends a text, or -1 */
int lh_model_begin(lh_cli *cli, const lh_tokenizer *t,
                   int end); /* the token that a text begins with */
int *lh_model_prompt(lh_cli *cli, const lh_tokenizer *t, const char *text, size_t length,
                     bool marks, int begin,
                     int *n); /* tokens in what the tokeniser puts around them, behind
                                            `begin` unless it is -1; NULL: the context failed */
bool lh_model_takes(lh_cli *cli, const lh_graph *g,
                    const lh_tokenizer *t);       /* has it every token? false: reported */
const char *lh_whole_text(lh_arena *a, double n); /* 124,439,808 */
const char *lh_bytes_text(lh_arena *a, double n); /* 0.8 GB */

#endif
