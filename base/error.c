/* Filling a wadi_error, and the words for the status codes. A message that does not fit into its 512 bytes is cut. */
#include "base/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

enum { MAX_FILES = 64, MAX_FILE_NAME = 256 };

const char *wadi_status_name(wadi_status status) {
    static const char *const names[] = {
        [WADI_OK] = "ok",
        [WADI_INVALID] = "invalid",
        [WADI_SHAPE] = "shape",
        [WADI_TYPE] = "type",
        [WADI_MEMORY] = "memory",
        [WADI_IO] = "io",
        [WADI_DEVICE] = "device",
        [WADI_COMPILE] = "compile",
        [WADI_FAULT] = "fault",
        [WADI_CANCELLED] = "cancelled",
        [WADI_UNSUPPORTED] = "unsupported",
        [WADI_INTERNAL] = "internal",
    };
    if ((unsigned)status >= sizeof names / sizeof names[0]) return "unknown";
    return names[status];
}

/* The name of a user's file belongs to a program or a plan, which may be gone when the error is read. So names are copied here
 * for good, without allocation. When the table is full, new names are dropped. Of a long name only the end is kept. */
static const char *kept(const char *file) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char names[MAX_FILES][MAX_FILE_NAME];
    const size_t n = file ? strlen(file) : 0;
    const char *found = NULL;
    if (n == 0) return NULL;
    if (n >= MAX_FILE_NAME) file += n - (MAX_FILE_NAME - 1);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_FILES && !found; i++) {
        if (names[i][0] == '\0') memcpy(names[i], file, strlen(file) + 1);
        if (strcmp(names[i], file) == 0) found = names[i];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The message is written before the other fields are set, so that its arguments may point into *err. */
static void fill(wadi_error *err, wadi_loc at, wadi_status status, const char *file, int line,
                 const char *format, va_list args) WADI_PRINTF(6, 0);
static void fill(wadi_error *err, wadi_loc at, wadi_status status, const char *file, int line,
                 const char *format, va_list args) {
    wadi_error told = {.status = status, .file = file, .line = line, .at = at};
    if (wadi_format_list(told.msg, sizeof told.msg, format, args) < 0) told.msg[0] = '\0';
    *err = told;
}

wadi_status wadi_fail_here(wadi_error *err, wadi_status status, const char *file, int line,
                           const char *format, ...) {
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    fill(err, (wadi_loc){NULL, 0}, status, file, line, format, args);
    va_end(args);
    return status;
}

void wadi_errno_words(int number, char *out, size_t room) {
    if (strerror_r(number, out, room) != 0) (void)snprintf(out, room, "error %d", number);
}

/* If both do not fit, the message is cut and not the reason. */
wadi_status wadi_fail_errno_here(wadi_error *err, int number, const char *file, int line,
                                 const char *format, ...) {
    const wadi_status status = number == ENOMEM      ? WADI_MEMORY
                               : number == ECANCELED ? WADI_CANCELLED
                                                     : WADI_IO;
    char reason[128] = "";
    if (err == NULL) return status;
    wadi_errno_words(number, reason, sizeof reason);
    va_list args;
    va_start(args, format);
    fill(err, (wadi_loc){NULL, 0}, status, file, line, format, args);
    va_end(args);
    const size_t room = sizeof err->msg - strlen(reason) - sizeof ": ";
    const size_t n = strlen(err->msg) < room ? strlen(err->msg) : room;
    (void)snprintf(err->msg + n, sizeof err->msg - n, ": %s", reason);
    return status;
}

wadi_status wadi_fail_here_at(wadi_error *err, wadi_loc at, wadi_status status, const char *file,
                              int line, const char *format, ...) {
    if (err == NULL) return status;
    va_list args;
    va_start(args, format);
    at.file = kept(at.file);
    at.array = NULL; /* it belongs to the program */
    fill(err, at, status, file, line, format, args);
    va_end(args);
    return status;
}

_Noreturn void wadi_assert_failed(const char *cond, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, cond);
    abort();
}
