/* Bytes and operations of passes over arrays, from the marks of the program.
 *
 * A pass is a stored value, or several siblings. It reads each array once, however many of its values do; what is delayed costs operations
 * and no bytes. Operations are instructions of scalar functions, and an instruction that several values of the pass share counts for each.
 * A loop inside scalar code counts as one round. Of an array that is only read at places that data or numbers tell, no more elements count
 * than the pass can read. */
#include "codegen/cost.h"

#include "base/vec.h"
#include "codegen/amounts.h"
#include "codegen/cost_peak.h"
#include "codegen/harmless.h"
#include "codegen/operations.h"
#include "operators/reduce_tree.h"

typedef struct array_read {
    wadi_val v;
    int passes;     /* that read it */
    wadi_val by[4]; /* the first of them */
} array_read;

typedef struct costing {
    const wadi_named *x;
    const wadi_diag *d;
    const wadi_module *m;
    wadi_arena *scratch;
    uint32_t *seen; /* [value] the last pass that read it */
    wadi_ext *most; /* [value] how many of its elements this pass reads at most; NONE: all */
    uint32_t pass;
    wadi_ext space; /* what the binding at hand goes through; NONE: it is not known */
    wadi_operations_of of;
    WADI_VEC(wadi_val) reads;         /* arrays of the pass */
    WADI_VEC(array_read) block_reads; /* of the block */
    int operations;
} costing;

/* ---- what a pass reads ---- */

static bool is_delayed(const void *env, wadi_val v) {
    const costing *c = env;
    return wadi_amount_is_delayed(c->x, v);
}

static wadi_ext with_picked(const costing *c, wadi_ext most, int picked) {
    wadi_extents *e = c->x->shapes->extents;
    if (picked == 0 || most == WADI_EXT_NONE || c->space == WADI_EXT_NONE) return WADI_EXT_NONE;
    return wadi_ext_add(e, most, wadi_ext_mul(e, c->space, wadi_ext_const(e, picked)));
}

static void read_by(void *env, wadi_val v, int picked) {
    costing *c = env;
    if (c->m->values[v].type.array[0].rank == 0) return;
    if (c->seen[v] != c->pass) {
        c->seen[v] = c->pass;
        c->most[v] = wadi_amount_zero(c->x);
        if (!wadi_vec_push(&c->reads, v)) c->x->out->failed = true;
    }
    c->most[v] = with_picked(c, c->most[v], picked);
}

/* Notes for the block that the pass of `reader` reads v. */
static void note_read(costing *c, wadi_val v, wadi_val reader) {
    array_read *at = NULL;
    for (size_t i = 0; i < c->block_reads.n; i++)
        if (c->block_reads.at[i].v == v) at = &c->block_reads.at[i];
    if (!at) {
        if (!wadi_vec_push(&c->block_reads, (array_read){.v = v})) {
            c->x->out->failed = true;
            return;
        }
        at = &wadi_vec_last(&c->block_reads);
    }
    if (at->passes < 4) at->by[at->passes] = reader;
    at->passes++;
}

/* ---- passes ---- */

/* A value as large as what the binding goes through: a fold gives less than it reads. */
static wadi_val space_of(const costing *c, const wadi_bind *b) {
    wadi_val most = b->results[0];
    for (int i = 0; i < b->nargs; i++) {
        const wadi_value *a = &c->m->values[b->args[i]];
        if (a->def == WADI_DEF_CONST || a->type.is_seq || a->type.array[0].rank == 0) continue;
        if (a->type.array[0].rank > c->m->values[most].type.array[0].rank) most = b->args[i];
    }
    return most;
}

/* Elements of that space. NONE: the operator goes through arrays of several sizes. */
static wadi_ext elements_through(const costing *c, const wadi_bind *b) {
    const wadi_val most = space_of(c, b);
    const wadi_ext n = wadi_amount_elements(c->x, most);
    for (int i = 0; n != WADI_EXT_NONE && i < b->nargs; i++) {
        const wadi_value *a = &c->m->values[b->args[i]];
        if (wadi_op_reads(b->op, i) != 'e' || a->def == WADI_DEF_CONST || a->type.is_seq ||
            a->type.array[0].rank != c->m->values[most].type.array[0].rank)
            continue;
        const wadi_ext k = wadi_amount_elements(c->x, b->args[i]);
        if (k == WADI_EXT_NONE || !wadi_ext_equal(c->x->shapes->extents, k, n))
            return WADI_EXT_NONE;
    }
    return n;
}

