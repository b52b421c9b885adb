/* train -- trains Example 4 until every guess is right.
 *
 *     ./train          at the lesson's own rate
 *     ./train 1        at another one
 */
#include <longhand.h>
#include <stdio.h>

enum { MOST = 5000 }; /* updates */

/* How many examples of the batch have their target as the guess. */
static int right(longhand *lh) {
    int n = 0;
    for (int i = 0; i < longhand_examples(lh); i++) {
        double guess, target;
        longhand_read(lh, "guess", (longhand_part){.example = i}, &guess, 1);
        longhand_read(lh, "target", (longhand_part){.example = i}, &target, 1);
        n += guess == target;
    }
    return n;
}

int main(int argc, char **argv) {
    longhand *lh = longhand_new();
    longhand_open_lesson(lh, "ex4");
    if (argc > 1) longhand_set(lh, "rate", argv[1]);

    /* longhand_update leaves the steps as they were before it, so run once more to see what it changed. */
    int examples = longhand_examples(lh);
    longhand_run(lh);
    printf("before: loss %.6f, %d of %d right\n", longhand_value(lh, "loss"), right(lh), examples);
    while (right(lh) < examples && longhand_updates(lh) < MOST && !longhand_error(lh)) {
        longhand_update(lh);
        longhand_run(lh);
    }
    printf("after %d updates: loss %.6f, %d of %d right\n", longhand_updates(lh),
           longhand_value(lh, "loss"), right(lh), examples);

    int status = right(lh) == examples ? 0 : 1;
    if (longhand_error(lh)) {
        fprintf(stderr, "%s\n", longhand_error(lh)->what);
        status = 2;
    }
    longhand_free(lh);
    return status;
}
