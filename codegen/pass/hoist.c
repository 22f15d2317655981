/* Vectorisation avoidance: moves what does not depend on the stream out of its stage body.
 *
 * A value whose shape and elements do not depend on the stream index is one array for the whole run (Keller et al. 2012; the
 * dependence analysis is van den Haak's, 2019). Its binding moves before the stage. Nothing leaves a region of acond or
 * awhile, because the region may not run. A value that reads an extent known only while the stream runs must also stay; the
 * pass lift stores it like a regular one. Cheap producers move too: the pass fuse delays them into the body, so they cost no
 * memory.
 *
 * A binding that has moved is computed even if the stream turns out to be empty, and may then fault.
 *
 * The body of a sequence within an element is treated in the same way: a binding that reads nothing of the inner element moves
 * out to the outer element, since it would be computed again in every round. Such sequences are often empty, so only bindings
 * that cannot fault move. */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/harmless.h"
#include "codegen/rewrite.h"

typedef WADI_VEC(wadi_bind *) binds;

typedef struct hoisting {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_homes homes;
    bool failed;
} hoisting;

/* ---- what may leave ---- */

typedef struct leaving {
    const hoisting *s;
    const wadi_bind *b;
    const wadi_block *body;
    bool stuck;
} leaving;

/* Notes a read of a value that stays in the body. Values of the binding's own regions do not count. */
static void is_stuck(void *env, const wadi_read *r) {
    leaving *l = env;
    const wadi_block *home = wadi_homes_get(&l->s->homes, *r->at);
    if (!home || !wadi_rewrite_within(home, l->body)) return;
    for (int k = 0; k < l->b->nblocks; k++)
        if (wadi_rewrite_within(home, l->b->blocks[k])) return;
    l->stuck = true;
}

static bool may_leave(const hoisting *s, wadi_block *body, wadi_bind *b) {
    for (int r = 0; r < b->nresults; r++)
        if (wadi_rep_of(wadi_deps_get(s->cx->deps, b->results[r], 0)) != WADI_REP_AVOID)
            return false;
    leaving l = {s, b, body, false};
    wadi_reads_deep(body, b, is_stuck, &l);
    return !l.stuck;
}

static void leave(hoisting *s, wadi_bind *b, wadi_block *outer, binds *out) {
    for (int r = 0; r < b->nresults; r++) {
        const wadi_val v = b->results[r];
        s->m->values[v].rep = WADI_REP_AVOID;
        s->homes.of[v] = outer;
        wadi_diag_rep(s->cx->diag, v, WADI_REP_AVOID,
                      "neither its shape nor its elements depend on the stream");
        wadi_diag_note(s->cx->diag, WADI_NOTE_HOISTED, v, WADI_NONE,
                       "computed once per run, before the stream");
    }
    wadi_rewrite_moved(b, outer);
    if (!wadi_vec_push(out, b)) s->failed = true;
}

/* ---- sequences within an element ---- */

static bool may_leave_inner(const hoisting *s, wadi_block *body, wadi_bind *b) {
    if (!b->op->faultless || !wadi_is_harmless(s->cx->shapes, b)) return false;
    leaving l = {s, b, body, false};
    wadi_reads_deep(body, b, is_stuck, &l);
    return !l.stuck;
}

static void leave_inner(hoisting *s, wadi_bind *b, wadi_block *outer, binds *out) {
    for (int r = 0; r < b->nresults; r++) {
        s->homes.of[b->results[r]] = outer;
        wadi_diag_note(s->cx->diag, WADI_NOTE_HOISTED, b->results[r], WADI_NONE,
                       "computed once per element, before the sequence within it");
    }
    if (!wadi_vec_push(out, b)) s->failed = true;
}

static void hoist_within(hoisting *s, wadi_block *block);

static void hoist_inner(hoisting *s, wadi_block *outer, wadi_block *body, binds *out) {
    binds stay = {0};
    hoist_within(s, body);
    for (int i = 0; i < body->nbinds && !s->failed; i++) {
        wadi_bind *b = body->binds[i];
        if (may_leave_inner(s, body, b))
            leave_inner(s, b, outer, out);
        else if (!wadi_vec_push(&stay, b))
            s->failed = true;
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, body, (int)stay.n, stay.at)) s->failed = true;
    wadi_vec_free(&stay);
}

/* Hoists out of the sequences among the bindings of a block inside a body. */
static void hoist_within(hoisting *s, wadi_block *block) {
    binds out = {0};
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        for (int k = 0; k < b->nblocks && !s->failed; k++) {
            if (b->op->kind == WADI_OP_SEQUENCE)
                hoist_inner(s, block, b->blocks[k], &out);
            else
                hoist_within(s, b->blocks[k]);
        }
        if (!wadi_vec_push(&out, b)) s->failed = true;
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    wadi_vec_free(&out);
}

/* ---- the walk ---- */

static void hoist_body(hoisting *s, wadi_block *outer, wadi_block *body, binds *out) {
    binds stay = {0};
    hoist_within(s, body);
    for (int i = 0; i < body->nbinds && !s->failed; i++) {
        wadi_bind *b = body->binds[i];
        if (may_leave(s, body, b))
            leave(s, b, outer, out);
        else if (!wadi_vec_push(&stay, b))
            s->failed = true;
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, body, (int)stay.n, stay.at)) s->failed = true;
    wadi_vec_free(&stay);
}

static void hoist_block(hoisting *s, wadi_block *block) {
    binds out = {0};
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        wadi_bind *b = block->binds[i];
        for (int k = 0; k < b->nblocks && !s->failed; k++) {
            if (b->op->kind == WADI_OP_SEQUENCE)
                hoist_body(s, block, b->blocks[k], &out);
            else
                hoist_block(s, b->blocks[k]);
        }
        if (!wadi_vec_push(&out, b)) s->failed = true;
    }
    if (!s->failed && !wadi_rewrite_set_block(s->m, block, (int)out.n, out.at)) s->failed = true;
    wadi_vec_free(&out);
}

wadi_status wadi_pass_hoist(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    hoisting s = {.m = m, .cx = cx};
    s.failed = !wadi_homes_init(&s.homes, cx->scratch, m);
    if (!s.failed) hoist_block(&s, m->main);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "hoist: out of memory") : WADI_OK;
}
