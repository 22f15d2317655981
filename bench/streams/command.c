/* Reading the command line of a program of benchmarks. */
#include "bench/streams/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

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
static const char *unknown(const bench_command *c, const char *names) {
    static char name[64];
    for (const char *at = names; at != NULL && *at != '\0';) {
        const size_t n = strcspn(at, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)n, at);
        const bench_entry *e = c->entries;
        while (e->name != NULL && strcmp(e->name, name) != 0) e++;
        if (e->name == NULL) return name;
        at += n + (at[n] == ',');
    }
    return NULL;
}

static void list(const bench_command *c) {
    for (const bench_entry *e = c->entries; e->name != NULL; e++)
        (void)printf("%-10s %s\n", e->name, e->about);
}

static int run_all(const bench_command *c, bench *b, const char *only) {
    int failed = 0;
    for (const bench_entry *e = c->entries; e->name != NULL; e++) {
        if (!listed(only, e->name)) continue;
        wadi_error err = {0};
        if (e->run(b, &err) == WADI_OK) continue;
        (void)fprintf(stderr, "%s: %s\n", e->name, err.msg);
        failed = 1;
    }
    bench_table(b);
    wadi_vec_free(&b->rows);
    return failed || b->failures > 0;
}

static const struct option common[] = {{"only", 1, NULL, 'o'},  {"case", 1, NULL, 'c'},
                                       {"quick", 0, NULL, 'q'}, {"threads", 1, NULL, 't'},
                                       {"runs", 1, NULL, 'r'},  {"seconds", 1, NULL, 'S'},
                                       {"data", 1, NULL, 'd'},  {"python", 1, NULL, 'p'},
                                       {"list", 0, NULL, 'l'},  {"help", 0, NULL, 'h'}};
enum { COMMON = sizeof common / sizeof common[0], MOST = 2 /* further ones of a program */ };

static void set_options(const bench_command *c, struct option *out) {
    memcpy(out, common, sizeof common);
    for (int i = 0; c->more != NULL && i < MOST && c->more[i].name != NULL; i++)
        out[COMMON + i] = c->more[i];
}

/* Fills `b` from the command line; -1: go on, otherwise the exit status. */
static int parse(const bench_command *c, int argc, char **argv, bench *b, const char **out_only) {
    struct option options[COMMON + MOST + 1] = {{0}};
    set_options(c, options);
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
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
        case 'S':
            b->deadline_ns = wadi_clock_ns() + (int64_t)(1e9 * atof(optarg));
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
        case 'M':
            b->minutes = atof(optarg);
            break;
        case 'l':
            list(c);
            return 0;
        case 'h':
            (void)fputs(c->usage, stdout);
            return 0;
        default:
            (void)fputs(c->usage, stderr);
            return 2;
        }
    }
    const char *name = unknown(c, *out_only);
    if (name != NULL) {
        (void)fprintf(stderr, "%s: no benchmark \"%s\"\n", c->program, name);
        return 2;
    }
    if (b->runs >= 1 && b->threads >= 1 && optind == argc) return -1;
    (void)fputs(c->usage, stderr);
    return 2;
}

/* GCC's OpenMP reads its environment before main does anything. */
static void start_again_with(const char *name, const char *value, char **argv) {
    if (getenv(name) != NULL || setenv(name, value, 0) != 0) return;
    (void)execv("/proc/self/exe", argv);
}

int bench_command_run(const bench_command *c, int argc, char **argv) {
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
    const int done = parse(c, argc, argv, &b, &only);
    return done >= 0 ? done : run_all(c, &b, only);
}
