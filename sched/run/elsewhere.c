/* The one of team.h and far.h that the run has. */
#include "sched/run/elsewhere.h"

#include "base/error.h"

static bool is_far(const wadi_stream *s) {
    return s->x->work.queue != NULL;
}

wadi_status wadi_elsewhere_next(wadi_stream *s, int64_t count, wadi_error *err) {
    return is_far(s) ? wadi_far_next(s, err) : wadi_team_next(s, count, err);
}

bool wadi_elsewhere_takes(const wadi_stream *s, int stage) {
    return is_far(s) ? wadi_far_takes(s, stage) : wadi_team_takes(s, stage);
}

wadi_status wadi_elsewhere_share(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    WADI_TRY(wadi_chunk_at_host(in, err));
    if (wadi_body_fits(s, stage, in))
        return is_far(s) ? wadi_far_share(s, stage, in, err) : wadi_team_share(s, in, err);
    return is_far(s) ? wadi_far_here(s, stage, in, err) : wadi_team_here(s, in, err);
}

bool wadi_elsewhere_takes_states(const wadi_stream *s, int stage) {
    return is_far(s) && wadi_far_takes_states(s, stage);
}

wadi_status wadi_elsewhere_share_states(wadi_stream *s, int stage, wadi_chunk *in,
                                        wadi_error *err) {
    return wadi_far_share_states(s, stage, in, err);
}

bool wadi_elsewhere_brings(const wadi_stream *s, int stage, int reader) {
    return is_far(s) && wadi_far_brings(s, stage, reader);
}

bool wadi_elsewhere_times(const wadi_stream *s) {
    return is_far(s) ? wadi_far_times(s) : s->x->devices.n > 1;
}

void wadi_elsewhere_saw(wadi_stream *s, int stage, wadi_chunk *in, const wadi_chunk *out,
                        int64_t ns) {
    if (is_far(s))
        wadi_far_saw(s, stage, in, out, ns);
    else
        wadi_team_saw(s, stage, in, ns);
}

void wadi_elsewhere_saw_states(wadi_stream *s, int stage, const wadi_chunk *in, int64_t ns) {
    if (is_far(s)) wadi_far_saw_states(s, stage, in, ns);
}

wadi_status wadi_elsewhere_poll(wadi_stream *s, wadi_error *err) {
    return is_far(s) ? wadi_far_poll(s, err) : wadi_team_poll(s, err);
}

wadi_status wadi_elsewhere_flush(wadi_stream *s, wadi_error *err) {
    return is_far(s) ? wadi_far_flush(s, err) : wadi_team_flush(s, err);
}

wadi_status wadi_elsewhere_settle(wadi_stream *s, wadi_error *err) {
    return is_far(s) ? wadi_far_settle(s, err) : wadi_team_settle(s, err);
}

wadi_status wadi_elsewhere_rest(wadi_stream *s, wadi_error *err) {
    return is_far(s) ? wadi_far_rest(s, err) : wadi_team_settle(s, err);
}

bool wadi_elsewhere_tries(wadi_stream *s) {
    return is_far(s) || wadi_team_tries(s);
}

void wadi_elsewhere_close(wadi_stream *s) {
    if (is_far(s))
        wadi_far_close(s);
    else
        wadi_team_close(s);
}
