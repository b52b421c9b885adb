#include "files/adapter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/number.h"
#include "files/json_fields.h"

static const lh_place nowhere = {0, 0, 0};

static bool refuse(const lh_json_fields *f, const char *what, const char *cure) {
    lh_fail(f->ctx, LH_ERROR_FILE, nowhere, "%s", what);
    if (cure) lh_cure(f->ctx, "%s", cure);
    lh_fail_in(f->ctx, f->file, NULL, 0);
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

static bool check_field(const lh_json_fields *f, const cJSON *x) {
    size_t i = 0;
    while (i < sizeof fields / sizeof *fields && strcmp(fields[i].name, x->string) != 0) i++;
    const bool is_known = i < sizeof fields / sizeof *fields;
    if ((is_known && fields[i].is != PLAIN) || says_nothing(x)) return true;
    if (is_known)
        return refuse(
            f, lh_printf(f->arena, "%s is not supported: an adapter without it is", fields[i].name),
            NULL);
    return refuse(f, lh_printf(f->arena, "%.60s is a field that is not known", x->string),
                  "it may change what the model computes");
}

static void read_kind(const lh_json_fields *f, lh_adapter *to) {
    const char *kind = cJSON_GetStringValue(lh_json_field(f, "peft_type")),
               *base = cJSON_GetStringValue(lh_json_field(f, "base_model_name_or_path"));
    const cJSON *bias = lh_json_field(f, "bias");
    if (!kind || strcmp(kind, "LORA") != 0)
        refuse(f,
               lh_printf(f->arena,
                         "peft_type %.40s is not LORA, the only kind of adapter that is known",
                         kind ? kind : "(none)"),
               NULL);
    if (bias && (!cJSON_IsString(bias) || strcmp(bias->valuestring, "none") != 0))
        lh_json_refuse(f, "bias", "\"none\": biases that learned are not supported");
    if (base && *base)
        to->base = lh_copy(f->arena, base, strlen(base));
    else
        lh_json_refuse(f, "base_model_name_or_path", "the folder of the model that is changed");
}

static void read_numbers(const lh_json_fields *f, lh_adapter *to) {
    const cJSON *alpha = lh_json_field(f, "lora_alpha");
    to->rank = 8; /* PEFT's own, where nothing is said */
    lh_json_read_whole(f, "r", 1, &to->rank);
    to->alpha = alpha ? alpha->valuedouble : 8;
    if (alpha && (!cJSON_IsNumber(alpha) || !isfinite(alpha->valuedouble)))
        lh_json_refuse(f, "lora_alpha", "a number");
    if (cJSON_IsTrue(lh_json_field(f, "use_rslora"))) to->alpha *= sqrt((double)to->rank);
}

static void read_modules(const lh_json_fields *f, lh_adapter *to) {
    const cJSON *list = lh_json_field(f, "target_modules");
    if (cJSON_IsString(list) && strcmp(list->valuestring, "all-linear") == 0) return;
    if (!cJSON_IsArray(list) || !list->child)
        lh_json_refuse(f, "target_modules", "a list of names, or \"all-linear\"");
    for (const cJSON *x = list ? list->child : NULL; x && !lh_failed(f->ctx); x = x->next) {
        const char *name = cJSON_GetStringValue(x);
        if (!name || !*name || strlen(name) > 200)
            lh_json_refuse(f, "target_modules", "a list of names");
        else
            *lh_push(f->arena, to->on, to->n_on) = lh_copy(f->arena, name, strlen(name));
    }
}

bool lh_adapter_read(lh_context *ctx, lh_arena *a, const char *file, const char *text,
                     size_t length, lh_adapter *x) {
    lh_json_fields f = {ctx, a, file, NULL};
    *x = (lh_adapter){.base = ""};
    if (lh_json_fields_read(&f, text, length)) {
        read_kind(&f, x);
        read_numbers(&f, x);
        read_modules(&f, x);
        for (const cJSON *c = f.root->child; c && check_field(&f, c); c = c->next) continue;
    }
    return lh_json_fields_end(&f);
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
