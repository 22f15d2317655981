/* The operation was written for an element that was loaded before, a value with a name. The loop has a value of that name of its own: the
 * element in the word that it has seen. */
#include "codegen/emit/lanes/update.h"

/* The load of the element that the operation is on. is_update in codegen/loop/groups.c has seen that there is one. */
static const wadi_linst *old_of(const wadi_c_writer *c, const wadi_linst *store) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]);
    for (int a = 0; a < value->nargs; a++) {
        const wadi_linst *old = wadi_c_inst(c, value->args[a]);
        if (old->kind == WADI_L_FRESH && old->args[0] == store->args[0] &&
            wadi_c_strip(c->f, old->args[1]) == wadi_c_strip(c->f, store->args[1]))
            return old;
    }
    return NULL;
}

/* The address of the element. */
static void place(wadi_c_writer *c, const wadi_linst *store) {
    wadi_c_operand(c, store->args[0]);
    wadi_text_add(c->out, " + ");
    wadi_c_operand(c, store->args[1]);
}

/* The element in the word. */
static void part(wadi_c_writer *c, wadi_type t) {
    if (t == WADI_F32)
        wadi_text_add(c->out, "wadi_of_bits_f32(wadi_seen)");
    else if (t == WADI_F64)
        wadi_text_add(c->out, "wadi_of_bits_f64(wadi_seen)");
    else
        wadi_text_addf(c->out, "(%s)(wadi_seen >> wadi_shift)", wadi_c_stored(c, t));
}

static void bits(wadi_c_writer *c, const wadi_linst *value, const char *word) {
    if (value->type == WADI_F32)
        wadi_text_add(c->out, "wadi_bits_of_f32(");
    else if (value->type == WADI_F64)
        wadi_text_add(c->out, "wadi_bits_of_f64(");
    else
        wadi_text_addf(c->out, "(%s)(", word);
    wadi_c_definition(c, value);
    wadi_text_add(c->out, ")");
}

void wadi_c_update(wadi_c_writer *c, const wadi_linst *store, int level) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]), *old = old_of(c, store);
    const int size = wadi_type_size(value->type);
    const char *word = size == 8 ? "uint64_t" : "uint32_t";
    wadi_text *t = c->out;
    wadi_text_addf(t, "{ /* atomic */\n");
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "WADI_GLOBAL %s *const wadi_word = WADI_WORD(%s, ", word, word);
    place(c, store);
    wadi_text_add(t, ");\n");
    wadi_text_indent(t, level + 1);
    if (size < 4) {
        wadi_text_add(t, "const uint32_t wadi_shift = WADI_SHIFT(");
        place(c, store);
        wadi_text_add(t, ");\n");
    } else {
        wadi_text_add(t, "const uint32_t wadi_shift = 0;\n");
    }
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "for (%s wadi_seen = *wadi_word, wadi_now;; wadi_seen = wadi_now) {\n", word);
    wadi_text_indent(t, level + 2);
    if (old != NULL) {
        wadi_text_addf(t, "const %s %s = ", wadi_c_type(old->type), c->names.at[old->self].name);
        part(c, old->type);
        wadi_text_add(t, ";\n");
        wadi_text_indent(t, level + 2);
    }
    wadi_text_addf(t, "wadi_now = wadi_cas%d(wadi_word, wadi_seen, ", size == 8 ? 64 : 32);
    if (size < 4)
        wadi_text_addf(t, "wadi_replace(wadi_seen, wadi_shift, %s, ",
                       size == 1 ? "0xffu" : "0xffffu");
    bits(c, value, word);
    wadi_text_add(t, size < 4 ? "));\n" : ");\n");
    wadi_text_indent(t, level + 2);
    wadi_text_add(t, "if (wadi_now == wadi_seen) break;\n");
    wadi_text_indent(t, level + 1);
    wadi_text_add(t, "}\n");
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
}
