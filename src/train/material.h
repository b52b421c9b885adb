/* material -- what a program learns from: a text, pairs of questions and answers, or a task that makes them.
 *
 *     lh_material *l = lh_material_new(ctx, program, &(lh_material_how){.file = "notes.txt"});
 *     if (l && lh_material_read(l) && lh_material_find_tokens(l)) ...
 *         g = lh_graph_build(ctx, program, ...);                   with a vocabulary of as many words as l->tokens has
 *         if (lh_material_draw_for(l, g)) t = lh_trainer_new(g, lh_material_feed(l), &how);
 *     lh_material_free(l);
 *
 * A program with an input `source` learns from pairs, as does every program of a task that has questions. All others learn from
 * running text or, where they generate until a token or lines are asked for, from lines.
 *
 * Of several ranks each reads a part of a file, and all call these functions together.
 *
 * Errors: NULL or false, and the context failed. Memory: its own arena. A text is copied, and gone once it is tokens.
 */
#ifndef LH_TRAIN_MATERIAL_H
#define LH_TRAIN_MATERIAL_H

#include "files/folder.h"
#include "train/pairs.h"
#include "train/text_data.h"

typedef struct lh_material_how {
    const char *name;      /* what messages call the text; NULL: its file, or what it is */
    const char *file;      /* to read; NULL: */
    const char *text;      /* ... a text, length bytes; NULL: of a task, or the course's own */
    size_t length;         /* ... */
    const char *task;      /* addition ...; NULL: none */
    const char *tokens;    /* char, word, bpe:N or a folder; NULL: char, or what fits the pairs */
    bool is_lines;         /* each line is an example */
    const lh_ranks *ranks; /* those who learn from it; NULL: this process alone */
} lh_material_how;

typedef struct lh_material {
    lh_context *ctx;
    lh_arena *arena;
    const char *name;      /* what messages call the text */
    const char *file;      /* ... is read from there, or NULL */
    const lh_ranks *ranks; /* each reads a part of the file; NULL: the text is all here */
    lh_arena *of_text;     /* until it is tokens; NULL from then on, but for pairs */
    const char *text;
    size_t length;
    /* which text it is: its bytes, on all ranks, and their sum (lh_text_sum) */
    uint64_t whole, sum;
    bool is_lines;
    bool is_pairs;
    lh_pairs_how how;    /* of pairs */
    const lh_vocab *own; /* of pairs: the program's own words, or NULL */
    lh_tokenizer *tokens;
    const char *tokens_from; /* char, word, bpe:N or a folder; or NULL */
    lh_data *data;           /* a text, or: */
    lh_pairs *pairs;         /* ... */
    int context;             /* tokens of an example at most */
    int end;                 /* the token that ends a text, or -1 */
} lh_material;

/* text or pairs? Nothing is read yet */
lh_material *lh_material_new(lh_context *ctx, const lh_program *p, const lh_material_how *how);
void lh_material_free(lh_material *l); /* NULL is allowed */
bool lh_material_read(lh_material *l);
bool lh_material_find_tokens(lh_material *l);           /* behind it */
bool lh_material_draw_for(lh_material *l, lh_graph *g); /* batches that this graph takes */
lh_feed lh_material_feed(const lh_material *l);         /* behind it; l must outlive the trainer */

/* config.json, generation_config.json and tokenizer.json of a folder for what is learned. `from`: whose config goes on; or NULL. */
lh_folder_writer *lh_material_folder(const char *path, const lh_graph *g, const lh_tokenizer *t,
                                     const lh_material *l, const lh_folder *from,
                                     const lh_adapter *adapter);

#endif
