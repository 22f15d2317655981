/* A run from the inside: shared by the files of this folder. */
#ifndef WADI_SCHED_RUN_STATE_H
#define WADI_SCHED_RUN_STATE_H

#include "base/task.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sched/budget.h"
#include "sched/devices.h"
#include "sched/fault.h"
#include "sched/meter.h"
#include "sched/policy.h"
#include "sched/profile.h"
#include "sched/run.h"
#include "sched/run/home.h"
#include "sched/run/late.h"
#include "sched/run/passed.h"
#include "sched/run/share.h"
#include "sched/state.h"
#include "sched/steps/runner.h"
#include "sched/stream.h"
#include "sched/watch/runs.h"

enum {
    WADI_WINDOW_CHUNKS = 2, /* waiting on each of a stream's two links */
    WADI_CHUNKS_IN_FLIGHT =
        4 /* of input or of output: one being made, two on the link, one being consumed */
};

/* A source or sink the plan names, and what it is bound to. */
typedef struct wadi_binding {
    const char *name;
    wadi_source *source;
    wadi_sink *sink;
    const wadi_plan_end
        *unordered; /* the end of the sink, if it takes elements in any order; else NULL */
    /* of a run that may begin again at another device */
    wadi_position begin; /* of the source */
    bool comes_back;     /* the source can go there again */
    bool read;           /* somebody has begun to read it */
    int64_t had,
        delivered; /* elements that the sink got before it began again, and so far. By the thread that calls the sink */
    bool finished; /* the sink */
    bool owes;     /* the sink waits for the run that begins again; it is aborted if that fails */
    atomic_bool broken;    /* it has failed itself: it cannot go on with the rest */
    wadi_trace_lane *link; /* NULL: nothing is traced of a link so far */
} wadi_binding;

/* A device that the run has left, with all that may still be referred to. */
typedef struct wadi_run_left {
    wadi_device *device;
    wadi_runner *runner;
    wadi_slots slots, home;
    struct wadi_run_left *next;
} wadi_run_left;

/* The value of a named extent, set by the first array that has it. */
typedef struct wadi_named_extent {
    const char *name; /* of the plan */
    int64_t value;    /* -1: not known yet */
    const char *by;   /* who set it; of the plan */
} wadi_named_extent;

/* A thread that takes chunks through stages and ends, with what it uses. */
typedef struct wadi_crew {
    wadi_slots *slots;
    wadi_runner *runner;    /* over these slots */
    wadi_stage busy_as;     /* for the meter */
    wadi_passed *works_for; /* the stage or end whose time it is; NULL: nobody's */
    /* the step at work: what one chunk has led to so far */
    bool loaded;     /* kernels */
    bool at_element; /* the last work that failed has failed at an element that is known */
    int64_t out_bytes, temporary_bytes;
} wadi_crew;

static inline void wadi_crew_begin_step(wadi_crew *w) {
    w->loaded = false;
    w->out_bytes = w->temporary_bytes = 0;
}

struct wadi_stream;

/* Whoever saves the run. `between` is called by the compute thread between two chunks of a stream, and once behind the last of them before any
 * sink is finished; it may call wadi_run_save (stream.h). What it fails with, the run fails with. NULL: nobody saves. */
typedef struct wadi_run_saver {
    wadi_status (*between)(void *env, struct wadi_stream *s, bool last, wadi_error *err);
    void *env;
} wadi_run_saver;

/* Answers of a worker that were of no use. */
enum { WADI_FAR_REFUSED = 16, WADI_FAR_TOLD = 3 };
typedef struct wadi_far_refused {
    char worker[128]; /* as it calls itself; "": it has not told */
    int64_t n;        /* the first WADI_FAR_TOLD are told */
} wadi_far_refused;

/* Workers of other processes, where they are asked for. */
typedef struct wadi_run_work {
    struct wadi_workq *queue; /* owned; NULL: there are none */
    char address[256];
    int64_t next;                               /* number of the next item */
    wadi_far_refused refused[WADI_FAR_REFUSED]; /* by the thread that has the queue */
    int nrefused;
    int64_t unused, told; /* answers of all of them */
    /* by the run's lock; of elements that workers have computed see wadi_run_stats */
    int64_t items_there, items_here, elements_here; /* done by workers, and by home instead */
} wadi_run_work;

