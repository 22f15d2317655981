/* A kernel of several devices is a row with the code of each. Rows live as long as the image that they are of. */
#include "sched/split/images.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "sched/split/split.h"

typedef struct row {
    struct row *next;
    wadi_code part[WADI_SPLIT_MOST];
} row;

typedef struct tables {
    wadi_image_ops ops; /* the first member: its address is that of the whole */
    struct tables *next;
    int n;
    const wadi_image_ops *part[WADI_SPLIT_MOST];
} tables;

typedef struct image {
    const tables *of;
    wadi_kernels part[WADI_SPLIT_MOST];
    pthread_mutex_t lock; /* guards the list */
    row *rows;
} image;

static void unload(wadi_kernels *kernels) {
    image *m = kernels->handle;
    *kernels = (wadi_kernels){0};
    if (m == NULL) return;
    for (int p = 0; p < m->of->n; p++) m->of->part[p]->unload(&m->part[p]);
    while (m->rows != NULL) {
        row *first = m->rows;
        m->rows = first->next;
        free(first);
    }
    (void)pthread_mutex_destroy(&m->lock);
    free(m);
}

static wadi_status load(const wadi_image_ops *self, const wadi_image *bytes, const char *key,
                        wadi_kernels *out, wadi_error *err) {
    const tables *t = (const tables *)self;
    image *m = calloc(1, sizeof *m);
    wadi_status status = WADI_OK;
    *out = (wadi_kernels){0};
    if (m == NULL) return wadi_fail(err, WADI_MEMORY, "devices: out of memory");
    m->of = t;
    (void)pthread_mutex_init(&m->lock, NULL);
    for (int p = 0; p < t->n && status == WADI_OK; p++)
        status = t->part[p]->load(t->part[p], bytes, key, &m->part[p], err);
    out->handle = m;
    if (status != WADI_OK) unload(out);
    return status;
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    image *m = kernels->handle;
    wadi_status status = WADI_OK;
    row *r = calloc(1, sizeof *r);
    if (r == NULL) return wadi_fail(err, WADI_MEMORY, "devices: out of memory");
    for (int p = 0; p < m->of->n && status == WADI_OK; p++)
        status = m->of->part[p]->find(&m->part[p], name, &r->part[p], err);
    if (status != WADI_OK) {
        free(r);
        return status;
    }
    (void)pthread_mutex_lock(&m->lock);
    r->next = m->rows;
    m->rows = r;
    (void)pthread_mutex_unlock(&m->lock);
    *out = (wadi_code){(uintptr_t)r};
    return WADI_OK;
}

/* ---- tables ---- */

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static tables *all; /* until the process ends; by the guard */

static bool is_one_table(int n, const wadi_image_ops *const *part) {
    for (int p = 1; p < n; p++)
        if (part[p] != part[0]) return false;
    return true;
}

static bool is_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Whether images for one of them are images for all. */
static wadi_status check_alike(int n, const wadi_image_ops *const *part, wadi_error *err) {
    for (int p = 1; p < n; p++) {
        if (!is_same_text(part[p]->language, part[0]->language))
            return wadi_fail(err, WADI_INVALID, "devices with kernels in %s and in %s are not one",
                             part[0]->language, part[p]->language);
        if (!is_same_text(part[p]->machine, part[0]->machine))
            return wadi_fail(err, WADI_INVALID, "devices %s and %s need other kernels",
                             part[0]->machine != NULL ? part[0]->machine : "of any kind",
                             part[p]->machine != NULL ? part[p]->machine : "of any kind");
    }
    return WADI_OK;
}

/* By the guard. NULL: out of memory. */
static const tables *tables_of(int n, const wadi_image_ops *const *part) {
    for (const tables *t = all; t != NULL; t = t->next)
        if (t->n == n && memcmp(t->part, part, (size_t)n * sizeof *part) == 0) return t;
    tables *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->ops = (wadi_image_ops){part[0]->language, load, find, unload, part[0]->machine};
    t->n = n;
    memcpy(t->part, part, (size_t)n * sizeof *part);
    t->next = all;
    all = t;
    return t;
}

wadi_status wadi_split_images(int n, const wadi_image_ops *const *part, const wadi_image_ops **out,
                              wadi_error *err) {
    WADI_ASSERT(n >= 1 && n <= WADI_SPLIT_MOST);
    *out = part[0];
    if (is_one_table(n, part)) return WADI_OK;
    WADI_TRY(check_alike(n, part, err));
    (void)pthread_mutex_lock(&guard);
    const tables *t = tables_of(n, part);
    (void)pthread_mutex_unlock(&guard);
    if (t == NULL) return wadi_fail(err, WADI_MEMORY, "devices: out of memory");
    *out = &t->ops;
    return WADI_OK;
}

wadi_code wadi_split_code(const wadi_image_ops *images, wadi_code code, int part) {
    if (images->load != load || code.handle == 0) return code;
    const row *r = (const row *)code.handle;
    return r->part[part];
}
