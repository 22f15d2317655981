/* The invariants of scalar functions. */
#include "graph/ir/verify.h"

#include <stdlib.h>

#include "base/error.h"

typedef struct body_verifier {
    wadi_verifier *v;
    const wadi_fun *f;
    unsigned char *state; /* [scalar]: a wadi_scope_state */
} body_verifier;

static wadi_type type_of(const body_verifier *bv, wadi_sval s) {
    return bv->f->types[s];
}

/* A scalar is defined once, and used only after that, in its block or in one inside it. */
static wadi_status define(body_verifier *bv, wadi_sval s) {
    if (s >= bv->f->nvals)
        return wadi_verify_fail(bv->v, "scalar %u is not in the function's table", s);
    if (bv->state[s] != WADI_UNBOUND)
        return wadi_verify_fail(bv->v, "scalar %u is defined twice", s);
    if ((unsigned)type_of(bv, s) >= WADI_TYPE_COUNT)
        return wadi_verify_fail(bv->v, "scalar %u has no type", s);
    bv->state[s] = WADI_IN_SCOPE;
    return WADI_OK;
}

static wadi_status use(body_verifier *bv, wadi_sval s) {
    if (s < bv->f->nvals && bv->state[s] == WADI_IN_SCOPE) return WADI_OK;
    return wadi_verify_fail(bv->v, "scalar %u is used where it is not in scope", s);
}

static wadi_status expect_results(body_verifier *bv, const wadi_sinst *i, int n,
                                  const wadi_type *types) {
    const char *name = wadi_sop_get(i->op)->name;
    if (i->nresults != n)
        return wadi_verify_fail(bv->v, "'%s' has %d results, expected %d", name, i->nresults, n);
    for (int k = 0; k < n; k++)
        if (type_of(bv, i->first + (wadi_sval)k) != types[k])
            return wadi_verify_fail(bv->v, "result %d of '%s' is %s, expected %s", k + 1, name,
                                    wadi_type_name(type_of(bv, i->first + (wadi_sval)k)),
                                    wadi_type_name(types[k]));
    return WADI_OK;
}

/* A list of scalars has the types of another. */
static wadi_status expect_types(body_verifier *bv, const char *what, int n, const wadi_sval *list,
                                int m, const wadi_sval *like) {
    if (n != m) return wadi_verify_fail(bv->v, "%s: %d scalars, expected %d", what, n, m);
    for (int k = 0; k < n; k++)
        if (type_of(bv, list[k]) != type_of(bv, like[k]))
            return wadi_verify_fail(bv->v, "%s: scalar %d is %s, expected %s", what, k + 1,
                                    wadi_type_name(type_of(bv, list[k])),
                                    wadi_type_name(type_of(bv, like[k])));
    return WADI_OK;
}

/* Primitives have the arity of the table and arguments and results of the types of their class. */
static wadi_status primitive(body_verifier *bv, const wadi_sinst *i) {
    const wadi_sop_info *info = wadi_sop_get(i->op);
    wadi_type types[3] = {WADI_BOOL, WADI_BOOL, WADI_BOOL}, result;
    if (i->nargs != info->arity)
        return wadi_verify_fail(bv->v, "'%s' has %d arguments, expected %d", info->name, i->nargs,
                                info->arity);
    for (int k = 0; k < i->nargs; k++) types[k] = type_of(bv, i->args[k]);
    if (!wadi_sop_type(i->op, types, &result))
        return wadi_verify_fail(bv->v, "'%s' does not take %s", info->name,
                                wadi_type_name(types[0]));
    return expect_results(bv, i, 1, &result);
}

/* Conversions go between any types, bit casts between real numbers of one size. */
static wadi_status conversion(body_verifier *bv, const wadi_sinst *i) {
    if (i->nargs != 1 || i->nresults != 1)
        return wadi_verify_fail(bv->v, "a conversion has one argument and one result");
    const wadi_type from = type_of(bv, i->args[0]), to = type_of(bv, i->first);
    if (i->op == WADI_SOP_CONVERT) return WADI_OK;
    if (wadi_bitcast_fits(to, from)) return WADI_OK;
    return wadi_verify_fail(bv->v, "no bitcast from %s to %s", wadi_type_name(from),
                            wadi_type_name(to));
}

