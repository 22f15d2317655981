/* By the built-in functions of GCC and Clang. No order among places is needed: what is stored is read in another launch. */
#include "codegen/emit/c/update.h"

#include "codegen/emit/c_like/old.h"

static void place(wadi_c_writer *c, const wadi_linst *store) {
    wadi_text_add(c->out, "&");
    wadi_c_indexed(c, store);
}

void wadi_c_update_in_c(wadi_c_writer *c, const wadi_linst *store, int level) {
    const wadi_linst *value = wadi_c_inst(c, store->args[2]), *old = wadi_c_old(c, store);
    const wadi_lv x = wadi_c_added(c, store);
    const char *type = wadi_c_stored(c, value->type);
    wadi_text *t = c->out;
    if (x != WADI_LV_NONE) {
        wadi_text_add(t, "(void)__atomic_fetch_add(");
        place(c, store);
        wadi_text_add(t, ", ");
        wadi_c_expression(c, x);
        wadi_text_add(t, ", __ATOMIC_RELAXED);\n");
        return;
    }
    wadi_text_add(t, "{ /* atomic */\n");
    wadi_text_indent(t, level + 1);
    wadi_text_addf(t, "%s wadi_seen, wadi_next;\n", type);
    wadi_text_indent(t, level + 1);
    wadi_text_add(t, "__atomic_load(");
    place(c, store);
    wadi_text_add(t, ", &wadi_seen, __ATOMIC_RELAXED);\n");
    wadi_text_indent(t, level + 1);
    wadi_text_add(t, "do {\n");
    wadi_text_indent(t, level + 2);
    if (old != NULL) {
        wadi_text_addf(t, "const %s %s = wadi_seen;\n", wadi_c_type(old->type),
                       c->names.at[old->self].name);
        wadi_text_indent(t, level + 2);
    }
    wadi_text_add(t, "wadi_next = ");
    wadi_c_definition(c, value);
    wadi_text_add(t, ";\n");
    wadi_text_indent(t, level + 1);
    wadi_text_add(t, "} while (!__atomic_compare_exchange(");
    place(c, store);
    wadi_text_add(t, ", &wadi_seen, &wadi_next, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));\n");
    wadi_text_indent(t, level);
    wadi_text_add(t, "}\n");
}
