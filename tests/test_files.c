/* Files of numbers: 16-bit numbers and safetensors, as they should be and as an enemy would write them; the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/config.h"
#include "base/half.h"
#include "files/json_read.h"
#include "files/training_log.h"
#include "files/replace.h"
#include "files/tensors.h"
#include "scarce.h"

/* ---- 16 bits ---- */

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static void every_half_comes_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        float x = lh_float_from_f16((uint16_t)i), y = lh_float_from_bf16((uint16_t)i);
        bool is_nan = (i & 0x7C00) == 0x7C00 && (i & 0x3FF);
        assert_int_equal(isnan(x) != 0, is_nan);
        if (is_nan)
            assert_int_equal(lh_f16_from_float(x) | 0x200, i | 0x200);
        else
            assert_int_equal(lh_f16_from_float(x), i);
        if (isnan(y))
            assert_int_equal(lh_bf16_from_float(y) | 0x40, i | 0x40);
        else
            assert_int_equal(lh_bf16_from_float(y), i);
        if (!isnan(x) && !isinf(x)) { /* from the definition */
            int e = (int)(i >> 10 & 31), f = (int)(i & 0x3FF);
            double want = e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
            assert_true((double)x == (i & 0x8000 ? -want : want));
        }
    }
}

/* Between two neighbours: the nearer one, and half way the even one. */
static void halves_round_to_the_nearest(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 0x7C00; i++) {
        double low = lh_float_from_f16((uint16_t)i);
        double high = i == 0x7BFF ? 65536 : lh_float_from_f16((uint16_t)(i + 1));
        float middle = (float)((low + high) / 2);
        uint32_t even = i & 1 ? i + 1 : i;
        assert_int_equal(lh_f16_from_float(middle), even);
        assert_int_equal(lh_f16_from_float(-middle), even | 0x8000);
        assert_int_equal(lh_f16_from_float(float_of(bits_of(middle) - 1)), i);
        assert_int_equal(lh_f16_from_float(float_of(bits_of(middle) + 1)), i + 1);
    }
    for (uint32_t i = 0; i < 0x7F80; i++) {
        uint32_t middle = i << 16 | 0x8000;
        assert_int_equal(lh_bf16_from_float(float_of(middle)), i & 1 ? i + 1 : i);
        assert_int_equal(lh_bf16_from_float(float_of(middle - 1)), i);
        assert_int_equal(lh_bf16_from_float(float_of(middle + 1)), i + 1);
    }
}

static void halves_agree_with_the_compiler(void **state) {
    (void)state;
#if defined __FLT16_MANT_DIG__ && !defined __clang__
    for (uint64_t i = 0; i <= UINT32_MAX; i += 1021) {
        float x = float_of((uint32_t)i);
        _Float16 h = (_Float16)x;
        uint16_t want;
        memcpy(&want, &h, 2);
        if (isnan(x))
            assert_true(isnan(lh_float_from_f16(lh_f16_from_float(x))));
        else
            assert_int_equal(lh_f16_from_float(x), want);
    }
#endif
}

/* ---- safetensors: one by one what is refused, and how ---- */

/* A file in memory that ends where its memory ends. */
typedef struct bytes {
    unsigned char *p;
    size_t n;
} bytes;

