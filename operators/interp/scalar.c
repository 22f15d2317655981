/* Runs scalar functions, instruction by instruction.
 *
 * All scalars of a function stand in one row. A region of cond, while or iterate writes into the same row, because every scalar
 * of a function has its own number. A complex scalar has two cells in an array, but one entry in the row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operators/interp/state.h"

typedef struct running {
    wadi_interp *in;
    const wadi_bind *b;
    const wadi_fun *f;
    wadi_number *at;   /* [nvals] */
    wadi_number *next; /* [nvals], used only while a state is being replaced */
} running;

static wadi_status run_block(running *r, const wadi_sblock *b);

/* ---- faults ---- */

static void write_scalar(char *to, size_t n, wadi_scalar x) {
    if (x.type == WADI_U64)
        snprintf(to, n, "%llu", (unsigned long long)x.bits);
    else
        snprintf(to, n, "%lld", (long long)x.bits);
}

/* The instruction's place, or if it has none, that of its binding. */
static wadi_loc place_of(const running *r, const wadi_sinst *i) {
    wadi_loc loc = i->loc.file ? i->loc : r->b->loc;
    loc.array = i->loc.array;
    return loc;
}

static wadi_status division(running *r, const wadi_sinst *i, const wadi_scalar *args) {
    char a[32];
    write_scalar(a, sizeof a, args[0]);
    return wadi_eval_fault_of(&r->in->cx, wadi_sop_get(i->op)->name, place_of(r, i),
                              "division of %s by zero", a);
}

/* ---- instructions ---- */

static wadi_status primitive(running *r, const wadi_sinst *i) {
    wadi_scalar args[4], out = {r->f->types[i->first], 0};
    for (int k = 0; k < i->nargs; k++) {
        const wadi_number x = r->at[i->args[k]];
        args[k] = (wadi_scalar){r->f->types[i->args[k]], x.bits, x.im};
    }
    if (!wadi_scalar_eval(i->op, out.type, args, &out)) return division(r, i, args);
    r->at[i->first] = (wadi_number){out.bits, out.im};
    return WADI_OK;
}

/* Cells of scalars `s`, s + 1, .. of types t, and back. */
static void from_cells(running *r, int n, const wadi_type *t, const uint64_t *cells, wadi_sval s) {
    for (int k = 0; k < n; k++, s++) {
        r->at[s] = (wadi_number){.bits = *cells++};
        if (wadi_type_is_complex(t[k])) r->at[s].im = *cells++;
    }
}

static uint64_t *to_cells(const running *r, wadi_sval s, uint64_t *cells) {
    *cells++ = r->at[s].bits;
    if (wadi_type_is_complex(r->f->types[s])) *cells++ = r->at[s].im;
    return cells;
}

static void read_fields(running *r, const wadi_sinst *i, const wadi_iarray *a,
                        const uint64_t *cells) {
    from_cells(r, a->elem.fields, a->elem.type, cells, i->first);
}

static wadi_status index_array(running *r, const wadi_sinst *i) {
    const wadi_iarray *a = r->in->value[i->array];
    int64_t ix[WADI_MAX_RANK];
    for (int d = 0; d < a->rank; d++) ix[d] = (int64_t)r->at[i->args[d]].bits;
    for (int d = 0; d < a->rank; d++)
        if (ix[d] < 0 || ix[d] >= a->shape[d])
            return wadi_eval_out_of_range(&r->in->cx, "!", place_of(r, i), ix[d], a->shape[d], d);
    read_fields(r, i, a, wadi_eval_get(a, ix));
    return WADI_OK;
}

static wadi_status index_linear(running *r, const wadi_sinst *i) {
    const wadi_iarray *a = r->in->value[i->array];
    const int64_t k = (int64_t)r->at[i->args[0]].bits;
    if (k < 0 || k >= a->size)
        return wadi_eval_out_of_range(&r->in->cx, "!!", place_of(r, i), k, a->size, -1);
    read_fields(r, i, a, a->cell + k * a->cells);
    return WADI_OK;
}

/* The results of an instruction with regions are what the region that ran last yields. */
static void take_yields(running *r, const wadi_sinst *i, const wadi_sblock *b) {
    for (int k = 0; k < i->nresults; k++) r->at[i->first + (uint32_t)k] = r->at[b->yields[k]];
}

