/* cuda_load -- finds the shared object and opens the GPU, once per process. */
#include "base/number.h"
#include "base/shared_object.h"
#include "eval/cuda/cuda.h"
#include "eval/cuda/devices.h"

static const lh_place nowhere = {0, 0, 0};

static struct {
    bool is_sought, is_open;
    const lh_gpu *gpu;
    const lh_gpu_ranks *ranks;
    char why[512]; /* there is none */
} found;

const lh_gpu *lh_cuda_find(const char **why) {
    if (!found.is_sought) {
        snprintf(found.why, sizeof found.why, "this longhand was built without CUDA");
        void *so = lh_shared_object("LONGHAND_CUDA", "longhand_cuda.so", RTLD_NOW, found.why,
                                    sizeof found.why);
        lh_gpu_entry entry = NULL;
        if (so) *(void **)&entry = dlsym(so, LH_GPU_ENTRY);
        if (so && !entry)
            snprintf(found.why, sizeof found.why, "longhand_cuda.so is of another version");
        found.gpu = entry ? entry() : NULL;
        if (found.gpu && found.gpu->version != LH_GPU_VERSION) {
            snprintf(found.why, sizeof found.why,
                     "longhand_cuda.so is of version %d, and this longhand needs %d",
                     found.gpu->version, LH_GPU_VERSION);
            found.gpu = NULL, entry = NULL;
        }
        lh_gpu_ranks_entry ranks = NULL;
        if (entry) *(void **)&ranks = dlsym(so, LH_GPU_RANKS_ENTRY);
        found.ranks = ranks ? ranks() : NULL;
        found.is_sought = true;
    }
    *why = found.why;
    return found.gpu;
}

const lh_gpu_ranks *lh_cuda_ranks(void) {
    return found.ranks;
}

/* One that others have filled up cannot do much: both figures. */
static void see_room(lh_gpu_device *d) {
    if (*d->trouble || (double)d->free >= LH_CUDA_LIBRARIES) return;
    char has[LH_NUMBER_MAX], needs[LH_NUMBER_MAX];
    snprintf(d->trouble, sizeof d->trouble, "%s of its memory are free, and products alone need %s",
             lh_number_bytes(has, sizeof has, (double)d->free),
             lh_number_bytes(needs, sizeof needs, LH_CUDA_LIBRARIES));
}

int lh_devices(lh_gpu_device *list, int most, const char **why) {
    const char *own_why;
    const lh_gpu *gpu = lh_cuda_find(why ? why : &own_why);
    const int n = gpu ? gpu->devices(list, most, why ? why : &own_why) : 0;
    for (int i = 0; i < n && i < most; i++) see_room(&list[i]);
    return n;
}

/* The rank among the processes on this machine, as Open MPI, MPICH and Slurm number them; 0: there is only this one. */
static int local_rank(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && *text >= '0' && *text <= '9') return atoi(text);
    }
    return 0;
}

static bool is_wanted(int device) {
    const char *asked = getenv("LONGHAND_GPU");
    return !asked || !*asked || atoi(asked) == device;
}

/* The index of the GPU to use; -1: there is none, and *why says why. */
static int choose(const lh_gpu *gpu, const char **why) {
    enum { MOST = 64 };
    lh_gpu_device *device = calloc(MOST, sizeof *device);
    const int all = device ? gpu->devices(device, MOST, why) : 0, n = all < MOST ? all : MOST;
    int good[MOST] = {0}, n_good = 0;
    for (int i = 0; i < n; i++) {
        if (!is_wanted(i)) continue;
        if (!*device[i].trouble)
            good[n_good++] = i;
        else if (!n_good)
            snprintf(found.why, sizeof found.why, "%s: %s", device[i].name, device[i].trouble);
    }
    if (n > 0 && !n_good) *why = *found.why ? found.why : "there is no GPU of that number";
    free(device);
    return n_good ? good[local_rank() % n_good] : -1;
}

bool lh_cuda_is_well(lh_context *ctx) {
    const char *trouble = found.is_open ? found.gpu->trouble() : NULL;
    if (!trouble || lh_failed(ctx)) return !trouble;
    lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "the GPU stopped: %s", trouble);
    lh_cure(ctx, "what was saved last is intact; --device cpu continues without it");
    return false;
}

const lh_gpu *lh_cuda_gpu(lh_context *ctx) {
    const char *why = "";
    if (lh_failed(ctx)) return NULL;
    if (found.is_open) return found.gpu;
    const lh_gpu *gpu = lh_cuda_find(&why);
    const bool is_built = gpu != NULL;
    if (gpu) found.why[0] = 0;
    const int device = gpu ? choose(gpu, &why) : -1;
    const char *trouble = device >= 0 ? gpu->open(device) : why;
    if (!trouble) {
        found.is_open = true;
        return gpu;
    }
    lh_fail(ctx, LH_ERROR_LIMIT, nowhere, "no GPU can be used: %s", trouble);
    lh_cure(ctx, is_built ? "--device cpu; longhand devices shows what there is"
                          : "--device cpu, or build again with -Dcuda=enabled and nvcc installed");
    return NULL;
}
