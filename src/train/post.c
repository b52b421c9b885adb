#include "train/post.h"

enum { ID = 128, DEVICE = 128 };

/* The rank whose GPU this one has, too; n: it has its own. All of them ask. */
static int who_shares(const lh_ranks *r, const char *device) {
    char theirs[DEVICE];
    int shared = r->n;
    for (int i = 0; i < r->n; i++) {
        memset(theirs, 0, sizeof theirs);
        if (i == r->rank) strncpy(theirs, device, sizeof theirs - 1);
        r->carrier.tell(theirs, sizeof theirs, i);
        if (i < r->rank && shared == r->n && strncmp(theirs, device, sizeof theirs - 1) == 0)
            shared = i;
    }
    return shared;
}

/* The first rank that has something against it says what; NULL: none has. */
static const char *first_why(const lh_ranks *r, lh_arena *a, const char *mine) {
    enum { LONGEST = 256 };
    char text[LONGEST] = "";
    const int first = lh_ranks_first(r, a, mine != NULL);
    if (first == r->n) return NULL;
    if (mine) strncpy(text, mine, sizeof text - 1);
    r->carrier.tell(text, sizeof text, first);
    return lh_printf(a, "%s", text);
}

/* NULL: numbers cannot go from GPU to GPU, and p->why says why. The same on all ranks. */
static const lh_carrier *carrier_of(lh_post *p, lh_arena *a, const lh_ranks *r) {
    const char *why = NULL;
    char id[ID] = "";
    const int shared = who_shares(r, p->cells->device());
    if (shared < r->n)
        why = lh_printf(a, "ranks %d and %d have the same GPU, and NCCL needs one for each", shared,
                        r->rank);
    else if (p->cells->can_carry(&why))
        why = NULL;
    p->why = first_why(r, a, why);
    if (p->why) return NULL;
    if (r->rank == 0 && p->cells->make_id(id, &why)) why = NULL;
    p->why = first_why(r, a, why);
    if (p->why) return NULL;
    r->carrier.tell(id, sizeof id, 0);
    const lh_carrier *c = p->cells->carry(id, r->rank, r->n, &p->why);
    p->why = first_why(r, a, c ? NULL : p->why);
    if (!p->why) return c;
    p->cells->leave();
    return NULL;
}

bool lh_post_open(lh_post *p, lh_context *ctx, lh_arena *a, const lh_backend *by,
                  const lh_ranks *ranks) {
    *p = (lh_post){.by = by, .cells = by->cells, .carrier = ranks ? &ranks->carrier : NULL};
    const bool is_open = !p->cells || p->cells->open(ctx);
    if (!lh_ranks_well(ranks, ctx, a)) return false;
    if (!p->cells || !ranks) return is_open;
    const lh_carrier *c = carrier_of(p, a, ranks);
    if (c) p->carrier = c, p->sent = p->cells;
    return !lh_failed(ctx);
}

void lh_post_close(lh_post *p) {
    if (p->sent) p->sent->leave();
    p->sent = NULL, p->carrier = NULL;
}

void *lh_post_take(const lh_post *p, lh_context *ctx, lh_arena *a, size_t n, size_t bytes) {
    return p->sent ? p->by->take(ctx, n, bytes) : lh_alloc_array(a, n, bytes);
}

void lh_post_give_back(const lh_post *p, lh_context *ctx, void *memory) {
    if (p->sent) p->by->give_back(ctx, memory);
}
