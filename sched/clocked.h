/* Devices whose calls are timed, for people who want to know what a device takes for its kernels alone. */
#ifndef WADI_SCHED_CLOCKED_H
#define WADI_SCHED_CLOCKED_H

#include "sched/device.h"

/* If $WADI_DEVICE_TIMES names a file, a device around `owned`, which appends a line to the file when it is destroyed:
 *
 *     NAME<TAB>calls<TAB>seconds<TAB>bytes put<TAB>bytes got
 *
 * The seconds are those of launches, primitives and routines, from their call to their end. What was called before has ended by then, so copies
 * do not count; the bytes are those of columns that were copied from the host and to it. Waiting for each call takes time that a run without
 * the variable does not take. Else, or if there is no memory, `owned` itself. A file that cannot be written is a warning in the log. */
wadi_device *wadi_clocked(const char *name, wadi_device *owned);

#endif
