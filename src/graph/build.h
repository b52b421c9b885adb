/* build -- what the files that make a graph share: the builder, names, paths. Not for other folders. */
#ifndef LH_GRAPH_BUILD_H
#define LH_GRAPH_BUILD_H

#include "graph/graph.h"

typedef struct lh_builder {
    lh_graph *g;
    const lh_build *how;
    const lh_statement **fn; /* functions: the program's own, then the prelude's */
    int n_fns;
    const lh_statement **rule; /* gradient rules, likewise */
    int n_rules;
    int n_own_fns, n_own_rules;     /* the first so many are the program's own */
    lh_scope *scope;                /* where names are made now */
    int inside;                     /* > 0: in a body or rule: messages point at the call */
    const lh_statement *active[32]; /* functions being called now: none may call itself */
    int n_active;
    int depth; /* of repeat blocks */
    const char *seed_kind;
    unsigned long long seed;
    int seed_number;
    bool has_backward;
    int n_rewritten;           /* lines changed by a rewrite so far */
    const lh_setting *setting; /* whose value is being built, or NULL */
} lh_builder;

/* of the prelude: itself, or what computes the same; or NULL (twin.c) */
const lh_statement *lh_fn_known(const lh_builder *b, const lh_statement *fn);
/* whatever their names are */
bool lh_fn_computes_same(const lh_statement *own, const lh_statement *other);
void lh_node_find_constant(const lh_graph *g, lh_node *n); /* sets is_known (axis.c) */
lh_node *lh_node_new(lh_graph *g, lh_op_id kind, int n_in, lh_node *const *in);

/* Scopes and names (scope.c). */
lh_scope *lh_scope_new(lh_graph *g, lh_scope_kind kind, lh_scope *parent, lh_scope *outer,
                       const char *path);
lh_node *lh_scope_find(const lh_scope *s, const char *name); /* here or further out, or NULL */
lh_node *lh_scope_here(const lh_scope *s, const char *name); /* here alone, or NULL */
void lh_scope_bind(lh_graph *g, lh_scope *s, const char *name, lh_node *n);
const char *lh_path(lh_graph *g, const char *path, const char *name); /* "path.name", or name */
/* the node must have no step yet */
lh_step *lh_step_new(lh_graph *g, lh_step_kind kind, lh_scope *s, const char *name, lh_node *n);
lh_step *lh_step_new_at(lh_graph *g, lh_step_kind kind, lh_scope *s, const char *name,
                        const char *path, lh_node *n);
void lh_path_alias(lh_graph *g, const char *path, lh_step *s); /* another path to a step */
/* the known word most like it, or NULL */
const char *lh_nearest(const char *word, const char *const *known, int n);
const char *lh_scope_nearest(const lh_scope *s, const char *name); /* ... of those in sight */
/* why it has no gradient, as a format for its name */
const char *lh_no_gradient(const lh_graph *g, const lh_node *of);

/* Lines (build.c, build_given.c, build_block.c). */
void lh_build_statement(lh_builder *b, const lh_statement *s);
/* may it be defined here? false: reported */
bool lh_name_is_free(lh_builder *b, const lh_statement *s);
/* names n in the scope */
lh_step *lh_define(lh_builder *b, lh_step_kind kind, const char *name, lh_node *n,
                   const lh_statement *from);
void lh_build_size(lh_builder *b, const lh_statement *s);
void lh_build_given(lh_builder *b, const lh_statement *s);
void lh_build_update(lh_builder *b, const lh_statement *s);
/* as the caller set it, or standard */
const lh_expr *lh_setting_for(lh_builder *b, const char *name, const lh_expr *standard);
void lh_setting_end(lh_builder *b); /* after its value was built */
void lh_build_repeat(lh_builder *b, const lh_statement *s);
void lh_build_each(lh_builder *b, const lh_statement *s);
const lh_statement *lh_find_fn(const lh_builder *b, const char *name);
/* what to write in place of a name of other languages, or NULL: ln, transpose (build_elsewhere.c) */
const char *lh_build_elsewhere(const char *name);

/* Expressions and calls (build_expr.c, build_call.c). */
/* path: of the step it belongs to */
lh_node *lh_build_expr(lh_builder *b, const lh_expr *e, const char *path, bool is_whole);
/* whole, a node of its own */
lh_node *lh_build_line(lh_builder *b, const lh_expr *e, const char *path);
lh_node *lh_build_call(lh_builder *b, const lh_expr *e, const char *path, bool is_whole);
/* param NULL: the default */
lh_node *lh_call_node(lh_builder *b, const lh_statement *fn, lh_node **param, bool *is_standard,
                      const char *path);
lh_node *lh_build_string(lh_builder *b, const lh_expr *e, const lh_vocab *of);
lh_op_id lh_op_infix(lh_expr_kind kind); /* LH_N_OPS: it is no operator between two */
int lh_vocab_word(const lh_vocab *v, const char *word); /* its number, or -1 */
lh_vocab *lh_vocab_find(const lh_graph *g, const char *name);
void lh_fail_word(lh_graph *g, lh_place at, const lh_vocab *v, const char *word);
void lh_build_backward(lh_builder *b, lh_node *root);                    /* grad.c */
lh_node *lh_apply_rewrites(lh_builder *b, const char *path, lh_node *n); /* rewrite.c */
void lh_check_rules(lh_builder *b); /* those of the program: rule.c */

/* Data (build_data.c). */
void lh_build_vocab(lh_builder *b, const lh_statement *s);
void lh_build_input(lh_builder *b, const lh_statement *s);
void lh_build_example(lh_builder *b, const lh_statement *s);
/* numbers from a text file; *rows, *cols -1: take the file's */
void lh_build_file(lh_builder *b, lh_given *given, const lh_expr *call, int *rows, int *cols);

#endif
