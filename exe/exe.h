/* An executable: a plan, what its kernels are made from, and those loaded so far. */
#ifndef WADI_EXE_EXE_H
#define WADI_EXE_EXE_H

#include <stdatomic.h>

#include "base/folder.h"
#include "base/stop.h"
#include "base/thread.h"
#include "codegen/build/bundle.h"
#include "codegen/build/target.h"
#include "codegen/plan/plan.h"
#include "sched/devices.h"
#include "sched/run/charter.h"
#include "sched/work/queue.h"
#include "wadi/run.h"

typedef enum wadi_exe_state { WADI_EXE_ABSENT, WADI_EXE_MAKING, WADI_EXE_LOADED } wadi_exe_state;

typedef struct wadi_exe_version {
    struct wadi_exe_set *set; /* that it is in */
    wadi_made *made;          /* NULL: not wanted so far */
    wadi_exe_state state;
    int ahead; /* its turn to be made in the background, unless a run wants it before; 0: none */
    int64_t worth_ns; /* listed: processor time it may take; WADI_EXE_NEEDED: whatever it takes */
    int64_t cost_ns;  /* what making it is expected to take; 0: nobody has wanted it */
    bool failed;      /* in the background, where nobody needed it */
    wadi_kernels loaded;
    wadi_code *kernels; /* [2 * nsteps]: the steps' kernels, then their units */
    uint8_t text[32];   /* digest of their text, */
    bool text_known;    /* if it was wanted, or the version came out of a bundle */
    bool stored;        /* it did */
} wadi_exe_version;

/* All versions for one target, as some devices load them. */
typedef struct wadi_exe_set {
    const wadi_target *target;
    const wadi_image_ops *images; /* of these devices; NULL: nothing has been loaded */
    double byte_ns;               /* the time it takes to build a byte of text, last measured */
    struct wadi_exe_set *next;
    wadi_exe_version version[]; /* [plan->nbodies * WADI_BODY_VERSIONS] */
} wadi_exe_set;

enum { WADI_EXE_HELPERS = 8 };
#define WADI_EXE_NEEDED INT64_MAX

struct wadi_exe {
    wadi_module *module;
    wadi_facts facts;
    wadi_plan *plan;
    const wadi_target *target; /* of its kernels, on devices that take them */
    bool fast;                 /* fast math */
    /* A version that a run waits for is not in the cache: called before it is compiled, without the lock. NULL: nobody wants to know. */
    void (*compiling)(wadi_exe *exe, const wadi_exe_version *v);
    bool asked;          /* for that target; if not, devices that do not take it have their own */
    wadi_text recipe;    /* what another process needs to compile the same (recipe.c) */
    char *report;        /* what wadi_explain tells; NULL unless it was asked for */
    wadi_stop stop;      /* called: nothing is compiled ahead any longer */
    atomic_int loaded;   /* versions so far */
    wadi_mutex lock;     /* guards what follows */
    wadi_condition made; /* of a version that was being made */
    wadi_versions *versions; /* they borrow module, facts and plan */
    wadi_exe_set
        *sets;        /* the first is for `target`; more are added behind, and none is taken away */
    uint8_t hash[32]; /* of the plan */
    bool hashed;
    bool closing;
    struct wadi_trace *trace;       /* is told what is made; NULL: nobody is; by the lock */
    bool stays;                     /* a device that was left behind may use its kernels */
    struct wadi_exe *next;          /* of those that stay */
    struct wadi_exe_supply *supply; /* kernels for workers; NULL: none can ask for any */
    void (*supply_close)(struct wadi_exe *exe); /* ends what it makes; NULL: there is none */
    wadi_bundle **sent;   /* [plan->nbodies] kernels that home has sent; NULL: none; by the lock */
    wadi_folder sent_in;  /* its folder */
    int turns;            /* given so far */
    int helpers, helping; /* threads that make kernels ahead; those that have not finished */
    wadi_thread helper[WADI_EXE_HELPERS];
    long process; /* that has them */
};

static inline wadi_exe_version *wadi_exe_version_of(wadi_exe_set *set, int body,
                                                    wadi_version_key version) {
    return &set->version[body * WADI_BODY_VERSIONS + wadi_version_number(version)];
}

/* ---- sets.c: which versions a device runs ---- */

/* Whether devices with kernels in `language` take those of the target. */
bool wadi_exe_takes(const char *language, const wadi_target *target);
/* The first target of that language; NULL: there is none. */
const wadi_target *wadi_exe_target_in(const char *language);
/* Whether devices of the kind take the target of the executable, or one of their own where nobody has asked for that. Errors: WADI_INVALID,
 * naming both; WADI_UNSUPPORTED (nothing writes what the device takes). */
WADI_NODISCARD wadi_status wadi_exe_check_fit(const wadi_exe *exe, const wadi_device_row *device,
                                              wadi_error *err);
/* The set for devices that load with `images`; NULL: the first, which some device then loads. It is made if it is not there. The caller
 * holds the lock or is alone. Errors: WADI_MEMORY, WADI_UNSUPPORTED, those of a device that cannot be used. */
