/* Names of values in texts for people. */
#include "codegen/named.h"

#include <stdlib.h>

void wadi_named_heading(const wadi_named *x, const char *title) {
    wadi_text_addf(x->out, "%s== %s ==\n\n", x->out->n > 0 ? "\n" : "", title);
}

void wadi_named_value(const wadi_named *x, wadi_val v) {
    const char *hint = x->m->values[v].name;
    if (x->names && x->names[v])
        wadi_text_add(x->out, x->names[v]);
    else if (hint)
        wadi_text_add(x->out, hint);
    else
        wadi_text_addf(x->out, "v%u", v);
}

void wadi_named_text(const wadi_named *x, const char *text) {
    while (*text) {
        char *end = NULL;
        const unsigned long v = text[0] == '%' ? strtoul(text + 1, &end, 10) : 0;
        if (end && end > text + 1 && v < x->m->nvalues) {
            wadi_named_value(x, (wadi_val)v);
            text = end;
        } else {
            wadi_text_add_n(x->out, text++, 1);
        }
    }
}

void wadi_named_extent(const wadi_named *x, wadi_ext e) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_ext_print(x->shapes->extents, e, &t);
    wadi_named_text(x, wadi_text_str(&t));
    if (t.failed) x->out->failed = true;
    wadi_text_fini(&t);
}
