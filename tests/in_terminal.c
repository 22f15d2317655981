/* in_terminal COMMAND ARGUMENTS...: runs it in a terminal of its own, 24 rows of 80 columns, and does what standard input says, a line each:
 *
 *     press KEYS          \e is escape
 *     see TEXT            waits until the screen has it; TEXT may end with a space
 *     unseen TEXT         waits until it has not
 *     size ROWS COLUMNS   another size, of which the program hears by SIGWINCH
 *     settles             waits until the screen is drawn for that size: from then on, what does not fit is wrong
 *     fills               waits until some row of the screen is full, to its last column
 *     until COMMAND       waits until the shell says that it succeeds
 *     stop, go            the terminal takes nothing more (as with Ctrl-S); takes it again
 *     signal NUMBER       to the program
 *     hang                the terminal goes away
 *     restored            waits until the screen from before is there, with its cursor, and keys are as before
 *     ends STATUS...      waits for its end, with one of these: an exit status, or 128 and the signal
 *
 * The screen is that of a strict terminal: it knows the control sequences that wadi uses, no others, and clearing to the end of a line takes away the last
 * column if that was written last, as xterm does. A line that is too long for its row, or a screen that scrolls, is wrong. The status is 1, and what is on the
 * screen is shown, if something is wrong or not so after two minutes. */
#define _GNU_SOURCE /* posix_openpt, ptsname_r */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 100, COLUMNS = 400, PATIENCE_S = 120 };

static struct {
    uint32_t cell[ROWS][COLUMNS]; /* characters; 0: nothing was written there */
    int rows, columns, row, column;
    bool full;          /* the last column was just written */
    bool other, hidden; /* the other screen, without a cursor */
    int late;           /* screens that may still be drawn for the size before */
    char sequence[32];  /* a control sequence that has begun */
    int nsequence;
    uint32_t letter; /* a character that has begun */
    int more;        /* its bytes that are still to come */
} screen;

static int master = -1;
static pid_t program;
static struct termios before;
static bool stopped;
static char step[1024];

static void show_screen(void) {
    for (int i = 0; i < screen.rows; i++) {
        (void)fprintf(stderr, "%3d |", i + 1);
        for (int j = 0; j < screen.columns; j++) {
            const uint32_t c = screen.cell[i][j];
            (void)fputc(c == 0 ? ' ' : c < 128 ? (int)c : '~', stderr);
        }
        (void)fprintf(stderr, "|\n");
    }
}

static _Noreturn void wrong(const char *format, ...) {
    va_list of;
    va_start(of, format);
    (void)fprintf(stderr, "in_terminal: \"%s\": ", step);
    (void)vfprintf(stderr, format, of);
    (void)fputc('\n', stderr);
    va_end(of);
    show_screen();
    if (program > 0) (void)kill(program, SIGKILL);
    exit(1);
}

/* ---- the screen ---- */

static void clear_from(int row, int column) {
    for (int j = column; j < COLUMNS; j++) screen.cell[row][j] = 0;
}

static void put(uint32_t letter) {
    if (screen.full && screen.other && screen.late == 0)
        wrong("a line goes beyond column %d", screen.columns);
    if (screen.full && !screen.other) {
        screen.row += screen.row < screen.rows - 1;
        screen.column = 0;
    }
    screen.cell[screen.row][screen.column] = letter;
    screen.full = screen.column == screen.columns - 1;
    screen.column += !screen.full;
}

static void control(const char *s) {
    const bool known = strcmp(s, "[H") == 0 || strcmp(s, "[K") == 0 || strcmp(s, "[J") == 0 ||
                       strcmp(s, "[?1049h") == 0 || strcmp(s, "[?1049l") == 0 ||
                       strcmp(s, "[?25h") == 0 || strcmp(s, "[?25l") == 0;
    const size_t n = strlen(s);
    if (!known) wrong("a control sequence that not all terminals know: ESC %s", s);
    if (strcmp(s, "[K") == 0) clear_from(screen.row, screen.column);
    if (strcmp(s, "[J") == 0) clear_from(screen.row, screen.column);
    for (int i = screen.row + 1; strcmp(s, "[J") == 0 && i < ROWS; i++) clear_from(i, 0);
    if (strcmp(s, "[H") == 0) {
        screen.row = screen.column = 0;
        screen.late -= screen.late > 0;
    }
    if (strncmp(s, "[?1049", 6) == 0) screen.other = s[n - 1] == 'h';
    if (strncmp(s, "[?25", 4) == 0) screen.hidden = s[n - 1] == 'l';
    screen.full = false;
}

