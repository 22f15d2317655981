/* Programs under construction: their life, the thread's current one, the first mistake, and places.
 *
 * A place comes after the nodes it belongs to: the macros of wadi/lang_places.h pass a call's result through
 * wadi_exp_here and its like, which give the place to every node made since the last place was noted that has none, and
 * to a mistake that is still without one. A function called by an operator makes its nodes, and notes their places,
 * within the operator's call; opening and closing it keeps the two apart (lambda.c).
 */
#include "graph/lang/node.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "graph/lang/grow.h"

static _Thread_local wadi_program *current;

wadi_program *wadi_program_current(void) {
    return current;
}

wadi_program *wadi_program_create(const char *name) {
    wadi_program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    wadi_intern_init(&p->strings);
    p->arena = wadi_arena_create();
    p->name = p->arena ? wadi_arena_strdup(p->arena, name ? name : "program") : NULL;
    if (!p->name || !wadi_vec_push(&p->nodes, (wadi_node){.kind = WADI_NODE_ERROR})) {
        wadi_program_destroy(p);
        return NULL;
    }
    current = p;
    return p;
}

void wadi_program_destroy(wadi_program *p) {
    if (!p) return;
    if (current == p) current = NULL;
    wadi_vec_free(&p->nodes);
    wadi_vec_free(&p->lambdas);
    wadi_vec_free(&p->open);
    wadi_vec_free(&p->outputs);
    wadi_vec_free(&p->effects);
    wadi_intern_fini(&p->strings);
    wadi_arena_destroy(p->arena);
    free(p);
}

void wadi_program_use(wadi_program *p) {
    current = p;
}

wadi_status wadi_program_check(const wadi_program *p, wadi_error *err) {
    if (!p) return wadi_fail(err, WADI_INVALID, "there is no program");
    if (p->error.status != WADI_OK && err) *err = p->error;
    return p->error.status;
}

/* ---- mistakes ---- */

wadi_node_id wadi_lang_fail(wadi_status st, const char *fmt, ...) {
    if (!current || current->error.status != WADI_OK) return 0;
    char msg[sizeof current->error.msg];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    (void)wadi_fail(&current->error, st, "%s", msg);
    return 0;
}

wadi_node_id wadi_lang_no_memory(void) {
    return wadi_lang_fail(WADI_MEMORY, "out of memory while building a program");
}

bool wadi_node_is_error(wadi_node_id n) {
    return !current || current->error.status != WADI_OK || n == 0 || n >= current->nodes.n;
}

const wadi_node *wadi_node_get(wadi_node_id n) {
    return wadi_node_is_error(n) ? NULL : &current->nodes.at[n];
}

/* ---- places ---- */

void wadi_here(const char *file, int line) {
    wadi_program *p = current;
    if (!p) return;
    const wadi_loc loc = {file, line};
    if (p->error.status != WADI_OK) {
        if (!p->error.at.file) p->error.at = loc;
        return;
    }
    for (size_t i = p->unplaced; i < p->nodes.n; i++)
        if (!p->nodes.at[i].loc.file) p->nodes.at[i].loc = loc;
    p->unplaced = p->nodes.n;
}

wadi_exp wadi_exp_here(wadi_exp e, const char *file, int line) {
    wadi_here(file, line);
    return e;
}

wadi_acc wadi_acc_here(wadi_acc a, const char *file, int line) {
    wadi_here(file, line);
    return a;
}

wadi_seq wadi_seq_here(wadi_seq s, const char *file, int line) {
    wadi_here(file, line);
    return s;
}

wadi_eat wadi_eat_here(wadi_eat c, const char *file, int line) {
    wadi_here(file, line);
    return c;
}

wadi_ix wadi_ix_here(wadi_ix ix, const char *file, int line) {
    wadi_here(file, line);
    return ix;
}

/* ---- results ---- */

static bool output_known(const wadi_program *p, const char *name) {
    for (size_t i = 0; i < p->outputs.n; i++)
        if (p->outputs.at[i].name == name) return true;
    return false;
}

static void add_output(const char *name, wadi_node_id node) {
    const char *own = wadi_lang_name(name);
    if (!own) return;
    if (output_known(current, own)) {
        wadi_lang_fail(WADI_INVALID, "output: there are two outputs named \"%s\"", own);
    } else if (!wadi_vec_push(&current->outputs, (wadi_named_node){own, node})) {
        wadi_lang_no_memory();
    }
}

static bool is_identifier(const char *s) {
    if (!s || !(isalpha((unsigned char)*s) || *s == '_')) return false;
    while (*++s)
        if (!isalnum((unsigned char)*s) && *s != '_') return false;
    return true;
}

wadi_acc wadi_named(const char *name, wadi_acc a) {
    if (!wadi_node_get(a.node)) return a;
    if (!is_identifier(name))
        wadi_lang_fail(WADI_INVALID, "named: \"%s\" is not a name of letters, digits and _",
                       name ? name : "");
    else
        current->nodes.at[a.node].hint = wadi_lang_name(name);
    return a;
}

void wadi_output(const char *name, wadi_acc a) {
    const wadi_node *n = wadi_node_get(a.node);
    if (!n) return;
    if (!name || !*name) {
        wadi_lang_fail(WADI_INVALID, "output: the name is empty");
    } else if (n->stratum != WADI_STRATUM_ARRAY) {
        wadi_lang_fail(WADI_TYPE, "output: \"%s\" is not an array", name);
    } else if (current->open.n > 0) {
        wadi_lang_fail(WADI_INVALID, "output: \"%s\" is declared inside a function", name);
    } else if (n->ntypes == 1) {
        add_output(name, a.node);
    } else {
        const int parts = n->ntypes;
        for (int i = 0; i < parts; i++) {
            char *part = wadi_arena_printf(current->arena, "%s.%d", name, i);
            if (part) add_output(part, wadi_tuple_get(a, i).node);
        }
    }
}
