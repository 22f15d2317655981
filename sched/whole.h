/* What those know of each other who share a stream: its sender, those who have parts of it, and whoever gathers what they make of them. */
#ifndef WADI_SCHED_WHOLE_H
#define WADI_SCHED_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

/* The stream as a whole, as its sender has told. */
typedef struct wadi_whole {
    uint64_t stream;  /* its id */
    int64_t elements; /* in all, if it has ended; else 0 */
    int64_t start;    /* the first that its sender gives: those before are with whoever gathers */
    bool lasts;       /* it can be gone on with */
    bool
        confirmed; /* sender: an earlier process of it has heard that all is done, and was ended before it heard that the end is known */
    uint64_t confirmed_by; /* then: the process that gathered, 0: none did */
} wadi_whole;

/* What whoever gathers has told. */
typedef struct wadi_gatherer {
    uint64_t by;     /* its process; 0: there is none */
    int64_t have;    /* elements, when it was met */
    int64_t kept;    /* those that it will not ask for again, even if its process ends */
    bool saves;      /* it says what it keeps */
    int64_t changes; /* how often another process has taken its place */
} wadi_gatherer;

#endif
