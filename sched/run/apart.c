/* What is behind a seam at work in a thread of its own.
 *
 * Stages and ends have one owner at a time. While they run apart, their crew has them: a thread with slots, a runner and a device of one
 * worker. It gets its chunks over a link, in the order in which the compute thread would have taken them itself. When they are joined
 * again, the link is empty and the thread has ended, so the compute thread goes on with what the crew has left: changes, states of folds,
 * ends. So only chunks that have come well pass while stages run apart. Whatever is rare, the end of a sequence and the failure of an
 * element before the seam, joins them first, and all rules about it are those of one thread.
 *
 * The crew works in host memory. If the run's device does so as well, what is ONCE for the whole run is lent to the crew, the states of its
 * folds and scans are handed over, and code and what is known of versions go with the bodies. If the run's device has memory of its own,
 * the crew has the processors for a device: it gets copies of what is ONCE and of states, the states come back as copies, and its
 * runner is kept for the next time, because what was learned on one device says nothing about another. */
#include "base/error.h"
#include "sched/run/stream.h"

/* Whether the crew's columns live where the run's do. */
static bool shares(const wadi_apart *a) {
    return a->stream->x->device->residence == NULL;
}

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "a part of a stream: out of memory");
}

/* ---- states ---- */

/* fold NULL: nothing. Fails only for tables in different memories. */
static bool hand_state(const wadi_plan_fold *fold, wadi_slots *from, wadi_slots *to) {
    bool made = true;
    for (int i = 0; fold != NULL && i < fold->nstate && made; i++) {
        if (from->residence == to->residence)
            wadi_slots_hand_over(from, to, fold->state_in[i]);
        else
            made = wadi_slots_bring(from, to, fold->state_in[i]);
    }
    return made;
}

/* The states behind the seam. */
static wadi_status hand_states(wadi_apart *a, wadi_slots *from, wadi_slots *to, wadi_error *err) {
    const wadi_plan_stream *plan = a->stream->plan;
    bool made = true;
    for (int i = 0; i < plan->nstages && made; i++)
        if (wadi_seam_has_stage(plan, &a->seam, i))
            made = hand_state(wadi_plan_stage_fold(&plan->stages[i]), from, to);
    for (int i = 0; i < plan->nends && made; i++)
        if (wadi_seam_has_end(plan, &a->seam, i))
            made = hand_state(wadi_plan_end_fold(&plan->ends[i]), from, to);
    return made ? WADI_OK : no_memory(err);
}

/* ---- stages and ends ---- */

static void exchange(wadi_apart *a, int body) {
    if (body >= 0 && shares(a)) wadi_runner_exchange(a->stream->x->runner, a->crew.runner, body);
}

static void hand_stage(wadi_apart *a, int stage, wadi_crew *to) {
    wadi_stage_run *g = &a->stream->stages[stage];
    const wadi_plan_fold *scan = wadi_plan_stage_fold(g->plan);
    if (scan != NULL) exchange(a, scan->body);
    exchange(a, g->plan->body);
    g->crew = to;
}

static void hand_end(wadi_apart *a, int end, wadi_crew *to) {
    wadi_outlet *o = &a->stream->outlets[end];
    const wadi_plan_fold *fold = wadi_plan_end_fold(o->plan);
    if (fold != NULL) exchange(a, fold->body);
    o->crew = to;
}

static void hand_all(wadi_apart *a, wadi_crew *to) {
    const wadi_plan_stream *plan = a->stream->plan;
    for (int i = 0; i < plan->nstages; i++)
        if (wadi_seam_has_stage(plan, &a->seam, i)) hand_stage(a, i, to);
    for (int i = 0; i < plan->nends; i++)
        if (wadi_seam_has_end(plan, &a->seam, i)) hand_end(a, i, to);
}

static int count_stages(const wadi_apart *a) {
    const wadi_plan_stream *plan = a->stream->plan;
    int n = a->seam.stage < 0;
    for (int i = 0; i < plan->nstages; i++) n += wadi_seam_has_stage(plan, &a->seam, i);
    return n;
}

/* Chunks on the link and at the crew are in flight as well. */
static void count_in_flight(wadi_run *x, int64_t more, int stages) {
    wadi_mutex_lock(&x->lock);
    wadi_run_count_in_flight(x, more);
    if (stages > 0) x->stats.stages_apart = stages;
    wadi_mutex_unlock(&x->lock);
}

/* ---- the crew's thread ---- */

