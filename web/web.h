/* web -- the engine as a page calls it: texts in, JSON out.
 *
 *     lh_web *w = lh_web_new();
 *     const char *answer = lh_web_call(w, arguments, length);      "open\0ex1\0": {"lesson": "ex1", ...}
 *     lh_web_free(w);
 *
 * Arguments are texts, each with its final 0; the first is the name of a function. docs/page.md has all of them. The answer is
 * one JSON object and is valid until the next call. An error is {"error": {...}}, and everything is as it was before the call.
 *
 * One lesson or program is open at a time. A change of a given opens it anew with the change: no number is older than another.
 * What a call needs is freed by the next one, what is open when another is opened: calls without end take no more memory.
 *
 * web_export.c makes of it what JavaScript sees; tests call it as it is.
 */
#ifndef LH_WEB_H
#define LH_WEB_H

#include "explain/explain.h"
#include "learn/live.h"
#include "learn/paper.h"
#include "pages/json.h"
#include "pages/page_address.h"

enum {
    LH_WEB_ARGUMENTS = 256,    /* of one call */
    LH_WEB_CELLS = 4096,       /* of a given that is changed cell by cell */
    LH_WEB_POINTS = 2000,      /* of a curve */
    LH_WEB_MEMORY = 512 << 20, /* bytes that one program may take */
    LH_WEB_REMAINS = 16 << 20, /* bytes of numbers that are gone, before all is opened anew */
    LH_WEB_WINDOW = 64,        /* tokens that a model looks back on, unless its program says it */
};
/* the same for a model from the reader's disk: of 4 GB that there are */
#define LH_WEB_MODEL_MEMORY ((size_t)3 << 30)

/* A file that the page has given. */
typedef struct lh_web_text {
    char *name, *text;
    size_t length;
} lh_web_text;

/* What the reader has changed. */
typedef struct lh_web_setting {
    char *what;  /* as the page said it: fast:E[1][0] */
    char *value; /* likewise */
    int program;
    char *name;  /* E, h[0].WQ; or NULL: an example */
    char *whole; /* the whole value in the notation */
    int example;
} lh_web_setting;

typedef struct lh_web {
    lh_context *ctx;
    lh_arena *arena; /* of this call */
    lh_text out;
    lh_json json;
    lh_web_text *text;
    int n_texts;
    char *name; /* of what is open, or NULL */
    lh_web_setting *setting;
    int n_settings;
    lh_lesson *lesson;
    lh_live *live;
    int step;        /* of training: what an address without @ means */
    lh_paper *paper; /* the sheet that was asked for last, and what it is made from; or NULL */
    const char *paper_key; /* which one it is */
    lh_arena *paper_arena;
    lh_program *paper_program;
    lh_mistakes *mistakes;
    size_t remains; /* LH_WEB_REMAINS, unless a test has less patience */
} lh_web;

typedef struct lh_web_function {
    const char *name;
    void (*run)(lh_web *w, int n, const char *const *argument);
    int least, most;   /* arguments */
    bool needs_lesson; /* something has to be open */
} lh_web_function;

lh_web *lh_web_new(void); /* NULL without memory */
void lh_web_free(lh_web *w);
const char *lh_web_call(lh_web *w, const char *arguments, size_t length);

/* ---- between the files of the folder ---- */

extern const lh_web_function lh_web_functions[]; /* ends with a name NULL */

bool lh_web_fail(lh_web *w, lh_error_kind kind, const char *what, ...)
    __attribute__((format(printf, 3, 4))); /* always false */
void lh_web_error(lh_json *j, const char *name, const lh_error *e);
bool lh_web_take(char **to, const char *text); /* a copy by malloc; false without memory */

/* An address with the program it belongs to: fast:P[1][0]@3. */
typedef struct lh_web_address {
    int program;
    const char *rest; /* behind the colon */
    lh_address at;
    lh_graph *g;
    lh_step *step;
    int moment; /* updates before it: of @3, or where the page is */
} lh_web_address;
/* where the page is: updates of the program, 0 where nothing learns */
int lh_web_moment(lh_web *w, int program);
bool lh_web_find(lh_web *w, const char *address, lh_web_address *out); /* false: failed */
bool lh_web_program(lh_web *w, const char *name, int *program);        /* likewise; "" is 0 */
const char *lh_web_prefix(lh_web *w, int program);                     /* "fast:", or "" */

void lh_web_version(lh_web *w, int n, const char *const *argument);
void lh_web_text_put(lh_web *w, int n, const char *const *argument);
void lh_web_open(lh_web *w, int n, const char *const *argument);
void lh_web_close(lh_web *w);
void lh_web_set(lh_web *w, int n, const char *const *argument);
void lh_web_unset(lh_web *w, int n, const char *const *argument);
void lh_web_list_settings(lh_web *w, int n, const char *const *argument);
void lh_web_givens(lh_web *w, int n, const char *const *argument);
void lh_web_values(lh_web *w, int n, const char *const *argument);
void lh_web_run(lh_web *w, int n, const char *const *argument);
void lh_web_trace(lh_web *w, int n, const char *const *argument);
void lh_web_show_program(lh_web *w, int n, const char *const *argument);
void lh_web_explain(lh_web *w, int n, const char *const *argument);
void lh_web_step(lh_web *w, int n, const char *const *argument);
void lh_web_lesson(lh_web *w, int n, const char *const *argument);
void lh_web_lint(lh_web *w, int n, const char *const *argument);
void lh_web_check(lh_web *w, int n, const char *const *argument);
void lh_web_cost(lh_web *w, int n, const char *const *argument);
void lh_web_plot(lh_web *w, int n, const char *const *argument);
void lh_web_refresh(lh_web *w, int n, const char *const *argument);
void lh_web_sheet(lh_web *w, int n, const char *const *argument);
void lh_web_key(lh_web *w, int n, const char *const *argument);
void lh_web_mark(lh_web *w, int n, const char *const *argument);
void lh_web_hint(lh_web *w, int n, const char *const *argument);
void lh_web_exercise(lh_web *w, int n, const char *const *argument);
void lh_web_judge(lh_web *w, int n, const char *const *argument);
void lh_web_exercise_hint(lh_web *w, int n, const char *const *argument);
void lh_web_exercise_key(lh_web *w, int n, const char *const *argument);
void lh_web_losses(lh_web *w, int n, const char *const *argument);

void lh_web_drop_paper(lh_web *w);
void lh_web_write_explanation(lh_web *w, const lh_explanation *e, const lh_addressed *from,
                              int digits, const char *address);
/* false: the address speaks of no mistake, or the context failed */
bool lh_web_explain_mistake(lh_web *w, const char *address, lh_explain_how *how);
void lh_web_write_problem(lh_json *j, const lh_problem *p);
bool lh_web_reopen(lh_web *w); /* with the settings; false: failed, and nothing is open */
void lh_web_write_givens(lh_web *w, int program);

#endif
