/* The functions that put what is kept behind each other (codegen/rt/place.h), as each kind of processor has them. */
#ifndef TESTS_CODEGEN_KEEPING_H
#define TESTS_CODEGEN_KEEPING_H

#include <stdint.h>

typedef int64_t (*keeping_fn)(void *restrict to, const void *restrict from,
                              const uint8_t *restrict keep, int64_t n, int64_t room);

enum { KEEPING_SIZES = 5 }; /* of 1, 2, 4, 8 and 16 bytes */

typedef void (*keeping_take_fn)(void *to, const void *from, int64_t n);
typedef int64_t (*keeping_front_fn)(void *to, const void *from, const uint8_t *keep, int64_t n);

typedef struct keeping {
    const char *name;
    keeping_fn of[KEEPING_SIZES];
    keeping_take_fn take[2];   /* of 4 and 8 bytes */
    keeping_front_fn front[2]; /* the same */
    int wide; /* whether it takes several numbers at a time, where the compiler can */
} keeping;

extern const keeping keeping_plain, keeping_by_mask, keeping_by_order;

#endif
