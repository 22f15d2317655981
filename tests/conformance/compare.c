/* Comparing arrays. */
#include <math.h>
#include <string.h>

#include "tests/conformance/runner.h"

static bool is_nan(wadi_scalar v) {
    if (v.type == WADI_F32) {
        float x;
        const uint32_t low = (uint32_t)v.bits;
        memcpy(&x, &low, sizeof x);
        return isnan(x);
    }
    double x;
    memcpy(&x, &v.bits, sizeof x);
    return v.type == WADI_F64 && isnan(x);
}

static double as_number(wadi_scalar v) {
    double x;
    float f;
    const uint32_t low = (uint32_t)v.bits;
    memcpy(&x, &v.bits, sizeof x);
    memcpy(&f, &low, sizeof f);
    return v.type == WADI_F64 ? x : v.type == WADI_F32 ? (double)f : (double)(int64_t)v.bits;
}

/* The real part of `v`, or the imaginary one; of a real number the number. */
static wadi_scalar part(wadi_scalar v, bool imaginary) {
    return (wadi_scalar){wadi_type_part(v.type), imaginary ? v.im : v.bits};
}

/* Any NaN is as good as another. */
static bool same(wadi_scalar x, wadi_scalar y) {
    return x.bits == y.bits || (is_nan(x) && is_nan(y));
}

static bool same_form(const wadi_array *want, const wadi_array *got, wadi_text *why) {
    bool same = want->rank == got->rank && want->fields == got->fields;
    for (int f = 0; same && f < want->fields; f++) same = want->type[f] == got->type[f];
    if (!same) wadi_text_addf(why, "rank or fields differ");
    for (int d = 0; same && d < want->rank; d++) {
        same = want->shape[d] == got->shape[d];
        if (!same)
            wadi_text_addf(why, "extent %d is %lld, expected %lld", d, (long long)got->shape[d],
                           (long long)want->shape[d]);
    }
    return same;
}

static bool same_column(const wadi_array *want, const wadi_array *got, int f, int64_t n,
                        wadi_text *why) {
    const wadi_type t = want->type[f];
    const size_t size = (size_t)wadi_type_size(t);
    const char *a = want->column[f], *b = got->column[f];
    if (n == 0 || memcmp(a, b, (size_t)n * size) == 0) return true;
    for (int64_t i = 0; i < n; i++) {
        const wadi_scalar x = wadi_scalar_load(t, a + (size_t)i * size),
                          y = wadi_scalar_load(t, b + (size_t)i * size);
        const bool imaginary = wadi_type_is_complex(t) && same(part(x, false), part(y, false));
        const wadi_scalar p = part(x, imaginary), q = part(y, imaginary);
        if (same(p, q)) continue;
        wadi_text_addf(why, "value %lld of field %d is %.17g (%#llx), expected %.17g (%#llx)",
                       (long long)i, f, as_number(q), (unsigned long long)q.bits, as_number(p),
                       (unsigned long long)p.bits);
        return false;
    }
    return true;
}

bool conf_same_array(const wadi_array *want, const wadi_array *got, wadi_text *why) {
    if (!same_form(want, got, why)) return false;
    int64_t n = 1;
    for (int d = 0; d < want->rank; d++) n *= want->shape[d];
    for (int f = 0; f < want->fields; f++)
        if (!same_column(want, got, f, n, why)) return false;
    return true;
}

static bool same_sink(const wadi_interp_sink *want, const wadi_interp_sink *got, wadi_text *why) {
    if (!got || want->n != got->n || want->components != got->components) {
        wadi_text_addf(why, "stream %s: other elements", want->name);
        return false;
    }
    for (int64_t i = 0; i < want->n * want->components; i++) {
        wadi_text_clear(why);
        wadi_text_addf(why, "stream %s, element %lld, part %lld: ", want->name,
                       (long long)(i / want->components), (long long)(i % want->components));
        if (!conf_same_array(&want->elements[i], &got->elements[i], why)) return false;
    }
    return true;
}

bool conf_same_results(const wadi_interp_results *want, const wadi_interp_results *got,
                       wadi_text *why) {
    for (int i = 0; i < want->noutputs; i++) {
        const wadi_array *a = wadi_interp_output_get(got, want->outputs[i].name);
        wadi_text_clear(why);
        wadi_text_addf(why, "output %s: ", want->outputs[i].name);
        if (!a || !conf_same_array(&want->outputs[i].array, a, why)) return false;
    }
    for (int i = 0; i < want->nsinks; i++)
        if (!same_sink(&want->sinks[i], wadi_interp_sink_get(got, want->sinks[i].name), why))
            return false;
    wadi_text_clear(why);
    return true;
}
