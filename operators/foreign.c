/* foreign: the call of a library routine by name. Its region is the language's own computation of the same results.
 *
 * The arguments are `arrays` arrays, then the extents of the results, one after another; the region gets the arrays. The
 * routine works on problems of rank `dims`, the innermost dimensions; the dimensions outside are a batch. The region defines
 * the meaning. A library may round differently; the builder function states the bound within which results agree
 * (docs/decisions/0014-foreign-routines.md). */
#include "operators/foreign.h"

#include "operators/rules.h"

enum { DIMS, ARRAYS, ATTRS };

static bool attrs_fit(const wadi_bind *b) {
    return b->nattrs == ATTRS && b->attrs[DIMS] >= 0 && b->attrs[DIMS] <= WADI_MAX_RANK &&
           b->attrs[ARRAYS] >= 1 && b->attrs[ARRAYS] <= b->nargs &&
           b->attrs[ARRAYS] <= WADI_FOREIGN_ARRAYS;
}

static int block_params(const wadi_module *m, const wadi_bind *b, int block,
                        wadi_array_type *types) {
    WADI_UNUSED(block);
    if (!attrs_fit(b)) return -1;
    for (int i = 0; i < b->attrs[ARRAYS]; i++) {
        const wadi_array_type *a = wadi_rule_arg(m, b, i);
        if (!a) return -1;
        types[i] = (wadi_array_type){.rank = a->rank, .elem = a->elem};
    }
    return (int)b->attrs[ARRAYS];
}

/* A routine takes plain arrays of rank `dims` and more. */
static wadi_status check_array(const wadi_bind *b, const wadi_array_type *t, wadi_error *err) {
    if (t->elem.fields != 1 || t->elem.name[0])
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "foreign: an array of records, expected plain scalars");
    if (t->rank < b->attrs[DIMS])
        return wadi_fail_at(err, b->loc, WADI_SHAPE, "foreign: rank %d, expected %d or more",
                            t->rank, (int)b->attrs[DIMS]);
    return WADI_OK;
}

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 1, WADI_MAX_PARAMS, err));
    if (!b->name || !attrs_fit(b))
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "foreign: expected a routine's name, dims and 1 to %d arrays",
                            WADI_FOREIGN_ARRAYS);
    WADI_TRY(wadi_rule_block(m, b, 0, err));
    const wadi_block *r = b->blocks[0];
    const int arrays = (int)b->attrs[ARRAYS], n = r->nyields;
    if (n < 1 || n + arrays > WADI_FOREIGN_ARRAYS)
        return wadi_fail_at(err, b->loc, WADI_UNSUPPORTED, "foreign: %d results", n);
    WADI_TRY(wadi_rule_yields(m, b, 0, n, NULL, err));
    wadi_array_type types[WADI_FOREIGN_ARRAYS];
    int extents = 0;
    for (int i = 0; i < arrays; i++) WADI_TRY(check_array(b, wadi_rule_arg(m, b, i), err));
    for (int i = 0; i < n; i++) {
        types[i] = *m->values[r->yields[i]].type.array;
        WADI_TRY(check_array(b, &types[i], err));
        extents += types[i].rank;
    }
    if (b->nargs != arrays + extents)
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "foreign: %d argument%s after the arrays, expected %d extent%s",
                            b->nargs - arrays, b->nargs - arrays == 1 ? "" : "s", extents,
                            extents == 1 ? "" : "s");
    WADI_TRY(wadi_rule_scalars(m, b, arrays, extents, WADI_I64, err));
    return wadi_rule_results(m, b, n, types, err);
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    for (int p = 0; p < r->nparams; p++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, r->params[p]); d++)
            cx->set(cx, r->params[p], 0, d, cx->get(cx, b->args[p], 0, d));
    cx->region(cx, r);
    int next = (int)b->attrs[ARRAYS];
    for (int i = 0; i < b->nresults; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->results[i]); d++)
            cx->set(cx, b->results[i], 0, d, cx->scalar(cx, b->args[next++]));
}

/* The shapes of the results depend on the extents given, their elements on all that is read. */
static void depend(wadi_depend_cx *cx, const wadi_bind *b) {
    const wadi_block *r = b->blocks[0];
    wadi_dep dep = {false, false};
    for (int p = 0; p < r->nparams; p++) {
        cx->set(cx, r->params[p], 0, cx->get(cx, b->args[p], 0));
        dep = wadi_dep_or(dep, cx->get(cx, b->args[p], 0));
    }
    cx->region(cx, r);
    for (int i = 0; i < b->nresults; i++) {
        const wadi_dep own = cx->get(cx, r->yields[i], 0);
        bool shape_depends = false;
        for (int d = 0; d < wadi_rule_rank_of(cx->module, b->results[i]); d++)
            shape_depends = shape_depends || cx->extent(cx, b->results[i], 0, d);
        cx->set(cx, b->results[i], 0, (wadi_dep){shape_depends, dep.elems || own.elems});
    }
}

static wadi_status check_extents(wadi_eval_cx *cx, const wadi_bind *b, const wadi_iarray *a,
                                 int from) {
    for (int d = 0; d < a->rank; d++) {
        const int64_t n = wadi_eval_i64(cx, b->args[from + d]);
        if (n != a->shape[d])
            return wadi_eval_differ(cx, b, "the extent and what it is said to be", d, a->shape[d],
                                    n);
    }
    return WADI_OK;
}

