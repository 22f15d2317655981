/* Bytes and operations of passes over arrays, from the marks of the program.
 *
 * A pass is a stored value, or several siblings. It reads each array once, however many of its values do; what is delayed costs operations
 * and no bytes. Operations are instructions of scalar functions, and an instruction that several values of the pass share counts for each.
 * A loop inside scalar code counts as one round. Arrays that are read by an index that data give count whole. */
#include "codegen/cost.h"

#include "base/vec.h"
#include "codegen/rewrite.h"

typedef struct array_read {
    wadi_val v;
    int passes;     /* that read it */
    wadi_val by[4]; /* the first of them */
} array_read;

typedef struct costing {
    const wadi_named *x;
    const wadi_module *m;
    uint32_t *seen; /* [value] the last pass that read it */
    uint32_t *in;   /* [value] the last consumer that computes it */
    uint32_t pass, consumer;
    WADI_VEC(wadi_val) reads;         /* arrays of the pass */
    WADI_VEC(array_read) block_reads; /* of the block */
    int operations;
} costing;

/* ---- sizes ---- */

static int64_t bytes_of(const costing *c, wadi_val v) {
    const wadi_elem *e = &c->m->values[v].type.array[0].elem;
    int64_t bytes = 0;
    for (int f = 0; f < e->fields; f++) bytes += wadi_type_size(e->type[f]);
    return bytes;
}

/* How many elements v has, as a formula. NONE: its shape is not known. */
static wadi_ext elements_of(const costing *c, wadi_val v) {
    const wadi_shapes *s = c->x->shapes;
    wadi_ext n = wadi_ext_const(s->extents, 1);
    if (v >= s->nvalues) return WADI_EXT_NONE;
    for (int d = 0; d < c->m->values[v].type.array[0].rank; d++) {
        const wadi_ext e = wadi_shapes_extent(s, v, 0, d);
        if (e == WADI_EXT_NONE) return WADI_EXT_NONE;
        n = wadi_ext_mul(s->extents, n, e);
    }
    return n;
}

/* `sum` and the bytes of v. */
static wadi_ext add_bytes(const costing *c, wadi_ext sum, wadi_val v) {
    const wadi_ext n = elements_of(c, v);
    wadi_extents *x = c->x->shapes->extents;
    if (n == WADI_EXT_NONE || sum == WADI_EXT_NONE) return WADI_EXT_NONE;
    return wadi_ext_add(x, sum, wadi_ext_mul(x, n, wadi_ext_const(x, bytes_of(c, v))));
}

static wadi_ext nothing(const costing *c) {
    return wadi_ext_const(c->x->shapes->extents, 0);
}

static void print(const costing *c, wadi_ext e, const char *unit) {
    if (e == WADI_EXT_NONE)
        wadi_text_addf(c->x->out, "? %s", unit);
    else {
        wadi_named_extent(c->x, e);
        wadi_text_addf(c->x->out, " %s", unit);
    }
}

/* ---- operations ---- */

static bool is_free(wadi_sop op) {
    return op == WADI_SOP_CONST || op == WADI_SOP_EXTENT || op == WADI_SOP_THE ||
           op == WADI_SOP_BITCAST;
}

static int operations_of(const wadi_sblock *b) {
    int n = 0;
    for (int i = 0; i < b->ninsts; i++) {
        n += !is_free(b->insts[i]->op);
        for (int k = 0; k < 2; k++)
            if (b->insts[i]->block[k]) n += operations_of(b->insts[i]->block[k]);
    }
    return n;
}

/* ---- what a pass reads ---- */

static bool is_inside(const costing *c, wadi_val v) {
    const wadi_value *value = &c->m->values[v];
    return value->def == WADI_DEF_BIND && value->storage == WADI_STORE_DELAYED;
}

static void look_into(costing *c, wadi_bind *b);

static void read_by(void *env, const wadi_read *r) {
    costing *c = env;
    const wadi_val v = *r->at;
    const wadi_value *value = &c->m->values[v];
    if (r->kind == WADI_READ_EXTENT || value->def == WADI_DEF_CONST || value->type.is_seq) return;
    if (is_inside(c, v)) {
        if (c->in[v] != c->consumer) look_into(c, value->bind);
        c->in[v] = c->consumer;
        return;
    }
    if (value->type.array[0].rank == 0 || c->seen[v] == c->pass) return;
    c->seen[v] = c->pass;
    if (!wadi_vec_push(&c->reads, v)) c->x->out->failed = true;
}

