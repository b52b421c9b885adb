/* cost -- what the text and the JSON of the bill share. */
#ifndef LH_CLI_COST_H
#define LH_CLI_COST_H

#include "cli/cli.h"
#include "cli/json.h"
#include "eval/fast/machine.h"
#include "explain/bill.h"

/* Numbers that have to be kept. */
typedef struct lh_keep {
    const char *name, *json;
    const lh_polynomial *numbers;
} lh_keep;

enum { LH_KEEPS = 5 };

/* A step, or the same step of every turn, as the fast evaluator does it. */
typedef struct lh_measured_row {
    const char *name, *key;
    int repeat; /* of the bill's outline, or -1 */
    lh_phase phase;
    const char *by;            /* its kernels: "layernorm, linear" */
    const char *by_definition; /* operations that have none: "+, sum" */
    double seconds, bytes;
    double flops; /* as the bill counts them; 0: it has no such row */
} lh_measured_row;

typedef struct lh_measured {
    lh_machine machine;
    lh_measured_row *row;
    int n;
    double seconds, flops, bytes; /* of all rows */
    double memory;                /* at its peak: params, states and values */
    double kernel_seconds;        /* of works that have a kernel */
    int kernels, definitions;     /* works */
    bool is_training;             /* a whole step; else the forward pass */
} lh_measured;

bool lh_cost_measured(lh_cli *cli, const lh_source *s, const lh_settings *set, const lh_bill *b,
                      int threads, lh_measured *m); /* false: reported */
void lh_print_measured(const lh_cli *cli, const lh_bill *b, const lh_measured *m);
void lh_measured_json(lh_json *j, const lh_bill *b, const lh_measured *m);

extern const char *const lh_phase_names[LH_N_PHASES];
void lh_keeps(const lh_bill *b, lh_keep list[LH_KEEPS]);
void lh_cost_json(const lh_source *s, const lh_bill *b,
                  const lh_measured *m); /* m: NULL when nothing was measured */

#endif
