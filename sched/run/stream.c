/* A stream phase: source threads -> links -> the compute thread (the calling one) -> links -> sink threads. What lies in
 * memory needs neither thread nor link (source.c), and at first neither does what is kept in memory (end.c).
 *
 * Each thread works on its own chunk while the links hold two more each, so reading, computing and writing overlap. The
 * compute thread takes a chunk from a source and runs it through all stages that depend on it. It reports the time to the
 * policy and the budget, which the sources ask for the size of the next chunk. Of several sources, the one whose elements are
 * waited for is read next.
 *
 * Errors travel along the links. A stage that fails tells both neighbours; elements before the failure are delivered first.
 * The failure of a sink is the failure of the run; that of a source is, if its next element is wanted. */
#include "sched/run/stream.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/certify.h"
#include "sched/run/elsewhere.h"

/* ---- what a step took ---- */

/* Time all threads together have worked so far: a step of the stream is reading, computing and writing. */
static int64_t worked_ns(wadi_run *x) {
    int64_t busy[WADI_STAGE_COUNT], overlap = 0;
    wadi_meter_read(&x->meter, busy, &overlap);
    wadi_mutex_lock(&x->lock);
    const int64_t apart = x->apart_ns;
    wadi_mutex_unlock(&x->lock);
    return x->device->ops->busy_ns(x->device) + apart + busy[WADI_STAGE_SOURCE] +
           busy[WADI_STAGE_SINK];
}

/* What changes keep from chunk to chunk is no room for chunks. */
static int64_t kept_bytes(const wadi_stream *s) {
    int64_t bytes = atomic_load(&s->apart.kept_bytes);
    for (int i = 0; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        if (g->change != NULL && g->crew == &s->x->crew) bytes += wadi_change_bytes(g->change);
    }
    return bytes;
}

/* What a crew apart has done since it was asked last is part of the step. */
static void count_apart(wadi_stream *s) {
    wadi_crew *crew = &s->x->crew;
    wadi_mutex_lock(&s->x->lock);
    crew->out_bytes += s->apart.out_bytes;
    crew->temporary_bytes += s->apart.temporary_bytes;
    s->apart.out_bytes = s->apart.temporary_bytes = 0;
    wadi_mutex_unlock(&s->x->lock);
}

/* Temporaries exist once, input and output in every chunk in flight. */
static void count_chunk(wadi_stream *s, const wadi_chunk *in) {
    wadi_run *x = s->x;
    count_apart(s);
    const int64_t now = wadi_clock_ns(), in_bytes = wadi_chunk_bytes(in);
    const int64_t worked = worked_ns(x), kept = kept_bytes(s);
    const int64_t each = (worked - s->worked_ns) / x->device->ops->workers(x->device);
    const int64_t elapsed = now - s->step_ns - s->held_ns;
    const int64_t cost = wadi_policy_elapsed(&s->clock, elapsed, s->waited_ns, in->read_ns);
    const double busy = each < elapsed ? (double)each / (double)elapsed : 1;
    const wadi_policy_sample sample = {.busy_ns = (int64_t)(busy * (double)cost),
                                       .elapsed_ns = x->crew.loaded ? 0 : cost,
                                       .elements = in->count,
                                       .bytes = in_bytes + x->crew.out_bytes};
    s->worked_ns = worked;
    s->step_ns = now;
    s->waited_ns = s->held_ns = 0;
    if (!x->crew.loaded && in->count > 0) {
        s->element_ns = (double)elapsed / (double)in->count;
        s->element_bytes = (double)(in_bytes + x->crew.temporary_bytes) / (double)in->count;
    }
    wadi_mutex_lock(&x->lock);
    x->policy->ops->observe(x->policy, &sample);
    wadi_run_leave_to_chunks(x, kept);
    wadi_budget_observe(&x->budget, in->count,
                        in_bytes + x->crew.out_bytes +
                            x->crew.temporary_bytes / WADI_CHUNKS_IN_FLIGHT);
    x->stats.chunks++;
    x->stats.bytes_in += in_bytes;
    x->stats.bytes_out += x->crew.out_bytes;
    wadi_mutex_unlock(&x->lock);
}

/* ---- the compute thread ---- */

static void weigh_chunk(wadi_stream *s, const wadi_chunk *c, int64_t begin_ns) {
    s->elements += c->count;
    s->compute_ns += wadi_clock_ns() - begin_ns - s->held_ns;
}

