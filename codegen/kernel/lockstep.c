/* Loops within elements, run for many elements in step.
 *
 * No C compiler vectorises a loop around a scalar loop whose end data decides. So the loop over elements is cut into blocks. A block has a lane
 * for each element, and each lane has its state in arrays:
 *   - what stands in front of the scalar loop is computed for all lanes;
 *   - then rounds run for all lanes as long as more than a few of them go on. A lane that does not go on keeps its state;
 *   - the few that go on do so one by one, so that one long element costs no more than it did;
 *   - what stands behind the scalar loop is computed for all lanes.
 * Each step is a loop of a known number of straight rounds, which becomes SIMD code. A lane that has ended stays so, since whether it goes on
 * depends on its state alone. So it is enough to ask every few rounds how many go on. Its next state is computed and not taken: it
 * may be anything, and must not fault, so it reads no memory. A scalar loop of rounds that are counted, as many for all elements, needs no
 * question.
 *
 * A block at the end has fewer elements than lanes. The others do what the first lane does, and are not stored. */
#include "codegen/kernel/lockstep.h"

#include "codegen/kernel/arith.h"
#include "codegen/kernel/check.h"
#include "codegen/loop/copy.h"
#include "codegen/loop/number.h"
#include "codegen/loop/own.h"

enum {
    BLOCK =
        256, /* bytes of a state that is widest in number: several vectors, so that one round need not wait for the one before */
    NARROWEST = 4, /* bytes: more lanes than BLOCK / 4 end at too different times */
    UNASKED = 4,   /* rounds between two questions how many lanes go on */
    FEW = 1,       /* lanes whose rounds take no longer one by one than a round of all */
    FEW_SLOW =
        8, /* the same where a round divides or takes roots: SIMD units do so hardly faster than numbers one by one */
    LEAST = 8,      /* elements that are worth a block */
    MOST_COST = 64, /* operations of a round */
    MOST = 24,      /* variables, and values that go from one step to another */
    MOST_WORK = 400 /* instructions of an element */
};

/* A value that each lane has for itself. */
typedef struct lane_value {
    wadi_lv v;     /* a variable, or a value, of the loop over elements */
    wadi_lv array; /* of lanes */
    wadi_lv now;   /* a variable's value where code is written; NONE: it has none yet */
    wadi_lv start; /* the same when the round began */
} lane_value;

typedef struct lockstep {
    wadi_lower *l;
    const wadi_linst *outer, *inner; /* the loop over elements, and the loop within */
    const wadi_lscope *element, *round;
    int at; /* place of `inner` in `element` */
    int nvars, nkept, lanes, cost;
    bool slow; /* a round divides or takes roots */
    lane_value var[MOST], kept[MOST];
    wadi_lcopy copy; /* of the step that is being written */
} lockstep;

/* ---- whether it can be done ---- */

static const wadi_linst *inst(const lockstep *k, wadi_lv v) {
    return k->l->b.fun->inst[v];
}

static bool is_counted(const lockstep *k) {
    return k->inner->kind == WADI_L_FOR;
}

static bool is_own(const lockstep *k, wadi_lv v) {
    return wadi_own_is_made_in(k->l->b.fun, v, k->element);
}

static lane_value *find(lane_value *at, int n, wadi_lv v) {
    for (int i = 0; i < n; i++)
        if (at[i].v == v) return &at[i];
    return NULL;
}

static lane_value *var_of(lockstep *k, wadi_lv v) {
    return find(k->var, k->nvars, v);
}

static bool is_plain(wadi_type t) {
    return !wadi_type_is_complex(t);
}

