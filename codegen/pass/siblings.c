/* Siblings: consumers of one block that read the same arrays, or go through equal extents, are computed in one pass.
 *
 * Law: loops over equal iteration spaces of which none reads what another makes may run as one loop (horizontal fusion of equal sizes:
 * Reppy and Wingerter 2020). This pass only marks values and rewrites nothing. Each consumer keeps its own law, so no bits change.
 *
 * A consumer is a fold, a scan, or a stored array whose elements are computed one by one. Its space is the shape of the array that it
 * reduces or scans, or of the array that it makes. The first consumer of a group is its leader: the group is computed where the leader
 * stands. Another consumer behind it joins if
 *   - its space is proved equal to the leader's;
 *   - it reads, element by element, an array that the group reads, or both are folds: one loop hides the latency of their additions;
 *   - all that it reads is there where the leader stands, or can be computed before it: the order of independent lines is no obstacle;
 *   - no fault is told for another one: at most one of a group may fault, and it passes nothing that may.
 * How many of a group share the innermost loop, and how many only its blocks, is decided where code is made.
 *
 * A block is paired as it stands, and again with lines that move: those of a member to the one before it, and what a member needs to before
 * the leader, if none of it may fault. The new order is kept only if more consumers join because of it, since it makes arrays earlier.
 *
 * Arrays that share nothing are one pass, too, if they are made one behind the other from what is given to the block.
 *
 * What is not done: what may fault is moved past nothing but as a member, arrays of different shapes are never read together, and scans of vectors whose bits
 * depend on their order have passes of their own (docs/decisions/0145-scans-that-wait-stay-apart.md). */
#include "codegen/pass.h"

#include "base/error.h"
#include "base/vec.h"
#include "codegen/harmless.h"
#include "codegen/rewrite.h"
#include "operators/reduce_tree.h"

enum {
    MEMBERS = 8, /* of a group at most: each has a stream of reads and writes of its own */
    AHEAD = 256, /* bindings that are looked at behind a leader */
    NOT_HERE = -1
};

/* What the pass knows of a binding. */
typedef struct consumer {
    bool is_one;              /* a consumer in the sense above */
    bool may_fault;           /* if there are elements */
    bool needs_elements;      /* a row without elements is a fault */
    bool reduces;             /* a fold */
    bool masked;              /* it goes through what a filter keeps, in a loop of its own */
    bool rounds;              /* it is a scan whose steps go by rounds of their own */
    wadi_val space;           /* a value with the shape of the space */
    bool moves;               /* it may be computed earlier if what it reads is there */
    WADI_VEC(wadi_val) needs; /* what it reads that this block stores */
    WADI_VEC(wadi_val) reads; /* arrays that are read element by element */
    WADI_VEC(wadi_val) looks; /* arrays that are read at other places */
} consumer;

typedef struct pairing {
    wadi_module *m;
    wadi_pass_cx *cx;
    wadi_block *block;
    bool whole;     /* the block is no body of a stream */
    consumer *of;   /* [binding of the block] */
    int *at;        /* [value] the binding of the block that makes it, or NOT_HERE */
    int *order;     /* the bindings as they are to stand */
    int *place;     /* [binding] where in that order */
    int *rest;      /* room for an order */
    bool *chosen;   /* [binding] those that are to move */
    bool may_move;  /* the order may be changed */
    bool tells;     /* this is the attempt that is kept */
    int joins;      /* consumers that joined another one */
    uint64_t *seen; /* [value] the last visit */
    uint64_t visit;
    int groups;
    bool failed;
} pairing;

/* ---- what a binding reads ---- */

typedef struct visit {
    pairing *s;
    consumer *c;
    const wadi_bind *bind;
    bool by_element; /* what `bind` reads element by element, the consumer does too */
} visit;

static bool is_delayed(const pairing *s, wadi_val v) {
    const wadi_value *value = &s->m->values[v];
    return value->def == WADI_DEF_BIND && value->storage == WADI_STORE_DELAYED;
}

