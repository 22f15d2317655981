/* Compiling and running a program.
 *
 *     wadi_program -> wadi_compile -> wadi_exe -> wadi_run_create -> bind inputs, sources, sinks -> wadi_run_go
 *
 * An executable is immutable and may be shared by runs in several threads. A run is used by one thread; only wadi_run_cancel
 * and wadi_run_stats_get may be called by any thread while it runs.
 */
#ifndef WADI_RUN_H
#define WADI_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/lang.h"
#include "wadi/schedule.h"
#include "wadi/status.h"
#include "wadi/stream.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

/** How real numbers are computed. EXACT: the same bits on every device, whatever the schedule, the chunks and the workers. FAST: kernels
 *  may join a product to a sum, and are less exact in ways that depend on the device (docs/DEVICES.md). AUTO: EXACT, unless
 *  $WADI_FAST_MATH is "on". */
typedef enum wadi_math_option { WADI_MATH_AUTO, WADI_MATH_EXACT, WADI_MATH_FAST } wadi_math_option;

/** Options of compiling. All zero is the default. */
typedef struct wadi_compile_options {
    const char *disable; /**< passes switched off, comma separated ("fuse,cse"); NULL: none */
    const char
        *target; /**< the processor to compile for: "native" (this processor), "x86-64-v2", ..;
                             `wadi version` lists them. The same bits on all. NULL: $WADI_TARGET, or
                             native */
    wadi_math_option math; /**< fast math, or the same bits everywhere */
    bool unchecked;        /**< leaves out index checks: a bad index is then undefined behaviour */
    bool no_foreign;       /**< the language's own computations instead of library routines */
    bool
        steady; /**< library routines round alike in every run, for one size of batch; costs some speed */
    bool verify;  /**< checks the program after every pass */
    bool explain; /**< keeps what wadi_explain prints */
    const char *
        extents; /**< with `explain`: extents that have a value, "n=1000,xs.0=3": what they decide is
                             printed as a number instead of a formula. NULL: none */
    bool loops;  /**< with `explain`: the loops that kernels are written from are printed, too */
    bool
        vectors; /**< with `explain`: the C compiler is run, and tells which loops of the kernels it has vectorised */
    wadi_schedule_option
        schedule; /**< with `explain`: only the kernels that a run with this option takes; AUTO: those of all
                                        schedules that a run may choose itself */
} wadi_compile_options;

/** An executable: a compiled program. */
typedef struct wadi_exe wadi_exe;

/** Compiles a program to a plan. Its kernels are compiled, or found in the cache, when a run needs them. The caller owns *out_exe.
 *  Errors: the first mistake made while building, WADI_INVALID (no such target), WADI_UNSUPPORTED, WADI_MEMORY. `options` may be NULL. */
WADI_NODISCARD wadi_status wadi_compile(const wadi_program *p, const wadi_compile_options *options,
                                        wadi_exe **out_exe, wadi_error *err);
/** wadi_compile of a program as text (docs/TEXT.md); errors call it `file`. */
WADI_NODISCARD wadi_status wadi_compile_text(const char *text, const char *file,
                                             const wadi_compile_options *options,
                                             wadi_exe **out_exe, wadi_error *err);
/** Destroys an executable; NULL is fine. Its runs must have been destroyed before. */
void wadi_exe_destroy(wadi_exe *exe);

/** Describes, as text, what the compiler did: the program after each pass, the representation of each value and why, the fusions
 *  done and refused, the plan and the kernels. The caller must free() *out_text. Errors: WADI_INVALID if compiled without `explain`. */
WADI_NODISCARD wadi_status wadi_explain(const wadi_exe *exe, char **out_text, wadi_error *err);

/** Whether a part of a stream's stages and ends runs in a thread of its own, beside what is before it. The same bits either way. */
typedef enum wadi_stages_option {
    WADI_STAGES_AUTO,   /**< where it proves faster */
    WADI_STAGES_JOINED, /**< never */
    WADI_STAGES_APART   /**< from the first chunk on, wherever the program allows it */
} wadi_stages_option;

/** What happens where the program fails at an element of a stream: a bad index, a division by zero, an element that is not as declared. */
typedef enum wadi_on_fault {
    WADI_ON_FAULT_FAIL, /**< the run fails, after all elements before it were delivered */
    WADI_ON_FAULT_SKIP, /**< nothing comes of the element in the stage that failed, as if it had been filtered out before; folds and scans go on
                               without it */
    WADI_ON_FAULT_REPLACE /**< what the stage computes of the element becomes `replacement`. Only for stages that compute scalars; folds go on without
                               the element, and a scan fails, as does an element that is not as declared */
} wadi_on_fault;