struct wadi_run {
    const wadi_plan *plan;
    wadi_loader loader;
    wadi_run_options options;
    wadi_buffers *buffers;
    const wadi_policy_row *policy_row;
    int64_t policy_key; /* by which `policy` is kept after the stream; 0: it is not */
    wadi_device_choices
        devices;     /* that compute; the first is the home. `name` is as it was asked for */
    char order[160]; /* their names in this order */
    wadi_device_choice chosen; /* the first of them, which does all that has an order */
    bool alone;                /* the others compute nothing, because they would round otherwise */
    bool stays;                /* the home does not change */
    wadi_run_work work;
    bool trial;      /* it is home on trial, */
    int64_t most_ns; /* for so long */
    bool
        mixed; /* a sink has got an element before one that comes before it: the run cannot begin again */
    bool goes_on;                     /* what has failed is to begin again at another device */
    bool gone[WADI_DEVICES_MOST];     /* by place: the run has left it */
    wadi_home homes;                  /* what is known of them, and */
    char first_name[64];              /* of the list, as it was asked for */
    char homes_name[64];              /* by which name; "": nothing is learned */
    bool was_open[WADI_DEVICES_MOST]; /* by place: the process has used it for this program */
    wadi_home_rule home_rule;         /* choose NULL: it is measured */
    wadi_loader timed;                /* the loader, for the home */
    atomic_int_least64_t
        load_ns; /* that loading for the home has taken since the run began, or began again */
    atomic_int_least64_t
        loading_ns;          /* clock when a load began that has not ended; 0: there is none */
    atomic_bool load_failed; /* as load_ns */
    int64_t open_ns;         /* that opening the home took */
    int64_t from_ns;         /* clock when the run began, or began again */
    wadi_late late;          /* of a trial */
    wadi_run_left *left;
    wadi_device *device; /* that one */
    wadi_runner *runner;
    wadi_slots slots;
    wadi_crew crew; /* of the compute thread, with these slots and this runner */
    wadi_slots
        home; /* copies in host memory of what is ONCE, for crews there, once there has been one; chunks refer to them, so they
                        stay */
    WADI_VEC(wadi_binding) bindings;
    WADI_VEC(wadi_named_extent) extents;
    bool *bound;       /* [ninputs] */
    wadi_array *given; /* [ninputs] as they were bound; NULL: the device computes in host memory */
    wadi_profile_rows rows;             /* made of the profiles when somebody asks for them */
    wadi_run_saver saver;               /* set before the run begins */
    struct wadi_dead *dead;             /* with the option `on_fault`; else NULL */
    struct wadi_certifier *certifier;   /* with the options `certificate` or `verify`; else NULL */
    struct wadi_checkpoint *checkpoint; /* with the option `state`; else NULL */
    atomic_bool drains;                 /* it is to be saved, and to end */
    atomic_bool drained;                /* it has been */
    atomic_bool paused;                 /* no stream takes more chunks */
    wadi_watch_entry watched;           /* in the list of runs under way */
    atomic_bool streams; /* it is saved between two chunks; elsewhere nothing is to be saved */
    wadi_state_reader
        saved; /* set before the run begins: what the stream it is of goes on from; at NULL: nothing */
    bool started, finished;
    bool learns;       /* from libraries, whose knowledge is kept */
    wadi_waits *waits; /* set, and taken back, by the lock */
    wadi_meter meter;
    wadi_seam_rule seam_rule;   /* choose NULL: the option `stages` decides */
    wadi_share_rule share_rule; /* choose NULL: it is measured */
    wadi_sharing sharing;       /* of the stream before, or what is known of the next one */
    wadi_stop stop;             /* called once the run is cancelled */

