/* Reads scalar functions: statements such as `t = mul x y`, then the results, as expressions in prefix form.
 *
 * Every expression gets its type when it is read, so a mistake is reported where it stands. Names of scalars are valid only
 * inside the function. They never clash with names of arrays, because the name of an array is expected only where one is read. */
#include "graph/ir/parse.h"

#include <string.h>

#include "graph/ir/literal.h"

enum { MAX_LIST = 4 * WADI_MAX_FIELDS };

typedef struct scalar_name {
    const char *name; /* interned */
    wadi_sval value;
} scalar_name;

typedef struct body_parser {
    wadi_parser *p;
    wadi_fun *f;
    wadi_sblock *block; /* where instructions go */
    bool written;       /* it is the text of a derived function: `the` reads a scalar */
    WADI_VEC(scalar_name) names;
} body_parser;

/* Some scalars: the results of one instruction, or a list of expressions. */
typedef struct list {
    int n;
    wadi_sval at[MAX_LIST];
} list;

/* ---- names ---- */

static bool look_up(const body_parser *bp, const wadi_token *t, wadi_sval *out) {
    for (size_t i = bp->names.n; i-- > 0;) {
        const char *name = bp->names.at[i].name;
        if (strlen(name) != t->n || memcmp(name, t->at, t->n) != 0) continue;
        *out = bp->names.at[i].value;
        return true;
    }
    return false;
}

static wadi_status find(body_parser *bp, const wadi_token *t, wadi_sval *out) {
    if (look_up(bp, t, out)) return WADI_OK;
    return wadi_parse_fail(bp->p, t, WADI_INVALID, "expected a scalar that is in scope%s",
                           wadi_parse_hint_scalar(bp->p, t));
}

static wadi_status declare(body_parser *bp, const wadi_token *t, wadi_sval value) {
    const char *name =
        t->kind == WADI_TOKEN_NAME ? wadi_intern_add_n(&bp->p->strings, t->at, t->n) : NULL;
    if (t->kind != WADI_TOKEN_NAME || (name && !wadi_lex_is_plain_name(name)))
        return wadi_parse_fail(bp->p, t, WADI_INVALID,
                               "expected a name that is no word of the language");
    if (value == WADI_NONE || !name || !wadi_vec_push(&bp->names, (scalar_name){name, value}))
        return wadi_parse_no_memory(bp->p);
    return WADI_OK;
}

/* ---- instructions ---- */

static wadi_type type_of(const body_parser *bp, wadi_sval s) {
    return bp->f->types[s];
}

/* Appends an instruction with these arguments and result types; its results go to *out. */
static wadi_status append(body_parser *bp, wadi_sinst *i, int n, const wadi_type *types,
                          list *out) {
    wadi_module *m = bp->p->m;
    if (!i || (wadi_sinst_results(m, bp->f, i, n, types) == WADI_NONE && n > 0) ||
        !wadi_sblock_append(m, bp->block, i))
        return wadi_parse_no_memory(bp->p);
    out->n = n;
    for (int k = 0; k < n; k++) out->at[k] = i->first + (wadi_sval)k;
    return WADI_OK;
}

static wadi_sinst *new_inst(body_parser *bp, const wadi_token *t, wadi_sop op, int n,
                            const wadi_sval *args) {
    wadi_sinst *i = wadi_sinst_new(bp->p->m, op, n);
    if (!i) return NULL;
    if (n > 0) memcpy(i->args, args, (size_t)n * sizeof *args);
    i->loc = wadi_parse_loc(bp->p, t);
    return i;
}

static wadi_status literal(body_parser *bp, list *out) {
    const wadi_token *t = wadi_parse_peek(bp->p, 0);
    wadi_scalar v;
    WADI_TRY(wadi_parse_literal(bp->p, NULL, &v));
    wadi_sinst *i = new_inst(bp, t, WADI_SOP_CONST, 0, NULL);
    if (i) i->imm = v;
    return append(bp, i, 1, &v.type, out);
}

static wadi_status rhs(body_parser *bp, list *out);

