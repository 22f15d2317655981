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
#include "base/type.h"
#include "sched/image.h"
#include "sched/kernel.h"
#include "wadi/schedule.h"
#include "wadi/status.h"
#include "wadi/type.h"

/* Extents stay below 2^WADI_EXTENT_BITS: an array of so many elements does not exist. Kernels rely on it, also for arrays without values and for those that
 * are not stored. */
enum { WADI_EXTENT_BITS = 44 };

/* How a slot stores its array over a chunk; sched/kernel.h has the details. */
typedef enum wadi_slot_kind {
    WADI_SLOT_ONCE,     /* one array for the whole run */
    WADI_SLOT_REGULAR,  /* one shape for all elements */
    WADI_SLOT_IRREGULAR /* a shape and an offset for each element */
} wadi_slot_kind;

typedef struct wadi_plan_slot {
    const char *name;
    wadi_slot_kind kind;
    int level; /* the level whose elements it has; 0: the chunk */
    int rank, fields;
    wadi_type type[WADI_MAX_FIELDS];
    const char *field[WADI_MAX_FIELDS]; /* names, NULL for a plain scalar */
    const wadi_array *data;             /* `use`: the array itself; else NULL */
} wadi_plan_slot;

/* Bytes of one value of the slot's array. */
static inline int64_t wadi_plan_slot_width(const wadi_plan_slot *s) {
    return wadi_fields_size(s->type, s->fields);
}

/* What the program declares of one extent: a constant >= 0, a name, or nothing. */
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
    WADI_SCHEDULE_FIRST = 0 /* every body offers it, and a run falls back to it */
} wadi_schedule;

/* Which version of a body, and for which device. */
typedef struct wadi_version_key {
    wadi_schedule schedule;
    bool
        pure; /* with the language's own computations instead of library routines. Only bodies that call routines have such a
                  version, for the first schedule. It is never chosen, and runs only if a routine declines */
    const wadi_image_ops
        *images; /* of the device that is to run it; NULL: of one that takes the program's target */
} wadi_version_key;

/* The versions of a body are numbered: those of the schedules in their order, then the pure one. */
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

/* A level is a set of elements that a branch or a loop works on: an ordered part of its parent level's, numbered without
 * gaps. Level 0 is the chunk; level k > 0 is row k - 1 of the version's table. Kernels follow `map` to read slots of outer
 * levels; the runtime makes it. */
typedef struct wadi_plan_level {
    int parent;
    int map; /* slot, rank-0 i64 REGULAR: [element] the number of the element in the parent level */
} wadi_plan_level;

typedef enum wadi_step_kind {
    WADI_STEP_SHAPE, /* runs `kernel` over elements: it writes the shapes of `slots`, for which there is storage. ONCE
                        and REGULAR slots have one shape, so the kernel runs for element 0 alone */
    WADI_STEP_ALLOC, /* makes the columns of `slots` from their shapes (offsets by prefix sum, stride by product).
                        A negative extent is a fault at `place` */
    WADI_STEP_RUN,  /* runs `kernel` over all elements, in ranges, in parallel */
    WADI_STEP_FLAT, /* runs `units` over elements, makes prefix sums of the result, then runs `kernel` over units in parallel */
    WADI_STEP_COND, /* each element runs part 0 or part 1 of `control`, depending on its predicate */
    WADI_STEP_LOOP, /* elements run part 0, which computes the predicate, then part 1, which computes the next state. Elements
                       whose predicate is false leave before part 1 */
    WADI_STEP_FOREIGN, /* runs the library routine `call` over all elements: it reads the slots `reads` and writes `slots`, which
                          have their columns already */
    WADI_STEP_MANY, /* makes one element of all elements of the outer level: REGULAR slots `reads` become ONCE slots
                          `slots` with one more dimension */
    WADI_STEP_SINGLE /* the inverse of MANY: ONCE `reads` of the inner level become REGULAR `slots`, which have their shapes already */
} wadi_step_kind;

/* One side of a branch, or one half of a loop. Its steps follow the COND or LOOP in the version's list, those of part 0 first. If all
 * elements certainly decide alike, a part has the level of the control itself. */
typedef struct wadi_plan_part {
    int level, nsteps;
    const int *
        yields; /* [nvalues] slots with the results of a branch, or with the next state of a loop (part 1) */
    const bool *
        moves; /* [nvalues] whether nothing else reads that slot, so that its memory may be taken over */
} wadi_plan_part;