    int made;            /* how many of the locks and the like exist */
    wadi_mutex lock;     /* guards what follows */
    wadi_policy *policy; /* of the stream at work; NULL before the first */
    wadi_budget budget;
    wadi_run_stats
        stats; /* of copies: those of devices other than the first, once they are closed */
    int64_t
        done_by[WADI_DEVICES_MOST]; /* elements of shared stages that each device has computed */
    int64_t apart_ns;               /* work of workers that are not the device's: */
    int64_t busy_by[WADI_DEVICES_MOST]; /* of devices other than the first, */
    int workers_by[WADI_DEVICES_MOST];  /* which have so many workers; 0: it has not been open, */
    int64_t beside_ns;                  /* and of a crew that runs apart */
    char home_why[192];                 /* which device is home, and why; "": there is one device */
    int64_t begin_ns, end_ns;           /* clock; end 0 while running */
    struct wadi_stream *now; /* the stream at work, for those who look at it; NULL: there is none */
    int phase;               /* at work; -1: none */
    wadi_profile *profiles;  /* newest first */
    wadi_trace *trace;       /* with the option `trace`, while it runs; else NULL */
    struct wadi_outfile *trace_file;
    wadi_error error;      /* the first */
    wadi_error part_error; /* the last with which a part has failed, before others pass it on */
    const char *part;      /* that part: "source", "sink", "apart"; static. NULL: none */
    const char *
        failed_in; /* where the first was, static. NULL: nothing has failed, or it was in the main block */
};

/* ---- first_error.c ---- */

/* Keeps the first error; that a part of the run was ended gives way to any other. What fails once the run is cancelled fails for
 * that. */
void wadi_run_note_error(wadi_run *x, const wadi_error *error);
/* A source, a sink or what runs apart has failed; part: static. Whoever passes the error on need not know where it comes from. */
void wadi_run_note_part(wadi_run *x, const char *part, const wadi_error *error);

/* ---- in_flight.c ---- */

/* Chunks that are in flight from now on: those of every stream, `more`, and one that stays for its digest if there are such. By the run's lock. */
void wadi_run_count_in_flight(wadi_run *x, int64_t more);
/* Of the run's memory, what changes keep (bytes) and what links may hold is no room for chunks. With the lock of the run. */
void wadi_run_leave_to_chunks(wadi_run *x, int64_t kept);

/* ---- bindings.c ---- */

/* The plan's sources and sinks by name, nothing bound to them yet. */
wadi_status wadi_run_list_bindings(wadi_run *x, wadi_error *err);
/* NULL: the plan names no such source, or sink. */
wadi_binding *wadi_run_find(wadi_run *x, const char *name, bool sink);
/* Whether the source fits wherever the program reads from it. Errors: WADI_TYPE, WADI_SHAPE. */
wadi_status wadi_run_check_source(const wadi_run *x, const char *name, const wadi_source *source,
                                  wadi_error *err);
/* Whether every input, source and sink is bound. Errors: WADI_INVALID. */
wadi_status wadi_run_check_bound(wadi_run *x, wadi_error *err);
/* Whether every source can go back to where it stood when the run began: then the run can begin again, wherever it fails. */
bool wadi_run_comes_back(const wadi_run *x);
/* Whether a sink has failed itself. */
bool wadi_run_broken(const wadi_run *x);

/* Whether device number i > 0 of the list may compute chunks: it would round alike, the run has not left it, and there is
 * something to gain. */
static inline bool wadi_run_shares_with(const wadi_run *x, int i) {
    const wadi_device_choice *c = &x->devices.at[i];
    return !x->alone && !x->gone[c->place] && (x->share_rule.choose != NULL || !c->idle);
}
/* Whether any does. */
static inline bool wadi_run_shares(const wadi_run *x) {
    for (int i = 1; i < x->devices.n; i++)
        if (wadi_run_shares_with(x, i)) return true;
    return false;
}

/* ---- runner.c ---- */

/* A runner of the run's bodies on a device of that kind, in the schedule that the run asks for; loader and device are borrowed. */
WADI_NODISCARD wadi_status wadi_run_make_runner(wadi_run *x, const wadi_loader *loader,
                                                wadi_device *device, const wadi_device_row *row,
                                                wadi_runner **out, wadi_error *err);

/* ---- place.c: where the run has its home ---- */

/* The next device by its place in the list: its number, not 0; 0: there is none that the run has not left. */
int wadi_run_next_device(const wadi_run *x);
/* Opens the first device, before the run begins; one that cannot be opened is left for the next, with a warning. */
WADI_NODISCARD wadi_status wadi_run_settle(wadi_run *x, wadi_error *err);
/* The device number `at` of the list becomes the first, and all begins there. Errors: of the device; the run is as before. */
WADI_NODISCARD wadi_status wadi_run_move(wadi_run *x, int at, wadi_error *err);
/* Gives back all that was left, and the home. */
void wadi_run_leave_all(wadi_run *x);

