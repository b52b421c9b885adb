/* command_devices -- longhand devices: where a program can run, and why not elsewhere. */
#include "base/number.h"
#include "cli/cli.h"
#include "cli/json_stream.h"
#include "cli/model.h"
#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"
#include "eval/fast/product.h"
#include "eval/fast/threads.h"

static struct { bool json; } options;

static const lh_option devices_options[] = {
    LH_OPTION_JSON(options.json),
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { MOST = 64 };

typedef struct found {
    lh_gpu_device gpu[MOST];
    const lh_gpu *library; /* NULL: built without, or it cannot be loaded */
    const char *why;       /* there is none */
    int n;
} found;

static void print_cpu(const lh_cli *cli) {
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-6s", "cpu");
    fprintf(cli->out, "%d thread%s; products by %s\n", lh_pool_processors(),
            LH_PLURAL(lh_pool_processors()), lh_product_name());
}

static void print_gpu(const lh_cli *cli, const found *f, int i) {
    const lh_gpu_device *d = &f->gpu[i];
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%-6s", i ? "" : "gpu");
    fprintf(cli->out, "%d: %s, %s of memory, %s free, compute capability %d.%d\n", i, d->name,
            lh_bytes_text(cli->arena, (double)d->memory),
            lh_bytes_text(cli->arena, (double)d->free), d->major, d->minor);
    if (*d->trouble) fprintf(cli->out, "      cannot be used: %s\n", d->trouble);
}

static void print_all(const lh_cli *cli, const found *f) {
    print_cpu(cli);
    for (int i = 0; i < f->n && i < MOST; i++) print_gpu(cli, f, i);
    if (!f->n) {
        lh_ink_print(cli, cli->out, LH_INK_NAME, "%-6s", "gpu");
        fprintf(cli->out, "none: %s\n", f->why);
    }
    if (!f->library) {
        fprintf(cli->out, "      to build it: -Dcuda=enabled, where nvcc is installed\n");
        return;
    }
    const char *products = f->n ? f->library->products() : NULL;
    fprintf(cli->out, "      built with %s; driver %s", f->library->built_with,
            f->library->driver());
    if (f->n)
        fprintf(cli->out, "; products by %s",
                products ? products : "our own kernel, which is slow: there is no cuBLAS");
    fputc('\n', cli->out);
}

static void write_json(const lh_cli *cli, const found *f) {
    lh_json j = lh_json_open(cli->out);
    lh_json_begin(&j, NULL, '{');
    lh_json_int(&j, "threads", lh_pool_processors());
    lh_json_text(&j, "built_with", f->library ? f->library->built_with : NULL);
    lh_json_text(&j, "driver", f->library ? f->library->driver() : NULL);
    lh_json_text(&j, "why", f->n ? NULL : f->why);
    lh_json_begin(&j, "gpus", '[');
    for (int i = 0; i < f->n && i < MOST; i++) {
        lh_json_begin(&j, NULL, '{');
        lh_json_text(&j, "name", f->gpu[i].name);
        lh_json_number(&j, "memory", (double)f->gpu[i].memory);
        lh_json_number(&j, "free", (double)f->gpu[i].free);
        lh_json_text(&j, "trouble", *f->gpu[i].trouble ? f->gpu[i].trouble : NULL);
        lh_json_end(&j, '}');
    }
    lh_json_end(&j, ']');
    lh_json_end(&j, '}');
    lh_json_close(&j);
}

static int run(lh_cli *cli, int argc, char **argv) {
    (void)argc, (void)argv;
    found *f = lh_alloc(cli->arena, sizeof *f);
    if (!f) return lh_cli_report(cli);
    f->library = lh_cuda_find(&f->why);
    f->n = lh_devices(f->gpu, MOST, &f->why);
    if (options.json)
        write_json(cli, f);
    else
        print_all(cli, f);
    return LH_EXIT_YES;
}

const lh_command lh_command_devices = {
    .name = "devices",
    .synopsis = "[--json]",
    .summary = "Where a program can run: processors and GPUs, and why one cannot be used.",
    .examples = "longhand devices\tname, memory and driver of each GPU\n"
                "longhand train gpt --device gpu\ttrains on the first that can be used\n"
                "LONGHAND_GPU=1 longhand train gpt --device gpu\tthe second of several",
    .notes = "A GPU is used by train, sample, look and explain FOLDER with --device gpu, or with "
             "--device auto "
             "where there is one. The GPU's code is a shared object, longhand_cuda.so, that is "
             "loaded when it "
             "is asked for; LONGHAND_CUDA names another one.",
    .options = devices_options,
    .run = run,
    .min_args = 0,
    .max_args = 0,
};
