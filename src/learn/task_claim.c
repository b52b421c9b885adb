/* task_claim -- a claim that does not hold, as a sentence with its numbers.
 *
 *     loss@1 < loss                        loss@1 would have to be less than loss, but they are 10.64 and 5.062
 *     rows(Y) == 2                         rows(Y) would have to be 2, but it is 3
 *     abs(a - b) < 1e-9                    a and b would have to be equal, but they differ by 0.679
 *     sum(abs(a - b)) > 0.1                a and b would have to differ by more than 0.1 in all, but they are equal
 *     p > q + 1e-9                         p would have to be greater than q, but both are 0.1
 *
 * Claims are written for the engine: what is meant by equal has a tolerance there, which a reader does not need.
 */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "learn/task_internal.h"

#define TOLERANCE 1e-4  /* at most: what is closer was meant to be equal */
#define ROUNDING  1e-12 /* what it leaves of a difference that is 0 */

enum { DIGITS = 4 };

/* A number that stands alone between s and end. */
static bool read_plain(const char *s, const char *end, double *out) {
    char *stop = NULL;
    while (s < end && *s == ' ') s++;
    while (end > s && end[-1] == ' ') end--;
    if (s == end) return false;
    *out = lh_number_read(s, &stop);
    return stop == end;
}

static bool is_plain(const char *s) {
    double number;
    return *s == '"' || read_plain(s, s + strlen(s), &number);
}

/* The last + or - of a sum, outside brackets and between spaces; NULL: there is none. */
static const char *last_sign(const char *from, const char *end) {
    const char *found = NULL;
    int depth = 0;
    for (const char *s = from; s < end; s++) {
        depth += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
        if (depth == 0 && s > from && (*s == '+' || *s == '-') && s[-1] == ' ' && s[1] == ' ')
            found = s;
    }
    return found;
}

/* q + 1e-9 becomes q. */
static const char *without_tolerance(lh_arena *a, const char *s, double *value) {
    const char *end = s + strlen(s), *sign = last_sign(s, end);
    double tolerance;
    if (!sign || !read_plain(sign + 1, end, &tolerance) || tolerance > TOLERANCE) return s;
    *value += *sign == '+' ? -tolerance : tolerance;
    return lh_copy(a, s, (size_t)(sign - 1 - s));
}

/* ---- abs(a - b) ---- */

/* What stands between name( and the bracket that closes it at the end; false: something else. */
static bool strip_call(const char **s, const char **end, const char *name) {
    size_t n = strlen(name);
    int depth = 0;
    if (strncmp(*s, name, n) != 0 || (*s)[n] != '(' || (*end)[-1] != ')') return false;
    for (const char *p = *s + n; p < *end; p++) {
        depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
        if (depth == 0 && p + 1 < *end) return false;
    }
    *s += n + 1;
    *end -= 1;
    return true;
}

typedef struct difference {
    const char *a, *b;
    bool is_sum; /* of the differences of all cells */
} difference;

static bool read_difference(lh_arena *a, const char *s, difference *d) {
    const char *end = s + strlen(s);
    d->is_sum = strip_call(&s, &end, "sum");
    if (!strip_call(&s, &end, "abs")) return false;
    const char *sign = last_sign(s, end);
    if (!sign || *sign != '-') return false;
    d->a = lh_copy(a, s, (size_t)(sign - 1 - s));
    d->b = lh_copy(a, sign + 2, (size_t)(end - sign - 2));
    return true;
}

static bool is_less(const lh_claim *c) {
    return *c->sign == '<' || strcmp(c->sign, "\u2264") == 0;
}

static bool is_more(const lh_claim *c) {
    return *c->sign == '>' || strcmp(c->sign, "\u2265") == 0;
}

static const char *difference_words(lh_arena *a, const difference *d, const lh_claim *c) {
    const char *in_all = d->is_sum ? " in all" : "";
    bool is_exact = c->right <= TOLERANCE;
    const char *wanted = is_exact
                             ? is_less(c) ? "be equal" : "differ"
                             : lh_printf(a, "differ by %s than %s%s", is_less(c) ? "less" : "more",
                                         lh_task_number(a, c->right, DIGITS), in_all);
    const char *found = c->left <= ROUNDING
                            ? "they are equal"
                            : lh_printf(a, "they differ by %s%s%s", is_less(c) ? "" : "only ",
                                        lh_task_number(a, c->left, DIGITS), is_exact ? in_all : "");
    return lh_printf(a, "%s and %s would have to %s, but %s", d->a, d->b, wanted, found);
}

/* ---- any other ---- */

static const char *sign_words(const char *sign) {
    static const char *const words[][2] = {{"<", "be less than"},
                                           {">", "be greater than"},
                                           {"\u2264", "be at most"},
                                           {"\u2265", "be at least"},
                                           {"\u2260", "differ from"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(sign, words[i][0]) == 0) return words[i][1];
    return NULL;
}

static const char *number_text(lh_arena *a, const lh_claim *c, double x, int digits) {
    bool is_word = c->vocab && x >= 0 && x < c->vocab->n_words;
    return is_word ? c->vocab->word[(int)x] : lh_task_number(a, x, digits);
}

/* With as many digits as it takes to see that they differ. */
static const char *found_words(lh_arena *a, const lh_claim *c, double right, bool is_plain_right) {
    const char *l, *r;
    int digits = DIGITS - 1;
    do {
        digits++;
        l = number_text(a, c, c->left, digits);
        r = number_text(a, c, right, digits);
    } while (c->left != right && strcmp(l, r) == 0 && digits < 17);
    if (is_plain_right) return lh_printf(a, "it is %s", l);
    return strcmp(l, r) == 0 ? lh_printf(a, "both are %s", l)
                             : lh_printf(a, "they are %s and %s", l, r);
}

const char *lh_task_claim_words(lh_arena *a, const lh_claim *c) {
    difference d;
    double right = c->right;
    const char *words = sign_words(c->sign);
    if ((is_less(c) || is_more(c)) && is_plain(c->right_text) &&
        read_difference(a, c->left_text, &d))
        return difference_words(a, &d, c);
    const char *text = without_tolerance(a, c->right_text, &right);
    if (fabs(c->left - right) <= ROUNDING * fabs(right)) right = c->left; /* q + 1e-9 - 1e-9 */
    bool is_plain_right = is_plain(text);
    if (!words) words = is_plain_right ? "be" : "equal";
    return lh_printf(a, "%s would have to %s %s, but %s", c->left_text, words, text,
                     found_words(a, c, right, is_plain_right));
}
