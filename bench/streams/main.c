/* bench_streams: wadi's streaming benchmarks against other programs, on the same data in the same run.
 *
 *     bench_streams [--only NAME,...] [--case TEXT] [--quick] [--threads N] [--runs N] [--data DIR]
 *                   [--python PROGRAM] [--mkl LIBRARY] [--list]
 *
 * What is printed: report.h. How to get the peers: bench/README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <getopt.h>

#include "base/error.h"
#include "bench/streams/benchmarks.h"

typedef struct benchmark {
    const char *name;
    wadi_status (*run)(bench *b, wadi_error *err);
    const char *about;
} benchmark;

/* A new benchmark is a file, its prototype in benchmarks.h, and a line here. */
static const benchmark benchmarks[] = {
    {"bounded", bench_bounded, "20 GiB through a memory budget of 256 MiB"},
    {"roof", bench_roof, "what the memory of this machine gives"},
    {"fft", bench_fft, "32 x 32 Fourier transforms, foreign, regular, irregular"},
    {"md5", bench_md5, "MD5 digests of dictionary words"},
    {"smvm", bench_smvm, "sparse matrix times vector, rows as a stream"},
    {"pagerank", bench_pagerank, "ranks of a graph's nodes, the links to one as an element"},
    {"ragged", bench_ragged, "mean, variance, least and greatest of ragged rows"},
    {"windows", bench_windows, "features of sliding windows over sound"},
    {"scatter", bench_scatter, "patches added to a large grid"},
    {"policies", bench_policies, "chunk policies against the best fixed chunk size"},
    {"start", bench_start, "runs with next to nothing to do against a parallel region"},
    {"overhead", bench_overhead, "rows through map_seq against the whole array at once"},
    {"quicksort", bench_quicksort, "sorting ragged rows by a lifted awhile"},
};
enum { COUNT = sizeof benchmarks / sizeof benchmarks[0] };

static const char usage[] =
    "usage: bench_streams [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --schedules        wadi's choice of a schedule against each forced one, instead of peers\n"
    "  --threads N        for wadi and peers; default: one per processor\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --data DIR         real data; default: WADI_TEST_DATA\n"
    "  --python PROGRAM   Python with numpy and scipy; default: WADI_BENCH_PYTHON or python3\n"
    "  --mkl LIBRARY      libmkl_rt; default: WADI_BENCH_MKL or libmkl_rt.so.2\n"
    "  --list             names the benchmarks\n";

static const char *environment(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

/* Whether `name` is one of the comma-separated names; NULL holds all. */
static bool listed(const char *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = names; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0')) return true;
    }
    return names == NULL;
}

/* The first name that no benchmark has; NULL: all are known. */
static const char *unknown(const char *names) {
    static char name[64];
    for (const char *at = names; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, at);
        int i = 0;
        while (i < COUNT && strcmp(benchmarks[i].name, name) != 0) i++;
        if (i == COUNT) return name;
        at += n + (at[n] == ',');
    }
    return NULL;
}

static void list(void) {
    for (int i = 0; i < COUNT; i++) {
        (void)printf("%-10s %s\n", benchmarks[i].name, benchmarks[i].about);
    }
}

static int run_all(bench *b, const char *only) {
    int failed = 0;
    for (int i = 0; i < COUNT; i++) {
        if (!listed(only, benchmarks[i].name)) continue;
        wadi_error err = {0};
        if (benchmarks[i].run(b, &err) == WADI_OK) continue;
        (void)fprintf(stderr, "%s: %s\n", benchmarks[i].name, err.msg);
        failed = 1;
    }
    bench_table(b);
    wadi_vec_free(&b->rows);
    return failed;
}

/* Fills `b` from the command line; -1: go on, otherwise the exit status. */
static int parse(int argc, char **argv, bench *b, const char **out_only) {
    static const struct option options[] = {
        {"only", 1, NULL, 'o'},      {"case", 1, NULL, 'c'},    {"quick", 0, NULL, 'q'},
        {"schedules", 0, NULL, 's'}, {"threads", 1, NULL, 't'}, {"runs", 1, NULL, 'r'},
        {"data", 1, NULL, 'd'},      {"python", 1, NULL, 'p'},  {"mkl", 1, NULL, 'm'},
        {"list", 0, NULL, 'l'},      {"help", 0, NULL, 'h'},    {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'o':
            *out_only = optarg;
            break;
        case 'c':
            b->select = optarg;
            break;
        case 'q':
            b->quick = true;
            break;
        case 's':
            b->schedules = true;
            break;
        case 't':
            b->threads = atoi(optarg);
            break;
        case 'r':
            b->runs = atoi(optarg);
            break;
        case 'd':
            b->data = optarg;
            break;
        case 'p':
            b->python = optarg;
            break;
        case 'm':
            b->mkl = optarg;
            break;
        case 'l':
            list();
            return 0;
        case 'h':
            (void)fputs(usage, stdout);
            return 0;
        default:
            (void)fputs(usage, stderr);
            return 2;
        }
    }
    if (unknown(*out_only) != NULL) {
        (void)fprintf(stderr, "bench_streams: no benchmark \"%s\"\n", unknown(*out_only));
        return 2;
    }
    if (b->runs >= 1 && b->threads >= 1 && optind == argc) return -1;
    (void)fputs(usage, stderr);
    return 2;
}

/* GCC's OpenMP reads its environment before main does anything. */
static void start_again_with(const char *name, const char *value, char **argv) {
    if (getenv(name) != NULL || setenv(name, value, 0) != 0) return;
    (void)execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
    /* The threads of OpenMP spin after their work, Intel's for 200 ms, in the way of whoever is measured next. */
    start_again_with("GOMP_SPINCOUNT", "30000", argv);
    (void)setenv("KMP_BLOCKTIME", "2", 0);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bench b = {.threads = processors > 0 ? (int)processors : 1,
               .runs = 5,
               .data = environment("WADI_TEST_DATA", NULL),
               .python = environment("WADI_BENCH_PYTHON", "python3"),
               .mkl = environment("WADI_BENCH_MKL", "libmkl_rt.so.2")};
    const char *only = NULL;
    const int done = parse(argc, argv, &b, &only);
    return done >= 0 ? done : run_all(&b, only);
}
