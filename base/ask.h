/* Asking somebody else's library in a process of its own, since the answer may be a crash, or never come. */
#ifndef WADI_BASE_ASK_H
#define WADI_BASE_ASK_H

#include <stdint.h>

#include "base/text.h"

typedef enum wadi_ask_end {
    WADI_ASK_ANSWERED,
    WADI_ASK_CRASHED, /* code: the signal; 0: it has ended the process */
    WADI_ASK_LATE,
    WADI_ASK_STOPPED, /* the calling task was stopped */
    WADI_ASK_FAILED   /* no process could be started */
} wadi_ask_end;

/* Calls ask(env, answer) in a child, and appends what it says to *answer, if it is answered within limit_ns. */
wadi_ask_end wadi_ask(void (*ask)(const void *env, wadi_text *answer), const void *env,
                      int64_t limit_ns, wadi_text *answer, int *out_code);

/* What people are told, after "its library": "did not answer within 30 s". Of CRASHED and LATE. */
void wadi_ask_tell(wadi_ask_end end, int code, int64_t limit_ns, wadi_text *out);

#endif
