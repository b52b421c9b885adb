/* The rewrite: every param with the places where it is read, then the lines that are new. */
#include "train/lora.h"
#include "base/ascii.h"

#include <string.h>

static const lh_place nowhere = {0, 0, 0};

/* Where a name is looked for: a list of statements and those around it. */
typedef struct scope {
    const struct scope *outer;
    lh_statement ***list; /* of the program, of a repeat or of each */
    int *n;
    const lh_statement *block; /* NULL: the program */
} scope;

/* A param, and the products that read it. */
typedef struct target {
    lh_statement *s;
    scope at;
    lh_expr *product[16];
    int n_products;
    int n_others;   /* readers that are no product with it on the right */
    bool is_turned; /* x @ W^T, as most models have it: W is out x in */
    bool is_mixed;  /* here turned, there not */
    bool is_chosen;
} target;

typedef struct rewrite {
    lh_context *ctx;
    lh_arena *arena; /* of the program that is changed */
    lh_program *p;
    const lh_lora *how;
    target *target;
    int n_targets;
    const char *last; /* what was found to be amiss while walking */
} rewrite;

static bool refuse(const rewrite *w, lh_place at, const char *what, const char *cure) {
    lh_fail(w->ctx, LH_ERROR_VALUE, at, "%s", what);
    if (cure) lh_cure(w->ctx, "%s", cure);
    lh_fail_in(w->ctx, w->p->file, w->p->source, w->p->length);
    return false;
}

/* ---- names ---- */

static bool binds(const lh_statement *s, const char *name) {
    for (int i = 0; s && s->kind == LH_S_REPEAT && i < s->n_bindings; i++)
        if (strcmp(s->binding[i].name, name) == 0) return true;
    return s && (s->kind == LH_S_REPEAT || s->kind == LH_S_EACH) && strcmp(s->name, name) == 0;
}

static bool makes(const lh_statement *s, const char *name) {
    const bool is_maker = s->kind == LH_S_PARAM || s->kind == LH_S_CONST || s->kind == LH_S_STATE ||
                          s->kind == LH_S_STEP || s->kind == LH_S_SIZE || s->kind == LH_S_INPUT;
    return is_maker && s->name && strcmp(s->name, name) == 0;
}

/* The param that a name stands for here, or NULL: something else. */
static target *find(const rewrite *w, const scope *from, const char *name) {
    for (const scope *x = from; x; x = x->outer) {
        for (int i = 0; i < *x->n; i++) {
            const lh_statement *s = (*x->list)[i];
            if (!makes(s, name)) continue;
            for (int k = 0; k < w->n_targets; k++)
                if (w->target[k].s == s) return &w->target[k];
            return NULL;
        }
        if (binds(x->block, name)) return NULL;
    }
    return NULL;
}

static bool is_taken_in(lh_statement *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        const lh_statement *s = list[i];
        if (s->name && strcmp(s->name, name) == 0) return true;
        if (binds(s, name) || is_taken_in(s->body, s->n_body, name)) return true;
    }
    return false;
}

/* A name that is added must be new in the whole program. */
static bool is_free(const rewrite *w, const char *name) {
    if (!is_taken_in(w->p->statement, w->p->n_statements, name)) return true;
    return refuse(w, nowhere,
                  lh_printf(w->arena, "LoRA adds a name %s, but the program already has it", name),
                  "rename it in the program");
}

/* ---- who reads which param ---- */

static void collect(rewrite *w, const scope *here) {
    for (int i = 0; i < *here->n; i++) {
        lh_statement *s = (*here->list)[i];
        if (s->kind == LH_S_PARAM) {
            target *t = lh_push(w->arena, w->target, w->n_targets);
            *t = (target){.s = s, .at = *here};
        }
        if (s->kind != LH_S_REPEAT) continue;
        scope *inner = lh_alloc(w->arena, sizeof *inner);
        *inner = (scope){here, &s->body, &s->n_body, s};
        collect(w, inner);
    }
}

