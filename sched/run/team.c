/* Tickets: cutting chunks for devices, and handing on what comes of them, in order or as it comes. */
#include "sched/run/team.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "sched/run/parts.h"
#include "sched/run/stream.h"

/* Tickets that a member has at once: one at work, and one so that it never waits for the compute thread. */
enum { AHEAD = 2, AHEAD_ALONE = 3 };

static bool is_shared(const wadi_stream *s) {
    return wadi_run_shares(s->x);
}

/* ---- opening ---- */

/* The stage that has taken longest so far, of those that the compute thread has; a rule may want another. */
static int find_stage(const wadi_stream *s) {
    const wadi_share_rule *rule = &s->x->share_rule;
    int best = -1;
    for (int i = 0; i < s->plan->nstages; i++) {
        const wadi_stage_run *g = &s->stages[i];
        if (g->plan->body < 0 || g->crew != &s->x->crew) continue;
        if (rule->choose != NULL && best >= 0 && i > rule->stage) break;
        if (rule->choose != NULL || best < 0 || g->body_ns > s->stages[best].body_ns) best = i;
    }
    return best;
}

static wadi_status make_lock(wadi_team *t, wadi_error *err) {
    WADI_TRY(wadi_mutex_init_with(&t->lock, &t->work, err));
    const wadi_status status = wadi_condition_init(&t->done, err);
    if (status != WADI_OK) wadi_mutex_fini_with(&t->lock, &t->work);
    return status;
}

static void drop_room(wadi_team *t) {
    free(t->member);
    free(t->ring);
    t->member = NULL;
    t->ring = NULL;
}

static wadi_status make_room(wadi_team *t, int n, wadi_error *err) {
    t->member = calloc((size_t)n, sizeof *t->member);
    t->ring = calloc(WADI_TEAM_TICKETS, sizeof *t->ring);
    if (t->member != NULL && t->ring != NULL) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "devices: out of memory");
}

static wadi_status open_team(wadi_stream *s, wadi_error *err) {
    wadi_team *t = &s->team;
    t->stream = s;
    t->stage = find_stage(s);
    if (t->stage < 0) return wadi_fail(err, WADI_UNSUPPORTED, "no stage computes anything");
    wadi_status status = wadi_run_once(s, &t->home, err);
    if (status == WADI_OK) status = make_room(t, s->x->devices.n, err);
    if (status == WADI_OK) status = make_lock(t, err);
    if (status != WADI_OK) {
        wadi_slots_fini(&t->home);
        drop_room(t);
        return status;
    }
    const wadi_stage_run *g = &s->stages[t->stage];
    t->unordered = wadi_run_mixes(s->x, s->plan, t->stage);
    t->opened = true;
    t->sharing.element_ns[0] = 0;
    wadi_sharing_saw(&t->sharing, 0, g->body_elements, g->body_ns);
    t->n = s->x->devices.n;
    for (int i = 1; i < t->n; i++) t->member[i] = (wadi_member){.team = t, .number = i};
    for (int i = 1; i < t->n; i++) wadi_member_start(&t->member[i]);
    return WADI_OK;
}

static void count_first(wadi_stream *s) {
    const int stage = s->team.opened ? s->team.stage : find_stage(s);
    if (stage < 0) return;
    wadi_mutex_lock(&s->x->lock);
    s->x->done_by[0] += s->stages[stage].here;
    wadi_mutex_unlock(&s->x->lock);
}

void wadi_team_close(wadi_stream *s) {
    wadi_team *t = &s->team;
    if (is_shared(s) && s->stages != NULL) count_first(s);
    if (!t->opened) return;
    wadi_mutex_lock(&t->lock);
    t->closing = true;
    wadi_condition_broadcast(&t->work);
    wadi_mutex_unlock(&t->lock);
    bool all = true;
    for (int i = 1; i < t->n; i++) all = wadi_member_join(&t->member[i]) && all;
    for (; t->tickets > 0; t->tickets--, t->head = (t->head + 1) % WADI_TEAM_TICKETS) {
        wadi_chunk_release(t->ring[t->head].in);
        wadi_chunk_release(t->ring[t->head].outcome.out);
    }
    if (all)
        wadi_slots_fini(&t->home);
    else
        t->member[0].slots = t->home; /* a device that was left behind may be about to read it */
    wadi_condition_fini(&t->done);
    wadi_mutex_fini_with(&t->lock, &t->work);
    if (!all) t->member = NULL;
    drop_room(t);
    t->opened = false;
}

