/* choice -- how the next token is chosen: what `sample` and `chat` are told, and what the model's folder says. */
#ifndef LH_CLI_CHOICE_H
#define LH_CLI_CHOICE_H

#include "cli/cli.h"
#include "files/folder.h"
#include "train/sample.h"

typedef struct lh_choice_options {
    const char *temperature, *top_p, *min_p;    /* NULL: not said */
    const char *penalty, *presence, *frequency; /* ... */
    int top_k;                                  /* -1: not said */
} lh_choice_options;

#define LH_CHOICE_OPTIONS(o)                                                                       \
    {"temperature",                                                                                \
     't',                                                                                          \
     LH_OPTION_TEXT,                                                                               \
     &(o).temperature,                                                                             \
     "T",                                                                                          \
     "0: the likeliest token; 1: the model's probabilities; more: bolder (0.8)",                   \
     0,                                                                                            \
     0},                                                                                           \
        {"top-k",    'k',    LH_OPTION_INT,                                                        \
         &(o).top_k, "K",    "choose among the K likeliest tokens; 0: all (40)",                   \
         0,          INT_MAX},                                                                     \
        {"top-p",                                                                                  \
         'p',                                                                                      \
         LH_OPTION_TEXT,                                                                           \
         &(o).top_p,                                                                               \
         "P",                                                                                      \
         "choose among the likeliest tokens that together have probability P (1: all)",            \
         0,                                                                                        \
         0},                                                                                       \
        {"min-p",                                                                                  \
         0,                                                                                        \
         LH_OPTION_TEXT,                                                                           \
         &(o).min_p,                                                                               \
         "P",                                                                                      \
         "choose among tokens with at least P times the likeliest one's probability (0: all)",     \
         0,                                                                                        \
         0},                                                                                       \
        {"repetition-penalty",                                                                     \
         0,                                                                                        \
         LH_OPTION_TEXT,                                                                           \
         &(o).penalty,                                                                             \
         "R",                                                                                      \
         "make tokens that already occurred less likely; 1: no effect (1)",                        \
         0,                                                                                        \
         0},                                                                                       \
        {"presence-penalty",                                                                       \
         0,                                                                                        \
         LH_OPTION_TEXT,                                                                           \
         &(o).presence,                                                                            \
         "A",                                                                                      \
         "take A off the score of each token that already occurred (0)",                           \
         0,                                                                                        \
         0},                                                                                       \
    {                                                                                              \
        "frequency-penalty", 0, LH_OPTION_TEXT, &(o).frequency, "B",                               \
            "... and B for each time that it occurred (0)", 0, 0                                   \
    }

/* false: reported */
bool lh_choice_read(lh_cli *cli, const lh_choice_options *o, const lh_folder *f, lh_choice *c);

#endif
