/* Finding bundles, and images in them. The set of bundles is found when it is first needed. It never changes: a new one takes its place
 * when a program names another bundle, and the old one stays for those who are reading it. So a lock is held only while files are
 * opened. */
#include "codegen/build/bundles.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/installed.h"
#include "base/log.h"
#include "codegen/build/processor.h"
#include "codegen/targets.h"

enum { PATH_ROOM = 1024 };
static const char variable[] = "WADI_KERNELS", ending[] = ".kernels", no_folder[] = "none";

typedef struct set {
    struct set *older;
    size_t n;
    wadi_bundle *at[];
} set;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(set *) current;

/* ---- which files ---- */

typedef struct telling {
    void (*tell)(void *env, const char *path, const wadi_bundle *b, const char *why);
    void *env;
    set **into; /* NULL: bundles are closed when they have been told of */
} telling;

/* A set with one bundle more, at its end. False: out of memory. */
static bool append(set **into, wadi_bundle *b) {
    const size_t n = *into != NULL ? (*into)->n : 0;
    set *more = realloc(*into, sizeof *more + (n + 1) * sizeof more->at[0]);
    if (more == NULL) return false;
    more->older = NULL;
    more->n = n + 1;
    more->at[n] = b;
    *into = more;
    return true;
}

static void visit_file(const telling *t, const char *path) {
    wadi_bundle *b = NULL;
    wadi_error err = {0};
    const wadi_status st = wadi_bundle_open(path, &b, &err);
    if (t->tell != NULL) t->tell(t->env, path, b, st == WADI_OK ? NULL : err.msg);
    if (st != WADI_OK && t->tell == NULL)
        wadi_logf(WADI_LOG_WARNING, "%s; it is not used", err.msg);
    if (st == WADI_OK && (t->into == NULL || !append(t->into, b))) wadi_bundle_close(b);
}

static int is_named(const struct dirent *e) {
    const size_t n = strlen(e->d_name), m = sizeof ending - 1;
    return n > m && strcmp(e->d_name + n - m, ending) == 0;
}

/* In the order of names, so that all processes find the same. */
static void visit_folder(const telling *t, const char *folder) {
    struct dirent **found = NULL;
    const int n = scandir(folder, &found, is_named, alphasort);
    for (int i = 0; i < n; i++) {
        char path[PATH_ROOM];
        if (snprintf(path, sizeof path, "%s/%s", folder, found[i]->d_name) < (int)sizeof path)
            visit_file(t, path);
        free(found[i]);
    }
    free(found);
}

static void visit(const telling *t, const char *path, bool named) {
    struct stat about;
    if (strcmp(path, no_folder) == 0) return;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        visit_folder(t, path);
    else if (named)
        visit_file(t, path);
}

char *wadi_bundles_folders(void) {
    return wadi_installed_folders(variable, "/kernels");
}

static void visit_all(const telling *t) {
    char *all = wadi_bundles_folders();
    const char *own = getenv(variable);
    const bool named = own != NULL && *own != '\0';
    for (const char *at = all; at != NULL && *at != '\0';) {
        char path[PATH_ROOM];
        const size_t n = strcspn(at, ":");
        if (n > 0 && n < sizeof path) {
            memcpy(path, at, n);
            path[n] = '\0';
            visit(t, path, named);
        }
        at += n + (at[n] == ':');
    }
    free(all);
}

/* ---- the set ---- */

/* The lock is held. NULL: out of memory. */
static set *find_set(void) {
    set *s = atomic_load(&current);
    if (s != NULL) return s;
    const telling t = {.into = &s};
    visit_all(&t);
    if (s == NULL) s = calloc(1, sizeof *s);
    atomic_store(&current, s);
    return s;
}

static const set *bundles(void) {
    const set *s = atomic_load(&current);
    if (s != NULL) return s;
    (void)pthread_mutex_lock(&lock);
    s = find_set();
    (void)pthread_mutex_unlock(&lock);
    return s;
}

bool wadi_bundles_empty(void) {
    const set *s = bundles();
    return s == NULL || s->n == 0;
}

/* The lock is held. */
static wadi_status put_first(wadi_bundle *b, wadi_error *err) {
    set *old = find_set(), *s = NULL;
    if (old != NULL) s = malloc(sizeof *s + (old->n + 1) * sizeof s->at[0]);
    if (s == NULL) return wadi_fail(err, WADI_MEMORY, "kernels: out of memory");
    s->older = old;
    s->n = old->n + 1;
    s->at[0] = b;
    for (size_t i = 0; i < old->n; i++) s->at[i + 1] = old->at[i];
    atomic_store(&current, s);
    return WADI_OK;
}

