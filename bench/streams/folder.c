/* See folder.h. */
#include "bench/streams/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

wadi_status bench_folder_make(const char *program, bench_folder *out, wadi_error *err) {
    const char *shared = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(out->path, sizeof out->path, "%s/%s.XXXXXX", shared, program);
    if (mkdtemp(out->path) != NULL) return WADI_OK;
    const wadi_status status = wadi_fail(err, WADI_IO, "%s: %s", out->path, strerror(errno));
    out->path[0] = '\0';
    return status;
}

void bench_folder_path(const bench_folder *f, const char *file, char out[BENCH_PATH]) {
    (void)snprintf(out, BENCH_PATH, "%s/%.60s", f->path, file);
}

wadi_status bench_folder_put(const bench_folder *f, const char *file, const void *data,
                             size_t bytes, wadi_error *err) {
    char path[BENCH_PATH];
    bench_folder_path(f, file, path);
    FILE *to = fopen(path, "wb");
    const bool written = to != NULL && fwrite(data, 1, bytes, to) == bytes;
    const bool closed = to != NULL && fclose(to) == 0;
    if (written && closed) return WADI_OK;
    return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
}

wadi_status bench_folder_get(const bench_folder *f, const char *file, void *out, size_t bytes,
                             wadi_error *err) {
    char path[BENCH_PATH];
    bench_folder_path(f, file, path);
    FILE *from = fopen(path, "rb");
    if (from == NULL) return wadi_fail(err, WADI_IO, "%s: %s", path, strerror(errno));
    const bool whole = fread(out, 1, bytes, from) == bytes && fgetc(from) == EOF;
    (void)fclose(from);
    return whole ? WADI_OK : wadi_fail(err, WADI_IO, "%s: has not %zu bytes", path, bytes);
}

void bench_folder_remove(bench_folder *f) {
    DIR *all = f->path[0] != '\0' ? opendir(f->path) : NULL;
    char path[BENCH_PATH];
    if (all == NULL) return;
    for (const struct dirent *one; (one = readdir(all)) != NULL;) {
        bench_folder_path(f, one->d_name, path);
        (void)unlink(path); /* not . and .. */
    }
    (void)closedir(all);
    (void)rmdir(f->path);
    f->path[0] = '\0';
}
