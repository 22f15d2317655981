/* Prints extents as formulas: "2*n + 1", "%3.0", "min(n, %5)". They are for people; nothing reads them back. */
#include "graph/analysis/extent.h"

#include "base/text.h"

static uint64_t magnitude(int64_t v) {
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static void print_product(const wadi_extents *x, const wadi_ext_node *n, wadi_text *out) {
    for (int i = 0; i < n->n; i++) {
        if (i > 0) wadi_text_add(out, "*");
        wadi_ext_print(x, n->term[i], out);
    }
}

static void print_sum(const wadi_extents *x, const wadi_ext_node *n, wadi_text *out) {
    for (int i = 0; i < n->n; i++) {
        const int64_t coef = n->coef[i];
        if (i > 0)
            wadi_text_add(out, coef < 0 ? " - " : " + ");
        else if (coef < 0)
            wadi_text_add(out, "-");
        if (coef != 1 && coef != -1)
            wadi_text_addf(out, "%llu*", (unsigned long long)magnitude(coef));
        wadi_ext_print(x, n->term[i], out);
    }
    if (n->value != 0)
        wadi_text_addf(out, " %c %llu", n->value < 0 ? '-' : '+',
                       (unsigned long long)magnitude(n->value));
}

void wadi_ext_print(const wadi_extents *x, wadi_ext e, wadi_text *out) {
    const wadi_ext_node *n = wadi_ext_get(x, e);
    switch (n->kind) {
    case WADI_EXT_CONST:
        wadi_text_addf(out, "%lld", (long long)n->value);
        break;
    case WADI_EXT_SYMBOL:
        wadi_text_add(out, n->name);
        break;
    case WADI_EXT_DIM:
        wadi_text_addf(out, "%%%u.%d", n->val, n->dim);
        if (n->comp > 0) wadi_text_addf(out, "of%d", n->comp);
        break;
    case WADI_EXT_SCALAR:
        wadi_text_addf(out, "%%%u", n->val);
        break;
    case WADI_EXT_SUM:
        print_sum(x, n, out);
        break;
    case WADI_EXT_PROD:
        print_product(x, n, out);
        break;
    case WADI_EXT_MIN:
    case WADI_EXT_MAX:
        wadi_text_add(out, n->kind == WADI_EXT_MIN ? "min(" : "max(");
        wadi_ext_print(x, n->term[0], out);
        wadi_text_add(out, ", ");
        wadi_ext_print(x, n->term[1], out);
        wadi_text_add(out, ")");
        break;
    }
}
