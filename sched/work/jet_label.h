/* What travels with the bytes of a job on a NATS server, as text in a header of the message.
 *
 * A *label* stands with each item and each answer: which it is, and how its bytes are found. Bytes of up to one frame are in the message
 * itself. Of longer ones the end is there, and what is before it in frames, messages of their own. The label says how many there are and
 * whose they are: several workers may answer one item, and each answers in frames of its own (`nonce`).
 *
 * A *record* tells which home a job has. Each home of a job has an epoch; what belongs to another epoch is nobody's.
 *
 * Anybody who is let in by the server can write such messages, so readers accept nothing but what writers write. */
#ifndef WADI_SCHED_WORK_JET_LABEL_H
#define WADI_SCHED_WORK_JET_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"

enum {
    WADI_JET_LABEL_ROOM = 128,     /* of a label or a record with its NUL */
    WADI_JET_FRAME_MOST = 1 << 20, /* bytes of a frame, headers included */
    WADI_JET_MESSAGE_MOST =
        8 << 20, /* no message is larger: servers keep larger ones and cannot read them again */
    WADI_JET_FRAMES_MOST = 1 << 20, /* of one item: a tebibyte */
    WADI_JET_EPOCH = 17,            /* 16 hexadecimal digits and NUL */
};

typedef struct wadi_jet_label {
    int64_t number;
    wadi_status status; /* of an answer */
    int64_t bytes;
    int32_t frames; /* before the bytes that are in the message */
    uint32_t crc;   /* CRC-32C of the bytes */
    uint64_t nonce;
} wadi_jet_label;

void wadi_jet_label_write(const wadi_jet_label *l, char out[WADI_JET_LABEL_ROOM]);
/* False: this is no label. s may be NULL. */
bool wadi_jet_label_read(const char *s, wadi_jet_label *out);

typedef enum wadi_jet_state {
    WADI_JET_BEGUN, /* a home has come and makes the streams */
    WADI_JET_OPEN,  /* there is work */
    WADI_JET_LEFT,  /* its home has gone, and may come back */
    WADI_JET_ENDED,
} wadi_jet_state;

typedef struct wadi_jet_record {
    char epoch[WADI_JET_EPOCH];
    wadi_jet_state state;
    int64_t ack_wait_ms;
    wadi_jet_label charter; /* its number is 0 */
} wadi_jet_record;

void wadi_jet_record_write(const wadi_jet_record *r, char out[WADI_JET_LABEL_ROOM]);
bool wadi_jet_record_read(const char *s, wadi_jet_record *out);

#endif
