/* Looking for instructions that a library computes. */
#include "graph/ir/ir.h"

static const wadi_sinst *in_code(const wadi_fun *f, const wadi_sblock *b, wadi_type *out_arg) {
    for (int k = 0; k < b->ninsts; k++) {
        const wadi_sinst *i = b->insts[k];
        if (i->op < WADI_SOP_PRIM_COUNT) {
            *out_arg = f->types[i->args[0]];
            if (!wadi_sop_is_exact(i->op, *out_arg)) return i;
        }
        for (int r = 0; r < 2; r++) {
            const wadi_sinst *found = i->block[r] ? in_code(f, i->block[r], out_arg) : NULL;
            if (found) return found;
        }
    }
    return NULL;
}

static const wadi_sinst *in_block(const wadi_block *b, wadi_type *out_arg) {
    const wadi_sinst *found = NULL;
    for (int k = 0; k < b->nbinds && !found; k++) {
        const wadi_bind *bind = b->binds[k];
        for (int i = 0; i < bind->nfuns && !found; i++)
            found = in_code(bind->funs[i], bind->funs[i]->body, out_arg);
        for (int i = 0; i < bind->nblocks && !found; i++)
            found = in_block(bind->blocks[i], out_arg);
    }
    return found;
}

const wadi_sinst *wadi_module_inexact(const wadi_module *m, wadi_type *out_arg) {
    return in_block(m->main, out_arg);
}