/* ---- again.c ---- */

/* When the run begins: notes where its sources stand. */
void wadi_run_note_places(wadi_run *x);
/* Whether what has failed with that status can begin again at another device. Once the answer is no, it stays so, since sinks have been told. */
bool wadi_run_goes_on(wadi_run *x, wadi_status status);
/* Begins it, at the next device. late: it was on trial for too long. */
WADI_NODISCARD wadi_status wadi_run_begin_again(wadi_run *x, bool late, const wadi_error *why,
                                                wadi_error *err);

/* ---- pause.c ---- */

/* Returns when the run is not paused, is to end, or is to be saved and to end. By the compute thread between two chunks. */
void wadi_run_hold(wadi_run *x);

/* ---- homes.c ---- */

/* Moves to the home that was learned, or is to be tried. */
void wadi_run_choose_home(wadi_run *x);
/* The run has ended well. */
void wadi_run_learn_home(wadi_run *x);
/* The home has failed, or was late. */
void wadi_run_blame_home(wadi_run *x, bool late);

/* ---- traffic.c ---- */

/* Adds what the device has copied so far, and what several that work as one have shared out. */
void wadi_run_add_copies(wadi_run_stats *to, const wadi_device *device);

/* ---- trace.c ---- */

/* With the option `trace`: opens its file. Errors: those of wadi_outfile_open, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_run_trace_open(wadi_run *x, wadi_error *err);
/* Writes it. A failure is a warning in the log. */
void wadi_run_trace_close(wadi_run *x);
void wadi_run_trace_fini(wadi_run *x);

/* From now on copies of the device are traced, if anything is. */
void wadi_run_trace_device(wadi_run *x, wadi_device *device, const char *name);

/* A call of a source or a sink, which may have another process behind it. */
typedef struct wadi_link_call {
    wadi_trace *trace; /* NULL: it has none, or nobody traces */
    wadi_trace_lane *lane;
    int64_t begin_ns;
} wadi_link_call;

/* Around the call, whose waits are those of the link meanwhile; b NULL: it is no binding. what is static; elements below 0: not told. */
void wadi_run_link_begin(wadi_run *x, wadi_binding *b, wadi_link_call *out);
void wadi_run_link_end(wadi_link_call *c, const char *what, int64_t elements);

/* ---- profile.c ---- */

/* If the run has the option: what the calling thread does from now on is charged to this device, as the compute thread or beside it. */
void wadi_run_profile_begin(wadi_run *x, const char *device, bool beside);
/* The thread has ended its work for the run. */
void wadi_run_profile_end(wadi_run *x);
/* When the run is destroyed. */
void wadi_run_profile_fini(wadi_run *x);

/* ---- bind.c: do arrays fit what the plan declares? ---- */

wadi_status wadi_run_bind_input(wadi_run *x, const wadi_plan_input *input, const wadi_array *a,
                                wadi_error *err);
/* Whether a source yields what the plan's source takes. */
wadi_status wadi_run_bind_source(const wadi_plan *plan, const wadi_plan_source *want,
                                 const wadi_source *source, wadi_error *err);
/* Whether the components of a chunk from number `component` on are what the source declares. Names of extents that have no value yet get one.
 * *out_bad as below. By the compute thread, in the order of the elements. Errors: WADI_TYPE, WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_run_check_chunk(wadi_run *x, const wadi_plan_source *want,
                                                const wadi_chunk *c, int component,
                                                int64_t *out_bad, wadi_error *err);
/* Checks and binds the components of a chunk from number `component` on to the slots of a source. On WADI_SHAPE, *out_bad is the
 * first element that does not fit. */
wadi_status wadi_run_bind_chunk(wadi_run *x, const wadi_plan_source *want, const wadi_chunk *c,
                                int component, int64_t *out_bad, wadi_error *err);

/* ---- learned.c ---- */

/* Gives the run the policy of the phase, and its `sharing`, with what earlier runs have found out. Errors: WADI_MEMORY, WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_run_recall(wadi_run *x, int phase, const char *policy_name,
                                           wadi_error *err);
/* Writes down what this one has found out; took_ns: how long it took. */
void wadi_run_learn(const wadi_run *x, int phase, const char *policy_name, int64_t took_ns);
/* Takes the policy from the run and keeps it for the stream's next run in this process, or destroys it. NULL is fine. */
void wadi_run_put_policy(wadi_run *x);

