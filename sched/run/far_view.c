/* Workers of other processes as those see them who look at the run. */
#include <stdio.h>

#include "base/clock.h"
#include "sched/run/far.h"
#include "sched/run/stream.h"
#include "sched/view.h"

/* Over the last seconds, or since the stream has workers. By the lock. */
static double per_second(const wadi_far *t) {
    const wadi_far_rate *r = &t->rate;
    if (r->n == 0) return 0;
    const int oldest = r->n > WADI_FAR_RATES ? r->n % WADI_FAR_RATES : 0;
    const double s = (double)(wadi_clock_ns() - r->ns[oldest]) / 1e9;
    return s > 0 ? (double)(t->answered - r->answered[oldest]) / s : 0;
}

static int64_t count_tickets(const wadi_far *t, wadi_ticket_state state) {
    int64_t n = 0;
    for (int i = 0; i < t->nparts; i++)
        for (int k = 0; k < t->parts[i].tickets; k++)
            n += wadi_far_at(&t->parts[i], k)->state == state;
    return n;
}

void wadi_far_look(wadi_stream *s, wadi_view_elsewhere *out) {
    wadi_far *t = &s->far;
    out->lost = t->given_up;
    if (!t->shown) return;
    wadi_mutex_lock(&t->lock);
    out->workers = t->workers;
    out->items = t->open.items;
    out->most_items = t->open.most_items;
    out->bytes = t->open.bytes;
    out->most_bytes = t->open.most_bytes;
    out->unsent = count_tickets(t, WADI_TICKET_WAITS);
    out->in_turn = count_tickets(t, WADI_TICKET_DONE);
    out->per_second = per_second(t);
    out->held = t->open.held;
    out->stuck = t->open.stuck;
    out->stuck_ns = t->open.stuck_ns;
    out->away = t->open.away;
    (void)snprintf(out->said, sizeof out->said, "%s", t->open.said);
    out->lost = t->lost;
    wadi_mutex_unlock(&t->lock);
}
