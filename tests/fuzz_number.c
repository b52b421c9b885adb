/* Any double: the exact text reads back, the text for people fits and reads back to its digits. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    double x;
    if (size < sizeof x + 1) return 0;
    memcpy(&x, data, sizeof x);
    int digits = 1 + data[sizeof x] % 17;
    char buf[LH_NUMBER_MAX];
    double back = strtod(lh_number_exact(buf, sizeof buf, x), NULL);
    if (!isnan(x) && back != x) abort();
    if (strlen(buf) >= sizeof buf - 1) abort();
    back = strtod(lh_number_text(buf, sizeof buf, x, digits), NULL);
    double slack = 0.51 * pow(10, 1 - digits) + DBL_EPSILON; /* reading it back rounds, too */
    if (isfinite(x) && isfinite(back) && fabs(back - x) > fabs(x) * slack) abort();
    if (strlen(buf) >= sizeof buf - 1) abort();
    return 0;
}
