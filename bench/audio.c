/* wadi-flac against flac on the sound files given.
 *
 *     bench_audio [-n RUNS] [-l LEVELS] [-p WADI_FLAC] FILE...
 *
 * Runs alternate, A B A B ..., so that a machine that slows down slows both; the best of each counts. One untimed run first
 * fills the file cache and the kernel cache, and `flac -t` judges its result. Prints, tab separated: benchmark, case, seconds of
 * wadi-flac, peer, its seconds, the ratio (below 1: wadi-flac is faster); then bytes of both and their ratio, CPU seconds of
 * both. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

typedef struct cost {
    double wall_s, cpu_s;
} cost;

static double seconds(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double children_s(void) {
    struct rusage used = {0};
    (void)getrusage(RUSAGE_CHILDREN, &used);
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/* Runs a command to its end with its output thrown away; false when it fails. */
static bool run(const char *const *argv, cost *out) {
    const double cpu = children_s();
    const int64_t start = wadi_clock_ns();
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        if (null >= 0) (void)dup2(null, STDOUT_FILENO);
        execvp(argv[0], (char *const *)argv);
        fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return false;
    out->wall_s = (double)(wadi_clock_ns() - start) * 1e-9;
    out->cpu_s = children_s() - cpu;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void keep_best(cost *best, cost next, bool first) {
    if (first || next.wall_s < best->wall_s) *best = next;
}

static double bytes_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (double)about.st_size : 0;
}

typedef struct settings {
    int runs;
    const char *levels;
    const char *program;
    char ours[64], peer[64]; /* outputs */
} settings;

static bool bench(const settings *s, const char *file, char level) {
    const char flag[3] = {'-', level, '\0'};
    const char *const ours[] = {s->program, "-q", flag, "-f", "-o", s->ours, file, NULL};
    const char *const peer[] = {"flac", "-s", flag, "-f", "-o", s->peer, file, NULL};
    const char *const judge[] = {"flac", "-s", "-t", "-w", s->ours, NULL};
    cost best[2] = {{0, 0}, {0, 0}};
    cost once;
    if (!run(ours, &once) || !run(peer, &once) || !run(judge, &once)) return false;
    for (int i = 0; i < s->runs; i++) {
        if (!run(ours, &once)) return false;
        keep_best(&best[0], once, i == 0);
        if (!run(peer, &once)) return false;
        keep_best(&best[1], once, i == 0);
    }
    const char *slash = strrchr(file, '/');
    const double sizes[2] = {bytes_of(s->ours), bytes_of(s->peer)};
    printf("audio\t%s -%c\t%.3f\tflac -%c\t%.3f\t%.3f\t%.0f\t%.0f\t%.4f\t%.3f\t%.3f\n",
           slash != NULL ? slash + 1 : file, level, best[0].wall_s, level, best[1].wall_s,
           best[0].wall_s / best[1].wall_s, sizes[0], sizes[1], sizes[0] / sizes[1], best[0].cpu_s,
           best[1].cpu_s);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv) {
    settings s = {.runs = 5, .levels = "85", .program = "wadi-flac"};
    for (int c; (c = getopt(argc, argv, "n:l:p:")) != -1;) {
        if (c == 'n') s.runs = atoi(optarg);
        if (c == 'l') s.levels = optarg;
        if (c == 'p') s.program = optarg;
        if (c == '?') return 2;
    }
    if (optind == argc || s.runs < 1) {
        fprintf(stderr, "usage: bench_audio [-n RUNS] [-l LEVELS] [-p WADI_FLAC] FILE...\n");
        return 2;
    }
    char folder[] = "/tmp/bench_audio.XXXXXX";
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    snprintf(s.ours, sizeof s.ours, "%s/ours.flac", folder);
    snprintf(s.peer, sizeof s.peer, "%s/peer.flac", folder);
    printf("benchmark\tcase\twadi seconds\tpeer\tpeer seconds\tratio\twadi bytes\tpeer bytes\t"
           "size ratio\twadi cpu seconds\tpeer cpu seconds\n");
    bool ok = true;
    for (int i = optind; i < argc; i++) {
        for (const char *level = s.levels; *level != '\0'; level++) {
            if (bench(&s, argv[i], *level)) continue;
            fprintf(stderr, "%s -%c: a run failed\n", argv[i], *level);
            ok = false;
        }
    }
    unlink(s.ours);
    unlink(s.peer);
    rmdir(folder);
    return ok ? 0 : 1;
}
