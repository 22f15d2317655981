/* wadi cache: what the user's cache holds, compiled kernels and learned chunk sizes, and emptying it. Only entries are removed,
 * nothing else in the directory. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/command.h"
#include "codegen/build/cache.h"

typedef struct contents {
    int64_t entries, bytes, sizes;
} contents;

/* Entries are named by digest. */
static bool is_module(const char *name) {
    const char *end = strstr(name, ".so");
    return end != NULL && strspn(name, "0123456789abcdef") == (size_t)(end - name) &&
           end - name == 64;
}

/* digest-stream-policy.size */
static bool is_size(const char *name) {
    const char *end = strstr(name, ".size");
    return end != NULL && end[5] == '\0' && strspn(name, "0123456789abcdef") == 32 &&
           name[32] == '-';
}

static wadi_status walk(const char *directory, bool remove_them, contents *out, wadi_error *err) {
    DIR *d = opendir(directory);
    if (!d) return wadi_fail(err, WADI_IO, "%s: %s", directory, strerror(errno));
    wadi_status st = WADI_OK;
    for (const struct dirent *e = readdir(d); e && st == WADI_OK; e = readdir(d)) {
        char path[1400];
        struct stat about;
        if (!is_module(e->d_name) && !is_size(e->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        if (stat(path, &about) != 0) continue; /* somebody else removed it */
        if (is_module(e->d_name))
            out->entries++;
        else
            out->sizes++;
        out->bytes += (int64_t)about.st_size;
        if (remove_them && unlink(path) != 0 && errno != ENOENT)
            st = wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
    }
    closedir(d);
    return st;
}

static int run(int argc, char **argv) {
    const bool clear = argc == 2 && strcmp(argv[1], "clear") == 0;
    if (argc > 1 && !clear) return wadi_cli_misuse(&wadi_cli_cache, "unexpected \"%s\"", argv[1]);
    wadi_error err = {0};
    char directory[1024];
    contents c = {0};
    wadi_status st = wadi_cache_directory(directory, sizeof directory, &err);
    if (st == WADI_OK) st = walk(directory, clear, &c, &err);
    if (st != WADI_OK) return wadi_cli_fail(&err);
    printf("%s: %lld compiled modules, %lld learned chunk sizes, %lld bytes%s\n", directory,
           (long long)c.entries, (long long)c.sizes, (long long)c.bytes, clear ? ", removed" : "");
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_cache = {
    "cache", "[clear]", "tells what the cache of kernels and learned sizes holds, or empties it",
    NULL, run};
