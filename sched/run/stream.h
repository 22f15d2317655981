/* A stream at work: shared by the files stream.c (the phase), source.c, stage.c, end.c. */
#ifndef WADI_SCHED_RUN_STREAM_H
#define WADI_SCHED_RUN_STREAM_H

#include "sched/change/change.h"
#include "sched/pipe.h"
#include "sched/run/far.h"
#include "sched/run/state.h"
#include "sched/run/passed.h"
#include "sched/run/team.h"
#include "sched/run/weigh.h"

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
    int64_t total[WADI_MAX_PARTS]; /* [nsources] elements that there are in all; -1: nobody knows */
    int64_t began[WADI_MAX_PARTS]; /* [nsources] number of the first element in this stream */
    wadi_passed read[WADI_MAX_PARTS]; /* [nsources] so far; nothing of a counter */
    wadi_passed gone;                 /* of the stage */
    wadi_change *beside; /* of several readers: what has come of one and not of another yet */
    wadi_retry retry[WADI_MAX_PARTS];  /* [nsources] what fails is tried again */
    wadi_error failed[WADI_MAX_PARTS]; /* [readers] what each fails with when it is asked again */
    int64_t position;                  /* stream index of the next element */
    int64_t limit;                     /* nobody wants more elements than that */
    bool threaded, opened;
    atomic_bool stopped; /* nobody wants more */
    wadi_stop stop;      /* called when the sources shall not wait any longer */
    wadi_pipe *pipe;
    wadi_thread thread;
    wadi_trace_lane *trace; /* of the thread */
    /* if the run is saved: what to go on with behind the last chunk that was taken, and behind those that are on their way (under the
     * run's lock) */
    wadi_text note;
    WADI_VEC(wadi_text) notes;
} wadi_lane;

/* An end: a sink in a thread of its own behind a link, or work of the compute thread. */
typedef struct wadi_outlet {
    wadi_stream *stream;
    const wadi_plan_end *plan;
    wadi_crew *crew;       /* who puts elements to it */
    wadi_weight behind;    /* as of a stage */
    wadi_sink *sink;       /* bound to the run, or a collector; NULL: a fold */
    wadi_binding *binding; /* of a sink that is bound to the run; else NULL */
    bool in_place;         /* a collector whose values the bodies write */
    wadi_pipe *pipe;       /* NULL: the compute thread calls the sink */
    wadi_thread thread;
    wadi_passed put;
    int64_t
        numbered; /* of a sink that takes elements in any order: so many have come, and are numbered so; by the thread that calls it */
    wadi_trace_lane *trace;         /* of the thread */
    WADI_VEC(wadi_chunk *) waiting; /* for the end of a young stream, or for the thread */
    int64_t waiting_bytes;
    wadi_error broken;   /* what the sink failed with when the compute thread called it */
    wadi_error ended_by; /* what the thread has failed with; others look when it is joined */
    bool ended;          /* the sink has been finished, or has tried to */
} wadi_outlet;

/* A stage: a change, then a body. Belongs to the thread of its crew. */
typedef struct wadi_stage_run {
    const wadi_plan_stage *plan;
    wadi_crew *crew;
    wadi_lane *lane;     /* READ */
    wadi_change *change; /* others */
    wadi_weight behind;  /* of it and all stages behind it, if the stream weighs */
    wadi_builder states; /* SCAN, KEYED */
    wadi_states *keyed;  /* KEYED: the states of all keys (keyed.h); else NULL */
    wadi_budget budget;  /* of its chunks */
    wadi_passed done;    /* elements through its body */
    wadi_passed
        by[WADI_DEVICES_MOST]; /* of several devices: the work of those other than the first */
    int ended_inputs;
    bool ended;
    wadi_error
        broken; /* status WADI_OK: it is not. Else what its next element fails with, once somebody asks for it */
    int64_t here;                   /* of several devices: elements that the first has computed, */
    int64_t body_ns, body_elements; /* and those of them that were timed */
    wadi_stretch_weight weight;     /* with workers elsewhere: what chunks of it have taken here, */
    wadi_keyed_weight keyed_weight; /* and what its states by key have, */
    int64_t keyed_chunks;           /* of which so many chunks have come */
} wadi_stage_run;

/* Where a stream can be parted: a stage to which all elements come that the stages behind it get, or a fold at an end. */
typedef struct wadi_seam {
    int stage; /* -1: the end alone */
    int end;
} wadi_seam;

