/* Schedule flat of stencils in a row: which steps may run in strips.
 *
 * Members are stored producers, one behind the other, that read each other at the same index or near it along the outermost dimension. The runtime
 * can compute a strip of indices of all members, and then the next strip. What only members read need not be stored as a whole: a strip computes
 * what it reads of it, a few indices more on both sides (the halo). Whether that pays is seen when sizes are known (sched/steps/flat.c). */
#include "base/error.h"
#include "codegen/kernel/flat/members.h"
#include "codegen/kernel/skeleton.h"

enum { MEMBERS = WADI_STEP_STRIPS, ANYWHERE = WADI_FLAT_ANYWHERE };

typedef struct member {
    const wadi_bind *bind;
    int64_t halo;
    bool whole; /* others read it, so it is stored as a whole */
} member;

typedef struct strips {
    wadi_flat *c;
    int n;
    member of[MEMBERS];
    int64_t
        distance; /* of the reads that are being visited, from the index of the reader's reader; ANYWHERE */
    bool inside; /* the reader is a member */
    bool near;   /* a member reads one before it */
    bool failed; /* a member reads one anywhere */
    int visits;
} strips;

/* ---- who may be a member ---- */

static bool can_be_member(wadi_flat *c, const wadi_bind *bind) {
    return wadi_flat_is_member(c, bind) && !c->known[bind->results[0]];
}

static bool same_rows(const wadi_flat *c, const wadi_bind *a, const wadi_bind *b) {
    wadi_shapes *s = c->y->shapes;
    const wadi_ext x = wadi_shapes_extent(s, a->results[0], 0, 0),
                   y = wadi_shapes_extent(s, b->results[0], 0, 0);
    return x != WADI_EXT_NONE && y != WADI_EXT_NONE && wadi_ext_same(s->extents, x, y);
}

/* Whether it has no steps. */
static bool is_silent(const wadi_flat *c, const wadi_bind *bind) {
    const wadi_skeleton_row *row = wadi_skeleton_in_body(c->y, bind);
    if (bind->nresults == 0) return true;
    if (row->steps || row->blocks) return false;
    return wadi_op_has(bind->op, WADI_TRAIT_NO_KERNEL) ||
           (c->known[bind->results[0]] && c->y->slot_of[bind->results[0]] >= 0) ||
           !wadi_is_stored(c->y, bind->results[0]);
}

/* ---- what they read ---- */

static member *member_of(strips *s, wadi_val v) {
    for (int k = 0; k < s->n; k++)
        if (s->of[k].bind->results[0] == v) return &s->of[k];
    return NULL;
}

static void note(strips *s, member *m, int64_t distance) {
    if (!s->inside) {
        m->whole = true;
        return;
    }
    s->near = true;
    if (distance == ANYWHERE || distance > WADI_FLAT_FAR) s->failed = true;
    if (distance > m->halo) m->halo = distance;
}

static void visit(void *env, const wadi_read *r) {
    strips *s = env;
    const wadi_layout *y = s->c->y;
    const wadi_val v = wadi_layout_resolved(y, *r->at);
    if (r->kind == WADI_READ_EXTENT) return;
    const int64_t before = s->distance, distance = wadi_flat_distance(s->c, r, s->distance);
    member *m = member_of(s, v);
    if (m) note(s, m, distance);
    if (m || y->m->values[v].def != WADI_DEF_BIND || wadi_is_stored(y, v)) return;
    if (s->visits++ >= WADI_FLAT_VISITS) {
        s->failed = true;
        return;
    }
    s->distance = distance;
    wadi_reads_own(r->block, y->m->values[v].bind, visit, s);
    s->distance = before;
}

static void visit_result(strips *s, wadi_val v) {
    member *m = member_of(s, wadi_layout_resolved(s->c->y, v));
    if (m) m->whole = true;
}

static wadi_bind *made_by(const strips *s, wadi_val v) {
    return s->c->y->m->values[v].bind;
}

