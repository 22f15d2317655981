/* Images of kernels in CUDA C: modules of the driver, in the machine's own code or in PTX. A module says its key by the name of a
 * kernel, wadi_module_key_KEY. An image may be a text in CUDA C as well, ended by a NUL, which is compiled when it is loaded; it says its
 * key in a comment, `wadi_module_key: KEY`. */
#ifndef WADI_SCHED_CUDA_IMAGES_H
#define WADI_SCHED_CUDA_IMAGES_H

#include "sched/cuda/machines.h"
#include "sched/image.h"

/* What loads images for the machine: static. Their `machine` is its architecture, "sm_90". Thread-safe. Errors: WADI_MEMORY, and
 * those of wadi_cuda_machine_find. */
WADI_NODISCARD wadi_status wadi_cuda_images(int number, const wadi_image_ops **out,
                                            wadi_error *err);

/* The driver's handle of a kernel that these have found. */
static inline wadi_cu_function wadi_cuda_function(wadi_code code) {
    return (wadi_cu_function)code.handle;
}

#endif