/* What is behind a seam, while it runs apart: a crew with a thread, to which chunks come over a link. It computes in host memory: with a device
 * like the run's, or with the processors if the run's has memory of its own. */
typedef struct wadi_apart {
    wadi_stream *stream;
    wadi_seam seam;
    bool away; /* the crew has it. Else it is joined: the compute thread runs all */
    wadi_crew crew;
    wadi_slots slots;
    wadi_device *
        device; /* it and the crew's runner may be there while all is joined: see wadi_apart_close */
    wadi_pipe *pipe; /* set, and taken back, by the run's lock */
    wadi_thread thread;
    /* What the crew does with a chunk, which is borrowed. */
    wadi_status (*take)(wadi_stream *s, wadi_chunk *c, wadi_error *err);
    /* what the crew lets others know */
    atomic_bool wanted, failed;
    atomic_int_fast64_t ahead, kept_bytes;
    wadi_error why;  /* it has failed; others look when its thread has ended */
    int64_t told_ns; /* work of its device that the run knows of */
    /* of steps that the compute thread has not counted yet; guarded by the run's lock */
    int64_t out_bytes, temporary_bytes;
} wadi_apart;

struct wadi_stream {
    wadi_run *x;
    const wadi_plan_stream *plan;
    wadi_lane *lanes; /* [nlanes] */
    int nlanes;
    wadi_stage_run *stages; /* [plan->nstages] */
    wadi_seam *seams;       /* [nseams], once somebody has asked */
    wadi_weight *weights;   /* [2 * nseams] of the seams, as wadi_weigh_next sees them */
    wadi_weighing weighing;
    bool weighs;                  /* it is measured what stages take */
    int64_t elements, compute_ns; /* of sources, and the time of the compute thread for them */
    int nseams;                   /* -1: nobody has */
    wadi_apart apart;
    wadi_team team;
    wadi_far far;
    WADI_VEC(wadi_far_left) left; /* of a run that goes on: what it begins with */
    wadi_outlet *outlets;         /* [plan->nends] */
    bool comes_before_saved;      /* what is saved is of a later stream, which goes on from there */
    int64_t begin_ns;             /* clock when the stream began */
    int64_t step_ns, worked_ns;   /* clock and time worked at the end of the last step */
    int64_t waited_ns;            /* for sources since then */
    int64_t held_ns; /* for digests of what they gave, since then: that is no time of the step */
    wadi_policy_clock clock;
    /* of the last step, 0 before it: time per element, and bytes beside results that lie in their places */
    double element_ns, element_bytes;
};

/* The number of the stream's phase in the plan. */
static inline int wadi_run_phase_of(const wadi_stream *s) {
    int i = 0;
    while (&s->x->plan->phases[i].stream != s->plan) i++;
    return i;
}

/* ---- inner_link.c ---- */

/* A link within the run, for chunks; from and to are static. */
wadi_status wadi_run_inner_link(wadi_stream *s, const char *from, const char *to, const char *name,
                                wadi_pipe **out, wadi_error *err);

/* ---- source.c ---- */

wadi_status wadi_lane_open(wadi_lane *l, wadi_error *err);
void wadi_lane_close(wadi_lane *l);
/* Starts the thread of a lane that has one. */
wadi_status wadi_lane_start(wadi_lane *l, wadi_error *err);
/* The next chunk, with a reference for the caller; NULL: the sources have ended, or *out_nudged: the crew apart has news, or a sink has failed. */
wadi_status wadi_lane_next(wadi_lane *l, wadi_chunk **out, bool *out_nudged, wadi_error *err);
/* How many elements there are from `position`, the end of the last chunk, on; -1: nobody knows before they are read. By the
 * compute thread. */
int64_t wadi_lane_left(const wadi_lane *l, int64_t position);
/* The oldest of those not done has been used. */
void wadi_lane_done(wadi_lane *l);
/* Appends where the sources stand behind the last chunk that wadi_lane_next gave. */
wadi_status wadi_lane_save(const wadi_lane *l, wadi_text *out, wadi_error *err);
typedef void (*wadi_place_fn)(void *env, wadi_source *source, wadi_position at);
/* Where its sources stand behind the chunk that was taken last, as it is saved. */
void wadi_lane_places(const wadi_lane *l, wadi_place_fn take, void *env);
/* Before the lane starts: its sources go there. `ended`: its stage had ended. */
wadi_status wadi_lane_load(wadi_lane *l, bool ended, wadi_state_reader *from, wadi_error *err);
/* The compute thread shall look up, should it wait for elements. Any thread. */
void wadi_lane_nudge_all(wadi_stream *s);
/* No more is wanted; why: NULL when all is well. */
void wadi_lane_stop(wadi_lane *l, const wadi_error *why);

