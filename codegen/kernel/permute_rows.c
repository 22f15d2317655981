/* Where the elements of a vector go is asked in a loop that becomes SIMD code. If data decides which of them are kept, a branch for each goes at random;
 * so the numbers of those that are taken of a stretch are placed behind each other, and only they are gone through. */
#include "codegen/kernel/permute_rows.h"

#include "codegen/kernel/arith.h"
#include "codegen/kernel/permute.h"
#include "codegen/kernel/read.h"
#include "codegen/kernel/check.h"
#include "codegen/kernel/split.h"

enum {
    FEW = 64,     /* elements that tell whether the others are asked */
    STRETCH = 256 /* what is computed of it stays in the nearest cache */
};

typedef struct asking {
    const wadi_bind *bind;
    const wadi_lv *extent, *pointer; /* of the result */
    wadi_lv from, below;
    const wadi_target_rows *rows;
    wadi_lv keep, number; /* lanes: of a stretch, 1 if the element is taken; its number */
} asking;

static wadi_lv zero(wadi_lower *l) {
    return num(l, 0);
}

/* i, known to lie in the source. */
static wadi_lv in_source(wadi_lower *l, const wadi_bind *bind, wadi_lv i) {
    const wadi_lv n = wadi_lower_extent(l, bind->args[1], 0);
    return l->position.ix[0] = wadi_lb_range(&l->b, i, zero(l), bin(l, WADI_SOP_SUB, n, num(l, 1)));
}

static wadi_lv each(wadi_lower *l, const wadi_bind *bind, wadi_lv from, wadi_lv below) {
    return in_source(l, bind, wadi_lb_for(&l->b, from, below, 1, "i"));
}

static wadi_lower_position in_vector(wadi_lower *l, const wadi_bind *bind) {
    const wadi_lv n = wadi_lower_extent(l, bind->args[1], 0);
    return wadi_lower_in_array(l, 1, &n);
}

/* ---- between which rows ---- */

/* Asks elements [from, below): `span` has the variables, `none` what an element that is dropped leaves in them. There is no selection, of which GCC would
 * make branches. */
static void widen(wadi_lower *l, const wadi_bind *bind, wadi_lv from, wadi_lv below,
                  const wadi_lv *span, const wadi_lv *none) {
    static const wadi_sop op[] = {WADI_SOP_MIN, WADI_SOP_MAX};
    wadi_lb *b = &l->b;
    wadi_lv target[1 + WADI_MAX_RANK];
    const wadi_lv i = each(l, bind, from, below);
    wadi_lower_permute_target(l, bind, &i, target);
    const wadi_lv one = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, target);
    const wadi_lv mask = bin(l, WADI_SOP_SUB, zero(l), one);
    for (int k = 0; k < 2; k++) {
        const wadi_lv apart = bin(l, WADI_SOP_XOR, target[1], none[k]);
        const wadi_lv row = bin(l, WADI_SOP_XOR, bin(l, WADI_SOP_AND, apart, mask), none[k]);
        wadi_lb_set(b, span[k], bin(l, op[k], wadi_lb_get(b, span[k]), row));
    }
    wadi_lb_end(b);
}

/* A row that is not there is as good as the first or the last one: `none` is behind and in front of all that are. */
void wadi_lower_permute_span(wadi_lower *l, const wadi_bind *bind, wadi_lv height, wadi_lv from,
                             wadi_lv below, wadi_lv *out) {
    wadi_lb *b = &l->b;
    if (l->status || l->b.failed) return;
    const wadi_lower_position before = in_vector(l, bind);
    const wadi_lv none[] = {height, bin(l, WADI_SOP_SUB, num(l, -1), height)};
    const wadi_lv span[] = {wadi_lb_var(b, WADI_I64, false, none[0], "least"),
                            wadi_lb_var(b, WADI_I64, false, none[1], "most")};
    const wadi_lv few = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, from, num(l, FEW)), below);
    widen(l, bind, from, few, span, none);
    const wadi_lv half = bin(l, WADI_SOP_SHR, height, num(l, 1));
    const wadi_lv least = bin(l, WADI_SOP_MAX, wadi_lb_get(b, span[0]), zero(l));
    wadi_lb_if(b, bin(l, WADI_SOP_GT, wadi_lb_get(b, span[1]), bin(l, WADI_SOP_ADD, least, half)));
    wadi_lb_set(b, span[0], num(l, INT64_MIN));
    wadi_lb_set(b, span[1], num(l, INT64_MAX));
    wadi_lb_else(b);
    widen(l, bind, few, below, span, none);
    wadi_lb_end(b);
    for (int k = 0; k < 2; k++) out[k] = wadi_lb_get(b, span[k]);
    l->position = before;
}

/* ---- the elements ---- */

static wadi_lv is_taken(wadi_lower *l, const asking *a, const wadi_lv *target) {
    const wadi_lv within = bin(l, WADI_SOP_LAND, bin(l, WADI_SOP_GE, target[1], a->rows->first),
                               bin(l, WADI_SOP_LE, target[1], a->rows->last));
    return bin(l, WADI_SOP_LAND, target[0], within);
}

/* Element after element: whether one is taken seldom changes. */
static void one_by_one(wadi_lower *l, void *env) {
    const asking *a = env;
    wadi_lv target[1 + WADI_MAX_RANK];
    const wadi_lv i = each(l, a->bind, a->from, a->below);
    wadi_lower_permute_target(l, a->bind, &i, target);
    wadi_lb_if(&l->b, is_taken(l, a, target));
    wadi_lower_permute_combine(l, a->bind, a->extent, a->pointer, &i, target);
    wadi_lb_end(&l->b);
    wadi_lb_end(&l->b);
}

