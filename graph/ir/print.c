/* Prints modules as program text that graph/ir/parse.c reads back; docs/TEXT.md is the grammar.
 *
 * Types of parameters that follow from the operator's rules are left out. If a text that was printed here is read and printed
 * again, it is the same: names and line breaks depend only on the printed program. Names are unique, so reading keeps them as
 * hints. */
#include "graph/ir/print.h"

#include <string.h>

#include "base/error.h"
#include "graph/ir/literal.h"
#include "graph/op.h"

enum { MAX_DATA_LINE = 16 }; /* numbers of host data on one line */

/* ---- types ---- */

static void print_elem(wadi_text *out, const wadi_elem *e) {
    if (e->fields == 1 && !e->name[0]) {
        wadi_text_add(out, wadi_type_name(e->type[0]));
        return;
    }
    for (int f = 0; f < e->fields; f++) {
        wadi_text_add(out, f == 0 ? "{" : ", ");
        wadi_print_name(out, e->name[f] ? e->name[f] : "");
        wadi_text_addf(out, ": %s", wadi_type_name(e->type[f]));
    }
    wadi_text_add(out, "}");
}

/* `data`, if any, gives the extents. */
static void print_array_type(wadi_text *out, const wadi_array_type *t, const wadi_array *data) {
    print_elem(out, &t->elem);
    for (int d = 0; d < t->rank; d++) {
        const wadi_extent_decl any = {.kind = WADI_EXTENT_ANY};
        wadi_extent_decl e = t->extent ? t->extent[d] : any;
        if (data) e = (wadi_extent_decl){.kind = WADI_EXTENT_CONST, .value = data->shape[d]};
        wadi_text_add(out, d == 0 ? "[" : ", ");
        if (e.kind == WADI_EXTENT_CONST)
            wadi_text_addf(out, "%lld", (long long)e.value);
        else if (e.kind == WADI_EXTENT_NAMED)
            wadi_print_name(out, e.name);
        else
            wadi_text_add(out, "?");
    }
    if (t->rank > 0)
        wadi_text_add(out, "]");
    else if (data) /* the list that follows must not be read as extents */
        wadi_text_add(out, "[]");
}

static void print_val_type(wadi_text *out, const wadi_val_type *t, const wadi_array *data) {
    if (t->is_seq) wadi_text_add(out, "seq(");
    for (int i = 0; i < t->arrays; i++) {
        if (i > 0) wadi_text_add(out, ", ");
        print_array_type(out, &t->array[i], data);
    }
    if (t->is_seq) wadi_text_add(out, ")");
}

static bool has_marks(const wadi_value *v) {
    return v->rep != WADI_REP_NONE || v->storage != WADI_STORE_MANIFEST || v->siblings > 0;
}

/* A value at its definition: its marks and its name. */
static void print_defined(wadi_printer *p, wadi_val v) {
    static const char *const reps[] = {"", "avoid ", "regular ", "irregular "};
    const wadi_value *value = &p->m->values[v];
    wadi_text_add(p->out, reps[value->rep]);
    if (value->storage == WADI_STORE_DELAYED) wadi_text_add(p->out, "delayed ");
    if (value->siblings > 0) wadi_text_addf(p->out, "sibling %d ", value->siblings);
    wadi_print_value(p, v);
}

void wadi_print_val_type(wadi_text *out, const wadi_val_type *t) {
    print_val_type(out, t, NULL);
}

/* ---- types that the operator's rules give, so that they are not printed ---- */

static bool fun_types_inferred(const wadi_module *m, const wadi_bind *b, int k) {
    wadi_type want[WADI_MAX_FUN_PARAMS];
    const wadi_fun *f = b->funs[k];
    if (!b->op->fun_params || b->op->fun_params(m, b, k, want) != f->body->nparams) return false;
    for (int i = 0; i < f->body->nparams; i++)
        if (f->types[f->body->params[i]] != want[i]) return false;
    return true;
}

static bool declares_extents(const wadi_array_type *t) {
    for (int d = 0; t->extent && d < t->rank; d++)
        if (t->extent[d].kind != WADI_EXTENT_ANY) return true;
    return false;
}

static bool block_types_inferred(const wadi_module *m, const wadi_bind *b, int k) {
    wadi_array_type want[WADI_MAX_PARAMS];
    const wadi_block *r = b->blocks[k];
    const int n = b->op->block_params ? b->op->block_params(m, b, k, want) : 0;
    if (n != r->nparams) return false;
    for (int i = 0; i < n; i++) {
        const wadi_val_type *t = &m->values[r->params[i]].type;
        const wadi_val_type wanted = {.arrays = 1, .array = &want[i]};
        if (!wadi_val_type_equal(t, &wanted) || declares_extents(t->array)) return false;
    }
    return true;
}

/* ---- bindings ---- */

static void print_attrs(wadi_printer *p, const wadi_bind *b) {
    const char *word = b->op->attrs ? b->op->attrs : "attrs";
    for (int i = 0; i < b->nattrs; i++) {
        /* the last of the operator's words takes all that are left */
        const size_t n = strcspn(word, " ");
        const bool more = i == 0 || word[n] == ' ';
        if (i > 0 && more) word += n + 1;
        if (more)
            wadi_text_addf(p->out, " %.*s=", (int)strcspn(word, " "), word);
        else
            wadi_text_add(p->out, ",");
        wadi_text_addf(p->out, "%lld", (long long)b->attrs[i]);
    }
}

