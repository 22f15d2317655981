/* Control sequences of ECMA-48, which every terminal of today understands. */
#include "cli/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

bool wadi_cli_terminal_is(void) {
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool wadi_cli_terminal_begin(wadi_cli_terminal *t) {
    if (tcgetattr(STDIN_FILENO, &t->before) != 0) return false;
    struct termios keys = t->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] = _POSIX_VDISABLE; /* the shell would get this screen */
    (void)setlocale(LC_CTYPE, "");
    t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) != 0) return false;
    fputs("\033[?1049h\033[?25l", stdout); /* another screen, without a cursor */
    return fflush(stdout) == 0;
}

void wadi_cli_terminal_end(const wadi_cli_terminal *t) {
    fputs("\033[?25h\033[?1049l", stdout);
    (void)fflush(stdout);
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &t->before);
}

void wadi_cli_terminal_size(int *out_width, int *out_height) {
    struct winsize size;
    const bool known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *out_width = known ? size.ws_col : 80;
    *out_height = known ? size.ws_row : 24;
}

void wadi_cli_terminal_show(const char *lines) {
    int width = 0, height = 0, row = 0;
    wadi_text shown = {0};
    wadi_text_add_shown(&shown, lines, strlen(lines));
    wadi_cli_terminal_size(&width, &height);
    fputs("\033[H", stdout);
    for (const char *at = wadi_text_str(&shown); *at != '\0' && row < height; row++) {
        const size_t n = strcspn(at, "\n");
        printf("%s%.*s\033[K", row > 0 ? "\r\n" : "", (int)n, at); /* and clears the rest */
        at += n + (at[n] == '\n');
    }
    fputs("\033[J", stdout);
    (void)fflush(stdout);
    wadi_text_fini(&shown);
}

int wadi_cli_terminal_key(int patience_ms) {
    int stop = -1;
    if (wadi_stop_fd(wadi_process_stop(), &stop, NULL) != WADI_OK) stop = -1;
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = stop, .events = POLLIN}};
    const int n = poll(ready, 2, patience_ms);
    if (wadi_process_signal() != 0) return -1;
    if (n < 0) return errno == EINTR ? 0 : -1; /* its size has changed */
    if (n == 0) return 0;
    char key = 0;
    return read(STDIN_FILENO, &key, 1) == 1 ? (unsigned char)key : -1;
}
