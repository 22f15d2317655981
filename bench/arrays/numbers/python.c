/* The process of peers in Python, and files for it. See python.h. */
#include "bench/arrays/numbers/python.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* One for the program; NULL: not started, or not there. */
static bench_child *child;
static bool tried;

static void open_child(const bench *b) {
    char threads[16];
    wadi_error why = {0};
    if (tried) return;
    tried = true;
    (void)snprintf(threads, sizeof threads, "%d", b->threads);
    const char *const argv[] = {b->python, WADI_BENCH_ARRAYS "/peers/arrays.py", threads, NULL};
    if (bench_child_open(argv, &child, &why) == WADI_OK) return;
    child = NULL;
    bench_say(b, "skipping all peers in Python: %s", why.msg);
}

void numbers_end(void) {
    bench_child_close(child);
    child = NULL;
    tried = false;
}

static wadi_status put(const char *path, const wadi_array *a, wadi_error *err) {
    const size_t bytes = (size_t)a->shape[0] * (size_t)wadi_type_size(a->type[0]);
    FILE *f = fopen(path, "wb");
    const bool written = f != NULL && fwrite(a->column[0], 1, bytes, f) == bytes;
    const bool closed = f != NULL && fclose(f) == 0;
    if (written && closed) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
}

static void path_of(const numbers_line *l, int i, const char *folder, char *out, size_t n) {
    (void)snprintf(out, n, "%s/%s.%s", folder, l->input_name[i],
                   wadi_type_name(l->input[i].type[0]));
}

static wadi_status hand_over(const numbers_line *l, const char *folder, wadi_error *err) {
    char path[128], question[160];
    double unused = 0;
    for (int i = 0; i < NUMBERS_INPUTS && l->input_name[i] != NULL; i++) {
        path_of(l, i, folder, path, sizeof path);
        WADI_TRY(put(path, &l->input[i], err));
    }
    (void)snprintf(question, sizeof question, "load %s %s %lld", l->task, folder,
                   (long long)l->extra);
    return bench_child_ask(child, question, &unused, err);
}

static void split(const char *names, numbers_library *out, int *out_n) {
    char name[16];
    int length = 0;
    for (const char *at = names; sscanf(at, " %15s%n", name, &length) == 1; at += length) {
        numbers_library *p = &out[(*out_n)++];
        *p = (numbers_library){.there = true};
        memcpy(p->name, name, sizeof name);
        (void)snprintf(p->question, sizeof p->question, "run %s", name);
        if (*out_n == NUMBERS_LIBRARIES) return;
    }
}

wadi_status numbers_libraries_load(const bench *b, const numbers_line *l, numbers_library *out,
                                   int *out_n, wadi_error *err) {
    char path[128];
    char folder[] = "/dev/shm/bench_numbers.XXXXXX", other[] = "/tmp/bench_numbers.XXXXXX";
    *out_n = 0;
    if (l->task == NULL || !bench_has_peers(b)) return WADI_OK;
    open_child(b);
    if (child == NULL) return WADI_OK;
    const char *at = mkdtemp(folder) != NULL ? folder : mkdtemp(other);
    if (at == NULL) return wadi_fail(err, WADI_IO, "%s: %s", other, strerror(errno));
    const wadi_status status = hand_over(l, at, err);
    for (int i = 0; i < NUMBERS_INPUTS && l->input_name[i] != NULL; i++) {
        path_of(l, i, at, path, sizeof path);
        (void)unlink(path);
    }
    (void)rmdir(at);
    if (status == WADI_OK) split(l->libraries, out, out_n);
    return status;
}

wadi_status numbers_library_check(const bench *b, const char *name, numbers_library *p, double sum,
                                  double tolerance, wadi_error *err) {
    wadi_error why = {0};
    double unused = 0;
    const wadi_status status = bench_child_ask(child, p->question, &unused, &why);
    if (status == WADI_UNSUPPORTED) {
        p->there = false;
        bench_say(b, "%s: skipping %s: %s", name, p->name, why.msg);
        return WADI_OK;
    }
    if (status != WADI_OK) return wadi_fail(err, status, "%s", why.msg);
    const double theirs = bench_child_number(child);
    if (fabs(theirs - sum) <= tolerance) return WADI_OK;
    return wadi_fail(err, WADI_INTERNAL, "%s, %s: results sum up to %.17g, those of wadi to %.17g",
                     name, p->name, theirs, sum);
}

wadi_status numbers_library_run(void *env, double *out_seconds, wadi_error *err) {
    const numbers_library *p = env;
    return bench_child_ask(child, p->question, out_seconds, err);
}
