/* terminal -- a whole screen and its keys, without a library: what a pager needs.
 *
 *     lh_terminal *t = lh_terminal_open();            NULL: there is no terminal to read keys from
 *     lh_terminal_size(t, &rows, &columns);
 *     lh_terminal_put(t, text); lh_terminal_show(t);
 *     switch (lh_terminal_key(t)) ...                  a character, or one of LH_KEY_*
 *     lh_terminal_close(t);
 *
 * The screen is another one than the shell's, which comes back untouched at the end. Keys come one by one and are not
 * echoed. Ctrl-Z gives the screen back, stops, and takes it again afterwards (LH_KEY_AGAIN: draw anew); a new size is
 * LH_KEY_AGAIN too. Ctrl-C and the end of input are LH_KEY_END. A signal that ends the program puts the terminal in order
 * first. There is one terminal: open it once at a time.
 */
#ifndef LH_CLI_TERMINAL_H
#define LH_CLI_TERMINAL_H

typedef struct lh_terminal lh_terminal;

enum {
    LH_KEY_AGAIN = 0x110000, /* draw anew: the size may be another one */
    LH_KEY_END,
    LH_KEY_UP,
    LH_KEY_DOWN,
    LH_KEY_LEFT,
    LH_KEY_RIGHT,
    LH_KEY_PAGE_UP,
    LH_KEY_PAGE_DOWN,
    LH_KEY_HOME,
    LH_KEY_LAST,
    LH_KEY_ESCAPE,
    LH_KEY_OTHER
};

lh_terminal *lh_terminal_open(void);
void lh_terminal_close(lh_terminal *t); /* NULL is allowed */
void lh_terminal_size(const lh_terminal *t, int *rows, int *columns);
void lh_terminal_put(lh_terminal *t, const char *text); /* kept until lh_terminal_show */
void lh_terminal_show(lh_terminal *t);
int lh_terminal_key(lh_terminal *t); /* waits; a character of several bytes comes as one */

#endif
