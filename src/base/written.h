/* written -- numbers as a person wrote them: 0.50 and 0.5 are the same number and not the same precision.
 *
 *     lh_written w = lh_written_read("0,25", 4);     value 0.25, unit 0.01
 *
 * What was before rounding lies within half a unit of the value. A fraction has no unit: it is exact. -inf, which
 * hides a score, has none either.
 */
#ifndef LH_BASE_WRITTEN_H
#define LH_BASE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum lh_written_kind {
    LH_WRITTEN_BLANK, /* nothing, or only _ . ? - where a number should stand */
    LH_WRITTEN_NUMBER,
    LH_WRITTEN_UNREAD, /* something that is no number */
    LH_WRITTEN_NONE,   /* nan, error: there is no number, somebody says */
} lh_written_kind;

typedef struct lh_written {
    lh_written_kind kind;
    double value;
    double unit;  /* of the last digit written: 0.01 for 0.25; 0 for 1/3 */
    int digits;   /* significant digits written: 2 for 0.25, 3 for 0.250, 0 for 0.00 */
    int decimals; /* digits behind the point, in plain notation: 2 for 0.25, 4 for 1.5e-3; 0 for 12; -1 for a fraction */
    /* zeros at its end may be missing: a spreadsheet had it, which shows 0.2500 as 0.25 */
    bool drops_zeros;
} lh_written;

/* .5  -0,25  1/3  1e-3  25%  −0.1  1.2·10^-3  1.2 x 10⁻³  -inf  −∞  0.25...  0.25.  nan */
lh_written lh_written_read(const char *text, size_t length);
/* is w a correct rounding of exact? ties either way */
bool lh_written_rounds(double exact, lh_written w);

#endif
