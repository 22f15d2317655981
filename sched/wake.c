/* See the header. Who opens looks for a call after it has published the pipe, who calls looks for a pipe after it has noted
 * the call: one of them sees the other. */
#include "sched/wake.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

void wadi_wake_init(wadi_wake *w) {
    atomic_init(&w->called, false);
    for (int i = 0; i < 2; i++) atomic_init(&w->end[i], -1);
}

void wadi_wake_fini(wadi_wake *w) {
    for (int i = 0; i < 2; i++) {
        const int end = atomic_exchange(&w->end[i], -1);
        if (end >= 0) (void)close(end);
    }
}

static void write_byte(int end) {
    const char byte = 0;
    (void)!write(end, &byte, 1);
}

wadi_status wadi_wake_open(wadi_wake *w, int *out_fd, wadi_error *err) {
    int end[2];
    *out_fd = atomic_load(&w->end[0]);
    if (*out_fd >= 0) return WADI_OK;
    if (pipe(end) != 0) return wadi_fail(err, WADI_IO, "run: no pipe");
    for (int i = 0; i < 2; i++) {
        (void)fcntl(end[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(end[i], F_SETFL, O_NONBLOCK);
        atomic_store(&w->end[i], end[i]);
    }
    if (atomic_load(&w->called)) write_byte(end[1]);
    *out_fd = end[0];
    return WADI_OK;
}

void wadi_wake_call(wadi_wake *w) {
    atomic_store(&w->called, true);
    const int end = atomic_load(&w->end[1]);
    if (end >= 0) write_byte(end);
}