static void need(const visit *w, wadi_val v) {
    if (w->s->at[v] != NOT_HERE && !wadi_vec_push(&w->c->needs, v)) w->s->failed = true;
}

static void note_faults(const pairing *s, consumer *c, const wadi_bind *b) {
    c->needs_elements = c->needs_elements || b->op->needs_elements;
    c->may_fault = c->may_fault || !(b->op->faultless || b->op->needs_elements) ||
                   !wadi_is_harmless(s->cx->shapes, b);
}

static void look_into(pairing *s, consumer *c, wadi_bind *b, bool by_element);

static void read_value(const visit *w, wadi_val v, bool by_element) {
    pairing *s = w->s;
    const uint64_t mark = 2 * s->visit + by_element;
    if (s->m->values[v].def == WADI_DEF_CONST || s->seen[v] == mark) return;
    s->seen[v] = mark;
    const bool inside = is_delayed(s, v);
    wadi_bind *b = inside ? s->m->values[v].bind : NULL;
    if (inside && wadi_op_has(b->op, WADI_TRAIT_KEEPS)) w->c->masked = true;
    if (!inside || wadi_op_has(b->op, WADI_TRAIT_ALONE)) need(w, v);
    if (inside && !wadi_op_has(b->op, WADI_TRAIT_ALONE))
        look_into(s, w->c, b,
                  by_element && (b->op->one_to_one || wadi_op_has(b->op, WADI_TRAIT_KEEPS)));
    else if (by_element ? !wadi_vec_push(&w->c->reads, v) : !wadi_vec_push(&w->c->looks, v))
        s->failed = true;
}

static void read_by(void *env, const wadi_read *r) {
    const visit *w = env;
    const wadi_val v = *r->at;
    const bool element = r->kind == WADI_READ_ARG && wadi_op_reads(r->bind->op, r->number) == 'e';
    if (r->kind == WADI_READ_EXTENT &&
        is_delayed(w->s, v)) { /* its extents may need what stands before it */
        need(w, v);
        return;
    }
    read_value(w, v, element && w->by_element);
}

static void look_into(pairing *s, consumer *c, wadi_bind *b, bool by_element) {
    visit w = {s, c, b, by_element};
    note_faults(s, c, b);
    wadi_reads_own(s->block, b, read_by, &w);
}

/* ---- consumers ---- */

static int rank_of(const pairing *s, wadi_val v) {
    return s->m->values[v].type.array[0].rank;
}

/* A value with the shape of what the binding goes through; NONE: it is no consumer. */
static wadi_val space_of(const pairing *s, const wadi_bind *b) {
    if (b->nresults != 1 || b->nblocks > 0 || s->m->values[b->results[0]].type.is_seq)
        return WADI_NONE;
    const wadi_val v = b->results[0];
    if (wadi_op_has(b->op, WADI_TRAIT_REDUCES_ROWS)) return b->args[b->nargs - 1];
    if (is_delayed(s, v)) return WADI_NONE;
    if (wadi_op_has(b->op, WADI_TRAIT_BY_BLOCK)) return b->args[b->nargs - 1];
    return wadi_op_has(b->op, WADI_TRAIT_BY_ELEMENT) && !b->op->scalar && !b->op->keeps_memory
               ? v
               : WADI_NONE;
}

/* Whether the binding is computed where it stands and may fault there. */
static bool may_fault_here(const consumer *c) {
    return c->may_fault || c->needs_elements;
}

/* Whether schedule flat scans the vector a few blocks at a time (codegen/kernel/flat/scan.c), which is worth more than one reading for all: each element
 * waits for the one before it. Scans in any order hardly wait. Rows may be short, and then one reading is worth more. */
