/* The terminal as a screen that is drawn again and again. */
#ifndef WADI_CLI_TERMINAL_H
#define WADI_CLI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

typedef struct wadi_cli_terminal {
    struct termios before;
    bool utf8;
    int width, height; /* that it was shown with */
} wadi_cli_terminal;

/* Whether standard input and output are one. */
bool wadi_cli_terminal_is(void);
/* Keys come one by one and are not shown; what was on the screen is put aside. False: it is no terminal. */
bool wadi_cli_terminal_begin(wadi_cli_terminal *t);
void wadi_cli_terminal_end(const wadi_cli_terminal *t);
/* 80 and 24 if nobody knows. */
void wadi_cli_terminal_size(int *out_width, int *out_height);
/* Shows lines, of which each replaces what was there; what is too long or too much is cut. Returns before that if the process is to end. */
void wadi_cli_terminal_show(wadi_cli_terminal *t, const char *lines);
/* The next key, within so many ms: a character; 0: none came, it was one that sends several characters, or the terminal has another size; -1: the
 * terminal is gone, or the process is to end. */
int wadi_cli_terminal_key(const wadi_cli_terminal *t, int patience_ms);

#endif
