/* Simplifying one scalar function.
 *
 * One walk in program order. For each scalar it keeps the instruction that defines it, or the earlier scalar that it equals.
 * Only rewrites that keep every bit are done. Identities are used for integers and bools alone, since x + 0.0, x * 1.0 and the
 * like change the sign of a zero or a NaN. A fault in code whose result nobody needs may disappear; none is ever added.
 *
 * An extent of an array is replaced by what shape analysis knows about it, if the function may read all that this needs: a
 * constant, an extent of another array, a scalar, or a small expression of these. The array is then not needed for its shape
 * (McDonell et al. 2013, section 4.4).
 */
#include "codegen/scalar_fold.h"

#include <string.h>

#include "base/error.h"
#include "base/vec.h"

typedef WADI_VEC(wadi_sinst *) insts;

/* What is known about one scalar. */
typedef struct known {
    wadi_sval to;          /* itself, or the earlier scalar that it equals */
    const wadi_sinst *def; /* NULL: a parameter */
} known;

typedef struct folding {
    const wadi_scalar_fold *cx;
    wadi_fun *f;
    WADI_VEC(known) known;
    bool failed;
} folding;

/* ---- what is known ---- */

static void learn_new_scalars(folding *s) {
    while (s->known.n < s->f->nvals && !s->failed)
        if (!wadi_vec_push(&s->known, (known){(wadi_sval)s->known.n, NULL})) s->failed = true;
}

static wadi_sval resolve(const folding *s, wadi_sval v) {
    while (s->known.at[v].to != v) v = s->known.at[v].to;
    return v;
}

static void stands_for(folding *s, wadi_sval v, wadi_sval to) {
    s->known.at[v].to = resolve(s, to);
}

static const wadi_sinst *def_of(const folding *s, wadi_sval v) {
    return s->known.at[v].def;
}

static bool is_const(const folding *s, wadi_sval v, wadi_scalar *out) {
    const wadi_sinst *def = def_of(s, v);
    if (!def || def->op != WADI_SOP_CONST) return false;
    *out = def->imm;
    return true;
}

static wadi_type type_of(const folding *s, wadi_sval v) {
    return s->f->types[v];
}

/* ---- adding instructions ---- */

static wadi_sval append(folding *s, insts *out, wadi_sinst *i, wadi_type type) {
    if (!i || wadi_sinst_results(s->cx->m, s->f, i, 1, &type) == WADI_NONE ||
        !wadi_vec_push(out, i)) {
        s->failed = true;
        return WADI_NONE;
    }
    learn_new_scalars(s);
    if (s->failed) return WADI_NONE;
    s->known.at[i->first].def = i;
    return i->first;
}

static wadi_sval add_const(folding *s, insts *out, wadi_scalar imm) {
    wadi_sinst *i = wadi_sinst_new(s->cx->m, WADI_SOP_CONST, 0);
    if (i) i->imm = imm;
    return append(s, out, i, imm.type);
}

static wadi_sval add_i64(folding *s, insts *out, int64_t v) {
    return add_const(s, out, (wadi_scalar){WADI_I64, (uint64_t)v});
}

static wadi_sval add_op(folding *s, insts *out, wadi_sop op, wadi_type type, int n, wadi_sval a,
                        wadi_sval b) {
    if (s->failed) return WADI_NONE;
    wadi_sinst *i = wadi_sinst_new(s->cx->m, op, n);
    if (i && n > 0) i->args[0] = a;
    if (i && n > 1) i->args[1] = b;
    return append(s, out, i, type);
}

static wadi_sval add_read(folding *s, insts *out, wadi_sop op, wadi_val array, int dim,
                          wadi_type type) {
    wadi_sinst *i = wadi_sinst_new(s->cx->m, op, 0);
    if (i) {
        i->array = array;
        i->dim = dim;
    }
    return append(s, out, i, type);
}

/* ---- extents ---- */

static bool visible(const folding *s, wadi_val v) {
    return v < s->cx->nvisible && s->cx->visible[v];
}

static bool is_array(const folding *s, wadi_val v) {
    return !s->cx->m->values[v].type.is_seq;
}

/* A visible array that declares an extent of this name. Inputs are preferred, since they are known before any stream. */
static wadi_val named_extent(const folding *s, const char *name, int *out_dim) {
    wadi_val found = WADI_NONE;
    for (wadi_val v = 0; v < s->cx->nvisible; v++) {
        const wadi_value *value = &s->cx->m->values[v];
        if (!visible(s, v) || value->type.is_seq || !value->type.array->extent) continue;
        if (found != WADI_NONE && value->def != WADI_DEF_BIND) continue;
        const wadi_array_type *t = value->type.array;
        for (int d = 0; d < t->rank; d++)
            if (t->extent[d].kind == WADI_EXTENT_NAMED && strcmp(t->extent[d].name, name) == 0) {
                *out_dim = d;
                found = v;
                if (value->def == WADI_DEF_BIND) return v;
                break;
            }
    }
    return found;
}

