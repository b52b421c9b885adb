#include "base/ascii.h"
#include "base/number.h"
#include "base/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 64 };

/* 0.2497... and 0.2497. at the end of a sentence: the points are no part of the number. */
static void drop_points(char *s) {
    size_t n = strlen(s), k = n;
    while (k > 0 && s[k - 1] == '.') k--;
    if (k > 0 && k < n && s[k - 1] >= '0' && s[k - 1] <= '9') s[k] = 0;
}

/* ⁰ to ⁹ and the ⁻ before them: which sign, or 0, and how many bytes it takes. */
static char raised(const char *s, size_t n, size_t *size) {
    const unsigned char *u = (const unsigned char *)s;
    *size = n >= 2 && u[0] == 0xC2 ? 2 : 3;
    if (n >= 2 && u[0] == 0xC2)
        return u[1] == 0xB9 ? '1' : u[1] == 0xB2 ? '2' : u[1] == 0xB3 ? '3' : 0;
    if (n < 3 || u[0] != 0xE2 || u[1] != 0x81) return 0;
    if (u[2] == 0xBB) return '-';
    return u[2] == 0xB0 || (u[2] >= 0xB4 && u[2] <= 0xB9) ? (char)('0' + (u[2] - 0xB0)) : 0;
}

/* Plain signs: the typographic minus and times, raised digits behind ^, a comma as the decimal point, no spaces at the ends, and none of the odd ones,
 * which group digits or keep a sign with its number. False: too long. */
static bool tidy(const char *s, size_t n, char out[MAX_TEXT]) {
    size_t k = 0, odd, size;
    bool is_raised = false;
    char sign;
    while (n && strchr(" \t\r\n", *s)) s++, n--;
    while (n && strchr(" \t\r\n", s[n - 1])) n--;
    for (size_t i = 0; i < n;) {
        if (k + 4 >= MAX_TEXT) return false;
        if ((odd = lh_odd_space(s + i, n - i)) > 0) {
            i += odd;
            continue;
        }
        sign = raised(s + i, n - i, &size);
        if (sign && !is_raised) out[k++] = '^';
        is_raised = sign != 0;
        if (sign) {
            out[k++] = sign;
            i += size;
            continue;
        }
        if (n - i >= 3 && memcmp(s + i, "\xe2\x88\x92", 3) == 0)
            out[k++] = '-', i += 3; /* − */
        else if (n - i >= 3 && memcmp(s + i, "\xe2\x80\x93", 3) == 0)
            out[k++] = '-', i += 3; /* – */
        else if (n - i >= 2 && memcmp(s + i, "\xc2\xb7", 2) == 0)
            out[k++] = '*', i += 2; /* · */
        else if (n - i >= 2 && memcmp(s + i, "\xc3\x97", 2) == 0)
            out[k++] = '*', i += 2; /* × */
        else if (n - i >= 3 && memcmp(s + i, "\xe2\x80\xa6", 3) == 0)
            out[k++] = '.', i += 3; /* … */
        else if (s[i] == 0)
            return false;
        else
            out[k++] = s[i] == ',' ? '.' : s[i], i++;
    }
    out[k] = 0;
    return true;
}

static bool is_blank(const char *s) {
    return s[strspn(s, " _.?-")] == 0;
}

/* Digits with at most one point. Counts what was written. */
static const char *read_plain(const char *s, lh_written *w) {
    char digits[MAX_TEXT];
    size_t n = 0;
    int whole = 0, behind = 0;
    bool point = false, leading = true;
    const char *start = s;
    if (*s == '-' || *s == '+') digits[n++] = *s++;
    while (*s == ' ') s++;
    for (; lh_is_digit(*s) || (*s == '.' && !point); s++) {
        digits[n++] = *s;
        if (*s == '.') {
            point = true;
            continue;
        }
        if (point)
            behind++;
        else
            whole++;
        if (*s != '0') leading = false;
        if (!leading) w->digits++;
    }
    digits[n] = 0;
    if (whole + behind == 0) return start;
    w->value = lh_number_read(digits, NULL);
    w->decimals = behind;
    return s;
}

/* e-3, E5, *10^-3, x 10^-3 */
static const char *read_exponent(const char *s, lh_written *w) {
    const char *p = s;
    if (*p == 'e' || *p == 'E')
        p++;
    else if (p[strspn(p, " ")] && strchr("*xX", p[strspn(p, " ")])) {
        p += strspn(p, " ") + 1;
        p += strspn(p, " ");
        if (strncmp(p, "10^", 3) != 0) return s;
        p += 3;
    } else
        return s;
    int sign = 1, n = 0;
    if (*p == '(') p++;
    if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
    if (!lh_is_digit(*p)) return s;
    while (lh_is_digit(*p) && n < 400) n = n * 10 + (*p++ - '0');
    if (*p == ')') p++;
    w->value *= pow(10, sign * n);
    w->decimals -= sign * n;
    return p;
}

/* inf, -inf, infinity and the sign for it. 0: something else. */
static int read_infinite(const char *s) {
    static const char *const words[] = {"inf", "Inf", "INF", "infinity", "\xe2\x88\x9e"};
    int sign = *s == '-' ? -1 : 1;
    if (*s == '-' || *s == '+') s++;
    s += strspn(s, " ");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0) return sign;
    return 0;
}

/* What calculators and people write where there is no number: the log of -1. */
static bool is_none(const char *s) {
    static const char *const words[] = {"nan",        "NaN",       "NAN",        "error",
                                        "Error",      "ERROR",     "Math Error", "Math ERROR",
                                        "math error", "undefined", "not defined"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0) return true;
    return false;
}

lh_written lh_written_read(const char *text, size_t length) {
    lh_written w = {.kind = LH_WRITTEN_UNREAD}, below = {0};
    char s[MAX_TEXT];
    if (!tidy(text, length, s)) return w;
    if (is_blank(s)) {
        w.kind = LH_WRITTEN_BLANK;
        return w;
    }
    drop_points(s);
    if (is_none(s)) return (lh_written){.kind = LH_WRITTEN_NONE, .decimals = -1};
    int infinite = read_infinite(s);
    if (infinite)
        return (lh_written){.kind = LH_WRITTEN_NUMBER,
                            .value = infinite > 0 ? INFINITY : -INFINITY,
                            .decimals = -1};
    const char *p = read_plain(s, &w);
    if (p == s) return w;
    p = read_exponent(p, &w);
    p += strspn(p, " ");
    if (*p == '/') {
        const char *q = p + 1 + strspn(p + 1, " "), *end = read_plain(q, &below);
        if (end == q || below.value == 0) return w;
        w.value /= below.value;
        w.decimals = -1;
        p = end;
    } else if (*p == '%') {
        w.value /= 100;
        w.decimals += 2;
        p++;
    }
    if (*p || !isfinite(w.value)) return w;
    w.unit = w.decimals < 0 && p[-1] != '%' && strchr(s, '/') ? 0 : pow(10, -w.decimals);
    w.kind = LH_WRITTEN_NUMBER;
    return w;
}

bool lh_written_rounds(double exact, lh_written w) {
    if (isinf(exact) || isinf(w.value)) return exact == w.value;
    double slack = 1e-9 * w.unit + 1e-12 * fabs(exact);
    return fabs(exact - w.value) <= w.unit / 2 + slack;
}
