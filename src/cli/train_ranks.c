/* train_ranks -- longhand train as one of several processes: rank 0 speaks for all, the others only where something is wrong with them.
 *
 * What the others write on stderr goes into a file first. Where all fail for the same reason, rank 0 has said it; where one fails
 * alone, its words come with its rank, and then all are ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/train_command.h"

static int number_of(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

static bool redirect(int fd, int to) {
    return to >= 0 && dup2(to, fd) >= 0;
}

/* Nobody reads what the other ranks print, and their messages wait. */
static void be_quiet(lh_train_ranks *r) {
    fflush(stdout);
    fflush(stderr);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    r->said = tmpfile();
    r->errors = dup(STDERR_FILENO);
    redirect(STDOUT_FILENO, nowhere);
    if (r->said && r->errors >= 0) redirect(STDERR_FILENO, fileno(r->said));
    if (nowhere >= 0) close(nowhere);
}

static void say_all(lh_train_ranks *r) {
    char line[1024];
    if (!r->said || r->errors < 0) return;
    fflush(stderr);
    redirect(STDERR_FILENO, r->errors);
    rewind(r->said);
    while (fgets(line, sizeof line, r->said)) fprintf(stderr, "rank %d: %s", r->ranks->rank, line);
    fflush(stderr);
    fclose(r->said);
    r->said = NULL;
}

bool lh_train_ranks_begin(lh_train_ranks *r, lh_cli *cli) {
    int rank;
    *r = (lh_train_ranks){.cli = cli, .errors = -1};
    r->is_asked = lh_ranks_asked(&rank, &(int){0});
    r->ranks = lh_ranks_open(cli->ctx);
    if (lh_failed(cli->ctx)) {
        if (rank == 0) lh_cli_report(cli); /* once is enough */
        return false;
    }
    if (r->ranks && r->ranks->rank > 0) be_quiet(r);
    return true;
}

bool lh_train_is_root(const lh_train_ranks *r) {
    return !r->ranks || r->ranks->rank == 0;
}

/* The first line in which two texts differ: in b, and where it begins in a. */
static const char *first_other(const char *a, const char **b) {
    while (*a) {
        const size_t n = strcspn(a, "\n"), m = strcspn(*b, "\n");
        if (n != m || memcmp(a, *b, n) != 0) return a;
        a += n + (a[n] == '\n');
        *b += m + ((*b)[m] == '\n');
    }
    return **b ? a : NULL;
}

static bool is_same(lh_train_ranks *r, const char *mine, const char *theirs) {
    const char *other = first_other(mine, &theirs);
    if (!other) return true;
    lh_cli_fail(r->cli, "this process has \"%.*s\", and rank 0 has \"%.*s\"",
                (int)strcspn(other, "\n"), other, (int)strcspn(theirs, "\n"), theirs);
    fprintf(stderr, "all processes need the same version, the same program and the same options\n");
    return false;
}

bool lh_train_ranks_agree(lh_train_ranks *r, bool is_good, const char *who) {
    int good, root = is_good;
    if (!r->ranks) return is_good;
    const bool all = lh_ranks_all(r->ranks, is_good, &good);
    lh_ranks_tell(r->ranks, &root, sizeof root);
    r->is_joined = false; /* where one is not good, all come to an end together */
    if (!all && root && !is_good) say_all(r);
    if (!all) return false;
    const char *theirs = lh_ranks_tell_text(r->ranks, r->cli->ctx, r->cli->arena, who);
    if (!theirs) {
        lh_cli_report(r->cli); /* rank 0 says it for all */
        return false;
    }
    const bool same = is_same(r, who, theirs);
    if (!same) say_all(r);
    r->is_joined = lh_ranks_all(r->ranks, same, NULL);
    return r->is_joined;
}

void lh_train_ranks_part(lh_train_ranks *r) {
    r->is_joined = false;
}

void lh_train_ranks_end(lh_train_ranks *r, int status) {
    if (!r->ranks) return;
    if (r->is_joined && status == LH_EXIT_FAILED && !*r->ranks->is_parted) {
        say_all(r);
        fflush(stdout);
        r->ranks->abort(status); /* others wait for this one */
    }
    lh_ranks_close(r->ranks);
    if (r->said) fclose(r->said);
    if (r->errors >= 0) close(r->errors);
}

/* Where the launcher bound each process to processors of its own, these; otherwise a machine's are shared by those on it. */
int lh_train_ranks_threads(const lh_train_ranks *r, int asked, int processors) {
    const int here = number_of("OMPI_COMM_WORLD_LOCAL_SIZE"),
              local = here ? here : number_of("SLURM_NTASKS_PER_NODE");
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked || !r->ranks || local < 2 || processors < online) return asked;
    return processors > local ? processors / local : 1;
}

int lh_train_ranks_pieces(const lh_train_ranks *r, int asked, const lh_folder *resumed, int batch,
                          bool any_order) {
    enum { PIECES = 8 };
    int n = asked ? asked : resumed ? (int)resumed->pieces : 0;
    if (!n && r->is_asked) n = any_order && !r->ranks ? 0 : PIECES;
    if (any_order && r->ranks && r->ranks->n > n && !asked) n = r->ranks->n;
    if (n > batch) n = batch;
    if (!r->ranks || r->ranks->n <= n) return n;
    lh_cli_fail(r->cli, "there are %d processes, and a batch of %d in %d pieces has work for %d",
                r->ranks->n, batch, n, n);
    fprintf(stderr, "--pieces %d%s gives each one; or start fewer processes\n", r->ranks->n,
            batch < r->ranks->n ? ", and a batch of as many," : "");
    return -1;
}

bool lh_train_ranks_sums(lh_cli *cli, bool any_order, const char *wire, lh_shared_sums_how *to) {
    to->any_order = any_order;
    to->wire = wire && strcmp(wire, "bf16") == 0 ? LH_WIRE_BF16 : LH_WIRE_FLOAT;
    if (!wire || to->wire == LH_WIRE_BF16 || strcmp(wire, "float") == 0) return true;
    lh_cli_fail(cli, "--wire is float or bf16, not \"%s\"", wire);
    return false;
}

void lh_train_ranks_say_apart(const lh_train_ranks *r, const lh_shared_sums_how *how,
                              double apart) {
    if (r->ranks && (how->any_order || how->wire == LH_WIRE_BF16)) {
        if (isnan(apart))
            printf("there is no memory to compare its gradients with those in the fixed order\n");
        else
            printf("gradients of the first batch, largest difference from float in the fixed "
                   "order: %.2g of the largest in their matrix\n",
                   apart);
    }
    putchar('\n');
}