/* ---- between.c ---- */

/* Between two steps, by the compute thread, which must not be busy, as the meter sees it. */
wadi_status wadi_run_between_steps(wadi_stream *s,
                                   wadi_status (*what)(wadi_stream *s, wadi_error *err),
                                   wadi_error *err);

/* ---- once.c ---- */

/* Makes slots in host memory with what is ONCE, for others to read while the compute thread goes on. Whatever comes of it, the caller ends
 * them by wadi_slots_fini. Errors: WADI_MEMORY, those of the device. */
WADI_NODISCARD wadi_status wadi_run_once(wadi_stream *s, wadi_slots *out, wadi_error *err);

/* ---- seam.c ---- */

/* The seams of a stream, those nearer to the sources first; out has room for plan->nstages + plan->nends. Returns how many. */
int wadi_seam_list(const wadi_plan_stream *plan, wadi_seam *out);
/* Whether a stage, or an end, is behind the seam. */
bool wadi_seam_has_stage(const wadi_plan_stream *plan, const wadi_seam *seam, int stage);
bool wadi_seam_has_end(const wadi_plan_stream *plan, const wadi_seam *seam, int end);

/* ---- apart.c ---- */

/* What is behind the seam runs apart from now on; nothing does yet. `ahead`: wadi_stage_ahead of its stage. After an error it is joined
 * as before. Errors: WADI_MEMORY, WADI_IO (no thread). */
WADI_NODISCARD wadi_status wadi_apart_begin(wadi_stream *s, const wadi_seam *seam, int64_t ahead,
                                            wadi_status (*taken)(wadi_stream *s, wadi_chunk *c,
                                                                 wadi_error *err),
                                            wadi_error *err);
/* A chunk in host memory. Takes over the reference. Errors: those of the crew. By the compute thread. */
wadi_status wadi_apart_send(wadi_stream *s, wadi_chunk *owned_c, wadi_error *err);
/* All is joined when it returns, with all that was sent taken; nothing happens if all is joined. Errors: the crew's failure,
 * WADI_CANCELLED, WADI_MEMORY (no room for a state on the run's device). By the compute thread. */
wadi_status wadi_apart_join(wadi_stream *s, wadi_error *err);
/* The stream is over, and joined: gives back what was kept for another crew. */
void wadi_apart_close(wadi_stream *s);
/* The crew knows now whether it wants more, how far its stages are ahead, and how much its changes keep. */
void wadi_apart_tell(wadi_stream *s, bool wanted, int64_t ahead, int64_t kept_bytes);

/* ---- body.c ---- */

/* Elements of a stage through its body, by a crew, with its slots: all of them or none. left: elements known to come after them, or -1. *out is
 * filled in whatever comes of it. Errors: those of the program and of the device. */
WADI_NODISCARD wadi_status wadi_body_run(wadi_stream *s, int stage, wadi_crew *crew, wadi_chunk *in,
                                         int64_t left, wadi_outcome *out, wadi_error *err);
/* Whether elements are what the sources of the stage declare, if it has any. By the compute thread, in order. */
bool wadi_body_fits(wadi_stream *s, int stage, const wadi_chunk *c);

/* ---- stage.c ---- */

wadi_status wadi_stage_open(wadi_stream *s, int stage, wadi_error *err);
void wadi_stage_close(wadi_stream *s, int stage);
/* Elements of a stage that reads: through its body, and on to whoever wants them. */
wadi_status wadi_stage_run_chunk(wadi_stream *s, int stage, wadi_chunk *c, wadi_error *err);
/* The input of the stage is complete: gives on what waits and says so to those behind it. */
wadi_status wadi_stage_end(wadi_stream *s, int stage, wadi_error *err);
/* The next element of the stage fails with *err, which matters only if somebody asks for it: see wadi_stage_check. Errors: WADI_CANCELLED,
 * or in *err what has failed before that behind a seam. */