/* How many instructions compute `e`; a large number if it cannot be computed here. */
static int price(const folding *s, wadi_ext e) {
    enum { IMPOSSIBLE = 1000 };
    const wadi_ext_node *n = wadi_ext_get(s->cx->shapes->extents, e);
    int dim, sum = 0;
    switch (n->kind) {
    case WADI_EXT_CONST:
        return 1;
    case WADI_EXT_SYMBOL:
        return named_extent(s, n->name, &dim) == WADI_NONE ? IMPOSSIBLE : 1;
    case WADI_EXT_DIM:
        return visible(s, n->val) && is_array(s, n->val) ? 1 : IMPOSSIBLE;
    case WADI_EXT_SCALAR:
        return visible(s, n->val) ? 2 : IMPOSSIBLE;
    default:
        for (int i = 0; i < n->n && sum < IMPOSSIBLE; i++)
            sum += price(s, n->term[i]) + (n->kind == WADI_EXT_SUM && n->coef[i] != 1 ? 2 : 1);
        return sum;
    }
}

static wadi_sval say_extent(folding *s, insts *out, wadi_ext e);

static wadi_sval say_sum(folding *s, insts *out, const wadi_ext_node *n) {
    wadi_sval sum = n->value != 0 ? add_i64(s, out, n->value) : WADI_NONE;
    for (int i = 0; i < n->n && !s->failed; i++) {
        wadi_sval term = say_extent(s, out, n->term[i]);
        if (n->coef[i] != 1)
            term = add_op(s, out, WADI_SOP_MUL, WADI_I64, 2, add_i64(s, out, n->coef[i]), term);
        sum = sum == WADI_NONE ? term : add_op(s, out, WADI_SOP_ADD, WADI_I64, 2, sum, term);
    }
    return sum;
}

static wadi_sval say_scalar(folding *s, insts *out, wadi_val v) {
    const wadi_type type = s->cx->m->values[v].type.array->elem.type[0];
    const wadi_sval x = add_read(s, out, WADI_SOP_THE, v, 0, type);
    if (s->failed || type == WADI_I64) return x;
    return add_op(s, out, WADI_SOP_CONVERT, WADI_I64, 1, x, WADI_NONE);
}

static wadi_sval say_extent(folding *s, insts *out, wadi_ext e) {
    const wadi_ext_node *n = wadi_ext_get(s->cx->shapes->extents, e);
    int dim = n->dim;
    wadi_val v = n->val;
    wadi_sval x;
    switch (n->kind) {
    case WADI_EXT_CONST:
        return add_i64(s, out, n->value);
    case WADI_EXT_SYMBOL:
        v = named_extent(s, n->name, &dim);
        return add_read(s, out, WADI_SOP_EXTENT, v, dim, WADI_I64);
    case WADI_EXT_DIM:
        return add_read(s, out, WADI_SOP_EXTENT, v, dim, WADI_I64);
    case WADI_EXT_SCALAR:
        return say_scalar(s, out, v);
    case WADI_EXT_SUM:
        return say_sum(s, out, n);
    default:
        x = say_extent(s, out, n->term[0]);
        for (int i = 1; i < n->n && !s->failed; i++) {
            const wadi_sop op = n->kind == WADI_EXT_PROD  ? WADI_SOP_MUL
                                : n->kind == WADI_EXT_MIN ? WADI_SOP_MIN
                                                          : WADI_SOP_MAX;
            x = add_op(s, out, op, WADI_I64, 2, x, say_extent(s, out, n->term[i]));
        }
        return x;
    }
}

static bool same_extent(const folding *s, const wadi_sinst *i, wadi_ext e) {
    const wadi_ext_node *n = wadi_ext_get(s->cx->shapes->extents, e);
    int dim = n->dim;
    const wadi_val v = n->kind == WADI_EXT_SYMBOL ? named_extent(s, n->name, &dim) : n->val;
    return (n->kind == WADI_EXT_SYMBOL || n->kind == WADI_EXT_DIM) && v == i->array &&
           dim == i->dim;
}

