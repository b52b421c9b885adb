/* cost_cores -- how a step is cut into pieces, and how much faster more cores could make it: by counts, so that a machine with two
 * cores can say it of sixty-four. */
#include <string.h>

#include "cli/cost_command.h"

void lh_cores_add(lh_measured_cores *to, const lh_pool_counts *counts, double seconds) {
    const double serial = seconds > counts->seconds ? seconds - counts->seconds : 0;
    to->pieces += counts->pieces;
    to->runs += counts->runs;
    to->serial += serial;
    if (serial > to->longest) to->longest = serial;
    if (counts->longest > to->longest) to->longest = counts->longest;
    for (int k = 0; k < LH_POOL_CORES; k++) to->with[k] += serial + counts->with[k];
}

static double speed_up(const lh_measured_cores *c, int k) {
    return c->with[k] > 0 ? c->with[0] / c->with[k] : 1;
}

/* ---- on the screen ---- */

static void print_line(const lh_cli *cli, const char *name, int width, const lh_measured_cores *c) {
    const int pad = width - lh_columns(name);
    fprintf(cli->out, "  ");
    lh_ink_print(cli, cli->out, LH_INK_NAME, "%s", name);
    fprintf(cli->out, "%*s%9ld%10.3f ", pad > 0 ? pad : 0, "", c->pieces, 1e3 * c->longest);
    for (int k = 1; k < LH_POOL_CORES; k++) fprintf(cli->out, "%6.1f", speed_up(c, k));
    fputc('\n', cli->out);
}

static int width_of(const lh_measured *m) {
    enum { LEAST = 10, MOST = 20 };
    int width = LEAST;
    for (int i = 0; i < m->n; i++) {
        const int n = lh_columns(m->row[i].name) + 2;
        if (n > width && n <= MOST) width = n;
    }
    return width;
}

void lh_print_cores(const lh_cli *cli, const lh_measured *m) {
    const int width = width_of(m);
    fputc('\n', cli->out);
    lh_ink_print(cli, cli->out, LH_INK_BOLD, "%-*s", width + 2, "Cores");
    fprintf(cli->out, "%9s%10s ", "pieces", "alone ms");
    for (int k = 1; k < LH_POOL_CORES; k++) fprintf(cli->out, "%6d", 1 << k);
    fputc('\n', cli->out);
    for (int i = 0; i < m->n; i++) {
        const lh_measured_row *r = &m->row[i];
        print_line(cli, r->repeat >= 0 ? lh_printf(cli->arena, "  %s", r->name) : r->name, width,
                   &r->cores);
    }
    print_line(cli, "whole step", width, &m->cores);
    lh_ink_on(cli, cli->out, LH_INK_QUIET);
    lh_wrap(cli->out, cli->width, 0,
            "Pieces that threads can share, the longest part that one thread runs alone, and the "
            "speed-up on this many cores: n equal pieces on c cores take as long as n / c of them, "
            "rounded up, and what is in no piece as long as on one. Memory that cores share, and "
            "calling threads, are not counted.");
    lh_ink_off(cli, cli->out);
}

/* ---- for programs ---- */

void lh_cores_json(lh_json *j, const lh_measured_cores *c) {
    lh_json_begin(j, "cores", '{');
    lh_json_int(j, "pieces", c->pieces);
    lh_json_int(j, "runs", c->runs);
    lh_json_number(j, "serial", c->serial);
    lh_json_number(j, "longest", c->longest);
    lh_json_begin(j, "speedup", '[');
    for (int k = 0; k < LH_POOL_CORES; k++) {
        lh_json_begin(j, NULL, '{');
        lh_json_int(j, "cores", 1 << k);
        lh_json_number(j, "times", speed_up(c, k));
        lh_json_end(j, '}');
    }
    lh_json_end(j, ']');
    lh_json_end(j, '}');
}
