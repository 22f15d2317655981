/* Memory that can be closed: while it is, reading or writing it ends the process with SIGSEGV. */
#ifndef WADI_SCHED_NULL_MEMORY_H
#define WADI_SCHED_NULL_MEMORY_H

#include "sched/buffers.h"

typedef struct wadi_null_memory wadi_null_memory;

/* Closed, and empty. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_null_memory_create(wadi_null_memory **out, wadi_error *err);

/* The memory in the form that a pool takes. The pool destroys it in the end. */
wadi_memory wadi_null_memory_of(wadi_null_memory *m);

/* Calls nest. Any thread may call these. False: the system does not let it, now and from then on; there is nothing to close. */
WADI_NODISCARD bool wadi_null_memory_open(wadi_null_memory *m);
void wadi_null_memory_close(wadi_null_memory *m);
/* Where the device itself reads and writes, open or closed, what its blocks have at this address; an address of other memory stays as it is.
 * It is good as long as the block. Any thread. */
void *wadi_null_memory_view(wadi_null_memory *m, const void *at);
/* Whether it has been refused. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_null_memory_check(wadi_null_memory *m, wadi_error *err);

#endif
