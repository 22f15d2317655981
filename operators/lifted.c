/* lifted: manual lifting. Region 0 is the computation of one element of a stream. Region 1 computes many at once: its
 * parameters and results have one more dimension, the number of the element, outermost.
 *
 * Region 0 defines the meaning. Region 1 is used where a chunk's arguments are regular and schedule flat runs. It is trusted
 * to agree (van den Haak 2019, section 4.5). */
#include "operators/rules.h"

#include <string.h>

#include "graph/lang/node.h"

enum { ONE = 0, MANY = 1 };

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    if (b->nargs > WADI_MAX_PARAMS) return -1;
    for (int i = 0; i < b->nargs; i++) {
        const wadi_array_type *a = wadi_rule_arg(m, b, i);
        if (!a || a->rank + block > WADI_MAX_RANK) return -1;
        types[i] = (wadi_array_type){.rank = a->rank + block, .elem = a->elem};
    }
    return b->nargs;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_MAX_PARAMS, err));
    WADI_TRY(wadi_rule_block(m, b, ONE, err));
    WADI_TRY(wadi_rule_block(m, b, MANY, err));
    const wadi_block *one = b->blocks[ONE];
    const int n = one->nyields;
    if (n > WADI_MAX_PARAMS)
        return wadi_fail_at(err, b->loc, WADI_UNSUPPORTED, "lifted: %d results, at most %d", n,
                            WADI_MAX_PARAMS);
    WADI_TRY(wadi_rule_yields(m, b, ONE, n, NULL, err));
    wadi_array_type types[WADI_MAX_PARAMS], many[WADI_MAX_PARAMS];
    for (int i = 0; i < n; i++) {
        many[i] = types[i] = *m->values[one->yields[i]].type.array;
        many[i].rank++;
    }
    WADI_TRY(wadi_rule_yields(m, b, MANY, n, many, err));
    return wadi_rule_results(m, b, n, types, err);
}

/* The number of elements is known only when there is a chunk. */
static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *one = b->blocks[ONE], *many = b->blocks[MANY];
    for (int i = 0; i < b->nargs; i++) {
        cx->set(cx, many->params[i], 0, 0, cx->opaque(cx, many->params[i], 0, 0));
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->args[i]); d++) {
            const wadi_ext e = cx->get(cx, b->args[i], 0, d);
            cx->set(cx, one->params[i], 0, d, e);
            cx->set(cx, many->params[i], 0, d + 1, e);
        }
    }
    cx->region(cx, one);
    cx->region(cx, many);
    for (int i = 0; i < b->nresults; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->results[i]); d++)
            cx->set(cx, b->results[i], 0, d, cx->get(cx, one->yields[i], 0, d));
}

static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    const wadi_block *one = b->blocks[ONE], *many = b->blocks[MANY];
    for (int i = 0; i < b->nargs; i++) {
        cx->set(cx, one->params[i], 0, cx->get(cx, b->args[i], 0));
        cx->set(cx, many->params[i], 0, cx->get(cx, b->args[i], 0));
    }
    cx->region(cx, one);
    cx->region(cx, many);
    for (int i = 0; i < b->nresults; i++)
        cx->set(cx, b->results[i], 0, cx->get(cx, one->yields[i], 0));
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *args[WADI_MAX_PARAMS], *yields[WADI_MAX_PARAMS];
    for (int i = 0; i < b->nargs; i++) args[i] = cx->array(cx, b->args[i]);
    WADI_TRY(cx->region(cx, b->blocks[ONE], args, yields));
    for (int i = 0; i < b->nresults; i++) WADI_TRY(cx->alias(cx, b->results[i], yields[i]));
    return WADI_OK;
}

const wadi_op wadi_op_lifted = {
    .name = "lifted",
    .form = "lifted a.. (x..) { yield y } do (xs..) { yield ys }",
    .types = "a[..].., (a[..].. -> b[..]), (a[k, ..].. -> b[k, ..]) -> b[..]",
    .about =
        "the first region; over a chunk of regular elements the second, which has a dimension more",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_LIFTED,
    .by_chunk = true,
    .nblocks = 2,
    .block_params = block_params,
    .type = type,
    .shape = shape,
    .depend = depend,
    .eval = eval,
};

static void types_with(wadi_draft *d, int n, const wadi_array_type *from, int more,
                       wadi_array_type *to) {
    for (int i = 0; i < n && !wadi_draft_failed(d); i++) {
        to[i] = (wadi_array_type){.rank = from[i].rank + more, .elem = from[i].elem};
        if (to[i].rank > WADI_MAX_RANK)
            wadi_draft_fail(d, WADI_SHAPE, "an array of rank %d cannot be lifted", from[i].rank);
    }
}

wadi_acc wadi_with_lifted_env(wadi_acc_fn1_env f, wadi_acc_fn1_env lifted, void *env, wadi_acc a) {
    wadi_draft d = wadi_draft_begin("with_lifted");
    int n = 0, results = 0;
    const wadi_array_type *t = wadi_draft_tuple(&d, a, &n);
    wadi_array_type *one = wadi_draft_types(&d, n), *many = wadi_draft_types(&d, n);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    types_with(&d, n, t, 0, one);
    types_with(&d, n, t, 1, many);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    const wadi_array_type *gives =
        wadi_draft_gives_acc(&d, WADI_ASK_ACC(f, env, wadi_draft_param_acc(&d, n, one)), &results);
    wadi_array_type *want = wadi_draft_types(&d, results), *plain = wadi_draft_types(&d, results);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    types_with(&d, results, gives, 1, want);
    types_with(&d, results, gives, 0, plain);
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    wadi_draft_gives_types(&d, WADI_ASK_ACC(lifted, env, wadi_draft_param_acc(&d, n, many)),
                           results, want);
    return wadi_draft_acc_types(&d, &wadi_op_lifted, results, plain);
}

/* wadi_with_lifted_env gives both functions one environment. Here it holds the two functions without environment. */
typedef struct two {
    wadi_acc_fn1 f, lifted;
} two;

static wadi_acc call_f(void *env, wadi_acc a) {
    const two *fs = env;
    return WADI_ASK_ACC(fs->f, a);
}

static wadi_acc call_lifted(void *env, wadi_acc a) {
    const two *fs = env;
    return WADI_ASK_ACC(fs->lifted, a);
}

wadi_acc wadi_with_lifted(wadi_acc_fn1 f, wadi_acc_fn1 lifted, wadi_acc a) {
    two fs = {f, lifted};
    return wadi_with_lifted_env(call_f, call_lifted, &fs, a);
}
