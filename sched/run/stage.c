/* A stage at work: elements of its input are changed, run through the body and given to ends and further stages, chunk by
 * chunk and depth first, all in the compute thread.
 *
 * After a change a chunk may hold many more elements than before, or larger ones. It is taken in steps that fit the budget,
 * judged by what the stage's chunks have taken so far. A step without enough memory is tried again in two halves.
 *
 * When an element fails, those before it are delivered first, with everything that follows from them. So neither what
 * consumers get nor which failure is reported depends on how the stream was cut. A failure after the last element that anybody
 * wants is none; where the elements of another stage decide that, the decision waits for them. */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/dead.h"
#include "sched/run/elsewhere.h"
#include "sched/run/keyed.h"
#include "sched/run/scanned.h"
#include "sched/run/stream.h"
#include "sched/run/tap.h"

static wadi_stage_run *stage_of(const wadi_stream *s, int stage) {
    return &s->stages[stage];
}

/* ---- failures ---- */

/* Whether the stage goes on. */
static bool is_open(const wadi_stream *s, int stage) {
    return s->stages[stage].broken.status == WADI_OK && wadi_stage_wanted(s, stage);
}

/* Whether no further element can come of the stage: it has failed, or all it waits for are elements of such stages. Before a seam no
 * stage is so: its failure would have joined what is behind the seam. */
static bool is_stuck(const wadi_stream *s, int stage) {
    const wadi_stage_run *g = &s->stages[stage];
    bool waits = false;
    if (g->broken.status != WADI_OK) return true;
    for (int k = 0; k < g->plan->ninputs; k++) {
        if (wadi_change_waiting(g->change, k) > 0) continue;
        if (wadi_stage_is_across(s, stage, g->plan->inputs[k]) || !is_stuck(s, g->plan->inputs[k]))
            return false;
        waits = true;
    }
    return waits;
}

/* Whether change g waits for an element of its input number k, and whatever else it waits for cannot come. */
static bool waits_for(const wadi_stream *s, const wadi_stage_run *g, int k) {
    for (int j = 0; j < g->plan->ninputs; j++) {
        const bool waits = wadi_change_waiting(g->change, j) == 0;
        if (j == k ? !waits : waits && !is_stuck(s, g->plan->inputs[j])) return false;
    }
    return true;
}

/* Whether an end cannot go on without the stage's next element. */
static bool is_needed(const wadi_stream *s, int stage) {
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == stage) return true;
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        for (int k = 0; k < g->plan->ninputs; k++)
            if (g->plan->inputs[k] == stage && wadi_stage_takes_more(g) && waits_for(s, g, k) &&
                is_needed(s, i))
                return true;
    }
    return false;
}

wadi_status wadi_stage_fail(wadi_stream *s, int stage, wadi_status status, wadi_error *err) {
    wadi_error *broken = &stage_of(s, stage)->broken;
    const wadi_error failed = *err;
    if (stage_of(s, stage)->crew == &s->x->crew) {
        WADI_TRY(wadi_elsewhere_flush(s, err));
        WADI_TRY(wadi_apart_join(s, err));
    }
    *err = failed;
    if (!wadi_stage_wanted(s, stage)) return WADI_OK;
    if (status == WADI_CANCELLED) return status;
    if (broken->status != WADI_OK) return WADI_OK; /* of an element before this one */
    *broken = *err;
    broken->status = status;
    return WADI_OK;
}

wadi_status wadi_stage_check(wadi_stream *s, int stage, bool last, wadi_error *err) {
    const wadi_error *why = &stage_of(s, stage)->broken;
    if (why->status == WADI_OK || !wadi_stage_wanted(s, stage)) return WADI_OK;
    if (!last && !is_needed(s, stage)) return WADI_OK;
    *err = *why;
    return why->status;
}

/* ---- on to the next ---- */

static wadi_status feed(wadi_stream *s, int stage, int input, wadi_chunk *c, wadi_error *err);