/* An expression with exactly one result. */
static wadi_status single(body_parser *bp, wadi_sval *out) {
    const wadi_token *t = wadi_parse_peek(bp->p, 0);
    list results = {0};
    WADI_TRY(rhs(bp, &results));
    if (results.n != 1)
        return wadi_parse_fail(bp->p, t, WADI_TYPE, "expected one scalar, not %d", results.n);
    *out = results.at[0];
    return WADI_OK;
}

/* A name, a literal, or an expression in parentheses. */
static wadi_status atom(body_parser *bp, wadi_sval *out) {
    wadi_parser *p = bp->p;
    list one = {0};
    if (wadi_parse_accept(p, "(")) {
        wadi_parse_skip_lines(p);
        WADI_TRY(single(bp, out));
        wadi_parse_skip_lines(p);
        return wadi_parse_expect(p, ")");
    }
    if (wadi_parse_sees_literal(p)) {
        WADI_TRY(literal(bp, &one));
        *out = one.at[0];
        return WADI_OK;
    }
    return find(bp, wadi_parse_next(p), out);
}

/* ---- what reads arrays ---- */

static wadi_status read_types(body_parser *bp, wadi_val array, wadi_type *types, int *out_n) {
    const wadi_elem *e = &bp->p->m->values[array].type.array->elem;
    *out_n = e->fields;
    memcpy(types, e->type, (size_t)e->fields * sizeof *types);
    return WADI_OK;
}

/* `( e, .. )` or one atom: the indices of an array of the rank given. */
static wadi_status indices(body_parser *bp, int rank, list *out) {
    wadi_parser *p = bp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    out->n = 0;
    if (!wadi_parse_accept(p, "(")) {
        WADI_TRY(atom(bp, &out->at[out->n++]));
    } else if (!wadi_parse_accept(p, ")")) {
        do {
            wadi_parse_skip_lines(p);
            if (out->n == WADI_MAX_RANK)
                return wadi_parse_fail(p, t, WADI_SHAPE, "expected %d indices", rank);
            WADI_TRY(single(bp, &out->at[out->n++]));
            wadi_parse_skip_lines(p);
        } while (wadi_parse_accept(p, ","));
        WADI_TRY(wadi_parse_expect(p, ")"));
    }
    bool fits = out->n == rank;
    for (int k = 0; k < out->n; k++) fits = fits && type_of(bp, out->at[k]) == WADI_I64;
    if (fits) return WADI_OK;
    return wadi_parse_fail(p, t, WADI_SHAPE, "expected %d i64 indices", rank);
}

/* array ! i   array ! (i, j)   array !! k */
static wadi_status read_element(body_parser *bp, list *out) {
    wadi_parser *p = bp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_val array;
    WADI_TRY(wadi_parse_array(p, &array));
    const bool linear = wadi_parse_accept(p, "!!");
    if (!linear) WADI_TRY(wadi_parse_expect(p, "!"));
    const int rank = linear ? 1 : p->m->values[array].type.array->rank;
    list ix = {0};
    WADI_TRY(indices(bp, rank, &ix));
    wadi_sinst *i = new_inst(bp, t, linear ? WADI_SOP_INDEX_LINEAR : WADI_SOP_INDEX, ix.n, ix.at);
    if (i) i->array = array;
    wadi_type types[WADI_MAX_FIELDS];
    int n;
    WADI_TRY(read_types(bp, array, types, &n));
    return append(bp, i, n, types, out);
}

static wadi_status read_the(body_parser *bp, list *out) {
    const wadi_token *t = wadi_parse_peek(bp->p, 0);
    if (bp->written) {
        out->n = 1;
        return find(bp, wadi_parse_next(bp->p), &out->at[0]);
    }
    wadi_val array;
    WADI_TRY(wadi_parse_array(bp->p, &array));
    if (bp->p->m->values[array].type.array->rank != 0)
        return wadi_parse_fail(bp->p, t, WADI_SHAPE, "'the' reads an array of rank 0");
    wadi_sinst *i = new_inst(bp, t, WADI_SOP_THE, 0, NULL);
    if (i) i->array = array;
    wadi_type types[WADI_MAX_FIELDS];
    int n;
    WADI_TRY(read_types(bp, array, types, &n));
    return append(bp, i, n, types, out);
}