/* A part of a loop's state that nothing else in the loop depends on: an array whose next value reads the old one near the same index of the outermost
 * dimension, and nothing else that changes from turn to turn. So the rest of the loop may be several turns ahead, and these turns may run together. */
typedef struct wadi_plan_turns {
    int value; /* number of the state */
    int step; /* in part 1, from 0 on: SHAPE and ALLOC of the next value, then FLAT, whose kernels never fault */
    int reach; /* indices that it reads further on both sides */
} wadi_plan_turns;

/* By what a COND or LOOP decides, and what it computes. */
typedef struct wadi_plan_control {
    int predicate; /* slot of a bool. COND: of the step's level, or ONCE; LOOP: of the parts' level, or ONCE */
    int nvalues;
    const int *results; /* slots of the step's level; -1: nobody needs that value */
    const int *init;    /* LOOP: slots with the first state, of any outer level */
    const int *state;   /* LOOP: slots of the parts' level */
    wadi_plan_part part[2];
    const wadi_plan_turns *turns; /* LOOP: NULL: each turn ends before the next begins */
} wadi_plan_control;

/* A call of a library routine. */
typedef struct wadi_plan_call {
    const char *routine;
    int dims, nin; /* rank of one problem; number of arrays that it reads */
} wadi_plan_call;

/* An array whose columns a kernel touches. */
typedef struct wadi_plan_touch {
    int slot;
    bool reads, writes;
    int64_t
        own; /* elements of the piece that a unit touches alone; 0: any unit may touch all. If it is the `piece` of the touches, it is the
                    unit's piece of the target, by place; else unit u touches elements [u * own, (u + 1) * own) */
} wadi_plan_touch;

/* What a kernel touches. A chunk of one element that is cut into units: unit u writes a piece of `target`, of `piece` elements at most, of a
 * row (the innermost dimension). The pieces of a row come one after the other, and so do the rows. */
typedef struct wadi_plan_touches {
    bool
        quiet; /* it neither faults nor takes memory, so it leaves nothing behind but what it writes */
    bool of_shapes; /* what it says follows from shapes alone, and it touches nothing */
    bool known;     /* else it may touch anything */
    int n;
    const wadi_plan_touch *of;
    int target;
    int64_t piece; /* 0: units have no such pieces */
} wadi_plan_touches;

/* A slot whose columns a step reads or writes, by its kernels or without any. Shapes and offsets do not count. */
typedef struct wadi_plan_use {
    int slot;
    bool reads, writes;
    bool whole;   /* nothing is known of how much it reads, */
    bool by_data; /* but that data tell it where, each time */
    int each; /* else it reads at most so many elements for each that it writes into the slot that it writes most of */
} wadi_plan_use;

/* An extent: of a slot, or a number. */
typedef struct wadi_plan_where {
    int slot, dim; /* slot -1: `value` */
    int64_t value;
} wadi_plan_where;

/* What a step computes: operations for each element of a space. */
typedef struct wadi_plan_work {
    int operations;
    bool wide; /* of numbers of 8 bytes */
    int by; /* a step that does not use this slot only prepares it, or completes it; -1: it is whole */
    int rank;
    wadi_plan_where extent[WADI_MAX_RANK];
} wadi_plan_work;

enum { WADI_STEP_ROUNDS = 3, WADI_STEP_STRIPS = 8 }; /* steps that may run with one, at most */

/* One instruction of a version. */
typedef struct wadi_plan_step {
    wadi_step_kind kind;
    const char *kernel, *units; /* symbol names in the version's module; NULL: none */
    int nslots;
    const int *slots;
    int place;    /* the row of the version's places that faults name */
    bool serial;  /* one range, one worker, in order */
    bool several; /* not needed if one worker runs all units in order */
    bool apart;   /* all units run even if one faults: the first fault may be in a later unit */
    int rounds; /* FLAT: so many steps behind it, FLAT too, may run with it: a few units of each step in turn, if all have as many. 0: none */
    int strips; /* ALLOC: so many FLAT steps behind it, each with an ALLOC step of one slot in front, may run in strips: a few indices of
                   the outermost dimension of each in turn, the same ones of all. Nobody else reads what this step makes. 0: it is stored */
    int halo;   /* FLAT, in strips: so many indices more on both sides */
    int level;  /* the level whose elements it runs over */
    const wadi_plan_control *control;
    const struct wadi_plan_call *call;
    const int *reads; /* FOREIGN: [call->nin]; MANY, SINGLE: [nslots] */
    wadi_plan_touches touches,
        units_touch; /* of `kernel` and `units`; they only say where data must be */
    int nuses;       /* all slots that it uses, each once; of COND and LOOP without their parts */
    const wadi_plan_use *uses;
    const char *
        what; /* FLAT: the value that it computes, if its slot has the name of another one; NULL: see its slots */
    int nworks; /* of `kernel`, as far as they are known; for profiles */
    const wadi_plan_work *works;
} wadi_plan_step;

