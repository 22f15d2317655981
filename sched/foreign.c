/* The table of libraries, and finding a routine in it. */
#include "sched/foreign.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/loadable.h"
#include "base/log.h"
#include "sched/foreign_own.h"
#include "sched/radix/radix.h"

/* A module, and the routines it has: known without loading it. */
typedef struct row {
    const char *module;
    const char *const *routines; /* ended by NULL */
} row;

static const char *const fftw_routines[] = {"fft",         "ifft",         "rfft",
                                            "irfft",       "fft.steady",   "ifft.steady",
                                            "rfft.steady", "irfft.steady", NULL};

static const row rows[] = {{"fftw", fftw_routines}};

enum { ROWS = sizeof rows / sizeof *rows };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool tried[ROWS];
static _Atomic(const wadi_library *) libraries[ROWS];
static atomic_bool decline;

/* The library of row i; NULL: it has not been loaded, or is not installed. */
static const wadi_library *loaded(int i) {
    return atomic_load_explicit(&libraries[i], memory_order_acquire);
}

/* Loads the library of row i. If it is not installed that is no failure, because the language computes the same. If it is broken, the log
 * says so once. */
static void load(int i) {
    (void)pthread_mutex_lock(&lock);
    if (!atomic_load(&tried[i])) {
        wadi_error err = {0};
        const void *ops = NULL;
        const wadi_status st = wadi_loadable_get(rows[i].module, "routines", &ops, &err);
        if (st == WADI_OK) atomic_store(&libraries[i], (const wadi_library *)ops);
        if (st == WADI_IO) wadi_logf(WADI_LOG_WARNING, "%s", err.msg);
        atomic_store(&tried[i], true);
    }
    (void)pthread_mutex_unlock(&lock);
}

static bool lists(const row *r, const char *name) {
    for (const char *const *n = r->routines; *n != NULL; n++)
        if (strcmp(*n, name) == 0) return true;
    return false;
}

/* The routine of that name; NULL: no installed library has it. */
static const wadi_routine *find(const char *name) {
    for (int i = 0; i < ROWS; i++) {
        if (!lists(&rows[i], name)) continue;
        if (!atomic_load_explicit(&tried[i], memory_order_acquire)) load(i);
        const wadi_library *l = loaded(i);
        for (int k = 0; l != NULL && k < l->nroutines; k++)
            if (strcmp(l->routines[k].name, name) == 0) return &l->routines[k];
    }
    return NULL;
}

bool wadi_foreign_has(const char *name) {
    return wadi_radix_has(name) || find(name) != NULL || wadi_foreign_own_has(name);
}

bool wadi_foreign_lists(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (lists(&rows[i], name)) return true;
    return false;
}

bool wadi_foreign_declines(const char *name) {
    return wadi_foreign_own_declines(name);
}

static bool is_empty(const wadi_call *call) {
    for (int k = call->nin; k < call->nin + call->nout; k++) {
        int64_t size = call->count;
        for (int d = 0; d < call->array[k].rank; d++) size *= call->array[k].shape[d];
        if (size > 0) return false;
    }
    return true;
}

bool wadi_foreign_run(const wadi_call *call, wadi_error *failure) {
    if (is_empty(call)) return true;
    if (atomic_load_explicit(&decline, memory_order_relaxed)) return false;
    if (wadi_radix_has(call->routine)) return wadi_radix_run(call, NULL);
    const wadi_routine *r = find(call->routine);
    return r != NULL ? r->run(call) : wadi_foreign_own_run(call, failure);
}

bool wadi_foreign_shares(const wadi_call *call) {
    return wadi_radix_shares(call);
}

bool wadi_foreign_run_shared(const wadi_call *call, wadi_pool *pool) {
    if (is_empty(call)) return true;
    return !atomic_load_explicit(&decline, memory_order_relaxed) && wadi_radix_run(call, pool);
}

wadi_status wadi_foreign_add(const char *name, wadi_foreign_fn fn, void *env, wadi_error *err) {
    if (name != NULL && (wadi_radix_has(name) || find(name) != NULL))
        return wadi_fail(err, WADI_INVALID, "foreign: a library has a routine \"%s\"", name);
    return wadi_foreign_own_add(name, fn, env, err);
}

wadi_status wadi_foreign_open(const char *directory, wadi_error *err) {
    wadi_status first = WADI_OK;
    for (int i = 0; i < ROWS; i++) {
        const wadi_library *l = loaded(i);
        if (l == NULL || l->open == NULL) continue;
        const wadi_status st = l->open(directory, first == WADI_OK ? err : NULL);
        if (first == WADI_OK) first = st;
    }
    return first;
}

wadi_status wadi_foreign_save(wadi_error *err) {
    wadi_status first = WADI_OK;
    for (int i = 0; i < ROWS; i++) {
        const wadi_library *l = loaded(i);
        if (l == NULL || l->save == NULL) continue;
        const wadi_status st = l->save(first == WADI_OK ? err : NULL);
        if (first == WADI_OK) first = st;
    }
    return first;
}

void wadi_foreign_forget(void) {
    for (int i = 0; i < ROWS; i++) {
        const wadi_library *l = loaded(i);
        if (l != NULL && l->forget != NULL) l->forget();
    }
}

void wadi_foreign_decline(bool all) {
    atomic_store(&decline, all);
}