static wadi_status read_extent(body_parser *bp, list *out) {
    const wadi_token *t = wadi_parse_peek(bp->p, 0);
    wadi_val array;
    int64_t dim;
    WADI_TRY(wadi_parse_array(bp->p, &array));
    const int rank = bp->p->m->values[array].type.array->rank;
    if (rank == 0)
        return wadi_parse_fail(bp->p, t, WADI_SHAPE, "an array of rank 0 has no extents");
    WADI_TRY(wadi_parse_integer(bp->p, 0, rank - 1, &dim));
    wadi_sinst *i = new_inst(bp, t, WADI_SOP_EXTENT, 0, NULL);
    if (i) {
        i->array = array;
        i->dim = (int)dim;
    }
    const wadi_type i64 = WADI_I64;
    return append(bp, i, 1, &i64, out);
}

/* ---- control ---- */

static wadi_status body(body_parser *bp, wadi_sblock *b, const char ***out_names);

/* A block of its own inside the function. */
static wadi_status inner_block(body_parser *bp, wadi_sblock *b) {
    wadi_sblock *outer = bp->block;
    const size_t names = bp->names.n;
    bp->block = b;
    const wadi_status st = body(bp, b, NULL);
    bp->block = outer;
    bp->names.n = names;
    return st;
}

static int yield_types(const body_parser *bp, const wadi_sblock *b, wadi_type *types) {
    for (int y = 0; y < b->nyields; y++) types[y] = type_of(bp, b->yields[y]);
    return b->nyields;
}

static bool same_types(int n, const wadi_type *a, int m, const wadi_type *b) {
    return n == m && (n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0);
}

static wadi_status read_cond(body_parser *bp, list *out) {
    wadi_parser *p = bp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_sval c;
    WADI_TRY(single(bp, &c));
    if (type_of(bp, c) != WADI_BOOL)
        return wadi_parse_fail(p, t, WADI_TYPE, "expected a bool, not %s",
                               wadi_type_name(type_of(bp, c)));
    wadi_sinst *i = new_inst(bp, t, WADI_SOP_COND, 1, &c);
    wadi_sblock *branch[2] = {wadi_sblock_new(p->m), wadi_sblock_new(p->m)};
    if (!i || !branch[0] || !branch[1]) return wadi_parse_no_memory(p);
    WADI_TRY(inner_block(bp, branch[0]));
    wadi_parse_skip_lines(p);
    WADI_TRY(wadi_parse_expect(p, "else"));
    WADI_TRY(inner_block(bp, branch[1]));
    memcpy(i->block, branch, sizeof branch);
    wadi_type left[MAX_LIST], right[MAX_LIST];
    const int n = yield_types(bp, branch[0], left);
    if (!same_types(n, left, yield_types(bp, branch[1], right), right))
        return wadi_parse_fail(p, t, WADI_TYPE, "the branches of this 'if' give different types");
    return append(bp, i, n, left, out);
}

/* A loop before its blocks are read. Its parameters get their types from the initial state, which comes last in the text. So
 * the blocks are first stepped over, and read when the types are known. */
typedef struct loop_text {
    const wadi_token *name[MAX_LIST];
    int n;
    size_t block[2]; /* the token with which each block begins */
    size_t end;
} loop_text;

