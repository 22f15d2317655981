/* Writing to the log. wadi/log.h says where it goes. */
#ifndef WADI_BASE_LOG_H
#define WADI_BASE_LOG_H

#include <stdbool.h>

#include "wadi/log.h"

/* What the lines of a thread are about, for those who keep them in order; NULL: nothing. */
typedef struct wadi_log_place {
    const char *run, *stage;
} wadi_log_place;

/* Of the calling thread, until it is called again. The strings are borrowed until then. */
void wadi_log_about(wadi_log_place about);
wadi_log_place wadi_log_about_now(void);

/* A run, or part of it, has failed with these words. Whoever tells them later, in any thread and with other words around them, tells of it, as long as few others have failed meanwhile. The
 * strings are copied; run NULL: nothing is noted. */
void wadi_log_failed(wadi_log_place about, const char *words);
typedef struct wadi_log_failure {
    char run[64], stage[24];
} wadi_log_failure;
/* Whether such words are among these. */
bool wadi_log_find_failure(const char *words, wadi_log_failure *out);

/* Lines over 1023 bytes are cut. */
void wadi_logf(wadi_log_level level, const char *format, ...) WADI_PRINTF(2, 3);

#endif
