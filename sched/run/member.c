/* A device other than the first, at work in a thread of its own, which alone opens, uses and closes it. It computes in memory of its own:
 * what is ONCE it copies there when it begins, and results it brings to the host. */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "sched/run/stream.h"

/* ---- leaving ---- */

void wadi_member_take_back(wadi_member *m) {
    wadi_team *t = m->team;
    for (int i = 0; i < t->tickets; i++) {
        wadi_ticket *k = &t->ring[(t->head + i) % WADI_TEAM_TICKETS];
        if (k->member != m->number || k->state != WADI_TICKET_WAITS) continue;
        k->state = WADI_TICKET_FAILED;
        m->tickets--;
    }
}

/* The device is of no use any more, by the team's lock. What waits for it the compute thread does. */
static void leave(wadi_member *m, const char *why) {
    wadi_team *t = m->team;
    const char *name = t->stream->x->devices.at[m->number].name;
    wadi_logf(WADI_LOG_WARNING, "device %s is out, and the others do its work: %s", name, why);
    m->out = true;
    wadi_sharing_lost(&t->sharing, m->number);
    wadi_member_take_back(m);
    wadi_chunk_release(m->rehearsal);
    m->rehearsal = NULL;
    wadi_condition_broadcast(&t->done);
}

/* Whether the failure is the device's own: it, or what makes its kernels, cannot go on. What a program does wrong, it does wrong everywhere. */
static bool is_lost(wadi_status status) {
    return status != WADI_OK && status != WADI_FAULT && status != WADI_SHAPE &&
           status != WADI_TYPE && status != WADI_MEMORY && status != WADI_CANCELLED;
}

/* ---- opening and closing ---- */

static wadi_status open_device(wadi_member *m, wadi_error *err) {
    wadi_run *x = m->team->stream->x;
    const wadi_device_choice *c = &x->devices.at[m->number];
    const wadi_device_options device = {
        .buffers = x->buffers, .keep_bytes = x->options.memory, .threads = x->options.threads};
    WADI_TRY(wadi_device_open(c, &device, &m->device, err));
    if (x->share_rule.wrap != NULL)
        m->device = x->share_rule.wrap(x->share_rule.env, c->place, m->device);
    m->told_ns = m->device->ops->busy_ns(m->device);
    wadi_run_trace_device(x, m->device, c->name);
    return wadi_run_make_runner(x, &x->loader, m->device, c->row, &m->crew.runner, err);
}