/* Operations that SIMD code has. Others would be computed lane by lane, and until the last lane ends. */
static bool is_light(const lockstep *k, const wadi_linst *i) {
    const wadi_type t = i->nargs > 0 ? inst(k, i->args[0])->type : i->type;
    if (!is_plain(t) || !is_plain(i->type)) return false;
    switch (i->op) {
    case WADI_SOP_CONVERT: /* from floats there are many cases */
        return !wadi_type_is_float(t) || wadi_type_is_float(i->type);
    case WADI_SOP_FDIV:
    case WADI_SOP_SQRT:
    case WADI_SOP_FLOOR:
    case WADI_SOP_CEIL:
    case WADI_SOP_TRUNC:
    case WADI_SOP_COPYSIGN:
        return true;
    case WADI_SOP_QUOT:
    case WADI_SOP_REM:
    case WADI_SOP_DIV:
    case WADI_SOP_MOD:
    case WADI_SOP_POPCOUNT:
    case WADI_SOP_CLZ:
    case WADI_SOP_CTZ:
        return false;
    default:
        return !wadi_sop_is_costly(i->op, t);
    }
}

/* An instruction of the loop within. */
static bool fits_round(lockstep *k, const wadi_linst *i, bool *left) {
    switch (i->kind) {
    case WADI_L_GET:
        return var_of(k, i->args[0]) != NULL;
    case WADI_L_SET: /* a lane that has left keeps what it had when the round began */
        return var_of(k, i->args[0]) != NULL && (is_counted(k) || *left);
    case WADI_L_LEAVE:
        if (*left || is_counted(k)) return false;
        return *left = true;
    case WADI_L_LOAD:
        return false;
    case WADI_L_PRIM:
        k->cost++;
        k->slow |= i->op == WADI_SOP_FDIV || i->op == WADI_SOP_SQRT;
        return is_light(k, i);
    case WADI_L_SELECT:
        k->cost++;
        return is_plain(i->type);
    default:
        return wadi_lcopy_can(i);
    }
}

static bool fits_rounds(lockstep *k) {
    bool left = false;
    for (int i = 0; i < k->round->n; i++)
        if (!fits_round(k, k->round->inst[i], &left)) return false;
    return (left || is_counted(k)) && k->cost <= MOST_COST;
}

/* An instruction of the loop over elements. Finds the loop within, and the variables. */
static bool fits_element(lockstep *k, wadi_linst *i, int at) {
    switch (i->kind) {
    case WADI_L_VAR:
        if (i->pointer || !is_plain(i->type) || k->nvars == MOST || k->inner) return false;
        k->var[k->nvars++] = (lane_value){i->self, WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE};
        return true;
    case WADI_L_GET:
    case WADI_L_SET:
        return var_of(k, i->args[0]) != NULL;
    case WADI_L_STORE:
        return k->inner && !i->atomic;
    case WADI_L_NOTE:
        return true;
    case WADI_L_FOR:
    case WADI_L_REPEAT:
        if (k->inner) return false;
        k->inner = i;
        k->round = i->block[0];
        k->at = at;
        return true;
    default:
        return wadi_lcopy_can(i);
    }
}

static int64_t step_of(const lockstep *k, const wadi_linst *loop) {
    return (int64_t)inst(k, loop->args[2])->imm.bits;
}

static bool is_known(const lockstep *k, wadi_lv v) {
    return inst(k, v)->kind == WADI_L_CONST;
}

/* Rounds that are counted have the same number for all elements, which is not known now: else the C compiler writes them out. */
static bool fits_count(const lockstep *k) {
    const wadi_linst *i = k->inner;
    if (!is_counted(k)) return true;
    return i->by == WADI_BY_ONE && !is_own(k, i->args[0]) && !is_own(k, i->args[1]) &&
           !(is_known(k, i->args[0]) && is_known(k, i->args[1])) && !i->unrolled;
}

/* `v` is needed in another step than that in which it is computed. */
static bool keep(lockstep *k, wadi_lv v) {
    if (find(k->kept, k->nkept, v)) return true;
    if (k->nkept == MOST || inst(k, v)->pointer || !is_plain(inst(k, v)->type)) return false;
    k->kept[k->nkept++] = (lane_value){v, WADI_LV_NONE, WADI_LV_NONE, WADI_LV_NONE};
    return true;
}

