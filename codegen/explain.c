/* Printing what passes reported, in the order of the program. */
#include "codegen/explain.h"

#include <stdio.h>

#include "base/error.h"
#include "codegen/cost.h"
#include "codegen/named.h"
#include "operators/reduce_tree.h"

typedef struct explaining {
    const wadi_diag *d;
    const wadi_module *m;
    const wadi_facts *facts;
    wadi_text *out;
    wadi_named named;
} explaining;

static void heading(const explaining *x, const char *title) {
    wadi_named_heading(&x->named, title);
}

static void name(const explaining *x, wadi_val v) {
    wadi_named_value(&x->named, v);
}

static void add_named(const explaining *x, const char *text) {
    wadi_named_text(&x->named, text);
}

static void add_extent(const explaining *x, wadi_ext e) {
    wadi_named_extent(&x->named, e);
}

/* ---- the program after each pass ---- */

static void explain_passes(const explaining *x) {
    for (size_t i = 0; i < x->d->dumps.n; i++) {
        const wadi_dump *dump = &x->d->dumps.at[i];
        char title[64];
        snprintf(title, sizeof title, i == 0 ? "program as written" : "after %s", dump->pass);
        heading(x, title);
        wadi_text_add(x->out, dump->changed ? dump->text : "unchanged\n");
    }
}

/* ---- stages ---- */

static void explain_stages(const explaining *x) {
    bool first = true;
    for (size_t i = 0; i < x->d->notes.n; i++) {
        const wadi_note *n = &x->d->notes.at[i];
        if (n->kind != WADI_NOTE_SEQ_FUSED && n->kind != WADI_NOTE_SEQ_KEPT) continue;
        if (first) heading(x, "stages");
        first = false;
        name(x, n->value);
        wadi_text_add(x->out, n->kind == WADI_NOTE_SEQ_FUSED ? " joined" : " not joined");
        if (n->reader != WADI_NONE) {
            wadi_text_add(x->out, n->kind == WADI_NOTE_SEQ_FUSED ? " with " : " to ");
            name(x, n->reader);
        }
        wadi_text_addf(x->out, ": %s\n", n->reason);
    }
}

/* ---- values ---- */

static const char *rep_name(wadi_rep rep) {
    static const char *const names[] = {[WADI_REP_NONE] = "",
                                        [WADI_REP_AVOID] = "avoid",
                                        [WADI_REP_REGULAR] = "regular",
                                        [WADI_REP_IRREGULAR] = "irregular"};
    return names[rep];
}

static void explain_type(const explaining *x, wadi_val v, int comp) {
    const wadi_array_type *t = &x->m->values[v].type.array[comp];
    const wadi_shapes *shapes = x->facts->shapes;
    if (t->elem.fields > 1) wadi_text_add(x->out, "{");
    for (int f = 0; f < t->elem.fields; f++)
        wadi_text_addf(x->out, "%s%s", f ? ", " : "", wadi_type_name(t->elem.type[f]));
    if (t->elem.fields > 1) wadi_text_add(x->out, "}");
    wadi_text_add(x->out, "[");
    for (int d = 0; d < t->rank; d++) {
        const wadi_ext e =
            v < shapes->nvalues ? wadi_shapes_extent(shapes, v, comp, d) : WADI_EXT_NONE;
        if (d) wadi_text_add(x->out, ", ");
        if (e == WADI_EXT_NONE)
            wadi_text_add(x->out, "?");
        else
            add_extent(x, e);
    }
    wadi_text_add(x->out, "]");
}

static void explain_note(const explaining *x, wadi_val v, wadi_note_kind kind, const char *label,
                         int indent) {
    const wadi_note *n = wadi_diag_find(x->d, kind, v);
    if (!n) return;
    wadi_text_indent(x->out, indent);
    wadi_text_add(x->out, kind == WADI_NOTE_REP ? rep_name(n->rep) : label);
    if (n->reader != WADI_NONE) {
        wadi_text_add(x->out, " ");
        name(x, n->reader);
    }
    wadi_text_add(x->out, ": ");
    add_named(x, n->reason);
    wadi_text_add(x->out, "\n");
}

/* The order in which a reduction or scan combines elements decides the bits of its result. */
static void explain_order(const explaining *x, wadi_val v, int indent) {
    const wadi_value *value = &x->m->values[v];
    if (value->def != WADI_DEF_BIND || !wadi_op_has(value->bind->op, WADI_TRAIT_REDUCES_ROWS))
        return;
    wadi_text_indent(x->out, indent);
    if (wadi_fun_has_lanes(value->bind->funs[0]))
        wadi_text_addf(x->out, "combined in %d lanes, blocks of %d\n", WADI_TREE_FOLD_LANES,
                       WADI_TREE_FOLD_BLOCK);
    else
        wadi_text_addf(x->out, "combined in order, blocks of %d\n", WADI_TREE_FOLD_BLOCK);
}