/* ---- handing on ---- */

int wadi_tickets_next(wadi_tickets t) {
    const wadi_ticket_state first = t.n > 0 ? t.state(t.of, 0) : WADI_TICKET_WAITS;
    if (first == WADI_TICKET_DONE || first == WADI_TICKET_FAILED) return 0;
    for (int i = 1; i < t.n && t.unordered; i++)
        if (t.state(t.of, i) == WADI_TICKET_DONE) return i;
    return -1;
}

static wadi_ticket *ticket_at(wadi_team *t, int i) {
    return &t->ring[(t->head + i) % WADI_TEAM_TICKETS];
}

static wadi_ticket_state state_at(const void *of, int i) {
    const wadi_team *t = of;
    return t->ring[(t->head + i) % WADI_TEAM_TICKETS].state;
}

/* By the lock. */
static int find_ready(const wadi_team *t) {
    return wadi_tickets_next((wadi_tickets){t, state_at, t->tickets, t->unordered});
}

/* By the lock. */
static wadi_ticket take_out(wadi_team *t, int at) {
    const wadi_ticket k = *ticket_at(t, at);
    for (int i = at; i > 0; i--) *ticket_at(t, i) = *ticket_at(t, i - 1);
    t->head = (t->head + 1) % WADI_TEAM_TICKETS;
    t->tickets--;
    return k;
}

/* A ticket that is ready leaves the ring. */
static wadi_status hand_on(wadi_stream *s, wadi_error *err) {
    wadi_team *t = &s->team;
    wadi_mutex_lock(&t->lock);
    const int at = find_ready(t);
    const wadi_ticket k = take_out(t, at);
    wadi_mutex_unlock(&t->lock);
    s->x->mixed = s->x->mixed || at > 0;
    t->delivering = true;
    const wadi_status status = k.state == WADI_TICKET_DONE
                                   ? t->hooks->give(s, t->stage, k.in, &k.outcome, err)
                                   : t->hooks->again(s, t->stage, k.in, err);
    t->delivering = false;
    if (status == WADI_OK && k.state == WADI_TICKET_DONE) {
        wadi_mutex_lock(&s->x->lock);
        s->x->done_by[k.member] += k.in->count;
        wadi_mutex_unlock(&s->x->lock);
    }
    wadi_chunk_release(k.outcome.out);
    wadi_chunk_release(k.in);
    return status;
}

/* A device that is late gets nothing more until it has come to an end with what it has; the compute thread does the rest. By the lock. */
static void take_back(wadi_team *t, wadi_ticket *k) {
    wadi_member *m = &t->member[k->member];
    m->late = k->state == WADI_TICKET_AT_WORK;
    wadi_member_take_back(m);
    k->state = WADI_TICKET_FAILED;
}

/* Until a ticket can be handed on. */
static wadi_status wait_for_ready(wadi_stream *s, wadi_error *err) {
    static const int64_t LOOK_NS = 50000000; /* whether the run was cancelled */
    wadi_team *t = &s->team;
    wadi_status status = WADI_OK;
    wadi_mutex_lock(&t->lock);
    wadi_ticket *k = &t->ring[t->head];
    const bool waits = find_ready(t) < 0;
    const int ticket = waits ? wadi_task_wait("elements from device", k->in->first,
                                              s->x->devices.at[k->member].name)
                             : -1;
    wadi_account *before = waits ? wadi_profile_charge(WADI_PROFILE_TEAM) : NULL;
    while (status == WADI_OK && find_ready(t) < 0) {
        const int64_t left = k->due_ns - wadi_clock_ns();
        if (left <= 0)
            take_back(t, k);
        else
            (void)wadi_condition_wait_for(&t->done, &t->lock, left < LOOK_NS ? left : LOOK_NS);
        status = wadi_task_check(err);
    }
    wadi_mutex_unlock(&t->lock);
    wadi_profile_back(before);
    if (waits) wadi_task_go_on(ticket);
    return status;
}

