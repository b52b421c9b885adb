/* family -- a model folder is a program: what the fields of its config.json mean, as a text in the notation.
 *
 *     const char *text = lh_family_program(ctx, arena, "smollm/config.json", json, length);      read it, run it, train it
 *
 * Each field of a config is honoured, known to be harmless, or refused with its name; none is passed over. Which is which stands in
 * one table for each family (family_fields.c). Fields that are left out have the family's usual values.
 *
 * Errors: in the context, with the file's name and the field. Memory: the text in the arena.
 */
#ifndef LH_FILES_FAMILY_H
#define LH_FILES_FAMILY_H

#include "graph/graph.h"

typedef struct lh_family lh_family;

struct lh_family {
    const char *type;         /* model_type in config.json */
    const char *name;         /* as people call it */
    const char *architecture; /* which of its models it is: the one that guesses words */
};

const lh_family *lh_family_find(const char *model_type); /* NULL: none of them */
int lh_family_count(void);
const lh_family *lh_family_at(int i);

/* The program that a config means; NULL and the context failed. */
const char *lh_family_program(lh_context *ctx, lh_arena *a, const char *file, const char *config,
                              size_t length);

/* Does a config mean a program that computes the same as this one, from weights of the same names, in a context that is no shorter?
 * is_as_long, unless NULL: nor longer. */
bool lh_family_describes(const lh_graph *g, const char *config, bool *is_as_long);

/* The fields of config.json that mean this program, as JSON; NULL: no family does. In the arena. */
const char *lh_family_config(lh_arena *a, const lh_graph *g);

#endif
