/* nccl -- NCCL for GPUs that are not there: processes of one machine, which hand numbers over through files in shared memory.
 *
 * Whatever NCCL leaves to chance is an error here: ranks that ask for different things, in another order, or for other amounts than the others
 * send; a message without a receiver; a rank that does not come within a minute. EMULATED_NCCL_REFUSES=RANK: that rank's communicator is refused.
 * Sums are made by a ring, rank 0 last: another order than ours, as NCCL's is.
 *
 * A round has three parts. Each rank writes what it sends, for each receiver how much of what, into a file of its own. All meet. Each reads
 * what is for it and compares. All meet again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "eval/cuda/device/nccl.h"

#define SHOWN __attribute__((visibility("default")))

enum { MOST_RANKS = 64, MOST_MESSAGES = 256, PATIENCE = 60, WRONG = 5, LOST = 6 };

typedef enum kind { MESSAGES, REDUCE, GATHER, BROADCAST } kind;

/* What a rank says about a round, before its numbers. */
typedef struct head {
    long round;
    kind kind;
    int type, root;
    size_t sent[MOST_RANKS]; /* bytes to each, one behind the other */
} head;

/* What all share. */
typedef struct meeting {
    int n, left;
    long arrived; /* counts up: n for each meeting */
    int is_broken;
} meeting;

struct ncclComm {
    char name[64];
    int rank, n;
    long round, met;
    meeting *shared;
    char *read_from[MOST_RANKS];
    size_t length[MOST_RANKS];
};

typedef struct message {
    const void *from;
    void *to;
    size_t bytes;
    int peer, type;
} message;

static struct {
    int depth, n;
    message list[MOST_MESSAGES];
    ncclComm_t comm;
    ncclResult_t error;
} group;

/* ---- meeting ---- */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ncclResult_t meet(ncclComm_t c) {
    const double start = seconds();
    c->met += c->n;
    __atomic_add_fetch(&c->shared->arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&c->shared->arrived, __ATOMIC_SEQ_CST) < c->met) {
        if (__atomic_load_n(&c->shared->is_broken, __ATOMIC_SEQ_CST)) return LOST;
        if (seconds() - start > PATIENCE) return LOST;
        nanosleep(&(struct timespec){0, 50000}, NULL);
    }
    return NCCL_SUCCESS;
}

static ncclResult_t wrong(ncclComm_t c, const char *what) {
    fprintf(stderr, "emulated NCCL: rank %d: %s\n", c->rank, what);
    __atomic_store_n(&c->shared->is_broken, 1, __ATOMIC_SEQ_CST);
    return WRONG;
}

/* ---- files ---- */

static void *map(const char *name, size_t bytes, int flags) {
    const int fd = shm_open(name, flags, 0600);
    if (fd < 0) return NULL;
    void *p = NULL;
    if (!(flags & O_CREAT) || ftruncate(fd, (off_t)bytes) == 0)
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return p == MAP_FAILED ? NULL : p;
}

static const char *file_of(ncclComm_t c, int rank) {
    static char name[96];
    snprintf(name, sizeof name, "%s.%d", c->name, rank);
    return name;
}

static ncclResult_t write_round(ncclComm_t c, const head *h, const message *list, int n) {
    size_t bytes = sizeof *h;
    for (int i = 0; i < n; i++) bytes += list[i].from ? list[i].bytes : 0;
    char *to = map(file_of(c, c->rank), bytes, O_CREAT | O_RDWR | O_TRUNC);
    if (!to) return wrong(c, "no shared memory");
    memcpy(to, h, sizeof *h);
    size_t at = sizeof *h;
    for (int peer = 0; peer < c->n; peer++)
        for (int i = 0; i < n; i++)
            if (list[i].from && list[i].peer == peer)
                memcpy(to + at, list[i].from, list[i].bytes), at += list[i].bytes;
    munmap(to, bytes);
    return NCCL_SUCCESS;
}

