/* Writing bundles. Everything is in memory until the file is written, in one step (base/outfile.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder_lock.h"
#include "base/hash.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "codegen/build/bundle.h"

enum { DIGEST = WADI_BUNDLE_DIGEST, HEADER = WADI_BUNDLE_HEADER, ROW = WADI_BUNDLE_ROW };

typedef struct thing {
    wadi_bundle_entry entry;
    char *bytes; /* [entry.size] */
} thing;

struct wadi_bundle_writer {
    char *path;
    char stamp[WADI_BUNDLE_STAMP];
    WADI_VEC(thing) things;
};

static wadi_status no_memory(const wadi_bundle_writer *w, wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "kernels: %s: out of memory",
                     w != NULL && w->path != NULL ? w->path : "a bundle");
}

/* ---- things ---- */

static thing *find(const wadi_bundle_writer *w, const uint8_t key[DIGEST]) {
    for (size_t i = 0; i < w->things.n; i++)
        if (memcmp(w->things.at[i].entry.key, key, DIGEST) == 0) return &w->things.at[i];
    return NULL;
}

bool wadi_bundle_writer_has(const wadi_bundle_writer *w, const uint8_t key[DIGEST]) {
    return find(w, key) != NULL;
}

/* Takes the bytes in any case. */
static wadi_status put(wadi_bundle_writer *w, const wadi_bundle_entry *e, char *owned_bytes,
                       size_t n, wadi_error *err) {
    thing t = {.bytes = owned_bytes};
    thing *old = find(w, e->key);
    memcpy(t.entry.key, e->key, DIGEST);
    memcpy(t.entry.target, e->target, sizeof t.entry.target);
    memcpy(t.entry.label, e->label, sizeof t.entry.label);
    t.entry.size = n;
    wadi_status st = wadi_blake2b(owned_bytes, n, t.entry.digest);
    if (st == WADI_OK && old != NULL) {
        free(old->bytes);
        *old = t;
        return WADI_OK;
    }
    if (st == WADI_OK && wadi_vec_push(&w->things, t)) return WADI_OK;
    free(owned_bytes);
    return st != WADI_OK ? st : no_memory(w, err);
}

wadi_status wadi_bundle_writer_add(wadi_bundle_writer *w, const wadi_bundle_entry *e,
                                   const char *bytes, size_t n, wadi_error *err) {
    char *copy = malloc(n + 1);
    if (copy == NULL) return no_memory(w, err);
    memcpy(copy, bytes, n);
    return put(w, e, copy, n, err);
}

/* What is there already, unless it is of no use. */
static wadi_status take_over(wadi_bundle_writer *w, wadi_error *err) {
    wadi_bundle *b = NULL;
    if (wadi_bundle_open(w->path, &b, NULL) != WADI_OK) return WADI_OK;
    wadi_status st = WADI_OK;
    for (size_t i = 0; i < wadi_bundle_count(b) && st == WADI_OK; i++) {
        const wadi_bundle_entry *e = wadi_bundle_at(b, i);
        char *bytes = NULL;
        if (find(w, e->key) == NULL && wadi_bundle_read(b, e, &bytes, NULL) == WADI_OK)
            st = put(w, e, bytes, (size_t)e->size, err);
    }
    wadi_bundle_close(b);
    return st;
}

wadi_status wadi_bundle_writer_create(const char *path, const char *stamp, wadi_bundle_writer **out,
                                      wadi_error *err) {
    wadi_bundle_writer *w = calloc(1, sizeof *w);
    wadi_status st = WADI_OK;
    if (w != NULL) w->path = strdup(path);
    if (w == NULL || w->path == NULL) {
        st = no_memory(w, err);
    } else {
        (void)snprintf(w->stamp, sizeof w->stamp, "%s",
                       stamp != NULL ? stamp : wadi_bundle_stamp());
        st = take_over(w, err);
    }
    if (st != WADI_OK) {
        wadi_bundle_writer_destroy(w);
        return st;
    }
    *out = w;
    return WADI_OK;
}

void wadi_bundle_writer_destroy(wadi_bundle_writer *w) {
    if (w == NULL) return;
    for (size_t i = 0; i < w->things.n; i++) free(w->things.at[i].bytes);
    wadi_vec_free(&w->things);
    free(w->path);
    free(w);
}

/* ---- the file ---- */

static void put_number(char *at, uint64_t x) {
    for (int i = 0; i < 8; i++) at[i] = (char)(uint8_t)(x >> 8 * i);
}

static int by_key(const void *a, const void *b) {
    return memcmp(((const thing *)a)->entry.key, ((const thing *)b)->entry.key, DIGEST);
}

/* Where each thing goes. Returns the bytes of the file. */
static uint64_t place(wadi_bundle_writer *w) {
    uint64_t at = HEADER + w->things.n * ROW;
    for (size_t i = 0; i < w->things.n; i++) {
        w->things.at[i].entry.begin = at;
        at += w->things.at[i].entry.size;
    }
    return at;
}

static void put_row(char *at, const wadi_bundle_entry *e) {
    memcpy(at, e->key, DIGEST);
    memcpy(at + 32, e->digest, DIGEST);
    put_number(at + 64, e->begin);
    put_number(at + 72, e->size);
    memcpy(at + 80, e->target, sizeof e->target);
    memcpy(at + 80 + sizeof e->target, e->label, sizeof e->label);
}

static wadi_status fill(const wadi_bundle_writer *w, char *all, uint64_t size) {
    const size_t n = HEADER + w->things.n * ROW;
    uint8_t digest[DIGEST];
    memcpy(all, WADI_BUNDLE_MAGIC, 8);
    put_number(all + 8, size);
    put_number(all + 16, w->things.n);
    memcpy(all + 24, w->stamp, sizeof w->stamp);
    for (size_t i = 0; i < w->things.n; i++) {
        const thing *t = &w->things.at[i];
        put_row(all + HEADER + i * ROW, &t->entry);
        memcpy(all + t->entry.begin, t->bytes, (size_t)t->entry.size);
    }
    WADI_TRY(wadi_bundle_seal(all, n, digest));
    memcpy(all + HEADER - DIGEST, digest, DIGEST);
    return WADI_OK;
}

static wadi_status write_all(wadi_bundle_writer *w, wadi_error *err) {
    const wadi_outfile_options options = {.mode = 0644, .sync = WADI_SYNC_NEVER};
    WADI_TRY(take_over(w, err)); /* what others have added meanwhile */
    if (w->things.n > 0) qsort(w->things.at, w->things.n, sizeof w->things.at[0], by_key);
    const uint64_t size = place(w);
    char *all = calloc(1, (size_t)size);
    if (all == NULL) return no_memory(w, err);
    wadi_status st = fill(w, all, size);
    if (st == WADI_OK) st = wadi_outfile_put(w->path, all, (size_t)size, &options, err);
    free(all);
    return st;
}

/* Reading what is there and replacing it are two steps, between which another process could add something. */
wadi_status wadi_bundle_writer_write(wadi_bundle_writer *w, wadi_error *err) {
    const int lock = wadi_folder_lock(w->path);
    const wadi_status st = write_all(w, err);
    wadi_folder_unlock(lock);
    return st;
}