static wadi_status eval(wadi_eval_cx *cx, const wadi_bind *b) {
    const wadi_iarray *args[WADI_FOREIGN_ARRAYS], *yields[WADI_FOREIGN_ARRAYS];
    int next = (int)b->attrs[ARRAYS];
    for (int i = 0; i < next; i++) args[i] = cx->array(cx, b->args[i]);
    WADI_TRY(cx->region(cx, b->blocks[0], args, yields));
    for (int i = 0; i < b->nresults; i++) {
        WADI_TRY(check_extents(cx, b, yields[i], next));
        next += yields[i]->rank;
        WADI_TRY(cx->alias(cx, b->results[i], yields[i]));
    }
    return WADI_OK;
}

const wadi_op wadi_op_foreign = {
    .name = "foreign",
    .form = "foreign \"routine\" dims=1 arrays=1 a, n.. (x) { yield y }",
    .types = "a[..].., i64.., (a[..].. -> b[n..]) -> b[n..]",
    .about =
        "a routine of a library; if it is missing or declines, the region, which computes the same",
    .kind = WADI_OP_STRUCTURAL,
    .skeleton = WADI_SKEL_FOREIGN,
    .routine = true,
    .attrs = "dims arrays",
    .nblocks = 1,
    .block_params = block_params,
    .type = type,
    .shape = shape,
    .depend = depend,
    .eval = eval,
};

/* ---- builders ---- */

/* Appends the arrays of a call; their types, or NULL after a mistake. */
static wadi_array_type *append(wadi_draft *d, int dims, int n, const wadi_acc *arrays) {
    const wadi_array_type *t[WADI_FOREIGN_ARRAYS] = {0};
    for (int i = 0; i < n; i++) {
        t[i] = wadi_draft_array(d, arrays[i]);
        wadi_expect_rank_from(d, t[i], dims);
        wadi_expect_plain(d, t[i]);
    }
    wadi_array_type *plain = wadi_draft_types(d, n);
    if (wadi_draft_failed(d)) return NULL;
    for (int i = 0; i < n; i++)
        plain[i] = (wadi_array_type){.rank = t[i]->rank, .elem = t[i]->elem};
    return plain;
}

static wadi_acc call(const char *routine, int dims, int n, const wadi_acc *arrays, wadi_ix extents,
                     wadi_acc_fn_n_env meaning, void *env) {
    wadi_draft d = wadi_draft_begin("foreign");
    wadi_draft_name(&d, routine);
    wadi_draft_attr(&d, dims);
    wadi_draft_attr(&d, n);
    wadi_draft_given(&d, arrays, "arrays");
    if (dims < 0 || dims > WADI_MAX_RANK)
        wadi_draft_fail(&d, WADI_INVALID, "%d dimensions, expected 0 to %d", dims, WADI_MAX_RANK);
    if (n < 1 || n >= WADI_FOREIGN_ARRAYS)
        wadi_draft_fail(&d, WADI_UNSUPPORTED, "%d arrays, expected 1 to %d", n,
                        WADI_FOREIGN_ARRAYS - 1);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_array_type *types = append(&d, dims, n, arrays);
    wadi_draft_shape(&d, extents);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    wadi_draft_region(&d, WADI_LAMBDA_STREAM);
    wadi_acc given[WADI_FOREIGN_ARRAYS];
    const wadi_acc params = wadi_draft_param_acc(&d, n, types);
    for (int i = 0; i < n; i++) given[i] = n == 1 ? params : wadi_tuple_get(params, i);
    int results = 0;
    const wadi_array_type *r =
        wadi_draft_gives_acc(&d, WADI_ASK_ACC(meaning, env, n, given), &results);
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    if (results != 1)
        wadi_draft_fail(&d, WADI_TYPE, "the fallback gives %d arrays, expected 1", results);
    else if (r->rank != extents.rank)
        wadi_draft_fail(&d, WADI_SHAPE, "the fallback gives rank %d, and there %s %d extent%s",
                        r->rank, extents.rank == 1 ? "is" : "are", extents.rank,
                        extents.rank == 1 ? "" : "s");
    else if (r->elem.name[0])
        wadi_draft_fail(&d, WADI_TYPE, "the fallback gives records, expected plain scalars");
    if (wadi_draft_failed(&d)) return WADI_NO_ACC;
    const wadi_elem e = r->elem;
    return wadi_draft_acc(&d, &wadi_op_foreign, r->rank, &e);
}

typedef struct of_one {
    wadi_acc_fn1_env meaning;
    void *env;
} of_one;

static wadi_acc call_of_one(void *env, int n, const wadi_acc *arrays) {
    const of_one *o = env;
    WADI_UNUSED(n);
    return WADI_ASK_ACC(o->meaning, o->env, arrays[0]);
}

wadi_acc wadi_routine_env(const char *routine, int dims, wadi_acc a, wadi_ix extents,
                          wadi_acc_fn1_env fallback, void *env) {
    of_one one = {fallback, env};
    return call(routine, dims, 1, &a, extents, call_of_one, &one);
}

wadi_acc wadi_foreign_env(const char *name, int dims, int n, const wadi_acc *arrays,
                          wadi_ix extents, wadi_acc_fn_n_env meaning, void *env) {
    return call(name, dims, n, arrays, extents, meaning, env);
}

static wadi_acc call_n(void *env, int n, const wadi_acc *arrays) {
    return WADI_ASK_ACC(*(const wadi_acc_fn_n *)env, n, arrays);
}

wadi_acc wadi_foreign(const char *name, int dims, int n, const wadi_acc *arrays, wadi_ix extents,
                      wadi_acc_fn_n meaning) {
    return call(name, dims, n, arrays, extents, call_n, &meaning);
}
