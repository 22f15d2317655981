/* bench_gridding: wadi-grid's methods against other gridders and in their several forms, on the same data in the same run.
 *
 *     bench_gridding [--only NAME,...] [--case TEXT] [--quick] [--threads N] [--runs N] [--data DIR] [--python PROGRAM] [--list]
 *
 * What is printed: bench/streams/report.h. How to get the peers: bench/README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <getopt.h>

#include "base/error.h"
#include "bench/gridding/gridding.h"

typedef struct benchmark {
    const char *name;
    wadi_status (*run)(bench *b, wadi_error *err);
    const char *about;
} benchmark;

/* A new benchmark is a file, its prototype in gridding.h, and a line here. */
static const benchmark benchmarks[] = {
    {"wstack", bench_wstack, "w-stacking against ducc0's wgridder"},
    {"paper", bench_paper, "kernels made for each visibility (paper 001, Table 3)"},
    {"compile", bench_compile, "what compiling them anew costs (Table 5)"},
};
enum { COUNT = sizeof benchmarks / sizeof benchmarks[0] };

static const char usage[] =
    "usage: bench_gridding [options]\n"
    "  --only NAME,...    these benchmarks alone (--list names them)\n"
    "  --case TEXT        only cases whose name contains TEXT\n"
    "  --quick            tiny sizes: checks results, measures nothing\n"
    "  --threads N        for wadi and peers; default: one per processor\n"
    "  --runs N           timed rounds at least; default 5\n"
    "  --data DIR         real data; default: WADI_TEST_DATA\n"
    "  --python PROGRAM   Python with ducc0; default: WADI_BENCH_PYTHON or python3\n"
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
    static const struct option options[] = {{"only", 1, NULL, 'o'},   {"case", 1, NULL, 'c'},
                                            {"quick", 0, NULL, 'q'},  {"threads", 1, NULL, 't'},
                                            {"runs", 1, NULL, 'r'},   {"data", 1, NULL, 'd'},
                                            {"python", 1, NULL, 'p'}, {"list", 0, NULL, 'l'},
                                            {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
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
        (void)fprintf(stderr, "bench_gridding: no benchmark \"%s\"\n", unknown(*out_only));
        return 2;
    }
    if (b->runs >= 1 && b->threads >= 1 && optind == argc) return -1;
    (void)fputs(usage, stderr);
    return 2;
}

int main(int argc, char **argv) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bench b = {.threads = processors > 0 ? (int)processors : 1,
               .runs = 5,
               .data = environment("WADI_TEST_DATA", NULL),
               .python = environment("WADI_BENCH_PYTHON", "python3")};
    const char *only = NULL;
    const int done = parse(argc, argv, &b, &only);
    return done >= 0 ? done : run_all(&b, only);
}