static bool goes_by_rounds(const pairing *s, const wadi_bind *b, const consumer *c) {
    if (!s->whole || c->may_fault || !c->is_one || !wadi_op_has(b->op, WADI_TRAIT_BY_BLOCK) ||
        wadi_fun_has_any_order(b->funs[0]))
        return false;
    const wadi_ext e = wadi_shapes_extent(s->cx->shapes, c->space, 0, 0);
    int64_t length = 0;
    const bool is_short = e != WADI_EXT_NONE &&
                          wadi_ext_is_const(s->cx->shapes->extents, e, &length) &&
                          length <= WADI_TREE_SCAN_BLOCK;
    return rank_of(s, c->space) == 1 && !is_short;
}

static void learn(pairing *s, int i) {
    wadi_bind *b = s->block->binds[i];
    consumer *c = &s->of[i];
    *c = (consumer){.space = space_of(s, b)};
    c->is_one = c->space != WADI_NONE && rank_of(s, c->space) > 0;
    c->reduces = wadi_op_has(b->op, WADI_TRAIT_REDUCES_ROWS);
    if (b->nblocks > 0 || b->op->kind == WADI_OP_SEQUENCE) {
        c->may_fault = true;
        return;
    }
    if (wadi_op_has(b->op, WADI_TRAIT_NO_KERNEL)) return;
    if (!c->is_one && b->nresults > 0 && is_delayed(s, b->results[0])) { /* its readers may */
        c->moves = !wadi_op_has(b->op, WADI_TRAIT_ALONE);
        return;
    }
    s->visit++;
    look_into(s, c, b, wadi_op_has(b->op, WADI_TRAIT_BY_ELEMENT) ? b->op->one_to_one : c->is_one);
    c->rounds = goes_by_rounds(s, b, c);
    c->is_one = c->is_one && !c->masked && !c->rounds;
    c->moves = !may_fault_here(c);
}

static wadi_val shared(const consumer *a, const consumer *b) {
    for (size_t i = 0; i < a->reads.n; i++)
        for (size_t k = 0; k < b->reads.n; k++)
            if (a->reads.at[i] == b->reads.at[k]) return a->reads.at[i];
    return WADI_NONE;
}

/* An array of their space that both read, one of them at other places than those of its own elements. */
static wadi_val looked_at(const pairing *s, const consumer *a, const consumer *b) {
    for (size_t i = 0; i < a->looks.n; i++) {
        const wadi_val v = a->looks.at[i];
        bool too = false;
        for (size_t k = 0; k < b->reads.n; k++) too = too || b->reads.at[k] == v;
        for (size_t k = 0; k < b->looks.n; k++) too = too || b->looks.at[k] == v;
        if (too && rank_of(s, v) == rank_of(s, a->space) &&
            wadi_shapes_same(s->cx->shapes, s->m, v, a->space))
            return v;
    }
    return WADI_NONE;
}

/* ---- groups ---- */

typedef struct group {
    int n, member[MEMBERS];
    bool may_fault, needs_elements; /* one of them */
    int told;                       /* members of the rounds before, whose refusals are told */
    /* of what stands between the leader and the binding at hand and is no member, something */
    bool passed;  /* may fault */
    bool crossed; /* is a stored array */
} group;

/* An array that both the consumer and the group read, and the first member that does. */
static wadi_val shared_with(const pairing *s, const group *g, const consumer *c, int *out_member) {
    for (int k = 0; k < g->n; k++) {
        const wadi_val v = shared(&s->of[g->member[k]], c);
        *out_member = k;
        if (v != WADI_NONE) return v;
    }
    return WADI_NONE;
}

/* Whether no kernel of the block makes its arrays, so it is never written over one of them. */
static bool reads_what_is_given(const pairing *s, const consumer *c) {
    for (size_t k = 0; k < c->reads.n; k++) {
        const int made = s->at[c->reads.at[k]];
        if (made != NOT_HERE && !wadi_op_has(s->block->binds[made]->op, WADI_TRAIT_NO_KERNEL))
            return false;
    }
    return c->reads.n > 0;
}

