#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *number_special(char *buf, size_t n, double x) {
    snprintf(buf, n, "%s", isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
    return buf;
}

/* What printf made, as we write it: whatever stands for the point in this locale (it can be several
 * bytes) becomes a point, 1e+09 becomes 1e9 and 1e-07 becomes 1e-7. */
static void number_clean(char *s) {
    char *to = s;
    const char *from = s;
    while (*from) {
        if (strchr("-0123456789", *from)) {
            *to++ = *from++;
        } else if (*from == 'e') {
            *to++ = *from++;
            if (*from == '-') *to++ = *from;
            from++; /* the sign, which printf always writes */
            while (*from == '0' && from[1]) from++;
        } else {
            *to++ = '.';
            while (*from && !strchr("-0123456789e", *from)) from++;
        }
    }
    *to = 0;
}

/* Zeros at the end of the fraction, and a point that is left alone: 0.500 to 0.5, 2.000e7 to 2e7.
 */
static void number_trim(char *s) {
    char *point = strchr(s, '.');
    if (!point) return;
    char *end = point + strcspn(point, "e"), *keep = end;
    while (keep[-1] == '0') keep--;
    if (keep[-1] == '.') keep--;
    memmove(keep, end, strlen(end) + 1);
}

char *lh_number_text(char *buf, size_t n, double x, int digits) {
    if (!isfinite(x)) return number_special(buf, n, x);
    if (x == 0) x = 0; /* -0 */
    digits = digits < 1 ? 1 : digits > DBL_DECIMAL_DIG ? DBL_DECIMAL_DIG : digits;
    char s[64];
    snprintf(s, sizeof s, "%.*e", digits - 1, x);
    int power = atoi(strchr(s, 'e') + 1); /* after rounding: 9.9996 with 4 digits is 10 */
    if (power >= -5 && power < 9) {
        int decimals = digits - 1 - power;
        snprintf(s, sizeof s, "%.*f", decimals > 0 ? decimals : 0, x);
    }
    number_clean(s);
    number_trim(s);
    snprintf(buf, n, "%s", s);
    return buf;
}

/* A double of the usual size that has a text of 15 digits or fewer has it among the first try,
 * since %g leaves zeros out; the numbers next to zero have fewer bits and can be shorter still. */
char *lh_number_exact(char *buf, size_t n, double x) {
    if (!isfinite(x)) return number_special(buf, n, x);
    char s[64];
    for (int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, x);
        if (strtod(s, NULL) == x) break; /* reads and writes in the same locale */
    }
    number_clean(s);
    snprintf(buf, n, "%s", s);
    return buf;
}

char *lh_number_grouped(char *buf, size_t n, double x) {
    char digits[LH_NUMBER_MAX];
    int length = snprintf(digits, sizeof digits, "%.0f", x);
    if (length >= (int)sizeof digits) length = (int)sizeof digits - 1;
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < n; i++) {
        buf[at++] = digits[i];
        if ((length - i - 1) % 3 == 0 && i + 1 < length && digits[i] != '-') buf[at++] = ',';
    }
    if (n) buf[at] = 0;
    return buf;
}

char *lh_number_bytes(char *buf, size_t n, double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 5) bytes /= 1e3, unit++;
    char s[64];
    snprintf(s, sizeof s, unit && bytes < 99.95 ? "%.1f" : "%.0f", bytes);
    number_clean(s); /* a point in every locale */
    number_trim(s);
    snprintf(buf, n, "%s %s", s, units[unit]);
    return buf;
}

/* ---- whatever the locale ---- */

/* Of this thread alone. C's own locale is there always, and asking for it takes no memory in the libraries we know. */
typedef struct own_locale {
    locale_t plain, before;
} own_locale;

static own_locale enter(void) {
    own_locale l = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (l.plain) l.before = uselocale(l.plain);
    return l;
}

static void leave(own_locale l) {
    if (!l.plain) return;
    uselocale(l.before);
    freelocale(l.plain);
}

double lh_number_without_dust(double x, double scale) {
    const double small = 1e-10; /* beside 1e20 a 1 is no dust */
    return fabs(x) < small && fabs(x) < scale * 1e-15 ? 0 : x;
}

double lh_number_read(const char *text, char **end) {
    own_locale l = enter();
    double x = strtod(text, end);
    leave(l);
    return x;
}

bool lh_number_whole(const char *text, int least, int most, int *n) {
    char *end;
    errno = 0;
    const long x = strtol(text, &end, 10);
    if (errno || end == text || *end || x < least || x > most) return false;
    *n = (int)x;
    return true;
}

int lh_vformat(char *buf, size_t n, const char *format, va_list args) {
    own_locale l = enter();
    int length = vsnprintf(buf, n, format, args);
    leave(l);
    return length;
}

int lh_format(char *buf, size_t n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = lh_vformat(buf, n, format, args);
    va_end(args);
    return length;
}
