/* What goes up waits in a ring of its own until the machine has read it (staging.h). What comes down goes straight to the pinned memory of whoever
 * asks for it. */
#include "sched/cuda/copies.h"

#include <string.h>

#include "base/error.h"

static wadi_cuda_session *session_of(const wadi_cuda_copies *c) {
    return c->calls->session;
}

wadi_status wadi_cuda_copies_open(wadi_cuda_copies *c, wadi_cuda_queue *calls, wadi_error *err) {
    c->calls = calls;
    WADI_TRY(wadi_mutex_init(&c->lock, err));
    c->locks = true;
    WADI_TRY(wadi_cuda_queue_open(&c->up, calls->session, false, err));
    WADI_TRY(wadi_cuda_queue_open(&c->down, calls->session, true, err));
    return wadi_cuda_staging_open(&c->staging, &c->up, err);
}

void wadi_cuda_copies_close(wadi_cuda_copies *c) {
    wadi_cuda_queue_close(&c->up);
    wadi_cuda_queue_close(&c->down);
    wadi_cuda_staging_close(&c->staging);
    if (c->locks) wadi_mutex_fini(&c->lock);
}

uint64_t wadi_cuda_copies_now(wadi_cuda_copies *c) {
    wadi_cuda_session *s = session_of(c);
    uint64_t mark = 0;
    if (!wadi_cuda_enter(s)) return 0;
    mark = wadi_cuda_queue_mark(c->calls);
    wadi_cuda_leave(s);
    return mark;
}

/* ---- up ---- */

/* Without memory between, the machine has read `from` when the stream has come so far. */
static void send_plain(wadi_cuda_copies *c, uintptr_t to, const void *from, size_t bytes) {
    wadi_cuda_session *s = session_of(c);
    if (wadi_cuda_check(s, "cuMemcpyHtoDAsync", s->cu->put(to, from, bytes, c->up.stream)))
        (void)wadi_cuda_queue_drain(&c->up);
}

static void send_all(wadi_cuda_copies *c, uintptr_t to, const char *from, size_t bytes) {
    wadi_cuda_session *s = session_of(c);
    size_t done = 0, n = 0;
    for (bool ok = true; ok && done < bytes; done += n) {
        char *at = wadi_cuda_staging_room(&c->staging, bytes - done, &n);
        if (at == NULL) break;
        wadi_cuda_read(at, from + done, n);
        ok = wadi_cuda_check(s, "cuMemcpyHtoDAsync", s->cu->put(to + done, at, n, c->up.stream));
    }
    if (done < bytes && !wadi_cuda_is_failed(s))
        send_plain(c, to + done, from + done, bytes - done);
}

uint64_t wadi_cuda_copies_send(wadi_cuda_copies *c, void *to, const void *from, size_t bytes,
                               uint64_t used) {
    wadi_cuda_session *s = session_of(c);
    if (bytes == 0 || !wadi_cuda_enter(s)) return 0;
    wadi_mutex_lock(&c->lock);
    wadi_cuda_queue_after(&c->up, c->calls, used);
    send_all(c, (uintptr_t)to, from, bytes);
    const uint64_t mark = wadi_cuda_queue_mark(&c->up);
    wadi_mutex_unlock(&c->lock);
    wadi_cuda_leave(s);
    return mark;
}

void wadi_cuda_copies_after(wadi_cuda_copies *c, uint64_t sent) {
    wadi_cuda_session *s = session_of(c);
    if (!wadi_cuda_enter(s)) return;
    wadi_cuda_queue_after(c->calls, &c->up, sent);
    wadi_cuda_leave(s);
}

/* ---- down ---- */

uint64_t wadi_cuda_copies_fetch(wadi_cuda_copies *c, void *to, const void *from, size_t bytes) {
    wadi_cuda_session *s = session_of(c);
    if (bytes == 0 || !wadi_cuda_enter(s)) return 0;
    wadi_cuda_queue_after(&c->down, c->calls, wadi_cuda_queue_mark(c->calls));
    (void)wadi_cuda_check(s, "cuMemcpyDtoHAsync",
                          s->cu->get(to, (uintptr_t)from, bytes, c->down.stream));
    const uint64_t mark = wadi_cuda_queue_mark(&c->down);
    wadi_cuda_leave(s);
    return mark;
}

void wadi_cuda_copies_arrived(wadi_cuda_copies *c, uint64_t fetched) {
    wadi_cuda_session *s = session_of(c);
    if (fetched <= atomic_load(&c->down.reached) || !wadi_cuda_enter(s)) return;
    (void)wadi_cuda_queue_reach(&c->down, fetched);
    wadi_cuda_leave(s);
}

/* ---- memory of the host ---- */

void *wadi_cuda_copies_pin(wadi_cuda_copies *c, size_t bytes) {
    wadi_cuda_session *s = session_of(c);
    void *at = NULL;
    if (!wadi_cuda_enter(s)) return NULL;
    const wadi_cu_result result = s->cu->take_host(&at, bytes);
    wadi_cuda_leave(s);
    if (result == WADI_CU_SUCCESS) return at;
    if (result != WADI_CU_OUT_OF_MEMORY) (void)wadi_cuda_check(s, "cuMemAllocHost", result);
    return NULL;
}

/* After a failure nobody knows whether what was fetched has arrived. */
void wadi_cuda_copies_unpin(wadi_cuda_copies *c, void *memory) {
    wadi_cuda_session *s = session_of(c);
    if (!wadi_cuda_enter_still(s)) return;
    if (wadi_cuda_is_failed(s)) (void)s->cu->wait(c->down.stream);
    (void)wadi_cuda_check(s, "cuMemFreeHost", s->cu->give_host(memory));
    wadi_cuda_leave(s);
}
