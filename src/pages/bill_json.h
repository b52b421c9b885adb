/* bill_json -- what a program costs, step by step, as JSON. */
#ifndef LH_PAGES_BILL_JSON_H
#define LH_PAGES_BILL_JSON_H

#include "explain/bill.h"
#include "pages/json.h"

/* Numbers that have to be kept. */
typedef struct lh_keep {
    const char *name, *json;
    const lh_polynomial *numbers;
} lh_keep;

enum { LH_KEEPS = 5 };

extern const char *const lh_phase_names[LH_N_PHASES];
void lh_keeps(const lh_bill *b, lh_keep list[LH_KEEPS]);
void lh_bill_members(lh_json *j, const char *lesson, const lh_bill *b); /* inside an object */

#endif
