/* The process of peers in Python, and files for it. See python.h. */
#include "bench/arrays/numbers/python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/folder.h"

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

static wadi_status hand_over(const numbers_line *l, const bench_folder *f, wadi_error *err) {
    char file[64], question[160];
    double unused = 0;
    for (int i = 0; i < NUMBERS_INPUTS && l->input_name[i] != NULL; i++) {
        const wadi_array *a = &l->input[i];
        (void)snprintf(file, sizeof file, "%s.%s", l->input_name[i], wadi_type_name(a->type[0]));
        WADI_TRY(bench_folder_put(f, file, a->column[0],
                                  (size_t)a->shape[0] * (size_t)wadi_type_size(a->type[0]), err));
    }
    (void)snprintf(question, sizeof question, "load %s %s %lld", l->task, f->path,
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
    bench_folder f;
    *out_n = 0;
    if (l->task == NULL || !bench_has_peers(b)) return WADI_OK;
    open_child(b);
    if (child == NULL) return WADI_OK;
    WADI_TRY(bench_folder_make("bench_numbers", &f, err));
    const wadi_status status = hand_over(l, &f, err);
    bench_folder_remove(&f);
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
