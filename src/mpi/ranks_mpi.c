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

static int *sent_at, *got_at; /* [n] where each rank's part begins */
static int n_ranks;

static void find_places(int *at, const int *counts) {
    int sum = 0;
    for (int i = 0; i < n_ranks; i++) at[i] = sum, sum += counts[i];
}

static void exchange(const float *from, const int *send_counts, float *to,
                     const int *receive_counts) {
    find_places(sent_at, send_counts);
    find_places(got_at, receive_counts);
    MPI_Alltoallv(from, send_counts, sent_at, MPI_FLOAT, to, receive_counts, got_at, MPI_FLOAT,
                  MPI_COMM_WORLD);
}

static void gather(const float *from, int count, float *to, const int *counts) {
    find_places(got_at, counts);
    MPI_Allgatherv(from, count, MPI_FLOAT, to, counts, got_at, MPI_FLOAT, MPI_COMM_WORLD);
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

static void stop(int status) {
    fflush(stdout);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, status);
    abort(); /* not reached: MPI_Abort does not come back */
}

static void finish(void) {
    MPI_Finalize();
    free(sent_at);
    free(got_at);
}

static lh_ranks ranks = {.exchange = exchange,
                         .gather = gather,
                         .tell = tell,
                         .add_ints = add_ints,
                         .add_doubles = add_doubles,
                         .send = send,
                         .receive = receive,
                         .abort = stop,
                         .close = finish};

__attribute__((visibility("default"))) lh_ranks *longhand_ranks_start(void);

/* Threads of ours compute; this one alone speaks. */
lh_ranks *longhand_ranks_start(void) {
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int level, length;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.n);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = 0;
    ranks.library = library;
    n_ranks = ranks.n;
    sent_at = calloc((size_t)ranks.n, sizeof *sent_at);
    got_at = calloc((size_t)ranks.n, sizeof *got_at);
    return sent_at && got_at ? &ranks : NULL;
}
