/* Calls of the routines: their rows, one after the other, through an engine (engine.h). */
#include "sched/radix/radix.h"

#include <stdlib.h>
#include <string.h>

#include "base/keep.h"
#include "base/pages.h"
#include "sched/foreign_own.h"
#include "sched/radix/bytes.h"
#include "sched/radix/engine.h"

static bool is_named(const char *name, const char *routine) {
    return strlen(routine) == wadi_foreign_stem(name) &&
           strncmp(name, routine, strlen(routine)) == 0;
}

bool wadi_radix_has(const char *name) {
    return is_named(name, "sort") || is_named(name, "argsort") || is_named(name, "argfirst") ||
           is_named(name, "sort_by_byte");
}

/* Short elements that are sorted are counted, by one thread. */
bool wadi_radix_shares(const wadi_call *call) {
    const wadi_call_array *a = &call->array[0];
    const bool counts = is_named(call->routine, "sort") && wadi_type_size((wadi_type)a->type) <= 2;
    return wadi_radix_has(call->routine) && !counts && a->rank == 1 &&
           a->shape[0] >= WADI_RADIX_SHARED;
}

const wadi_radix_engine *wadi_radix_avx512(void) {
#if defined __x86_64__ && defined __GNUC__
    const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    return has ? wadi_radix_avx512_there() : NULL;
#else
    return NULL;
#endif
}

/* Where a problem's elements begin. */
static char *problem_of(const wadi_call_array *a, int64_t p) {
    const int64_t at = a->start != NULL ? a->start[p] : p * a->distance;
    return (char *)a->data + at * wadi_type_size((wadi_type)a->type);
}

static bool fits(const wadi_call *call, bool numbers, bool first) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    const wadi_type t = (wadi_type)a->type;
    return call->nin == 1 && call->nout == 1 && a->rank == 1 && to->rank == 1 &&
           (a->shape[0] == to->shape[0] ||
            (first && to->shape[0] >= 0 && to->shape[0] < a->shape[0])) &&
           t >= WADI_BOOL && t <= WADI_F64 && to->type == (int32_t)(numbers ? t : WADI_I64);
}

/* ---- keys of one byte ---- */

static bool has_byte_keys(const wadi_call *call) {
    return wadi_type_size((wadi_type)call->array[0].type) == 1;
}

/* Elements, argument 1, by keys, argument 0. */
static bool fits_by_bytes(const wadi_call *call) {
    const wadi_call_array *keys = &call->array[0], *a = &call->array[1], *to = &call->array[2];
    const bool types = keys->type >= WADI_BOOL && keys->type <= WADI_F64 && has_byte_keys(call) &&
                       a->type >= WADI_BOOL && a->type <= WADI_C128 && a->type == to->type;
    return call->nin == 2 && call->nout == 1 && types && keys->rank == 1 && a->rank == 1 &&
           to->rank == 1 && a->shape[0] == keys->shape[0] && to->shape[0] == keys->shape[0];
}

/* What array `from` has, or positions (NULL), to array `to`. */
static bool place_by_bytes(const wadi_radix_engine *engine, const wadi_call *call,
                           const wadi_call_array *from, const wadi_call_array *to,
                           wadi_pool *pool) {
    const wadi_call_array *keys = &call->array[0];
    bool fine = true;
    for (int64_t p = 0; fine && p < call->count; p++) {
        const wadi_radix_bytes row = {.key = (const uint8_t *)problem_of(keys, p),
                                      .has_sign = keys->type == WADI_I8,
                                      .from = from != NULL ? problem_of(from, p) : NULL,
                                      .to = problem_of(to, p),
                                      .size = wadi_type_size((wadi_type)to->type),
                                      .n = keys->shape[0]};
        fine = wadi_radix_by_bytes(engine, &row, pool);
    }
    return fine;
}

/* ---- room ---- */

/* Room beside rows is kept for the next call, since the system clears each page of fresh memory: that took longer than sorting. */
static const wadi_keep_kind rooms = {.most = 2, .destroy = free};
static const size_t least_kept = (size_t)1 << 16, most_kept = (size_t)256 << 20;

/* At least `bytes`: a power of two, if it may be kept. */
static size_t room_size(size_t bytes) {
    if (bytes < least_kept || bytes > most_kept) return bytes;
    size_t size = least_kept;
    while (size < bytes) size *= 2;
    return size;
}

static void *take_room(size_t bytes) {
    const size_t size = room_size(bytes);
    void *room = size >= least_kept ? wadi_keep_take(&rooms, (int64_t)size) : NULL;
    return room != NULL ? room : wadi_pages_take(64, size);
}

static void give_room(void *room, size_t bytes) {
    const size_t size = room_size(bytes);
    if (room == NULL || size < least_kept || size > most_kept)
        free(room);
    else
        wadi_keep_put(&rooms, (int64_t)size, room);
}

static bool sort_or_rank(const wadi_radix_engine *engine, const wadi_call *call, bool numbers,
                         wadi_pool *pool) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    wadi_radix_row row = {.type = (wadi_type)a->type, .n = a->shape[0]};
    const size_t bytes = (size_t)row.n * (size_t)wadi_type_size((wadi_type)to->type);
    row.room = take_room(bytes);
    bool fine = row.room != NULL;
    for (int64_t p = 0; fine && p < call->count; p++) {
        row.from = problem_of(a, p);
        row.to = problem_of(to, p);
        fine = (numbers ? engine->sort : engine->rank)(&row, pool);
    }
    give_room(row.room, bytes);
    return fine;
}

static bool choose(const wadi_radix_engine *engine, const wadi_call *call, wadi_pool *pool) {
    const wadi_call_array *a = &call->array[0], *to = &call->array[1];
    bool fine = true;
    for (int64_t p = 0; fine && p < call->count; p++) {
        const wadi_radix_row row = {.type = (wadi_type)a->type,
                                    .from = problem_of(a, p),
                                    .to = problem_of(to, p),
                                    .n = a->shape[0]};
        fine = engine->choose(&row, to->shape[0], pool);
    }
    return fine;
}

bool wadi_radix_run_by(const wadi_radix_engine *engine, const wadi_call *call, wadi_pool *pool) {
    const bool numbers = is_named(call->routine, "sort"),
               first = is_named(call->routine, "argfirst"),
               by_bytes = is_named(call->routine, "sort_by_byte");
    if (by_bytes ? !fits_by_bytes(call) : !fits(call, numbers, first)) return false;
    if (call->array[0].shape[0] == 0) return true;
    if (by_bytes) return place_by_bytes(engine, call, &call->array[1], &call->array[2], pool);
    if (is_named(call->routine, "argsort") && has_byte_keys(call))
        return place_by_bytes(engine, call, NULL, &call->array[1], pool);
    return first ? choose(engine, call, pool) : sort_or_rank(engine, call, numbers, pool);
}

bool wadi_radix_run(const wadi_call *call, wadi_pool *pool) {
    const wadi_radix_engine *fast = wadi_radix_avx512();
    return wadi_radix_run_by(fast != NULL ? fast : &wadi_radix_plain, call, pool);
}
