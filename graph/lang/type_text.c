/* Types of handles, and types as text for messages. */
#include "graph/lang/node.h"

#include "base/text.h"
#include "graph/lang/grow.h"

const wadi_elem *wadi_exp_elem(wadi_exp e) {
    const wadi_node *n = wadi_exp_get(NULL, 0, e);
    return n && n->stratum == WADI_STRATUM_SCALAR ? &n->type->elem : NULL;
}

const wadi_array_type *wadi_acc_type(wadi_acc a) {
    const wadi_node *n = wadi_acc_get(NULL, 0, a);
    return n && n->stratum == WADI_STRATUM_ARRAY && n->ntypes == 1 ? n->type : NULL;
}

const wadi_elem *wadi_exp_given(const char *what, int number, wadi_exp e) {
    const wadi_node *n = wadi_exp_get(what, number, e);
    if (n && n->stratum == WADI_STRATUM_SCALAR) return &n->type->elem;
    wadi_lang_fail(WADI_INVALID, "%s: argument %d is missing", what, number);
    return NULL;
}

bool wadi_exp_plain(const char *what, int number, wadi_exp e, wadi_type *out) {
    const wadi_elem *t = wadi_exp_given(what, number, e);
    if (!t) return false;
    if (t->fields != 1 || t->name[0]) {
        wadi_lang_fail(WADI_TYPE, "%s: argument %d is %s, expected a plain scalar", what, number,
                       wadi_elem_text(t));
        return false;
    }
    *out = t->type[0];
    return true;
}

const wadi_array_type *wadi_acc_given(const char *what, int number, wadi_acc a) {
    const wadi_node *n = wadi_acc_get(what, number, a);
    if (!n || n->stratum != WADI_STRATUM_ARRAY) {
        wadi_lang_fail(WADI_INVALID, "%s: argument %d is missing", what, number);
        return NULL;
    }
    if (n->ntypes != 1) {
        wadi_lang_fail(WADI_TYPE, "%s: argument %d is a tuple of %d arrays, expected one array",
                       what, number, n->ntypes);
        return NULL;
    }
    return n->type;
}

int wadi_rank(wadi_acc a) {
    const wadi_array_type *t = wadi_acc_type(a);
    return t ? t->rank : -1;
}

int wadi_parts(wadi_acc a) {
    const wadi_node *n = wadi_acc_get("parts", 1, a);
    return n && n->stratum == WADI_STRATUM_ARRAY ? n->ntypes : 0;
}

/* ---- text ---- */

static void add_elem(wadi_text *out, const wadi_elem *e) {
    if (e->fields == 1 && !e->name[0]) {
        wadi_text_add(out, wadi_type_name(e->type[0]));
        return;
    }
    wadi_text_add(out, "{");
    for (int f = 0; f < e->fields; f++)
        wadi_text_addf(out, "%s%s: %s", f ? ", " : "", e->name[f] ? e->name[f] : "?",
                       wadi_type_name(e->type[f]));
    wadi_text_add(out, "}");
}

static void add_extent(wadi_text *out, const wadi_array_type *t, int dim) {
    const wadi_extent_decl *x = t->extent ? &t->extent[dim] : NULL;
    if (x && x->kind == WADI_EXTENT_CONST)
        wadi_text_addf(out, "%lld", (long long)x->value);
    else if (x && x->kind == WADI_EXTENT_NAMED)
        wadi_text_add(out, x->name);
    else
        wadi_text_add(out, "?");
}

static const char *keep_text(wadi_text *t) {
    wadi_program *p = wadi_program_current();
    const char *own = p && !t->failed ? wadi_arena_strdup(p->arena, wadi_text_str(t)) : NULL;
    wadi_text_fini(t);
    return own ? own : "?";
}

const char *wadi_elem_text(const wadi_elem *e) {
    if (!e) return "nothing";
    wadi_text t;
    wadi_text_init(&t);
    add_elem(&t, e);
    return keep_text(&t);
}

const char *wadi_array_type_text(const wadi_array_type *a) {
    if (!a) return "nothing";
    wadi_text t;
    wadi_text_init(&t);
    add_elem(&t, &a->elem);
    for (int d = 0; d < a->rank; d++) {
        wadi_text_add(&t, d ? ", " : "[");
        add_extent(&t, a, d);
    }
    if (a->rank > 0) wadi_text_add(&t, "]");
    return keep_text(&t);
}
