/* When a stream is parted, and at which seam: before each chunk of a source, a rule says what runs apart. What is behind the seam is then handed over
 * to a crew, or comes back (apart.c). If there is no memory or no thread for a crew, the stream goes on joined. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/elsewhere.h"
#include "sched/run/stream.h"

/* ---- what the crew does with a chunk ---- */

static int64_t kept_bytes(const wadi_stream *s) {
    int64_t bytes = 0;
    for (int i = 0; i < s->plan->nstages; i++)
        if (wadi_seam_has_stage(s->plan, &s->apart.seam, i) && s->stages[i].change != NULL)
            bytes += wadi_change_bytes(s->stages[i].change);
    return bytes;
}

static wadi_status take(wadi_stream *s, wadi_chunk *c, wadi_error *err) {
    const wadi_seam *seam = &s->apart.seam;
    if (seam->stage < 0) return wadi_outlet_fold(&s->outlets[seam->end], c, err);
    if (wadi_stage_takes(s, seam->stage)) WADI_TRY(wadi_stage_take(s, seam->stage, c, err));
    for (int i = seam->stage; i < s->plan->nstages; i++)
        if (wadi_seam_has_stage(s->plan, seam, i)) WADI_TRY(wadi_stage_check(s, i, false, err));
    wadi_apart_tell(s, wadi_stage_takes(s, seam->stage), wadi_stage_ahead(s, seam->stage),
                    kept_bytes(s));
    return WADI_OK;
}

/* ---- handing over ---- */

/* Whether more elements will come to the seam, and none before it has failed. */
static bool is_possible(const wadi_stream *s, const wadi_seam *seam) {
    const int input =
        seam->stage < 0 ? s->plan->ends[seam->end].stage : s->plan->stages[seam->stage].inputs[0];
    if (s->stages[input].ended) return false;
    for (int i = 0; i < s->plan->nstages; i++)
        if (s->stages[i].broken.status != WADI_OK) return false;
    return seam->stage < 0 || wadi_stage_takes(s, seam->stage);
}

/* The seam where the stream is now, -1: all is joined. */
static int seam_now(const wadi_stream *s) {
    for (int i = 0; s->apart.away && i < s->nseams; i++)
        if (s->seams[i].stage == s->apart.seam.stage && s->seams[i].end == s->apart.seam.end)
            return i;
    return -1;
}

/* That the run may keep busy. */
static int processors(const wadi_run *x) {
    const int workers = x->device->ops->workers(x->device), all = wadi_thread_processors();
    return workers < all ? workers : all;
}

static void find_seams(wadi_stream *s) {
    const size_t most = (size_t)s->plan->nstages + (size_t)s->plan->nends;
    s->nseams = 0;
    s->seams = calloc(most + 1, sizeof *s->seams);
    if (s->seams == NULL) return; /* it goes on joined */
    const int n = wadi_seam_list(s->plan, s->seams);
    s->weights = calloc(2 * (size_t)n + 1, sizeof *s->weights);
    if (s->weights == NULL) return;
    s->nseams = n;
    s->weighs = n > 0 && s->x->seam_rule.choose == NULL &&
                s->x->options.stages == WADI_STAGES_AUTO && processors(s->x) > 1;
}

/* By what the stages have taken so far. Those that are apart are not looked at. */
static int weigh(wadi_stream *s) {
    const wadi_weights now = {wadi_clock_ns(), s->elements, s->compute_ns, s->worked_ns};
    for (int i = 0; i < s->nseams && !s->apart.away; i++) {
        const wadi_seam *seam = &s->seams[i];
        s->weights[i] =
            seam->stage < 0 ? s->outlets[seam->end].behind : s->stages[seam->stage].behind;
    }
    return wadi_weigh_next(&s->weighing, &now, s->nseams, s->weights, s->weights + s->nseams,
                           processors(s->x), s->x->crew.loaded);
}

static int choose(wadi_stream *s) {
    const wadi_run *x = s->x;
    if (x->seam_rule.choose != NULL) return x->seam_rule.choose(x->seam_rule.env, s->nseams);
    if (s->weighs) return weigh(s);
    return x->options.stages == WADI_STAGES_APART ? s->nseams - 1 : -1; /* the last one */
}

wadi_status wadi_handover_next(wadi_stream *s, wadi_error *err) {
    if (s->x->options.stages == WADI_STAGES_JOINED) return WADI_OK;
    if (s->nseams < 0) find_seams(s);
    if (s->nseams == 0) return WADI_OK;
    if (s->weighs && wadi_elsewhere_tries(s)) return WADI_OK; /* one comparison at a time */
    const int next = choose(s);
    if (next == seam_now(s)) return WADI_OK;
    WADI_TRY(wadi_elsewhere_settle(s, err));
    WADI_TRY(wadi_apart_join(s, err));
    wadi_mutex_lock(&s->x->lock);
    s->x->stats.stages_apart = 0;
    wadi_mutex_unlock(&s->x->lock);
    if (next < 0 || !is_possible(s, &s->seams[next])) return WADI_OK;
    const wadi_seam *seam = &s->seams[next];
    const int64_t ahead = seam->stage < 0 ? 0 : wadi_stage_ahead(s, seam->stage);
    const wadi_status status = wadi_apart_begin(s, seam, ahead, take, NULL);
    WADI_UNUSED(status);
    return WADI_OK;
}
