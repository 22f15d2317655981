/* Arrays go to the child, and come back, as raw files in one temporary folder. See scipy_peer.h and peers.py. */
#include "bench/streams/scipy_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/streams/child.h"

static const char *const files[] = {"offsets", "index", "values", "x", "result"};
enum { FILES = sizeof files / sizeof files[0] };

struct bench_python {
    char folder[256];
    bench_child *child;
};

static void path_of(const bench_python *p, const char *file, char *out, size_t n) {
    (void)snprintf(out, n, "%s/%s", p->folder, file);
}

static wadi_status put(const bench_python *p, const char *file, const void *data, size_t bytes,
                       wadi_error *err) {
    char path[300];
    path_of(p, file, path, sizeof path);
    FILE *f = fopen(path, "wb");
    const bool written = f != NULL && fwrite(data, 1, bytes, f) == bytes;
    const bool closed = f != NULL && fclose(f) == 0;
    if (written && closed) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
}

/* In memory where the system has a folder for that. */
static wadi_status make_folder(bench_python *p, wadi_error *err) {
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(p->folder, sizeof p->folder, "%s/bench_streams.XXXXXX", shared);
    if (mkdtemp(p->folder) != NULL) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", p->folder, strerror(errno));
}

static wadi_status put_all(const bench_python *p, const wadi_csr *m, const double *x,
                           wadi_error *err) {
    const size_t rows = (size_t)m->rows, entries = (size_t)m->entries;
    WADI_TRY(put(p, "offsets", m->offsets, (rows + 1) * sizeof(int64_t), err));
    WADI_TRY(put(p, "index", m->index, entries * sizeof(int32_t), err));
    if (m->values != NULL) {
        WADI_TRY(put(p, "values", m->values, entries * sizeof(double), err));
    }
    if (x == NULL) return WADI_OK;
    return put(p, "x", x, (size_t)m->columns * sizeof(double), err);
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
    wadi_status status = make_folder(p, err);
    if (status == WADI_OK) status = put_all(p, m, x, err);
    if (status == WADI_OK) status = start(b, task, p->folder, m, &p->child, err);
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
    char path[300];
    char *data = NULL;
    size_t bytes = 0;
    path_of(p, "result", path, sizeof path);
    WADI_TRY(wadi_file_read(path, &data, &bytes, err));
    const bool fits = bytes == (size_t)n * sizeof *out;
    if (fits) memcpy(out, data, bytes);
    free(data);
    if (fits) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %zu bytes for %lld values", path, bytes, (long long)n);
}

void bench_python_close(bench_python *p) {
    if (p == NULL) return;
    bench_child_close(p->child);
    for (int i = 0; i < FILES; i++) {
        char path[300];
        path_of(p, files[i], path, sizeof path);
        (void)unlink(path);
    }
    (void)rmdir(p->folder);
    free(p);
}
