/* What is delivered in any order: nothing that needs an order may come of it. That is a mistake of whoever writes the program, so a program is checked once, as it was
 * written; passes may let a fold read what is computed beside such a sequence, and a run keeps that in order. */
#include <stdlib.h>

#include "base/error.h"
#include "graph/ir/ir.h"
#include "graph/op.h"

static bool is_unordered(const wadi_bind *b) {
    return b->op->kind == WADI_OP_SEQUENCE && b->op->seq.unordered;
}

/* Whether each element of the result comes of one element of one sequence, whatever was before it. */
static bool takes_each(const wadi_bind *b) {
    if (b->op->kind != WADI_OP_SEQUENCE) return false;
    const wadi_seq_form form = b->op->seq.form;
    return (form == WADI_SEQ_MAP && b->nargs == 1) || form == WADI_SEQ_FILTER ||
           form == WADI_SEQ_EXPAND;
}

/* The binding that delivers in any order what `b` reads; NULL: none does. */
static const wadi_bind *read_by(const wadi_bind *const *sink, const wadi_bind *b) {
    const wadi_bind *found = NULL;
    for (int i = 0; i < b->nargs && !found; i++) found = sink[b->args[i]];
    return found;
}

static wadi_status needs_order(const wadi_bind *b, const wadi_bind *sink, wadi_error *err) {
    const wadi_loc at = sink->loc;
    return wadi_fail_at(err, b->loc, WADI_INVALID,
                        "%s: needs the elements in order, and %s \"%.80s\" (%s%sline %d) lets them "
                        "go in any",
                        b->op->name, sink->op->name, sink->name, at.file ? at.file : "",
                        at.file ? ", " : "", at.line);
}

static wadi_status check(const wadi_module *m, const wadi_bind **sink, wadi_error *err) {
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        if (is_unordered(b)) sink[b->args[0]] = b;
    }
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        const wadi_bind *of = is_unordered(b) ? NULL : read_by(sink, b);
        if (!of) continue;
        if (!takes_each(b)) return needs_order(b, of, err);
        for (int r = 0; r < b->nresults; r++) sink[b->results[r]] = of;
    }
    return WADI_OK;
}

wadi_status wadi_ir_verify_order(const wadi_module *m, wadi_error *err) {
    const wadi_bind **sink = calloc((size_t)m->nvalues + 1, sizeof *sink);
    if (!sink) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_status status = check(m, sink, err);
    free((void *)sink);
    return status;
}
