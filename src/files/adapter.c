#include "files/adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/number.h"
#include "files/json_read.h"

static const lh_place nowhere = {0, 0, 0};

typedef struct reader {
    lh_context *ctx;
    lh_arena *arena;
    const char *file;
    cJSON *root;
    lh_adapter *to;
} reader;

static bool refuse(const reader *r, const char *name, const char *want, const char *cure) {
    lh_fail(r->ctx, LH_ERROR_FILE, nowhere, "%s %s", name, want);
    if (cure) lh_cure(r->ctx, "%s", cure);
    lh_fail_in(r->ctx, r->file, NULL, 0);
    return false;
}

/* ---- fields ---- */

typedef enum meaning {
    HONOURED, /* read below */
    HARMLESS, /* of training, of loading, of the tool */
    PLAIN     /* changes numbers unless it is null, false, 0 or empty: then refused */
} meaning;

static const struct {
    const char *name;
    meaning is;
} fields[] = {
    {"peft_type", HONOURED},
    {"base_model_name_or_path", HONOURED},
    {"r", HONOURED},
    {"lora_alpha", HONOURED},
    {"target_modules", HONOURED},
    {"use_rslora", HONOURED},
    {"bias", HONOURED},
    {"fan_in_fan_out", HARMLESS}, /* how a weight lies is known from the program */
    {"task_type", HARMLESS},
    {"inference_mode", HARMLESS},
    {"lora_dropout", HARMLESS}, /* in training alone */
    {"init_lora_weights", HARMLESS},
    {"auto_mapping", HARMLESS},
    {"revision", HARMLESS},
    {"peft_version", HARMLESS},
    {"megatron_config", HARMLESS},
    {"megatron_core", HARMLESS},
    {"loftq_config", HARMLESS},
    {"eva_config", HARMLESS},
    {"corda_config", HARMLESS},
    {"lora_ga_config", HARMLESS},
    {"runtime_config", HARMLESS},
    {"layers_pattern", HARMLESS}, /* without layers_to_transform it says nothing */
    {"ensure_weight_tying", HARMLESS},
    {"use_dora", PLAIN},
    {"use_qalora", PLAIN},
    {"qalora_group_size", HARMLESS},
    {"use_bdlora", PLAIN},
    {"modules_to_save", PLAIN},
    {"rank_pattern", PLAIN},
    {"alpha_pattern", PLAIN},
    {"layers_to_transform", PLAIN},
    {"layer_replication", PLAIN},
    {"exclude_modules", PLAIN},
    {"target_parameters", PLAIN},
    {"trainable_token_indices", PLAIN},
    {"lora_bias", PLAIN},
    {"alora_invocation_tokens", PLAIN},
    {"arrow_config", PLAIN},
};

static bool says_nothing(const cJSON *x) {
    if (cJSON_IsNull(x) || cJSON_IsFalse(x)) return true;
    if (cJSON_IsNumber(x)) return x->valuedouble == 0;
    return (cJSON_IsArray(x) || cJSON_IsObject(x)) && !x->child;
}

static bool check_field(const reader *r, const cJSON *x) {
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (strcmp(fields[i].name, x->string) != 0) continue;
        if (fields[i].is != PLAIN || says_nothing(x)) return true;
        return refuse(r, fields[i].name, "is not supported: an adapter without it is", NULL);
    }
    if (says_nothing(x)) return true;
    return refuse(r, lh_printf(r->arena, "%.60s", x->string), "is a field that is not known",
                  "it may change what the model computes");
}

static const cJSON *field(const reader *r, const char *name) {
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(r->root, name);
    return cJSON_IsNull(x) ? NULL : x;
}

static bool read_kind(const reader *r) {
    const char *kind = cJSON_GetStringValue(field(r, "peft_type"));
    const cJSON *bias = field(r, "bias");
    if (!kind || strcmp(kind, "LORA") != 0)
        return refuse(r, lh_printf(r->arena, "peft_type %.40s", kind ? kind : "(none)"),
                      "is not LORA, the only kind of adapter that is known", NULL);
    if (bias && (!cJSON_IsString(bias) || strcmp(bias->valuestring, "none") != 0))
        return refuse(r, "bias", "must be \"none\": biases that learned are not supported", NULL);
    const char *base = cJSON_GetStringValue(field(r, "base_model_name_or_path"));
    if (!base || !*base)
        return refuse(r, "base_model_name_or_path",
                      "must name the folder of the model that is changed", NULL);
    r->to->base = lh_copy(r->arena, base, strlen(base));
    return true;
}

static bool read_numbers(const reader *r) {
    enum { MOST = 1 << 20 };
    const cJSON *alpha = field(r, "lora_alpha");
    long long rank = 8; /* PEFT's own, where nothing is said */
    if (field(r, "r") && (!lh_json_whole(field(r, "r"), &rank) || rank < 1 || rank > MOST))
        return refuse(r, "r", "must be a whole number from 1 on", NULL);
    r->to->rank = (int)rank;
    r->to->alpha = alpha ? alpha->valuedouble : 8;
    if (alpha && (!cJSON_IsNumber(alpha) || !isfinite(alpha->valuedouble)))
        return refuse(r, "lora_alpha", "must be a number", NULL);
    if (cJSON_IsTrue(field(r, "use_rslora"))) r->to->alpha *= sqrt((double)rank);
    return true;
}

