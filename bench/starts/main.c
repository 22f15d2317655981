/* What programs take from their start to their end where there is next to nothing to do, without a compiler: kernels are made before, as an
 * installation makes them (WADI_BUILD_KERNELS). Prints a table.
 *
 *     bench_starts [TIMES]
 *
 * Programs take turns, TIMES each (41). Columns: milliseconds of the clock, median and least, and of the processors, median. Peers are `true`
 * and a program that does nothing, linked with the same libraries. Outputs lie in the folder of temporary files. Asked: 15 ms for applications. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "bench/streams/report.h"

#ifndef WADI_FLAC
#define WADI_FLAC NULL
#endif
#ifndef WADI_MD5
#define WADI_MD5 NULL
#endif
#ifndef WADI_GRID
#define WADI_GRID NULL
#endif

enum { WORDS = 12, MOST_TIMES = 999 };

/* NULL as the program: it is not built. */
typedef struct start {
    const char *name, *argv[WORDS];
} start;

static const char dotp[] = "program dot\n"
                           "x = generate 1000 (i) { convert f64 i }\n"
                           "squares = map x (a) { mul a a }\n"
                           "result = fold 0.0 squares (a, b) { add a b }\n"
                           "output result\n";
static const char visibilities[] = "# frequency 150e6\n# ra 83.5\n# dec 22\n10 20 5 1 0.5 2\n"
                                   "-30 5 -2 0.25 -1 1\n15 -25 3 2 1 0.5\n0 12 0 1 0 1\n";

static const start starts[] = {
    {"true", {"/bin/true"}},
    {"nothing, linked alike", {BENCH_STARTS_BARE}},
    {"wadi --version", {WADI, "--version"}},
    {"wadi version", {WADI, "version"}},
    {"wadi run, a dot product", {WADI, "run", "dot.wadi"}},
    {"wadi-md5, two words", {WADI_MD5, "-q", "-m", "list", "words"}},
    {"wadi-flac, 0.6 s",
     {WADI_FLAC, "-q", "-f", "-1", "--force-raw-format", "--endian=little", "--sign=signed",
      "--channels=2", "--bps=16", "--sample-rate=44100", "sound"}},
    {"wadi-grid, 64 x 64",
     {WADI_GRID, "-q", "--scale", "5asec", "-s", "64", "-o", "image.fits", "v.txt"}},
    {"wadi-grid, 512 x 512",
     {WADI_GRID, "-q", "--scale", "5asec", "-s", "512", "-o", "image.fits", "v.txt"}},
};

enum { STARTS = sizeof starts / sizeof *starts };

typedef struct cost {
    double elapsed_s, processor_s;
} cost;

extern char **environ;

