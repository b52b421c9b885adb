/* learn -- trains a small GPT on a text, writes, saves it, and opens it again.
 *
 *     ./learn            the course's own text
 *     ./learn notes.txt  a file
 */
#include <longhand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

/* After every step; false would stop. */
static bool show(void *who, const longhand_progress *now) {
    (void)who;
    if (now->step % 20 == 0)
        printf("step %d of %d: the loss is a number: %s\n", now->step, now->steps,
               now->loss > 0 ? "yes" : "no");
    return true;
}

int main(int argc, char **argv) {
    char folder[] = "/tmp/longhand-learn-XXXXXX", *made = mkdtemp(folder), written[64];
    longhand *lh = longhand_new(), *again = longhand_new();
    longhand_open_lesson(lh, "gpt");
    longhand_set(lh, "layers", "1");
    longhand_set(lh, "dim", "32");
    longhand_set(lh, "context", "32");
    longhand_learn(
        lh, &(longhand_learn_how){
                .file = argc > 1 ? argv[1] : NULL, .steps = STEPS, .batch = 8, .progress = show});
    const longhand_sample_how how = {.number = 40, .seed = 1};
    snprintf(written, sizeof written, "%s", longhand_sample(lh, "The ", &how));
    longhand_save(lh, made);

    longhand_open_folder(again, made);
    const char *same = longhand_sample(again, "The ", &how);
    printf("opened again, it writes the same: %s\n", strcmp(same, written) == 0 ? "yes" : "no");
    int status = strcmp(same, written) != 0;
    for (int i = 0; i < 2; i++) {
        const longhand_message *e = longhand_error(i ? again : lh);
        if (e) fprintf(stderr, "%s\n", e->what), status = 2;
    }
    longhand_free(lh);
    longhand_free(again);
    snprintf(written, sizeof written, "rm -r %s", folder);
    return system(written) || status;
}
