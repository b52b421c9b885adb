/* cost_json -- the bill of a program, what was measured and what is predicted, for programs. */
#include "cli/cost_command.h"

void lh_cost_json(const lh_source *s, const lh_bill *b, const lh_measured *m, const lh_predicted *p,
                  const lh_cost_ranks *r, const lh_recomputed *x) {
    lh_json j = lh_json_open(stdout);
    lh_json_begin(&j, NULL, '{');
    lh_bill_members(&j, s->name, b);
    if (m) lh_measured_json(&j, b, m);
    if (p) lh_predicted_json(&j, p);
    if (r) lh_cost_ranks_json(&j, r);
    if (x) lh_recomputed_json(&j, x);
    lh_json_end(&j, '}');
    lh_json_close(&j);
}