/* Which of a stretch are taken. */
static void ask_stretch(wadi_lower *l, void *env) {
    const asking *a = env;
    wadi_lb *b = &l->b;
    wadi_lv target[1 + WADI_MAX_RANK];
    const wadi_lv i = each(l, a->bind, a->from, a->below), t = bin(l, WADI_SOP_SUB, i, a->from);
    wadi_lower_permute_target(l, a->bind, &i, target);
    const wadi_lv taken = is_taken(l, a, target);
    wadi_lb_put(b, a->keep, t, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_U8, 1, &taken));
    wadi_lb_put(b, a->number, t, wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I32, 1, &t));
    wadi_lb_end(b);
}

/* Places the numbers of those into the room. Returns how many there are. */
static wadi_lv place_taken(wadi_lower *l, const asking *a, wadi_lv room) {
    wadi_lb *b = &l->b;
    const wadi_lv count = wadi_lb_var(b, WADI_I64, false, zero(l), "taken");
    const wadi_lv t = wadi_lb_for(b, zero(l), bin(l, WADI_SOP_SUB, a->below, a->from), 1, "t");
    if (!b->failed) b->scope->owner->placing = true;
    const wadi_lv at = wadi_lb_get(b, count);
    wadi_lb_store(b, room, at, wadi_lb_lane(b, a->number, t));
    const wadi_lv one = wadi_lb_lane(b, a->keep, t);
    const wadi_lv more = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &one);
    wadi_lb_set(b, count, bin(l, WADI_SOP_ADD, at, more));
    wadi_lb_end(b);
    return wadi_lb_get(b, count);
}

static void combine_taken(wadi_lower *l, const asking *a, wadi_lv room, wadi_lv count) {
    wadi_lb *b = &l->b;
    wadi_lv target[1 + WADI_MAX_RANK];
    const wadi_lv k = wadi_lb_for(b, zero(l), count, 1, "k");
    const wadi_lv number = wadi_lb_fresh(b, room, k);
    const wadi_lv t = wadi_lb_prim(b, WADI_SOP_CONVERT, WADI_I64, 1, &number);
    const wadi_lv i = in_source(l, a->bind, bin(l, WADI_SOP_ADD, a->from, t));
    wadi_lower_permute_target(l, a->bind, &i, target);
    wadi_lower_permute_combine(l, a->bind, a->extent, a->pointer, &i, target);
    wadi_lb_end(b);
}

static void by_stretches(wadi_lower *l, const asking *all) {
    wadi_lb *b = &l->b;
    asking a = *all;
    const wadi_lv size = num(l, STRETCH);
    const wadi_lv mark = wadi_lb_act(b, WADI_L_MARK, 0, NULL)->self;
    const wadi_lv room = wadi_lb_scratch(b, WADI_I32, 1, &size, "taken");
    a.keep = wadi_lb_lanes(b, WADI_U8, STRETCH, "keep");
    a.number = wadi_lb_lanes(b, WADI_I32, STRETCH, "number");
    a.from = wadi_lb_for(b, all->from, all->below, STRETCH, "from");
    a.below = bin(l, WADI_SOP_MIN, bin(l, WADI_SOP_ADD, a.from, size), all->below);
    ask_stretch(l, &a);
    combine_taken(l, &a, room, place_taken(l, &a, room));
    wadi_lb_end(b);
    (void)wadi_lb_act(b, WADI_L_REWIND, 1, &mark);
}

void wadi_lower_permute_rows(wadi_lower *l, const wadi_bind *bind, const wadi_lv *extent,
                             const wadi_lv *pointer, wadi_lv from, wadi_lv below,
                             const wadi_target_rows *rows) {
    asking a = {bind, extent, pointer, from, below, rows, WADI_LV_NONE, WADI_LV_NONE};
    if (l->status || l->b.failed) return;
    const bool all = wadi_lower_permute_keeps_all(l, bind);
    const wadi_lower_position before = in_vector(l, bind);
    if (all)
        wadi_lower_versions(l, one_by_one, &a);
    else
        by_stretches(l, &a);
    l->position = before;
}

/* Whether something in the scope takes long for each element, as divisions of 64 bits do, which are no SIMD code. */
static bool takes_long(const wadi_lscope *s) {
    for (int k = 0; k < s->n; k++) {
        const wadi_linst *i = s->inst[k];
        if (i->kind != WADI_L_PRIM || i->op >= WADI_SOP_PRIM_COUNT) continue;
        const bool divides = wadi_sop_get(i->op)->flags & WADI_SOP_FAULTS;
        if ((divides && wadi_type_size(i->type) > 4) || wadi_sop_is_costly(i->op, i->type))
            return true;
    }
    return false;
}

bool wadi_lower_permute_can_ask(wadi_lower *l, const wadi_bind *bind) {
    wadi_lv target[1 + WADI_MAX_RANK];
    wadi_trial trial;
    if (l->status || l->b.failed || wadi_type_of(l, bind->args[1])->rank != 1 ||
        wadi_type_of(l, bind->results[0])->rank < 1)
        return false;
    const wadi_lower_position before = in_vector(l, bind);
    wadi_lower_try(l, &trial);
    const wadi_lv i = each(l, bind, zero(l), wadi_lower_extent(l, bind->args[1], 0));
    wadi_lower_permute_target(l, bind, &i, target);
    const bool cheap = !l->b.failed && !takes_long(l->b.scope);
    wadi_lb_end(&l->b);
    l->position = before;
    return wadi_lower_tried(l, &trial) && cheap && !l->b.failed && !l->status;
}
