/* Checks and copies shared by the operators' type, shape and index rules.
 *
 * Messages say what was found and what was expected, with types written as programs write them. */
#include "operators/rules.h"

#include <string.h>

#include "base/text.h"
#include "operators/reduce_tree.h"

/* "f32[?, ?]", "{re: f32, im: f32}[?]"; cut if it is too long */
typedef struct type_text {
    char at[160];
} type_text;

static type_text array_text(const wadi_array_type *t) {
    type_text out = {{0}};
    wadi_text text;
    wadi_text_init(&text);
    const bool record = t->elem.fields != 1 || t->elem.name[0];
    if (record) wadi_text_add(&text, "{");
    for (int f = 0; f < t->elem.fields; f++)
        wadi_text_addf(&text, "%s%s%s%s", f > 0 ? ", " : "", t->elem.name[f] ? t->elem.name[f] : "",
                       t->elem.name[f] ? ": " : "", wadi_type_name(t->elem.type[f]));
    if (record) wadi_text_add(&text, "}");
    for (int d = 0; d < t->rank; d++) wadi_text_add(&text, d > 0 ? ", ?" : "[?");
    if (t->rank > 0) wadi_text_add(&text, "]");
    const char *s = wadi_text_str(&text);
    for (size_t i = 0; i + 1 < sizeof out.at && s[i]; i++) out.at[i] = s[i];
    wadi_text_fini(&text);
    return out;
}

static wadi_status no_memory(const wadi_bind *b, wadi_error *err) {
    return wadi_fail_at(err, b->loc, WADI_MEMORY, "%s: out of memory", b->op->name);
}

static const char *plural(int n) {
    return n == 1 ? "" : "s";
}

/* ---- types ---- */

static const wadi_val_type *type_of(const wadi_module *m, wadi_val v) {
    return v < m->nvalues ? &m->values[v].type : NULL;
}

const wadi_array_type *wadi_rule_arg(const wadi_module *m, const wadi_bind *b, int i) {
    const wadi_val_type *t = i >= 0 && i < b->nargs ? type_of(m, b->args[i]) : NULL;
    return t && !t->is_seq ? t->array : NULL;
}

const wadi_val_type *wadi_rule_seq(const wadi_module *m, const wadi_bind *b, int i) {
    const wadi_val_type *t = i >= 0 && i < b->nargs ? type_of(m, b->args[i]) : NULL;
    return t && t->is_seq ? t : NULL;
}

int wadi_rule_add_index(wadi_type *types, int n, int rank) {
    if (n < 0 || n + rank > WADI_MAX_PARAMS) return -1;
    for (int d = 0; d < rank; d++) types[n++] = WADI_I64;
    return n;
}

int wadi_rule_add_elem(wadi_type *types, int n, const wadi_array_type *a) {
    if (n < 0 || !a || n + a->elem.fields > WADI_MAX_PARAMS) return -1;
    for (int f = 0; f < a->elem.fields; f++) types[n++] = a->elem.type[f];
    return n;
}

static wadi_status argument_kinds(const wadi_module *m, const wadi_bind *b, wadi_error *err) {
    for (int i = 0; i < b->nargs; i++) {
        if (!type_of(m, b->args[i]))
            return wadi_fail_at(err, b->loc, WADI_INVALID, "%s: argument %d is missing",
                                b->op->name, i + 1);
        if (b->op->kind != WADI_OP_SEQUENCE && !wadi_rule_arg(m, b, i))
            return wadi_fail_at(err, b->loc, WADI_TYPE,
                                "%s: argument %d is a sequence, expected an array", b->op->name,
                                i + 1);
    }
    return WADI_OK;
}

wadi_status wadi_rule_counts(const wadi_module *m, const wadi_bind *b, int min_args, int max_args,
                             wadi_error *err) {
    if (b->nargs < min_args || b->nargs > max_args)
        return max_args > min_args
                   ? wadi_fail_at(err, b->loc, WADI_INVALID, "%s: %d argument%s, expected %d..%d",
                                  b->op->name, b->nargs, plural(b->nargs), min_args, max_args)
                   : wadi_fail_at(err, b->loc, WADI_INVALID, "%s: %d argument%s, expected %d",
                                  b->op->name, b->nargs, plural(b->nargs), min_args);
    if (b->nfuns != wadi_op_funs(b) || b->nblocks != b->op->nblocks)
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "%s: %d functions and %d regions, expected %d and %d", b->op->name,
                            b->nfuns, b->nblocks, wadi_op_funs(b), b->op->nblocks);
    return argument_kinds(m, b, err);
}

