/* The operation was written for an element that was loaded before, a value with a name. The loop has a value of that name of its own: the
 * element in the word that it has seen.
 *
 * Sums of whole words are one instruction, which hardware does where the word is, however many lanes want the same one. The loop ends
 * without a store if the operation leaves the word as it is: most minima and maxima do. What was seen may be old by then. But if f(s, x) = s,
 * and the word has become f(s, y), then f(f(s, y), x) is f(s, y) too, because the order is free. */
#include "codegen/emit/lanes/update.h"

#include "codegen/emit/c_like/old.h"

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

static void add(wadi_c_writer *c, const wadi_linst *store, wadi_lv x) {
    const int bits = 8 * wadi_type_size(wadi_c_inst(c, store->args[2])->type);
    wadi_text_addf(c->out, "(void)wadi_add%d(WADI_WORD(uint%d_t, ", bits, bits);
    place(c, store);
    wadi_text_addf(c->out, "), (uint%d_t)(", bits);
    wadi_c_operand(c, x);
    wadi_text_add(c->out, ")); /* atomic */\n");
}

void wadi_c_update(wadi_c_writer *c, const wadi_linst *store, int level) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]), *old = wadi_c_old(c, store);
    const wadi_lv x = wadi_c_added(c, store);
    if (x != WADI_LV_NONE && wadi_type_size(value->type) >= 4) {
        add(c, store, x);
        return;
    }
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
    wadi_text_addf(t, "const %s wadi_next = ", word);
    if (size < 4)
        wadi_text_addf(t, "wadi_replace(wadi_seen, wadi_shift, %s, ",
                       size == 1 ? "0xffu" : "0xffffu");
    bits(c, value, word);
    wadi_text_add(t, size < 4 ? ");\n" : ";\n");
    wadi_text_indent(t, level + 2);
    wadi_text_add(t, "if (wadi_next == wadi_seen) break;\n");
    wadi_text_indent(t, level + 2);
    wadi_text_addf(t, "wadi_now = wadi_cas%d(wadi_word, wadi_seen, wadi_next);\n",
                   size == 8 ? 64 : 32);
    wadi_text_indent(t, level + 2);
    wadi_text_add(t, "if (wadi_now == wadi_seen) break;\n");
    wadi_text_indent(t, level + 1);
    wadi_text_add(t, "}\n");
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
}
