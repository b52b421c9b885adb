/* Reading config.json by the tables of family_fields.c. */
#include "files/family.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/number.h"
#include "files/family_internal.h"

enum { MAX_SIZE = 1 << 28 };

static const lh_place nowhere = {0, 0, 0};

const lh_family *lh_family_find(const char *model_type) {
    for (int i = 0; i < lh_family_n_records; i++)
        if (strcmp(lh_family_records[i].family.type, model_type) == 0)
            return &lh_family_records[i].family;
    return NULL;
}

int lh_family_count(void) {
    return lh_family_n_records;
}

const lh_family *lh_family_at(int i) {
    return &lh_family_records[i].family;
}

void lh_family_refuse(const lh_family_reader *r, const char *field, const char *why, ...) {
    char reason[256];
    va_list args;
    va_start(args, why);
    lh_vformat(reason, sizeof reason, why, args);
    va_end(args);
    lh_fail(r->ctx, LH_ERROR_FILE, nowhere, "%.80s %s", field, reason);
    lh_fail_in(r->ctx, r->file, NULL, 0);
}

const cJSON *lh_family_item(const lh_family_reader *r, const char *field) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(r->root, field);
    return cJSON_IsNull(item) ? NULL : item;
}

/* ---- fields ---- */

static const lh_family_field *field_in(const lh_family_field *list, const char *name) {
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0) return list;
    return NULL;
}

static bool is_number(const lh_family_field *f) {
    return f->kind == LH_FIELD_WHOLE || f->kind == LH_FIELD_NUMBER || f->kind == LH_FIELD_NEEDED;
}

const char *lh_family_name(const lh_family_reader *r, size_t at) {
    const char *name = NULL;
    for (const lh_family_field *f = r->field; f->name; f++)
        if ((is_number(f) || f->kind == LH_FIELD_TEXT) && f->at == at &&
            (!name || lh_family_item(r, f->name)))
            name = f->name;
    return name;
}

/* true, a number or an object where only nothing is understood. */
static bool is_off(const cJSON *item) {
    return cJSON_IsNull(item) || cJSON_IsFalse(item) ||
           (cJSON_IsNumber(item) && item->valuedouble == 0) ||
           ((cJSON_IsObject(item) || cJSON_IsArray(item)) && !item->child);
}

/* Elsewhere a config says null where there is none: 0 would be a divisor, or a size. */
static bool may_be_zero(const lh_family_field *f) {
    return f->at == offsetof(lh_family_values, eps) ||
           f->at == offsetof(lh_family_values, window_layers);
}

static void read_number(lh_family_reader *r, const lh_family_field *f, const cJSON *item) {
    double *to = (double *)(void *)((char *)&r->v + f->at), x = item->valuedouble;
    const bool is_whole = f->kind == LH_FIELD_WHOLE, with_zero = may_be_zero(f);
    if (cJSON_IsNull(item) && f->kind == LH_FIELD_NEEDED) {
        lh_family_refuse(r, f->name, "is null, and a number is needed");
    } else if (cJSON_IsNull(item)) {
        *to = 0;
    } else if (!cJSON_IsNumber(item) || !isfinite(x) || x < 0 || (x == 0 && !with_zero) ||
               (is_whole && (x != floor(x) || x > MAX_SIZE))) {
        lh_family_refuse(r, f->name, "must be a %snumber %s", is_whole ? "whole " : "",
                         with_zero  ? "from 0 on"
                         : is_whole ? "from 1 on"
                                    : "above 0");
    } else {
        *to = x;
    }
}

static void read_text(lh_family_reader *r, const lh_family_field *f, const cJSON *item) {
    const char **to = (const char **)((char *)&r->v + f->at), *s = cJSON_GetStringValue(item);
    if (cJSON_IsNull(item))
        *to = NULL;
    else if (!s || strlen(s) > 60)
        lh_family_refuse(r, f->name, "must be a short text");
    else
        *to = lh_copy(r->arena, s, strlen(s));
}

