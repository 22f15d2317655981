/* The table of devices. A new kind is a folder and a line here. */
#include "sched/devices.h"

#include <stdlib.h>

#include "base/error.h"
#include "sched/cpu/cpu.h"
#include "sched/cpu/image.h"
#include "sched/cuda/cuda.h"
#include "sched/cuda/images.h"
#include "sched/null/null.h"
#include "sched/opencl/opencl.h"
#include "sched/schedules.h"

/* Of devices whose kernels are functions of this process. */
static wadi_status images_of_process(int number, const wadi_image_ops **out, wadi_error *err) {
    WADI_UNUSED(number);
    WADI_UNUSED(err);
    *out = &wadi_cpu_images;
    return WADI_OK;
}

static wadi_status tell_null(int number, wadi_device_facts *out, wadi_error *err) {
    WADI_TRY(wadi_cpu_tell(number, out, err));
    out->name[0] = out->versions[0] = '\0';
    return WADI_OK;
}

static bool by_processors(int number) {
    WADI_UNUSED(number);
    return true;
}

const wadi_device_row wadi_devices[] = {
    {.name = "cpu",
     .about = "the processors of this machine",
     .language = "C",
     .tell = wadi_cpu_tell,
     .images = images_of_process,
     .open = wadi_cpu_open,
     .by_processors = by_processors},
    {.name = "null",
     .about = "the same over memory that the host cannot reach: for tests",
     .language = "C",
     .apart = true,
     .tell = tell_null,
     .images = images_of_process,
     .open = wadi_null_open,
     .by_processors = by_processors,
     .copies = 4},
    {.name = "cuda",
     .about = "devices of NVIDIA",
     .language = "CUDA C",
     .apart = true,
     .schedule = WADI_SCHEDULE_FORCE_GROUP,
     .may_crash = true,
     .count = wadi_cuda_count,
     .tell = wadi_cuda_tell,
     .images = wadi_cuda_images,
     .open = wadi_cuda_open},
    {.name = "opencl",
     .about = "devices of OpenCL",
     .language = "OpenCL C",
     .apart = true,
     .schedule = WADI_SCHEDULE_FORCE_GROUP,
     .may_crash = true,
     .count = wadi_opencl_count,
     .tell = wadi_opencl_tell,
     .images = wadi_opencl_images,
     .open = wadi_opencl_open,
     .by_processors = wadi_opencl_by_processors},
    {0},
};

/* NULL: no name is given, and none stands in the environment. */
static const char *asked(const char *name) {
    if (name == NULL) name = getenv("WADI_DEVICE");
    return name == NULL || *name == '\0' ? NULL : name;
}

wadi_status wadi_device_find_all(const char *name, wadi_device_choices *out, wadi_error *err) {
    return wadi_device_list_in(wadi_devices, asked(name), out, err);
}

wadi_status wadi_device_find(const char *name, wadi_device_choice *out, wadi_error *err) {
    wadi_device_choices all;
    WADI_TRY(wadi_device_find_all(name, &all, err));
    *out = all.at[0];
    return WADI_OK;
}

wadi_status wadi_device_names(const char *name, wadi_device_choice *out, int *out_n,
                              wadi_error *err) {
    return wadi_device_names_in(wadi_devices, asked(name), out, out_n, err);
}

wadi_status wadi_device_kind(const char *name, const wadi_device_row **out, wadi_error *err) {
    const wadi_device_row *kinds[WADI_DEVICES_MOST];
    int n = 0;
    WADI_TRY(wadi_device_kinds_in(wadi_devices, asked(name), kinds, &n, err));
    *out = kinds[0];
    return WADI_OK;
}

static wadi_status make_default(const char *name, wadi_error *err) {
    if (setenv("WADI_DEVICE", name, 1) == 0) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "--device: out of memory");
}

wadi_status wadi_device_take(void *options, const char *value, wadi_error *err) {
    wadi_device_choices all;
    WADI_UNUSED(options);
    WADI_TRY(wadi_device_list_in(wadi_devices, value, &all, err));
    return make_default(all.name, err);
}

wadi_status wadi_device_take_kind(void *options, const char *value, wadi_error *err) {
    const wadi_device_row *kinds[WADI_DEVICES_MOST];
    int n = 0;
    WADI_UNUSED(options);
    WADI_TRY(wadi_device_kinds_in(wadi_devices, value, kinds, &n, err));
    return make_default(value, err);
}

int wadi_device_force(const wadi_device_row *row, wadi_schedule_option option) {
    return wadi_forced_schedule(option == WADI_SCHEDULE_AUTO ? row->schedule : option);
}