static wadi_weight reading(const wadi_stream *s) {
    if (!s->weighs) return (wadi_weight){0};
    return (wadi_weight){wadi_clock_ns(), s->x->device->ops->busy_ns(s->x->device)};
}

/* Adds what has passed since `before`, a reading. */
static void weigh(const wadi_stream *s, wadi_weight *weight, wadi_weight before) {
    const wadi_weight now = reading(s);
    weight->ns += now.ns - before.ns;
    weight->work_ns += now.work_ns - before.work_ns;
}

/* Results of a stage to its ends and to those stages that still want them. */
static wadi_status deliver(wadi_stream *s, int stage, wadi_chunk *c, wadi_error *err) {
    wadi_tap_see(s->x, &stage_of(s, stage)->done, c);
    for (int i = 0; i < s->plan->nends; i++) {
        wadi_outlet *o = &s->outlets[i];
        if (o->plan->stage != stage) continue;
        const wadi_weight before = reading(s);
        if (o->crew != stage_of(s, stage)->crew)
            WADI_TRY(wadi_outlet_send(o, c, err));
        else
            WADI_TRY(wadi_outlet_put(o, c, err));
        weigh(s, &o->behind, before);
    }
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        const wadi_plan_stage *p = stage_of(s, i)->plan;
        for (int k = 0; k < p->ninputs; k++)
            if (p->inputs[k] == stage && wadi_stage_wants_of(s, stage, i) &&
                !wadi_elsewhere_brings(s, stage, i))
                WADI_TRY(feed(s, i, k, c, err));
    }
    return WADI_OK;
}

/* Takes over the reference. */
static wadi_status deliver_made(wadi_stream *s, int stage, wadi_chunk *owned_c, wadi_error *err) {
    const wadi_status status = deliver(s, stage, owned_c, err);
    wadi_chunk_release(owned_c);
    return status;
}

static wadi_status step(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err);

static wadi_status step_part(wadi_stream *s, int stage, wadi_chunk *in, int64_t begin,
                             int64_t count, wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count == 0 || !is_open(s, stage)) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(in, begin, count, &part, err));
    const wadi_status status = step(s, stage, part, err);
    wadi_chunk_release(part);
    return status;
}

/* From now on chunks are no larger than half of this one. */
static void shrink(wadi_stream *s, wadi_stage_run *g, int64_t count) {
    wadi_budget_refused(&g->budget, count);
    if (g->lane == NULL) return;
    wadi_mutex_lock(&s->x->lock);
    wadi_budget_refused(&s->x->budget, count);
    wadi_mutex_unlock(&s->x->lock);
}

static wadi_status step_halves(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    const int64_t half = in->count / 2;
    shrink(s, stage_of(s, stage), in->count);
    WADI_TRY(step_part(s, stage, in, 0, half, err));
    return step_part(s, stage, in, half, in->count - half, err);
}

/* Before an element is told that has failed: those before it that others compute may be the last ones that are wanted. failed: *err afterwards. */
static wadi_status settle_before(wadi_stream *s, int stage, const wadi_error *failed,
                                 wadi_error *err) {
    if (stage_of(s, stage)->crew == &s->x->crew) WADI_TRY(wadi_elsewhere_flush(s, err));
    *err = *failed;
    return WADI_OK;
}

/* Element `at` has failed, and the run goes on without it, or with something instead. */
static wadi_status step_without(wadi_stream *s, int stage, wadi_chunk *in, int64_t at,
                                const wadi_error *failed, wadi_error *err) {
    wadi_chunk *instead = NULL;
    WADI_TRY(settle_before(s, stage, failed, err));
    if (!is_open(s, stage)) return WADI_OK;
    const wadi_status told = wadi_dead_put(s, stage, NULL, in, at, failed, err);
    if (told != WADI_OK) return wadi_stage_fail(s, stage, told, err);
    WADI_TRY(wadi_dead_instead(s, stage, in, at, &instead, err));
    if (instead != NULL) WADI_TRY(deliver_made(s, stage, instead, err));
    for (wadi_dead_pieces p = wadi_dead_behind(at, in->count); wadi_dead_next(&p);)
        WADI_TRY(step_part(s, stage, in, p.from, p.n, err));
    return WADI_OK;
}