void wadi_apart_tell(wadi_stream *s, bool wanted, int64_t ahead, int64_t kept_bytes) {
    wadi_apart *a = &s->apart;
    atomic_store(&a->ahead, ahead);
    atomic_store(&a->kept_bytes, kept_bytes);
    if (atomic_exchange(&a->wanted, wanted) != wanted) wadi_lane_nudge_all(s);
}

static void count_step(wadi_apart *a) {
    wadi_run *x = a->stream->x;
    const int64_t now = a->device->ops->busy_ns(a->device);
    wadi_mutex_lock(&x->lock);
    x->apart_ns += now - a->told_ns;
    x->beside_ns += now - a->told_ns;
    a->out_bytes += a->crew.out_bytes;
    if (a->crew.temporary_bytes > a->temporary_bytes) a->temporary_bytes = a->crew.temporary_bytes;
    wadi_mutex_unlock(&x->lock);
    a->told_ns = now;
}

/* Takes over the reference. */
static wadi_status take(wadi_apart *a, wadi_chunk *owned_c, wadi_error *err) {
    wadi_meter *meter = &a->stream->x->meter;
    wadi_crew_begin_step(&a->crew);
    wadi_meter_busy(meter, a->crew.busy_as);
    const int64_t span_ns = wadi_profile_span_begins();
    const wadi_status status = a->take(a->stream, owned_c, err);
    wadi_profile_span("chunk", span_ns, owned_c->count);
    wadi_meter_idle(meter, a->crew.busy_as);
    wadi_chunk_release(owned_c);
    count_step(a);
    return status;
}

static wadi_status take_all(wadi_apart *a, wadi_error *err) {
    for (;;) {
        wadi_chunk *c = NULL;
        wadi_account *before = wadi_profile_charge(WADI_PROFILE_SOURCE);
        const wadi_status status = wadi_pipe_receive(a->pipe, &c, err);
        wadi_profile_back(before);
        WADI_TRY(status);
        if (c == NULL) return WADI_OK;
        WADI_TRY(take(a, c, err));
        wadi_pipe_done(a->pipe);
    }
}

static void work(void *env) {
    wadi_apart *a = env;
    wadi_run *x = a->stream->x;
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "apart", .stop = &x->stop, .waits = x->waits});
    wadi_run_profile_begin(x, shares(a) ? x->chosen.name : "cpu", true);
    a->why.status = take_all(a, &a->why);
    if (a->why.status != WADI_OK) {
        wadi_run_note_part(x, "apart", &a->why);
        atomic_store(&a->failed, true);
        wadi_pipe_give_up(a->pipe, &a->why);
        wadi_lane_nudge_all(a->stream);
    }
    wadi_run_profile_end(x);
    wadi_task_end(before);
}

/* ---- life ---- */

/* A ONCE slot for the crew to read. Once it is there it changes for nobody while the run lasts, so one copy of it is enough. */
static wadi_status lend(wadi_apart *a, int slot, wadi_error *err) {
    wadi_run *x = a->stream->x;
    if (shares(a)) {
        wadi_slots_lend(&x->slots, &a->slots, slot);
        return WADI_OK;
    }
    if (wadi_slots_is_empty(&x->slots, slot)) return WADI_OK;
    if (wadi_plan_stream_keeps(a->stream->plan, slot)) return WADI_OK;
    if (wadi_slots_is_empty(&x->home, slot) && !wadi_slots_bring(&x->slots, &x->home, slot))
        return no_memory(err);
    wadi_slots_lend(&x->home, &a->slots, slot);
    return WADI_OK;
}

static wadi_status open_slots(wadi_apart *a, wadi_error *err) {
    wadi_run *x = a->stream->x;
    if (!shares(a) && x->home.slot == NULL)
        WADI_TRY(wadi_slots_init(&x->home, x->plan, x->buffers, NULL, err));
    WADI_TRY(wadi_slots_init(&a->slots, x->plan, x->buffers, NULL, err));
    a->crew.slots = &a->slots;
    for (int i = 0; i < x->plan->nslots; i++)
        if (x->plan->slots[i].kind == WADI_SLOT_ONCE) WADI_TRY(lend(a, i, err));
    return WADI_OK;
}

static wadi_status open_runner(wadi_apart *a, wadi_error *err) {
    wadi_run *x = a->stream->x;
    wadi_device_choice chosen = x->chosen;
    if (!shares(a)) WADI_TRY(wadi_device_find("cpu", &chosen, err));
    const wadi_device_options device = {
        .buffers = x->buffers, .keep_bytes = x->options.memory, .threads = 1};
    if (a->device == NULL) WADI_TRY(wadi_device_open(&chosen, &device, &a->device, err));
    a->told_ns = a->device->ops->busy_ns(a->device);
    if (a->crew.runner != NULL) return WADI_OK;
    return wadi_run_make_runner(x, &x->loader, a->device, chosen.row, &a->crew.runner, err);
}