/* A place in memory is computed anew from the number of the element, in each step that needs it. */
static bool is_place(const lockstep *k, wadi_lv v) {
    const wadi_linst *i = inst(k, v);
    if (i->self == k->outer->var || !is_own(k, v)) return true;
    if (!i->pointer && i->type != WADI_I64) return false;
    if (i->kind != WADI_L_PRIM && i->kind != WADI_L_ADVANCE && i->kind != WADI_L_RANGE)
        return false;
    const int n = i->kind == WADI_L_RANGE ? 1 : i->nargs;
    for (int a = 0; a < n; a++)
        if (!is_place(k, i->args[a])) return false;
    return true;
}

/* Whether `v` is computed in front of the loop within. */
static bool is_before(const lockstep *k, wadi_lv v) {
    for (int i = 0; i < k->at; i++)
        if (k->element->inst[i]->self == v) return true;
    return v == k->outer->var;
}

/* What the round or, `behind` it, the rest needs of what was computed in front. */
static bool keep_needed(lockstep *k, const wadi_linst *i, bool behind) {
    const int n = i->kind == WADI_L_RANGE ? 1 : i->nargs;
    for (int a = i->kind == WADI_L_SET || i->kind == WADI_L_GET; a < n; a++) {
        const wadi_lv v = i->args[a];
        if (v == WADI_LV_NONE || !is_own(k, v) || !is_before(k, v)) continue;
        if (is_known(k, v) || ((behind || is_counted(k)) && is_place(k, v))) continue;
        if (!keep(k, v)) return false;
    }
    return true;
}

static bool keeps(lockstep *k) {
    for (int i = 0; i < k->round->n; i++)
        if (!keep_needed(k, k->round->inst[i], false)) return false;
    for (int i = k->at + 1; i < k->element->n; i++)
        if (!keep_needed(k, k->element->inst[i], true)) return false;
    return true;
}

/* The lanes of a block, by the narrowest number that goes round. */
static int lanes_of(const lockstep *k) {
    int bytes = 8;
    for (int i = 0; i < k->nvars; i++) {
        const int own = wadi_type_size(inst(k, k->var[i].v)->type);
        if (own < bytes) bytes = own;
    }
    return BLOCK / (bytes < NARROWEST ? NARROWEST : bytes);
}

static bool fits(lockstep *k) {
    if (k->outer->kind != WADI_L_FOR || k->outer->by != WADI_BY_ONE || k->outer->brief ||
        k->outer->unrolled || step_of(k, k->outer) != 1)
        return false;
    k->element = k->outer->block[0];
    if (k->element->n > MOST_WORK) return false;
    for (int i = 0; i < k->element->n; i++)
        if (!fits_element(k, k->element->inst[i], i)) return false;
    if (!k->inner || k->nvars == 0 || !fits_count(k) || !fits_rounds(k) || !keeps(k)) return false;
    k->lanes = lanes_of(k);
    return true;
}

/* ---- what lanes do ---- */

/* Opens a loop over the lanes, or over the first `n` of them. Nothing has been copied in it yet. */
static wadi_lv open_lanes(lockstep *k, wadi_lv n) {
    k->copy = wadi_lcopy_begin(&k->l->b, k->element);
    return wadi_lb_for(&k->l->b, num(k->l, 0), n, 1, "lane");
}

static wadi_lv all_lanes(lockstep *k) {
    return open_lanes(k, num(k->l, k->lanes));
}

static wadi_lv copy(lockstep *k, wadi_lv v) {
    return wadi_lcopy_of(&k->copy, v);
}

static void take_kept(lockstep *k, wadi_lv lane) {
    for (int i = 0; i < k->nkept; i++)
        wadi_lcopy_put(&k->copy, k->kept[i].v, wadi_lb_lane(&k->l->b, k->kept[i].array, lane));
}

