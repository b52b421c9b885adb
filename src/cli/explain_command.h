/* explain_command -- an explanation as lines on the screen: for `longhand explain`, and for ?P[1][0] in `longhand calc`. */
#ifndef LH_EXPLAIN_COMMAND_H
#define LH_EXPLAIN_COMMAND_H

#include "cli/cli.h"
#include "explain/explain.h"

void lh_print_explanation(lh_cli *cli, const char *address, const lh_explanation *e, int digits);

#endif
