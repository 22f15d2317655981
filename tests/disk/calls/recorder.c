/* Preloaded into a program: tells every change that the program makes on the disk (tests/disk/record.h).
 *
 *     WADI_DISK=FILE      where to
 *     WADI_DISK_KILL=N    kills the program behind its N-th change
 *
 * A change and its record are made under one lock, so their orders are the same. What children do is not told. Nothing is forced onto the real disk:
 * the power does not go, and it would take long. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/disk/record.h"

#define PUBLIC __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int told_to = -1;
static long kill_at, told; /* changes */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("WADI_DISK");
    if (file == NULL) return;
    told_to = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (told_to < 0) abort();
    const char *kills = getenv("WADI_DISK_KILL");
    if (kills != NULL) kill_at = atol(kills);
    (void)unsetenv("WADI_DISK");
    (void)unsetenv("WADI_DISK_KILL");
    (void)unsetenv("LD_PRELOAD");
}

static void put(const void *data, size_t n) {
    if (n > 0 && syscall(SYS_write, told_to, data, n) != (long)n) abort();
}

static void tell(disk_record r, const char *name, const char *name2, const void *data) {
    const int why = errno;
    if (told_to < 0) return;
    r.name_bytes = name != NULL ? (int32_t)strlen(name) : 0;
    r.name2_bytes = name2 != NULL ? (int32_t)strlen(name2) : 0;
    put(&r, sizeof r);
    put(name, (size_t)r.name_bytes);
    put(name2, (size_t)r.name2_bytes);
    put(data, (size_t)r.data_bytes);
    if (++told == kill_at) (void)kill(getpid(), SIGKILL);
    errno = why;
}

/* ---- names ---- */

static uint64_t number_of(int folder, const char *path) {
    struct stat about;
    return fstatat(folder, path, &about, AT_SYMLINK_NOFOLLOW) == 0 ? about.st_ino : 0;
}

/* The folder that the path lies in, and the last part of the path. */
static uint64_t folder_of(int folder, const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash != NULL ? slash + 1 : path;
    if (slash == NULL) return number_of(folder, ".");
    if (slash == path) return number_of(folder, "/");
    char *above = strndup(path, (size_t)(slash - path));
    struct stat about;
    const uint64_t number =
        above != NULL && fstatat(folder, above, &about, 0) == 0 ? about.st_ino : 0;
    free(above);
    return number;
}

static bool is_file(int fd, uint64_t *number, int64_t *bytes) {
    struct stat about;
    if (told_to < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    *number = about.st_ino;
    *bytes = about.st_size;
    return true;
}

/* ---- files ---- */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    const bool makes = (flags & O_CREAT) != 0, cuts = (flags & O_TRUNC) != 0;
    if (told_to < 0 || (!makes && !cuts))
        return (int)syscall(SYS_openat, folder, path, flags, mode);
    uint64_t number = 0;
    int64_t bytes = 0;
    const char *name = path;
    (void)pthread_mutex_lock(&lock);
    const bool was = number_of(folder, path) != 0;
    const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && is_file(fd, &number, &bytes)) {
        disk_record r = {.change = DISK_FILE, .file = number};
        r.folder = folder_of(folder, path, &name);
        if (!was) tell(r, name, NULL, NULL);
        if (was && cuts) tell((disk_record){.change = DISK_CUT, .file = number}, NULL, NULL, NULL);
    }
    (void)pthread_mutex_unlock(&lock);
    return fd;
}

static mode_t mode_of(int flags, va_list *list) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? (mode_t)va_arg(*list, int) : 0;
}

PUBLIC int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, &list);
    va_end(list);
    return open_at(AT_FDCWD, path, flags, mode);
}

PUBLIC int openat(int folder, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = mode_of(flags, &list);
    va_end(list);
    return open_at(folder, path, flags, mode);
}

