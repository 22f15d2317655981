/* What a stream keeps between two chunks, as bytes, and going on from it: where its sources stand, what its changes, folds and collectors keep,
 * and what its chunk policy has learned. Chunks that are on their way are none of it: those that sources have read ahead are read
 * again, and those on their way to sinks are delivered before anything is saved. Only of chunks whose elements may come in any order, some may be with
 * workers elsewhere: these are saved as they are (far_saved.c), so nobody waits for a slow worker. */
#include "base/error.h"
#include "sched/run/certify.h"
#include "sched/run/dead.h"
#include "sched/run/elsewhere.h"
#include "sched/run/keyed.h"
#include "sched/run/stream.h"

static const char title[] = "stream";

wadi_status wadi_run_between(wadi_stream *s, bool last, wadi_error *err) {
    const wadi_run_saver *saver = &s->x->saver;
    return saver->between != NULL ? saver->between(saver->env, s, last, err) : WADI_OK;
}

/* ---- saving ---- */

static void save_sizes(wadi_run *x, wadi_text *out) {
    wadi_text line = {0};
    wadi_mutex_lock(&x->lock);
    x->policy->ops->save(x->policy, &line);
    wadi_mutex_unlock(&x->lock);
    wadi_state_put_text(out, wadi_text_str(&line));
    wadi_text_fini(&line);
}

static wadi_status save_stage(const wadi_stage_run *g, wadi_text *out, wadi_error *err) {
    wadi_state_put(out, g->ended);
    wadi_state_put(out, g->ended_inputs);
    if (g->lane != NULL) return wadi_lane_save(g->lane, out, err);
    WADI_TRY(wadi_change_save(g->change, out, err));
    const wadi_plan_fold *scan = wadi_plan_stage_fold(g->plan);
    if (g->keyed != NULL) return wadi_states_save(g->keyed, g->crew->slots->buffers, out, err);
    return scan != NULL ? wadi_fold_save(g->crew, scan, out, err) : WADI_OK;
}

static bool lasts(const wadi_outlet *o) {
    return o->sink->ops->last != NULL;
}

/* What goes to a sink is the sink's, up to the place that it tells. */
static wadi_status save_sink(const wadi_outlet *o, wadi_text *out, wadi_error *err) {
    wadi_position at = {0};
    if (o->plan->unordered) wadi_state_put(out, o->numbered);
    if (!lasts(o)) return WADI_OK;
    WADI_TRY(wadi_sink_have(o->sink, &at, err));
    wadi_state_put(out, at.element);
    wadi_state_put(out, at.mark);
    return WADI_OK;
}

static wadi_status save_end(const wadi_outlet *o, wadi_text *out, wadi_error *err) {
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    if (fold != NULL) return wadi_fold_save(o->crew, fold, out, err);
    return o->plan->kind == WADI_END_SINK ? save_sink(o, out, err)
                                          : wadi_collect_save(o->sink, out, err);
}

/* What a stage has failed with at an element that somebody may still ask for; NULL: none has. */
static const wadi_error *failure(const wadi_stream *s) {
    for (int i = 0; i < s->plan->nstages; i++)
        if (s->stages[i].broken.status != WADI_OK && !s->stages[i].ended)
            return &s->stages[i].broken;
    return NULL;
}

static wadi_status settle(wadi_stream *s, wadi_error *err) {
    WADI_TRY(wadi_elsewhere_rest(s, err));
    WADI_TRY(wadi_apart_join(s, err));
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(wadi_outlet_settle(&s->outlets[i], err));
    return WADI_OK;
}

wadi_status wadi_run_can_save(wadi_stream *s, bool *out, wadi_error *err) {
    *out = false;
    if (s->comes_before_saved) return WADI_OK;
    WADI_TRY(wadi_elsewhere_poll(s, err));
    WADI_TRY(settle(s, err));
    *out = failure(s) == NULL;
    return WADI_OK;
}

wadi_status wadi_run_save(wadi_stream *s, wadi_text *out, wadi_error *err) {
    WADI_TRY(settle(s, err));
    const wadi_error *failed = failure(s);
    if (failed != NULL)
        return wadi_fail(err, WADI_UNSUPPORTED, "a stream that has failed is not saved: %.400s",
                         failed->msg);
    wadi_state_put_text(out, title);
    wadi_state_put(out, wadi_run_phase_of(s));
    wadi_state_put(out, s->plan->nstages);
    wadi_state_put(out, s->plan->nends);
    save_sizes(s->x, out);
    for (int i = 0; i < s->plan->nstages; i++) WADI_TRY(save_stage(&s->stages[i], out, err));
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(save_end(&s->outlets[i], out, err));
    if (wadi_plan_unordered_end(s->plan) != NULL) WADI_TRY(wadi_far_save(s, out, err));
    WADI_TRY(wadi_dead_save(s->x, out, err));
    WADI_TRY(wadi_certify_save(s->x, out, err));
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving a stream: out of memory") : WADI_OK;
}

