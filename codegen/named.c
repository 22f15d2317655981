/* Names of values in texts for people. */
#include "codegen/named.h"

#include <stdlib.h>

#include "codegen/given.h"

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

/* ---- extents that are given ---- */

static bool find_atom(const wadi_named *x, wadi_ext e, int64_t *out) {
    wadi_text name;
    wadi_named to = *x;
    wadi_text_init(&name);
    to.out = &name;
    wadi_named_extent(&to, e);
    const bool found = !name.failed && wadi_given_extent(x->given, wadi_text_str(&name), out);
    wadi_text_fini(&name);
    return found;
}

static bool add_terms(const wadi_named *x, const wadi_ext_node *e, int64_t *out) {
    *out = e->value;
    for (int i = 0; i < e->n; i++) {
        int64_t term = 0;
        if (!wadi_named_number(x, e->term[i], &term) ||
            __builtin_mul_overflow(term, e->coef[i], &term) ||
            __builtin_add_overflow(*out, term, out))
            return false;
    }
    return true;
}

static bool multiply(const wadi_named *x, const wadi_ext_node *e, int64_t *out) {
    *out = 1;
    for (int i = 0; i < e->n; i++) {
        int64_t factor = 0;
        if (!wadi_named_number(x, e->term[i], &factor) || __builtin_mul_overflow(*out, factor, out))
            return false;
    }
    return true;
}

bool wadi_named_number(const wadi_named *x, wadi_ext e, int64_t *out) {
    const wadi_ext_node *n = wadi_ext_get(x->shapes->extents, e);
    int64_t a = 0, b = 0;
    if (n->kind == WADI_EXT_CONST) {
        *out = n->value;
        return true;
    }
    if (x->given == NULL) return false;
    if (n->kind == WADI_EXT_SUM) return add_terms(x, n, out);
    if (n->kind == WADI_EXT_PROD) return multiply(x, n, out);
    if (n->kind != WADI_EXT_MIN && n->kind != WADI_EXT_MAX) return find_atom(x, e, out);
    if (!wadi_named_number(x, n->term[0], &a) || !wadi_named_number(x, n->term[1], &b))
        return false;
    *out = (n->kind == WADI_EXT_MIN) == (a < b) ? a : b;
    return true;
}