/* A constant is in the one form its type has. */
static wadi_status constant(body_verifier *bv, const wadi_sinst *i) {
    if (!wadi_scalar_is_sound(i->imm))
        return wadi_verify_fail(bv->v, "a constant has bits beyond its type");
    return expect_results(bv, i, 1, &i->imm.type);
}

/* An instruction that reads an array names one that is in scope around the binding, and has as many i64 indices as that array
 * has dimensions. */
static wadi_status reading(body_verifier *bv, const wadi_sinst *i) {
    WADI_TRY(wadi_verify_array(bv->v, i->array));
    const wadi_array_type *t = bv->v->m->values[i->array].type.array;
    const wadi_type i64 = WADI_I64;
    if (i->op == WADI_SOP_EXTENT) {
        if (i->nargs != 0 || i->dim < 0 || i->dim >= t->rank)
            return wadi_verify_fail(bv->v, "'extent' of dimension %d of an array of rank %d",
                                    i->dim, t->rank);
        return expect_results(bv, i, 1, &i64);
    }
    if (i->op == WADI_SOP_THE && t->rank != 0)
        return wadi_verify_fail(bv->v, "'the' of an array of rank %d", t->rank);
    const int want = i->op == WADI_SOP_THE ? 0 : i->op == WADI_SOP_INDEX ? t->rank : 1;
    if (i->nargs != want)
        return wadi_verify_fail(bv->v, "'%s' has %d indices, expected %d",
                                wadi_sop_get(i->op)->name, i->nargs, want);
    for (int k = 0; k < i->nargs; k++)
        if (type_of(bv, i->args[k]) != WADI_I64)
            return wadi_verify_fail(bv->v, "an index is %s, expected i64",
                                    wadi_type_name(type_of(bv, i->args[k])));
    return expect_results(bv, i, t->elem.fields, t->elem.type);
}

static wadi_status block(body_verifier *bv, const wadi_sblock *b);

static bool has_blocks(const wadi_sinst *i, int n) {
    return (i->block[0] != NULL) == (n > 0) && (i->block[1] != NULL) == (n > 1);
}

/* Both branches of a cond give what the cond gives; they have no parameters. */
static wadi_status cond(body_verifier *bv, const wadi_sinst *i) {
    if (i->nargs != 1 || type_of(bv, i->args[0]) != WADI_BOOL || !has_blocks(i, 2))
        return wadi_verify_fail(bv->v, "'if' needs one bool and two blocks");
    for (int k = 0; k < 2; k++) {
        const wadi_sblock *b = i->block[k];
        if (b->nparams != 0) return wadi_verify_fail(bv->v, "a branch has parameters");
        WADI_TRY(block(bv, b));
        if (b->nyields != i->nresults)
            return wadi_verify_fail(bv->v, "a branch gives %d scalars, expected %d", b->nyields,
                                    i->nresults);
        for (int y = 0; y < b->nyields; y++)
            if (type_of(bv, b->yields[y]) != type_of(bv, i->first + (wadi_sval)y))
                return wadi_verify_fail(bv->v, "the branches of 'if' give different types");
    }
    return WADI_OK;
}