static void take_sequence(unsigned char c) {
    if (screen.nsequence + 2 >= (int)sizeof screen.sequence)
        wrong("a control sequence without an end");
    screen.sequence[screen.nsequence++ - 1] = (char)c;
    screen.sequence[screen.nsequence - 1] = '\0';
    if (c < '@' || (c == '[' && screen.nsequence == 2)) return;
    screen.nsequence = 0;
    control(screen.sequence);
}

static void take_byte(unsigned char c) {
    if (screen.nsequence > 0) {
        take_sequence(c);
    } else if (screen.more > 0) {
        if ((c & 0xc0) != 0x80) wrong("a character that does not end");
        screen.letter = screen.letter << 6 | (c & 0x3f);
        if (--screen.more == 0) put(screen.letter);
    } else if (c >= 0xc2 && c < 0xf5) {
        screen.more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        screen.letter = c & (0x3f >> screen.more);
    } else if (c == 27) {
        screen.nsequence = 1;
    } else if (c == '\r') {
        screen.column = 0;
        screen.full = false;
    } else if (c == '\n') {
        if (screen.other && screen.row == screen.rows - 1 && screen.late == 0)
            wrong("the screen scrolls");
        screen.row += screen.row < screen.rows - 1;
        screen.full = false;
    } else if (c < 32 || c >= 127) {
        wrong("the byte %d for a terminal", c);
    } else {
        put(c);
    }
}

static bool has(const char *text) {
    for (int i = 0; i < screen.rows; i++) {
        char line[COLUMNS + 1] = "";
        for (int j = 0; j < screen.columns; j++) {
            const uint32_t c = screen.cell[i][j];
            line[j] = c == 0 ? ' ' : c < 128 ? (char)c : '~';
        }
        if (strstr(line, text) != NULL) return true;
    }
    return false;
}

static bool is_full(void) {
    for (int i = 0; i < screen.rows; i++)
        if (screen.cell[i][screen.columns - 1] > ' ') return true;
    return false;
}

/* ---- the program ---- */

/* Takes what the program shows, for so long at most. False: nothing more will come. */
static bool look(int ms) {
    unsigned char bytes[4096];
    struct pollfd out = {.fd = master, .events = POLLIN};
    if (master < 0 || stopped) {
        (void)poll(NULL, 0, ms);
        return !stopped;
    }
    if (poll(&out, 1, ms) <= 0) return true;
    const ssize_t n = read(master, bytes, sizeof bytes);
    for (ssize_t i = 0; i < n; i++) take_byte(bytes[i]);
    return n > 0;
}

static double seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void start(char **command) {
    char name[128];
    const struct winsize size = {.ws_row = 24, .ws_col = 80};
    screen.rows = 24;
    screen.columns = 80;
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, name, sizeof name) != 0 || ioctl(master, TIOCSWINSZ, &size) != 0 ||
        tcgetattr(master, &before) != 0)
        wrong("no terminal: %s", strerror(errno));
    program = fork();
    if (program != 0) return;
    (void)setsid();
    const int terminal = open(name, O_RDWR);
    if (terminal < 0 || ioctl(terminal, TIOCSCTTY, 0) != 0) _exit(126);
    for (int fd = 0; fd <= 2; fd++) (void)dup2(terminal, fd);
    if (terminal > 2) (void)close(terminal);
    (void)execvp(command[0], command);
    _exit(127);
}

/* ---- steps ---- */

/* All at once, as a terminal sends the characters of a key. */
static void press(const char *keys) {
    char all[sizeof step];
    size_t n = 0;
    for (; *keys != '\0'; keys++) {
        const bool escape = keys[0] == '\\' && keys[1] == 'e';
        keys += escape;
        all[n++] = escape ? '\033' : *keys;
    }
    if (write(master, all, n) != (ssize_t)n) wrong("no key can be pressed");
}