static bool is_usual(const lh_family_field *f, const cJSON *item) {
    return cJSON_IsNull(item) || (cJSON_IsNumber(item) && item->valuedouble == f->standard);
}

static void read_field(lh_family_reader *r, const lh_family_field *f, const cJSON *item) {
    switch (f->kind) {
    case LH_FIELD_WHOLE:
    case LH_FIELD_NEEDED:
    case LH_FIELD_NUMBER: read_number(r, f, item); return;
    case LH_FIELD_TEXT: read_text(r, f, item); return;
    case LH_FIELD_YES:
        if (cJSON_IsBool(item))
            *(bool *)((char *)&r->v + f->at) = cJSON_IsTrue(item);
        else if (!cJSON_IsNull(item) || f->standard != 0)
            lh_family_refuse(r, f->name, "must be true or false");
        return;
    case LH_FIELD_OFF:
        if (!is_off(item))
            lh_family_refuse(r, f->name, "is set, but this setting is not supported");
        return;
    case LH_FIELD_ON:
        if (!cJSON_IsTrue(item))
            lh_family_refuse(r, f->name, "must be true: other values are not supported");
        return;
    case LH_FIELD_USUAL:
        if (!is_usual(f, item))
            lh_family_refuse(r, f->name, "must be %g: other values are not supported", f->standard);
        return;
    case LH_FIELD_ROPE:
    case LH_FIELD_LAYERS:
    case LH_FIELD_HARMLESS: return;
    }
}

/* Two names of one value: only the first has a usual one. */
static void set_standards(lh_family_reader *r, const lh_family_field *f) {
    for (; f->name; f++) {
        void *to = (char *)&r->v + f->at;
        if (f->kind == LH_FIELD_YES) *(bool *)to = f->standard != 0;
        if (f->kind == LH_FIELD_TEXT) *(const char **)to = f->text;
        if (is_number(f) && *(double *)to == 0) *(double *)to = f->standard;
    }
}

/* Sizes that no model is without; what else is made of them is of no use then. */
static void check_counts(const lh_family_reader *r, const lh_family_field *f) {
    static const size_t counts[] = {
        offsetof(lh_family_values, vocab), offsetof(lh_family_values, dim),
        offsetof(lh_family_values, layers), offsetof(lh_family_values, heads),
        offsetof(lh_family_values, context)};
    for (; f->name; f++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            if (f->kind == LH_FIELD_WHOLE && f->standard != 0 && f->at == counts[i] &&
                *(const double *)(const void *)((const char *)&r->v + f->at) == 0)
                lh_family_refuse(r, f->name, "is 0 or null, and must be at least 1");
}

/* n_embd beside hidden_size: two names of one number, which must agree. */
static void check_names(const lh_family_reader *r, const lh_family_field *list) {
    for (const lh_family_field *a = list; a->name; a++)
        for (const lh_family_field *b = a + 1; b->name; b++) {
            if (!is_number(a) || !is_number(b) || a->at != b->at) continue;
            const cJSON *x = lh_family_item(r, a->name), *y = lh_family_item(r, b->name);
            if (cJSON_IsNumber(x) && cJSON_IsNumber(y) && x->valuedouble != y->valuedouble)
                lh_family_refuse(r, b->name, "is %g, and %s, another name for it, %g",
                                 y->valuedouble, a->name, x->valuedouble);
        }
}

void lh_family_read(lh_family_reader *r, const lh_family_record *f) {
    r->v = (lh_family_values){0};
    r->field = f->field;
    set_standards(r, f->field);
    for (const cJSON *item = r->root->child; item && !lh_failed(r->ctx); item = item->next) {
        const lh_family_field *own = field_in(f->field, item->string);
        if (!own) own = field_in(lh_family_common, item->string);
        if (own)
            read_field(r, own, item);
        else if (!cJSON_IsNull(item)) /* false as well: a model without rope says it so */
            lh_family_refuse(r, item->string,
                             "is not a known field of %s models: it may change what the model "
                             "computes",
                             f->family.name);
    }
    if (!lh_failed(r->ctx)) check_names(r, f->field);
    if (!lh_failed(r->ctx)) check_counts(r, f->field);
}

/* ---- activations ---- */

const char *lh_family_activation(const lh_family_reader *r) {
    const bool is_gemma = r->v.gemma_activation != NULL;
    const char *name = is_gemma ? r->v.gemma_activation : r->v.activation;
    static const char *const table[][2] = {
        {"gelu_new", "gelu"},
        {"gelu_pytorch_tanh", "gelu"},
        {"gelu_fast", "gelu"},
        {"gelu", "geluexact"},
        {"gelu_python", "geluexact"},
        {"relu", "relu"},
        {"silu", "silu"},
        {"swish", "silu"},
        {"tanh", "tanh"},
        {"sigmoid", "sigmoid"},
        {"leaky_relu", "leakyrelu"},
        {"linear", ""},
    };
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i][0], name) == 0) return table[i][1];
    lh_family_refuse(r,
                     lh_family_name(r, is_gemma ? offsetof(lh_family_values, gemma_activation)
                                                : offsetof(lh_family_values, activation)),
                     "is %s, which is not known here", name ? name : "null");
    return "relu";
}

