/* The devices of OpenCL that this computer has. They are looked for once, and what is found is kept until the process ends. */
#ifndef WADI_SCHED_OPENCL_MACHINE_H
#define WADI_SCHED_OPENCL_MACHINE_H

#include <pthread.h>
#include <stdbool.h>

#include "sched/image.h"
#include "sched/opencl/entry.h"

typedef struct wadi_opencl_machine {
    wadi_image_ops images; /* the first member: what load and find are given leads to the machine */
    const wadi_opencl_entries *cl;
    wadi_opencl_device device;
    char name[24];               /* "opencl:0" */
    char product[128];           /* as its maker calls it */
    char vendor[64];             /* the maker */
    char version[96];            /* of OpenCL: "OpenCL 3.0 .." */
    char language[64];           /* "OpenCL C 1.2 .." */
    char driver[64];             /* version of the driver */
    char unusable[128];          /* why it cannot be used; "": it can */
    int64_t memory, largest;     /* bytes: of all, of one buffer at most */
    int units;                   /* compute units */
    bool fp64, atomics64;        /* has numbers of double precision, and 64-bit compare and swap */
    bool by_processors;          /* it computes with the processors of the machine */
    bool rounds_divide;          /* / and sqrt of single precision can be correctly rounded */
    pthread_mutex_t lock;        /* guards the rest */
    wadi_opencl_context context; /* NULL: not made yet */
} wadi_opencl_machine;

typedef struct wadi_opencl_machines {
    wadi_opencl_entries cl;
    wadi_opencl_machine *at; /* [n] */
    int n;
} wadi_opencl_machines;

/* Fills in out->at and out->n: all devices of all platforms that out->cl tells of, usable or not. images: what loads images for them; each
 * has a copy. Errors: WADI_MEMORY, WADI_DEVICE. */
WADI_NODISCARD wadi_status wadi_opencl_look(wadi_opencl_machines *out, const wadi_image_ops *images,
                                            wadi_error *err);

/* Errors: WADI_UNSUPPORTED (it cannot be used; its name and the reason). */
WADI_NODISCARD wadi_status wadi_opencl_check_usable(const wadi_opencl_machine *m, wadi_error *err);

/* The context of the machine, made when first wanted. Any thread. Errors: WADI_UNSUPPORTED (the machine cannot be used), WADI_DEVICE,
 * WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_opencl_context_of(wadi_opencl_machine *m, wadi_opencl_context *out,
                                                  wadi_error *err);

#endif
