/* command_gguf -- longhand gguf FILE: what a GGUF file holds; with -o, the same as a folder. */
#include <string.h>
#include <sys/stat.h>

#include "base/number.h"
#include "cli/model.h"
#include "files/adapter.h"
#include "files/gguf_folder.h"

static struct {
    const char *out, *type;
    bool all;
} options;

static const lh_option gguf_options[] = {
    {"out", 'o', LH_OPTION_TEXT, &options.out, "FOLDER|FILE",
     "write a file as a Hugging Face folder, a folder as a file", 0, 0},
    {"type", 0, LH_OPTION_TEXT, &options.type, "TYPE",
     "of a file that is written: f32, bf16 or q8_0 (f32)", 0, 0},
    {"all", 0, LH_OPTION_FLAG, &options.all, NULL, "every tensor and every value", 0, 0},
    {NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

enum { SHOWN = 12, WIDTH = 60 };

/* One line of a text, in signs that can be seen. */
static void print_text(lh_gguf_text t) {
    for (size_t i = 0; i < t.n && i < WIDTH; i++)
        putchar((unsigned char)t.s[i] < ' ' ? ' ' : t.s[i]);
    if (t.n > WIDTH) printf("...");
}

static void print_value(const lh_gguf *f, const lh_gguf_value *v) {
    double x;
    printf("  %-44s ", v->name);
    if (v->kind == LH_GGUF_LIST)
        printf("a list of %llu", (unsigned long long)v->n);
    else if (v->kind == LH_GGUF_TEXT)
        print_text(*v->text);
    else if (lh_gguf_number(f, v->name, &x))
        printf("%.9g", x);
    putchar('\n');
}

static void print_tensor(const lh_gguf_tensor *t) {
    printf("  %-44s %-5s", t->name, lh_gguf_type_name(t->type));
    for (int i = t->rank - 1; i >= 0; i--)
        printf("%s%zu", i < t->rank - 1 ? " x " : " ", t->size[i]);
    putchar('\n');
}

static void show(const lh_gguf *f) {
    double cells = 0, bytes = 0;
    for (int i = 0; i < f->n_tensors; i++)
        cells += (double)f->tensor[i].cells, bytes += (double)f->tensor[i].bytes;
    printf("GGUF, version %u: %d value%s, %d tensor%s of %.0f numbers, %.2f bits each\n",
           f->version, f->n_values, LH_PLURAL(f->n_values), f->n_tensors, LH_PLURAL(f->n_tensors),
           cells, cells > 0 ? 8 * bytes / cells : 0);
    for (int i = 0; i < f->n_values; i++)
        if (options.all || i < 3 * SHOWN) print_value(f, &f->value[i]);
    for (int i = 0; i < f->n_tensors && (options.all || i < SHOWN); i++)
        print_tensor(&f->tensor[i]);
    if (!options.all && f->n_tensors > SHOWN)
        printf("  and %d more: --all\n", f->n_tensors - SHOWN);
}

static int write_file(lh_cli *cli, const char *folder) {
    static const struct {
        const char *name;
        lh_gguf_type type;
    } known[] = {
        {"f32", LH_GGUF_TYPE_F32}, {"bf16", LH_GGUF_TYPE_BF16}, {"q8_0", LH_GGUF_TYPE_Q8_0}};
    const char *name = options.type ? options.type : "f32";
    if (lh_adapter_is(folder)) {
        lh_cli_fail(cli, "%s is an adapter: a file holds a whole model", folder);
        fprintf(stderr, "longhand merge %s -o FOLDER makes one\n", folder);
        return LH_EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return lh_gguf_from_folder(cli->ctx, folder, options.out, known[i].type)
                       ? LH_EXIT_YES
                       : lh_cli_report(cli);
    return lh_cli_fail(cli, "--type must be f32, bf16 or q8_0, not \"%s\"", name);
}

static int run(lh_cli *cli, int argc, char **argv) {
    struct stat st;
    (void)argc;
    if (stat(argv[0], &st) == 0 && S_ISDIR(st.st_mode)) {
        if (options.out) return write_file(cli, argv[0]);
        return lh_cli_fail(cli, "%s is a folder: -o FILE.gguf writes it as a file", argv[0]);
    }
    if (options.type) return lh_cli_fail(cli, "--type is for a folder that is written as a file");
    if (options.out && !lh_model_may_go_to(cli, options.out)) return LH_EXIT_FAILED;
    lh_gguf *f = lh_gguf_open(cli->ctx, argv[0]);
    if (f && !options.out) show(f);
    if (f && options.out) lh_gguf_to_folder(f, options.out);
    lh_gguf_close(f);
    if (lh_failed(cli->ctx)) return lh_cli_report(cli);
    if (options.out) fprintf(stderr, "%s: longhand sample %s\n", options.out, options.out);
    return LH_EXIT_YES;
}

const lh_command lh_command_gguf = {
    .name = "gguf",
    .synopsis = "FILE|FOLDER [-o FOLDER|FILE]",
    .summary = "Shows what a GGUF file contains; converts it to a Hugging Face folder, or a folder "
               "to GGUF.",
    .examples =
        "longhand gguf model.gguf\tits values and tensors\n"
        "longhand gguf model.gguf -o model\tas a folder\n"
        "longhand gguf out -o out.gguf --type q8_0\ta model that was trained here, for llama.cpp",
    .notes =
        "sample, chat, look, explain, program, weights and train --init take a GGUF file where "
        "they take a folder, and read it in place. It can read tensors in F32, F16, BF16, Q8_0, "
        "Q4_0, Q4_K and Q6_K, models of the kinds gpt2, llama, qwen2, qwen3, gemma and phi3, "
        "and vocabularies of the kinds gpt2 and llama. It can write the same kinds, with "
        "vocabularies of byte pairs. Anything else is refused by name.",
    .options = gguf_options,
    .run = run,
    .min_args = 1,
    .max_args = 1,
};
