/* The table of devices. A new device is a folder and a line here. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "sched/cpu/cpu.h"
#include "sched/null/null.h"

const wadi_device_row wadi_devices[] = {
    {"cpu", "the processors of this machine", wadi_cpu_open},
    {"null", "the same over memory that the host cannot reach: for tests", wadi_null_open},
    {NULL, NULL, NULL},
};

wadi_status wadi_device_find(const char *name, const wadi_device_row **out, wadi_error *err) {
    wadi_text names = {0};
    for (const wadi_device_row *row = wadi_devices; row->name != NULL; row++) {
        *out = row;
        if (name == NULL || strcmp(row->name, name) == 0) {
            wadi_text_fini(&names);
            return WADI_OK;
        }
        wadi_text_addf(&names, "%s%s", row == wadi_devices ? "" : ", ", row->name);
    }
    const wadi_status status = wadi_fail(err, WADI_INVALID, "device: there is no \"%s\", only %s",
                                         name, wadi_text_str(&names));
    wadi_text_fini(&names);
    return status;
}
