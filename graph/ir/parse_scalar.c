/* Reads scalar functions: statements such as `t = mul x y`, then the results, as expressions in prefix form.
 *
 * Every expression gets its type when it is read, so a mistake is reported where it stands. Names of scalars are valid only
 * inside the function. They never clash with names of arrays, because the name of an array is expected only where one is read. */

#include <string.h>

#include "graph/ir/literal.h"
#include "graph/ir/parse_fun.h"

/* ---- names ---- */

static bool look_up(const wadi_fun_parser *fp, const wadi_token *t, wadi_sval *out) {
    uint64_t at = 0;
    const char *name =
        t->kind == WADI_TOKEN_NAME ? wadi_intern_add_n(&fp->p->strings, t->at, t->n) : NULL;
    if (name) (void)wadi_map64_get(&fp->named, (uint64_t)(uintptr_t)name, &at);
    if (at > 0) *out = fp->names.at[at - 1].value;
    return at > 0;
}

static wadi_status find(wadi_fun_parser *fp, const wadi_token *t, wadi_sval *out) {
    if (look_up(fp, t, out)) return WADI_OK;
    wadi_near near = {.to = t};
    for (size_t k = fp->names.n; k > 0; k--) wadi_near_offer(&near, fp->names.at[k - 1].name);
    return wadi_parse_fail(fp->p, t, WADI_INVALID, "expected a scalar that is in scope%s",
                           wadi_parse_hint_scalar(fp->p, t, &near));
}

wadi_status wadi_parse_declare(wadi_fun_parser *fp, const wadi_token *t, wadi_sval value) {
    const char *name =
        t->kind == WADI_TOKEN_NAME ? wadi_intern_add_n(&fp->p->strings, t->at, t->n) : NULL;
    if (t->kind != WADI_TOKEN_NAME || (name && !wadi_lex_is_plain_name(name)))
        return wadi_parse_fail(fp->p, t, WADI_INVALID,
                               "expected a name that is no word of the language");
    const uint64_t key = (uint64_t)(uintptr_t)name;
    uint64_t hides = 0;
    (void)wadi_map64_get(&fp->named, key, &hides);
    if (value == WADI_NONE || !name ||
        !wadi_vec_push(&fp->names, (wadi_scalar_name){name, value, hides}) ||
        !wadi_map64_put(&fp->named, key, fp->names.n))
        return wadi_parse_no_memory(fp->p);
    return WADI_OK;
}

wadi_status wadi_parse_forget(wadi_fun_parser *fp, size_t n) {
    while (fp->names.n > n) {
        const wadi_scalar_name last = wadi_vec_pop(&fp->names);
        if (!wadi_map64_put(&fp->named, (uint64_t)(uintptr_t)last.name, last.hides))
            return wadi_parse_no_memory(fp->p);
    }
    return WADI_OK;
}

/* ---- instructions ---- */

wadi_type wadi_parse_type_of(const wadi_fun_parser *fp, wadi_sval s) {
    return fp->f->types[s];
}

/* Appends an instruction with these arguments and result types; its results go to *out. */
wadi_status wadi_parse_append(wadi_fun_parser *fp, wadi_sinst *i, int n, const wadi_type *types,
                              wadi_svals *out) {
    wadi_module *m = fp->p->m;
    if (!i || (wadi_sinst_results(m, fp->f, i, n, types) == WADI_NONE && n > 0) ||
        !wadi_sblock_append(m, fp->block, i))
        return wadi_parse_no_memory(fp->p);
    out->n = n;
    for (int k = 0; k < n; k++) out->at[k] = i->first + (wadi_sval)k;
    return WADI_OK;
}

wadi_sinst *wadi_parse_sinst(wadi_fun_parser *fp, const wadi_token *t, wadi_sop op, int n,
                             const wadi_sval *args) {
    wadi_sinst *i = wadi_sinst_new(fp->p->m, op, n);
    if (!i) return NULL;
    if (n > 0) memcpy(i->args, args, (size_t)n * sizeof *args);
    i->loc = wadi_parse_loc(fp->p, t);
    return i;
}

