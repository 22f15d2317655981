/* A plan: a compiled program as data. Codegen makes it and sched runs it; neither knows the other.
 *
 * A plan is a list of phases. A phase either computes arrays of the main block (a body over one element) or runs a stream:
 * sources -> stages, each a change and a body -> ends. Array values are slots, numbered over the whole plan. Each body is
 * offered in versions, one for each schedule that fits it; a version is a list of steps over kernels. Versions are not part of
 * the plan: the loader makes or finds one when it is first needed, since most are never run.
 *
 * The plan owns all it points to (one arena), and the runtime borrows it. A plan does not change once it is made, so several
 * runs may share it. */
#ifndef WADI_SCHED_PLAN_H
#define WADI_SCHED_PLAN_H

#include <stdbool.h>

#include "base/arena.h"
#include "sched/kernel.h"
#include "wadi/schedule.h"
#include "wadi/status.h"
#include "wadi/type.h"

typedef enum wadi_slot_kind {
    WADI_SLOT_ONCE,
    WADI_SLOT_REGULAR,
    WADI_SLOT_IRREGULAR
} wadi_slot_kind;

typedef struct wadi_plan_slot {
    const char *name;
    wadi_slot_kind kind;
    int level; /* whose elements it has; 0: the chunk's */
    int rank, fields;
    wadi_type type[WADI_MAX_FIELDS];
    const char *field[WADI_MAX_FIELDS]; /* names, NULL for a plain scalar */
    const wadi_array *data;             /* `use`: the value itself, else NULL */
} wadi_plan_slot;

/* What is declared of one extent: a constant >= 0, or a name, or nothing. */
typedef struct wadi_plan_extent {
    int64_t value;    /* -1: not a constant */
    const char *name; /* NULL: no name */
} wadi_plan_extent;

typedef struct wadi_plan_input {
    const char *name;
    int slot;
    wadi_plan_extent extent[WADI_MAX_RANK];
} wadi_plan_input;

typedef struct wadi_plan_output {
    const char *name;
    int slot; /* kind ONCE */
} wadi_plan_output;

typedef enum wadi_schedule {
#define WADI_SCHEDULE_ENUM(NAME, name, about) WADI_SCHEDULE_##NAME,
    WADI_SCHEDULES(WADI_SCHEDULE_ENUM)
#undef WADI_SCHEDULE_ENUM
        WADI_SCHEDULE_COUNT,
    WADI_SCHEDULE_FIRST = 0 /* what every body offers, and what a run falls back on */
} wadi_schedule;

/* Which version of a body. */
typedef struct wadi_version_key {
    wadi_schedule schedule;
    bool
        pure; /* the language's own computations instead of library routines. There is such a version of the first schedule
                  alone, for bodies that call routines; it runs when one of them declines, and is never chosen */
} wadi_version_key;

/* Versions of a body are numbered: those of the schedules in their order, then the pure one. */
enum { WADI_BODY_VERSIONS = WADI_SCHEDULE_COUNT + 1 };

static inline int wadi_version_number(wadi_version_key v) {
    return v.pure ? WADI_SCHEDULE_COUNT : (int)v.schedule;
}

static inline wadi_version_key wadi_version_numbered(int number) {
    return number < WADI_SCHEDULE_COUNT
               ? (wadi_version_key){.schedule = (wadi_schedule)number}
               : (wadi_version_key){.schedule = WADI_SCHEDULE_FIRST, .pure = true};
}

/* "inside", "flat", .. or "pure". */
static inline const char *wadi_version_name(wadi_version_key v) {
#define WADI_SCHEDULE_NAME(NAME, name, about) #name,
    static const char *const names[] = {WADI_SCHEDULES(WADI_SCHEDULE_NAME) "pure"};
#undef WADI_SCHEDULE_NAME
    return names[wadi_version_number(v)];
}

/* A level is a set of elements that a branch or a loop works on, numbered without gaps: an ordered part of its parent
 * level's. Level 0 is the chunk; level k > 0 is row k - 1 of the version's table. Kernels follow `map` to read slots of the
 * levels around; the runtime makes it. */