static wadi_val result_of(const pairing *s, int i) {
    return s->block->binds[i]->results[0];
}

/* The last of what a consumer needs that is not there where the leader stands; NONE: all of it is. */
static wadi_val missing(const pairing *s, const group *g, const consumer *c) {
    int last = s->place[g->member[0]] - 1;
    wadi_val found = WADI_NONE;
    for (size_t k = 0; k < c->needs.n; k++) {
        const int place = s->place[s->at[c->needs.at[k]]];
        if (place <= last) continue;
        last = place;
        found = c->needs.at[k];
    }
    return found;
}

static const char *same_space(const pairing *s, const consumer *a, const consumer *b) {
    if (rank_of(s, a->space) != rank_of(s, b->space)) return "its array has another rank";
    return wadi_shapes_same(s->cx->shapes, s->m, a->space, b->space)
               ? NULL
               : "the shapes are not proved equal";
}

/* Why consumer `i`, which shares an array with the group, is not computed with it, wherever its lines stand; NULL: it may be. */
static const char *obstacle(const pairing *s, const group *g, int i) {
    const consumer *c = &s->of[i];
    if (c->masked) return "a fold of kept elements that need their places has a loop of its own";
    if (c->rounds) return "a scan goes through its vector a few blocks at a time";
    const char *why = same_space(s, &s->of[g->member[0]], c);
    if (why) return why;
    if (c->may_fault && (g->may_fault || g->needs_elements))
        return "both may fault, and the first fault must be told";
    if (c->may_fault && g->passed) return "it may fault, and so may what comes before it";
    if (c->needs_elements && g->passed)
        return "an empty row is a fault, and so may be what comes before it";
    return g->n == MEMBERS ? "so many are enough for one pass" : NULL;
}

/* ---- the order of lines ---- */

typedef struct choice {
    pairing *s;
    int behind; /* what stands there or before it stays */
    int last;   /* the last place chosen */
    bool free;  /* all of it may move */
} choice;

static void choose(choice *w, int i);

static void choose_read(void *env, const wadi_read *r) {
    choice *w = env;
    if (w->s->at[*r->at] != NOT_HERE) choose(w, w->s->at[*r->at]);
}

/* Chooses a binding, what it is computed from, and the siblings of these. */
static void choose(choice *w, int i) {
    pairing *s = w->s;
    const wadi_bind *b = s->block->binds[i];
    if (s->place[i] <= w->behind || s->chosen[i]) return;
    s->chosen[i] = true;
    if (s->place[i] > w->last) w->last = s->place[i];
    w->free = w->free && s->of[i].moves;
    const int number = b->nresults == 1 ? s->m->values[b->results[0]].siblings : 0;
    for (int p = w->behind + 1; number > 0 && p < s->block->nbinds; p++) {
        const wadi_bind *other = s->block->binds[s->order[p]];
        if (other->nresults == 1 && s->m->values[other->results[0]].siblings == number)
            choose(w, s->order[p]);
    }
    wadi_reads_own(s->block, s->block->binds[i], choose_read, w);
}

static void forget_choice(const choice *w) {
    for (int p = w->behind + 1; p <= w->last; p++) w->s->chosen[w->s->order[p]] = false;
}

/* Moves what is chosen to the places behind `behind`, in its order. */
static void move_chosen(const choice *w) {
    pairing *s = w->s;
    int *rest = s->rest, kept = 0, moved = w->behind + 1;
    for (int p = moved; p <= w->last; p++)
        if (s->chosen[s->order[p]])
            s->order[moved++] = s->order[p];
        else
            rest[kept++] = s->order[p];
    for (int k = 0; k < kept; k++) s->order[moved + k] = rest[k];
    for (int p = w->behind + 1; p <= w->last; p++) s->place[s->order[p]] = p;
}

