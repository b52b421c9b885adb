/* trained -- a model in a folder: its program, settings, tokens and weights, ready to be built.
 *
 *     lh_folder *f = lh_folder_open(ctx, "out");
 *     lh_found text;
 *     lh_program *p = lh_trained_program(f, arena, &text);                    as saved, or what config.json means
 *     const lh_setting *set = lh_trained_settings(f, arena, p, &n);
 *     lh_graph *g = lh_graph_build(ctx, p, &(lh_build){.set = set, .n_set = n, .without_examples = true});
 *     lh_weights *w = lh_trained_weights(f, arena, g);
 *     int *id = lh_trained_prompt(&(lh_trained_text){g, tokens, end}, arena, "The cat", 7, false, NULL, &n);
 *
 * Errors: NULL or false, and the folder's (or the graph's) context has failed. Memory: in the arena.
 */
#ifndef LH_TRAIN_TRAINED_H
#define LH_TRAIN_TRAINED_H

#include "files/folder.h"
#include "files/weights.h"
#include "learn/lesson.h"
#include "text/tokenizer.h"
#include "train/sample.h"

bool lh_trained_is_folder(lh_context *ctx, const char *path);
bool lh_trained_has(const char *path, const char *file); /* is there such a file in it? */
/* the caller frees it; text: where it stands */
lh_program *lh_trained_program(const lh_folder *f, lh_arena *a, lh_found *text);
/* as saved, or from config.json */
const lh_setting *lh_trained_settings(const lh_folder *f, lh_arena *a, const lh_program *p, int *n);
/* false and the context failed: tensors of the folder are left over, and it does not allow that */
bool lh_trained_uses_all(lh_context *ctx, lh_arena *a, const lh_folder *f, const lh_weights *w);
lh_weights *lh_trained_weights(const lh_folder *f, lh_arena *a, const lh_graph *g);

/* In place of the setting of that name, or behind the others. */
void lh_setting_put(lh_arena *a, lh_setting **set, int *n, const char *name, const char *value);
/* size, const, or vocab of a number ("vocab") */
bool lh_program_has(const lh_program *p, lh_statement_kind kind, const char *name);

/* What is written and read by a model. */
typedef struct lh_trained_text {
    const lh_graph *g;
    const lh_tokenizer *tokens;
    int end;                 /* the token that ends a text, or -1 */
    bool marks;              /* <|im_start|> in a text is the mark, not these letters */
    const lh_folder *folder; /* whose tokens they are; or NULL */
} lh_trained_text;

int lh_trained_end(const lh_folder *f, const lh_graph *g); /* as the folder says, or the program */
lh_choice lh_trained_choice(const lh_folder *f); /* how it is meant to write; NULL: as usual */
int lh_trained_begin(const lh_trained_text *t);  /* the token that a text begins with */
/* has the vocabulary every token, also those that end a text as the folder says? */
bool lh_trained_takes(const lh_trained_text *t);

/* A text as tokens, in what the tokeniser puts around them. Where lines were learned it follows the end of a line; an empty one is a
 * beginning if `begins`. `begin`, unless NULL: that first token, or -1. */
int *lh_trained_prompt(const lh_trained_text *t, lh_arena *a, const char *text, size_t length,
                       bool begins, int *begin, int *n);

#endif