/* Element `good` of the chunk has failed: those before it, and what becomes of them, come first. */
static wadi_status step_before(wadi_stream *s, int stage, wadi_chunk *in, int64_t good,
                               wadi_error *err) {
    const wadi_error failed = *err;
    const bool goes_on = wadi_dead_takes(s->x, stage_of(s, stage)->crew, failed.status);
    WADI_TRY(step_part(s, stage, in, 0, good, err));
    if (goes_on) return step_without(s, stage, in, good, &failed, err);
    *err = failed;
    return wadi_stage_fail(s, stage, failed.status, err);
}

/* What a chunk of the stage has taken, and what has come of it. */
static void observe(wadi_stage_run *g, const wadi_chunk *in, const wadi_outcome *o) {
    if (o->out != NULL) wadi_passed_add(&g->done, in->count, wadi_chunk_bytes(o->out));
    if (o->temporary_bytes > g->crew->temporary_bytes)
        g->crew->temporary_bytes = o->temporary_bytes;
    if (o->out != NULL)
        wadi_budget_observe(&g->budget, in->count,
                            wadi_chunk_bytes(in) + wadi_chunk_bytes(o->out) + o->temporary_bytes);
}

/* The body over a chunk, by the crew that has the stage. */
static wadi_status attempt(wadi_stream *s, int stage, wadi_chunk *in, wadi_outcome *out,
                           wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    const int64_t left = g->lane != NULL ? wadi_lane_left(g->lane, in->first + in->count) : -1;
    const bool timed = g->crew == &s->x->crew && wadi_elsewhere_times(s);
    const int64_t begin = timed ? wadi_clock_ns() : 0;
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == stage) wadi_outlet_expect(&s->outlets[i], in->count);
    const wadi_status status = wadi_body_run(s, stage, g->crew, in, left, out, err);
    observe(g, in, out);
    if (timed && status == WADI_OK)
        wadi_elsewhere_saw(s, stage, in, out->out, wadi_clock_ns() - begin);
    return status;
}

/* Elements of a stage through its body and on, by the crew that has it. */
static wadi_status step_now(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    wadi_outcome o;
    const wadi_status status = attempt(s, stage, in, &o, err);
    if (o.starved && wadi_residence_relieve(s->x->device->residence))
        return step_now(s, stage, in, err);
    if (status == WADI_OK) return deliver_made(s, stage, o.out, err);
    if (o.starved && in->count > 1) return step_halves(s, stage, in, err);
    return step_before(s, stage, in, o.good < in->count ? o.good : 0, err);
}

/* `treat` as work of the stage; or of nobody: what others compute is not the crew's work, nor is waiting for them. */
static wadi_status work(wadi_stream *s, int stage, bool here,
                        wadi_status (*treat)(wadi_stream *s, int stage, wadi_chunk *in,
                                             wadi_error *err),
                        wadi_chunk *in, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_crew *crew = g->crew;
    wadi_passed *at = wadi_passed_turn(&crew->works_for, here ? &g->done : NULL);
    const wadi_status status = treat(s, stage, in, err);
    (void)wadi_passed_turn(&crew->works_for, at);
    return status;
}

static wadi_status step_here(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return work(s, stage, true, step_now, in, err);
}

static wadi_status step(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return wadi_elsewhere_takes(s, stage) ? work(s, stage, false, wadi_elsewhere_share, in, err)
                                          : step_here(s, stage, in, err);
}

/* ---- what others compute ---- */

static wadi_status give(wadi_stream *s, int stage, const wadi_chunk *in, const wadi_outcome *o,
                        wadi_error *err) {
    observe(stage_of(s, stage), in, o);
    return is_open(s, stage) ? deliver(s, stage, o->out, err) : WADI_OK;
}

