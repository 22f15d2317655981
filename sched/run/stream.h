/* A stream at work: shared by the files stream.c (the phase), source.c, stage.c, end.c. */
#ifndef WADI_SCHED_RUN_STREAM_H
#define WADI_SCHED_RUN_STREAM_H

#include "sched/change/change.h"
#include "sched/pipe.h"
#include "sched/run/state.h"

typedef struct wadi_stream wadi_stream;

/* The sources of a stage that reads. What is only counted, or lies in memory, the compute thread takes itself; anything else is
 * read by a thread of its own and comes over a link. */
typedef struct wadi_lane {
    wadi_stream *stream;
    const wadi_plan_stage *plan;
    int stage;
    wadi_builder builder[WADI_MAX_PARTS];
    int builders;
    int reader[WADI_MAX_PARTS]; /* [readers] the sources that are no counters */
    int readers;
    int64_t count[WADI_MAX_PARTS]; /* [nsources] of a counter: its end */
    wadi_change *beside; /* of several readers: what has come of one and not of another yet */
    wadi_error failed[WADI_MAX_PARTS]; /* [readers] what each fails with when it is asked again */
    int64_t position;                  /* stream index of the next element */
    int64_t limit;                     /* nobody wants more elements than that */
    bool threaded, opened;
    atomic_bool stopped; /* nobody wants more */
    wadi_stop stop;      /* called when the sources shall not wait any longer */
    wadi_pipe *pipe;
    wadi_thread thread;
} wadi_lane;

/* An end: a sink in a thread of its own behind a link, or work of the compute thread. */
typedef struct wadi_outlet {
    wadi_stream *stream;
    const wadi_plan_end *plan;
    wadi_sink *sink; /* bound to the run, or a collector; NULL: a fold */
    bool in_place;   /* a collector whose values the bodies write */
    wadi_pipe *pipe; /* NULL: the compute thread calls the sink */
    wadi_thread thread;
    WADI_VEC(wadi_chunk *) waiting; /* for the end of a young stream, or for the thread */
    int64_t waiting_bytes;
    wadi_error broken; /* what the sink failed with when the compute thread called it */
    bool ended;        /* the sink has been finished, or has tried to */
} wadi_outlet;

/* A stage: a change, then a body. Belongs to the compute thread. */
typedef struct wadi_stage_run {
    const wadi_plan_stage *plan;
    wadi_lane *lane;     /* READ */
    wadi_change *change; /* others */
    wadi_builder states; /* SCAN */
    wadi_budget budget;  /* of its chunks */
    int ended_inputs;
    bool ended;
    wadi_error
        broken; /* status WADI_OK: it is not. Else what its next element fails with, once somebody asks for it */
    bool starved; /* the last attempt failed for want of memory, before anything came of it */
} wadi_stage_run;

struct wadi_stream {
    wadi_run *x;
    const wadi_plan_stream *plan;
    wadi_lane *lanes; /* [nlanes] */
    int nlanes;
    wadi_stage_run *stages; /* [plan->nstages] */
    wadi_outlet *outlets;   /* [plan->nends] */
    /* the step at work: what one chunk of a source has led to so far */
    bool loaded; /* kernels */
    int64_t out_bytes, temporary_bytes;
    int64_t begin_ns;           /* clock when the stream began */
    int64_t step_ns, worked_ns; /* clock and time worked at the end of the last step */
    /* of the last step, 0 before it: time per element, and bytes beside results that lie in their places */
    double element_ns, element_bytes;
};

/* ---- inner_link.c ---- */

/* A link within the run, for chunks; from and to are static. */
wadi_status wadi_run_inner_link(wadi_stream *s, const char *from, const char *to, wadi_pipe **out,
                                wadi_error *err);

/* ---- source.c ---- */

wadi_status wadi_lane_open(wadi_lane *l, wadi_error *err);
void wadi_lane_close(wadi_lane *l);
/* Starts the thread of a lane that has one. */
wadi_status wadi_lane_start(wadi_lane *l, wadi_error *err);
/* The next chunk, with a reference for the caller; NULL: the sources have ended. */
wadi_status wadi_lane_next(wadi_lane *l, wadi_chunk **out, wadi_error *err);
/* How many elements there are from `position`, the end of the last chunk, on; -1: nobody knows before they are read. By the
 * compute thread. */
int64_t wadi_lane_left(const wadi_lane *l, int64_t position);
/* The oldest of those not done has been used. */
void wadi_lane_done(wadi_lane *l);
/* No more is wanted; why: NULL when all is well. */
void wadi_lane_stop(wadi_lane *l, const wadi_error *why);

/* ---- stage.c ---- */

wadi_status wadi_stage_open(wadi_stream *s, int stage, wadi_error *err);
void wadi_stage_close(wadi_stream *s, int stage);
/* Elements of a stage that reads: through its body, and on to whoever wants them. */
wadi_status wadi_stage_run_chunk(wadi_stream *s, int stage, wadi_chunk *c, wadi_error *err);
/* The input of the stage is complete: gives on what waits and says so to those behind it. */
wadi_status wadi_stage_end(wadi_stream *s, int stage, wadi_error *err);
/* The next element of the stage fails with err, which matters only if somebody asks for it: see wadi_stage_check. WADI_OK, unless the
 * run is cancelled. */
wadi_status wadi_stage_fail(wadi_stream *s, int stage, wadi_status status, const wadi_error *err);
/* Tells what the stage has failed with, if by now somebody asks for the element; last: if anybody ever would. */
wadi_status wadi_stage_check(wadi_stream *s, int stage, bool last, wadi_error *err);
/* Whether more elements of the stage can make a difference to an end. */
bool wadi_stage_wanted(const wadi_stream *s, int stage);
/* How many of its first elements are enough for all ends; INT64_MAX: nobody knows. */
int64_t wadi_stage_needs(const wadi_stream *s, int stage);
/* Elements that wait for those of other stages, at least, on every way to an end. */
int64_t wadi_stage_ahead(const wadi_stream *s, int stage);

/* ---- end.c ---- */

wadi_status wadi_outlet_open(wadi_outlet *o, wadi_error *err);
void wadi_outlet_close(wadi_outlet *o);
wadi_status wadi_outlet_start(wadi_outlet *o, wadi_error *err);
/* Elements of the end's stage. Borrowed. */
wadi_status wadi_outlet_put(wadi_outlet *o, wadi_chunk *c, wadi_error *err);
/* The stage's next chunk has so many elements. */
void wadi_outlet_expect(wadi_outlet *o, int64_t count);
/* Waits until the end has taken everything so far. */
wadi_status wadi_outlet_settle(wadi_outlet *o, wadi_error *err);
/* The stream has ended well: a sink is finished. */
wadi_status wadi_outlet_end(wadi_outlet *o, wadi_error *err);
void wadi_outlet_fail(wadi_outlet *o, const wadi_error *why);
/* After all: moves results to their slots. */
wadi_status wadi_outlet_store(wadi_outlet *o, wadi_error *err);

#endif
