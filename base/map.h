/* Hash tables: from numbers to numbers, and from strings to one canonical copy.
 *
 * Tables cannot be walked, because an order that depends on hashes must not reach generated code. */
#ifndef WADI_BASE_MAP_H
#define WADI_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct wadi_map64_slot {
    uint64_t key, value;
    bool used;
} wadi_map64_slot;

/* All zero is an empty map. */
typedef struct wadi_map64 {
    wadi_map64_slot *slots;
    size_t n;   /* entries */
    size_t cap; /* slots: 0 or a power of two */
} wadi_map64;

void wadi_map64_init(wadi_map64 *m);
void wadi_map64_fini(wadi_map64 *m);

/* Whether key is there; its value goes to *out (untouched otherwise; out may be NULL). */
bool wadi_map64_get(const wadi_map64 *m, uint64_t key, uint64_t *out);

/* Adds or replaces; false when out of memory (the map is then unchanged). */
bool wadi_map64_put(wadi_map64 *m, uint64_t key, uint64_t value);

/* Equal strings become the same pointer, valid until fini. All zero is an empty table. */
typedef struct wadi_intern {
    wadi_arena *strings;
    const char **slots;
    size_t n, cap;
} wadi_intern;

void wadi_intern_init(wadi_intern *in);
void wadi_intern_fini(wadi_intern *in);

/* The canonical copy of s (of its first n bytes, which hold no NUL); NULL when out of memory. */
const char *wadi_intern_add(wadi_intern *in, const char *s);
const char *wadi_intern_add_n(wadi_intern *in, const char *s, size_t n);

#endif
