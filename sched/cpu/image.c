/* Loading shared objects. */
#include "sched/cpu/image.h"

#include <string.h>

#include "base/dl.h"
#include "base/error.h"
#include "sched/cpu/code.h"

static wadi_dl object_of(const wadi_kernels *kernels) {
    return (wadi_dl){kernels->handle};
}

/* The open file itself where it may be run, else its bytes; its name where there is no /proc. */
static wadi_status open_object(const wadi_image *image, wadi_dl *out, wadi_error *err) {
    if (image->fd >= 0 && wadi_dl_open_fd(out, image->fd, NULL) == WADI_OK) return WADI_OK;
    const wadi_status status = wadi_dl_open_bytes(out, image->bytes, image->n, err);
    return status == WADI_OK || image->path == NULL ? status : wadi_dl_open(out, image->path, err);
}

static bool says(const wadi_dl *object, const char *key) {
    void *said = NULL;
    return wadi_dl_symbol(object, WADI_IMAGE_KEY, &said, NULL) == WADI_OK &&
           strncmp(said, key, strlen(key)) == 0;
}

static wadi_status load(const wadi_image_ops *self, const wadi_image *image, const char *key,
                        wadi_kernels *out, wadi_error *err) {
    WADI_UNUSED(self);
    wadi_dl object = {0};
    *out = (wadi_kernels){0};
    WADI_TRY(open_object(image, &object, err));
    if (!says(&object, key)) {
        wadi_dl_close(&object);
        return wadi_fail(err, WADI_INVALID, "the shared object was not built from these kernels");
    }
    out->handle = object.handle;
    return WADI_OK;
}

static wadi_status find(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err) {
    const wadi_dl object = object_of(kernels);
    wadi_dl_fn f = NULL;
    WADI_TRY(wadi_dl_function(&object, name, &f, err));
    *out = wadi_cpu_code((wadi_kernel)f);
    return WADI_OK;
}

static void unload(wadi_kernels *kernels) {
    wadi_dl object = object_of(kernels);
    wadi_dl_close(&object);
    *kernels = (wadi_kernels){0};
}

const wadi_image_ops wadi_cpu_images = {"C", load, find, unload};
