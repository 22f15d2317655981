/* Runs programs that are disturbed at one call, and judges what they leave behind. Everything lies in one folder: in, the inputs;
 * ref and spare, outputs of undisturbed runs; run, where programs run; cache, tmp and home, which they get instead of the user's.
 * What calls/compiler has made is kept beside it for all tests. */
#define _GNU_SOURCE
#include "tests/hostile/hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { ROOM = 1024, LIMIT_S = 300 };

const hostile_case hostile_cases[HOSTILE_CASES] = {
    {.name = "run",
     .argument = {"cli/wadi", "run", "../in/double.wadi", "s=100:@../in/values.raw",
                  "out=@out.raw"},
     .output = {"out.raw"}},
    {.name = "state",
     .argument = {"cli/wadi", "run", "../in/double.wadi", "s=100:@../in/values.raw", "out=@out.raw",
                  "--state", "kept", "--every", "0", "--chunk", "300"},
     .output = {"out.raw"},
     .state = "kept"},
    {.name = "null",
     .argument = {"cli/wadi", "run", "../in/double.wadi", "s=100:@../in/values.raw", "out=@out.raw",
                  "--device", "null"},
     .output = {"out.raw"}},
    {.name = "host",
     .argument = {"tests/hostile_host", "../in/values.raw", "out.raw"},
     .output = {"out.raw"}},
    {.name = "flac",
     .argument = {"apps/audio/wadi-flac", "-q", "-f", "-o", "out.flac", "../in/sound.wav"},
     .output = {"out.flac"}},
    {.name = "decode",
     .argument = {"apps/audio/wadi-flac", "-d", "-q", "-f", "-o", "out.wav",
                  "../ref/flac-out.flac"},
     .output = {"out.wav"}},
    {.name = "md5",
     .argument = {"apps/md5/wadi-md5", "-q", "-m", "../in/hashes", "../in/words"},
     .output = {"got"},
     .grows = true},
    {.name = "session",
     .argument = {"apps/md5/wadi-md5", "-q", "-m", "../in/hashes", "--state", "kept", "--every",
                  "0", "-o", "found", "../in/words"},
     .output = {"found"},
     .grows = true,
     .state = "kept"},
    {.name = "archive",
     .argument = {"apps/audio/wadi-flac", "-q", "--output-prefix", "./", "--state", "kept",
                  "../in/sound.wav", "../ref/flac-out.flac"},
     .output = {"sound.flac", "flac-out.flac"},
     .grows = true,
     .state = "kept"},
    {.name = "grid",
     .argument = {"apps/gridding/wadi-grid", "-q", "-s", "32", "--scale", "1e-3rad", "-o",
                  "out.fits", "--png", "out.png", "../in/sky.txt"},
     .output = {"out.fits", "out.png"},
     .spare = "fftw"},
    {.name = "send",
     .argument = {"apps/gridding/wadi-vis-send", "-q", "--to", "ipc://link", "../in/sky.txt"},
     .peer = {"apps/gridding/wadi-grid", "-q", "-s", "32", "--scale", "1e-3rad", "--method",
              "direct", "-o", "out.fits", "--listen", "ipc://link"},
     .output = {"out.fits"}},
};

static char root[ROOM / 2], kernels[ROOM / 2];
static const char old[] = "what stood here before\n";

const char *hostile_in(const char *format, ...) {
    static char paths[4][ROOM];
    static int turn;
    char *path = paths[turn++ % 4];
    va_list list;
    const int n = snprintf(path, ROOM, "%s/", root);
    va_start(list, format);
    (void)vsnprintf(path + n, (size_t)(ROOM - n), format, list);
    va_end(list);
    return path;
}

double hostile_now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double hostile_seconds(void) {
    const char *said = getenv("WADI_HOSTILE_SECONDS"), *all = getenv("WADI_TEST_ALL");
    return said != NULL ? atof(said) : all != NULL ? 20 : 6;
}

/* ---- folders ---- */

static bool is_kernel(const char *name) {
    const size_t n = strlen(name);
    return (n > 6 && strcmp(name + n - 6, ".image") == 0) ||
           (n > 5 && strcmp(name + n - 5, ".size") == 0) || strcmp(name, "fftw.wisdom") == 0;
}

static bool is_litter(const char *name) {
    return !is_kernel(name);
}