static wadi_status param_names(body_parser *bp, loop_text *lt) {
    wadi_parser *p = bp->p;
    WADI_TRY(wadi_parse_expect(p, "("));
    if (wadi_parse_accept(p, ")")) return WADI_OK;
    do {
        wadi_parse_skip_lines(p);
        if (lt->n == MAX_LIST)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "too many parameters");
        lt->name[lt->n++] = wadi_parse_next(p);
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
static wadi_status loop_block(body_parser *bp, wadi_sinst *i, int k, const loop_text *lt,
                              int counted, const wadi_type *state) {
    wadi_sblock *b = wadi_sblock_new(bp->p->m);
    if (!b) return wadi_parse_no_memory(bp->p);
    const size_t names = bp->names.n;
    wadi_status st = WADI_OK;
    for (int q = 0; q < lt->n && st == WADI_OK; q++) {
        const wadi_type t = q < counted ? WADI_I64 : state[q - counted];
        st = declare(bp, lt->name[q], wadi_sblock_param(bp->p->m, bp->f, b, t));
    }
    bp->p->at = lt->block[k];
    if (st == WADI_OK) st = inner_block(bp, b);
    bp->names.n = names;
    i->block[k] = b;
    return st;
}

static wadi_status expressions(body_parser *bp, list *out) {
    out->n = 0;
    do {
        wadi_parse_skip_lines(bp->p);
        if (out->n == MAX_LIST)
            return wadi_parse_fail(bp->p, wadi_parse_peek(bp->p, 0), WADI_INVALID,
                                   "more than %d expressions", MAX_LIST);
        WADI_TRY(single(bp, &out->at[out->n++]));
    } while (wadi_parse_accept(bp->p, ","));
    return WADI_OK;
}

/* while (s) { test } do { step } from init        iterate n (i, s) { step } from init */
static wadi_status read_loop(body_parser *bp, int counted, list *out) {
    wadi_parser *p = bp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    list args = {0};
    loop_text lt = {.n = 0};
    if (counted) WADI_TRY(atom(bp, &args.at[0]));
    WADI_TRY(param_names(bp, &lt));
    lt.block[0] = p->at;
    WADI_TRY(skip_block(p));
    if (!counted) {
        wadi_parse_skip_lines(p);
        WADI_TRY(wadi_parse_expect(p, "do"));
        lt.block[1] = p->at;
        WADI_TRY(skip_block(p));
    }
    wadi_parse_skip_lines(p);
    WADI_TRY(wadi_parse_expect(p, "from"));
    list init = {0};
    WADI_TRY(expressions(bp, &init));
    lt.end = p->at;
    if (init.n + counted != lt.n || init.n + counted > MAX_LIST)
        return wadi_parse_fail(p, t, WADI_INVALID,
                               "this loop has %d parameters for %d initial values", lt.n - counted,
                               init.n);
    memcpy(args.at + counted, init.at, (size_t)init.n * sizeof *init.at);
    if (counted && type_of(bp, args.at[0]) != WADI_I64)
        return wadi_parse_fail(p, t, WADI_TYPE, "expected an i64 count");
    wadi_sinst *i = new_inst(bp, t, counted ? WADI_SOP_ITERATE : WADI_SOP_WHILE, lt.n, args.at);
    if (!i) return wadi_parse_no_memory(p);
    wadi_type state[MAX_LIST], given[MAX_LIST];
    for (int k = 0; k < init.n; k++) state[k] = type_of(bp, init.at[k]);
    WADI_TRY(loop_block(bp, i, 0, &lt, counted, state));
    if (!counted) WADI_TRY(loop_block(bp, i, 1, &lt, 0, state));
    p->at = lt.end;
    const wadi_type truth = WADI_BOOL;
    if (!counted && !same_types(yield_types(bp, i->block[0], given), given, 1, &truth))
        return wadi_parse_fail(p, t, WADI_TYPE, "the test of this 'while' must give one bool");
    if (!same_types(yield_types(bp, i->block[!counted], given), given, init.n, state))
        return wadi_parse_fail(p, t, WADI_TYPE,
                               "a step of this loop gives other types than its state");
    return append(bp, i, init.n, state, out);
}

/* ---- applications ---- */

static wadi_status read_convert(body_parser *bp, wadi_sop op, list *out) {
    const wadi_token *t = wadi_parse_peek(bp->p, 0);
    wadi_type to;
    wadi_sval x;
    WADI_TRY(wadi_parse_scalar_type(bp->p, &to));
    WADI_TRY(atom(bp, &x));
    const wadi_type from = type_of(bp, x);
    if (op == WADI_SOP_BITCAST && !wadi_bitcast_fits(to, from))
        return wadi_parse_fail(bp->p, t, WADI_TYPE, "no bitcast from %s to %s",
                               wadi_type_name(from), wadi_type_name(to));
    return append(bp, new_inst(bp, t, op, 1, &x), 1, &to, out);
}

/* A hint for messages: what wadi_div does in C is two operations in text, div and fdiv; a literal may need another type. */
static const char *instead_of(body_parser *bp, wadi_sop op, const wadi_token *const *args,
                              const wadi_type *types) {
    const char *hint = wadi_parse_hint_literal(bp->p, wadi_sop_get(op)->arity, args, types);
    if (*hint) return hint;
    if (op == WADI_SOP_DIV && wadi_type_rounds(types[0])) return " (fdiv does)";
    return op == WADI_SOP_FDIV && wadi_type_is_int(types[0]) ? " (div and quot do)" : "";
}

static wadi_status apply(body_parser *bp, const wadi_token *t, wadi_sop op, list *out) {
    const int n = wadi_sop_get(op)->arity;
    wadi_sval args[3];
    wadi_type types[3] = {WADI_BOOL, WADI_BOOL, WADI_BOOL}, result;
    const wadi_token *first[3];
    for (int a = 0; a < n; a++) {
        first[a] = wadi_parse_peek(bp->p, 0);
        WADI_TRY(atom(bp, &args[a]));
        types[a] = type_of(bp, args[a]);
    }
    if (!wadi_sop_type(op, types, &result))
        return wadi_parse_fail(bp->p, t, WADI_TYPE, "this operation does not take %s%s%s%s%s%s",
                               wadi_type_name(types[0]), n > 1 ? ", " : "",
                               n > 1 ? wadi_type_name(types[1]) : "", n > 2 ? ", " : "",
                               n > 2 ? wadi_type_name(types[2]) : "",
                               instead_of(bp, op, first, types));
    return append(bp, new_inst(bp, t, op, n, args), 1, &result, out);
}

/* A body whose results go to *out; its instructions go where the others go. */
static wadi_status inlined(body_parser *bp, list *out) {
    const char **names = NULL;
    wadi_sblock *b = wadi_sblock_new(bp->p->m);
    if (!b) return wadi_parse_no_memory(bp->p);
    WADI_TRY(body(bp, b, &names));
    out->n = b->nyields;
    memcpy(out->at, b->yields, (size_t)b->nyields * sizeof *out->at);
    return WADI_OK;
}

/* The statements that a derived function stands for, as its text has them:
 *     u = unit { .. }                what depends on no argument; `the u` reads it
 *     m = map a (x, ..) { .. }       `args` are its parameters */
static wadi_status written_body(body_parser *bp, int n, const wadi_sval *args, list *out) {
    wadi_parser *p = bp->p;
    bp->written = true;
    while (!wadi_parse_sees(p, 1, "=") || !wadi_parse_sees(p, 2, p->ops->of_elements->name)) {
        const wadi_token *t = wadi_parse_next(p);
        if (t->kind == WADI_TOKEN_END)
            return wadi_fail(p->err, WADI_INTERNAL, "%s is not one function", p->call);
        if (!wadi_parse_sees(p, 0, "=") || !wadi_parse_sees(p, 2, "{")) continue;
        list unit = {0};
        p->at += 2;
        WADI_TRY(inlined(bp, &unit));
        WADI_TRY(declare(bp, t, unit.at[0]));
    }
    p->at += 4;
    for (int k = 0; k < n; k++) {
        p->at++; /* "(" or "," */
        WADI_TRY(declare(bp, wadi_parse_next(p), args[k]));
    }
    WADI_TRY(wadi_parse_expect(p, ")"));
    return inlined(bp, out);
}

/* random_f64 seed i */
static wadi_status apply_derived(body_parser *bp, const wadi_token *t, const wadi_derived *d,
                                 list *out) {
    wadi_parser *p = bp->p;
    wadi_sval args[WADI_DERIVED_SCALARS];
    wadi_array_type types[WADI_DERIVED_SCALARS];
    for (int a = 0; a < d->nargs; a++) {
        WADI_TRY(atom(bp, &args[a]));
        types[a] = (wadi_array_type){.elem = wadi_elem_scalar(type_of(bp, args[a]))};
    }
    wadi_written w;
    const wadi_derived_call call = {.n = d->nargs, .types = types};
    const size_t names = bp->names.n;
    wadi_status st = wadi_parse_written(p, t, d, &call, &w);
    bp->p = &w.p;
    if (st == WADI_OK) st = written_body(bp, d->nargs, args, out);
    bp->p = p;
    bp->written = false;
    bp->names.n = names;
    wadi_parse_written_end(&w);
    return st;
}

static bool find_primitive(const wadi_token *t, wadi_sop *out) {
    for (int op = 0; op < WADI_SOP_PRIM_COUNT; op++) {
        const char *name = wadi_sop_get((wadi_sop)op)->name;
        if (strlen(name) != t->n || memcmp(name, t->at, t->n) != 0) continue;
        *out = (wadi_sop)op;
        return true;
    }
    return false;
}

static wadi_status rhs_inside(body_parser *bp, list *out) {
    wadi_parser *p = bp->p;
    wadi_sop op;
    if (wadi_parse_accept(p, "if")) return read_cond(bp, out);
    if (wadi_parse_accept(p, "while")) return read_loop(bp, 0, out);
    if (wadi_parse_accept(p, "iterate")) return read_loop(bp, 1, out);
    if (wadi_parse_accept(p, "the")) return read_the(bp, out);
    if (wadi_parse_accept(p, "extent")) return read_extent(bp, out);
    if (wadi_parse_accept(p, "convert")) return read_convert(bp, WADI_SOP_CONVERT, out);
    if (wadi_parse_accept(p, "bitcast")) return read_convert(bp, WADI_SOP_BITCAST, out);
    if (wadi_parse_sees(p, 1, "!") || wadi_parse_sees(p, 1, "!!")) return read_element(bp, out);
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind == WADI_TOKEN_NAME && find_primitive(t, &op)) {
        p->at++;
        return apply(bp, t, op, out);
    }
    const wadi_derived *d =
        t->kind == WADI_TOKEN_NAME ? wadi_op_derived(p->ops, t->at, t->n) : NULL;
    if (d && d->scalar && !look_up(bp, t, &out->at[0])) {
        p->at++;
        return apply_derived(bp, t, d, out);
    }
    out->n = 1;
    return atom(bp, &out->at[0]);
}

