#include "cli/precision.h"

#include "cli/model.h"
#include "eval/fast/quant.h"

bool lh_cli_precision(lh_cli *cli, const char *text, bool keeps, lh_precision *p) {
    *p = LH_IN_FLOAT;
    if (text && !lh_precision_read(text, p)) {
        lh_cli_fail(cli, "--precision is float, bf16, int8 or int4, not \"%s\"", text);
        return false;
    }
    return !lh_cli_refuse(cli, keeps && !lh_precision_is_rounded(*p), "keep-rounded",
                          "weights are rounded with --precision int8 or int4");
}

bool lh_cli_pass_precision(lh_cli *cli, const char *text, lh_precision *p) {
    if (text && lh_precision_read(text, p) && *p != LH_IN_BF16) return true;
    *p = LH_IN_FLOAT;
    if (!text) return true;
    lh_cli_fail(cli, "--precision is float, int8 or int4 here, not \"%s\"", text);
    return false;
}

void lh_cli_tell_rounded(void *who, const lh_rounded *r) {
    lh_cli *cli = who;
    double all = 0;
    for (int i = 0; i < r->weights->n; i++)
        if (r->quant[i].bits) all += (double)r->weights->weight[i].tensor->bytes;
    fprintf(stderr, "weights in %s: %s instead of %s%s%s\n", lh_precision_name(r->precision),
            lh_bytes_text(cli->arena, r->bytes), lh_bytes_text(cli->arena, all),
            r->kept ? ", read from " : "", r->kept ? r->path : "");
}
