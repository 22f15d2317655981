/* Names of values in texts for people. */
#include "codegen/named.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
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

/* ---- which extents there are ---- */

/* Whether the n bytes at `name` are one of `names`, which stand between commas. */
static bool is_listed(const char *names, const char *name, size_t n) {
    for (const char *at = names; *at;) {
        const size_t length = strcspn(at, ",");
        if (length == n && strncmp(at, name, n) == 0) return true;
        at += length;
        at += strspn(at, ", ");
    }
    return false;
}

/* Adds the names of the atoms of an extent that are not listed yet. */
static void list_atoms(const wadi_named *x, wadi_ext e) {
    const wadi_ext_node *node = wadi_ext_get(x->shapes->extents, e);
    for (int i = 0; i < node->n; i++) list_atoms(x, node->term[i]);
    if (node->kind != WADI_EXT_SYMBOL && node->kind != WADI_EXT_DIM &&
        node->kind != WADI_EXT_SCALAR)
        return;
    wadi_text name = {0};
    wadi_named to = *x;
    to.out = &name;
    wadi_named_extent(&to, e);
    if (!is_listed(wadi_text_str(x->out), wadi_text_str(&name), name.n))
        wadi_text_addf(x->out, x->out->n > 0 ? ", %s" : "%s", wadi_text_str(&name));
    if (name.failed) x->out->failed = true;
    wadi_text_fini(&name);
}

static void list_extents(const wadi_named *x) {
    for (wadi_val v = 0; v < x->m->nvalues; v++)
        for (int comp = 0; x->names[v] && comp < x->m->values[v].type.arrays; comp++)
            for (int dim = 0; dim < x->m->values[v].type.array[comp].rank; dim++) {
                const wadi_ext e = wadi_shapes_extent(x->shapes, v, comp, dim);
                if (e != WADI_EXT_NONE) list_atoms(x, e);
            }
}

wadi_status wadi_named_check_given(const wadi_named *x, wadi_error *err) {
    wadi_status st = WADI_OK;
    wadi_text all = {0};
    wadi_named to = *x;
    to.out = &all;
    if (x->given) list_extents(&to);
    if (all.failed) st = wadi_fail(err, WADI_MEMORY, "extents: out of memory");
    for (const char *at = x->given; st == WADI_OK && at && *at;) {
        const size_t n = strcspn(at, "=");
        if (!is_listed(wadi_text_str(&all), at, n))
            st = wadi_fail(err, WADI_INVALID,
                           "extents: the program has no extent \"%.*s\"; it has %s", (int)n, at,
                           all.n > 0 ? wadi_text_str(&all) : "none that may be given");
        at += strcspn(at, ",");
        at += *at == ',';
    }
    wadi_text_fini(&all);
    return st;
}
