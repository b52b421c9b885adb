/* rounded_show -- an explanation, and below it what weights in few bits made of the number. */
#ifndef LH_CLI_ROUNDED_SHOW_H
#define LH_CLI_ROUNDED_SHOW_H

#include "cli/opened.h"

/* o->in was told to round (lh_inside_round); the status of the command */
int lh_show_rounding(lh_opened *o, const char *path, const char *address, const lh_explanation *e,
                     int digits, bool json);

#endif
