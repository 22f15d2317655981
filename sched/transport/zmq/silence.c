/* Signs of life of those that share a stream. Nothing is expected of the two ends of a stream that is not shared: nobody else could go on, and one that is stopped may go on later. */
#include "sched/transport/zmq/inside.h"

#include <stdio.h>

#include "base/error.h"

/* Who cannot be told has gone, and its end is noticed elsewhere. */
static void beat(void *env) {
    wadi_zmq_port *p = env;
    if (p->socket == NULL || (!p->options.bind && !p->connected)) return;
    for (int i = 0; i < WADI_LINK_PEERS; i++)
        if (p->remotes[i].used && wadi_pulse_due(&p->remotes[i].pulse))
            (void)wadi_zmq_say(p, i, (wadi_control){.kind = WADI_CONTROL_BEAT}, false);
}

wadi_status wadi_zmq_begin_beats(wadi_zmq_port *p, wadi_error *err) {
    if (!p->options.share.on) return WADI_OK;
    return wadi_zmq_beats_init(&p->beats, p->options.silent_ns, beat, p, err);
}

/* Its connection ends, so that it sees when it goes on that it was taken for lost, and comes anew: what it says of before counts for nothing. */
static void give_up(wadi_zmq_port *p, wadi_remote *r) {
    char who[sizeof p->other + 2];
    (void)snprintf(who, sizeof who, "a %s", p->other);
    wadi_zmq_beats_warn(&p->beats, p->address, who, "");
    if (p->options.bind) wadi_zmq_guard_end(p->guard, p->address, r->fd);
    if (!p->options.bind) p->connected = false;
    r->pulse = (wadi_pulse){.beats = false};
    r->gone = true;
}

void wadi_zmq_look_after_peers(wadi_zmq_port *p) {
    if (!p->options.share.on) return;
    wadi_zmq_beats_look(&p->beats);
    for (int i = 0; i < WADI_LINK_PEERS; i++) {
        wadi_remote *r = &p->remotes[i];
        if (r->used && !r->gone && wadi_pulse_is_silent(&r->pulse, &p->beats, p->all_read))
            give_up(p, r);
    }
    beat(p);
}
