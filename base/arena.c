/* The arena: a list of blocks, newest first, each twice the size of the one before up to a limit.
 *
 * A position in the arena is one number, the bytes handed out in all older blocks plus those in this one, so that a mark is a
 * plain size_t. Under the address sanitizer everything not handed out is poisoned, which catches overruns into free space
 * and use after rewind. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define POISON(p, n) (WADI_UNUSED(p), WADI_UNUSED(n))
#define UNPOISON(p, n) (WADI_UNUSED(p), WADI_UNUSED(n))
#endif

enum { ALIGN = 16, FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 4 * 1024 * 1024 };

typedef struct block block;
struct block {
    block *older;
    size_t start; /* position of the block's first byte */
    size_t used;
    size_t
        touched; /* the bytes before it have been handed out at least once; those after it are still zero */
    size_t room;
    _Alignas(16) char bytes[];
};

struct wadi_arena {
    block *newest;
};

wadi_arena *wadi_arena_create(void) {
    return calloc(1, sizeof(wadi_arena));
}

static void drop_newest(wadi_arena *a) {
    block *b = a->newest;
    a->newest = b->older;
    UNPOISON(b->bytes, b->room);
    free(b);
}

void wadi_arena_destroy(wadi_arena *owned_a) {
    if (owned_a == NULL) return;
    while (owned_a->newest != NULL) drop_newest(owned_a);
    free(owned_a);
}

/* Adds a block with room for `bytes` bytes; false when out of memory. */
static bool add_block(wadi_arena *a, size_t bytes) {
    const block *last = a->newest;
    size_t room = last == NULL ? FIRST_BLOCK : 2 * last->room;
    if (room > LARGEST_BLOCK) room = LARGEST_BLOCK;
    if (room < bytes) room = bytes;
    if (room > SIZE_MAX - sizeof(block)) return false;
    block *b = calloc(1, sizeof(block) + room);
    if (b == NULL) return false;
    b->older = a->newest;
    b->room = room;
    if (last != NULL) b->start = last->start + last->used;
    POISON(b->bytes, room);
    a->newest = b;
    return true;
}

void *wadi_arena_alloc(wadi_arena *a, size_t bytes) {
    if (bytes > PTRDIFF_MAX / 2) return NULL;
    const size_t rounded = bytes == 0 ? ALIGN : (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (a->newest == NULL || a->newest->room - a->newest->used < rounded) {
        if (!add_block(a, rounded)) return NULL;
    }
    block *b = a->newest;
    char *p = b->bytes + b->used;
    UNPOISON(p, bytes);
    /* Fresh memory is zero already. The system gives real memory only to pages that are written, so it is not cleared again. */
    if (b->touched > b->used) {
        const size_t old = b->touched - b->used;
        memset(p, 0, old < bytes ? old : bytes);
    }
    b->used += rounded;
    if (b->touched < b->used) b->touched = b->used;
    return p;
}

void *wadi_arena_alloc_n(wadi_arena *a, size_t size, size_t n) {
    if (size != 0 && n > SIZE_MAX / size) return NULL;
    return wadi_arena_alloc(a, size * n);
}

char *wadi_arena_strndup(wadi_arena *a, const char *s, size_t n) {
    char *copy = wadi_arena_alloc(a, n + 1);
    if (copy != NULL) memcpy(copy, s, n);
    return copy;
}

char *wadi_arena_strdup(wadi_arena *a, const char *s) {
    return wadi_arena_strndup(a, s, strlen(s));
}

char *wadi_arena_printf(wadi_arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = wadi_format_list(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return NULL;
    char *text = wadi_arena_alloc(a, (size_t)n + 1);
    if (text == NULL) return NULL;
    va_start(args, format);
    (void)wadi_format_list(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

size_t wadi_arena_mark(const wadi_arena *a) {
    return a->newest == NULL ? 0 : a->newest->start + a->newest->used;
}

/* A block that starts at the mark holds only younger objects; the oldest block stays, so that a rewind to 0 keeps its room. */
void wadi_arena_rewind(wadi_arena *a, size_t mark) {
    WADI_ASSERT(mark <= wadi_arena_mark(a));
    while (a->newest != NULL && a->newest->older != NULL && a->newest->start >= mark)
        drop_newest(a);
    block *b = a->newest;
    if (b == NULL) return;
    b->used = mark - b->start;
    POISON(b->bytes + b->used, b->room - b->used);
}
