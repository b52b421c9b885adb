/* comma -- a locale in which a number is written 1,5, made here: few machines have one installed.
 *
 *     comma_begin();      LC_ALL is that locale; the test fails where it cannot be made
 *     comma_end();
 */
#ifndef COMMA_H
#define COMMA_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void comma_begin(void) {
    char folder[] = "/tmp/longhand-locale-XXXXXX", command[512], text[16];
    assert_non_null(mkdtemp(folder));
    /* localedef warns of what is not there (-c), and then ends with 1 */
    snprintf(
        command, sizeof command,
        "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \".\"\\ngrouping 3;3\\n"
        "END LC_NUMERIC\\n' >%s/source && { localedef -c -i %s/source %s/comma 2>%s/said || :; }",
        folder, folder, folder, folder);
    assert_int_equal(system(command), 0);
    setenv("LOCPATH", folder, 1);
    const char *is = setlocale(LC_ALL, "comma");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    unsetenv("LOCPATH");
    assert_non_null(is);
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
}

static void comma_end(void) {
    setlocale(LC_ALL, "C");
}

#endif