/* A chunk through a stage and all that are behind it. l: the lane that it is of, which is that of the stage; NULL: it was left by an earlier
 * process. */
static wadi_status compute_chunk(wadi_stream *s, const wadi_lane *l, int stage, wadi_chunk *c,
                                 wadi_error *err) {
    wadi_status status = wadi_handover_next(s, err);
    if (status == WADI_OK) status = wadi_elsewhere_next(s, c->count, err);
    wadi_crew_begin_step(&s->x->crew);
    wadi_meter_busy(&s->x->meter, WADI_STAGE_COMPUTE);
    const int64_t begin_ns = s->weighs ? wadi_clock_ns() : 0;
    const int64_t span_ns = wadi_profile_span_begins();
    if (status == WADI_OK && s->x->certifier != NULL && l != NULL)
        status = wadi_certify_read(s, l->plan, c, err);
    if (status == WADI_OK) status = wadi_stage_run_chunk(s, stage, c, err);
    wadi_profile_span("chunk", span_ns, c->count);
    if (s->weighs) weigh_chunk(s, c, begin_ns);
    wadi_meter_idle(&s->x->meter, WADI_STAGE_COMPUTE);
    if (status == WADI_OK) count_chunk(s, c);
    return status;
}

static wadi_status compute_read(wadi_stream *s, wadi_lane *l, wadi_chunk *owned_c,
                                wadi_error *err) {
    const wadi_status status = compute_chunk(s, l, l->stage, owned_c, err);
    wadi_chunk_release(owned_c);
    wadi_lane_done(l);
    return status;
}

static wadi_status compute_left(wadi_stream *s, wadi_error *err) {
    for (size_t i = 0; i < s->left.n; i++)
        WADI_TRY(compute_chunk(s, NULL, s->left.at[i].stage, s->left.at[i].in, err));
    return WADI_OK;
}

static void drop_left(wadi_stream *s) {
    for (size_t i = 0; i < s->left.n; i++) wadi_chunk_release(s->left.at[i].in);
    wadi_vec_free(&s->left);
}

static wadi_status end_stage(wadi_stream *s, int stage, wadi_error *err) {
    WADI_TRY(wadi_elsewhere_settle(s, err));
    WADI_TRY(wadi_apart_join(s, err));
    wadi_meter_busy(&s->x->meter, WADI_STAGE_COMPUTE);
    const wadi_status status = wadi_stage_end(s, stage, err);
    wadi_meter_idle(&s->x->meter, WADI_STAGE_COMPUTE);
    return status;
}

/* The lane whose elements are waited for most; NULL: nobody waits for any. Lanes that nobody needs any more are ended. */
static wadi_status choose_lane(wadi_stream *s, wadi_lane **out, wadi_error *err) {
    int64_t least = INT64_MAX;
    *out = NULL;
    for (int i = 0; i < s->nlanes; i++) {
        wadi_lane *l = &s->lanes[i];
        const bool wanted = wadi_stage_wanted(s, l->stage);
        if (s->stages[l->stage].ended) continue;
        if (wanted && s->stages[l->stage].broken.status != WADI_OK) continue;
        if (!wanted) {
            wadi_lane_stop(l, NULL);
            WADI_TRY(end_stage(s, l->stage, err));
            continue;
        }
        const int64_t ahead = wadi_stage_ahead(s, l->stage);
        if (*out != NULL && ahead >= least) continue;
        least = ahead;
        *out = l;
    }
    return WADI_OK;
}

/* Stages of other crews are theirs to check. */
static wadi_status check_stages(wadi_stream *s, bool last, wadi_error *err) {
    for (int i = 0; i < s->plan->nstages; i++)
        if (s->stages[i].crew == &s->x->crew) WADI_TRY(wadi_stage_check(s, i, last, err));
    return WADI_OK;
}

/* What others compute is of elements before one that fails here: it is handed on first, and one of it may fail itself. */
static wadi_status check_running(wadi_stream *s, wadi_error *err) {
    if (check_stages(s, false, err) == WADI_OK) return WADI_OK;
    WADI_TRY(wadi_elsewhere_settle(s, err));
    return check_stages(s, false, err);
}

