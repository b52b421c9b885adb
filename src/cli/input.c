/* input -- what the options of several commands ask of a program: other examples, and what is to learn.
 *
 * --input 'source = You are welcome': the text is what may stand behind `example` (behind `text`, where that is how the program gives its own). The statement takes the
 * place of the program's examples. An input that it does not name is as in the program's first example, which is said.
 */
#include <string.h>

#include "cli/cli.h"

static const lh_place nowhere;

static bool is_example(const lh_statement *s) {
    return s->kind == LH_S_EXAMPLE || s->kind == LH_S_EXAMPLES || s->kind == LH_S_TEXT;
}

static const lh_statement *first_example(const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++)
        if (is_example(p->statement[i])) return p->statement[i];
    return NULL;
}

static bool has_input(const lh_program *p) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_INPUT || is_example(p->statement[i])) return true;
    return false;
}

static const lh_binding *find(const lh_statement *s, const char *name) {
    for (int i = 0; i < s->n_bindings; i++)
        if (strcmp(s->binding[i].name, name) == 0) return &s->binding[i];
    return NULL;
}

/* What the first example gives and this one does not. */
static void fill(lh_cli *cli, lh_statement *s, const lh_statement *first) {
    lh_text taken = lh_text_new(cli->arena);
    if (!first || first->kind != LH_S_EXAMPLE || s->kind != LH_S_EXAMPLE) return;
    lh_binding *own = s->binding;
    int n = s->n_bindings;
    s->binding = NULL;
    s->n_bindings = 0;
    for (int i = 0; i < n; i++) *lh_push(cli->arena, s->binding, s->n_bindings) = own[i];
    for (int i = 0; i < first->n_bindings; i++) {
        if (find(s, first->binding[i].name)) continue;
        *lh_push(cli->arena, s->binding, s->n_bindings) = first->binding[i];
        lh_text_add(&taken, "%s%s", taken.n ? ", " : "", first->binding[i].name);
    }
    s->is_short = first->is_short;
    s->has_target = find(s, "target") != NULL;
    if (taken.n) fprintf(stderr, "longhand: taken from the first example: %s\n", taken.s);
}

static bool is_named(const lh_program *p, const char *name) {
    for (int i = 0; i < p->n_statements; i++)
        if (p->statement[i]->kind == LH_S_INPUT && strcmp(p->statement[i]->name, name) == 0)
            return true;
    return false;
}

/* The words that the program's own example gives to the input, or NULL. */
static const char *words_of(lh_arena *a, const lh_statement *first, const char *name) {
    const lh_binding *b = first ? find(first, name) : NULL;
    lh_text t = lh_text_new(a);
    for (int i = 0; b && i < b->n_words; i++) lh_text_add(&t, "%s%s", i ? " " : "", b->word[i]);
    return t.n ? t.s : NULL;
}

/* Words alone are for the input tokens. Where the program's inputs have other names, one has to be said; the text may be a name
 * without words. */
static bool says_input(lh_cli *cli, const lh_program *p, const char *text, const lh_statement *s,
                       const lh_statement *first) {
    const lh_statement *input = NULL;
    for (int i = p->n_statements - 1; i >= 0; i--)
        if (p->statement[i]->kind == LH_S_INPUT) input = p->statement[i];
    if (!s->is_short || !input || (is_named(p, "tokens") && !is_named(p, text))) return true;
    const char *name = is_named(p, text) ? text : input->name,
               *own = words_of(cli->arena, first, name);
    lh_fail(cli->ctx, LH_ERROR_TEXT, nowhere,
            name == text ? "--input %s: the words for it are missing"
                         : "--input \"%s\" does not say for which input it is",
            text);
    lh_cure(cli->ctx, "for example --input '%s = %s'", name,
            name == text ? own ? own : "..." : text);
    return false;
}

static lh_statement *read_example(lh_cli *cli, const lh_program *of, const char *text,
                                  const lh_statement *first) {
    const char *word = first && first->kind == LH_S_TEXT && !strchr(text, '=') ? "text" : "example";
    const char *line = lh_printf(cli->arena, "%s %s\n", word, text);
    lh_program *p = lh_program_parse(cli->ctx, "--input", line, strlen(line));
    if (!p) return NULL;
    *lh_push(cli->arena, cli->kept, cli->n_kept) = p;
    lh_statement *s = p->n_statements == 1 ? p->statement[0] : NULL;
    if (!s || !is_example(s)) {
        lh_fail(cli->ctx, LH_ERROR_TEXT, nowhere, "--input takes one example: \"%s\"", text);
        lh_cure(cli->ctx, s ? "its form is NAME = words, or words -> words"
                            : "several --input are several examples");
        return NULL;
    }
    if (!says_input(cli, of, text, s, first)) return NULL;
    s->at = s->name_at = nowhere; /* it is no line of the file */
    for (int i = 0; i < s->n_bindings; i++) s->binding[i].at = nowhere;
    fill(cli, s, first);
    return s;
}