/* The right side of a product: W, or W^T. */
static target *right_side(const rewrite *w, const scope *here, const lh_expr *e, bool *is_turned) {
    *is_turned = e->kind == LH_E_TRANSPOSE;
    if (*is_turned) e = e->arg[0];
    return e->kind == LH_E_NAME ? find(w, here, e->text) : NULL;
}

static void note(target *t, lh_expr *product, bool is_turned) {
    if (t->n_products && t->is_turned != is_turned) t->is_mixed = true;
    t->is_turned = is_turned;
    if (t->n_products < (int)(sizeof t->product / sizeof *t->product))
        t->product[t->n_products++] = product;
    else
        t->n_others++;
}

static void read_expr(const rewrite *w, const scope *here, lh_expr *e) {
    bool is_turned;
    if (!e) return;
    if (e->kind == LH_E_NAME) {
        target *t = find(w, here, e->text);
        if (t) t->n_others++;
    }
    const bool is_product = e->kind == LH_E_MATMUL || e->kind == LH_E_DOT;
    target *t = is_product ? right_side(w, here, e->arg[1], &is_turned) : NULL;
    if (t) note(t, e, is_turned);
    for (int i = 0; i < e->n_args; i++)
        if (!t || i != 1) read_expr(w, here, e->arg[i]);
}

/* Functions have names of their own, and gradients are made anew. */
static void read_list(const rewrite *w, const scope *here) {
    for (int i = 0; i < *here->n; i++) {
        lh_statement *s = (*here->list)[i];
        if (s->kind == LH_S_FN || s->kind == LH_S_GRAD) continue;
        read_expr(w, here, s->expr);
        for (int k = 0; k < s->n_bindings; k++) read_expr(w, here, s->binding[k].expr);
        if (s->kind != LH_S_REPEAT && s->kind != LH_S_EACH) continue;
        const scope inner = {here, &s->body, &s->n_body, s};
        read_list(w, &inner);
    }
}

/* ---- which of them ---- */

/* The module of "model.layers.{h}.self_attn.q_proj.weight", without its .weight. */
const char *lh_lora_module(lh_arena *a, const char *as) {
    const size_t n = strlen(as) - (lh_ends_in(as, ".weight") ? strlen(".weight") : 0);
    return lh_copy(a, as, n);
}

/* As PEFT looks for names: the whole, or its end behind a dot. */
static bool is_called(lh_arena *a, const lh_statement *s, const char *name) {
    if (strcmp(s->name, name) == 0) return true;
    if (!s->as) return false;
    const char *module = lh_lora_module(a, s->as);
    return strcmp(module, name) == 0 || lh_ends_in(module, lh_printf(a, ".%s", name));
}

static bool is_row(const lh_statement *s) {
    return s->rows && s->rows->kind == LH_E_NUMBER && s->rows->number == 1;
}

static const char *why_not(const rewrite *w, const target *t) {
    const char *name = t->s->name;
    if (is_row(t->s)) return lh_printf(w->arena, "%s is one row: LoRA is for matrices", name);
    if (!t->s->rows) return lh_printf(w->arena, "%s has no sizes after a colon", name);
    if (t->is_mixed)
        return lh_printf(w->arena, "%s is read as x @ %s and as x @ %s^T", name, name, name);
    if (t->n_products == 0)
        return lh_printf(w->arena, "%s is in no product x @ %s or x @ %s^T that LoRA could add to",
                         name, name, name);
    if (t->n_others)
        return lh_printf(w->arena, "%s is read in other ways than by x @ %s or x @ %s^T", name,
                         name, name);
    return NULL;
}

static const char *can_be(const rewrite *w) {
    lh_text list = lh_text_new(w->arena);
    for (int i = 0; i < w->n_targets; i++) {
        const target *t = &w->target[i];
        if (why_not(w, t)) continue;
        lh_text_add(&list, "%s%s", list.n ? ", " : "", t->s->name);
    }
    return list.n ? lh_printf(w->arena, "LoRA can be used on %s", list.s) : NULL;
}