/* ---- positions that are turned ---- */

static double rope_number(const lh_family_reader *r, const cJSON *object, const char *name,
                          double standard) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item || cJSON_IsNull(item)) return standard;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
        lh_family_refuse(r, name, "must be a number from 0 on");
    return item->valuedouble;
}

static void check_rope_names(const lh_family_reader *r, const cJSON *object) {
    static const char *const known[] = {"rope_type",
                                        "type",
                                        "rope_theta",
                                        "factor",
                                        "low_freq_factor",
                                        "high_freq_factor",
                                        "original_max_position_embeddings",
                                        "beta_fast",
                                        "beta_slow",
                                        "mscale",
                                        "mscale_all_dim",
                                        "attention_factor",
                                        "truncate",
                                        "partial_rotary_factor",
                                        "short_factor",
                                        "long_factor"};
    for (const cJSON *item = object->child; item; item = item->next) {
        bool is_known = cJSON_IsNull(item);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strcmp(known[i], item->string) == 0;
        if (!is_known)
            lh_family_refuse(r, item->string, "is a field of rope that is not known here");
    }
}

static double yarn_share(double factor, double by) {
    return factor <= 1 ? 1 : 0.1 * by * log(factor) + 1;
}

static void read_yarn(const lh_family_reader *r, const cJSON *o, lh_rope *rope) {
    const double a = rope_number(r, o, "mscale", 0), b = rope_number(r, o, "mscale_all_dim", 0);
    const double usual = a > 0 && b > 0 ? yarn_share(rope->factor, a) / yarn_share(rope->factor, b)
                                        : yarn_share(rope->factor, 1);
    rope->kind = LH_ROPE_YARN;
    rope->fast = rope_number(r, o, "beta_fast", 32);
    rope->slow = rope_number(r, o, "beta_slow", 1);
    if (rope->fast == 0) rope->fast = 32; /* 0 is read as nothing said, there */
    if (rope->slow == 0) rope->slow = 1;
    rope->strength = rope_number(r, o, "attention_factor", usual);
    const cJSON *rounds = cJSON_GetObjectItemCaseSensitive(o, "truncate");
    if (rounds && !cJSON_IsBool(rounds)) lh_family_refuse(r, "truncate", "must be true or false");
    rope->is_rounded = !cJSON_IsFalse(rounds);
    if (rope->factor < 1) lh_family_refuse(r, "factor", "must be a number from 1 on");
}

