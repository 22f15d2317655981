/* Drafts: how an operator's builder function takes its arguments and makes its node.
 *
 * Every step does nothing once the draft has failed, so that builder functions read as one straight line. */
#include "graph/lang/grow.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/format.h"

wadi_draft wadi_draft_begin(const char *what) {
    const wadi_program *p = wadi_lang_program(what);
    return (wadi_draft){
        .what = what, .program = wadi_program_number(), .failed = !p || p->error.status != WADI_OK};
}

bool wadi_draft_failed(const wadi_draft *d) {
    const wadi_program *p = wadi_program_current();
    return d->failed || !p || p->number != d->program || p->error.status != WADI_OK;
}

void wadi_draft_fail(wadi_draft *d, wadi_status st, const char *fmt, ...) {
    char msg[400];
    va_list args;
    va_start(args, fmt);
    (void)wadi_format_list(msg, sizeof msg, fmt, args);
    va_end(args);
    wadi_lang_fail(st, "%s: %s", d->what, msg);
    d->failed = true;
}

void wadi_draft_given(wadi_draft *d, const void *list, const char *name) {
    if (!list) wadi_draft_fail(d, WADI_INVALID, "the %s are NULL", name);
}

/* ---- arguments ---- */

static void add_arg(wadi_draft *d, wadi_node_id n) {
    if (wadi_draft_failed(d)) return;
    if (n == 0)
        wadi_draft_fail(d, WADI_INVALID, "argument %d is missing", d->nargs + 1);
    else if (d->nargs == WADI_DRAFT_ARGS)
        wadi_draft_fail(d, WADI_UNSUPPORTED, "more than %d arguments", WADI_DRAFT_ARGS);
    else
        d->args[d->nargs++] = n;
}

const wadi_array_type *wadi_draft_array(wadi_draft *d, wadi_acc a) {
    if (wadi_draft_failed(d)) return NULL;
    const wadi_array_type *t = wadi_acc_given(d->what, d->nargs + 1, a);
    if (t) add_arg(d, a.node); /* it has a type, so it is of this program */
    return wadi_draft_failed(d) ? NULL : t;
}

static const wadi_array_type *many(wadi_draft *d, wadi_node_id n, wadi_stratum stratum,
                                   const char *kind, int *out_n) {
    *out_n = 0;
    if (wadi_draft_failed(d)) return NULL;
    const wadi_node *node = wadi_node_get(n);
    if (!node || node->stratum != stratum) {
        wadi_draft_fail(d, WADI_INVALID, "argument %d is missing, expected %s", d->nargs + 1, kind);
        return NULL;
    }
    *out_n = node->ntypes;
    const wadi_array_type *t = node->type;
    add_arg(d, n);
    return wadi_draft_failed(d) ? NULL : t;
}

const wadi_array_type *wadi_draft_tuple(wadi_draft *d, wadi_acc a, int *out_n) {
    return many(d, wadi_acc_node(d->what, d->nargs + 1, a), WADI_STRATUM_ARRAY, "an array", out_n);
}

const wadi_array_type *wadi_draft_seq_arg(wadi_draft *d, wadi_seq s, int *out_n) {
    return many(d, wadi_seq_node(d->what, d->nargs + 1, s), WADI_STRATUM_SEQ, "a sequence", out_n);
}

const wadi_elem *wadi_draft_scalar(wadi_draft *d, wadi_exp e) {
    if (wadi_draft_failed(d)) return NULL;
    const wadi_elem *t = wadi_exp_given(d->what, d->nargs + 1, e);
    wadi_node_id *own = t ? wadi_lang_ids(1, &e.node) : NULL;
    const wadi_array_type *type = own ? wadi_scalar_type_of(t) : NULL;
    if (!type) return NULL;
    add_arg(d, wadi_node_append(d->what, (wadi_node){.kind = WADI_NODE_RANK0,
                                                     .stratum = WADI_STRATUM_ARRAY,
                                                     .nargs = 1,
                                                     .args = own,
                                                     .ntypes = 1,
                                                     .type = type}));
    return wadi_draft_failed(d) ? NULL : &type->elem;
}

