/* longhand -- write a transformer as on paper; run, differentiate, train and explain it.
 *
 *     longhand *lh = longhand_new();
 *     longhand_open_lesson(lh, "ex1");
 *     printf("%g\n", longhand_value(lh, "P[1][0]"));                      0.498232
 *     if (longhand_error(lh)) puts(longhand_error(lh)->what);
 *     longhand_free(lh);
 *
 * Compile with: cc mine.c $(pkg-config --cflags --libs longhand). Complete programs are in
 * examples/c, the notation is in docs/notation.md, longhand(3) is an overview. A program is text:
 * there is no second way to make one.
 *
 * Order. Open a program, set sizes and consts, run, read. The program is built when a call first
 * needs it. What changes it (longhand_set, _train, _freeze, _differentiate, _rewrite, _restore) has
 * it built anew, and every value is at its start again.
 *
 * Errors. The first error stays. Later calls do nothing and return 0, nan, "" or NULL. So call as
 * many as you like and look once, with longhand_error. longhand_clear_error forgets the error; what
 * was open stays open, and a change that could not be built is dropped: the program is what it was
 * before. Nothing here prints or ends the process.
 *
 * Memory. A longhand owns what it returns; a comment says how long that stays valid. What goes in is
 * copied. Arrays of numbers are the caller's: row after row.
 *
 * Options are structs that begin with their size: sizeof of the struct, or 0 for the fields that
 * its first version had. Every other field that is 0 means what its comment says, and NULL in place
 * of the struct means all of them. A struct that is returned may have more fields in a later
 * version, at its end. longhand_part, longhand_size, longhand_operand and longhand_rule stay as they
 * are.
 *
 * Threads. A longhand is used by one thread at a time; two of them share nothing, so each thread may
 * have its own. There is no global state. Calls of a callback come from the thread that called; a
 * callback may read its longhand (_error, _value, _read) and must not change it.
 *
 * Numbers are double and are computed by plain loops, for exactness and not for speed, but where
 * float is said: longhand_learn, _sample, _prompt and what follows a prompt use the fast evaluator,
 * with as many threads as are asked for. Rows, columns, heads, examples and places count from 0,
 * lines and columns of a text from 1.
 */
#ifndef LONGHAND_H
#define LONGHAND_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LH_API __attribute__((visibility("default")))

typedef struct longhand longhand; /* a program with its numbers */

/* Beginning and end. */

/* Which Longhand this is: "0.2.0". */
LH_API const char *longhand_version(void);

/* A new one with no program open. NULL without memory: every call takes that and does nothing. */
LH_API longhand *longhand_new(void);

/* Ends it with all it owns; NULL is allowed. */
LH_API void longhand_free(longhand *lh);

/* Errors. */
typedef enum longhand_error_kind {
    LONGHAND_OK = 0,
    LONGHAND_TEXT,  /* the notation: a word, a sign, a block */
    LONGHAND_NAME,  /* a name that is not known, or made twice */
    LONGHAND_SHAPE, /* two sizes that do not fit */
    LONGHAND_VALUE, /* a number or word that cannot be here */
    LONGHAND_LIMIT, /* too deep, too many, too large */
    LONGHAND_FILE,  /* cannot be opened or read */
    LONGHAND_MEMORY /* the machine has no more */
} longhand_error_kind;

typedef struct longhand_message {
    longhand_error_kind kind;
    const char *file;   /* which text, or "" */
    int line, column;   /* where in it; 0: nowhere */
    const char *source; /* that line of it, or "" */
    const char *what;   /* what is wrong, both sides named */
    const char *cure;   /* the likely cure, or "" */
} longhand_message;

/* The first error, or NULL when all is well. Valid until it is cleared. */
LH_API const longhand_message *longhand_error(longhand *lh);

/* Forgets the error, to go on. */
LH_API void longhand_clear_error(longhand *lh);

/* Opening. Each closes what was open before, with its settings. A name that ends in .md is a
 * lesson: its ```longhand blocks are the program. ".md:bag" is the program whose block begins with
 * ```longhand bag, or that a use line names. */

/* A program as text; the name is for messages. Length 0: up to the final 0. file() in it is
 * refused unless a folder is set. */
LH_API void longhand_open_text(longhand *lh, const char *name, const char *text, size_t length);

