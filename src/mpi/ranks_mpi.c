/* ranks_mpi -- what train/ranks.h asks for, by MPI. A shared object of its own: the program is not linked with MPI.
 *
 * MPI ends the whole run by itself where a call fails, or where a process is gone: no call here returns an error.
 * Counts are ints in MPI 3: what is longer goes in several calls.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/ranks.h"

enum { MOST = 1 << 28 }; /* numbers in one call */

/* What is on its way in a slot: MPI reads the places until it is done. */
static struct {
    int *sent_at, *got_at; /* [n] where each rank's part begins */
    MPI_Request request;
} slots[LH_RANKS_SLOTS];

static int n_ranks;

/* Each kind has a communicator of its own: ranks begin those of one kind in the same order, but one may have begun to gather where
 * another still exchanges. */
static MPI_Comm exchanging, gathering, adding;

static void find_places(int *at, const int *counts) {
    int sum = 0;
    for (int i = 0; i < n_ranks; i++) at[i] = sum, sum += counts[i];
}

static MPI_Datatype type_of(lh_wire wire) {
    return wire == LH_WIRE_BF16 ? MPI_UINT16_T : MPI_FLOAT;
}

static void exchange(int slot, lh_wire wire, const void *from, const int *send_counts, void *to,
                     const int *receive_counts) {
    find_places(slots[slot].sent_at, send_counts);
    find_places(slots[slot].got_at, receive_counts);
    MPI_Ialltoallv(from, send_counts, slots[slot].sent_at, type_of(wire), to, receive_counts,
                   slots[slot].got_at, type_of(wire), exchanging, &slots[slot].request);
}

static void gather(int slot, lh_wire wire, const void *from, int count, void *to,
                   const int *counts) {
    find_places(slots[slot].got_at, counts);
    MPI_Iallgatherv(from, count, type_of(wire), to, counts, slots[slot].got_at, type_of(wire),
                    gathering, &slots[slot].request);
}

static void add_floats(int slot, float *x, int n) {
    MPI_Iallreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, adding, &slots[slot].request);
}

static bool is_done(int slot, bool waits) {
    int done = 1;
    if (waits) /* NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): another call began it */
        MPI_Wait(&slots[slot].request, MPI_STATUS_IGNORE);
    else
        MPI_Test(&slots[slot].request, &done, MPI_STATUS_IGNORE);
    return done;
}

static int part_of(size_t left) {
    return left < MOST ? (int)left : MOST;
}

static void tell(void *bytes, size_t n, int from) {
    char *at = bytes;
    for (size_t done = 0; done < n; done += (size_t)part_of(n - done))
        MPI_Bcast(at + done, part_of(n - done), MPI_BYTE, from, MPI_COMM_WORLD);
}

static void add_ints(int *x, size_t n) {
    for (size_t done = 0; done < n; done += (size_t)part_of(n - done))
        MPI_Allreduce(MPI_IN_PLACE, x + done, part_of(n - done), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void add_doubles(double *x, size_t n) {
    for (size_t done = 0; done < n; done += (size_t)part_of(n - done))
        MPI_Allreduce(MPI_IN_PLACE, x + done, part_of(n - done), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
}

static void send(const float *x, size_t n, int to) {
    for (size_t done = 0; done < n; done += (size_t)part_of(n - done))
        MPI_Send(x + done, part_of(n - done), MPI_FLOAT, to, 0, MPI_COMM_WORLD);
}

static void receive(float *x, size_t n, int from) {
    for (size_t done = 0; done < n; done += (size_t)part_of(n - done))
        MPI_Recv(x + done, part_of(n - done), MPI_FLOAT, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

__attribute__((noreturn)) static void stop(int status) {
    fflush(stdout);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, status);
    abort(); /* not reached: MPI_Abort does not come back */
}

static void finish(void) {
    MPI_Comm_free(&exchanging);
    MPI_Comm_free(&gathering);
    MPI_Comm_free(&adding);
    MPI_Finalize();
    for (int i = 0; i < LH_RANKS_SLOTS; i++) free(slots[i].sent_at), free(slots[i].got_at);
}

static bool is_parted;

static lh_ranks ranks = {.is_parted = &is_parted,
                         .carrier = {.exchange = exchange,
                                     .gather = gather,
                                     .add_floats = add_floats,
                                     .is_done = is_done,
                                     .tell = tell},
                         .add_ints = add_ints,
                         .add_doubles = add_doubles,
                         .send = send,
                         .receive = receive,
                         .abort = stop,
                         .close = finish};

__attribute__((visibility("default"))) lh_ranks *longhand_ranks_start(size_t record);

/* Threads of ours compute; this one alone speaks. */
lh_ranks *longhand_ranks_start(size_t record) {
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int level, length;
    if (record != sizeof ranks) return NULL;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.n);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = 0;
    ranks.carrier.name = library;
    n_ranks = ranks.n;
    MPI_Comm_dup(MPI_COMM_WORLD, &exchanging);
    MPI_Comm_dup(MPI_COMM_WORLD, &gathering);
    MPI_Comm_dup(MPI_COMM_WORLD, &adding);
    bool is_ready = true;
    for (int i = 0; i < LH_RANKS_SLOTS; i++) {
        slots[i].request = MPI_REQUEST_NULL;
        slots[i].sent_at = calloc((size_t)ranks.n, sizeof(int));
        slots[i].got_at = calloc((size_t)ranks.n, sizeof(int));
        is_ready = is_ready && slots[i].sent_at && slots[i].got_at;
    }
    return is_ready ? &ranks : NULL;
}
