/* Going on after a fault, so that all faults of an element are found. A compiled program may report any one of them
 * (docs/LANGUAGE.md). */
#include "operators/interp/state.h"

static bool goes_on(const wadi_interp *in) {
    return in->io && in->io->told;
}

static void tell(wadi_interp *in) {
    in->faulted = true;
    in->io->told(in->io->told_env, in->cx.err->msg);
}

wadi_status wadi_interp_instead(wadi_interp *in, wadi_status st, wadi_number *to, int n) {
    if (!goes_on(in) || st != WADI_FAULT) return st;
    tell(in);
    for (int k = 0; k < n; k++) to[k] = (wadi_number){.bits = (uint64_t)in->io->instead};
    return WADI_OK;
}

/* cx is the interpreter's first member. */
void wadi_interp_instead_cells(wadi_eval_cx *cx, uint64_t *cells, int n) {
    wadi_interp *in = (wadi_interp *)cx;
    tell(in);
    for (int k = 0; k < n; k++) cells[k] = (uint64_t)in->io->instead;
}

static bool reads_missing(const wadi_interp *in, const wadi_sblock *b) {
    for (int k = 0; b && k < b->ninsts; k++) {
        const wadi_sinst *i = b->insts[k];
        if (i->array != WADI_NONE && in->missing[i->array]) return true;
        if (reads_missing(in, i->block[0]) || reads_missing(in, i->block[1])) return true;
    }
    return false;
}

bool wadi_interp_can_run(wadi_interp *in, const wadi_bind *b) {
    if (!goes_on(in)) return true;
    bool can = !(in->faulted && in->depth == 0 && b->op->kind == WADI_OP_SEQUENCE);
    for (int i = 0; i < b->nargs; i++) can = can && !in->missing[b->args[i]];
    for (int i = 0; i < b->nfuns; i++) can = can && !reads_missing(in, b->funs[i]->body);
    for (int i = 0; i < b->nresults; i++) in->missing[b->results[i]] = !can;
    return can;
}

wadi_status wadi_interp_ran(wadi_interp *in, const wadi_bind *b, wadi_status st) {
    if (!goes_on(in) || (st != WADI_FAULT && st != WADI_MEMORY)) return st;
    if (st == WADI_MEMORY)
        in->faulted = true; /* an array that is too large hides no fault behind it */
    else if (!in->known_fault)
        tell(in);
    in->cx.index_rank = -1;
    in->known_fault = false;
    for (int i = 0; i < b->nresults; i++) in->missing[b->results[i]] = true;
    return WADI_OK;
}

wadi_status wadi_interp_complete(wadi_interp *in, const wadi_block *b) {
    if (!goes_on(in)) return WADI_OK;
    bool complete = !(in->faulted && in->depth <= 1);
    for (int y = 0; y < b->nyields; y++) complete = complete && !in->missing[b->yields[y]];
    in->known_fault = !complete;
    return complete ? WADI_OK : WADI_FAULT;
}