/* A file, .lh or .md. Files that it names lie beside it or in folders below; others are refused. */
LH_API void longhand_open_file(longhand *lh, const char *path);

/* A lesson or model that travels in the library: "ex1"; or one of its programs: "attention:bag". */
LH_API void longhand_open_lesson(longhand *lh, const char *name);

/* A model in a folder: one that longhand train or longhand_save wrote, or one from the Hugging Face
 * hub. Its program has the settings and the weights of the folder, and no examples. */
LH_API void longhand_open_folder(longhand *lh, const char *path);

/* Their names, "lessons/ex1.md" and so on, then NULL. Valid for ever. */
LH_API const char *longhand_lesson(int i);

/* A file that travels in the library: "lessons/ex1.md", "engine.js"; `length`, unless NULL, is set to
 * its bytes. NULL: there is none of this name. Valid for ever. */
LH_API const char *longhand_file(const char *name, size_t *length);

/* Where the next opened text may read files: there or in folders below. NULL: nowhere. */
LH_API void longhand_set_folder(longhand *lh, const char *path);

/* What the program calls itself: its first heading or comment. Valid until another is opened. */
LH_API const char *longhand_title(longhand *lh);

/* The program as text, without the prose of its lesson and without what was changed since it was
 * opened. Valid until it is asked for again or another is opened. */
LH_API const char *longhand_text(longhand *lh);

/* Changing the program. Each takes effect when it is built next, and values begin at their starts. */

/* Another value for a size or const, in the notation: "rate", "0.5". */
LH_API void longhand_set(longhand *lh, const char *name, const char *value);

/* A const learns from now on. */
LH_API void longhand_train(longhand *lh, const char *name);

/* A param learns no more; "*": none does. */
LH_API void longhand_freeze(longhand *lh, const char *name);

/* Makes the gradients of this step although the program has no `backward`. */
LH_API void longhand_differentiate(longhand *lh, const char *name);

/* Forgets all of these and every rewrite: the program is as it was opened. */
LH_API void longhand_restore(longhand *lh);

/* Running. */

/* Which examples of the program to run on, n numbers; n 0: all. Inputs set by hand are lost. */
LH_API void longhand_batch(longhand *lh, const int *example, int n);

/* How many examples are in the batch. */
LH_API int longhand_examples(longhand *lh);

/* The number `training`, which dropout looks at: 1 unless switched off. */
LH_API void longhand_training(longhand *lh, bool is_on);

/* Computes every step. */
LH_API void longhand_run(longhand *lh);

/* Runs, then carries out every `:=`: one step of training. Steps keep the numbers before it. */
LH_API void longhand_update(longhand *lh);

/* How many updates were made since the start. */
LH_API int longhand_updates(longhand *lh);

/* Back to the start: all values as the program has them, no step held, no update made. */
LH_API void longhand_reset(longhand *lh);

/* Where nan or infinity began in the last run, in words, or NULL. Valid until asked again. */
LH_API const char *longhand_trouble(longhand *lh);

/* Steps: what has a name. They stand in the order of the program, gradients where `backward`
 * stands, lines of a call before the call. */
typedef enum longhand_kind {
    LONGHAND_GIVEN,    /* size, const, param, state, input */
    LONGHAND_FORWARD,  /* name = formula */
    LONGHAND_GRADIENT, /* made by `backward`: dX */
    LONGHAND_PART,     /* one of several parts of a gradient: dX.Q */
    LONGHAND_UPDATE,   /* name := formula; its path ends in := */
    LONGHAND_INSIDE /* a line of a call or of its gradient rule, or an operand without a name: P.e */
} longhand_kind;

typedef struct longhand_step {
    longhand_kind kind;
    const char *path;    /* h[0].A.P, unique; "" after an error */
    const char *formula; /* softmax(Z); "" where it is given */
    const char *comment; /* what the program says of it, or "" */
    const char *shape;   /* 2x4, tokens x 8 in 2 heads */
    bool per_example;    /* once for each example */
    int line;            /* where it stands in the program */
    bool may_be_set;     /* const, param, state or input; others after longhand_hold */
    bool learns;         /* a param */
} longhand_step;

/* How many steps there are, those inside calls included. */
LH_API int longhand_steps(longhand *lh);

/* One of them, from 0; never NULL. Valid until the program is built anew. */
LH_API const longhand_step *longhand_step_at(longhand *lh, int i);

