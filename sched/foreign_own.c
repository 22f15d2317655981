/* Routines of the host program: a table of names and functions, and calls of them. */
#include "sched/foreign_own.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wadi/lang.h"

typedef struct own {
    char name[WADI_FOREIGN_NAME];
    wadi_foreign_fn fn;
    void *env;
} own;

enum { OWN = 256 };

/* Read without the lock: kernels look names up. */
static _Atomic(own *) table[OWN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t wadi_foreign_stem(const char *name) {
    static const char steady[] = ".steady";
    const size_t n = strlen(name), m = sizeof steady - 1;
    return n > m && strcmp(name + n - m, steady) == 0 ? n - m : n;
}

/* Where the routine of that name is, or -1. */
static int place_of(const char *name) {
    const size_t n = wadi_foreign_stem(name);
    for (int i = 0; i < OWN; i++) {
        const own *o = atomic_load_explicit(&table[i], memory_order_acquire);
        if (o != NULL && strncmp(o->name, name, n) == 0 && o->name[n] == '\0') return i;
    }
    return -1;
}

bool wadi_foreign_own_has(const char *name) {
    return place_of(name) >= 0;
}

/* ---- calls ---- */

static wadi_foreign_array array_of(const wadi_call_array *a, int64_t problem) {
    const int64_t at = a->start != NULL ? a->start[problem] : problem * a->distance;
    const wadi_type t = (wadi_type)a->type;
    return (wadi_foreign_array){t, a->rank, a->shape, (char *)a->data + at * wadi_type_size(t)};
}

static void note_failure(const own *o, wadi_status st, const wadi_error *said,
                         wadi_error *failure) {
    const bool known = st > WADI_OK && st <= WADI_INTERNAL;
    (void)wadi_fail(failure, known ? st : WADI_FAULT, "foreign: the routine \"%s\" failed: %.300s",
                    o->name, said->msg[0] != '\0' ? said->msg : wadi_status_name(st));
}

bool wadi_foreign_own_run(const wadi_call *call, wadi_error *failure) {
    const int place = place_of(call->routine);
    const own *o = place >= 0 ? atomic_load(&table[place]) : NULL;
    if (o == NULL) return false;
    for (int64_t p = 0; p < call->count; p++) {
        wadi_foreign_array arrays[WADI_CALL_ARRAYS];
        for (int k = 0; k < call->nin + call->nout; k++) arrays[k] = array_of(&call->array[k], p);
        wadi_error said = {.status = WADI_OK};
        const wadi_status st = o->fn(o->env, call->nin, arrays, arrays + call->nin, &said);
        if (st == WADI_OK) continue;
        if (st != WADI_UNSUPPORTED) note_failure(o, st, &said, failure);
        return false;
    }
    return true;
}

/* ---- names ---- */

static int free_place(void) {
    for (int i = 0; i < OWN; i++)
        if (atomic_load(&table[i]) == NULL) return i;
    return -1;
}

static wadi_status add(const char *name, wadi_foreign_fn fn, void *env, wadi_error *err) {
    const int place = free_place();
    if (place_of(name) >= 0)
        return wadi_fail(err, WADI_INVALID, "foreign: there is a routine \"%s\" already", name);
    if (place < 0) return wadi_fail(err, WADI_UNSUPPORTED, "foreign: more than %d routines", OWN);
    own *o = calloc(1, sizeof *o);
    if (o == NULL) return wadi_fail(err, WADI_MEMORY, "foreign: out of memory");
    memcpy(o->name, name, strlen(name));
    o->fn = fn;
    o->env = env;
    atomic_store_explicit(&table[place], o, memory_order_release);
    return WADI_OK;
}

wadi_status wadi_foreign_own_add(const char *name, wadi_foreign_fn fn, void *env, wadi_error *err) {
    if (name == NULL || name[0] == '\0' || fn == NULL)
        return wadi_fail(err, WADI_INVALID, "foreign: a routine needs a name and a function");
    if (strlen(name) >= WADI_FOREIGN_NAME || wadi_foreign_stem(name) != strlen(name))
        return wadi_fail(err, WADI_INVALID,
                         "foreign: \"%.80s\" cannot name a routine: at most %d bytes, and no "
                         "\".steady\" at the end",
                         name, WADI_FOREIGN_NAME - 1);
    (void)pthread_mutex_lock(&lock);
    const wadi_status st = add(name, fn, env, err);
    (void)pthread_mutex_unlock(&lock);
    return st;
}

void wadi_foreign_remove(const char *name) {
    if (name == NULL) return;
    (void)pthread_mutex_lock(&lock);
    const int place = place_of(name);
    if (place >= 0) free(atomic_exchange(&table[place], NULL));
    (void)pthread_mutex_unlock(&lock);
}
