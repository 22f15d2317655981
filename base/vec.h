/* Growable arrays on the heap, typed by macro.
 *
 *     WADI_VEC(int) ids = {0};
 *     if (!wadi_vec_push(&ids, 7)) return wadi_fail(err, WADI_MEMORY, "out of memory");
 *     for (size_t i = 0; i < ids.n; i++) use(ids.at[i]);
 *     wadi_vec_free(&ids);
 *
 * All zero is an empty array. Pointers into `at` are good until the next push or reserve. */
#ifndef WADI_BASE_VEC_H
#define WADI_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define WADI_VEC(T)    \
    struct {           \
        T *at;         \
        size_t n, cap; \
    }

/* Makes room for at least `want` elements in all; false when out of memory (the array is then unchanged). */
#define wadi_vec_reserve(v, want) wadi_vec_make_room((v), sizeof *(v)->at, (want))

/* Appends a copy of the value (a compound literal needs no extra parentheses); false when out of memory. */
#define wadi_vec_push(v, ...)                                    \
    (((v)->n < (v)->cap || wadi_vec_reserve((v), (v)->n + 1)) && \
     ((v)->at[(v)->n] = (__VA_ARGS__), wadi_vec_count_up(&(v)->n)))

/* The last element, and its removal. The array must not be empty. */
#define wadi_vec_last(v) ((v)->at[(v)->n - 1])
#define wadi_vec_pop(v) ((v)->at[--(v)->n])

/* Forgets the elements, keeps the room. */
#define wadi_vec_clear(v) ((void)((v)->n = 0))

/* Gives the memory back; the array is empty and usable again. */
#define wadi_vec_free(v) wadi_vec_release((v))

/* The functions behind the macros. vec points to any WADI_VEC(T), size is sizeof(T). */
bool wadi_vec_make_room(void *vec, size_t size, size_t want);
void wadi_vec_release(void *vec);

static inline bool wadi_vec_count_up(size_t *n) {
    ++*n;
    return true;
}

#endif
