/* Images of kernels in OpenCL C. An image is the text, ended by a NUL; what follows it is not looked at. A line of it says the key:
 * `wadi_module_key: KEY`, in a comment. */
#ifndef WADI_SCHED_OPENCL_IMAGE_H
#define WADI_SCHED_OPENCL_IMAGE_H

#include <pthread.h>

#include "sched/image.h"
#include "sched/opencl/machine.h"

/* The functions of each machine; `self` is the first member of a wadi_opencl_machine. */
extern const wadi_image_ops wadi_opencl_images_ops;

/* What the handle of a wadi_code points to. The image that it was found in owns it. */
typedef struct wadi_opencl_code {
    struct wadi_opencl_code *next; /* of the image */
    wadi_opencl_kernel kernel;
    uint32_t which; /* of the kernels that share its entry */
    char *name;
    pthread_mutex_t lock; /* held from the setting of arguments to the launch */
} wadi_opencl_code;

#endif
