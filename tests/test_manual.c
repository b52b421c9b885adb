/* docs/notation.md: every ```longhand block is run, through the public interface.
 *
 *     name = formula   # => [5; 7]  words      all cells of the step, | between examples
 *     # address => 0.25                        one number
 *
 * A number agrees when it is the true one rounded to the digits written. Each block is a program of
 * its own. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <longhand.h>

enum { ROOM = 1 << 18 };

static char manual[ROOM];
static int line_number, n_checked;

/* Half a unit of the last digit written. */
static double tolerance(const char *number, const char *end) {
    const char *point = memchr(number, '.', (size_t)(end - number));
    return 0.5 * pow(10, point ? -(double)(end - point - 1) : 0) * (1 + 1e-9);
}

static void compare(const char *what, double have, const char *number, const char *end) {
    double want = strtod(number, NULL);
    n_checked++;
    if (have == want || fabs(have - want) <= tolerance(number, end)) return;
    fail_msg("docs/notation.md:%d: %s is %.17g, not %.*s", line_number, what, have,
             (int)(end - number), number);
}

static void no_error(longhand *lh) {
    const longhand_message *e = longhand_error(lh);
    if (e) fail_msg("docs/notation.md: line %d of the block: %s (%s)", e->line, e->what, e->cure);
}

/* One example's cells: [1 2; 3 4] or one number. Returns where reading stopped. */
static const char *check_example(longhand *lh, const char *name, int example, const char *s) {
    double cell[256];
    int row = 0, col = 0;
    bool is_matrix = *s == '[';
    longhand_size size = longhand_size_of(lh, name, example);
    size_t n = longhand_read(lh, name, (longhand_part){.example = example}, cell, 256);
    no_error(lh);
    for (s += is_matrix;;) {
        while (*s == ' ') s++;
        if (*s == ';' || *s == ']') {
            if (col != size.cols) fail_msg("docs/notation.md:%d: columns of %s", line_number, name);
            row++, col = 0;
            if (*s++ == ']') break;
            continue;
        }
        char *end;
        strtod(s, &end);
        if (end == s) fail_msg("docs/notation.md:%d: a number is expected: %s", line_number, s);
        if (row >= size.rows || col >= size.cols)
            fail_msg("docs/notation.md:%d: %s is %d x %d", line_number, name, size.rows, size.cols);
        compare(name, cell[row * size.cols + col++], s, end);
        s = end;
        if (!is_matrix) {
            row++;
            break;
        }
    }
    assert_true(n > 0);
    if (row != size.rows || (!is_matrix && size.cols != 1))
        fail_msg("docs/notation.md:%d: %s is %d x %d", line_number, name, size.rows, size.cols);
    return s;
}

static void check_step(longhand *lh, const char *line, const char *want) {
    char name[64] = "";
    if (sscanf(line, " const %63[^ :=]", name) != 1 && sscanf(line, " %63[^ =]", name) != 1) return;
    int example = 0;
    for (const char *s = want;; example++) {
        while (*s == ' ') s++;
        s = check_example(lh, name, example, s);
        while (*s == ' ') s++;
        if (*s != '|') break;
        s++;
    }
    assert_int_equal(longhand_size_of(lh, name, 0).examples, example + 1);
}

static void check_address(longhand *lh, const char *line, const char *arrow) {
    char address[128] = "", *end;
    const char *number = arrow + 3;
    size_t n = (size_t)(arrow - line) - 2;
    memcpy(address, line + 2, n < 127 ? n : 127);
    while (n && address[n - 1] == ' ') address[--n] = 0;
    double have = longhand_value(lh, address);
    no_error(lh);
    strtod(number, &end);
    compare(address, have, number + strspn(number, " "), end);
}

static void check_line(longhand *lh, const char *start, size_t length) {
    char line[512] = "";
    memcpy(line, start, length < 511 ? length : 511);
    char *arrow = strstr(line, "=> ");
    if (!arrow) return;
    if (line[0] == '#')
        check_address(lh, line, arrow);
    else
        check_step(lh, line, arrow + 3);
}

/* Runs the block, then checks its lines. */
static void check_block(const char *block, const char *end) {
    longhand *lh = longhand_new();
    longhand_open_text(lh, "block", block, (size_t)(end - block));
    longhand_run(lh);
    no_error(lh);
    for (const char *s = block; s < end; line_number++) {
        size_t n = strcspn(s, "\n");
        check_line(lh, s, n);
        s += n + 1;
    }
    longhand_free(lh);
}

static void blocks_are_true(void **state) {
    (void)state;
    int n_blocks = 0;
    line_number = 1;
    for (const char *s = manual; *s;) {
        size_t n = strcspn(s, "\n");
        const char *next = s + n + (s[n] == '\n');
        line_number++;
        if (n >= 11 && strncmp(s, "```longhand", 11) == 0) {
            const char *end = strstr(next, "\n```");
            if (!end) {
                fail_msg("docs/notation.md:%d: the block has no end", line_number);
                return;
            }
            check_block(next, end + 1);
            next = end + 5;
            line_number++;
            n_blocks++;
        }
        s = next;
    }
    assert_true(n_blocks >= 8);
    assert_true(n_checked >= 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_are_true)};
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/notation.md", getenv("LH_SOURCE_ROOT"));
    FILE *f = fopen(path, "r");
    if (!f || fread(manual, 1, ROOM - 1, f) == 0) return 1;
    fclose(f);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