/* What a fault names: an operation of the program, and what is wrong. */
typedef struct wadi_plan_place {
    const char *op;   /* "zip_with", "quot", "!" */
    const char *what; /* "extents of arguments 1 and 2 differ", or "" */
    wadi_loc loc;
} wadi_plan_place;

/* A body lowered for one schedule. */
typedef struct wadi_plan_version {
    int nsteps;
    const wadi_plan_step *steps;
    int nslots; /* temporaries of this version; their numbers follow those of the plan's slots */
    const wadi_plan_slot *slots;
    int nlevels; /* of its steps and slots, without level 0 */
    const wadi_plan_level *levels;
    bool
        counts; /* its kernels compute stream indices themselves, and do not read the body's index slot */
    int nplaces; /* the places that its faults may name */
    const wadi_plan_place *places;
} wadi_plan_version;

/* Array code over the elements of a chunk, or over one element. */
typedef struct wadi_plan_body {
    const char *name;
    int index_slot; /* rank-0 i64 REGULAR slot of stream indices (produce), which is filled for versions that read it; -1: none */
    int nresults;
    const int *results; /* the slots of the result's components, in their order. REGULAR results are
                                  allocated by ALLOC steps, IRREGULAR ones by `emit` (inside, across) or ALLOC (flat). A
                                  result that is also a source's slot passes through. ONCE becomes an avoid component */
    const bool *
        inner; /* [nresults] or NULL, of bodies that run once: whether nobody but the body itself reads the elements of the
                              result, so that its memory can be given back before the body is over */
    int nreads;
    const int *
        reads; /* [nreads] ONCE slots with arrays that an element goes through: they are input of each element, as its own arrays are. Arrays of
                  which an element reads a few values, at places that data tell, are not among them */
    bool rank0; /* every value has rank 0 */
    bool
        lifted; /* routines and manual liftings do most of its work, on whole chunks: flat is best */
    bool offers[WADI_SCHEDULE_COUNT]; /* schedules it can run in; at least one */
    bool routines; /* it calls library routines, which may decline, so it has a pure version, too */
} wadi_plan_body;

static inline bool wadi_body_offers(const wadi_plan_body *b, wadi_version_key v) {
    return v.pure ? b->routines : b->offers[v.schedule];
}

/* A source of a stage: a counter, or a source that the user binds to a name. */
typedef struct wadi_plan_source {
    bool counter;     /* produce: it counts from 0 up to the i64 in `count_slot` */
    int count_slot;   /* ONCE, rank 0 */
    const char *name; /* stream_in: the source is bound to this name */
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
        take; /* [nstate] or NULL: whether nothing else reads the array in `init`, so that its memory may become the state's */
    const int *state_in,
        *state_out; /* [nstate] ONCE: where the body reads the state and writes the next one. It is one slot if the state
                       changes in place; then a fault leaves it half changed */
    int nparts; /* components of an element that the body reads; FOLD_BATCH: of a chunk, two slots each */
    const int *
        parts; /* [nparts] slots; FOLD_BATCH: [2 * nparts] ONCE, shapes i64[k, rank] and values of rank 1 */
    const int *from; /* [nparts] component of the stage's results */
    bool
        carried; /* the body runs for all elements of a chunk in order, and changes the scalars of `state_in` at its end */
    const int
        *after; /* [nstate] SCAN, carried: REGULAR slots that get the state after each element */
    bool
        keyed; /* KEYED: each key has a state. Carried: `state_in` are ONCE with a state for each key of the chunk, and slot `number`, REGULAR, says
                  which of them an element has: n, or -1 - n for the same. Else the runtime puts the state of its key there for each element */
    int number;
} wadi_plan_fold;

/* How the input of a stage becomes the elements that its body sees. Each stage counts its elements anew. */
typedef enum wadi_change_kind {
#define WADI_CHANGE(kind, name) WADI_CHANGE_##kind,
#include "sched/changes.def"
#undef WADI_CHANGE
    WADI_CHANGE_COUNT
} wadi_change_kind;

