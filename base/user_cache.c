/* See the header. */
#include "base/user_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

wadi_status wadi_user_cache_name(char *out, size_t room, wadi_error *err) {
    const char *own = getenv("WADI_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n;
    if (own && *own)
        n = snprintf(out, room, "%s", own);
    else if (xdg && *xdg)
        n = snprintf(out, room, "%s/wadi", xdg);
    else if (home && *home)
        n = snprintf(out, room, "%s/.cache/wadi", home);
    else
        return wadi_fail(err, WADI_IO,
                         "cache: none of WADI_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    if (n < 0 || (size_t)n >= room) return wadi_fail(err, WADI_IO, "cache: path is too long");
    return WADI_OK;
}

wadi_status wadi_user_cache(char *out, size_t room, wadi_error *err) {
    WADI_TRY(wadi_user_cache_name(out, room, err));
    WADI_TRY(wadi_dir_make(out, 0700, err));
    struct stat st;
    if (stat(out, &st) != 0 || !S_ISDIR(st.st_mode))
        return wadi_fail(err, WADI_IO, "cache: %s is not a directory", out);
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return wadi_fail(err, WADI_IO,
                         "cache: %s belongs to or can be written by somebody else (mode %o)", out,
                         (unsigned)(st.st_mode & 07777));
    return WADI_OK;
}
