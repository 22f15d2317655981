/* What a worker tells of itself in front of an answer, where home's charter asks for it: for a trace, or a certificate.
 *
 * A trace needs to know who has answered, and how long it took. A certificate needs the worker's *kind* as well: its version, its device and its kernels. That is long, and seldom new: an answer names it by a digest, and has
 * it only until home is known to have it. Items say which kinds home has heard of (wadi_known). So nothing depends on which answers, of which workers, come or are used. */
#ifndef WADI_SCHED_RUN_REPORT_H
#define WADI_SCHED_RUN_REPORT_H

#include "sched/run/charter.h"
#include "sched/run/state.h"
#include "sched/state.h"

enum {
    WADI_REPORT_NAME = 128,       /* bytes of a worker's name, with its NUL */
    WADI_REPORT_WORDS = 256,      /* of its version, and of its device, at most */
    WADI_REPORT_KERNELS = 1 << 17 /* of lines of kernels */
};

/* ---- the worker ---- */

typedef struct wadi_reporter {
    wadi_reports asked;
    wadi_text worker; /* its host and process: "sky7:4711" */
    wadi_text kind;   /* as it travels; the first `head` bytes are the version and the device */
    wadi_text body;   /* of the report */
    size_t head;
    int64_t loaded;    /* versions of kernels when the lines were made */
    int64_t digest;    /* of the kind */
    bool acknowledged; /* home has it */
} wadi_reporter;

/* Of this worker. Memory that is short shows when it reports. */
void wadi_reporter_begin(const wadi_run *x, wadi_reports asked, wadi_reporter *out);
/* An item has come, with what home knew when it was sent. */
void wadi_reporter_heard(wadi_reporter *r, const wadi_known *known);
/* Adds the report, with the kernels of now: the first of them, if there are more than WADI_REPORT_KERNELS. ns: that it has taken for the item. */
void wadi_reporter_put(wadi_reporter *r, const wadi_run *x, int64_t ns, wadi_text *out);
void wadi_reporter_fini(wadi_reporter *r);

/* ---- home ---- */

/* Version, device and kernels of some workers. Never changes. */
typedef struct wadi_kind {
    int64_t digest;
    wadi_text version; /* of wadi there */
    wadi_text device;  /* and what it is: "cpu AMD EPYC 9B14" */
    wadi_text kernels; /* lines of a certificate, of those that it had loaded; no line is checked */
} wadi_kind;

/* The kinds that home has heard of since it has offered the charter. None is forgotten before that is over, since workers rely on it. What there is no room for is of the kind `others`. */
enum { WADI_KINDS = 256, WADI_KINDS_BYTES = 2 << 20 };
typedef struct wadi_kinds {
    WADI_VEC(wadi_kind *) all;
    int64_t bytes;
    wadi_known told; /* that were told last: their workers may not know yet that home has them */
    wadi_kind others;
    bool full; /* there was no room */
} wadi_kinds;
void wadi_kinds_fini(wadi_kinds *k);

typedef struct wadi_report {
    char worker[WADI_REPORT_NAME]; /* without control characters; "": it was not read */
    int64_t ns;
    const wadi_kind *kind; /* lives as long as the kinds; NULL: nobody has asked for it */
} wadi_report;

/* Errors: WADI_IO (there is none, or a damaged one, or it is too long, or of a kind that home has not heard of), WADI_MEMORY. */
WADI_NODISCARD wadi_status wadi_report_take(wadi_state_reader *from, wadi_reports asked,
                                            wadi_kinds *kinds, wadi_report *out, wadi_error *err);

#endif
