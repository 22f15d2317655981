#include "sched/transport/zmq/curve.h"

#include <stddef.h>

#include "sched/transport/zmq/library.h"

bool wadi_curve_pair_new(char out_public[WADI_CURVE_TEXT], char out_secret[WADI_CURVE_TEXT]) {
    return wadi_zmq_open(NULL) == WADI_OK && wadi_zmq.curve_keypair(out_public, out_secret) == 0;
}

bool wadi_curve_pair_of(const uint8_t secret[WADI_CURVE_BYTES], char out_public[WADI_CURVE_TEXT],
                        char out_secret[WADI_CURVE_TEXT]) {
    return wadi_zmq_open(NULL) == WADI_OK &&
           wadi_zmq.z85_encode(out_secret, secret, WADI_CURVE_BYTES) != NULL &&
           wadi_zmq.curve_public(out_public, out_secret) == 0;
}