/* What happens to the samples at the end that no full window covers. */
typedef enum wadi_last_window {
    WADI_LAST_WINDOW_DROP,
    WADI_LAST_WINDOW_PAD,
    WADI_LAST_WINDOW_KEEP
} wadi_last_window;

/* A change and a body. */
typedef struct wadi_plan_stage {
    wadi_change_kind change;
    int nsources; /* READ */
    const wadi_plan_source *sources;
    int ninputs; /* other changes: numbers of stages before this one; only ZIP has several */
    const int *inputs;
    int nparts; /* components of the changed elements that the stage uses; READ: those of the sources, in order */
    const int *parts; /* [nparts] REGULAR or IRREGULAR slots */
    const int *
        from; /* [nparts] component of the inputs' results, numbered over all inputs; SCAN: of the state. Not READ */
    int first, size, hop; /* ONCE slots, rank-0 i64; -1: the change has no such number */
    wadi_last_window last;
    int test; /* KEYED: the key */
    wadi_plan_fold scan;
    int place;
    int body; /* -1: elements pass unchanged, `results` are parts or ONCE */
    int nresults;
    const int *results;
} wadi_plan_stage;

typedef enum wadi_end_kind {
#define WADI_END(KIND, name, slots) WADI_END_##KIND,
#include "sched/ends.def"
#undef WADI_END
} wadi_end_kind;

/* Where a stage's results go: a sink, a collector or a fold. */
typedef struct wadi_plan_end {
    wadi_end_kind kind;
    int stage;
    int nfrom; /* components of the stage's results; FOLD, FOLD_BATCH: see fold.from */
    const int *from;
    const char *name; /* SINK */
    bool unordered;   /* SINK: elements may come in any order */
    int ninto;
    const int *into; /* ONCE slots */
    wadi_plan_fold fold;
    int place;
} wadi_plan_end;

/* The stages and ends of a stream phase. */
typedef struct wadi_plan_stream {
    int nstages;
    const wadi_plan_stage *stages; /* an input comes before the stages that read it */
    int nends;
    const wadi_plan_end *ends; /* one or more for each stage that is the input of no other */
} wadi_plan_stream;

/* A body that runs once, or a stream. */
typedef struct wadi_plan_phase {
    bool is_stream;
    int body; /* ONCE results */
    wadi_plan_stream stream;
} wadi_plan_phase;

typedef struct wadi_plan {
    wadi_arena *arena;
    const char *name;
    uint8_t program
        [32]; /* BLAKE2b of the program's text and of the options that its kernels depend on; all zero: not known */
    uint8_t written
        [32]; /* the same of the text before the passes, of which each version of wadi has others; all zero: not known. No part of the plan's text */
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
    int nplaces; /* the places that faults outside kernels name */
    const wadi_plan_place *places;
} wadi_plan;

/* Whether a body of the plan calls library routines. */
static inline bool wadi_plan_calls_routines(const wadi_plan *plan) {
    for (int i = 0; i < plan->nbodies; i++)
        if (plan->bodies[i].routines) return true;
    return false;
}

/* A version with the kernels that its steps name. */
typedef struct wadi_plan_code {
    const wadi_plan_version *version;
    const wadi_code *kernels, *units; /* [nsteps]; handle 0 for a step that names no kernel */
} wadi_plan_code;

struct wadi_run_options;
struct wadi_text;
struct wadi_trace;

/* Finds or makes versions and their code. `exe`, which joins compiler and runtime, provides it. Threads of one run or of several runs may
 * call it at once. */
