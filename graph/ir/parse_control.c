/* Reads what branches and repeats in scalar functions: `if`, `while` and `iterate`, with their blocks. */
#include <string.h>

#include "graph/ir/parse_fun.h"

/* A block of its own inside the function. */
static wadi_status inner_block(wadi_fun_parser *fp, wadi_sblock *b) {
    wadi_sblock *outer = fp->block;
    const size_t names = fp->names.n;
    fp->block = b;
    WADI_TRY(wadi_parse_body(fp, b, NULL));
    fp->block = outer;
    return wadi_parse_forget(fp, names);
}

static int yield_types(const wadi_fun_parser *fp, const wadi_sblock *b, wadi_type *types) {
    for (int y = 0; y < b->nyields; y++) types[y] = wadi_parse_type_of(fp, b->yields[y]);
    return b->nyields;
}

static bool same_types(int n, const wadi_type *a, int m, const wadi_type *b) {
    return n == m && (n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

static wadi_status read_cond(wadi_fun_parser *fp, wadi_svals *out) {
    wadi_parser *p = fp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_sval c;
    WADI_TRY(wadi_parse_sval(fp, &c));
    if (wadi_parse_type_of(fp, c) != WADI_BOOL)
        return wadi_parse_fail(p, t, WADI_TYPE, "expected a bool, not %s",
                               wadi_type_name(wadi_parse_type_of(fp, c)));
    wadi_sinst *i = wadi_parse_sinst(fp, t, WADI_SOP_COND, 1, &c);
    wadi_sblock *branch[2] = {wadi_sblock_new(p->m), wadi_sblock_new(p->m)};
    if (!i || !branch[0] || !branch[1]) return wadi_parse_no_memory(p);
    WADI_TRY(inner_block(fp, branch[0]));
    wadi_parse_skip_lines(p);
    if (!wadi_parse_accept(p, "else"))
        return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                               "expected 'else': an 'if' has a value either way");
    WADI_TRY(inner_block(fp, branch[1]));
    memcpy(i->block, branch, sizeof branch);
    wadi_type left[WADI_PARSE_LIST], right[WADI_PARSE_LIST];
    const int n = yield_types(fp, branch[0], left), m = yield_types(fp, branch[1], right);
    if (!same_types(n, left, m, right))
        return wadi_parse_fail(
            p, t, WADI_TYPE, "the branches of this 'if' give different types, (%s) and (%s)",
            wadi_parse_types_text(p, n, left), wadi_parse_types_text(p, m, right));
    return wadi_parse_append(fp, i, n, left, out);
}

/* A loop before its blocks are read. Its parameters get their types from the initial state, which comes last in the text. So
 * the blocks are first stepped over, and read when the types are known. */
typedef struct loop_text {
    const wadi_token *name[WADI_PARSE_LIST];
    int n;
    size_t block[2]; /* the token with which each block begins */
    size_t end;
} loop_text;

static wadi_status param_names(wadi_fun_parser *fp, loop_text *lt) {
    wadi_parser *p = fp->p;
    WADI_TRY(wadi_parse_expect(p, "("));
    if (wadi_parse_accept(p, ")")) return WADI_OK;
    do {
        wadi_parse_skip_lines(p);
        if (lt->n == WADI_PARSE_LIST)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "too many parameters");
        const wadi_token *name = wadi_parse_next(p);
        for (int k = 0; k < lt->n && name->kind == WADI_TOKEN_NAME; k++)
            if (wadi_parse_same_word(lt->name[k], name))
                return wadi_parse_fail(p, name, WADI_INVALID, "two parameters have this name");
        lt->name[lt->n++] = name;
    } while (wadi_parse_accept(p, ","));
    return wadi_parse_expect(p, ")");
}

/* Steps over `{ ... }`. */
static wadi_status skip_block(wadi_parser *p) {
    const wadi_token *open = wadi_parse_peek(p, 0);
    WADI_TRY(wadi_parse_expect(p, "{"));
    for (int depth = 1; depth > 0;) {
        const wadi_token *t = wadi_parse_next(p);
        if (t->kind == WADI_TOKEN_END)
            return wadi_parse_fail(p, open, WADI_INVALID, "this brace is never closed");
        if (t->kind == WADI_TOKEN_MARK && *t->at == '{') depth++;
        if (t->kind == WADI_TOKEN_MARK && *t->at == '}') depth--;
    }
    return WADI_OK;
}

