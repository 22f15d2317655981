/* Integers whole, floats with all their digits: whoever reads them gets the values that were sampled. */
#include "sched/watch/sample.h"

/* As many as tell a value from its neighbours. */
static int digits_of(wadi_type t) {
    if (t == WADI_F64 || t == WADI_C128) return 17;
    return t == WADI_F32 || t == WADI_C64 ? 9 : 20;
}

static void put_values(wadi_text *out, const wadi_sample_part *p, const double *value) {
    const bool complex_ = p->type == WADI_C64 || p->type == WADI_C128;
    const int digits = digits_of(p->type);
    for (int64_t i = 0; i < p->rows * p->columns; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        if (complex_)
            wadi_text_add_json_complex(out, value[2 * i], value[2 * i + 1], digits);
        else
            wadi_text_add_json_number(out, value[i], digits);
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