/* An expression of any kind. */
static wadi_status rhs(body_parser *bp, list *out) {
    WADI_TRY(wadi_parse_enter(bp->p));
    const wadi_status st = rhs_inside(bp, out);
    wadi_parse_leave(bp->p);
    return st;
}

/* ---- blocks ---- */

/* Whether `name, name = ` comes next. */
static bool sees_statement(const wadi_parser *p) {
    size_t ahead = 0;
    while (wadi_parse_peek(p, ahead)->kind == WADI_TOKEN_NAME) {
        if (wadi_parse_sees(p, ahead + 1, "=")) return true;
        if (!wadi_parse_sees(p, ahead + 1, ",")) return false;
        ahead += 2;
    }
    return false;
}

static wadi_status statement(body_parser *bp) {
    wadi_parser *p = bp->p;
    const wadi_token *name[MAX_LIST];
    int n = 0;
    do {
        if (n == MAX_LIST)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "too many names");
        name[n++] = wadi_parse_next(p);
    } while (wadi_parse_accept(p, ","));
    WADI_TRY(wadi_parse_expect(p, "="));
    list results = {0};
    WADI_TRY(rhs(bp, &results));
    if (results.n != n)
        return wadi_parse_fail(p, name[0], WADI_TYPE, "%d names for %d results", n, results.n);
    if (wadi_parse_sees(p, 0, "@") && bp->block->ninsts > 0)
        WADI_TRY(wadi_parse_place(p, name[0], &bp->block->insts[bp->block->ninsts - 1]->loc));
    for (int k = 0; k < n; k++) WADI_TRY(declare(bp, name[k], results.at[k]));
    return WADI_OK;
}

