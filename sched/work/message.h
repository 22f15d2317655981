/* The messages of a work queue over ZeroMQ: a control frame, and what it announces in a second one.
 *
 *     control, little-endian:  "WWRK", version 1 byte, kind 1, status 1, 0 1, job 8, number 8, bytes of the second frame 8
 *
 *     worker -> home   HELLO            it is there, and has no charter, or that of `job`
 *                      READY            it takes items of the job
 *                      ANSWER           of item `number`, and whether it could compute it (status)
 *                      BYE              it leaves, and its items are for others
 *     home -> worker   CHARTER          of the job
 *                      ITEM             `number`
 *                      END              the job is over
 *                      ASK              home does not know it: HELLO again
 *                      REFUSED          why it cannot be a worker here
 *     both               KERNELS          what a worker asks for, and home's reply to question `number`
 *                        BEAT             its sender lives: to those who have asked for it
 *
 * The number of HELLO and of CHARTER is how many milliseconds of silence its sender bears; 0: it does not know BEAT.
 *
 * A job is a charter that was offered, by a random number: so nobody takes items or answers of one for those of another. */
#ifndef WADI_SCHED_WORK_MESSAGE_H
#define WADI_SCHED_WORK_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wadi/status.h"

enum { WADI_WORKQ_CONTROL = 32, WADI_WORKQ_VERSION = 1 };

typedef enum wadi_workq_kind {
    WADI_WORKQ_HELLO = 1,
    WADI_WORKQ_READY,
    WADI_WORKQ_ANSWER,
    WADI_WORKQ_BYE,
    WADI_WORKQ_CHARTER,
    WADI_WORKQ_ITEM,
    WADI_WORKQ_END,
    WADI_WORKQ_ASK,
    WADI_WORKQ_REFUSED,
    WADI_WORKQ_KERNELS,
    WADI_WORKQ_BEAT
} wadi_workq_kind;

typedef struct wadi_workq_control {
    wadi_workq_kind kind;
    wadi_status status;
    int64_t job, number, bytes;
} wadi_workq_control;

void wadi_workq_control_write(const wadi_workq_control *c, uint8_t out[WADI_WORKQ_CONTROL]);
/* Errors: WADI_IO (no message of a work queue), WADI_UNSUPPORTED (of another version). */
WADI_NODISCARD wadi_status wadi_workq_control_read(const void *data, size_t n,
                                                   wadi_workq_control *out, wadi_error *err);

#endif
