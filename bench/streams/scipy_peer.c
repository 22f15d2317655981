/* Arrays go to the child, and come back, as raw files in one temporary folder. See scipy_peer.h and peers.py. */
#include "bench/streams/scipy_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/child.h"
#include "bench/streams/folder.h"

struct bench_python {
    bench_folder folder;
    bench_child *child;
};

static wadi_status put_all(const bench_python *p, const wadi_csr *m, const double *x,
                           wadi_error *err) {
    const size_t rows = (size_t)m->rows, entries = (size_t)m->entries;
    const bench_folder *f = &p->folder;
    WADI_TRY(bench_folder_put(f, "offsets", m->offsets, (rows + 1) * sizeof(int64_t), err));
    WADI_TRY(bench_folder_put(f, "index", m->index, entries * sizeof(int32_t), err));
    if (m->values != NULL) {
        WADI_TRY(bench_folder_put(f, "values", m->values, entries * sizeof(double), err));
    }
    if (x == NULL) return WADI_OK;
    return bench_folder_put(f, "x", x, (size_t)m->columns * sizeof(double), err);
}

static wadi_status start(const bench *b, const char *task, const char *folder, const wadi_csr *m,
                         bench_child **out, wadi_error *err) {
    char rows[32], columns[32];
    (void)snprintf(rows, sizeof rows, "%lld", m != NULL ? (long long)m->rows : 0);
    (void)snprintf(columns, sizeof columns, "%lld", m != NULL ? (long long)m->columns : 0);
    const char *const argv[] = {
        b->python, WADI_BENCH_SCRIPTS "/peers.py", task, folder, rows, columns, NULL};
    return bench_child_open(argv, out, err);
}

/* Before gigabytes are written for a program that is not there. */
static wadi_status is_there(const bench *b, wadi_error *err) {
    bench_child *child = NULL;
    WADI_TRY(start(b, "check", "", NULL, &child, err));
    bench_child_close(child);
    return WADI_OK;
}

wadi_status bench_python_open(const bench *b, const char *task, const wadi_csr *m, const double *x,
                              bench_python **out, wadi_error *err) {
    WADI_TRY(is_there(b, err));
    bench_python *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status status = bench_folder_make("bench_streams", &p->folder, err);
    if (status == WADI_OK) status = put_all(p, m, x, err);
    if (status == WADI_OK) status = start(b, task, p->folder.path, m, &p->child, err);
    if (status != WADI_OK) {
        bench_python_close(p);
        return status;
    }
    *out = p;
    return WADI_OK;
}

wadi_status bench_python_run(void *env, double *out_seconds, wadi_error *err) {
    const bench_python *p = env;
    return bench_child_run(p->child, out_seconds, err);
}

wadi_status bench_python_result(const bench_python *p, int64_t n, double *out, wadi_error *err) {
    return bench_folder_get(&p->folder, "result", out, (size_t)n * sizeof *out, err);
}

void bench_python_close(bench_python *p) {
    if (p == NULL) return;
    bench_child_close(p->child);
    bench_folder_remove(&p->folder);
    free(p);
}
