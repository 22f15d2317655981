/* Choosing and checking the user's cache folder. */
#include "base/user_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"

/* Checks that the folder is ours and that nobody else can write to it. If others can make names beside it (`shared`, as in /tmp), it
 * must not be a link, and nobody else may read it. */
static wadi_status examine(const char *path, bool shared, wadi_error *err) {
    struct stat about;
    if ((shared ? lstat : stat)(path, &about) != 0)
        return wadi_fail_errno(err, errno, "cache: %s", path);
    if (!S_ISDIR(about.st_mode)) return wadi_fail(err, WADI_IO, "cache: %s is not a folder", path);
    if (about.st_uid == geteuid() && (about.st_mode & (shared ? 077 : S_IWGRP | S_IWOTH)) == 0)
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "cache: %s belongs to or can be written by somebody else (mode %o)", path,
                     (unsigned)(about.st_mode & 07777));
}

/* Checks the folder, or makes it if it is missing. length: what snprintf returned for the path. */
static wadi_status settle(int length, const char *path, size_t room, bool shared, wadi_error *err) {
    if (length < 0 || (size_t)length >= room)
        return wadi_fail(err, WADI_IO, "cache: path is too long");
    const wadi_status status = examine(path, shared, err);
    if (status != WADI_IO || wadi_file_exists(path)) return status;
    WADI_TRY(wadi_dir_make(path, 0700, err));
    return examine(path, shared, err);
}

/* Whether HOME is an existing folder; a missing one is not made. */
static bool has_home(const char *home) {
    return home != NULL && *home == '/' && wadi_file_exists(home);
}

wadi_status wadi_user_cache(char *out, size_t room, wadi_error *err) {
    const char *own = getenv("WADI_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own != NULL && *own != '\0')
        return settle(snprintf(out, room, "%s", own), out, room, false, err);
    if (xdg != NULL && *xdg != '\0' &&
        settle(snprintf(out, room, "%s/wadi", xdg), out, room, false, NULL) == WADI_OK)
        return WADI_OK;
    if (has_home(home) &&
        settle(snprintf(out, room, "%s/.cache/wadi", home), out, room, false, NULL) == WADI_OK)
        return WADI_OK;
    if (settle(snprintf(out, room, "%s/wadi-%lu", wadi_folder_parent(), (unsigned long)geteuid()),
               out, room, true, NULL) == WADI_OK)
        return WADI_OK;
    return wadi_fail(err, WADI_IO,
                     "cache: no folder can be used: those of XDG_CACHE_HOME and HOME cannot, nor "
                     "can %s/wadi-%lu",
                     wadi_folder_parent(), (unsigned long)geteuid());
}
