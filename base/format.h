/* Numbers in texts as C writes them, 0.5, whatever locale the process has: a program that shows its users 0,5 may use this library. Kernels, plans, files,
 * JSON and messages are written and read by these functions, never by vsnprintf and strtod. */
#ifndef WADI_BASE_FORMAT_H
#define WADI_BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

#include "wadi/status.h"

/* snprintf and vsnprintf. */
int wadi_format(char *out, size_t room, const char *format, ...) WADI_PRINTF(3, 4);
int wadi_format_list(char *out, size_t room, const char *format, va_list args) WADI_PRINTF(3, 0);

/* strtod and strtof; end may be NULL. */
double wadi_format_read_f64(const char *text, char **end);
float wadi_format_read_f32(const char *text, char **end);

#endif