/* Word `i` of the operator's attributes; numbers after the last word belong to it. */
static int attr_name(const wadi_op *op, int i, const char **out) {
    const char *at = op->attrs ? op->attrs : "?";
    for (; i > 0 && strchr(at, ' '); i--) at = strchr(at, ' ') + 1;
    *out = at;
    return (int)strcspn(at, " ");
}

wadi_status wadi_rule_attrs(const wadi_bind *b, int n, int64_t low, int64_t high, wadi_error *err) {
    if (b->nattrs != n)
        return wadi_fail_at(err, b->loc, WADI_INVALID, "%s: %d attribute%s, expected %d: %s",
                            b->op->name, b->nattrs, plural(b->nattrs), n,
                            b->op->attrs ? b->op->attrs : "none");
    for (int i = 0; i < n; i++) {
        const char *name;
        const int length = attr_name(b->op, i, &name);
        if (b->attrs[i] >= low && b->attrs[i] < high) continue;
        if (high <= low)
            return wadi_fail_at(err, b->loc, WADI_INVALID,
                                "%s: attribute %.*s is %lld, but its argument has rank 0",
                                b->op->name, length, name, (long long)b->attrs[i]);
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "%s: attribute %.*s is %lld, expected %lld..%lld", b->op->name, length,
                            name, (long long)b->attrs[i], (long long)low, (long long)high - 1);
    }
    return WADI_OK;
}

wadi_status wadi_rule_rank(const wadi_module *m, const wadi_bind *b, int i, int rank,
                           wadi_error *err) {
    const wadi_array_type *a = wadi_rule_arg(m, b, i);
    if (a && a->rank == rank) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_SHAPE, "%s: argument %d is %s, expected rank %d",
                        b->op->name, i + 1, a ? array_text(a).at : "a sequence", rank);
}

wadi_status wadi_rule_scalars(const wadi_module *m, const wadi_bind *b, int from, int n,
                              wadi_type t, wadi_error *err) {
    const wadi_elem want = wadi_elem_scalar(t);
    for (int i = from; i < from + n; i++) {
        const wadi_array_type *a = wadi_rule_arg(m, b, i);
        if (a && a->rank == 0 && wadi_elem_equal(&a->elem, &want)) continue;
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: argument %d is %s, expected %s of rank 0",
                            b->op->name, i + 1, a ? array_text(a).at : "a sequence",
                            wadi_type_name(t));
    }
    return WADI_OK;
}

wadi_status wadi_rule_same_elem(const wadi_module *m, const wadi_bind *b, int i, int like,
                                wadi_error *err) {
    const wadi_array_type *a = wadi_rule_arg(m, b, i), *l = wadi_rule_arg(m, b, like);
    if (a && l && wadi_elem_equal(&a->elem, &l->elem)) return WADI_OK;
    return wadi_fail_at(err, b->loc, WADI_TYPE,
                        "%s: argument %d is %s, expected elements as in argument %d, which is %s",
                        b->op->name, i + 1, a ? array_text(a).at : "a sequence", like + 1,
                        l ? array_text(l).at : "a sequence");
}

wadi_status wadi_rule_fun(const wadi_module *m, const wadi_bind *b, int fun, wadi_error *err) {
    wadi_type want[WADI_MAX_FUN_PARAMS];
    const wadi_fun *f = b->funs[fun];
    const int n = b->op->fun_params(m, b, fun, want);
    if (!f || n < 0)
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "%s: function %d is missing, or the arguments do not fit it",
                            b->op->name, fun + 1);
    if (f->body->nparams != n)
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "%s: function %d has %d parameter%s, expected %d", b->op->name, fun + 1,
                            f->body->nparams, plural(f->body->nparams), n);
    for (int i = 0; i < n; i++) {
        const wadi_type t = f->types[f->body->params[i]];
        if (t != want[i])
            return wadi_fail_at(err, b->loc, WADI_TYPE,
                                "%s: parameter %d of function %d is %s, expected %s", b->op->name,
                                i + 1, fun + 1, wadi_type_name(t), wadi_type_name(want[i]));
    }
    return WADI_OK;
}