static wadi_status cond(running *r, const wadi_sinst *i) {
    const wadi_sblock *side = i->block[r->at[i->args[0]].bits != 0 ? 0 : 1];
    WADI_TRY(run_block(r, side));
    take_yields(r, i, side);
    return WADI_OK;
}

/* Replaces a state. All new values are read before any is written, because a yield may be a parameter. */
static void replace(running *r, const wadi_sval *to, const wadi_sval *from, int n) {
    for (int k = 0; k < n; k++) r->next[k] = r->at[from[k]];
    for (int k = 0; k < n; k++) r->at[to[k]] = r->next[k];
}

static wadi_status while_loop(running *r, const wadi_sinst *i) {
    const wadi_sblock *pred = i->block[0], *body = i->block[1];
    const int n = i->nargs;
    replace(r, pred->params, i->args, n);
    for (;;) {
        WADI_TRY(run_block(r, pred));
        if (r->at[pred->yields[0]].bits == 0) break;
        replace(r, body->params, pred->params, n);
        WADI_TRY(run_block(r, body));
        replace(r, pred->params, body->yields, n);
    }
    for (int k = 0; k < n; k++) r->at[i->first + (uint32_t)k] = r->at[pred->params[k]];
    return WADI_OK;
}

static wadi_status iterate(running *r, const wadi_sinst *i) {
    const wadi_sblock *body = i->block[0];
    const int n = i->nargs - 1;
    const int64_t count = (int64_t)r->at[i->args[0]].bits;
    for (int k = 0; k < n; k++) r->at[i->first + (uint32_t)k] = r->at[i->args[1 + k]];
    for (int64_t turn = 0; turn < count; turn++) {
        r->at[body->params[0]] = (wadi_number){.bits = (uint64_t)turn};
        for (int k = 0; k < n; k++) r->at[body->params[1 + k]] = r->at[i->first + (uint32_t)k];
        WADI_TRY(run_block(r, body));
        take_yields(r, i, body);
    }
    return WADI_OK;
}

static wadi_status instruction(running *r, const wadi_sinst *i) {
    const wadi_iarray *a;
    wadi_number *results = r->at + i->first;
    switch (i->op) {
    case WADI_SOP_CONST:
        r->at[i->first] = (wadi_number){i->imm.bits, i->imm.im};
        return WADI_OK;
    case WADI_SOP_INDEX:
        return wadi_interp_instead(r->in, index_array(r, i), results, i->nresults);
    case WADI_SOP_INDEX_LINEAR:
        return wadi_interp_instead(r->in, index_linear(r, i), results, i->nresults);
    case WADI_SOP_THE:
        a = r->in->value[i->array];
        read_fields(r, i, a, a->cell);
        return WADI_OK;
    case WADI_SOP_EXTENT:
        r->at[i->first] = (wadi_number){.bits = (uint64_t)r->in->value[i->array]->shape[i->dim]};
        return WADI_OK;
    case WADI_SOP_COND:
        return cond(r, i);
    case WADI_SOP_WHILE:
        return while_loop(r, i);
    case WADI_SOP_ITERATE:
        return iterate(r, i);
    default:
        return wadi_interp_instead(r->in, primitive(r, i), results, i->nresults);
    }
}

static wadi_status run_block(running *r, const wadi_sblock *b) {
    for (int k = 0; k < b->ninsts; k++) WADI_TRY(instruction(r, b->insts[k]));
    return WADI_OK;
}

/* Only one function runs at a time, so one row is enough. */
static bool room(wadi_interp *in, size_t n) {
    if (n <= in->nrow) return true;
    wadi_number *more = realloc(in->row, n * sizeof *more);
    if (!more) return false;
    in->row = more;
    in->nrow = n;
    return true;
}

wadi_status wadi_interp_apply(wadi_interp *in, const wadi_bind *b, const wadi_fun *f,
                              const uint64_t *args, uint64_t *results) {
    if (!room(in, 2 * (size_t)f->nvals + 1))
        return wadi_fail_at(in->cx.err, b->loc, WADI_MEMORY, "%s: out of memory", b->op->name);
    running r = {in, b, f, in->row, in->row + f->nvals};
    for (int p = 0; p < f->body->nparams; p++) {
        const wadi_sval s = f->body->params[p];
        from_cells(&r, 1, &f->types[s], args, s);
        args += wadi_type_cells(f->types[s]);
    }
    WADI_TRY(run_block(&r, f->body));
    for (int y = 0; y < f->body->nyields; y++) results = to_cells(&r, f->body->yields[y], results);
    return WADI_OK;
}
