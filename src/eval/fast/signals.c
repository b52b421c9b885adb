#include "eval/fast/signals.h"

#include <signal.h>
#include <stddef.h>

static _Thread_local int holds;
static _Thread_local sigset_t before;

void lh_signals_hold(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    if (holds++) return;
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&held, faults[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
}

void lh_signals_let(void) {
    if (--holds == 0) pthread_sigmask(SIG_SETMASK, &before, NULL);
}