typedef struct wadi_plan_level {
    int parent;
    int map; /* slot, rank-0 i64 REGULAR: [element] its number in the parent level */
} wadi_plan_level;

typedef enum wadi_step_kind {
    WADI_STEP_SHAPE, /* runs `kernel` over elements: writes the shapes of `slots` (storage for them is ready). ONCE
                        and REGULAR slots have one shape: the kernel is then run for element 0 alone */
    WADI_STEP_ALLOC, /* makes the columns of `slots` from their shapes (offsets by prefix sum, stride by product).
                        A negative extent is a fault at `place` */
    WADI_STEP_RUN, /* runs `kernel` over all elements, in ranges, in parallel */
    WADI_STEP_FLAT, /* runs `units` over elements, prefix sums, then `kernel` over units in parallel */
    WADI_STEP_COND, /* each element runs part 0 or part 1 of `control`, as its predicate says */
    WADI_STEP_LOOP, /* elements run part 0, which computes the predicate, then part 1, which computes the next state; those
                       whose predicate is false leave before part 1 */
    WADI_STEP_FOREIGN, /* runs library routine `call` over all elements: reads slots `reads`, writes `slots`, whose columns
                          are there */
    WADI_STEP_MANY, /* makes the elements of the level around one: slots `reads` of it, all REGULAR, are seen as ONCE
                          `slots` of one more dimension */
    WADI_STEP_SINGLE /* the way back: ONCE `reads` of the level below become REGULAR `slots`, whose shapes are there */
} wadi_step_kind;

/* The steps of a part stand in the version's list right behind their COND or LOOP, part 0's first; whoever does not run
 * them skips them. A part of the control's own level is for elements that all decide alike. */
typedef struct wadi_plan_part {
    int level, nsteps;
    const int
        *yields; /* [nvalues] slots with a branch's results, or a loop's next state (part 1) */
    const bool *moves; /* [nvalues] nothing else reads that slot: its memory may be taken away */
} wadi_plan_part;

typedef struct wadi_plan_control {
    int predicate; /* slot of a bool. COND: of the step's level, or ONCE; LOOP: of the parts' level, or ONCE */
    int nvalues;
    const int *results; /* slots of the step's level; -1: nobody wants it */
    const int *init;    /* LOOP: slots with the first state, of any level around */
    const int *state;   /* LOOP: slots of the parts' level */
    wadi_plan_part part[2];
} wadi_plan_control;

typedef struct wadi_plan_call {
    const char *routine;
    int dims, nin; /* rank of one problem; arrays read */
} wadi_plan_call;

typedef struct wadi_plan_step {
    wadi_step_kind kind;
    const char *kernel, *units; /* symbol names in the version's module; NULL: none */
    int nslots;
    const int *slots;
    int place;
    bool serial;  /* one range, one worker, in order */
    bool several; /* needless where one worker runs all units in order */
    bool apart;   /* all units run, though one faults: the first fault may be in a later one */
    int level;    /* the elements it runs over */
    const wadi_plan_control *control;
    const struct wadi_plan_call *call;
    const int *reads; /* FOREIGN: [call->nin]; MANY, SINGLE: [nslots] */
} wadi_plan_step;

/* What a fault can name. */
typedef struct wadi_plan_place {
    const char *op;   /* "zip_with", "quot", "!" */
    const char *what; /* "extents of arguments 1 and 2 differ", or "" */
    wadi_loc loc;
} wadi_plan_place;

typedef struct wadi_plan_version {
    int nsteps;
    const wadi_plan_step *steps;
    int nslots; /* temporaries of this version alone; their numbers follow the plan's */
    const wadi_plan_slot *slots;
    int nlevels; /* of its steps and slots, not counting level 0 */
    const wadi_plan_level *levels;
    bool counts; /* its kernels find stream indices themselves, the body's index slot is not read */
    int nplaces; /* what its faults name */
    const wadi_plan_place *places;
} wadi_plan_version;

