/* Running another program to its end. The program has no standard input. It leads a process group of its own, which ends with
 * it.
 *
 * The child is ended when the task of the calling thread is stopped (base/task.h) and when its time is up. On Linux it also
 * ends with the calling thread, for whatever reason, and whatever the child has started ends with the calling process. */
#ifndef WADI_BASE_CHILD_H
#define WADI_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wadi_child {
    char *const *argv;  /* argv[0]: the program's path; ended by NULL */
    int nice;           /* added to the caller's nice value, 0 to 19 */
    int64_t limit_ns;   /* how long it may run; 0: without limit */
    const char *what;   /* what the watchdog calls it: "the compiler" */
    const char *tmpdir; /* where its temporary files go; NULL: where the caller's do */
} wadi_child;

typedef enum wadi_child_end {
    WADI_CHILD_EXITED, /* it has ended by itself; code: its status */
    WADI_CHILD_KILLED, /* a signal has ended it; code: the signal */
    WADI_CHILD_FAILED, /* it could not be started; code: errno */
    WADI_CHILD_LATE,   /* it was ended because its time was up */
    WADI_CHILD_STOPPED /* it was ended because the task was stopped */
} wadi_child_end;

/* What it writes to standard output and standard error goes to out, cut to room - 1 bytes. */
wadi_child_end wadi_child_run(const wadi_child *c, char *out, size_t room, int *out_code);

#endif
