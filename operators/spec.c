/* The entries that replicate and slice take, and writing them out as one entry per dimension. */
#include "operators/spec.h"

enum { ALL = 0, FIXED = 1, ANY = 2 };

wadi_spec wadi_all(void) {
    return (wadi_spec){.kind = ALL};
}

wadi_spec wadi_any(void) {
    return (wadi_spec){.kind = ANY};
}

wadi_spec wadi_fix(wadi_exp extent_or_index) {
    return (wadi_spec){.kind = FIXED, .value = extent_or_index};
}

static int count(int n, const wadi_spec *spec, int kind) {
    int found = 0;
    for (int i = 0; i < n; i++) found += spec[i].kind == kind;
    return found;
}

int wadi_spec_fixed(int n, const wadi_spec *spec) {
    return count(n, spec, FIXED);
}

static void add(wadi_draft *d, wadi_dims *dims, bool fixed, wadi_exp value) {
    if (dims->n == WADI_MAX_RANK) {
        wadi_draft_fail(d, WADI_SHAPE, "more than %d dimensions", WADI_MAX_RANK);
        return;
    }
    dims->fixed[dims->n] = fixed;
    dims->value[dims->n++] = value;
}

wadi_dims wadi_spec_dims(wadi_draft *d, const wadi_array_type *t, int n, const wadi_spec *spec,
                         int whole) {
    wadi_dims dims = {.n = 0};
    const int all = count(n, spec, ALL), any = count(n, spec, ANY);
    if (any > 1)
        wadi_draft_fail(d, WADI_SHAPE, "`any` stands %d times, expected at most once", any);
    else if (any == 1 ? all > whole : all != whole)
        wadi_draft_expected(d, t, WADI_SHAPE, "an array that fits %d entries, %d of them `all`", n,
                            all);
    for (int i = 0; i < n && !wadi_draft_failed(d); i++) {
        const int times = spec[i].kind == ANY ? whole - all : 1;
        for (int k = 0; k < times; k++) add(d, &dims, spec[i].kind == FIXED, spec[i].value);
    }
    if (wadi_draft_failed(d)) dims.n = 0;
    return dims;
}

void wadi_spec_entries(wadi_draft *d, const wadi_dims *dims) {
    for (int i = 0; i < dims->n; i++) {
        wadi_draft_attr(d, dims->fixed[i] ? 1 : 0);
        if (dims->fixed[i]) wadi_draft_int(d, dims->value[i]);
    }
}
