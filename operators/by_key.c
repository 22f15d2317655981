/* What scan_by_key and fold_by_key share. */
#include "operators/by_key.h"

#include "base/error.h"
#include "operators/rules.h"

static const char no_key[] =
    "the first component of an element is its key, an integer or a record of integers";

static bool is_whole(wadi_type t) {
    return t >= WADI_I8 && t <= WADI_U64;
}

/* Keys are compared bit by bit, so they are integers. */
static bool is_key(const wadi_array_type *t) {
    bool whole = t->rank == 0;
    for (int f = 0; f < t->elem.fields; f++) whole = whole && is_whole(t->elem.type[f]);
    return whole;
}

wadi_status wadi_rule_by_key(wadi_module *m, wadi_bind *b, wadi_error *err) {
    wadi_array_type params[WADI_MAX_PARAMS];
    WADI_TRY(wadi_rule_stepping(m, b, params, err));
    const wadi_val_type *s = wadi_rule_seq(m, b, 0);
    if (s->arrays >= 1 && is_key(&s->array[0])) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: %s", b->op->name, no_key);
}

bool wadi_stepping_by_key(wadi_draft *d, wadi_acc_fn2_env f, void *env, wadi_acc z, wadi_seq s,
                          wadi_stepping *out) {
    if (!wadi_stepping_begin(d, z, s, out)) return false;
    if (out->parts < 1 || !is_key(&out->element[0])) wadi_draft_fail(d, WADI_TYPE, "%s", no_key);
    if (wadi_draft_failed(d)) return false;
    wadi_stepping_region(d, out, f, env, out->parts, out->element);
    return true;
}