static bool choose_named(rewrite *w, const char *name) {
    bool is_found = w->how->may_miss;
    for (int i = 0; i < w->n_targets; i++) {
        target *t = &w->target[i];
        if (!is_called(w->arena, t->s, name)) continue;
        const char *why = why_not(w, t);
        if (why) return refuse(w, t->s->at, why, can_be(w));
        t->is_chosen = is_found = true;
    }
    if (is_found) return true;
    return refuse(w, nowhere, lh_printf(w->arena, "LoRA on %.60s: no param is called that", name),
                  can_be(w));
}

static bool choose(rewrite *w) {
    bool is_any = false;
    for (int i = 0; i < w->how->n_on; i++)
        if (!choose_named(w, w->how->on[i])) return false;
    for (int i = 0; i < w->n_targets; i++) {
        target *t = &w->target[i];
        if (!w->how->n_on) t->is_chosen = t->at.block && !why_not(w, t);
        is_any |= t->is_chosen;
    }
    return is_any ||
           refuse(w, nowhere, "there is no matrix in a repeat that LoRA could add to", can_be(w));
}

/* ---- the new lines ---- */

static lh_expr *expr(const rewrite *w, lh_expr_kind kind, const char *text, lh_expr *a,
                     lh_expr *b) {
    lh_expr *e = lh_alloc(w->arena, sizeof *e);
    *e = (lh_expr){.kind = kind, .text = text, .n_args = !!a + !!b, .height = 1};
    e->arg = lh_alloc_array(w->arena, 2, sizeof(lh_expr *));
    e->argname = lh_alloc_array(w->arena, 2, sizeof(const char *));
    if (a) e->arg[0] = a;
    if (b) e->arg[1] = b;
    return e;
}

static lh_expr *name_of(const rewrite *w, const char *name) {
    return expr(w, LH_E_NAME, name, NULL, NULL);
}

static lh_expr *number(const rewrite *w, double x) {
    lh_expr *e = expr(w, LH_E_NUMBER, lh_printf(w->arena, "%.15g", x), NULL, NULL);
    e->number = x;
    return e;
}

static lh_expr *turned(const rewrite *w, const char *name) {
    return expr(w, LH_E_TRANSPOSE, NULL, name_of(w, name), NULL);
}

static void insert(const rewrite *w, const scope *at, int place, lh_statement *s) {
    lh_statement **list = lh_alloc_array(w->arena, (size_t)*at->n + 1, sizeof *list);
    if (!list) return;
    memcpy(list, *at->list, (size_t)place * sizeof(lh_statement *));
    list[place] = s;
    memcpy(list + place + 1, *at->list + place, (size_t)(*at->n - place) * sizeof *list);
    *at->list = list;
    ++*at->n;
}

static int place_of(const scope *at, const lh_statement *s) {
    int i = 0;
    while (i < *at->n && (*at->list)[i] != s) i++;
    return i;
}

static lh_statement *statement(const rewrite *w, lh_statement_kind kind, const char *name,
                               lh_expr *e, const char *comment) {
    lh_statement *s = lh_alloc(w->arena, sizeof *s);
    *s = (lh_statement){.kind = kind, .name = name, .expr = e, .comment = comment};
    return s;
}

/* Of a param without a name in files: its path, h[{h}].WQ. */
static const char *path_of(const rewrite *w, const target *t) {
    const char *path = t->s->name;
    for (const scope *x = &t->at; x && x->block; x = x->outer)
        path = lh_printf(w->arena, "%s[{%s}].%s", x->block->name, x->block->name, path);
    return path;
}

/* GPT-2's programs leave out the first word of its modules. */
const char *lh_lora_name(lh_arena *a, const char *weight, const char *which) {
    return lh_printf(a, "base_model.model.%s%s.lora_%s.weight",
                     strncmp(weight, "h.", 2) == 0 ? "transformer." : "", lh_lora_module(a, weight),
                     which);
}