/* [name:] expression, ... ; a single expression may give several results. */
static wadi_status results(body_parser *bp, wadi_sblock *b, const char ***out_names) {
    wadi_parser *p = bp->p;
    const char *names[MAX_LIST] = {0};
    bool named = false;
    list all = {0};
    do {
        wadi_parse_skip_lines(p);
        const wadi_token *t = wadi_parse_peek(p, 0);
        if (out_names && wadi_parse_sees(p, 1, ":")) {
            WADI_TRY(wadi_parse_name(p, &names[all.n]));
            WADI_TRY(wadi_parse_apart(p, t, all.n, names));
            p->at++;
            named = true;
        }
        list one = {0};
        WADI_TRY(rhs(bp, &one));
        if (all.n + one.n > MAX_LIST || (one.n != 1 && (all.n > 0 || wadi_parse_sees(p, 0, ","))))
            return wadi_parse_fail(p, t, WADI_TYPE, "expected one scalar, not %d", one.n);
        memcpy(all.at + all.n, one.at, (size_t)one.n * sizeof *one.at);
        all.n += one.n;
    } while (wadi_parse_accept(p, ",") && all.n < MAX_LIST);
    for (int k = 0; k < all.n; k++)
        if (!wadi_sblock_yield(p->m, b, all.at[k])) return wadi_parse_no_memory(p);
    if (!named) return WADI_OK;
    *out_names = WADI_NEW_N(p->m->arena, const char *, (size_t)all.n);
    if (!*out_names) return wadi_parse_no_memory(p);
    memcpy(*out_names, names, (size_t)all.n * sizeof *names);
    return WADI_OK;
}