void wadi_draft_int(wadi_draft *d, wadi_exp e) {
    if (wadi_draft_failed(d)) return;
    char role[32];
    (void)snprintf(role, sizeof role, "argument %d", d->nargs + 1);
    e = wadi_exp_to_i64(d->what, role, e);
    (void)wadi_draft_scalar(d, e);
}

void wadi_draft_shape(wadi_draft *d, wadi_ix ix) {
    if (ix.rank < 0 || ix.rank > WADI_MAX_RANK) {
        wadi_draft_fail(d, WADI_SHAPE, "rank %d, expected 0 to %d", ix.rank, WADI_MAX_RANK);
        return;
    }
    for (int k = 0; k < ix.rank; k++) wadi_draft_int(d, ix.at[k]);
}

void wadi_draft_attr(wadi_draft *d, int64_t v) {
    if (wadi_draft_failed(d)) return;
    if (d->nattrs == WADI_DRAFT_ATTRS)
        wadi_draft_fail(d, WADI_UNSUPPORTED, "more than %d attributes", WADI_DRAFT_ATTRS);
    else
        d->attrs[d->nattrs++] = v;
}

void wadi_draft_attr_list(wadi_draft *d, int n, const int64_t *v) {
    if (wadi_draft_failed(d)) return;
    int64_t *own = WADI_NEW_N(wadi_program_current()->arena, int64_t, (size_t)n);
    if (!own) {
        wadi_lang_no_memory();
        return;
    }
    for (int i = 0; i < n; i++) own[i] = v[i];
    d->more = own;
    d->nmore = n;
}

void wadi_draft_name(wadi_draft *d, const char *name) {
    if (wadi_draft_failed(d)) return;
    if (!name || !*name)
        wadi_draft_fail(d, WADI_INVALID, "the name is empty");
    else
        d->name = wadi_lang_name(name);
}

/* ---- functions ---- */

static uint32_t innermost(const wadi_draft *d) {
    return d->nlambdas > 0 ? d->lambdas[d->nlambdas - 1] : WADI_NONE;
}

static void open_lambda(wadi_draft *d, wadi_lambda_kind kind, bool array) {
    uint32_t l = WADI_NONE;
    if (d->nlambdas == WADI_DRAFT_LAMBDAS)
        wadi_draft_fail(d, WADI_INTERNAL, "more than %d functions", WADI_DRAFT_LAMBDAS);
    else if (!wadi_draft_failed(d))
        l = wadi_lambda_open(d->what, kind, array);
    if (d->nlambdas < WADI_DRAFT_LAMBDAS) d->lambdas[d->nlambdas++] = l;
}

void wadi_draft_fun(wadi_draft *d) {
    open_lambda(d, WADI_LAMBDA_FUN, false);
}

void wadi_draft_region(wadi_draft *d, wadi_lambda_kind kind) {
    open_lambda(d, kind, true);
}

wadi_exp wadi_draft_param(wadi_draft *d, const wadi_elem *e) {
    if (wadi_draft_failed(d)) return WADI_NO_EXP;
    const wadi_array_type *t = wadi_scalar_type_of(e);
    return wadi_exp_of(wadi_lambda_param(innermost(d), WADI_STRATUM_SCALAR, 1, t));
}

wadi_exp wadi_draft_param_of(wadi_draft *d, wadi_type t) {
    const wadi_elem e = wadi_elem_scalar(t);
    return wadi_draft_param(d, &e);
}

wadi_ix wadi_draft_param_ix(wadi_draft *d, int rank) {
    wadi_ix ix = {.rank = rank};
    for (int k = 0; k < rank; k++) ix.at[k] = wadi_draft_param_of(d, WADI_I64);
    return ix;
}