static bool read_modules(const reader *r) {
    const cJSON *list = field(r, "target_modules");
    if (cJSON_IsString(list) && strcmp(list->valuestring, "all-linear") == 0) return true;
    if (!cJSON_IsArray(list) || !list->child)
        return refuse(r, "target_modules", "must be a list of names, or \"all-linear\"", NULL);
    for (const cJSON *x = list->child; x; x = x->next) {
        const char *name = cJSON_GetStringValue(x);
        if (!name || !*name || strlen(name) > 200)
            return refuse(r, "target_modules", "must be a list of names", NULL);
        *lh_push(r->arena, r->to->on, r->to->n_on) = lh_copy(r->arena, name, strlen(name));
    }
    return true;
}

bool lh_adapter_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                     size_t length, lh_adapter *x) {
    reader r = {ctx, a, file, lh_json_parse(ctx, file, text, length), x};
    *x = (lh_adapter){.base = ""};
    if (r.root && !cJSON_IsObject(r.root)) refuse(&r, "the file", "must hold fields in { }", NULL);
    if (!lh_failed(ctx) && read_kind(&r) && read_numbers(&r)) read_modules(&r);
    for (const cJSON *c = r.root ? r.root->child : NULL; c && !lh_failed(ctx); c = c->next)
        check_field(&r, c);
    cJSON_Delete(r.root);
    return !lh_failed(ctx);
}

/* ---- writing ---- */

char *lh_adapter_text(lh_context *ctx, lh_arena *a, const lh_adapter *x) {
    lh_text t = lh_text_new(a);
    lh_text_add(&t, "{\n  \"peft_type\": \"LORA\",\n  \"task_type\": \"CAUSAL_LM\",\n");
    lh_text_add(&t, "  \"base_model_name_or_path\": ");
    lh_text_add_json(&t, x->base, strlen(x->base));
    char alpha[LH_NUMBER_MAX];
    lh_text_add(&t, ",\n  \"r\": %d,\n  \"lora_alpha\": %s,\n  \"target_modules\": [", x->rank,
                lh_number_exact(alpha, sizeof alpha, x->alpha));
    for (int i = 0; i < x->n_on; i++) {
        lh_text_add(&t, i ? ", " : "");
        lh_text_add_json(&t, x->on[i], strlen(x->on[i]));
    }
    lh_text_add(&t,
                "],\n  \"lora_dropout\": 0.0,\n  \"bias\": \"none\",\n  \"fan_in_fan_out\": %s,\n"
                "  \"inference_mode\": true\n}\n",
                x->is_untransposed ? "true" : "false");
    return lh_failed(ctx) ? NULL : t.s;
}

/* ---- folders ---- */

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has(lh_arena *a, const char *folder, const char *file) {
    struct stat st;
    return stat(lh_printf(a, "%s/%s", folder, file), &st) == 0;
}

/* Two folders that were moved together are found beside each other. */
const char *lh_adapter_base(lh_context *ctx, lh_arena *a, const char *folder, const lh_adapter *x) {
    size_t n = strlen(x->base);
    while (n > 1 && x->base[n - 1] == '/') n--;
    const char *base = lh_copy(a, x->base, n), *slash = strrchr(base, '/');
    if (is_folder(base)) return base;
    const char *beside = lh_printf(a, "%s/../%s", folder, slash ? slash + 1 : base);
    if (is_folder(beside)) return beside;
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "%s changes the model %.200s, and there is no such folder",
            folder, base);
    lh_cure(ctx, "base_model_name_or_path in %s/" LH_ADAPTER_CONFIG " says where it is", folder);
    return NULL;
}

bool lh_adapter_is(const char *folder) {
    static const char *const own[] = {"model.safetensors", "model.safetensors.index.json"};
    char path[4200];
    struct stat st;
    if (snprintf(path, sizeof path, "%s/" LH_ADAPTER_CONFIG, folder) >= (int)sizeof path ||
        stat(path, &st))
        return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, own[i]);
        if (stat(path, &st) == 0) return false;
    }
    return true;
}

const char *lh_adapter_file_folder(lh_context *ctx, lh_arena *a, const char *folder,
                                   const char *file) {
    size_t length;
    lh_adapter x = {0};
    if (has(a, folder, file) || !lh_adapter_is(folder)) return folder;
    const char *path = lh_printf(a, "%s/" LH_ADAPTER_CONFIG, folder),
               *text = lh_file_read_plain(ctx, a, path, &length);
    if (!text || !lh_adapter_read(ctx, a, path, text, length, &x)) return folder;
    const char *base = lh_adapter_base(ctx, a, folder, &x);
    return base ? base : folder;
}
