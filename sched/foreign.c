/* The table of libraries, and finding a routine in it. */
#include "sched/foreign.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"

#ifdef WADI_HAVE_FFTW
extern const wadi_library wadi_library_fftw;
#endif

const wadi_library *const wadi_libraries[] = {
#ifdef WADI_HAVE_FFTW
    &wadi_library_fftw,
#endif
    NULL,
};

static atomic_bool decline;

const wadi_routine *wadi_foreign_find(const char *name) {
    for (int i = 0; wadi_libraries[i] != NULL; i++) {
        const wadi_library *l = wadi_libraries[i];
        for (int k = 0; k < l->nroutines; k++) {
            if (strcmp(l->routines[k].name, name) == 0) return &l->routines[k];
        }
    }
    return NULL;
}

bool wadi_foreign_has(const char *name) {
    return wadi_foreign_find(name) != NULL;
}

static bool is_empty(const wadi_call *call) {
    for (int k = call->nin; k < call->nin + call->nout; k++) {
        int64_t size = call->count;
        for (int d = 0; d < call->array[k].rank; d++) size *= call->array[k].shape[d];
        if (size > 0) return false;
    }
    return true;
}

bool wadi_foreign_run(const wadi_call *call) {
    if (is_empty(call)) return true;
    if (atomic_load_explicit(&decline, memory_order_relaxed)) return false;
    const wadi_routine *r = wadi_foreign_find(call->routine);
    return r != NULL && r->run(call);
}

wadi_status wadi_foreign_open(const char *directory, wadi_error *err) {
    wadi_status first = WADI_OK;
    for (int i = 0; wadi_libraries[i] != NULL; i++) {
        if (wadi_libraries[i]->open == NULL) continue;
        const wadi_status st = wadi_libraries[i]->open(directory, first == WADI_OK ? err : NULL);
        if (first == WADI_OK) first = st;
    }
    return first;
}

wadi_status wadi_foreign_save(wadi_error *err) {
    wadi_status first = WADI_OK;
    for (int i = 0; wadi_libraries[i] != NULL; i++) {
        if (wadi_libraries[i]->save == NULL) continue;
        const wadi_status st = wadi_libraries[i]->save(first == WADI_OK ? err : NULL);
        if (first == WADI_OK) first = st;
    }
    return first;
}

void wadi_foreign_decline(bool all) {
    atomic_store(&decline, all);
}