static wadi_status literal(wadi_fun_parser *fp, wadi_svals *out) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    wadi_scalar v;
    WADI_TRY(wadi_parse_literal(fp->p, NULL, &v));
    wadi_sinst *i = wadi_parse_sinst(fp, t, WADI_SOP_CONST, 0, NULL);
    if (i) i->imm = v;
    return wadi_parse_append(fp, i, 1, &v.type, out);
}

static wadi_status rhs(wadi_fun_parser *fp, wadi_svals *out);

/* An expression with exactly one result. */
wadi_status wadi_parse_sval(wadi_fun_parser *fp, wadi_sval *out) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    wadi_svals results = {0};
    WADI_TRY(rhs(fp, &results));
    if (results.n != 1)
        return wadi_parse_fail(fp->p, t, WADI_TYPE, "expected one scalar, not %d", results.n);
    *out = results.at[0];
    return WADI_OK;
}

/* A name, a literal, or an expression in parentheses. */
wadi_status wadi_parse_atom(wadi_fun_parser *fp, wadi_sval *out) {
    wadi_parser *p = fp->p;
    wadi_svals one = {0};
    const wadi_token *open = wadi_parse_peek(p, 0);
    if (wadi_parse_accept(p, "(")) {
        wadi_parse_skip_lines(p);
        WADI_TRY(wadi_parse_sval(fp, out));
        wadi_parse_skip_lines(p);
        return wadi_parse_close(p, ")", open);
    }
    if (wadi_parse_sees_literal(p)) {
        WADI_TRY(literal(fp, &one));
        *out = one.at[0];
        return WADI_OK;
    }
    return find(fp, wadi_parse_next(p), out);
}

/* ---- what reads arrays ---- */

static wadi_status read_types(wadi_fun_parser *fp, wadi_val array, wadi_type *types, int *out_n) {
    const wadi_elem *e = &fp->p->m->values[array].type.array->elem;
    *out_n = e->fields;
    memcpy(types, e->type, (size_t)e->fields * sizeof *types);
    return WADI_OK;
}

/* `( e, .. )` or one atom: the indices of an array of the rank given. */
static wadi_status indices(wadi_fun_parser *fp, int rank, wadi_svals *out) {
    wadi_parser *p = fp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    out->n = 0;
    if (!wadi_parse_accept(p, "(")) {
        WADI_TRY(wadi_parse_atom(fp, &out->at[out->n++]));
    } else if (!wadi_parse_accept(p, ")")) {
        do {
            wadi_parse_skip_lines(p);
            if (out->n == WADI_MAX_RANK)
                return wadi_parse_fail(p, t, WADI_SHAPE, "expected %d i64 ind%s, not more than %d",
                                       rank, rank == 1 ? "ex" : "ices", WADI_MAX_RANK);
            WADI_TRY(wadi_parse_sval(fp, &out->at[out->n++]));
            wadi_parse_skip_lines(p);
        } while (wadi_parse_accept(p, ","));
        WADI_TRY(wadi_parse_expect(p, ")"));
    }
    for (int k = 0; k < out->n; k++) {
        const wadi_type type = wadi_parse_type_of(fp, out->at[k]);
        if (type != WADI_I64)
            return wadi_parse_fail(p, t, WADI_SHAPE, "expected an index of type i64, not %s%s",
                                   wadi_type_name(type),
                                   wadi_type_is_complex(type) ? "" : " (convert i64 i)");
    }
    if (out->n == rank) return WADI_OK;
    return wadi_parse_fail(p, t, WADI_SHAPE, "expected %d i64 ind%s, not %d%s", rank,
                           rank == 1 ? "ex" : "ices", out->n,
                           rank > 1 ? " (several are written a ! (i, j))" : "");
}