static wadi_status body(body_parser *bp, wadi_sblock *b, const char ***out_names) {
    wadi_parser *p = bp->p;
    WADI_TRY(wadi_parse_enter(p));
    WADI_TRY(wadi_parse_expect(p, "{"));
    wadi_parse_skip_lines(p);
    while (sees_statement(p)) {
        WADI_TRY(statement(bp));
        if (wadi_parse_peek(p, 0)->kind != WADI_TOKEN_LINE && !wadi_parse_sees(p, 0, "}"))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "expected the end of the line");
        wadi_parse_skip_lines(p);
    }
    if (!wadi_parse_sees(p, 0, "}")) WADI_TRY(results(bp, b, out_names));
    wadi_parse_skip_lines(p);
    WADI_TRY(wadi_parse_expect(p, "}"));
    wadi_parse_leave(p);
    return WADI_OK;
}

/* ---- functions ---- */

/* (x, y)   (x: f32, y: f32) */
static wadi_status parameters(body_parser *bp, const wadi_bind *b, int n, const wadi_type *types) {
    wadi_parser *p = bp->p;
    const wadi_token *open = wadi_parse_peek(p, 0);
    int given = 0;
    if (wadi_parse_accept(p, "(") && !wadi_parse_accept(p, ")")) {
        do {
            wadi_parse_skip_lines(p);
            const wadi_token *name = wadi_parse_next(p);
            wadi_type t = given < n ? types[given] : WADI_BOOL;
            if (wadi_parse_accept(p, ":"))
                WADI_TRY(wadi_parse_scalar_type(p, &t));
            else if (given >= n)
                return n < 0 ? wadi_parse_misfit(p, b, name)
                             : wadi_parse_fail(p, name, WADI_TYPE, "expected %d parameters", n);
            WADI_TRY(declare(bp, name, wadi_fun_param(p->m, bp->f, t)));
            given++;
        } while (wadi_parse_accept(p, ","));
        WADI_TRY(wadi_parse_expect(p, ")"));
    }
    if (n < 0 || given == n) return WADI_OK;
    return wadi_parse_fail(p, open, WADI_TYPE, "expected a function of %d parameters, not %d", n,
                           given);
}

wadi_status wadi_parse_fun(wadi_parser *p, const wadi_bind *b, int n, const wadi_type *types,
                           wadi_fun **out) {
    body_parser bp = {.p = p, .f = wadi_fun_new(p->m)};
    if (!bp.f) return wadi_parse_no_memory(p);
    bp.block = bp.f->body;
    wadi_status st = parameters(&bp, b, n, types);
    if (st == WADI_OK) st = body(&bp, bp.f->body, &bp.f->names);
    wadi_vec_free(&bp.names);
    *out = bp.f;
    return st;
}