/* There is nothing left to read. Stages whose failure nobody asks for end before it. */
static wadi_status end_broken(wadi_stream *s, wadi_error *err) {
    WADI_TRY(wadi_elsewhere_settle(s, err));
    WADI_TRY(wadi_apart_join(s, err));
    WADI_TRY(check_stages(s, true, err));
    for (int i = 0; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        if (g->broken.status != WADI_OK && !g->ended) WADI_TRY(end_stage(s, i, err));
    }
    return WADI_OK;
}

/* Nothing more comes of the lane. What was shared may still fail; the stage is broken then, and does not end. */
static wadi_status end_lane(wadi_stream *s, const wadi_lane *l, wadi_error *err) {
    WADI_TRY(wadi_elsewhere_settle(s, err));
    if (s->stages[l->stage].broken.status != WADI_OK) return WADI_OK;
    return end_stage(s, l->stage, err);
}

/* A sink that has failed is told without waiting for the next chunk. */
static wadi_status check_outlets(wadi_stream *s, wadi_error *err) {
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_check(&s->outlets[i], err));
    return WADI_OK;
}

/* The next chunk of a lane, or its end, or its failure. */
static wadi_status compute_next(wadi_stream *s, wadi_lane *l, wadi_error *err) {
    wadi_chunk *c = NULL;
    bool nudged = false;
    const int64_t begin_ns = l->threaded ? wadi_clock_ns() : 0;
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SOURCE);
    const wadi_status status = wadi_lane_next(l, &c, &nudged, err);
    wadi_profile_back(before);
    if (l->threaded) s->waited_ns += wadi_clock_ns() - begin_ns;
    if (status != WADI_OK) {
        const wadi_error failed = *err;
        WADI_TRY(wadi_elsewhere_settle(s, err));
        *err = failed;
        return wadi_stage_fail(s, l->stage, status, err);
    }
    if (nudged) return check_outlets(s, err);
    if (c == NULL) return end_lane(s, l, err);
    wadi_run_hold(s->x); /* it may have been paused while it waited */
    return compute_read(s, l, c, err);
}

static wadi_status compute_all(wadi_stream *s, wadi_error *err) {
    WADI_TRY(compute_left(s, err));
    for (;;) {
        wadi_lane *l = NULL;
        wadi_run_hold(s->x);
        WADI_TRY(wadi_task_check(err));
        WADI_TRY(wadi_elsewhere_poll(s, err));
        if (atomic_load(&s->apart.failed)) WADI_TRY(wadi_apart_join(s, err));
        WADI_TRY(choose_lane(s, &l, err));
        if (l == NULL) return end_broken(s, err);
        WADI_TRY(compute_next(s, l, err));
        WADI_TRY(check_running(s, err));
        WADI_TRY(wadi_run_between(s, false, err));
    }
}

static wadi_status end_all(wadi_stream *s, wadi_error *err) {
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_settle(&s->outlets[i], err));
    WADI_TRY(wadi_run_between(s, true, err));
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_end(&s->outlets[i], err));
    return WADI_OK;
}

static void fail_all(wadi_stream *s, const wadi_error *why) {
    (void)wadi_run_goes_on(s->x,
                           why->status); /* who sees the failure asks whether it is the last word */
    wadi_run_note_error(s->x, why);
    for (int i = 0; i < s->nlanes; i++) wadi_lane_stop(&s->lanes[i], why);
    for (int i = 0; i < s->plan->nends; i++) wadi_outlet_fail(&s->outlets[i], why);
}

/* The failure of a crew apart is of an element that came before that of the compute thread. */
static wadi_status join_last(wadi_stream *s, wadi_status status, wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    const wadi_status apart = wadi_apart_join(s, &why);
    if (apart == WADI_OK || (apart == WADI_CANCELLED && status != WADI_OK)) return status;
    *err = why;
    return apart;
}

/* Those who look at the run see this stream. */
static void show(wadi_stream *s, bool shows) {
    wadi_mutex_lock(&s->x->lock);
    s->x->now = shows ? s : NULL;
    wadi_mutex_unlock(&s->x->lock);
}

