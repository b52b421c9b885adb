/* generation -- generation_config.json of a model folder: how a model is meant to write.
 *
 *     lh_generation g;
 *     lh_generation_read(ctx, arena, "gpt2/generation_config.json", text, length, &g);
 *     char *json = lh_generation_text(ctx, arena, &g);         fields not known to us are kept
 *
 * Each field is honoured, known to change nothing that is written, or named in `odd`: what would make the model write in another way
 * than ours (several beams, words that are forbidden), and what is not known.
 *
 * Errors: in the context, with the file's name. Memory: all texts in the arena.
 */
#ifndef LH_FILES_GENERATION_H
#define LH_FILES_GENERATION_H

#include "base/context.h"

enum { LH_MAX_ENDS = 32, LH_MAX_ODD_WAYS = 16 };

typedef enum lh_is_sampled { LH_SAMPLING_NOT_SAID, LH_SAMPLED, LH_LIKELIEST } lh_is_sampled;

typedef struct lh_generation {
    int bos, eos;         /* -1: none; of several, the first */
    int end[LH_MAX_ENDS]; /* all tokens that end a text: n_ends */
    int n_ends;
    int max_new_tokens; /* 0: not said */
    int max_length;     /* with the prompt; 0: not said */
    int top_k;          /* 0: all */
    double temperature, top_p, min_p;
    double repetition_penalty;                  /* 1: none */
    double presence_penalty, frequency_penalty; /* 0: none */
    lh_is_sampled is_sampled;                   /* do_sample */
    const char *odd[LH_MAX_ODD_WAYS];           /* "num_beams is 4, which is not supported" */
    int n_odd;
    const char *kept; /* the file as it was read, or NULL */
} lh_generation;

void lh_generation_start(lh_generation *g);
bool lh_generation_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                        size_t length, lh_generation *g);
char *lh_generation_text(lh_context *ctx, lh_arena *a, const lh_generation *g);

#endif