static ncclResult_t open_round(ncclComm_t c, const head *mine) {
    for (int r = 0; r < c->n; r++) {
        struct stat st;
        const int fd = shm_open(file_of(c, r), O_RDONLY, 0600);
        if (fd < 0 || fstat(fd, &st)) return wrong(c, "a rank wrote nothing");
        c->length[r] = (size_t)st.st_size;
        c->read_from[r] = mmap(NULL, c->length[r], PROT_READ, MAP_SHARED, fd, 0);
        close(fd);
        if (c->read_from[r] == MAP_FAILED) return wrong(c, "a rank's numbers cannot be read");
        const head *h = (const head *)(const void *)c->read_from[r];
        if (h->round != mine->round || h->kind != mine->kind || h->root != mine->root)
            return wrong(c, "ranks ask for different things");
        if (mine->type >= 0 && h->type >= 0 && h->type != mine->type)
            return wrong(c, "ranks send different types");
    }
    return NCCL_SUCCESS;
}

static void close_round(ncclComm_t c) {
    for (int r = 0; r < c->n; r++) munmap(c->read_from[r], c->length[r]);
}

/* Where the numbers of a rank for another begin. */
static const char *numbers_of(ncclComm_t c, int from, int to, size_t *bytes) {
    const head *h = (const head *)(const void *)c->read_from[from];
    const char *at = c->read_from[from] + sizeof *h;
    for (int r = 0; r < to; r++) at += h->sent[r];
    *bytes = h->sent[to];
    return at;
}

typedef ncclResult_t (*reading)(ncclComm_t c, const message *list, int n);

static ncclResult_t round_of(ncclComm_t c, head *h, const message *list, int n, reading read) {
    h->round = c->round++;
    for (int i = 0; i < n; i++)
        if (list[i].from) h->sent[list[i].peer] += list[i].bytes;
    ncclResult_t r = write_round(c, h, list, n);
    if (!r) r = meet(c);
    if (!r) r = open_round(c, h);
    if (!r) r = read(c, list, n);
    if (!r) close_round(c);
    return r ? r : meet(c);
}

/* ---- what is asked for ---- */

static size_t size_of(int type) {
    return type == NCCL_FLOAT ? 4 : type == NCCL_BF16 ? 2 : 1;
}

static ncclResult_t read_messages(ncclComm_t c, const message *list, int n) {
    size_t wanted[MOST_RANKS] = {0}, bytes;
    for (int i = 0; i < n; i++) {
        if (!list[i].to) continue;
        const char *from = numbers_of(c, list[i].peer, c->rank, &bytes);
        if (wanted[list[i].peer] + list[i].bytes > bytes)
            return wrong(c, "more is asked for than was sent");
        memcpy(list[i].to, from + wanted[list[i].peer], list[i].bytes);
        wanted[list[i].peer] += list[i].bytes;
    }
    for (int r = 0; r < c->n; r++)
        if (numbers_of(c, r, c->rank, &bytes) && bytes != wanted[r])
            return wrong(c, "more was sent than is asked for");
    return NCCL_SUCCESS;
}

static ncclResult_t read_sums(ncclComm_t c, const message *list, int n) {
    size_t bytes;
    (void)n;
    float *to = list->to;
    for (int k = 1; k <= c->n; k++) {
        const float *x = (const float *)(const void *)numbers_of(c, k % c->n, 0, &bytes);
        if (bytes != list->bytes) return wrong(c, "ranks add up different amounts");
        for (size_t i = 0; i < bytes / sizeof *x; i++) to[i] = k == 1 ? x[i] : to[i] + x[i];
    }
    return NCCL_SUCCESS;
}

static ncclResult_t read_all(ncclComm_t c, const message *list, int n) {
    size_t bytes;
    (void)n;
    for (int r = 0; r < c->n; r++) {
        const char *x = numbers_of(c, r, 0, &bytes);
        if (bytes != list->bytes) return wrong(c, "ranks gather different amounts");
        memcpy((char *)list->to + (size_t)r * bytes, x, bytes);
    }
    return NCCL_SUCCESS;
}

static int told_by;

static ncclResult_t read_told(ncclComm_t c, const message *list, int n) {
    size_t bytes;
    (void)n;
    const char *x = numbers_of(c, told_by, 0, &bytes);
    if (bytes != list->bytes) return wrong(c, "ranks are told different amounts");
    memcpy(list->to, x, bytes);
    return NCCL_SUCCESS;
}

/* ---- the interface ---- */

SHOWN const char *ncclGetErrorString(ncclResult_t r);
const char *ncclGetErrorString(ncclResult_t r) {
    return r == LOST ? "a rank is missing (emulated)" : "emulated trouble";
}

