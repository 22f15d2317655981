/* The one callback, behind a mutex. A flag is checked first, so that a silent library neither locks nor formats. */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* ---- what has failed ---- */

enum { FAILURES = 8 };

static struct {
    char words[512]; /* "": there is none */
    wadi_log_failure about;
} failures[FAILURES]; /* by the lock */
static int next_failure;

void wadi_log_failed(wadi_log_place about, const char *words) {
    if (about.run == NULL || words[0] == '\0') return;
    (void)pthread_mutex_lock(&lock);
    const int i = next_failure;
    next_failure = (i + 1) % FAILURES;
    (void)snprintf(failures[i].words, sizeof failures[i].words, "%s", words);
    (void)snprintf(failures[i].about.run, sizeof failures[i].about.run, "%s", about.run);
    (void)snprintf(failures[i].about.stage, sizeof failures[i].about.stage, "%s",
                   about.stage != NULL ? about.stage : "");
    (void)pthread_mutex_unlock(&lock);
}

/* The latest first. */
bool wadi_log_find_failure(const char *words, wadi_log_failure *out) {
    bool found = false;
    (void)pthread_mutex_lock(&lock);
    for (int k = 1; !found && k <= FAILURES; k++) {
        const int i = (next_failure + FAILURES - k) % FAILURES;
        found = failures[i].words[0] != '\0' && strstr(words, failures[i].words) != NULL;
        if (found) *out = failures[i].about;
    }
    (void)pthread_mutex_unlock(&lock);
    return found;
}

/* ---- the log ---- */

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
