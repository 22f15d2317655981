/* The law of reduce_tree.h as straight code. The interpreter runs it, and kernels must agree with it. */
#include "operators/reduce_tree.h"

#include <stdlib.h>
#include <string.h>

#include "operators/rules.h"

/* ---- which functions have lanes ---- */

static bool commutes(wadi_sop op) {
    switch (op) {
    case WADI_SOP_ADD:
    case WADI_SOP_MUL:
    case WADI_SOP_MIN:
    case WADI_SOP_MAX:
    case WADI_SOP_AND:
    case WADI_SOP_OR:
    case WADI_SOP_XOR:
    case WADI_SOP_LAND:
    case WADI_SOP_LOR:
        return true;
    default:
        return false;
    }
}

static const wadi_sinst *defining(const wadi_sblock *b, wadi_sval s) {
    for (int i = 0; i < b->ninsts; i++)
        if (b->insts[i]->nresults == 1 && b->insts[i]->first == s) return b->insts[i];
    return NULL;
}

static bool is_commutative(const wadi_fun *f) {
    const wadi_sblock *b = f->body;
    const int fields = b->nyields;
    if (b->nparams != 2 * fields) return false;
    for (int i = 0; i < fields; i++) {
        const wadi_sinst *s = defining(b, b->yields[i]);
        if (!s || s->nargs != 2 || !commutes(s->op)) return false;
        const wadi_sval acc = b->params[i], x = b->params[fields + i];
        const bool straight = s->args[0] == acc && s->args[1] == x;
        const bool swapped = s->args[0] == x && s->args[1] == acc;
        if (!straight && !swapped) return false;
    }
    return fields > 0;
}

bool wadi_fun_has_lanes(const wadi_fun *f) {
    return f->lanes != 0 ? f->lanes > 0 : is_commutative(f);
}

bool wadi_fun_has_any_order(const wadi_fun *f) {
    if (!is_commutative(f)) return false;
    for (int i = 0; i < f->body->nyields; i++)
        if (wadi_type_rounds(f->types[f->body->yields[i]])) return false;
    return true;
}

/* ---- rows ---- */

wadi_status wadi_eval_combine(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f, int cells,
                              const uint64_t *a, const uint64_t *x, uint64_t *out) {
    uint64_t args[2 * WADI_MAX_ELEM_CELLS];
    memcpy(args, a, (size_t)cells * sizeof *args);
    memcpy(args + cells, x, (size_t)cells * sizeof *args);
    return cx->apply(cx, b, f, args, out);
}

/* One reduction at work: which function over elements of how many cells. */
typedef struct folding {
    wadi_eval_cx *cx;
    const wadi_bind *b;
    const wadi_fun *f;
    int cells;
} folding;

static wadi_status take_one(const folding *o, uint64_t *acc, const uint64_t *x) {
    return wadi_eval_combine(o->cx, o->b, o->f, o->cells, acc, x, acc);
}

/* acc = element `from`, then every `step`-th up to `to`. */
static wadi_status take_run(const folding *o, const uint64_t *row, int64_t from, int64_t to,
                            int64_t step, uint64_t *acc) {
    memcpy(acc, row + from * o->cells, (size_t)o->cells * sizeof *acc);
    for (int64_t i = from + step; i < to; i += step) WADI_TRY(take_one(o, acc, row + i * o->cells));
    return WADI_OK;
}

static wadi_status fold_block(const folding *o, const uint64_t *row, int64_t n, uint64_t *acc) {
    enum { LANES = WADI_TREE_FOLD_LANES };
    if (n < LANES || !wadi_fun_has_lanes(o->f)) return take_run(o, row, 0, n, 1, acc);
    const int64_t full = n / LANES * LANES;
    uint64_t lane[LANES][WADI_MAX_ELEM_CELLS], tail[WADI_MAX_ELEM_CELLS];
    for (int64_t l = 0; l < LANES; l++) WADI_TRY(take_run(o, row, l, full, LANES, lane[l]));
    for (int64_t half = LANES / 2; half > 0; half /= 2)
        for (int64_t l = 0; l < half; l++) WADI_TRY(take_one(o, lane[l], lane[l + half]));
    memcpy(acc, lane[0], (size_t)o->cells * sizeof *acc);
    if (full == n) return WADI_OK;
    WADI_TRY(take_run(o, row, full, n, 1, tail));
    return take_one(o, acc, tail);
}

static int64_t block_end(int64_t from, int64_t n, int64_t block) {
    return n - from < block ? n : from + block;
}

wadi_status wadi_eval_fold_row(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f, int cells,
                               const uint64_t *row, int64_t n, uint64_t *acc) {
    const folding o = {cx, b, f, cells};
    for (int64_t from = 0; from < n; from += WADI_TREE_FOLD_BLOCK) {
        const int64_t count = block_end(from, n, WADI_TREE_FOLD_BLOCK) - from;
        uint64_t part[WADI_MAX_ELEM_CELLS];
        WADI_TRY(fold_block(&o, row + from * cells, count, from == 0 ? acc : part));
        if (from > 0) WADI_TRY(take_one(&o, acc, part));
    }
    return WADI_OK;
}

wadi_status wadi_eval_scan_row(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f, int cells,
                               const uint64_t *row, int64_t n, uint64_t *out) {
    const size_t bytes = (size_t)cells * sizeof *out;
    for (int64_t from = 0; from < n; from += WADI_TREE_SCAN_BLOCK) {
        const int64_t to = block_end(from, n, WADI_TREE_SCAN_BLOCK);
        uint64_t local[WADI_MAX_ELEM_CELLS];
        for (int64_t i = from; i < to; i++) {
            const uint64_t *x = row + i * cells;
            uint64_t *y = out + i * cells;
            if (i == from)
                memcpy(local, x, bytes);
            else
                WADI_TRY(wadi_eval_combine(cx, b, f, cells, local, x, local));
            if (from == 0)
                memcpy(y, local, bytes);
            else
                WADI_TRY(wadi_eval_combine(cx, b, f, cells, out + (from - 1) * cells, local, y));
        }
    }
    return WADI_OK;
}