static void explain_value(const explaining *x, wadi_val v, int indent) {
    const wadi_val_type *t = &x->m->values[v].type;
    wadi_text_indent(x->out, indent);
    name(x, v);
    wadi_text_add(x->out, t->is_seq ? " : stream of " : " : ");
    for (int comp = 0; comp < t->arrays; comp++) {
        if (comp) wadi_text_add(x->out, ", ");
        explain_type(x, v, comp);
    }
    wadi_text_add(x->out, "\n");
    explain_note(x, v, WADI_NOTE_HOISTED, "left its stage", indent + 1);
    explain_note(x, v, WADI_NOTE_REP, "", indent + 1);
    explain_note(x, v, WADI_NOTE_FUSED, "fused into", indent + 1);
    explain_note(x, v, WADI_NOTE_KEPT, "stored, not fused into", indent + 1);
    explain_note(x, v, WADI_NOTE_SIBLING, "in one pass with", indent + 1);
    if (x->m->values[v].siblings == 0)
        explain_note(x, v, WADI_NOTE_APART, "not in one pass with", indent + 1);
    explain_note(x, v, WADI_NOTE_PLACED, "in place of", indent + 1);
    explain_order(x, v, indent + 1);
}

static void explain_block(const explaining *x, const wadi_block *block, int indent) {
    for (int p = 0; p < block->nparams; p++) explain_value(x, block->params[p], indent);
    for (int i = 0; i < block->nbinds; i++) {
        const wadi_bind *b = block->binds[i];
        for (int r = 0; r < b->nresults; r++) explain_value(x, b->results[r], indent);
        for (int k = 0; k < b->nblocks; k++) explain_block(x, b->blocks[k], indent + 1);
    }
}

/* ---- checks ---- */

static void explain_checks(const explaining *x) {
    const wadi_shapes *shapes = x->facts->shapes;
    if (shapes->nchecks > 0) heading(x, "checked when the program runs");
    for (int i = 0; i < shapes->nchecks; i++) {
        const wadi_shape_check *c = &shapes->checks[i];
        wadi_text_addf(x->out, "%s: %s", c->bind->loc.call ? c->bind->loc.call : c->bind->op->name,
                       c->what);
        if (c->dim >= 0) wadi_text_addf(x->out, " in dimension %d", c->dim);
        wadi_text_add(x->out, ": ");
        add_extent(x, c->a);
        wadi_text_add(x->out, " = ");
        add_extent(x, c->b);
        if (c->bind->loc.file)
            wadi_text_addf(x->out, " (%s:%d)", c->bind->loc.file, c->bind->loc.line);
        wadi_text_add(x->out, "\n");
    }
}

wadi_status wadi_explain_check(const wadi_module *m, const wadi_facts *facts, const char *extents,
                               wadi_error *err) {
    if (!extents) return WADI_OK;
    wadi_arena *arena = wadi_arena_create();
    const char *const *names = arena ? wadi_ir_names(m, arena) : NULL;
    const wadi_named named = {m, facts->shapes, names, NULL, extents};
    const wadi_status st = names ? wadi_named_check_given(&named, err)
                                 : wadi_fail(err, WADI_MEMORY, "explain: out of memory");
    wadi_arena_destroy(arena);
    return st;
}

void wadi_explain_text(const wadi_diag *d, const wadi_module *m, const wadi_facts *facts,
                       const char *extents, wadi_text *out) {
    wadi_arena *arena = wadi_arena_create();
    const char *const *names = arena ? wadi_ir_names(m, arena) : NULL;
    const explaining x = {d, m, facts, out, {m, facts->shapes, names, out, extents}};
    if (!names) out->failed = true;
    explain_passes(&x);
    explain_stages(&x);
    heading(&x, "values");
    explain_block(&x, m->main, 0);
    explain_checks(&x);
    if (names) wadi_cost_explain(&x.named, d, arena);
    wadi_arena_destroy(arena);
}

void wadi_explain_placed(const wadi_diag *d, const wadi_module *m, wadi_text *out) {
    wadi_arena *arena = wadi_arena_create();
    const char *const *names = arena ? wadi_ir_names(m, arena) : NULL;
    const explaining x = {d, m, NULL, out, {.m = m, .names = names, .out = out}};
    bool first = true;
    if (!names) out->failed = true;
    for (size_t i = 0; names && i < d->notes.n; i++) {
        const wadi_note *n = &d->notes.at[i];
        if (n->kind != WADI_NOTE_PLACED) continue;
        if (first) heading(&x, "in place");
        first = false;
        name(&x, n->value);
        wadi_text_add(out, " is written over ");
        name(&x, n->reader);
        wadi_text_add(out, ", which it is the last to read\n");
    }
    wadi_arena_destroy(arena);
}