typedef struct wadi_plan_body {
    const char *name;
    int index_slot; /* produce: rank-0 i64 REGULAR slot of stream indices, filled for versions that read it; -1: none */
    int nresults;
    const int *
        results; /* slots a chunk of the result carries, in order of components. REGULAR results are
                                  allocated by ALLOC steps; IRREGULAR ones by `emit` (inside, across) or ALLOC (flat);
                                  a result that is also a source's slot passes through; ONCE: an avoid result */
    bool rank0;  /* every value has rank 0 */
    bool
        lifted; /* most of its work is done by routines and programs made for whole chunks: flat is best */
    bool offers[WADI_SCHEDULE_COUNT]; /* versions there can be; at least one */
    bool routines; /* it calls library routines, which may decline: there is a pure version, too */
} wadi_plan_body;

static inline bool wadi_body_offers(const wadi_plan_body *b, wadi_version_key v) {
    return v.pure ? b->routines : b->offers[v.schedule];
}

typedef struct wadi_plan_source {
    bool counter;     /* produce: counts to the i64 in `count_slot` */
    int count_slot;   /* ONCE, rank 0 */
    const char *name; /* stream_in: the source bound by this name */
    int nslots;
    const int *slots; /* where its components go: REGULAR or IRREGULAR */
    const wadi_plan_extent (*extent)[WADI_MAX_RANK]; /* [nslots], declared */
} wadi_plan_source;

/* ---- streams: sources, then a tree of stages, then ends ---- */

/* A body that carries a state from element to element, or from chunk to chunk. */
typedef struct wadi_plan_fold {
    int body;
    int nstate;
    const int *init; /* [nstate] ONCE slots with the initial state */
    const bool *
        take; /* [nstate] or NULL: nothing else reads the array in `init`: its memory may become the state's */
    const int *state_in,
        *state_out; /* [nstate] ONCE: where the body reads it and puts (emits) the next one; the same slot when it changes in
                       place, and then a fault leaves it half changed */
    int nparts; /* what of an element the body reads; BATCH: of a chunk, two slots for each part */
    const int *
        parts; /* [nparts] slots; BATCH: [2 * nparts] ONCE, shapes i64[k, rank] and values of rank 1 */
    const int *from; /* [nparts] component of the stage's results */
    bool
        carried; /* the body runs for all elements of a chunk in order; it changes scalars of `state_in` when all is done */
    const int
        *after; /* [nstate] SCAN, carried: REGULAR slots that get the state after each element */
} wadi_plan_fold;

/* How a stage's input becomes the elements its body sees. Elements are counted anew in each stage. */
typedef enum wadi_change_kind {
#define WADI_CHANGE(kind, name) WADI_CHANGE_##kind,
#include "sched/changes.def"
#undef WADI_CHANGE
    WADI_CHANGE_COUNT
} wadi_change_kind;

/* What becomes of the last window when samples are left that no full one has covered. */
typedef enum wadi_last_window {
    WADI_LAST_WINDOW_DROP,
    WADI_LAST_WINDOW_PAD,
    WADI_LAST_WINDOW_KEEP
} wadi_last_window;

typedef struct wadi_plan_stage {
    wadi_change_kind change;
    int nsources; /* READ */
    const wadi_plan_source *sources;
    int ninputs; /* others: stages before this one; one, but for ZIP */
    const int *inputs;
    int nparts; /* components of the changed elements that the stage has a use for; READ: those of the sources, in
                   order */
    const int *parts; /* [nparts] REGULAR or IRREGULAR slots */
    const int *
        from; /* [nparts] component of the inputs' results, counted through; SCAN: of the state. Not READ */
    int first, size, hop; /* ONCE slots, rank-0 i64; -1: the change goes by no such number */
    wadi_last_window last;
    int test;
    wadi_plan_fold scan;
    int place;
    int body; /* -1: elements pass unchanged, `results` are parts or ONCE */
    int nresults;
    const int *results;
} wadi_plan_stage;

