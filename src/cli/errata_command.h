/* errata_command -- what the files of `longhand errata` share: one entry in detail (errata_one.c), entries as JSON (errata_json.c). */
#ifndef LH_ERRATA_COMMAND_H
#define LH_ERRATA_COMMAND_H

#include "cli/cli.h"
#include "learn/errata.h"

/* book 1534; sheet2 156 */
const char *lh_erratum_where(lh_arena *a, const lh_erratum_place *place, int n);
int lh_erratum_digits(const lh_erratum *x); /* so many that printed and exact can be compared */
const char *lh_false_kinds(lh_arena *a, int kinds); /* false, contradiction */
void lh_verdict_print(const lh_cli *cli, lh_erratum_verdict v, int width);

bool lh_print_erratum(lh_cli *cli, lh_errata *e, const lh_erratum *x); /* false: it failed */
bool lh_print_false_claim(lh_cli *cli, lh_errata *e, const lh_false_claim *c);
/* as e->erratum, as e->claim; false: it failed */
bool lh_json_errata(lh_errata *e, const bool *wanted, const bool *wanted_claims);

#endif
