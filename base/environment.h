/* Variables of the environment that switch something, or limit a time: one table of their names, their usual values and what they may be. */
#ifndef WADI_BASE_ENVIRONMENT_H
#define WADI_BASE_ENVIRONMENT_H

#include <stdbool.h>

typedef enum wadi_switch {
    WADI_SWITCH_FAST_MATH, /* WADI_FAST_MATH; off */
    WADI_SWITCH_LEARN,     /* WADI_LEARN; on */
    WADI_SWITCH_WATCH,     /* WADI_WATCH; on */
    WADI_SWITCH_COUNT
} wadi_switch;

typedef enum wadi_limit {
    WADI_LIMIT_PATIENCE, /* WADI_PATIENCE, .001 to 10^6 seconds */
    WADI_LIMIT_CC,       /* WADI_CC_TIMEOUT, 0 to 10^8 seconds */
    WADI_LIMIT_COUNT
} wadi_limit;

/* The value is "on" or "off"; of a variable that is not set, is empty or says something else, it is the usual one. Of something else the log tells once in a process. Any
 * thread. */
bool wadi_switch_is_on(wadi_switch s);

/* Seconds: the variable's number, or `usual` where it is not set, is empty or is no number within its bounds, which the log tells once in a process. Any thread. */
double wadi_limit_seconds(wadi_limit l, double usual);

#endif
