/* The policy that always chooses the same size: for tests, for reproducing a run, and for streams whose best size is known. */
#include "sched/policy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum { DEFAULT_SIZE = 64 };

typedef struct fixed {
    wadi_policy base;
    int64_t size;
} fixed;

static void destroy(wadi_policy *self) {
    free(self);
}

static void observe(wadi_policy *self, const wadi_policy_sample *sample) {
    WADI_UNUSED(self);
    WADI_UNUSED(sample);
}

static int64_t choose(const wadi_policy *self) {
    return ((const fixed *)self)->size;
}

static void save(const wadi_policy *self, wadi_text *out) {
    wadi_text_addf(out, "fixed %lld", (long long)((const fixed *)self)->size);
}

static wadi_status load(wadi_policy *self, const char *text, wadi_error *err) {
    long long size = 0;
    if (sscanf(text, "fixed %lld", &size) != 1 || size < 1) {
        return wadi_fail(err, WADI_INVALID, "chunk policy fixed: cannot read \"%s\"", text);
    }
    ((fixed *)self)->size = size;
    return WADI_OK;
}

static const wadi_policy_ops ops = {destroy, observe, choose, save, load};

wadi_status wadi_policy_fixed_create(int64_t start, wadi_policy **out, wadi_error *err) {
    fixed *p = calloc(1, sizeof *p);
    if (p == NULL) return wadi_fail(err, WADI_MEMORY, "chunk policy: out of memory");
    p->base.ops = &ops;
    p->size = start > 0 ? start : DEFAULT_SIZE;
    *out = &p->base;
    return WADI_OK;
}
