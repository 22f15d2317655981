/* A fold of what a filter keeps becomes a fold of what is filtered, if its identity can stand for what is not kept.
 *
 * Law: fold f z (filter p xs) = fold f z (map (\x -> if p x then x else e) xs), if f is associative and commutative to the bit and e is its
 * identity. So it is for sums and products of integers, bits and truth values, and for min and max, of floats too: NaN is their identity.
 * Sums of floats round, so their elements keep their places among what is kept (codegen/kernel/masked.c).
 *
 * The fold does not need the count any more. So it is a sibling of the count, of other folds of the filter and of whatever reads the same
 * arrays, in all schedules, and its loop vectorises. What is mapped on the way is computed for all elements and must be cheap and harmless.
 * A fold without initial value, which asks for an element, becomes
 *   fold1 f (generate (min count 1) (\_ -> fold f e (map ..)))
 * and faults as before if nothing is kept. */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/harmless.h"
#include "codegen/kept.h"
#include "codegen/rewrite.h"
#include "codegen/scalar_copy.h"
#include "operators/reduce_tree.h"
#include "operators/table.h"

enum { STEPS = 8 /* maps between a filter and its fold */ };

typedef WADI_VEC(wadi_bind *) bindings;

typedef struct masking {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_block **home; /* [value] the block whose binding makes it */
    uint32_t known;    /* values that were there before */
    bool changed, failed;
} masking;

/* A fold that goes through maps of what a filter keeps. */
typedef struct masked {
    wadi_bind *fold;
    const wadi_bind *filter, *ones; /* ones: what the count sums, over the same arrays */
    int steps;
    const wadi_bind *step[STEPS]; /* the last one first */
    wadi_scalar identity[WADI_MAX_FIELDS];
} masked;

/* ---- identities ---- */

static int bits_of(wadi_type t) {
    return 8 * (int)wadi_type_size(t);
}

/* The greatest (least) number of the type; of a float, NaN, to which every number is preferred. */
static uint64_t extreme(wadi_type t, bool greatest) {
    if (t == WADI_BOOL) return greatest;
    if (t == WADI_F32) return UINT64_C(0x7fc00000);
    if (t == WADI_F64) return UINT64_C(0x7ff8000000000000);
    const uint64_t sign = UINT64_C(1) << (bits_of(t) - 1);
    if (wadi_type_is_unsigned(t)) return greatest ? sign | (sign - 1) : 0;
    return wadi_scalar_wrap(t, greatest ? sign - 1 : sign);
}

/* e with op(e, x) = x for all x; false: there is none, or rounding makes the order matter. */
static bool identity_of(wadi_sop op, wadi_type t, wadi_scalar *out) {
    const bool ordered = op == WADI_SOP_MIN || op == WADI_SOP_MAX;
    *out = (wadi_scalar){.type = t};
    if (wadi_type_rounds(t) && !(ordered && wadi_type_is_float(t))) return false;
    switch (op) {
    case WADI_SOP_ADD:
    case WADI_SOP_OR:
    case WADI_SOP_XOR:
    case WADI_SOP_LOR:
        return true;
    case WADI_SOP_MUL:
    case WADI_SOP_LAND:
        out->bits = 1;
        return true;
    case WADI_SOP_AND:
        out->bits = t == WADI_BOOL ? 1 : wadi_scalar_wrap(t, ~UINT64_C(0));
        return true;
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
        out->bits = extreme(t, op == WADI_SOP_MIN);
        return true;
    default:
        return false;
    }
}

/* Whether each field of the result is one operation, of that field of both elements, that has an identity. */
static bool has_identity(const wadi_fun *f, wadi_scalar *out) {
    const wadi_sblock *b = f->body;
    const int fields = b->nyields;
    if (b->nparams != 2 * fields || !wadi_fun_is_commutative(f)) return false;
    for (int k = 0; k < fields; k++) {
        const wadi_sinst *i = wadi_sblock_maker(b, b->yields[k]);
        if (!i || !identity_of(i->op, f->types[b->yields[k]], &out[k])) return false;
    }
    return true;
}

/* ---- which folds ---- */

static wadi_bind *made_here(const masking *s, const wadi_block *block, wadi_val v) {
    const wadi_value *value = &s->m->values[v];
    return value->def == WADI_DEF_BIND && v < s->known && s->home[v] == block ? value->bind : NULL;
}

static bool is_costly_block(const wadi_fun *f, const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts; i++) {
        const wadi_sinst *inst = b->insts[i];
        if (inst->op == WADI_SOP_WHILE || inst->op == WADI_SOP_ITERATE) return true;
        if (inst->nargs > 0 && wadi_sop_is_costly(inst->op, f->types[inst->args[0]])) return true;
        for (int k = 0; k < 2; k++)
            if (inst->block[k] && is_costly_block(f, inst->block[k])) return true;
    }
    return false;
}

