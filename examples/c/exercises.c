/* exercises -- asks the exercises of a lesson, and lets the engine judge an answer.
 *
 *     ./exercises               those of the lesson on softmax, answered by their keys
 *     ./exercises attention     of another lesson
 */
#include <longhand.h>
#include <stdio.h>

int main(int argc, char **argv) {
    static const char *const words[] = {"right", "partly right", "wrong", "not an answer"};
    longhand *lh = longhand_new();
    longhand_open_lesson(lh, argc > 1 ? argv[1] : "softmax");
    const int n = longhand_exercises(lh);
    int right = 0;
    for (int i = 0; i < n; i++) {
        const longhand_exercise *e = longhand_exercise_at(lh, i);
        const longhand_answered *a = e ? longhand_answer(lh, i, e->key) : NULL;
        if (!a) break;
        printf("%d %s: %s\n", i + 1, e->kind, words[a->verdict]);
        right += a->verdict == LONGHAND_RIGHT;
    }
    const longhand_marks *m = longhand_mark(lh, "p = 1 2 3", 0, NULL);
    if (m) printf("a guess at the sheet: %d of %d numbers\n", m->credit, m->total);
    const longhand_message *e = longhand_error(lh);
    if (e) fprintf(stderr, "%s\n", e->what);
    longhand_free(lh);
    return e || right < n;
}