wadi_status wadi_rule_fun_gives(const wadi_bind *b, int fun, int n, const wadi_type *types,
                                wadi_error *err) {
    const wadi_fun *f = b->funs[fun];
    if (f->body->nyields != n)
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: function %d gives %d value%s, expected %d",
                            b->op->name, fun + 1, f->body->nyields, plural(f->body->nyields), n);
    for (int i = 0; i < n; i++) {
        const wadi_type t = f->types[f->body->yields[i]];
        if (t != types[i])
            return wadi_fail_at(err, b->loc, WADI_TYPE,
                                "%s: result %d of function %d is %s, expected %s", b->op->name,
                                i + 1, fun + 1, wadi_type_name(t), wadi_type_name(types[i]));
    }
    return WADI_OK;
}

wadi_status wadi_rule_fun_elem(wadi_module *m, const wadi_bind *b, int fun, wadi_elem *out,
                               wadi_error *err) {
    const wadi_fun *f = b->funs[fun];
    const int n = f->body->nyields;
    if (n < 1 || n > WADI_MAX_FIELDS)
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "%s: function %d gives %d values, expected 1..%d", b->op->name, fun + 1,
                            n, WADI_MAX_FIELDS);
    wadi_elem e = {.fields = n};
    for (int i = 0; i < n; i++) {
        e.type[i] = f->types[f->body->yields[i]];
        e.name[i] = f->names ? f->names[i] : NULL;
        if (n > 1 && !e.name[i]) {
            e.name[i] = wadi_arena_printf(m->arena, "f%d", i);
            if (!e.name[i]) return no_memory(b, err);
        }
    }
    *out = e;
    return WADI_OK;
}

/* ---- folds and scans ---- */

int wadi_rule_combining_params(const wadi_module *m, const wadi_bind *b, int fun,
                               wadi_type *types) {
    WADI_UNUSED(fun);
    const wadi_array_type *a = wadi_rule_arg(m, b, b->nargs - 1);
    return wadi_rule_add_elem(types, wadi_rule_add_elem(types, 0, a), a);
}

wadi_status wadi_rule_combining(const wadi_module *m, const wadi_bind *b, wadi_error *err) {
    const wadi_array_type *a = wadi_rule_arg(m, b, b->nargs - 1);
    if (a->rank < 1)
        return wadi_fail_at(err, b->loc, WADI_SHAPE,
                            "%s: argument %d is %s, expected rank 1 or more", b->op->name, b->nargs,
                            array_text(a).at);
    WADI_TRY(wadi_rule_fun(m, b, 0, err));
    WADI_TRY(wadi_rule_fun_gives(b, 0, a->elem.fields, a->elem.type, err));
    b->funs[0]->lanes = wadi_fun_has_lanes(b->funs[0]) ? 1 : -1;
    return WADI_OK;
}

wadi_status wadi_rule_start(const wadi_module *m, const wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_rank(m, b, 0, 0, err));
    return wadi_rule_same_elem(m, b, 0, 1, err);
}

/* ---- regions ---- */

wadi_status wadi_rule_seqs(const wadi_module *m, const wadi_bind *b, int from, int to,
                           wadi_error *err) {
    for (int i = from; i < to; i++) {
        if (wadi_rule_seq(m, b, i)) continue;
        const wadi_array_type *a = wadi_rule_arg(m, b, i);
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: argument %d is %s, expected a sequence",
                            b->op->name, i + 1, a ? array_text(a).at : "missing");
    }
    return WADI_OK;
}