static void take_state(lockstep *k, wadi_lv lane) {
    for (int i = 0; i < k->nvars; i++)
        k->var[i].now = k->var[i].start = wadi_lb_lane(&k->l->b, k->var[i].array, lane);
}

/* Variables have no places of their own within a step: an instruction that reads one stands for the value that it has there. */
static void follow(lockstep *k, const wadi_linst *i) {
    if (i->kind == WADI_L_GET) wadi_lcopy_put(&k->copy, i->self, var_of(k, i->args[0])->now);
    if (i->kind == WADI_L_SET) var_of(k, i->args[0])->now = copy(k, i->args[1]);
    if (i->kind == WADI_L_STORE)
        wadi_lb_store(&k->l->b, copy(k, i->args[0]), copy(k, i->args[1]), copy(k, i->args[2]));
}

static void number_element(lockstep *k, wadi_lv first, wadi_lv lane) {
    wadi_lb *b = &k->l->b;
    const wadi_lv last = bin(k->l, WADI_SOP_SUB, k->outer->args[1], num(k->l, 1));
    const wadi_lv i = bin(k->l, WADI_SOP_ADD, first, lane);
    wadi_lcopy_put(&k->copy, k->outer->var, wadi_lb_range(b, i, k->outer->args[0], last));
}

static wadi_lv zero_of(lockstep *k, wadi_lv v) {
    return wadi_lb_const(&k->l->b, (wadi_scalar){.type = inst(k, v)->type});
}

static void begin_elements(lockstep *k, wadi_lv first, wadi_lv count) {
    wadi_lb *b = &k->l->b;
    const wadi_lv lane = open_lanes(k, count);
    number_element(k, first, lane);
    for (int i = 0; i < k->at; i++) {
        const wadi_linst *x = k->element->inst[i];
        if (x->kind == WADI_L_VAR)
            var_of(k, x->self)->now = x->nargs > 0 ? copy(k, x->args[0]) : zero_of(k, x->self);
        follow(k, x);
    }
    for (int i = 0; i < k->nvars; i++) wadi_lb_put(b, k->var[i].array, lane, k->var[i].now);
    for (int i = 0; i < k->nkept; i++)
        wadi_lb_put(b, k->kept[i].array, lane, copy(k, k->kept[i].v));
    wadi_lb_end(b);
}

static void as_first(lockstep *k, const lane_value *v, wadi_lv lane) {
    wadi_lb *b = &k->l->b;
    wadi_lb_put(b, v->array, lane, wadi_lb_lane(b, v->array, num(k->l, 0)));
}

