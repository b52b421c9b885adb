/* signals -- wait while numbers lie where a handler would write.
 *
 *     lh_signals_hold();
 *     ... products ...
 *     lh_signals_let();         those that came meanwhile come now
 *
 * oneDNN keeps numbers below the stack pointer, where the system puts the frame of a signal's handler (its issue 4845): a handler
 * that runs meanwhile spoils them, and the heap. Each product holds signals; whoever makes many small ones does so once for all
 * of them. Pairs may be nested. It is a matter of the calling thread alone. Faults of the program itself are not held.
 */
#ifndef LH_EVAL_FAST_SIGNALS_H
#define LH_EVAL_FAST_SIGNALS_H

void lh_signals_hold(void);
void lh_signals_let(void);

#endif
