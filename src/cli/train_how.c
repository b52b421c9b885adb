/* train_how -- what the options of longhand train say about numbers, and what a folder that is gone on with said. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/model.h"
#include "cli/train_command.h"
#include "eval/fast/bf16.h"

bool lh_train_positive(lh_cli *cli, const char *name, const char *text, double *x) {
    char *end;
    if (!text) return true;
    *x = lh_number_read(text, &end);
    if (end != text && !*end && isfinite(*x) && *x > 0) return true;
    lh_cli_fail(cli, "--%s needs a number above 0, not \"%s\"", name, text);
    return false;
}

bool lh_train_time(lh_cli *cli, const char *text, double *seconds) {
    char *end;
    if (!text) return true;
    double x = lh_number_read(text, &end), unit = strcmp(end, "h") == 0            ? 3600
                                                  : strcmp(end, "m") == 0          ? 60
                                                  : strcmp(end, "s") == 0 || !*end ? 1
                                                                                   : 0;
    *seconds = x * unit;
    if (end != text && isfinite(*seconds) && *seconds > 0) return true;
    lh_cli_fail(cli, "--time needs a time such as 90s, 10m or 2h, not \"%s\"", text);
    return false;
}

int lh_train_rounded(double n, int most) {
    double unit = 1;
    while (n / unit >= 100) unit *= 10;
    return n < 1 ? 1 : n > most ? most : (int)(floor(n / unit) * unit);
}

bool lh_train_precision(lh_cli *cli, const char *text, const lh_folder *resumed, lh_precision *to) {
    const char *said = text ? text : resumed && resumed->precision ? resumed->precision : "float";
    *to = LH_IN_FLOAT;
    if (strcmp(said, "float") == 0) return true;
    if (strcmp(said, "bf16") != 0) {
        lh_cli_fail(cli,
                    text ? "--precision is float or bf16, not \"%s\""
                         : "the folder was trained in \"%.40s\", which is neither float nor bf16",
                    said);
        return false;
    }
    *to = LH_IN_BF16;
    return true;
}

bool lh_train_has_precision(lh_cli *cli, const char *text, lh_precision precision) {
    if (precision != LH_IN_BF16 || lh_bf16_name()) return true;
    lh_cli_fail(cli, "bf16 products are not available here: they need a processor with AVX512_BF16 "
                     "or AMX");
    fprintf(stderr, "--precision float runs everywhere%s\n",
            text ? "" : ": training continues, with other numbers than bf16 would give");
    return false;
}

int lh_train_micro(int option, const lh_folder *resumed) {
    if (option) return option;
    return resumed && resumed->micro <= 1000000 ? (int)resumed->micro : 0;
}

/* ---- which text ---- */

/* A task has no text: its name is all there is to know. */
const char *lh_train_mark(lh_arena *a, const char *name, uint64_t sum, uint64_t length) {
    if (length == 0) return lh_printf(a, "%016llx %s", 0ull, name);
    return lh_printf(a, "%016llx %s, %s bytes", (unsigned long long)sum, name,
                     lh_whole_text(a, (double)length));
}

void lh_train_compare(const lh_folder *f, const char *mark) {
    enum { SUM = 16 };
    const char *old = f ? f->data : NULL;
    if (!old || strlen(old) <= SUM + 1) return; /* saved before this was noted */
    bool has_text = strspn(mark, "0") < SUM;
    if (strncmp(old, mark, SUM) == 0 && (has_text || strcmp(old, mark) == 0)) return;
    fprintf(stderr, "longhand: the run so far learned from another text: %s; now %s\n",
            old + SUM + 1, mark + SUM + 1);
    fprintf(stderr, "it continues with the new one: what is held out now may have been learned "
                    "before, and losses are not comparable\n");
}
