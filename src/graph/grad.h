/* grad -- what the files of the differentiation share. */
#ifndef LH_GRAPH_GRAD_H
#define LH_GRAPH_GRAD_H

#include "graph/build.h"
#include "graph/op.h"

typedef struct lh_contribution {
    struct lh_contribution *next; /* the next user */
    lh_node *node;                /* in the shape of the operand */
    const lh_step *user;          /* the step in whose formula the operand stands */
    const char *alias;            /* P.grad.dx: the path of a rule's line, or NULL */
    /* the operand is parameter `param` of this call, which sends it; or NULL */
    const lh_node *call;
    int param;
} lh_contribution;

typedef struct lh_backward {
    lh_builder *b;
    lh_graph *g;
    lh_node *root;
    int n;                   /* nodes that were there before */
    bool *wants;             /* something below is to have a gradient */
    lh_contribution **got;   /* for each node */
    bool *leads;             /* for each node: it leads to the loss */
    const lh_step **owner;   /* the step in whose formula an unnamed node stands */
    lh_node **dy;            /* of a call: the gradient of its value */
    const lh_node *visiting; /* what sends back now */
    bool across;             /* the loss is one number for all examples */
} lh_backward;

/* Whether a call as a whole sends c to the node; sets call and param (grad_whole.c). */
void lh_whole_find(lh_backward *w, const lh_node *to, lh_contribution *c);
/* `sum` is the gradient that the contributions come to: it learns how to be made of what whole calls send back. */
void lh_whole_attach(lh_backward *w, lh_node *sum, const lh_contribution *all, bool newest_last);

#endif