/** Options of a run. All zero is the default. */
typedef struct wadi_run_options {
    int threads; /**< workers of the compute stage; 0: one per processor */
    int64_t
        memory; /**< bytes that the chunks in flight may take; 0: 1 GiB. A chunk has at least one element; if that
                           exceeds the limit, wadi_run_stats.memory_peak shows what it took */
    int64_t chunk;      /**< elements per chunk; 0: the policy decides */
    const char *policy; /**< "probe" (default), "paper" or "fixed" */
    wadi_schedule_option schedule;
    const char *
        device; /**< one of those that `wadi devices` lists, several ("cpu,opencl:0"), or "all"; NULL:
                             $WADI_DEVICE, or "cpu" */
    double
        watchdog_s; /**< after so many seconds without progress, logs who waits for what; 0: 10; 1e9 at most */
    bool forget; /**< neither uses the chunk sizes of earlier runs nor records any */
    wadi_stages_option stages;
    const char *
        state; /**< a folder in which the run is saved now and then, so that the same run goes on from there after its
                             process was ended in any way; it must be its own. Sources must be able to go back, and sinks write files
                             or may get elements again. Borrowed until the run is destroyed. NULL: nothing is saved. docs/RUNTIME.md */
    double save_every_s; /**< with `state`: the least time between two savings; 0: 5 */
    bool
        accept_change; /**< with `state`: goes on with another version, program or other data, if what is saved fits */
    wadi_guarantee
        guarantee; /**< the least that the run must give (wadi_run_guarantee), or it is refused before it begins */
    bool
        hold_state; /**< what is saved (`state`) stays after the run has ended well, and a `certificate` has no name yet, until
                             wadi_run_release_state: for results that must be stored first */
    wadi_on_fault on_fault;
    double
        replacement; /**< with WADI_ON_FAULT_REPLACE; a whole number takes it without its fraction; beyond its range the nearest; NaN as 0 */
    const char *
        dead; /**< with on_fault: a file with a line of JSON for each element that has failed: where, why, and its values
                           (docs/RUNTIME.md). Borrowed until the run is destroyed. NULL: they are only counted */
    int64_t
        dead_limit; /**< with on_fault: so many elements may fail, and the next one ends the run; 0: any number */
    int retries; /**< how often in a row a source that can go back is asked again after reading has failed, and a file written on after writing
                      has; each time with a warning in the log. 0: such a failure ends the run */
    double
        retry_after_s; /**< the first time waits for so long, each further one twice as long, at most a minute; 0: 0.5 */
    const char *
        trace; /**< a file for https://ui.perfetto.dev that tells what each thread did, and when; the run keeps a profile as well. Borrowed until the run is
                           destroyed. NULL: none. docs/RUNTIME.md */
    const char *
        certificate; /**< a file that tells what the run was of and what came of it: digests of its inputs, of what it reads and delivers block by block,
                           and of its results; written when the run has ended well. Borrowed until the run is destroyed. NULL: none.
                           docs/RUNTIME.md */
    const char *const *
        certificate_notes; /**< with `certificate`: words that it keeps, ended by NULL; borrowed like it. NULL: none */
    const char *
        verify; /**< a certificate: the run is compared with it, and fails where it comes to something else. Not with `state`. Borrowed until
                              the run is destroyed. NULL: none */
    bool profile; /**< counts where the time goes, for wadi_run_profile (include/wadi/profile.h) */
    const char *
        via; /**< an address to which workers of other processes come for chunks of stages ("ipc://PATH", "tcp://HOST:PORT"; `wadi work ADDRESS`,
                         wadi/work.h). The results have the same bits, however many workers come and go, and without any. Borrowed for
                         wadi_run_create. NULL: none. docs/RUNTIME.md */
    const wadi_link_options *
        via_keys; /**< with `via`: the keys or the token of this side, which binds the address; other members do not matter. Required unless nobody
                               but this machine can come to the address. Borrowed for wadi_run_create. NULL: none */
    int workers; /**< with `via`: so many workers must have come before the first elements of these stages are computed; 0: none */
} wadi_run_options;

/** Statistics of a run, so far or at its end. */
typedef struct wadi_run_stats {
    int64_t elements;            /**< elements of streams delivered */
    int64_t bytes_in, bytes_out; /**< bytes read from sources, delivered to sinks */
    int64_t chunks;              /**< chunks computed */
    int64_t chunk_elements;      /**< the size that the policy last chose */
    double elapsed_s;
    double utilisation; /**< busy time of the workers / (elapsed time x workers), 0..1 */
    double overlap; /**< share of the elapsed time in which two or more stages were busy, 0..1 */
    double stages_busy; /**< stages busy at the same time, on average over the elapsed time */
    double source_s, compute_s, sink_s; /**< time each stage was busy */
    const char *device; /**< that computes, or several: "cpu,opencl:0"; the run owns the name */
    char shares[192]; /**< of several devices: who has computed how much of what they can share, as
                           "cpu 61 %, opencl:0 39 %", or why nobody shares; "": one device */
    char home
        [192]; /**< of several devices: which one has all that is not shared, and why; "": one device */
    int64_t bytes_put,
        bytes_got; /**< of arrays, copied from the host to memory of devices, and back */
    int64_t launches_shared,
        launches_whole; /**< of a device such as "cuda:0+1": launches that its devices shared out, and that the first did alone */
    int64_t
        bytes_between; /**< of such a device: what launches had to move from one of its devices to another */
    int threads;
    int64_t memory_peak; /**< most bytes of chunks and temporaries; of links, what is copied */
    int stages_apart; /**< stages and folds that run in a thread of their own, or did at the end of the latest stream */
    double apart_s; /**< time that thread was busy; compute_s is that of all others */
    int64_t
        elsewhere; /**< with `via`: elements that workers of other processes have got and computed; of several stages that go together, those of the first */
    int workers;   /**< with `via`: those that were there when a chunk was last given out */
    int64_t dead;  /**< elements that have failed, and without which the run went on */
    bool drained;  /**< it was ended by wadi_run_drain, and is saved */
    const char
        *schedule; /**< schedule of the latest body of a stream, a static string; NULL: none ran */
} wadi_run_stats;

