/* The task of the calling thread, in thread-local memory. */
#include "base/task.h"

#include "base/error.h"

static _Thread_local wadi_task current = {.name = "a thread"};

static wadi_task *own_place(void) {
    return &current;
}

static wadi_task_place place = own_place;

wadi_task_place wadi_task_share(void) {
    return place;
}

void wadi_task_adopt(wadi_task_place host) {
    place = host;
}

wadi_task wadi_task_begin(wadi_task task) {
    const wadi_task before = *place();
    *place() = task;
    return before;
}

void wadi_task_end(wadi_task before) {
    *place() = before;
}

const wadi_task *wadi_task_now(void) {
    return place();
}

bool wadi_task_stopped(void) {
    return wadi_stop_called(place()->stop);
}

int wadi_task_stop_fd(void) {
    int fd = -1;
    wadi_stop *stop = place()->stop;
    if (stop == NULL || wadi_stop_fd(stop, &fd, NULL) != WADI_OK) return -1;
    return fd;
}

wadi_status wadi_task_check(wadi_error *err) {
    return wadi_task_stopped() ? wadi_fail(err, WADI_CANCELLED, "cancelled") : WADI_OK;
}

int wadi_task_wait(const char *what, int64_t number, const char *name) {
    return wadi_wait_begin(place()->waits, (wadi_wait){place()->name, what, number, name, false});
}

int wadi_task_idle(const char *what, int64_t number, const char *name) {
    return wadi_wait_begin_idle(place()->waits,
                                (wadi_wait){place()->name, what, number, name, false});
}

int wadi_task_work(const char *what, int64_t number, const char *name) {
    return wadi_wait_begin(place()->waits, (wadi_wait){place()->name, what, number, name, true});
}

void wadi_task_go_on(int ticket) {
    wadi_wait_end(place()->waits, ticket);
}