/* A map of one array, whose elements may be computed where nobody asks for them. */
static bool is_step(const masking *s, const wadi_bind *b) {
    return b->op->one_to_one && b->nargs == 1 && b->nfuns == 1 && b->op->faultless &&
           b->funs[0]->body->nparams == s->m->values[b->args[0]].type.array[0].elem.fields &&
           wadi_is_harmless(s->cx->shapes, b) && !is_costly_block(b->funs[0], b->funs[0]->body);
}

/* The elements that the count sums are made from the arrays of the filter, so their operator takes these arrays. */
static const wadi_bind *ones_of(const masking *s, const wadi_bind *filter) {
    if (!wadi_counts_kept(s->m, filter)) return NULL;
    const wadi_bind *count = s->m->values[filter->args[0]].bind;
    const wadi_bind *ones = s->m->values[count->args[count->nargs - 1]].bind;
    return ones->nargs == filter->nargs - 1 ? ones : NULL;
}

static bool is_masked(const masking *s, const wadi_block *block, wadi_bind *fold, masked *out) {
    *out = (masked){.fold = fold};
    if (!wadi_op_has(fold->op, WADI_TRAIT_REDUCES_ROWS) || fold->nresults != 1) return false;
    const wadi_bind *b = made_here(s, block, fold->args[fold->nargs - 1]);
    while (b && !wadi_op_has(b->op, WADI_TRAIT_KEEPS)) {
        if (out->steps == STEPS || !is_step(s, b)) return false;
        out->step[out->steps++] = b;
        b = made_here(s, block, b->args[0]);
    }
    out->filter = b;
    out->ones = b ? ones_of(s, b) : NULL;
    return out->ones && has_identity(fold->funs[0], out->identity);
}

/* ---- the elements: if the predicate holds, what the maps make of the element, else the identity. All is computed for all: a choice
 * between what is there needs no branch ---- */

static wadi_sinst *append(const masking *s, wadi_fun *f, wadi_sblock *block, wadi_sinst *i, int n,
                          const wadi_type *types) {
    const bool made = i && wadi_sinst_results(s->m, f, i, n, types) != WADI_NONE;
    return made && wadi_sblock_append(s->m, block, i) ? i : NULL;
}

static wadi_sval prim(const masking *s, wadi_fun *f, wadi_sop op, wadi_type t, int n, wadi_sval a,
                      wadi_sval b) {
    wadi_sinst *i = wadi_sinst_new(s->m, op, n);
    if (i) i->args[0] = a;
    if (i && n > 1) i->args[1] = b;
    i = append(s, f, f->body, i, 1, &t);
    return i ? i->first : WADI_NONE;
}

static wadi_sval constant(const masking *s, wadi_fun *f, wadi_scalar c) {
    wadi_sinst *i = wadi_sinst_new(s->m, WADI_SOP_CONST, 0);
    if (i) i->imm = c;
    i = append(s, f, f->body, i, 1, &c.type);
    return i ? i->first : WADI_NONE;
}

/* keep ? x : e of integers, as e xor ((x xor e) and mask): compilers make vectors of that in every reduction, and not of choices. */
static wadi_sval by_mask(const masking *s, wadi_fun *f, wadi_sval keep, wadi_sval x,
                         wadi_scalar e) {
    const wadi_type t = e.type;
    const wadi_sval one = prim(s, f, WADI_SOP_CONVERT, t, 1, keep, WADI_NONE);
    if (one == WADI_NONE) return WADI_NONE;
    const wadi_sval mask = prim(s, f, WADI_SOP_NEG, t, 1, one, WADI_NONE);
    if (mask == WADI_NONE) return WADI_NONE;
    if (e.bits == 0) return prim(s, f, WADI_SOP_AND, t, 2, x, mask);
    const wadi_sval other = constant(s, f, e);
    const wadi_sval both =
        other == WADI_NONE ? WADI_NONE : prim(s, f, WADI_SOP_XOR, t, 2, x, other);
    const wadi_sval kept =
        both == WADI_NONE ? WADI_NONE : prim(s, f, WADI_SOP_AND, t, 2, both, mask);
    return kept == WADI_NONE ? WADI_NONE : prim(s, f, WADI_SOP_XOR, t, 2, kept, other);
}

static wadi_sval by_choice(const masking *s, wadi_fun *f, wadi_sval keep, wadi_sval x,
                           wadi_scalar e) {
    wadi_sinst *choice = wadi_sinst_new(s->m, WADI_SOP_COND, 1);
    const wadi_sval side[2] = {x, constant(s, f, e)};
    if (!choice || side[1] == WADI_NONE) return WADI_NONE;
    choice->args[0] = keep;
    for (int k = 0; k < 2; k++) {
        choice->block[k] = wadi_sblock_new(s->m);
        if (!choice->block[k] || !wadi_sblock_yield(s->m, choice->block[k], side[k]))
            return WADI_NONE;
    }
    choice = append(s, f, f->body, choice, 1, &e.type);
    return choice ? choice->first : WADI_NONE;
}