static wadi_status again(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return is_open(s, stage) ? step_here(s, stage, in, err) : WADI_OK;
}

/* ---- changes ---- */

static wadi_status scan(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err);

static wadi_status scan_part(wadi_stream *s, int stage, wadi_chunk *in, int64_t begin,
                             int64_t count, wadi_error *err) {
    wadi_chunk *part = NULL;
    if (count == 0) return WADI_OK;
    WADI_TRY(wadi_chunk_slice(in, begin, count, &part, err));
    const wadi_status status = scan(s, stage, part, err);
    wadi_chunk_release(part);
    return status;
}

static wadi_status step_states(wadi_stream *s, int stage, wadi_chunk *in, int64_t done,
                               wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_chunk *states = NULL, *parts = NULL;
    WADI_TRY(wadi_scanned_take(g->crew, &g->plan->scan, &g->states, in->first, done, &states, err));
    wadi_status status = wadi_chunk_select(states, g->plan->nparts, g->plan->from, &parts, err);
    if (status == WADI_OK && done > 0) status = step(s, stage, parts, err);
    wadi_chunk_release(parts);
    wadi_chunk_release(states);
    return status;
}

/* Whether the run goes on without an element at which the scan has failed. What has replaced it would have no state. */
static bool scans_on(const wadi_stream *s, const wadi_stage_run *g, wadi_status status) {
    return s->x->options.on_fault == WADI_ON_FAULT_SKIP && wadi_dead_takes(s->x, g->crew, status) &&
           !wadi_fold_is_fragile(g->crew, &g->plan->scan);
}

/* Tells of an element that has failed: of what the body reads, without the key behind it. */
static wadi_status tell_dead(wadi_stream *s, int stage, wadi_chunk *in, int64_t at,
                             const wadi_error *failed, wadi_error *err) {
    const wadi_plan_fold *f = &stage_of(s, stage)->plan->scan;
    int parts[WADI_MAX_PARTS];
    wadi_chunk *read = NULL;
    for (int i = 0; i < f->nparts; i++) parts[i] = i;
    WADI_TRY(wadi_chunk_select(in, f->nparts, parts, &read, err));
    const wadi_status told = wadi_dead_put(s, stage, f, read, at, failed, err);
    wadi_chunk_release(read);
    return told;
}

static wadi_status scan_without(wadi_stream *s, int stage, wadi_chunk *in, int64_t at,
                                const wadi_error *failed, wadi_error *err) {
    WADI_TRY(settle_before(s, stage, failed, err));
    if (!is_open(s, stage)) return WADI_OK;
    const wadi_status told = tell_dead(s, stage, in, at, failed, err);
    if (told != WADI_OK) return wadi_stage_fail(s, stage, told, err);
    for (wadi_dead_pieces p = wadi_dead_behind(at, in->count); wadi_dead_next(&p);)
        if (is_open(s, stage)) WADI_TRY(scan_part(s, stage, in, p.from, p.n, err));
    return WADI_OK;
}

/* Of states whose keys come behind the end, nothing comes yet. */
static bool waits_for_end(const wadi_stage_run *g) {
    return wadi_change_about(g->plan->change)->last;
}

/* Of keyed scalars without results: what belongs to so many elements stays in the cache from one step to the next. */
enum { FOLDED_TOGETHER = 16384 };

static bool goes_in_parts(const wadi_stage_run *g, const wadi_chunk *in) {
    return waits_for_end(g) && g->plan->scan.carried && g->crew->slots->residence == NULL &&
           in->count > FOLDED_TOGETHER;
}

static wadi_status scan_parts(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    for (int64_t at = 0; at < in->count && is_open(s, stage); at += FOLDED_TOGETHER) {
        const int64_t left = in->count - at;
        WADI_TRY(scan_part(s, stage, in, at, left < FOLDED_TOGETHER ? left : FOLDED_TOGETHER, err));
    }
    return WADI_OK;
}

