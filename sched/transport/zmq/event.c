/* Reading events: two frames, the second of which is an address. */
#include "sched/transport/zmq/event.h"

#include <stdint.h>
#include <string.h>

#include "sched/transport/zmq/library.h"

const char wadi_zmq_failed_handshake[] =
    "the handshake failed: the peer does not speak ZeroMQ, or has other keys or another token";

bool wadi_zmq_event(void *monitor, int *out_what, int *out_value) {
    uint16_t what = 0;
    int32_t value = -1;
    zmq_msg_t m;
    (void)wadi_zmq.msg_init(&m);
    const bool there = monitor != NULL && wadi_zmq.msg_recv(&m, monitor, ZMQ_DONTWAIT) >= 0;
    if (there && wadi_zmq.msg_size(&m) == sizeof what + sizeof value) {
        memcpy(&what, wadi_zmq.msg_data(&m), sizeof what);
        memcpy(&value, (const char *)wadi_zmq.msg_data(&m) + sizeof what, sizeof value);
    }
    if (there && wadi_zmq.msg_more(&m)) (void)wadi_zmq.msg_recv(&m, monitor, 0); /* the address */
    (void)wadi_zmq.msg_close(&m);
    *out_what = what;
    *out_value = value;
    return there;
}
