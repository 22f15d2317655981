/* What the server does not take: it has no JetStream any more, its disk or the account is full, a message is too large for it, we may not publish. It answers and stays
 * connected, so nothing but silence, or refusals without end, tells of it. That is borne for as long as a server may be away, and ends with the server's own words. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

static const char nobody[] = "it has no JetStream any more, or not the streams of the job";
static const int64_t step_most_ns = 1000000000;

void wadi_nats_note(char *to, size_t room, const char *words, size_t n) {
    if (n >= room) n = room - 1;
    for (size_t i = 0; i < n; i++) to[i] = words[i] >= ' ' && words[i] < 127 ? words[i] : '?';
    to[n] = '\0';
}

void wadi_nats_note_reply(char *to, size_t room, natsMsg *reply, const char *no_responders) {
    static const char name[] = "\"description\":\"";
    const char *text = natsMsg_GetData(reply);
    const size_t n = (size_t)natsMsg_GetDataLength(reply), letters = sizeof name - 1;
    if (natsMsg_IsNoResponders(reply)) {
        wadi_nats_note(to, room, no_responders, strlen(no_responders));
        return;
    }
    for (size_t i = 0; i + letters < n; i++) {
        if (strncmp(text + i, name, letters) != 0) continue;
        const char *words = text + i + letters, *end = memchr(words, '"', n - i - letters);
        if (end != NULL) wadi_nats_note(to, room, words, (size_t)(end - words));
        return;
    }
}

void wadi_nats_refused(wadi_nats_queue *q, const char *words, size_t n) {
    wadi_nats_note(q->said, sizeof q->said, words, n);
}

void wadi_nats_refused_reply(wadi_nats_queue *q, natsMsg *reply) {
    wadi_nats_note_reply(q->said, sizeof q->said, reply, nobody);
}

void wadi_nats_taken(wadi_nats_queue *q) {
    q->stuck_ns = 0;
    q->said[0] = '\0';
}

/* A process that was stopped has not waited, so a step counts for little, however late it comes. */
void wadi_nats_refusals_step(wadi_nats_queue *q, int64_t now) {
    char server[WADI_NATS_SUBJECT];
    const int64_t step = now - q->stuck_to_ns;
    q->stuck_to_ns = now;
    if (q->parcels.n == 0) q->stuck_ns = 0;
    if (q->parcels.n == 0 || !q->connected) return;
    q->stuck_ns += step < step_most_ns ? step : step_most_ns;
    if (q->stuck_ns < (int64_t)(q->at.wait_s * 1e9)) return;
    wadi_nats_server(&q->at, server);
    wadi_nats_break(q, WADI_IO, "%.80s: the server has taken nothing for %g s%s%.120s", server,
                    q->at.wait_s, q->said[0] != '\0' ? ": " : "", q->said);
}