void wadi_draft_order_params(wadi_draft *d, int n, const int *order) {
    if (wadi_draft_failed(d)) return;
    wadi_program *p = wadi_program_current();
    wadi_lambda *l = &p->lambdas.at[innermost(d)];
    wadi_node_id *params = WADI_NEW_N(p->arena, wadi_node_id, (size_t)n);
    WADI_ASSERT(l->nparams == n);
    if (!params) {
        wadi_lang_no_memory();
        return;
    }
    for (int i = 0; i < n; i++) params[i] = l->params[order[i]];
    l->params = params;
}

wadi_acc wadi_draft_param_acc(wadi_draft *d, int n, const wadi_array_type *t) {
    if (wadi_draft_failed(d)) return WADI_NO_ACC;
    return wadi_acc_of(wadi_lambda_param(innermost(d), WADI_STRATUM_ARRAY, n, t));
}

wadi_exp wadi_draft_param_the(wadi_draft *d, wadi_type t) {
    if (wadi_draft_failed(d)) return WADI_NO_EXP;
    return wadi_the(wadi_draft_param_acc(d, 1, wadi_scalar_type(t)));
}

/* Closes the innermost function even if the draft has failed, because it was opened. */
static void close_lambda(wadi_draft *d, int n, const wadi_node_id *roots) {
    if (wadi_program_back(d->what, d->program)) wadi_lambda_close(d->what, innermost(d), n, roots);
}

/* The element type of what the user's function returned. */
static const wadi_elem *given(wadi_draft *d, wadi_exp e) {
    const bool back = wadi_program_back(d->what, d->program);
    const wadi_node *n = back ? wadi_exp_get(d->what, 0, e) : NULL;
    return n && n->stratum == WADI_STRATUM_SCALAR ? &n->type->elem : NULL;
}

const wadi_elem *wadi_draft_gives(wadi_draft *d, wadi_exp e) {
    const wadi_elem *t = given(d, e);
    close_lambda(d, 1, &e.node);
    return wadi_draft_failed(d) ? NULL : t;
}

void wadi_draft_gives_elem(wadi_draft *d, wadi_exp e, const wadi_elem *expected) {
    const wadi_elem *t = given(d, e);
    if (t && expected && !wadi_elem_equal(t, expected))
        wadi_draft_fail(d, WADI_TYPE, "the function gives %s, expected %s", wadi_elem_text(t),
                        wadi_elem_text(expected));
    close_lambda(d, 1, &e.node);
}

void wadi_draft_gives_ix(wadi_draft *d, wadi_ix ix, int rank, bool with_keep) {
    wadi_node_id roots[1 + WADI_MAX_RANK];
    int n = 0;
    (void)wadi_program_back(d->what, d->program);
    if (!wadi_draft_failed(d) && ix.rank != rank) {
        wadi_draft_fail(d, WADI_SHAPE, "the function gives an index of rank %d, expected %d",
                        ix.rank, rank);
    } else if (!wadi_draft_failed(d) && ix.keep.node && !with_keep) {
        wadi_draft_fail(d, WADI_INVALID, "the function may drop an element, expected an index");
    } else if (!wadi_draft_failed(d)) {
        const wadi_exp keep = ix.keep.node ? ix.keep : wadi_bool(true);
        if (with_keep) roots[n++] = wadi_exp_node(d->what, 0, keep);
        for (int k = 0; k < rank; k++)
            roots[n++] = wadi_exp_to_i64(d->what, "the index the function gives", ix.at[k]).node;
    }
    close_lambda(d, n, roots);
}

const wadi_array_type *wadi_draft_gives_acc(wadi_draft *d, wadi_acc a, int *out_n) {
    const bool back = wadi_program_back(d->what, d->program);
    const wadi_node *n = back ? wadi_acc_get(d->what, 0, a) : NULL;
    const bool fine = n && n->stratum == WADI_STRATUM_ARRAY;
    const wadi_array_type *t = fine ? n->type : NULL;
    *out_n = fine ? n->ntypes : 0;
    close_lambda(d, 1, &a.node);
    return wadi_draft_failed(d) ? NULL : t;
}

