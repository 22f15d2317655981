/* permute: copies the defaults and sends each element of the array to an index, where it is combined with the value there, in
 * the order of the source. An index out of range is a fault. An element may be dropped. Its target may depend on further
 * arrays of the same shape. */
#include "operators/zip.h"

/* Function 0: comb(new.., old..) -> element. Function 1: index of the source, elements of arguments
 * 2, 3, .. at it -> keep, index of the defaults. */
static int fun_params(const wadi_module *m, const wadi_bind *b, int fun, wadi_type *types) {
    const wadi_array_type *defaults = wadi_rule_arg(m, b, 0), *a = wadi_rule_arg(m, b, 1);
    if (!defaults || !a) return -1;
    if (fun == 1) return wadi_zip_params(m, b, 2, wadi_rule_add_index(types, 0, a->rank), types);
    return wadi_rule_add_elem(types, wadi_rule_add_elem(types, 0, a), defaults);
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 2, 1 + WADI_ZIP_ARRAYS, err));
    WADI_TRY(wadi_rule_same_elem(m, b, 1, 0, err));
    WADI_TRY(wadi_zip_type(m, b, 1, err));
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun(m, b, 1, err));
    const wadi_array_type *defaults = wadi_rule_arg(m, b, 0);
    WADI_TRY(wadi_rule_fun_gives(b, 0, defaults->elem.fields, defaults->elem.type, err));
    wadi_type target[WADI_MAX_PARAMS] = {WADI_BOOL};
    const int n = wadi_rule_add_index(target, 1, defaults->rank);
    WADI_TRY(wadi_rule_fun_gives(b, 1, n, target, err));
    return wadi_rule_result(m, b, defaults->rank, &defaults->elem, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    wadi_zip_extents(cx, b, 1);
    wadi_rule_shape_like(cx, b, b->args[0], wadi_rule_rank_of(cx->module, b->args[0]));
}

static wadi_status send(wadi_eval_cx *cx, const wadi_bind *b, const wadi_iarray *a,
                        const int64_t *ix, wadi_iarray *out) {
    uint64_t args[WADI_MAX_PARAM_CELLS], target[1 + WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) args[d] = (uint64_t)ix[d];
    wadi_zip_put(cx, b, 2, ix, args + a->rank);
    WADI_TRY(cx->apply(cx, b, b->funs[1], args, target));
    if (target[0] == 0) return WADI_OK;
    int64_t to[WADI_MAX_RANK];
    for (int d = 0; d < out->rank; d++) to[d] = (int64_t)target[1 + d];
    const uint64_t *old;
    WADI_TRY(wadi_eval_read(cx, b, b->loc, out, to, &old));
    uint64_t *place = out->cell + (old - out->cell);
    return wadi_eval_combine(cx, b, b->funs[0], a->cells, wadi_eval_get(a, ix), old, place);
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *defaults = cx->array(cx, b->args[0]), *a = cx->array(cx, b->args[1]);
    wadi_iarray *out;
    WADI_TRY(wadi_zip_check(cx, b, 1));
    WADI_TRY(cx->result(cx, b->results[0], defaults->rank, defaults->shape, &out));
    for (int64_t i = 0; i < out->size * out->cells; i++) out->cell[i] = defaults->cell[i];
    int64_t ix[WADI_MAX_RANK] = {0};
    for (int64_t i = 0; i < a->size; i++) {
        wadi_eval_here(cx, a->rank, ix);
        WADI_TRY(send(cx, b, a, ix, out));
        wadi_eval_next(a->rank, a->shape, ix);
    }
    cx->index_rank = -1;
    return WADI_OK;
}

const wadi_op wadi_op_permute = {
    .name = "permute",
    .form = "permute defaults a keys.. (new, old) { .. } (i.., k..) { keep, index.. }",
    .types = "a[m..], a[n..], b[n..].., (a, a -> a), (i64.., b.. -> bool, i64..) -> a[m..]",
    .about = "starts from defaults; each element of a goes to the index the second function gives, "
             "or nowhere, combined in the order of the source; outside is a fault",
    .kind = WADI_OP_CONSUMER,
    .skeleton = WADI_SKEL_PERMUTE,
    .reads = "ce",
    .indexes = WADI_INDEXES_RESULT,
    .nfuns = 2,
    .fun_params = fun_params,
    .type = type,
    .shape = shape,
    .eval = eval,
};