static bool has_ready(wadi_team *t) {
    wadi_mutex_lock(&t->lock);
    const bool ready = find_ready(t) >= 0;
    wadi_mutex_unlock(&t->lock);
    return ready;
}

/* All that is done and in its turn. */
static wadi_status hand_on_ready(wadi_stream *s, wadi_error *err) {
    while (has_ready(&s->team)) WADI_TRY(hand_on(s, err));
    return WADI_OK;
}

wadi_status wadi_team_flush(wadi_stream *s, wadi_error *err) {
    wadi_team *t = &s->team;
    while (t->opened && !t->delivering && t->tickets > 0) {
        WADI_TRY(wait_for_ready(s, err));
        WADI_TRY(hand_on(s, err));
    }
    return WADI_OK;
}

wadi_status wadi_team_poll(wadi_stream *s, wadi_error *err) {
    if (!s->team.opened || !has_ready(&s->team)) return WADI_OK;
    return wadi_run_between_steps(s, hand_on_ready, err);
}

wadi_status wadi_team_settle(wadi_stream *s, wadi_error *err) {
    if (!s->team.opened || s->team.tickets == 0) return WADI_OK;
    return wadi_run_between_steps(s, wadi_team_flush, err);
}

/* ---- tickets ---- */

static int64_t part_for(wadi_team *t, int member, int64_t count) {
    const wadi_member *m = &t->member[member];
    if (t->who == member) return m->most > 0 && m->most < count ? m->most : count;
    const int64_t part = wadi_sharing_part(&t->sharing, member, count);
    return m->most > 0 && m->most < part ? m->most : part;
}

/* The member that shall have the next ticket: the one with the fewest. 0: the compute thread; -1: all have enough. *out_part: how many
 * of `count` elements. */
static int find_taker(wadi_team *t, int64_t count, int64_t *out_part) {
    const int most = t->who > 0 ? AHEAD_ALONE : AHEAD;
    int best = -1, working = 0;
    wadi_mutex_lock(&t->lock);
    for (int i = 1; i < t->n; i++) {
        const wadi_member *m = &t->member[i];
        const bool takes =
            (t->who == i || t->who == WADI_SHARE_ALL) && m->open && !m->out && !m->late;
        const int64_t part = takes ? part_for(t, i, count) : 0;
        if (part == 0) continue;
        working++;
        if (m->tickets >= most || (best >= 0 && m->tickets >= t->member[best].tickets)) continue;
        best = i;
        *out_part = part;
    }
    const bool full = t->tickets >= 4 * t->n;
    if ((best < 0 && t->who == WADI_SHARE_ALL) || working == 0) {
        best = 0;
        *out_part = working == 0 ? count : wadi_sharing_part(&t->sharing, 0, count);
        if (*out_part == 0) best = -1; /* the others are so much faster */
    }
    wadi_mutex_unlock(&t->lock);
    return full ? -1 : best;
}

/* When the member should have done `count` more elements by far. By the lock. */
static int64_t due(const wadi_team *t, const wadi_member *m, int64_t count) {
    static const int64_t UNKNOWN_NS = 1000000000, LEAST_NS = 5000000;
    const double ns = t->sharing.element_ns[m->number];
    const double most = 4 * ns * (double)count * (m->tickets + 1);
    return wadi_clock_ns() + (ns > 0 && most < 1e15 ? LEAST_NS + (int64_t)most : UNKNOWN_NS);
}

/* Takes over `in`, and what came of it. */
static void add_ticket(wadi_team *t, int member, wadi_ticket_state state, wadi_chunk *owned_in,
                       int64_t left, const wadi_outcome *outcome) {
    wadi_member *m = &t->member[member];
    wadi_mutex_lock(&t->lock);
    wadi_ticket *k = &t->ring[(t->head + t->tickets) % WADI_TEAM_TICKETS];
    *k = (wadi_ticket){.number = t->next++,
                       .member = member,
                       .state = state,
                       .in = owned_in,
                       .left = left,
                       .due_ns = member > 0 ? due(t, m, owned_in->count) : 0};
    if (outcome != NULL) k->outcome = *outcome;
    t->tickets++;
    if (member > 0 && m->out) /* it has left meanwhile */
        k->state = WADI_TICKET_FAILED;
    else if (member > 0)
        m->tickets++;
    wadi_condition_broadcast(&t->work);
    wadi_mutex_unlock(&t->lock);
}

