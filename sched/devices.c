/* The table of devices. A new device is a folder and a line here. */
#include "sched/device.h"

const wadi_device_row wadi_devices[] = {
    {"cpu", wadi_device_cpu_create},
    {NULL, NULL},
};