static bool fold_extent(folding *s, insts *out, const wadi_sinst *i) {
    enum { WORTH = 8 };
    const wadi_shapes *shapes = s->cx->shapes;
    if (!shapes || i->array >= shapes->nvalues) return false;
    wadi_ext e = wadi_shapes_extent(shapes, i->array, 0, i->dim);
    if (e == WADI_EXT_NONE) return false;
    if (same_extent(s, i, e) || price(s, e) > WORTH) return false;
    const wadi_sval x = say_extent(s, out, e);
    if (!s->failed) stands_for(s, i->first, x);
    return true;
}

/* ---- the element of a rank-0 array ---- */

bool wadi_simplify_yields_const(const wadi_fun *f, int k, wadi_scalar *out) {
    const wadi_sblock *b = f->body;
    for (int i = 0; i < b->ninsts; i++)
        if (b->insts[i]->op == WADI_SOP_CONST && b->insts[i]->first == b->yields[k]) {
            *out = b->insts[i]->imm;
            return true;
        }
    return false;
}

/* The instruction of `f` that computes result k, if repeating it costs nothing; else NULL. */
static const wadi_sinst *free_result(const wadi_fun *f, int k) {
    const wadi_sblock *b = f->body;
    for (int i = 0; i < b->ninsts; i++) {
        const wadi_sinst *inst = b->insts[i];
        if (inst->first != b->yields[k] || inst->nresults != 1) continue;
        const bool is_free =
            inst->op == WADI_SOP_CONST || inst->op == WADI_SOP_EXTENT || inst->op == WADI_SOP_THE;
        return is_free ? inst : NULL;
    }
    return NULL;
}

static bool fold_the(folding *s, insts *out, const wadi_sinst *i) {
    const wadi_value *v = &s->cx->m->values[i->array];
    if (v->def == WADI_DEF_CONST) {
        const wadi_sval x = add_const(s, out, v->imm);
        if (!s->failed) stands_for(s, i->first, x);
        return true;
    }
    if (v->def != WADI_DEF_BIND || !v->bind->op->scalar) return false;
    const wadi_fun *f = v->bind->funs[0];
    for (int k = 0; k < i->nresults; k++)
        if (!free_result(f, k)) return false;
    for (int k = 0; k < i->nresults && !s->failed; k++) {
        const wadi_sinst *from = free_result(f, k);
        const wadi_sval x = from->op == WADI_SOP_CONST ? add_const(s, out, from->imm)
                                                       : add_read(s, out, from->op, from->array,
                                                                  from->dim, f->types[from->first]);
        if (!s->failed) stands_for(s, i->first + (wadi_sval)k, x);
    }
    return true;
}

/* ---- identities ---- */

/* x op c (and c op x) is x, or is the constant c, on integers and bools. */
static const struct {
    wadi_sop op;
    bool either; /* the constant may also be the left argument */
    int64_t c;
    enum { GIVES_X, GIVES_C, GIVES_ZERO } gives;
} identities[] = {
    {WADI_SOP_ADD, true, 0, GIVES_X},     {WADI_SOP_SUB, false, 0, GIVES_X},
    {WADI_SOP_MUL, true, 1, GIVES_X},     {WADI_SOP_MUL, true, 0, GIVES_C},
    {WADI_SOP_QUOT, false, 1, GIVES_X},   {WADI_SOP_DIV, false, 1, GIVES_X},
    {WADI_SOP_REM, false, 1, GIVES_ZERO}, {WADI_SOP_MOD, false, 1, GIVES_ZERO},
    {WADI_SOP_AND, true, -1, GIVES_X},    {WADI_SOP_AND, true, 0, GIVES_C},
    {WADI_SOP_OR, true, 0, GIVES_X},      {WADI_SOP_OR, true, -1, GIVES_C},
    {WADI_SOP_XOR, true, 0, GIVES_X},     {WADI_SOP_SHL, false, 0, GIVES_X},
    {WADI_SOP_SHR, false, 0, GIVES_X},    {WADI_SOP_ROTL, false, 0, GIVES_X},
    {WADI_SOP_ROTR, false, 0, GIVES_X},   {WADI_SOP_LAND, true, 1, GIVES_X},
    {WADI_SOP_LAND, true, 0, GIVES_C},    {WADI_SOP_LOR, true, 0, GIVES_X},
    {WADI_SOP_LOR, true, 1, GIVES_C},
};

static bool equals(const folding *s, wadi_sval v, int64_t c) {
    wadi_scalar imm;
    return is_const(s, v, &imm) && !wadi_type_is_complex(imm.type) &&
           imm.bits == wadi_scalar_wrap(imm.type, (uint64_t)c);
}