static wadi_status open_slots(wadi_member *m, wadi_error *err) {
    const wadi_slots *home = &m->team->home;
    const wadi_plan *plan = home->plan;
    WADI_TRY(wadi_slots_init(&m->slots, plan, home->buffers, m->device->residence, err));
    m->crew.slots = &m->slots;
    for (int i = 0; i < plan->nslots; i++) {
        if (plan->slots[i].kind != WADI_SLOT_ONCE || wadi_slots_is_empty(home, i)) continue;
        if (m->device->residence == NULL)
            wadi_slots_lend(home, &m->slots, i);
        else if (!wadi_slots_bring(home, &m->slots, i))
            return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return m->device->ops->wait(m->device, err);
}

static wadi_status open_all(wadi_member *m, wadi_error *err) {
    m->crew.busy_as = WADI_STAGE_COMPUTE;
    WADI_TRY(open_device(m, err));
    wadi_mutex_lock(&m->team->stream->x->lock);
    m->team->stream->x->workers_by[m->number] = m->device->ops->workers(m->device);
    wadi_mutex_unlock(&m->team->stream->x->lock);
    return open_slots(m, err);
}

static void count_copies(const wadi_member *m) {
    wadi_run *x = m->team->stream->x;
    if (m->device == NULL) return;
    wadi_mutex_lock(&x->lock);
    wadi_run_add_copies(&x->stats, m->device);
    wadi_mutex_unlock(&x->lock);
}

static void close_all(wadi_member *m) {
    count_copies(m);
    if (m->crew.slots != NULL) wadi_slots_fini(&m->slots);
    wadi_runner_destroy(m->crew.runner);
    if (m->device != NULL) m->device->ops->destroy(m->device);
}

/* ---- work, outside the lock ---- */

static void count_work(wadi_member *m) {
    wadi_run *x = m->team->stream->x;
    const int64_t now = m->device->ops->busy_ns(m->device);
    wadi_mutex_lock(&x->lock);
    x->apart_ns += now - m->told_ns;
    x->busy_by[m->number] += now - m->told_ns;
    wadi_mutex_unlock(&x->lock);
    m->told_ns = now;
}

static wadi_status compute(wadi_member *m, wadi_chunk *in, int64_t left, wadi_outcome *out,
                           int64_t *out_ns, wadi_error *err) {
    wadi_team *t = m->team;
    wadi_meter *meter = &t->stream->x->meter;
    wadi_passed *by = &t->stream->stages[t->stage].by[m->number];
    wadi_crew_begin_step(&m->crew);
    wadi_meter_busy(meter, WADI_STAGE_COMPUTE);
    (void)wadi_passed_turn(&m->crew.works_for, by);
    const int64_t begin = wadi_clock_ns(), span_ns = wadi_profile_span_begins();
    wadi_status status = wadi_body_run(t->stream, t->stage, &m->crew, in, left, out, err);
    if (status == WADI_OK) status = wadi_chunk_at_host(out->out, err);
    *out_ns = wadi_clock_ns() - begin;
    wadi_profile_span("chunk", span_ns, in->count);
    (void)wadi_passed_turn(&m->crew.works_for, NULL);
    if (status == WADI_OK) wadi_passed_add(by, in->count, wadi_chunk_bytes(out->out));
    wadi_meter_idle(meter, WADI_STAGE_COMPUTE);
    count_work(m);
    return status;
}

/* ---- work, by the lock ---- */

static wadi_ticket *first_waiting(const wadi_member *m) {
    wadi_team *t = m->team;
    for (int i = 0; i < t->tickets; i++) {
        wadi_ticket *k = &t->ring[(t->head + i) % WADI_TEAM_TICKETS];
        if (k->member == m->number && k->state == WADI_TICKET_WAITS) return k;
    }
    return NULL;
}

/* The ticket of that number, if it is still this member's. */
static wadi_ticket *find(const wadi_member *m, int64_t number) {
    wadi_team *t = m->team;
    for (int i = 0; i < t->tickets; i++) {
        wadi_ticket *k = &t->ring[(t->head + i) % WADI_TEAM_TICKETS];
        if (k->number == number)
            return k->member == m->number && k->state == WADI_TICKET_AT_WORK ? k : NULL;
    }
    return NULL;
}

/* What all work ends with. Takes over `in`. */
static void saw(wadi_member *m, wadi_chunk *owned_in, int64_t ns, wadi_status status,
                const wadi_error *why) {
    const int64_t count = owned_in->count;
    if (status == WADI_OK && !m->crew.loaded)
        wadi_sharing_saw(&m->team->sharing, m->number, count, ns);
    if (status == WADI_MEMORY) m->most = count > 1 ? count / 2 : 1;
    if (is_lost(status)) leave(m, why->msg);
    wadi_chunk_release(owned_in);
}

static void do_ticket(wadi_member *m, wadi_ticket *k) {
    wadi_team *t = m->team;
    wadi_chunk *in = wadi_chunk_retain(k->in);
    const int64_t number = k->number, left = k->left;
    wadi_outcome outcome;
    wadi_error why = {.status = WADI_OK};
    int64_t ns = 0;
    k->state = WADI_TICKET_AT_WORK;
    wadi_mutex_unlock(&t->lock);
    const wadi_status status = compute(m, in, left, &outcome, &ns, &why);
    wadi_mutex_lock(&t->lock);
    m->tickets--;
    m->late = false;
    k = find(m, number);
    if (k != NULL) k->state = status == WADI_OK ? WADI_TICKET_DONE : WADI_TICKET_FAILED;
    if (k != NULL && status == WADI_OK)
        k->outcome = outcome;
    else
        wadi_chunk_release(outcome.out);
    saw(m, in, ns, status, &why);
    wadi_condition_broadcast(&t->done);
    wadi_mutex_unlock(&t->lock);
    wadi_lane_nudge_all(t->stream);
    wadi_mutex_lock(&t->lock);
}

static void rehearse(wadi_member *m) {
    wadi_team *t = m->team;
    wadi_chunk *in = m->rehearsal;
    wadi_outcome outcome;
    wadi_error why = {.status = WADI_OK};
    int64_t ns = 0;
    wadi_mutex_unlock(&t->lock);
    const wadi_status status = compute(m, in, -1, &outcome, &ns, &why);
    wadi_chunk_release(outcome.out);
    wadi_mutex_lock(&t->lock);
    m->rehearsal = NULL;
    m->rehearsed++;
    saw(m, in, ns, status, &why);
}

static void wait_for_work(wadi_member *m) {
    wadi_account *before = wadi_profile_charge(WADI_PROFILE_SOURCE);
    wadi_condition_wait(&m->team->work, &m->team->lock);
    wadi_profile_back(before);
}

static void work_all(wadi_member *m) {
    wadi_team *t = m->team;
    while (!t->closing && !m->out) {
        wadi_ticket *k = first_waiting(m);
        if (k != NULL)
            do_ticket(m, k);
        else if (m->rehearsal != NULL)
            rehearse(m);
        else
            wait_for_work(m);
    }
}

static void work(void *env) {
    wadi_member *m = env;
    wadi_team *t = m->team;
    wadi_run *x = t->stream->x;
    wadi_error why = {.status = WADI_OK};
    const wadi_task before =
        wadi_task_begin((wadi_task){.name = "device", .stop = &x->stop, .waits = x->waits});
    wadi_run_profile_begin(x, x->devices.at[m->number].name, true);
    wadi_behind_watch(&m->behind);
    const wadi_status status = open_all(m, &why);
    wadi_mutex_lock(&t->lock);
    m->open = true;
    if (status != WADI_OK) leave(m, why.msg);
    wadi_condition_broadcast(&t->done);
    work_all(m);
    wadi_mutex_unlock(&t->lock);
    close_all(m);
    wadi_behind_watch(NULL);
    wadi_run_profile_end(x);
    wadi_task_end(before);
    wadi_mutex_lock(&t->lock);
    m->ended = true;
    wadi_condition_broadcast(&t->done);
    wadi_mutex_unlock(&t->lock);
}

/* ---- by the compute thread ---- */

void wadi_member_start(wadi_member *m) {
    wadi_team *t = m->team;
    wadi_error why = {.status = WADI_OK};
    if (!wadi_run_shares_with(t->stream->x, m->number)) {
        m->open = m->out = true;
        return;
    }
    if (wadi_thread_start(&m->thread, work, m, &why) == WADI_OK) return;
    wadi_mutex_lock(&t->lock);
    m->open = true;
    leave(m, why.msg);
    wadi_mutex_unlock(&t->lock);
}

/* The device may go on with its memory and its kernels at any time, so they stay, and nobody uses it again. */
static void leave_behind(wadi_member *m, int64_t patience_ns) {
    wadi_run *x = m->team->stream->x;
    const wadi_device_choice *c = &x->devices.at[m->number];
    wadi_logf(WADI_LOG_WARNING, "device %s has not answered for %g s, and is left behind", c->name,
              (double)patience_ns / 1e9);
    wadi_device_left(c);
    (void)wadi_buffers_retain(x->buffers);
    if (x->loader.stay != NULL) x->loader.stay(x->loader.self);
}

bool wadi_member_join(wadi_member *m) {
    static const int64_t LOOK_NS = 50000000;
    wadi_team *t = m->team;
    const int64_t patience_ns = (int64_t)(t->stream->x->options.watchdog_s * 1e9);
    bool left = false;
    if (!m->thread.started) return true;
    wadi_mutex_lock(&t->lock);
    while (!m->ended && !left) {
        (void)wadi_condition_wait_for(&t->done, &t->lock, LOOK_NS);
        left = !m->ended && wadi_behind_try(&m->behind, patience_ns);
    }
    wadi_mutex_unlock(&t->lock);
    if (left) {
        leave_behind(m, patience_ns);
        return false;
    }
    wadi_thread_join(&m->thread);
    wadi_chunk_release(m->rehearsal);
    m->rehearsal = NULL;
    return true;
}
