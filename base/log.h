/* Writing to the log. wadi/log.h says where it goes. */
#ifndef WADI_BASE_LOG_H
#define WADI_BASE_LOG_H

#include "wadi/log.h"

/* What the lines of a thread are about, for those who keep them in order; NULL: nothing. */
typedef struct wadi_log_place {
    const char *run, *stage;
} wadi_log_place;

/* Of the calling thread, until it is called again. The strings are borrowed until then. */
void wadi_log_about(wadi_log_place about);
wadi_log_place wadi_log_about_now(void);

/* Lines over 1023 bytes are cut. */
void wadi_logf(wadi_log_level level, const char *format, ...) WADI_PRINTF(2, 3);

#endif