/* Lanes without an element do what the first does. */
static void fill_lanes(lockstep *k, wadi_lv count) {
    wadi_lb *b = &k->l->b;
    const wadi_lv all = num(k->l, k->lanes);
    wadi_lb_if_seldom(b, bin(k->l, WADI_SOP_LT, count, all));
    const wadi_lv lane = wadi_lb_for(b, count, all, 1, "lane");
    for (int i = 0; i < k->nvars; i++) as_first(k, &k->var[i], lane);
    for (int i = 0; i < k->nkept; i++) as_first(k, &k->kept[i], lane);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

/* Writes the round up to where it leaves the loop. Returns whether the lane goes on. *at: what comes next. */
static wadi_lv goes_on(lockstep *k, int *at) {
    for (*at = 0; *at < k->round->n; ++*at) {
        const wadi_linst *i = k->round->inst[*at];
        if (i->kind == WADI_L_LEAVE) return copy(k, i->args[0]);
        follow(k, i);
    }
    return WADI_LV_NONE;
}

/* Takes what the lane has, and does as goes_on. */
static wadi_lv lane_goes_on(lockstep *k, wadi_lv lane, int *at) {
    take_kept(k, lane);
    take_state(k, lane);
    return goes_on(k, at);
}

static void put_changed(lockstep *k, wadi_lv lane, wadi_lv on) {
    wadi_lb *b = &k->l->b;
    for (int i = 0; i < k->nvars; i++) {
        const lane_value *v = &k->var[i];
        if (v->now == v->start) continue;
        const wadi_lv next = on == WADI_LV_NONE
                                 ? v->now
                                 : wadi_lb_select(b, inst(k, v->v)->type, on, v->now, v->start);
        wadi_lb_put(b, v->array, lane, next);
    }
}

/* A round of all lanes, some of which may have ended. */
static void one_round(lockstep *k) {
    const wadi_lv lane = all_lanes(k);
    int at = 0;
    const wadi_lv on = lane_goes_on(k, lane, &at);
    for (; at < k->round->n; at++) follow(k, k->round->inst[at]);
    put_changed(k, lane, on);
    wadi_lb_end(&k->l->b);
}

/* The lanes that go on. The number has the width of the state, so that C compilers make vectors of both alike. */
static wadi_lv lanes_that_go_on(lockstep *k) {
    wadi_lb *b = &k->l->b;
    const wadi_type t = k->lanes > BLOCK / 8 ? WADI_I32 : WADI_I64;
    const wadi_lv no = wadi_lb_const(b, (wadi_scalar){t, 0}),
                  yes = wadi_lb_const(b, (wadi_scalar){t, 1});
    const wadi_lv n = wadi_lb_var(b, t, false, no, "going");
    int at = 0;
    const wadi_lv on = lane_goes_on(k, all_lanes(k), &at);
    wadi_lb_set(b, n,
                bin(k->l, WADI_SOP_ADD, wadi_lb_get(b, n), wadi_lb_select(b, t, on, yes, no)));
    wadi_lb_end(b);
    const wadi_lv going = wadi_lb_get(b, n);
    return wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &going);
}

