/* cli -- what the commands share: options, output, loading, messages. The only folder that prints or exits.
 *
 * A command is one record and a line in commands.def (its place there is its place in --help): its words, its options and a function that returns the
 * exit status: 0 yes, 1 the answer is no, 2 could not run. Data goes to stdout, talk to stderr.
 */
#ifndef LH_CLI_H
#define LH_CLI_H

#include <stdio.h>

#include "base/columns.h"
#include "base/context.h"
#include "eval/fast/wish.h"
#include "explain/chart.h"
#include "graph/graph.h"
#include "learn/lesson.h"
#include "notation/notation.h"
#include "train/loop.h"

enum { LH_EXIT_YES = 0, LH_EXIT_NO = 1, LH_EXIT_FAILED = 2 };

typedef struct lh_names {
    const char **name;
    int n;
} lh_names;

typedef struct lh_cli {
    lh_context *ctx;
    lh_arena *arena; /* for the life of the program */
    FILE *out;       /* where commands write: stdout, or a part of a page that is being made */
    int width;       /* columns to write in: the terminal's, or 80; at least 40 */
    bool colour;     /* escape sequences are welcome */
    bool is_terminal;
    lh_names files;            /* --files: folders that programs may read files from, too */
    struct lh_mistakes *rules; /* that a graph was built with, or NULL */
    lh_program **kept;         /* whose statements another program uses */
    int n_kept;
} lh_cli;

typedef enum lh_option_kind {
    LH_OPTION_FLAG,    /* bool */
    LH_OPTION_INT,     /* int */
    LH_OPTION_TEXT,    /* const char * */
    LH_OPTION_NAMES,   /* lh_names: a,b,c or several times */
    LH_OPTION_LIST,    /* lh_names: each as it stands, several times */
    LH_OPTION_SETTINGS /* lh_settings: NAME=VALUE, as many as follow */
} lh_option_kind;

typedef struct lh_settings {
    lh_setting *set;
    int n;
} lh_settings;

typedef struct lh_option {
    const char *name; /* "steps": --steps N, --steps=N */
    char letter;      /* 'o': -o FILE, or 0 */
    lh_option_kind kind;
    void *value; /* where it goes */
    const char *argument, *help;
    int min, max; /* LH_OPTION_INT */
} lh_option;

/* Help, the manual page and the shell's completion are made of it. */
typedef struct lh_command {
    const char *name;
    /* "LESSON|FILE [options]" */
    const char *synopsis;
    /* One line. */
    const char *summary;
    /* Lines "longhand run ex1 --to P\tup to the attention weights". */
    const char *examples;
    /* A paragraph or NULL. */
    const char *notes;
    /* What there is to choose from, such as kinds of exercises: lines "name\twhat it is"; or NULL. */
    const char *list_title;
    const char *(*list)(lh_arena *a);
    /* Ends with a NULL name; or NULL. */
    const lh_option *options;
    /* Options are read already: argv holds the rest. */
    int (*run)(lh_cli *cli, int argc, char **argv);
    int min_args, max_args;
    /* -log(0.7) is an argument, although it begins with -. */
    bool takes_formulas;
} lh_command;

extern const lh_command *const lh_commands[]; /* ends with NULL */

