/* What a saved run is of. Another run goes on only if all is equal. */
#include "base/error.h"
#include "base/hash.h"
#include "base/sketch.h"
#include "sched/certificate/certificate.h"
#include "sched/traits.h"
#include "sched/foreign_own.h"
#include "sched/run/checkpoint.h"

enum { DIGEST = 32 };

/* Takes over the value. */
static wadi_status put_made(wadi_text *out, const char *differs, const char *name, wadi_status made,
                            wadi_text *owned_value, wadi_error *err) {
    wadi_status status = made;
    if (status == WADI_OK) wadi_traits_put(out, differs, name, wadi_text_str(owned_value));
    if (status == WADI_OK && (owned_value->failed || out->failed))
        status = wadi_fail(err, WADI_MEMORY, "saving a run: out of memory");
    wadi_text_fini(owned_value);
    return status;
}

static void put_program(const wadi_run *x, wadi_text *out) {
    uint8_t hash[DIGEST];
    char digits[2 * DIGEST + 1];
    wadi_plan_hash(x->plan, hash);
    wadi_hex(hash, DIGEST, digits);
    wadi_traits_put(out, "another version of wadi", "", WADI_VERSION);
    wadi_traits_put(out, "another program", "", digits);
}

/* The same program rounds otherwise with fast math, and computes something else with other routines of the same names. */
static wadi_status put_arithmetic(const wadi_run *x, wadi_text *out, wadi_error *err) {
    const bool fast = wadi_loader_is_fast(&x->loader);
    wadi_text libraries = {0};
    wadi_traits_put(out, "other arithmetic (fast math, or not)", "", fast ? "fast" : "exact");
    if (wadi_plan_calls_routines(x->plan)) wadi_foreign_own_describe(&libraries);
    return put_made(out, "other libraries of routines", "", WADI_OK, &libraries, err);
}

static wadi_status put_faults(const wadi_run *x, wadi_text *out, wadi_error *err) {
    const wadi_run_options *o = &x->options;
    wadi_text how = {0};
    wadi_text_addf(&how, "%d", (int)o->on_fault);
    if (o->on_fault == WADI_ON_FAULT_REPLACE) wadi_text_addf(&how, " %a", o->replacement);
    WADI_TRY(put_made(out, "another way with elements that fail", "", WADI_OK, &how, err));
    wadi_traits_put(out, "another file for elements that fail (dead)", "",
                    o->dead != NULL ? o->dead : "");
    return WADI_OK;
}

static wadi_status put_inputs(const wadi_run *x, wadi_text *out, wadi_error *err) {
    for (int i = 0; i < x->plan->ninputs; i++) {
        const wadi_plan_input *in = &x->plan->inputs[i];
        const wadi_array a = x->given != NULL ? x->given[i] : wadi_slots_array(&x->slots, in->slot);
        wadi_text value = {0};
        const wadi_status made = wadi_sketch_array(&a, &value, err);
        WADI_TRY(put_made(out, "another input", in->name, made, &value, err));
    }
    return WADI_OK;
}

/* The same bytes can be elements of other types or extents. */
static void describe_parts(const wadi_source *s, wadi_text *out) {
    for (int i = 0; i < s->parts; i++) {
        const wadi_part *part = &s->part[i];
        for (int f = 0; f < part->fields; f++)
            wadi_text_addf(out, "%s ", wadi_type_name(part->type[f]));
        for (int d = 0; d < part->rank; d++)
            wadi_text_addf(out, "%lld ", part->fixed ? (long long)part->shape[d] : -1);
    }
}

/* A source that cannot tell its data from others is taken at its word. */
static wadi_status put_source(const wadi_binding *b, wadi_text *out, wadi_error *err) {
    wadi_source *s = b->source;
    wadi_text value = {0};
    wadi_text_addf(&value, "%s ", s->kind);
    describe_parts(s, &value);
    const wadi_status made = s->ops->describe != NULL ? s->ops->describe(s, &value, err) : WADI_OK;
    return put_made(out, "other data of the source", b->name, made, &value, err);
}

static wadi_status put_sink(const wadi_binding *b, wadi_text *out, wadi_error *err) {
    const wadi_sink *s = b->sink;
    wadi_text value = {0};
    wadi_text_addf(&value, "%s ", s->kind);
    if (s->ops->describe != NULL) s->ops->describe(s, &value);
    return put_made(out, "another kind, place or form of the output", b->name, WADI_OK, &value,
                    err);
}

/* The digests that are saved are of a version. */
static wadi_status put_certificate(const wadi_run *x, wadi_text *out, wadi_error *err) {
    wadi_text value = {0};
    if (x->options.certificate != NULL)
        wadi_text_addf(&value, "%d %s", (int)WADI_CERTIFICATE_VERSION, x->options.certificate);
    return put_made(out, "another certificate, or none", "", WADI_OK, &value, err);
}

wadi_status wadi_checkpoint_describe(const wadi_run *x, wadi_text *out, size_t *out_older,
                                     wadi_error *err) {
    put_program(x, out);
    WADI_TRY(put_arithmetic(x, out, err));
    WADI_TRY(put_faults(x, out, err));
    WADI_TRY(put_inputs(x, out, err));
    WADI_TRY(put_certificate(x, out, err));
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].source != NULL) WADI_TRY(put_source(&x->bindings.at[i], out, err));
    *out_older = out->n;
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].sink != NULL) WADI_TRY(put_sink(&x->bindings.at[i], out, err));
    wadi_traits_end(out);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory") : WADI_OK;
}
