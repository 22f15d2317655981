/* Random numbers of the system. */
#define _DEFAULT_SOURCE /* getrandom */
#include "base/random.h"

#include <sys/random.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/hash.h"

bool wadi_random_bytes(void *out, size_t n) {
    return getrandom(out, n, 0) == (ssize_t)n;
}

uint64_t wadi_random_number(const void *unique) {
    uint64_t number = 0;
    if (!wadi_random_bytes(&number, sizeof number))
        number = wadi_hash64((uint64_t)wadi_clock_ns() ^ wadi_hash64((uintptr_t)unique));
    return number;
}
