/* What a saved run is of, as names and values: another run goes on only if all are equal. First come the version and the program, then the inputs,
 * then the sources. */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sketch.h"
#include "sched/run/checkpoint.h"

enum { DIGEST = 32, PROGRAM = 2 /* the first input comes behind so many */ };

/* What it means that fact number i differs. */
static const char *differs(const wadi_run *x, int64_t i) {
    static const char *const first[PROGRAM] = {"another version of wadi", "another program"};
    if (i < PROGRAM) return first[i];
    return i - PROGRAM < x->plan->ninputs ? "another input" : "other data of the source";
}

static wadi_status put(wadi_text *out, const char *name, const char *value, wadi_error *err) {
    wadi_state_put_text(out, name);
    wadi_state_put_text(out, value);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving a run: out of memory") : WADI_OK;
}

/* Takes over the value. */
static wadi_status put_made(wadi_text *out, const char *name, wadi_status made,
                            wadi_text *owned_value, wadi_error *err) {
    wadi_status status = made;
    if (status == WADI_OK && owned_value->failed)
        status = wadi_fail(err, WADI_MEMORY, "saving a run: out of memory");
    if (status == WADI_OK) status = put(out, name, wadi_text_str(owned_value), err);
    wadi_text_fini(owned_value);
    return status;
}

static wadi_status put_program(const wadi_run *x, wadi_text *out, wadi_error *err) {
    uint8_t hash[DIGEST];
    char digits[2 * DIGEST + 1];
    wadi_plan_hash(x->plan, hash);
    wadi_hex(hash, DIGEST, digits);
    WADI_TRY(put(out, "", WADI_VERSION, err));
    return put(out, "", digits, err);
}

static wadi_status put_inputs(const wadi_run *x, wadi_text *out, wadi_error *err) {
    for (int i = 0; i < x->plan->ninputs; i++) {
        const wadi_plan_input *in = &x->plan->inputs[i];
        const wadi_array a = x->given != NULL ? x->given[i] : wadi_slots_array(&x->slots, in->slot);
        wadi_text value = {0};
        const wadi_status made = wadi_sketch_array(&a, &value, err);
        WADI_TRY(put_made(out, in->name, made, &value, err));
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
    return put_made(out, b->name, made, &value, err);
}

wadi_status wadi_checkpoint_describe(const wadi_run *x, wadi_text *out, wadi_error *err) {
    int64_t n = PROGRAM + x->plan->ninputs;
    for (size_t i = 0; i < x->bindings.n; i++) n += x->bindings.at[i].source != NULL;
    wadi_state_put(out, n);
    WADI_TRY(put_program(x, out, err));
    WADI_TRY(put_inputs(x, out, err));
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].source != NULL) WADI_TRY(put_source(&x->bindings.at[i], out, err));
    return WADI_OK;
}

typedef struct fact {
    wadi_text name, value;
} fact;

static wadi_status take(wadi_state_reader *from, fact *out, wadi_error *err) {
    WADI_TRY(wadi_state_take_text(from, &out->name, err));
    return wadi_state_take_text(from, &out->value, err);
}

static void forget(fact *f) {
    wadi_text_fini(&f->name);
    wadi_text_fini(&f->value);
}

static bool are_same(const wadi_text *a, const wadi_text *b) {
    return strcmp(wadi_text_str(a), wadi_text_str(b)) == 0;
}

static wadi_status compare(const wadi_run *x, int64_t i, const fact *own, const fact *saved,
                           wadi_error *err) {
    const char *name = wadi_text_str(&own->name), *quote = name[0] != '\0' ? "\"" : "";
    if (are_same(&own->name, &saved->name) && are_same(&own->value, &saved->value)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: what is saved there is of %s%s%s%s%s",
                     x->options.state, differs(x, i), name[0] != '\0' ? " " : "", quote, name,
                     quote);
}

static wadi_status compare_next(const wadi_run *x, bool any, int64_t i, wadi_state_reader *own,
                                wadi_state_reader *from, wadi_error *err) {
    fact is = {{0}, {0}}, was = {{0}, {0}};
    wadi_status status = take(own, &is, err);
    if (status == WADI_OK) status = take(from, &was, err);
    if (status == WADI_OK && !any) status = compare(x, i, &is, &was, err);
    forget(&is);
    forget(&was);
    return status;
}

wadi_status wadi_checkpoint_compare(const wadi_run *x, bool any, wadi_state_reader own,
                                    wadi_state_reader *from, wadi_error *err) {
    int64_t n = 0, saved = 0;
    WADI_TRY(wadi_state_take(&own, &n, err));
    WADI_TRY(wadi_state_take(from, &saved, err));
    if (n != saved)
        return wadi_fail(err, WADI_INVALID, "%s: what is saved there is of another program",
                         x->options.state);
    for (int64_t i = 0; i < n; i++) WADI_TRY(compare_next(x, any, i, &own, from, err));
    return WADI_OK;
}
