/* What a kind of machine with groups of lanes does for the device that is made of it (sched/gpu/gpu.h): memory, copies, kernels.
 *
 * Addresses are the machine's; the host calculates with them but never follows them. Calls take effect in their order, as in one
 * queue. A call that fails records why, and all later calls do nothing; `wait` tells the first failure. Only the compute thread calls,
 * except take and give. Some machines copy beside that queue, too (wadi_gpu_beside). */
#ifndef WADI_SCHED_GPU_DRIVER_H
#define WADI_SCHED_GPU_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "sched/image.h"
#include "sched/transform.h"

typedef struct wadi_gpu_call wadi_gpu_call;
typedef struct wadi_gpu_driver wadi_gpu_driver;

/* Bytes to which the arrays of transforms are aligned. */
enum { WADI_GPU_TRANSFORM_ALIGN = 16 };

/* Fourier transforms of `count` problems, which lie one behind the other on both sides, without the factor of inverse ones. A real inverse
 * may overwrite `in`. */
typedef struct wadi_gpu_transforms {
    wadi_transform t;
    int64_t count;
    void *in, *out;
} wadi_gpu_transforms;

/* Copies beside the queue of calls, one way each. A mark says how far a queue has come; 0 has always been reached. Any thread may call these
 * functions. What fails the driver's `wait` tells. */
typedef struct wadi_gpu_beside {
    /* Memory of the host that the machine writes to; NULL: out of memory. */
    void *(*pin)(wadi_gpu_driver *self, size_t bytes);
    void (*unpin)(wadi_gpu_driver *self, void *memory);
    /* A mark behind all calls so far. */
    uint64_t (*now)(wadi_gpu_driver *self);
    /* Copies to the machine when the calls have come to mark `used`. It has read `from` when it returns; the mark says when the copy has ended. */
    uint64_t (*send)(wadi_gpu_driver *self, void *to, const void *from, size_t bytes,
                     uint64_t used);
    /* Calls from now on take effect after what was sent up to the mark. */
    void (*after)(wadi_gpu_driver *self, uint64_t sent);
    /* Copies to pinned memory what calls so far have left there. The mark says when the copy has ended. */
    uint64_t (*fetch)(wadi_gpu_driver *self, void *to, const void *from, size_t bytes);
    /* Waits for that. Errors: the driver's first failure; what was fetched means nothing then. */
    wadi_status (*arrived)(wadi_gpu_driver *self, uint64_t fetched, wadi_error *err);
} wadi_gpu_beside;

typedef struct wadi_gpu_driver_ops {
    void (*destroy)(wadi_gpu_driver *self);
    /* Memory, aligned to 256 bytes; NULL: out of memory. */
    void *(*take)(wadi_gpu_driver *self, size_t bytes);
    void (*give)(wadi_gpu_driver *self, void *memory, size_t bytes);
    /* put has read `from` when it returns. get has written `to`: with zeros if it, or any call before it, has failed. So whoever takes numbers
     * from `to` finds none that are wild, and asks `wait` afterwards whether they mean anything. */
    void (*put)(wadi_gpu_driver *self, void *to, const void *from, size_t bytes);
    void (*get)(wadi_gpu_driver *self, void *to, const void *from, size_t bytes);
    void (*copy)(wadi_gpu_driver *self, void *to, const void *from, size_t bytes);
    /* The driver fills in call->origin. groups >= 1, each of WADI_GPU_LANES lanes. */
    void (*launch)(wadi_gpu_driver *self, wadi_code kernel, int64_t groups,
                   const wadi_gpu_call *call);
    /* How many groups of the kernel each unit runs at the same time; NULL: the machine does not tell. */
    int (*fitting)(wadi_gpu_driver *self, wadi_code kernel);
    wadi_status (*wait)(wadi_gpu_driver *self, wadi_error *err);
    /* Time that kernels and copies have taken since it was opened. Any thread. */
    int64_t (*busy_ns)(const wadi_gpu_driver *self);
    /* Queued as a launch. False: it declines, and nothing is queued. NULL: there is no library for it. */
    bool (*transform)(wadi_gpu_driver *self, const wadi_gpu_transforms *x);
    const wadi_gpu_beside *beside; /* NULL: there is one queue for all */
} wadi_gpu_driver_ops;

struct wadi_gpu_driver {
    const wadi_gpu_driver_ops *ops;
    /* What loads its kernels. It takes the primitives, too, whatever its other images are: a text in device C, ended by a NUL that the
     * image's n counts, whose first line is a comment with `wadi_module_key: KEY` (sched/gpu/primitives.c). */
    const wadi_image_ops *images;
    const char *dialect; /* the text of the dialect's header, pasted in front of the primitives */
    int units;           /* that run groups beside each other: multiprocessors, compute units */
    int64_t memory;      /* bytes that can be taken */
    const char *name;    /* for errors: "opencl:0" */
};

#endif
