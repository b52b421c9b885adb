/* describe -- the files of a model folder beside its weights: what a model is, how it writes, and its tokens.
 *
 *     lh_folder_writer *w = lh_describe_folder("out", g, &(lh_describe){.from = folder, .tokens = tokens, .begin = -1, .end = -1});
 *
 * What the program computes decides what config.json says: the fields of the folder that training began from, where they mean this
 * program; those of another family that does; or a model_type of its own. Tokens, the ways of choosing them and the chat template go on as they
 * were there, where its tokeniser does.
 *
 * Errors: NULL and the graph's context failed.
 */
#ifndef LH_TRAIN_DESCRIBE_H
#define LH_TRAIN_DESCRIBE_H

#include "files/folder.h"
#include "text/tokenizer.h"

typedef struct lh_describe {
    const lh_folder *from;      /* whose weights training began with, or NULL */
    const lh_tokenizer *tokens; /* NULL: none are written */
    bool has_own_tokens;        /* they are not those of `from` */
    int begin, end;            /* tokens; -1: as `from` says, or <|endoftext|> where there is one */
    const lh_adapter *adapter; /* NULL: it is a whole model */
} lh_describe;

/* What config.json, or adapter_config.json, of a folder that Longhand saved says otherwise than the program, which counts; NULL: nothing. In the arena. */
const char *lh_describe_edited(lh_arena *a, const lh_graph *g, const lh_folder *f);
lh_folder_writer *lh_describe_folder(const char *path, const lh_graph *g, const lh_describe *how);

#endif
