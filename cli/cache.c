/* wadi cache: shows what the user's cache holds, and empties it. It removes only files that wadi has made, and no file that a
 * living process is still writing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/user_cache.h"
#include "cli/command.h"
#include "codegen/build/cache.h"

typedef struct contents {
    int64_t modules, sizes, bytes;
    int left; /* files and folders that killed processes have left, and that were removed */
} contents;

/* A learned chunk size is named DIGEST-STREAM-POLICY.size. */
static bool is_size(const char *name) {
    const char *end = strstr(name, ".size");
    return end != NULL && end[5] == '\0' && strspn(name, "0123456789abcdef") == 32 &&
           name[32] == '-';
}

static bool is_wisdom(const char *name) {
    return strcmp(name, "fftw.wisdom") == 0;
}

/* What was measured of the machine: sched/bandwidth.c. */
static bool is_speed(const char *name) {
    const char *end = strstr(name, ".speed");
    return end != NULL && end[6] == '\0' && strncmp(name, "memory-", 7) == 0;
}

static bool is_known(const char *name) {
    return wadi_cache_is_entry(name) || is_size(name) || is_wisdom(name) || is_speed(name);
}

static wadi_status walk(const char *directory, bool remove_them, contents *out, wadi_error *err) {
    DIR *d = opendir(directory);
    if (!d) return wadi_fail_errno(err, errno, "%s", directory);
    wadi_status st = WADI_OK;
    for (const struct dirent *e = readdir(d); e && st == WADI_OK; e = readdir(d)) {
        struct stat about;
        const bool module = wadi_cache_is_entry(e->d_name), size = is_size(e->d_name);
        if (!is_known(e->d_name)) continue;
        if (fstatat(dirfd(d), e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue; /* somebody else removed it */
        out->modules += module;
        out->sizes += size;
        out->bytes += (int64_t)about.st_size;
        if (remove_them && unlinkat(dirfd(d), e->d_name, 0) != 0 && errno != ENOENT)
            st = wadi_fail_errno(err, errno, "%s/%s", directory, e->d_name);
    }
    closedir(d);
    if (remove_them) out->left = wadi_cache_sweep(directory);
    return st;
}

static int run(int argc, char **argv) {
    const bool clear = argc == 2 && strcmp(argv[1], "clear") == 0;
    if (argc > 1 && !clear) return wadi_cli_misuse(&wadi_cli_cache, "unexpected \"%s\"", argv[1]);
    wadi_error err = {0};
    char directory[1024];
    contents c = {0};
    wadi_status st = wadi_user_cache(directory, sizeof directory, &err);
    if (st == WADI_OK) st = walk(directory, clear, &c, &err);
    if (st != WADI_OK) return wadi_cli_fail(&err);
    printf("%s: %lld compiled modules, %lld learned chunk sizes, %lld bytes%s", directory,
           (long long)c.modules, (long long)c.sizes, (long long)c.bytes, clear ? ", removed" : "");
    if (c.left > 0) printf("; %d leftovers of killed processes", c.left);
    printf("\n");
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_cache = {
    "cache", "[clear]", "shows what the cache of kernels and learned sizes holds, or empties it",
    NULL, run};