wadi_status wadi_rule_block(const wadi_module *m, const wadi_bind *b, int block, wadi_error *err) {
    wadi_array_type want[WADI_MAX_PARAMS];
    const wadi_block *r = b->blocks[block];
    const int n = b->op->block_params ? b->op->block_params(m, b, block, want) : 0;
    if (!r || n < 0)
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "%s: region %d is missing, or the arguments do not fit it", b->op->name,
                            block + 1);
    if (r->nparams != n)
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: region %d has %d parameter%s, expected %d",
                            b->op->name, block + 1, r->nparams, plural(r->nparams), n);
    for (int i = 0; i < n; i++) {
        const wadi_val_type *t = type_of(m, r->params[i]);
        if (!t->is_seq && t->array->rank == want[i].rank &&
            wadi_elem_equal(&t->array->elem, &want[i].elem))
            continue;
        return wadi_fail_at(err, b->loc, WADI_TYPE,
                            "%s: parameter %d of region %d is %s, expected %s", b->op->name, i + 1,
                            block + 1, t->is_seq ? "a sequence" : array_text(t->array).at,
                            array_text(&want[i]).at);
    }
    return WADI_OK;
}

wadi_status wadi_rule_yields(const wadi_module *m, const wadi_bind *b, int block, int n,
                             const wadi_array_type *types, wadi_error *err) {
    const wadi_block *r = b->blocks[block];
    if (r->nyields != n)
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: region %d yields %d array%s, expected %d",
                            b->op->name, block + 1, r->nyields, plural(r->nyields), n);
    for (int i = 0; i < n; i++) {
        const wadi_val_type *t = type_of(m, r->yields[i]);
        const bool is_array = t && !t->is_seq;
        if (is_array && (!types || (t->array->rank == types[i].rank &&
                                    wadi_elem_equal(&t->array->elem, &types[i].elem))))
            continue;
        return wadi_fail_at(err, b->loc, WADI_TYPE, "%s: yield %d of region %d is %s, expected %s",
                            b->op->name, i + 1, block + 1,
                            is_array ? array_text(t->array).at : "a sequence",
                            types ? array_text(&types[i]).at : "an array");
    }
    return WADI_OK;
}

/* ---- results ---- */

wadi_status wadi_rule_result(wadi_module *m, wadi_bind *b, int rank, const wadi_elem *elem,
                             wadi_error *err) {
    if (rank < 0 || rank > WADI_MAX_RANK)
        return wadi_fail_at(err, b->loc, WADI_SHAPE,
                            "%s: the result has rank %d, expected at most %d", b->op->name, rank,
                            WADI_MAX_RANK);
    const wadi_val_type t = wadi_array_val_type(m, rank, *elem);
    if (!t.array || wadi_bind_result(m, b, t) == WADI_NONE) return no_memory(b, err);
    return WADI_OK;
}

wadi_status wadi_rule_results(wadi_module *m, wadi_bind *b, int n, const wadi_array_type *types,
                              wadi_error *err) {
    for (int i = 0; i < n; i++)
        WADI_TRY(wadi_rule_result(m, b, types[i].rank, &types[i].elem, err));
    return WADI_OK;
}

wadi_status wadi_rule_seq_of_yields(wadi_module *m, wadi_bind *b, wadi_error *err) {
    const wadi_block *r = b->blocks[0];
    wadi_array_type *types = WADI_NEW_N(m->arena, wadi_array_type, (size_t)r->nyields);
    if (!types) return no_memory(b, err);
    for (int i = 0; i < r->nyields; i++) {
        types[i] = *m->values[r->yields[i]].type.array;
        types[i].extent = NULL;
    }
    const wadi_val_type t = wadi_seq_val_type(m, r->nyields, types);
    if (!t.array || wadi_bind_result(m, b, t) == WADI_NONE) return no_memory(b, err);
    return WADI_OK;
}

/* ---- shapes and dependence ---- */

int wadi_rule_rank_of(const wadi_module *m, wadi_val v) {
    return m->values[v].type.array[0].rank;
}

void wadi_rule_shape_args(wadi_shape_cx *cx, const wadi_bind *b, int from, int rank) {
    for (int d = 0; d < rank; d++)
        cx->set(cx, b->results[0], 0, d, cx->scalar(cx, b->args[from + d]));
}

void wadi_rule_shape_like(wadi_shape_cx *cx, const wadi_bind *b, wadi_val v, int rank) {
    for (int d = 0; d < rank; d++) cx->set(cx, b->results[0], 0, d, cx->get(cx, v, 0, d));
}

