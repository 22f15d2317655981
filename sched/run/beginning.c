/* That a run has begun. */
#include "sched/run/beginning.h"

#include "base/error.h"
#include "base/random.h"
#include "sched/run/state.h"

static const char title[] = "beginning";

bool wadi_beginning_is_needed(const wadi_run *x) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].sink != NULL && x->bindings.at[i].sink->begins) return true;
    return false;
}

wadi_status wadi_beginning_new(wadi_run *x, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_sink *s = x->bindings.at[i].sink;
        if (s == NULL || !s->begins) continue;
        if (!wadi_random_bytes(&s->run, sizeof s->run))
            return wadi_fail(err, WADI_IO, "run: the system has no random numbers");
        s->run = (s->run >> 1) | 1;
        s->before = -1;
    }
    return WADI_OK;
}

/* Only where elements are found by more than their number, the beginning is a place of its own. */
static bool is_told(const wadi_source *s) {
    return s != NULL && s->ops->tell != NULL && s->ops->seek != NULL;
}

wadi_status wadi_beginning_save(wadi_run *x, wadi_text *out, wadi_error *err) {
    wadi_state_put_text(out, title);
    for (size_t i = 0; i < x->bindings.n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        wadi_position at = {0};
        if (b->sink != NULL && b->sink->begins) {
            wadi_state_put(out, (int64_t)b->sink->run);
            wadi_state_put(out, b->sink->before);
        }
        if (!is_told(b->source)) continue;
        WADI_TRY(wadi_source_tell(b->source, &at, err));
        wadi_state_put(out, at.element);
        wadi_state_put(out, at.mark);
    }
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory") : WADI_OK;
}

/* goes: the sources are taken there; else the sinks are told. */
static wadi_status read(wadi_run *x, wadi_state_reader *from, bool goes, wadi_error *err) {
    WADI_TRY(wadi_state_expect_text(from, title, err));
    for (size_t i = 0; i < x->bindings.n; i++) {
        const wadi_binding *b = &x->bindings.at[i];
        wadi_position at = {0};
        int64_t run = 0, before = 0;
        if (b->sink != NULL && b->sink->begins) {
            WADI_TRY(wadi_state_take_count(from, INT64_MAX, &run, err));
            WADI_TRY(wadi_state_take_count(from, INT64_MAX, &before, err));
            b->sink->run = (uint64_t)run;
            b->sink->before = before;
        }
        if (!is_told(b->source)) continue;
        WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &at.element, err));
        WADI_TRY(wadi_state_take_count(from, INT64_MAX, &at.mark, err));
        if (goes && (at.element != 0 || at.mark != 0))
            WADI_TRY(wadi_source_seek(b->source, at, err));
    }
    return WADI_OK;
}

wadi_status wadi_beginning_load(wadi_run *x, wadi_state_reader *from, wadi_state_reader *out,
                                wadi_error *err) {
    *out = *from;
    WADI_TRY(read(x, from, false, err));
    out->left -= from->left;
    return WADI_OK;
}

wadi_status wadi_beginning_go_back(wadi_run *x, wadi_state_reader from, wadi_error *err) {
    return read(x, &from, true, err);
}