/* Turns the instruction into a constant of its type. */
static void become_const(folding *s, wadi_sinst *i, uint64_t bits) {
    const wadi_type type = type_of(s, i->first);
    i->op = WADI_SOP_CONST;
    i->nargs = 0;
    i->imm = (wadi_scalar){type, wadi_scalar_wrap(type, bits)};
}

static bool fold_identity(folding *s, wadi_sinst *i) {
    const wadi_sval a = i->args[0], b = i->args[1];
    if (wadi_type_rounds(type_of(s, a))) return false;
    for (size_t k = 0; k < sizeof identities / sizeof *identities; k++) {
        if (identities[k].op != i->op) continue;
        const bool right = equals(s, b, identities[k].c);
        const bool left = !right && identities[k].either && equals(s, a, identities[k].c);
        if (!right && !left) continue;
        if (identities[k].gives == GIVES_ZERO)
            become_const(s, i, 0);
        else
            stands_for(s, i->first, (identities[k].gives == GIVES_X) == right ? a : b);
        return true;
    }
    return false;
}

/* x op x, on integers and bools. */
static bool fold_same(folding *s, wadi_sinst *i) {
    if (i->args[0] != i->args[1] || wadi_type_rounds(type_of(s, i->args[0]))) return false;
    switch (i->op) {
    case WADI_SOP_AND:
    case WADI_SOP_OR:
    case WADI_SOP_LAND:
    case WADI_SOP_LOR:
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
        stands_for(s, i->first, i->args[0]);
        return true;
    case WADI_SOP_SUB:
    case WADI_SOP_XOR:
    case WADI_SOP_NE:
    case WADI_SOP_LT:
    case WADI_SOP_GT:
        become_const(s, i, 0);
        return true;
    case WADI_SOP_EQ:
    case WADI_SOP_LE:
    case WADI_SOP_GE:
        become_const(s, i, 1);
        return true;
    default:
        return false;
    }
}

/* not (not x), and so on. */
static bool fold_twice(folding *s, const wadi_sinst *i) {
    const wadi_sinst *inner = def_of(s, i->args[0]);
    const bool undoes_itself =
        i->op == WADI_SOP_NOT || i->op == WADI_SOP_LNOT || i->op == WADI_SOP_NEG;
    if (!undoes_itself || !inner || inner->op != i->op) return false;
    if (wadi_type_rounds(type_of(s, i->args[0]))) return false;
    stands_for(s, i->first, inner->args[0]);
    return true;
}

/* Whether type `to` has every integer of type `from`. */
static bool holds_all(wadi_type to, wadi_type from) {
    if (!wadi_type_is_int(to) || !wadi_type_is_int(from)) return false;
    const int wider = wadi_type_size(to) - wadi_type_size(from);
    if (wadi_type_is_signed(to) == wadi_type_is_signed(from)) return wider >= 0;
    return wadi_type_is_signed(to) && wider > 0;
}

static bool fold_convert(folding *s, wadi_sinst *i) {
    const wadi_sinst *inner = def_of(s, i->args[0]);
    if (type_of(s, i->args[0]) == type_of(s, i->first)) {
        stands_for(s, i->first, i->args[0]);
        return true;
    }
    if (!inner || inner->op != i->op) return false;
    if (i->op == WADI_SOP_CONVERT && !holds_all(type_of(s, i->args[0]), type_of(s, inner->args[0])))
        return false;
    i->args[0] = inner->args[0];
    if (type_of(s, i->args[0]) == type_of(s, i->first)) {
        stands_for(s, i->first, i->args[0]);
        return true;
    }
    return false;
}

static bool fold_constants(folding *s, wadi_sinst *i) {
    wadi_scalar args[4], out;
    if (i->nargs < 1 || i->nargs > 4) return false;
    for (int a = 0; a < i->nargs; a++)
        if (!is_const(s, i->args[a], &args[a])) return false;
    if (!wadi_scalar_eval(i->op, type_of(s, i->first), args, &out)) return false;
    become_const(s, i, out.bits);
    i->imm.im = out.im;
    return true;
}

static bool fold_prim(folding *s, wadi_sinst *i) {
    if (fold_constants(s, i)) return true;
    if (i->op == WADI_SOP_CONVERT || i->op == WADI_SOP_BITCAST) return fold_convert(s, i);
    if (i->nargs == 2) return fold_identity(s, i) || fold_same(s, i);
    return i->nargs == 1 && fold_twice(s, i);
}

/* ---- structure ---- */

static void fold_into(folding *s, const wadi_sblock *b, insts *out);
static void fold_block(folding *s, wadi_sblock *b);

