/* One end of a work queue (sched/work), with the keys or the token of links. */
#ifndef WADI_CONNECTORS_WORK_H
#define WADI_CONNECTORS_WORK_H

#include "sched/work/ways.h"
#include "wadi/stream.h"

/* Opens what `queue` says, which has no keys, with those of `keys` (NULL: none). Errors: those of wadi_way_open; WADI_INVALID (the token). */
WADI_NODISCARD wadi_status wadi_link_work_open(const wadi_workq_options *queue,
                                               const wadi_link_options *keys, wadi_workq **out,
                                               wadi_error *err);

#endif