static bool same_arrays(int n, const wadi_array_type *a, const wadi_array_type *b) {
    for (int i = 0; i < n; i++)
        if (a[i].rank != b[i].rank || !wadi_elem_equal(&a[i].elem, &b[i].elem)) return false;
    return true;
}

void wadi_draft_gives_types(wadi_draft *d, wadi_acc a, int n, const wadi_array_type *expected) {
    int found = 0;
    const wadi_array_type *t = wadi_draft_gives_acc(d, a, &found);
    if (!t || wadi_draft_failed(d) || !expected) return;
    if (found != n) {
        wadi_draft_fail(d, WADI_TYPE, "the function gives %d arrays, expected %d", found, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (same_arrays(1, &t[i], &expected[i])) continue;
        wadi_draft_fail(d, WADI_TYPE, "the function gives %s, expected %s",
                        wadi_array_type_text(&t[i]), wadi_array_type_text(&expected[i]));
        return;
    }
}

const wadi_array_type *wadi_draft_branch(wadi_draft *d, wadi_acc a, int *out_n) {
    *out_n = 0;
    if (wadi_draft_failed(d)) return NULL;
    const wadi_node *n = wadi_acc_get(d->what, 0, a);
    if (!n || n->stratum != WADI_STRATUM_ARRAY || d->nlambdas == WADI_DRAFT_LAMBDAS) {
        wadi_draft_fail(d, WADI_INVALID, "a side is missing");
        return NULL;
    }
    *out_n = n->ntypes;
    const wadi_array_type *t = n->type;
    d->lambdas[d->nlambdas++] = wadi_lambda_branch(d->what, true, a.node);
    return wadi_draft_failed(d) ? NULL : t;
}

/* ---- the node ---- */

static wadi_node_id finish(wadi_draft *d, const wadi_op *op, wadi_stratum stratum, int n,
                           const wadi_array_type *t) {
    wadi_program *p = wadi_program_current();
    if (wadi_draft_failed(d) || (n > 0 && !t)) return 0;
    const int nattrs = d->nattrs + d->nmore;
    int64_t *attrs = WADI_NEW_N(p->arena, int64_t, (size_t)nattrs);
    wadi_node node = {.kind = WADI_NODE_OP,
                      .stratum = stratum,
                      .op = op,
                      .ntypes = n,
                      .type = t,
                      .name = d->name,
                      .data = d->data};
    node.nargs = d->nargs;
    node.args = wadi_lang_ids(d->nargs, d->args);
    node.nlambdas = d->nlambdas;
    node.lambdas = wadi_lang_ids(d->nlambdas, d->lambdas);
    node.nattrs = nattrs;
    node.attrs = attrs;
    if (!attrs) return wadi_lang_no_memory();
    for (int i = 0; i < d->nattrs; i++) attrs[i] = d->attrs[i];
    for (int i = 0; i < d->nmore; i++) attrs[d->nattrs + i] = d->more[i];
    return wadi_draft_failed(d) ? 0 : wadi_node_append(d->what, node);
}

wadi_array_type *wadi_draft_types(wadi_draft *d, int n) {
    if (wadi_draft_failed(d)) return NULL;
    wadi_array_type *t = WADI_NEW_N(wadi_program_current()->arena, wadi_array_type, (size_t)n);
    if (!t) wadi_lang_no_memory();
    return t;
}

/* `t` is copied: it may be on the caller's stack. */
static wadi_node_id finish_copy(wadi_draft *d, const wadi_op *op, wadi_stratum stratum, int n,
                                const wadi_array_type *t) {
    if (wadi_draft_failed(d) || !t) return 0;
    if (n < 1 || n > WADI_DRAFT_ARGS) {
        wadi_draft_fail(d, WADI_UNSUPPORTED, "%d arrays, expected 1 to %d", n, WADI_DRAFT_ARGS);
        return 0;
    }
    wadi_array_type *own = wadi_draft_types(d, n);
    if (!own) return 0;
    for (int i = 0; i < n; i++) own[i] = t[i];
    return finish(d, op, stratum, n, own);
}

wadi_acc wadi_draft_acc(wadi_draft *d, const wadi_op *op, int rank, const wadi_elem *e) {
    if (wadi_draft_failed(d) || !e) return WADI_NO_ACC;
    if (rank < 0 || rank > WADI_MAX_RANK) {
        wadi_draft_fail(d, WADI_SHAPE, "the result has rank %d, expected 0 to %d", rank,
                        WADI_MAX_RANK);
        return WADI_NO_ACC;
    }
    const wadi_array_type t = {.rank = rank, .elem = *e};
    return wadi_draft_acc_types(d, op, 1, &t);
}

wadi_acc wadi_draft_acc_types(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t) {
    return wadi_acc_of(finish_copy(d, op, WADI_STRATUM_ARRAY, n, t));
}

wadi_seq wadi_draft_seq(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t) {
    return wadi_seq_of(finish_copy(d, op, WADI_STRATUM_SEQ, n, t));
}

wadi_seq wadi_draft_seq_like(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t) {
    wadi_array_type *own = wadi_draft_types(d, n);
    if (wadi_draft_failed(d) || !t || !own) return WADI_NO_SEQ;
    for (int c = 0; c < n; c++) own[c] = (wadi_array_type){.rank = t[c].rank, .elem = t[c].elem};
    return wadi_draft_seq(d, op, n, own);
}

wadi_eat wadi_draft_eat(wadi_draft *d, const wadi_op *op, int n, const wadi_array_type *t) {
    return wadi_eat_of(finish_copy(d, op, WADI_STRATUM_ARRAY, n, t));
}

void wadi_draft_effect(wadi_draft *d, const wadi_op *op) {
    const wadi_node_id n = finish(d, op, WADI_STRATUM_SEQ, 0, NULL);
    wadi_program *p = wadi_program_current();
    if (n == 0) return;
    if (p->open.n > 0)
        wadi_draft_fail(d, WADI_INVALID,
                        "called inside a function, expected outside of every function");
    else if (!wadi_vec_push(&p->effects, n))
        wadi_lang_no_memory();
}

/* ---- functions without environment ---- */

wadi_exp wadi_call1(void *env, wadi_exp a) {
    return WADI_ASK_EXP(*(wadi_fn1 *)env, a);
}

wadi_exp wadi_call2(void *env, wadi_exp a, wadi_exp b) {
    return WADI_ASK_EXP(*(wadi_fn2 *)env, a, b);
}

wadi_exp wadi_call3(void *env, wadi_exp a, wadi_exp b, wadi_exp c) {
    return WADI_ASK_EXP(*(wadi_fn3 *)env, a, b, c);
}

wadi_exp wadi_call4(void *env, wadi_exp a, wadi_exp b, wadi_exp c, wadi_exp d) {
    return WADI_ASK_EXP(*(wadi_fn4 *)env, a, b, c, d);
}

wadi_exp wadi_call_ix(void *env, wadi_ix ix) {
    return WADI_ASK_EXP(*(wadi_ix_fn *)env, ix);
}

wadi_exp wadi_call_imap(void *env, wadi_ix ix, wadi_exp a) {
    return WADI_ASK_EXP(*(wadi_imap_fn *)env, ix, a);
}

wadi_ix wadi_call_ix_ix(void *env, wadi_ix ix) {
    return WADI_ASK_IX(*(wadi_ix_ix_fn *)env, ix);
}

wadi_acc wadi_call_acc1(void *env, wadi_acc a) {
    return WADI_ASK_ACC(*(wadi_acc_fn1 *)env, a);
}

wadi_acc wadi_call_acc2(void *env, wadi_acc a, wadi_acc b) {
    return WADI_ASK_ACC(*(wadi_acc_fn2 *)env, a, b);
}

wadi_acc wadi_call_produce(void *env, wadi_exp i) {
    return WADI_ASK_ACC(*(wadi_produce_fn *)env, i);
}
