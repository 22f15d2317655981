/* Choosing and checking the user's cache folder. */
#include "base/user_cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/private_folder.h"

static wadi_status settle(int length, const char *path, size_t room, bool shared, wadi_error *err) {
    return wadi_private_folder(length, path, room, shared, "cache", err);
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