/* array ! i   array ! (i, j)   array !! k */
static wadi_status read_element(wadi_fun_parser *fp, wadi_svals *out) {
    wadi_parser *p = fp->p;
    const wadi_token *t = wadi_parse_peek(p, 0);
    wadi_val array;
    WADI_TRY(wadi_parse_array(p, &array));
    const bool linear = wadi_parse_accept(p, "!!");
    if (!linear) WADI_TRY(wadi_parse_expect(p, "!"));
    const int rank = linear ? 1 : p->m->values[array].type.array->rank;
    wadi_svals ix = {0};
    WADI_TRY(indices(fp, rank, &ix));
    wadi_sinst *i =
        wadi_parse_sinst(fp, t, linear ? WADI_SOP_INDEX_LINEAR : WADI_SOP_INDEX, ix.n, ix.at);
    if (i) i->array = array;
    wadi_type types[WADI_MAX_FIELDS];
    int n;
    WADI_TRY(read_types(fp, array, types, &n));
    return wadi_parse_append(fp, i, n, types, out);
}

static wadi_status read_the(wadi_fun_parser *fp, wadi_svals *out) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    if (fp->written) {
        out->n = 1;
        return find(fp, wadi_parse_next(fp->p), &out->at[0]);
    }
    wadi_val array;
    WADI_TRY(wadi_parse_array(fp->p, &array));
    if (fp->p->m->values[array].type.array->rank != 0)
        return wadi_parse_fail(fp->p, t, WADI_SHAPE, "'the' reads an array of rank 0");
    wadi_sinst *i = wadi_parse_sinst(fp, t, WADI_SOP_THE, 0, NULL);
    if (i) i->array = array;
    wadi_type types[WADI_MAX_FIELDS];
    int n;
    WADI_TRY(read_types(fp, array, types, &n));
    return wadi_parse_append(fp, i, n, types, out);
}

static wadi_status read_extent(wadi_fun_parser *fp, wadi_svals *out) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    wadi_val array;
    int64_t dim;
    WADI_TRY(wadi_parse_array(fp->p, &array));
    const int rank = fp->p->m->values[array].type.array->rank;
    if (rank == 0)
        return wadi_parse_fail(fp->p, t, WADI_SHAPE, "an array of rank 0 has no extents");
    WADI_TRY(wadi_parse_integer(fp->p, 0, rank - 1, &dim));
    wadi_sinst *i = wadi_parse_sinst(fp, t, WADI_SOP_EXTENT, 0, NULL);
    if (i) {
        i->array = array;
        i->dim = (int)dim;
    }
    const wadi_type i64 = WADI_I64;
    return wadi_parse_append(fp, i, 1, &i64, out);
}

/* ---- applications ---- */

static wadi_status read_convert(wadi_fun_parser *fp, wadi_sop op, wadi_svals *out) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    wadi_type to;
    wadi_sval x;
    WADI_TRY(wadi_parse_scalar_type(fp->p, &to));
    WADI_TRY(wadi_parse_atom(fp, &x));
    const wadi_type from = wadi_parse_type_of(fp, x);
    if (op == WADI_SOP_BITCAST && !wadi_bitcast_fits(to, from))
        return wadi_parse_fail(fp->p, t, WADI_TYPE, "no bitcast from %s to %s",
                               wadi_type_name(from), wadi_type_name(to));
    return wadi_parse_append(fp, wadi_parse_sinst(fp, t, op, 1, &x), 1, &to, out);
}

/* A hint for messages: what wadi_div does in C is two operations in text, div and fdiv; a literal may need another type. */
static const char *instead_of(wadi_fun_parser *fp, wadi_sop op, const wadi_token *const *args,
                              const wadi_type *types) {
    const char *hint = wadi_parse_hint_literal(fp->p, wadi_sop_get(op)->arity, args, types);
    if (*hint) return hint;
    if (op == WADI_SOP_DIV && wadi_type_rounds(types[0])) return " (fdiv does)";
    if (op == WADI_SOP_FDIV && wadi_type_is_int(types[0])) return " (div and quot do)";
    return wadi_parse_hint_types(fp->p, op, types);
}