wadi_status wadi_bundles_use(const char *path, wadi_error *err) {
    wadi_bundle *b = NULL;
    WADI_TRY(wadi_bundle_open(path, &b, err));
    (void)pthread_mutex_lock(&lock);
    const wadi_status st = put_first(b, err);
    (void)pthread_mutex_unlock(&lock);
    if (st != WADI_OK) wadi_bundle_close(b);
    return st;
}

wadi_status wadi_bundles_take(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(options);
    return wadi_bundles_use(value, err);
}

void wadi_bundles_list(void (*tell)(void *env, const char *path, const wadi_bundle *b,
                                    const char *why),
                       void *env) {
    const telling t = {.tell = tell, .env = env};
    visit_all(&t);
}

/* ---- things ---- */

/* NULL: it is not there, or damaged. */
static char *read_from(const wadi_bundle *b, const uint8_t key[32], const char **out_path,
                       size_t *out_n) {
    const wadi_bundle_entry *e = wadi_bundle_find(b, key);
    char *bytes = NULL;
    wadi_error err = {0};
    if (e == NULL) return NULL;
    if (wadi_bundle_read(b, e, &bytes, &err) == WADI_OK) {
        *out_path = wadi_bundle_path(b);
        *out_n = (size_t)e->size;
        return bytes;
    }
    wadi_logf(WADI_LOG_WARNING, "%s; it is not used", err.msg);
    return NULL;
}

/* Read from the first bundle where it is whole. */
static char *read_thing(const wadi_bundle *first, const uint8_t key[32], const char **out_path,
                        size_t *out_n) {
    const set *s = bundles();
    char *bytes = first != NULL ? read_from(first, key, out_path, out_n) : NULL;
    for (size_t i = 0; bytes == NULL && s != NULL && i < s->n; i++)
        bytes = read_from(s->at[i], key, out_path, out_n);
    return bytes;
}

bool wadi_bundles_get(const wadi_bundle *first, const uint8_t key[32], char **out, size_t *out_n) {
    const char *path = NULL;
    *out = read_thing(first, key, &path, out_n);
    return *out != NULL;
}

/* ---- images ---- */

wadi_status wadi_bundles_image_key(const uint8_t text[32], const wadi_target *target,
                                   const char *machine, bool fast, uint8_t out[32]) {
    wadi_text t = {0};
    char digits[65];
    wadi_hex(text, 32, digits);
    wadi_text_addf(&t, "image\n%s\n%s\n%s\n%s\n%d\n%s\n", wadi_bundle_stamp(),
                   target->language->name, target->name, machine != NULL ? machine : "", (int)fast,
                   digits);
    const wadi_status st = t.failed ? WADI_MEMORY : wadi_blake2b(t.at, t.n, out);
    wadi_text_fini(&t);
    return st;
}

static bool load_for(const wadi_bundle *first, const uint8_t text[32], const wadi_target *target,
                     bool fast, const wadi_image_ops *images, wadi_kernels *out) {
    uint8_t key[32];
    char digits[65];
    const char *path = NULL;
    wadi_image image = {.fd = -1};
    wadi_error err = {0};
    if (wadi_bundles_image_key(text, target, images->machine, fast, key) != WADI_OK) return false;
    image.bytes = read_thing(first, key, &path, &image.n);
    if (image.bytes == NULL) return false;
    wadi_hex(key, sizeof key, digits);
    const wadi_status st = images->load(images, &image, digits, out, &err);
    if (st != WADI_OK)
        wadi_logf(WADI_LOG_WARNING, "kernels: %s: an image for %s cannot be loaded: %s", path,
                  target->name, err.msg);
    free(image.bytes);
    return st == WADI_OK;
}

bool wadi_bundles_fits(const wadi_target *t) {
    if (t->needs != NULL && strstr(wadi_processor_about(), "\nflags") == NULL) return false;
    return !t->own && wadi_target_fits(t, NULL) == WADI_OK;
}

bool wadi_bundles_load(const wadi_bundle *first, const uint8_t text[32], const wadi_target *target,
                       bool asked, bool fast, const wadi_image_ops *images, wadi_kernels *out) {
    if (asked || !target->own) return load_for(first, text, target, fast, images, out);
    const wadi_target *t = wadi_targets;
    while (t->name != NULL) t++;
    while (t-- != wadi_targets)
        if (t->language == target->language && wadi_bundles_fits(t) &&
            load_for(first, text, t, fast, images, out))
            return true;
    return false;
}