/* One by its path, or by a tail that is unique: h[0].P for h[0].A.P; never NULL. */
LH_API const longhand_step *longhand_find(longhand *lh, const char *name);

/* Values. An address is a name, then {example 2, head 5}, then the cell [7][2], then @1 for the
 * first update: what is left out is 0. Steps have the numbers of the last run, and a program that
 * never ran runs first. With @ the program runs once more from its starts, on all its examples
 * and without what was set by hand. After longhand_prompt they are those of the prompt. */
typedef struct longhand_size {
    int examples; /* in the batch; 1 where the value is not per example */
    int heads;    /* 1, or more after split() */
    int rows, cols;
} longhand_size;

typedef struct longhand_part {
    int example, head; /* which matrix of the value */
    size_t row_step;   /* cell (r, c) is number r * row_step + c * col_step of the caller's array */
    size_t col_step;   /* ... both 0: row after row */
} longhand_part;

/* The number at an address; nan after an error. Row, column, head and example are 0 where they are
 * left out. */
LH_API double longhand_value(longhand *lh, const char *address);

/* Sets a number of a given, an input or a held step. The others follow with the next run. */
LH_API void longhand_set_value(longhand *lh, const char *address, double x);

/* How large a value is; all 0 after an error. */
LH_API longhand_size longhand_size_of(longhand *lh, const char *name, int example);

/* Copies a matrix to `to`, which has room for so many numbers, and says how many it takes. `to`
 * NULL: says it without copying. */
LH_API size_t longhand_read(longhand *lh, const char *name, longhand_part part, double *to,
                            size_t room);

/* The same in float. */
LH_API size_t longhand_read_float(longhand *lh, const char *name, longhand_part part, float *to,
                                  size_t room);

/* Sets a matrix from n numbers, which must be as many as longhand_read takes. */
LH_API void longhand_write(longhand *lh, const char *name, longhand_part part, const double *from,
                           size_t n);

/* The same from float. */
LH_API void longhand_write_float(longhand *lh, const char *name, longhand_part part,
                                 const float *from, size_t n);

/* Where a matrix lies, without a copy: part says which, and its steps are set to how it lies there.
 * NULL where it has no memory of its own (a number that is stretched), after longhand_prompt, and
 * after an error. To be read only. The numbers change with every run; the pointer is valid until
 * the next call that runs, opens, changes, batches, holds, releases, resets, learns or frees. */
LH_API const double *longhand_view(longhand *lh, const char *name, longhand_part *part);

/* A computed step keeps its numbers from now on. They may be set, and what follows uses them. */
LH_API void longhand_hold(longhand *lh, const char *name);

/* It is computed again; NULL: all held steps are. */
LH_API void longhand_release(longhand *lh, const char *name);

/* The number of a word; vocab NULL: the one without a name. -1: none. */
LH_API int longhand_token(longhand *lh, const char *vocab, const char *word);

/* The word of a number, or NULL. Valid until the program is built anew. */
LH_API const char *longhand_word(longhand *lh, const char *vocab, int token);

/* Telling. What follows can be told in several forms; a form that a function does not have is an
 * error. A text is valid until its function is called again, or its longhand is freed. JSON is as
 * the commands write it: longhand-json(5). */
typedef enum longhand_form {
    LONGHAND_AS_TEXT, /* lines of at most 80 columns, UTF-8 */
    LONGHAND_AS_JSON,
    LONGHAND_AS_HTML, /* a whole page */
    LONGHAND_AS_MARKDOWN,
    LONGHAND_AS_CSV,
    LONGHAND_AS_SVG,
} longhand_form;

/* Explaining: one number, down to the numbers that made it. */
typedef struct longhand_line {
    int depth;           /* how far to indent */
    const char *label;   /* e[1][0] */
    const char *formula; /* exp(Z[1][0] - m[1]); "given" */
    const char *numbers; /* exp(0 - 0.00707107) */
    double value;        /* 0.992954 */
    const char *note;    /* why a branch was taken, or "" */
} longhand_line;

typedef struct longhand_explanation {
    double value;
    const char *path;    /* of its step */
    const char *comment; /* what the program says of the step, or "" */
    const char *where;   /* row and column in words, where they have words, or "" */
    int n_lines;
    const longhand_line *const *line; /* operands first; with deep, operands below their result */
} longhand_explanation;