typedef struct wadi_loader {
    /* Gives the version `version` of body `body`, which the body must offer. What *out points to lives as long as the loader. May take
     * long, because it may compile. */
    wadi_status (*load)(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                        wadi_plan_code *out, wadi_error *err);
    /* Whether `load` would return at once. If not, the version is made in the background, unless that takes more than worth_ns of
     * processor time; 0: it is not made. Never waits. NULL: `load` always returns at once. */
    bool (*offer)(void *self, const wadi_plan *plan, int body, wadi_version_key version,
                  int64_t worth_ns);
    /* A run with these options begins: the versions that it certainly needs can be made in parallel. Never waits. NULL: nothing to do. */
    void (*expect)(void *self, const struct wadi_run_options *options);
    /* Whether kernels in any language compute the same bits. NULL: they do. */
    bool (*exact)(void *self);
    /* Whether kernels are made with fast math. NULL: they are not. */
    bool (*fast)(void *self);
    /* A device that was left behind may still run what was loaded: it stays, also when the loader goes. NULL: it does so anyway. */
    void (*stay)(void *self);
    /* Appends a line for each version that was loaded so far, for certificates (certificate/certificate.h). NULL: nothing is known of them. */
    void (*kernels)(void *self, struct wadi_text *out);
    /* A number that is another one whenever these lines may be others. NULL: they may be at any time. */
    int64_t (*loaded)(void *self);
    /* Appends what such a line says of the same kernels, without its newline: they are made anew as text, and not compiled. False: it cannot know. NULL: it never can. */
    bool (*kernel)(void *self, const char *line, struct wadi_text *out);
    /* Kernels that are made or found from now on are told to this trace; NULL: to none any more. Of several runs, the last is told. NULL: they never are. */
    void (*trace)(void *self, struct wadi_trace *t);
    /* Appends what another process needs to make the same plan and its kernels (run/charter.h). Errors: WADI_MEMORY, WADI_UNSUPPORTED (it says
     * why). NULL: nothing can. */
    wadi_status (*charter)(void *self, struct wadi_text *out, wadi_error *err);
    void *self;
} wadi_loader;

/* Whether the loader's kernels are made with fast math. */
static inline bool wadi_loader_is_fast(const wadi_loader *l) {
    return l->fast != NULL && l->fast(l->self);
}

/* Whether nobody needs the order of the stage's elements: all that comes of each by itself goes to sinks that take it in any (plan/unordered.c). */
bool wadi_plan_stage_is_unordered(const wadi_plan_stream *s, int stage);
/* The first end of the stream that is unordered; NULL: there is none. */
const wadi_plan_end *wadi_plan_unordered_end(const wadi_plan_stream *s);
/* The fold of a stage, or of an end; NULL: it has none (plan/fold.c). */
const wadi_plan_fold *wadi_plan_stage_fold(const wadi_plan_stage *g);
const wadi_plan_fold *wadi_plan_end_fold(const wadi_plan_end *e);
/* The slot of the key of a stage with a state for each key: of what it reads (plan/fold.c). */
int wadi_plan_stage_key(const wadi_plan_stream *s, const wadi_plan_stage *g);
/* Whether the slot is the state of a fold or a scan of the stream (plan/fold.c). */
bool wadi_plan_stream_keeps(const wadi_plan_stream *plan, int slot);
/* How many slots each component has that the body of the end's fold reads: 1 for an element, 2 for a whole chunk. 0: it has no fold, or
 * is no kind (plan/fold.c). */
int wadi_plan_fold_slots(wadi_end_kind kind);

/* Prints the plan, for people and for wadi_plan_read (plan/print.c). */
void wadi_plan_print(const wadi_plan *p, struct wadi_text *out);
/* The same for people alone: of an array that the program holds the shape is enough, if it has many values. */
void wadi_plan_print_short(const wadi_plan *p, struct wadi_text *out);
/* The same for the steps of a version. */
void wadi_plan_version_print(const wadi_plan *p, const wadi_plan_version *v, struct wadi_text *out);
/* Appends the version as bytes. False: it has an array of the program, which cannot be written; or there is no memory (plan/version.c). */
bool wadi_plan_version_save(const wadi_plan_version *v, struct wadi_text *out);
/* Makes the version from these bytes, in `arena`. Errors: WADI_INVALID, WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_plan_version_load(const char *bytes, size_t n, wadi_arena *arena,
                                                  wadi_plan_version *out, wadi_error *err);
/* Makes the plan from its text: it prints the same text and has the same hash. The text does not contain kernels; their loader is made
 * from the text of the program. The caller destroys the plan's arena. Errors: WADI_INVALID, which names the line, WADI_MEMORY
 * (plan/read.c). */
WADI_NODISCARD wadi_status wadi_plan_read(const char *text, wadi_plan **out, wadi_error *err);
/* BLAKE2b over all that determines what a run computes. It does not depend on which versions have been made (plan/hash.c). */
void wadi_plan_hash(const wadi_plan *p, uint8_t out[32]);
/* The same without the text of the program and its places: of two programs of which one is the other's text, read again. */
void wadi_plan_layout_hash(const wadi_plan *p, uint8_t out[32]);

#endif
