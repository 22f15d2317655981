/* The machines that NVIDIA's driver offers, looked for once in a process. */
#ifndef WADI_SCHED_CUDA_MACHINES_H
#define WADI_SCHED_CUDA_MACHINES_H

#include <stdint.h>

#include "sched/cuda/api.h"

typedef struct wadi_cuda_machine {
    int number;
    char name[24];  /* for errors: "cuda:0" */
    char model[96]; /* as NVIDIA calls it */
    char arch[16];  /* as NVIDIA's compilers name it: "sm_90" */
    int major, minor, multiprocessors;
    int64_t memory;
    int driver; /* 1000 times the version of CUDA that the driver knows, and 10 times what follows the point */
    char broken[160]; /* why it cannot be used; "": it can */
    wadi_cu_device device;
} wadi_cuda_machine;

/* How many there are. Thread-safe. Errors: WADI_UNSUPPORTED (no library, or an old one), WADI_DEVICE (the library fails). */
WADI_NODISCARD wadi_status wadi_cuda_machines(int *out, wadi_error *err);
/* What is known of machine `number`; it does not change any more. Thread-safe. Errors: those of wadi_cuda_machines, WADI_INVALID (there
 * is none of that number). */
WADI_NODISCARD wadi_status wadi_cuda_machine_at(int number, const wadi_cuda_machine **out,
                                                wadi_error *err);
/* The same of a machine that can be used. Errors: also WADI_DEVICE, with the reason. */
WADI_NODISCARD wadi_status wadi_cuda_machine_find(int number, const wadi_cuda_machine **out,
                                                  wadi_error *err);

/* Retains the machine's primary context, which all of the process share: memory and kernels of one part are there for the others. The
 * first takes the time that the driver needs to set the machine up. Errors: WADI_DEVICE, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_cuda_retain(const wadi_cuda_machine *m, wadi_cu_context *out,
                                            wadi_error *err);
/* Gives back what wadi_cuda_retain has given. */
void wadi_cuda_release(const wadi_cuda_machine *m);

#endif