typedef struct longhand_detail {
    size_t size;    /* sizeof(longhand_detail), or 0 */
    int digits;     /* significant; 0: 6 */
    bool deep;      /* follow the operands down to the given numbers */
    bool all_terms; /* every term of a long sum, not only the largest */
} longhand_detail;

/* How the number at an address came about; NULL after an error. Valid until the next call of it,
 * or until values or the program change. */
LH_API const longhand_explanation *longhand_explain(longhand *lh, const char *address,
                                                    const longhand_detail *detail);

/* The same as text, or JSON; "" after an error. */
LH_API const char *longhand_explain_as(longhand *lh, const char *address,
                                       const longhand_detail *detail, longhand_form form);

/* Every step in the order in which a person would work it out, with all numbers of the last run: as
 * JSON. `to`: up to this step; NULL: all. */
LH_API const char *longhand_trace(longhand *lh, const char *to, longhand_form form);

/* Gradients against differences, numbers against more digits, rules against bodies. True: all is
 * well. `report`, unless NULL, is set to what was found, as text or JSON. Slow: thousands of runs. */
LH_API bool longhand_check(longhand *lh, longhand_form form, const char **report);

/* Cost: counted from the formulas, without running. */
typedef struct longhand_amount {
    double number;
    const char *formula; /* in the names of sizes and lengths: 3*tokens*dim^2 */
} longhand_amount;

typedef struct longhand_bill {
    longhand_amount parameters;         /* numbers that learn */
    longhand_amount states;             /* numbers that an optimiser keeps beside them */
    longhand_amount multiply_adds;      /* of matrix products, for one example: the longest */
    longhand_amount operations;         /* all else, for one example */
    longhand_amount once_multiply_adds; /* what is done once for all examples, as an update is */
    longhand_amount once_operations;
} longhand_bill;

/* What one update costs; NULL after an error. Valid until the program is built anew. */
LH_API const longhand_bill *longhand_cost(longhand *lh);

/* Step by step, as JSON. */
LH_API const char *longhand_cost_as(longhand *lh, longhand_form form);

/* Pictures. */
typedef struct longhand_plot_how {
    size_t size;        /* sizeof(longhand_plot_how), or 0 */
    longhand_form form; /* LONGHAND_AS_SVG, or LONGHAND_AS_TEXT (0): characters */
    int width;          /* pixels, or columns of text; 0: 640, or 80 */
    int updates;        /* numbers after so many updates, where the address has no @ */
    bool log_y;         /* loss, line: equal factors take equal room */
    bool in_words;      /* what the picture shows, in sentences instead */
} longhand_plot_how;

/* Numbers of the open program: "heat P", "bars probs", "loss 100", "points X Y out", "vectors E",
 * "moves X Y", "line xs ys", "growth xs ys", "stripes PE". It runs from its starts. */
LH_API const char *longhand_plot(longhand *lh, const char *what, const longhand_plot_how *how);

typedef struct longhand_graph_how {
    size_t size;    /* sizeof(longhand_graph_how), or 0 */
    const char *to; /* what leads to this step, and no more; NULL: all */
    bool all;       /* every turn of a repeat, not only the first */
    bool forward;   /* no gradients and updates */
} longhand_graph_how;

/* The open program as boxes and arrows: SVG. */
LH_API const char *longhand_graph(longhand *lh, const longhand_graph_how *how);

/* An architecture by its name: "transformer", "gpt"; of the open program "training": SVG, or text. */
LH_API const char *longhand_diagram(longhand *lh, const char *name, longhand_form form);

/* Worksheets. */
typedef struct longhand_sheet_how {
    size_t size;              /* sizeof(longhand_sheet_how), or 0 */
    longhand_form form;       /* text (0), JSON, Markdown or CSV */
    unsigned long long seed;  /* other numbers; 0: the lesson's own */
    int digits;               /* to give; 0: as the lesson says, or 4 */
    const char *const *steps; /* n_steps names: ask these alone; NULL: as the lesson says */
    int n_steps;
    bool key; /* with the answers and their working */
} longhand_sheet_how;

/* A worksheet of the open program; "" after an error. */
LH_API const char *longhand_sheet(longhand *lh, const longhand_sheet_how *how);

