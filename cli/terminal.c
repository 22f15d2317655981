/* Control sequences of ECMA-48, which every terminal of today understands. */
#include "cli/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"
#include "base/utf8.h"

bool wadi_cli_terminal_is(void) {
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int stop_fd(void) {
    int fd = -1;
    return wadi_stop_fd(wadi_process_stop(), &fd, NULL) == WADI_OK ? fd : -1;
}

/* All of it, unless the terminal is gone or the process is to end. A terminal that was stopped (Ctrl-S) takes nothing until it is let go on: whoever
 * just writes cannot be ended meanwhile. */
static void put(const char *s, size_t n) {
    struct pollfd ready[] = {{.fd = STDOUT_FILENO, .events = POLLOUT},
                             {.fd = stop_fd(), .events = POLLIN}};
    while (n > 0) {
        const bool ends = wadi_process_signal() != 0;
        if (poll(ready, 2, ends ? 0 : -1) < 0 && errno != EINTR) return;
        if (ready[0].revents == 0) {
            if (ends) return;
            continue;
        }
        const ssize_t put = write(STDOUT_FILENO, s, n < 256 ? n : 256);
        if (put < 0 && errno != EINTR && errno != EAGAIN) return;
        s += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
}

bool wadi_cli_terminal_begin(wadi_cli_terminal *t) {
    static const char other[] = "\033[?1049h\033[?25l"; /* another screen, without a cursor */
    if (tcgetattr(STDIN_FILENO, &t->before) != 0) return false;
    struct termios keys = t->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    keys.c_cc[VSUSP] = _POSIX_VDISABLE; /* the shell would get this screen */
    (void)setlocale(LC_CTYPE, "");
    t->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) != 0) return false;
    put(other, sizeof other - 1);
    return true;
}

void wadi_cli_terminal_end(const wadi_cli_terminal *t) {
    static const char before[] = "\033[?25h\033[?1049l";
    put(before, sizeof before - 1);
    (void)tcsetattr(STDIN_FILENO, TCSANOW,
                    &t->before); /* without waiting for what it may not take */
}

void wadi_cli_terminal_size(int *out_width, int *out_height) {
    struct winsize size;
    const bool known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *out_width = known ? size.ws_col : 80;
    *out_height = known ? size.ws_row : 24;
}

/* How many bytes of the line so many columns have room for. */
static size_t cut(const char *line, size_t n, int width) {
    size_t at = 0;
    for (int i = 0; i < width && at < n; i++) {
        const size_t length = wadi_utf8_length(line + at, n - at);
        at += length > 0 ? length : 1;
    }
    return at;
}

/* Each line is cleared before it is written: behind its last column a terminal would clear that as well. */
void wadi_cli_terminal_show(wadi_cli_terminal *t, const char *lines) {
    int row = 0;
    wadi_text shown = {0}, all = {0};
    wadi_text_add_shown(&shown, lines, strlen(lines));
    wadi_cli_terminal_size(&t->width, &t->height);
    wadi_text_add(&all, "\033[H");
    for (const char *at = wadi_text_str(&shown); *at != '\0' && row < t->height; row++) {
        const size_t n = strcspn(at, "\n");
        wadi_text_add(&all, row > 0 ? "\r\n\033[K" : "\033[K");
        wadi_text_add_n(&all, at, cut(at, n, t->width));
        at += n + (at[n] == '\n');
    }
    if (row < t->height) wadi_text_add(&all, row > 0 ? "\r\n\033[J" : "\033[J");
    put(wadi_text_str(&all), all.n);
    wadi_text_fini(&shown);
    wadi_text_fini(&all);
}

/* The next character that is there within so many ms; -1: none is. */
static int next_character(int patience_ms) {
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char key = 0;
    if (poll(&in, 1, patience_ms) <= 0) return -1;
    return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}

/* What comes at once with an escape belongs to that key: Alt and a letter, an arrow, F1. */
static void skip_sequence(void) {
    enum { TOGETHER_MS = 50 };
    int c = next_character(TOGETHER_MS);
    if (c == 'O') c = next_character(TOGETHER_MS);
    if (c != '[') return;
    do {
        c = next_character(TOGETHER_MS);
    } while (c >= ' ' && (c < '@' || c == '['));
}

static bool has_other_size(const wadi_cli_terminal *t) {
    int width = 0, height = 0;
    wadi_cli_terminal_size(&width, &height);
    return width != t->width || height != t->height;
}

int wadi_cli_terminal_key(const wadi_cli_terminal *t, int patience_ms) {
    enum { LOOK_MS = 100 }; /* how often its size is looked at */
    const int64_t until_ns = wadi_clock_ns() + (int64_t)patience_ms * 1000000;
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = stop_fd(), .events = POLLIN}};
    for (;;) {
        const int64_t left_ms = (until_ns - wadi_clock_ns()) / 1000000;
        const int n = poll(ready, 2, left_ms < 0 ? 0 : left_ms < LOOK_MS ? (int)left_ms : LOOK_MS);
        if (wadi_process_signal() != 0 || (n < 0 && errno != EINTR)) return -1;
        if (n > 0) break;
        if (left_ms <= 0 || has_other_size(t)) return 0;
    }
    const int key = next_character(0);
    if (key == 27) skip_sequence();
    return key == 27 ? 0 : key;
}
