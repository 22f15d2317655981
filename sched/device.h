/* A device runs plan bodies over chunks.
 *
 * The compute thread gives it one job at a time; how the work is spread is the device's affair. Slots of the job live in
 * memory the device can reach (for `cpu` that is host memory, the only kind there is so far). */
#ifndef WADI_SCHED_DEVICE_H
#define WADI_SCHED_DEVICE_H

#include "sched/slots.h"

/* One body over one chunk. */
typedef struct wadi_job {
    int body;
    bool main_block; /* a body over one element, results ONCE */
    int64_t first, count;
    int64_t bytes;                    /* of the chunk's input, for choosing a schedule */
    int64_t left;                     /* elements known to come after these; -1: not known */
    wadi_slots *slots;                /* sources' slots are bound; results appear here */
    wadi_version_key ran;             /* out: which version */
    const wadi_plan_version *version; /* out: the same; its places are what the fault names */
    bool
        loaded; /* out: kernels were compiled or loaded first: the time says nothing about the work */
    wadi_fault fault; /* out: kind WADI_FAULT_NONE when all went well */
} wadi_job;

typedef struct wadi_device wadi_device;

typedef struct wadi_device_ops {
    void (*destroy)(wadi_device *self);
    /* A fault of the program is not an error of the call: it is told in the job. Of several, the one with the smallest
     * element, then the smallest place in the result, is reported, whatever the number of workers. */
    wadi_status (*run)(wadi_device *self, wadi_job *job, wadi_error *err);
    /* Workers' time spent in kernels, summed, since creation. Any thread. */
    int64_t (*busy_ns)(const wadi_device *self);
    int (*workers)(const wadi_device *self);
    /* Ways of running a body are being compared, which long chunks would make expensive. The compute thread. */
    bool (*tries)(wadi_device *self);
} wadi_device_ops;

struct wadi_device {
    const wadi_device_ops *ops;
};

typedef struct wadi_device_options {
    const wadi_plan *plan;
    const wadi_loader *loader;
    wadi_buffers *buffers;
    int threads; /* 0: one per processor */
    int force;   /* a wadi_schedule, or -1: the device chooses */
} wadi_device_options;

typedef struct wadi_device_row {
    const char *name;
    wadi_status (*create)(const wadi_device_options *options, wadi_device **out, wadi_error *err);
} wadi_device_row;

/* The table, ended by a row without a name (devices.c). */
extern const wadi_device_row wadi_devices[];

WADI_NODISCARD wadi_status wadi_device_cpu_create(const wadi_device_options *options,
                                                  wadi_device **out, wadi_error *err);

#endif
