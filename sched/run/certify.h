/* The certificate of a run (sched/certificate): while the run goes, digests of what it reads and delivers; in the end, the certificate is written, or
 * compared with an earlier one. */
#ifndef WADI_SCHED_RUN_CERTIFY_H
#define WADI_SCHED_RUN_CERTIFY_H

#include "sched/run/stream.h"

typedef struct wadi_certifier wadi_certifier;

/* With all bound, before the run begins: opens the file of the option `certificate`, and reads that of the option `verify`, which must be of this
 * program, its inputs and its options. */
WADI_NODISCARD wadi_status wadi_certify_open(wadi_run *x, wadi_error *err);
/* The next elements that a stage reads from its sources, in their order. By the compute thread, which is busy. If nothing is verified, a thread beside makes their
 * digests, and they stay in memory until then; while there is no room for more, the compute thread waits, and is not busy. Errors: WADI_MEMORY, of starting a thread. */
WADI_NODISCARD wadi_status wadi_certify_read(wadi_stream *s, const wadi_plan_stage *stage,
                                             wadi_chunk *c, wadi_error *err);
/* Whether chunks stay in memory for their digests after the compute thread is done with them. */
bool wadi_certify_keeps(const wadi_run *x);
/* Waits until nothing that was read stays in memory for its digest: a stream ends. If a digest has failed, wadi_certify_close says so. */
void wadi_certify_settle(wadi_run *x);
/* The next elements that a sink has taken. By the thread that calls the sink. Errors: WADI_INVALID (they are not those of the certificate to be
 * verified), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certify_delivered(wadi_run *x, const wadi_binding *sink,
                                                  const wadi_chunk *c, wadi_error *err);
/* The run has ended well, and its results are there: the certificate is written, but has its name only with wadi_certify_release. Errors: WADI_INVALID (as
 * above), WADI_IO, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certify_close(wadi_run *x, wadi_error *err);
/* Whether one is written: then workers elsewhere tell of their kernels. */
bool wadi_certify_tells(const wadi_run *x);
/* Elements that a worker of this kind (report.h) has computed, for the stretch that begins with `stage`. By the compute thread. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_certify_worker(const wadi_stream *s, const struct wadi_kind *kind,
                                               int stage, int64_t elements, wadi_error *err);
/* It gets its name. Errors: WADI_IO. */
WADI_NODISCARD wadi_status wadi_certify_release(wadi_run *x, wadi_error *err);
void wadi_certify_destroy(wadi_run *x);

/* The run begins again, at another device: its sources come once more, and its sinks do not. */
void wadi_certify_again(wadi_run *x);
/* Between two chunks. Blocks that are open end here. */
WADI_NODISCARD wadi_status wadi_certify_save(wadi_run *x, wadi_text *out, wadi_error *err);
/* Of the stream that goes on. */
WADI_NODISCARD wadi_status wadi_certify_load(const wadi_stream *s, wadi_state_reader *from,
                                             wadi_error *err);

#endif