/* Within the old context; beyond it other shares would be taken, for every position. */
static void read_long(const lh_family_reader *r, const cJSON *o, lh_rope *rope, lh_decoder *d) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "short_factor");
    rope->kind = LH_ROPE_LONG;
    if (!cJSON_IsArray(list)) lh_family_refuse(r, "short_factor", "must be a list in [ ]");
    for (const cJSON *x = list ? list->child : NULL; x && rope->n_shares < LH_FAMILY_MAX_PAIRS;
         x = x->next) {
        if (!cJSON_IsNumber(x) || !(x->valuedouble > 0))
            lh_family_refuse(r, "short_factor", "must be a list of numbers above 0");
        rope->share[rope->n_shares++] = x->valuedouble;
    }
    if (rope->n_shares * 2 != d->turned)
        lh_family_refuse(r, "short_factor", "has %d numbers, and there are %lld pairs to turn",
                         rope->n_shares, d->turned / 2);
    double old = r->v.old_context > 0 ? r->v.old_context : rope->old;
    if (old < 1) old = (double)d->context;
    const double factor = rope_number(r, o, "factor", (double)d->context / old);
    const double usual = factor <= 1 || old <= 1 ? 1 : sqrt(1 + log(factor) / log(old));
    rope->strength = rope_number(r, o, "attention_factor", usual);
    if ((double)d->context > old) d->context = (long long)old;
}

static void read_rope_kind(lh_family_reader *r, const cJSON *o, lh_rope *rope, lh_decoder *d) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, "rope_type");
    if (!item) item = cJSON_GetObjectItemCaseSensitive(o, "type");
    const char *kind = cJSON_GetStringValue(item);
    rope->factor = rope_number(r, o, "factor", 1);
    rope->old = rope_number(r, o, "original_max_position_embeddings", 0);
    if (!item || (kind && strcmp(kind, "default") == 0)) return;
    if (kind && (strcmp(kind, "longrope") == 0 || strcmp(kind, "su") == 0)) {
        read_long(r, o, rope, d);
        return;
    }
    if (rope->old < 1) rope->old = (double)d->context; /* as it is where it is left out */
    if (!(rope_number(r, o, "factor", 0) > 0)) {
        lh_family_refuse(r, "factor", "of %.40s rope is missing, or 0", kind ? kind : "this");
    } else if (kind && strcmp(kind, "linear") == 0) {
        rope->kind = LH_ROPE_LINEAR;
    } else if (kind && strcmp(kind, "llama3") == 0) {
        rope->kind = LH_ROPE_LLAMA3;
        rope->low = rope_number(r, o, "low_freq_factor", 0);
        rope->high = rope_number(r, o, "high_freq_factor", 0);
        if (!(rope->low > 0) || rope->high <= rope->low)
            lh_family_refuse(r, "low_freq_factor",
                             "and a higher high_freq_factor are needed by llama3 rope");
    } else if (kind && strcmp(kind, "yarn") == 0) {
        read_yarn(r, o, rope);
    } else {
        lh_family_refuse(r, "rope_type", "is %.40s, which is not known here",
                         kind ? kind : "no text");
    }
}

static void read_rope(lh_family_reader *r, const cJSON *o, lh_rope *rope, lh_decoder *d) {
    if (!cJSON_IsObject(o)) {
        lh_family_refuse(r, o->string, "must have fields in { }");
        return;
    }
    check_rope_names(r, o);
    rope->base = rope_number(r, o, "rope_theta", rope->base);
    const double part = rope_number(r, o, "partial_rotary_factor", -1);
    if (part >= 0) d->turned = (long long)((double)d->width * part);
    if (!lh_failed(r->ctx)) read_rope_kind(r, o, rope, d);
}

/* rope_scaling, the older name, takes the place of rope_parameters where there are both. */
static const cJSON *rope_item(const lh_family_reader *r) {
    const cJSON *now = lh_family_item(r, "rope_parameters"),
                *old = lh_family_item(r, "rope_scaling");
    if (now && old && r->v.local_theta > 0)
        lh_family_refuse(r, "rope_scaling",
                         "is given together with rope_parameters: one of them is enough");
    return old ? old : now;
}