/* Removes what is chosen by its name, all if NULL. */
static void empty(const char *folder, bool (*chosen)(const char *name)) {
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (chosen != NULL && !chosen(e->d_name)) continue;
        char path[2 * ROOM];
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (unlinkat(AT_FDCWD, path, 0) == 0) continue;
        empty(path, NULL);
        (void)rmdir(path);
    }
    if (d != NULL) (void)closedir(d);
}

void hostile_fresh(const hostile_case *c, bool cold) {
    empty(hostile_in("run"), NULL);
    empty(hostile_in("tmp"), NULL);
    empty(hostile_in("cache"), cold ? NULL : is_litter);
    for (int i = 0; i < HOSTILE_OUTPUTS && c->output[i] != NULL; i++)
        if (!c->grows) (void)hostile_put(hostile_in("run/%s", c->output[i]), old, sizeof old - 1);
}

void hostile_forget_kernels(void) {
    empty(hostile_in("cache"), is_kernel);
}

/* The file begins, at least, as `want` does or is the beginning of it. */
typedef enum match { OTHER, BEGINNING, SAME } match;

static match compare(const char *path, const char *want, size_t n) {
    char *got = NULL;
    size_t got_n = 0;
    if (wadi_file_read(path, &got, &got_n, NULL) != WADI_OK) return OTHER;
    const match m = got_n > n || memcmp(got, want, got_n) != 0 ? OTHER
                    : got_n < n                                ? BEGINNING
                                                               : SAME;
    free(got);
    return m;
}

static match compare_to(const char *reference, const hostile_case *c, const char *output) {
    char *want = NULL;
    size_t n = 0;
    if (wadi_file_read(hostile_in("%s/%s-%s", reference, c->name, output), &want, &n, NULL) !=
        WADI_OK)
        return OTHER;
    const match m = compare(hostile_in("run/%s", output), want, n);
    free(want);
    return m;
}

static match compare_to_reference(const hostile_case *c, const char *output) {
    const match m = compare_to("ref", c, output);
    return m == OTHER && c->spare != NULL ? compare_to("spare", c, output) : m;
}

bool hostile_outputs_are_whole(const hostile_case *c, bool must_be_new) {
    for (int i = 0; i < HOSTILE_OUTPUTS && c->output[i] != NULL; i++) {
        const char *path = hostile_in("run/%s", c->output[i]);
        const match m = compare_to_reference(c, c->output[i]);
        if (m == SAME) continue;
        if (!must_be_new && (!wadi_file_exists(path) || (c->grows && m == BEGINNING) ||
                             (!c->grows && compare(path, old, sizeof old - 1) == SAME)))
            continue;
        fprintf(stderr, "%s: %s is not what it should be\n", c->name, c->output[i]);
        return false;
    }
    return true;
}

static bool is_expected(const hostile_case *c, const char *name, bool done) {
    static const char *const ours[] = {"got", "said", "count", "peer_got", "peer_said"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strcmp(name, ours[i]) == 0) return true;
    for (int i = 0; i < HOSTILE_OUTPUTS && c->output[i] != NULL; i++)
        if (strcmp(name, c->output[i]) == 0) return true;
    /* What a receiver has of a stream that broke is told, and kept until the next one. */
    if (!done && c->peer[0] != NULL && strcmp(name, "out.fits.partial") == 0) return true;
    if (done || c->state == NULL) return false;
    return strcmp(name, c->state) == 0 || strcmp(name, "out.raw.wadi-kept") == 0;
}

enum folder { RUN, CACHE, TMP };

static bool nothing_else(enum folder folder, const hostile_case *c, bool done) {
    static const char *const names[] = {"run", "cache", "tmp"};
    DIR *d = opendir(hostile_in("%s", names[folder]));
    bool clean = d != NULL;
    for (const struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (folder == RUN && is_expected(c, e->d_name, done)) continue;
        if (folder == CACHE && is_kernel(e->d_name)) continue;
        fprintf(stderr, "%s: %s is left in %s\n", c->name, e->d_name, names[folder]);
        clean = false;
    }
    if (d != NULL) (void)closedir(d);
    return clean;
}

bool hostile_is_clean(const hostile_case *c, bool done) {
    const bool run = nothing_else(RUN, c, done), tmp = nothing_else(TMP, c, done);
    return nothing_else(CACHE, c, done) && run && tmp;
}

bool hostile_said_why(void) {
    struct stat about;
    return stat(hostile_in("run/said"), &about) == 0 && about.st_size > 0;
}