/* Who of them is read by others, and how far they read each other. False: they cannot run in strips. */
static bool measure(strips *s) {
    const wadi_body *body = s->c->body;
    s->failed = false;
    s->visits = 0;
    for (int k = 0; k < s->n; k++) s->of[k] = (member){.bind = s->of[k].bind};
    s->inside = false;
    s->distance = ANYWHERE;
    for (int i = 0; i < body->nresults; i++)
        if (!body->unread || !body->unread[i]) visit_result(s, body->results[i]);
    for (int i = 0; i < body->nbinds; i++) {
        const wadi_bind *b = body->binds[i];
        const wadi_val v = b->nresults > 0 ? b->results[0] : WADI_NONE;
        if (v == WADI_NONE || member_of(s, v)) continue;
        if (b->nblocks == 0 && b->nresults == 1 && !wadi_is_stored(s->c->y, v)) continue;
        wadi_reads_deep(NULL, made_by(s, v), visit, s);
    }
    s->inside = true;
    for (int k = s->n; k-- > 0;) {
        s->near = false;
        s->distance = s->of[k].halo;
        wadi_reads_own(NULL, made_by(s, s->of[k].bind->results[0]), visit, s);
        if (k > 0 && !s->near) s->failed = true;
    }
    bool kept = false;
    for (int k = 0; k < s->n; k++) {
        if (s->of[k].whole && s->of[k].halo > 0) s->failed = true;
        kept = kept || !s->of[k].whole;
    }
    return kept && !s->failed;
}

/* The longest row of members that begins with the first of the bindings; none if s->n is 0. */
static void find(strips *s, int n, const wadi_bind *const *binds) {
    int best = 0;
    if (!can_be_member(s->c, binds[0])) return;
    s->of[s->n++].bind = binds[0];
    for (int i = 1; i < n && s->n < MEMBERS; i++) {
        if (is_silent(s->c, binds[i])) continue;
        if (!can_be_member(s->c, binds[i]) || !same_rows(s->c, binds[0], binds[i])) break;
        s->of[s->n++].bind = binds[i];
        if (measure(s)) best = s->n;
    }
    s->n = best;
    if (best > 0) (void)measure(s);
}

/* ---- steps ---- */

static int slot_of(const wadi_flat *c, const member *m) {
    return c->y->slot_of[m->bind->results[0]];
}

/* All shapes come first: the runtime decides when it knows them. */
static wadi_status shapes(wadi_flat *c, const strips *s) {
    for (int k = 0; k < s->n; k++)
        WADI_TRY(wadi_flat_shape(c, s->of[k].bind, slot_of(c, &s->of[k]), &wadi_flat_pieces_cut));
    return WADI_OK;
}

/* Storage comes right before the step that fills it, so that what is not read any more has been given back where steps run one after the other. */
static wadi_status storage(wadi_flat *c, const strips *s, int k) {
    const member *m = &s->of[k];
    return wadi_flat_push(
        c, (wadi_plan_step){.kind = WADI_STEP_ALLOC,
                            .nslots = 1,
                            .slots = wadi_flat_one_slot(c, slot_of(c, m)),
                            .place = wadi_layout_place(c->y, m->bind->op->name, "", m->bind->loc),
                            .strips = m->whole ? 0 : s->n - k});
}

wadi_status wadi_flat_strips(wadi_flat *c, int n, const wadi_bind *const *binds) {
    strips s = {.c = c};
    find(&s, n, binds);
    if (s.n == 0) return WADI_OK;
    WADI_TRY(shapes(c, &s));
    for (int k = 0; k < s.n; k++) {
        const member *m = &s.of[k];
        WADI_TRY(storage(c, &s, k));
        WADI_TRY(wadi_flat_cut(c, m->bind, slot_of(c, m), &wadi_flat_pieces_cut, NULL, -1, false));
        wadi_vec_last(&c->steps).halo = (int)m->halo;
        c->known[m->bind->results[0]] = true;
    }
    return WADI_OK;
}