static lh_statement *small(const rewrite *w, const target *t, bool is_a, lh_expr *start) {
    lh_expr *in = t->is_turned ? t->s->cols : t->s->rows,
            *out = t->is_turned ? t->s->rows : t->s->cols;
    lh_statement *s =
        statement(w, LH_S_PARAM, lh_printf(w->arena, "%s_%s", t->s->name, is_a ? "A" : "B"), start,
                  is_a ? NULL : "0: at first nothing is added");
    s->rows = is_a ? name_of(w, "rank") : out;
    s->cols = is_a ? in : name_of(w, "rank");
    s->as = lh_lora_name(w->arena, t->s->as, is_a ? "A" : "B");
    return s;
}

/* normal(1 / sqrt(in)) */
static lh_expr *spread(const rewrite *w, lh_expr *in) {
    lh_expr *root = expr(w, LH_E_CALL, "sqrt", in, NULL),
            *share = expr(w, LH_E_DIV, NULL, number(w, 1), root);
    return expr(w, LH_E_CALL, "normal", share, NULL);
}

static bool add_small(const rewrite *w, const target *t) {
    lh_statement *a = small(w, t, true, spread(w, t->is_turned ? t->s->cols : t->s->rows)),
                 *b = small(w, t, false, number(w, 0));
    if (!is_free(w, a->name) || !is_free(w, b->name)) return false;
    const int at = place_of(&t->at, t->s);
    insert(w, &t->at, at + 1, a);
    insert(w, &t->at, at + 2, b);
    return true;
}

static bool holds(const lh_expr *all, const lh_expr *e) {
    for (int i = 0; all && i < all->n_args; i++)
        if (holds(all->arg[i], e)) return true;
    return all == e;
}

/* The list and the line in which an expression stands: a line that names its left side goes before it. */
static bool line_of(const rewrite *w, const scope *here, const lh_expr *e, scope *list, int *line) {
    for (int i = 0; i < *here->n; i++) {
        lh_statement *s = (*here->list)[i];
        bool is_here = holds(s->expr, e);
        for (int k = 0; k < s->n_bindings; k++) is_here |= holds(s->binding[k].expr, e);
        *list = *here, *line = i;
        if (is_here) return true;
        const scope inner = {here, &s->body, &s->n_body, s};
        if ((s->kind == LH_S_REPEAT || s->kind == LH_S_EACH) && line_of(w, &inner, e, list, line))
            return true;
    }
    return false;
}

/* A new line before the one in which a product stands; its name. */
static const char *add_line(const rewrite *w, const target *t, int which, const char *ending,
                            lh_expr *e, const char *comment) {
    const scope all = {NULL, &w->p->statement, &w->p->n_statements, NULL};
    const char *name = which ? lh_printf(w->arena, "%s_%s%d", t->s->name, ending, which + 1)
                             : lh_printf(w->arena, "%s_%s", t->s->name, ending);
    scope list;
    int line;
    if (is_free(w, name) && line_of(w, &all, t->product[which], &list, &line))
        insert(w, &list, line, statement(w, LH_S_STEP, name, e, comment));
    return name;
}

/* What is multiplied twice gets a name, where it has none. */
static lh_expr *left_side(const rewrite *w, const target *t, int which) {
    lh_expr **x = &t->product[which]->arg[0];
    if ((*x)->kind != LH_E_NAME)
        *x = name_of(w, add_line(w, t, which, "x", *x,
                                 lh_printf(w->arena, "what %s multiplies", t->s->name)));
    return *x;
}

/* W_add = alpha / rank * (x @ A^T) @ B^T, and x @ W^T + W_add in place of x @ W^T */
static void add_path(const rewrite *w, const target *t, int which) {
    lh_expr *e = t->product[which], *x = left_side(w, t, which), *old;
    const char *a = lh_printf(w->arena, "%s_A", t->s->name),
               *b = lh_printf(w->arena, "%s_B", t->s->name);
    lh_expr *share = expr(w, LH_E_DIV, NULL, name_of(w, "alpha"), name_of(w, "rank")),
            *into = expr(w, LH_E_MATMUL, NULL, x, turned(w, a)),
            *scaled = expr(w, LH_E_MUL, NULL, share, into),
            *both = expr(w, LH_E_MATMUL, NULL, scaled, turned(w, b));
    const char *name = add_line(w, t, which, "add", both,
                                lh_printf(w->arena, "what was learned beside %s", t->s->name));
    old = expr(w, e->kind, e->text, e->arg[0], e->arg[1]);
    *e = *expr(w, LH_E_ADD, NULL, old, name_of(w, name));
}