typedef enum wadi_end_kind {
    WADI_END_SINK,     /* chunks of the components go to the sink `name` */
    WADI_END_ELEMENTS, /* into[i] collects all values of component i as one vector */
    WADI_END_TABULATE, /* into[i] stacks component i along a new outer dimension; shapes must agree (fault at place) */
    WADI_END_TABULATE_MIN, /* the same, with every extent cut to the least one */
    WADI_END_FROM_SEQ, /* into[2 i] collects the shapes i64[n, rank] of component i, into[2 i + 1] its values */
    WADI_END_FOLD,      /* into[i] is the state; `fold` runs for the elements 0, 1, .. in order */
    WADI_END_FOLD_BATCH /* the same, `fold` running once for each chunk of one element or more */
} wadi_end_kind;

typedef struct wadi_plan_end {
    wadi_end_kind kind;
    int stage;
    int nfrom; /* components of the stage's results; FOLD, FOLD_BATCH: see fold.from */
    const int *from;
    const char *name; /* SINK */
    int ninto;
    const int *into; /* ONCE slots */
    wadi_plan_fold fold;
    int place;
} wadi_plan_end;

typedef struct wadi_plan_stream {
    int nstages;
    const wadi_plan_stage *stages; /* inputs before those who read them */
    int nends;
    const wadi_plan_end *ends; /* one or more for each stage that is the input of no other */
} wadi_plan_stream;

typedef struct wadi_plan_phase {
    bool is_stream;
    int body; /* ONCE results */
    wadi_plan_stream stream;
} wadi_plan_phase;

typedef struct wadi_plan {
    wadi_arena *arena;
    const char *name;
    uint8_t program
        [32]; /* BLAKE2b of the program's text and the options that decide its kernels; zero: not known */
    int nslots;
    const wadi_plan_slot *slots;
    int ninputs;
    const wadi_plan_input *inputs;
    int noutputs;
    const wadi_plan_output *outputs;
    int nbodies;
    const wadi_plan_body *bodies;
    int nphases;
    const wadi_plan_phase *phases;
    int nplaces; /* what faults outside of kernels name */
    const wadi_plan_place *places;
} wadi_plan;

/* A kernel, as the device that runs it knows it; nobody else looks inside. handle 0: none. */
typedef struct wadi_code {
    uintptr_t handle;
} wadi_code;

/* A version with the kernels its steps name. */
typedef struct wadi_plan_code {
    const wadi_plan_version *version;
    const wadi_code *kernels, *units; /* [nsteps]; none where a step names none */
} wadi_plan_code;

struct wadi_run_options;

/* Finds or makes versions and their code: given by whoever joins compiler and runtime. Called by one thread at a time per
 * run, by several runs at once. */
typedef struct wadi_loader {
    /* Version `version`, which body `body` offers. What *out points to lives as long as the loader. May take long
     * (compiles). */
    wadi_status (*load)(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err);
    /* Whether `load` would answer at once. If not, the version is made beside the run, unless that takes more than worth_ns of
     * processor time; 0: nothing is begun. Never waits. NULL: `load` always answers at once. */
    bool (*offer)(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                  int64_t worth_ns);
    /* A run with these options begins: what it is certain to want can be made side by side. Never waits. NULL: nothing to do. */
    void (*expect)(void *self, const struct wadi_run_options *options);
    void *self;
} wadi_loader;

struct wadi_text;
/* Prints the plan, for people and for wadi_plan_read (plan/print.c). */
void wadi_plan_print(const wadi_plan *p, struct wadi_text *out);
/* The same for the steps of a version. */
void wadi_plan_version_print(const wadi_plan *p, const wadi_plan_version *v, struct wadi_text *out);
/* The plan whose text this is: it prints the same and has the same hash. Kernels are no part of the text; their loader comes with the
 * text of the program. The caller destroys the plan's arena. Errors: WADI_INVALID, which names the line, WADI_MEMORY (plan/read.c). */
WADI_NODISCARD wadi_status wadi_plan_read(const char *text, wadi_plan **out, wadi_error *err);
/* BLAKE2b over all that decides what a run computes, whichever versions have been made (plan/hash.c). */
void wadi_plan_hash(const wadi_plan *p, uint8_t out[32]);

#endif
