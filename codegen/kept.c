/* Compares the function that is summed with the filter's predicate, as two expressions over elements of arrays. */
#include "codegen/kept.h"

enum { STEPS = 256 /* of a comparison: a value that is used twice is compared twice */ };

/* A function of one element of each of some arrays. */
typedef struct element_fun {
    const wadi_module *m;
    const wadi_fun *f;
    int narrays;
    const wadi_val *arrays;
} element_fun;

typedef struct comparing {
    element_fun a, b;
    int steps; /* that are left */
} comparing;

/* The array and the field that scalar v is, if it is a parameter. */
static bool is_element(const element_fun *e, wadi_sval v, wadi_val *out_array, int *out_field) {
    const wadi_sblock *body = e->f->body;
    for (int k = 0, p = 0; k < e->narrays; k++)
        for (int f = 0; f < e->m->values[e->arrays[k]].type.array[0].elem.fields; f++, p++) {
            if (p >= body->nparams || body->params[p] != v) continue;
            *out_array = e->arrays[k];
            *out_field = f;
            return true;
        }
    return false;
}

static bool same_scalar(comparing *c, wadi_sval x, wadi_sval y);

/* Blocks without parameters: the sides of a choice. */
static bool same_block(comparing *c, const wadi_sblock *a, const wadi_sblock *b) {
    if (!a || !b) return a == b;
    if (a->nparams > 0 || b->nparams > 0 || a->nyields != b->nyields) return false;
    for (int y = 0; y < a->nyields; y++)
        if (!same_scalar(c, a->yields[y], b->yields[y])) return false;
    return true;
}

static bool same_inst(comparing *c, const wadi_sinst *a, const wadi_sinst *b) {
    if (a->op != b->op || a->nargs != b->nargs || a->nresults != b->nresults ||
        a->array != b->array)
        return false;
    if (a->op == WADI_SOP_EXTENT && a->dim != b->dim) return false;
    if (a->op == WADI_SOP_CONST && (a->imm.bits != b->imm.bits || a->imm.im != b->imm.im))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_scalar(c, a->args[i], b->args[i])) return false;
    return same_block(c, a->block[0], b->block[0]) && same_block(c, a->block[1], b->block[1]);
}

static bool same_scalar(comparing *c, wadi_sval x, wadi_sval y) {
    wadi_val array_x = WADI_NONE, array_y = WADI_NONE;
    int field_x = 0, field_y = 0;
    if (c->steps-- <= 0 || c->a.f->types[x] != c->b.f->types[y]) return false;
    const bool element = is_element(&c->a, x, &array_x, &field_x);
    if (element != is_element(&c->b, y, &array_y, &field_y)) return false;
    if (element) return array_x == array_y && field_x == field_y;
    const wadi_sinst *a = wadi_sblock_maker(c->a.f->body, x),
                     *b = wadi_sblock_maker(c->b.f->body, y);
    return a && b && x - a->first == y - b->first && same_inst(c, a, b);
}

/* ---- the sum ---- */

static const wadi_bind *maker_of(const wadi_module *m, wadi_val v) {
    return m->values[v].def == WADI_DEF_BIND ? m->values[v].bind : NULL;
}

static bool is_zero(const wadi_module *m, wadi_val v) {
    return m->values[v].def == WADI_DEF_CONST && m->values[v].imm.bits == 0;
}

static bool adds(const wadi_fun *f) {
    const wadi_sblock *b = f->body;
    if (b->nparams != 2 || b->nyields != 1) return false;
    const wadi_sinst *i = wadi_sblock_maker(b, b->yields[0]);
    return i && i->op == WADI_SOP_ADD && i->args[0] != i->args[1] &&
           (i->args[0] == b->params[0] || i->args[0] == b->params[1]) &&
           (i->args[1] == b->params[0] || i->args[1] == b->params[1]);
}

/* The binding whose elements are summed, if `sum` is a sum, from zero or without a start, of a vector of numbers that come from vectors one
 * by one. */
static const wadi_bind *summed_by(const wadi_module *m, const wadi_bind *sum) {
    if (!sum || !wadi_op_has(sum->op, WADI_TRAIT_REDUCES_ROWS) || sum->nargs < 1) return NULL;
    if (sum->nargs > 2 || (sum->nargs == 2 && !is_zero(m, sum->args[0]))) return NULL;
    if (!adds(sum->funs[0])) return NULL;
    const wadi_bind *ones = maker_of(m, sum->args[sum->nargs - 1]);
    return ones && ones->op->one_to_one && ones->nfuns == 1 ? ones : NULL;
}

static int fields_of(const element_fun *e) {
    int n = 0;
    for (int k = 0; k < e->narrays; k++) n += e->m->values[e->arrays[k]].type.array[0].elem.fields;
    return n;
}

static bool yields_number(const wadi_sblock *body, const wadi_sblock *side, uint64_t n) {
    const wadi_sinst *i = side->nyields == 1 ? wadi_sblock_maker(body, side->yields[0]) : NULL;
    return i && i->op == WADI_SOP_CONST && i->imm.bits == n;
}

/* The bool of which `number` is 1 where it holds and 0 elsewhere: convert i64 b, or if b { 1 } else { 0 }. WADI_NONE: it is something else. */
static wadi_sval bool_of(const wadi_sblock *body, const wadi_sinst *number) {
    const bool converts = number && number->op == WADI_SOP_CONVERT;
    const bool chooses = number && number->op == WADI_SOP_COND && number->nresults == 1 &&
                         yields_number(body, number->block[0], 1) &&
                         yields_number(body, number->block[1], 0);
    return converts || chooses ? number->args[0] : WADI_NONE;
}

/* Whether both go through one array, so that they have as many elements. A predicate that reads none of them does not say so. */
static bool share_an_array(const element_fun *a, const element_fun *b) {
    for (int i = 0; i < a->narrays; i++)
        for (int k = 0; k < b->narrays; k++)
            if (a->arrays[i] == b->arrays[k]) return true;
    return false;
}

bool wadi_counts_kept(const wadi_module *m, const wadi_bind *filter) {
    const wadi_bind *ones = summed_by(m, maker_of(m, filter->args[0]));
    if (!ones) return false;
    const wadi_fun *f = ones->funs[0], *keep = filter->funs[0];
    comparing c = {.a = {m, f, ones->nargs, ones->args},
                   .b = {m, keep, filter->nargs - 1, filter->args + 1},
                   .steps = STEPS};
    if (f->body->nparams != fields_of(&c.a) || keep->body->nparams != fields_of(&c.b)) return false;
    if (!share_an_array(&c.a, &c.b)) return false;
    if (f->body->nyields != 1 || m->values[ones->args[0]].type.array[0].rank != 1) return false;
    const wadi_sval kept = bool_of(f->body, wadi_sblock_maker(f->body, f->body->yields[0]));
    return kept != WADI_NONE && same_scalar(&c, kept, keep->body->yields[0]);
}