static void change_size(const char *to) {
    int rows = 0, columns = 0;
    if (sscanf(to, "%d %d", &rows, &columns) != 2 || rows < 1 || rows > ROWS || columns < 1 ||
        columns > COLUMNS)
        wrong("no such size");
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    if (ioctl(master, TIOCSWINSZ, &size) != 0) wrong("no such size");
    memset(screen.cell, 0, sizeof screen.cell);
    screen.late = 2; /* one that is being drawn, and then it is certain */
    screen.rows = rows;
    screen.columns = columns;
    screen.row = screen.column = 0;
    screen.full = false;
}

static bool has_ended(int *status) {
    if (program > 0 && waitpid(program, status, WNOHANG) == program) program = 0;
    return program == 0;
}

static bool is_among(int status, const char *wanted) {
    char *end = NULL;
    for (long one = strtol(wanted, &end, 10); end != wanted; one = strtol(wanted, &end, 10)) {
        if (one == status) return true;
        wanted = end;
    }
    return false;
}

static void await_end(const char *wanted) {
    int status = 0;
    const double until = seconds() + PATIENCE_S;
    while (!has_ended(&status)) {
        (void)look(20);
        if (seconds() > until) wrong("it has not ended");
    }
    while (master >= 0 && !stopped &&
           poll(&(struct pollfd){.fd = master, .events = POLLIN}, 1, 0) > 0 && look(0)) {
    }
    const int is = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (!is_among(is, wanted)) wrong("it has ended with %d", is);
}

static bool keys_are_back(void) {
    struct termios now;
    return tcgetattr(master, &now) == 0 && now.c_lflag == before.c_lflag &&
           now.c_iflag == before.c_iflag && now.c_oflag == before.c_oflag &&
           memcmp(now.c_cc, before.c_cc, sizeof now.c_cc) == 0;
}

typedef bool condition(const char *text);

static bool is_unseen(const char *text) {
    return !has(text);
}

static bool is_settled(const char *text) {
    (void)text;
    return screen.late == 0;
}

static bool is_restored(const char *text) {
    (void)text;
    return !screen.other && !screen.hidden && keys_are_back();
}

static bool fills(const char *text) {
    (void)text;
    return is_full();
}

static bool succeeds(const char *text) {
    return system(text) == 0;
}

static void await(condition *is, const char *text) {
    const double until = seconds() + PATIENCE_S;
    while (!is(text)) {
        if (!look(20) && !stopped && master >= 0) (void)poll(NULL, 0, 20);
        if (seconds() > until) wrong("this is not so, in the end");
    }
}

static void close_terminal(void) {
    (void)close(master);
    master = -1;
}

static void take_step(const char *verb, const char *rest) {
    static const struct {
        const char *verb;
        condition *is;
    } conditions[] = {{"see", has},        {"unseen", is_unseen},   {"fills", fills},
                      {"until", succeeds}, {"settles", is_settled}, {"restored", is_restored}};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (strcmp(verb, conditions[i].verb) == 0) {
            await(conditions[i].is, rest);
            return;
        }
    if (strcmp(verb, "press") == 0)
        press(rest);
    else if (strcmp(verb, "size") == 0)
        change_size(rest);
    else if (strcmp(verb, "stop") == 0 || strcmp(verb, "go") == 0)
        stopped = verb[0] == 's';
    else if (strcmp(verb, "signal") == 0)
        (void)kill(program, (int)strtol(rest, NULL, 10));
    else if (strcmp(verb, "hang") == 0)
        close_terminal();
    else if (strcmp(verb, "ends") == 0)
        await_end(rest);
    else
        wrong("no such step");
}

int main(int argc, char **argv) {
    if (argc < 2) wrong("no command");
    start(argv + 1);
    while (fgets(step, sizeof step, stdin) != NULL) {
        char line[sizeof step];
        step[strcspn(step, "\n")] = '\0';
        if (step[0] == '\0' || step[0] == '#') continue;
        memcpy(line, step, sizeof line);
        char *rest = strchr(line, ' ');
        if (rest != NULL) *rest++ = '\0';
        take_step(line, rest != NULL ? rest : "");
    }
    (void)snprintf(step, sizeof step, "(the end of the steps)");
    int status = 0;
    if (!has_ended(&status)) wrong("it goes on");
    return 0;
}
