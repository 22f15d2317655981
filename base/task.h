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
    wadi_stop *stop;   /* NULL: nobody ends it */
    wadi_waits *waits; /* NULL: its waits are not told */
} wadi_task;

/* Returns the task before, which wadi_task_end goes back to. */
wadi_task wadi_task_begin(wadi_task task);
void wadi_task_end(wadi_task before);
/* The calling thread's; all NULL but the name when it has none. */
const wadi_task *wadi_task_now(void);

/* A module of its own that was linked with a copy of this code looks where its host does: adopts what the host shares, before any
 * other call. */
typedef wadi_task *(*wadi_task_place)(void);
wadi_task_place wadi_task_share(void);
void wadi_task_adopt(wadi_task_place host);

bool wadi_task_stopped(void);
/* The descriptor of the task's stop, as wadi_stop_fd; -1: there is none to wait for. */
int wadi_task_stop_fd(void);
/* WADI_CANCELLED once the task is stopped. */
WADI_NODISCARD wadi_status wadi_task_check(wadi_error *err);

/* The task waits for `what`, or works on it, with number and name as in wadi_wait; to be ended by wadi_task_go_on. */
int wadi_task_wait(const char *what, int64_t number, const char *name);
/* The same for one who may well wait for ever (wadi_wait_begin_idle). */
int wadi_task_idle(const char *what, int64_t number, const char *name);
int wadi_task_work(const char *what, int64_t number, const char *name);
void wadi_task_go_on(int ticket);

#endif
