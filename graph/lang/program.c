/* Programs under construction: creating and destroying them, the thread's current one, the first mistake, and places.
 *
 * A place is noted after the nodes that get it are made. The macros of wadi/lang_places.h pass a call's result through
 * wadi_exp_here and its like. These give the call's place to every node without one that was made since the last place was
 * noted, and to a mistake without one. A function that an operator calls makes its nodes and notes their places during the
 * operator's call; wadi_lambda_open and wadi_lambda_close (append.c) keep these nodes apart from the operator's own.
 */
#include "graph/lang/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/format.h"
#include "graph/lang/grow.h"
#include "graph/lang/live.h"

static _Thread_local struct {
    wadi_program *program; /* read by wadi_program_current alone */
    uint32_t number;       /* of the program; 0: none */
    uint32_t removed;      /* wadi_live_removed() when the program was last known to exist */
} current;
/* The thread's first mistake while no program was current. */
static _Thread_local wadi_error adrift;
/* The program whose `stray` this thread has set and not yet placed; 0: none. */
static _Thread_local uint32_t unplaced_stray;

static void make_current(wadi_program *p) {
    current.removed = wadi_live_removed();
    current.program = p;
    current.number = p ? p->number : 0;
}

/* Another thread may have destroyed it. */
wadi_program *wadi_program_current(void) {
    if (current.program && current.removed != wadi_live_removed())
        make_current(wadi_live_find(current.number));
    return current.program;
}

uint32_t wadi_program_number(void) {
    const wadi_program *p = wadi_program_current();
    return p ? p->number : 0;
}

wadi_program *wadi_program_create(const char *name) {
    wadi_program *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    wadi_live_add(p);
    wadi_intern_init(&p->strings);
    p->arena = wadi_arena_create();
    p->name = p->arena ? wadi_arena_strdup(p->arena, name ? name : "program") : NULL;
    if (!p->name || !wadi_vec_push(&p->nodes, (wadi_node){.kind = WADI_NODE_ERROR})) {
        wadi_program_destroy(p);
        return NULL;
    }
    make_current(p);
    return p;
}

void wadi_program_destroy(wadi_program *p) {
    if (!p) return;
    wadi_live_remove(p);
    if (current.program == p) make_current(NULL);
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
    make_current(p);
}

wadi_status wadi_program_check(const wadi_program *p, wadi_error *err) {
    if (!p) return wadi_fail(err, WADI_INVALID, "there is no program");
    wadi_error first = p->error;
    if (first.status == WADI_OK) first = wadi_live_get_stray(p);
    if (first.status == WADI_OK) first = adrift;
    adrift = (wadi_error){.status = WADI_OK};
    if (first.status != WADI_OK && err) *err = first;
    return first.status;
}

wadi_lang_aside wadi_lang_set_aside(void) {
    const wadi_lang_aside a = {wadi_program_number(), adrift, unplaced_stray};
    wadi_lang_put_back(&(wadi_lang_aside){0});
    return a;
}

void wadi_lang_put_back(const wadi_lang_aside *a) {
    make_current(a->program ? wadi_live_find(a->program) : NULL);
    adrift = a->adrift;
    unplaced_stray = a->unplaced_stray;
}

/* ---- mistakes ---- */

static const char no_program[] = "no program is current in this thread";

static wadi_error *mistake(void) {
    wadi_program *p = wadi_program_current();
    return p ? &p->error : &adrift;
}

wadi_node_id wadi_lang_fail(wadi_status st, const char *fmt, ...) {
    wadi_error *first = mistake();
    if (first->status != WADI_OK) return 0;
    char msg[sizeof first->msg];
    va_list args;
    va_start(args, fmt);
    (void)wadi_format_list(msg, sizeof msg, fmt, args);
    va_end(args);
    (void)wadi_fail(first, st, "%s", wadi_program_current() ? msg : no_program);
    return 0;
}

wadi_program *wadi_lang_program(const char *what) {
    wadi_program *p = wadi_program_current();
    if (!p && adrift.status == WADI_OK)
        (void)wadi_fail(&adrift, WADI_INVALID, "%s%s%s", what ? what : "", what ? ": " : "",
                        no_program);
    return p;
}

void wadi_lang_no_function(void) {
    const wadi_program *p = wadi_program_current();
    const bool open = p && p->open.n > 0;
    const char *what = open ? p->lambdas.at[wadi_vec_last(&p->open)].what : "function";
    wadi_lang_fail(WADI_INVALID, "%s: the function is NULL", what);
}

wadi_node_id wadi_lang_no_memory(void) {
    return wadi_lang_fail(WADI_MEMORY, "out of memory while building a program");
}

