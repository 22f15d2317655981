/* Routines of the host program: a table of names and functions, and calls of them. */
#include "sched/foreign_own.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "wadi/lang.h"

typedef struct own {
    char name[WADI_FOREIGN_NAME]; /* never changes */
    wadi_foreign_fn fn;
    void *env;
    atomic_bool asked, answered; /* it was called, and did not decline */
    struct own *next;            /* of those that are removed */
} own;

enum { OWN = 256 };

/* Read without the lock: kernels look names up. */
static _Atomic(own *) table[OWN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static own
    *removed; /* by the lock. They stay in memory, because somebody may be comparing their names */

size_t wadi_foreign_stem(const char *name) {
    static const char steady[] = ".steady";
    const size_t n = strlen(name), m = sizeof steady - 1;
    return n > m && strcmp(name + n - m, steady) == 0 ? n - m : n;
}

static bool is_named(const own *o, const char *name, size_t n) {
    return strncmp(o->name, name, n) == 0 && o->name[n] == '\0';
}

/* The routine of that name, and where it is; or NULL. */
static own *find(const char *name, int *out_place) {
    const size_t n = wadi_foreign_stem(name);
    for (int i = 0; i < OWN; i++) {
        own *o = atomic_load_explicit(&table[i], memory_order_acquire);
        *out_place = i;
        if (o != NULL && is_named(o, name, n)) return o;
    }
    return NULL;
}

bool wadi_foreign_own_has(const char *name) {
    int place = 0;
    return find(name, &place) != NULL;
}

bool wadi_foreign_own_declines(const char *name) {
    int place = 0;
    own *o = find(name, &place);
    return o != NULL && atomic_load(&o->asked) && !atomic_load(&o->answered);
}

/* ---- what they are ---- */

static wadi_text noted; /* by the lock; stays until the process ends */

wadi_status wadi_foreign_own_note(const char *what, wadi_error *err) {
    (void)pthread_mutex_lock(&lock);
    wadi_text_addf(&noted, "%s ", what);
    const bool failed = noted.failed;
    (void)pthread_mutex_unlock(&lock);
    return failed ? wadi_fail(err, WADI_MEMORY, "foreign: out of memory") : WADI_OK;
}

void wadi_foreign_own_describe(wadi_text *out) {
    (void)pthread_mutex_lock(&lock);
    wadi_text_add_n(out, noted.at, noted.n);
    (void)pthread_mutex_unlock(&lock);
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

/* Only the first call writes: threads share the mark. */
static void note(atomic_bool *mark) {
    if (!atomic_load_explicit(mark, memory_order_relaxed)) atomic_store(mark, true);
}

bool wadi_foreign_own_run(const wadi_call *call, wadi_error *failure) {
    int place = 0;
    own *o = find(call->routine, &place);
    if (o == NULL) return false;
    note(&o->asked);
    for (int64_t p = 0; p < call->count; p++) {
        wadi_foreign_array arrays[WADI_CALL_ARRAYS];
        for (int k = 0; k < call->nin + call->nout; k++) arrays[k] = array_of(&call->array[k], p);
        wadi_error said = {.status = WADI_OK};
        const wadi_status st = o->fn(o->env, call->nin, arrays, arrays + call->nin, &said);
        if (st == WADI_OK) continue;
        if (st != WADI_UNSUPPORTED) note_failure(o, st, &said, failure);
        return false;
    }
    note(&o->answered);
    return true;
}

/* ---- names ---- */

static int free_place(void) {
    for (int i = 0; i < OWN; i++)
        if (atomic_load(&table[i]) == NULL) return i;
    return -1;
}

/* One that had the name before, or a new one with this name; NULL: out of memory. */
static own *take(const char *name) {
    own **at = &removed;
    while (*at != NULL && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    own *o = *at;
    if (o != NULL) *at = o->next;
    if (o != NULL) return o;
    o = calloc(1, sizeof *o);
    if (o != NULL) memcpy(o->name, name, strlen(name));
    return o;
}

static wadi_status add(const char *name, wadi_foreign_fn fn, void *env, wadi_error *err) {
    const int place = free_place();
    if (wadi_foreign_own_has(name))
        return wadi_fail(err, WADI_INVALID, "foreign: there is a routine \"%s\" already", name);
    if (place < 0) return wadi_fail(err, WADI_UNSUPPORTED, "foreign: more than %d routines", OWN);
    own *o = take(name);
    if (o == NULL) return wadi_fail(err, WADI_MEMORY, "foreign: out of memory");
    o->fn = fn;
    o->env = env;
    atomic_store(&o->asked, false);
    atomic_store(&o->answered, false);
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
    int place = 0;
    (void)pthread_mutex_lock(&lock);
    own *o = find(name, &place);
    if (o != NULL) {
        atomic_store(&table[place], NULL);
        o->next = removed;
        removed = o;
    }
    (void)pthread_mutex_unlock(&lock);
}
