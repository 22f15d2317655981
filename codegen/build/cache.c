/* Reads and writes cache entries. If there are very many, those that were used longest ago are removed. */
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
#include "base/task.h"
#include "base/folder.h"
#include "base/text.h"
#include "base/user_cache.h"
#include "base/vec.h"

enum { DIGEST = 32, KEY = 2 * DIGEST, ENTRIES_MAX = 5000, PATH_ROOM = 1024 };
static const char magic[8] = "wadiso3", work_prefix[] = "build-";

/* ---- names ---- */

static const char ending[] = ".image";
/* Of entries that earlier versions have made: nobody reads them, but they are removed like others. */
static const char old_ending[] = ".so";

bool wadi_cache_is_entry(const char *name) {
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits == KEY &&
           (strcmp(name + KEY, ending) == 0 || strcmp(name + KEY, old_ending) == 0);
}

/* ---- the folder ---- */

typedef struct victim {
    char name[80];
    time_t used;
} victim;

static int by_use(const void *a, const void *b) {
    const time_t x = ((const victim *)a)->used, y = ((const victim *)b)->used;
    return (x > y) - (x < y);
}

typedef WADI_VEC(victim) victims;

static bool is_crowded(DIR *d) {
    size_t n = 0;
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += wadi_cache_is_entry(e->d_name);
    rewinddir(d);
    return n > ENTRIES_MAX;
}

static void find_entries(DIR *d, const char *dir, victims *all) {
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        char path[PATH_ROOM];
        struct stat st;
        victim v;
        if (!wadi_cache_is_entry(e->d_name)) continue;
        snprintf(path, sizeof path, "%.700s/%s", dir, e->d_name);
        if (stat(path, &st) != 0) continue;
        snprintf(v.name, sizeof v.name, "%.79s", e->d_name);
        v.used = st.st_mtime;
        if (!wadi_vec_push(all, v)) return;
    }
}

/* Removes the older half of the entries if there are more than ENTRIES_MAX; they are only counted else, since this happens for each entry that is
 * made. Failures are ignored: another process may be removing the same entries. */
static void prune(const char *dir) {
    victims all = {0};
    DIR *d = opendir(dir);
    if (d == NULL) return;
    if (is_crowded(d)) find_entries(d, dir, &all);
    closedir(d);
    if (all.n > 0) qsort(all.at, all.n, sizeof *all.at, by_use);
    for (size_t i = 0; i < all.n / 2; i++) {
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%.700s/%s", dir, all.at[i].name);
        (void)unlink(path);
    }
    wadi_vec_free(&all);
}

/* ---- entries ---- */

/* The digest of everything that decides the machine code. */
static wadi_status entry_key(const wadi_image_builder *b, const char *source, char out_hex[KEY + 1],
                             wadi_error *err) {
    wadi_text t;
    uint8_t digest[DIGEST];
    wadi_text_init(&t);
    wadi_text_addf(&t, "%s\n", magic);
    b->target->language->identify(b, &t);
    if (b->machine != NULL) wadi_text_addf(&t, "%s\n", b->machine);
    wadi_text_add(&t, source);
    wadi_status st = WADI_OK;
    if (t.failed) st = wadi_fail(err, WADI_MEMORY, "kernel cache: out of memory");
    if (st == WADI_OK) st = wadi_blake2b(t.at, t.n, digest);
    if (st == WADI_OK) wadi_hex(digest, DIGEST, out_hex);
    wadi_text_fini(&t);
    return st;
}

/* Checks the end of an entry: its key, the digest of everything before, and the magic bytes. */
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
    const wadi_image_ops *images; /* load it */
    wadi_image_builder builder;
    char dir[PATH_ROOM / 2]; /* "": nothing can be kept */
    char path[PATH_ROOM];    /* of the entry */
    char key[KEY + 1];
} wanted;

/* UNUSABLE: a correct entry that cannot be opened, for lack of descriptors or memory. */
typedef enum found { OPENED, ABSENT, DAMAGED, UNUSABLE } found;

static found open_verified(const wanted *w, int fd, wadi_kernels *out) {
    wadi_image image = {.fd = fd, .path = w->path};
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return DAMAGED;
    if (wadi_file_read_fd(fd, w->path, 0, &image.bytes, &image.n, NULL) != WADI_OK) return UNUSABLE;
    found f = DAMAGED;
    if (verifies(image.bytes, image.n, w->key)) {
        const wadi_status status = w->images->load(w->images, &image, w->key, out, NULL);
        f = status == WADI_OK ? OPENED : status == WADI_INVALID ? DAMAGED : UNUSABLE;
    }
    free(image.bytes);
    return f;
}

