/* Arrays that end at the end of accessible memory: a read or write of one byte after the last element ends the test. */
#ifndef WADI_TESTS_CONFORMANCE_GUARDED_H
#define WADI_TESTS_CONFORMANCE_GUARDED_H

#include "wadi/wadi.h"

typedef struct guarded_pages {
    char *at;
    size_t bytes; /* with the page that guards */
} guarded_pages;

typedef struct guarded {
    wadi_array array; /* the copy; valid until fini */
    guarded_pages pages[WADI_MAX_FIELDS];
} guarded;

/* A copy of `a`. Errors: WADI_MEMORY. fini is needed in all cases. */
WADI_NODISCARD wadi_status guarded_init(guarded *g, const wadi_array *a, wadi_error *err);
void guarded_fini(guarded *g);

#endif
