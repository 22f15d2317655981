/* Gives every value a unique name, and prints names, values and places. */
#include "base/map.h"
#include "graph/ir/lex.h"
#include "graph/ir/literal.h"
#include "graph/ir/print.h"

/* ---- names of values ---- */

typedef struct naming {
    const wadi_module *m;
    wadi_arena *arena;
    const char **names;
    wadi_intern strings;
    wadi_map64 taken; /* interned string -> the number to try next as its suffix */
} naming;

static bool take(naming *nm, const char *name, uint64_t next) {
    return wadi_map64_put(&nm->taken, (uint64_t)(uintptr_t)name, next);
}

static bool is_taken(const naming *nm, const char *name, uint64_t *out_next) {
    return wadi_map64_get(&nm->taken, (uint64_t)(uintptr_t)name, out_next);
}

/* `wanted`, or if it is taken, `wanted` and a number: "map_1". NULL when out of memory. */
static const char *unique_name(naming *nm, const char *wanted) {
    const char *base = wadi_intern_add(&nm->strings, wanted);
    const char *name = base;
    uint64_t next = 0;
    if (!base) return NULL;
    if (is_taken(nm, base, &next)) {
        do {
            const char *longer =
                wadi_arena_printf(nm->arena, "%s_%llu", base, (unsigned long long)next++);
            name = longer ? wadi_intern_add(&nm->strings, longer) : NULL;
            if (!name) return NULL;
        } while (is_taken(nm, name, NULL));
        if (!take(nm, base, next)) return NULL;
    }
    return take(nm, name, 1) ? wadi_arena_strdup(nm->arena, name) : NULL;
}

static bool name_value(naming *nm, wadi_val v) {
    const char *hint = nm->m->values[v].name;
    if (!hint || !wadi_lex_is_plain_name(hint)) hint = wadi_arena_printf(nm->arena, "v%u", v);
    nm->names[v] = hint ? unique_name(nm, hint) : NULL;
    return nm->names[v] != NULL;
}

static bool name_block(naming *nm, const wadi_block *b) {
    for (int i = 0; i < b->nparams; i++)
        if (!name_value(nm, b->params[i])) return false;
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        for (int r = 0; r < bind->nresults; r++)
            if (!name_value(nm, bind->results[r])) return false;
        for (int k = 0; k < bind->nblocks; k++)
            if (!name_block(nm, bind->blocks[k])) return false;
    }
    return true;
}

const char *const *wadi_ir_names(const wadi_module *m, wadi_arena *arena) {
    naming nm = {.m = m, .arena = arena, .names = WADI_NEW_N(arena, const char *, m->nvalues)};
    wadi_intern_init(&nm.strings);
    wadi_map64_init(&nm.taken);
    const bool named = nm.names && name_block(&nm, m->main);
    wadi_map64_fini(&nm.taken);
    wadi_intern_fini(&nm.strings);
    return named ? nm.names : NULL;
}

/* ---- names, values and places in text ---- */

void wadi_print_name(wadi_text *out, const char *name) {
    if (wadi_lex_is_plain_name(name)) {
        wadi_text_add(out, name);
        return;
    }
    wadi_text_add(out, "\"");
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\')
            wadi_text_addf(out, "\\%c", *c);
        else if (*c == '\n')
            wadi_text_add(out, "\\n");
        else
            wadi_text_add_n(out, c, 1);
    }
    wadi_text_add(out, "\"");
}

void wadi_print_string(wadi_text *out, const char *s) {
    const bool plain = wadi_lex_is_plain_name(s);
    if (plain) wadi_text_add(out, "\"");
    wadi_print_name(out, s);
    if (plain) wadi_text_add(out, "\"");
}

void wadi_print_value(wadi_printer *p, wadi_val v) {
    const wadi_value *value = &p->m->values[v];
    if (value->def == WADI_DEF_CONST)
        wadi_literal_print(value->imm, false, p->out);
    else if (p->names && p->names[v])
        wadi_text_add(p->out, p->names[v]);
    else
        wadi_text_addf(p->out, "v%u", v);
}

void wadi_print_place(wadi_printer *p, wadi_loc loc) {
    if (!p->places || !loc.file) return;
    wadi_text_add(p->out, " @ ");
    wadi_print_string(p->out, loc.file);
    wadi_text_addf(p->out, ":%d", loc.line);
}