void wadi_rule_declared(wadi_shape_cx *cx, wadi_val v, int comp) {
    const wadi_array_type *t = &cx->module->values[v].type.array[comp];
    for (int d = 0; d < t->rank; d++) {
        const wadi_extent_decl any = {.kind = WADI_EXTENT_ANY};
        const wadi_extent_decl e = t->extent ? t->extent[d] : any;
        wadi_ext x;
        if (e.kind == WADI_EXTENT_CONST)
            x = wadi_ext_const(cx->extents, e.value);
        else if (e.kind == WADI_EXTENT_NAMED)
            x = wadi_ext_symbol(cx->extents, e.name);
        else
            x = wadi_ext_dim(cx->extents, v, comp, d);
        cx->set(cx, v, comp, d, x);
    }
}

/* Whether a body that makes `after` of `before` keeps the extent `start`. The least or the greatest of before and start is start, if before is: a
 * stencil over the state and an array as large keeps the state's shape. */
static bool keeps(wadi_extents *x, wadi_ext before, wadi_ext start, wadi_ext after) {
    return wadi_ext_equal(x, before, after) ||
           wadi_ext_equal(x, after, wadi_ext_min(x, before, start)) ||
           wadi_ext_equal(x, after, wadi_ext_max(x, before, start));
}

/* First the state is assumed to have any shape. The extents that the body then keeps are those of the first state. With these
 * known, the body is analysed again. If it were first assumed that all extents are kept, checks would be noted that rely on a
 * wrong guess. */
static void state_shapes(wadi_shape_cx *cx, const wadi_block *body, int n, const wadi_val *init,
                         const wadi_val *results) {
    for (int i = 0; i < n; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, init[i]); d++)
            cx->set(cx, body->params[i], 0, d, cx->opaque(cx, body->params[i], 0, d));
    cx->region(cx, body);
    bool any_kept = false;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < wadi_rule_rank_of(cx->module, init[i]); d++) {
            const wadi_ext before = cx->opaque(cx, body->params[i], 0, d);
            const wadi_ext after = cx->get(cx, body->yields[i], 0, d);
            const wadi_ext start = cx->get(cx, init[i], 0, d);
            const bool kept = keeps(cx->extents, before, start, after);
            if (results)
                cx->set(cx, results[i], 0, d, kept ? start : cx->opaque(cx, results[i], 0, d));
            if (kept) cx->set(cx, body->params[i], 0, d, start);
            any_kept = any_kept || kept;
        }
    if (any_kept) cx->region(cx, body);
}

void wadi_rule_loop_shapes(wadi_shape_cx *cx, const wadi_bind *b, const wadi_block *body, int n,
                           const wadi_val *init) {
    state_shapes(cx, body, n, init, b->results);
}

void wadi_rule_state_shapes(wadi_shape_cx *cx, const wadi_block *body, int n,
                            const wadi_val *init) {
    state_shapes(cx, body, n, init, NULL);
}

bool wadi_rule_same_shape(wadi_depend_cx *cx, wadi_val a, wadi_val b) {
    return wadi_rule_rank_of(cx->module, a) == 0 || cx->same_shape(cx, a, b);
}

wadi_dep wadi_dep_or(wadi_dep a, wadi_dep b) {
    return (wadi_dep){.shape = a.shape || b.shape, .elems = a.elems || b.elems};
}

/* ---- laws ---- */

bool wadi_law_same_shape(const wadi_module *m, const wadi_bind *b, bool same_shape) {
    WADI_UNUSED(m);
    WADI_UNUSED(b);
    return same_shape;
}

bool wadi_law_same_elem(const wadi_module *m, wadi_val a, wadi_val b) {
    return wadi_elem_equal(&m->values[a].type.array->elem, &m->values[b].type.array->elem);
}

/* ---- index functions ---- */

wadi_sx wadi_at_to_i64(wadi_at *cx, wadi_type t, wadi_sx x) {
    return t == WADI_I64 ? x : cx->ops->prim(cx, WADI_SOP_CONVERT, WADI_I64, 1, &x);
}

wadi_sx wadi_at_scalar(wadi_at *cx, wadi_val v) {
    wadi_sx x;
    cx->ops->read(cx, v, NULL, &x);
    return wadi_at_to_i64(cx, cx->module->values[v].type.array->elem.type[0], x);
}
