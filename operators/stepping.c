/* The builder of fold_seq, scan_seq and fold_batch: a state of arrays, and the region that makes the next state. */
#include "operators/stepping.h"

bool wadi_stepping_begin(wadi_draft *d, wadi_acc z, wadi_seq s, wadi_stepping *out) {
    *out = (wadi_stepping){0};
    out->element = wadi_draft_seq_arg(d, s, &out->parts);
    const wadi_array_type *start = wadi_draft_tuple(d, z, &out->n);
    out->state = wadi_draft_types(d, out->n);
    if (wadi_draft_failed(d)) return false;
    for (int i = 0; i < out->n; i++)
        out->state[i] = (wadi_array_type){.rank = start[i].rank, .elem = start[i].elem};
    return true;
}

void wadi_stepping_region(wadi_draft *d, const wadi_stepping *o, wadi_acc_fn2_env f, void *env,
                          int parts, const wadi_array_type *x) {
    wadi_draft_region(d, WADI_LAMBDA_STREAM);
    const wadi_acc acc = wadi_draft_param_acc(d, o->n, o->state);
    const wadi_acc element = wadi_draft_param_acc(d, parts, x);
    wadi_draft_gives_types(d, WADI_ASK_ACC(f, env, acc, element), o->n, o->state);
}