static void run_stages(wadi_stream *s) {
    wadi_error err = {.status = WADI_OK};
    wadi_status status = WADI_OK;
    s->step_ns = s->begin_ns = wadi_clock_ns();
    s->worked_ns = worked_ns(s->x);
    show(s, true);
    for (int i = 0; i < s->plan->nends && status == WADI_OK; i++)
        status = wadi_outlet_start(&s->outlets[i], &err);
    for (int i = 0; i < s->nlanes && status == WADI_OK; i++)
        status = wadi_lane_start(&s->lanes[i], &err);
    if (status == WADI_OK) status = compute_all(s, &err);
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SINK);
    status = join_last(s, status, &err);
    if (status == WADI_OK) status = end_all(s, &err);
    if (status != WADI_OK) fail_all(s, &err);
    for (int i = 0; i < s->nlanes; i++) wadi_thread_join(&s->lanes[i].thread);
    for (int i = 0; i < s->plan->nends; i++) wadi_thread_join(&s->outlets[i].thread);
    show(s, false);
    wadi_profile_back(before);
}

/* ---- the phase ---- */

static wadi_status allocate(wadi_stream *s, wadi_error *err) {
    const size_t stages = (size_t)s->plan->nstages, ends = (size_t)s->plan->nends;
    s->stages = calloc(stages + 1, sizeof *s->stages);
    s->lanes = calloc(stages + 1, sizeof *s->lanes);
    s->outlets = calloc(ends + 1, sizeof *s->outlets);
    if (s->stages == NULL || s->lanes == NULL || s->outlets == NULL)
        return wadi_fail(err, WADI_MEMORY, "stream: out of memory");
    for (int i = 0; i < s->plan->nstages; i++) {
        s->stages[i] = (wadi_stage_run){.plan = &s->plan->stages[i], .crew = &s->x->crew};
        if (s->stages[i].plan->change != WADI_CHANGE_READ) continue;
        wadi_lane *l = &s->lanes[s->nlanes++];
        *l = (wadi_lane){.stream = s, .plan = s->stages[i].plan, .stage = i, .limit = INT64_MAX};
        s->stages[i].lane = l;
    }
    for (int i = 0; i < s->plan->nends; i++)
        s->outlets[i] = (wadi_outlet){.stream = s, .plan = &s->plan->ends[i], .crew = &s->x->crew};
    return WADI_OK;
}

static wadi_status prepare(wadi_stream *s, wadi_error *err) {
    WADI_TRY(allocate(s, err));
    for (int i = 0; i < s->plan->nstages; i++) WADI_TRY(wadi_stage_open(s, i, err));
    for (int i = 0; i < s->nlanes; i++) {
        s->lanes[i].limit = wadi_stage_needs(s, s->lanes[i].stage);
        WADI_TRY(wadi_lane_open(&s->lanes[i], err));
    }
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_open(&s->outlets[i], err));
    return WADI_OK;
}

static void close_stream(wadi_stream *s) {
    wadi_certify_settle(s->x);
    wadi_elsewhere_close(s);
    wadi_apart_close(s);
    for (int i = 0; i < s->nlanes; i++) wadi_lane_close(&s->lanes[i]);
    for (int i = 0; s->outlets != NULL && i < s->plan->nends; i++)
        if (s->outlets[i].plan != NULL) wadi_outlet_close(&s->outlets[i]);
    for (int i = 0; s->stages != NULL && i < s->plan->nstages; i++)
        if (s->stages[i].plan != NULL) wadi_stage_close(s, i);
    drop_left(s);
    free(s->stages);
    free(s->lanes);
    free(s->outlets);
    free(s->seams);
    free(s->weights);
}

static wadi_status store_results(wadi_stream *s, wadi_error *err) {
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_store(&s->outlets[i], err));
    return WADI_OK;
}

wadi_status wadi_run_stream(wadi_run *x, const wadi_plan_stream *plan, wadi_error *err) {
    wadi_stream s = {.x = x, .plan = plan, .nseams = -1, .team = {.sharing = x->sharing}};
    wadi_status status = prepare(&s, err);
    if (status == WADI_OK) status = wadi_run_load(&s, err);
    if (status == WADI_OK) run_stages(&s);
    wadi_mutex_lock(&x->lock);
    if (status == WADI_OK && x->error.status != WADI_OK) {
        status = x->error.status;
        if (err != NULL) *err = x->error;
    }
    wadi_run_leave_to_chunks(x, 0);
    wadi_mutex_unlock(&x->lock);
    if (status == WADI_OK) status = store_results(&s, err);
    if (status != WADI_OK) (void)wadi_run_goes_on(x, status);
    close_stream(&s);
    x->sharing = s.team.sharing;
    return status;
}
