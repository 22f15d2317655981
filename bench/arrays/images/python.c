/* Processes of the peers in Python. See python.h. */
#include "bench/arrays/images/python.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench/streams/folder.h"

static const char *const input_names[IMAGE_INPUTS] = {"a", "b", "c"};

/* One library: started, run once, its result compared. */
static wadi_status open_one(const bench *b, const image_line *l, const int64_t *shape, int64_t n,
                            const bench_folder *f, const void *ours, image_pythons *out,
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
    if (same == WADI_OK) same = bench_folder_get(f, "result", theirs, bytes, err);
    if (same == WADI_OK) same = image_same(l, n, name, ours, theirs, err);
    free(theirs);
    return same;
}

static wadi_status open_all(const bench *b, const image_line *l, const int64_t *shape, int64_t n,
                            void *const in[IMAGE_INPUTS], const bench_folder *f, const void *ours,
                            image_pythons *out, wadi_error *err) {
    const size_t bytes = (size_t)n * (size_t)wadi_type_size(l->in);
    for (int i = 0; i < l->inputs; i++)
        WADI_TRY(bench_folder_put(f, input_names[i], in[i], bytes, err));
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
    bench_folder f;
    WADI_TRY(bench_folder_make("bench_images", &f, err));
    const wadi_status status = open_all(b, l, shape, n, in, &f, ours, out, err);
    bench_folder_remove(&f);
    return status;
}

void image_pythons_close(image_pythons *p) {
    for (int i = 0; i < IMAGE_PYTHONS; i++) bench_child_close(p->child[i]);
}
