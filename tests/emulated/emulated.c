/* emulated -- a GPU that is not there: its memory is this machine's, its kernels run by emulate.h, its products by loops.
 *
 * Every cell that a kernel asks for is looked up in what was taken. EMULATED_MEMORY says how many bytes it has, EMULATED_LOST after how many runs and
 * readings it is lost, EMULATED_VERSION of which version it is, so that messages can be tested; EMULATED_SHARED how many bytes of shared memory a block of threads may have; EMULATED_APART: nothing that follows a product is done by it; EMULATED_DEVICES how many there are of it, for several processes. EMULATED_NARROW: it has no products of four
 * warps together.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/cuda/device/launchers.h"

enum { MOST = 1 << 14 };

static struct piece { char *from, *to; } pieces[MOST];
static int n_pieces, newest;
static size_t taken;

static size_t memory(void) {
    const char *text = getenv("EMULATED_MEMORY");
    return text ? (size_t)strtoull(text, NULL, 10) : (size_t)1 << 30;
}

const char *emulate_running(void);
void emulate_touch(const void *p, size_t bytes);
void emulate_begin_list(void), emulate_run_list(void *list), emulate_free_list(void *list);
void *emulate_end_list(void);
bool emulate_note(void (*f)(const void *with), const void *with, size_t bytes);
bool emulate_is_recording(void);

/* A list would hold on to memory that leaves with other numbers the next time, or wait for itself. */
static void refuse_in_list(const char *what) {
    if (!emulate_is_recording()) return;
    fprintf(stderr, "emulated GPU: %s while launches are being recorded\n", what);
    abort();
}

static bool is_in(const struct piece *m, const void *p, size_t bytes) {
    return (const char *)p >= m->from && (const char *)p + bytes <= m->to;
}

void emulate_touch(const void *p, size_t bytes) {
    if ((uintptr_t)p % (bytes < 16 ? bytes : 16)) {
        fprintf(stderr, "emulated GPU: %s: %zu bytes do not lie on a multiple of themselves\n",
                emulate_running(), bytes);
        abort();
    }
    if (is_in(&pieces[newest], p, bytes)) return;
    for (newest = 0; newest < n_pieces; newest++)
        if (is_in(&pieces[newest], p, bytes)) return;
    fprintf(stderr, "emulated GPU: %s: outside of all memory that was taken\n", emulate_running());
    abort();
}

static int n_devices(void) {
    const char *text = getenv("EMULATED_DEVICES");
    return text ? atoi(text) : 1;
}

static int emulated_devices(lh_gpu_device *list, int most, const char **why) {
    if (getenv("EMULATED_NONE")) {
        *why = "no device is there";
        return 0;
    }
    for (int i = 0; i < n_devices() && i < most; i++) {
        list[i] = (lh_gpu_device){.name = "emulated", .memory = memory(), .major = 9};
        list[i].free = taken < memory() ? memory() - taken : 0;
    }
    return n_devices();
}

static const char *emulated_driver(void) {
    return "none: emulated";
}

static int opened;
const char *emulate_device(void);

static const char *emulated_open(int device) {
    opened = device;
    return device >= n_devices() || getenv("EMULATED_NONE") ? "no device is there" : NULL;
}

const char *emulate_device(void) {
    static char text[64];
    snprintf(text, sizeof text, "emulated, %d", opened);
    return text;
}

static void *emulated_take(size_t bytes) {
    refuse_in_list("memory is taken");
    if (n_pieces == MOST || bytes > memory() || taken > memory() - bytes) return NULL;
    char *p = aligned_alloc(256, (bytes + 256) / 256 * 256); /* as a GPU's is */
    if (!p) return NULL;
    memset(p, 0, bytes);
    pieces[n_pieces++] = (struct piece){p, p + bytes};
    taken += bytes;
    return p;
}

static void emulated_give_back(void *p) {
    refuse_in_list("memory is given back");
    for (int i = 0; p && i < n_pieces; i++)
        if (pieces[i].from == (char *)p) {
            taken -= (size_t)(pieces[i].to - pieces[i].from);
            pieces[i] = pieces[--n_pieces];
            newest = 0;
            free(p);
            return;
        }
    if (p) {
        fprintf(stderr, "emulated GPU: memory is given back that was not taken\n");
        abort();
    }
}

static void emulated_room(size_t *has, size_t *all) {
    *all = memory();
    *has = *all - taken;
}

static void emulated_copy(void *to, const void *from, size_t bytes) {
    memcpy(to, from, bytes);
}

static void touch_all(const void *p, size_t bytes) {
    emulate_touch(p, 1), emulate_touch((const char *)p + bytes - 1, 1);
}

static void emulated_put(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    refuse_in_list("numbers are copied to it");
    touch_all(to, bytes);
    emulated_copy(to, from, bytes);
}

