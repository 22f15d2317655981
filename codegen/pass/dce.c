/* Dead code: bindings and instructions whose results nobody needs.
 *
 * One walk backwards marks what is needed and drops the rest. Needed are the yields of the program, what goes to sinks, and
 * the inputs, because a program declares which inputs it takes. An operator that could fault is dropped like any other: faults
 * are part of computing a result, and nobody asks for this one.
 */
#include "codegen/pass.h"

#include "base/error.h"
#include "codegen/rewrite.h"

typedef struct sweeping {
    wadi_module *m;
    bool *needed; /* array values */
    bool failed;
} sweeping;

/* ---- inside functions ---- */

static void need_yields(const wadi_sblock *b, bool *needed) {
    for (int y = 0; y < b->nyields; y++) needed[b->yields[y]] = true;
}

static void sweep_sblock(wadi_sblock *b, bool *needed) {
    int kept = b->ninsts; /* the kept ones move to the end */
    need_yields(b, needed);
    for (int k = b->ninsts; k-- > 0;) {
        wadi_sinst *i = b->insts[k];
        bool used = false;
        for (int r = 0; r < i->nresults; r++) used = used || needed[i->first + (wadi_sval)r];
        if (!used) continue;
        for (int k2 = 0; k2 < 2; k2++)
            if (i->block[k2]) sweep_sblock(i->block[k2], needed);
        for (int a = 0; a < i->nargs; a++) needed[i->args[a]] = true;
        b->insts[--kept] = i;
    }
    b->insts += kept;
    b->ninsts -= kept;
    b->capacity = b->ninsts;
}

static void sweep_functions(sweeping *s, wadi_bind *b, wadi_arena *scratch) {
    for (int i = 0; i < b->nfuns && !s->failed; i++) {
        const size_t mark = wadi_arena_mark(scratch);
        bool *needed = WADI_NEW_N(scratch, bool, b->funs[i]->nvals);
        if (needed)
            sweep_sblock(b->funs[i]->body, needed);
        else
            s->failed = true;
        wadi_arena_rewind(scratch, mark);
    }
}

/* ---- bindings ---- */

static void need(void *env, const wadi_read *r) {
    ((bool *)env)[*r->at] = true;
}

static bool is_needed(const sweeping *s, const wadi_bind *b) {
    if (b->nresults == 0 || (b->name && !s->m->values[b->results[0]].type.is_seq)) return true;
    for (int r = 0; r < b->nresults; r++)
        if (s->needed[b->results[r]]) return true;
    return false;
}

/* Removes results of a branch that nobody needs. The state of a loop stays whole: its components need each other. */
static void drop_results(sweeping *s, wadi_bind *b) {
    if (!b->op->separable) return;
    int kept = 0;
    for (int r = 0; r < b->nresults; r++) {
        if (!s->needed[b->results[r]]) continue;
        for (int k = 0; k < b->nblocks; k++) b->blocks[k]->yields[kept] = b->blocks[k]->yields[r];
        s->m->values[b->results[r]].number = kept;
        b->results[kept++] = b->results[r];
    }
    b->nresults = kept;
    for (int k = 0; k < b->nblocks; k++) b->blocks[k]->nyields = kept;
}

static void sweep_block(sweeping *s, wadi_block *block, wadi_arena *scratch) {
    int kept = block->nbinds;
    for (int y = 0; y < block->nyields; y++) s->needed[block->yields[y]] = true;
    for (int i = block->nbinds; i-- > 0 && !s->failed;) {
        wadi_bind *b = block->binds[i];
        if (!is_needed(s, b)) continue;
        drop_results(s, b);
        sweep_functions(s, b, scratch);
        for (int k = b->nblocks; k-- > 0;) sweep_block(s, b->blocks[k], scratch);
        wadi_reads_own(block, b, need, s->needed);
        block->binds[--kept] = b;
    }
    block->binds += kept;
    block->nbinds -= kept;
    block->capacity = block->nbinds;
}

wadi_status wadi_pass_dce(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    sweeping s = {m, WADI_NEW_N(cx->scratch, bool, m->nvalues), false};
    if (!s.needed) return wadi_fail(err, WADI_MEMORY, "dce: out of memory");
    sweep_block(&s, m->main, cx->scratch);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "dce: out of memory") : WADI_OK;
}
