/* Images: what kernels are built into, and what devices load. The compiler makes images and its cache keeps them; what is in one
 * only the language that it was built from and the devices that take that language know.
 *
 * An image says of itself what it was built from: a key, at the symbol WADI_IMAGE_KEY. */
#ifndef WADI_SCHED_IMAGE_H
#define WADI_SCHED_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

#define WADI_IMAGE_KEY "wadi_module_key"
/* Of an image that is a text: its first line defines this if it is built with fast math. */
#define WADI_IMAGE_FAST "WADI_FAST_MATH"
/* Of an image that is a text: a comment "NAME is case 3 of ENTRY" says that kernel NAME is ENTRY, launched with `which` = 3. */
#define WADI_IMAGE_CASE " is case "

typedef struct wadi_image {
    char *bytes; /* [n] */
    size_t n;
    int fd; /* the open file that the bytes were read from; -1: they are in memory alone */
    const char *path; /* of that file; NULL: there is none */
} wadi_image;

/* A kernel as its device knows it; nobody else interprets the handle. 0: none. */
typedef struct wadi_code {
    uintptr_t handle;
} wadi_code;

/* An image that has been loaded. The handle is the business of the functions below. */
typedef struct wadi_kernels {
    void *handle;
} wadi_kernels;

/* How devices load images. Devices that can share what is loaded have one table of these. Any thread. */
typedef struct wadi_image_ops wadi_image_ops;

struct wadi_image_ops {
    const char *language; /* of the kernels in the images that they take */
    /* *out is the caller's to unload. What is loaded is the open file itself where there is one and it can be loaded, else the bytes.
     * Errors: WADI_INVALID (it is no image of `key`); any other: it cannot be loaded here and now. */
    wadi_status (*load)(const wadi_image_ops *self, const wadi_image *image, const char *key,
                        wadi_kernels *out, wadi_error *err);
    /* The kernel of that name. Errors: WADI_IO (there is none). */
    wadi_status (*find)(const wadi_kernels *kernels, const char *name, wadi_code *out,
                        wadi_error *err);
    /* No code of it is used any more. Harmless when all is zero. */
    void (*unload)(wadi_kernels *kernels);
    /* The machine that images are built for, as the language names it ("sm_90"): another machine, other images. NULL: the target says
     * enough. */
    const char *machine;
};

#endif