static double seconds(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double children_s(void) {
    struct rusage u;
    return getrusage(RUSAGE_CHILDREN, &u) == 0 ? seconds(u.ru_utime) + seconds(u.ru_stime) : 0;
}

static wadi_status run(const start *s, cost *out, wadi_error *err) {
    posix_spawn_file_actions_t actions;
    int status = 0;
    pid_t child = 0;
    const double before = children_s();
    const int64_t begin = wadi_clock_ns();
    if (posix_spawn_file_actions_init(&actions) != 0)
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed =
        posix_spawn(&child, s->argv[0], &actions, NULL, (char *const *)(uintptr_t)s->argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return wadi_fail_errno(err, failed, "%s", s->argv[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return wadi_fail_errno(err, errno, "%s", s->argv[0]);
    out->elapsed_s = (double)(wadi_clock_ns() - begin) * 1e-9;
    out->processor_s = children_s() - before;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return wadi_fail(err, WADI_IO, "%s: status %d", s->name, status);
    return WADI_OK;
}

/* ---- kernels ---- */

static wadi_status set(const char *name, const char *value, wadi_error *err) {
    const int failed = value != NULL ? setenv(name, value, 1) : unsetenv(name);
    return failed == 0 ? WADI_OK : wadi_fail_errno(err, errno, "%s", name);
}

/* One bundle for all; the cache of what is compiled for it is not used later. */
static wadi_status make_kernels(wadi_error *err) {
    cost unused;
    WADI_TRY(set("WADI_LEARN", "off", err));
    WADI_TRY(set("WADI_KERNELS", "none", err));
    WADI_TRY(set("WADI_CACHE_DIR", "making", err));
    WADI_TRY(set("WADI_BUILD_KERNELS", "starts.kernels", err));
    for (int i = 0; i < STARTS; i++)
        if (starts[i].argv[0] != NULL) WADI_TRY(run(&starts[i], &unused, err));
    WADI_TRY(set("WADI_BUILD_KERNELS", NULL, err));
    WADI_TRY(set("WADI_CACHE_DIR", "empty", err));
    WADI_TRY(set("WADI_KERNELS", ".", err));
    return set("PATH", "/nowhere", err);
}

static wadi_status put(const char *name, const char *text, size_t n, wadi_error *err) {
    return wadi_file_write(name, text, n, 0644, err);
}

static wadi_status make_inputs(wadi_error *err) {
    static const char sound[100000];
    WADI_TRY(put("dot.wadi", dotp, strlen(dotp), err));
    WADI_TRY(put("v.txt", visibilities, strlen(visibilities), err));
    WADI_TRY(put("words", "one\ntwo\n", 8, err));
    WADI_TRY(put("list", "f97c5d29941bfb1b2fdab0874906ab82\n", 33, err));
    return put("sound", sound, sizeof sound, err);
}

/* ---- all together ---- */

static wadi_status measure(int times, wadi_error *err) {
    static double elapsed[STARTS][MOST_TIMES], processor[STARTS][MOST_TIMES];
    for (int k = 0; k < times; k++) {
        for (int i = 0; i < STARTS; i++) {
            cost c = {0};
            if (starts[i].argv[0] == NULL) continue;
            WADI_TRY(run(&starts[i], &c, err));
            elapsed[i][k] = c.elapsed_s;
            processor[i][k] = c.processor_s;
        }
    }
    printf("%-26s %8s %8s %8s\n", "ms", "median", "least", "work");
    for (int i = 0; i < STARTS; i++) {
        double least = elapsed[i][0];
        for (int k = 1; k < times; k++)
            if (elapsed[i][k] < least) least = elapsed[i][k];
        if (starts[i].argv[0] == NULL)
            printf("%-26s not built\n", starts[i].name);
        else
            printf("%-26s %8.2f %8.2f %8.2f\n", starts[i].name,
                   1e3 * bench_median(times, elapsed[i]), 1e3 * least,
                   1e3 * bench_median(times, processor[i]));
    }
    return WADI_OK;
}

static wadi_status go(int times, wadi_error *err) {
    WADI_TRY(make_inputs(err));
    WADI_TRY(make_kernels(err));
    return measure(times, err);
}

static void remove_folder(const char *folder) {
    char command[160];
    (void)snprintf(command, sizeof command, "/bin/rm -rf -- '%s'", folder);
    if (chdir("/") != 0 || system(command) != 0) (void)fprintf(stderr, "%s is left\n", folder);
}

int main(int argc, char **argv) {
    const int asked = argc > 1 ? atoi(argv[1]) : 41,
              times = asked < MOST_TIMES ? asked : MOST_TIMES;
    char folder[] = "/tmp/bench-starts-XXXXXX";
    wadi_error err = {0};
    if (argc > 2 || times < 1) {
        (void)fprintf(stderr, "usage: bench_starts [TIMES]\n");
        return 2;
    }
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    const wadi_status status = go(times, &err);
    remove_folder(folder);
    if (status != WADI_OK) (void)fprintf(stderr, "%s\n", err.msg);
    return status == WADI_OK ? 0 : 1;
}