bool lh_cli_input(lh_cli *cli, lh_source *s, const lh_names *input) {
    lh_program *p = s->program;
    const lh_statement *first = first_example(p);
    lh_statement **list = NULL;
    int n = 0, at = 0;
    if (!input->n) return true;
    if (!has_input(p)) {
        lh_cli_fail(cli, "--input: %s has no inputs, its numbers are all given", s->name);
        return false;
    }
    while (at < p->n_statements && p->statement[at] != first &&
           !(p->statement[at]->kind == LH_S_STEP && !first))
        at++;
    for (int i = 0; i <= p->n_statements && !lh_failed(cli->ctx); i++) {
        for (int k = 0; i == at && k < input->n && !lh_failed(cli->ctx); k++) {
            lh_statement *x = read_example(cli, p, input->name[k], first);
            if (x) *lh_push(p->arena, list, n) = x;
        }
        if (i < p->n_statements && !is_example(p->statement[i]))
            *lh_push(p->arena, list, n) = p->statement[i];
    }
    if (lh_failed(cli->ctx)) {
        lh_cli_report(cli);
        return false;
    }
    p->statement = list;
    p->n_statements = n;
    return true;
}

/* ---- --train and --freeze ---- */

static const lh_statement *find_given(lh_statement *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        const lh_statement *s = list[i];
        bool is_given = s->kind == LH_S_CONST || s->kind == LH_S_PARAM || s->kind == LH_S_STATE;
        if (is_given && strcmp(s->name, name) == 0) return s;
        const lh_statement *inner = find_given(s->body, s->n_body, name);
        if (inner) return inner;
    }
    return NULL;
}

/* h[0].WQ is declared as WQ. */
static lh_statement_kind kind_of(const lh_source *s, const char *path) {
    const char *dot = strrchr(path, '.');
    const lh_statement *x =
        find_given(s->program->statement, s->program->n_statements, dot ? dot + 1 : path);
    return x ? x->kind : LH_S_KINDS;
}

static bool is_renewed(const lh_graph *g, const char *name) {
    for (int i = 0; i < g->n_givens; i++) {
        const lh_step *s = g->given[i]->node->step;
        if (s && g->given[i]->renewed && (strcmp(s->path, name) == 0 || strcmp(s->name, name) == 0))
            return true;
    }
    return false;
}

static bool fail_train(lh_cli *cli, const lh_source *s, const char *name) {
    lh_cli_fail(cli, "--train %s changes nothing: no line of %s updates %s", name, s->name, name);
    fprintf(stderr,
            "a line such as %s := %s - rate * d%s does; longhand program %s -o mine.lh writes the "
            "program to a file, to be changed\n",
            name, name, name, lh_shell_word(cli->arena, s->name));
    return false;
}

bool lh_cli_learning(lh_cli *cli, const lh_source *s, const lh_graph *g, const lh_names *train,
                     const lh_names *freeze, bool has_gradients) {
    for (int i = 0; i < train->n; i++) {
        const char *name = train->name[i];
        if (kind_of(s, name) == LH_S_PARAM) {
            lh_cli_fail(cli, "--train %s changes nothing: %s is a param and learns already", name,
                        name);
            return false;
        }
        const bool is_seen = has_gradients && g && g->loss; /* as dWQ */
        if (!is_seen && g && !is_renewed(g, name)) return fail_train(cli, s, name);
    }
    for (int i = 0; i < freeze->n; i++) {
        const char *name = freeze->name[i];
        if (strcmp(name, "*") == 0 || kind_of(s, name) == LH_S_PARAM) continue;
        lh_cli_fail(cli, "--freeze %s changes nothing: %s is not a param and does not learn anyway",
                    name, name);
        return false;
    }
    return true;
}

lh_loop_how lh_cli_batches(const lh_source *s, int batch, int shuffle) {
    if (!batch && s->use) batch = s->use->batch;
    if (shuffle < 0 && s->use) shuffle = s->use->shuffle;
    return (lh_loop_how){.batch = batch,
                         .shuffle = shuffle >= 0,
                         .seed = (unsigned long long)(shuffle >= 0 ? shuffle : 0)};
}

bool lh_cli_refuse(lh_cli *cli, bool is_given, const char *option, const char *why) {
    if (is_given) lh_cli_fail(cli, "--%s has no effect here: %s", option, why);
    return is_given;
}