static wadi_status locate(const char *source, const wadi_target *target, bool fast,
                          const wadi_image_ops *images, wanted *w, wadi_error *err) {
    w->source = source;
    w->images = images;
    w->path[0] = '\0';
    const wadi_status status = wadi_user_cache(w->dir, sizeof w->dir, err);
    if (status != WADI_OK) w->dir[0] = '\0';
    if (status == WADI_INVALID) return status;
    WADI_TRY(target->language->find(target, &w->builder, err));
    w->builder.machine = images->machine;
    w->builder.fast = fast;
    WADI_TRY(entry_key(&w->builder, source, w->key, err));
    if (w->dir[0] != '\0') snprintf(w->path, sizeof w->path, "%s/%s%s", w->dir, w->key, ending);
    return WADI_OK;
}

static found open_entry(const wanted *w, wadi_kernels *out) {
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

/* Compiles in a private folder: inside the cache, or among temporary files if the cache is full or missing. */
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

/* Appends the end of an entry: key, digest and magic bytes. */
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

/* Writes the entry. If the folder is full or read-only, the next run must compile again; this run goes on. A run that has ended meanwhile
 * wants no entry. */
static void keep(const wanted *w, const wadi_image *o) {
    const wadi_outfile_options options = {.mode = 0700, .sync = WADI_SYNC_NEVER};
    wadi_error why = {0};
    if (w->path[0] == '\0') return;
    if (wadi_outfile_put(w->path, o->bytes, o->n, &options, &why) != WADI_OK &&
        !wadi_task_stopped())
        wadi_logf(WADI_LOG_WARNING, "kernel cache: a kernel is not kept: %s", why.msg);
    prune(w->dir);
    (void)wadi_cache_sweep(w->dir);
}

/* Compiles, writes the entry, and loads the module from memory, so that it is loaded even if the entry could not be written. */
static wadi_status make(const wanted *w, bool gently, wadi_kernels *out, wadi_error *err) {
    wadi_image made = {.fd = -1};
    wadi_error why = {0};
    wadi_status status = compile(w, gently, &made, err);
    if (status == WADI_OK) status = seal(w, &made, err);
    if (status == WADI_OK) {
        const wadi_status loaded = w->images->load(w->images, &made, w->key, out, &why);
        const bool other = loaded == WADI_INVALID;
        if (!other) keep(w, &made);
        if (other || (loaded != WADI_OK && open_entry(w, out) != OPENED))
            status =
                wadi_fail(err, WADI_COMPILE, "what the compiler%s%s has made %s%s",
                          w->builder.path[0] != '\0' ? " " : "", w->builder.path,
                          other ? "is something else" : "cannot be loaded: ", other ? "" : why.msg);
    }
    free(made.bytes);
    return status;
}

int wadi_cache_sweep(const char *folder) {
    return wadi_outfile_sweep(folder) + wadi_folder_sweep(folder, work_prefix);
}

/* ---- loading ---- */

bool wadi_cache_find(const char *source, const wadi_target *target, bool fast,
                     const wadi_image_ops *images, wadi_kernels *out) {
    wanted w;
    if (locate(source, target, fast, images, &w, NULL) != WADI_OK) return false;
    return open_entry(&w, out) == OPENED;
}

void wadi_cache_forget(const char *source, const wadi_target *target, bool fast,
                       const wadi_image_ops *images) {
    wanted w;
    if (locate(source, target, fast, images, &w, NULL) == WADI_OK && w.path[0] != '\0')
        (void)unlink(w.path);
}

static wadi_status load(const char *source, const wadi_target *target, bool fast,
                        const wadi_image_ops *images, bool gently, wadi_kernels *out,
                        wadi_cache_report *report, wadi_error *err) {
    wadi_cache_report unused;
    wadi_cache_report *r = report ? report : &unused;
    wanted w;
    memset(r, 0, sizeof *r);
    WADI_TRY(locate(source, target, fast, images, &w, err));
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

wadi_status wadi_cache_load(const char *source, const wadi_target *target, bool fast,
                            const wadi_image_ops *images, wadi_kernels *out,
                            wadi_cache_report *report, wadi_error *err) {
    return load(source, target, fast, images, false, out, report, err);
}

wadi_status wadi_cache_load_gently(const char *source, const wadi_target *target, bool fast,
                                   const wadi_image_ops *images, wadi_kernels *out,
                                   wadi_cache_report *report, wadi_error *err) {
    return load(source, target, fast, images, true, out, report, err);
}
