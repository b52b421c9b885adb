/* training_log -- how training went, a line of JSON for each step that is told.
 *
 *     lh_log *log = lh_log_open(ctx, "out/log.jsonl", 100);            goes on behind step 100
 *     lh_log_add(log, 110, (lh_log_value[]){{"loss", 1.73}, {"rate", 0.001}}, 2);
 *     lh_log_close(log);
 *
 *     {"step": 110, "loss": 1.73, "rate": 0.001}
 *
 * A run that was killed has told of steps behind its last save: they are done again, so opening at a step cuts the file
 * at the first line of a later one, and a last line that is not whole. Each line is one write: a log is worth no sync.
 * Numbers that JSON does not have are strings: "nan", "inf", "-inf".
 */
#ifndef LH_TRAINING_LOG_H
#define LH_TRAINING_LOG_H

#include "base/context.h"

typedef struct lh_log lh_log;

typedef struct lh_log_value {
    const char *name;
    double value;
} lh_log_value;

/* NULL and the context failed */
lh_log *lh_log_open(lh_context *ctx, const char *path, long long step);
/* false and the context failed */
bool lh_log_add(lh_log *log, long long step, const lh_log_value *value, int n);
void lh_log_close(lh_log *log); /* NULL is allowed */

#endif
