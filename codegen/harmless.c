/* Whether scalar code can fault or run for ever. */
#include "codegen/harmless.h"

static bool is_harmless_block(const wadi_sblock *b) {
    for (int i = 0; i < b->ninsts; i++) {
        const wadi_sinst *inst = b->insts[i];
        if (inst->op == WADI_SOP_INDEX || inst->op == WADI_SOP_INDEX_LINEAR) return false;
        if (inst->op < WADI_SOP_PRIM_COUNT && (wadi_sop_get(inst->op)->flags & WADI_SOP_FAULTS))
            return false;
        if (inst->op == WADI_SOP_WHILE) return false; /* may not end */
        for (int k = 0; k < 2; k++)
            if (inst->block[k] && !is_harmless_block(inst->block[k])) return false;
    }
    return true;
}

bool wadi_is_harmless(const wadi_shapes *shapes, const wadi_bind *b) {
    for (int i = 0; i < shapes->nchecks; i++)
        if (shapes->checks[i].bind == b) return false;
    for (int i = 0; i < b->nfuns; i++)
        if (!is_harmless_block(b->funs[i]->body)) return false;
    return true;
}