PUBLIC ssize_t write(int fd, const void *data, size_t n) {
    uint64_t number = 0;
    int64_t bytes = 0;
    if (!is_file(fd, &number, &bytes)) return syscall(SYS_write, fd, data, n);
    (void)pthread_mutex_lock(&lock);
    const bool appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
    (void)is_file(fd, &number, &bytes);
    const off_t at = appends ? bytes : lseek(fd, 0, SEEK_CUR);
    const ssize_t done = syscall(SYS_write, fd, data, n);
    const disk_record r = {.change = DISK_WRITE, .file = number, .at = at, .data_bytes = done};
    if (done > 0) tell(r, NULL, NULL, data);
    (void)pthread_mutex_unlock(&lock);
    return done;
}

PUBLIC ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
    uint64_t number = 0;
    int64_t bytes = 0;
    if (!is_file(fd, &number, &bytes)) return syscall(SYS_pwrite64, fd, data, n, at);
    (void)pthread_mutex_lock(&lock);
    const ssize_t done = syscall(SYS_pwrite64, fd, data, n, at);
    const disk_record r = {.change = DISK_WRITE, .file = number, .at = at, .data_bytes = done};
    if (done > 0) tell(r, NULL, NULL, data);
    (void)pthread_mutex_unlock(&lock);
    return done;
}

PUBLIC int ftruncate(int fd, off_t bytes) {
    uint64_t number = 0;
    int64_t before = 0;
    (void)pthread_mutex_lock(&lock);
    const int rc = REAL(ftruncate)(fd, bytes);
    if (rc == 0 && is_file(fd, &number, &before))
        tell((disk_record){.change = DISK_CUT, .file = number, .at = bytes}, NULL, NULL, NULL);
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

PUBLIC int fsync(int fd) {
    struct stat about;
    if (fstat(fd, &about) != 0) return -1;
    (void)pthread_mutex_lock(&lock);
    tell((disk_record){.change = DISK_SYNC, .file = about.st_ino}, NULL, NULL, NULL);
    (void)pthread_mutex_unlock(&lock);
    return 0;
}

/* ---- folders ---- */

static int move(int change, int from_folder, const char *from, int to_folder, const char *to,
                unsigned flags) {
    const char *name = from, *name2 = to;
    (void)pthread_mutex_lock(&lock);
    disk_record r = {.change = change};
    r.folder = folder_of(from_folder, from, &name);
    r.folder2 = folder_of(to_folder, to, &name2);
    const int rc = (int)(change == DISK_LINK
                             ? syscall(SYS_linkat, from_folder, from, to_folder, to, flags)
                             : syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
    if (rc == 0) tell(r, name, name2, NULL);
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

PUBLIC int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags) {
    return move(DISK_RENAME, from_folder, from, to_folder, to, flags);
}

PUBLIC int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return move(DISK_RENAME, from_folder, from, to_folder, to, 0);
}

PUBLIC int rename(const char *from, const char *to) {
    return move(DISK_RENAME, AT_FDCWD, from, AT_FDCWD, to, 0);
}

PUBLIC int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    return move(DISK_LINK, from_folder, from, to_folder, to, (unsigned)flags);
}

PUBLIC int unlinkat(int folder, const char *path, int flags) {
    const char *name = path;
    (void)pthread_mutex_lock(&lock);
    const disk_record r = {.change = DISK_REMOVE, .folder = folder_of(folder, path, &name)};
    const int rc = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (rc == 0) tell(r, name, NULL, NULL);
    (void)pthread_mutex_unlock(&lock);
    return rc;
}

PUBLIC int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

PUBLIC int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

PUBLIC int mkdir(const char *path, mode_t mode) {
    const char *name = path;
    (void)pthread_mutex_lock(&lock);
    const int rc = REAL(mkdir)(path, mode);
    disk_record r = {.change = DISK_FOLDER, .folder = folder_of(AT_FDCWD, path, &name)};
    r.file = rc == 0 ? number_of(AT_FDCWD, path) : 0;
    if (rc == 0) tell(r, name, NULL, NULL);
    (void)pthread_mutex_unlock(&lock);
    return rc;
}