/* Reads block `k` of a loop whose state is known, from where its text begins. */
static wadi_status loop_block(wadi_fun_parser *fp, wadi_sinst *i, int k, const loop_text *lt,
                              int counted, const wadi_type *state) {
    wadi_sblock *b = wadi_sblock_new(fp->p->m);
    if (!b) return wadi_parse_no_memory(fp->p);
    const size_t names = fp->names.n;
    for (int q = 0; q < lt->n; q++) {
        const wadi_type t = q < counted ? WADI_I64 : state[q - counted];
        WADI_TRY(wadi_parse_declare(fp, lt->name[q], wadi_sblock_param(fp->p->m, fp->f, b, t)));
    }
    fp->p->at = lt->block[k];
    WADI_TRY(inner_block(fp, b));
    i->block[k] = b;
    return wadi_parse_forget(fp, names);
}

static wadi_status expressions(wadi_fun_parser *fp, wadi_svals *out) {
    out->n = 0;
    do {
        wadi_parse_skip_lines(fp->p);
        if (out->n == WADI_PARSE_LIST)
            return wadi_parse_fail(fp->p, wadi_parse_peek(fp->p, 0), WADI_INVALID,
                                   "more than %d expressions", WADI_PARSE_LIST);
        WADI_TRY(wadi_parse_sval(fp, &out->at[out->n++]));
    } while (wadi_parse_accept(fp->p, ","));
    return WADI_OK;
}

/* while (s) { test } do { step } from init        iterate n (i, s) { step } from init */
static wadi_status read_loop(wadi_fun_parser *fp, int counted, wadi_svals *out) {
    wadi_parser *p = fp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_svals args = {0};
    loop_text lt = {.n = 0};
    if (counted) WADI_TRY(wadi_parse_atom(fp, &args.at[0]));
    WADI_TRY(param_names(fp, &lt));
    lt.block[0] = p->at;
    WADI_TRY(skip_block(p));
    if (!counted) {
        wadi_parse_skip_lines(p);
        WADI_TRY(wadi_parse_expect(p, "do"));
        if (wadi_parse_sees(p, 0, "("))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "expected '{': the parameters of 'while' are those of 'do' too");
        lt.block[1] = p->at;
        WADI_TRY(skip_block(p));
    }
    wadi_parse_skip_lines(p);
    WADI_TRY(wadi_parse_expect(p, "from"));
    wadi_svals init = {0};
    WADI_TRY(expressions(fp, &init));
    lt.end = p->at;
    if (init.n + counted != lt.n || init.n + counted > WADI_PARSE_LIST)
        return wadi_parse_fail(
            p, t, WADI_INVALID, "this loop has %d parameter%s for %d initial value%s",
            lt.n - counted, lt.n - counted == 1 ? "" : "s", init.n, init.n == 1 ? "" : "s");
    memcpy(args.at + counted, init.at, (size_t)init.n * sizeof *init.at);
    if (counted && wadi_parse_type_of(fp, args.at[0]) != WADI_I64)
        return wadi_parse_fail(p, t, WADI_TYPE, "expected an i64 count");
    wadi_sinst *i =
        wadi_parse_sinst(fp, t, counted ? WADI_SOP_ITERATE : WADI_SOP_WHILE, lt.n, args.at);
    if (!i) return wadi_parse_no_memory(p);
    wadi_type state[WADI_PARSE_LIST], given[WADI_PARSE_LIST];
    for (int k = 0; k < init.n; k++) state[k] = wadi_parse_type_of(fp, init.at[k]);
    WADI_TRY(loop_block(fp, i, 0, &lt, counted, state));
    if (!counted) WADI_TRY(loop_block(fp, i, 1, &lt, 0, state));
    p->at = lt.end;
    const wadi_type truth = WADI_BOOL;
    if (!counted && !same_types(yield_types(fp, i->block[0], given), given, 1, &truth))
        return wadi_parse_fail(
            p, t, WADI_TYPE, "the test of this 'while' must give one bool, not (%s)",
            wadi_parse_types_text(p, yield_types(fp, i->block[0], given), given));
    if (!same_types(yield_types(fp, i->block[!counted], given), given, init.n, state))
        return wadi_parse_fail(
            p, t, WADI_TYPE, "a step of this loop gives (%s), its state is (%s)",
            wadi_parse_types_text(p, yield_types(fp, i->block[!counted], given), given),
            wadi_parse_types_text(p, init.n, state));
    return wadi_parse_append(fp, i, init.n, state, out);
}

static wadi_status read_while(wadi_fun_parser *fp, wadi_svals *out) {
    return read_loop(fp, 0, out);
}

static wadi_status read_iterate(wadi_fun_parser *fp, wadi_svals *out) {
    return read_loop(fp, 1, out);
}

const wadi_control_word wadi_parse_control[] = {
    {"if", read_cond}, {"while", read_while}, {"iterate", read_iterate}, {NULL, NULL}};