static int64_t left_after(const wadi_stream *s, int stage, const wadi_chunk *in) {
    const wadi_stage_run *g = &s->stages[stage];
    return g->lane != NULL ? wadi_lane_left(g->lane, in->first + in->count) : -1;
}

/* The compute thread takes a share itself. What fails waits for its turn to fail again. */
static wadi_status do_here(wadi_stream *s, wadi_chunk *part, wadi_error *err) {
    wadi_team *t = &s->team;
    wadi_outcome outcome;
    if (t->tickets == 0) {
        t->delivering = true;
        const wadi_status status = t->hooks->again(s, t->stage, part, err);
        t->delivering = false;
        return status;
    }
    for (int i = 0; i < s->plan->nends; i++)
        if (s->plan->ends[i].stage == t->stage) wadi_outlet_expect(&s->outlets[i], 0);
    const int64_t begin = wadi_clock_ns();
    const wadi_status status = wadi_body_run(s, t->stage, &s->x->crew, part,
                                             left_after(s, t->stage, part), &outcome, NULL);
    if (status == WADI_OK && !s->x->crew.loaded) {
        wadi_mutex_lock(&t->lock);
        wadi_sharing_saw(&t->sharing, 0, part->count, wadi_clock_ns() - begin);
        wadi_mutex_unlock(&t->lock);
    }
    add_ticket(t, 0, status == WADI_OK ? WADI_TICKET_DONE : WADI_TICKET_FAILED,
               wadi_chunk_retain(part), -1, &outcome);
    return WADI_OK;
}

/* The next elements of the chunk find somebody. *begin: the first of them. */
static wadi_status share_next(wadi_stream *s, wadi_chunk *in, int64_t *begin, wadi_error *err) {
    wadi_team *t = &s->team;
    wadi_chunk *part = NULL;
    int64_t count = 0;
    const int64_t rest = in->count - *begin;
    WADI_TRY(hand_on_ready(s, err));
    const int taker = find_taker(t, in->count, &count);
    if (taker < 0) {
        WADI_TRY(wait_for_ready(s, err));
        return hand_on(s, err);
    }
    count = count < rest ? count : rest;
    WADI_TRY(wadi_chunk_slice(in, *begin, count, &part, err));
    *begin += count;
    if (taker > 0) {
        add_ticket(t, taker, WADI_TICKET_WAITS, part, left_after(s, t->stage, part), NULL);
        return WADI_OK;
    }
    const wadi_status status = do_here(s, part, err);
    wadi_chunk_release(part);
    return status;
}

wadi_status wadi_team_share(wadi_stream *s, wadi_chunk *in, wadi_error *err) {
    int64_t begin = 0;
    while (begin < in->count) WADI_TRY(share_next(s, in, &begin, err));
    return WADI_OK;
}

wadi_status wadi_team_here(wadi_stream *s, wadi_chunk *in, wadi_error *err) {
    wadi_team *t = &s->team;
    WADI_TRY(wadi_team_flush(s, err));
    t->delivering = true;
    const wadi_status status = t->hooks->again(s, t->stage, in, err);
    t->delivering = false;
    return status;
}

/* A stage that runs apart asks in a thread of its own, which has no business with the rest of the team. */
bool wadi_team_takes(const wadi_stream *s, int stage) {
    const wadi_team *t = &s->team;
    return s->stages[stage].crew == &s->x->crew && t->opened && t->who != 0 && !t->delivering &&
           stage == t->stage;
}

/* ---- who computes ---- */

/* Whether nothing more need be computed on trial. A device that has loaded code each time so far is given a few more. By the lock. */
static bool is_measured(const wadi_team *t, int member) {
    const int n = t->member[member].rehearsed;
    return n >= 3 * WADI_TEAM_REHEARSALS ||
           (n >= WADI_TEAM_REHEARSALS && t->sharing.element_ns[member] > 0);
}