static bool depends_on_group(pairing *s, const group *g, wadi_val v) {
    choice w = {.s = s, .behind = s->place[g->member[0]] - 1, .free = true};
    choose(&w, s->at[v]);
    bool found = false;
    for (int k = 0; k < g->n; k++) found = found || s->chosen[g->member[k]];
    forget_choice(&w);
    return found;
}

static bool stores_array(const pairing *s, int i) {
    const wadi_bind *b = s->block->binds[i];
    for (int r = 0; r < b->nresults; r++)
        if (!is_delayed(s, b->results[r]) &&
            (s->m->values[b->results[r]].type.is_seq || rank_of(s, b->results[r]) > 0))
            return true;
    return false;
}

/* Computes what consumer `c` needs before the leader, if that can be. For an array that both read, other arrays may be made earlier. */
static void make_room(pairing *s, const group *g, const consumer *c, bool shares) {
    choice w = {.s = s, .behind = s->place[g->member[0]] - 1, .free = true};
    for (size_t k = 0; k < c->needs.n; k++) choose(&w, s->at[c->needs.at[k]]);
    for (int k = 0; k < g->n; k++) w.free = w.free && !s->chosen[g->member[k]];
    for (int p = w.behind + 1; !shares && p <= w.last; p++)
        w.free = w.free && !(s->chosen[s->order[p]] && stores_array(s, s->order[p]));
    if (w.free) move_chosen(&w);
    forget_choice(&w);
}

/* Puts a new member and what is computed inside it behind the last one. */
static void stand_behind(pairing *s, const group *g, int i) {
    choice w = {.s = s, .behind = s->place[g->member[g->n - 1]], .free = true};
    choose(&w, i);
    move_chosen(&w);
    forget_choice(&w);
}

/* ---- those that share no array with the group ---- */

/* Whether those that share an array with consumer `i` can follow it into the group, so that the array is still read once. */
static bool takes_others_along(const pairing *s, const group *g, int i) {
    int members = g->n + 1;
    for (int p = s->place[g->member[0]] + 1, seen = 0; p < s->block->nbinds && seen < AHEAD;
         p++, seen++) {
        const int other = s->order[p];
        const consumer *c = &s->of[other];
        if (other == i || !c->is_one || s->m->values[result_of(s, other)].siblings > 0 ||
            shared(&s->of[i], c) == WADI_NONE)
            continue;
        if (c->may_fault || (c->needs_elements && g->passed)) return false;
        members++;
    }
    return members <= MEMBERS;
}

/* Whether one pass pays for a consumer that shares no array with the group. */
static bool goes_along(const pairing *s, const group *g, int i) {
    const consumer *leader = &s->of[g->member[0]], *c = &s->of[i];
    if (!c->is_one || c->reduces != leader->reduces || same_space(s, leader, c)) return false;
    if (!c->reduces &&
        (g->crossed || !reads_what_is_given(s, leader) || !reads_what_is_given(s, c)))
        return false;
    return takes_others_along(s, g, i);
}

/* ---- joining ---- */

static void refuse(pairing *s, const group *g, int i, wadi_val array, const char *why) {
    if (!s->tells) return;
    const consumer *c = &s->of[i];
    const wadi_val needed = missing(s, g, c), leader = result_of(s, g->member[0]);
    if (!c->masked && !c->rounds && needed != WADI_NONE)
        wadi_diag_note(s->cx->diag, WADI_NOTE_APART, result_of(s, i), leader,
                       "both read %%%u, but it needs %%%u, which %s", array, needed,
                       depends_on_group(s, g, needed) ? "comes of that pass" : "is computed later");
    else
        wadi_diag_note(s->cx->diag, WADI_NOTE_APART, result_of(s, i), leader,
                       "both read %%%u, but %s", array, why);
}