typedef struct longhand_mark_how {
    size_t size;             /* sizeof(longhand_mark_how), or 0 */
    longhand_form form;      /* of the report: text (0) or JSON */
    unsigned long long seed; /* where the answers do not say which sheet it is */
    int digits;              /* likewise; 0: as the lesson says, or 4 */
    int few_digits; /* right numbers with fewer digits are worth: 0 all, 1 half a point, 2 nothing */
} longhand_mark_how;

typedef struct longhand_marks {
    int credit, total;  /* numbers with full credit, of all that were asked */
    double points;      /* credit, and half points for few digits */
    const char *report; /* step by step: verdicts, mistakes by their names, advice */
} longhand_marks;

/* Answers, marked: the text of a sheet that was filled in, lines such as "P = 0.498 0.502", or
 * JSON. NULL after an error; what cannot be read in an answer file is one, with its line. Valid
 * until the next call of it. Length 0: up to the final 0. */
LH_API const longhand_marks *longhand_mark(longhand *lh, const char *answers, size_t length,
                                           const longhand_mark_how *how);

/* Exercises of a lesson: opened by longhand_open_lesson, or from a file or text in Markdown. */
typedef struct longhand_exercise {
    const char *kind;     /* compute, predict, write, experiment, find */
    const char *title;    /* or "" */
    const char *question; /* Markdown */
    const char *form;     /* what an answer looks like: "a number from 1 to 3" */
    int n_choices;
    const char *const *choice;
    int n_hints;
    const char *const *hint;
    const char *key; /* what is right, as it is typed */
    const char *because;
} longhand_exercise;

typedef enum longhand_verdict {
    LONGHAND_RIGHT,
    LONGHAND_PARTLY, /* right so far; numbers are missing */
    LONGHAND_WRONG,
    LONGHAND_UNREAD /* it is no answer: a word where a number belongs */
} longhand_verdict;

typedef struct longhand_answered {
    longhand_verdict verdict;
    int n_lines; /* what there is to say */
    const char *const *line;
    const char *error; /* what is wrong with the text of the answer, or "" */
    int column;        /* ... and where */
} longhand_answered;

/* How many exercises the open lesson has. */
LH_API int longhand_exercises(longhand *lh);

/* One of them, from 0; NULL after an error. Valid until the next call of it. */
LH_API const longhand_exercise *longhand_exercise_at(longhand *lh, int i);

/* An answer, judged by the engine; NULL after an error. Valid until the next call of it. */
LH_API const longhand_answered *longhand_answer(longhand *lh, int i, const char *text);

/* Weights, and training at full speed. */

/* The params have the numbers of a file from now on: .safetensors, or a model folder. Names are as
 * the program says (`as`), or paths; shapes must agree. */
LH_API void longhand_load(longhand *lh, const char *path);

/* The params as they are now. A path that ends in .safetensors: one file, in double. Otherwise a
 * model folder, in float: the program, config.json, the tokeniser where there is one and, after
 * longhand_learn, what is needed to go on. Whole or not at all. */
LH_API void longhand_save(longhand *lh, const char *path);

typedef struct longhand_progress {
    int step, steps; /* done, and in all */
    double loss;     /* of this step, before its update */
    double held_out; /* the mean loss of text that is not learned from; nan: not looked at now */
    double seconds;  /* since the beginning */
} longhand_progress;

typedef struct longhand_learn_how {
    size_t size;           /* sizeof(longhand_learn_how), or 0 */
    const char *text;      /* what to learn from: text_length bytes (0: up to the final 0) */
    size_t text_length;    /* ... */
    const char *file;      /* or a file; neither: a task, or as before, or the course's own text */
    const char *task;      /* data that are made: addition, sort, reverse, copy, translate, names */
    const char *tokens;    /* char (NULL), word, bpe:N, or a folder with a tokenizer.json */
    bool lines;            /* each line is an example */
    int steps;             /* how many more; 0: 1000 */
    int batch;             /* examples in each; 0: 12 */
    int micro;             /* worked out so many at a time; 0: all of a batch */
    const char *precision; /* of large products: float (NULL), or bf16 */
    const char *rate;      /* another learning rate: the program's const rate; NULL: its own */
    int seed;              /* of batches, first weights and dropout; 0: the program's */
    int threads;           /* 0: as many as the machine has */
    int every;             /* look at held-out text after so many steps; 0: at the end */
    bool (*progress)(void *who, const longhand_progress *now); /* after each step; false: stop */
    void *who;
    bool recompute; /* layers are computed again for their gradients: the same bits, less memory */
} longhand_learn_how;

