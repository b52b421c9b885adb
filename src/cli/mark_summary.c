/* mark_summary -- a class on one screen: the mean, how the marks lie, the hardest steps, the commonest mistakes, who needs help. */
#include <math.h>
#include <string.h>

#include "cli/mark_command.h"

enum { SHOWN = 5, BAR = 10 };

/* ---- words that fit ---- */

/* At most so many columns; what is cut off shows as "...". Returns the columns used. */
static int put_cut(const char *s, int width) {
    int used = 0, whole = lh_columns(s);
    if (whole <= width) {
        fputs(s, stdout);
        return whole;
    }
    while (*s) {
        int bytes, n = lh_columns_next(s, &bytes);
        if (used + n > width - 3) break;
        fwrite(s, 1, (size_t)bytes, stdout);
        used += n;
        s += bytes;
    }
    fputs("...", stdout);
    return used + 3;
}

int lh_mark_name_width(const lh_cli *cli, const lh_class *c) {
    int names = 7, most = cli->width / 3;
    for (int r = 0; r < c->n_rows; r++)
        if (lh_columns(c->row[r].learner) > names) names = lh_columns(c->row[r].learner);
    return names < most ? names : most;
}

void lh_mark_name(const char *name, int width) {
    printf("%*s", width - put_cut(name, width), "");
}

/* ██████▌ */
static void put_bar(double share) {
    static const char *const part[] = {"",
                                       "\342\226\217",
                                       "\342\226\216",
                                       "\342\226\215",
                                       "\342\226\214",
                                       "\342\226\213",
                                       "\342\226\212",
                                       "\342\226\211"};
    int eighths = (int)(share * BAR * 8 + 0.5), n = eighths / 8, rest = eighths % 8;
    for (int i = 0; i < n; i++) fputs("\342\226\210", stdout);
    fputs(part[rest], stdout);
    printf("%*s", BAR - n - (rest > 0), "");
}

/* Never 100 % for what is not all of it, nor 0 % for something. */
static int percent(double share) {
    int n = (int)(share * 100 + 0.5);
    if (n == 100 && share < 1) return 99;
    return n == 0 && share > 0 ? 1 : n;
}

/* ---- a line each ---- */

/* The first step in which credit was lost: what follows from it has credit, so this is where help begins. */
static const char *first_loss(const lh_class *c, const lh_class_row *row) {
    for (int i = 0; i < row->n_cells; i++) {
        const lh_class_cell *x = &row->cell[i];
        if (x->credit == x->total) continue;
        const char *why = x->mistake                                   ? x->mistake->name
                          : x->blank == x->total && !x->is_other_shape ? "blank"
                          : x->is_other_shape                          ? "another shape"
                                                                       : "";
        return lh_printf(c->arena, "first %s%s%s", c->step[i], *why ? ": " : "", why);
    }
    return "";
}

void lh_mark_list(const lh_cli *cli, const lh_class *c) {
    int names = lh_mark_name_width(cli, c), room = cli->width - names - 31;
    printf("\n%-*s  %9s\n", names, "", "total");
    for (int r = 0; r < c->n_rows; r++) {
        const lh_class_row *row = &c->row[r];
        double share = row->total ? (double)row->credit / row->total : 0;
        lh_mark_name(row->learner, names);
        if (row->is_absent) {
            puts("  absent: nothing is written");
            continue;
        }
        printf("  %4d/%-4d %3d %%  ", row->credit, row->total, percent(share));
        put_bar(share);
        const char *loss = first_loss(c, row);
        if (*loss && room > 8) fputs("  ", stdout), put_cut(loss, room);
        putchar('\n');
    }
}

/* ---- the summary ---- */

static void put_mean(const lh_cli *cli, const lh_class *c, const lh_class_sum *s) {
    const char *points = s->total ? lh_printf(c->arena, "%.1f of %d, ", s->points, s->total) : "";
    lh_wrap(stdout, cli->width, 0,
            lh_printf(c->arena, "mean %s%d %%;  median %d %%;  from %d to %d %%;  all right: %d",
                      points, percent(s->mean), percent(s->median), percent(s->lowest),
                      percent(s->highest), s->all_right));
}

/* One column for each tenth, as high as it has sheets. */
static void put_spread(const lh_class_sum *s) {
    int most = 1;
    for (int i = 0; i < 10; i++)
        if (s->tenth[i] > most) most = s->tenth[i];
    fputs("sheets   ", stdout);
    for (int i = 0; i < 10; i++) printf("%5d", s->tenth[i]);
    fputs("\n         ", stdout);
    for (int i = 0; i < 10; i++) {
        int height = s->tenth[i] ? (s->tenth[i] * 7 + most - 1) / most : -1;
        if (height < 0)
            fputs("     ", stdout);
        else
            printf("   \342\226%c\342\226%c", 0x81 + height, 0x81 + height);
    }
    fputs("\ncredit   ", stdout);
    for (int i = 0; i < 10; i++) printf("%3d %%", i * 10);
    putchar('\n');
}

