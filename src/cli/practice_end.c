/* practice_end -- what a sheet came to: steps, credit, mistakes on the way, what to repeat, the next command. */
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "cli/practice_command.h"
#include "learn/contents.h"

enum { REPEATS = 5, MOST_MISTAKES = 32 };

typedef struct tally {
    lh_practice_view *d;
    const char *mistake[MOST_MISTAKES];
    int n, entries;
} tally;

static void count_attempt(void *who, const lh_attempt *a) {
    tally *t = who;
    const lh_paper *p = t->d->p->paper;
    if (strcmp(a->lesson, p->lesson) != 0 || a->seed != p->seed || a->digits != p->digits) return;
    t->entries++;
    size_t n = strcspn(a->mistake, " ");
    for (int i = 0; i < t->n; i++)
        if (strlen(t->mistake[i]) == n && memcmp(t->mistake[i], a->mistake, n) == 0) return;
    if (n && t->n < MOST_MISTAKES) t->mistake[t->n++] = lh_copy(t->d->a, a->mistake, n);
}

static void print_mistakes(lh_practice_view *d) {
    tally t = {.d = d};
    if (!d->keep.store->attempts(d->keep.store, count_attempt, &t) || !t.n) return;
    printf("Mistakes made\n");
    for (int i = 0; i < t.n; i++) {
        const lh_mistake *m = lh_mistakes_find(d->p->mistakes, t.mistake[i]);
        lh_practice_view_say(d, 2,
                             m                                   ? m->says
                             : strcmp(t.mistake[i], "slip") == 0 ? "a slip of the pen"
                                                                 : t.mistake[i]);
    }
}

static const char *day_text(lh_practice_view *d, long long days) {
    return days <= 0 ? "today" : days == 1 ? "tomorrow" : lh_printf(d->a, "in %lld days", days);
}

static void print_repeats(lh_practice_view *d) {
    lh_progress *g = lh_progress_new(d->a, d->keep.store, lh_keep_zone());
    long long today = lh_day((long long)time(NULL), lh_keep_zone());
    int n = 0;
    for (int i = 0; g && i < g->n_repeats && n < REPEATS; i++) {
        const lh_repeat *r = &g->repeat[i];
        if (strcmp(r->lesson, d->p->paper->lesson) != 0) continue;
        if (n++ == 0) printf("To repeat, in other numbers\n");
        printf("  %-12s %s\n", r->step, day_text(d, r->due - today));
    }
}

static bool has_program(const lh_embedded *e) {
    return e && strstr(e->text, "\n```longhand\n");
}

/* The lesson after this one that has something to work out. After a variation (ex2-partial) it is the one after ex2. */
static const char *next_lesson(lh_practice_view *d, const char *lesson) {
    const lh_contents *c = lh_contents_read(d->cli->ctx, d->a);
    const lh_contents_item *at = lh_contents_find(c, lesson);
    if (at && at->is_variation)
        at = lh_contents_find(c, lh_copy(d->a, lesson, strcspn(lesson, "-")));
    if (!at) return NULL;
    for (at++; at < c->item + c->n; at++)
        if (!at->is_variation && has_program(at->file)) return at->name;
    return NULL;
}

void lh_practice_view_summary(lh_practice_view *d) {
    const lh_practice *p = d->p;
    const lh_paper *paper = p->paper;
    bool is_finished = lh_practice_is_finished(p);
    putchar('\n');
    lh_ink_print(d->cli, stdout, LH_INK_BOLD, "%s", paper->lesson);
    if (p->only >= 0)
        printf("   %s: %s\n", lh_practice_view_ask(d, p->only)->name,
               is_finished ? "done" : "not done yet");
    else
        printf("   %d of %d step%s, %d of %d number%s with full credit\n", lh_practice_done(p),
               paper->n_steps, LH_PLURAL(paper->n_steps), p->marks->credit, p->marks->total,
               LH_PLURAL(p->marks->total));
    print_mistakes(d);
    print_repeats(d);
    const char *step = p->only >= 0
                           ? lh_printf(d->a, " --step %s",
                                       lh_shell_word(d->a, lh_practice_view_ask(d, p->only)->name))
                           : "",
               *next = next_lesson(d, paper->lesson);
    if (!is_finished)
        printf("%s: longhand practice %s%s\n",
               d->keep.is_kept ? "Continue with" : "Begin again with",
               lh_shell_word(d->a, paper->lesson), step);
    else if (p->only < 0 && next)
        printf("Next: longhand practice %s        other numbers: longhand practice %s\n", next,
               lh_shell_word(d->a, paper->lesson));
    else
        printf("Next: longhand progress\n");
}
