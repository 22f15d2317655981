/* Writing to the log. wadi/log.h says where it goes. */
#ifndef WADI_BASE_LOG_H
#define WADI_BASE_LOG_H

#include "wadi/log.h"

/* Lines over 1023 bytes are cut. */
void wadi_logf(wadi_log_level level, const char *format, ...) WADI_PRINTF(2, 3);

#endif
