/* trouble -- what is to be said of numbers: that one is none, and that two are equal. */
#ifndef LH_CLI_TROUBLE_H
#define LH_CLI_TROUBLE_H

#include "cli/cli.h"
#include "eval/exact.h"

/* where nan or infinity first appears, and the likely cause: LH_EXIT_FAILED; nan_alone: infinity is no trouble */
int lh_cli_trouble(lh_cli *cli, const lh_graph *g, const lh_plan *p, bool nan_alone);
/* of an argmax: which are equal, where the first of them was taken; else "" */
const char *lh_tie_text(lh_arena *a, const lh_graph *g, const lh_plan *p, const lh_node *n,
                        int example);

#endif