wadi_acc wadi_permute_by_env(wadi_fn2_env comb, wadi_acc defaults, wadi_target_fn_env f, void *env,
                             wadi_acc a, int n, const wadi_acc *keys) {
    const wadi_array_type *t[WADI_ZIP_ARRAYS] = {NULL};
    wadi_acc arrays[WADI_ZIP_ARRAYS];
    wadi_exp key[WADI_ZIP_ARRAYS];
    wadi_draft d = wadi_draft_begin("permute");
    const wadi_array_type *old = wadi_draft_array(&d, defaults);
    if (n >= WADI_ZIP_ARRAYS)
        wadi_draft_fail(&d, WADI_UNSUPPORTED, "%d keys, expected at most %d", n,
                        WADI_ZIP_ARRAYS - 1);
    if (n > 0) wadi_draft_given(&d, keys, "keys");
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    arrays[0] = a;
    for (int i = 0; i < n; i++) arrays[1 + i] = keys[i];
    if (!wadi_zip_draft(&d, 1, 1 + n, arrays, t)) return WADI_NO_ACC;
    if (!wadi_elem_equal(&t[0]->elem, &old->elem)) {
        wadi_draft_fail(&d, WADI_TYPE, "argument 2 is %s, expected elements %s",
                        wadi_array_type_text(t[0]), wadi_elem_text(&old->elem));
        return WADI_NO_ACC;
    }
    wadi_draft_fun(&d);
    const wadi_exp x = wadi_draft_param(&d, &t[0]->elem), y = wadi_draft_param(&d, &t[0]->elem);
    wadi_draft_gives_elem(&d, WADI_ASK_EXP(comb, env, x, y), &t[0]->elem);
    wadi_draft_fun(&d);
    const wadi_ix ix = wadi_draft_param_ix(&d, t[0]->rank);
    for (int i = 0; i < n; i++) key[i] = wadi_draft_param(&d, &t[1 + i]->elem);
    wadi_draft_gives_ix(&d, WADI_ASK_IX(f, env, ix, n, key), old->rank, true);
    return wadi_draft_acc(&d, &wadi_op_permute, old->rank, &old->elem);
}

/* The functions of a permute without keys, with an environment or without. */
typedef struct two {
    bool with_env;
    wadi_fn2_env comb_env;
    wadi_ix_ix_fn_env f_env;
    void *env;
    wadi_fn2 comb;
    wadi_ix_ix_fn f;
} two;

static wadi_exp call_comb(void *env, wadi_exp x, wadi_exp old) {
    const two *fs = env;
    return fs->with_env ? WADI_ASK_EXP(fs->comb_env, fs->env, x, old)
                        : WADI_ASK_EXP(fs->comb, x, old);
}

static wadi_ix call_target(void *env, wadi_ix ix, int n, const wadi_exp *key) {
    const two *fs = env;
    (void)n;
    (void)key;
    return fs->with_env ? WADI_ASK_IX(fs->f_env, fs->env, ix) : WADI_ASK_IX(fs->f, ix);
}

wadi_acc wadi_permute_env(wadi_fn2_env comb, wadi_acc defaults, wadi_ix_ix_fn_env f, void *env,
                          wadi_acc a) {
    two fs = {.with_env = true, .comb_env = comb, .f_env = f, .env = env};
    return wadi_permute_by_env(call_comb, defaults, call_target, &fs, a, 0, NULL);
}

wadi_acc wadi_permute(wadi_fn2 comb, wadi_acc defaults, wadi_ix_ix_fn f, wadi_acc a) {
    two fs = {.comb = comb, .f = f};
    return wadi_permute_by_env(call_comb, defaults, call_target, &fs, a, 0, NULL);
}
