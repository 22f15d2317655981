/* Where the time of a run went: a profile, line by line.
 *
 *     wadi_run_options o = {.profile = true};
 *     .. create the run, bind, wadi_run_go ..
 *     const wadi_profile_row *rows;
 *     int n;
 *     if (wadi_run_profile(run, &rows, &n, &err) == WADI_OK)
 *         for (int i = 0; i < n; i++) printf("%s %.3f\n", rows[i].name, rows[i].seconds);
 *
 * The lines of the compute thread follow one another without gaps, so their seconds add up to the time of the run. Other threads work beside
 * it: other devices, stages apart, sources and sinks.
 */
#ifndef WADI_PROFILE_H
#define WADI_PROFILE_H

#include "wadi/run.h"

WADI_BEGIN_DECLS

/** What a line is about. */
typedef enum wadi_profile_kind {
    WADI_PROFILE_KERNEL,    /**< a pass over arrays; of schedules inside and across a whole body */
    WADI_PROFILE_ROUTINE,   /**< a library routine */
    WADI_PROFILE_CONTROL,   /**< a branch or a loop, without what it runs */
    WADI_PROFILE_SHAPES,    /**< shapes of arrays, and memory for them */
    WADI_PROFILE_COMPILE,   /**< kernels that were compiled or loaded */
    WADI_PROFILE_COPY,      /**< arrays on their way to devices and back */
    WADI_PROFILE_SOURCE,    /**< reading: waiting for the threads of sources, or without threads */
    WADI_PROFILE_SINK,      /**< the same of sinks */
    WADI_PROFILE_TEAM,      /**< waiting for other devices that share a stage */
    WADI_PROFILE_REST,      /**< all else: changes between stages, choosing, starting threads */
    WADI_PROFILE_READING,   /**< beside: the threads of sources */
    WADI_PROFILE_WRITING,   /**< beside: the threads of sinks */
    WADI_PROFILE_KIND_COUNT /**< how many there are */
} wadi_profile_kind;

/** A line of a profile. Texts belong to the run. */
typedef struct wadi_profile_row {
    wadi_profile_kind kind;
    const char
        *name; /**< KERNEL, ROUTINE, CONTROL: the values that are computed, as the program calls
                               them; else a few words */
    int phase,
        stage; /**< of the plan, as `wadi explain` counts them; stage -1: no stage; phase -1: the
                               run as a whole */
    const char *schedule; /**< a static string; NULL: it has none */
    const char *device;   /**< that computed; "" of the run as a whole */
    bool beside;          /**< of another thread than the compute thread */
    int64_t calls;        /**< how many times */
    int64_t
        elements; /**< KERNEL: of the largest array that it goes through, over all calls; of a whole body
                               elements of the stream */
    int64_t bytes_read,
        bytes_written; /**< of arrays that lie outside the kernel, each counted once a call; READING, WRITING:
                            of the streams; COPY: to devices and back */
    double seconds; /**< of its thread */
    double busy;    /**< seconds of all workers of the device together */
    double operations_f32,
        operations_f64; /**< KERNEL: scalar operations on numbers below 8 bytes, and on others, as
                               `wadi explain` counts them; what regions within a body compute is left out */
} wadi_profile_row;

/** The lines of a run that has ended, well or not: in the order of the plan, then the rest, then what was beside. The rows are borrowed until
 *  the run is destroyed. One thread at a time may ask. Errors: WADI_INVALID (the run has not ended, or has no profile: wadi_run_options.profile), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_run_profile(wadi_run *run, const wadi_profile_row **out_rows,
                                            int *out_n, wadi_error *err);

/** Bytes per second that all processors together read and write when they copy an array much larger than the caches. The first four
 *  processes that ask measure it, which takes about 0.2 s and 512 MiB of memory for that time; the greatest result is kept in the cache folder. A process always gets
 *  the same. 0: there is no memory to measure it with. */
double wadi_machine_bandwidth(void);

/** Operations per second that all processors together do on numbers as wide as `type`, where each product is added to a sum and all are in registers; a product and a
 *  sum are two. Measured and kept as the bandwidth is, in some milliseconds. 0: there is no memory to measure it with. */
double wadi_machine_arithmetic(wadi_type type);

WADI_END_DECLS

#endif
