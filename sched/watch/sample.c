/* Integers whole, floats with all their digits: whoever reads them gets the values that were sampled. */
#include "sched/watch/sample.h"

#include <math.h>

/* As exactly as the type has it: integers whole, and of floats as many digits as tell it from its neighbours. */
static const char *format_of(wadi_type t) {
    if (t == WADI_F64 || t == WADI_C128) return "%.17g";
    return t == WADI_F32 || t == WADI_C64 ? "%.9g" : "%.0f";
}

static void put_real(wadi_text *out, wadi_type t, double x) {
    if (isfinite(x))
        wadi_text_addf(out, format_of(t), x);
    else
        wadi_text_add(out, "null");
}

static void put_values(wadi_text *out, const wadi_sample_part *p, const double *value) {
    const bool complex_ = p->type == WADI_C64 || p->type == WADI_C128;
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        if (complex_) wadi_text_add(out, "[");
        put_real(out, p->type, *value++);
        if (!complex_) continue;
        wadi_text_add(out, ", ");
        put_real(out, p->type, *value++);
        wadi_text_add(out, "]");
    }
}

static void put_part(wadi_text *out, const wadi_sample *s, const wadi_sample_part *p) {
    wadi_text_addf(out, "{\"type\": \"%s\", \"shape\": [", wadi_type_name(p->type));
    for (int i = 0; i < p->rank; i++)
        wadi_text_addf(out, "%s%lld", i > 0 ? ", " : "", (long long)p->shape[i]);
    wadi_text_addf(out, "], \"series\": %s, \"rows\": %lld, \"columns\": %lld",
                   p->series ? "true" : "false", (long long)p->rows, (long long)p->columns);
    wadi_text_addf(out, ", \"row_step\": %lld, \"column_step\": %lld, \"values\": [",
                   (long long)p->row_step, (long long)p->column_step);
    put_values(out, p, s->value + p->at);
    wadi_text_add(out, "]}");
}

void wadi_watch_sample(const wadi_sample *s, wadi_text *out) {
    wadi_text_addf(out, "{\"first\": %lld, \"count\": %lld, \"cut\": %s, \"parts\": [",
                   (long long)s->first, (long long)s->count, s->cut ? "true" : "false");
    for (int i = 0; i < s->n; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        put_part(out, s, &s->part[i]);
    }
    wadi_text_add(out, "]}");
}