/* { "full_attention": { ... }, "sliding_attention": { ... } }: only where layers with a window turn otherwise than the others. */
static void check_rope_parts(const lh_family_reader *r, const cJSON *o) {
    for (const cJSON *item = o->child; item; item = item->next) {
        const bool is_full = strcmp(item->string, "full_attention") == 0,
                   is_local = strcmp(item->string, "sliding_attention") == 0;
        if (!(is_full || (is_local && r->v.local_theta > 0)) && !cJSON_IsNull(item))
            lh_family_refuse(
                r, item->string,
                "is given together with full_attention in rope_parameters, and is not known "
                "there for these models");
    }
}

static void check_rope(const lh_family_reader *r, const lh_decoder *d) {
    const char *part = lh_family_name(r, offsetof(lh_family_values, part));
    if (d->width % 2 && d->turned == d->width)
        lh_family_refuse(r, "head_dim", "is %lld, an odd number: RoPE turns columns in pairs",
                         d->width);
    else if (d->turned < 2 || d->turned % 2 || d->turned > d->width)
        lh_family_refuse(r, part ? part : "partial_rotary_factor",
                         "leaves %lld of %lld columns of a head to turn: they go in pairs",
                         d->turned, d->width);
    if (!(d->rope.base > 1))
        lh_family_refuse(r, lh_family_name(r, offsetof(lh_family_values, theta)),
                         "must be above 1");
    if (d->has_local && !(d->local.base > 1))
        lh_family_refuse(r, "rope_local_base_freq", "must be above 1");
}

void lh_family_rope(lh_family_reader *r, lh_decoder *d) {
    const cJSON *o = rope_item(r);
    const cJSON *full = o ? cJSON_GetObjectItemCaseSensitive(o, "full_attention") : NULL,
                *local = o ? cJSON_GetObjectItemCaseSensitive(o, "sliding_attention") : NULL;
    if (full) check_rope_parts(r, o);
    d->rope = (lh_rope){.base = r->v.theta > 0 ? r->v.theta : 10000, .strength = 1};
    if (r->v.part > 0) d->turned = (long long)((double)d->width * r->v.part);
    if (r->v.local_theta > 0) {
        d->has_local = true;
        d->local = (lh_rope){.base = r->v.local_theta, .strength = 1};
        if (local) read_rope(r, local, &d->local, d);
    }
    if (o) read_rope(r, full ? full : o, &d->rope, d);
    check_rope(r, d);
}

/* ---- windows ---- */

static void windows_of_list(lh_family_reader *r, lh_decoder *d, const cJSON *list) {
    long long i = 0;
    if (!cJSON_IsArray(list)) lh_family_refuse(r, "layer_types", "must be a list in [ ]");
    for (const cJSON *x = list->child; x; x = x->next, i++) {
        const char *kind = cJSON_GetStringValue(x);
        const bool is_full = kind && strcmp(kind, "full_attention") == 0;
        if (!is_full && (!kind || strcmp(kind, "sliding_attention") != 0)) {
            lh_family_refuse(r, "layer_types", "has %.40s in it, which is not known here",
                             kind ? kind : "something");
            return;
        }
        if (i < d->layers) d->is_full[i] = is_full, d->has_full |= is_full;
    }
    if (i != d->layers)
        lh_family_refuse(r, "layer_types", "names %lld layer%s, and there are %lld", i,
                         LH_PLURAL(i), d->layers);
}

/* Layers with a window need one. */
static void check_window(const lh_family_reader *r, const lh_decoder *d) {
    if (d->window) return;
    for (long long i = 0; i < d->layers; i++)
        if (!d->is_full[i]) {
            lh_family_refuse(r, "sliding_window",
                             "is missing or not used, and layer %lld should have a window", i);
            return;
        }
}