static void counted_rounds(lockstep *k, wadi_lv first) {
    wadi_lb *b = &k->l->b;
    const wadi_linst *loop = k->inner;
    const wadi_lv round = wadi_lb_for(b, loop->args[0], loop->args[1], step_of(k, loop), "round");
    const wadi_lv lane = all_lanes(k);
    int at = 0;
    wadi_lcopy_put(&k->copy, loop->var, round);
    number_element(k, first, lane);
    (void)lane_goes_on(k, lane, &at);
    put_changed(k, lane, WADI_LV_NONE);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

/* Rounds of all lanes as long as more than `few` go on. Returns the lanes that still do. */
static wadi_lv rounds_in_step(lockstep *k, wadi_lv few) {
    wadi_lb *b = &k->l->b;
    const wadi_lv left = wadi_lb_var(b, WADI_I64, false, num(k->l, 0), "left");
    wadi_lb_repeat(b);
    wadi_lb_set(b, left, lanes_that_go_on(k));
    wadi_lb_leave_unless(b, bin(k->l, WADI_SOP_GT, wadi_lb_get(b, left), few));
    (void)wadi_lb_for(b, num(k->l, 0), num(k->l, UNASKED), 1, "round");
    if (!b->failed) b->scope->owner->in_step = true;
    one_round(k);
    wadi_lb_end(b);
    wadi_lb_end(b);
    return wadi_lb_get(b, left);
}

/* The scalar loop of one lane, from the state that it has. */
static void rounds_of_one(lockstep *k, wadi_lv lane) {
    wadi_lb *b = &k->l->b;
    wadi_lv state[MOST];
    for (int i = 0; i < k->nvars; i++) {
        const wadi_lv start = wadi_lb_lane(b, k->var[i].array, lane);
        state[i] = wadi_lb_var(b, inst(k, k->var[i].v)->type, false, start, "state");
    }
    wadi_lb_repeat(b);
    for (int i = 0; i < k->nvars; i++) k->var[i].now = k->var[i].start = wadi_lb_get(b, state[i]);
    int at = 0;
    wadi_lb_leave_unless(b, goes_on(k, &at));
    for (; at < k->round->n; at++) follow(k, k->round->inst[at]);
    for (int i = 0; i < k->nvars; i++)
        if (k->var[i].now != k->var[i].start) wadi_lb_set(b, state[i], k->var[i].now);
    wadi_lb_end(b);
    for (int i = 0; i < k->nvars; i++)
        wadi_lb_put(b, k->var[i].array, lane, wadi_lb_get(b, state[i]));
}

/* Of lanes without an element, none or all count as going on: with all of them added to `few`, an element more or less is done one by one. */
static void rounds(lockstep *k, wadi_lv count) {
    wadi_lower *l = k->l;
    wadi_lb *b = &l->b;
    const wadi_lv empty = bin(l, WADI_SOP_SUB, num(l, k->lanes), count);
    const wadi_lv few = bin(l, WADI_SOP_ADD, empty, num(l, k->slow ? FEW_SLOW : FEW));
    const wadi_lv left = rounds_in_step(k, few);
    wadi_lb_if(b, bin(l, WADI_SOP_GT, left, num(l, 0)));
    const wadi_lv lane = open_lanes(k, count);
    take_kept(k, lane);
    rounds_of_one(k, lane);
    wadi_lb_end(b);
    wadi_lb_end(b);
}

static void end_elements(lockstep *k, wadi_lv first, wadi_lv count) {
    const wadi_lv lane = open_lanes(k, count);
    number_element(k, first, lane);
    take_kept(k, lane);
    take_state(k, lane);
    for (int i = k->at + 1; i < k->element->n; i++) follow(k, k->element->inst[i]);
    wadi_lb_end(&k->l->b);
}

/* ---- blocks ---- */

static void make_array(lockstep *k, lane_value *v, const char *name) {
    v->array = wadi_lb_lanes(&k->l->b, inst(k, v->v)->type, k->lanes, name);
}

static void blocks(lockstep *k) {
    wadi_lower *l = k->l;
    wadi_lb *b = &l->b;
    const wadi_lv below = k->outer->args[1];
    const wadi_lv first = wadi_lb_for(b, k->outer->args[0], below, k->lanes, "first");
    const wadi_lv count =
        bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_SUB, below, first), num(l, k->lanes));
    for (int i = 0; i < k->nvars; i++) make_array(k, &k->var[i], "states");
    for (int i = 0; i < k->nkept; i++) make_array(k, &k->kept[i], "kept");
    begin_elements(k, first, count);
    fill_lanes(k, count);
    if (is_counted(k))
        counted_rounds(k, first);
    else
        rounds(k, count);
    end_elements(k, first, count);
    wadi_lb_end(b);
}

/* The blocks, or for a few elements the loop as it was. */
static void choose(lockstep *k, wadi_linst *loop) {
    wadi_lb *b = &k->l->b;
    const wadi_lv n = bin(k->l, WADI_SOP_SUB, loop->args[1], loop->args[0]);
    wadi_lscope *many = wadi_lb_aside(b);
    blocks(k);
    wadi_lb_aside_end(b, many);
    wadi_lscope *few = wadi_lb_aside(b);
    wadi_lb_append(b, few, loop);
    loop->block[0]->parent = few;
    wadi_lb_aside_end(b, few);
    const wadi_lv worth = bin(k->l, WADI_SOP_GE, n, num(k->l, LEAST));
    int64_t known = 0;
    if (wadi_lb_is_const(b, worth, &known))
        wadi_lb_merge(b, known ? many : few);
    else
        wadi_lb_choose(b, worth, many, few);
}

void wadi_lower_lockstep(wadi_lower *l) {
    wadi_lb *b = &l->b;
    wadi_lscope *s = b->scope;
    if (b->failed || l->y->grouped || l->checking.trial || l->checking.ahead || b->interior ||
        s->n == 0)
        return;
    wadi_linst *loop = s->inst[s->n - 1];
    lockstep k = {.l = l, .outer = loop};
    if (!fits(&k)) return;
    s->n--;
    choose(&k, loop);
}
