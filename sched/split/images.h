/* Images for several devices at once: what is loaded is loaded for each of them. */
#ifndef WADI_SCHED_SPLIT_IMAGES_H
#define WADI_SCHED_SPLIT_IMAGES_H

#include "sched/image.h"

/* What loads images for n devices, 1 to WADI_SPLIT_MOST, with these tables: static, and the same for the same tables. One table for all is itself the
 * answer. Any thread. Errors: WADI_INVALID (they take other images), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_split_images(int n, const wadi_image_ops *const *part,
                                             const wadi_image_ops **out, wadi_error *err);

/* The kernel as device `part` of them knows it. images: of all of them, which have found it. */
wadi_code wadi_split_code(const wadi_image_ops *images, wadi_code code, int part);

#endif
