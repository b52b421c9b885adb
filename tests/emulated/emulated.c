/* emulated -- a GPU that is not there: its memory is this machine's, its kernels run by emulate.h, its products by loops.
 *
 * Every cell that a kernel asks for is looked up in what was taken. EMULATED_MEMORY says how many bytes it has, EMULATED_LOST after how many launches it
 * is lost, so that messages can be tested.
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
void emulate_touch(const void *p);

static bool is_in(const struct piece *m, const void *p) {
    return (const char *)p >= m->from && (const char *)p + sizeof(float) <= m->to;
}

void emulate_touch(const void *p) {
    if (is_in(&pieces[newest], p)) return;
    for (newest = 0; newest < n_pieces; newest++)
        if (is_in(&pieces[newest], p)) return;
    fprintf(stderr, "emulated GPU: %s: outside of all memory that was taken\n", emulate_running());
    abort();
}

static int emulated_devices(lh_gpu_device *list, int most, const char **why) {
    if (getenv("EMULATED_NONE")) {
        *why = "no device is there";
        return 0;
    }
    if (most > 0) {
        list[0] = (lh_gpu_device){.name = "emulated", .memory = memory(), .major = 9};
        list[0].free = taken < memory() ? memory() - taken : 0;
    }
    return 1;
}

static const char *emulated_driver(void) {
    return "none: emulated";
}

static const char *emulated_open(int device) {
    return device || getenv("EMULATED_NONE") ? "no device is there" : NULL;
}

static void *emulated_take(size_t bytes) {
    if (n_pieces == MOST || bytes > memory() || taken > memory() - bytes) return NULL;
    char *p = calloc(bytes + 1, 1);
    if (!p) return NULL;
    pieces[n_pieces++] = (struct piece){p, p + bytes};
    taken += bytes;
    return p;
}

static void emulated_give_back(void *p) {
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

static void emulated_put(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    emulate_touch(to), emulate_touch((char *)to + bytes - sizeof(float));
    emulated_copy(to, from, bytes);
}

static void emulated_get(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    emulate_touch(from), emulate_touch((const char *)from + bytes - sizeof(float));
    emulated_copy(to, from, bytes);
}

static void emulated_move(void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    emulate_touch(from), emulate_touch((const char *)from + bytes - sizeof(float));
    emulated_put(to, from, bytes);
}

static void emulated_wait(void) {}

static long launches;

static const char *emulated_trouble(void) {
    const char *after = getenv("EMULATED_LOST");
    return after && ++launches > atol(after) ? "the device was lost" : NULL;
}

static float *cell(const lh_gpu_factor *f, int i, int r, int c) {
    float *p = f->each ? f->each[i] : f->first + i * f->apart;
    p += f->is_turned ? c * f->pitch + r : r * f->pitch + c;
    emulate_touch(p);
    return p;
}

static float rounded(float x, bool in_bf16) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!in_bf16 || x != x) return x;
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static bool emulated_product(const lh_gpu_product *p) {
    for (int i = 0; i < p->n; i++)
        for (int r = 0; r < p->rows; r++)
            for (int c = 0; c < p->cols; c++) {
                float sum = 0, *to = cell(&p->c, i, r, c);
                for (int k = 0; k < p->inner; k++)
                    sum += rounded(*cell(&p->a, i, r, k), p->in_bf16) *
                           rounded(*cell(&p->b, i, k, c), p->in_bf16);
                *to = p->scale * sum + (p->adds ? *to : 0);
            }
    return true;
}

static const char *emulated_products(void) {
    return "loops";
}

static bool emulated_begin_list(void) {
    return false; /* nothing is recorded */
}

static void *emulated_end_list(void) {
    return NULL;
}

static void emulated_list(void *list) {
    (void)list;
}

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
    .wait = emulated_wait,
    .trouble = emulated_trouble,
    .product = emulated_product,
    .products = emulated_products,
    .begin_list = emulated_begin_list,
    .end_list = emulated_end_list,
    .run_list = emulated_list,
    .free_list = emulated_list,
};

__attribute__((visibility("default"))) const lh_gpu *lh_gpu_entry_1(void);

const lh_gpu *lh_gpu_entry_1(void) {
    lh_gpu_launchers(&gpu);
    return &gpu;
}