static wadi_status fold(wadi_stream *s, int stage, wadi_chunk *in, int64_t *out_done,
                        wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_builder *states = waits_for_end(g) ? NULL : &g->states;
    const bool timed = g->keyed != NULL && g->crew == &s->x->crew && wadi_elsewhere_times(s);
    const int64_t begin = timed ? wadi_clock_ns() : 0;
    const wadi_status status =
        wadi_fold_elements(g->crew, &g->plan->scan, in, g->keyed, states, out_done, err);
    if (timed && status == WADI_OK)
        wadi_elsewhere_saw_states(s, stage, in, wadi_clock_ns() - begin);
    return status;
}

/* The states after each element of a chunk. Those before a failure come first: a carried state is as it was before, so these elements are scanned
 * alone. */
static wadi_status scan_here(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    const wadi_plan_fold *f = &g->plan->scan;
    int64_t done = 0;
    if (goes_in_parts(g, in)) return scan_parts(s, stage, in, err);
    const wadi_status folded = fold(s, stage, in, &done, err);
    const wadi_error failed = *err;
    const bool goes_on = scans_on(s, g, folded);
    if (folded != WADI_OK && f->carried)
        WADI_TRY(scan_part(s, stage, in, 0, done, err));
    else if (!waits_for_end(g))
        WADI_TRY(step_states(s, stage, in, done, err));
    if (folded == WADI_OK) return WADI_OK;
    if (goes_on) return scan_without(s, stage, in, done, &failed, err);
    *err = failed;
    return wadi_stage_fail(s, stage, folded, err);
}

static wadi_status scan(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return wadi_elsewhere_takes_states(s, stage)
               ? work(s, stage, false, wadi_elsewhere_share_states, in, err)
               : scan_here(s, stage, in, err);
}

/* Elements that others have not computed. */
static wadi_status rescan(wadi_stream *s, int stage, wadi_chunk *in, wadi_error *err) {
    return is_open(s, stage) ? work(s, stage, true, scan, in, err) : WADI_OK;
}

static const wadi_team_hooks hooks = {give, again, rescan};

static int64_t cap(const wadi_stage_run *g) {
    return wadi_budget_cap(&g->budget, INT64_MAX);
}

static wadi_status drain_now(wadi_stream *s, int stage, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    for (;;) {
        wadi_chunk *c = NULL;
        WADI_TRY(wadi_change_next(g->change, cap(g), &c, err));
        if (c == NULL) return WADI_OK;
        wadi_status status = WADI_OK;
        if (is_open(s, stage))
            status = wadi_plan_stage_fold(g->plan) != NULL ? scan(s, stage, c, err)
                                                           : step(s, stage, c, err);
        wadi_chunk_release(c);
        WADI_TRY(status);
    }
}

/* Everything the change has ready goes through the body, as work of the stage. */
static wadi_status drain(wadi_stream *s, int stage, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_crew *crew = g->crew;
    wadi_passed *at = wadi_passed_turn(&crew->works_for, &g->done);
    const wadi_status status = drain_now(s, stage, err);
    (void)wadi_passed_turn(&crew->works_for, at);
    return status;
}

static wadi_status check_kept(const wadi_stream *s, const wadi_stage_run *g, wadi_error *err) {
    const int64_t kept = wadi_change_bytes(g->change);
    if (g->plan->change != WADI_CHANGE_ZIP || kept <= s->x->options.memory) return WADI_OK;
    const wadi_plan_place *place = &s->x->plan->places[g->plan->place];
    return wadi_fail_at(err, place->loc, WADI_MEMORY,
                        "%s: one sequence is ahead of another by %lld bytes, more than the memory "
                        "allowed",
                        place->op, (long long)kept);
}

