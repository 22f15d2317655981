/* Cutting texts, and running a compiler for each part. */
#include "codegen/build/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/outfile.h"
#include "base/task.h"
#include "base/text.h"
#include "base/thread.h"
#include "codegen/build/cc.h"

enum {
    PATH_ROOM = 1024,
    WORTH_BYTES =
        8000, /* of kernels: a part that takes a tenth of a second, four times what it costs to begin one */
    MANY_KERNELS = 96 /* of one body; a body of few operators has no more than a dozen each */
};

/* ---- cutting ---- */

/* How long the compiler has to do with the kernel at `at`, which ends at `next` (NULL: with the text): by its bytes, if it is a function of its
 * own. One that shares the function of another costs next to nothing. */
static size_t work_of(const char *at, const char *next) {
    const size_t bytes = next != NULL ? (size_t)(next - at) : strlen(at);
    return memchr(at, '{', bytes) != NULL ? bytes : 0;
}

/* Of all kernels from `first` on; *out_kernels: how many. */
static size_t work_of_all(const char *first, const char *mark, int *out_kernels) {
    size_t work = 0;
    for (const char *at = first, *next; at != NULL; at = next, ++*out_kernels) {
        next = strstr(at + 1, mark);
        work += work_of(at, next);
    }
    return work;
}

wadi_parts wadi_parts_of(const char *text, const char *mark, int processors) {
    const size_t length = strlen(text);
    const char *first = strstr(text, mark);
    wadi_parts p = {
        .text = text, .n = 1, .shared = first != NULL ? (size_t)(first - text) : length};
    int kernels = 0;
    const size_t work = work_of_all(first, mark, &kernels);
    size_t most = work / WORTH_BYTES, done = 0;
    if (most > (size_t)processors) most = (size_t)processors;
    if (most > WADI_PARTS_MAX) most = WADI_PARTS_MAX;
    p.begin[0] = p.shared;
    for (const char *at = first, *next; at != NULL; at = next) {
        next = strstr(at + 1, mark);
        if ((size_t)p.n < most && done * most >= work * (size_t)p.n)
            p.begin[p.n++] = (size_t)(at - text);
        done += work_of(at, next);
    }
    p.begin[p.n] = length;
    p.brief = kernels >= MANY_KERNELS;
    return p;
}

/* ---- compiling ---- */

typedef struct part {
    const wadi_parts *all;
    const wadi_image_builder *cc;
    const char *last, *folder;
    const char *object; /* the shared object */
    bool gently;
    int number;
    wadi_task task; /* of whoever waits */
    wadi_status st;
    wadi_error err;
} part;

static void name_of(const char *folder, int number, const char *ending, char out[PATH_ROOM]) {
    (void)snprintf(out, PATH_ROOM, "%.900s/kernel_%d.%s", folder, number, ending);
}

static wadi_status write_part(part *p, const char *path) {
    const wadi_outfile_options options = {.mode = 0600, .sync = WADI_SYNC_NEVER};
    const wadi_parts *all = p->all;
    const size_t begin = all->begin[p->number], end = all->begin[p->number + 1];
    wadi_text t = {0};
    wadi_text_add_n(&t, all->text, all->shared);
    wadi_text_add_n(&t, all->text + begin, end - begin);
    if (p->number == all->n - 1) wadi_text_add(&t, p->last);
    const wadi_status st = t.failed ? wadi_fail(&p->err, WADI_MEMORY, "kernels: out of memory")
                                    : wadi_outfile_put(path, t.at, t.n, &options, &p->err);
    wadi_text_fini(&t);
    return st;
}

/* Of several, to an object; of one, to the shared object itself. */
static void compile_part(void *env) {
    part *p = env;
    const bool alone = p->all->n == 1;
    char source[PATH_ROOM], object[PATH_ROOM];
    const wadi_task before = wadi_task_begin(p->task);
    name_of(p->folder, p->number, "c", source);
    name_of(p->folder, p->number, "o", object);
    p->st = write_part(p, source);
    if (p->st == WADI_OK) {
        const wadi_cc_call call = {.inputs = {source},
                                   .output = alone ? p->object : object,
                                   .tmpdir = p->folder,
                                   .gently = p->gently,
                                   .part = !alone,
                                   .brief = p->all->brief};
        p->st = wadi_cc_run(p->cc, &call, &p->err);
    }
    wadi_task_end(before);
}

static wadi_status compile_all(part *parts, int n, wadi_error *err) {
    wadi_thread thread[WADI_PARTS_MAX] = {0};
    bool begun[WADI_PARTS_MAX] = {false};
    for (int i = 1; i < n; i++)
        begun[i] = wadi_thread_start(&thread[i], compile_part, &parts[i], NULL) == WADI_OK;
    for (int i = 0; i < n; i++)
        if (!begun[i]) compile_part(&parts[i]);
    for (int i = 1; i < n; i++) wadi_thread_join(&thread[i]);
    for (int i = 0; i < n; i++)
        if (parts[i].st != WADI_OK) {
            if (err != NULL) *err = parts[i].err;
            return parts[i].st;
        }
    return WADI_OK;
}

static wadi_status link_all(const wadi_image_builder *cc, int n, const char *folder, bool gently,
                            const char *object, wadi_error *err) {
    char name[WADI_PARTS_MAX][PATH_ROOM];
    wadi_cc_call call = {.output = object, .tmpdir = folder, .gently = gently};
    for (int i = 0; i < n; i++) {
        name_of(folder, i, "o", name[i]);
        call.inputs[i] = name[i];
    }
    return wadi_cc_run(cc, &call, err);
}

wadi_status wadi_parts_compile(const wadi_parts *p, const wadi_image_builder *cc, const char *last,
                               const char *folder, bool gently, const char *object,
                               wadi_error *err) {
    part parts[WADI_PARTS_MAX];
    for (int i = 0; i < p->n; i++)
        parts[i] = (part){.all = p,
                          .cc = cc,
                          .last = last,
                          .folder = folder,
                          .object = object,
                          .gently = gently,
                          .number = i,
                          .task = *wadi_task_now()};
    WADI_TRY(compile_all(parts, p->n, err));
    return p->n == 1 ? WADI_OK : link_all(cc, p->n, folder, gently, object, err);
}