/* The fields of the element that the fold takes, from those of the arrays that are filtered. */
static bool mapped(const masking *s, const masked *k, wadi_fun *f, const wadi_sval *x,
                   wadi_sval *out) {
    const int kept = s->m->values[k->filter->results[0]].type.array[0].elem.fields;
    for (int i = 0; i < kept; i++) out[i] = x[i];
    for (int i = k->steps; i-- > 0;)
        if (!wadi_scalar_copy(s->m, k->step[i]->funs[0], out, f, f->body, out)) return false;
    return true;
}

static bool names_of(const masking *s, const wadi_elem *e, wadi_fun *f) {
    if (!e->name[0]) return true;
    f->names = WADI_NEW_N(s->m->arena, const char *, (size_t)e->fields);
    for (int i = 0; f->names && i < e->fields; i++) f->names[i] = e->name[i];
    return f->names != NULL;
}

static wadi_fun *masked_elements(const masking *s, const masked *k, const wadi_elem *e) {
    const wadi_fun *keep = k->filter->funs[0];
    wadi_fun *f = wadi_fun_new(s->m);
    wadi_sval x[WADI_MAX_PARAMS], kept, of[WADI_MAX_FIELDS];
    if (!f || !names_of(s, e, f)) return NULL;
    for (int p = 0; p < keep->body->nparams; p++) {
        x[p] = wadi_fun_param(s->m, f, keep->types[keep->body->params[p]]);
        if (x[p] == WADI_NONE) return NULL;
    }
    if (!wadi_scalar_copy(s->m, keep, x, f, f->body, &kept) || !mapped(s, k, f, x, of)) return NULL;
    for (int i = 0; i < e->fields; i++) {
        const wadi_sval v = wadi_type_is_int(e->type[i])
                                ? by_mask(s, f, kept, of[i], k->identity[i])
                                : by_choice(s, f, kept, of[i], k->identity[i]);
        if (v == WADI_NONE || !wadi_sblock_yield(s->m, f->body, v)) return NULL;
    }
    return f;
}

/* ---- bindings ---- */

/* A binding with one result, a vector or a scalar of such elements; NULL: out of memory. */
static wadi_bind *bind_of(const masking *s, const wadi_op *op, int nargs, const wadi_val *args,
                          wadi_fun *f, int rank, const wadi_elem *e) {
    wadi_bind *b = wadi_bind_new(s->m, op, nargs, 1, 0, 0);
    const wadi_val_type t = wadi_array_val_type(s->m, rank, *e);
    if (!b || !f || !t.array || wadi_bind_result(s->m, b, t) == WADI_NONE) return NULL;
    for (int i = 0; i < nargs; i++) b->args[i] = args[i];
    b->funs[0] = f;
    return b;
}

static wadi_sval the(const masking *s, wadi_fun *f, wadi_val v) {
    wadi_sinst *i = wadi_sinst_new(s->m, WADI_SOP_THE, 0);
    const wadi_elem *e = &s->m->values[v].type.array[0].elem;
    if (i) i->array = v;
    i = append(s, f, f->body, i, e->fields, e->type);
    return i ? i->first : WADI_NONE;
}

/* unit { min (the count) 1 } */
static wadi_bind *one_if_any(const masking *s, wadi_val count) {
    static const wadi_type i64 = WADI_I64;
    const wadi_elem number = wadi_elem_scalar(i64);
    wadi_fun *f = wadi_fun_new(s->m);
    if (!f) return NULL;
    const wadi_sval n = the(s, f, count);
    const wadi_sval one = constant(s, f, (wadi_scalar){.type = i64, .bits = 1});
    if (n == WADI_NONE || one == WADI_NONE) return NULL;
    const wadi_sval min = prim(s, f, WADI_SOP_MIN, i64, 2, n, one);
    if (min == WADI_NONE || !wadi_sblock_yield(s->m, f->body, min)) return NULL;
    return bind_of(s, wadi_op_scalar(wadi_operators()), 0, NULL, f, 0, &number);
}

/* generate n (i) { the v } */
static wadi_bind *filled_with(const masking *s, wadi_val n, wadi_val v) {
    const wadi_elem *e = &s->m->values[v].type.array[0].elem;
    wadi_fun *f = wadi_fun_new(s->m);
    if (!f || wadi_fun_param(s->m, f, WADI_I64) == WADI_NONE || !names_of(s, e, f)) return NULL;
    const wadi_sval x = the(s, f, v);
    if (x == WADI_NONE) return NULL;
    for (int i = 0; i < e->fields; i++)
        if (!wadi_sblock_yield(s->m, f->body, x + (wadi_sval)i)) return NULL;
    return bind_of(s, wadi_op_generator(wadi_operators()), 1, &n, f, 1, e);
}

