/* The table of devices. A new device is a folder and a line here. */
#include "sched/cpu/cpu.h"

const wadi_device_row wadi_devices[] = {
    {"cpu", "the processors of this machine", wadi_cpu_open},
    {NULL, NULL, NULL},
};
