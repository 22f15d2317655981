/* The compiler is run directly (no shell) with its output read through a pipe. Which instruction set -march=native
 * stands for is found from the processor's own list, since a cache in a shared home directory serves many machines. */
#include "codegen/build/cc.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

extern char **environ;

/* Contraction and reassociation would make results depend on the compiler's mood; errno and traps are not looked at,
 * and without them square roots and selections vectorise. Signed overflow wraps, as the language says. Loops of eight and
 * more rounds are not unrolled before they are vectorised: of loads under a condition that were unrolled, GCC 12 lets all
 * share the first one's mask, and sums come out wrong (tests/codegen/conditional_load_test.c). */
static const char *const flag_list[] = {"-std=gnu11",
                                        "-O3",
                                        "-march=native",
                                        "-fPIC",
                                        "-shared",
                                        "-fwrapv",
                                        "-ffp-contract=off",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-fno-strict-aliasing",
                                        "--param=max-completely-peel-times=7",
                                        "-w",
                                        NULL};
enum { FLAG_COUNT = sizeof flag_list / sizeof flag_list[0] - 1, OUTPUT_MAX = 4096 };

const char *const *wadi_cc_flags(void) {
    return flag_list;
}

/* Reads what the child prints, keeps the beginning, drops the rest so that the child never blocks. */
static void read_output(int fd, char *out, size_t room) {
    size_t n = 0;
    char buffer[1024];
    for (;;) {
        const ssize_t got = read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        const size_t keep = (size_t)got < room - 1 - n ? (size_t)got : room - 1 - n;
        memcpy(out + n, buffer, keep);
        n += keep;
    }
    out[n] = '\0';
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A pipe's writing end must not get into a compiler that another thread starts meanwhile: its reader would wait for that one, too. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Starts argv with stdout and stderr going to *out_fd. */
static bool start_program(char *const *argv, pid_t *out_pid, int *out_fd) {
    int pipe_fd[2];
    posix_spawn_file_actions_t actions;
    if (pipe(pipe_fd) != 0) return false;
    for (int i = 0; i < 2; i++) (void)fcntl(pipe_fd[i], F_SETFD, FD_CLOEXEC);
    bool fine = posix_spawn_file_actions_init(&actions) == 0;
    if (fine) {
        fine = posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO) == 0 &&
               posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDERR_FILENO) == 0 &&
               posix_spawnp(out_pid, argv[0], &actions, NULL, argv, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
    }
    close(pipe_fd[1]);
    if (fine)
        *out_fd = pipe_fd[0];
    else
        close(pipe_fd[0]);
    return fine;
}

/* Runs argv with stdout and stderr into `out`; the exit status, or -1 when it could not be run or was killed. */
static int run_program(char *const *argv, char *out, size_t room) {
    pid_t pid = -1;
    int fd = -1;
    out[0] = '\0';
    (void)pthread_mutex_lock(&starting);
    const bool started = start_program(argv, &pid, &fd);
    (void)pthread_mutex_unlock(&starting);
    if (!started) return -1;
    read_output(fd, out, room);
    close(fd);
    return wait_for(pid);
}

wadi_status wadi_cc_version(const wadi_cc *cc, char *out, size_t room, wadi_error *err) {
    char text[OUTPUT_MAX], name[sizeof cc->path], version_flag[] = "--version";
    memcpy(name, cc->path, sizeof name);
    char *const argv[] = {name, version_flag, NULL};
    if (run_program(argv, text, sizeof text) != 0)
        return wadi_fail(err, WADI_COMPILE, "the C compiler %s does not run", cc->path);
    text[strcspn(text, "\n")] = '\0';
    snprintf(out, room, "%s", text);
    return WADI_OK;
}

/* ---- finding ---- */

/* A program that can be run, by its path: notes what identifies it. */
static bool is_program(const char *path, wadi_cc *out) {
    struct stat st;
    if (strlen(path) >= sizeof out->path || stat(path, &st) != 0) return false;
    if (!S_ISREG(st.st_mode) || access(path, X_OK) != 0) return false;
    strcpy(out->path, path);
    snprintf(out->stamp, sizeof out->stamp, "%lld bytes of %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return true;
}

/* A name with a slash is a path; any other is looked for on the PATH, as a shell does. */
static bool locate(const char *name, wadi_cc *out) {
    if (strchr(name, '/')) return is_program(name, out);
    const char *path = getenv("PATH");
    while (path && *path) {
        char candidate[sizeof out->path];
        const size_t n = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)n, path, name);
        if (n > 0 && n + strlen(name) + 2 <= sizeof candidate && is_program(candidate, out))
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* The lines of /proc/cpuinfo that decide what -march=native means; where there is no such file, every machine of the
 * same compiler counts as one. */
static wadi_status describe_cpu(char out_hex[65], wadi_error *err) {
    static const char *const keys[] = {"model name", "cpu family", "model\t",
                                       "flags",      "Features",   "CPU part"};
    char *text = NULL, kept[16384] = "";
    size_t n = 0, room = sizeof kept - 1;
    if (wadi_file_read("/proc/cpuinfo", &text, &n, NULL) == WADI_OK) {
        char *end = strstr(text, "\n\n");
        if (end) *end = '\0';
        char *rest = NULL;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
                if (strncmp(line, keys[k], strlen(keys[k])) == 0 && strlen(line) < room) {
                    strcat(kept, line);
                    room -= strlen(line);
                }
        free(text);
    }
    uint8_t digest[32];
    WADI_TRY(wadi_sha256(kept, strlen(kept), digest));
    wadi_hex(digest, sizeof digest, out_hex);
    WADI_UNUSED(err);
    return WADI_OK;
}

wadi_status wadi_cc_find(wadi_cc *out, wadi_error *err) {
    static const char *const candidates[] = {"cc", "gcc", "clang"};
    const char *chosen = getenv("WADI_CC");
    if (chosen && *chosen) {
        if (!locate(chosen, out))
            return wadi_fail(err, WADI_COMPILE,
                             "the C compiler named by WADI_CC, \"%s\", cannot be run", chosen);
        return describe_cpu(out->cpu, err);
    }
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (locate(candidates[i], out)) return describe_cpu(out->cpu, err);
    return wadi_fail(err, WADI_COMPILE,
                     "no C compiler found: wadi compiles its kernels with the system's compiler; "
                     "install gcc or clang, or "
                     "name one in WADI_CC (looked for cc, gcc, clang on the PATH)");
}

wadi_status wadi_cc_compile(const wadi_cc *cc, const char *source, const char *object,
                            wadi_error *err) {
    char output[OUTPUT_MAX], dash_o[] = "-o", math[] = "-lm";
    const char *argv[FLAG_COUNT + 6];
    size_t n = 0;
    argv[n++] = cc->path;
    for (size_t i = 0; i < FLAG_COUNT; i++) argv[n++] = flag_list[i];
    argv[n++] = source;
    argv[n++] = dash_o;
    argv[n++] = object;
    argv[n++] = math;
    argv[n] = NULL;
    char *copy[FLAG_COUNT + 6];
    memcpy(copy, argv, sizeof copy);
    const int status = run_program(copy, output, sizeof output);
    if (status == 0) return WADI_OK;
    const char *complaint = strstr(output, "error");
    return wadi_fail(err, WADI_COMPILE, "%s failed on %s (status %d): %.300s", cc->path, source,
                     status, complaint ? complaint : output);
}
