/* Compiling and running a program.
 *
 *     wadi_program -> wadi_compile -> wadi_exe -> wadi_run_create -> bind inputs, sources, sinks -> wadi_run_go
 *
 * An executable is immutable and may be shared by runs in several threads. A run is used by one thread, but for
 * wadi_run_cancel and wadi_run_stats, which any thread may call while it runs.
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

/** All zero is the default. */
typedef struct wadi_compile_options {
    const char *disable; /**< passes switched off, comma separated ("fuse,cse"); NULL: none */
    const char
        *target;     /**< what kernels are compiled for: "native" (this processor), "x86-64-v2", ..;
                             `wadi version` lists them. The same bits on all. NULL: $WADI_TARGET, or
                             native */
    bool unchecked;  /**< leaves out index checks: a bad index is then undefined */
    bool no_foreign; /**< the language's own computations instead of library routines */
    bool steady;  /**< routines round alike in every run, for one size of batch; costs some speed */
    bool verify;  /**< checks the program after every pass */
    bool explain; /**< keeps what wadi_explain tells */
} wadi_compile_options;

typedef struct wadi_exe wadi_exe;

/** Compiles a program down to a plan; kernels are compiled, or found in the cache, when a run wants them.
 *  Errors: the first mistake made while building, WADI_INVALID (no such target), WADI_UNSUPPORTED, WADI_MEMORY. `options` may be NULL. */
WADI_NODISCARD wadi_status wadi_compile(const wadi_program *p, const wadi_compile_options *options,
                                        wadi_exe **out_exe, wadi_error *err);
/** The same from the text form of a program (docs/TEXT.md); `file` names it in errors. */
WADI_NODISCARD wadi_status wadi_compile_text(const char *text, const char *file,
                                             const wadi_compile_options *options,
                                             wadi_exe **out_exe, wadi_error *err);
void wadi_exe_destroy(wadi_exe *exe); /**< NULL is fine; no run may still use it */

/** The program after each pass, each value's representation and why, fusions done and refused, the plan and the kernels.
 *  *out_text is the caller's to free(). Errors: WADI_INVALID when compiled without `explain`. */
WADI_NODISCARD wadi_status wadi_explain(const wadi_exe *exe, char **out_text, wadi_error *err);

/** All zero is the default. */
typedef struct wadi_run_options {
    int threads; /**< workers of the compute stage; 0: one per processor */
    int64_t
        memory; /**< bytes the chunks in flight may take; 0: 1 GiB. One element is always at work, however large: a
                           smaller bound makes chunks of one element, and wadi_run_stats.memory_peak tells what that took */
    int64_t chunk;      /**< elements per chunk; 0: the policy decides */
    const char *policy; /**< "probe" (default), "paper" or "fixed" */
    wadi_schedule_option schedule;
    double
        watchdog_s; /**< logs who waits for what after so long without progress; 0: 10 s; 1e9 at most */
    bool forget; /**< starts without the chunk sizes earlier runs have recorded, and records none */
} wadi_run_options;

/** How a run is going, or went. */
typedef struct wadi_run_stats {
    int64_t elements; /**< stream elements delivered */
    int64_t bytes_in, bytes_out;
    int64_t chunks;
    int64_t chunk_elements; /**< size the policy last chose */
    double elapsed_s;
    double utilisation; /**< busy time of the compute stage's workers / (elapsed x workers), 0..1 */
    double overlap; /**< share of the elapsed time in which two or more stages were busy, 0..1 */
    double stages_busy; /**< stages busy at the same time, on average over the elapsed time */
    double source_s, compute_s, sink_s; /**< time each stage was busy */
    int threads;
    int64_t memory_peak;  /**< bytes of chunks and temporaries at most */
    const char *schedule; /**< schedule of the latest stream body, static string; NULL: none ran */
} wadi_run_stats;

/** Begins to make the kernels that a run with these options is certain to want, in the background. Nobody needs to call it: a run makes
 *  its kernels side by side, too. A program of several executables starts sooner if it does. `options` may be NULL. What
 *  goes wrong is told by the run that wants the kernel. */
void wadi_exe_warm(const wadi_exe *exe, const wadi_run_options *options);

typedef struct wadi_run wadi_run;

/** `exe` is borrowed and must outlive the run; `options` may be NULL. */
WADI_NODISCARD wadi_status wadi_run_create(const wadi_exe *exe, const wadi_run_options *options,
                                           wadi_run **out_run, wadi_error *err);
/** Binds input array `name`; borrowed until the run is over. Extents are checked against the declaration.
 *  Errors: WADI_INVALID (no such input), WADI_TYPE, WADI_SHAPE. */
WADI_NODISCARD wadi_status wadi_run_input(wadi_run *run, const char *name, const wadi_array *a,
                                          wadi_error *err);
WADI_NODISCARD wadi_status wadi_run_source(wadi_run *run, const char *name, wadi_source *source,
                                           wadi_error *err);
WADI_NODISCARD wadi_status wadi_run_sink(wadi_run *run, const char *name, wadi_sink *sink,
                                         wadi_error *err);
/** Runs to the end. Chunks before a failure have been delivered; sinks are finished on success, aborted on failure.
 *  Errors: WADI_INVALID (something unbound), WADI_FAULT, WADI_COMPILE, WADI_CANCELLED, or what a source or sink said. */
WADI_NODISCARD wadi_status wadi_run_go(wadi_run *run, wadi_error *err);
/** Ends a run soon, wherever it is but in a caller's callback: wadi_run_go then gives WADI_CANCELLED, also when it is called only
 *  afterwards. Safe in any thread and in a signal handler. */
void wadi_run_cancel(wadi_run *run);
void wadi_run_stats_get(wadi_run *run, wadi_run_stats *out);
/** A result of a finished run, borrowed until the run is destroyed. Errors: WADI_INVALID. */
WADI_NODISCARD wadi_status wadi_run_result(wadi_run *run, const char *name, wadi_array *out_array,
                                           wadi_error *err);
void wadi_run_destroy(wadi_run *run); /**< NULL is fine */

WADI_END_DECLS

#endif
