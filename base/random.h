/* Random numbers of the system. */
#ifndef WADI_BASE_RANDOM_H
#define WADI_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n random bytes that nobody can guess; n <= 256. False: the system has none, and errno says why. */
bool wadi_random_bytes(void *out, size_t n);
/* A random number; where the system has none, one that another call hardly gives. unique: an address that belongs to the caller. */
uint64_t wadi_random_number(const void *unique);

#endif
