/* train_steps -- longhand train: step after step, a look and a save now and then, until it is over or told to stop. */
#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "cli/train_job.h"

enum {
    LOOK_SHARE = 10, /* looks take a tenth of the time at most, */
    SAVE_SHARE = 20, /* and saves a twentieth, unless --every says how often */
    HELD_OUT = 20,
    SMOOTH = 20
};

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t is_stopped;

/* The step is finished and saved; who cannot wait asks a second time. */
static void stop(int signal_number) {
    (void)signal_number;
    is_stopped = 1;
}

/* What the shell had us ignore (nohup, a job in the background) stays so. */
static void listen_to_signals(void) {
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction was, a = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&a.sa_mask);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (sigaction(wanted[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(wanted[i], &a, NULL);
}

/* ---- training ---- */

/* A time that is given is the time for all: what is left over is enough for a save. */
static bool is_at_end(const lh_train_job *j) {
    if (is_stopped || j->t->step >= j->steps) return true;
    if (j->seconds > 0 && lh_seconds() - j->show.start + j->save_time >= j->seconds) return true;
    return j->until > 0 && j->show.n >= SMOOTH && lh_show_mean(&j->show, SMOOTH) <= j->until;
}

/* Without --every, looks take a tenth of the time at most; the first half second of them is free, so that a run of a moment
 * has something to show. */
static bool is_time_to_look(const lh_train_job *j) {
    if (j->t->step % j->every != 0) return false;
    const double now = lh_seconds();
    return j->options->every ||
           LOOK_SHARE * (j->looked + j->look_time - 0.5) <= now - j->show.start + j->look_time;
}

static bool is_time_to_save(const lh_train_job *j) {
    return j->options->every || j->is_over ||
           lh_seconds() - j->saved_at >= SAVE_SHARE * j->save_time;
}

/* Clocks and signals are rank 0's: all do what it decided. */
static void decide(lh_train_job *j) {
    j->is_over = is_at_end(j);
    j->looks = j->show.n && (j->is_over || is_time_to_look(j));
    j->saves = is_time_to_save(j);
    int32_t all = j->is_over | j->looks << 1 | j->saves << 2;
    lh_ranks_tell(j->ranks.ranks, &all, sizeof all);
    j->is_over = all & 1, j->looks = all >> 1 & 1, j->saves = all >> 2 & 1;
}

/* More batches where there is time for them: their mean is steadier. */
static double hold_out(lh_train_job *j) {
    int n = j->every / 10;
    if (n < LH_TRAIN_LEAST_HELD_OUT) n = LH_TRAIN_LEAST_HELD_OUT;
    if (n > HELD_OUT) n = HELD_OUT;
    lh_held_out h = lh_trainer_held_out(j->t, n);
    while (lh_trainer_hold_out(j->t, &h)) lh_show_held_out(&j->show, h.i, h.of);
    return h.n > 0 ? h.sum / h.n : NAN;
}

/* What rank 0 alone does after a look: it says and notes what was seen. */
static void say_look(lh_train_job *j) {
    lh_train_show *s = &j->show;
    lh_show_line(s, j->t->step);
    lh_show_keep(s);
    if (j->material->is_pairs)
        lh_train_pairs_look(&j->pairs, j->t, j->is_over);
    else
        lh_train_say_sample(j);
    const double exact = lh_matched_share(&j->pairs.matched);
    const lh_log_value v[] = {{"loss", j->t->loss}, {"val", s->val}, {"exact", exact}};
    lh_log_add(j->log, j->t->step, v, isnan(s->val) ? 1 : isnan(exact) ? 2 : 3);
}

/* Held-out loss, a sample, a save: now and then, and at the end. */
static bool look_up(lh_train_job *j) {
    lh_train_show *s = &j->show;
    const double start = lh_seconds();
    if (!lh_trainer_is_sound(j->t)) return false; /* what is saved can be gone on with */
    lh_trainer_rest(j->t);
    s->val = hold_out(j);
    if (!isnan(s->val) && !(s->val >= s->best_val)) s->best_val = s->val;
    if (lh_train_is_root(&j->ranks)) say_look(j);
    j->sampled = j->t->step;
    bool is_saved = !j->saves || lh_train_save(j);
    j->look_time = lh_seconds() - start;
    j->looked += j->look_time;
    return is_saved;
}

static bool train(lh_train_job *j) {
    for (decide(j); !j->is_over;) {
        if (!lh_trainer_step(j->t)) return false;
        if (!lh_show_add(&j->show, j->t)) {
            lh_fail(j->cli->ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory");
            return false;
        }
        decide(j);
        if (!j->looks && lh_train_is_root(&j->ranks)) {
            lh_show_step(&j->show, j->t);
            lh_log_add(j->log, j->t->step, &(lh_log_value){"loss", j->t->loss}, 1);
        }
        if (j->looks && !look_up(j)) return false;
    }
    return j->sampled == j->t->step || look_up(j);
}

int lh_train_steps(lh_train_job *j) {
    const int left = j->steps - j->t->step;
    j->sampled = j->t->step;
    listen_to_signals();
    lh_show_begin(&j->show, j->cli, j->t->step, j->steps, left > 20 ? left / 20 : 1);
    if (!train(j)) {
        if (j->t->is_lost) lh_train_ranks_part(&j->ranks);
        if (j->t->is_lost) return lh_train_say_lost(j);
        lh_show_clear(&j->show);
        lh_cli_report(j->cli);
        fprintf(stderr, "%s has the model as it was last saved\n", j->out);
        return LH_EXIT_FAILED;
    }
    lh_show_end(&j->show, j->out,
                lh_printf(j->cli->arena, "longhand %s %s%s",
                          j->material->is_pairs ? "translate" : "sample", j->out,
                          j->material->is_pairs ? " TEXT" : ""));
    if (is_stopped || j->t->step < j->steps) lh_train_say_rest(j);
    return LH_EXIT_YES;
}
