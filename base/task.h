/* The task of the calling thread: its name for messages, the stop that ends it, and where its waits are registered.
 *
 * Code that blocks deep inside, reading a file or running a compiler, finds the task here, so that nothing has to be passed
 * through. A thread begins without a task; the code that starts a thread also begins its task. */
#ifndef WADI_BASE_TASK_H
#define WADI_BASE_TASK_H

#include "base/stop.h"
#include "base/wait.h"

typedef struct wadi_task {
    const char *name;  /* "source"; lives as long as the task */
    wadi_stop *stop;   /* NULL: nobody stops it */
    wadi_waits *waits; /* NULL: its waits are not registered */
} wadi_task;

/* Begins a task and returns the one before, which the caller passes to wadi_task_end. */
wadi_task wadi_task_begin(wadi_task task);
void wadi_task_end(wadi_task before);
/* The task of the calling thread. If it has none, all but the name is NULL. */
const wadi_task *wadi_task_now(void);

/* A module (base/loadable.h) has its own copy of this code. So that both copies use the same tasks, the module adopts what the host
 * shares, before any other call. */
typedef wadi_task *(*wadi_task_place)(void);
wadi_task_place wadi_task_share(void);
void wadi_task_adopt(wadi_task_place host);

bool wadi_task_stopped(void);
/* The descriptor of the task's stop, as wadi_stop_fd; -1: there is none to wait for. */
int wadi_task_stop_fd(void);
/* WADI_CANCELLED once the task is stopped. */
WADI_NODISCARD wadi_status wadi_task_check(wadi_error *err);

/* Registers that the task waits for `what`. number and name are as in wadi_wait. Returns a ticket for wadi_task_go_on, which ends the
 * wait. */
int wadi_task_wait(const char *what, int64_t number, const char *name);
/* The same for a wait that may last for ever (wadi_wait_begin_idle). */
int wadi_task_idle(const char *what, int64_t number, const char *name);
/* The same for a task that works on `what`. */
int wadi_task_work(const char *what, int64_t number, const char *name);
void wadi_task_go_on(int ticket);

#endif
