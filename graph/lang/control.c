/* Scalar expressions with structure: records, cond, while, iterate. */
#include "graph/lang/grow.h"

#include <string.h>

static wadi_node_id scalar_node(const char *what, wadi_node n, const wadi_array_type *t, int nargs,
                                const wadi_node_id *args, int nlambdas, const uint32_t *lambdas) {
    n.stratum = WADI_STRATUM_SCALAR;
    n.ntypes = 1;
    n.type = t;
    n.nargs = nargs;
    n.args = wadi_lang_ids(nargs, args);
    n.nlambdas = nlambdas;
    n.lambdas = nlambdas ? wadi_lang_ids(nlambdas, lambdas) : NULL;
    if (!t || !n.args || (nlambdas && !n.lambdas)) return 0;
    return wadi_node_append(what, n);
}

/* ---- records ---- */

static bool field_name(const wadi_elem *e, int f, const char *name) {
    if (!name || !*name) {
        wadi_lang_fail(WADI_INVALID, "rec: field %d has no name", f);
        return false;
    }
    for (int i = 0; i < f; i++) {
        if (strcmp(e->name[i], name) != 0) continue;
        wadi_lang_fail(WADI_INVALID, "rec: there are two fields named \"%s\"", name);
        return false;
    }
    return true;
}

wadi_exp wadi_rec(int fields, const char *const *names, const wadi_exp *values) {
    if (!names || !values)
        return wadi_exp_of(wadi_lang_fail(WADI_INVALID, "rec: the fields are NULL"));
    if (fields < 1 || fields > WADI_MAX_FIELDS)
        return wadi_exp_of(wadi_lang_fail(WADI_INVALID, "rec: %d fields, expected 1 to %d", fields,
                                          WADI_MAX_FIELDS));
    wadi_elem e = {.fields = fields};
    wadi_node_id args[WADI_MAX_FIELDS];
    for (int f = 0; f < fields; f++) {
        if (!wadi_exp_plain("rec", f + 1, values[f], &e.type[f])) return WADI_NO_EXP;
        if (!field_name(&e, f, names[f])) return WADI_NO_EXP;
        e.name[f] = wadi_lang_name(names[f]);
        args[f] = values[f].node;
    }
    return wadi_exp_of(scalar_node("rec", (wadi_node){.kind = WADI_NODE_RECORD},
                                   wadi_scalar_type_of(&e), fields, args, 0, NULL));
}

wadi_exp wadi_rec2(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1) {
    return wadi_rec(2, (const char *const[]){n0, n1}, (const wadi_exp[]){v0, v1});
}

wadi_exp wadi_rec3(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1, const char *n2,
                   wadi_exp v2) {
    return wadi_rec(3, (const char *const[]){n0, n1, n2}, (const wadi_exp[]){v0, v1, v2});
}

wadi_exp wadi_get(wadi_exp record, const char *field) {
    const wadi_elem *e = wadi_exp_given("get", 1, record);
    if (!e) return WADI_NO_EXP;
    int f = 0;
    while (f < e->fields && (!e->name[f] || !field || strcmp(e->name[f], field) != 0)) f++;
    if (f == e->fields)
        return wadi_exp_of(
            wadi_lang_fail(WADI_TYPE, "get: argument 1 is %s, expected a record with field \"%s\"",
                           wadi_elem_text(e), field ? field : ""));
    const wadi_node *n = wadi_exp_get("get", 1, record);
    if (n->kind == WADI_NODE_RECORD) return wadi_exp_of(n->args[f]);
    const wadi_array_type *t = wadi_scalar_type(e->type[f]);
    return wadi_exp_of(scalar_node("get", (wadi_node){.kind = WADI_NODE_FIELD, .index = f}, t, 1,
                                   &record.node, 0, NULL));
}

/* ---- control ---- */

wadi_exp wadi_cond(wadi_exp c, wadi_exp a, wadi_exp b) {
    wadi_type t;
    if (!wadi_exp_plain("cond", 1, c, &t)) return WADI_NO_EXP;
    if (t != WADI_BOOL)
        return wadi_exp_of(
            wadi_lang_fail(WADI_TYPE, "cond: argument 1 is %s, expected bool", wadi_type_name(t)));
    const wadi_elem *ea = wadi_exp_given("cond", 2, a), *eb = wadi_exp_given("cond", 3, b);
    if (!ea || !eb) return WADI_NO_EXP;
    if (!wadi_elem_equal(ea, eb))
        return wadi_exp_of(wadi_lang_fail(WADI_TYPE,
                                          "cond: argument 3 is %s, expected %s as argument 2",
                                          wadi_elem_text(eb), wadi_elem_text(ea)));
    const uint32_t sides[2] = {wadi_lambda_branch("cond", false, a.node),
                               wadi_lambda_branch("cond", false, b.node)};
    if (sides[0] == WADI_NONE || sides[1] == WADI_NONE) return WADI_NO_EXP;
    const wadi_array_type *result = wadi_scalar_type_of(ea);
    return wadi_exp_of(scalar_node("cond",
                                   (wadi_node){.kind = WADI_NODE_SCALAR, .sop = WADI_SOP_COND},
                                   result, 1, &c.node, 2, sides));
}