static bytes file_of(const char *header, size_t length, size_t n_data) {
    bytes b = {malloc(8 + length + n_data), 8 + length + n_data};
    assert_non_null(b.p);
    for (int i = 0; i < 8; i++) b.p[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(b.p + 8, header, length);
    memset(b.p + 8 + length, 0, n_data);
    return b;
}

static void check_refused(bytes b, const char *part) {
    lh_context *ctx = lh_context_new();
    lh_tensors *t = lh_tensors_read(ctx, "x.safetensors", b.p, b.n);
    const lh_error *e = lh_context_error(ctx);
    if (t) fail_msg("accepted: %.200s, and \"%s\" was expected", b.p + 8, part);
    if (!strstr(e->what, part)) fail_msg("\"%s\" instead of \"%s\"", e->what, part);
    if (e->kind != LH_ERROR_MEMORY) assert_string_equal(e->file, "x.safetensors");
    lh_context_free(ctx);
    free(b.p);
}

#define T(name, type, shape, from, to)                                                             \
    "\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" from "," to "]}"

static void hostile_headers_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *header;
        size_t n_data;
        const char *part;
    } cases[] = {
        {"", 0, "the file is empty"},
        {"[]", 0, "the header is not an object"},
        {"{", 0, "this is not JSON"},
        {"{\"a\":1,", 0, "this is not JSON"},
        {"{} x", 0, "there is something after the end"},
        {"{\"a\xFF\":1}", 0, "this is not UTF-8"},
        {"{\"a\xC0\x80\":1}", 0, "this is not UTF-8"},
        {"{\"a\\u0000b\":1}", 0, "a text cannot contain a NUL"},
        {"{\"a\":1}", 0, "dtype, shape and data_offsets in { } are expected"},
        {"{\"a\":{}}", 0, "\"a\" has no dtype"},
        {"{" T("a", "F31", "1", "0", "4") "}", 4, "the type \"F31\", which is not known"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "has no shape"},
        {"{" T("a", "F32", "-1", "0", "4") "}", 4, "a size of its shape is not a whole number"},
        {"{" T("a", "F32", "0.5", "0", "2") "}", 2, "a size of its shape is not a whole number"},
        {"{" T("a", "F32", "\"1\"", "0", "4") "}", 4, "is not a whole number"},
        {"{" T("a", "U8", "1,1,1,1,1,1,1,1,1", "0", "1") "}", 1, "more than 8 sizes"},
        {"{" T("a", "F32", "4294967296,4294967296", "0", "0") "}", 0,
         "more numbers than a machine"},
        {"{" T("a", "F64", "2305843009213693952", "0", "0") "}", 0, "not a whole number"},
        {"{" T("a", "F32", "9007199254740992,1024", "0", "0") "}", 0,
         "more numbers than a machine"},
        {"{" T("a", "F32", "1", "-4", "0") "}", 4, "must be two whole numbers"},
        {"{" T("a", "F32", "1", "0", "1e300") "}", 4, "must be two whole numbers"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, "must be two whole"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, "must be two"},
        {"{" T("a", "F32", "1", "4", "0") "}", 4, "lies at bytes 4 to 0"},
        {"{" T("a", "F32", "2", "0", "8") "}", 4, "lies at bytes 0 to 8, and the file has 4 bytes"},
        {"{" T("a", "F32", "1", "9007199254740988", "9007199254740992") "}", 4, "the file has 4"},
        {"{" T("a", "F32", "2", "0", "4") "}", 4, "is 2 of F32, which is 8 bytes, and its offsets"},
        {"{" T("a", "F32", "2", "0", "8") "," T("b", "F32", "1", "4", "8") "}", 8,
         "\"a\" and \"b\" overlap"},
        {"{" T("a", "F32", "1", "0", "4") "," T("b", "F32", "1", "8", "12") "}", 12,
         "4 bytes before \"b\" belong to no tensor"},
        {"{" T("a", "F32", "1", "4", "8") "}", 8, "4 bytes before \"a\" belong to no tensor"},
        {"{" T("a", "F32", "1", "0", "4") "}", 5, "1 bytes after the last tensor"},
        {"{}", 3, "3 bytes after the last tensor"},
        {"{" T("a", "F32", "1", "0", "4") "," T("a", "F32", "1", "4", "8") "}", 8,
         "\"a\" occurs twice"},
        {"{" T("a", "F32", "", "0", "4") "," T("b", "F32", "1", "0", "4") "}", 4, "overlap"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 4, "\"a\" has dtype twice"},
        {"{" T("a\\nb", "F32", "1", "0", "4") "}", 4, "control character in it: byte 1 of 3"},
        {"{" T("a\\u001b[2J", "F32", "1", "0", "4") "}", 4, "control character"},
        {"{\"__metadata__\":1}", 0, "__metadata__ must be texts"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__: \"a\" is not a text"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ occurs twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refused(file_of(cases[i].header, strlen(cases[i].header), cases[i].n_data),
                      cases[i].part);
}

static void hostile_lengths_are_refused(void **state) {
    (void)state;
    for (size_t n = 0; n < 8; n++) {
        bytes b = file_of("{}", 2, 0);
        b.n = n;
        check_refused(b, "too few for a safetensors file");
    }
    static const uint64_t lengths[] = {3, 1000, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        bytes b = file_of("{}", 2, 0);
        for (int k = 0; k < 8; k++) b.p[k] = (unsigned char)(lengths[i] >> 8 * k);
        check_refused(b, "bytes, and the file has 10");
    }
    size_t most = LH_MAX_TENSOR_HEADER + 8;
    char *spaces = malloc(most);
    memset(spaces, ' ', most);
    memcpy(spaces, "{}", 2);
    check_refused(file_of(spaces, most, 0), "bytes, and 16777216 are allowed");
    free(spaces);
}

/* {"a":[[[ ... ten thousand deep, and a name of a megabyte. */
static void deep_and_long_are_refused(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    lh_text deep = lh_text_new(a), name = lh_text_new(a);
    lh_text_add(&deep, "{\"a\":");
    for (int i = 0; i < 10000; i++) lh_text_add(&deep, "[");
    for (int i = 0; i < 10000; i++) lh_text_add(&deep, "]");
    lh_text_add(&deep, "}");
    check_refused(file_of(deep.s, deep.n, 0), "too many brackets deep");
    lh_text_add(&name, "{\"");
    for (int i = 0; i < 1 << 20; i++) lh_text_add_n(&name, "n", 1);
    lh_text_add(&name, "\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}");
    check_refused(file_of(name.s, name.n, 4), "a name has 1048576 bytes, and 1000 are allowed");
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* A file cut off anywhere is refused, and never read behind its end. */
static void every_cut_is_refused(void **state) {
    (void)state;
    const char *header = "{" T("a", "F32", "2,2", "0", "16") "," T("b", "F16", "3", "16", "22") "}";
    bytes whole = file_of(header, strlen(header), 22);
    for (size_t n = 0; n < whole.n; n++) {
        bytes b = {malloc(n ? n : 1), n};
        memcpy(b.p, whole.p, n);
        check_refused(b, "");
    }
    free(whole.p);
}

/* ---- reading and writing ---- */

static char folder[] = "/tmp/longhand-files-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Data at an odd byte, rank 0, no cells, every type. */
static void odd_files_are_read(void **state) {
    (void)state;
    const char *header = "{" T("u8", "U8", "1", "0", "1") /* every other begins at an odd byte */
        "," T("x", "F32", "", "1", "5") "," T("none", "F64", "0,3", "5", "5") "," T(
            "h", "F16", "2", "5",
            "9") "," T("b", "BF16", "1", "9",
                       "11") "," T("i", "I64", "1", "11",
                                   "19") "," T("f8", "F8_E4M3", "1", "19",
                                               "20") ",\"__metadata__\":{\"k\":\"v\"}}";
    bytes b = file_of(header, strlen(header), 20);
    unsigned char *data = b.p + 8 + strlen(header);
    const unsigned char numbers[20] = {200,  0x00, 0x00, 0xC0, 0x3F, 0x00, 0x3C, 0x00, 0xC0, 0x80,
                                       0x3F, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0};
    memcpy(data, numbers, 20);
    lh_context *ctx = lh_context_new();
    lh_tensors *t = lh_tensors_read(ctx, "x", b.p, b.n);
    assert_non_null(t);
    static const struct {
        const char *name;
        double first;
    } want[] = {{"u8", 200}, {"x", 1.5}, {"h", 1}, {"b", 1}, {"i", -2}};
    for (size_t i = 0; i < 5; i++) {
        const lh_tensor *x = lh_tensors_find(t, want[i].name);
        double d;
        float f;
        lh_tensor_copy_double(x, 0, 1, &d);
        lh_tensor_copy_float(x, 0, 1, &f);
        assert_true(d == want[i].first && (double)f == d);
    }
    float second;
    lh_tensor_copy_float(lh_tensors_find(t, "h"), 1, 1, &second);
    assert_true(second == -2);
    assert_int_equal(lh_tensors_find(t, "none")->cells, 0);
    assert_int_equal(lh_tensors_find(t, "x")->rank, 0);
    const lh_tensor *x = lh_tensors_find(t, "x");
    assert_int_equal(x->is_aligned, (uintptr_t)x->data % 4 == 0);
    assert_false(lh_tensor_is_number(lh_tensors_find(t, "f8")));
    assert_null(lh_tensors_find(t, "y"));
    assert_string_equal(lh_tensors_metadata(t, "k"), "v");
    lh_tensors_close(t);
    lh_context_free(ctx);
    free(b.p);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    double d[6] = {0.1, -0.0, 1e300, INFINITY, 5e-324, -3};
    float f[6] = {0.1f, -0.0f, 65504, -INFINITY, 1e-7f, 7};
    int8_t whole[3] = {-128, 0, 127};
    const lh_tensor_entry e[] = {
        {"whole", LH_I8, 1, {3}, whole, LH_I8},
        {"half", LH_F16, 2, {2, 3}, f, LH_F32},
        {"brain", LH_BF16, 2, {2, 3}, f, LH_F32},
        {"single", LH_F32, 2, {3, 2}, f, LH_F32},
        {"narrowed", LH_F32, 1, {6}, d, LH_F64},
        {"double \"q\" \\ \xC3\xA9", LH_F64, 1, {6}, d, LH_F64},
        {"nothing", LH_F32, 2, {0, 5}, NULL, LH_F32},
        {"scalar", LH_F32, 0, {0}, f, LH_F32},
    };
    const lh_pair metadata[] = {{"format", "pt"}, {"text", "a\n\"b\"\t\\"}};
    lh_context *ctx = lh_context_new();
    assert_true(lh_tensors_write(ctx, path_of("w.safetensors"), e, 8, metadata, 2));
    lh_tensors *t = lh_tensors_open(ctx, path_of("w.safetensors"));
    assert_non_null(t);
    assert_int_equal(t->n, 8);
    assert_string_equal(lh_tensors_metadata(t, "text"), metadata[1].value);
    for (int i = 0; i < 8; i++) {
        const lh_tensor *x = lh_tensors_find(t, e[i].name);
        assert_non_null(x);
        assert_true(x->is_aligned);
        assert_int_equal(x->rank, e[i].rank);
        for (size_t k = 0; k < x->cells; k++) {
            double got, want = e[i].from == LH_F64   ? d[k]
                               : e[i].from == LH_F32 ? (double)f[k]
                                                     : whole[k];
            if (e[i].type == LH_F32) want = (double)(float)want;
            if (e[i].type == LH_F16)
                want = (double)lh_float_from_f16(lh_f16_from_float((float)want));
            if (e[i].type == LH_BF16)
                want = (double)lh_float_from_bf16(lh_bf16_from_float((float)want));
            lh_tensor_copy_double(x, k, 1, &got);
            assert_memory_equal(&got, &want, sizeof got);
        }
    }
    lh_tensors_close(t);
    lh_context_free(ctx);
}

static void what_cannot_be_read_is_not_written(void **state) {
    (void)state;
    float f[2] = {1, 2};
    static const struct {
        lh_tensor_entry e[2];
        const char *part;
    } cases[] = {
        {{{"a", LH_F32, 1, {1}, NULL, LH_F32}, {"a", LH_F16, 1, {1}, NULL, LH_F32}},
         "\"a\" is to be written twice"},
        {{{"a\n", LH_F32, 1, {1}, NULL, LH_F32}, {"b", LH_F32, 1, {1}, NULL, LH_F32}},
         "cannot name a tensor"},
        {{{"__metadata__", LH_F32, 1, {1}, NULL, LH_F32}, {"b", LH_F32, 1, {1}, NULL, LH_F32}},
         "cannot name a tensor"},
        {{{"a", LH_I8, 1, {1}, NULL, LH_F32}, {"b", LH_F32, 1, {1}, NULL, LH_F32}},
         "F32 cannot become I8"},
        {{{"a", LH_F32, 2, {SIZE_MAX, 2}, NULL, LH_F32}, {"b", LH_F32, 1, {1}, NULL, LH_F32}},
         "is too large"},
        {{{"a\xFF", LH_F32, 1, {1}, NULL, LH_F32}, {"b", LH_F32, 1, {1}, NULL, LH_F32}},
         "not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lh_tensor_entry e[2] = {cases[i].e[0], cases[i].e[1]};
        e[0].data = e[1].data = f;
        lh_context *ctx = lh_context_new();
        assert_false(lh_tensors_write(ctx, path_of("no.safetensors"), e, 2, NULL, 0));
        if (!strstr(lh_context_error(ctx)->what, cases[i].part))
            fail_msg("\"%s\" instead of \"%s\"", lh_context_error(ctx)->what, cases[i].part);
        assert_int_equal(access(path_of("no.safetensors"), F_OK), -1);
        assert_int_equal(access(path_of("no.safetensors.tmp"), F_OK), -1);
        lh_context_free(ctx);
    }
}

static void write_text(const char *name, const char *text) {
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void check_index(const char *text, const char *part) {
    lh_context *ctx = lh_context_new();
    write_text("model.safetensors.index.json", text);
    lh_tensors *t = lh_tensors_open(ctx, folder);
    if (!part) {
        assert_non_null(t);
        assert_int_equal(t->n, 2);
        assert_int_equal(t->n_files, 2);
        assert_non_null(lh_tensors_find(t, "a"));
        assert_non_null(lh_tensors_find(t, "b"));
    } else if (t || !strstr(lh_context_error(ctx)->what, part)) {
        fail_msg("\"%s\" instead of \"%s\"", lh_context_error(ctx)->what, part);
    }
    lh_tensors_close(t);
    lh_context_free(ctx);
}

static void several_files_are_one_model(void **state) {
    (void)state;
    float f[1] = {1};
    lh_context *ctx = lh_context_new();
    const lh_tensor_entry a = {"a", LH_F32, 1, {1}, f, LH_F32},
                          b = {"b", LH_F32, 1, {1}, f, LH_F32};
    assert_true(lh_tensors_write(ctx, path_of("p1.safetensors"), &a, 1, NULL, 0));
    assert_true(lh_tensors_write(ctx, path_of("p2.safetensors"), &b, 1, NULL, 0));
    lh_context_free(ctx);
    check_index("{\"weight_map\":{\"a\":\"p1.safetensors\",\"b\":\"p2.safetensors\"}}", NULL);
    check_index("{\"weight_map\":{\"a\":\"p1.safetensors\",\"c\":\"p2.safetensors\"}}",
                "\"c\" is not in p2.safetensors, where it should be");
    check_index("{\"weight_map\":{\"a\":\"p3.safetensors\"}}", "cannot be opened");
    check_index("{\"weight_map\":{\"a\":\"../p1.safetensors\"}}",
                "not in a file next to the index");
    check_index("{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "not in a file next to the index");
    check_index("{\"weight_map\":{\"a\":7}}", "not in a file next to the index");
    check_index("{\"weight_map\":[]}", "there is no weight_map in it");
    check_index("{}", "there is no weight_map in it");
    unlink(path_of("model.safetensors.index.json"));
}

static void folders_and_pipes_are_no_files(void **state) {
    (void)state;
    static const char *const paths[] = {"/dev/null", "/nowhere/at/all", "/tmp/.."};
    static const char *const parts[] = {"is not an ordinary file", "cannot be opened",
                                        "cannot be opened"};
    for (int i = 0; i < 3; i++) {
        lh_context *ctx = lh_context_new();
        assert_null(lh_tensors_open(ctx, paths[i]));
        assert_non_null(strstr(lh_context_error(ctx)->what, parts[i]));
        lh_context_free(ctx);
    }
}

/* ---- a disk that is full ---- */

/* A limit on the size of files stands for the disk's: writes stop with EFBIG in the middle of a file. */
static void a_full_disk_leaves_the_old_file(void **state) {
    (void)state;
    static float x[100000];
    struct rlimit old, small = {65536 + 1000, RLIM_INFINITY};
    lh_tensor_entry e = {"x", LH_F32, 1, {100}, x, LH_F32};
    lh_context *ctx = lh_context_new(), *first = lh_context_new();
    assert_true(lh_tensors_write(ctx, path_of("full.safetensors"), &e, 1, NULL, 0));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small);
    e.size[0] = 100000;
    bool is_done = lh_tensors_write(ctx, path_of("full.safetensors"), &e, 1, NULL, 0) ||
                   lh_tensors_write(first, path_of("first.safetensors"), &e, 1, NULL, 0);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_false(is_done);
    assert_string_equal(lh_context_error(first)->cure, "make room and save again");
    lh_context_free(first);
    assert_non_null(strstr(lh_context_error(ctx)->what, "full.safetensors cannot be written"));
    assert_non_null(strstr(lh_context_error(ctx)->cure, "what was saved before is still there"));
    assert_int_equal(access(path_of("full.safetensors.tmp"), F_OK), -1);
    lh_context_clear(ctx);
    lh_tensors *t = lh_tensors_open(ctx, path_of("full.safetensors"));
    assert_non_null(t);
    assert_int_equal(t->tensor->cells, 100);
    lh_tensors_close(t);
    lh_context_free(ctx);
}

/* ---- the log ---- */

static void a_log_goes_on_behind_its_step(void **state) {
    (void)state;
    lh_context *ctx = lh_context_new();
    lh_arena *a = lh_arena_new(ctx);
    const lh_log_value v[] = {{"loss", 0.1}, {"norm", NAN}};
    size_t length;
    lh_log *log = lh_log_open(ctx, path_of("log.jsonl"), 0);
    for (int step = 10; step <= 50; step += 10) assert_true(lh_log_add(log, step, v, 2));
    lh_log_close(log);
    FILE *f = fopen(path_of("log.jsonl"), "ab");
    fputs("{\"step\": 2", f); /* killed while it wrote */
    fclose(f);
    log = lh_log_open(ctx, path_of("log.jsonl"), 30);
    assert_true(lh_log_add(log, 40, v, 1));
    lh_log_close(log);
    const char *want = "{\"step\": 10, \"loss\": 0.1, \"norm\": \"nan\"}\n"
                       "{\"step\": 20, \"loss\": 0.1, \"norm\": \"nan\"}\n"
                       "{\"step\": 30, \"loss\": 0.1, \"norm\": \"nan\"}\n"
                       "{\"step\": 40, \"loss\": 0.1}\n";
    FILE *g = fopen(path_of("log.jsonl"), "rb");
    char *text = lh_alloc(a, 4096);
    length = fread(text, 1, 4095, g);
    fclose(g);
    assert_int_equal(length, strlen(want));
    assert_string_equal(text, want);
    lh_arena_free(a);
    lh_context_free(ctx);
}

/* ---- memory that ends: each piece is refused once ---- */

static const char *const gpt2 =
    "{\"model_type\": \"gpt2\", \"architectures\": [\"GPT2LMHeadModel\"], \"n_layer\": 2, "
    "\"n_head\": 2,"
    " \"n_embd\": 8, \"n_ctx\": 16, \"vocab_size\": 65, \"eos_token_id\": 0, \"attn_pdrop\": 0.1}";

static void use_everything(lh_context *ctx) {
    float x[3] = {1, 2, 3};
    const lh_tensor_entry e[] = {{"a", LH_F32, 1, {3}, x, LH_F32},
                                 {"b", LH_F16, 1, {3}, x, LH_F32}};
    const lh_pair metadata[] = {{"k", "v"}};
    lh_arena *a = lh_arena_new(ctx);
    lh_config c;
    lh_generation g;
    lh_tensors_write(ctx, path_of("m.safetensors"), e, 2, metadata, 1);
    lh_tensors_close(lh_tensors_open(ctx, path_of("m.safetensors")));
    if (a && lh_config_read(ctx, a, "config.json", gpt2, strlen(gpt2), &c))
        lh_config_text(ctx, a, &c);
    if (a && lh_generation_read(ctx, a, "generation_config.json", "{\"top_k\":3}", 11, &g))
        lh_generation_text(ctx, a, &g);
    lh_log *log = lh_log_open(ctx, path_of("m.jsonl"), 0);
    lh_log_add(log, 1, &(lh_log_value){"loss", 1}, 1);
    lh_log_close(log);
    lh_arena_free(a);
}

static void each_piece_fails_once(void **state) {
    (void)state;
    cJSON_Hooks hooks = {alloc_but_one, release_counted};
    cJSON_InitHooks(&hooks);
    for (int n = 0;; n++) {
        lh_context *ctx = lh_context_new();
        ctx->alloc = alloc_but_one;
        ctx->release = release_counted;
        asked = live = 0;
        refused = n;
        use_everything(ctx);
        bool was_refused = n > 0 && asked >= n;
        lh_error_kind kind = lh_context_error(ctx)->kind;
        if (kind != (was_refused ? LH_ERROR_MEMORY : LH_OK))
            fail_msg("piece %d: error %d (%s)", n, (int)kind, lh_context_error(ctx)->what);
        if (live) fail_msg("piece %d: %d pieces did not come back", n, live);
        lh_context_free(ctx);
        assert_int_equal(access(path_of("m.safetensors.tmp"), F_OK), -1);
        if (n > 0 && !was_refused) break;
    }
    cJSON_InitHooks(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_comes_back),
        cmocka_unit_test(halves_round_to_the_nearest),
        cmocka_unit_test(halves_agree_with_the_compiler),
        cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(hostile_lengths_are_refused),
        cmocka_unit_test(deep_and_long_are_refused),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(odd_files_are_read),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_cannot_be_read_is_not_written),
        cmocka_unit_test(several_files_are_one_model),
        cmocka_unit_test(folders_and_pipes_are_no_files),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_log_goes_on_behind_its_step),
        cmocka_unit_test(each_piece_fails_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
