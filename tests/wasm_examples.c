/* Examples 1 to 6 through the public interface: every number of every step, with two updates. Built for this machine and for
 * wasm32, and both must come to the same: tests/wasm.sh. Then sizes whose sum 32 bits cannot hold: they are refused. */
#include <stdio.h>

#include <longhand.h>

enum { MOST = 4096 };

static int problems;

static void look(longhand *lh) {
    const longhand_message *e = longhand_error(lh);
    if (!e) return;
    printf("error: %s\n", e->what);
    problems++;
    longhand_clear_error(lh);
}

static void print_step(longhand *lh, const char *path) {
    static double cell[MOST];
    const int examples = longhand_size_of(lh, path, 0).examples;
    for (int example = 0; example < examples; example++) {
        const size_t n = longhand_read(lh, path, (longhand_part){.example = example}, cell, MOST);
        printf("%s %d:", path, example);
        for (size_t i = 0; i < n && i < MOST; i++) printf(" %.17g", cell[i]);
        putchar('\n');
    }
    look(lh);
}

static void print_example(longhand *lh, const char *name) {
    longhand_open_lesson(lh, name);
    for (int update = 0; update < 3; update++) {
        longhand_run(lh);
        printf("%s, after %d updates: %d steps\n", name, update, longhand_steps(lh));
        for (int i = 0; i < longhand_steps(lh); i++) print_step(lh, longhand_step_at(lh, i)->path);
        longhand_update(lh);
        look(lh);
    }
}

/* 40 matrices of 11585 x 11585 numbers: one fits into 32 bits, and the sum does not. */
static int is_refused(longhand *lh) {
    static char text[8192];
    size_t n = 0;
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "param W%d : 11585 x 11585 = normal(1)\n",
                              i);
    snprintf(text + n, sizeof text - n, "Y = sum(W0) + sum(W39)\n");
    longhand_open_text(lh, "large.lh", text, 0);
    longhand_run(lh);
    return longhand_error(lh) != NULL;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"ex1", "ex2", "ex3", "ex4", "ex5", "ex6"};
    longhand *lh = longhand_new();
    (void)argv;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) print_example(lh, names[i]);
    if (sizeof(size_t) == 4 || argc > 1) { /* argc: 43 GB are no trouble for some machines */
        if (!is_refused(lh)) problems++, puts("too much is taken");
    }
    longhand_free(lh);
    return problems ? 1 : 0;
}
