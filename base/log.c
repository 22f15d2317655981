/* The one callback, behind a mutex. A flag is checked first, so that a silent library neither locks nor formats. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/format.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static wadi_log_fn callback;
static void *callback_env;
static atomic_bool listening;
static _Thread_local wadi_log_place place;

void wadi_log_about(wadi_log_place about) {
    place = about;
}

wadi_log_place wadi_log_about_now(void) {
    return place;
}

void wadi_log_set(wadi_log_fn fn, void *env) {
    (void)pthread_mutex_lock(&lock);
    callback = fn;
    callback_env = env;
    atomic_store(&listening, fn != NULL);
    (void)pthread_mutex_unlock(&lock);
}

void wadi_logf(wadi_log_level level, const char *format, ...) {
    if (!atomic_load(&listening)) return;
    char line[1024];
    va_list args;
    va_start(args, format);
    const int n = wadi_format_list(line, sizeof line, format, args);
    va_end(args);
    if (n < 0) return;
    (void)pthread_mutex_lock(&lock);
    if (callback != NULL) callback(callback_env, level, line);
    (void)pthread_mutex_unlock(&lock);
}