static void look_into(costing *c, wadi_bind *b) {
    for (int k = 0; k < b->nfuns; k++) c->operations += operations_of(b->funs[k]->body);
    wadi_reads_own(NULL, b, read_by, c);
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

static bool has_pass(const costing *c, const wadi_bind *b) {
    if (b->nresults == 0 || wadi_op_has(b->op, WADI_TRAIT_NO_KERNEL) || b->op->scalar) return false;
    if (b->nblocks > 0 || b->op->kind == WADI_OP_SEQUENCE) return false;
    return !is_inside(c, b->results[0]) && !c->m->values[b->results[0]].type.is_seq;
}

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
        if (has_pass(c, block->binds[i]) &&
            c->m->values[block->binds[i]->results[0]].siblings == number)
            out[n++] = block->binds[i];
    return n;
}

/* Whether a binding before `i` has begun the pass that `i` belongs to. */
static bool has_begun(const costing *c, const wadi_block *block, int i) {
    const int number = c->m->values[block->binds[i]->results[0]].siblings;
    for (int k = 0; number > 0 && k < i; k++)
        if (has_pass(c, block->binds[k]) &&
            c->m->values[block->binds[k]->results[0]].siblings == number)
            return true;
    return false;
}

static void print_pass(costing *c, int n, const wadi_bind *const *binds, int indent) {
    wadi_text *out = c->x->out;
    wadi_ext read = nothing(c), written = nothing(c);
    c->reads.n = 0;
    c->operations = 0;
    c->pass++;
    for (int k = 0; k < n; k++) {
        c->consumer++;
        look_into(c, (wadi_bind *)(uintptr_t)binds[k]);
        for (int r = 0; r < binds[k]->nresults; r++)
            written = add_bytes(c, written, binds[k]->results[r]);
    }
    for (size_t i = 0; i < c->reads.n; i++) {
        read = add_bytes(c, read, c->reads.at[i]);
        note_read(c, c->reads.at[i], binds[0]->results[0]);
    }
    wadi_text_indent(out, indent);
    for (int k = 0; k < n; k++) {
        if (k > 0) wadi_text_add(out, ", ");
        wadi_named_value(c->x, binds[k]->results[0]);
    }
    wadi_text_add(out, n > 1 ? " in one pass: " : ": ");
    print(c, elements_of(c, space_of(c, binds[0])), "elements\n");
    wadi_text_indent(out, indent + 1);
    wadi_text_add(out, "reads ");
    print(c, read, "bytes");
    if (c->reads.n > 0) wadi_text_add(out, " (");
    print_names(c, c->reads.n, c->reads.at);
    wadi_text_add(out, c->reads.n > 0 ? "), writes " : ", writes ");
    print(c, written, "bytes");
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

static bool is_given(const wadi_bind *b) {
    return b->op->given != WADI_GIVEN_NOT && b->op->kind != WADI_OP_SEQUENCE;
}

/* The most that is held at a time: everything that the passes of a block store stays until its body is over. */
static void print_memory(const costing *c, const wadi_block *block, int indent) {
    wadi_ext stored = nothing(c), given = nothing(c);
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++) {
            if (is_given(b)) given = add_bytes(c, given, b->results[r]);
            if (has_pass(c, b)) stored = add_bytes(c, stored, b->results[r]);
        }
    }
    wadi_text_indent(c->x->out, indent);
    wadi_text_add(c->x->out, "memory, at most: ");
    print(c, stored, "bytes stored");
    wadi_text_add(c->x->out, ", ");
    print(c, given, "bytes given\n");
}

static void explain_block(costing *c, wadi_block *block, const char *title, wadi_val of,
                          int indent) {
    const wadi_bind *member[16];
    bool any = false;
    c->block_reads.n = 0;
    for (int i = 0; i < block->nbinds; i++) {
        if (!has_pass(c, block->binds[i]) || has_begun(c, block, i)) continue;
        if (!any) {
            wadi_text_indent(c->x->out, indent);
            wadi_text_add(c->x->out, title);
            if (of != WADI_NONE) wadi_named_value(c->x, of);
            wadi_text_add(c->x->out, ":\n");
        }
        any = true;
        const int n = members_of(c, block, i, member, 16);
        print_pass(c, n, member, indent + 1);
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

void wadi_cost_explain(const wadi_named *x, wadi_arena *scratch) {
    costing c = {.x = x,
                 .m = x->m,
                 .seen = WADI_NEW_N(scratch, uint32_t, (size_t)x->m->nvalues + 1),
                 .in = WADI_NEW_N(scratch, uint32_t, (size_t)x->m->nvalues + 1)};
    wadi_named_heading(x, "cost");
    if (c.seen && c.in)
        explain_block(&c, x->m->main, "once", WADI_NONE, 0);
    else
        x->out->failed = true;
    wadi_vec_free(&c.reads);
    wadi_vec_free(&c.block_reads);
}
