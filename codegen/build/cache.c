/* Reading and writing cache entries. When there are very many, those used longest ago are removed. */
#include "codegen/build/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/user_cache.h"

enum { DIGEST = 32, KEY = 2 * DIGEST, ENTRIES_MAX = 5000, PATH_ROOM = 1024 };
static const char magic[8] = "wadiso3", work_prefix[] = "build-";

/* ---- the folder ---- */

typedef struct victim {
    char name[80];
    time_t used;
} victim;

static int by_use(const void *a, const void *b) {
    const time_t x = ((const victim *)a)->used, y = ((const victim *)b)->used;
    return (x > y) - (x < y);
}

/* Drops the older half of the entries once there are more than ENTRIES_MAX. Best effort: others may do the same. */
static void prune(const char *dir) {
    DIR *d = opendir(dir);
    if (!d) return;
    victim *all = NULL;
    size_t n = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char path[PATH_ROOM];
        struct stat st;
        const size_t length = strlen(e->d_name);
        if (length >= sizeof all->name || length < 3 || strcmp(e->d_name + length - 3, ".so") != 0)
            continue;
        snprintf(path, sizeof path, "%.700s/%s", dir, e->d_name);
        if (stat(path, &st) != 0) continue;
        victim *more = realloc(all, (n + 1) * sizeof *all);
        if (!more) break;
        all = more;
        snprintf(all[n].name, sizeof all[n].name, "%.79s", e->d_name);
        all[n++].used = st.st_mtime;
    }
    closedir(d);
    if (n > ENTRIES_MAX) {
        qsort(all, n, sizeof *all, by_use);
        for (size_t i = 0; i < n / 2; i++) {
            char path[PATH_ROOM];
            snprintf(path, sizeof path, "%.700s/%s", dir, all[i].name);
            (void)unlink(path);
        }
    }
    free(all);
}

/* ---- entries ---- */

/* Everything that decides the machine code, digested. */
static wadi_status entry_key(const wadi_image_builder *b, const char *source, char out_hex[KEY + 1],
                             wadi_error *err) {
    wadi_text t;
    uint8_t digest[DIGEST];
    wadi_text_init(&t);
    wadi_text_addf(&t, "%s\n", magic);
    b->target->language->identify(b, &t);
    wadi_text_add(&t, source);
    wadi_status st = WADI_OK;
    if (t.failed) st = wadi_fail(err, WADI_MEMORY, "kernel cache: out of memory");
    if (st == WADI_OK) st = wadi_blake2b(t.at, t.n, digest);
    if (st == WADI_OK) wadi_hex(digest, DIGEST, out_hex);
    wadi_text_fini(&t);
    return st;
}

/* An entry ends in its key, the digest of all before it, and the magic. */
static bool verifies(const char *data, size_t n, const char *key) {
    const size_t tail = sizeof magic + DIGEST + KEY;
    uint8_t digest[DIGEST];
    return n > tail && memcmp(data + n - sizeof magic, magic, sizeof magic) == 0 &&
           memcmp(data + n - tail, key, KEY) == 0 &&
           wadi_blake2b(data, n - sizeof magic - DIGEST, digest) == WADI_OK &&
           memcmp(data + n - sizeof magic - DIGEST, digest, DIGEST) == 0;
}

typedef struct wanted {
    const char *source;
    wadi_image_builder builder;
    char dir[PATH_ROOM / 2]; /* "": nothing can be kept */
    char path[PATH_ROOM];    /* of the entry */
    char key[KEY + 1];
} wanted;

/* Does the module say that it is what the key stands for? Closed if not. */
static bool is_module_of(const wanted *w, wadi_dl *module) {
    if (w->builder.target->language->is(module, w->key)) return true;
    wadi_dl_close(module);
    return false;
}

/* An entry that is right may still not open: where there are no descriptors or no memory left. */
typedef enum found { OPENED, ABSENT, DAMAGED, UNUSABLE } found;

/* The open file itself where it may be run, else its bytes; its name where there is no /proc. */
static found open_verified(const wanted *w, int fd, wadi_dl *out) {
    char *data = NULL;
    size_t n = 0;
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return DAMAGED;
    if (wadi_file_read_fd(fd, w->path, &data, &n, NULL) != WADI_OK) return UNUSABLE;
    found f = DAMAGED;
    if (verifies(data, n, w->key)) {
        const bool opened = wadi_dl_open_fd(out, fd, NULL) == WADI_OK ||
                            wadi_dl_open_bytes(out, data, n, NULL) == WADI_OK ||
                            wadi_dl_open(out, w->path, NULL) == WADI_OK;
        f = !opened ? UNUSABLE : is_module_of(w, out) ? OPENED : DAMAGED;
    }
    free(data);
    return f;
}

static wadi_status locate(const char *source, const wadi_target *target, wanted *w,
                          wadi_error *err) {
    w->source = source;
    w->path[0] = '\0';
    const wadi_status status = wadi_user_cache(w->dir, sizeof w->dir, err);
    if (status != WADI_OK) w->dir[0] = '\0';
    if (status == WADI_INVALID) return status;
    WADI_TRY(target->language->find(target, &w->builder, err));
    WADI_TRY(entry_key(&w->builder, source, w->key, err));
    if (w->dir[0] != '\0') snprintf(w->path, sizeof w->path, "%s/%s.so", w->dir, w->key);
    return WADI_OK;
}

