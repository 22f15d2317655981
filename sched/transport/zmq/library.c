/* Loads libzmq and finds its functions. */
#include "sched/transport/zmq/library.h"

#include <pthread.h>

#include "base/dl.h"
#include "base/error.h"

static const char name[] = "libzmq.so.5"; /* of all versions 4 */

wadi_zmq_library wadi_zmq;

static wadi_status opened;
static wadi_error why;

static wadi_status find_all(const wadi_dl *library) {
    wadi_dl_fn f = NULL;
#define X(function)                                                  \
    WADI_TRY(wadi_dl_function(library, "zmq_" #function, &f, &why)); \
    wadi_zmq.function = (__typeof__(wadi_zmq.function))f;
    WADI_ZMQ_CALLS(X)
#undef X
    return WADI_OK;
}

static void open_library(void) {
    wadi_dl library = {0};
    wadi_error reason = {0};
    opened = wadi_dl_open(&library, name, &reason);
    if (opened == WADI_OK && (opened = find_all(&library)) != WADI_OK) reason = why;
    if (opened == WADI_OK) return;
    wadi_dl_close(&library);
    opened =
        wadi_fail(&why, WADI_UNSUPPORTED, "links need the library %s: %.400s", name, reason.msg);
}

wadi_status wadi_zmq_open(wadi_error *err) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_library);
    if (opened != WADI_OK && err != NULL) *err = why;
    return opened;
}
