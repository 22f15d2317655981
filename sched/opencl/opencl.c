/* The row: the machines, found once, and devices with groups of lanes made of them. */
#include "sched/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/thread.h"
#include "sched/gpu/gpu.h"
#include "sched/opencl/driver.h"
#include "sched/opencl/image.h"

static wadi_opencl_machines machines; /* until the process ends */
static wadi_status looked;
static wadi_error why;

static const char *library_name(void) {
    const char *named = getenv("WADI_OPENCL_DRIVER");
    return named != NULL && *named != '\0' ? named : WADI_OPENCL_LIBRARY;
}

static void look_once(void) {
    looked = wadi_opencl_entries_load(library_name(), &machines.cl, &why);
    if (looked == WADI_OK) looked = wadi_opencl_look(&machines, &wadi_opencl_images_ops, &why);
}

wadi_status wadi_opencl_count(int *out, wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, look_once);
    *out = machines.n;
    if (looked != WADI_OK && err != NULL) *err = why;
    return looked;
}

static wadi_status machine_at(int number, wadi_opencl_machine **out, wadi_error *err) {
    int n = 0;
    WADI_TRY(wadi_opencl_count(&n, err));
    if (number < 0 || number >= n)
        return wadi_fail(err, WADI_INVALID, "opencl:%d: there are %d of these devices", number, n);
    *out = &machines.at[number];
    return WADI_OK;
}

static wadi_status usable_at(int number, wadi_opencl_machine **out, wadi_error *err) {
    WADI_TRY(machine_at(number, out, err));
    return wadi_opencl_check_usable(*out, err);
}

wadi_status wadi_opencl_tell(int number, wadi_device_facts *out, wadi_error *err) {
    wadi_opencl_machine *m = NULL;
    WADI_TRY(machine_at(number, &m, err));
    snprintf(out->name, sizeof out->name, "%s", m->product);
    snprintf(out->versions, sizeof out->versions, "%s%sdriver %s%s", m->version,
             m->version[0] != '\0' ? ", " : "", m->driver[0] != '\0' ? m->driver : "not told",
             m->fp64 ? "" : ", no f64");
    out->memory = m->memory;
    return m->unusable[0] == '\0' ? WADI_OK : wadi_fail(err, WADI_UNSUPPORTED, "%s", m->unusable);
}

bool wadi_opencl_by_processors(int number) {
    wadi_opencl_machine *m = NULL;
    return machine_at(number, &m, NULL) == WADI_OK && m->by_processors;
}

wadi_status wadi_opencl_images(int number, const wadi_image_ops **out, wadi_error *err) {
    wadi_opencl_machine *m = NULL;
    WADI_TRY(usable_at(number, &m, err));
    *out = &m->images;
    return WADI_OK;
}

wadi_status wadi_opencl_open(const wadi_device_options *options, wadi_device **out,
                             wadi_error *err) {
    wadi_opencl_machine *m = NULL;
    wadi_gpu_driver *driver = NULL;
    WADI_TRY(usable_at(options->number, &m, err));
    WADI_TRY(wadi_opencl_driver_open(m, 0, &driver, err));
    return wadi_gpu_open(driver, options, out, err);
}
