/* Messages and parcels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"
#include "modules/nats/inside.h"

int64_t wadi_nats_framed(int64_t n, int64_t frame_most, int64_t tail_most) {
    const int64_t full = n > 0 ? (n - 1) / frame_most * frame_most : 0;
    return n - full <= tail_most ? full : n;
}

/* A message with a label in its header and, if not NULL, a message id. Refuses what a server would lose. NULL: out of memory, or refused. */
static natsMsg *new_message(const char *subject, const char *reply, const char *label,
                            const char *id, const void *bytes, int64_t n) {
    natsMsg *msg = NULL;
    if (n > WADI_JET_MESSAGE_MOST || natsMsg_Create(&msg, subject, reply, bytes, (int)n) != NATS_OK)
        return NULL;
    natsStatus s = natsMsgHeader_Set(msg, WADI_NATS_LABEL, label);
    if (s == NATS_OK && id != NULL) s = natsMsgHeader_Set(msg, "Nats-Msg-Id", id);
    if (s == NATS_OK) return msg;
    natsMsg_Destroy(msg);
    return NULL;
}

void wadi_nats_parcel_free(wadi_nats_parcel *p) {
    if (p == NULL) return;
    for (int i = 0; i < p->frames && p->frame != NULL; i++) natsMsg_Destroy(p->frame[i].msg);
    free(p->frame);
    free(p);
}

void wadi_nats_parcel_retire(wadi_nats_queue *q, wadi_nats_parcel *p) {
    for (int f = 0; f < p->frames; f++) q->spent_bytes += natsMsg_GetDataLength(p->frame[f].msg);
    /* A message may be among those that are to be said. */
    for (size_t k = 0; k < q->sayings.n; k++)
        for (int f = 0; f < p->frames; f++)
            if (q->sayings.at[k].msg == p->frame[f].msg) q->sayings.at[k].msg = NULL;
    (void)wadi_vec_push(&q->used,
                        p); /* without memory for that it is never freed: it may be in use */
}

/* Message `i` of the parcel. Its id is that of what is sent, so that the server notices when it comes again. */
static natsMsg *message_of(const wadi_nats_sent *what, const wadi_nats_parcel *p, int i,
                           const char *inbox, const void *bytes, int64_t n) {
    char subject[WADI_NATS_SUBJECT], reply[WADI_NATS_SUBJECT], label[WADI_JET_LABEL_ROOM], id[96];
    const bool whole = i + 1 == p->frames;
    wadi_jet_label_write(&what->label, label);
    (void)snprintf(reply, sizeof reply, "%.120s.p.%" PRIu64 ".%d", inbox, p->id, i);
    if (whole) {
        (void)snprintf(subject, sizeof subject, "%.160s.do", what->subject);
        (void)snprintf(id, sizeof id, "%" PRId64, what->label.number);
    } else {
        (void)snprintf(subject, sizeof subject, "%.100s.part.%" PRId64 ".%016" PRIx64 ".%d",
                       what->subject, what->label.number, what->label.nonce, i);
        (void)snprintf(id, sizeof id, "%" PRId64 ".%016" PRIx64 ".%d", what->label.number,
                       what->label.nonce, i);
    }
    return new_message(subject, reply, label, what->identified ? id : NULL, bytes, n);
}

wadi_status wadi_nats_pack(const wadi_nats_sent *what, uint64_t id, const char *inbox,
                           int64_t frame_most, wadi_nats_parcel **out, wadi_error *err) {
    wadi_nats_sent w = *what;
    const int64_t framed = wadi_nats_framed(w.label.bytes, frame_most,
                                            w.kept ? WADI_NATS_TAIL_MOST : frame_most),
                  sent_from = w.kept ? framed : 0;
    *out = NULL;
    if (w.label.bytes / frame_most >= WADI_JET_FRAMES_MOST)
        return wadi_fail(err, WADI_MEMORY, "an item of %" PRId64 " bytes is too large",
                         w.label.bytes);
    w.label.frames = (int32_t)((framed + frame_most - 1) / frame_most);
    w.label.crc = wadi_crc32c(0, w.bytes, (size_t)w.label.bytes);
    wadi_nats_parcel *p = calloc(1, sizeof *p);
    const int frames = w.kept ? 1 : w.label.frames + 1;
    if (p != NULL) *p = (wadi_nats_parcel){.id = id, .number = w.label.number, .frames = frames};
    if (p != NULL) p->frame = calloc((size_t)frames, sizeof *p->frame);
    bool made = p != NULL && p->frame != NULL;
    for (int i = 0; made && i < frames; i++) {
        const int64_t first = sent_from + i * frame_most;
        const int64_t rest = w.label.bytes - first, n = rest < frame_most ? rest : frame_most;
        p->frame[i].msg =
            message_of(&w, p, i, inbox, n > 0 ? (const char *)w.bytes + first : NULL, n);
        made = p->frame[i].msg != NULL;
    }
    if (!made) {
        wadi_nats_parcel_free(p);
        return wadi_fail(err, WADI_MEMORY, "out of memory for an item of %" PRId64 " bytes",
                         w.label.bytes);
    }
    *out = p;
    return WADI_OK;
}