WADI_NODISCARD wadi_status wadi_exe_set_for(wadi_exe *exe, const wadi_image_ops *images,
                                            wadi_exe_set **out, wadi_error *err);
/* The same for this target, which is in the language of `images`. NULL: to look at its versions, without a device. */
WADI_NODISCARD wadi_status wadi_exe_set_of(wadi_exe *exe, const wadi_image_ops *images,
                                           const wadi_target *target, wadi_exe_set **out,
                                           wadi_error *err);

/* Whether a run that is forced to a schedule (-1: is not) may take the version. */
bool wadi_exe_may_take(const wadi_plan_body *b, wadi_version_key version, int forced);

/* ---- find.c ---- */

/* Finds the kernels of the version in what was loaded for it. Errors: WADI_IO (one is not there), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_exe_find_kernels(wadi_exe_version *v, wadi_error *err);

/* ---- recipe.c: the same program for another process ---- */

enum { WADI_RECIPE_UNCHECKED = 1, WADI_RECIPE_NO_FOREIGN = 2, WADI_RECIPE_STEADY = 4 };

/* Before the passes change the module: notes its text (NULL: it is printed), the name of its file, which its kernels name, and the options that decide the plan. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_exe_keep_recipe(wadi_exe *exe, const char *text, const char *file,
                                                const wadi_compile_options *options,
                                                wadi_error *err);
/* Appends it (wadi_loader). Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_exe_put_recipe(const wadi_exe *exe, wadi_text *out,
                                               wadi_error *err);
/* Appends what tells the libraries of routines that it calls from others of the same names. */
void wadi_exe_describe_libraries(const wadi_exe *exe, wadi_text *out);

/* ---- charter.c: in the other process ---- */

/* Compiles the program of the charter, for this target (NULL: the usual one). Errors: WADI_UNSUPPORTED (it compiles to another plan here, or calls
 * routines that are not here), WADI_IO (damaged), those of compiling. */
WADI_NODISCARD wadi_status wadi_exe_of_charter(const wadi_charter *charter, const char *target,
                                               wadi_exe **out, wadi_error *err);

/* ---- supply.c: kernels for workers that cannot compile ---- */

/* Has the executable answer workers, from now on. Errors: WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_exe_supply_open(wadi_exe *exe, wadi_error *err);
/* The reply to "TARGET BODY OFFSET" (wadi_workq_options.kernels; `exe` is a wadi_exe that has a supply): WADI_WORKQ_WAIT; "error: " and why there are none; or
 * "kernels BYTES", the end of the line, and at most `most` bytes, from the offset on, of a bundle of so many. */
void wadi_exe_supply_reply(void *exe, const char *what, int64_t most, wadi_text *out);

/* ---- sent.c: in the worker ---- */

/* Loads the kernels of the charter's stages, as far as they are certain, and asks home for those of a whole stage if they cannot be had here. Errors:
 * WADI_COMPILE (home cannot make them either; it says what is missing on which side), those of the queue. */
WADI_NODISCARD wadi_status wadi_exe_sent_get(wadi_exe *exe, const wadi_charter *charter,
                                             wadi_workq *queue, const wadi_run_options *options,
                                             wadi_error *err);
/* Harmless if nothing was sent. */
void wadi_exe_sent_close(wadi_exe *exe);

/* ---- loader.c ---- */

/* The loader that compiles, or finds in the cache, what `exe` has not loaded yet. Borrows exe. */
wadi_loader wadi_exe_loader(wadi_exe *exe);

/* ---- load.c ---- */

/* The version with its text, made if it is not there yet. The caller holds the lock or is alone. */
WADI_NODISCARD wadi_status wadi_exe_make(wadi_exe *exe, wadi_exe_version *v, const wadi_made **out,
                                         wadi_error *err);
/* Makes and loads the version, or waits until it is there. The caller holds the lock, which is let go of meanwhile. worth_ns:
 * below WADI_EXE_NEEDED nobody waits for it; the compiler then runs gently, and not at all (WADI_UNSUPPORTED, without a word, the
 * cost noted) if it is expected to take longer. */
WADI_NODISCARD wadi_status wadi_exe_load(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns,
                                         wadi_error *err);
/* Unloads what was loaded and forgets what was made, with all sets. False: a driver has not come back from that in time, and the executable must stay. */
bool wadi_exe_unload(wadi_exe *exe);

/* ---- ahead.c ---- */

/* Has kernels made ahead of their first use: those a run with these options is certain to want. own: of several, the first is
 * left for the caller, who wants it now. */
void wadi_exe_expect(wadi_exe *exe, const wadi_run_options *options, bool own);
/* Has a version made that may pay, beside what runs. The caller holds the lock. */
void wadi_exe_suggest(wadi_exe *exe, wadi_exe_version *v, int64_t worth_ns);
/* While this version is compiled: has those of the stages behind it made at the same time, in the same schedule, if nobody has made one of these
 * bodies. The caller does not hold the lock. */
void wadi_exe_follow(wadi_exe *exe, const wadi_exe_version *v);
/* Nothing more is made ahead; compilers that have begun are ended. */
void wadi_exe_settle(wadi_exe *exe);

#endif
