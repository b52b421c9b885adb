#include "train/ranks.h"

#include "base/shared_object.h"

static const lh_place nowhere = {0, 0, 0};

static int number_in(const char *name) {
    const char *text = getenv(name);
    return text && *text >= '0' && *text <= '9' ? atoi(text) : -1;
}

/* Open MPI's mpirun, MPICH's and Intel's, Slurm's srun. A batch script of Slurm itself is one process, whatever it asked for. */
bool lh_ranks_asked(int *rank, int *n) {
    static const char *const name[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                          {"PMI_RANK", "PMI_SIZE"},
                                          {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        *rank = number_in(name[i][0]), *n = number_in(name[i][1]);
        if (*rank >= 0 && *n > *rank) return true;
    }
    return false;
}

static lh_ranks *start(lh_context *ctx, int n) {
    char trouble[512] = "this longhand was built without MPI";
    /* MPI's own plugins look for its names in what is loaded already, so they must be visible to all. */
    void *so = lh_shared_object("LONGHAND_MPI", "longhand_mpi.so", RTLD_NOW | RTLD_GLOBAL, trouble,
                                sizeof trouble);
    lh_ranks_start begin = NULL;
    if (so) *(void **)&begin = dlsym(so, LH_RANKS_START);
    lh_ranks *r = begin ? begin(sizeof *r) : NULL;
    if (r) return r;
    if (begin)
        snprintf(trouble, sizeof trouble,
                 "MPI does not start, or longhand_mpi.so is of another version");
    lh_fail(ctx, LH_ERROR_FILE, nowhere,
            "this is one of %d processes, but they cannot communicate: %s", n, trouble);
    lh_cure(
        ctx,
        "install libopenmpi-dev and build again with -Dmpi=enabled, or start one process alone");
    return NULL;
}

lh_ranks *lh_ranks_open(lh_context *ctx) {
    int rank, n;
    if (lh_failed(ctx) || !lh_ranks_asked(&rank, &n) || n == 1) return NULL;
    return start(ctx, n);
}

void lh_ranks_close(lh_ranks *r) {
    if (r) r->close();
}

void lh_ranks_tell(const lh_ranks *r, void *bytes, size_t n) {
    if (r) r->carrier.tell(bytes, n, 0);
}

char *lh_ranks_tell_text(const lh_ranks *r, lh_context *ctx, lh_arena *a, const char *text) {
    uint64_t n = text ? strlen(text) : 0;
    lh_ranks_tell(r, &n, sizeof n);
    char *copy = lh_alloc(a, (size_t)n + 1);
    if (!lh_ranks_well(r, ctx, a) || !copy) return NULL;
    if (text && (!r || r->rank == 0)) memcpy(copy, text, (size_t)n);
    lh_ranks_tell(r, copy, (size_t)n);
    copy[n] = 0;
    return copy;
}

bool lh_ranks_all(const lh_ranks *r, bool is_so, int *how_many) {
    int n = is_so;
    if (r) r->add_ints(&n, 1);
    if (how_many) *how_many = n;
    return n == (r ? r->n : 1);
}

int lh_ranks_first(const lh_ranks *r, lh_arena *a, bool is_so) {
    int *flags = lh_alloc_array(a, (size_t)r->n, sizeof *flags), first = 0;
    if (!flags) r->abort(2); /* the others wait for a sum that this one cannot take part in */
    flags[r->rank] = is_so;
    r->add_ints(flags, (size_t)r->n);
    while (first < r->n && !flags[first]) first++;
    return first;
}

bool lh_ranks_well(const lh_ranks *r, lh_context *ctx, lh_arena *a) {
    if (!r) return !lh_failed(ctx);
    const int bad = lh_ranks_first(r, a, lh_failed(ctx));
    if (bad == r->n) return true;
    *r->is_parted = true;
    lh_error error = {0};
    if (bad == r->rank) error = *lh_context_error(ctx);
    r->carrier.tell(error.what, sizeof error.what, bad);
    r->carrier.tell(error.cure, sizeof error.cure, bad);
    lh_fail(ctx, LH_ERROR_FILE, nowhere, "rank %d: %s", bad, error.what);
    lh_cure(ctx, "%s", error.cure);
    return false;
}
