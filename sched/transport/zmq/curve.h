/* Pairs of CURVE keys, as Z85 text of 40 characters and a NUL. */
#ifndef WADI_SCHED_TRANSPORT_ZMQ_CURVE_H
#define WADI_SCHED_TRANSPORT_ZMQ_CURVE_H

#include <stdbool.h>
#include <stdint.h>

enum { WADI_CURVE_TEXT = 41, WADI_CURVE_BYTES = 32 };

/* Makes a new random pair. False: there is no ZeroMQ, or it was built without CURVE. */
bool wadi_curve_pair_new(char out_public[WADI_CURVE_TEXT], char out_secret[WADI_CURVE_TEXT]);
/* Makes the pair that belongs to a secret key. False: there is no ZeroMQ, or it was built without CURVE. */
bool wadi_curve_pair_of(const uint8_t secret[WADI_CURVE_BYTES], char out_public[WADI_CURVE_TEXT],
                        char out_secret[WADI_CURVE_TEXT]);

#endif