/* Closes a loop's function, which was opened in program `program`, with result `e`. Its type must be `expected`. */
static void close_over(const char *what, const char *role, uint32_t program, uint32_t lambda,
                       wadi_exp e, const wadi_elem *expected) {
    if (!wadi_program_back(what, program)) return;
    const wadi_elem *found = wadi_exp_elem(e);
    if (found && !wadi_elem_equal(found, expected))
        wadi_lang_fail(WADI_TYPE, "%s: the %s gives %s, expected %s", what, role,
                       wadi_elem_text(found), wadi_elem_text(expected));
    wadi_lambda_close(what, lambda, 1, &e.node);
}

wadi_exp wadi_while_env(wadi_fn1_env pred, wadi_fn1_env body, void *env, wadi_exp init) {
    const wadi_elem *e = wadi_exp_given("while", 1, init);
    if (!e) return WADI_NO_EXP;
    const wadi_array_type *t = wadi_scalar_type_of(e), *truth = wadi_scalar_type(WADI_BOOL);
    if (!t || !truth) return WADI_NO_EXP;
    const uint32_t program = wadi_program_number();
    uint32_t l[2];
    l[0] = wadi_lambda_open("while", WADI_LAMBDA_PRED, false);
    wadi_exp s = wadi_exp_of(wadi_lambda_param(l[0], WADI_STRATUM_SCALAR, 1, t));
    close_over("while", "predicate", program, l[0], WADI_ASK_EXP(pred, env, s), &truth->elem);
    l[1] = wadi_lambda_open("while", WADI_LAMBDA_LOOP, false);
    s = wadi_exp_of(wadi_lambda_param(l[1], WADI_STRATUM_SCALAR, 1, t));
    close_over("while", "body", program, l[1], WADI_ASK_EXP(body, env, s), e);
    return wadi_exp_of(scalar_node("while",
                                   (wadi_node){.kind = WADI_NODE_SCALAR, .sop = WADI_SOP_WHILE}, t,
                                   1, &init.node, 2, l));
}

wadi_exp wadi_iterate_env(wadi_exp n, wadi_fn2_env f, void *env, wadi_exp init) {
    n = wadi_exp_to_i64("iterate", "argument 1", n);
    const wadi_elem *e = wadi_exp_given("iterate", 2, init);
    if (!e) return WADI_NO_EXP;
    const wadi_array_type *t = wadi_scalar_type_of(e), *counter = wadi_scalar_type(WADI_I64);
    if (!t || !counter) return WADI_NO_EXP;
    const uint32_t program = wadi_program_number();
    uint32_t l = wadi_lambda_open("iterate", WADI_LAMBDA_LOOP, false);
    const wadi_exp i = wadi_exp_of(wadi_lambda_param(l, WADI_STRATUM_SCALAR, 1, counter));
    const wadi_exp s = wadi_exp_of(wadi_lambda_param(l, WADI_STRATUM_SCALAR, 1, t));
    close_over("iterate", "body", program, l, WADI_ASK_EXP(f, env, i, s), e);
    const wadi_node_id args[2] = {n.node, init.node};
    return wadi_exp_of(scalar_node("iterate",
                                   (wadi_node){.kind = WADI_NODE_SCALAR, .sop = WADI_SOP_ITERATE},
                                   t, 2, args, 1, &l));
}

/* ---- without environment ---- */

typedef struct pair {
    wadi_fn1 pred, body;
} pair;

static wadi_exp call_pred(void *env, wadi_exp s) {
    return WADI_ASK_EXP(((const pair *)env)->pred, s);
}

static wadi_exp call_body(void *env, wadi_exp s) {
    return WADI_ASK_EXP(((const pair *)env)->body, s);
}

wadi_exp wadi_while(wadi_fn1 pred, wadi_fn1 body, wadi_exp init) {
    pair both = {pred, body};
    return wadi_while_env(call_pred, call_body, &both, init);
}

wadi_exp wadi_iterate(wadi_exp n, wadi_fn2 f, wadi_exp init) {
    return wadi_iterate_env(n, wadi_call2, &f, init);
}