/* The numbers of host data: one list per column. */
static void print_data(wadi_printer *p, const wadi_array *a, int indent) {
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) n *= (size_t)a->shape[d];
    for (int f = 0; f < a->fields; f++) {
        const size_t size = (size_t)wadi_type_size(a->type[f]);
        wadi_text_add(p->out, " [");
        for (size_t i = 0; i < n; i++) {
            if (i > 0) wadi_text_add(p->out, ",");
            if (i > 0 && i % MAX_DATA_LINE == 0) {
                wadi_text_add(p->out, "\n");
                wadi_text_indent(p->out, indent + 1);
            } else if (i > 0) {
                wadi_text_add(p->out, " ");
            }
            wadi_literal_print(wadi_scalar_load(a->type[f], (const char *)a->column[f] + i * size),
                               true, p->out);
        }
        wadi_text_add(p->out, "]");
    }
}

static void print_block(wadi_printer *p, const wadi_block *b, int indent);

static void print_region(wadi_printer *p, const wadi_bind *b, int k, int indent) {
    const wadi_block *r = b->blocks[k];
    const bool typed = !block_types_inferred(p->m, b, k);
    if (k > 0) wadi_text_add(p->out, r->nparams > 0 ? " do" : " else");
    for (int i = 0; i < r->nparams; i++) {
        wadi_text_add(p->out, i == 0 ? " (" : ", ");
        print_defined(p, r->params[i]);
        if (!typed) continue;
        wadi_text_add(p->out, ": ");
        print_val_type(p->out, &p->m->values[r->params[i]].type, NULL);
    }
    wadi_text_add(p->out, r->nparams > 0 ? ") {\n" : " {\n");
    print_block(p, r, indent + 1);
    wadi_text_indent(p->out, indent);
    wadi_text_add(p->out, "}");
}

static bool is_declared(const wadi_bind *b) {
    return b->nargs == 0 && b->nfuns == 0 && b->nblocks == 0;
}

/* `input xs : f32[n]` stands for `xs = input "xs" : f32[n]`. */
static bool is_short(const wadi_printer *p, const wadi_bind *b) {
    if (!is_declared(b) || b->nresults != 1 || !b->name || b->data || b->nattrs > 0) return false;
    const wadi_val v = b->results[0];
    return p->names && p->names[v] && strcmp(p->names[v], b->name) == 0 &&
           !has_marks(&p->m->values[v]);
}

static void print_result_types(wadi_printer *p, const wadi_bind *b) {
    for (int r = 0; r < b->nresults; r++) {
        wadi_text_add(p->out, r == 0 ? " : " : ", ");
        print_val_type(p->out, &p->m->values[b->results[r]].type, b->data);
    }
}

static void print_bind(wadi_printer *p, const wadi_bind *b, int indent) {
    const bool is_brief = is_short(p, b);
    wadi_text_indent(p->out, indent);
    for (int r = 0; r < b->nresults && !is_brief; r++) {
        if (r > 0) wadi_text_add(p->out, ", ");
        print_defined(p, b->results[r]);
    }
    if (b->nresults > 0 && !is_brief) wadi_text_add(p->out, " = ");
    wadi_text_add(p->out, b->op->name);
    if (b->name) wadi_text_add(p->out, " ");
    if (b->name && is_brief)
        wadi_text_add(p->out, b->name);
    else if (b->name)
        wadi_print_string(p->out, b->name);
    print_attrs(p, b);
    for (int i = 0; i < b->nargs; i++) {
        wadi_text_add(p->out, " ");
        wadi_print_value(p, b->args[i]);
    }
    for (int i = 0; i < b->nfuns; i++) {
        wadi_text_add(p->out, " ");
        wadi_print_fun(p, b->funs[i], !fun_types_inferred(p->m, b, i), indent);
    }
    for (int i = 0; i < b->nblocks; i++) print_region(p, b, i, indent);
    print_result_types(p, b);
    if (b->data) print_data(p, b->data, indent);
    wadi_print_place(p, b->loc);
    wadi_text_add(p->out, "\n");
}

static void print_yields(wadi_printer *p, const wadi_block *b, int indent) {
    wadi_text_indent(p->out, indent);
    wadi_text_add(p->out, "yield");
    for (int i = 0; i < b->nyields; i++) {
        wadi_text_add(p->out, i == 0 ? " " : ", ");
        wadi_print_value(p, b->yields[i]);
    }
    wadi_text_add(p->out, "\n");
}

static void print_block(wadi_printer *p, const wadi_block *b, int indent) {
    for (int i = 0; i < b->nbinds; i++) print_bind(p, b->binds[i], indent);
    if (b->parent) print_yields(p, b, indent);
}

static void print_outputs(wadi_printer *p) {
    for (int i = 0; i < p->m->main->nyields; i++) {
        const wadi_val v = p->m->main->yields[i];
        const char *name = p->m->outputs ? p->m->outputs[i] : NULL;
        wadi_text_add(p->out, "output ");
        wadi_print_value(p, v);
        const bool same = name && p->names && p->names[v] && strcmp(p->names[v], name) == 0;
        if (name && !same) {
            wadi_text_add(p->out, " as ");
            wadi_print_name(p->out, name);
        }
        wadi_text_add(p->out, "\n");
    }
}

/* Sets out->failed when out of memory. */
static void print(const wadi_module *m, bool places, wadi_text *out) {
    wadi_arena *arena = wadi_arena_create();
    wadi_printer p = {.m = m, .out = out, .places = places};
    p.names = arena ? wadi_ir_names(m, arena) : NULL;
    if (p.names) {
        wadi_text_add(out, "program ");
        wadi_print_name(out, m->name);
        wadi_text_add(out, "\n\n");
        print_block(&p, m->main, 0);
        print_outputs(&p);
    } else {
        out->failed = true;
    }
    wadi_arena_destroy(arena);
}

void wadi_ir_print(const wadi_module *m, wadi_text *out) {
    print(m, false, out);
}

void wadi_ir_print_places(const wadi_module *m, wadi_text *out) {
    print(m, true, out);
}