/* ---- running ---- */

static void redirect(const char *name, int to) {
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
    (void)close(fd);
}

/* A folder of links to all modules but one. */
static void spare_module(const char *name) {
    char from[ROOM], path[2 * ROOM];
    (void)snprintf(from, sizeof from, "%s/lib/wadi", getenv("WADI_BUILD"));
    DIR *d = opendir(from);
    for (const struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        (void)snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (strncmp(e->d_name, name, strlen(name)) != 0)
            (void)symlink(path, hostile_in("modules/%s", e->d_name));
    }
    if (d != NULL) (void)closedir(d);
    setenv("WADI_MODULES", hostile_in("modules"), 1);
}

/* The environment and the folder of a program that runs. */
static void settle(const char *got, const char *said) {
    char path[ROOM];
    if (chdir(hostile_in("run")) != 0) _exit(126);
    (void)snprintf(path, sizeof path, "%s/tests/hostile/calls/compiler", getenv("WADI_SOURCE"));
    setenv("WADI_CC", path, 1);
    setenv("HOSTILE_KERNELS", kernels, 1);
    setenv("WADI_CACHE_DIR", hostile_in("cache"), 1);
    setenv("TMPDIR", hostile_in("tmp"), 1);
    setenv("HOME", hostile_in("home"), 1);
    setenv("WADI_LEARN", "off", 1);
    redirect(got, STDOUT_FILENO);
    redirect(said, STDERR_FILENO);
}

_Noreturn static void execute(const char *const *argument) {
    char *argv[HOSTILE_ARGUMENTS + 1] = {0}, program[ROOM];
    (void)snprintf(program, sizeof program, "%s/%s", getenv("WADI_BUILD"), argument[0]);
    for (int i = 0; i < HOSTILE_ARGUMENTS && argument[i] != NULL; i++)
        argv[i] = strdup(argument[i]);
    (void)execv(program, argv);
    _exit(126);
}

static void become(const hostile_case *c, const char *orders, int socket) {
    char path[ROOM];
    settle("got", "said");
    if (orders != NULL) {
        (void)snprintf(path, sizeof path, "%s/tests/libhostile_interpose.so", getenv("WADI_BUILD"));
        setenv("WADI_HOSTILE", orders, 1);
        setenv("WADI_HOSTILE_COUNT", hostile_in("run/count"), 1);
        setenv("LD_PRELOAD", path, 1);
        if (!hostile_system_filter(socket)) _exit(125);
    }
    execute(c->argument);
}

static pid_t start_peer(const hostile_case *c) {
    const pid_t pid = c->peer[0] != NULL ? fork() : 0;
    if (pid != 0 || c->peer[0] == NULL) return pid;
    settle("peer_got", "peer_said");
    execute(c->peer);
}

/* A peer whose partner has failed may be waiting for another one. */
static void wait_for_peer(pid_t peer, hostile_end *end) {
    const struct timespec nap = {0, 2000000};
    const double from = hostile_now();
    int status = 0;
    if (end->hung || end->status != 0) (void)kill(peer, SIGTERM);
    while (waitpid(peer, &status, WNOHANG) == 0) {
        end->hung |= hostile_now() - from > LIMIT_S;
        if (end->hung) (void)kill(peer, SIGKILL);
        (void)nanosleep(&nap, NULL);
    }
    if (end->status == 0) end->status = status;
}

hostile_process hostile_start(const hostile_case *c, const char *orders) {
    int ends[2];
    hostile_process p = {.system = {.listener = -1}};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
    p.peer = start_peer(c);
    p.pid = fork();
    if (p.pid == 0) become(c, orders, ends[1]);
    (void)close(ends[1]);
    if (orders != NULL && !hostile_system_begin(&p.system, p.pid, ends[0], orders))
        fprintf(stderr, "the kernel has no filter of system calls for %s\n", c->name);
    (void)close(ends[0]);
    return p;
}

static void read_counts(const hostile_process *p, hostile_end *end) {
    static const int ours[] = {0, HOSTILE_KINDS - 2, HOSTILE_KINDS - 1};
    char *text = NULL, *at;
    size_t n = 0;
    memcpy(end->calls, p->system.calls, sizeof end->calls);
    for (int i = 3; i <= 5; i++) end->disk += end->calls[i];
    if (wadi_file_read(hostile_in("run/count"), &text, &n, NULL) != WADI_OK) return;
    at = text;
    for (int i = 0; i < 3; i++) end->calls[ours[i]] = strtol(at, &at, 10);
    free(text);
}