/* The state of a loop has the same types at the start, in every block, and at the end. */
static wadi_status loop(body_verifier *bv, const wadi_sinst *i) {
    const bool counted = i->op == WADI_SOP_ITERATE;
    const int skip = counted ? 1 : 0;
    if (!has_blocks(i, counted ? 1 : 2) || i->nargs < skip)
        return wadi_verify_fail(bv->v, "a loop lacks a block or its count");
    if (counted && type_of(bv, i->args[0]) != WADI_I64)
        return wadi_verify_fail(bv->v, "the count of 'iterate' is not i64");
    for (int k = 0; k < (counted ? 1 : 2); k++) {
        const wadi_sblock *b = i->block[k];
        const bool is_test = !counted && k == 0;
        WADI_TRY(block(bv, b));
        if (counted && (b->nparams < 1 || type_of(bv, b->params[0]) != WADI_I64))
            return wadi_verify_fail(bv->v, "the counter of 'iterate' is not i64");
        WADI_TRY(expect_types(bv, "parameters of a loop", b->nparams - skip, b->params + skip,
                              i->nargs - skip, i->args + skip));
        if (is_test && (b->nyields != 1 || type_of(bv, b->yields[0]) != WADI_BOOL))
            return wadi_verify_fail(bv->v, "the test of 'while' does not give one bool");
        if (!is_test)
            WADI_TRY(expect_types(bv, "next state of a loop", b->nyields, b->yields,
                                  i->nargs - skip, i->args + skip));
    }
    if (i->nresults != i->nargs - skip)
        return wadi_verify_fail(bv->v, "a loop's results are not its state");
    for (int k = 0; k < i->nresults; k++)
        if (type_of(bv, i->first + (wadi_sval)k) != type_of(bv, i->args[skip + k]))
            return wadi_verify_fail(bv->v, "a loop's results are not its state");
    return WADI_OK;
}

static wadi_status check(body_verifier *bv, const wadi_sinst *i) {
    switch (i->op) {
    case WADI_SOP_CONST:
        return constant(bv, i);
    case WADI_SOP_CONVERT:
    case WADI_SOP_BITCAST:
        return conversion(bv, i);
    case WADI_SOP_INDEX:
    case WADI_SOP_INDEX_LINEAR:
    case WADI_SOP_THE:
    case WADI_SOP_EXTENT:
        return reading(bv, i);
    case WADI_SOP_COND:
        return cond(bv, i);
    case WADI_SOP_WHILE:
    case WADI_SOP_ITERATE:
        return loop(bv, i);
    default:
        return primitive(bv, i);
    }
}

static wadi_status inst(body_verifier *bv, const wadi_sinst *i) {
    if ((unsigned)i->op >= WADI_SOP_COUNT)
        return wadi_verify_fail(bv->v, "an instruction has no operation");
    for (int k = 0; k < i->nargs; k++) WADI_TRY(use(bv, i->args[k]));
    /* the checks below read the types of the results, so their numbers must be valid */
    if (i->nresults > 0 &&
        (i->first >= bv->f->nvals || bv->f->nvals - i->first < (uint32_t)i->nresults))
        return wadi_verify_fail(bv->v, "scalar %u is not in the function's table", i->first);
    WADI_TRY(check(bv, i));
    for (int k = 0; k < i->nresults; k++) WADI_TRY(define(bv, i->first + (wadi_sval)k));
    return WADI_OK;
}

static wadi_status block(body_verifier *bv, const wadi_sblock *b) {
    for (int k = 0; k < b->nparams; k++) WADI_TRY(define(bv, b->params[k]));
    for (int k = 0; k < b->ninsts; k++) WADI_TRY(inst(bv, b->insts[k]));
    for (int k = 0; k < b->nyields; k++) WADI_TRY(use(bv, b->yields[k]));
    for (int k = 0; k < b->nparams; k++) bv->state[b->params[k]] = WADI_OUT_OF_SCOPE;
    for (int k = 0; k < b->ninsts; k++)
        for (int r = 0; r < b->insts[k]->nresults; r++)
            bv->state[b->insts[k]->first + (wadi_sval)r] = WADI_OUT_OF_SCOPE;
    return WADI_OK;
}

wadi_status wadi_verify_fun(wadi_verifier *v, const wadi_fun *f) {
    if (!f || !f->body) return wadi_verify_fail(v, "a function is missing");
    body_verifier bv = {.v = v, .f = f, .state = calloc(f->nvals + 1, 1)};
    if (!bv.state) return wadi_fail(v->err, WADI_MEMORY, "out of memory");
    const wadi_status st = block(&bv, f->body);
    free(bv.state);
    return st;
}