static found open_entry(const wanted *w, wadi_dl *out) {
    if (w->path[0] == '\0') return ABSENT;
    const int fd = open(w->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) return UNUSABLE;
        return wadi_file_exists(w->path) ? DAMAGED : ABSENT;
    }
    const found f = open_verified(w, fd, out);
    if (f == OPENED) (void)futimens(fd, NULL); /* the time of last use, for pruning */
    (void)close(fd);
    return f;
}

/* ---- making entries ---- */

static wadi_status build_in(const wanted *w, const char *work, bool gently, wadi_image *out,
                            wadi_error *err) {
    return w->builder.target->language->build(&w->builder, w->source, w->key, work, gently, out,
                                              err);
}

/* In a private folder: the cache's, or one for what is temporary if that is full or not there. */
static wadi_status compile(const wanted *w, bool gently, wadi_image *out, wadi_error *err) {
    wadi_folder work;
    if (w->dir[0] == '\0' || wadi_folder_make(w->dir, work_prefix, &work, NULL) != WADI_OK) {
        (void)wadi_folder_sweep(wadi_folder_parent(), "wadi-build-");
        WADI_TRY(wadi_folder_make(wadi_folder_parent(), "wadi-build-", &work, err));
    }
    const wadi_status status = build_in(w, work.path, gently, out, err);
    wadi_folder_remove(&work);
    return status;
}

/* Adds what an entry ends in. */
static wadi_status seal(const wanted *w, wadi_image *o, wadi_error *err) {
    char *more = realloc(o->bytes, o->n + KEY + DIGEST + sizeof magic);
    if (!more) return wadi_fail(err, WADI_MEMORY, "kernel cache: out of memory");
    o->bytes = more;
    memcpy(more + o->n, w->key, KEY);
    o->n += KEY;
    WADI_TRY(wadi_blake2b(more, o->n, (uint8_t *)more + o->n));
    memcpy(more + o->n + DIGEST, magic, sizeof magic);
    o->n += DIGEST + sizeof magic;
    return WADI_OK;
}

/* A folder that is full or read-only costs the next run a compilation, this one nothing. */
static void keep(const wanted *w, const wadi_image *o) {
    const wadi_outfile_options options = {.mode = 0700, .sync = WADI_SYNC_NEVER};
    wadi_error why = {0};
    if (w->path[0] == '\0') return;
    if (wadi_outfile_put(w->path, o->bytes, o->n, &options, &why) != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "kernel cache: a kernel is not kept: %s", why.msg);
    prune(w->dir);
    (void)wadi_cache_sweep(w->dir);
}

/* From memory: where the entry cannot be kept it serves as well. */
static wadi_status make(const wanted *w, bool gently, wadi_dl *out, wadi_error *err) {
    wadi_image made = {0};
    wadi_error why = {0};
    wadi_status status = compile(w, gently, &made, err);
    if (status == WADI_OK) status = seal(w, &made, err);
    if (status == WADI_OK) {
        const bool loaded = wadi_dl_open_bytes(out, made.bytes, made.n, &why) == WADI_OK;
        const bool fits = loaded && is_module_of(w, out);
        if (!loaded || fits) keep(w, &made);
        if (!fits && (loaded || open_entry(w, out) != OPENED))
            status =
                wadi_fail(err, WADI_COMPILE, "what the compiler %s has made %s%s", w->builder.path,
                          loaded ? "is something else" : "cannot be loaded: ", why.msg);
    }
    free(made.bytes);
    return status;
}

int wadi_cache_sweep(const char *folder) {
    return wadi_outfile_sweep(folder) + wadi_folder_sweep(folder, work_prefix);
}

/* ---- loading ---- */

bool wadi_cache_find(const char *source, const wadi_target *target, wadi_dl *out) {
    wanted w;
    return locate(source, target, &w, NULL) == WADI_OK && open_entry(&w, out) == OPENED;
}

void wadi_cache_forget(const char *source, const wadi_target *target) {
    wanted w;
    if (locate(source, target, &w, NULL) == WADI_OK && w.path[0] != '\0') (void)unlink(w.path);
}

static wadi_status load(const char *source, const wadi_target *target, bool gently, wadi_dl *out,
                        wadi_cache_report *report, wadi_error *err) {
    wadi_cache_report unused;
    wadi_cache_report *r = report ? report : &unused;
    wanted w;
    memset(r, 0, sizeof *r);
    WADI_TRY(locate(source, target, &w, err));
    snprintf(r->path, sizeof r->path, "%s", w.path);
    const found f = open_entry(&w, out);
    if (f == OPENED) return WADI_OK;
    r->damaged = f == DAMAGED;
    if (r->damaged) {
        wadi_logf(WADI_LOG_WARNING, "kernel cache: %s is damaged; compiling it anew", w.path);
        (void)unlink(w.path);
    }
    const int64_t start = wadi_clock_ns();
    WADI_TRY(make(&w, gently, out, err));
    r->compiled = true;
    r->compile_ns = wadi_clock_ns() - start;
    return WADI_OK;
}

wadi_status wadi_cache_load(const char *source, const wadi_target *target, wadi_dl *out,
                            wadi_cache_report *report, wadi_error *err) {
    return load(source, target, false, out, report, err);
}

wadi_status wadi_cache_load_gently(const char *source, const wadi_target *target, wadi_dl *out,
                                   wadi_cache_report *report, wadi_error *err) {
    return load(source, target, true, out, report, err);
}
