/* api_asserts -- what the tests of the public interface share: a fresh longhand for each, its error looked at. */
#ifndef LH_TESTS_API_ASSERTS_H
#define LH_TESTS_API_ASSERTS_H

#define NEAR    1e-12
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)

static int fresh(void **state) {
    *state = longhand_new();
    return *state ? 0 : -1;
}

static int done(void **state) {
    longhand_free(*state);
    return 0;
}

/* No error; shows it where there is one. */
static void is_well(longhand *lh) {
    const longhand_message *e = longhand_error(lh);
    if (e) fail_msg("%s:%d:%d: %s (%s)", e->file, e->line, e->column, e->what, e->cure);
}

/* An error of this kind whose text holds `what`; it is cleared. */
static void is_wrong(longhand *lh, longhand_error_kind kind, const char *what) {
    const longhand_message *e = longhand_error(lh);
    if (!e)
        fail_msg("an error was expected: %s", what);
    else if (e->kind != kind || !strstr(e->what, what))
        fail_msg("kind %d: \"%s\", expected kind %d: \"%s\"", (int)e->kind, e->what, (int)kind,
                 what);
    longhand_clear_error(lh);
    assert_null(longhand_error(lh));
}

static void is_near(double a, double b) {
    if (!(fabs(a - b) <= NEAR)) fail_msg("%.17g is not %.17g", a, b);
}

#endif
