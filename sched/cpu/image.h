/* Images of kernels in C: shared objects, loaded into this process. */
#ifndef WADI_SCHED_CPU_IMAGE_H
#define WADI_SCHED_CPU_IMAGE_H

#include "sched/image.h"

/* For all devices whose kernels are functions of this process. */
extern const wadi_image_ops wadi_cpu_images;

#endif
