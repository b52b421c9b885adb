/* explain_next -- a number of a trained model that depends on what follows the prompt: the loss, gradients. */
#ifndef LH_CLI_EXPLAIN_NEXT_H
#define LH_CLI_EXPLAIN_NEXT_H

#include "cli/opened.h"
#include "explain/explain.h"

/* text: the token that follows; NULL and the context failed. Good until o is closed */
lh_explanation *lh_explain_next(lh_opened *o, const char *text, const char *address,
                                const lh_explain_how *how);

#endif
