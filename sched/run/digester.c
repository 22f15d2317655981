/* A queue of elements and the thread that takes them from it. */
#include "sched/run/digester.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/task.h"

enum { JOBS = 256 /* that wait at most */ };

/* ---- the thread ---- */

static void drop_first(wadi_digester *b) {
    b->bytes -= b->jobs.at[0].bytes;
    b->jobs.n--;
    memmove(&b->jobs.at[0], &b->jobs.at[1], b->jobs.n * sizeof b->jobs.at[0]);
    wadi_condition_broadcast(&b->done);
}

static void digest_all(void *env) {
    wadi_digester *b = env;
    wadi_mutex_lock(&b->lock);
    for (;;) {
        while (b->jobs.n == 0 && !b->ends) wadi_condition_wait(&b->come, &b->lock);
        if (b->jobs.n == 0) break;
        const wadi_digester_job job = b->jobs.at[0];
        const bool goes_on = b->failed.status == WADI_OK;
        wadi_error why = {.status = WADI_OK};
        wadi_mutex_unlock(&b->lock);
        const wadi_status status =
            goes_on ? wadi_tally_add(job.tally, job.elements, &why) : WADI_OK;
        wadi_chunk_release(job.elements);
        wadi_mutex_lock(&b->lock);
        if (status != WADI_OK) b->failed = why;
        drop_first(b);
    }
    wadi_mutex_unlock(&b->lock);
}

/* ---- from outside ---- */

static wadi_status make_lock(wadi_digester *b, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&b->lock, &b->come, err));
    const wadi_status status = wadi_condition_init(&b->done, err);
    if (status != WADI_OK) wadi_mutex_fini_with(&b->lock, &b->come);
    return status;
}

wadi_status wadi_digester_create(int64_t most_bytes, wadi_digester **out, wadi_error *err) {
    wadi_digester *b = calloc(1, sizeof *b);
    if (b == NULL) return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    b->most_bytes = most_bytes;
    const wadi_status status = make_lock(b, err);
    if (status == WADI_OK)
        *out = b;
    else
        free(b);
    return status;
}

/* The lock is held, here and below. */
static wadi_status check(const wadi_digester *b, wadi_error *err) {
    if (b->failed.status != WADI_OK && err != NULL) *err = b->failed;
    return b->failed.status;
}

static bool has_room(const wadi_digester *b, int64_t bytes) {
    return b->jobs.n == 0 || (b->jobs.n < JOBS && b->bytes + bytes <= b->most_bytes);
}

static void wait_for_room(wadi_digester *b, int64_t bytes) {
    if (has_room(b, bytes)) return;
    const int ticket = wadi_task_wait("digests of what was read", -1, NULL);
    while (!has_room(b, bytes)) wadi_condition_wait(&b->done, &b->lock);
    wadi_task_go_on(ticket);
}

static wadi_status push(wadi_digester *b, wadi_tally *tally, wadi_chunk *elements,
                        wadi_error *err) {
    const wadi_digester_job job = {tally, elements, wadi_chunk_bytes(elements)};
    wait_for_room(b, job.bytes);
    WADI_TRY(check(b, err));
    if (!wadi_vec_push(&b->jobs, job))
        return wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    (void)wadi_chunk_retain(elements);
    b->bytes += job.bytes;
    wadi_condition_signal(&b->come);
    return WADI_OK;
}

bool wadi_digester_has_room(wadi_digester *b, int64_t bytes) {
    wadi_mutex_lock(&b->lock);
    const bool room = has_room(b, bytes);
    wadi_mutex_unlock(&b->lock);
    return room;
}

void wadi_digester_await_room(wadi_digester *b, int64_t bytes) {
    wadi_mutex_lock(&b->lock);
    wait_for_room(b, bytes);
    wadi_mutex_unlock(&b->lock);
}

wadi_status wadi_digester_add(wadi_digester *b, wadi_tally *tally, wadi_chunk *elements,
                              wadi_error *err) {
    if (!b->thread.started) WADI_TRY(wadi_thread_start(&b->thread, digest_all, b, err));
    wadi_mutex_lock(&b->lock);
    const wadi_status status = push(b, tally, elements, err);
    wadi_mutex_unlock(&b->lock);
    return status;
}

wadi_status wadi_digester_settle(wadi_digester *b, wadi_error *err) {
    wadi_mutex_lock(&b->lock);
    if (b->jobs.n > 0) {
        const int ticket = wadi_task_wait("digests of what was read", -1, NULL);
        while (b->jobs.n > 0) wadi_condition_wait(&b->done, &b->lock);
        wadi_task_go_on(ticket);
    }
    const wadi_status status = check(b, err);
    wadi_mutex_unlock(&b->lock);
    return status;
}

void wadi_digester_again(wadi_digester *b) {
    wadi_mutex_lock(&b->lock);
    WADI_ASSERT(b->jobs.n == 0);
    b->failed = (wadi_error){.status = WADI_OK};
    wadi_mutex_unlock(&b->lock);
}

void wadi_digester_destroy(wadi_digester *b) {
    if (b == NULL) return;
    wadi_mutex_lock(&b->lock);
    b->ends = true;
    wadi_condition_signal(&b->come);
    wadi_mutex_unlock(&b->lock);
    wadi_thread_join(&b->thread);
    wadi_vec_free(&b->jobs);
    wadi_condition_fini(&b->done);
    wadi_mutex_fini_with(&b->lock, &b->come);
    free(b);
}
