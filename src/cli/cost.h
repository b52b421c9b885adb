/* cost -- what the text and the JSON of the bill share. */
#ifndef LH_CLI_COST_H
#define LH_CLI_COST_H

#include "cli/cli.h"
#include "explain/bill.h"

/* Numbers that have to be kept. */
typedef struct lh_keep {
    const char *name, *json;
    const lh_polynomial *numbers;
} lh_keep;

enum { LH_KEEPS = 5 };

extern const char *const lh_phase_names[LH_N_PHASES];
void lh_keeps(const lh_bill *b, lh_keep list[LH_KEEPS]);
void lh_cost_json(const lh_source *s, const lh_bill *b);

#endif
