/* What a run copies between the host and a device with memory of its own, worked out from the plan alone.
 *
 * Only columns count: what describes arrays lives on the host, and launches carry copies of it. Where a program branches or loops from
 * element to element, the device also tells the host how each element decides; that is not in the list. */
#ifndef WADI_SCHED_COPIES_H
#define WADI_SCHED_COPIES_H

#include "base/text.h"
#include "base/vec.h"
#include "sched/plan.h"

typedef enum wadi_copy_why {
    WADI_COPY_GIVEN, /* to the device, when the run begins: an input, or an array that the program holds */
    WADI_COPY_READ, /* to the device, with each chunk: what a source has read, or what a change has made of a stage's results */
    WADI_COPY_FOLDED, /* to the device, with each chunk: what a fold reads that is on the host */
    WADI_COPY_CHANGED, /* to the host, with each chunk: what the change in front of a later stage works on */
    WADI_COPY_STATE,  /* to the host, with each element: the state of a scan */
    WADI_COPY_ENDED,  /* to the host, with each chunk: what an end collects or sends */
    WADI_COPY_STORED, /* to the device, when the stream has ended: what was collected */
    WADI_COPY_RESULT  /* to the host, when the run has ended */
} wadi_copy_why;

typedef struct wadi_column_copy {
    wadi_copy_why why;
    int slot;
    int phase, stage; /* the stage that it goes to, or comes from; -1: none */
    int end;          /* ENDED, FOLDED, STORED: the end of the phase's stream; else -1 */
} wadi_column_copy;

typedef WADI_VEC(wadi_column_copy) wadi_copies;

/* Appends all copies of a run, in its order. A result of a stage that several readers want is copied once. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_copies_list(const wadi_plan *p, wadi_copies *out, wadi_error *err);

/* The same for people: what lives where, and each copy with its bytes. device: "cuda"; it has memory of its own. */
void wadi_copies_print(const wadi_plan *p, const wadi_copies *copies, const char *device,
                       wadi_text *out);

/* Appends a slot of the plan: "v.0 f64 rank 1, 8 bytes a value". */
void wadi_copies_print_slot(const wadi_plan *p, int slot, wadi_text *out);

#endif
