/* wadi devices: which devices there are, and why those that cannot be used cannot.
 *
 * A driver that is broken may crash or hang. So kinds with a library of their own are asked by a process of its own, and how that ended is
 * told if it has no answer. */
#include <stdio.h>

#include "base/ask.h"
#include "base/patience.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/command.h"
#include "sched/devices.h"

/* In the process that asks. */
static void ask(const void *row, wadi_text *answer) {
    wadi_device_describe(row, answer);
}

static void describe_apart(const wadi_device_row *row, wadi_text *out) {
    const int64_t limit = wadi_patience_ns();
    int code = 0;
    const wadi_ask_end end = wadi_ask(ask, row, limit, out, &code);
    if (end == WADI_ASK_FAILED) wadi_device_describe(row, out);
    if (end != WADI_ASK_CRASHED && end != WADI_ASK_LATE) return;
    wadi_text_addf(out, "%-12s %s: none: its library ", row->name, row->about);
    wadi_ask_tell(end, code, limit, out);
    wadi_text_add(out, "\n");
}

static int run(int argc, char **argv) {
    if (argc > 1) return wadi_cli_misuse(&wadi_cli_devices, "unexpected \"%s\"", argv[1]);
    wadi_process_may_die(true);
    for (const wadi_device_row *d = wadi_devices; d->name != NULL; d++) {
        wadi_text t = {0};
        if (d->count == NULL)
            wadi_device_describe(d, &t);
        else
            describe_apart(d, &t);
        fputs(wadi_text_str(&t), stdout);
        (void)fflush(stdout);
        wadi_text_fini(&t);
    }
    return WADI_CLI_OK;
}

const wadi_cli_command wadi_cli_devices = {
    "devices", "", "lists the devices that programs run on",
    "Each line says what the device is, its versions and memory, and what is wrong if it cannot be "
    "used.\n"
    "The first is used unless --device NAME or WADI_DEVICE names another. All give the same bits.\n"
    "A device runs kernels of one language; `wadi version` lists the targets of each.\n",
    run};
