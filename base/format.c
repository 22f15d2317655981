/* The calling thread is in C's locale while it writes or reads a number. */
#include "base/format.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t
    plain; /* kept until the process ends; 0 without memory: then the process's locale stays */

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* What uselocale needs to go back. */
static locale_t enter(void) {
    (void)pthread_once(&once, make_plain);
    return uselocale(plain);
}

int wadi_format_list(char *out, size_t room, const char *format, va_list args) {
    const locale_t before = enter();
    const int n = vsnprintf(out, room, format, args);
    (void)uselocale(before);
    return n;
}

int wadi_format(char *out, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = wadi_format_list(out, room, format, args);
    va_end(args);
    return n;
}

double wadi_format_read_f64(const char *text, char **end) {
    const locale_t before = enter();
    const double x = strtod(text, end);
    (void)uselocale(before);
    return x;
}

float wadi_format_read_f32(const char *text, char **end) {
    const locale_t before = enter();
    const float x = strtof(text, end);
    (void)uselocale(before);
    return x;
}
