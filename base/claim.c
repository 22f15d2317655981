/* Locking temporary files with flock. The lock belongs to the open file: a forked child shares it; a program that is started
 * does not, because the descriptor is closed for it. */
#include "base/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_still(int fd, int folder, const char *name) {
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

wadi_claim wadi_claim_file(int fd, int folder, const char *name) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? WADI_CLAIM_LOST : WADI_CLAIM_UNKNOWN;
    return is_still(fd, folder, name) ? WADI_CLAIM_HELD : WADI_CLAIM_LOST;
}

/* The file is opened for writing, because some file systems lock only such files. */
bool wadi_claim_remove(int folder, const char *name) {
    const int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    if (fd < 0) return errno == ENOENT;
    const bool gone = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                      wadi_claim_file(fd, folder, name) == WADI_CLAIM_HELD &&
                      unlinkat(folder, name, 0) == 0;
    (void)close(fd);
    return gone;
}