/* The elements come into the change, as work of the stage. */
static wadi_status change(wadi_stage_run *g, int input, wadi_chunk *part, wadi_error *err) {
    wadi_passed *at = wadi_passed_turn(&g->crew->works_for, &g->done);
    const wadi_status status = wadi_change_put(g->change, input, part, err);
    (void)wadi_passed_turn(&g->crew->works_for, at);
    return status;
}

/* The components that the change takes, or has failed to get: `changed`. */
static wadi_status put(wadi_stream *s, int stage, int input, wadi_chunk *part, wadi_status changed,
                       wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    if (changed == WADI_OK) changed = change(g, input, part, err);
    const wadi_error failed = *err;
    WADI_TRY(drain(s, stage, err));
    if (changed == WADI_OK) return check_kept(s, g, err);
    *err = failed;
    return wadi_stage_fail(s, stage, changed, err);
}

wadi_status wadi_stage_take(wadi_stream *s, int stage, wadi_chunk *part, wadi_error *err) {
    return put(s, stage, 0, part, WADI_OK, err);
}

static wadi_status feed(wadi_stream *s, int stage, int input, wadi_chunk *c, wadi_error *err) {
    const wadi_plan_stage *p = stage_of(s, stage)->plan;
    wadi_chunk *part = NULL;
    int components[2 * WADI_MAX_PARTS + 1];
    const wadi_weight before = reading(s);
    const int n = wadi_stretch_takes(s->plan, p, input, components);
    WADI_TRY(wadi_chunk_select(c, n, components, &part, err));
    const wadi_status there = wadi_chunk_at_host(part, err);
    wadi_status status = WADI_OK;
    if (wadi_stage_is_across(s, p->inputs[input], stage)) {
        if (there == WADI_OK) return wadi_apart_send(s, part, err);
        status = wadi_apart_join(s, err); /* the stage has failed */
    }
    if (status == WADI_OK) status = put(s, stage, input, part, there, err);
    wadi_chunk_release(part);
    weigh(s, &stage_of(s, stage)->behind, before);
    return status;
}

/* At most so many keys in a chunk: nothing is known at first of what will be made of them. */
enum { KEYS_TOGETHER = 16384 };

/* The elements of a stage that come behind the end of its input. */
static wadi_status give_keys(wadi_stream *s, int stage, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_passed *at = wadi_passed_turn(&g->crew->works_for, &g->done);
    wadi_status status = WADI_OK;
    for (int64_t first = 0; status == WADI_OK && is_open(s, stage);) {
        wadi_chunk *all = NULL, *parts = NULL;
        const int64_t most = cap(g) < KEYS_TOGETHER ? cap(g) : KEYS_TOGETHER;
        status = wadi_states_chunk(g->keyed, s->x->buffers, first, most,
                                   wadi_budget_chunk_bytes(&g->budget), &all, err);
        if (status != WADI_OK || all == NULL) break;
        first += all->count;
        status = wadi_chunk_select(all, g->plan->nparts, g->plan->from, &parts, err);
        if (status == WADI_OK) status = step(s, stage, parts, err);
        wadi_chunk_release(parts);
        wadi_chunk_release(all);
    }
    (void)wadi_passed_turn(&g->crew->works_for, at);
    return status;
}

wadi_status wadi_stage_run_chunk(wadi_stream *s, int stage, wadi_chunk *c, wadi_error *err) {
    if (!is_open(s, stage)) return WADI_OK; /* elements before these have failed meanwhile */
    return step(s, stage, c, err);
}

wadi_status wadi_stage_end(wadi_stream *s, int stage, wadi_error *err) {
    WADI_TRY(wadi_elsewhere_flush(s, err));
    stage_of(s, stage)->ended = true;
    for (int i = stage + 1; i < s->plan->nstages; i++) {
        wadi_stage_run *g = stage_of(s, i);
        for (int k = 0; k < g->plan->ninputs; k++) {
            if (g->plan->inputs[k] != stage) continue;
            WADI_TRY(wadi_change_end(g->change, k, err));
            WADI_TRY(drain(s, i, err));
            const bool whole = ++g->ended_inputs == g->plan->ninputs;
            if (whole && waits_for_end(g)) {
                WADI_TRY(wadi_elsewhere_flush(s, err));
                WADI_TRY(give_keys(s, i, err));
            }
            if (whole && g->broken.status == WADI_OK) WADI_TRY(wadi_stage_end(s, i, err));
        }
    }
    return WADI_OK;
}

