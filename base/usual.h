/* What is usual of a quantity that varies: of times, of bytes. */
#ifndef WADI_BASE_USUAL_H
#define WADI_BASE_USUAL_H

#include <stdint.h>

/* Notes `now`: the mean of what was usual, and of it with an eighth. *usual 0: nothing was known. */
static inline void wadi_usual(int64_t *usual, int64_t now) {
    *usual = *usual > 0 ? *usual + (now - *usual) / 8 : now;
}

#endif
