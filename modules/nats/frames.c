/* Frames of items. Home keeps them until the item is answered, and sends them to the worker that has the item and asks for them. So the server has nothing of them to write, to
 * read and to remove: it passes them on. What home keeps of an item is not lost with the server, and if home is lost, what the server has of the item does not count. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "modules/nats/inside.h"

enum {
    WANTED_MOST = 1 << 14, /* requests that wait; who is not heard asks again */
    STEP_BYTES = 4 << 20   /* said before anything else is heard */
};

wadi_status wadi_nats_frames_keep(const void *bytes, int64_t n, int64_t frame_most, char **out,
                                  wadi_error *err) {
    const int64_t framed = wadi_nats_framed(n, frame_most, WADI_NATS_TAIL_MOST);
    *out = NULL;
    if (framed == 0) return WADI_OK;
    *out = malloc((size_t)framed);
    if (*out == NULL)
        return wadi_fail(err, WADI_MEMORY, "out of memory for an item of %" PRId64 " bytes", n);
    memcpy(*out, bytes, (size_t)framed);
    return WADI_OK;
}

void wadi_nats_frames_release(wadi_nats_queue *q, wadi_nats_flight *f) {
    if (f->framed != NULL)
        (void)wadi_vec_push(
            &q->past_frames,
            f->framed); /* without memory for that it is never freed: it may be in use */
    f->framed = NULL;
}

/* ---- requests ---- */

static bool waits(const wadi_nats_queue *q, const char *reply) {
    for (size_t i = 0; i < q->wanted.n; i++)
        if (strcmp(q->wanted.at[i].reply, reply) == 0) return true;
    return false;
}

/* "EPOCH NUMBER FRAME". Of another epoch: there may be another home, which answers. */
void wadi_nats_frames_heard(wadi_nats_queue *q, natsMsg *msg) {
    char text[64] = "", epoch[WADI_JET_EPOCH] = "";
    wadi_nats_wanted w = {.frame = -1};
    const char *reply = natsMsg_GetReply(msg);
    const int n = natsMsg_GetDataLength(msg);
    if (reply == NULL || n <= 0 || n >= (int)sizeof text) return;
    memcpy(text, natsMsg_GetData(msg), (size_t)n);
    if (sscanf(text, "%16s %" SCNd64 " %d", epoch, &w.number, &w.frame) != 3 ||
        strcmp(epoch, q->epoch) != 0 || q->wanted.n >= WANTED_MOST || waits(q, reply))
        return;
    w.reply = strdup(reply);
    if (w.reply != NULL && !wadi_vec_push(&q->wanted, w)) free(w.reply);
}

/* ---- sending ---- */

/* Says the frame; without a byte if the item is answered, or has no such frame. The bytes of it. */
static int64_t say_frame(wadi_nats_queue *q, const wadi_nats_wanted *w) {
    wadi_nats_saying s = {.to = w->reply};
    for (size_t i = 0; i < q->flight.n; i++) {
        const wadi_nats_flight *f = &q->flight.at[i];
        if (f->number != w->number || f->framed == NULL || w->frame < 0) continue;
        const int64_t first = w->frame * q->frame_most,
                      rest = wadi_nats_framed(f->bytes, q->frame_most, WADI_NATS_TAIL_MOST) - first;
        if (rest > 0) {
            s.bytes = f->framed + first;
            s.n = rest < q->frame_most ? rest : q->frame_most;
        }
        break;
    }
    if (!wadi_vec_push(&q->sayings, s)) free(w->reply);
    return s.n;
}

void wadi_nats_frames_forget(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->wanted.n; i++) free(q->wanted.at[i].reply);
    wadi_vec_clear(&q->wanted);
}

void wadi_nats_frames_step(wadi_nats_queue *q) {
    size_t done = 0;
    if (!q->connected) wadi_nats_frames_forget(q); /* workers ask again when home is back */
    for (int64_t said = 0; done < q->wanted.n && said < STEP_BYTES; done++)
        said += say_frame(q, &q->wanted.at[done]);
    if (done == 0) return;
    memmove(q->wanted.at, q->wanted.at + done, (q->wanted.n - done) * sizeof q->wanted.at[0]);
    q->wanted.n -= done;
}

void wadi_nats_frames_free(wadi_nats_queue *q) {
    for (size_t i = 0; i < q->past_frames.n; i++) free(q->past_frames.at[i]);
    wadi_vec_clear(&q->past_frames);
}
