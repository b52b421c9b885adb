/* mark -- looks at a hand calculation: is a step right, does it follow from the learner's own numbers, or was a known mistake
 * made?
 *
 *     ./mark
 *
 * The learner has rounded the scores S of Example 1 and then forgotten to divide them by the square root of the width.
 */
#include <longhand.h>
#include <math.h>
#include <stdio.h>

static int same(const double *a, const double *b, int n) {
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > 1e-9) return 0;
    return 1;
}

static void show(const char *name, const double *x) {
    printf("%-28s %.6g %.6g; %.6g %.6g\n", name, x[0], x[1], x[2], x[3]);
}

int main(void) {
    const double S[4] = {0.02, 0, 0, 0.02}; /* what the learner wrote */
    const double Z[4] = {0.02, 0, 0, 0.02};
    const longhand_part whole = {0};
    double x[4];
    longhand *lh = longhand_new();
    longhand_open_lesson(lh, "ex1");
    show("the learner's Z", Z);

    longhand_read(lh, "Z", whole, x, 4);
    show("Z of the program", x);
    printf("right: %s\n", same(x, Z, 4) ? "yes" : "no");

    /* The same step from the learner's own operand: an earlier slip is not blamed twice. */
    const longhand_operand own = {.name = "S", .cell = S, .n = 4};
    longhand_evaluate(lh, "Z", &own, 1, whole, x, 4);
    show("Z from the learner's S", x);
    printf("follows: %s\n", same(x, Z, 4) ? "yes" : "no");

    /* A rule makes the mistake on purpose. The step is then evaluated as before. */
    const longhand_rule unscaled = {.text = "a / sqrt(cols(k)) => a"};
    longhand_rewrite(lh, "Z", unscaled);
    longhand_evaluate(lh, "Z", &own, 1, whole, x, 4);
    show("Z without the square root", x);
    printf("known mistake: %s\n", same(x, Z, 4) ? "yes, not divided by sqrt(cols(K))" : "no");

    int status = same(x, Z, 4) ? 0 : 1;
    if (longhand_error(lh)) {
        fprintf(stderr, "%s\n", longhand_error(lh)->what);
        status = 2;
    }
    longhand_free(lh);
    return status;
}