static void put_hardest(const lh_cli *cli, const lh_class *c) {
    int n, width = 4;
    lh_class_step *s = lh_class_hardest(c, &n);
    if (n == 0) return;
    printf("\nHardest steps%s\n", n > SHOWN ? lh_printf(c->arena, "   %d of %d", SHOWN, n) : "");
    for (int i = 0; i < n && i < SHOWN; i++)
        if (lh_columns(c->step[s[i].step]) > width) width = lh_columns(c->step[s[i].step]);
    if (width > cli->width / 3) width = cli->width / 3;
    for (int i = 0; i < n && i < SHOWN; i++) {
        fputs("  ", stdout);
        lh_mark_name(c->step[s[i].step], width);
        printf("  %3d %%  ", percent(s[i].share));
        put_bar(s[i].share);
        printf("  %d of %d lost credit", s[i].lost, s[i].sheets);
        if (s[i].blank) printf(", %d blank", s[i].blank);
        putchar('\n');
    }
}

static void put_mistakes(const lh_cli *cli, const lh_class *c) {
    int n;
    lh_class_tally *t = lh_class_mistakes(c, &n);
    if (n == 0) return;
    printf("\nCommonest mistakes%s\n",
           n > SHOWN ? lh_printf(c->arena, "   %d of %d", SHOWN, n) : "");
    for (int i = 0; i < n && i < SHOWN; i++) {
        printf("  %4d  ", t[i].sheets);
        put_cut(
            lh_printf(c->arena, "%s, %s: %s", t[i].mistake->name, t[i].where, t[i].mistake->says),
            cli->width - 8);
        putchar('\n');
    }
}

/* Names on one line, as many as it has room for. */
static void put_names(const lh_cli *cli, const char *lead, const char *const *name, int n) {
    int used = lh_columns(lead), k = 0;
    if (n == 0) return;
    fputs(lead, stdout);
    for (; k < n; k++) {
        int more = lh_columns(name[k]) + (k ? 2 : 0), last = k + 1 < n ? 14 : 0;
        if (used + more + last > cli->width && k) break;
        printf("%s%s", k ? ", " : "", name[k]);
        used += more;
    }
    if (k < n) printf(" and %d more", n - k);
    putchar('\n');
}

/* True: there was somebody. */
static bool put_below(const lh_cli *cli, const lh_class *c) {
    const char **name = lh_alloc_array(c->arena, (size_t)c->n_rows + 1, sizeof *name);
    int n = 0;
    for (int r = 0; name && r < c->n_rows; r++)
        if (!c->row[r].is_absent && c->row[r].credit * 2 < c->row[r].total)
            name[n++] = c->row[r].learner;
    if (n) putchar('\n');
    put_names(cli, lh_printf(c->arena, "%d below half: ", n), name, n);
    return n > 0;
}

/* Whose sheet is not there, or empty. */
static void put_missing(const lh_hall *h, const lh_class *c, bool has_gap) {
    const lh_student **s;
    int missing = lh_hall_missing(h, &s), n = 0;
    const char **name =
        lh_alloc_array(h->arena, (size_t)missing + (size_t)c->n_rows + 1, sizeof *name);
    for (int i = 0; name && i < missing; i++) {
        int same = 0;
        lh_roster_find(h->roster, h->arena, s[i]->name, "", &same);
        name[n++] = same > 1 ? lh_printf(h->arena, "%s (%s)", s[i]->name, s[i]->id) : s[i]->name;
    }
    for (int r = 0; name && r < c->n_rows; r++)
        if (c->row[r].is_absent) name[n++] = c->row[r].learner;
    if (n && !has_gap) putchar('\n');
    if (name) put_names(h->from->cli, lh_printf(h->arena, "%d handed in nothing: ", n), name, n);
}

void lh_mark_summary(const lh_hall *h, const lh_class *c, int refused) {
    const lh_cli *cli = h->from->cli;
    lh_class_sum s = lh_class_summary(c);
    lh_ink_print(cli, stdout, LH_INK_BOLD, "%s", h->from->name);
    printf("   %d sheet%s", s.sheets, s.sheets == 1 ? "" : "s");
    if (h->roster) printf(" of a class of %d", h->roster->n);
    if (refused) printf("; %d could not be marked", refused);
    putchar('\n');
    if (s.sheets) put_mean(cli, c, &s);
    if (s.sheets > 4) put_spread(&s);
    put_hardest(cli, c);
    put_mistakes(cli, c);
    put_missing(h, c, s.sheets > 4 && put_below(cli, c));
}
