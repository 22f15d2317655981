/* dlopen and friends. Symbols are bound at once and kept local, so that kernels may all use the same names. */
#define _GNU_SOURCE /* memfd_create */
#include "base/dl.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

/* Without the name that the loader puts in front, which the caller tells. */
static const char *reason(const char *name) {
    const char *text = dlerror();
    return text == NULL ? "no reason given" : wadi_text_unnamed(text, name);
}

wadi_status wadi_dl_open(wadi_dl *d, const char *path, wadi_error *err) {
    *d = (wadi_dl){dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (d->handle == NULL) return wadi_fail(err, WADI_IO, "cannot load %s: %s", path, reason(path));
    return WADI_OK;
}

enum { BITS = 32, NAME = 2 * BITS + BITS + 32 };

/* A new path of the descriptor for each call. The loader remembers paths: a path that it has seen before would give the file that was
 * there then. So the bits of a counter are written into the path, "/." for 0 and "//." for 1, which do not change its meaning. */
static void name_descriptor(int fd, char out[NAME]) {
    static atomic_uint_least32_t next;
    size_t n = (size_t)snprintf(out, NAME, "/proc/self/fd");
    for (uint32_t bits = atomic_fetch_add(&next, 1); bits != 0; bits >>= 1)
        n += (size_t)snprintf(out + n, NAME - n, bits & 1 ? "//." : "/.");
    (void)snprintf(out + n, NAME - n, "/%d", fd);
}

wadi_status wadi_dl_open_fd(wadi_dl *d, int fd, wadi_error *err) {
    char name[NAME];
    name_descriptor(fd, name);
    return wadi_dl_open(d, name, err);
}

/* A file in memory that may be executed. Some systems demand MFD_EXEC for that; older ones do not know the flag. */
static int make_memory(void) {
#ifdef MFD_EXEC
    const int fd = memfd_create("wadi-kernel", MFD_CLOEXEC | MFD_EXEC);
    if (fd >= 0 || errno != EINVAL) return fd;
#endif
    return memfd_create("wadi-kernel", MFD_CLOEXEC);
}

wadi_status wadi_dl_open_bytes(wadi_dl *d, const void *bytes, size_t n, wadi_error *err) {
    const int fd = make_memory();
    size_t done = 0;
    if (fd < 0) return wadi_fail_errno(err, errno, "no memory to load from");
    while (done < n) {
        const ssize_t put = write(fd, (const char *)bytes + done, n - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) break;
        done += (size_t)put;
    }
    const wadi_status status = done == n ? wadi_dl_open_fd(d, fd, err)
                                         : wadi_fail_errno(err, errno, "no memory to load from");
    (void)close(fd);
    return status;
}

const char *wadi_dl_path(const wadi_dl *d) {
    struct link_map *map = NULL;
    if (dlinfo(d->handle, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == NULL) return "";
    return map->l_name;
}

void wadi_dl_close(wadi_dl *d) {
    if (d->handle != NULL) (void)dlclose(d->handle);
    *d = (wadi_dl){0};
}

wadi_status wadi_dl_symbol(const wadi_dl *d, const char *name, void **out, wadi_error *err) {
    void *found = dlsym(d->handle, name);
    if (found == NULL) return wadi_fail(err, WADI_IO, "cannot find %s: %s", name, reason(name));
    *out = found;
    return WADI_OK;
}

/* ISO C has no cast from object to function pointer; POSIX says that the bits are the same. */
wadi_status wadi_dl_function(const wadi_dl *d, const char *name, wadi_dl_fn *out, wadi_error *err) {
    void *found = NULL;
    WADI_TRY(wadi_dl_symbol(d, name, &found, err));
    _Static_assert(sizeof found == sizeof *out, "function and object pointers are alike");
    memcpy(out, &found, sizeof found);
    return WADI_OK;
}
