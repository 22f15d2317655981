/* wadi-flac against flac on the sound files given.
 *
 *     bench_audio [-n RUNS] [-l LEVELS] [-p WADI_FLAC] [-f FLAC] [-j THREADS] FILE...
 *
 * Runs alternate, A B A B ..., so that a machine that slows down slows both; the median of each counts. One untimed run first
 * fills the file cache and the kernel cache, and `FLAC -t` judges its result. -j is given to both; flac knows it from 1.5.0 on.
 * Prints, tab separated: benchmark, case, seconds of wadi-flac, peer, its seconds, the ratio (below 1: wadi-flac is faster); then
 * bytes of both without their metadata and the ratio, CPU seconds of both and the ratio. The last lines are sums over the
 * files. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { MAX_RUNS = 99 };

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

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of wall and CPU seconds apart. */
static cost median(const cost *run, int n) {
    double wall[MAX_RUNS], cpu[MAX_RUNS];
    for (int i = 0; i < n; i++) {
        wall[i] = run[i].wall_s;
        cpu[i] = run[i].cpu_s;
    }
    qsort(wall, (size_t)n, sizeof *wall, by_size);
    qsort(cpu, (size_t)n, sizeof *cpu, by_size);
    return (cost){(wall[(n - 1) / 2] + wall[n / 2]) / 2, (cpu[(n - 1) / 2] + cpu[n / 2]) / 2};
}

/* Bytes of the frames of a FLAC file: what follows its last metadata block. */
static double frame_bytes(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t header[4];
    double bytes = 0;
    if (f == NULL) return 0;
    if (fseek(f, 4, SEEK_SET) == 0) {
        do {
            if (fread(header, 1, 4, f) != 4) break;
            const long n = (long)header[1] << 16 | (long)header[2] << 8 | header[3];
            if (fseek(f, n, SEEK_CUR) != 0) break;
        } while ((header[0] & 0x80) == 0);
        const long first = ftell(f);
        if (fseek(f, 0, SEEK_END) == 0) bytes = (double)(ftell(f) - first);
    }
    fclose(f);
    return bytes;
}

typedef struct settings {
    int runs;
    const char *levels;
    const char *program, *flac;
    char threads[16];        /* "-j2"; empty: as the programs choose */
    char ours[64], peer[64]; /* outputs */
} settings;

/* What one level took of one file, or of all: wadi-flac, then flac. */
typedef struct result {
    cost cost[2];
    double bytes[2];
} result;

static void tell(const char *name, const settings *s, char level, const result *r) {
    const cost *c = r->cost;
    printf("audio\t%s -%c\t%.3f\tflac -%c%s%s\t%.3f\t%.3f\t%.0f\t%.0f\t%.4f\t%.3f\t%.3f\t%.3f\n",
           name, level, c[0].wall_s, level, s->threads[0] != '\0' ? " " : "", s->threads,
           c[1].wall_s, c[0].wall_s / c[1].wall_s, r->bytes[0], r->bytes[1],
           r->bytes[0] / r->bytes[1], c[0].cpu_s, c[1].cpu_s, c[0].cpu_s / c[1].cpu_s);
    fflush(stdout);
}

static bool bench(const settings *s, const char *file, char level, result *io_all) {
    const char flag[3] = {'-', level, '\0'};
    const char *const threads =
        s->threads[0] != '\0' ? s->threads : flag; /* the level twice is the level */
    const char *const ours[] = {s->program, "-q", flag, threads, "-f", "-o", s->ours, file, NULL};
    const char *const peer[] = {s->flac, "-s", flag, threads, "-f", "-o", s->peer, file, NULL};
    const char *const judge[] = {s->flac, "-s", "-t", "-w", s->ours, NULL};
    cost once[2][MAX_RUNS];
    cost untimed;
    if (!run(ours, &untimed) || !run(peer, &untimed) || !run(judge, &untimed)) return false;
    for (int i = 0; i < s->runs; i++) {
        if (!run(ours, &once[0][i]) || !run(peer, &once[1][i])) return false;
    }
    const result r = {{median(once[0], s->runs), median(once[1], s->runs)},
                      {frame_bytes(s->ours), frame_bytes(s->peer)}};
    for (int k = 0; k < 2; k++) {
        io_all->cost[k].wall_s += r.cost[k].wall_s;
        io_all->cost[k].cpu_s += r.cost[k].cpu_s;
        io_all->bytes[k] += r.bytes[k];
    }
    const char *slash = strrchr(file, '/');
    tell(slash != NULL ? slash + 1 : file, s, level, &r);
    return true;
}

int main(int argc, char **argv) {
    settings s = {.runs = 5, .levels = "85", .program = "wadi-flac", .flac = "flac"};
    for (int c; (c = getopt(argc, argv, "n:l:p:f:j:")) != -1;) {
        if (c == 'n') s.runs = atoi(optarg);
        if (c == 'l') s.levels = optarg;
        if (c == 'p') s.program = optarg;
        if (c == 'f') s.flac = optarg;
        if (c == 'j') snprintf(s.threads, sizeof s.threads, "-j%d", atoi(optarg));
        if (c == '?') return 2;
    }
    if (optind == argc || s.runs < 1 || s.runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_audio [-n RUNS] [-l LEVELS] [-p WADI_FLAC] [-f FLAC] [-j "
                        "THREADS] FILE...\n");
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
           "size ratio\twadi cpu seconds\tpeer cpu seconds\tcpu ratio\n");
    bool ok = true;
    for (const char *level = s.levels; *level != '\0'; level++) {
        result all = {0};
        for (int i = optind; i < argc; i++) {
            if (bench(&s, argv[i], *level, &all)) continue;
            fprintf(stderr, "%s -%c: a run failed\n", argv[i], *level);
            ok = false;
        }
        tell("all", &s, *level, &all);
    }
    unlink(s.ours);
    unlink(s.peer);
    rmdir(folder);
    return ok ? 0 : 1;
}