/* Tells of a consumer that goes through as many elements as the leader and shares an array, but not element by element. */
static void tell_of_places(const pairing *s, const group *g, int i) {
    const consumer *c = &s->of[i], *leader = &s->of[g->member[0]];
    if (!s->tells || same_space(s, leader, c) != NULL) return;
    wadi_val who = result_of(s, i), array = looked_at(s, c, leader);
    if (array == WADI_NONE) {
        array = looked_at(s, leader, c);
        who = result_of(s, g->member[0]);
    }
    if (array != WADI_NONE)
        wadi_diag_note(s->cx->diag, WADI_NOTE_APART, result_of(s, i), result_of(s, g->member[0]),
                       "both read %%%u, but %%%u reads it at other places than its own", array,
                       who);
}

/* array: what it reads together with the member `with`; WADI_NONE: their extents are equal. */
static void join(pairing *s, group *g, int i, wadi_val array, int with) {
    const consumer *c = &s->of[i];
    const wadi_val partner = result_of(s, g->member[with]);
    wadi_value *leader = &s->m->values[result_of(s, g->member[0])];
    if (s->may_move) stand_behind(s, g, i);
    if (g->n == 1) leader->siblings = ++s->groups;
    s->m->values[result_of(s, i)].siblings = leader->siblings;
    g->member[g->n++] = i;
    g->may_fault = g->may_fault || c->may_fault;
    g->needs_elements = g->needs_elements || c->needs_elements;
    s->joins++;
    if (!s->tells) return;
    if (array != WADI_NONE)
        wadi_diag_note(s->cx->diag, WADI_NOTE_SIBLING, result_of(s, i), partner, "both read %%%u",
                       array);
    else
        wadi_diag_note(s->cx->diag, WADI_NOTE_SIBLING, result_of(s, i), partner,
                       "both go through equal extents");
}

/* Whether all that a consumer needs is there where the leader stands. Lines move for that, if they may. */
static bool has_what_it_needs(pairing *s, const group *g, const consumer *c, bool shares) {
    if (s->may_move && missing(s, g, c) != WADI_NONE) make_room(s, g, c, shares);
    return missing(s, g, c) == WADI_NONE;
}

/* Looks at one binding behind the leader: it joins, or is passed. */
static void look_at(pairing *s, group *g, int i, bool by_extents) {
    const consumer *c = &s->of[i];
    const bool free =
        (c->is_one || c->masked || c->rounds) && s->m->values[result_of(s, i)].siblings == 0;
    int member = 0;
    const wadi_val array = free ? shared_with(s, g, c, &member) : WADI_NONE;
    const bool shares = array != WADI_NONE, tells = shares && member >= g->told;
    if (shares || (free && by_extents && goes_along(s, g, i))) {
        const char *why = obstacle(s, g, i);
        if (!why && has_what_it_needs(s, g, c, shares)) {
            join(s, g, i, array, shares ? member : 0);
            return;
        }
        if (tells) refuse(s, g, i, array, why);
    } else if (free && !by_extents) {
        tell_of_places(s, g, i);
    }
    g->passed = g->passed || may_fault_here(c);
    g->crossed = g->crossed || stores_array(s, i);
}

static void gather(pairing *s, group *g, bool by_extents) {
    const int leader = g->member[0];
    g->passed = g->crossed = false;
    for (int p = s->place[leader] + 1; p < s->block->nbinds && p <= s->place[leader] + AHEAD; p++) {
        const int i = s->order[p];
        bool is_member = false;
        for (int k = 1; k < g->n; k++) is_member = is_member || g->member[k] == i;
        if (!is_member) look_at(s, g, i, by_extents);
    }
    g->told = g->n;
}

/* Those that share an array are asked first. */
static void lead(pairing *s, int leader) {
    group g = {.n = 1, .member = {leader}};
    g.may_fault = s->of[leader].may_fault;
    g.needs_elements = s->of[leader].needs_elements;
    gather(s, &g, false);
    gather(s, &g, true);
}

/* ---- blocks ---- */