static void results_stand_for(folding *s, const wadi_sinst *i, const wadi_sval *values) {
    for (int r = 0; r < i->nresults; r++) stands_for(s, i->first + (wadi_sval)r, values[r]);
}

/* Replaces `i` by the instructions of its region `b`, which is known to run exactly once. */
static bool splice(folding *s, const wadi_sinst *i, const wadi_sblock *b, insts *out) {
    fold_into(s, b, out);
    if (!s->failed) results_stand_for(s, i, b->yields);
    return true;
}

static bool same_yields(const folding *s, const wadi_sinst *i) {
    for (int r = 0; r < i->nresults; r++)
        if (resolve(s, i->block[0]->yields[r]) != resolve(s, i->block[1]->yields[r])) return false;
    return true;
}

static bool fold_cond(folding *s, wadi_sinst *i, insts *out) {
    wadi_scalar c;
    if (is_const(s, i->args[0], &c)) return splice(s, i, i->block[c.bits ? 0 : 1], out);
    fold_block(s, i->block[0]);
    fold_block(s, i->block[1]);
    if (s->failed || i->block[0]->ninsts + i->block[1]->ninsts > 0 || !same_yields(s, i))
        return false;
    results_stand_for(s, i, i->block[0]->yields);
    return true;
}

static bool fold_iterate(folding *s, wadi_sinst *i, insts *out) {
    wadi_scalar count;
    wadi_sblock *body = i->block[0];
    const bool known_count = is_const(s, i->args[0], &count);
    if (known_count && (int64_t)count.bits <= 0) {
        results_stand_for(s, i, i->args + 1);
        return true;
    }
    if (known_count && count.bits == 1) {
        const wadi_sval zero = add_i64(s, out, 0);
        if (s->failed) return true;
        stands_for(s, body->params[0], zero);
        for (int p = 1; p < body->nparams; p++) stands_for(s, body->params[p], i->args[p]);
        return splice(s, i, body, out);
    }
    fold_block(s, body);
    return false;
}

static bool fold_while(folding *s, wadi_sinst *i) {
    fold_block(s, i->block[0]);
    if (!s->failed && equals(s, i->block[0]->yields[0], 0)) {
        results_stand_for(s, i, i->args);
        return true;
    }
    if (!s->failed) fold_block(s, i->block[1]);
    return false;
}

/* Whether `i` is dropped, because its results equal other scalars. An instruction that became a constant stays. */
static bool fold_inst(folding *s, wadi_sinst *i, insts *out) {
    switch (i->op) {
    case WADI_SOP_CONST:
    case WADI_SOP_INDEX:
    case WADI_SOP_INDEX_LINEAR:
        return false;
    case WADI_SOP_THE:
        return fold_the(s, out, i);
    case WADI_SOP_EXTENT:
        return fold_extent(s, out, i);
    case WADI_SOP_COND:
        return fold_cond(s, i, out);
    case WADI_SOP_ITERATE:
        return fold_iterate(s, i, out);
    case WADI_SOP_WHILE:
        return fold_while(s, i);
    default:
        return fold_prim(s, i) && i->op != WADI_SOP_CONST;
    }
}

static void fold_into(folding *s, const wadi_sblock *b, insts *out) {
    for (int k = 0; k < b->ninsts && !s->failed; k++) {
        wadi_sinst *i = b->insts[k];
        for (int a = 0; a < i->nargs; a++) i->args[a] = resolve(s, i->args[a]);
        if (fold_inst(s, i, out) || s->failed) continue;
        for (int r = 0; r < i->nresults; r++) s->known.at[i->first + (wadi_sval)r].def = i;
        if (!wadi_vec_push(out, i)) s->failed = true;
    }
    for (int y = 0; y < b->nyields && !s->failed; y++) b->yields[y] = resolve(s, b->yields[y]);
}

static void fold_block(folding *s, wadi_sblock *b) {
    insts out = {0};
    fold_into(s, b, &out);
    wadi_sinst **list = WADI_NEW_N(s->cx->m->arena, wadi_sinst *, out.n);
    if (!list) s->failed = true;
    if (!s->failed) {
        if (out.n > 0) memcpy(list, out.at, out.n * sizeof *list);
        b->insts = list;
        b->ninsts = b->capacity = (int)out.n;
    }
    wadi_vec_free(&out);
}

bool wadi_simplify_fun(const wadi_scalar_fold *cx, wadi_fun *f) {
    folding s = {.cx = cx, .f = f};
    learn_new_scalars(&s);
    if (!s.failed) fold_block(&s, f->body);
    wadi_vec_free(&s.known);
    return !s.failed;
}