static void print_names(const costing *c, size_t n, const wadi_val *v) {
    for (size_t i = 0; i < n; i++) {
        if (i > 0) wadi_text_add(c->x->out, ", ");
        wadi_named_value(c->x, v[i]);
    }
}

/* The members of the pass that binding `first` begins. */
static int members_of(const costing *c, const wadi_block *block, int first, const wadi_bind **out,
                      int most) {
    const int number = c->m->values[block->binds[first]->results[0]].siblings;
    int n = 0;
    out[n++] = block->binds[first];
    for (int i = first + 1; number > 0 && i < block->nbinds && n < most; i++)
        if (wadi_amount_has_pass(c->x, block->binds[i]) &&
            c->m->values[block->binds[i]->results[0]].siblings == number)
            out[n++] = block->binds[i];
    return n;
}

/* Whether a binding before `i` has begun the pass that `i` belongs to. */
static bool has_begun(const costing *c, const wadi_block *block, int i) {
    const int number = c->m->values[block->binds[i]->results[0]].siblings;
    for (int k = 0; number > 0 && k < i; k++)
        if (wadi_amount_has_pass(c->x, block->binds[k]) &&
            c->m->values[block->binds[k]->results[0]].siblings == number)
            return true;
    return false;
}

/* Whether several workers go through what the binding scans before its pass: for what is carried into each block of a long row. A scan of its own
 * that cannot fault does that a few blocks at a time, which its results then find in the cache (codegen/kernel/flat/scan.c). */
static bool is_read_ahead(const costing *c, const wadi_bind *b, int members) {
    if (!wadi_op_has(b->op, WADI_TRAIT_BY_BLOCK)) return false;
    const wadi_val array = b->args[b->nargs - 1];
    const int rank = c->m->values[array].type.array[0].rank;
    const wadi_ext e = wadi_shapes_extent(c->x->shapes, array, 0, rank - 1);
    int64_t length = 0;
    if (e != WADI_EXT_NONE && wadi_named_number(c->x, e, &length) && length <= WADI_TREE_SCAN_BLOCK)
        return false;
    return members > 1 || !wadi_is_harmless(c->x->shapes, b);
}

static void print_read_ahead(costing *c, int n, const wadi_bind *const *binds, int indent) {
    wadi_text *out = c->x->out;
    for (int k = 0; k < n; k++) {
        if (!is_read_ahead(c, binds[k], n)) continue;
        c->reads.n = 0;
        c->pass++;
        c->space = elements_through(c, binds[k]);
        (void)wadi_operations(&c->of, binds[k]);
        wadi_ext read = wadi_amount_zero(c->x);
        for (size_t i = 0; i < c->reads.n; i++)
            read = wadi_amount_add_most(c->x, read, c->reads.at[i], c->most[c->reads.at[i]]);
        if (c->reads.n == 0) continue;
        wadi_text_indent(out, indent);
        wadi_text_add(out, "on several threads, ");
        wadi_named_value(c->x, binds[k]->results[0]);
        wadi_text_add(out, " first reads ");
        wadi_amount_print(c->x, read, "bytes (");
        print_names(c, c->reads.n, c->reads.at);
        wadi_text_add(out, ") for what is carried into its blocks\n");
    }
}

static void print_pass(costing *c, int n, const wadi_bind *const *binds, int indent) {
    wadi_text *out = c->x->out;
    wadi_ext read = wadi_amount_zero(c->x), written = wadi_amount_zero(c->x);
    c->reads.n = 0;
    c->operations = 0;
    c->pass++;
    for (int k = 0; k < n; k++) {
        c->space = elements_through(c, binds[k]);
        c->operations += wadi_operations(&c->of, binds[k]);
        for (int r = 0; r < binds[k]->nresults; r++)
            written = wadi_amount_add(c->x, written, binds[k]->results[r]);
    }
    for (size_t i = 0; i < c->reads.n; i++) {
        read = wadi_amount_add_most(c->x, read, c->reads.at[i], c->most[c->reads.at[i]]);
        note_read(c, c->reads.at[i], binds[0]->results[0]);
    }
    wadi_text_indent(out, indent);
    for (int k = 0; k < n; k++) {
        if (k > 0) wadi_text_add(out, ", ");
        wadi_named_value(c->x, binds[k]->results[0]);
    }
    wadi_text_add(out, n > 1 ? " in one pass: " : ": ");
    wadi_amount_print(c->x, wadi_amount_elements(c->x, space_of(c, binds[0])), "elements\n");
    wadi_text_indent(out, indent + 1);
    wadi_text_add(out, "reads ");
    wadi_amount_print(c->x, read, "bytes");
    if (c->reads.n > 0) wadi_text_add(out, " (");
    print_names(c, c->reads.n, c->reads.at);
    wadi_text_add(out, c->reads.n > 0 ? "), writes " : ", writes ");
    wadi_amount_print(c->x, written, "bytes");
    const wadi_note *placed = wadi_diag_find(c->d, WADI_NOTE_PLACED, binds[0]->results[0]);
    if (placed) wadi_text_add(out, " in place of ");
    if (placed) wadi_named_value(c->x, placed->reader);
    wadi_text_addf(out, ", %d operation%s an element\n", c->operations,
                   c->operations == 1 ? "" : "s");
}

