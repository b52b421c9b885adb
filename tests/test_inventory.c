/* What the engine owes: every row of inventory.def, one test each. A row that is owed and has no proof fails, too. */
#include "inventory_forward.h"
#include "inventory_learning.h"

typedef enum entry_kind { IS_ROW, IS_CELL, IS_SAME, IS_DO } entry_kind;

typedef struct entry {
    entry_kind kind;
    const char *row, *what; /* ROW: number and title; DO: what it does */
    const char *program, *address, *value;
    void (*test)(void);
} entry;

static const entry table[] = {
#define ROW(number, title) {.kind = IS_ROW, .row = number, .what = title},
#define CELL(program_, address_, val)                                                              \
    {.kind = IS_CELL, .program = program_, .address = address_, .value = val},
#define SAME(address_, val) {.kind = IS_SAME, .address = address_, .value = val},
#define DO(function, does)  {.kind = IS_DO, .what = does, .test = function},
#include "inventory.def"
#undef ROW
#undef CELL
#undef SAME
#undef DO
};
enum { N_ENTRIES = sizeof table / sizeof *table };

/* Every row of the inventory that the engine owes. */
static const char *const owed[] = {
    "1.1",   "1.2",   "1.3",  "1.4",  "1.5",  "1.6",  "1.7",  "1.8",  "1.9",   "1.10",  "2.1",
    "2.2",   "2.3",   "2.4",  "2.5",  "2.6",  "2.11", "2.13", "2.16", "3.1",   "3.2",   "3.3",
    "3.4",   "3.5",   "4.1",  "4.2",  "4.3",  "4.4",  "4.5",  "4.6",  "4.7",   "4.8",   "4.9",
    "4.10",  "4.11",  "4.12", "5.1",  "5.2",  "5.3",  "5.4",  "5.5",  "6.1",   "6.2",   "6.3",
    "6.4",   "6.5",   "6.6",  "6.7",  "6.8",  "6.9",  "6.10", "6.11", "6.12",  "6.13",  "6.14",
    "6.15",  "6.16",  "6.17", "7.1",  "7.2",  "7.3",  "7.4",  "7.5",  "7.6",   "7.7",   "8.1",
    "8.2",   "8.3",   "8.4",  "8.5",  "8.6",  "8.7",  "8.8",  "8.9",  "8.10",  "8.11",  "8.12",
    "9.1",   "9.2",   "9.3",  "9.5",  "9.7",  "9.8",  "9.9",  "9.11", "9.12",  "9.14",  "9.16",
    "9.17",  "9.19",  "10.1", "10.3", "10.4", "10.6", "10.8", "10.9", "10.10", "10.12", "10.15",
    "10.17", "10.18", "11.1", "11.2", "11.3", "11.4", "11.5", "11.6", "11.7",  "11.8",
};
enum { N_OWED = sizeof owed / sizeof *owed };

static const entry *find_row(const char *number) {
    for (int i = 0; i < N_ENTRIES; i++)
        if (table[i].kind == IS_ROW && strcmp(table[i].row, number) == 0) return &table[i];
    return NULL;
}

static void every_row_is_proved(void **state) {
    (void)state;
    char missing[1024] = "";
    for (int i = 0; i < N_OWED; i++) {
        const entry *row = find_row(owed[i]);
        bool is_proved = row && row + 1 < table + N_ENTRIES && row[1].kind != IS_ROW;
        if (!is_proved) strcat(strcat(missing, " "), owed[i]);
    }
    if (*missing) fail_msg("nothing proves the rows%s", missing);
    for (int i = 0; i < N_ENTRIES; i++)
        if (table[i].kind == IS_ROW && find_row(table[i].row) != &table[i])
            fail_msg("row %s stands twice", table[i].row);
}

static void row_holds(void **state) {
    const entry *e = *state;
    course *c = NULL;
    for (e++; e < table + N_ENTRIES && e->kind != IS_ROW; e++) {
        if (e->kind == IS_DO) {
            e->test();
            continue;
        }
        if (e->kind == IS_CELL && (!c || strcmp(c->what, e->program) != 0)) {
            course_close(c);
            c = course_open(e->program);
        }
        course_expect(c, e->address, e->value);
    }
    course_close(c);
}

int main(void) {
    static struct CMUnitTest tests[N_ENTRIES + 1];
    static char name[N_ENTRIES][128];
    size_t n = 0;
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_row_is_proved);
    for (int i = 0; i < N_ENTRIES; i++) {
        if (table[i].kind != IS_ROW) continue;
        snprintf(name[i], sizeof name[i], "%s %s", table[i].row, table[i].what);
        tests[n++] = (struct CMUnitTest){
            .name = name[i], .test_func = row_holds, .initial_state = (void *)&table[i]};
    }
    return _cmocka_run_group_tests("inventory", tests, n, NULL, NULL);
}