/* ---- loading ---- */

/* Sizes that this policy cannot read change no result. */
static wadi_status load_sizes(wadi_run *x, wadi_state_reader *from, wadi_error *err) {
    wadi_text line = {0};
    WADI_TRY(wadi_state_take_text(from, &line, err));
    wadi_mutex_lock(&x->lock);
    const wadi_status known = x->policy->ops->load(x->policy, wadi_text_str(&line), NULL);
    wadi_mutex_unlock(&x->lock);
    WADI_UNUSED(known);
    wadi_text_fini(&line);
    return WADI_OK;
}

static wadi_status load_stage(wadi_stage_run *g, wadi_state_reader *from, wadi_error *err) {
    int64_t ended = 0, inputs = 0;
    WADI_TRY(wadi_state_take_count(from, 1, &ended, err));
    WADI_TRY(wadi_state_take_count(from, g->plan->ninputs, &inputs, err));
    g->ended = ended != 0;
    g->ended_inputs = (int)inputs;
    if (g->lane != NULL) return wadi_lane_load(g->lane, g->ended, from, err);
    WADI_TRY(wadi_change_load(g->change, from, err));
    const wadi_plan_fold *scan = wadi_plan_stage_fold(g->plan);
    if (g->keyed != NULL) return wadi_states_load(g->keyed, g->crew->slots->buffers, from, err);
    return scan != NULL ? wadi_fold_load(g->crew, scan, from, err) : WADI_OK;
}

static wadi_status load_sink(wadi_outlet *o, wadi_state_reader *from, wadi_error *err) {
    wadi_position at = {0};
    if (o->plan->unordered)
        WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &o->numbered, err));
    if (!lasts(o)) return WADI_OK;
    WADI_TRY(wadi_state_take_count(from, WADI_STATE_ELEMENTS, &at.element, err));
    WADI_TRY(wadi_state_take_count(from, INT64_MAX, &at.mark, err));
    return o->sink->ops->go_on(o->sink, at, o->stream->stages[o->plan->stage].ended, err);
}

static wadi_status load_end(wadi_outlet *o, wadi_state_reader *from, wadi_error *err) {
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    if (fold != NULL) return wadi_fold_load(o->crew, fold, from, err);
    return o->plan->kind == WADI_END_SINK ? load_sink(o, from, err)
                                          : wadi_collect_load(o->sink, from, err);
}

/* A number that must be the plan's. */
static wadi_status expect(wadi_state_reader *from, int64_t want, wadi_error *err) {
    int64_t is = 0;
    WADI_TRY(wadi_state_take(from, &is, err));
    if (is == want) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "saved state: of another stream");
}

wadi_status wadi_run_load(wadi_stream *s, wadi_error *err) {
    wadi_state_reader from = s->x->saved;
    int64_t phase = 0;
    if (from.at == NULL) return WADI_OK;
    WADI_TRY(wadi_state_expect_text(&from, title, err));
    WADI_TRY(wadi_state_take(&from, &phase, err));
    if (phase < 0 || phase >= s->x->plan->nphases || !s->x->plan->phases[phase].is_stream)
        return wadi_fail(err, WADI_INVALID, "saved state: of another plan");
    s->comes_before_saved = phase > wadi_run_phase_of(s);
    if (phase != wadi_run_phase_of(s)) return WADI_OK;
    WADI_TRY(expect(&from, s->plan->nstages, err));
    WADI_TRY(expect(&from, s->plan->nends, err));
    WADI_TRY(load_sizes(s->x, &from, err));
    for (int i = 0; i < s->plan->nstages; i++) WADI_TRY(load_stage(&s->stages[i], &from, err));
    for (int i = 0; i < s->plan->nends; i++) WADI_TRY(load_end(&s->outlets[i], &from, err));
    if (wadi_plan_unordered_end(s->plan) != NULL) WADI_TRY(wadi_far_load(s, &from, err));
    WADI_TRY(wadi_dead_load(s->x, &from, err));
    WADI_TRY(wadi_certify_load(s, &from, err));
    return from.left == 0 ? WADI_OK
                          : wadi_fail(err, WADI_INVALID,
                                      "saved state: %zu bytes more than there "
                                      "should be",
                                      from.left);
}
