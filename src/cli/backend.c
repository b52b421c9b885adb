/* backend -- an evaluator by its name, as --backend has it, or by the device it runs on, as --device has it. */
#include "eval/backends.h"

#include <string.h>

#include "cli/cli.h"
#include "eval/backend.h"
#include "eval/cuda/devices.h"

const lh_evaluator *lh_cli_evaluator(lh_cli *cli, const char *name) {
    const lh_evaluator *with = lh_evaluator_find(name ? name : "fast");
    if (with) return with;
    lh_text known = lh_text_new(cli->arena);
    for (int i = 0; lh_evaluators[i]; i++)
        lh_text_add(&known, "%s%s", i ? ", " : "", lh_evaluators[i]->name);
    lh_fail(cli->ctx, LH_ERROR_NAME, (lh_place){0, 0, 0}, "there is no evaluator %s", name);
    lh_cure(cli->ctx, "one of %s", known.s);
    return NULL;
}

/* auto: a GPU where one can be used, which is said. */
static const lh_evaluator *take_any(bool is_known) {
    lh_gpu_device gpu = {0};
    const bool has_gpu = is_known && lh_devices(&gpu, 1, NULL) > 0 && !*gpu.trouble;
    fprintf(stderr, "device: %s\n", has_gpu ? gpu.name : "cpu");
    return has_gpu ? &lh_cuda : &lh_fast;
}

const lh_evaluator *lh_cli_device(lh_cli *cli, const char *device, lh_precision precision) {
    const bool is_known = precision == LH_IN_FLOAT || precision == LH_IN_BF16;
    if (!device || strcmp(device, "cpu") == 0) return &lh_fast;
    if (strcmp(device, "auto") == 0) return take_any(is_known);
    if (strcmp(device, "gpu") == 0 && is_known) return &lh_cuda;
    if (strcmp(device, "gpu") == 0) {
        lh_cli_fail(cli, "a GPU computes in float or bf16: weights in few bits need the processor");
        fprintf(stderr, "leave out --precision, or --device\n");
    } else {
        lh_cli_fail(cli, "--device is cpu, gpu or auto, not \"%s\"", device);
        fprintf(stderr, "longhand devices lists the GPUs\n");
    }
    return NULL;
}

bool lh_cli_can_recompute(lh_cli *cli, const lh_evaluator *with) {
    if (with->by->shares_memory) return true;
    lh_cli_fail(cli, "--recompute saves no memory here: the evaluator %s keeps every value",
                with->name);
    fprintf(stderr, "leave out --recompute, or --backend\n");
    return false;
}