#define NCCL(name, parameters) SHOWN ncclResult_t name parameters;
NCCL_FUNCTIONS
#undef NCCL

ncclResult_t ncclGetVersion(int *version) {
    *version = 29999;
    return NCCL_SUCCESS;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
    static int made;
    snprintf(id->internal, sizeof id->internal, "/longhand-nccl-%ld-%d", (long)getpid(), made++);
    return NCCL_SUCCESS;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int n, ncclUniqueId id, int rank) {
    const char *refused = getenv("EMULATED_NCCL_REFUSES");
    if (n > MOST_RANKS) return WRONG;
    ncclComm_t c = calloc(1, sizeof *c);
    if (!c) return WRONG;
    c->rank = rank, c->n = n;
    memcpy(c->name, id.internal, sizeof c->name - 1);
    c->shared = map(c->name, sizeof *c->shared, O_CREAT | O_RDWR);
    if (!c->shared) return free(c), WRONG;
    const int is_refused = refused && atoi(refused) == rank;
    if (is_refused) __atomic_store_n(&c->shared->is_broken, 1, __ATOMIC_SEQ_CST);
    ncclResult_t r = is_refused ? WRONG : meet(c);
    if (__atomic_load_n(&c->shared->is_broken, __ATOMIC_SEQ_CST)) r = r ? r : LOST;
    if (r) {
        shm_unlink(c->name);
        free(c);
        return r;
    }
    *comm = c;
    return NCCL_SUCCESS;
}

/* The last one takes the files away; who is ended before that leaves some bytes in /dev/shm. */
ncclResult_t ncclCommDestroy(ncclComm_t c) {
    shm_unlink(file_of(c, c->rank));
    if (__atomic_add_fetch(&c->shared->left, 1, __ATOMIC_SEQ_CST) == c->n) shm_unlink(c->name);
    munmap(c->shared, sizeof *c->shared);
    free(c);
    return NCCL_SUCCESS;
}

ncclResult_t ncclCommAbort(ncclComm_t c) {
    __atomic_store_n(&c->shared->is_broken, 1, __ATOMIC_SEQ_CST);
    return ncclCommDestroy(c);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *error) {
    *error = __atomic_load_n(&c->shared->is_broken, __ATOMIC_SEQ_CST) ? LOST : NCCL_SUCCESS;
    return NCCL_SUCCESS;
}

ncclResult_t ncclGroupStart(void) {
    group.depth++;
    return NCCL_SUCCESS;
}

ncclResult_t ncclGroupEnd(void) {
    head h = {.kind = MESSAGES, .type = -1};
    const int n = group.n;
    if (--group.depth || !group.comm) return NCCL_SUCCESS;
    for (int i = 0; i < n; i++) h.type = group.list[i].type;
    group.n = 0;
    return round_of(group.comm, &h, group.list, n, read_messages);
}

static ncclResult_t post(ncclComm_t c, message m) {
    if (!group.depth) return wrong(c, "a message outside of a group");
    if (group.n == MOST_MESSAGES) return wrong(c, "too many messages");
    group.comm = c;
    group.list[group.n++] = m;
    return NCCL_SUCCESS;
}

ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      void *stream) {
    (void)stream;
    return post(comm, (message){from, NULL, n * size_of(type), peer, type});
}

ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm,
                      void *stream) {
    (void)stream;
    return post(comm, (message){NULL, to, n * size_of(type), peer, type});
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t n, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, void *stream) {
    head h = {.kind = REDUCE, .type = type};
    const message m = {from, to, n * size_of(type), 0, type};
    (void)stream;
    if (op != NCCL_SUM || type != NCCL_FLOAT) return wrong(comm, "only floats are added up");
    return round_of(comm, &h, &m, 1, read_sums);
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t n, ncclDataType_t type,
                           ncclComm_t comm, void *stream) {
    head h = {.kind = GATHER, .type = type};
    const message m = {from, to, n * size_of(type), 0, type};
    (void)stream;
    return round_of(comm, &h, &m, 1, read_all);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type, int root,
                           ncclComm_t comm, void *stream) {
    head h = {.kind = BROADCAST, .type = type, .root = root};
    const message m = {from, to, n * size_of(type), 0, type};
    (void)stream;
    told_by = root;
    return round_of(comm, &h, &m, 1, read_told);
}
