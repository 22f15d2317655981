/* Results of a program, and names that users give. */
#include "base/ascii.h"
#include "graph/lang/grow.h"
#include "graph/lang/node.h"

static bool output_known(const wadi_program *p, const char *name) {
    for (size_t i = 0; i < p->outputs.n; i++)
        if (p->outputs.at[i].name == name) return true;
    return false;
}

static void add_output(wadi_program *p, const char *name, wadi_node_id node) {
    const char *own = wadi_lang_name(name);
    if (!own) return;
    if (output_known(p, own)) {
        wadi_lang_fail(WADI_INVALID, "output: there are two outputs named \"%s\"", own);
    } else if (!wadi_vec_push(&p->outputs, (wadi_named_node){own, node})) {
        wadi_lang_no_memory();
    }
}

wadi_acc wadi_named(const char *name, wadi_acc a) {
    const wadi_node_id n = wadi_acc_node("named", 2, a);
    if (!wadi_node_get(n)) return a;
    if (!name || !wadi_ascii_is_name(name))
        wadi_lang_fail(WADI_INVALID, "named: \"%s\" is not a name of letters, digits and _",
                       name ? name : "");
    else
        wadi_program_current()->nodes.at[n].hint = wadi_lang_name(name);
    return a;
}

void wadi_output(const char *name, wadi_acc a) {
    const wadi_node_id node = wadi_acc_node("output", 2, a);
    const wadi_node *n = wadi_node_get(node);
    wadi_program *p = wadi_program_current();
    if (!p) return;
    if (!name || !*name) {
        wadi_lang_fail(WADI_INVALID, "output: the name is empty");
    } else if (!n) {
        wadi_lang_fail(WADI_INVALID, "output: argument 2 is missing");
    } else if (n->stratum != WADI_STRATUM_ARRAY) {
        wadi_lang_fail(WADI_TYPE, "output: \"%s\" is not an array", name);
    } else if (p->open.n > 0) {
        wadi_lang_fail(WADI_INVALID, "output: \"%s\" is declared inside a function", name);
    } else if (n->depends) { /* no function is open */
        wadi_lang_fail(WADI_INVALID,
                       "output: \"%s\" is made from a parameter of a function that has ended",
                       name);
    } else if (n->ntypes == 1) {
        add_output(p, name, node);
    } else {
        const int parts = n->ntypes;
        for (int i = 0; i < parts; i++) {
            const char *part = wadi_arena_printf(p->arena, "%s.%d", name, i);
            const wadi_acc component = wadi_tuple_get(a, i);
            if (part)
                add_output(p, part, wadi_acc_node("output", 2, component));
            else
                wadi_lang_no_memory();
        }
    }
}
