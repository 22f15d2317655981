/* Processes of the peers in Python. See python.h. */
#include "bench/arrays/images/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

typedef struct folder {
    char path[96];
} folder;

static void path_of(const folder *f, const char *name, char out[128]) {
    (void)snprintf(out, 128, "%s/%s", f->path, name);
}

static wadi_status put(const folder *f, const char *name, size_t bytes, const void *from,
                       wadi_error *err) {
    char path[128];
    path_of(f, name, path);
    FILE *file = fopen(path, "wb");
    if (file == NULL) return wadi_fail(err, WADI_IO, "%s cannot be written", path);
    const bool whole = fwrite(from, 1, bytes, file) == bytes;
    return fclose(file) == 0 && whole ? WADI_OK : wadi_fail(err, WADI_IO, "%s: no room", path);
}

static wadi_status get(const folder *f, const char *name, size_t bytes, void *to, wadi_error *err) {
    char path[128];
    path_of(f, name, path);
    FILE *file = fopen(path, "rb");
    if (file == NULL) return wadi_fail(err, WADI_IO, "%s has no result", name);
    const bool whole = fread(to, 1, bytes, file) == bytes && fgetc(file) == EOF;
    (void)fclose(file);
    return whole ? WADI_OK : wadi_fail(err, WADI_IO, "%s: the result has another size", name);
}

static void clear(const folder *f, const image_line *l) {
    char path[128];
    for (int i = 0; i < l->inputs; i++) {
        path_of(f, (const char *[]){"a", "b", "c"}[i], path);
        (void)unlink(path);
    }
    path_of(f, "result", path);
    (void)unlink(path);
    (void)rmdir(f->path);
}

/* One library: started, run once, its result compared. */
static wadi_status open_one(const bench *b, const image_line *l, const int64_t *shape, int64_t n,
                            const folder *f, const void *ours, image_pythons *out,
                            wadi_error *err) {
    char extents[80], threads[16];
    wadi_error why = {0};
    int used = 0;
    for (int d = 0; d < l->rank; d++)
        used += snprintf(extents + used, sizeof extents - (size_t)used, d == 0 ? "%lld" : "x%lld",
                         (long long)shape[d]);
    (void)snprintf(threads, sizeof threads, "%d", b->threads);
    const char *name = out->name[out->n];
    const char *const argv[] = {
        b->python, WADI_BENCH_ARRAYS "/peers/images.py", name, l->task, threads, f->path, extents,
        NULL};
    const wadi_status status = bench_child_open(argv, &out->child[out->n], &why);
    if (status == WADI_UNSUPPORTED) {
        bench_say(b, "%s: skipping %s: %s", l->name, name, why.msg);
        return WADI_OK;
    }
    if (status != WADI_OK) return wadi_fail(err, status, "%s: %s: %s", l->name, name, why.msg);
    double unused;
    const size_t bytes = (size_t)n * (size_t)wadi_type_size(l->out);
    void *theirs = malloc(bytes + 1);
    if (theirs == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    wadi_status same = bench_child_run(out->child[out->n++], &unused, err);
    if (same == WADI_OK) same = get(f, "result", bytes, theirs, err);
    if (same == WADI_OK) same = image_same(l, n, name, ours, theirs, err);
    free(theirs);
    return same;
}

static wadi_status open_all(const bench *b, const image_line *l, const int64_t *shape, int64_t n,
                            void *const in[IMAGE_INPUTS], const folder *f, const void *ours,
                            image_pythons *out, wadi_error *err) {
    const size_t bytes = (size_t)n * (size_t)wadi_type_size(l->in);
    for (int i = 0; i < l->inputs; i++)
        WADI_TRY(put(f, (const char *[]){"a", "b", "c"}[i], bytes, in[i], err));
    for (const char *at = l->libraries; *at != '\0' && out->n < IMAGE_PYTHONS;) {
        const size_t length = strcspn(at, " ");
        (void)snprintf(out->name[out->n], sizeof out->name[0], "%.*s", (int)length, at);
        WADI_TRY(open_one(b, l, shape, n, f, ours, out, err));
        at += length + (at[length] == ' ');
    }
    return WADI_OK;
}

wadi_status image_pythons_open(const bench *b, const image_line *l, const int64_t *shape, int64_t n,
                               void *const in[IMAGE_INPUTS], const void *ours, image_pythons *out,
                               wadi_error *err) {
    folder f;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(f.path, sizeof f.path, "%.60s/wadi-images-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(f.path) == NULL) return wadi_fail(err, WADI_IO, "%s: cannot be made", f.path);
    const wadi_status status = open_all(b, l, shape, n, in, &f, ours, out, err);
    clear(&f, l);
    return status;
}

void image_pythons_close(image_pythons *p) {
    for (int i = 0; i < IMAGE_PYTHONS; i++) bench_child_close(p->child[i]);
}
