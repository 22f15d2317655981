/* Which inner loops run in blocks of as many rounds as a vector has elements (docs/decisions/0139-last-blocks-begin-earlier.md).
 *
 * What is behind the last whole vector of a row a C compiler computes one element after the other, half of it in half a vector at best. The last block of a
 * row may as well begin earlier: some rounds are then done twice, and store the same at the same place. So nothing that is stored may be read, nor may anything else pass from one round
 * to another. */
#include "codegen/emit/c/blocks.h"

enum {
    VECTOR_BYTES = 64,
    MOST_BLOCKS =
        64 /* in longer rows a few elements at the end do not matter, but where each block begins does */
};

static const wadi_linst *root_of(const wadi_c_writer *w, const wadi_linst *access) {
    return wadi_l_root(w->f, access->args[0]);
}

/* Whether both may be in the same memory. Columns of two slots, and scratch memory, lie apart. */
static bool may_meet(const wadi_linst *a, const wadi_linst *b) {
    if (a->kind == WADI_L_COLUMN && b->kind == WADI_L_COLUMN) return a->slot == b->slot;
    const bool known = (a->kind == WADI_L_COLUMN || a->kind == WADI_L_SCRATCH) &&
                       (b->kind == WADI_L_COLUMN || b->kind == WADI_L_SCRATCH);
    return !known || a == b;
}

static bool is_read(const wadi_c_writer *w, const wadi_lscope *s, const wadi_linst *root) {
    for (int p = 0; p < s->n; p++)
        if (s->inst[p]->kind == WADI_L_LOAD && may_meet(root_of(w, s->inst[p]), root)) return true;
    return false;
}

/* Whether the memory is a vector of the whole run: pieces of it are long. */
static bool is_long(const wadi_c_writer *w, const wadi_linst *root) {
    return root->kind == WADI_L_COLUMN && w->m->slots[root->slot].rank == 1 &&
           w->m->slots[root->slot].kind == WADI_SLOT_ONCE;
}

bool wadi_c_may_repeat(const wadi_c_writer *w, const wadi_lscope *s, const wadi_linst *i) {
    if (i->kind == WADI_L_STORE) return !i->atomic && !is_read(w, s, root_of(w, i));
    return (i->kind <= WADI_L_LOAD && i->kind != WADI_L_ARG) || i->kind == WADI_L_GET ||
           i->kind == WADI_L_LANE || i->kind == WADI_L_NOTE;
}

static bool is_in_loop(const wadi_linst *loop) {
    for (const wadi_lscope *s = wadi_l_merged(loop->scope); s != NULL && s->owner != NULL;
         s = wadi_l_merged(s->owner->scope))
        if (s->owner->kind == WADI_L_FOR || s->owner->kind == WADI_L_REPEAT) return true;
    return false;
}

static void lessen(int *least, wadi_type t) {
    if (wadi_type_size(t) < *least) *least = wadi_type_size(t);
}

void wadi_c_block_open(wadi_c_writer *w, const wadi_linst *loop, int n, int level) {
    wadi_text *t = w->out;
    const char *name = w->names.at[loop->var].name;
    wadi_text_add(t, "if (");
    wadi_c_operand(w, loop->args[1]);
    wadi_text_add(t, " - ");
    wadi_c_operand(w, loop->args[0]);
    wadi_text_addf(t, " >= %d && ", n);
    wadi_c_operand(w, loop->args[1]);
    wadi_text_add(t, " - ");
    wadi_c_operand(w, loop->args[0]);
    wadi_text_addf(t, " < %d) {\n", n * MOST_BLOCKS);
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "for (int64_t wadi_block_%s = ", name);
    wadi_c_expression(w, loop->args[0]);
    wadi_text_addf(t, "; wadi_block_%s < ", name);
    wadi_c_operand(w, loop->args[1]);
    wadi_text_addf(t, "; wadi_block_%s += %d) {\n", name, n);
    wadi_text_indent(t, level + 2);
    wadi_text_addf(t, "const int64_t wadi_first_%s = wadi_min_i64(wadi_block_%s, ", name, name);
    wadi_c_operand(w, loop->args[1]);
    wadi_text_addf(t, " - %d);\n", n);
    wadi_text_indent(t, level + 2);
    wadi_text_add(t, "WADI_INDEPENDENT\n");
    wadi_text_indent(t, level + 2);
    wadi_text_addf(t, "for (int64_t wadi_round = 0; wadi_round < %d; wadi_round++) {\n", n);
    wadi_text_indent(t, level + 3);
    wadi_text_addf(t, "const int64_t %s = wadi_first_%s + wadi_round;\n", name, name);
}

int wadi_c_block_of(const wadi_c_writer *w, const wadi_linst *loop) {
    const wadi_linst *from = wadi_c_inst(w, loop->args[0]), *below = wadi_c_inst(w, loop->args[1]);
    const wadi_lscope *s = loop->block[0];
    int least = VECTOR_BYTES;
    bool stores = false;
    if (!loop->independent || loop->brief || loop->unrolled || loop->by != WADI_BY_ONE ||
        wadi_c_inst(w, loop->args[2])->imm.bits != 1 || !is_in_loop(loop) ||
        (from->kind == WADI_L_CONST && below->kind == WADI_L_CONST))
        return 0;
    for (int p = 0; p < s->n; p++) {
        const wadi_linst *i = s->inst[p];
        if (!wadi_c_may_repeat(w, s, i)) return 0;
        if (i->kind == WADI_L_LOAD) lessen(&least, i->type);
        if (i->kind == WADI_L_STORE && is_long(w, root_of(w, i))) return 0;
        if (i->kind == WADI_L_STORE) lessen(&least, wadi_c_inst(w, i->args[0])->type);
        stores = stores || i->kind == WADI_L_STORE;
    }
    return stores ? VECTOR_BYTES / least : 0;
}