void wadi_team_saw(wadi_stream *s, int stage, wadi_chunk *in, int64_t ns) {
    wadi_team *t = &s->team;
    wadi_stage_run *g = &s->stages[stage];
    if (!is_shared(s)) return;
    g->here += in->count;
    if (s->x->crew.loaded) return;
    g->body_ns += ns;
    g->body_elements += in->count;
    if (!t->opened || stage != t->stage) return;
    const bool here = wadi_chunk_at_host(in, NULL) == WADI_OK;
    wadi_mutex_lock(&t->lock);
    wadi_sharing_saw(&t->sharing, 0, in->count, ns);
    for (int i = 1; i < t->n && here; i++) {
        wadi_member *m = &t->member[i];
        if (!m->open || m->out || m->rehearsal != NULL || is_measured(t, i)) continue;
        m->rehearsal = wadi_chunk_retain(in);
        wadi_condition_broadcast(&t->work);
    }
    wadi_mutex_unlock(&t->lock);
}

/* Whether each member is open, or out; rehearsed: and has been measured. By the lock. */
static bool are_ready(const wadi_team *t, bool rehearsed) {
    for (int i = 1; i < t->n; i++) {
        const wadi_member *m = &t->member[i];
        if (!m->open) return false;
        if (rehearsed && !m->out && !is_measured(t, i)) return false;
    }
    return true;
}

/* By measuring. */
static int choose(wadi_stream *s, bool *out_wants) {
    wadi_team *t = &s->team;
    wadi_share_reading now = {
        .now_ns = wadi_clock_ns(), .elements = t->elements, .disturbed = s->x->crew.loaded};
    if (!t->opened) return wadi_sharing_next(&t->sharing, &now, out_wants);
    wadi_mutex_lock(&t->lock);
    now.ready = are_ready(t, true);
    const int who = wadi_sharing_next(&t->sharing, &now, out_wants);
    wadi_mutex_unlock(&t->lock);
    return who;
}

/* A rule is obeyed from the first chunk on. */
static wadi_status wait_for_members(wadi_stream *s, wadi_error *err) {
    wadi_team *t = &s->team;
    wadi_status status = WADI_OK;
    if (!t->opened) return WADI_OK;
    wadi_mutex_lock(&t->lock);
    while (status == WADI_OK && !are_ready(t, false)) {
        (void)wadi_condition_wait_for(&t->done, &t->lock, 50000000);
        status = wadi_task_check(err);
    }
    wadi_mutex_unlock(&t->lock);
    return status;
}

/* Results that wait for their turn are in flight as well. */
static void count_in_flight(wadi_stream *s, int who) {
    wadi_run *x = s->x;
    const int more = who == WADI_SHARE_ALL ? 3 * x->devices.n : who > 0 ? AHEAD_ALONE + 1 : 0;
    wadi_mutex_lock(&x->lock);
    wadi_run_count_in_flight(x, more);
    wadi_mutex_unlock(&x->lock);
}

bool wadi_team_tries(wadi_stream *s) {
    wadi_team *t = &s->team;
    if (t->opened) wadi_mutex_lock(&t->lock);
    const wadi_sharing_state state = t->sharing.state;
    if (t->opened) wadi_mutex_unlock(&t->lock);
    return is_shared(s) &&
           (state == WADI_SHARING_OPENS || state == WADI_SHARING_TRIES || s->team.who != 0);
}

wadi_status wadi_team_next(wadi_stream *s, int64_t count, wadi_error *err) {
    wadi_team *t = &s->team;
    const wadi_share_rule *rule = &s->x->share_rule;
    bool wants = rule->choose != NULL;
    if (!is_shared(s) || t->hooks == NULL || t->given_up) return WADI_OK;
    const int who = wants ? rule->choose(rule->env, s->x->devices.n) : choose(s, &wants);
    t->elements += count;
    if (wants && !t->opened && open_team(s, NULL) != WADI_OK) t->given_up = true;
    if (!t->opened) return WADI_OK;
    if (rule->choose != NULL) WADI_TRY(wait_for_members(s, err));
    if (who == t->who) return WADI_OK;
    WADI_TRY(wadi_team_settle(s, err));
    t->who = who;
    count_in_flight(s, who);
    return WADI_OK;
}
