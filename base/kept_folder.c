/* The files `state` and `lock` of a folder. */
#include "base/kept_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/outfile.h"

enum { DIGEST = 32 };

struct wadi_kept_folder {
    const char *title;
    char *name; /* DIR as it was given */
    char *dir;  /* DIR, wherever the process goes */
    char *file; /* DIR/state */
    int folder; /* a descriptor of DIR; -1: not open */
    int lock;   /* of DIR/lock; likewise */
    bool named; /* the names that lead to DIR are on the disk */
};

/* ---- opening ---- */

/* Ours is empty, and is removed when all is done. */
static wadi_status check_lock(int lock, const char *dir, wadi_error *err) {
    struct stat about;
    if (fstat(lock, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == 0) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s/lock: is not of a saved run", dir);
}

static wadi_status lock(wadi_kept_folder *f, wadi_error *err) {
    f->folder = open(f->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f->folder < 0) return wadi_fail_errno(err, errno, "%s", f->name);
    const int fd = openat(f->folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return wadi_fail_errno(err, errno, "%s/lock", f->name);
    wadi_status status = check_lock(fd, f->name, err);
    if (status == WADI_OK && wadi_claim_file(fd, f->folder, "lock") == WADI_CLAIM_LOST)
        status = wadi_fail(err, WADI_IO, "%s: another process keeps its run there", f->name);
    if (status == WADI_OK)
        f->lock = fd;
    else
        (void)close(fd);
    return status;
}

/* A process that ends may remove the folder when this one has found it. One that was made in vain goes again; folders above it stay, since others may use them by
 * now. */
static wadi_status make_and_lock(wadi_kept_folder *f, wadi_error *err) {
    enum { TRIES = 10 };
    const bool was_there = wadi_file_exists(f->name);
    for (int i = 1;; i++) {
        wadi_status status = wadi_dir_make(f->name, 0700, err);
        if (status == WADI_OK) status = lock(f, err);
        if (status == WADI_OK) return status;
        if (i == TRIES || wadi_file_exists(f->name)) {
            if (!was_there) (void)rmdir(f->dir);
            return status;
        }
        if (f->folder >= 0) (void)close(f->folder);
        f->folder = -1;
    }
}

static wadi_status name_files(wadi_kept_folder *f, const char *name, wadi_error *err) {
    char here[PATH_MAX];
    wadi_text dir = {0}, file = {0};
    const bool relative = name[0] != '/' && getcwd(here, sizeof here) != NULL;
    wadi_text_addf(&dir, "%s%s%s", relative ? here : "", relative ? "/" : "", name);
    wadi_text_addf(&file, "%s/state", wadi_text_str(&dir));
    f->name = strdup(name);
    f->dir = wadi_text_take(&dir);
    f->file = wadi_text_take(&file);
    if (f->name != NULL && f->dir != NULL && f->file != NULL) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "%s: out of memory", name);
}

wadi_status wadi_kept_folder_open(const char *dir, const char *title, wadi_kept_folder **out,
                                  wadi_error *err) {
    wadi_kept_folder *f = calloc(1, sizeof *f);
    if (f == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", dir);
    *f = (wadi_kept_folder){.title = title, .folder = -1, .lock = -1};
    wadi_status status = name_files(f, dir, err);
    if (status == WADI_OK) status = make_and_lock(f, err);
    if (status == WADI_OK)
        *out = f;
    else
        wadi_kept_folder_close(f, false);
    return status;
}

/* ---- the state ---- */

bool wadi_kept_folder_has(const wadi_kept_folder *f) {
    return f != NULL && f->folder >= 0 && faccessat(f->folder, "state", F_OK, 0) == 0;
}

static wadi_status damaged(const wadi_kept_folder *f, const char *how, wadi_error *err) {
    return wadi_fail(err, WADI_IO, "%s/state: %s remove it to begin anew", f->name, how);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the file has this title but for the number that it ends with. */
static bool is_of_another_version(const char *title, const char *bytes, size_t n) {
    size_t at = strlen(title);
    while (at > 0 && is_digit(title[at - 1])) at--;
    if (title[at] == '\0' || n <= at || memcmp(bytes, title, at) != 0) return false;
    const size_t number = at;
    while (at < n && is_digit(bytes[at])) at++;
    return at > number && at < n && bytes[at] == '\n';
}

static wadi_status not_ours(const wadi_kept_folder *f, const char *bytes, size_t n,
                            wadi_error *err) {
    return damaged(f,
                   is_of_another_version(f->title, bytes, n)
                       ? "another version of wadi has saved this run; go on with that one, or"
                       : "this is no saved run;",
                   err);
}

/* Whether the n bytes are a whole file of ours. Moves what is between title and digest to the front. */
static wadi_status unseal(const wadi_kept_folder *f, char *bytes, size_t n, size_t *out_n,
                          wadi_error *err) {
    uint8_t digest[DIGEST];
    const size_t title = strlen(f->title);
    if (n < title + 1 + DIGEST || memcmp(bytes, f->title, title) != 0 || bytes[title] != '\n')
        return not_ours(f, bytes, n, err);
    WADI_TRY(wadi_blake2b(bytes, n - DIGEST, digest));
    if (memcmp(digest, bytes + n - DIGEST, DIGEST) != 0)
        return damaged(f, "the saved run is damaged;", err);
    *out_n = n - DIGEST - title - 1;
    memmove(bytes, bytes + title + 1, *out_n);
    return WADI_OK;
}

/* Whoever else may write to the folder could have put a pipe there, which never ends, or a link to one. */
static wadi_status read_file(const wadi_kept_folder *f, char **out, size_t *out_n,
                             wadi_error *err) {
    struct stat about;
    const int fd = openat(f->folder, "state", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return WADI_OK;
    if (fd < 0 && errno != ELOOP) return wadi_fail_errno(err, errno, "cannot open %s", f->file);
    wadi_status status = WADI_OK;
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        status = damaged(f, "this is no regular file;", err);
    else
        status = wadi_file_read_fd(fd, f->file, 0, out, out_n, err);
    if (fd >= 0) (void)close(fd);
    return status;
}

wadi_status wadi_kept_folder_read(wadi_kept_folder *f, char **out, size_t *out_n, wadi_error *err) {
    char *bytes = NULL;
    size_t n = 0;
    *out = NULL;
    *out_n = 0;
    WADI_TRY(read_file(f, &bytes, &n, err));
    if (bytes == NULL) return WADI_OK;
    const wadi_status status = unseal(f, bytes, n, out_n, err);
    if (status == WADI_OK)
        *out = bytes;
    else
        free(bytes);
    return status;
}

static wadi_status seal(const wadi_kept_folder *f, const wadi_text *state, wadi_text *out,
                        wadi_error *err) {
    uint8_t digest[DIGEST];
    wadi_text_addf(out, "%s\n", f->title);
    wadi_text_add_n(out, state->at, state->n);
    if (!state->failed && !out->failed) {
        WADI_TRY(wadi_blake2b(out->at, out->n, digest));
        wadi_text_add_n(out, (const char *)digest, DIGEST);
    }
    return state->failed || out->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory")
                                        : WADI_OK;
}

/* Forces each name in `path` onto the disk, from the last to the one at byte `from`. False: errno. */
static bool force_names(char *path, size_t from) {
    for (size_t n = strlen(path); n > from;) {
        while (n > from && path[n - 1] == '/') path[--n] = '\0';
        if (n > from && !wadi_outfile_sync_name(path)) return false;
        while (n > from && path[n - 1] != '/') path[--n] = '\0';
    }
    return true;
}

/* A folder that was made lasts when the folder above it is on the disk. It may have been made by a process that was ended before that. */
static wadi_status name_for_good(wadi_kept_folder *f, wadi_error *err) {
    char *path = f->named ? NULL : strdup(f->dir);
    if (f->named) return WADI_OK;
    if (path == NULL) return wadi_fail(err, WADI_MEMORY, "%s: out of memory", f->name);
    f->named = force_names(path, strlen(f->dir) - strlen(f->name));
    const int why = errno;
    free(path);
    if (f->named) return WADI_OK;
    return wadi_fail_errno(err, why, "%s: its name cannot be forced onto the disk", f->name);
}

wadi_status wadi_kept_folder_write(wadi_kept_folder *f, const wadi_text *state, wadi_error *err) {
    const bool is_first = !wadi_kept_folder_has(f);
    wadi_text t = {0};
    wadi_status status = seal(f, state, &t, err);
    if (status == WADI_OK) status = wadi_file_write(f->file, t.at, t.n, 0600, err);
    if (status == WADI_OK) status = name_for_good(f, err);
    if (status != WADI_OK && is_first)
        wadi_kept_folder_clear(f); /* it may have its name all the same */
    wadi_text_fini(&t);
    return status;
}

wadi_status wadi_kept_folder_check(const wadi_kept_folder *f, wadi_error *err) {
    static const char *const ours[] = {"state", "lock"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (wadi_outfile_lasts_in(f->folder, ours[i]))
            return wadi_fail(err, WADI_INVALID, "%s/%s: is of the saved run, and can be no output",
                             f->name, ours[i]);
    return WADI_OK;
}

const char *wadi_kept_folder_name(const wadi_kept_folder *f) {
    return f->name;
}

/* ---- the end ---- */

void wadi_kept_folder_clear(wadi_kept_folder *f) {
    if (f->lock >= 0) (void)unlinkat(f->folder, "state", 0);
}

void wadi_kept_folder_close(wadi_kept_folder *owned_f, bool done) {
    wadi_kept_folder *f = owned_f;
    if (f == NULL) return;
    if (done) wadi_kept_folder_clear(f);
    if (f->lock >= 0 && !wadi_kept_folder_has(f)) {
        (void)wadi_outfile_sweep(f->dir); /* what a process that was killed has begun to write */
        (void)unlinkat(f->folder, "lock", 0);
        (void)rmdir(f->dir); /* if nothing else is there */
    }
    if (f->lock >= 0) (void)close(f->lock);
    if (f->folder >= 0) (void)close(f->folder);
    free(f->name);
    free(f->dir);
    free(f->file);
    free(f);
}
