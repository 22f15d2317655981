/* Making and removing private folders. The lock is the first file in a folder and the last to go, so nobody owns an empty
 * folder. A maker that loses its folder before the lock is in it makes another. */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/error.h"

enum { LETTERS = 6, TRIES = 100, AGE_S = 3600 };
static const char lock_name[] = "lock";

/* ---- removing ---- */

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Removes the files in the folder, except for the lock. False: some may still be there. */
static bool empty(int folder) {
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d == NULL) {
        if (fd >= 0) (void)close(fd);
        return false;
    }
    bool gone = true;
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        if (!is_dots(e->d_name) && strcmp(e->d_name, lock_name) != 0)
            gone = (unlinkat(fd, e->d_name, 0) == 0 || errno == ENOENT) && gone;
    (void)closedir(d);
    return gone;
}

/* A folder that cannot be emptied keeps its lock, so that the next sweep sees that it is nobody's. */
static bool remove_all(int parent, const char *name, int folder) {
    if (!empty(folder)) return false;
    (void)unlinkat(folder, lock_name, 0);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* For folders without a lock that are not empty. An older wadi, which had no locks, has made them; they may be in use unless they
 * are old. */
static bool is_old(int folder) {
    struct stat about;
    return fstat(folder, &about) == 0 && time(NULL) - about.st_mtime > AGE_S;
}

static bool remove_if_dead(int parent, const char *name) {
    const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    bool gone = false;
    if (folder < 0) return false;
    if (fstat(folder, &about) == 0 && about.st_uid == geteuid()) {
        const int lock = openat(folder, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (lock >= 0)
            gone = wadi_claim_file(lock, folder, lock_name) == WADI_CLAIM_HELD &&
                   remove_all(parent, name, folder);
        else if (errno == ENOENT)
            gone = unlinkat(parent, name, AT_REMOVEDIR) == 0 ||
                   (is_old(folder) && remove_all(parent, name, folder));
        if (lock >= 0) (void)close(lock);
    }
    (void)close(folder);
    return gone;
}

int wadi_folder_sweep(const char *parent, const char *prefix) {
    DIR *d = opendir(parent);
    int removed = 0;
    if (d == NULL) return 0;
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
            strlen(e->d_name) == strlen(prefix) + LETTERS && remove_if_dead(dirfd(d), e->d_name))
            removed++;
    (void)closedir(d);
    return removed;
}

/* ---- making ---- */

/* The lock of the new folder. -1 with ENOENT: another process thought that nobody owned the folder, and has removed it. */
static int take_lock(const char *path) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    int lock = openat(folder, lock_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int reason = errno;
    if (lock >= 0 && wadi_claim_file(lock, folder, lock_name) == WADI_CLAIM_LOST) {
        (void)close(lock);
        lock = -1;
        reason = ENOENT;
    }
    (void)close(folder);
    errno = reason;
    return lock;
}

wadi_status wadi_folder_make(const char *parent, const char *prefix, wadi_folder *out,
                             wadi_error *err) {
    out->lock = -1;
    errno = ENOENT;
    for (int i = 0; i < TRIES && out->lock < 0 && errno == ENOENT; i++) {
        const int n = snprintf(out->path, sizeof out->path, "%s/%sXXXXXX", parent, prefix);
        if (n < 0 || (size_t)n >= sizeof out->path)
            return wadi_fail_errno(err, ENAMETOOLONG, "cannot make a folder in %s", parent);
        if (mkdtemp(out->path) == NULL) break;
        out->lock = take_lock(out->path);
    }
    if (out->lock >= 0) return WADI_OK;
    const int reason = errno;
    (void)rmdir(out->path);
    return wadi_fail_errno(err, reason, "cannot make a folder in %s", parent);
}

void wadi_folder_remove(wadi_folder *s) {
    const int folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)remove_all(AT_FDCWD, s->path, folder);
        (void)close(folder);
    }
    if (s->lock >= 0) (void)close(s->lock);
    *s = (wadi_folder){.lock = -1};
}

const char *wadi_folder_parent(void) {
    const char *own = getenv("TMPDIR");
    return own != NULL && *own != '\0' && access(own, W_OK | X_OK) == 0 ? own : "/tmp";
}
