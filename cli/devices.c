/* wadi devices: the table of devices. */
#include <stdio.h>

#include "cli/command.h"
#include "sched/device.h"

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_devices, "unexpected \"%s\"", argv[1]);
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++)
        printf("%-12s %s\n", d->name, d->about);
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_devices = {
    "devices", "", "lists the devices that programs run on",
    "The first is used unless `wadi run --device NAME` says otherwise. All give the same bits.\n",
    run};
