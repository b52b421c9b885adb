/* mistakes -- the catalogue: known mistakes as rewrite rules in the notation, which apply to any program. */
#ifndef LH_LEARN_MISTAKES_H
#define LH_LEARN_MISTAKES_H

#include "graph/graph.h"

typedef struct lh_mistake {
    const char *name;
    const char *says;   /* what the learner did */
    const char *see;    /* the lesson that explains it, or NULL */
    const char *where;  /* "forward", "backward", "update", "later", "in", "in grad", or NULL */
    const char *of;     /* the function of `in` */
    const char *choice; /* the letter of *each i*, or NULL */
    bool is_same;       /* another way to the same number: no mistake */
    const lh_expr *const *from, *const *to;
    int n_rules;
} lh_mistake;

typedef struct lh_mistakes {
    lh_arena *arena;
    lh_program *program;
    lh_mistake *mistake;
    int n;
} lh_mistakes;

/* the catalogue, and those a lesson adds (own may be NULL); NULL and the context failed on error */
lh_mistakes *lh_mistakes_load(lh_context *ctx, const lh_program *own);
void lh_mistakes_free(lh_mistakes *m);
const lh_mistake *lh_mistakes_find(const lh_mistakes *m, const char *name);
/* fails the context: there is none of that name, but perhaps a similar one */
void lh_mistakes_refuse(lh_context *ctx, const lh_mistakes *m, const char *name);

enum { LH_MAX_REWRITES = 8 };

/* One way to make a mistake in a program. */
typedef struct lh_candidate {
    const lh_mistake *mistake;
    lh_step *step;                       /* the step that a learner writes and that goes wrong */
    lh_step *line;                       /* the step or inner line whose formula changes */
    int chosen;                          /* of *each*, or -1 */
    lh_rewrite rewrite[LH_MAX_REWRITES]; /* for lh_build: all happen together */
    int n_rewrites;
} lh_candidate;

/* Every way to make the catalogue's mistakes in this program: n of them, in a. */
lh_candidate *lh_candidates(lh_graph *g, const lh_mistakes *m, lh_arena *a, int *n);
/* The steps in which a mistake can be made, each once, but without `but`: "P dZ". */
char *lh_candidate_places(lh_arena *a, const lh_mistake *m, const lh_candidate *c, int n,
                          const lh_step *but);
/* for each node: the step a learner writes in whose formula it stands, or NULL; in a, or NULL without memory */
lh_step **lh_owners(const lh_graph *g, lh_arena *a);

#endif
