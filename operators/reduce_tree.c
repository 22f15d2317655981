/* The law of reduce_tree.h as simple code. The interpreter runs it, and kernels must give the same bits. */
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

bool wadi_fun_is_commutative(const wadi_fun *f) {
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
    return f->lanes != 0 ? f->lanes > 0 : wadi_fun_is_commutative(f);
}

bool wadi_fun_has_any_order(const wadi_fun *f) {
    if (!wadi_fun_is_commutative(f)) return false;
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

/* A reduction: its function, and how many cells an element has. */
typedef struct folding {
    wadi_eval_cx *cx;
    const wadi_bind *b;
    const wadi_fun *f;
    int cells;
} folding;

static wadi_status combine(const folding *o, const uint64_t *a, const uint64_t *x, uint64_t *out) {
    return wadi_eval_combine(o->cx, o->b, o->f, o->cells, a, x, out);
}

static wadi_status take_one(const folding *o, uint64_t *acc, const uint64_t *x) {
    return combine(o, acc, x, acc);
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

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Reduces `count` blocks of a row of n elements, beginning with block `first`. */
static wadi_status fold_blocks(const folding *o, const uint64_t *row, int64_t n, int64_t first,
                               int64_t count, uint64_t *acc) {
    uint64_t right[WADI_MAX_ELEM_CELLS];
    int64_t left = 1;
    if (count == 1) {
        const int64_t from = first * WADI_TREE_FOLD_BLOCK;
        return fold_block(o, row + from * o->cells, least(n - from, WADI_TREE_FOLD_BLOCK), acc);
    }
    while (left < count - left) left *= 2;
    WADI_TRY(fold_blocks(o, row, n, first, left, acc));
    WADI_TRY(fold_blocks(o, row, n, first + left, count - left, right));
    return take_one(o, acc, right);
}

wadi_status wadi_eval_fold_row(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f, int cells,
                               const uint64_t *row, int64_t n, uint64_t *acc) {
    const folding o = {cx, b, f, cells};
    return fold_blocks(&o, row, n, 0, (n - 1) / WADI_TREE_FOLD_BLOCK + 1, acc);
}

/* ---- scans ---- */

/* The blocks so far, as runs of a power of two of blocks: the total of each run, and that total combined with all runs before it. */
typedef struct runs {
    int n;
    uint64_t run[WADI_TREE_RUNS][WADI_MAX_ELEM_CELLS], all[WADI_TREE_RUNS][WADI_MAX_ELEM_CELLS];
} runs;

/* Before block k > 0: adds block k - 1, whose own scan ended with `last`, to the runs. r->all[r->n - 1] is then the carry into
 * block k. */
static wadi_status pass_block(const folding *o, runs *r, int64_t k, const uint64_t *last) {
    const size_t bytes = (size_t)o->cells * sizeof *last;
    uint64_t run[WADI_MAX_ELEM_CELLS];
    memcpy(run, last, bytes);
    for (int64_t merged = k; merged % 2 == 0; merged /= 2) {
        r->n--;
        WADI_TRY(combine(o, r->run[r->n], run, run));
    }
    memcpy(r->run[r->n], run, bytes);
    if (r->n > 0) WADI_TRY(combine(o, r->all[r->n - 1], run, run));
    memcpy(r->all[r->n++], run, bytes);
    return WADI_OK;
}

/* Scans one block. Each result is combined with `carry` (NULL: none) from the left. `last` becomes the end of the block's own scan,
 * without the carry. */
static wadi_status scan_block(const folding *o, const uint64_t *row, int64_t n,
                              const uint64_t *carry, uint64_t *out, uint64_t *last) {
    const size_t bytes = (size_t)o->cells * sizeof *out;
    for (int64_t i = 0; i < n; i++) {
        uint64_t *y = out + i * o->cells;
        if (i == 0)
            memcpy(last, row, bytes);
        else
            WADI_TRY(take_one(o, last, row + i * o->cells));
        if (carry)
            WADI_TRY(combine(o, carry, last, y));
        else
            memcpy(y, last, bytes);
    }
    return WADI_OK;
}

wadi_status wadi_eval_scan_row(wadi_eval_cx *cx, const wadi_bind *b, const wadi_fun *f, int cells,
                               const uint64_t *row, int64_t n, uint64_t *out) {
    const folding o = {cx, b, f, cells};
    uint64_t last[WADI_MAX_ELEM_CELLS];
    runs r = {.n = 0};
    for (int64_t k = 0; k * WADI_TREE_SCAN_BLOCK < n; k++) {
        const int64_t from = k * WADI_TREE_SCAN_BLOCK;
        if (k > 0) WADI_TRY(pass_block(&o, &r, k, last));
        WADI_TRY(scan_block(&o, row + from * cells, least(n - from, WADI_TREE_SCAN_BLOCK),
                            k > 0 ? r.all[r.n - 1] : NULL, out + from * cells, last));
    }
    return WADI_OK;
}