bool wadi_node_is_error(wadi_node_id n) {
    const wadi_program *p = wadi_program_current();
    return !p || p->error.status != WADI_OK || n == 0 || n >= p->nodes.n;
}

const wadi_node *wadi_node_get(wadi_node_id n) {
    return wadi_node_is_error(n) ? NULL : &wadi_program_current()->nodes.at[n];
}

/* ---- places ---- */

void wadi_here(const char *file, int line) {
    wadi_program *p = wadi_program_current();
    const wadi_loc loc = {file, line};
    if (unplaced_stray) wadi_live_place_stray(unplaced_stray, loc);
    unplaced_stray = 0;
    if (adrift.status != WADI_OK && !adrift.at.file) adrift.at = loc;
    if (!p) return;
    if (p->error.status != WADI_OK) {
        if (!p->error.at.file) p->error.at = loc;
        return;
    }
    for (size_t i = p->unplaced; i < p->nodes.n; i++)
        if (!p->nodes.at[i].loc.file)
            p->nodes.at[i].loc = (wadi_loc){file, line, p->nodes.at[i].loc.call};
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

/* ---- derived functions ---- */

const char *wadi_lang_call(const char *name) {
    wadi_program *p = wadi_program_current();
    const char *outer = p ? p->call : NULL;
    if (p && !outer) p->call = name;
    return outer;
}

wadi_acc wadi_acc_called(const char *outer, wadi_acc a) {
    wadi_program *p = wadi_program_current();
    if (p) p->call = outer;
    return a;
}

wadi_seq wadi_seq_called(const char *outer, wadi_seq s) {
    wadi_program *p = wadi_program_current();
    if (p) p->call = outer;
    return s;
}

/* ---- handles ---- */

wadi_exp wadi_exp_of(wadi_node_id n) {
    return (wadi_exp){n, wadi_program_number()};
}

wadi_acc wadi_acc_of(wadi_node_id n) {
    return (wadi_acc){n, wadi_program_number()};
}

wadi_seq wadi_seq_of(wadi_node_id n) {
    return (wadi_seq){n, wadi_program_number()};
}

wadi_eat wadi_eat_of(wadi_node_id n) {
    return (wadi_eat){n, wadi_program_number()};
}

/* Notes that a handle of another program was used. The current program (or the thread, if there is none) and the program of the
 * handle both keep the mistake. */
static wadi_node_id not_ours(const char *what, int number, uint32_t program) {
    const wadi_program *p = wadi_program_current();
    char argument[48] = "an argument", owner[64], where[128] = "is of a program that is gone";
    if (number > 0) (void)snprintf(argument, sizeof argument, "argument %d", number);
    if (wadi_live_name(program, owner, sizeof owner))
        (void)snprintf(where, sizeof where, "is of program \"%s\"", owner);
    wadi_error e = {.status = WADI_INVALID};
    (void)wadi_fail(&e, WADI_INVALID, "%s%s%s %s, and %s%s%s", what ? what : "", what ? ": " : "",
                    argument, where, p ? "program \"" : "", p ? p->name : no_program,
                    p ? "\" is current" : "");
    if (mistake()->status == WADI_OK) *mistake() = e;
    wadi_live_stray(program, &e);
    unplaced_stray = program;
    return 0;
}

static wadi_node_id node_of(const char *what, int number, wadi_node_id n, uint32_t program) {
    const uint32_t here = wadi_program_number();
    if (program != here && n != 0) return not_ours(what, number, program);
    if (here == 0) (void)wadi_lang_program(what);
    return here == 0 ? 0 : n;
}

wadi_node_id wadi_exp_node(const char *what, int number, wadi_exp e) {
    return node_of(what, number, e.node, e.program);
}

wadi_node_id wadi_acc_node(const char *what, int number, wadi_acc a) {
    return node_of(what, number, a.node, a.program);
}

wadi_node_id wadi_seq_node(const char *what, int number, wadi_seq s) {
    return node_of(what, number, s.node, s.program);
}

const wadi_node *wadi_exp_get(const char *what, int number, wadi_exp e) {
    return wadi_node_get(wadi_exp_node(what, number, e));
}

const wadi_node *wadi_acc_get(const char *what, int number, wadi_acc a) {
    return wadi_node_get(wadi_acc_node(what, number, a));
}

bool wadi_program_back(const char *what, uint32_t number) {
    if (number == wadi_program_number()) return true;
    wadi_program *p = wadi_live_find(number);
    make_current(p);
    wadi_lang_fail(WADI_INVALID, "%s: the function has made another program current", what);
    return p != NULL;
}