static wadi_bind *put(masking *s, bindings *out, const masked *k, wadi_bind *b) {
    if (b) b->loc = k->fold->loc;
    if (!b || !wadi_vec_push(out, b)) {
        s->failed = true;
        return NULL;
    }
    return b;
}

/* unit { the identity } */
static wadi_bind *identity_unit(const masking *s, const masked *k, const wadi_elem *e) {
    wadi_fun *f = wadi_fun_new(s->m);
    if (!f || !names_of(s, e, f)) return NULL;
    for (int i = 0; i < e->fields; i++) {
        const wadi_sval x = constant(s, f, k->identity[i]);
        if (x == WADI_NONE || !wadi_sblock_yield(s->m, f->body, x)) return NULL;
    }
    return bind_of(s, wadi_op_scalar(wadi_operators()), 0, NULL, f, 0, e);
}

static const wadi_op *op_with_initial_value(const wadi_op *like) {
    const wadi_op_table *t = wadi_operators();
    for (int i = 0; i < t->n; i++)
        if (t->ops[i]->skeleton == like->skeleton && !t->ops[i]->needs_elements) return t->ops[i];
    return NULL;
}

/* fold e all f, for the fold1 of the same function */
static wadi_bind *from_identity(masking *s, const masked *k, wadi_val all, const wadi_elem *e,
                                bindings *out) {
    const bool plain = e->fields == 1 && !e->name[0];
    const wadi_bind *unit = plain ? NULL : put(s, out, k, identity_unit(s, k, e));
    const wadi_val z = plain  ? wadi_const_val(s->m, k->identity[0])
                       : unit ? unit->results[0]
                              : WADI_NONE;
    if (z == WADI_NONE) {
        s->failed = true;
        return NULL;
    }
    return put(s, out, k,
               bind_of(s, op_with_initial_value(k->fold->op), 2, (const wadi_val[]){z, all},
                       k->fold->funs[0], 0, e));
}

/* Writes what the fold is computed from before it, which reads that then. */
static void rewrite(masking *s, const masked *k, bindings *out) {
    wadi_bind *fold = k->fold;
    wadi_val *array = &fold->args[fold->nargs - 1];
    const wadi_elem e = s->m->values[*array].type.array[0].elem;
    wadi_bind *all = put(s, out, k,
                         bind_of(s, k->ones->op, k->ones->nargs, k->filter->args + 1,
                                 masked_elements(s, k, &e), 1, &e));
    s->changed = true;
    if (!all) return;
    wadi_diag_note(s->cx->diag, WADI_NOTE_FUSED, k->filter->results[0], fold->results[0],
                   "only folded: what is not kept counts as the identity");
    if (!fold->op->needs_elements) {
        *array = all->results[0];
        return;
    }
    const wadi_bind *sum = from_identity(s, k, all->results[0], &e, out);
    const wadi_bind *n = sum ? put(s, out, k, one_if_any(s, k->filter->args[0])) : NULL;
    const wadi_bind *one =
        n ? put(s, out, k, filled_with(s, n->results[0], sum->results[0])) : NULL;
    if (one) *array = one->results[0];
}

/* ---- the walk ---- */

static void know_homes(masking *s, wadi_block *block) {
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++) s->home[b->results[r]] = block;
        for (int k = 0; k < b->nblocks; k++) know_homes(s, b->blocks[k]);
    }
}

static void walk(masking *s, wadi_block *block) {
    bindings out = {0};
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        masked k;
        for (int r = 0; r < b->nblocks; r++) walk(s, b->blocks[r]);
        if (is_masked(s, block, b, &k)) rewrite(s, &k, &out);
        if (!s->failed && !wadi_vec_push(&out, b)) s->failed = true;
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    wadi_vec_free(&out);
}

/* Filters that nobody reads any more go, with the maps behind them, as all that is dead. */
wadi_status wadi_pass_mask(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    masking s = {.m = m,
                 .cx = cx,
                 .known = m->nvalues,
                 .home = WADI_NEW_N(cx->scratch, wadi_block *, (size_t)m->nvalues + 1)};
    if (!s.home) return wadi_fail(err, WADI_MEMORY, "mask: out of memory");
    know_homes(&s, m->main);
    walk(&s, m->main);
    if (s.failed) return wadi_fail(err, WADI_MEMORY, "mask: out of memory");
    return s.changed ? wadi_pass_dce(m, cx, err) : WADI_OK;
}
