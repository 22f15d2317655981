/* The kind of device `opencl`: the functions of its row in the table of devices. The library and its devices are looked for once, when one of
 * them is first called. All may be called by any thread. */
#ifndef WADI_SCHED_OPENCL_OPENCL_H
#define WADI_SCHED_OPENCL_OPENCL_H

#include "sched/device.h"

/* Devices are counted that cannot be used, too. Errors: WADI_UNSUPPORTED (no library, or it lacks a function), WADI_DEVICE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_opencl_count(int *out, wadi_error *err);
/* Errors: those of the count; WADI_INVALID (there is no such number); WADI_UNSUPPORTED (it cannot be used: the bare reason, since whoever asks
 * names the device). */
WADI_NODISCARD wadi_status wadi_opencl_tell(int number, wadi_device_facts *out, wadi_error *err);
/* Errors: those of the count; WADI_INVALID (there is no such number); WADI_UNSUPPORTED (it cannot be used, with its name and the reason). */
WADI_NODISCARD wadi_status wadi_opencl_images(int number, const wadi_image_ops **out,
                                              wadi_error *err);
/* Whether the device is the processors of the machine; false for one that is not there. */
bool wadi_opencl_by_processors(int number);
/* Errors: those of wadi_opencl_images, WADI_DEVICE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_opencl_open(const wadi_device_options *options, wadi_device **out,
                                            wadi_error *err);

#endif
