/* Copying between the host and a residence. */
#include "sched/residence.h"

#include <string.h>

#include "base/clock.h"
#include "sched/profile.h"

void wadi_residence_put(const wadi_residence *r, void *to, const void *from, int64_t bytes) {
    if (bytes <= 0) return;
    if (r != NULL)
        r->put(r->self, to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

void wadi_residence_get(const wadi_residence *r, void *to, const void *from, int64_t bytes) {
    if (bytes <= 0) return;
    if (r != NULL)
        r->get(r->self, to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

void wadi_residence_count(const wadi_residence *r, int64_t put, int64_t got) {
    if (r == NULL) return;
    atomic_fetch_add(&r->traffic->put, put);
    atomic_fetch_add(&r->traffic->got, got);
}

/* Copies between memories are lines of a profile of their own. */
static wadi_account *charge(const wadi_residence *r, int64_t put, int64_t got) {
    wadi_account *before = r != NULL ? wadi_profile_charge(WADI_PROFILE_COPY) : NULL;
    if (before == NULL) return NULL;
    wadi_profile_now()->at->read += put;
    wadi_profile_now()->at->written += got;
    return before;
}

int64_t wadi_residence_trace_begin(const wadi_residence *r) {
    return r != NULL && r->traffic->trace != NULL ? wadi_clock_ns() : 0;
}

void wadi_residence_trace_end(const wadi_residence *r, bool put, int64_t begin_ns, int64_t bytes) {
    if (begin_ns == 0) return;
    wadi_trace_add_shared(r->traffic->trace, "copies", r->traffic->name,
                          put ? "to the device" : "to the host", begin_ns, wadi_clock_ns(),
                          (wadi_trace_amount){.unit = "bytes", .n = bytes});
}

void wadi_residence_put_column(const wadi_residence *r, void *to, const void *from, int64_t bytes) {
    wadi_account *before = charge(r, bytes, 0);
    const int64_t begin_ns = wadi_residence_trace_begin(r);
    wadi_residence_put(r, to, from, bytes);
    wadi_residence_trace_end(r, true, begin_ns, bytes);
    wadi_residence_count(r, bytes, 0);
    wadi_profile_back(before);
}

void wadi_residence_get_column(const wadi_residence *r, void *to, const void *from, int64_t bytes) {
    wadi_account *before = charge(r, 0, bytes);
    const int64_t begin_ns = wadi_residence_trace_begin(r);
    wadi_residence_get(r, to, from, bytes);
    wadi_residence_trace_end(r, false, begin_ns, bytes);
    wadi_residence_count(r, 0, bytes);
    wadi_profile_back(before);
}

wadi_status wadi_residence_check(const wadi_residence *r, wadi_error *err) {
    return r != NULL && r->check != NULL ? r->check(r->self, err) : WADI_OK;
}

bool wadi_residence_relieve(const wadi_residence *r) {
    return r != NULL && r->beside != NULL && r->beside->relieve(r->self);
}

wadi_status wadi_residence_arrived(const wadi_arrival *a, wadi_error *err) {
    if (a->mark == 0) return WADI_OK;
    const wadi_status status = a->beside->arrived(a->self, a->mark, err);
    if (a->begin_ns != 0)
        wadi_trace_add_shared(a->traffic->trace, "copies", a->traffic->name,
                              "to the host, beside the device's work", a->begin_ns, wadi_clock_ns(),
                              (wadi_trace_amount){.unit = NULL});
    return status;
}

void wadi_residence_copy(const wadi_residence *r, void *to, const void *from, int64_t bytes) {
    if (bytes <= 0) return;
    if (r != NULL)
        r->copy(r->self, to, from, bytes);
    else
        memcpy(to, from, (size_t)bytes);
}

wadi_sight wadi_residence_see(const wadi_residence *r, wadi_buffers *buffers, const void *from,
                              int64_t bytes) {
    if (r == NULL) return (wadi_sight){from, NULL};
    void *block = wadi_buffers_get(buffers, bytes);
    if (block != NULL) wadi_residence_get_column(r, block, from, bytes);
    return (wadi_sight){block, block};
}
