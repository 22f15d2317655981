/* Library routines and manual lifting inside a kernel: the call of a routine on the element's arrays, or the region that
 * defines what it computes.
 *
 * A body that calls routines also has a version without them, which is made only when a routine declines. The kernel then ends
 * with a fault that the device takes as a request for that version. */
#include "base/error.h"
#include "codegen/kernel/body.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/control.h"
#include "codegen/kernel/read.h"

/* ---- the region ---- */

/* The results are what region 0 yields, which may be delayed; its parameters are the arguments. */
static void run_region(wadi_lower *l, const wadi_bind *bind) {
    const wadi_block *r = bind->blocks[0];
    for (int i = 0; i < r->nparams; i++)
        l->loc[r->params[i]] = (wadi_vloc){.kind = WADI_LOC_ALIAS, .alias = bind->args[i]};
    wadi_lower_binds(l, r->nbinds, (const wadi_bind *const *)r->binds, NULL);
    for (int i = 0; i < bind->nresults && !l->status; i++) {
        wadi_lower_store(l, r->yields[i]);
        l->loc[bind->results[i]] = (wadi_vloc){.kind = WADI_LOC_ALIAS, .alias = r->yields[i]};
    }
}

/* Checks that the region's results have the extents that the binding declares. */
static void check_extents(wadi_lower *l, const wadi_bind *bind) {
    wadi_lb *b = &l->b;
    int next = (int)bind->attrs[1];
    for (int i = 0; i < bind->nresults && !l->status; i++)
        for (int d = 0; d < wadi_type_of(l, bind->results[i])->rank; d++) {
            const wadi_lv want = wadi_lower_scalar(l, bind->args[next++]);
            const wadi_lv have = wadi_lower_extent(l, bind->blocks[0]->yields[i], d);
            const wadi_lv differ = wadi_lb_bin(b, WADI_SOP_NE, have, want);
            int64_t known = 0;
            if (wadi_lb_is_const(b, differ, &known) && !known) continue;
            wadi_lb_if(b, differ);
            wadi_lower_fault(
                l, WADI_FAULT_SHAPE,
                wadi_layout_place(
                    l->y, bind->op->name,
                    wadi_lower_words(l, "the extent and what it is said to be in dimension %d", d),
                    bind->loc),
                have, want);
            wadi_lb_end(b);
        }
}

/* ---- the call ---- */

typedef struct arguments {
    int n;
    wadi_lv at[1 + WADI_CALL_ARRAYS * (1 + WADI_MAX_RANK)];
} arguments;

/* An array's pointer and the extents of one problem. */
static void add_array(wadi_lower *l, wadi_val v, int dims, arguments *args) {
    const int rank = wadi_type_of(l, v)->rank;
    args->at[args->n++] = wadi_lower_pointer(l, v, 0);
    for (int d = rank - dims; d < rank; d++) args->at[args->n++] = wadi_lower_extent(l, v, d);
}

static void call(wadi_lower *l, const wadi_bind *bind) {
    wadi_lb *b = &l->b;
    const int dims = (int)bind->attrs[0], nin = (int)bind->attrs[1];
    arguments args = {.n = 1};
    wadi_lv extent[WADI_MAX_RANK];
    wadi_lower_extents(l, bind->results[0], extent);
    args.at[0] = wadi_lower_size(l, wadi_type_of(l, bind->results[0])->rank - dims, extent);
    for (int i = 0; i < nin; i++) add_array(l, bind->args[i], dims, &args);
    for (int i = 0; i < bind->nresults; i++) add_array(l, bind->results[i], dims, &args);
    wadi_linst *run = wadi_lb_act(b, WADI_L_FOREIGN, args.n, args.at);
    run->has_value = true;
    run->type = WADI_BOOL;
    run->text = wadi_arena_strdup(l->y->arena, bind->name);
    run->index = nin;
    run->slot = -1;
    run->imm.bits = (uint64_t)dims;
    if (!run->text) b->failed = true;
    wadi_lb_if(b, wadi_lb_prim(b, WADI_SOP_LNOT, WADI_BOOL, 1, &run->self));
    wadi_lower_fault(l, WADI_FAULT_DECLINED,
                     wadi_layout_place(l->y, bind->op->name, "declined", bind->loc),
                     wadi_lb_i64(b, 0), wadi_lb_i64(b, 0));
    wadi_lb_end(b);
}

/* Checks that the leading extents, the batch, are the same for all arrays. They are declared, so only a run can tell. */
static void check_batch(wadi_lower *l, const wadi_bind *bind) {
    wadi_lb *b = &l->b;
    const int dims = (int)bind->attrs[0];
    const wadi_val first = bind->results[0];
    const int lead = wadi_type_of(l, first)->rank - dims;
    for (int i = 0; i < (int)bind->attrs[1]; i++) {
        if (wadi_type_of(l, bind->args[i])->rank - dims != lead) {
            wadi_lower_fail(l, bind->loc, WADI_SHAPE,
                            "foreign: arrays with batches of rank %d and %d",
                            wadi_type_of(l, bind->args[i])->rank - dims, lead);
            return;
        }
        for (int d = 0; d < lead; d++) {
            const wadi_lv x = wadi_lower_extent(l, bind->args[i], d);
            const wadi_lv y = wadi_lower_extent(l, first, d);
            const wadi_lv differ = wadi_lb_bin(b, WADI_SOP_NE, x, y);
            int64_t known = 0;
            if (wadi_lb_is_const(b, differ, &known) && !known) continue;
            wadi_lb_if(b, differ);
            wadi_lower_fault(l, WADI_FAULT_SHAPE,
                             wadi_layout_place(l->y, bind->op->name, "batches", bind->loc), x, y);
            wadi_lb_end(b);
        }
    }
}

bool wadi_lower_calls(const wadi_lower *l, const wadi_bind *bind) {
    WADI_UNUSED(bind);
    return !l->y->pure;
}

void wadi_lower_call(wadi_lower *l, const wadi_bind *bind) {
    check_batch(l, bind);
    if (!l->status && !l->b.failed) call(l, bind);
}

void wadi_lower_region(wadi_lower *l, const wadi_bind *bind) {
    run_region(l, bind);
}

void wadi_lower_region_checked(wadi_lower *l, const wadi_bind *bind) {
    run_region(l, bind);
    if (!l->status && !l->b.failed) check_extents(l, bind);
}