/* Pairs the block from the order in which it stands. Returns how many consumers join another one. */
static int attempt(pairing *s, int groups, bool may_move, bool tells) {
    const int n = s->block->nbinds;
    s->groups = groups;
    s->joins = 0;
    s->may_move = may_move;
    s->tells = tells;
    for (int i = 0; i < n; i++) {
        s->order[i] = s->place[i] = i;
        if (s->of[i].is_one) s->m->values[result_of(s, i)].siblings = 0;
    }
    for (int p = 0; p < n && !s->failed; p++) {
        const int i = s->order[p];
        if (s->of[i].is_one && s->m->values[result_of(s, i)].siblings == 0) lead(s, i);
        if (s->order[p] != i) p--; /* others stand before it now, and may lead */
    }
    return s->joins;
}

static void reorder(pairing *s) {
    const int n = s->block->nbinds;
    wadi_bind **binds = WADI_NEW_N(s->cx->scratch, wadi_bind *, (size_t)n + 1);
    for (int p = 0; binds && p < n; p++) binds[p] = s->block->binds[s->order[p]];
    if (!binds || !wadi_rewrite_set_block(s->m, s->block, n, binds)) s->failed = true;
}

static void pair_consumers(pairing *s) {
    const int groups = s->groups;
    const int as_it_stands = attempt(s, groups, false, false);
    const bool better = attempt(s, groups, true, false) > as_it_stands;
    (void)attempt(s, groups, better, true);
    if (better) reorder(s);
}

static bool start_block(pairing *s, wadi_block *block) {
    const size_t n = (size_t)block->nbinds + 1;
    s->block = block;
    s->of = WADI_NEW_N(s->cx->scratch, consumer, n);
    s->order = WADI_NEW_N(s->cx->scratch, int, n);
    s->place = WADI_NEW_N(s->cx->scratch, int, n);
    s->rest = WADI_NEW_N(s->cx->scratch, int, n);
    s->chosen = WADI_NEW_N(s->cx->scratch, bool, n);
    return s->of && s->order && s->place && s->rest && s->chosen;
}

static void pair_block(pairing *s, wadi_block *block) {
    if (!start_block(s, block)) s->failed = true;
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        for (int r = 0; r < block->binds[i]->nresults; r++) s->at[block->binds[i]->results[r]] = i;
    for (int i = 0; i < block->nbinds && !s->failed; i++) learn(s, i);
    if (!s->failed) pair_consumers(s);
    for (int i = 0; s->of && i < block->nbinds; i++) {
        wadi_vec_free(&s->of[i].reads);
        wadi_vec_free(&s->of[i].looks);
        wadi_vec_free(&s->of[i].needs);
    }
    for (int i = 0; i < block->nbinds && !s->failed; i++)
        for (int r = 0; r < block->binds[i]->nresults; r++)
            s->at[block->binds[i]->results[r]] = NOT_HERE;
    const bool whole = s->whole;
    for (int i = 0; i < block->nbinds && !s->failed; i++) {
        s->whole = whole && block->binds[i]->op->kind != WADI_OP_SEQUENCE;
        for (int k = 0; k < block->binds[i]->nblocks; k++)
            pair_block(s, block->binds[i]->blocks[k]);
    }
    s->whole = whole;
}

wadi_status wadi_pass_siblings(wadi_module *m, wadi_pass_cx *cx, wadi_error *err) {
    pairing s = {.m = m,
                 .cx = cx,
                 .at = WADI_NEW_N(cx->scratch, int, m->nvalues + 1),
                 .seen = WADI_NEW_N(cx->scratch, uint64_t, m->nvalues + 1)};
    if (!s.at || !s.seen) return wadi_fail(err, WADI_MEMORY, "siblings: out of memory");
    for (wadi_val v = 0; v < m->nvalues; v++) {
        s.at[v] = NOT_HERE;
        m->values[v].siblings = 0;
    }
    s.whole = true;
    pair_block(&s, m->main);
    return s.failed ? wadi_fail(err, WADI_MEMORY, "siblings: out of memory") : WADI_OK;
}