void lh_family_windows(lh_family_reader *r, lh_decoder *d, long long every) {
    const cJSON *list = lh_family_item(r, "layer_types");
    if (d->layers > LH_FAMILY_MAX_LAYERS) return; /* refused with the other sizes */
    for (long long i = 0; i < d->layers && !list; i++) {
        const bool is_full =
            every ? (i + 1) % every == 0 : !d->window || i < (long long)r->v.window_layers;
        d->is_full[i] = is_full, d->has_full |= is_full;
    }
    if (list) windows_of_list(r, d, list);
    if (!lh_failed(r->ctx)) check_window(r, d);
}

/* ---- all of it ---- */

static void check_sizes(const lh_family_reader *r, const lh_decoder *d) {
    const struct {
        size_t at;
        long long n, most;
    } list[] = {{offsetof(lh_family_values, vocab), d->vocab, MAX_SIZE},
                {offsetof(lh_family_values, layers), d->layers, LH_FAMILY_MAX_LAYERS},
                {offsetof(lh_family_values, heads), d->heads, 1 << 16},
                {offsetof(lh_family_values, width), d->width, 1 << 20},
                {offsetof(lh_family_values, dim), d->dim, 1 << 24},
                {offsetof(lh_family_values, hidden), d->hidden, 1 << 26},
                {offsetof(lh_family_values, context), d->context, MAX_SIZE}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *name = lh_family_name(r, list[i].at);
        if (list[i].n < 1 || list[i].n > list[i].most)
            lh_family_refuse(r, name ? name : "the width of a head",
                             "is %lld: from 1 to %lld is understood", list[i].n, list[i].most);
    }
}

/* ["LlamaForCausalLM"]; one that sorts texts into classes has other weights. */
static void check_architecture(const lh_family_reader *r, const lh_family_record *f) {
    const cJSON *item = lh_family_item(r, "architectures");
    const char *name = cJSON_GetStringValue(cJSON_IsArray(item) ? item->child : item);
    if (!name || strcmp(name, f->family.architecture) == 0) return;
    if (strstr(name, "Model") && !strstr(name, "For") && !strstr(name, "LMHead")) return;
    lh_family_refuse(r, "architectures", "is %.60s; for %s only %s is known", name, f->family.name,
                     f->family.architecture);
}

static const char *program_of(lh_family_reader *r) {
    const char *type = cJSON_GetStringValue(lh_family_item(r, "model_type"));
    const lh_family_record *f = NULL;
    for (int i = 0; type && i < lh_family_n_records; i++)
        if (strcmp(lh_family_records[i].family.type, type) == 0) f = &lh_family_records[i];
    if (!f) {
        lh_family_refuse(r, "model_type", "is %.60s, a family that is not known here",
                         type ? type : "missing");
        return NULL;
    }
    lh_decoder *d = lh_alloc(r->arena, sizeof *d);
    if (!d) return NULL;
    *d = (lh_decoder){0};
    check_architecture(r, f);
    lh_family_read(r, f);
    if (!lh_failed(r->ctx)) f->means(r, d);
    if (!lh_failed(r->ctx)) check_sizes(r, d);
    return lh_failed(r->ctx) ? NULL : lh_family_text(r->arena, f, d);
}

const char *lh_family_program(lh_context *ctx, lh_arena *a, const char *file, const char *config,
                              size_t length) {
    lh_family_reader r = {.ctx = ctx, .arena = a, .file = file};
    const char *text = NULL;
    cJSON *root = lh_json_parse(ctx, file, config, length);
    r.root = root;
    if (root && !cJSON_IsObject(root)) {
        lh_fail(ctx, LH_ERROR_FILE, nowhere, "fields in { } are expected");
        lh_fail_in(ctx, file, NULL, 0);
    } else if (root) {
        text = program_of(&r);
    }
    cJSON_Delete(root);
    return lh_failed(ctx) ? NULL : text;
}