static wadi_status open_crew(wadi_apart *a, wadi_error *err) {
    WADI_TRY(open_runner(a, err));
    WADI_TRY(open_slots(a, err));
    return wadi_run_inner_link(a->stream, "compute", "apart", "", &a->pipe, err);
}

static void close_runner(wadi_apart *a) {
    wadi_runner_destroy(a->crew.runner);
    if (a->device != NULL) a->device->ops->destroy(a->device);
    a->crew.runner = NULL;
    a->device = NULL;
}

/* All but what others may still ask for, and a runner that has learned what no other knows. */
static void close_crew(wadi_apart *a) {
    wadi_pipe *pipe = a->pipe;
    wadi_mutex_lock(&a->stream->x->lock);
    a->pipe = NULL; /* others may be looking (view.c) */
    wadi_mutex_unlock(&a->stream->x->lock);
    wadi_pipe_destroy(pipe);
    if (a->crew.slots != NULL) wadi_slots_fini(&a->slots);
    if (shares(a)) close_runner(a);
    a->crew = (wadi_crew){.runner = a->crew.runner};
}

static wadi_status start(wadi_apart *a, wadi_error *err) {
    wadi_run *x = a->stream->x;
    WADI_TRY(hand_states(a, &x->slots, &a->slots, err));
    hand_all(a, &a->crew);
    const wadi_status status = wadi_thread_start(&a->thread, work, a, err);
    if (status == WADI_OK) return status;
    hand_all(a, &x->crew);
    /* The run's slots have kept those that were copied. */
    if (shares(a)) WADI_TRY(hand_states(a, &a->slots, &x->slots, err));
    return status;
}

wadi_status wadi_apart_begin(wadi_stream *s, const wadi_seam *seam, int64_t ahead,
                             wadi_status (*taken)(wadi_stream *s, wadi_chunk *c, wadi_error *err),
                             wadi_error *err) {
    wadi_apart *a = &s->apart;
    WADI_ASSERT(!a->away);
    a->stream = s;
    a->seam = *seam;
    a->take = taken;
    a->crew = (wadi_crew){.runner = a->crew.runner, .busy_as = WADI_STAGE_APART};
    atomic_store(&a->wanted, true);
    atomic_store(&a->ahead, ahead);
    wadi_status status = open_crew(a, err);
    if (status == WADI_OK) status = start(a, err);
    a->away = status == WADI_OK;
    if (a->away)
        count_in_flight(s->x, WADI_WINDOW_CHUNKS + 1, count_stages(a));
    else
        close_crew(a);
    return status;
}

wadi_status wadi_apart_send(wadi_stream *s, wadi_chunk *owned_c, wadi_error *err) {
    wadi_meter *meter = &s->x->meter;
    wadi_meter_idle(meter, WADI_STAGE_COMPUTE);
    wadi_passed *at = wadi_passed_turn(&s->x->crew.works_for, NULL);
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SINK);
    const wadi_status status = wadi_pipe_send(s->apart.pipe, owned_c, err);
    wadi_profile_back(before);
    (void)wadi_passed_turn(&s->x->crew.works_for, at);
    wadi_meter_busy(meter, WADI_STAGE_COMPUTE);
    return status;
}

wadi_status wadi_apart_join(wadi_stream *s, wadi_error *err) {
    wadi_apart *a = &s->apart;
    if (!a->away) return WADI_OK;
    wadi_error why = {.status = WADI_OK}, back = {.status = WADI_OK};
    why.status = wadi_pipe_end(a->pipe, &why);
    wadi_thread_join(&a->thread);
    a->away = false;
    hand_all(a, &s->x->crew);
    if (hand_states(a, &a->slots, &s->x->slots, &back) != WADI_OK && why.status == WADI_OK)
        why = back;
    close_crew(a);
    atomic_store(&a->kept_bytes, 0);
    count_in_flight(s->x, 0, 0);
    const wadi_error *of = a->why.status != WADI_OK ? &a->why : &why;
    if (of->status != WADI_OK && err != NULL) *err = *of;
    return of->status;
}

void wadi_apart_close(wadi_stream *s) {
    WADI_ASSERT(!s->apart.away);
    if (s->apart.stream != NULL) close_runner(&s->apart);
}