/* Whether no argument begins here. */
static bool ends_expression(const wadi_token *t) {
    return t->kind == WADI_TOKEN_LINE || t->kind == WADI_TOKEN_END ||
           (t->kind == WADI_TOKEN_MARK && (*t->at == '}' || *t->at == ')' || *t->at == ','));
}

/* Whether an argument begins here. */
static bool begins_argument(const wadi_token *t) {
    return t->kind == WADI_TOKEN_NAME || t->kind == WADI_TOKEN_NUMBER ||
           (t->kind == WADI_TOKEN_MARK && *t->at == '(');
}

static wadi_status expect_argument(wadi_fun_parser *fp, const char *name, int a, int n) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    if (!ends_expression(t)) return WADI_OK;
    return wadi_parse_fail(fp->p, t, WADI_INVALID, "expected argument %d of %d of %s", a + 1, n,
                           name);
}

static wadi_status expect_no_more(wadi_fun_parser *fp, const char *name, int n) {
    const wadi_token *t = wadi_parse_peek(fp->p, 0);
    if (!begins_argument(t)) return WADI_OK;
    return wadi_parse_fail(fp->p, t, WADI_INVALID, "%s takes %d argument%s, expected no more", name,
                           n, n == 1 ? "" : "s");
}

static wadi_status apply(wadi_fun_parser *fp, const wadi_token *t, wadi_sop op, wadi_svals *out) {
    const int n = wadi_sop_get(op)->arity;
    wadi_sval args[3];
    wadi_type types[3] = {WADI_BOOL, WADI_BOOL, WADI_BOOL}, result;
    const wadi_token *first[3];
    for (int a = 0; a < n; a++) {
        first[a] = wadi_parse_peek(fp->p, 0);
        WADI_TRY(expect_argument(fp, wadi_sop_get(op)->name, a, n));
        WADI_TRY(wadi_parse_atom(fp, &args[a]));
        types[a] = wadi_parse_type_of(fp, args[a]);
    }
    WADI_TRY(expect_no_more(fp, wadi_sop_get(op)->name, n));
    if (!wadi_sop_type(op, types, &result))
        return wadi_parse_fail(fp->p, t, WADI_TYPE, "this operation does not take %s%s%s%s%s%s",
                               wadi_type_name(types[0]), n > 1 ? ", " : "",
                               n > 1 ? wadi_type_name(types[1]) : "", n > 2 ? ", " : "",
                               n > 2 ? wadi_type_name(types[2]) : "",
                               instead_of(fp, op, first, types));
    return wadi_parse_append(fp, wadi_parse_sinst(fp, t, op, n, args), 1, &result, out);
}

/* A body whose results go to *out; its instructions go where the others go. */
static wadi_status inlined(wadi_fun_parser *fp, wadi_svals *out) {
    const char **names = NULL;
    wadi_sblock *b = wadi_sblock_new(fp->p->m);
    if (!b) return wadi_parse_no_memory(fp->p);
    WADI_TRY(wadi_parse_body(fp, b, &names));
    out->n = b->nyields;
    memcpy(out->at, b->yields, (size_t)b->nyields * sizeof *out->at);
    return WADI_OK;
}

/* The statements that a derived function stands for, as its text has them:
 *     u = unit { .. }                what depends on no argument; `the u` reads it
 *     m = map a (x, ..) { .. }       `args` are its parameters */
