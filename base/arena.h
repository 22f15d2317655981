/* Memory that is freed all at once: a compilation's nodes, names and tables live in one arena.
 *
 * Allocation bumps a pointer inside growing blocks. There is no free of one object; a pass that wants scratch space takes a
 * mark and rewinds. Not thread-safe: one arena belongs to one thread at a time. */
#ifndef WADI_BASE_ARENA_H
#define WADI_BASE_ARENA_H

#include <stddef.h>

#include "wadi/status.h"

typedef struct wadi_arena wadi_arena;

/* NULL when out of memory. */
wadi_arena *wadi_arena_create(void);
void wadi_arena_destroy(wadi_arena *owned_a);

/* Memory that is zeroed and aligned to 16 bytes. It is valid until the arena is destroyed or rewound to an earlier mark. NULL only
 * when out of memory. For zero bytes the pointer is not NULL, but must not be read. */
void *wadi_arena_alloc(wadi_arena *a, size_t bytes);

/* The same for n objects of size bytes each; NULL also when n * size overflows. */
void *wadi_arena_alloc_n(wadi_arena *a, size_t size, size_t n);

#define WADI_NEW(a, T) ((T *)wadi_arena_alloc((a), sizeof(T)))
#define WADI_NEW_N(a, T, n) ((T *)wadi_arena_alloc_n((a), sizeof(T), (n)))

/* Copies into the arena; NULL when out of memory. */
char *wadi_arena_strdup(wadi_arena *a, const char *s);
char *wadi_arena_strndup(wadi_arena *a, const char *s, size_t n);
char *wadi_arena_printf(wadi_arena *a, const char *format, ...) WADI_PRINTF(2, 3);

/* A mark remembers how much is allocated; rewinding to it gives back everything allocated since. Marks nest. */
size_t wadi_arena_mark(const wadi_arena *a);
void wadi_arena_rewind(wadi_arena *a, size_t mark);

#endif