hostile_end hostile_wait(hostile_process *p) {
    enum { NAP_MS = 2 };
    const struct timespec nap = {0, 1000000 * NAP_MS};
    const double from = hostile_now();
    hostile_end end = {0};
    pid_t got;
    while ((got = waitpid(p->pid, &end.status, WNOHANG | WUNTRACED)) == 0) {
        if (hostile_now() - from > LIMIT_S) {
            end.hung = true;
            (void)kill(p->pid, SIGKILL);
            (void)waitpid(p->pid, &end.status, 0);
            break;
        }
        if (p->system.listener >= 0)
            hostile_system_serve(&p->system, NAP_MS);
        else
            (void)nanosleep(&nap, NULL);
    }
    end.stopped = !end.hung && got == p->pid && WIFSTOPPED(end.status);
    if (end.stopped) return end;
    hostile_system_end(&p->system);
    read_counts(p, &end);
    if (p->peer > 0) wait_for_peer(p->peer, &end);
    return end;
}

hostile_end hostile_run(const hostile_case *c, const char *orders) {
    hostile_process p = hostile_start(c, orders);
    return hostile_wait(&p);
}

/* ---- the references ---- */

static bool is_there(const hostile_case *c) {
    char path[ROOM];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("WADI_BUILD"), c->argument[0]);
    return access(path, X_OK) == 0;
}

static bool make_reference(const hostile_case *c, const char *folder) {
    hostile_fresh(c, false);
    const hostile_end end = hostile_run(c, NULL);
    if (end.hung || end.status != 0) {
        fprintf(stderr, "skipped: %s ends with %d when nothing is in its way\n", c->name,
                end.status);
        return false;
    }
    for (int i = 0; i < HOSTILE_OUTPUTS && c->output[i] != NULL; i++)
        if (rename(hostile_in("run/%s", c->output[i]),
                   hostile_in("%s/%s-%s", folder, c->name, c->output[i])) != 0)
            return false;
    return true;
}

static bool make_references(const hostile_case *c) {
    const char *said = getenv("WADI_MODULES");
    if (!make_reference(c, "ref")) return false;
    if (c->spare == NULL) return true;
    char *before = said != NULL ? strdup(said) : NULL;
    spare_module(c->spare);
    const bool made = make_reference(c, "spare");
    (void)(before != NULL ? setenv("WADI_MODULES", before, 1) : unsetenv("WADI_MODULES"));
    free(before);
    return made;
}

static bool can_watch(void) {
    hostile_fresh(&hostile_cases[0], false);
    const hostile_end end = hostile_run(&hostile_cases[0], "mmap:0:fail");
    if (end.status == 0 && end.calls[1] > 0) return true;
    fprintf(stderr, "skipped: this kernel does not let a test see another process's calls\n");
    return false;
}

bool hostile_set_up(void) {
    static const char *const folders[] = {"in",    "ref", "spare", "run",
                                          "cache", "tmp", "home",  "modules"};
    const char *sanitize = getenv("WADI_SANITIZE");
    if (getenv("WADI_BUILD") == NULL || getenv("WADI_SOURCE") == NULL ||
        (sanitize != NULL && *sanitize != '\0' && strcmp(sanitize, "OFF") != 0)) {
        fprintf(stderr, "skipped: a sanitizer and the interposer do not go together\n");
        return false;
    }
    char here[ROOM / 4];
    if (getcwd(here, sizeof here) == NULL) return false;
    (void)snprintf(kernels, sizeof kernels, "%s/hostile_kernels", here);
    (void)snprintf(root, sizeof root, "%s/hostile_%d", here, (int)getpid());
    if ((mkdir(kernels, 0700) != 0 && errno != EEXIST) || mkdir(root, 0700) != 0) return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (mkdir(hostile_in("%s", folders[i]), 0700) != 0) return false;
    bool ready = hostile_put_inputs();
    for (int i = 0; i < HOSTILE_CASES && ready; i++)
        ready = is_there(&hostile_cases[i]) && make_references(&hostile_cases[i]);
    return ready && can_watch();
}

void hostile_tear_down(void) {
    if (root[0] == '\0') return;
    empty(root, NULL);
    (void)rmdir(root);
}