static void freeze(const rewrite *w, const target *t) {
    t->s->kind = LH_S_CONST;
    if (!t->s->as) t->s->as = path_of(w, t);
}

/* Before the first param, or the repeat that has it. */
static bool add_numbers(const rewrite *w) {
    const scope all = {NULL, &w->p->statement, &w->p->n_statements, NULL};
    int at = 0;
    while (at < *all.n && (*all.list)[at]->kind != LH_S_PARAM &&
           (*all.list)[at]->kind != LH_S_REPEAT)
        at++;
    if (!is_free(w, "rank") || !is_free(w, "alpha")) return false;
    insert(w, &all, at,
           statement(w, LH_S_SIZE, "rank", number(w, w->how->rank),
                     "LoRA: what W_A and W_B learn is added to what W makes"));
    insert(w, &all, at + 1,
           statement(w, LH_S_CONST, "alpha", number(w, w->how->alpha),
                     "it counts alpha / rank times; the other weights do not learn"));
    return true;
}

/* WO := ... by name would renew what is frozen. */
static bool renews_none(const rewrite *w, const scope *here) {
    for (int i = 0; i < *here->n; i++) {
        const lh_statement *s = (*here->list)[i];
        if (s->kind == LH_S_UPDATE && find(w, here, s->name))
            return refuse(
                w, s->at,
                lh_printf(w->arena,
                          "%s := ... updates a param by name, but LoRA freezes that param",
                          s->name),
                "each W in params, W := adamw(W, dW, rate), end");
    }
    return true;
}

/* ---- the interface ---- */

static bool is_small(const lh_statement *s) {
    return s->kind == LH_S_PARAM && s->as && lh_ends_in(s->as, ".lora_A.weight");
}

static bool has_small(lh_statement *const *list, int n) {
    for (int i = 0; i < n; i++)
        if (is_small(list[i]) || has_small(list[i]->body, list[i]->n_body)) return true;
    return false;
}

bool lh_lora_is(const lh_program *p) {
    return has_small(p->statement, p->n_statements);
}

static bool rewrite_all(rewrite *w) {
    const scope all = {NULL, &w->p->statement, &w->p->n_statements, NULL};
    if (lh_lora_is(w->p))
        return refuse(w, nowhere, "the program has small matrices of LoRA already",
                      "longhand merge makes a plain folder of both first");
    collect(w, &all);
    read_list(w, &all);
    if (!renews_none(w, &all) || !choose(w) || !add_numbers(w)) return false;
    for (int i = 0; i < w->n_targets; i++) freeze(w, &w->target[i]);
    for (int i = 0; i < w->n_targets; i++) {
        const target *t = &w->target[i];
        if (!t->is_chosen) continue;
        if (!add_small(w, t)) return false;
        for (int k = 0; k < t->n_products; k++) add_path(w, t, k);
    }
    return !lh_failed(w->ctx);
}

char *lh_lora_rewrite(lh_context *ctx, lh_arena *a, const lh_program *p, const lh_lora *how) {
    lh_program *own = lh_failed(ctx) ? NULL : lh_program_parse(ctx, p->file, p->source, p->length);
    if (!own) return NULL;
    rewrite w = {.ctx = ctx, .arena = own->arena, .p = own, .how = how};
    char *text = NULL;
    if (rewrite_all(&w)) {
        const char *printed = lh_program_print(own);
        text = lh_copy(a, printed, strlen(printed));
    }
    lh_program_free(own);
    return text;
}
