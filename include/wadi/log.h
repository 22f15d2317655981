/* What the library has to say outside of results and errors: who waits for what when nothing moves, a damaged kernel made anew.
 * It goes to one callback; without one the library is silent. */
#ifndef WADI_LOG_H
#define WADI_LOG_H

#include "wadi/status.h"

WADI_BEGIN_DECLS

typedef enum wadi_log_level { WADI_LOG_DEBUG, WADI_LOG_INFO, WADI_LOG_WARNING } wadi_log_level;

/** One line without newline, borrowed for the call. Called by any thread, one at a time; must not log itself. */
typedef void (*wadi_log_fn)(void *env, wadi_log_level level, const char *line);

/** fn NULL silences. When this returns, the previous callback is not running and will not be called again. */
void wadi_log_set(wadi_log_fn fn, void *env);

WADI_END_DECLS

#endif
