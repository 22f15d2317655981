/* What a saved run is of, as names and values: another run goes on only if all are equal. */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sketch.h"
#include "sched/run/checkpoint.h"

enum { DIGEST = 32, DIGITS = 2 * DIGEST + 1 };

/* A value, and what a difference means. */
typedef struct fact {
    const char *name; /* of an input or a source; "": there is none */
    const char *differs;
    wadi_text value;
} fact;

typedef WADI_VEC(fact) facts;

static void forget(facts *all) {
    for (size_t i = 0; i < all->n; i++) wadi_text_fini(&all->at[i].value);
    wadi_vec_free(all);
}

/* Takes over the value. */
static wadi_status add(facts *all, const char *name, const char *differs, wadi_text *owned_value,
                       wadi_error *err) {
    const fact f = {name, differs, *owned_value};
    if (!owned_value->failed && wadi_vec_push(all, f)) return WADI_OK;
    wadi_text_fini(owned_value);
    return wadi_fail(err, WADI_MEMORY, "saving a run: out of memory");
}

static wadi_status add_program(const wadi_run *x, facts *all, wadi_error *err) {
    uint8_t hash[DIGEST];
    char digits[DIGITS];
    wadi_text version = {0}, program = {0};
    wadi_plan_hash(x->plan, hash);
    wadi_hex(hash, DIGEST, digits);
    wadi_text_add(&version, WADI_VERSION);
    WADI_TRY(add(all, "", "another version of wadi", &version, err));
    wadi_text_add(&program, digits);
    return add(all, "", "another program", &program, err);
}

static wadi_status add_inputs(const wadi_run *x, facts *all, wadi_error *err) {
    for (int i = 0; i < x->plan->ninputs; i++) {
        const wadi_plan_input *in = &x->plan->inputs[i];
        const wadi_array a = x->given != NULL ? x->given[i] : wadi_slots_array(&x->slots, in->slot);
        wadi_text value = {0};
        const wadi_status status = wadi_sketch_array(&a, &value, err);
        if (status != WADI_OK) {
            wadi_text_fini(&value);
            return status;
        }
        WADI_TRY(add(all, in->name, "another input", &value, err));
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
static wadi_status add_sources(const wadi_run *x, facts *all, wadi_error *err) {
    for (size_t i = 0; i < x->bindings.n; i++) {
        wadi_source *s = x->bindings.at[i].source;
        wadi_text value = {0};
        if (s == NULL) continue;
        wadi_text_addf(&value, "%s ", s->kind);
        describe_parts(s, &value);
        if (s->ops->describe != NULL && s->ops->describe(s, &value, err) != WADI_OK) {
            wadi_text_fini(&value);
            return err != NULL ? err->status : WADI_IO;
        }
        WADI_TRY(add(all, x->bindings.at[i].name, "other data of the source", &value, err));
    }
    return WADI_OK;
}

static wadi_status collect(const wadi_run *x, facts *all, wadi_error *err) {
    WADI_TRY(add_program(x, all, err));
    WADI_TRY(add_inputs(x, all, err));
    return add_sources(x, all, err);
}

wadi_status wadi_checkpoint_describe(const wadi_run *x, wadi_text *out, wadi_error *err) {
    facts all = {0};
    const wadi_status status = collect(x, &all, err);
    wadi_state_put(out, (int64_t)all.n);
    for (size_t i = 0; i < all.n; i++) {
        wadi_state_put_text(out, all.at[i].name);
        wadi_state_put_text(out, wadi_text_str(&all.at[i].value));
    }
    forget(&all);
    return status;
}

static wadi_status compare_one(const wadi_run *x, const fact *f, bool any, wadi_state_reader *from,
                               wadi_error *err) {
    wadi_text name = {0}, value = {0};
    wadi_status status = wadi_state_take_text(from, &name, err);
    if (status == WADI_OK) status = wadi_state_take_text(from, &value, err);
    const bool same = strcmp(wadi_text_str(&name), f->name) == 0 &&
                      strcmp(wadi_text_str(&value), wadi_text_str(&f->value)) == 0;
    if (status == WADI_OK && !same && !any)
        status = wadi_fail(err, WADI_INVALID, "%s: what is saved there is of %s%s%s%s",
                           x->options.state, f->differs, f->name[0] != '\0' ? " \"" : "", f->name,
                           f->name[0] != '\0' ? "\"" : "");
    wadi_text_fini(&name);
    wadi_text_fini(&value);
    return status;
}

static wadi_status compare_all(const wadi_run *x, const facts *all, bool any,
                               wadi_state_reader *from, wadi_error *err) {
    int64_t n = 0;
    WADI_TRY(wadi_state_take(from, &n, err));
    if (n != (int64_t)all->n)
        return wadi_fail(err, WADI_INVALID, "%s: what is saved there is of another program",
                         x->options.state);
    for (size_t i = 0; i < all->n; i++) WADI_TRY(compare_one(x, &all->at[i], any, from, err));
    return WADI_OK;
}

wadi_status wadi_checkpoint_compare(const wadi_run *x, bool any, wadi_state_reader *from,
                                    wadi_error *err) {
    facts all = {0};
    wadi_status status = collect(x, &all, err);
    if (status == WADI_OK) status = compare_all(x, &all, any, from, err);
    forget(&all);
    return status;
}