/* ---- life ---- */

static int64_t number_in(const wadi_stream *s, int slot, int64_t instead) {
    return slot < 0 ? instead : wadi_slots_number(&s->x->slots, slot);
}

/* Sizes that must be at least 1; what: what a fault calls it, or NULL. */
static wadi_status check_size(const wadi_stream *s, const wadi_plan_stage *p, const char *what,
                              int64_t n, wadi_error *err) {
    if (what == NULL || n >= 1) return WADI_OK;
    const wadi_fault fault = {.kind = WADI_FAULT_COUNT, .linear = -1, .value = {n}};
    wadi_plan_place place = s->x->plan->places[p->place];
    place.what = what;
    return wadi_fault_error(1, &place, &fault, 0, true, err);
}

static wadi_status open_states(wadi_stream *s, wadi_stage_run *g, wadi_error *err) {
    const wadi_plan_fold *f = &g->plan->scan;
    WADI_TRY(wadi_scanned_begin(s->x, f, &g->states, err));
    if (!f->keyed) return wadi_fold_begin(g->crew, f, err);
    if (f->nparts > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_UNSUPPORTED, "a scan over elements of %d arrays, at most %d",
                         f->nparts, (int)WADI_MAX_PARTS);
    const int key = wadi_plan_stage_key(s->plan, g->plan);
    return wadi_states_create(g->crew, f, &s->x->plan->slots[key],
                              &s->x->plan->places[g->plan->place], s->x->options.memory, &g->keyed,
                              err);
}

wadi_status wadi_stage_open(wadi_stream *s, int stage, wadi_error *err) {
    wadi_stage_run *g = stage_of(s, stage);
    const wadi_plan_stage *p = g->plan;
    wadi_budget_init(&g->budget, s->x->options.memory, WADI_CHUNKS_IN_FLIGHT);
    s->team.hooks = &hooks;
    if (p->change == WADI_CHANGE_READ) return WADI_OK;
    if (p->nparts > WADI_MAX_PARTS)
        return wadi_fail(err, WADI_UNSUPPORTED, "elements of %d arrays, at most %d", p->nparts,
                         (int)WADI_MAX_PARTS);
    const wadi_change_options o = {.kind = p->change,
                                   .inputs = p->ninputs,
                                   .first = number_in(s, p->first, 0),
                                   .size = number_in(s, p->size, INT64_MAX),
                                   .hop = number_in(s, p->hop, 1),
                                   .last = p->last,
                                   .place = p->place,
                                   .places = s->x->plan->nplaces,
                                   .table = s->x->plan->places,
                                   .buffers = s->x->buffers};
    const wadi_change_facts *about = wadi_change_about(p->change);
    WADI_TRY(check_size(s, p, about->size, o.size, err));
    WADI_TRY(check_size(s, p, about->hop, o.hop, err));
    WADI_TRY(wadi_change_create(&o, &g->change, err));
    return wadi_plan_stage_fold(p) != NULL ? open_states(s, g, err) : WADI_OK;
}

void wadi_stage_close(wadi_stream *s, int stage) {
    wadi_stage_run *g = stage_of(s, stage);
    wadi_tap_close(&g->done);
    wadi_change_destroy(g->change);
    wadi_builder_fini(&g->states);
    wadi_states_destroy(g->keyed);
    for (int i = 0; i < g->plan->scan.nstate; i++)
        wadi_slots_clear(g->crew->slots, g->plan->scan.state_in[i]);
}
