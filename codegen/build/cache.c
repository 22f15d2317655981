/* Verified, atomic, private: see the header. Entries are pruned, oldest use first, when there are very many. */
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
#include "base/text.h"
#include "base/user_cache.h"
#include "codegen/build/cc.h"

enum { DIGEST = 32, ENTRIES_MAX = 5000, PATH_ROOM = 1024 };
static const char magic[8] = "wadiso1";

/* ---- the directory ---- */

wadi_status wadi_cache_directory(char *out, size_t room, wadi_error *err) {
    return wadi_user_cache(out, room, err);
}

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
        if (strlen(e->d_name) >= sizeof all->name || !strstr(e->d_name, ".so")) continue;
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
static wadi_status entry_key(const wadi_cc *cc, const char *source, char out_hex[2 * DIGEST + 1],
                             wadi_error *err) {
    wadi_text t;
    uint8_t digest[DIGEST];
    wadi_text_init(&t);
    wadi_text_addf(&t, "%s\n%s\n%s\n%s\n", magic, cc->path, cc->stamp, cc->cpu);
    for (const char *const *flag = wadi_cc_flags(); *flag; flag++)
        wadi_text_addf(&t, "%s\n", *flag);
    wadi_text_add(&t, source);
    wadi_status st = WADI_OK;
    if (t.failed) st = wadi_fail(err, WADI_MEMORY, "kernel cache: out of memory");
    if (st == WADI_OK) st = wadi_sha256(t.at, t.n, digest);
    if (st == WADI_OK) wadi_hex(digest, DIGEST, out_hex);
    wadi_text_fini(&t);
    return st;
}

/* An entry ends in the digest of what stands before it, then the magic. */
static bool entry_verifies(const char *path) {
    char *data = NULL;
    size_t n = 0;
    uint8_t digest[DIGEST];
    if (wadi_file_read(path, &data, &n, NULL) != WADI_OK) return false;
    const bool ok = n > DIGEST + sizeof magic &&
                    memcmp(data + n - sizeof magic, magic, sizeof magic) == 0 &&
                    wadi_sha256(data, n - DIGEST - sizeof magic, digest) == WADI_OK &&
                    memcmp(data + n - sizeof magic - DIGEST, digest, DIGEST) == 0;
    free(data);
    return ok;
}

/* Appends digest and magic to the object the compiler wrote and puts it in place. */
static wadi_status seal(const char *object, const char *entry, wadi_error *err) {
    char *data = NULL;
    size_t n = 0;
    WADI_TRY(wadi_file_read(object, &data, &n, err));
    char *more = realloc(data, n + DIGEST + sizeof magic);
    if (!more) {
        free(data);
        return wadi_fail(err, WADI_MEMORY, "kernel cache: out of memory");
    }
    wadi_status st = wadi_sha256(more, n, (uint8_t *)more + n);
    if (st == WADI_OK) {
        memcpy(more + n + DIGEST, magic, sizeof magic);
        st = wadi_file_write(entry, more, n + DIGEST + sizeof magic, 0700, err);
    }
    free(more);
    return st;
}

/* Compiles in a fresh private directory inside the cache's, so that nobody sees a half-written file. */
static wadi_status compile_entry(const wadi_cc *cc, const char *dir, const char *source,
                                 const char *entry, wadi_error *err) {
    char work[PATH_ROOM], c_file[PATH_ROOM + 16], so_file[PATH_ROOM + 16];
    snprintf(work, sizeof work, "%.900s/build-XXXXXX", dir);
    if (!mkdtemp(work))
        return wadi_fail(err, WADI_IO, "kernel cache: cannot make a directory in %s: %s", dir,
                         strerror(errno));
    snprintf(c_file, sizeof c_file, "%s/kernel.c", work);
    snprintf(so_file, sizeof so_file, "%s/kernel.so", work);
    wadi_status st = wadi_file_write(c_file, source, strlen(source), 0600, err);
    if (st == WADI_OK) st = wadi_cc_compile(cc, c_file, so_file, err);
    if (st == WADI_OK) st = seal(so_file, entry, err);
    (void)unlink(c_file);
    (void)unlink(so_file);
    (void)rmdir(work);
    return st;
}

wadi_status wadi_cache_load(const char *source, wadi_dl *out, wadi_cache_report *report,
                            wadi_error *err) {
    wadi_cache_report unused;
    wadi_cache_report *r = report ? report : &unused;
    char dir[PATH_ROOM / 2], key[2 * DIGEST + 1];
    wadi_cc cc;
    memset(r, 0, sizeof *r);
    WADI_TRY(wadi_cache_directory(dir, sizeof dir, err));
    WADI_TRY(wadi_cc_find(&cc, err));
    WADI_TRY(entry_key(&cc, source, key, err));
    snprintf(r->path, sizeof r->path, "%s/%s.so", dir, key);
    if (entry_verifies(r->path)) {
        (void)utimensat(AT_FDCWD, r->path, NULL, 0); /* the time of last use, for pruning */
        if (wadi_dl_open(out, r->path, NULL) == WADI_OK) return WADI_OK;
    }
    r->damaged = wadi_file_exists(r->path);
    if (r->damaged) {
        wadi_logf(WADI_LOG_WARNING, "kernel cache: %s is damaged; compiling it anew", r->path);
        (void)unlink(r->path);
    }
    const int64_t start = wadi_clock_ns();
    WADI_TRY(compile_entry(&cc, dir, source, r->path, err));
    r->compiled = true;
    r->compile_ns = wadi_clock_ns() - start;
    prune(dir);
    return wadi_dl_open(out, r->path, err);
}
