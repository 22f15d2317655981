/* Rows of a strip in the order of their lengths, so that a processor foresees where the loop over each of them ends. */
#ifndef WADI_RT_ORDER_H
#define WADI_RT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WADI_ORDER_ROWS = 256,    /* of a strip at most: places are bytes */
    WADI_ORDER_LONG = 16,     /* rows of so many elements and more are all alike */
    WADI_ORDER_NEAR = 4 << 20 /* bytes: what is read out of order is to be in a cache */
};

typedef struct wadi_row_order {
    uint8_t length[WADI_ORDER_ROWS]; /* of each row, at most WADI_ORDER_LONG */
    uint8_t place
        [WADI_ORDER_ROWS]; /* row numbers: short rows by their lengths, then the long ones as they come */
    int wait;              /* strips that are taken as they are */
} wadi_row_order;

static inline uint8_t wadi_row_order_length(int64_t n) {
    return (uint64_t)n < WADI_ORDER_LONG ? (uint8_t)n : (uint8_t)WADI_ORDER_LONG;
}

/* Whether it is worth finding the lengths of the next strip, of n rows. */
static inline bool wadi_row_order_begins(wadi_row_order *o, int64_t n) {
    if (o->wait == 0) return n >= WADI_ORDER_ROWS / 4;
    o->wait--;
    return false;
}

/* Makes the places of n rows. Returns how many rows are short; -1: lengths are foreseen as they come, or many rows are long. Then
 * some strips to come are not looked at. */
static __attribute__((noinline, unused)) int64_t wadi_row_order_rows(wadi_row_order *o, int64_t n) {
    uint8_t changes = 0;
    uint16_t at[WADI_ORDER_LONG + 2] = {0};
    for (int64_t k = 1; k < n; k++)
        changes = (uint8_t)(changes + (o->length[k] != o->length[k - 1]));
    if (changes < n / 8) {
        o->wait = 7;
        return -1;
    }
    for (int64_t k = 0; k < n; k++) at[o->length[k] + 1]++;
    for (int k = 0; k < WADI_ORDER_LONG; k++) at[k + 1] = (uint16_t)(at[k + 1] + at[k]);
    const int64_t few = at[WADI_ORDER_LONG];
    if (few < n - n / 8) {
        o->wait = 7;
        return -1;
    }
    for (int64_t k = 0; k < n; k++) o->place[at[o->length[k]]++] = (uint8_t)k;
    return few;
}

#endif