wadi_status wadi_stage_fail(wadi_stream *s, int stage, wadi_status status, wadi_error *err);
/* Elements for input 0 of a stage, with the components that its change takes, in host memory. Borrowed. */
wadi_status wadi_stage_take(wadi_stream *s, int stage, wadi_chunk *part, wadi_error *err);
/* Tells what the stage has failed with, if by now somebody asks for the element; last: if anybody ever would. */
wadi_status wadi_stage_check(wadi_stream *s, int stage, bool last, wadi_error *err);

/* ---- wanted.c ---- */

/* Whether its change takes more, and it has not failed. */
bool wadi_stage_takes_more(const wadi_stage_run *g);
/* Whether stage `reader`, which another crew has, reads from `stage`: its owner alone may look at it. */
bool wadi_stage_is_across(const wadi_stream *s, int stage, int reader);
/* Whether a stage that reads from `stage` takes more of it. */
bool wadi_stage_wants_of(const wadi_stream *s, int stage, int reader);
/* Whether the stage takes more of its inputs. */
bool wadi_stage_takes(const wadi_stream *s, int stage);
/* Whether more elements of the stage can make a difference to an end. */
bool wadi_stage_wanted(const wadi_stream *s, int stage);
/* How many of its first elements are enough for all ends; INT64_MAX: nobody knows. */
int64_t wadi_stage_needs(const wadi_stream *s, int stage);
/* Elements that wait for those of other stages, at least, on every way to an end. */
int64_t wadi_stage_ahead(const wadi_stream *s, int stage);

/* ---- handover.c ---- */

/* Before a chunk of a source: what is behind a seam begins to run apart, or comes back, if the rule of the run says so. */
wadi_status wadi_handover_next(wadi_stream *s, wadi_error *err);

/* ---- saved.c ---- */

/* Calls whoever saves the run, if anybody does. last: no more chunks come, and no sink has been finished. */
wadi_status wadi_run_between(wadi_stream *s, bool last, wadi_error *err);
/* By the same: delivers all that is on its way. *out: the stream can be saved then. It cannot if a stage has failed at an element that somebody
 * may ask for, or if what is saved is of a later stream. Errors: those of sinks. */
WADI_NODISCARD wadi_status wadi_run_can_save(wadi_stream *s, bool *out, wadi_error *err);
/* Appends all that the stream keeps between two chunks, after its sinks have taken all that is on its way. By the compute thread, when
 * wadi_run_saver calls. Other phases are none of it: those before run again. Errors: WADI_MEMORY, WADI_UNSUPPORTED (a stage has
 * failed; a source cannot tell its position), what a sink has failed with. */
WADI_NODISCARD wadi_status wadi_run_save(wadi_stream *s, wadi_text *out, wadi_error *err);
/* If x->saved is of this stream, which is prepared and has not begun: goes on from there. Errors: WADI_INVALID (it is of another plan),
 * WADI_IO (damaged), WADI_MEMORY, what a source fails with. */
wadi_status wadi_run_load(wadi_stream *s, wadi_error *err);

/* ---- end.c ---- */

wadi_status wadi_outlet_open(wadi_outlet *o, wadi_error *err);
void wadi_outlet_close(wadi_outlet *o);
wadi_status wadi_outlet_start(wadi_outlet *o, wadi_error *err);
/* Elements of the end's stage. Borrowed. */
wadi_status wadi_outlet_put(wadi_outlet *o, wadi_chunk *c, wadi_error *err);
/* The same for a fold that runs apart: the components that it folds go to its crew, in host memory. By the compute thread. Borrowed. */
wadi_status wadi_outlet_send(wadi_outlet *o, wadi_chunk *c, wadi_error *err);
/* Folds such components. Borrowed. */
wadi_status wadi_outlet_fold(wadi_outlet *o, wadi_chunk *part, wadi_error *err);
/* The stage's next chunk has so many elements; 0: it comes before others that are older. */
void wadi_outlet_expect(wadi_outlet *o, int64_t count);
/* Whether its thread has failed. By the compute thread. */
wadi_status wadi_outlet_check(wadi_outlet *o, wadi_error *err);
/* Waits until the end has taken everything so far. */
wadi_status wadi_outlet_settle(wadi_outlet *o, wadi_error *err);
/* The stream has ended well: a sink is finished. */
wadi_status wadi_outlet_end(wadi_outlet *o, wadi_error *err);
void wadi_outlet_fail(wadi_outlet *o, const wadi_error *why);
/* After all: moves results to their slots. */
wadi_status wadi_outlet_store(wadi_outlet *o, wadi_error *err);

#endif