/* ---- stream.c ---- */

wadi_status wadi_run_stream(wadi_run *x, const wadi_plan_stream *stream, wadi_error *err);

/* ---- collect.c: the consumers that keep what they get ---- */

/* As a sink, for an end of kind ELEMENTS, TABULATE, TABULATE_MIN or FROM_SEQ. */
wadi_status wadi_collect_create(wadi_run *x, const wadi_plan_stage *stage, const wadi_plan_end *end,
                                wadi_sink **out, wadi_error *err);
/* From now on the values of component i, which come from `slot` and are regular, are written in place: the stream has
 * `elements` elements in all, and slot's columns are made where the collector wants them. Then `put` is called by the
 * thread that runs the bodies. */
void wadi_collect_in_place(wadi_sink *sink, wadi_run *x, int i, int slot, int64_t elements);
/* The next chunk has so many elements, and goes in place; 0: the next one does not. */
void wadi_collect_expect(wadi_sink *sink, int64_t count);
/* Appends what has been collected, between two chunks. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_collect_save(wadi_sink *sink, wadi_text *out, wadi_error *err);
/* Before the first chunk, into a collector of the same end: it has collected what the saved one had, and copies all that follows. After a
 * failure it can only be destroyed. Errors: WADI_INVALID (it was a collector of something else), WADI_IO (damaged), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_collect_load(wadi_sink *sink, wadi_state_reader *from,
                                             wadi_error *err);
/* Moves what was collected into the end's `into` slots. */
wadi_status wadi_collect_store(wadi_sink *sink, wadi_run *x, wadi_error *err);

/* ---- bindings.c ---- */

/* How often what the world has made fail is tried again. */
wadi_retry wadi_run_retry(const wadi_run *x);

/* ---- fold_slot.c ---- */

typedef struct wadi_states wadi_states; /* keyed.h */

/* A slot that has got the shape and columns of a state: strides and offsets are made for one element. False: out of memory. */
WADI_NODISCARD bool wadi_fold_lay_out(wadi_slots *s, int slot);
/* The slot gets a copy of an array, a component with one element on the host, in memory of its own where the slots' columns live. */
WADI_NODISCARD wadi_status wadi_fold_fill(wadi_slots *s, int slot, const wadi_chunk_component *from,
                                          wadi_error *err);
wadi_status wadi_fold_no_memory(wadi_error *err);

/* ---- fold.c ---- */

wadi_status wadi_fold_begin(wadi_crew *w, const wadi_plan_fold *fold, wadi_error *err);
/* Folds the elements of a chunk of the fold's parts into the state. keyed: those of a fold that has one for each key (keyed.h); the key is then the last
 * component of the chunk. NULL for others. states, if not NULL, gets every state. *out_done:
 * elements before the first that fails. Carried scalars have changed only when none has; an array that changes in place is of no
 * use after a failure. `after` slots are the caller's to take. */
wadi_status wadi_fold_elements(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                               wadi_states *keyed, wadi_builder *states, int64_t *out_done,
                               wadi_error *err);
/* Whether a failure leaves more of the state changed than the elements before it account for. */
bool wadi_fold_is_fragile(const wadi_crew *w, const wadi_plan_fold *fold);
/* All elements of the chunk at once. */
wadi_status wadi_fold_whole(wadi_crew *w, const wadi_plan_fold *fold, wadi_chunk *c,
                            wadi_error *err);
/* Appends the state, between two chunks. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_fold_save(const wadi_crew *w, const wadi_plan_fold *fold,
                                          wadi_text *out, wadi_error *err);
/* After wadi_fold_begin of the same fold: its state becomes the saved one. After a failure the fold is of no use. Errors: WADI_INVALID
 * (it was a state of other arrays), WADI_IO (damaged), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_fold_load(wadi_crew *w, const wadi_plan_fold *fold,
                                          wadi_state_reader *from, wadi_error *err);
/* The state moves to the slots `into`. */
void wadi_fold_end(wadi_crew *w, const wadi_plan_fold *fold, const int *into);

#endif
