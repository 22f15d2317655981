/* A device made of several: launches are cut, and each part of a launch is done by one of them (fission).
 *
 * What is cut is the range of a launch: elements, or the units of schedules flat and group. All parts write to the same memory, each
 * where the whole launch would have, so there is nothing to join afterwards but faults. Bits and faults are those of one device, wherever
 * the cuts are: docs/decisions/0056 says why, operator by operator.
 *
 * A device does its part piece by piece. One that is done helps the others, if all have begun: parts are fixed, speeds are not. One part after the
 * other, nobody helps.
 *
 * The first device does the rest alone: what must be in order, the primitives, and what emits elements, unless all can emit together. */
#ifndef WADI_SCHED_SPLIT_SPLIT_H
#define WADI_SCHED_SPLIT_SPLIT_H

#include "sched/device.h"

/* Where launches are cut. */
typedef struct wadi_split_rule {
    /* Fills in at[1] .. at[parts - 1], in ascending order, 0 .. n: part p does [at[p], at[p + 1]) of n. at[0] and at[parts] are 0
     * and n. By the compute thread. NULL: in proportion to the workers of the devices. */
    void (*cut)(void *env, int64_t n, int parts, int64_t *at);
    void *env;
} wadi_split_rule;

enum { WADI_SPLIT_MOST = 16 };

/* n devices, 1 to WADI_SPLIT_MOST, all of one residence and with the same images; they are destroyed with it, and also after an error.
 * at_once: how many parts run at the same time, 1 to n. together: kernels of all of them emit to what the first expects. Errors: WADI_INVALID (one does not share, or they do not fit), WADI_MEMORY,
 * WADI_IO (a thread). */
WADI_NODISCARD wadi_status wadi_split_open(int n, wadi_device *const *owned_devices, int at_once,
                                           bool together, wadi_split_rule rule, wadi_device **out,
                                           wadi_error *err);

/* Over `parts` devices cpu, 2 to WADI_SPLIT_MOST, that share the threads of the options; each has one at least. Errors as above. */
WADI_NODISCARD wadi_status wadi_split_open_cpus(const wadi_device_options *options, int parts,
                                                wadi_split_rule rule, wadi_device **out,
                                                wadi_error *err);

#endif
