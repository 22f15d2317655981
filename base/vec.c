/* Growing the arrays of vec.h, whatever their element type.
 *
 * The struct is read and written by memcpy: T * and void * are alike in memory, but not for the compiler's alias rules. */
#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef WADI_VEC(void) any_vec;

bool wadi_vec_make_room(void *vec, size_t size, size_t want) {
    any_vec v;
    memcpy(&v, vec, sizeof v);
    if (want <= v.cap) return true;
    size_t cap = v.cap < 4 ? 8 : v.cap + v.cap / 2;
    if (cap < want) cap = want;
    if (cap > SIZE_MAX / size) return false;
    void *at = realloc(v.at, cap * size);
    if (at == NULL) return false;
    v.at = at;
    v.cap = cap;
    memcpy(vec, &v, sizeof v);
    return true;
}

void wadi_vec_release(void *vec) {
    any_vec v;
    memcpy(&v, vec, sizeof v);
    free(v.at);
    memset(vec, 0, sizeof v);
}