/** Starts to compile, in the background, the kernels that a run with these options is certain to need. Calling it is optional: a run also
 *  compiles its kernels in parallel. A program with several executables starts sooner by calling it for each. `options` may be NULL.
 *  Errors are reported by the run that needs the kernel. */
void wadi_exe_warm(const wadi_exe *exe, const wadi_run_options *options);

/** A run of an executable: its bindings, options and results. */
typedef struct wadi_run wadi_run;

/** Makes a run. Borrows `exe`, which must outlive the run; `options` may be NULL. The caller owns *out_run. */
WADI_NODISCARD wadi_status wadi_run_create(const wadi_exe *exe, const wadi_run_options *options,
                                           wadi_run **out_run, wadi_error *err);
/** Binds the input array `name`. Borrows the columns until the run is over. Checks the extents against the declaration.
 *  Errors: WADI_INVALID (no such input), WADI_TYPE, WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_run_input(wadi_run *run, const char *name, const wadi_array *a,
                                          wadi_error *err);
/** Binds the source of the stream `name`. Borrows it until the run is destroyed. Errors: WADI_INVALID (no such stream). */
WADI_NODISCARD wadi_status wadi_run_source(wadi_run *run, const char *name, wadi_source *source,
                                           wadi_error *err);
/** Binds the sink that the stream `name` is delivered to. Borrows it until the run is destroyed. Errors: WADI_INVALID (no such stream; it comes in any
 *  order, and the sink needs one). */
WADI_NODISCARD wadi_status wadi_run_sink(wadi_run *run, const char *name, wadi_sink *sink,
                                         wadi_error *err);
/** How often elements come to the sinks of this run, if its process may be ended at any moment and the same run is started again. Call it with all
 *  bound, before the run. *out_why, which the caller must free(), is a line: the guarantee in words, and why it is no more. Errors:
 *  WADI_INVALID (the run has begun, something is not bound), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_run_guarantee(wadi_run *run, wadi_guarantee *out, char **out_why,
                                              wadi_error *err);
/** Runs to the end. Sinks are finished on success. On failure, what came before it has been delivered, and sinks are aborted.
 *  Errors: WADI_INVALID (something is not bound, or it has begun already, however that ended), WADI_UNSUPPORTED (it cannot be saved, or lacks the guarantee asked for), WADI_FAULT, WADI_COMPILE, WADI_MEMORY, WADI_CANCELLED, or the error of a source
 *  or sink. */
WADI_NODISCARD wadi_status wadi_run_go(wadi_run *run, wadi_error *err);
/** Ends a run soon, wherever it is, except inside a callback of the caller. wadi_run_go then returns WADI_CANCELLED, also if it is called only
 *  afterwards. Safe in any thread and in a signal handler. */
void wadi_run_cancel(wadi_run *run);
/** Of a run with the option `state`: ends it between two chunks, after everything computed so far is delivered and the run is saved; outside
 *  of streams at once. wadi_run_go then returns WADI_CANCELLED, and wadi_run_stats.drained is true; unless the run was over before. Safe in any thread and in a signal
 *  handler. Without `state` nothing happens. */
void wadi_run_drain(wadi_run *run);
/** Holds a run up, or lets it go on: while it is paused, its streams take no more chunks, and their sources soon wait. What is computed outside of
 *  streams goes on. A run may be paused before it begins. It can be cancelled and drained meanwhile. Safe in any thread and in a signal
 *  handler. */
void wadi_run_pause(wadi_run *run);
void wadi_run_resume(wadi_run *run);
/** Of a run with the option `hold_state` that has ended well: its results are stored, so its certificate gets its name, and what was saved is removed. A
 *  certificate that cannot get its name is a warning in the log. */
void wadi_run_release_state(wadi_run *run);
/** Copies the statistics so far. Safe in any thread. */
void wadi_run_stats_get(wadi_run *run, wadi_run_stats *out);
/** A result of a finished run. Its columns are borrowed until the run is destroyed. Errors: WADI_INVALID (no such result, no finished run). */
WADI_NODISCARD wadi_status wadi_run_result(wadi_run *run, const char *name, wadi_array *out_array,
                                           wadi_error *err);
/** Destroys a run; NULL is fine. */
void wadi_run_destroy(wadi_run *run);

WADI_END_DECLS

#endif