/* Messages (message.c). */
/* the context's error on stderr, with its line; returns LH_EXIT_FAILED */
int lh_cli_report(lh_cli *cli);
/* what was likely not meant in the text parsed last, on stderr; then it is forgotten */
void lh_cli_warn(lh_cli *cli, const char *file, const char *text, size_t length);
/* longhand: ... on stderr; returns LH_EXIT_FAILED */
int lh_cli_fail(lh_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An evaluator by its name (backend.c); NULL: fast. NULL and the context failed where there is none. */
const struct lh_evaluator *lh_cli_evaluator(lh_cli *cli, const char *name);
/* of --device cpu, gpu or auto; NULL: it was refused */
const struct lh_evaluator *lh_cli_device(lh_cli *cli, const char *device, lh_precision precision);
/* false and reported: --recompute would save nothing */
bool lh_cli_can_recompute(lh_cli *cli, const struct lh_evaluator *with);

/* Loading (load.c). LESSON is a short name (ex1, gpt), or a file; LESSON:NAME one of its programs. */
typedef struct lh_source {
    const char *name; /* ex1, attention:bag, or the file */
    const char *file; /* lessons/ex1.md, or the file */
    const char *title;
    const char *text;
    size_t length;
    lh_program *program;
    const char *chosen;           /* the name of the program; NULL: the lesson's own */
    const lh_lesson_program *use; /* what its use line sets; NULL: nothing */
} lh_source;
/* ex1, gpt, or a file that looks like one */
bool lh_cli_is_lesson(lh_cli *cli, const char *word);
/* name, file and text alone; false: already reported */
bool lh_cli_find(lh_cli *cli, const char *lesson, lh_source *s);
/* of the lesson found or loaded last: those that travel along, and files beside it */
lh_finder lh_cli_finder(lh_cli *cli);
bool lh_cli_load(lh_cli *cli, const char *lesson, lh_source *s); /* false: already reported */
/* no use line sets anything: worksheets and training need that; false: already reported */
bool lh_cli_is_plain(lh_cli *cli, const lh_source *s);
/* what --set, --train and --freeze ask for */
lh_build lh_cli_build(const lh_settings *set, const lh_names *train, const lh_names *freeze);
/* with what its use line sets, and a mistake, NAME[@STEP] or NULL; false: already reported */
bool lh_cli_how(lh_cli *cli, const lh_source *s, const lh_build *more, const char *mistake,
                lh_build *how);
/* NULL: already reported */
lh_graph *lh_cli_graph(lh_cli *cli, const lh_source *s, const lh_build *more);
/* --input: these examples in place of the program's; false: already reported (input.c) */
bool lh_cli_input(lh_cli *cli, lh_source *s, const lh_names *input);
/* in cli->arena; NULL and the context failed */
char *lh_cli_read_file(lh_cli *cli, const char *path, size_t *length);
/* whole or not at all; false: already reported */
bool lh_cli_write_file(lh_cli *cli, const char *path, const char *text, size_t length);
/* a drawing is SVG: a path that promises something else is refused; NULL is fine */
bool lh_cli_is_svg(lh_cli *cli, const char *path);
void lh_cli_list(lh_cli *cli, FILE *out); /* lessons and models, a line each */
void lh_cli_list_part(lh_cli *cli, FILE *out, const char *part); /* the lessons of one part */
int lh_cli_welcome(lh_cli *cli);                                 /* longhand alone (welcome.c) */
int lh_cli_operations(lh_cli *cli); /* longhand help operations: Markdown (operations.c) */

/* --train and --freeze that change nothing are refused; has_gradients: a gradient is enough. False: already reported */
bool lh_cli_learning(lh_cli *cli, const lh_source *s, const lh_graph *g, const lh_names *train,
                     const lh_names *freeze, bool has_gradients);
/* --batch, --shuffle (-1: no), or those of its use line */
lh_loop_how lh_cli_batches(const lh_source *s, int batch, int shuffle);
/* true: it was given, and is reported */
bool lh_cli_refuse(lh_cli *cli, bool is_given, const char *option, const char *why);

/* Options of several commands. */
#define LH_OPTION_INPUT(names)                                                                     \
    {                                                                                              \
        "input", 0, LH_OPTION_LIST, names, "EXAMPLE",                                              \
            "run on this example instead: 'source = You are welcome'; may be given several times", \
            0, 0                                                                                   \
    }
#define LH_OPTION_SET(to)                                                                          \
    {                                                                                              \
        "set", 0, LH_OPTION_SETTINGS, &(to), "NAME=VALUE",                                         \
            "another value for a size or const; several may follow", 0, 0                          \
    }
#define LH_OPTION_LEARNED(to)                                                                      \
    { "train", 0, LH_OPTION_NAMES, &(to), "NAMES", "consts that should learn too: WQ,WK", 0, 0 }
#define LH_OPTION_FROZEN(to)                                                                       \
    { "freeze", 0, LH_OPTION_NAMES, &(to), "NAMES", "params that should not learn", 0, 0 }
#define LH_OPTION_THREADS(to)                                                                      \
    { "threads", 0, LH_OPTION_INT, &(to), "N", "threads (one per processor)", 1, 256 }
#define LH_OPTION_DEVICE(to)                                                                       \
    {                                                                                              \
        "device", 0, LH_OPTION_TEXT, &(to), "NAME",                                                \
            "where it runs: cpu (default), gpu, or auto: a GPU where there is one", 0, 0           \
    }
#define LH_OPTION_JSON(to)                                                                         \
    { "json", 0, LH_OPTION_FLAG, &(to), NULL, "output as JSON: see longhand-json(5)", 0, 0 }

/* Output (output.c). */
typedef enum lh_ink {
    LH_INK_PLAIN,
    LH_INK_NAME,
    LH_INK_NUMBER,
    LH_INK_QUIET,
    LH_INK_GOOD,
    LH_INK_BAD,
    LH_INK_BOLD,
    LH_INK_EMPHASIS
} lh_ink;
extern const char *const lh_ink_codes[]; /* what turns each on, on a terminal */
#define LH_INK_END "\033[0m"
void lh_ink_on(const lh_cli *cli, FILE *out, lh_ink ink);
void lh_ink_off(const lh_cli *cli, FILE *out);
/* on, the text, off */
void lh_ink_print(const lh_cli *cli, FILE *out, lh_ink ink, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
lh_chart_screen lh_cli_screen(const lh_cli *cli); /* how charts are written on it */
/* so many bytes; what is no UTF-8 becomes U+FFFD, a sign for each byte */
void lh_put_text(FILE *out, const char *text, size_t n);
/* words folded at the width, further lines indented */
void lh_wrap(FILE *out, int width, int indent, const char *text);
/* the same, where the first line already has `at` columns */
void lh_wrap_at(FILE *out, int width, int at, int indent, const char *text);
/* as a shell must be given it: plain where it can be, else in ' ' */
const char *lh_shell_word(lh_arena *a, const char *text);
/* the first line of most commands: ex1   The forward pass */
void lh_cli_heading(const lh_cli *cli, const char *name, const char *title);

#endif
