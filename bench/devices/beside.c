/* See beside.h. */
#include "bench/devices/beside.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

wadi_status bench_beside_cpu(wadi_device_choices *out, wadi_error *err) {
    wadi_device_choices asked;
    const char *named = getenv("WADI_DEVICE");
    WADI_TRY(wadi_device_find_all("cpu", out, err));
    WADI_TRY(wadi_device_find_all(named != NULL && *named != '\0' ? named : "all", &asked, err));
    for (int i = 0; i < asked.n && out->n < WADI_DEVICES_MOST; i++)
        if (strcmp(asked.at[i].name, out->at[0].name) != 0) out->at[out->n++] = asked.at[i];
    return WADI_OK;
}

bool bench_beside_nvidia(const wadi_device_choices *list) {
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->at[i].row->name, "cuda") == 0) return true;
    return false;
}