static bool is_lost; /* from then on nothing comes from it */
static long calls;

static bool is_lost_now(void) {
    const char *after = getenv("EMULATED_LOST");
    is_lost |= after && ++calls > atol(after);
    return is_lost;
}

static void emulated_get(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    refuse_in_list("numbers are read");
    touch_all(from, bytes);
    if (is_lost_now())
        memset(to, 0, bytes);
    else
        emulated_copy(to, from, bytes);
}

static void emulated_move(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    touch_all(from, bytes);
    emulated_put(to, from, bytes);
}

static void emulated_wait(void) {}

static const char *emulated_trouble(void) {
    return is_lost_now() ? "the device was lost" : NULL;
}

static float number_of(const void *p, size_t i, bool is_short) {
    uint32_t bits = 0;
    float x;
    if (!is_short) return ((const float *)p)[i];
    memcpy((char *)&bits + 2, (const char *)p + 2 * i, 2);
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static void *cell(const lh_gpu_factor *f, int i, int r, int c) {
    const size_t bytes = f->is_short ? 2 : 4;
    const long long within = f->is_turned ? c * f->pitch + r : r * f->pitch + c;
    char *p = (char *)(f->each ? f->each[i] : f->first) +
              (within + (f->each ? 0 : i * f->apart)) * (long long)bytes;
    emulate_touch(p, bytes);
    return p;
}

static float get(const lh_gpu_factor *f, int i, int r, int c) {
    return number_of(cell(f, i, r, c), 0, f->is_short);
}

static void set(void *to, float x, bool is_short) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = x != x ? 0x7fc00000u : bits + 0x7fff + (bits >> 16 & 1); /* to the nearest bf16 */
    if (is_short)
        memcpy(to, (char *)&bits + 2, 2);
    else
        memcpy(to, &x, sizeof x);
}

/* Small ones by the kernel that stands in for a library. */
static void multiply(const void *product) {
    const lh_gpu_product *p = product;
    if (p->a.is_short != p->b.is_short) {
        fprintf(stderr, "emulated GPU: a product of two types\n");
        abort();
    }
    if ((long long)p->rows * p->cols * p->inner * p->n < 4096 || p->behind) {
        lh_gpu_any_product(p, NULL);
        return;
    }
    for (int i = 0; i < p->n; i++)
        for (int r = 0; r < p->rows; r++)
            for (int c = 0; c < p->cols; c++) {
                float sum = 0;
                void *to = cell(&p->c, i, r, c);
                for (int k = 0; k < p->inner; k++) sum += get(&p->a, i, r, k) * get(&p->b, i, k, c);
                sum = p->scale * sum + (p->adds ? number_of(to, 0, p->c.is_short) : 0);
                if (p->bias) sum += number_of(p->bias, (size_t)c, p->c.is_short);
                if (p->also) sum += number_of(p->also, (size_t)(r * p->c.pitch + c), p->c.is_short);
                set(to, sum, p->c.is_short);
            }
}

static void emulated_product(const lh_gpu_product *p) {
    if (!emulate_note(multiply, p, sizeof *p)) multiply(p);
}

/* A library that can do all of it, as long as nothing is left out. */
static bool emulated_makes(const lh_gpu_product *p) {
    return p->n == 1 && !p->c.each && p->a.is_short && (!p->behind) == (!p->kept) &&
           !(p->also && p->behind) && !getenv("EMULATED_APART");
}

static const char *emulated_products(void) {
    return "loops";
}

/* There is one way. */
static void emulated_try_products(bool tries) {
    (void)tries;
}

static bool emulated_begin_list(void) {
    emulate_begin_list();
    return true;
}

static int answer;

static lh_gpu gpu = {
    .version = LH_GPU_VERSION,
    .built_with = "emulated",
    .devices = emulated_devices,
    .driver = emulated_driver,
    .open = emulated_open,
    .take = emulated_take,
    .give_back = emulated_give_back,
    .room = emulated_room,
    .put = emulated_put,
    .move = emulated_move,
    .get = emulated_get,
    .answer = &answer,
    .wait = emulated_wait,
    .trouble = emulated_trouble,
    .product = emulated_product,
    .makes = emulated_makes,
    .products = emulated_products,
    .try_products = emulated_try_products,
    .round = lh_gpu_round,
    .begin_list = emulated_begin_list,
    .end_list = emulate_end_list,
    .run_list = emulate_run_list,
    .free_list = emulate_free_list,
};

__attribute__((visibility("default"))) const lh_gpu *lh_gpu_entry_2(void);

const lh_gpu *lh_gpu_entry_2(void) {
    const char *version = getenv("EMULATED_VERSION");
    if (version) gpu.version = atoi(version);
    lh_gpu_launchers(&gpu);
    return &gpu;
}
