/* Messages of the library that are neither results nor errors: for example, who waits for what when nothing moves, or that a damaged
 * kernel was made anew. They go to one callback; without one, the library is silent. */
#ifndef WADI_LOG_H
#define WADI_LOG_H

#include "wadi/status.h"

WADI_BEGIN_DECLS

/** How important a message is. */
typedef enum wadi_log_level { WADI_LOG_DEBUG, WADI_LOG_INFO, WADI_LOG_WARNING } wadi_log_level;

/** Takes one line without newline, borrowed for the call. Called by any thread, but by one at a time. Must not call what logs. */
typedef void (*wadi_log_fn)(void *env, wadi_log_level level, const char *line);

/** Sets the callback; NULL silences the library. When this returns, the previous callback is not running and will not be called again. */
void wadi_log_set(wadi_log_fn fn, void *env);

WADI_END_DECLS

#endif
