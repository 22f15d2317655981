/* Looking at the owner and the mode of a folder. */
#include "base/private_folder.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* Checks that the folder is ours and that nobody else can write to it. */
static wadi_status examine(const char *path, bool shared, const char *what, wadi_error *err) {
    struct stat about;
    if ((shared ? lstat : stat)(path, &about) != 0)
        return wadi_fail_errno(err, errno, "%s: %s", what, path);
    if (!S_ISDIR(about.st_mode))
        return wadi_fail(err, WADI_IO, "%s: %s is not a folder", what, path);
    if (about.st_uid == geteuid() && (about.st_mode & (shared ? 077 : S_IWGRP | S_IWOTH)) == 0)
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%s: %s belongs to or can be written by somebody else (mode %o)", what, path,
                     (unsigned)(about.st_mode & 07777));
}

wadi_status wadi_private_folder(int length, const char *path, size_t room, bool shared,
                                const char *what, wadi_error *err) {
    if (length < 0 || (size_t)length >= room)
        return wadi_fail(err, WADI_IO, "%s: path is too long", what);
    struct stat about;
    const bool missing = (shared ? lstat : stat)(path, &about) != 0;
    if (missing) WADI_TRY(wadi_dir_make(path, 0700, err)); /* or another process does, just then */
    return examine(path, shared, what, err);
}