/* Trains the open program (gpt, micro, adder, classic; your own) with the fast evaluator. Called
 * again it goes on. Returns the steps done in this call. A loss that is no number is an error; the
 * weights are then those before that step. */
LH_API int longhand_learn(longhand *lh, const longhand_learn_how *how);

/* A model reads: longhand_open_folder, or after longhand_learn. */

/* What it reads. Values, sizes and explanations are of this text from now on, by the fast evaluator
 * and in double where they are explained: steps that the text is enough for. NULL: no prompt. */
LH_API void longhand_prompt(longhand *lh, const char *text);

/* The tokens of the prompt: n of them. NULL after an error or without one. Valid until the next. */
LH_API const int *longhand_prompt_tokens(longhand *lh, int *n);

/* A token as text, n bytes of it, and a final 0; NULL: there is none. Valid until the next call. */
LH_API const char *longhand_piece(longhand *lh, int token, size_t *n);

/* Scores of the next token at every position of the prompt, row after row, as longhand_read: so
 * many numbers. */
LH_API size_t longhand_logits(longhand *lh, float *to, size_t room);

typedef struct longhand_look_how {
    size_t size;        /* sizeof(longhand_look_how), or 0 */
    longhand_form form; /* LONGHAND_AS_JSON; or LONGHAND_AS_SVG: the attention of one layer */
    int layer;          /* from 1; 0: all; in SVG the last */
    int head;           /* from 1; 0: all */
} longhand_look_how;

/* Tokens, attention, what each layer would say and what comes next; of a program that generates
 * nothing (BERT), the words that [MASK] hides. */
LH_API const char *longhand_look(longhand *lh, const longhand_look_how *how);

typedef struct longhand_sample_how {
    size_t size;        /* sizeof(longhand_sample_how), or 0 */
    int number;         /* tokens at most; 0: 200 */
    bool greedy;        /* the likeliest token each time: temperature 0 */
    double temperature; /* 0: as generation_config.json of the folder says, or 0.8 */
    int top_k;          /* of the likeliest K; -1: all; 0: as the folder says, or 40 */
    double top_p;       /* of those that together have this probability; 0: as it says, or all */
    int seed;
    int threads;           /* 0: as many as the machine has */
    int context;           /* tokens to look back on at most; 0: as many as the model can */
    const char *precision; /* float (NULL); bf16, int8 or int4: weights in 16, 8 or 4 bits */
    bool (*token)(void *who, int token, const char *piece, size_t n); /* each; false: stop */
    void *who;
} longhand_sample_how;

/* Goes on after the prompt (NULL or "": from a beginning), token by token. Returns what was written
 * without the prompt; "" after an error. The same seed gives the same text. */
LH_API const char *longhand_sample(longhand *lh, const char *prompt,
                                   const longhand_sample_how *how);

/* Marking: two services for those who compare a hand calculation with a program. The letters of a
 * rule stand for operands, the same letter for the same operand: w b g for given or learned
 * values, a c d x y for computed ones, others for any. */
typedef struct longhand_operand {
    const char *name;   /* a step that the formula needs, itself or further down */
    longhand_part part; /* which matrix of it, and how it lies in cell */
    const double *cell; /* numbers to use in its place */
    size_t n;           /* how many there are */
} longhand_operand;

typedef struct longhand_rule {
    const char *text;   /* "a / sqrt(cols(k)) => a": pattern => pattern */
    int place;          /* which of the places where it fits, from 0 */
    const char *letter; /* a letter of the right side alone that stands for a number, or NULL */
    int number;         /* ... this one */
    bool look;          /* the left side may look through the names of steps */
} longhand_rule;

/* One step from these operands, as longhand_read. What else it needs is computed from them and
 * from what is given. The values of lh stay as they are. */
LH_API size_t longhand_evaluate(longhand *lh, const char *name, const longhand_operand *operand,
                                int n, longhand_part part, double *to, size_t room);

/* In how many places of a step's formula the rule fits. */
LH_API int longhand_matches(longhand *lh, const char *name, longhand_rule rule);

/* Applies the rule to a step, and the program is built and differentiated anew; an error where the
 * rule does not fit. */
LH_API void longhand_rewrite(longhand *lh, const char *name, longhand_rule rule);

#ifdef __cplusplus
}
#endif

#endif
