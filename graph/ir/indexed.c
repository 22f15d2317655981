/* The names of arrays that are indexed, for faults: "index 3 out of range 0..2 in dimension 1 of xs".
 *
 * Passes rewrite a program, so that an instruction may come to read another array than the one that was written. The name is
 * therefore noted in the place of the instruction before any pass, and goes with it. */
#include "graph/ir/indexed.h"

#include <stdio.h>
#include <string.h>

#include "graph/ir/lex.h"
#include "graph/op.h"

enum { LONGEST = 48 };

typedef struct naming {
    wadi_module *m;
    const char *const *names;
} naming;

/* Whether the user has named the array. One that is only called after its operator may share that name with others. */
static bool is_named(const wadi_value *v) {
    return v->name && wadi_lex_is_plain_name(v->name) &&
           !(v->def == WADI_DEF_BIND && strcmp(v->name, v->bind->op->name) == 0);
}

/* The array's name, cut if it is long. An array without a name gets the one that printed text gives it, and keeps it in all later texts.
 * NULL: it is a constant; or out of memory. */
static const char *name_of(naming *nm, wadi_val v) {
    if (v >= nm->m->nvalues || !nm->names[v]) return NULL;
    wadi_value *value = &nm->m->values[v];
    if (!is_named(value)) value->name = wadi_arena_strdup(nm->m->arena, nm->names[v]);
    if (!value->name || strlen(value->name) <= LONGEST) return value->name;
    return wadi_arena_printf(nm->m->arena, "%.*s..", LONGEST, value->name);
}

static void name_in_function(naming *nm, const wadi_sblock *b) {
    for (int k = 0; k < b->ninsts; k++) {
        wadi_sinst *i = b->insts[k];
        if (i->op == WADI_SOP_INDEX || i->op == WADI_SOP_INDEX_LINEAR)
            i->loc.array = name_of(nm, i->array);
        for (int r = 0; r < 2; r++)
            if (i->block[r]) name_in_function(nm, i->block[r]);
    }
}

static void name_in_block(naming *nm, const wadi_block *b) {
    for (int k = 0; k < b->nbinds; k++) {
        wadi_bind *bind = b->binds[k];
        const int of = bind->op->indexes;
        if (of == WADI_INDEXES_RESULT && bind->nresults > 0)
            bind->loc.array = name_of(nm, bind->results[0]);
        if (of > 0 && of <= bind->nargs) bind->loc.array = name_of(nm, bind->args[of - 1]);
        for (int f = 0; f < bind->nfuns; f++) name_in_function(nm, bind->funs[f]->body);
        for (int r = 0; r < bind->nblocks; r++) name_in_block(nm, bind->blocks[r]);
    }
}

bool wadi_ir_name_indexed(wadi_module *m) {
    wadi_arena *scratch = wadi_arena_create();
    naming nm = {.m = m, .names = scratch ? wadi_ir_names(m, scratch) : NULL};
    if (nm.names) name_in_block(&nm, m->main);
    wadi_arena_destroy(scratch);
    return nm.names != NULL;
}

const char *wadi_ir_where(char out[WADI_WHERE_ROOM], int dim, wadi_loc loc) {
    const char *of = loc.array ? " of " : "", *array = loc.array ? loc.array : "";
    if (dim >= 0)
        (void)snprintf(out, WADI_WHERE_ROOM, "in dimension %d%s%s", dim, of, array);
    else
        (void)snprintf(out, WADI_WHERE_ROOM, "of the elements%s%s in order", of, array);
    return out;
}