/* ---- blocks ---- */

static void print_repeated(const costing *c, int indent) {
    for (size_t i = 0; i < c->block_reads.n; i++) {
        const array_read *r = &c->block_reads.at[i];
        if (r->passes < 2) continue;
        wadi_text_indent(c->x->out, indent);
        wadi_named_value(c->x, r->v);
        wadi_text_addf(c->x->out, " is read by %d passes: ", r->passes);
        print_names(c, (size_t)(r->passes < 4 ? r->passes : 4), r->by);
        wadi_text_add(c->x->out, r->passes > 4 ? ", ..\n" : "\n");
    }
}

static wadi_ext stored_by(const costing *c, const wadi_block *block) {
    wadi_ext stored = wadi_amount_zero(c->x);
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults && wadi_amount_has_pass(c->x, b); r++)
            stored = wadi_amount_add(c->x, stored, b->results[r]);
    }
    return stored;
}

/* The most that is held. What is computed once is given back when nobody needs it any more; for elements all stays until the body is over. */
static void print_memory(const costing *c, wadi_block *block, int indent) {
    wadi_ext given = wadi_amount_zero(c->x);
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults && wadi_amount_is_given(b); r++)
            given = wadi_amount_add(c->x, given, b->results[r]);
    }
    wadi_text_indent(c->x->out, indent);
    wadi_text_add(c->x->out, "memory, at most: ");
    if (block == c->m->main)
        wadi_cost_peak_explain(c->x, c->d, block, c->scratch);
    else
        wadi_amount_print(c->x, stored_by(c, block), "bytes stored");
    wadi_text_add(c->x->out, ", ");
    wadi_amount_print(c->x, given, "bytes given\n");
}

static void explain_block(costing *c, wadi_block *block, const char *title, wadi_val of,
                          int indent) {
    const wadi_bind *member[16];
    bool any = false;
    c->block_reads.n = 0;
    for (int i = 0; i < block->nbinds; i++) {
        if (!wadi_amount_has_pass(c->x, block->binds[i]) || has_begun(c, block, i)) continue;
        if (!any) {
            wadi_text_indent(c->x->out, indent);
            wadi_text_add(c->x->out, title);
            if (of != WADI_NONE) wadi_named_value(c->x, of);
            wadi_text_add(c->x->out, ":\n");
        }
        any = true;
        const int n = members_of(c, block, i, member, 16);
        print_pass(c, n, member, indent + 1);
        if (block == c->m->main) print_read_ahead(c, n, member, indent + 2);
    }
    if (any) print_repeated(c, indent + 1);
    if (any) print_memory(c, block, indent + 1);
    for (int i = 0; i < block->nbinds; i++) {
        wadi_bind *b = block->binds[i];
        const wadi_val result = b->nresults > 0 ? b->results[0] : WADI_NONE;
        for (int k = 0; k < b->nblocks; k++)
            explain_block(c, b->blocks[k],
                          b->op->kind == WADI_OP_SEQUENCE ? "for each element of "
                                                          : "whenever it runs, in ",
                          result, indent);
    }
}

void wadi_cost_explain(const wadi_named *x, const wadi_diag *d, wadi_arena *scratch) {
    costing c = {.x = x,
                 .d = d,
                 .m = x->m,
                 .scratch = scratch,
                 .seen = WADI_NEW_N(scratch, uint32_t, (size_t)x->m->nvalues + 1),
                 .most = WADI_NEW_N(scratch, wadi_ext, (size_t)x->m->nvalues + 1),
                 .of = {.m = x->m, .is_delayed = is_delayed, .read = read_by}};
    c.of.env = &c;
    c.of.seen = WADI_NEW_N(scratch, uint32_t, (size_t)x->m->nvalues + 1);
    wadi_named_heading(x, "cost");
    if (c.seen && c.most && c.of.seen)
        explain_block(&c, x->m->main, "once", WADI_NONE, 0);
    else
        x->out->failed = true;
    wadi_vec_free(&c.reads);
    wadi_vec_free(&c.block_reads);
}