static wadi_status written_body(wadi_fun_parser *fp, int n, const wadi_sval *args,
                                wadi_svals *out) {
    wadi_parser *p = fp->p;
    fp->written = true;
    while (!wadi_parse_sees(p, 1, "=") || !wadi_parse_sees(p, 2, p->ops->of_elements->name)) {
        const wadi_token *t = wadi_parse_next(p);
        if (t->kind == WADI_TOKEN_END)
            return wadi_fail(p->err, WADI_INTERNAL, "%s is not one function", p->call);
        if (!wadi_parse_sees(p, 0, "=") || !wadi_parse_sees(p, 2, "{")) continue;
        wadi_svals unit = {0};
        p->at += 2;
        WADI_TRY(inlined(fp, &unit));
        WADI_TRY(wadi_parse_declare(fp, t, unit.at[0]));
    }
    p->at += 4;
    for (int k = 0; k < n; k++) {
        p->at++; /* "(" or "," */
        WADI_TRY(wadi_parse_declare(fp, wadi_parse_next(p), args[k]));
    }
    WADI_TRY(wadi_parse_expect(p, ")"));
    return inlined(fp, out);
}

/* random_f64 seed i */
static wadi_status apply_derived(wadi_fun_parser *fp, const wadi_token *t, const wadi_derived *d,
                                 wadi_svals *out) {
    wadi_parser *p = fp->p;
    wadi_sval args[WADI_DERIVED_SCALARS];
    wadi_array_type types[WADI_DERIVED_SCALARS];
    for (int a = 0; a < d->nargs; a++) {
        WADI_TRY(expect_argument(fp, d->name, a, d->nargs));
        WADI_TRY(wadi_parse_atom(fp, &args[a]));
        types[a] = (wadi_array_type){.elem = wadi_elem_scalar(wadi_parse_type_of(fp, args[a]))};
    }
    WADI_TRY(expect_no_more(fp, d->name, d->nargs));
    wadi_written w;
    const wadi_derived_call call = {.n = d->nargs, .types = types};
    const size_t names = fp->names.n;
    wadi_status st = wadi_parse_written(p, t, d, &call, &w);
    fp->p = &w.p;
    if (st == WADI_OK) st = written_body(fp, d->nargs, args, out);
    if (st == WADI_OK) st = wadi_parse_forget(fp, names);
    fp->p = p;
    fp->written = false;
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

static wadi_status rhs_inside(wadi_fun_parser *fp, wadi_svals *out) {
    wadi_parser *p = fp->p;
    wadi_sop op;
    for (const wadi_control_word *w = fp->control; w->word; w++)
        if (wadi_parse_accept(p, w->word)) return w->read(fp, out);
    if (wadi_parse_accept(p, "the")) return read_the(fp, out);
    if (wadi_parse_accept(p, "extent")) return read_extent(fp, out);
    if (wadi_parse_accept(p, "convert")) return read_convert(fp, WADI_SOP_CONVERT, out);
    if (wadi_parse_accept(p, "bitcast")) return read_convert(fp, WADI_SOP_BITCAST, out);
    if (wadi_parse_sees(p, 1, "!") || wadi_parse_sees(p, 1, "!!")) return read_element(fp, out);
    const wadi_token *t = wadi_parse_peek(p, 0);
    if (t->kind == WADI_TOKEN_NAME && find_primitive(t, &op)) {
        p->at++;
        return apply(fp, t, op, out);
    }
    const wadi_derived *d =
        t->kind == WADI_TOKEN_NAME ? wadi_op_derived(p->ops, t->at, t->n) : NULL;
    if (d && d->scalar && !look_up(fp, t, &out->at[0])) {
        p->at++;
        return apply_derived(fp, t, d, out);
    }
    out->n = 1;
    return wadi_parse_atom(fp, &out->at[0]);
}

/* An expression of any kind. */
static wadi_status rhs(wadi_fun_parser *fp, wadi_svals *out) {
    WADI_TRY(wadi_parse_enter(fp->p));
    const wadi_status st = rhs_inside(fp, out);
    wadi_parse_leave(fp->p);
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

/* The instruction that a place after these results is of, among those from number `from` on. NULL: none, as after a name or after a derived
 * function, which is several. */
static wadi_sinst *instruction_of(const wadi_fun_parser *fp, int from, const wadi_svals *results) {
    const int n = fp->block->ninsts;
    wadi_sinst *last = n > from ? fp->block->insts[n - 1] : NULL;
    return last && last->nresults == results->n && last->first == results->at[0] && !last->loc.call
               ? last
               : NULL;
}

static wadi_status statement(wadi_fun_parser *fp) {
    wadi_parser *p = fp->p;
    const wadi_token *name[WADI_PARSE_LIST];
    int n = 0;
    do {
        if (n == WADI_PARSE_LIST)
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID, "too many names");
        name[n++] = wadi_parse_next(p);
    } while (wadi_parse_accept(p, ","));
    WADI_TRY(wadi_parse_expect(p, "="));
    wadi_svals results = {0};
    const int from = fp->block->ninsts;
    WADI_TRY(rhs(fp, &results));
    if (results.n != n)
        return wadi_parse_fail_names(p, name[0], "the expression", (size_t)n, (size_t)results.n,
                                     "");
    wadi_sinst *own = instruction_of(fp, from, &results);
    if (own) WADI_TRY(wadi_parse_place(p, name[0], &own->loc));
    for (int k = 0; k < n; k++) WADI_TRY(wadi_parse_declare(fp, name[k], results.at[k]));
    return WADI_OK;
}

/* [name:] expression, ... ; a single expression may give several results. */
static wadi_status results(wadi_fun_parser *fp, wadi_sblock *b, const char ***out_names) {
    wadi_parser *p = fp->p;
    const char *names[WADI_PARSE_LIST] = {0};
    bool named = false;
    wadi_svals all = {0};
    do {
        wadi_parse_skip_lines(p);
        const wadi_token *t = wadi_parse_peek(p, 0);
        if (out_names && wadi_parse_sees(p, 1, ":")) {
            WADI_TRY(wadi_parse_name(p, &names[all.n]));
            WADI_TRY(wadi_parse_apart(p, t, all.n, names));
            p->at++;
            named = true;
        }
        wadi_svals one = {0};
        WADI_TRY(rhs(fp, &one));
        if (all.n + one.n > WADI_PARSE_LIST ||
            (one.n != 1 && (all.n > 0 || wadi_parse_sees(p, 0, ","))))
            return wadi_parse_fail(p, t, WADI_TYPE, "expected one scalar, not %d", one.n);
        memcpy(all.at + all.n, one.at, (size_t)one.n * sizeof *one.at);
        all.n += one.n;
    } while (wadi_parse_accept(p, ",") && all.n < WADI_PARSE_LIST);
    for (int k = 0; k < all.n; k++)
        if (!wadi_sblock_yield(p->m, b, all.at[k])) return wadi_parse_no_memory(p);
    if (!named) return WADI_OK;
    *out_names = WADI_NEW_N(p->m->arena, const char *, (size_t)all.n);
    if (!*out_names) return wadi_parse_no_memory(p);
    memcpy(*out_names, names, (size_t)all.n * sizeof *names);
    return WADI_OK;
}

wadi_status wadi_parse_body(wadi_fun_parser *fp, wadi_sblock *b, const char ***out_names) {
    wadi_parser *p = fp->p;
    const wadi_token *open = wadi_parse_peek(p, 0);
    WADI_TRY(wadi_parse_enter(p));
    WADI_TRY(wadi_parse_expect(p, "{"));
    wadi_parse_skip_lines(p);
    while (sees_statement(p)) {
        WADI_TRY(statement(fp));
        if (wadi_parse_peek(p, 0)->kind != WADI_TOKEN_LINE && !wadi_parse_sees(p, 0, "}"))
            return wadi_parse_fail(p, wadi_parse_peek(p, 0), WADI_INVALID,
                                   "expected the end of the line%s",
                                   wadi_parse_hint_behind(p, wadi_parse_peek(p, 0)));
        wadi_parse_skip_lines(p);
    }
    if (!wadi_parse_sees(p, 0, "}")) WADI_TRY(results(fp, b, out_names));
    wadi_parse_skip_lines(p);
    WADI_TRY(wadi_parse_close(p, "}", open));
    wadi_parse_leave(p);
    return WADI_OK;
}
